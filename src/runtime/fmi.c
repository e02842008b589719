// SPDX-License-Identifier: Apache-2.0
// Nothing is computed before it is asked for: numbers, time and states are kept until a value is wanted, so that
// an importer may set them one after the other. Values of the present moment are kept until something is set.
#include "runtime/fmi.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/format.h"

// Times of importer and vehicle are the same if they differ by less than this of their size.
#define SAME_TIME 1e-9
// A step that an importer asks for by mistake must return: steps of the integration are limited, but ten million of them take long.
#define LONGEST_STEP 1e6  // [s]
#define LATEST_TIME  1e9  // [s], where times still differ by 1e-7 s

// ---- making ----------------------------------------------------------------------------------------

static bool add_array(double** array, int n) {
  *array = (double*)calloc((size_t)n + 1, sizeof(double));
  return *array != NULL;
}

static bool add_arrays(jfmi* f) {
  const jvehicle_model* m = f->model;
  return add_array(&f->x, m->nstate) && add_array(&f->rates, m->nstate) &&
         add_array(&f->indicators, m->nindicator) && add_array(&f->outputs, m->noutput) &&
         add_array(&f->objectives, m->nobjective) && add_array(&f->dx, m->nstate) &&
         add_array(&f->dp, m->nnumber) && add_array(&f->dt, 1) &&
         add_array(&f->drates, m->nstate) && add_array(&f->dindicators, m->nindicator) &&
         add_array(&f->doutputs, m->noutput) && add_array(&f->dobjectives, m->nobjective);
}

static bool copy_references(jfmi* f, const jfmi_intermediate* from) {
  f->intermediate = *from;
  unsigned* copy = (unsigned*)calloc(from->n + 1, sizeof *copy);
  if (copy && from->n > 0) memcpy(copy, from->reference, from->n * sizeof *copy);
  f->intermediate.reference = copy;
  return copy != NULL;
}

static void begin_anew(jfmi* f) {
  f->mode = JFMI_INSTANTIATED;
  f->is_begun = f->has_written = f->has_moved = false;
  f->t = f->start = f->model->t_start;
  f->stop = INFINITY;
  memset(f->setting, 0, sizeof f->setting);
  f->tolerance = 0.0;
  f->known = 0;
}

jfmi* jfmi_create(const jvehicle_model* model, const jfmi_host* host, bool is_exchange,
                  bool has_log, const jfmi_intermediate* intermediate) {
  jfmi* f = (jfmi*)calloc(1, sizeof *f);
  if (!f) return NULL;
  f->model = model;
  f->host = *host;
  f->is_exchange = is_exchange;
  f->categories = has_log ? (1u << JFMI_CATEGORIES) - 1u : 0u;
  f->vehicle = jvehicle_create(model);
  if (!f->vehicle || !add_arrays(f) || !copy_references(f, intermediate)) {
    jfmi_destroy(f);
    return NULL;
  }
  begin_anew(f);
  return f;
}

void jfmi_destroy(jfmi* f) {
  if (!f) return;
  jvehicle_destroy(f->vehicle);
  double* array[] = {f->x,  f->rates, f->indicators, f->outputs,     f->objectives, f->dx,
                     f->dp, f->dt,    f->drates,     f->dindicators, f->doutputs,   f->dobjectives};
  for (size_t i = 0; i < sizeof array / sizeof *array; i++)
    free(array[i]);
  free((void*)f->intermediate.reference);
  free(f);
}

void jfmi_reset(jfmi* f) {
  jvehicle_reset(f->vehicle);
  jvehicle_forget(f->vehicle);
  begin_anew(f);
}

// ---- messages --------------------------------------------------------------------------------------

static const char* const categories[JFMI_CATEGORIES] = {
    JFMI_LOG_EVENTS, "logStatusWarning", "logStatusDiscard", "logStatusError", "logStatusFatal"};

