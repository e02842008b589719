// SPDX-License-Identifier: Apache-2.0
// FMI 2.0: arguments and modes are checked here, fmi.c does the rest. Memory is that of the C library, as the
// description announces (canNotUseMemoryManagementFunctions).
#include "runtime/fmi2.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/fmi_slope.h"
#include "runtime/fmi_state.h"

typedef struct component {
  jfmi* f;
  fmi2CallbackFunctions callback;
  char* name;
  fmi2Status last_step;
} component;

static jfmi* core(fmi2Component c) {
  return c ? ((component*)c)->f : NULL;
}

#define ENTER(f, modes, name) \
  jfmi* f = core(c);          \
  if (!f) return fmi2Error;   \
  if (jfmi_check(f, (modes), name) != JFMI_OK) return fmi2Error

#define NEED(f, pointer, name)                                                                  \
  do {                                                                                          \
    if (!(pointer)) return (fmi2Status)jfmi_say((f), JFMI_ERROR, name ": an argument is NULL"); \
  } while (0)

// ---- life ------------------------------------------------------------------------------------------

const char* JFMI2(fmi2GetTypesPlatform)(void) {
  return "default";
}

const char* JFMI2(fmi2GetVersion)(void) {
  return "2.0";
}

static void pass_log(void* user, jfmi_status status, const char* category, const char* message) {
  const component* c = (const component*)user;
  if (!c->callback.logger) return;
  c->callback.logger(c->callback.componentEnvironment, c->name, (fmi2Status)status, category, "%s",
                     message);
}

static char* copy(const char* text) {
  size_t n = strlen(text) + 1;
  char* s = (char*)malloc(n);
  return s ? memcpy(s, text, n) : NULL;
}

fmi2Component JFMI2(fmi2Instantiate)(fmi2String name, fmi2Type type, fmi2String guid,
                                     fmi2String resources, const fmi2CallbackFunctions* callback,
                                     fmi2Boolean visible, fmi2Boolean log_on) {
  (void)resources, (void)visible;
  component with = {.name = (char*)(name ? name : "")};
  if (callback) with.callback = *callback;
  jfmi_host host = {.user = &with, .log = pass_log};
  const char* wrong = NULL;
  if (!name || name[strspn(name, " \t\r\n")] == '\0') wrong = "the instance has no name";
  if (!guid || strcmp(guid, jvehicle_exported.token) != 0) {
    wrong = "the GUID is not that of this model";
  }
  component* c = wrong ? NULL : (component*)calloc(1, sizeof *c);
  if (c) {
    *c = with;
    c->name = copy(name);
    host.user = c;
    c->f = c->name ? jfmi_create(&jvehicle_exported, &host, type == fmi2ModelExchange, log_on != 0,
                                 &(jfmi_intermediate){0})
                   : NULL;
  }
  if (c && c->f) return c;
  if (c) free(c->name);
  free(c);
  host.user = &with;
  jfmi_tell(&host, JFMI_ERROR, jfmi_category(JFMI_ERROR), wrong ? wrong : "no memory");
  return NULL;
}

void JFMI2(fmi2FreeInstance)(fmi2Component c) {
  if (!c) return;
  jfmi_destroy(core(c));
  free(((component*)c)->name);
  free(c);
}

fmi2Status JFMI2(fmi2SetDebugLogging)(fmi2Component c, fmi2Boolean on, size_t n,
                                      const fmi2String category[]) {
  ENTER(f, JFMI_ANY, "fmi2SetDebugLogging");
  if (n > 0) NEED(f, category, "fmi2SetDebugLogging");
  return (fmi2Status)jfmi_set_log(f, on != 0, n, category);
}

fmi2Status JFMI2(fmi2SetupExperiment)(fmi2Component c, fmi2Boolean has_tolerance,
                                      fmi2Real tolerance, fmi2Real start, fmi2Boolean has_stop,
                                      fmi2Real stop) {
  ENTER(f, JFMI_INSTANTIATED, "fmi2SetupExperiment");
  return (fmi2Status)jfmi_setup(f, has_tolerance != 0, tolerance, start, has_stop != 0, stop);
}

