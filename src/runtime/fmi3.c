// SPDX-License-Identifier: Apache-2.0
// FMI 3.0: arguments and modes are checked here, fmi.c does the rest. Every function that does not succeed says why.
#include "runtime/fmi3.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/fmi_slope.h"
#include "runtime/fmi_state.h"

// An instance is what both versions share, and the callbacks of this one.
typedef struct instance {
  jfmi* f;
  fmi3InstanceEnvironment env;
  fmi3LogMessageCallback log;
  fmi3IntermediateUpdateCallback update;
} instance;

static jfmi* core(fmi3Instance i) {
  return i ? ((instance*)i)->f : NULL;
}

// A function begins so: there is an instance, in one of these modes.
#define ENTER(f, modes, name) \
  jfmi* f = core(i);          \
  if (!f) return fmi3Error;   \
  if (jfmi_check(f, (modes), name) != JFMI_OK) return fmi3Error

#define NEED(f, pointer, name)                                                                  \
  do {                                                                                          \
    if (!(pointer)) return (fmi3Status)jfmi_say((f), JFMI_ERROR, name ": an argument is NULL"); \
  } while (0)

#define ALIVE (JFMI_ANY & ~(unsigned)JFMI_INTERMEDIATE)

// ---- life ------------------------------------------------------------------------------------------

const char* JFMI3(fmi3GetVersion)(void) {
  return "3.0";
}

static void pass_log(void* user, jfmi_status status, const char* category, const char* message) {
  const instance* i = (const instance*)user;
  if (i->log) i->log(i->env, (fmi3Status)status, category, message);
}

static bool pass_update(void* user, double t, bool can_return, double* t_return) {
  const instance* i = (const instance*)user;
  fmi3Boolean is_asked = false;
  i->update(i->env, t, false, true, true, can_return, &is_asked, t_return);
  return is_asked;
}

static bool is_blank(const char* text) {
  return !text || text[strspn(text, " \t\r\n")] == '\0';
}

static fmi3Instance instantiate(const instance* with, fmi3String name, fmi3String token,
                                bool is_exchange, bool log_on, const jfmi_intermediate* look) {
  jfmi_host host = {.user = (void*)with, .log = pass_log};
  const char* wrong = NULL;
  if (is_blank(name)) wrong = "the instance has no name";
  if (!token || strcmp(token, jvehicle_exported.token) != 0) {
    wrong = "the instantiation token is not that of this model";
  }
  instance* i = wrong ? NULL : (instance*)calloc(1, sizeof *i);
  if (i) {
    *i = *with;
    host.user = i;
    jfmi_intermediate between = *look;
    between.user = i;
    i->f = jfmi_create(&jvehicle_exported, &host, is_exchange, log_on, &between);
  }
  if (i && i->f) return i;
  free(i);
  host.user = (void*)with;
  jfmi_tell(&host, JFMI_ERROR, jfmi_category(JFMI_ERROR), wrong ? wrong : "no memory");
  return NULL;
}

fmi3Instance JFMI3(fmi3InstantiateModelExchange)(fmi3String name, fmi3String token,
                                                 fmi3String resources, fmi3Boolean visible,
                                                 fmi3Boolean log_on, fmi3InstanceEnvironment env,
                                                 fmi3LogMessageCallback log) {
  (void)resources, (void)visible;
  instance with = {.env = env, .log = log};
  return instantiate(&with, name, token, true, log_on, &(jfmi_intermediate){0});
}

// Only what the description says so of can be asked for in between.
static bool are_intermediate(const fmi3ValueReference* reference, size_t n) {
  for (size_t k = 0; k < n; k++) {
    int at;
    jfmi_kind kind = jfmi_find(&jvehicle_exported, reference[k], &at);
    if (kind != JFMI_OUTPUT && kind != JFMI_OBJECTIVE) return false;
  }
  return true;
}

