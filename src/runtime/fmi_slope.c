// SPDX-License-Identifier: Apache-2.0
// Seeds are gathered by kind, so that a call of the vehicle is enough however many references there are. A state
// that is the derivative of another one is an unknown and a known: by itself its derivative is one.
#include "runtime/fmi_slope.h"

#include <math.h>
#include <string.h>

static double* known_seed(jfmi* f, jfmi_kind kind) {
  return kind == JFMI_STATE    ? f->dx
         : kind == JFMI_NUMBER ? f->dp
         : kind == JFMI_TIME   ? f->dt
                               : NULL;
}

static double* unknown_slope(jfmi* f, jfmi_kind kind) {
  switch (kind) {
    case JFMI_STATE: return f->dx;
    case JFMI_RATE: return f->drates;
    case JFMI_INDICATOR: return f->dindicators;
    case JFMI_OUTPUT: return f->doutputs;
    case JFMI_OBJECTIVE: return f->dobjectives;
    default: return NULL;
  }
}

static jfmi_status check_references(jfmi* f, const unsigned* reference, size_t n, bool is_known,
                                    unsigned* kinds) {
  *kinds = 0;
  for (size_t k = 0; k < n; k++) {
    int i;
    jfmi_kind kind = jfmi_find(f->model, reference[k], &i);
    if (is_known ? !known_seed(f, kind) : !unknown_slope(f, kind)) {
      return jfmi_say(f, JFMI_ERROR, "value reference %u is none that derivatives can be %s",
                      reference[k], is_known ? "taken by" : "taken of");
    }
    *kinds |= 1u << (unsigned)kind;
  }
  return JFMI_OK;
}

static void clear(double* array, int n) {
  memset(array, 0, (size_t)n * sizeof *array);
}

static void clear_all(jfmi* f) {
  const jvehicle_model* m = f->model;
  clear(f->dx, m->nstate);
  clear(f->dp, m->nnumber);
  clear(f->dt, 1);
  clear(f->drates, m->nstate);
  clear(f->dindicators, m->nindicator);
  clear(f->doutputs, m->noutput);
  clear(f->dobjectives, m->nobjective);
}

static bool has(unsigned kinds, jfmi_kind kind) {
  return kinds >> (unsigned)kind & 1u;
}

static jfmi_status prepare(jfmi* f, const jfmi_slope_question* q, unsigned* of, unsigned* by) {
  jfmi_status status = check_references(f, q->unknown, q->nunknown, false, of);
  if (status == JFMI_OK) status = check_references(f, q->known, q->nknown, true, by);
  if (status == JFMI_OK) status = jfmi_settle(f);
  if (status == JFMI_OK) clear_all(f);
  return status;
}

// Arrays of kinds that are asked about; others are not there for the vehicle.
static jvehicle_seed seeds(jfmi* f, unsigned by) {
  return (jvehicle_seed){.states = has(by, JFMI_STATE) ? f->dx : NULL,
                         .numbers = has(by, JFMI_NUMBER) ? f->dp : NULL,
                         .time = has(by, JFMI_TIME) ? f->dt : NULL};
}

static jvehicle_slope slopes(jfmi* f, unsigned of) {
  return (jvehicle_slope){.rates = has(of, JFMI_RATE) ? f->drates : NULL,
                          .indicators = has(of, JFMI_INDICATOR) ? f->dindicators : NULL,
                          .outputs = has(of, JFMI_OUTPUT) ? f->doutputs : NULL,
                          .objectives = has(of, JFMI_OBJECTIVE) ? f->dobjectives : NULL};
}

// A root has no slope at zero: an rms whose window has not begun.
static jfmi_status check_finite(jfmi* f, const unsigned* reference, size_t n, const double* slope,
                                const char* by) {
  for (size_t k = 0; k < n; k++) {
    if (isfinite(slope[k])) continue;
    return jfmi_say(f, JFMI_DISCARD,
                    "the derivative %s the variable with value reference %u is not finite", by,
                    reference[k]);
  }
  return JFMI_OK;
}

