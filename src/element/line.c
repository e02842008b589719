// SPDX-License-Identifier: Apache-2.0
// A force along the line between two points, tension positive: springs, dampers, struts.
#include "element/data.h"
#include "element/list.h"
#include "element/span.h"

typedef jelement_line_data line;

static const jmodel_key keys[] = {{JMODEL_KEY_LIST("between", jmodel_form_body_point, 2, 2)},
                                  {JMODEL_KEY_NUMBER("stiffness")},
                                  {JMODEL_KEY_NUMBER("damping")},
                                  {JMODEL_KEY_NUMBER("free_length")},
                                  {JMODEL_KEY_NUMBER("preload")},
                                  {JMODEL_KEY_AS("spring", jmodel_form_table)},
                                  {JMODEL_KEY_AS("damper", jmodel_form_table)},
                                  {JMODEL_KEY_MAP("bump_stop", jelement_stop_keys)},
                                  {JMODEL_KEY_MAP("rebound_stop", jelement_stop_keys)},
                                  {JMODEL_KEY_NUMBER("force")},
                                  {JMODEL_KEY_DESCRIPTION},
                                  {0}};

static const jmodel_field fields[] = {JELEMENT_LAW_FIELDS(line)};

static bool read(const jmodel_at* at, const jmodel_node* map, jmodel_element* e) {
  line* f = e->data;
  const jmodel_node* ends = jmodel_node_find(map, "between");
  jelement_law_read(at, map, e->place, true, &f->law);
  return jelement_read_ends(at, ends, "between", &f->ends);
}

static void write(jgen* s, const jmodel_element* m, jgen_element* e) {
  const line* f = m->data;
  jexpr_graph* g = s->g;
  jelement_span p = jelement_span_of(s, m, &f->ends, e);
  e->signal[JELEMENT_LENGTH] = e->signal[JELEMENT_ANGLE] = p.length;
  e->signal[JELEMENT_RATE] = p.rate;
  if (s->stage < JGEN_AT_VELOCITY) return;
  jexpr_ref force = jelement_law_value(s, &f->law, m->name, p.length, p.rate);
  force = jgen_component(s, m, 0, jexpr_mark(g, force, "%s: force", m->name));
  e->signal[JELEMENT_FORCE] = force;
  e->signal[JELEMENT_POWER] = jexpr_neg(g, jexpr_mul(g, force, p.rate));
  jelement_span_pull(s, &p, force);
}

const jgen_element_class jelement_line = {
    .model = {.kind = "force",
              .section = "forces",
              .key = "between",
              .keys = keys,
              .about = "Springs, dampers, stops and forces between two points",
              .size = sizeof(line),
              JELEMENT_ONE_FORCE(jelement_law_component),
              .read = read,
              .mirrors = true,
              JELEMENT_FIELDS(fields),
              .draw = jelement_draw_line,
              .follows = jelement_ends_follow},
    .signal = jelement_law_signals,
    .nposition = JELEMENT_LAW_POSITIONS,
    .what = JELEMENT_LAW_WHAT,
    .write = write};