fmi3Instance JFMI3(fmi3InstantiateCoSimulation)(
    fmi3String name, fmi3String token, fmi3String resources, fmi3Boolean visible,
    fmi3Boolean log_on, fmi3Boolean event_mode, fmi3Boolean early_return,
    const fmi3ValueReference required[], size_t nrequired, fmi3InstanceEnvironment env,
    fmi3LogMessageCallback log, fmi3IntermediateUpdateCallback update) {
  (void)resources, (void)visible;
  instance with = {.env = env, .log = log, .update = update};
  jfmi_intermediate look = {
      .update = update ? pass_update : NULL, .reference = required, .n = required ? nrequired : 0};
  if (!are_intermediate(look.reference, look.n)) {
    jfmi_host host = {.user = &with, .log = pass_log};
    jfmi_tell(&host, JFMI_ERROR, jfmi_category(JFMI_ERROR),
              "a required intermediate variable is not one of the outputs");
    return NULL;
  }
  instance* i = (instance*)instantiate(&with, name, token, false, log_on, &look);
  if (!i) return NULL;
  i->f->has_events = event_mode;
  i->f->may_return = early_return;
  return i;
}

fmi3Instance JFMI3(fmi3InstantiateScheduledExecution)(
    fmi3String name, fmi3String token, fmi3String resources, fmi3Boolean visible,
    fmi3Boolean log_on, fmi3InstanceEnvironment env, fmi3LogMessageCallback log,
    fmi3ClockUpdateCallback clock, fmi3LockPreemptionCallback lock,
    fmi3UnlockPreemptionCallback unlock) {
  (void)name, (void)token, (void)resources, (void)visible, (void)log_on;
  (void)clock, (void)lock, (void)unlock;
  instance with = {.env = env, .log = log};
  jfmi_host host = {.user = &with, .log = pass_log};
  jfmi_tell(&host, JFMI_ERROR, jfmi_category(JFMI_ERROR), "there is no scheduled execution");
  return NULL;
}

void JFMI3(fmi3FreeInstance)(fmi3Instance i) {
  if (!i) return;
  jfmi_destroy(core(i));
  free(i);
}

fmi3Status JFMI3(fmi3SetDebugLogging)(fmi3Instance i, fmi3Boolean on, size_t n,
                                      const fmi3String category[]) {
  ENTER(f, ALIVE, "fmi3SetDebugLogging");
  if (n > 0) NEED(f, category, "fmi3SetDebugLogging");
  return (fmi3Status)jfmi_set_log(f, on, n, category);
}

fmi3Status JFMI3(fmi3EnterInitializationMode)(fmi3Instance i, fmi3Boolean has_tolerance,
                                              fmi3Float64 tolerance, fmi3Float64 start,
                                              fmi3Boolean has_stop, fmi3Float64 stop) {
  ENTER(f, JFMI_INSTANTIATED, "fmi3EnterInitializationMode");
  jfmi_status status = jfmi_setup(f, has_tolerance, tolerance, start, has_stop, stop);
  if (status == JFMI_OK) f->mode = JFMI_INITIALIZATION;
  return (fmi3Status)status;
}

fmi3Status JFMI3(fmi3ExitInitializationMode)(fmi3Instance i) {
  ENTER(f, JFMI_INITIALIZATION, "fmi3ExitInitializationMode");
  return (fmi3Status)jfmi_exit_initialization(f);
}

fmi3Status JFMI3(fmi3EnterEventMode)(fmi3Instance i) {
  ENTER(f, JFMI_CONTINUOUS | JFMI_STEPPING, "fmi3EnterEventMode");
  if (!f->is_exchange && !f->has_events) {
    return (fmi3Status)jfmi_say(f, JFMI_ERROR,
                                "fmi3EnterEventMode: the instance was made without event mode");
  }
  return (fmi3Status)jfmi_enter_event(f);
}

fmi3Status JFMI3(fmi3Terminate)(fmi3Instance i) {
  ENTER(f, JFMI_STARTED, "fmi3Terminate");
  f->mode = JFMI_TERMINATED;
  return fmi3OK;
}

