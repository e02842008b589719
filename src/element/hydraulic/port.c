// SPDX-License-Identifier: Apache-2.0
#include "element/hydraulic/port.h"

#include <string.h>

const char* const jelement_flow_signals[] = {JELEMENT_FLOW_SIGNALS, NULL};
const char* const jelement_area_signals[] = {JELEMENT_FLOW_SIGNALS, "area", NULL};

static const jgen_element_class* const port_classes[] = {&jelement_volume, &jelement_accumulator,
                                                         &jelement_pressure, &jelement_junction};

static bool is_port(const jmodel_element* e) {
  for (int i = 0; i < JELEMENT_COUNT(port_classes); i++) {
    if (e->class == &port_classes[i]->model) return true;
  }
  return false;
}

bool jelement_is_junction(const jmodel_element* e) {
  return e->class == &jelement_junction.model;
}

// ---- reading -------------------------------------------------------------------------------------

// The element of that name among those that may be meant; -1: there is none.
static int find(const jmodel_reader* r, const char* name, bool (*is_meant)(const jmodel_element*)) {
  for (int i = 0; i < r->m->nelement; i++) {
    if (is_meant(&r->m->element[i]) && strcmp(r->m->element[i].name, name) == 0) return i;
  }
  return -1;
}

// Is it in the file, though it could not be read? Its own mistakes are told.
static bool is_listed(const jmodel_reader* r, const char* section, const char* name) {
  const jmodel_node* list = jmodel_node_find(r->root, section);
  return list && list->kind == JMODEL_NODE_MAP && jmodel_node_find(list, name);
}

static void tell_unknown(const jmodel_at* at, const jmodel_node* node, const char* label,
                         const char* what, bool (*is_meant)(const jmodel_element*)) {
  const char* name = jmodel_full_name(at->r, node->in, node->text);
  jmodel_guess guess = jmodel_guess_begin(name);
  for (int i = 0; i < at->r->m->nelement; i++) {
    if (is_meant(&at->r->m->element[i])) jmodel_guess_add(&guess, at->r->m->element[i].name);
  }
  jmodel_mistake(at, node->place, "%s: there is no %s '%.60s'%s", label, what, name,
                 jmodel_guess_hint(at->r, &guess));
}

int jelement_port_at(const jmodel_at* at, const jmodel_node* node, const char* label) {
  if (!jmodel_is(at, node, JMODEL_NODE_TEXT, label)) return -1;
  const char* name = jmodel_full_name(at->r, node->in, node->text);
  int found = find(at->r, name, is_port);
  bool is_told = false;
  for (int i = 0; i < JELEMENT_COUNT(port_classes); i++) {
    is_told = is_told || is_listed(at->r, port_classes[i]->model.section, name);
  }
  if (found < 0 && !is_told) {
    tell_unknown(at, node, label, "volume, accumulator, pressure or junction", is_port);
  }
  return found;
}

static bool is_fluid(const jmodel_element* e) {
  return e->class == &jelement_oil.model;
}

bool jelement_fluid_read(const jmodel_at* at, const jmodel_node* map, jmodel_place place,
                         int* fluid) {
  const jmodel_node* node = jmodel_node_find(map, "fluid");
  if (node) {
    if (!jmodel_is(at, node, JMODEL_NODE_TEXT, "fluid")) return false;
    const char* name = jmodel_full_name(at->r, node->in, node->text);
    *fluid = find(at->r, name, is_fluid);
    if (*fluid < 0 && !is_listed(at->r, "fluids", name)) {
      tell_unknown(at, node, "fluid", "fluid", is_fluid);
    }
    return *fluid >= 0;
  }
  int n = 0;
  for (int i = 0; i < at->r->m->nelement; i++) {
    if (is_fluid(&at->r->m->element[i]) && n++ == 0) *fluid = i;
  }
  if (n == 0) {
    jmodel_mistake(at, place, "the model has no fluid; list the oil under 'fluids:'");
  } else if (n > 1) {
    jmodel_mistake(at, place, "the model has %d fluids; say which, as 'fluid: %s'", n,
                   at->r->m->element[*fluid].name);
  }
  return n == 1;
}

const char* jelement_initial(const jmodel_scalar* s) {
  return s->text ? s->text : s->path;
}

#define TYPICAL 1e5  // pressure [Pa]

void jelement_pressure_state(const jmodel_at* at, const jmodel_node* map, jmodel_element* e,
                             const jmodel_scalar* initial) {
  const jmodel_node* hold = jmodel_node_find(map, "hold");
  jmodel_state* p = jmodel_own_state(at, e, "pressure", "Pa", TYPICAL, jelement_initial(initial));
  if (p) p->is_held = !hold || jmodel_bool_at(at, hold, "hold");
}

// Pressures of junctions are found one by one: none may depend on another's.
static bool is_solvable(const jmodel_at* at, const jmodel_node* ends, const jmodel_element* a,
                        const jmodel_element* b) {
  if (!jelement_is_junction(a) || !jelement_is_junction(b)) return true;
  jmodel_mistake(at, ends->place,
                 "between: '%s' and '%s' are both junctions, of which each would need the pressure "
                 "of the other; list one under 'volumes:', with a volume, or put a pipe between",
                 a->name, b->name);
  return false;
}

static void join(const jmodel_reader* r, jelement_flow* f) {
  for (int i = 0; i < 2; i++) {
    jelement_port* p = r->m->element[f->port[i]].data;
    f->next[i] = p->first;
    p->first = f;
  }
}

