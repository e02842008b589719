// SPDX-License-Identifier: Apache-2.0
// A force or torque on one coordinate. It is minus what the law gives (a spring pulls back), except for
// `torque`, which acts as given.
#include "element/data.h"
#include "element/list.h"

typedef jelement_coordinate_data on_coordinate;

static const jmodel_key keys[] = {{JMODEL_KEY_AS("on", jmodel_form_coordinate)},
                                  {JMODEL_KEY_NUMBER("stiffness")},
                                  {JMODEL_KEY_NUMBER("damping")},
                                  {JMODEL_KEY_NUMBER("free")},
                                  {JMODEL_KEY_NUMBER("preload")},
                                  {JMODEL_KEY_AS("spring", jmodel_form_table)},
                                  {JMODEL_KEY_AS("damper", jmodel_form_table)},
                                  {JMODEL_KEY_MAP("bump_stop", jelement_stop_at_keys)},
                                  {JMODEL_KEY_MAP("rebound_stop", jelement_stop_at_keys)},
                                  {JMODEL_KEY_NUMBER("force")},
                                  {JMODEL_KEY_NUMBER("torque")},
                                  {JMODEL_KEY_DESCRIPTION},
                                  {0}};

static const jmodel_field fields[] = {JELEMENT_LAW_FIELDS(on_coordinate)};

static bool read(const jmodel_at* at, const jmodel_node* map, jmodel_element* e) {
  on_coordinate* f = e->data;
  jelement_law_read(at, map, e->place, false, &f->law);
  e->coordinate = jmodel_coordinate_at(at, jmodel_node_find(map, "on"), "on");
  return e->coordinate >= 0;
}

static const char* unit(const jmodel* m, const jmodel_element* e, int component) {
  (void)component;
  return jelement_unit_on(m, e->coordinate);
}

static void write(jgen* s, const jmodel_element* m, jgen_element* e) {
  const jelement_law* law = &((const on_coordinate*)m->data)->law;
  jexpr_graph* g = s->g;
  int i = m->coordinate;
  e->signal[JELEMENT_LENGTH] = e->signal[JELEMENT_ANGLE] = s->q[i];
  if (s->stage < JGEN_AT_VELOCITY) return;
  e->signal[JELEMENT_RATE] = s->qd[i];
  jexpr_ref force = jexpr_neg(g, jelement_law_value(s, law, m->name, s->q[i], s->qd[i]));
  if (law->has_torque) {
    jexpr_ref torque = jelement_law_expression(s, &law->torque, m->name, s->q[i], s->qd[i]);
    force = jexpr_add(g, force, torque);
  }
  force = jgen_component(s, m, 0, jexpr_mark(g, force, "%s: force", m->name));
  e->signal[JELEMENT_FORCE] = force;
  e->signal[JELEMENT_POWER] = jexpr_mul(g, force, s->qd[i]);
  s->applied[i] = jexpr_add(g, s->applied[i], force);
}

const jgen_element_class jelement_coordinate = {
    .model = {.kind = "force",
              .section = "forces",
              .key = "on",
              .keys = keys,
              .about = "Springs, dampers, stops and torques on a coordinate",
              .size = sizeof(on_coordinate),
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
