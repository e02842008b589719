// SPDX-License-Identifier: Apache-2.0
// A round pipe: inertia of the oil in it, laminar and turbulent friction; no volume of its own.
// docs/theory/hydraulics.md eqs. (P12), (P13).
#include "element/hydraulic/port.h"

typedef struct pipe {
  jelement_flow flow;
  jmodel_scalar length, diameter, friction, minor_loss, transition, initial;
} pipe;

static const jmodel_key keys[] = {{JMODEL_KEY_LIST("between", jmodel_form_text, 2, 2)},
                                  {JMODEL_KEY_NUMBER("length")},
                                  {JMODEL_KEY_NUMBER("diameter")},
                                  {JMODEL_KEY_NUMBER("friction")},
                                  {JMODEL_KEY_NUMBER("minor_loss")},
                                  {JMODEL_KEY_NUMBER("transition_flow")},
                                  {JMODEL_KEY_NUMBER("flow")},
                                  {JMODEL_KEY_DESCRIPTION},
                                  {0}};

static const jmodel_field fields[] = {
    JMODEL_FIELD_IN(pipe, "length", length, JMODEL_POSITIVE, "m"),
    JMODEL_FIELD_IN(pipe, "diameter", diameter, JMODEL_POSITIVE, "m"),
    JMODEL_FIELD_IN(pipe, "friction", friction, JMODEL_NOT_NEGATIVE, "1"),
    JMODEL_FIELD_IN(pipe, "minor_loss", minor_loss, JMODEL_NOT_NEGATIVE, "1"),
    JMODEL_FIELD_IN(pipe, "transition_flow", transition, JMODEL_POSITIVE, "m^3/s"),
    JMODEL_FIELD_IN(pipe, "flow", initial, JMODEL_FINITE, "m^3/s"),
};

#define TYPICAL 1e-4  // flow [m^3/s]

enum { FRICTION = JELEMENT_LOSS + 1, INERTANCE, RATE, ENERGY };
static const char* const signals[] = {
    JELEMENT_FLOW_SIGNALS, "friction", "inertance", "rate", "energy", NULL};

static bool read(const jmodel_at* at, const jmodel_node* map, jmodel_element* e) {
  pipe* p = e->data;
  jmodel_need_scalar(at, map, "length", JMODEL_SCOPE_ANY, &p->length);
  jmodel_need_scalar(at, map, "diameter", JMODEL_SCOPE_ANY, &p->diameter);
  jelement_scalar_or(at, map, "friction", 0.04, e->place, &p->friction);
  jelement_scalar_or(at, map, "minor_loss", 0.0, e->place, &p->minor_loss);
  jelement_scalar_or(at, map, "transition_flow", 1e-6, e->place, &p->transition);
  jelement_scalar_or(at, map, "flow", 0.0, e->place, &p->initial);
  if (!jelement_flow_read(at, map, e, NULL, &p->flow)) return false;
  jmodel_own_state(at, e, "flow", "m^3/s", TYPICAL, jelement_initial(&p->initial));
  return true;
}

// (P13)  R1 Q + R2 Q sqrt(Q^2 + Qe^2)
//        R1 = 32 mu L / (A dh^2)      R2 = (f L/dh + zeta) rho0 / (2 A^2)
static jexpr_ref friction(jgen* s, const jmodel_element* m, const jelement_oil_values* oil,
                          jexpr_ref A, jexpr_ref Q) {
  const pipe* p = m->data;
  jexpr_graph* g = s->g;
  jexpr_ref L = jgen_scalar(s, &p->length, m->name), dh = jgen_scalar(s, &p->diameter, m->name);
  jexpr_ref Qe = jgen_scalar(s, &p->transition, m->name);
  jexpr_ref laminar = jexpr_mul(g, jexpr_mul(g, jexpr_const(g, 32.0), oil->mu), L);
  jexpr_ref R1 = jexpr_div(g, laminar, jexpr_mul(g, A, jexpr_mul(g, dh, dh)));
  jexpr_ref f = jexpr_div(g, jexpr_mul(g, jgen_scalar(s, &p->friction, m->name), L), dh);
  f = jexpr_add(g, f, jgen_scalar(s, &p->minor_loss, m->name));
  jexpr_ref twice = jexpr_mul(g, jexpr_const(g, 2.0), jexpr_mul(g, A, A));
  jexpr_ref R2 = jexpr_div(g, jexpr_mul(g, f, oil->rho0), twice);
  jexpr_ref size = jexpr_sqrt(g, jexpr_add(g, jexpr_mul(g, Q, Q), jexpr_mul(g, Qe, Qe)));
  return jexpr_mul(g, Q, jexpr_add(g, R1, jexpr_mul(g, R2, size)));
}

// (P12)  I dQ/dt = p_0 - p_1 - friction      I = rho0 L / A      E = I Q^2 / 2
static void write(jgen* s, const jmodel_element* m, jgen_element* e) {
  const pipe* p = m->data;
  jexpr_graph* g = s->g;
  jelement_oil_values oil = jelement_oil_at(s, p->flow.port[0]);
  jexpr_ref Q = jgen_own_state(s, m, 0), dp = jelement_drop(s, m, &p->flow);
  jexpr_ref dh = jgen_scalar(s, &p->diameter, m->name);
  jexpr_ref A = jexpr_mul(g, jexpr_const(g, 0.78539816339744831), jexpr_mul(g, dh, dh));
  jexpr_ref I = e->signal[INERTANCE] =
      jexpr_div(g, jexpr_mul(g, oil.rho0, jgen_scalar(s, &p->length, m->name)), A);
  e->signal[FRICTION] = friction(s, m, &oil, A, Q);
  jexpr_ref push = jexpr_sub(g, dp, e->signal[FRICTION]);
  e->rate[0] = e->signal[RATE] = jexpr_div(g, push, I);
  jelement_put_flow(s, m, &p->flow, Q, dp, e);
  // what makes the oil faster is not lost
  e->signal[JELEMENT_LOSS] = jexpr_sub(g, e->signal[JELEMENT_LOSS], jexpr_mul(g, Q, push));
  e->signal[ENERGY] = jexpr_mul(g, jexpr_const(g, 0.5), jexpr_mul(g, I, jexpr_mul(g, Q, Q)));
}

const jgen_element_class jelement_pipe = {
    .model = {.kind = "pipe",
              .section = "pipes",
              .keys = keys,
              .about = "Round pipes with inertia and friction",
              .size = sizeof(pipe),
              .read = read,
              .mirrors = true,
              JELEMENT_FIELDS(fields)},
    .signal = signals,
    .what = JELEMENT_FLOW_WHAT,
    .write = write};
