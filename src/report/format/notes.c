// SPDX-License-Identifier: Apache-2.0
// The list of notes. Names and order are part of the file formats, docs/cli.md.
#include "report/format/notes.h"

void jreport_note_text(jreport_notes* l, const char* name, const char* value) {
  l->note[l->n++] = (jreport_note){.name = name, .unit = "", .kind = JREPORT_TEXT, .text = value};
}

void jreport_note_real(jreport_notes* l, const char* name, const char* unit, double value) {
  l->note[l->n++] = (jreport_note){.name = name, .unit = unit, .kind = JREPORT_REAL, .real = value};
}

void jreport_note_count(jreport_notes* l, const char* name, int64_t value) {
  l->note[l->n++] = (jreport_note){.name = name, .unit = "", .kind = JREPORT_COUNT, .count = value};
}

void jreport_notes_of_run(jreport_notes* l, const jplant_result* r) {
  const jplant_simulate_used* u = &r->used;
  jreport_note_text(l, "model", r->model);
  jreport_note_text(l, "description", r->description);
  jreport_note_text(l, "sha256", r->sha256);
  jreport_note_text(l, "settings", r->settings);
  jreport_note_text(l, "jounce", jo_version());
  jreport_note_text(l, "method", u->method);
  jreport_note_real(l, "t_start", "s", u->t_start);
  jreport_note_real(l, "t_end", "s", u->t_end);
  if (!u->is_fixed_step) {
    jreport_note_real(l, "rel_tol", "", u->rel_tol);
    jreport_note_real(l, "abs_tol", "", u->abs_tol);
  }
  if (u->step > 0.0) jreport_note_real(l, "step", "s", u->step);
  jreport_note_real(l, "output_step", "s", u->output_step);
  jreport_note_text(l, "kernels", u->is_compiled ? "compiled" : "interpreted");
  jreport_note_text(l, "complete", r->is_complete ? "yes" : "no");
  jreport_note_real(l, "t_reached", "s", r->t_reached);
  if (r->has_ended) jreport_note_text(l, "ended_by", "end_when");
  jreport_note_count(l, "steps", r->statistics.steps);
  jreport_note_count(l, "rejected", r->statistics.rejected);
  jreport_note_count(l, "evaluations", r->statistics.evaluations);
  jreport_note_count(l, "projections", r->projections);
  jreport_note_real(l, "closure_residual", "m", r->closure);
  if (r->nchange > 0) jreport_note_count(l, "partition_changes", r->nchange);
}