fmi2Status JFMI2(fmi2EnterInitializationMode)(fmi2Component c) {
  ENTER(f, JFMI_INSTANTIATED, "fmi2EnterInitializationMode");
  f->mode = JFMI_INITIALIZATION;
  return fmi2OK;
}

fmi2Status JFMI2(fmi2ExitInitializationMode)(fmi2Component c) {
  ENTER(f, JFMI_INITIALIZATION, "fmi2ExitInitializationMode");
  return (fmi2Status)jfmi_exit_initialization(f);
}

fmi2Status JFMI2(fmi2Terminate)(fmi2Component c) {
  ENTER(f, JFMI_STARTED, "fmi2Terminate");
  f->mode = JFMI_TERMINATED;
  return fmi2OK;
}

fmi2Status JFMI2(fmi2Reset)(fmi2Component c) {
  ENTER(f, JFMI_ANY, "fmi2Reset");
  jfmi_reset(f);
  return fmi2OK;
}

// ---- values ----------------------------------------------------------------------------------------

fmi2Status JFMI2(fmi2GetReal)(fmi2Component c, const fmi2ValueReference reference[], size_t n,
                              fmi2Real value[]) {
  ENTER(f, JFMI_ANY, "fmi2GetReal");
  if (n > 0) NEED(f, reference && value, "fmi2GetReal");
  return (fmi2Status)jfmi_get(f, reference, n, value);
}

fmi2Status JFMI2(fmi2SetReal)(fmi2Component c, const fmi2ValueReference reference[], size_t n,
                              const fmi2Real value[]) {
  ENTER(f, JFMI_ANY & ~(unsigned)JFMI_TERMINATED, "fmi2SetReal");
  if (n > 0) NEED(f, reference && value, "fmi2SetReal");
  return (fmi2Status)jfmi_set(f, reference, n, value);
}

// Enumerations are integers.
fmi2Status JFMI2(fmi2GetInteger)(fmi2Component c, const fmi2ValueReference reference[], size_t n,
                                 fmi2Integer value[]) {
  ENTER(f, JFMI_ANY, "fmi2GetInteger");
  if (n > 0) NEED(f, reference && value, "fmi2GetInteger");
  jfmi_status status = JFMI_OK;
  for (size_t k = 0; k < n && status == JFMI_OK; k++) {
    long long x = 0;
    status = jfmi_get_integer(f, reference[k], &x);
    if (status == JFMI_OK) value[k] = (fmi2Integer)x;
  }
  return (fmi2Status)status;
}

fmi2Status JFMI2(fmi2SetInteger)(fmi2Component c, const fmi2ValueReference reference[], size_t n,
                                 const fmi2Integer value[]) {
  ENTER(f, JFMI_ANY & ~(unsigned)JFMI_TERMINATED, "fmi2SetInteger");
  if (n > 0) NEED(f, reference && value, "fmi2SetInteger");
  jfmi_status status = JFMI_OK;
  for (size_t k = 0; k < n && status == JFMI_OK; k++)
    status = jfmi_set_integer(f, reference[k], value[k]);
  return (fmi2Status)status;
}

static fmi2Status no_variable(fmi2Component c, const char* function,
                              const fmi2ValueReference* reference, size_t n) {
  jfmi* f = core(c);
  if (!f) return fmi2Error;
  if (n == 0) return fmi2OK;
  return (fmi2Status)jfmi_say(f, JFMI_ERROR,
                              "%s: there is no variable of this type with value reference %u",
                              function, reference ? reference[0] : 0u);
}