const char* jfmi_category(int i) {
  return i >= 0 && i < JFMI_CATEGORIES ? categories[i] : NULL;
}

void jfmi_tell(const jfmi_host* host, jfmi_status status, const char* category, const char* text) {
  char safe[1024];
  size_t n = 0;
  for (; *text && n + 3 < sizeof safe; text++) {
    if (*text == '#') safe[n++] = '#';
    safe[n++] = *text;
  }
  safe[n] = '\0';
  if (host->log) host->log(host->user, status, category, safe);
}

static void tell_status(jfmi* f, jfmi_status status, const char* text) {
  bool is_on = f->categories >> (unsigned)status & 1u;
  if (is_on || status >= JFMI_ERROR) jfmi_tell(&f->host, status, categories[status], text);
}

jfmi_status jfmi_say(jfmi* f, jfmi_status status, const char* format, ...) {
  char text[800];
  va_list args;
  va_start(args, format);
  jformat_v(text, sizeof text, format, args);
  va_end(args);
  tell_status(f, status, text);
  if (status >= JFMI_ERROR) f->mode = JFMI_TERMINATED;
  return status;
}

void jfmi_tell_event(jfmi* f, const char* what) {
  char text[160];
  if (!(f->categories & 1u)) return;
  jformat(text, sizeof text, "%.9g s: %s", jvehicle_time(f->vehicle), what);
  jfmi_tell(&f->host, JFMI_OK, JFMI_LOG_EVENTS, text);
}

jfmi_status jfmi_set_log(jfmi* f, bool is_on, size_t n, const char* const* category) {
  unsigned chosen = n == 0 ? (1u << JFMI_CATEGORIES) - 1u : 0u;
  for (size_t i = 0; i < n; i++) {
    int k = 0;
    while (k < JFMI_CATEGORIES && (!category[i] || strcmp(category[i], categories[k]) != 0))
      k++;
    if (k == JFMI_CATEGORIES) {
      return jfmi_say(f, JFMI_ERROR, "there is no category of messages '%s'",
                      category[i] ? category[i] : "");
    }
    chosen |= 1u << (unsigned)k;
  }
  f->categories = is_on ? f->categories | chosen : f->categories & ~chosen;
  return JFMI_OK;
}

static const char* mode_name(jfmi_mode mode) {
  switch (mode) {
    case JFMI_INSTANTIATED: return "instantiated";
    case JFMI_INITIALIZATION: return "initialization mode";
    case JFMI_EVENT: return "event mode";
    case JFMI_CONTINUOUS: return "continuous-time mode";
    case JFMI_STEPPING: return "step mode";
    case JFMI_INTERMEDIATE: return "intermediate update mode";
    default: return "terminated";
  }
}

jfmi_status jfmi_check(jfmi* f, unsigned modes, const char* function) {
  if ((unsigned)f->mode & modes) return JFMI_OK;
  return jfmi_say(f, JFMI_ERROR, "%s: not allowed in %s of %s", function, mode_name(f->mode),
                  f->is_exchange ? "model exchange" : "co-simulation");
}

// What another step or state may avoid is no reason to end.
jfmi_status jfmi_fail(jfmi* f, jo_status status, const char* doing) {
  bool is_local =
      status == JO_ERR_NUMERIC || status == JO_ERR_CONVERGENCE || status == JO_ERR_SINGULAR;
  const char* why = jvehicle_message(f->vehicle);
  char text[640];
  jformat(text, sizeof text, "%s", *why ? why : "the model does not say why");
  jvehicle_forget(f->vehicle);
  bool may_go_on = is_local && f->mode == JFMI_CONTINUOUS;
  return jfmi_say(f, may_go_on ? JFMI_DISCARD : JFMI_ERROR, "%s: %s", doing, text);
}

// ---- from the importer to the vehicle --------------------------------------------------------------

