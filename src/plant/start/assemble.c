// SPDX-License-Identifier: Apache-2.0
// The position stage of a model as the tables and functions an assembly works on; functions are interpreted.
#include "plant/start/assemble.h"

#include "expr/tape/tape.h"

#define RANK_TOLERANCE 1e-7  // pivots below it, relative to the largest, are zero
#define NEAR_TIE       1e-4  // change of the thresholds of pivots that changes no choice, at least

typedef struct stage {
  const jmodel* m;
  const jgen_position* p;
  const jexpr_tape* tape[JMACHINE_POSITION_FN_COUNT];
  double* work[JMACHINE_POSITION_FN_COUNT];
  jmachine_position table;
  jplant_tie* tie;  // to be found; NULL: not wanted
} stage;

static void eval(void* host, jmachine_position_fn f, const double* values, double t,
                 const double* q, double* const* out) {
  const stage* s = host;
  const double* in[4] = {values, &t, q, NULL};
  jexpr_tape_eval(s->tape[f], 1, in, out, s->work[f]);
}

static jo_status choose(const stage* s, jo_context* ctx, jarena* a, const double* A, double slack,
                        bool inner, bool* stays) {
  int nh = s->p->nh, nr = nh + s->p->ninitial;
  return jgen_undetermined(ctx, a, s->m, A, nh, nr, RANK_TOLERANCE, slack, inner, stays);
}

// Whether slightly other thresholds would make others stay.
static jo_status find_tie(const stage* s, jo_context* ctx, jarena* a, const double* A, bool inner,
                          const bool* stays) {
  int nq = s->p->nq;
  *s->tie = (jplant_tie){-1, -1};
  jarena_mark mark = jarena_save(a);
  bool* other = JARENA_ARRAY(a, nq, bool);
  if (!other) return jerr_memory(ctx);
  for (int side = -1; side <= 1 && s->tie->stays < 0; side += 2) {
    JO_TRY(choose(s, ctx, a, A, 1.0 + side * NEAR_TIE, inner, other));
    for (int i = nq - 1; i >= 0; i--) {
      if (stays[i] && !other[i]) s->tie->moves = i;
      if (!stays[i] && other[i]) s->tie->stays = i;
    }
  }
  jarena_restore(a, mark);
  return JO_OK;
}

static jo_status undetermined(void* host, jo_context* ctx, jarena* a, const double* A, bool rates,
                              bool inner, bool* stays) {
  const stage* s = host;
  JO_TRY(choose(s, ctx, a, A, 1.0, inner, stays));
  return s->tie && !rates ? find_tie(s, ctx, a, A, inner, stays) : JO_OK;
}

jo_status jplant_position_table(jo_context* ctx, jarena* a, const jmodel* m, const jgen_position* p,
                                jmachine_position* out) {
  jmachine_coordinate* coordinate = JARENA_ARRAY(a, p->nq, jmachine_coordinate);
  jmachine_initial* initial = JARENA_ARRAY(a, p->ninitial, jmachine_initial);
  if (!coordinate || !initial) return jerr_memory(ctx);
  for (int i = 0; i < p->nq; i++) {
    const jmodel_coordinate* c = &m->coordinate[i];
    coordinate[i] =
        (jmachine_coordinate){.is_driven = c->is_driven,
                              .is_angle = c->is_angle,
                              .name = c->name,
                              .drive_text = c->driven.text,
                              .drive_place = {c->driven.place.file, c->driven.place.line}};
  }
  for (int i = 0; i < p->ninitial; i++) {
    const jmodel_initial* c = &m->initial[i];
    initial[i] = (jmachine_initial){.has_value = c->has_value,
                                    .has_rate = c->has_rate,
                                    .place = {c->quantity.place.file, c->quantity.place.line},
                                    .text = c->quantity.text};
  }
  *out = (jmachine_position){.path = m->path,
                             .nq = p->nq,
                             .nz = p->nz,
                             .nh = p->nh,
                             .ninitial = p->ninitial,
                             .nd = p->nd,
                             .coordinate = coordinate,
                             .initial = initial,
                             .row_name = p->row_name,
                             .ncoupling = p->ncoupling};
  return JO_OK;
}

static jo_status prepare(jo_context* ctx, jarena* a, stage* s) {
  const jgen_position_tapes* tapes = &s->p->tapes;
  s->tape[JMACHINE_CLOSURE] = &tapes->closure;
  s->tape[JMACHINE_DRIVES] = &tapes->drive;
  s->tape[JMACHINE_INITIAL] = &tapes->initial;
  s->tape[JMACHINE_STATES] = &tapes->states;
  JO_TRY(jplant_position_table(ctx, a, s->m, s->p, &s->table));
  for (int f = 0; f < JMACHINE_POSITION_FN_COUNT; f++) {
    JO_TRY(jexpr_tape_make_work(ctx, a, s->tape[f], &s->work[f]));
  }
  s->table.host = s;
  s->table.eval = eval;
  s->table.undetermined = undetermined;
  return JO_OK;
}

jo_status jplant_assemble(jo_context* ctx, jarena* a, const jmodel* m, const jgen_position* p,
                          const double* values, const double* from, double t,
                          jmachine_assembly* out, jplant_tie* tie) {
  stage s = {.m = m, .p = p, .tie = tie};
  if (tie) *tie = (jplant_tie){-1, -1};
  JO_TRY(prepare(ctx, a, &s));
  return jmachine_assemble(ctx, a, &s.table, values ? values : p->p, from, t, out);
}

jo_status jplant_assemble_velocity(jo_context* ctx, jarena* a, const jmodel* m,
                                   const jgen_position* p, const double* values, double t,
                                   double* q, double* qd, bool* rests) {
  stage s = {.m = m, .p = p};
  JO_TRY(prepare(ctx, a, &s));
  return jmachine_assemble_velocity(ctx, a, &s.table, values ? values : p->p, t, q, qd, rests);
}