jfmi_status jfmi_directional(jfmi* f, const jfmi_slope_question* q, const double* seed,
                             double* slope) {
  unsigned of, by;
  jfmi_status prepared = prepare(f, q, &of, &by);
  if (prepared != JFMI_OK) return prepared;
  for (size_t k = 0; k < q->nknown; k++) {
    int i;
    known_seed(f, jfmi_find(f->model, q->known[k], &i))[i] += seed[k];
  }
  jvehicle_seed in = seeds(f, by);
  jvehicle_slope out = slopes(f, of);
  jo_status status = jvehicle_tangent(f->vehicle, &in, &out);
  if (status < 0) return jfmi_fail(f, status, "directional derivative");
  for (size_t k = 0; k < q->nunknown; k++) {
    int i;
    slope[k] = unknown_slope(f, jfmi_find(f->model, q->unknown[k], &i))[i];
  }
  return check_finite(f, q->unknown, q->nunknown, slope, "of");
}

// Seeds of states among the unknowns are what their own derivatives begin with; the vehicle writes the rest.
static void add_own(const jfmi* f, const jfmi_slope_question* q, const double* seed, double* dx) {
  for (size_t k = 0; k < q->nunknown; k++) {
    int i;
    if (jfmi_find(f->model, q->unknown[k], &i) == JFMI_STATE) dx[i] += seed[k];
  }
}

jfmi_status jfmi_adjoint(jfmi* f, const jfmi_slope_question* q, const double* seed, double* slope) {
  unsigned of, by;
  jfmi_status prepared = prepare(f, q, &of, &by);
  if (prepared != JFMI_OK) return prepared;
  for (size_t k = 0; k < q->nunknown; k++) {
    int i;
    jfmi_kind kind = jfmi_find(f->model, q->unknown[k], &i);
    if (kind != JFMI_STATE) unknown_slope(f, kind)[i] += seed[k];
  }
  jvehicle_slope in = slopes(f, of);
  jvehicle_seed out = seeds(f, by);
  jo_status status = jvehicle_adjoint(f->vehicle, &in, &out);
  if (status < 0) return jfmi_fail(f, status, "adjoint derivative");
  add_own(f, q, seed, f->dx);
  for (size_t k = 0; k < q->nknown; k++) {
    int i;
    slope[k] = known_seed(f, jfmi_find(f->model, q->known[k], &i))[i];
  }
  return check_finite(f, q->known, q->nknown, slope, "by");
}

static jfmi_status check_outputs(jfmi* f, const unsigned* reference, size_t n, const int* order) {
  for (size_t k = 0; k < n; k++) {
    int i;
    jfmi_kind kind = jfmi_find(f->model, reference[k], &i);
    if (kind != JFMI_OUTPUT && kind != JFMI_OBJECTIVE) {
      return jfmi_say(f, JFMI_ERROR, "value reference %u is no output", reference[k]);
    }
    if (order[k] != 1) {
      return jfmi_say(f, JFMI_ERROR, "value reference %u: order %d, but derivatives are of order 1",
                      reference[k], order[k]);
    }
  }
  return JFMI_OK;
}

// y' = y_x x' + y_t
jfmi_status jfmi_output_rates(jfmi* f, const unsigned* reference, size_t n, const int* order,
                              double* rate) {
  jfmi_status status = check_outputs(f, reference, n, order);
  size_t nx = (size_t)f->model->nstate;
  if (status == JFMI_OK) status = jfmi_get_all(f, JFMI_RATE, f->drates, nx);
  if (status != JFMI_OK) return status;
  memcpy(f->dx, f->drates, nx * sizeof *f->dx);
  *f->dt = 1.0;
  jvehicle_seed in = {.states = f->dx, .time = f->dt};
  jvehicle_slope out = {.outputs = f->doutputs, .objectives = f->dobjectives};
  jo_status computed = jvehicle_tangent(f->vehicle, &in, &out);
  if (computed < 0) return jfmi_fail(f, computed, "derivatives of outputs");
  for (size_t k = 0; k < n; k++) {
    int i;
    rate[k] = unknown_slope(f, jfmi_find(f->model, reference[k], &i))[i];
  }
  return check_finite(f, reference, n, rate, "by time of");
}