static jo_status set_options(jfmi* f) {
  double tolerance = f->setting[JFMI_TOLERANCE] > 0.0 ? f->setting[JFMI_TOLERANCE] : f->tolerance;
  double step = f->setting[JFMI_STEP];
  return jvehicle_set_options(f->vehicle, (int)f->setting[JFMI_METHOD] - 1,
                              tolerance > 0.0 ? tolerance : NAN, step > 0.0 ? step : NAN);
}

static jfmi_status begin(jfmi* f) {
  jo_status status = set_options(f);
  if (status < 0) return jfmi_fail(f, status, "settings");
  status = jvehicle_begin(f->vehicle, f->start);
  if (status < 0) return jfmi_fail(f, status, "initialization");
  f->is_begun = true;
  f->has_written = f->has_moved = false;
  f->t = f->start;
  return JFMI_OK;
}

// Modes of the model follow what is set, but in continuous time.
static jfmi_status follow(jfmi* f) {
  bool is_frozen = f->mode == JFMI_CONTINUOUS || f->mode == JFMI_TERMINATED;
  jo_status status = JO_OK;
  if (f->has_moved || (f->has_written && is_frozen)) {
    status = jvehicle_set(f->vehicle, f->t, f->has_moved ? f->x : NULL);
  }
  if (status >= 0 && f->has_written && !is_frozen) status = jvehicle_touch(f->vehicle);
  if (status < 0) return jfmi_fail(f, status, "setting values");
  f->has_moved = f->has_written = false;
  f->known = 0;
  return JFMI_OK;
}

jfmi_status jfmi_settle(jfmi* f) {
  if (f->mode == JFMI_INITIALIZATION && (!f->is_begun || f->has_written)) {
    f->known = 0;
    return begin(f);
  }
  if (!f->is_begun) {
    return jfmi_say(f, JFMI_DISCARD, "there are no values before the initialization");
  }
  return f->has_moved || f->has_written ? follow(f) : JFMI_OK;
}

// ---- reading ---------------------------------------------------------------------------------------

static double* buffer(jfmi* f, jfmi_kind kind) {
  switch (kind) {
    case JFMI_STATE: return f->x;
    case JFMI_RATE: return f->rates;
    case JFMI_INDICATOR: return f->indicators;
    case JFMI_OUTPUT: return f->outputs;
    case JFMI_OBJECTIVE: return f->objectives;
    default: return NULL;
  }
}

static jo_status compute(jfmi* f, jfmi_kind kind) {
  switch (kind) {
    case JFMI_STATE: jvehicle_get_states(f->vehicle, f->x); return JO_OK;
    case JFMI_RATE: return jvehicle_rates(f->vehicle, f->rates);
    case JFMI_INDICATOR: return jvehicle_indicators(f->vehicle, f->indicators);
    case JFMI_OUTPUT: return jvehicle_outputs(f->vehicle, f->outputs);
    case JFMI_OBJECTIVE: return jvehicle_objectives(f->vehicle, f->objectives);
    default: return JO_OK;
  }
}

// Values of a kind at the present moment, in their buffer. States that were set need not go through the vehicle.
static jfmi_status evaluate(jfmi* f, jfmi_kind kind) {
  if (kind == JFMI_STATE && f->has_moved) return JFMI_OK;
  jfmi_status settled = jfmi_settle(f);
  if (settled != JFMI_OK) return settled;
  unsigned bit = 1u << (unsigned)kind;
  if (f->known & bit) return JFMI_OK;
  jo_status status = compute(f, kind);
  if (status < 0) return jfmi_fail(f, status, "evaluation");
  f->known |= bit;
  return JFMI_OK;
}

static bool is_intermediate(const jfmi* f, unsigned reference) {
  for (size_t i = 0; i < f->intermediate.n; i++) {
    if (f->intermediate.reference[i] == reference) return true;
  }
  return false;
}

