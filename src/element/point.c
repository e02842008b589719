// SPDX-License-Identifier: Apache-2.0
// A force and a torque vector on a body at a point, in ground or body axes.
#include "element/data.h"
#include "element/list.h"
#include "element/load.h"

typedef jelement_point_data point_force;

static const char* const axes[] = {"ground", "body", NULL};

static const jmodel_key keys[] = {{JMODEL_KEY_AS("at", jmodel_form_body_point)},
                                  {JMODEL_KEY_AS("force", jmodel_form_vector)},
                                  {JMODEL_KEY_AS("torque", jmodel_form_vector)},
                                  {JMODEL_KEY_WORD("axes", axes)},
                                  {JMODEL_KEY_DESCRIPTION},
                                  {0}};

static bool read(const jmodel_at* at, const jmodel_node* map, jmodel_element* e) {
  point_force* f = e->data;
  const jmodel_node* where = jmodel_node_find(map, "at");
  const jmodel_node* in = jmodel_node_find(map, "axes");
  f->has_force = jmodel_get_v3(at, map, "force", JMODEL_SCOPE_ANY, &f->force);
  f->has_torque = jmodel_get_v3(at, map, "torque", JMODEL_SCOPE_ANY, &f->torque);
  if (!f->has_force && !f->has_torque) {
    jmodel_mistake(at, e->place, "it says no law; give 'force: [x, y, z]' or 'torque: [x, y, z]'");
  }
  f->in_body = in && jmodel_word_at(at, in, "axes", axes) == 1;
  jmodel_v3* both[] = {&f->force, &f->torque};
  for (int i = 0; i < 2; i++) {
    if (!(i == 0 ? f->has_force : f->has_torque)) continue;
    if (f->in_body) {
      jmodel_flip(at->r, map->in, both[i]);
    } else {
      jmodel_place_direction(at->r, map->in, both[i]);
    }
  }
  if (f->has_torque) jmodel_turn_round(at->r, map->in, &f->torque);
  if (!jmodel_body_point_at(at, where, "at", jmodel_format(at->r, "%s.at", at->path), &f->at)) {
    return false;
  }
  if (f->at.body != 0) return true;
  jmodel_mistake(at, where->place, "at: a force on the ground does nothing");
  return false;
}

static void write(jgen* s, const jmodel_element* m, jgen_element* e) {
  const point_force* f = m->data;
  jexpr_graph* g = s->g;
  int link = s->body[f->at.body].link;
  jexpr_v3 r = jgen_point_in_link(s, &f->at), force = jexpr_v3_zero(g), moment = force;
  if (f->has_force) force = jgen_vector(s, &f->force, m->name);
  if (f->has_torque) moment = jgen_vector(s, &f->torque, m->name);
  if (f->in_body) {
    force = jexpr_m3_tapply(g, &s->body[f->at.body].E, force);
    moment = jexpr_m3_tapply(g, &s->body[f->at.body].E, moment);
  } else {
    force = jgen_from_ground(s, link, force);
    moment = jgen_from_ground(s, link, moment);
  }
  jgen_apply(s, link, r, force);
  jgen_turn(s, link, moment);
  jgen_absolute_motion(s, s->dyn, true, link);
  jexpr_v3 v = jgen_from_ground(s, link, jgen_ground_velocity(s, link, r));
  e->signal[JELEMENT_FORCE] = jexpr_v3_norm(g, force);
  e->signal[JELEMENT_POWER] =
      jexpr_add(g, jexpr_v3_dot(g, force, v), jexpr_v3_dot(g, moment, s->dyn[link].w));
}

static int draw(const jmodel_element* m, jmodel_shape* out) {
  const point_force* f = m->data;
  out[0] = (jmodel_shape){.kind = JMODEL_SHAPE_POINT, .a = &f->at};
  return 1;
}

static bool follows(const jmodel_element* m, int body) {
  return ((const point_force*)m->data)->at.body == body;
}

const jgen_element_class jelement_point = {
    .model = {.kind = "force",
              .section = "forces",
              .key = "at",
              .keys = keys,
              .about = "Forces and torques on a body at a point",
              .size = sizeof(point_force),
              JELEMENT_ONE_FORCE(jelement_law_component),
              .read = read,
              .mirrors = true,
              .draw = draw,
              .follows = follows},
    .signal = jelement_law_signals,
    .what = JELEMENT_LAW_WHAT,
    .write = write};

bool jelement_load_make(jarena* a, const char* name, const jmodel_point* at, const jmodel_v3* force,
                        const jmodel_v3* torque, int component, jmodel_element* out) {
  point_force* f = JARENA_ARRAY(a, 1, point_force);
  if (!f) return false;
  *f = (point_force){
      .at = *at, .force = *force, .torque = *torque, .has_force = true, .has_torque = true};
  *out = (jmodel_element){.class = &jelement_point.model,
                          .name = name,
                          .first_component = component,
                          .coordinate = -1,
                          .data = f};
  return true;
}
