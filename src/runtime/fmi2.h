// SPDX-License-Identifier: Apache-2.0
// Types and functions of FMI 2.0 (https://fmi-standard.org) that an FMU has to provide.
#ifndef JRUNTIME_FMI2_H
#define JRUNTIME_FMI2_H

#include <stddef.h>

#include "runtime/fmi_prefix.h"

// Function names: FMI2_FUNCTION_PREFIX in front, unless FMI2_OVERRIDE_FUNCTION_PREFIX says that this is a library.
#if defined(FMI2_FUNCTION_PREFIX) && !defined(FMI2_OVERRIDE_FUNCTION_PREFIX)
#define JFMI2_JOIN(a, b)  a##b
#define JFMI2_JOIN2(a, b) JFMI2_JOIN(a, b)
#define JFMI2(name)       JFMI2_JOIN2(FMI2_FUNCTION_PREFIX, name)
#else
#define JFMI2(name) name
#endif
#define JFMI2_API __attribute__((visibility("default")))

typedef void *fmi2Component, *fmi2ComponentEnvironment, *fmi2FMUstate;
typedef unsigned fmi2ValueReference;
typedef double fmi2Real;
typedef int fmi2Integer, fmi2Boolean;
typedef const char* fmi2String;
typedef char fmi2Byte;

typedef enum fmi2Status {
  fmi2OK,
  fmi2Warning,
  fmi2Discard,
  fmi2Error,
  fmi2Fatal,
  fmi2Pending
} fmi2Status;
typedef enum fmi2Type { fmi2ModelExchange, fmi2CoSimulation } fmi2Type;
typedef enum fmi2StatusKind {
  fmi2DoStepStatus,
  fmi2PendingStatus,
  fmi2LastSuccessfulTime,
  fmi2Terminated
} fmi2StatusKind;

typedef struct fmi2CallbackFunctions {
  void (*logger)(fmi2ComponentEnvironment env, fmi2String name, fmi2Status status,
                 fmi2String category, fmi2String format, ...);
  void* (*allocateMemory)(size_t n, size_t size);
  void (*freeMemory)(void* p);
  void (*stepFinished)(fmi2ComponentEnvironment env, fmi2Status status);
  fmi2ComponentEnvironment componentEnvironment;
} fmi2CallbackFunctions;

typedef struct fmi2EventInfo {
  fmi2Boolean newDiscreteStatesNeeded, terminateSimulation, nominalsOfContinuousStatesChanged,
      valuesOfContinuousStatesChanged, nextEventTimeDefined;
  fmi2Real nextEventTime;
} fmi2EventInfo;

// ---- life

JFMI2_API const char* JFMI2(fmi2GetTypesPlatform)(void);
JFMI2_API const char* JFMI2(fmi2GetVersion)(void);
JFMI2_API fmi2Status JFMI2(fmi2SetDebugLogging)(fmi2Component c, fmi2Boolean on, size_t n,
                                                const fmi2String category[]);
JFMI2_API fmi2Component JFMI2(fmi2Instantiate)(fmi2String name, fmi2Type type, fmi2String guid,
                                               fmi2String resources,
                                               const fmi2CallbackFunctions* callback,
                                               fmi2Boolean visible, fmi2Boolean log_on);
JFMI2_API void JFMI2(fmi2FreeInstance)(fmi2Component c);
JFMI2_API fmi2Status JFMI2(fmi2SetupExperiment)(fmi2Component c, fmi2Boolean has_tolerance,
                                                fmi2Real tolerance, fmi2Real start,
                                                fmi2Boolean has_stop, fmi2Real stop);
JFMI2_API fmi2Status JFMI2(fmi2EnterInitializationMode)(fmi2Component c);
JFMI2_API fmi2Status JFMI2(fmi2ExitInitializationMode)(fmi2Component c);
JFMI2_API fmi2Status JFMI2(fmi2Terminate)(fmi2Component c);
JFMI2_API fmi2Status JFMI2(fmi2Reset)(fmi2Component c);

// ---- values