static jfmi_status get_one(jfmi* f, unsigned reference, double* value) {
  int i;
  jfmi_kind kind = jfmi_find(f->model, reference, &i);
  if (kind == JFMI_NONE || (kind == JFMI_SETTING && i == JFMI_METHOD)) {
    return jfmi_say(f, JFMI_ERROR, "there is no floating-point variable with value reference %u",
                    reference);
  }
  if (f->mode == JFMI_INTERMEDIATE && kind != JFMI_TIME && !is_intermediate(f, reference)) {
    return jfmi_say(f, JFMI_ERROR,
                    "value reference %u was not asked for as an intermediate variable", reference);
  }
  if (kind == JFMI_TIME) *value = f->t;
  if (kind == JFMI_NUMBER) *value = jvehicle_numbers(f->vehicle)[i];
  if (kind == JFMI_SETTING) *value = f->setting[i];
  if (!buffer(f, kind)) return JFMI_OK;
  jfmi_status status = evaluate(f, kind);
  if (status == JFMI_OK) *value = buffer(f, kind)[i];
  return status;
}

jfmi_status jfmi_get(jfmi* f, const unsigned* reference, size_t n, double* value) {
  for (size_t i = 0; i < n; i++) {
    jfmi_status status = get_one(f, reference[i], &value[i]);
    if (status != JFMI_OK) return status;
  }
  return JFMI_OK;
}

jfmi_status jfmi_get_all(jfmi* f, jfmi_kind kind, double* value, size_t n) {
  size_t expected = (size_t)jfmi_count(f->model, kind);
  if (n != expected)
    return jfmi_say(f, JFMI_ERROR, "%zu values were asked for, not %zu", n, expected);
  if (n == 0) return JFMI_OK;
  jfmi_status status = evaluate(f, kind);
  if (status == JFMI_OK) memcpy(value, buffer(f, kind), n * sizeof *value);
  return status;
}

// ---- writing ---------------------------------------------------------------------------------------

static jfmi_status refuse(jfmi* f, const char* what) {
  return jfmi_say(f, JFMI_ERROR, "%s cannot be set in %s of %s", what, mode_name(f->mode),
                  f->is_exchange ? "model exchange" : "co-simulation");
}

static jfmi_status set_number(jfmi* f, int i, double value) {
  const jvehicle_number* number = &f->model->number[i];
  unsigned modes = JFMI_INSTANTIATED | JFMI_INITIALIZATION | JFMI_EVENT | JFMI_STEPPING;
  if (number->is_input) modes |= JFMI_CONTINUOUS;
  if (!((unsigned)f->mode & modes)) return refuse(f, number->quantity.name);
  if (value < number->min || value > number->max) {
    return jfmi_say(f, JFMI_DISCARD, "%s is %.9g; it must lie between %.9g and %.9g",
                    number->quantity.name, value, number->min, number->max);
  }
  double* at = &jvehicle_numbers(f->vehicle)[i];
  if (*at == value) return JFMI_OK;
  *at = value;
  f->has_written = true;
  f->known &= 1u << (unsigned)JFMI_STATE;
  return JFMI_OK;
}

// In continuous time states are those of the importer from now on.
static void hold_states(jfmi* f) {
  if (!f->has_moved) jvehicle_get_states(f->vehicle, f->x);
  f->has_moved = true;
  f->known = 0;
}

static jfmi_status set_state(jfmi* f, int i, double value) {
  if (f->mode != JFMI_CONTINUOUS) return refuse(f, f->model->state[i].name);
  hold_states(f);
  f->x[i] = value;
  return JFMI_OK;
}

static jfmi_status set_setting(jfmi* f, int i, double value) {
  if (!((unsigned)f->mode & (JFMI_INSTANTIATED | JFMI_INITIALIZATION))) {
    return refuse(f, "a setting");
  }
  if (value < 0.0)
    return jfmi_say(f, JFMI_DISCARD, "a setting is %.9g; it must not be negative", value);
  f->setting[i] = value;
  f->has_written = f->has_written || f->is_begun;
  return JFMI_OK;
}

