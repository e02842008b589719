// SPDX-License-Identifier: Apache-2.0
// Driven coordinates: their positions s, and s' and s'' by differentiating along time and the equations of the
// states that s depends on. docs/theory/dynamics.md eqs. (V1)-(V3).
#include "expr/diff.h"
#include "expr/rewrite.h"
#include "gen/begin.h"
#include "gen/force/element.h"

static bool is_used(const bool* needed, jexpr_ref root, jexpr_ref r) {
  return r && r <= root && needed[r];
}

bool jgen_drive_has_states(jgen* s, jexpr_ref position) {
  jarena_mark mark = jarena_save(s->a);
  bool* needed = s->z && position ? jexpr_needed(s->g, s->a, position) : NULL;
  bool found = false;
  for (int i = 0; needed && i < s->m->nstate; i++) {
    found = found || is_used(needed, position, s->z[i]);
  }
  jarena_restore(s->a, mark);
  return found;
}

// Where equilibrium is sought a state that is not held has no value yet that velocities could follow from.
static bool is_sought(jgen* s, int coordinate, jexpr_ref position) {
  if (!s->m->simulation.start_static) return false;
  jarena_mark mark = jarena_save(s->a);
  bool* needed = jexpr_needed(s->g, s->a, position);
  int found = -1;
  for (int i = 0; needed && i < s->m->nstate; i++) {
    bool counts = !s->m->state[i].is_held && is_used(needed, position, s->z[i]);
    if (counts) found = i;
  }
  jarena_restore(s->a, mark);
  if (found < 0) return false;
  const jmodel_coordinate* c = &s->m->coordinate[coordinate];
  s->g->status = jerr_set(
      s->ctx, JO_ERR_MODEL,
      "%s:%d: coordinate '%s' is driven by state '%s', and the run begins at static equilibrium, "
      "where that state is sought; give the state 'hold: true', or begin elsewhere",
      c->driven.place.file, c->driven.place.line, c->name, s->m->state[found].name);
  return true;
}

static const char position_rule[] =
    "a driven coordinate is a function of time, parameters and states, since its rates are its "
    "time derivatives; to follow a motion, drive its velocity (drive: {velocity: ...}), or use a "
    "force or a closure; to follow an input, let a state follow it";
static const char velocity_rule[] =
    "a driven velocity is a function of time, parameters, states and positions, since its rate is "
    "an acceleration; let a state follow what has no rate, as a lag does";
static const char rate_rule[] =
    "a coordinate is driven by this state, so that its rate, a velocity, is a function of time, "
    "parameters, states and positions: what has no time derivative comes in through a further "
    "state";

// (V1)  s = f(t, p, z)
jo_status jgen_drive_position(jgen* s, int coordinate, jexpr_ref* out) {
  const jmodel_coordinate* c = &s->m->coordinate[coordinate];
  s->rule = position_rule;
  jexpr_ref r = jgen_scalar(s, &c->driven, c->name);
  s->rule = NULL;
  JO_TRY(s->g->status);
  jgen_allowed allowed = {1u << JGEN_P | 1u << JGEN_T, .states = true};
  if (jgen_depends_beyond(s, r, allowed, position_rule, c->name, c->driven.place)) {
    return s->g->status;
  }
  if (is_sought(s, coordinate, r)) return s->g->status;
  *out = r;
  return JO_OK;
}

static jexpr_ref state_rate(jgen* s, int i) {
  const jmodel_state* z = &s->m->state[i];
  if (z->element < 0) return jgen_scalar(s, &z->derivative, z->name);
  if (s->stage >= JGEN_AT_VELOCITY) return jgen_own_rate(s, i);
  s->g->status = jerr_set(s->ctx, JO_ERR_MODEL,
                          "%s:%d: '%s' is a state of an element, whose rate is not known where "
                          "velocities are; %s",
                          z->place.file, z->place.line, z->name, rate_rule);
  return JEXPR_POISON;
}

// dx/dt = x_t + x_z z' (+ x_q q')
static jo_status along_time(jgen* s, jexpr_ref x, bool positions, jexpr_ref* out) {
  const jmodel* m = s->m;
  int most = 1 + m->nstate + m->ncoordinate, n = 0;
  jexpr_ref* by = JARENA_ARRAY(s->a, most, jexpr_ref);
  jexpr_ref* rate = JARENA_ARRAY(s->a, most, jexpr_ref);
  bool* needed = jexpr_needed(s->g, s->a, x);
  if (!by || !rate || !needed) return jerr_memory(s->ctx);
  by[n] = s->t;
  rate[n++] = s->one;
  for (int i = 0; s->z && i < m->nstate && s->g->status >= 0; i++) {
    if (!is_used(needed, x, s->z[i])) continue;
    by[n] = s->z[i];
    rate[n++] = state_rate(s, i);
  }
  for (int i = 0; positions && i < m->ncoordinate; i++) {
    bool counts = s->g->node[s->q[i]].op == JEXPR_INPUT && is_used(needed, x, s->q[i]);
    if (!counts) continue;
    by[n] = s->q[i];
    rate[n++] = s->qd[i];
  }
  JO_TRY(s->g->status);
  return jexpr_tangent(s->g, &x, 1, by, rate, n, out);
}

// (V2)  s' = f_t + f_z z'
jo_status jgen_drive_velocity(jgen* s, int coordinate, jexpr_ref position, jexpr_ref* out) {
  const jmodel_coordinate* c = &s->m->coordinate[coordinate];
  const char* rule = c->is_velocity ? velocity_rule : rate_rule;
  s->rule = rule;
  jo_status status = along_time(s, position, false, out);
  s->rule = NULL;
  JO_TRY(status);
  jgen_allowed allowed = {1u << JGEN_P | 1u << JGEN_T, .states = true, .positions = true};
  return jgen_depends_beyond(s, *out, allowed, rule, c->name, c->driven.place) ? s->g->status
                                                                               : JO_OK;
}

// (V3)  s'' = s'_t + s'_z z' + s'_q q'
jo_status jgen_drive_acceleration(jgen* s, jexpr_ref velocity, jexpr_ref* out) {
  return along_time(s, velocity, true, out);
}

jo_status jgen_drive_rates(jgen* s, jexpr_ref rate[3]) {
  jexpr_ref t = s->t;
  JO_TRY(jexpr_tangent(s->g, &rate[0], 1, &t, &s->one, 1, &rate[1]));
  return jexpr_tangent(s->g, &rate[1], 1, &t, &s->one, 1, &rate[2]);
}
