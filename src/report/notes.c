// SPDX-License-Identifier: Apache-2.0
// The list of notes. Names and order are part of the file formats, docs/cli.md.
#include "report/notes.h"

typedef struct list {
  jreport_note* note;
  int n;
} list;

static void text(list* l, const char* name, const char* value) {
  l->note[l->n++] = (jreport_note){.name = name, .unit = "", .kind = JREPORT_TEXT, .text = value};
}

static void real(list* l, const char* name, const char* unit, double value) {
  l->note[l->n++] = (jreport_note){.name = name, .unit = unit, .kind = JREPORT_REAL, .real = value};
}

static void count(list* l, const char* name, int64_t value) {
  l->note[l->n++] = (jreport_note){.name = name, .unit = "", .kind = JREPORT_COUNT, .count = value};
}

int jreport_notes(const jplant_result* r, jreport_note note[JREPORT_MAX_NOTES]) {
  const jplant_simulate_used* u = &r->used;
  list l = {.note = note};
  text(&l, "model", r->model);
  text(&l, "description", r->description);
  text(&l, "sha256", r->sha256);
  text(&l, "settings", r->settings);
  text(&l, "jounce", jo_version());
  text(&l, "method", u->method);
  real(&l, "t_start", "s", u->t_start);
  real(&l, "t_end", "s", u->t_end);
  if (!u->is_fixed_step) {
    real(&l, "rel_tol", "", u->rel_tol);
    real(&l, "abs_tol", "", u->abs_tol);
  }
  if (u->step > 0.0) real(&l, "step", "s", u->step);
  real(&l, "output_step", "s", u->output_step);
  text(&l, "kernels", u->is_compiled ? "compiled" : "interpreted");
  text(&l, "complete", r->is_complete ? "yes" : "no");
  real(&l, "t_reached", "s", r->t_reached);
  count(&l, "steps", r->statistics.steps);
  count(&l, "rejected", r->statistics.rejected);
  count(&l, "evaluations", r->statistics.evaluations);
  count(&l, "projections", r->projections);
  real(&l, "closure_residual", "m", r->closure);
  return l.n;
}
