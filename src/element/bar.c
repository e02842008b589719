// SPDX-License-Identifier: Apache-2.0
// An anti-roll bar: stiffness (q1 - q2) + damping (qd1 - qd2) between two coordinates.
#include "element/data.h"
#include "element/list.h"

typedef jelement_bar_data bar;

static const jmodel_key keys[] = {{JMODEL_KEY_LIST("bar", jmodel_form_coordinate, 2, 2)},
                                  {JMODEL_KEY_NUMBER("stiffness")},
                                  {JMODEL_KEY_NUMBER("damping")},
                                  {JMODEL_KEY_DESCRIPTION},
                                  {0}};

static const jmodel_field fields[] = {
    JMODEL_FIELD_IN(bar, "stiffness", stiffness, JMODEL_FINITE, "F/X"),
    JMODEL_GIVEN_IN(bar, "damping", damping, JMODEL_NOT_NEGATIVE, has_damping, "F s/X")};

static bool read(const jmodel_at* at, const jmodel_node* map, jmodel_element* e) {
  bar* f = e->data;
  const jmodel_node* ends = jmodel_node_find(map, "bar");
  jmodel_need_scalar(at, map, "stiffness", JMODEL_SCOPE_ANY, &f->stiffness);
  f->has_damping = jmodel_get_scalar(at, map, "damping", JMODEL_SCOPE_ANY, &f->damping);
  if (!jmodel_is(at, ends, JMODEL_NODE_LIST, "bar")) return false;
  if (ends->n != 2) {
    jmodel_mistake(at, ends->place, "bar needs 2 coordinates, got %d", ends->n);
    return false;
  }
  f->first = jmodel_coordinate_at(at, ends->first, "bar");
  f->second = jmodel_coordinate_at(at, ends->last, "bar");
  if (f->first < 0 || f->second < 0) return false;
  if (f->first != f->second) return true;
  jmodel_mistake(at, ends->place, "bar: both ends are coordinate '%s'",
                 at->r->m->coordinate[f->first].name);
  return false;
}

static const char* unit(const jmodel* m, const jmodel_element* e, int component) {
  (void)component;
  return jelement_unit_on(m, ((const bar*)e->data)->first);
}

static void write(jgen* s, const jmodel_element* m, jgen_element* e) {
  const bar* f = m->data;
  jexpr_graph* g = s->g;
  int i = f->first, j = f->second;
  jexpr_ref x = jexpr_sub(g, s->q[i], s->q[j]);
  e->signal[JELEMENT_LENGTH] = e->signal[JELEMENT_ANGLE] = x;
  if (s->stage < JGEN_AT_VELOCITY) return;
  jexpr_ref xd = e->signal[JELEMENT_RATE] = jexpr_sub(g, s->qd[i], s->qd[j]);
  jexpr_ref T = jexpr_mul(g, jgen_scalar(s, &f->stiffness, m->name), x);
  if (f->has_damping) {
    T = jexpr_add(g, T, jexpr_mul(g, jgen_scalar(s, &f->damping, m->name), xd));
  }
  jexpr_ref force = jexpr_mark(g, jexpr_neg(g, T), "%s: force", m->name);
  force = e->signal[JELEMENT_FORCE] = jgen_component(s, m, 0, force);
  e->signal[JELEMENT_POWER] = jexpr_mul(g, force, xd);
  s->applied[i] = jexpr_add(g, s->applied[i], force);
  s->applied[j] = jexpr_sub(g, s->applied[j], force);
}

const jgen_element_class jelement_bar = {
    .model = {.kind = "force",
              .section = "forces",
              .key = "bar",
              .keys = keys,
              .about = "Anti-roll bars between two coordinates",
              .size = sizeof(bar),
              .ncomponent = 1,
              .component = jelement_law_component,
              .unit = unit,
              .read = read,
              .mirrors = true,
              JELEMENT_FIELDS(fields)},
    .signal = jelement_law_signals,
    .nposition = JELEMENT_LAW_POSITIONS,
    .what = JELEMENT_LAW_WHAT,
    .write = write};
