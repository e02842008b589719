// SPDX-License-Identifier: Apache-2.0
// Types and functions of FMI 3.0 (https://fmi-standard.org), as far as an FMU has to provide them: model exchange
// and co-simulation; what belongs to clocks, scheduled execution and configuration answers with an error.
#ifndef JRUNTIME_FMI3_H
#define JRUNTIME_FMI3_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/fmi_prefix.h"

// Function names: FMI3_FUNCTION_PREFIX in front, unless FMI3_OVERRIDE_FUNCTION_PREFIX says that this is a library.
#if defined(FMI3_FUNCTION_PREFIX) && !defined(FMI3_OVERRIDE_FUNCTION_PREFIX)
#define JFMI3_JOIN(a, b)  a##b
#define JFMI3_JOIN2(a, b) JFMI3_JOIN(a, b)
#define JFMI3(name)       JFMI3_JOIN2(FMI3_FUNCTION_PREFIX, name)
#else
#define JFMI3(name) name
#endif
#define JFMI3_API __attribute__((visibility("default")))

typedef void *fmi3Instance, *fmi3InstanceEnvironment, *fmi3FMUState;
typedef uint32_t fmi3ValueReference;
typedef float fmi3Float32;
typedef double fmi3Float64;
typedef int8_t fmi3Int8;
typedef uint8_t fmi3UInt8, fmi3Byte;
typedef int16_t fmi3Int16;
typedef uint16_t fmi3UInt16;
typedef int32_t fmi3Int32;
typedef uint32_t fmi3UInt32;
typedef int64_t fmi3Int64;
typedef uint64_t fmi3UInt64;
typedef bool fmi3Boolean, fmi3Clock;
typedef const char* fmi3String;
typedef const fmi3Byte* fmi3Binary;

typedef enum fmi3Status { fmi3OK, fmi3Warning, fmi3Discard, fmi3Error, fmi3Fatal } fmi3Status;
typedef enum fmi3DependencyKind {
  fmi3Independent,
  fmi3Constant,
  fmi3Fixed,
  fmi3Tunable,
  fmi3Discrete,
  fmi3Dependent
} fmi3DependencyKind;
typedef enum fmi3IntervalQualifier {
  fmi3IntervalNotYetKnown,
  fmi3IntervalUnchanged,
  fmi3IntervalChanged
} fmi3IntervalQualifier;

typedef void (*fmi3LogMessageCallback)(fmi3InstanceEnvironment env, fmi3Status status,
                                       fmi3String category, fmi3String message);
typedef void (*fmi3IntermediateUpdateCallback)(fmi3InstanceEnvironment env, fmi3Float64 t,
                                               fmi3Boolean set_requested, fmi3Boolean get_allowed,
                                               fmi3Boolean step_finished, fmi3Boolean can_return,
                                               fmi3Boolean* return_requested,
                                               fmi3Float64* return_time);
typedef void (*fmi3ClockUpdateCallback)(fmi3InstanceEnvironment env);
typedef void (*fmi3LockPreemptionCallback)(void);
typedef void (*fmi3UnlockPreemptionCallback)(void);

// ---- life

JFMI3_API const char* JFMI3(fmi3GetVersion)(void);
JFMI3_API fmi3Status JFMI3(fmi3SetDebugLogging)(fmi3Instance instance, fmi3Boolean on, size_t n,
                                                const fmi3String category[]);
JFMI3_API fmi3Instance JFMI3(fmi3InstantiateModelExchange)(fmi3String name, fmi3String token,
                                                           fmi3String resources,
                                                           fmi3Boolean visible, fmi3Boolean log_on,
                                                           fmi3InstanceEnvironment env,
                                                           fmi3LogMessageCallback log);
JFMI3_API fmi3Instance JFMI3(fmi3InstantiateCoSimulation)(
    fmi3String name, fmi3String token, fmi3String resources, fmi3Boolean visible,
    fmi3Boolean log_on, fmi3Boolean event_mode, fmi3Boolean early_return,
    const fmi3ValueReference required[], size_t nrequired, fmi3InstanceEnvironment env,
    fmi3LogMessageCallback log, fmi3IntermediateUpdateCallback update);
JFMI3_API fmi3Instance JFMI3(fmi3InstantiateScheduledExecution)(
    fmi3String name, fmi3String token, fmi3String resources, fmi3Boolean visible,
    fmi3Boolean log_on, fmi3InstanceEnvironment env, fmi3LogMessageCallback log,
    fmi3ClockUpdateCallback clock, fmi3LockPreemptionCallback lock,
    fmi3UnlockPreemptionCallback unlock);
JFMI3_API void JFMI3(fmi3FreeInstance)(fmi3Instance instance);
JFMI3_API fmi3Status JFMI3(fmi3EnterInitializationMode)(fmi3Instance instance,
                                                        fmi3Boolean has_tolerance,
                                                        fmi3Float64 tolerance, fmi3Float64 start,
                                                        fmi3Boolean has_stop, fmi3Float64 stop);