static jfmi_status set_one(jfmi* f, unsigned reference, double value) {
  int i;
  jfmi_kind kind = jfmi_find(f->model, reference, &i);
  if (kind == JFMI_NONE || (kind == JFMI_SETTING && i == JFMI_METHOD)) {
    return jfmi_say(f, JFMI_ERROR, "there is no floating-point variable with value reference %u",
                    reference);
  }
  if (!isfinite(value)) {
    return jfmi_say(f, JFMI_DISCARD, "value reference %u: the value is not finite", reference);
  }
  if (kind == JFMI_NUMBER) return set_number(f, i, value);
  if (kind == JFMI_STATE && f->is_exchange) return set_state(f, i, value);
  if (kind == JFMI_SETTING) return set_setting(f, i, value);
  return jfmi_say(f, JFMI_ERROR, "value reference %u: the variable is calculated and cannot be set",
                  reference);
}

jfmi_status jfmi_set(jfmi* f, const unsigned* reference, size_t n, const double* value) {
  for (size_t i = 0; i < n; i++) {
    jfmi_status status = set_one(f, reference[i], value[i]);
    if (status != JFMI_OK) return status;
  }
  return JFMI_OK;
}

static bool is_method(const jfmi* f, unsigned reference) {
  int i;
  return jfmi_find(f->model, reference, &i) == JFMI_SETTING && i == JFMI_METHOD;
}

jfmi_status jfmi_get_integer(jfmi* f, unsigned reference, long long* value) {
  if (!is_method(f, reference)) {
    return jfmi_say(f, JFMI_ERROR, "there is no integer variable with value reference %u",
                    reference);
  }
  *value = (long long)f->setting[JFMI_METHOD];
  return JFMI_OK;
}

jfmi_status jfmi_set_integer(jfmi* f, unsigned reference, long long value) {
  if (!is_method(f, reference)) {
    return jfmi_say(f, JFMI_ERROR, "there is no integer variable with value reference %u",
                    reference);
  }
  return set_setting(f, JFMI_METHOD, (double)(value < 100 ? value : 100));
}

// ---- going on --------------------------------------------------------------------------------------

jfmi_status jfmi_setup(jfmi* f, bool has_tolerance, double tolerance, double start, bool has_stop,
                       double stop) {
  if (!(fabs(start) <= LATEST_TIME) || (has_stop && !(stop > start))) {
    return jfmi_say(f, JFMI_ERROR,
                    "from %.9g s to %.9g s: not a span of time; the start must be within %g s",
                    start, has_stop ? stop : INFINITY, LATEST_TIME);
  }
  if (has_tolerance && !(tolerance > 0.0 && isfinite(tolerance))) {
    return jfmi_say(f, JFMI_ERROR, "the tolerance is %.9g; it must be positive", tolerance);
  }
  f->tolerance = has_tolerance ? tolerance : 0.0;
  f->start = f->t = start;
  f->stop = has_stop ? stop : INFINITY;
  return JFMI_OK;
}

jfmi_status jfmi_exit_initialization(jfmi* f) {
  jfmi_status status = jfmi_settle(f);
  if (status != JFMI_OK) return status;
  f->mode = f->is_exchange || f->has_events ? JFMI_EVENT : JFMI_STEPPING;
  return JFMI_OK;
}

static double slack(double t) {
  return SAME_TIME * (1.0 + fabs(t));
}

static jfmi_status check_stop(jfmi* f, double t) {
  if (t <= f->stop + slack(f->stop)) return JFMI_OK;
  return jfmi_say(f, JFMI_ERROR, "%.9g s is behind the end that was announced, %.9g s", t, f->stop);
}

jfmi_status jfmi_set_time(jfmi* f, double t) {
  if (!(fabs(t) <= LATEST_TIME)) {
    return jfmi_say(f, JFMI_DISCARD, "the time is %.9g s; it must be finite and within %g s", t,
                    LATEST_TIME);
  }
  jfmi_status status = check_stop(f, t);
  if (status != JFMI_OK || t == f->t) return status;
  hold_states(f);
  f->t = t;
  return JFMI_OK;
}