fmi3Status JFMI3(fmi3Reset)(fmi3Instance i) {
  ENTER(f, ALIVE, "fmi3Reset");
  jfmi_reset(f);
  return fmi3OK;
}

// ---- values ----------------------------------------------------------------------------------------

static fmi3Status check_arrays(jfmi* f, const char* name, const void* reference, size_t n,
                               const void* value, size_t nvalue) {
  if (n != nvalue) {
    return (fmi3Status)jfmi_say(f, JFMI_ERROR, "%s: %zu references and %zu values", name, n,
                                nvalue);
  }
  if (n > 0 && (!reference || !value)) {
    return (fmi3Status)jfmi_say(f, JFMI_ERROR, "%s: an argument is NULL", name);
  }
  return fmi3OK;
}

fmi3Status JFMI3(fmi3GetFloat64)(fmi3Instance i, const fmi3ValueReference reference[], size_t n,
                                 fmi3Float64 value[], size_t nvalue) {
  ENTER(f, JFMI_ANY, "fmi3GetFloat64");
  fmi3Status status = check_arrays(f, "fmi3GetFloat64", reference, n, value, nvalue);
  return status == fmi3OK ? (fmi3Status)jfmi_get(f, reference, n, value) : status;
}

fmi3Status JFMI3(fmi3SetFloat64)(fmi3Instance i, const fmi3ValueReference reference[], size_t n,
                                 const fmi3Float64 value[], size_t nvalue) {
  ENTER(f, JFMI_ANY & ~(unsigned)JFMI_TERMINATED, "fmi3SetFloat64");
  fmi3Status status = check_arrays(f, "fmi3SetFloat64", reference, n, value, nvalue);
  return status == fmi3OK ? (fmi3Status)jfmi_set(f, reference, n, value) : status;
}

// Enumerations are read and written as these.
fmi3Status JFMI3(fmi3GetInt64)(fmi3Instance i, const fmi3ValueReference reference[], size_t n,
                               fmi3Int64 value[], size_t nvalue) {
  ENTER(f, ALIVE, "fmi3GetInt64");
  fmi3Status status = check_arrays(f, "fmi3GetInt64", reference, n, value, nvalue);
  for (size_t k = 0; k < n && status == fmi3OK; k++) {
    long long x = 0;
    status = (fmi3Status)jfmi_get_integer(f, reference[k], &x);
    if (status == fmi3OK) value[k] = (fmi3Int64)x;
  }
  return status;
}

fmi3Status JFMI3(fmi3SetInt64)(fmi3Instance i, const fmi3ValueReference reference[], size_t n,
                               const fmi3Int64 value[], size_t nvalue) {
  ENTER(f, ALIVE & ~(unsigned)JFMI_TERMINATED, "fmi3SetInt64");
  fmi3Status status = check_arrays(f, "fmi3SetInt64", reference, n, value, nvalue);
  for (size_t k = 0; k < n && status == fmi3OK; k++)
    status = (fmi3Status)jfmi_set_integer(f, reference[k], (long long)value[k]);
  return status;
}

static fmi3Status no_variable(fmi3Instance i, const char* function,
                              const fmi3ValueReference* reference, size_t n) {
  jfmi* f = core(i);
  if (!f) return fmi3Error;
  if (n == 0) return fmi3OK;
  return (fmi3Status)jfmi_say(f, JFMI_ERROR,
                              "%s: there is no variable of this type with value reference %u",
                              function, reference ? reference[0] : 0u);
}

