// SPDX-License-Identifier: Apache-2.0
// `closures:` of loops: what they join, checked to be on two bodies.
#include "model/read/reader.h"

static const char* const closure_names[] = {
#define X(id, name, ...) name,
#include "model/closure.def"
#undef X
    NULL};

static const jmodel_key line_keys[] = {{JMODEL_KEY_AS("point", jmodel_form_body_point)},
                                       {JMODEL_KEY_AS("direction", jmodel_form_direction)},
                                       {JMODEL_KEY_AS("from", jmodel_form_body_point)},
                                       {JMODEL_KEY_AS("to", jmodel_form_body_point)},
                                       {0}};
static const jmodel_key plane_keys[] = {{JMODEL_KEY_AS("point", jmodel_form_body_point)},
                                        {JMODEL_KEY_AS("normal", jmodel_form_direction)},
                                        {0}};

// Of all types; which of them a type has follows from its class.
enum { TYPE, A, B, LINE, PLANE, POINT, AXIS_A, AXIS_B, LENGTH, DESCRIPTION, NKEY };
static const jmodel_key closure_keys[] = {
    [TYPE] = {JMODEL_KEY_WORD("type", closure_names)},
    // points; or directions, where these are joined
    [A] = {.name = "a", .is = JMODEL_A_TEXT | JMODEL_A_MAP, .keys = jmodel_between_keys},
    [B] = {.name = "b", .is = JMODEL_A_TEXT | JMODEL_A_MAP, .keys = jmodel_between_keys},
    [LINE] = {JMODEL_KEY_MAP("line", line_keys)},
    [PLANE] = {JMODEL_KEY_MAP("plane", plane_keys)},
    [POINT] = {JMODEL_KEY_AS("point", jmodel_form_body_point)},
    [AXIS_A] = {JMODEL_KEY_AS("axis_a", jmodel_form_direction)},
    [AXIS_B] = {JMODEL_KEY_AS("axis_b", jmodel_form_direction)},
    [LENGTH] = {JMODEL_KEY_NUMBER("length"), .unit = "m"},
    [DESCRIPTION] = {JMODEL_KEY_DESCRIPTION},
    [NKEY] = {0}};
static const jmodel_key closure_form = {.is = JMODEL_A_MAP, .keys = closure_keys};
const jmodel_key jmodel_section_closures = {JMODEL_KEY_SECTION("closures", closure_form),
                                            .about = "What closes loops"};

static void check_keys(const jmodel_at* at, const jmodel_node* node,
                       const jmodel_closure_class* class_) {
  static const int ends[][2] = {[JMODEL_ENDS_POINTS] = {A, B},
                                [JMODEL_ENDS_LINE] = {LINE, POINT},
                                [JMODEL_ENDS_PLANE] = {PLANE, POINT},
                                [JMODEL_ENDS_VECTORS] = {A, B}};
  const int* end = ends[class_->ends];
  const char* names[NKEY + 1] = {closure_keys[TYPE].name, closure_keys[end[0]].name,
                                 closure_keys[end[1]].name};
  int n = 3;
  if (class_->axes != JMODEL_NO_AXES) names[n++] = closure_keys[AXIS_A].name;
  if (class_->axes == JMODEL_AXES) names[n++] = closure_keys[AXIS_B].name;
  if (class_->conditions & JMODEL_APART) names[n++] = closure_keys[LENGTH].name;
  names[n] = closure_keys[DESCRIPTION].name;
  jmodel_check_names(at, node, names);
}

static bool need_point(const jmodel_at* at, const jmodel_node* map, const char* key,
                       jmodel_point* out) {
  const jmodel_node* node = jmodel_need(at, map, key);
  if (!node) return false;
  return jmodel_body_point_at(at, node, key, jmodel_format(at->r, "%s.%s", at->path, key), out);
}

// A direction of `body` when the text does not name one; body -1: it must.
static bool need_vector(const jmodel_at* at, const jmodel_node* map, const char* key, int body,
                        jmodel_vector* out) {
  const jmodel_node* node = jmodel_need(at, map, key);
  if (!node) return false;
  const char* path = jmodel_format(at->r, "%s.%s", at->path, key);
  if (body < 0) return jmodel_body_vector_at(at, node, key, path, out);
  if (!jmodel_vector_at(at, node, key, path, out)) return false;
  if (out->body < 0) out->body = body;
  if (out->body == body) return true;
  jmodel_mistake(at, node->place, "%s must be a direction of body '%s'", key,
                 at->r->m->body[body].name);
  return false;
}