JFMI3_API fmi3Status JFMI3(fmi3ExitInitializationMode)(fmi3Instance instance);
JFMI3_API fmi3Status JFMI3(fmi3EnterEventMode)(fmi3Instance instance);
JFMI3_API fmi3Status JFMI3(fmi3Terminate)(fmi3Instance instance);
JFMI3_API fmi3Status JFMI3(fmi3Reset)(fmi3Instance instance);

// ---- values

// All types of numbers, with a getter and a setter each.
#define JFMI3_TYPES(X) \
  X(Float32)           \
  X(Float64)           \
  X(Int8) X(UInt8) X(Int16) X(UInt16) X(Int32) X(UInt32) X(Int64) X(UInt64) X(Boolean) X(String)
#define X(type)                                                                             \
  JFMI3_API fmi3Status JFMI3(fmi3Get##type)(fmi3Instance instance,                          \
                                            const fmi3ValueReference reference[], size_t n, \
                                            fmi3##type value[], size_t nvalue);             \
  JFMI3_API fmi3Status JFMI3(fmi3Set##type)(fmi3Instance instance,                          \
                                            const fmi3ValueReference reference[], size_t n, \
                                            const fmi3##type value[], size_t nvalue);
JFMI3_TYPES(X)
#undef X
JFMI3_API fmi3Status JFMI3(fmi3GetBinary)(fmi3Instance instance,
                                          const fmi3ValueReference reference[], size_t n,
                                          size_t size[], fmi3Binary value[], size_t nvalue);
JFMI3_API fmi3Status JFMI3(fmi3SetBinary)(fmi3Instance instance,
                                          const fmi3ValueReference reference[], size_t n,
                                          const size_t size[], const fmi3Binary value[],
                                          size_t nvalue);
JFMI3_API fmi3Status JFMI3(fmi3GetClock)(fmi3Instance instance,
                                         const fmi3ValueReference reference[], size_t n,
                                         fmi3Clock value[]);
JFMI3_API fmi3Status JFMI3(fmi3SetClock)(fmi3Instance instance,
                                         const fmi3ValueReference reference[], size_t n,
                                         const fmi3Clock value[]);
JFMI3_API fmi3Status JFMI3(fmi3GetNumberOfVariableDependencies)(fmi3Instance instance,
                                                                fmi3ValueReference reference,
                                                                size_t* n);
JFMI3_API fmi3Status JFMI3(fmi3GetVariableDependencies)(
    fmi3Instance instance, fmi3ValueReference dependent, size_t element[],
    fmi3ValueReference independent[], size_t element_of[], fmi3DependencyKind kind[], size_t n);

// ---- states of an FMU, derivatives

JFMI3_API fmi3Status JFMI3(fmi3GetFMUState)(fmi3Instance instance, fmi3FMUState* state);
JFMI3_API fmi3Status JFMI3(fmi3SetFMUState)(fmi3Instance instance, fmi3FMUState state);
JFMI3_API fmi3Status JFMI3(fmi3FreeFMUState)(fmi3Instance instance, fmi3FMUState* state);
JFMI3_API fmi3Status JFMI3(fmi3SerializedFMUStateSize)(fmi3Instance instance, fmi3FMUState state,
                                                       size_t* size);
JFMI3_API fmi3Status JFMI3(fmi3SerializeFMUState)(fmi3Instance instance, fmi3FMUState state,
                                                  fmi3Byte byte[], size_t size);
JFMI3_API fmi3Status JFMI3(fmi3DeserializeFMUState)(fmi3Instance instance, const fmi3Byte byte[],
                                                    size_t size, fmi3FMUState* state);
JFMI3_API fmi3Status JFMI3(fmi3GetDirectionalDerivative)(
    fmi3Instance instance, const fmi3ValueReference unknown[], size_t nunknown,
    const fmi3ValueReference known[], size_t nknown, const fmi3Float64 seed[], size_t nseed,
    fmi3Float64 sensitivity[], size_t nsensitivity);
JFMI3_API fmi3Status JFMI3(fmi3GetAdjointDerivative)(
    fmi3Instance instance, const fmi3ValueReference unknown[], size_t nunknown,
    const fmi3ValueReference known[], size_t nknown, const fmi3Float64 seed[], size_t nseed,
    fmi3Float64 sensitivity[], size_t nsensitivity);

// ---- configuration, clocks, scheduled execution: there are none

JFMI3_API fmi3Status JFMI3(fmi3EnterConfigurationMode)(fmi3Instance instance);
JFMI3_API fmi3Status JFMI3(fmi3ExitConfigurationMode)(fmi3Instance instance);
JFMI3_API fmi3Status JFMI3(fmi3GetIntervalDecimal)(fmi3Instance instance,
                                                   const fmi3ValueReference reference[], size_t n,
                                                   fmi3Float64 interval[],
                                                   fmi3IntervalQualifier qualifier[]);
JFMI3_API fmi3Status JFMI3(fmi3GetIntervalFraction)(fmi3Instance instance,
                                                    const fmi3ValueReference reference[], size_t n,
                                                    fmi3UInt64 counter[], fmi3UInt64 resolution[],
                                                    fmi3IntervalQualifier qualifier[]);
JFMI3_API fmi3Status JFMI3(fmi3GetShiftDecimal)(fmi3Instance instance,
                                                const fmi3ValueReference reference[], size_t n,
                                                fmi3Float64 shift[]);
JFMI3_API fmi3Status JFMI3(fmi3GetShiftFraction)(fmi3Instance instance,
                                                 const fmi3ValueReference reference[], size_t n,
                                                 fmi3UInt64 counter[], fmi3UInt64 resolution[]);
JFMI3_API fmi3Status JFMI3(fmi3SetIntervalDecimal)(fmi3Instance instance,
                                                   const fmi3ValueReference reference[], size_t n,
                                                   const fmi3Float64 interval[]);
JFMI3_API fmi3Status JFMI3(fmi3SetIntervalFraction)(fmi3Instance instance,
                                                    const fmi3ValueReference reference[], size_t n,
                                                    const fmi3UInt64 counter[],
                                                    const fmi3UInt64 resolution[]);
JFMI3_API fmi3Status JFMI3(fmi3SetShiftDecimal)(fmi3Instance instance,
                                                const fmi3ValueReference reference[], size_t n,
                                                const fmi3Float64 shift[]);
JFMI3_API fmi3Status JFMI3(fmi3SetShiftFraction)(fmi3Instance instance,
                                                 const fmi3ValueReference reference[], size_t n,
                                                 const fmi3UInt64 counter[],
                                                 const fmi3UInt64 resolution[]);
JFMI3_API fmi3Status JFMI3(fmi3EvaluateDiscreteStates)(fmi3Instance instance);
JFMI3_API fmi3Status JFMI3(fmi3ActivateModelPartition)(fmi3Instance instance,
                                                       fmi3ValueReference clock, fmi3Float64 t);

// ---- model exchange

JFMI3_API fmi3Status JFMI3(fmi3UpdateDiscreteStates)(
    fmi3Instance instance, fmi3Boolean* needs_update, fmi3Boolean* terminates,
    fmi3Boolean* nominals_changed, fmi3Boolean* states_changed, fmi3Boolean* has_next_event,
    fmi3Float64* next_event);
JFMI3_API fmi3Status JFMI3(fmi3EnterContinuousTimeMode)(fmi3Instance instance);
JFMI3_API fmi3Status JFMI3(fmi3CompletedIntegratorStep)(fmi3Instance instance, fmi3Boolean no_set,
                                                        fmi3Boolean* enter_event,
                                                        fmi3Boolean* terminates);
JFMI3_API fmi3Status JFMI3(fmi3SetTime)(fmi3Instance instance, fmi3Float64 t);
JFMI3_API fmi3Status JFMI3(fmi3SetContinuousStates)(fmi3Instance instance, const fmi3Float64 x[],
                                                    size_t n);
JFMI3_API fmi3Status JFMI3(fmi3GetContinuousStateDerivatives)(fmi3Instance instance,
                                                              fmi3Float64 xdot[], size_t n);
JFMI3_API fmi3Status JFMI3(fmi3GetEventIndicators)(fmi3Instance instance, fmi3Float64 g[],
                                                   size_t n);
JFMI3_API fmi3Status JFMI3(fmi3GetContinuousStates)(fmi3Instance instance, fmi3Float64 x[],
                                                    size_t n);
JFMI3_API fmi3Status JFMI3(fmi3GetNominalsOfContinuousStates)(fmi3Instance instance,
                                                              fmi3Float64 nominal[], size_t n);
JFMI3_API fmi3Status JFMI3(fmi3GetNumberOfEventIndicators)(fmi3Instance instance, size_t* n);
JFMI3_API fmi3Status JFMI3(fmi3GetNumberOfContinuousStates)(fmi3Instance instance, size_t* n);

// ---- co-simulation

JFMI3_API fmi3Status JFMI3(fmi3EnterStepMode)(fmi3Instance instance);
JFMI3_API fmi3Status JFMI3(fmi3GetOutputDerivatives)(fmi3Instance instance,
                                                     const fmi3ValueReference reference[], size_t n,
                                                     const fmi3Int32 order[], fmi3Float64 value[],
                                                     size_t nvalue);
JFMI3_API fmi3Status JFMI3(fmi3DoStep)(fmi3Instance instance, fmi3Float64 t, fmi3Float64 h,
                                       fmi3Boolean no_set, fmi3Boolean* needs_event,
                                       fmi3Boolean* terminates, fmi3Boolean* early_return,
                                       fmi3Float64* reached);

#endif
