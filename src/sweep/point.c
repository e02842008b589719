// SPDX-License-Identifier: Apache-2.0
// Points of a sweep, a run with derivatives after the other.
#include <string.h>

#include "base/text/format.h"
#include "sweep/parts.h"

#define MAX_MESSAGE 1024  // of a failed point, in the journal

void jsweep_values(const jsweep* s, const double* x, double* values) {
  const jgen_dynamics* d = s->sens->plant->dynamics;
  memcpy(values, s->p ? s->p : d->p, (size_t)d->np * sizeof *values);
  for (int k = 0; k < s->nrange; k++) {
    for (int n = 0; n < d->np; n++) {
      if (d->live[n] == s->parameter[k]) values[n] = x[k];
    }
  }
}

static jo_status set_values(jo_context* ctx, const jsweep* s, int i, double** out) {
  const jgen_dynamics* d = s->sens->plant->dynamics;
  double* p = jmem_resize(ctx, NULL, ((size_t)d->np + (size_t)s->nrange + 1) * sizeof *p);
  if (!p) return jerr_memory(ctx);
  double* x = p + d->np;
  jsweep_design_at(s->design, i, x);
  jsweep_values(s, x, p);
  *out = p;
  return JO_OK;
}

static void take(jsweep_point* p, const jsens_result* r) {
  memcpy(p->value, r->value, (size_t)r->nobjective * sizeof *p->value);
  size_t n = (size_t)r->nobjective * (size_t)r->nw;
  if (n > 0) {
    memcpy(p->gradient, r->gradient, n * sizeof *p->gradient);
    memcpy(p->error, r->gradient_error, n * sizeof *p->error);
  }
  p->events = r->statistics.events;
  p->evaluations = r->statistics.evaluations;
}

static jo_status keep_message(jo_context* ctx, const char* text, jsweep_point* p) {
  size_t n = strlen(text);
  if (n > MAX_MESSAGE) n = MAX_MESSAGE;
  p->message = jmem_resize(ctx, NULL, n + 1);
  if (!p->message) return jerr_memory(ctx);
  memcpy(p->message, text, n);
  p->message[n] = 0;
  return JO_OK;
}

jo_status jsweep_tell(jo_context* ctx, const jsweep* s, const char* lacks, jsweep_point* p) {
  char text[MAX_MESSAGE + 1], doubt[JSENS_VERDICT_TEXT];
  bool has_lacks = lacks && *lacks;
  jsens_verdict_text(s->sens, &s->run.solve, &p->verdict, p->value, doubt);
  if (!has_lacks && !*doubt) return JO_OK;
  jformat(text, sizeof text, "%s%s%s", has_lacks ? lacks : "", has_lacks && *doubt ? "; " : "",
          doubt);
  return keep_message(ctx, text, p);
}

// Failures of the run are the point's; those of the machine end the sweep.
static jo_status run(jo_context* ctx, const jsweep* s, int i, jsweep_point* p) {
  double* values = NULL;
  JO_TRY(set_values(ctx, s, i, &values));
  jsens_options opt = s->run;
  opt.p = values;
  opt.some = opt.check = true;
  jsens_result* r = NULL;
  p->status = jsens_run(ctx, s->sens, s->method, &opt, &r);
  jmem_free(ctx, values);
  int said = jo_context_diagnostic_count(ctx);
  if (p->status >= 0) p->status = jsens_check_objectives(ctx, s->sens, r);
  const char* why = jo_context_diagnostic(ctx, said, NULL);
  jo_status status = p->status == JO_ERR_MEMORY ? JO_ERR_MEMORY : JO_OK;
  if (p->status >= 0) {
    take(p, r);
    jsens_verdict_of(s->model, r, &p->verdict);
    status = jsweep_tell(ctx, s, why, p);
  } else if (status >= 0) {
    why = jo_context_message(ctx);
    status = keep_message(ctx, *why ? why : jo_status_text(p->status), p);
  }
  jsens_result_destroy(r);
  return status;
}

static jo_status evaluate(void* user, jo_context* ctx, const jsweep* s, const int* index, int n,
                          jsweep_point* point) {
  (void)user;
  for (int k = 0; k < n; k++) {
    JO_TRY(run(ctx, s, index[k], &point[k]));
    jo_context_clear(ctx);
  }
  return JO_OK;
}

const jsweep_evaluator jsweep_runs = {.chunk = 1, .evaluate = evaluate};