// line: {point: P, direction: v} or {from: P, to: Q}
static bool read_line(const jmodel_at* at, const jmodel_node* map, jmodel_closure* c) {
  const jmodel_node* line = jmodel_need(at, map, "line");
  if (!line || !jmodel_is(at, line, JMODEL_NODE_MAP, "line")) return false;
  jmodel_at inner = *at;
  inner.path = jmodel_format(at->r, "%s.line", at->path);
  if (!jmodel_node_find(line, "from") && !jmodel_node_find(line, "to")) {
    jmodel_check_keys(at, line, line_keys);
    return need_point(&inner, line, "point", &c->a) &&
           need_vector(&inner, line, "direction", c->a.body, &c->u);
  }
  if (!need_point(&inner, line, "from", &c->a)) return false;
  if (!jmodel_vector_at(&inner, line, "line", inner.path, &c->u)) return false;
  return true;
}

// plane: {point: P, normal: n}
static bool read_plane(const jmodel_at* at, const jmodel_node* map, jmodel_closure* c) {
  const jmodel_node* plane = jmodel_need(at, map, "plane");
  if (!plane || !jmodel_is(at, plane, JMODEL_NODE_MAP, "plane")) return false;
  jmodel_at inner = *at;
  inner.path = jmodel_format(at->r, "%s.plane", at->path);
  jmodel_check_keys(at, plane, plane_keys);
  return need_point(&inner, plane, "point", &c->a) &&
         need_vector(&inner, plane, "normal", c->a.body, &c->u);
}

static bool read_vectors(const jmodel_at* at, const jmodel_node* map, jmodel_closure* c) {
  bool has_a = need_vector(at, map, "a", -1, &c->u);
  if (!need_vector(at, map, "b", -1, &c->v) || !has_a) return false;
  c->a = jmodel_origin(at->r, c->u.body, c->place);
  c->b = jmodel_origin(at->r, c->v.body, c->place);
  return true;
}

static bool read_ends(const jmodel_at* at, const jmodel_node* map, jmodel_closure_ends ends,
                      jmodel_closure* c) {
  if (ends == JMODEL_ENDS_VECTORS) return read_vectors(at, map, c);
  bool has_a = ends == JMODEL_ENDS_LINE    ? read_line(at, map, c)
               : ends == JMODEL_ENDS_PLANE ? read_plane(at, map, c)
                                           : need_point(at, map, "a", &c->a);
  const char* b = ends == JMODEL_ENDS_POINTS ? "b" : "point";
  return need_point(at, map, b, &c->b) && has_a;
}

static bool read_axes(const jmodel_at* at, const jmodel_node* node, jmodel_closure_axes axes,
                      jmodel_closure* c) {
  if (axes == JMODEL_NO_AXES) return true;
  if (!need_vector(at, node, "axis_a", c->a.body, &c->u)) return false;
  return axes == JMODEL_AXIS_A || need_vector(at, node, "axis_b", c->b.body, &c->v);
}

static bool read_closure(const jmodel_at* at, const jmodel_node* node, jmodel_closure* c) {
  if (!jmodel_is(at, node, JMODEL_NODE_MAP, "it")) return false;
  const jmodel_node* type = jmodel_need(at, node, "type");
  int t = type ? jmodel_word_at(at, type, "type", closure_names) : -1;
  if (t < 0) return false;
  c->type = (jmodel_closure_type)t;
  const jmodel_closure_class* class_ = jmodel_closure_class_of(c->type);
  check_keys(at, node, class_);
  c->u = c->v = (jmodel_vector){"", 0, true, jmodel_unit(-1, c->place)};
  c->length = jmodel_constant("0", c->place);
  if (!read_ends(at, node, class_->ends, c)) return false;
  if (c->a.body == c->b.body) {
    jmodel_mistake(at, c->place, "both sides are on body '%s'", at->r->m->body[c->a.body].name);
    return false;
  }
  if (class_->conditions & JMODEL_APART) {
    c->has_length = jmodel_get_scalar(at, node, "length", JMODEL_SCOPE_PARAMETERS, &c->length);
  }
  return read_axes(at, node, class_->axes, c);
}

void jmodel_read_closures(jmodel_reader* r, const jmodel_node* root) {
  const jmodel_node* section = jmodel_section(r, root, "closures");
  if (!section) return;
  r->m->closure = JMODEL_ARRAY(r, section->n, jmodel_closure);
  for (const jmodel_node* c = section->first; c && r->m->closure; c = c->next) {
    jmodel_at at = {r, "closure", jmodel_keep(r, c->key), jmodel_format(r, "closures.%s", c->key)};
    jmodel_closure* closure = &r->m->closure[r->m->nclosure];
    *closure = (jmodel_closure){.name = at.name, .place = c->key_place};
    if (jmodel_name_ok(&at, c) && read_closure(&at, c, closure)) r->m->nclosure++;
  }
}