#define JFMI2_TYPES(X) X(Real) X(Integer) X(Boolean) X(String)
#define X(type)                                                                                    \
  JFMI2_API fmi2Status JFMI2(fmi2Get##type)(fmi2Component c, const fmi2ValueReference reference[], \
                                            size_t n, fmi2##type value[]);                         \
  JFMI2_API fmi2Status JFMI2(fmi2Set##type)(fmi2Component c, const fmi2ValueReference reference[], \
                                            size_t n, const fmi2##type value[]);
JFMI2_TYPES(X)
#undef X

// ---- states of an FMU, derivatives

JFMI2_API fmi2Status JFMI2(fmi2GetFMUstate)(fmi2Component c, fmi2FMUstate* state);
JFMI2_API fmi2Status JFMI2(fmi2SetFMUstate)(fmi2Component c, fmi2FMUstate state);
JFMI2_API fmi2Status JFMI2(fmi2FreeFMUstate)(fmi2Component c, fmi2FMUstate* state);
JFMI2_API fmi2Status JFMI2(fmi2SerializedFMUstateSize)(fmi2Component c, fmi2FMUstate state,
                                                       size_t* size);
JFMI2_API fmi2Status JFMI2(fmi2SerializeFMUstate)(fmi2Component c, fmi2FMUstate state,
                                                  fmi2Byte byte[], size_t size);
JFMI2_API fmi2Status JFMI2(fmi2DeSerializeFMUstate)(fmi2Component c, const fmi2Byte byte[],
                                                    size_t size, fmi2FMUstate* state);
JFMI2_API fmi2Status JFMI2(fmi2GetDirectionalDerivative)(
    fmi2Component c, const fmi2ValueReference unknown[], size_t nunknown,
    const fmi2ValueReference known[], size_t nknown, const fmi2Real seed[], fmi2Real slope[]);

// ---- model exchange

JFMI2_API fmi2Status JFMI2(fmi2EnterEventMode)(fmi2Component c);
JFMI2_API fmi2Status JFMI2(fmi2NewDiscreteStates)(fmi2Component c, fmi2EventInfo* info);
JFMI2_API fmi2Status JFMI2(fmi2EnterContinuousTimeMode)(fmi2Component c);
JFMI2_API fmi2Status JFMI2(fmi2CompletedIntegratorStep)(fmi2Component c, fmi2Boolean no_set,
                                                        fmi2Boolean* enter_event,
                                                        fmi2Boolean* terminates);
JFMI2_API fmi2Status JFMI2(fmi2SetTime)(fmi2Component c, fmi2Real t);
JFMI2_API fmi2Status JFMI2(fmi2SetContinuousStates)(fmi2Component c, const fmi2Real x[], size_t n);
JFMI2_API fmi2Status JFMI2(fmi2GetDerivatives)(fmi2Component c, fmi2Real xdot[], size_t n);
JFMI2_API fmi2Status JFMI2(fmi2GetEventIndicators)(fmi2Component c, fmi2Real g[], size_t n);
JFMI2_API fmi2Status JFMI2(fmi2GetContinuousStates)(fmi2Component c, fmi2Real x[], size_t n);
JFMI2_API fmi2Status JFMI2(fmi2GetNominalsOfContinuousStates)(fmi2Component c, fmi2Real nominal[],
                                                              size_t n);

// ---- co-simulation

JFMI2_API fmi2Status JFMI2(fmi2SetRealInputDerivatives)(fmi2Component c,
                                                        const fmi2ValueReference reference[],
                                                        size_t n, const fmi2Integer order[],
                                                        const fmi2Real value[]);
JFMI2_API fmi2Status JFMI2(fmi2GetRealOutputDerivatives)(fmi2Component c,
                                                         const fmi2ValueReference reference[],
                                                         size_t n, const fmi2Integer order[],
                                                         fmi2Real value[]);
JFMI2_API fmi2Status JFMI2(fmi2DoStep)(fmi2Component c, fmi2Real t, fmi2Real h, fmi2Boolean no_set);
JFMI2_API fmi2Status JFMI2(fmi2CancelStep)(fmi2Component c);
JFMI2_API fmi2Status JFMI2(fmi2GetStatus)(fmi2Component c, fmi2StatusKind kind, fmi2Status* value);
JFMI2_API fmi2Status JFMI2(fmi2GetRealStatus)(fmi2Component c, fmi2StatusKind kind,
                                              fmi2Real* value);
JFMI2_API fmi2Status JFMI2(fmi2GetIntegerStatus)(fmi2Component c, fmi2StatusKind kind,
                                                 fmi2Integer* value);
JFMI2_API fmi2Status JFMI2(fmi2GetBooleanStatus)(fmi2Component c, fmi2StatusKind kind,
                                                 fmi2Boolean* value);
JFMI2_API fmi2Status JFMI2(fmi2GetStringStatus)(fmi2Component c, fmi2StatusKind kind,
                                                fmi2String* value);

#endif