// Types that no variable has.
#define NO_VARIABLES(type)                                                                        \
  fmi3Status JFMI3(fmi3Get##type)(fmi3Instance i, const fmi3ValueReference reference[], size_t n, \
                                  fmi3##type value[], size_t nvalue) {                            \
    (void)value, (void)nvalue;                                                                    \
    return no_variable(i, "fmi3Get" #type, reference, n);                                         \
  }                                                                                               \
  fmi3Status JFMI3(fmi3Set##type)(fmi3Instance i, const fmi3ValueReference reference[], size_t n, \
                                  const fmi3##type value[], size_t nvalue) {                      \
    (void)value, (void)nvalue;                                                                    \
    return no_variable(i, "fmi3Set" #type, reference, n);                                         \
  }
NO_VARIABLES(Float32)
NO_VARIABLES(Int8)
NO_VARIABLES(UInt8)
NO_VARIABLES(Int16)
NO_VARIABLES(UInt16)
NO_VARIABLES(Int32)
NO_VARIABLES(UInt32)
NO_VARIABLES(UInt64)
NO_VARIABLES(Boolean)
NO_VARIABLES(String)

fmi3Status JFMI3(fmi3GetBinary)(fmi3Instance i, const fmi3ValueReference reference[], size_t n,
                                size_t size[], fmi3Binary value[], size_t nvalue) {
  (void)size, (void)value, (void)nvalue;
  return no_variable(i, "fmi3GetBinary", reference, n);
}

fmi3Status JFMI3(fmi3SetBinary)(fmi3Instance i, const fmi3ValueReference reference[], size_t n,
                                const size_t size[], const fmi3Binary value[], size_t nvalue) {
  (void)size, (void)value, (void)nvalue;
  return no_variable(i, "fmi3SetBinary", reference, n);
}

fmi3Status JFMI3(fmi3GetClock)(fmi3Instance i, const fmi3ValueReference reference[], size_t n,
                               fmi3Clock value[]) {
  (void)value;
  return no_variable(i, "fmi3GetClock", reference, n);
}

fmi3Status JFMI3(fmi3SetClock)(fmi3Instance i, const fmi3ValueReference reference[], size_t n,
                               const fmi3Clock value[]) {
  (void)value;
  return no_variable(i, "fmi3SetClock", reference, n);
}

// ---- states of the FMU -----------------------------------------------------------------------------

fmi3Status JFMI3(fmi3GetFMUState)(fmi3Instance i, fmi3FMUState* state) {
  ENTER(f, ALIVE, "fmi3GetFMUState");
  NEED(f, state, "fmi3GetFMUState");
  jfmi_state* s = (jfmi_state*)*state;
  jfmi_status status = jfmi_state_get(f, &s);
  *state = s;
  return (fmi3Status)status;
}

fmi3Status JFMI3(fmi3SetFMUState)(fmi3Instance i, fmi3FMUState state) {
  ENTER(f, ALIVE, "fmi3SetFMUState");
  NEED(f, state, "fmi3SetFMUState");
  return (fmi3Status)jfmi_state_set(f, (const jfmi_state*)state);
}

fmi3Status JFMI3(fmi3FreeFMUState)(fmi3Instance i, fmi3FMUState* state) {
  ENTER(f, JFMI_ANY, "fmi3FreeFMUState");
  if (!state) return fmi3OK;
  jfmi_state_free((jfmi_state*)*state);
  *state = NULL;
  return fmi3OK;
}

fmi3Status JFMI3(fmi3SerializedFMUStateSize)(fmi3Instance i, fmi3FMUState state, size_t* size) {
  ENTER(f, ALIVE, "fmi3SerializedFMUStateSize");
  NEED(f, state && size, "fmi3SerializedFMUStateSize");
  *size = jfmi_state_size((const jfmi_state*)state);
  return fmi3OK;
}

fmi3Status JFMI3(fmi3SerializeFMUState)(fmi3Instance i, fmi3FMUState state, fmi3Byte byte[],
                                        size_t size) {
  ENTER(f, ALIVE, "fmi3SerializeFMUState");
  NEED(f, state && byte, "fmi3SerializeFMUState");
  if (size < jfmi_state_size((const jfmi_state*)state)) {
    return (fmi3Status)jfmi_say(f, JFMI_ERROR, "fmi3SerializeFMUState: %zu bytes are not enough",
                                size);
  }
  jfmi_state_write((const jfmi_state*)state, (char*)byte);
  return fmi3OK;
}

fmi3Status JFMI3(fmi3DeserializeFMUState)(fmi3Instance i, const fmi3Byte byte[], size_t size,
                                          fmi3FMUState* state) {
  ENTER(f, ALIVE, "fmi3DeserializeFMUState");
  NEED(f, state && byte, "fmi3DeserializeFMUState");
  jfmi_state* s = (jfmi_state*)*state;
  jfmi_status status = jfmi_state_read(f, (const char*)byte, size, &s);
  *state = s;
  return (fmi3Status)status;
}

// ---- derivatives -----------------------------------------------------------------------------------

static fmi3Status check_question(jfmi* f, const char* name, const jfmi_slope_question* q,
                                 bool has_arrays) {
  if (f->mode == JFMI_INITIALIZATION) {
    return (fmi3Status)jfmi_say(
        f, JFMI_DISCARD, "%s: derivatives of the start are not provided, only those behind it",
        name);
  }
  bool has_references = (q->unknown || q->nunknown == 0) && (q->known || q->nknown == 0);
  if (!has_references || !has_arrays) {
    return (fmi3Status)jfmi_say(f, JFMI_ERROR, "%s: an argument is NULL, or of another length",
                                name);
  }
  return fmi3OK;
}

fmi3Status JFMI3(fmi3GetDirectionalDerivative)(fmi3Instance i, const fmi3ValueReference unknown[],
                                               size_t nunknown, const fmi3ValueReference known[],
                                               size_t nknown, const fmi3Float64 seed[],
                                               size_t nseed, fmi3Float64 sensitivity[],
                                               size_t nsensitivity) {
  ENTER(f, JFMI_EVALUATES, "fmi3GetDirectionalDerivative");
  jfmi_slope_question q = {unknown, known, nunknown, nknown};
  bool fits = nseed == nknown && nsensitivity == nunknown && (seed || nseed == 0) &&
              (sensitivity || nsensitivity == 0);
  fmi3Status status = check_question(f, "fmi3GetDirectionalDerivative", &q, fits);
  return status == fmi3OK ? (fmi3Status)jfmi_directional(f, &q, seed, sensitivity) : status;
}

fmi3Status JFMI3(fmi3GetAdjointDerivative)(fmi3Instance i, const fmi3ValueReference unknown[],
                                           size_t nunknown, const fmi3ValueReference known[],
                                           size_t nknown, const fmi3Float64 seed[], size_t nseed,
                                           fmi3Float64 sensitivity[], size_t nsensitivity) {
  ENTER(f, JFMI_EVALUATES, "fmi3GetAdjointDerivative");
  jfmi_slope_question q = {unknown, known, nunknown, nknown};
  bool fits = nseed == nunknown && nsensitivity == nknown && (seed || nseed == 0) &&
              (sensitivity || nsensitivity == 0);
  fmi3Status status = check_question(f, "fmi3GetAdjointDerivative", &q, fits);
  return status == fmi3OK ? (fmi3Status)jfmi_adjoint(f, &q, seed, sensitivity) : status;
}

// ---- model exchange --------------------------------------------------------------------------------

#define EXCHANGES (JFMI_EVALUATES & ~(unsigned)JFMI_STEPPING)

static fmi3Status get_all(fmi3Instance i, const char* name, jfmi_kind kind, fmi3Float64* value,
                          size_t n) {
  ENTER(f, EXCHANGES, name);
  if (!f->is_exchange) {
    return (fmi3Status)jfmi_say(f, JFMI_ERROR, "%s: not allowed in co-simulation", name);
  }
  if (n > 0 && !value) return (fmi3Status)jfmi_say(f, JFMI_ERROR, "%s: an argument is NULL", name);
  return (fmi3Status)jfmi_get_all(f, kind, value, n);
}

fmi3Status JFMI3(fmi3GetContinuousStates)(fmi3Instance i, fmi3Float64 x[], size_t n) {
  return get_all(i, "fmi3GetContinuousStates", JFMI_STATE, x, n);
}

fmi3Status JFMI3(fmi3GetContinuousStateDerivatives)(fmi3Instance i, fmi3Float64 xdot[], size_t n) {
  return get_all(i, "fmi3GetContinuousStateDerivatives", JFMI_RATE, xdot, n);
}

fmi3Status JFMI3(fmi3GetEventIndicators)(fmi3Instance i, fmi3Float64 g[], size_t n) {
  return get_all(i, "fmi3GetEventIndicators", JFMI_INDICATOR, g, n);
}

fmi3Status JFMI3(fmi3GetNominalsOfContinuousStates)(fmi3Instance i, fmi3Float64 nominal[],
                                                    size_t n) {
  ENTER(f, EXCHANGES, "fmi3GetNominalsOfContinuousStates");
  if (!f->is_exchange || n != (size_t)f->model->nstate || (n > 0 && !nominal)) {
    return (fmi3Status)jfmi_say(
        f, JFMI_ERROR, "fmi3GetNominalsOfContinuousStates: of %d states, in model exchange",
        f->model->nstate);
  }
  for (size_t k = 0; k < n; k++)
    nominal[k] = jfmi_nominal(f->model, (int)k);
  return fmi3OK;
}

static fmi3Status get_count(fmi3Instance i, const char* name, jfmi_kind kind, size_t* n) {
  ENTER(f, ALIVE, name);
  if (!f->is_exchange || !n) {
    return (fmi3Status)jfmi_say(f, JFMI_ERROR, "%s: %s", name,
                                n ? "not allowed in co-simulation" : "an argument is NULL");
  }
  *n = (size_t)jfmi_count(f->model, kind);
  return fmi3OK;
}

fmi3Status JFMI3(fmi3GetNumberOfEventIndicators)(fmi3Instance i, size_t* n) {
  return get_count(i, "fmi3GetNumberOfEventIndicators", JFMI_INDICATOR, n);
}

fmi3Status JFMI3(fmi3GetNumberOfContinuousStates)(fmi3Instance i, size_t* n) {
  return get_count(i, "fmi3GetNumberOfContinuousStates", JFMI_STATE, n);
}

fmi3Status JFMI3(fmi3SetTime)(fmi3Instance i, fmi3Float64 t) {
  ENTER(f, JFMI_CONTINUOUS, "fmi3SetTime");
  return (fmi3Status)jfmi_set_time(f, t);
}

fmi3Status JFMI3(fmi3SetContinuousStates)(fmi3Instance i, const fmi3Float64 x[], size_t n) {
  ENTER(f, JFMI_CONTINUOUS, "fmi3SetContinuousStates");
  if (n > 0) NEED(f, x, "fmi3SetContinuousStates");
  return (fmi3Status)jfmi_set_states(f, x, n);
}

// Events follow from indicators alone, and no loop is left open by a step: there is nothing to do.
fmi3Status JFMI3(fmi3CompletedIntegratorStep)(fmi3Instance i, fmi3Boolean no_set,
                                              fmi3Boolean* enter_event, fmi3Boolean* terminates) {
  (void)no_set;
  ENTER(f, JFMI_CONTINUOUS, "fmi3CompletedIntegratorStep");
  NEED(f, enter_event && terminates, "fmi3CompletedIntegratorStep");
  *enter_event = *terminates = false;
  return fmi3OK;
}

fmi3Status JFMI3(fmi3UpdateDiscreteStates)(fmi3Instance i, fmi3Boolean* needs_update,
                                           fmi3Boolean* terminates, fmi3Boolean* nominals_changed,
                                           fmi3Boolean* states_changed, fmi3Boolean* has_next_event,
                                           fmi3Float64* next_event) {
  ENTER(f, JFMI_EVENT, "fmi3UpdateDiscreteStates");
  NEED(f, needs_update && terminates && nominals_changed, "fmi3UpdateDiscreteStates");
  NEED(f, states_changed && has_next_event && next_event, "fmi3UpdateDiscreteStates");
  bool jumped = false;
  jfmi_status status = jfmi_update(f, &jumped);
  // the vehicle iterates until all modes agree, and times of events are indicators too
  *needs_update = *nominals_changed = *has_next_event = false;
  *terminates = jvehicle_has_ended(f->vehicle);
  *next_event = 0.0;
  *states_changed = jumped;
  return (fmi3Status)status;
}

fmi3Status JFMI3(fmi3EnterContinuousTimeMode)(fmi3Instance i) {
  ENTER(f, JFMI_EVENT, "fmi3EnterContinuousTimeMode");
  if (!f->is_exchange) {
    return (fmi3Status)jfmi_say(f, JFMI_ERROR,
                                "fmi3EnterContinuousTimeMode: not allowed in co-simulation");
  }
  jfmi_status status = jfmi_settle(f);
  if (status == JFMI_OK) f->mode = JFMI_CONTINUOUS;
  return (fmi3Status)status;
}

// ---- co-simulation ---------------------------------------------------------------------------------

fmi3Status JFMI3(fmi3EnterStepMode)(fmi3Instance i) {
  ENTER(f, JFMI_EVENT, "fmi3EnterStepMode");
  if (f->is_exchange) {
    return (fmi3Status)jfmi_say(f, JFMI_ERROR, "fmi3EnterStepMode: not allowed in model exchange");
  }
  jfmi_status status = jfmi_settle(f);
  if (status == JFMI_OK) f->mode = JFMI_STEPPING;
  return (fmi3Status)status;
}

fmi3Status JFMI3(fmi3DoStep)(fmi3Instance i, fmi3Float64 t, fmi3Float64 h, fmi3Boolean no_set,
                             fmi3Boolean* needs_event, fmi3Boolean* terminates,
                             fmi3Boolean* early_return, fmi3Float64* reached) {
  (void)no_set;
  ENTER(f, JFMI_STEPPING, "fmi3DoStep");
  NEED(f, needs_event && terminates && early_return && reached, "fmi3DoStep");
  jfmi_step step = {.t = f->t};
  jfmi_status status = jfmi_do_step(f, t, h, &step);
  *needs_event = step.is_event;
  *terminates = jvehicle_has_ended(f->vehicle);
  *early_return = step.is_early;
  *reached = step.t;
  return (fmi3Status)status;
}

fmi3Status JFMI3(fmi3GetOutputDerivatives)(fmi3Instance i, const fmi3ValueReference reference[],
                                           size_t n, const fmi3Int32 order[], fmi3Float64 value[],
                                           size_t nvalue) {
  ENTER(f, JFMI_STEPPING | JFMI_INTERMEDIATE | JFMI_TERMINATED, "fmi3GetOutputDerivatives");
  fmi3Status status = check_arrays(f, "fmi3GetOutputDerivatives", reference, n, value, nvalue);
  if (status != fmi3OK) return status;
  if (n > 0) NEED(f, order, "fmi3GetOutputDerivatives");
  if (f->is_exchange) {
    return (fmi3Status)jfmi_say(f, JFMI_ERROR,
                                "fmi3GetOutputDerivatives: not allowed in model exchange");
  }
  return (fmi3Status)jfmi_output_rates(f, reference, n, order, value);
}

// ---- what there is none of -------------------------------------------------------------------------

static fmi3Status missing(fmi3Instance i, const char* function) {
  jfmi* f = core(i);
  if (!f) return fmi3Error;
  return (fmi3Status)jfmi_say(f, JFMI_ERROR, "%s: this FMU does not provide it", function);
}

fmi3Status JFMI3(fmi3GetNumberOfVariableDependencies)(fmi3Instance i, fmi3ValueReference reference,
                                                      size_t* n) {
  (void)reference, (void)n;
  return missing(i, "fmi3GetNumberOfVariableDependencies");
}

fmi3Status JFMI3(fmi3GetVariableDependencies)(fmi3Instance i, fmi3ValueReference dependent,
                                              size_t element[], fmi3ValueReference independent[],
                                              size_t element_of[], fmi3DependencyKind kind[],
                                              size_t n) {
  (void)dependent, (void)element, (void)independent, (void)element_of, (void)kind, (void)n;
  return missing(i, "fmi3GetVariableDependencies");
}

fmi3Status JFMI3(fmi3EnterConfigurationMode)(fmi3Instance i) {
  return missing(i, "fmi3EnterConfigurationMode");
}

fmi3Status JFMI3(fmi3ExitConfigurationMode)(fmi3Instance i) {
  return missing(i, "fmi3ExitConfigurationMode");
}

fmi3Status JFMI3(fmi3GetIntervalDecimal)(fmi3Instance i, const fmi3ValueReference reference[],
                                         size_t n, fmi3Float64 interval[],
                                         fmi3IntervalQualifier qualifier[]) {
  (void)reference, (void)n, (void)interval, (void)qualifier;
  return missing(i, "fmi3GetIntervalDecimal");
}

fmi3Status JFMI3(fmi3GetIntervalFraction)(fmi3Instance i, const fmi3ValueReference reference[],
                                          size_t n, fmi3UInt64 counter[], fmi3UInt64 resolution[],
                                          fmi3IntervalQualifier qualifier[]) {
  (void)reference, (void)n, (void)counter, (void)resolution, (void)qualifier;
  return missing(i, "fmi3GetIntervalFraction");
}

fmi3Status JFMI3(fmi3GetShiftDecimal)(fmi3Instance i, const fmi3ValueReference reference[],
                                      size_t n, fmi3Float64 shift[]) {
  (void)reference, (void)n, (void)shift;
  return missing(i, "fmi3GetShiftDecimal");
}

fmi3Status JFMI3(fmi3GetShiftFraction)(fmi3Instance i, const fmi3ValueReference reference[],
                                       size_t n, fmi3UInt64 counter[], fmi3UInt64 resolution[]) {
  (void)reference, (void)n, (void)counter, (void)resolution;
  return missing(i, "fmi3GetShiftFraction");
}

fmi3Status JFMI3(fmi3SetIntervalDecimal)(fmi3Instance i, const fmi3ValueReference reference[],
                                         size_t n, const fmi3Float64 interval[]) {
  (void)reference, (void)n, (void)interval;
  return missing(i, "fmi3SetIntervalDecimal");
}

fmi3Status JFMI3(fmi3SetIntervalFraction)(fmi3Instance i, const fmi3ValueReference reference[],
                                          size_t n, const fmi3UInt64 counter[],
                                          const fmi3UInt64 resolution[]) {
  (void)reference, (void)n, (void)counter, (void)resolution;
  return missing(i, "fmi3SetIntervalFraction");
}

fmi3Status JFMI3(fmi3SetShiftDecimal)(fmi3Instance i, const fmi3ValueReference reference[],
                                      size_t n, const fmi3Float64 shift[]) {
  (void)reference, (void)n, (void)shift;
  return missing(i, "fmi3SetShiftDecimal");
}

fmi3Status JFMI3(fmi3SetShiftFraction)(fmi3Instance i, const fmi3ValueReference reference[],
                                       size_t n, const fmi3UInt64 counter[],
                                       const fmi3UInt64 resolution[]) {
  (void)reference, (void)n, (void)counter, (void)resolution;
  return missing(i, "fmi3SetShiftFraction");
}

fmi3Status JFMI3(fmi3EvaluateDiscreteStates)(fmi3Instance i) {
  return missing(i, "fmi3EvaluateDiscreteStates");
}

fmi3Status JFMI3(fmi3ActivateModelPartition)(fmi3Instance i, fmi3ValueReference clock,
                                             fmi3Float64 t) {
  (void)clock, (void)t;
  return missing(i, "fmi3ActivateModelPartition");
}