bool jelement_flow_read(const jmodel_at* at, const jmodel_node* map, const jmodel_element* e,
                        jelement_flow_law law, jelement_flow* f) {
  const jmodel_node* ends = jmodel_need(at, map, "between");
  f->has_discharge = jmodel_get_scalar(at, map, "discharge", JMODEL_SCOPE_ANY, &f->discharge);
  if (!ends || !jmodel_is(at, ends, JMODEL_NODE_LIST, "between")) return false;
  if (ends->n != 2) {
    jmodel_mistake(at, ends->place, "between needs 2 volumes, got %d", ends->n);
    return false;
  }
  f->port[0] = jelement_port_at(at, ends->first, "between");
  f->port[1] = jelement_port_at(at, ends->last, "between");
  if (f->port[0] < 0 || f->port[1] < 0) return false;
  const jmodel_element *a = &at->r->m->element[f->port[0]], *b = &at->r->m->element[f->port[1]];
  if (a == b) {
    jmodel_mistake(at, ends->place, "between: both ends are '%s'", a->name);
    return false;
  }
  int oil_a = ((const jelement_port*)a->data)->fluid,
      oil_b = ((const jelement_port*)b->data)->fluid;
  f->own = e;
  f->law = law;
  if (law && !is_solvable(at, ends, a, b)) return false;
  if (oil_a == oil_b) {
    join(at->r, f);
    return true;
  }
  jmodel_mistake(at, ends->place, "between: '%s' holds '%s' and '%s' holds '%s'; oils do not mix",
                 a->name, at->r->m->element[oil_a].name, b->name, at->r->m->element[oil_b].name);
  return false;
}

// ---- equations -----------------------------------------------------------------------------------

jexpr_ref jelement_pressure_at(jgen* s, const jmodel_element* of, int port) {
  const jgen_element* e = jgen_element_at(s, port);
  if (e->progress == JGEN_BEING_WRITTEN && s->g->status == JO_OK) {
    s->g->status = jerr_set(s->ctx, JO_ERR_MODEL,
                            "%s:%d: '%s' needs the pressure of '%s', which needs it in turn",
                            of->place.file, of->place.line, of->name, s->m->element[port].name);
  }
  return e->signal[JELEMENT_PRESSURE];
}

jelement_oil_values jelement_oil_at(jgen* s, int port) {
  return jelement_oil_of(s, ((const jelement_port*)s->m->element[port].data)->fluid);
}

jexpr_ref jelement_room(jgen* s, jexpr_ref V) {
  jexpr_ref root = jexpr_sqrt(s->g, V);
  return jexpr_mul(s->g, root, root);
}

jexpr_ref jelement_fed(jgen* s, const jgen_element* e, int k) {
  return e->fed[k] ? e->fed[k] : s->zero;
}

jexpr_ref jelement_drop(jgen* s, const jmodel_element* m, const jelement_flow* f) {
  jexpr_ref from = jelement_pressure_at(s, m, f->port[0]),
            to = jelement_pressure_at(s, m, f->port[1]);
  return jexpr_mark(s->g, jexpr_sub(s->g, from, to), "%s: drop", m->name);
}

jexpr_ref jelement_of_drop(jgen* s, const jmodel_scalar* text, const char* name, jexpr_ref dp,
                           jexpr_ref current) {
  jgen_push_local(s, "dp", dp);
  if (current) jgen_push_local(s, "current", current);
  jexpr_ref value = jgen_scalar(s, text, name);
  jgen_pop_local(s, current ? 2 : 1);
  return value;
}

// (P9)  the loss of what flows from 0 to 1: Q (eta(p_0) - eta(p_1))
void jelement_put_flow(jgen* s, const jmodel_element* m, const jelement_flow* f, jexpr_ref Q,
                       jexpr_ref dp, jgen_element* out) {
  jexpr_graph* g = s->g;
  jelement_oil_values oil = jelement_oil_at(s, f->port[0]);
  Q = jexpr_mark(g, Q, "%s: flow", m->name);
  jexpr_ref eta[2];
  for (int i = 0; i < 2; i++) {
    eta[i] = jelement_oil_enthalpy(s, &oil, jelement_pressure_at(s, m, f->port[i]));
  }
  out->signal[JELEMENT_DROP] = dp;
  out->signal[JELEMENT_FLOW] = Q;
  out->signal[JELEMENT_LOSS] = jexpr_mul(g, Q, jexpr_sub(g, eta[0], eta[1]));
  jgen_feed(s, f->port[0], JELEMENT_INFLOW, jexpr_neg(g, Q));
  jgen_feed(s, f->port[1], JELEMENT_INFLOW, Q);
}

jexpr_ref jelement_area_flow(jgen* s, const jmodel_element* m, jexpr_ref area, jexpr_ref dp) {
  const jelement_flow* f = m->data;
  jelement_oil_values oil = jelement_oil_at(s, f->port[0]);
  jexpr_ref Cd = f->has_discharge ? jgen_scalar(s, &f->discharge, m->name) : oil.Cd;
  return jelement_orifice_flow(s, &oil, Cd, area, dp);
}

void jelement_flow_write(jgen* s, const jmodel_element* m, jgen_element* out) {
  const jelement_flow* f = m->data;
  jexpr_ref dp = jelement_drop(s, m, f), area = JEXPR_POISON;
  jexpr_ref Q = f->law(s, m, dp, &area);
  if (area) out->signal[JELEMENT_AREA] = jexpr_mark(s->g, area, "%s: area", m->name);
  jelement_put_flow(s, m, f, Q, dp, out);
}