jfmi_status jfmi_set_states(jfmi* f, const double* x, size_t n) {
  if (n != (size_t)f->model->nstate) {
    return jfmi_say(f, JFMI_ERROR, "%zu states were given, not %d", n, f->model->nstate);
  }
  for (size_t i = 0; i < n; i++) {
    if (!isfinite(x[i])) {
      return jfmi_say(f, JFMI_DISCARD, "state %s is not finite", f->model->state[i].name);
    }
  }
  if (n > 0) memcpy(f->x, x, n * sizeof *x);
  f->has_moved = true;
  f->known = 0;
  return JFMI_OK;
}

// What was set last in continuous time is set with the modes of then.
jfmi_status jfmi_enter_event(jfmi* f) {
  jfmi_status status = jfmi_settle(f);
  if (status == JFMI_OK) f->mode = JFMI_EVENT;
  return status;
}

jfmi_status jfmi_update(jfmi* f, bool* jumped) {
  *jumped = false;
  jfmi_status settled = jfmi_settle(f);
  if (settled != JFMI_OK) return settled;
  jo_status status = jvehicle_update(f->vehicle, jumped);
  if (status < 0) return jfmi_fail(f, status, "events");
  f->known = 0;
  if (*jumped) jfmi_tell_event(f, "states jump");
  return JFMI_OK;
}

// ---- steps -----------------------------------------------------------------------------------------

// Let the importer look, and end the step earlier if it asks for that.
static void let_look(jfmi* f, double* t_end) {
  const jfmi_intermediate* i = &f->intermediate;
  if (!i->update) return;
  double t_return = *t_end;
  f->mode = JFMI_INTERMEDIATE;
  bool is_asked = i->update(i->user, f->t, f->may_return, &t_return);
  if (f->mode != JFMI_INTERMEDIATE) return;  // terminated: an error in the callback
  f->mode = JFMI_STEPPING;
  if (is_asked && f->may_return) *t_end = fmin(*t_end, fmax(t_return, f->t));
}

static jfmi_status advance(jfmi* f, double t_end, jfmi_step* out) {
  bool returns = f->has_events && f->may_return;
  bool stops = returns || f->intermediate.update;
  double end = t_end;
  jvehicle_advance_result result;
  do {
    jo_status status = jvehicle_advance(f->vehicle, end, stops, &result);
    if (status < 0) return jfmi_fail(f, status, "step");
    f->t = result.t;
    f->known = 0;
    out->is_event = f->has_events && result.is_event;
    if (result.events > 0) jfmi_tell_event(f, "events");
    let_look(f, &end);
    if (f->mode == JFMI_TERMINATED) return JFMI_ERROR;
  } while (result.is_event && f->t < end && !returns);
  out->t = f->t;
  out->is_early = f->t < t_end;
  return JFMI_OK;
}

jfmi_status jfmi_do_step(jfmi* f, double t, double h, jfmi_step* out) {
  if (!(fabs(t - f->t) <= slack(f->t))) {
    return jfmi_say(f, JFMI_ERROR, "a step from %.9g s, but the vehicle is at %.9g s", t, f->t);
  }
  double end = t + h;
  if (!(h > 0.0 && h <= LONGEST_STEP) || !(end > f->t && end <= LATEST_TIME)) {
    return jfmi_say(f, JFMI_ERROR,
                    "a step of %.9g s from %.9g s: it must be positive and at most %g s, and end "
                    "before %g s",
                    h, t, LONGEST_STEP, LATEST_TIME);
  }
  jfmi_status status = check_stop(f, end);
  if (status == JFMI_OK) status = jfmi_settle(f);
  return status == JFMI_OK ? advance(f, end, out) : status;
}