#define NO_VARIABLES(type)                                                                         \
  fmi2Status JFMI2(fmi2Get##type)(fmi2Component c, const fmi2ValueReference reference[], size_t n, \
                                  fmi2##type value[]) {                                            \
    (void)value;                                                                                   \
    return no_variable(c, "fmi2Get" #type, reference, n);                                          \
  }                                                                                                \
  fmi2Status JFMI2(fmi2Set##type)(fmi2Component c, const fmi2ValueReference reference[], size_t n, \
                                  const fmi2##type value[]) {                                      \
    (void)value;                                                                                   \
    return no_variable(c, "fmi2Set" #type, reference, n);                                          \
  }
NO_VARIABLES(Boolean)
NO_VARIABLES(String)

// ---- states of the FMU, derivatives ----------------------------------------------------------------

fmi2Status JFMI2(fmi2GetFMUstate)(fmi2Component c, fmi2FMUstate* state) {
  ENTER(f, JFMI_ANY, "fmi2GetFMUstate");
  NEED(f, state, "fmi2GetFMUstate");
  jfmi_state* s = (jfmi_state*)*state;
  jfmi_status status = jfmi_state_get(f, &s);
  *state = s;
  return (fmi2Status)status;
}

fmi2Status JFMI2(fmi2SetFMUstate)(fmi2Component c, fmi2FMUstate state) {
  ENTER(f, JFMI_ANY, "fmi2SetFMUstate");
  NEED(f, state, "fmi2SetFMUstate");
  return (fmi2Status)jfmi_state_set(f, (const jfmi_state*)state);
}

fmi2Status JFMI2(fmi2FreeFMUstate)(fmi2Component c, fmi2FMUstate* state) {
  ENTER(f, JFMI_ANY, "fmi2FreeFMUstate");
  if (!state) return fmi2OK;
  jfmi_state_free((jfmi_state*)*state);
  *state = NULL;
  return fmi2OK;
}

fmi2Status JFMI2(fmi2SerializedFMUstateSize)(fmi2Component c, fmi2FMUstate state, size_t* size) {
  ENTER(f, JFMI_ANY, "fmi2SerializedFMUstateSize");
  NEED(f, state && size, "fmi2SerializedFMUstateSize");
  *size = jfmi_state_size((const jfmi_state*)state);
  return fmi2OK;
}

fmi2Status JFMI2(fmi2SerializeFMUstate)(fmi2Component c, fmi2FMUstate state, fmi2Byte byte[],
                                        size_t size) {
  ENTER(f, JFMI_ANY, "fmi2SerializeFMUstate");
  NEED(f, state && byte, "fmi2SerializeFMUstate");
  if (size < jfmi_state_size((const jfmi_state*)state)) {
    return (fmi2Status)jfmi_say(f, JFMI_ERROR, "fmi2SerializeFMUstate: %zu bytes are not enough",
                                size);
  }
  jfmi_state_write((const jfmi_state*)state, byte);
  return fmi2OK;
}

fmi2Status JFMI2(fmi2DeSerializeFMUstate)(fmi2Component c, const fmi2Byte byte[], size_t size,
                                          fmi2FMUstate* state) {
  ENTER(f, JFMI_ANY, "fmi2DeSerializeFMUstate");
  NEED(f, state && byte, "fmi2DeSerializeFMUstate");
  jfmi_state* s = (jfmi_state*)*state;
  jfmi_status status = jfmi_state_read(f, byte, size, &s);
  *state = s;
  return (fmi2Status)status;
}

fmi2Status JFMI2(fmi2GetDirectionalDerivative)(fmi2Component c, const fmi2ValueReference unknown[],
                                               size_t nunknown, const fmi2ValueReference known[],
                                               size_t nknown, const fmi2Real seed[],
                                               fmi2Real slope[]) {
  ENTER(f, JFMI_EVALUATES, "fmi2GetDirectionalDerivative");
  if (nunknown > 0) NEED(f, unknown && slope, "fmi2GetDirectionalDerivative");
  if (nknown > 0) NEED(f, known && seed, "fmi2GetDirectionalDerivative");
  if (f->mode == JFMI_INITIALIZATION) {
    return (fmi2Status)jfmi_say(f, JFMI_DISCARD,
                                "fmi2GetDirectionalDerivative: derivatives of the start are not "
                                "provided, only those behind it");
  }
  jfmi_slope_question q = {unknown, known, nunknown, nknown};
  return (fmi2Status)jfmi_directional(f, &q, seed, slope);
}

// ---- model exchange --------------------------------------------------------------------------------

static fmi2Status check_exchange(jfmi* f, const char* name) {
  if (f->is_exchange) return fmi2OK;
  return (fmi2Status)jfmi_say(f, JFMI_ERROR, "%s: not allowed in co-simulation", name);
}

static fmi2Status get_all(fmi2Component c, const char* name, jfmi_kind kind, double* value,
                          size_t n) {
  ENTER(f, JFMI_EVALUATES, name);
  if (check_exchange(f, name) != fmi2OK) return fmi2Error;
  if (n > 0 && !value) return (fmi2Status)jfmi_say(f, JFMI_ERROR, "%s: an argument is NULL", name);
  return (fmi2Status)jfmi_get_all(f, kind, value, n);
}

fmi2Status JFMI2(fmi2GetContinuousStates)(fmi2Component c, fmi2Real x[], size_t n) {
  return get_all(c, "fmi2GetContinuousStates", JFMI_STATE, x, n);
}

fmi2Status JFMI2(fmi2GetDerivatives)(fmi2Component c, fmi2Real xdot[], size_t n) {
  return get_all(c, "fmi2GetDerivatives", JFMI_RATE, xdot, n);
}

fmi2Status JFMI2(fmi2GetEventIndicators)(fmi2Component c, fmi2Real g[], size_t n) {
  return get_all(c, "fmi2GetEventIndicators", JFMI_INDICATOR, g, n);
}

// This may be asked before the initialization.
fmi2Status JFMI2(fmi2GetNominalsOfContinuousStates)(fmi2Component c, fmi2Real nominal[], size_t n) {
  ENTER(f, JFMI_ANY, "fmi2GetNominalsOfContinuousStates");
  if (n != (size_t)f->model->nstate || (n > 0 && !nominal)) {
    return (fmi2Status)jfmi_say(f, JFMI_ERROR, "fmi2GetNominalsOfContinuousStates: of %d states",
                                f->model->nstate);
  }
  for (size_t k = 0; k < n; k++)
    nominal[k] = jfmi_nominal(f->model, (int)k);
  return fmi2OK;
}

fmi2Status JFMI2(fmi2EnterEventMode)(fmi2Component c) {
  ENTER(f, JFMI_CONTINUOUS | JFMI_EVENT, "fmi2EnterEventMode");
  return (fmi2Status)jfmi_enter_event(f);
}

fmi2Status JFMI2(fmi2NewDiscreteStates)(fmi2Component c, fmi2EventInfo* info) {
  ENTER(f, JFMI_EVENT, "fmi2NewDiscreteStates");
  NEED(f, info, "fmi2NewDiscreteStates");
  bool jumped = false;
  jfmi_status status = jfmi_update(f, &jumped);
  *info = (fmi2EventInfo){.valuesOfContinuousStatesChanged = jumped,
                          .terminateSimulation = jvehicle_has_ended(f->vehicle)};
  return (fmi2Status)status;
}

fmi2Status JFMI2(fmi2EnterContinuousTimeMode)(fmi2Component c) {
  ENTER(f, JFMI_EVENT, "fmi2EnterContinuousTimeMode");
  jfmi_status status = jfmi_settle(f);
  if (status == JFMI_OK) f->mode = JFMI_CONTINUOUS;
  return (fmi2Status)status;
}

fmi2Status JFMI2(fmi2CompletedIntegratorStep)(fmi2Component c, fmi2Boolean no_set,
                                              fmi2Boolean* enter_event, fmi2Boolean* terminates) {
  (void)no_set;
  ENTER(f, JFMI_CONTINUOUS, "fmi2CompletedIntegratorStep");
  NEED(f, enter_event && terminates, "fmi2CompletedIntegratorStep");
  *enter_event = *terminates = 0;
  return fmi2OK;
}

// In event mode the time is where the event is: setting it again is fine.
fmi2Status JFMI2(fmi2SetTime)(fmi2Component c, fmi2Real t) {
  ENTER(f, JFMI_CONTINUOUS | JFMI_EVENT, "fmi2SetTime");
  if (f->mode == JFMI_EVENT && t != f->t) {
    return (fmi2Status)jfmi_say(f, JFMI_ERROR, "fmi2SetTime: time does not go on in event mode");
  }
  return (fmi2Status)jfmi_set_time(f, t);
}

fmi2Status JFMI2(fmi2SetContinuousStates)(fmi2Component c, const fmi2Real x[], size_t n) {
  ENTER(f, JFMI_CONTINUOUS, "fmi2SetContinuousStates");
  if (n > 0) NEED(f, x, "fmi2SetContinuousStates");
  return (fmi2Status)jfmi_set_states(f, x, n);
}

// ---- co-simulation ---------------------------------------------------------------------------------

fmi2Status JFMI2(fmi2DoStep)(fmi2Component c, fmi2Real t, fmi2Real h, fmi2Boolean no_set) {
  (void)no_set;
  ENTER(f, JFMI_STEPPING, "fmi2DoStep");
  jfmi_step step;
  fmi2Status status = (fmi2Status)jfmi_do_step(f, t, h, &step);
  if (status == fmi2OK && step.is_early && jvehicle_has_ended(f->vehicle)) status = fmi2Discard;
  ((component*)c)->last_step = status;
  return status;
}

static fmi2Status missing(fmi2Component c, const char* function) {
  jfmi* f = core(c);
  if (!f) return fmi2Error;
  return (fmi2Status)jfmi_say(f, JFMI_ERROR, "%s: this FMU does not provide it", function);
}

// Inputs are constant during a step (canInterpolateInputs is false).
fmi2Status JFMI2(fmi2SetRealInputDerivatives)(fmi2Component c, const fmi2ValueReference reference[],
                                              size_t n, const fmi2Integer order[],
                                              const fmi2Real value[]) {
  (void)reference, (void)n, (void)order, (void)value;
  return missing(c, "fmi2SetRealInputDerivatives");
}

fmi2Status JFMI2(fmi2GetRealOutputDerivatives)(fmi2Component c,
                                               const fmi2ValueReference reference[], size_t n,
                                               const fmi2Integer order[], fmi2Real value[]) {
  ENTER(f, JFMI_STEPPING | JFMI_TERMINATED, "fmi2GetRealOutputDerivatives");
  if (n > 0) NEED(f, reference && order && value, "fmi2GetRealOutputDerivatives");
  if (f->is_exchange) {
    return (fmi2Status)jfmi_say(f, JFMI_ERROR,
                                "fmi2GetRealOutputDerivatives: not allowed in model exchange");
  }
  return (fmi2Status)jfmi_output_rates(f, reference, n, order, value);
}

// Steps are done when fmi2DoStep() returns: there is nothing to cancel.
fmi2Status JFMI2(fmi2CancelStep)(fmi2Component c) {
  return missing(c, "fmi2CancelStep");
}

static fmi2Status no_status(jfmi* f, const char* function) {
  return (fmi2Status)jfmi_say(f, JFMI_DISCARD, "%s: there is no such status", function);
}

fmi2Status JFMI2(fmi2GetStatus)(fmi2Component c, fmi2StatusKind kind, fmi2Status* value) {
  ENTER(f, JFMI_ANY, "fmi2GetStatus");
  NEED(f, value, "fmi2GetStatus");
  if (kind != fmi2DoStepStatus) return no_status(f, "fmi2GetStatus");
  *value = ((component*)c)->last_step;
  return fmi2OK;
}

fmi2Status JFMI2(fmi2GetRealStatus)(fmi2Component c, fmi2StatusKind kind, fmi2Real* value) {
  ENTER(f, JFMI_ANY, "fmi2GetRealStatus");
  NEED(f, value, "fmi2GetRealStatus");
  if (kind != fmi2LastSuccessfulTime) return no_status(f, "fmi2GetRealStatus");
  *value = f->t;
  return fmi2OK;
}

fmi2Status JFMI2(fmi2GetBooleanStatus)(fmi2Component c, fmi2StatusKind kind, fmi2Boolean* value) {
  ENTER(f, JFMI_ANY, "fmi2GetBooleanStatus");
  NEED(f, value, "fmi2GetBooleanStatus");
  if (kind != fmi2Terminated) return no_status(f, "fmi2GetBooleanStatus");
  *value = jvehicle_has_ended(f->vehicle);
  return fmi2OK;
}

fmi2Status JFMI2(fmi2GetIntegerStatus)(fmi2Component c, fmi2StatusKind kind, fmi2Integer* value) {
  (void)kind, (void)value;
  ENTER(f, JFMI_ANY, "fmi2GetIntegerStatus");
  return no_status(f, "fmi2GetIntegerStatus");
}

fmi2Status JFMI2(fmi2GetStringStatus)(fmi2Component c, fmi2StatusKind kind, fmi2String* value) {
  (void)kind, (void)value;
  ENTER(f, JFMI_ANY, "fmi2GetStringStatus");
  return no_status(f, "fmi2GetStringStatus");
}
