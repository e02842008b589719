// SPDX-License-Identifier: Apache-2.0
// References: from what users write ("chassis.P12", "P12", "y", [0, 1, 0], {from: ..., to: ...}) to
// bodies, points, directions, tables and coordinates of the model.
#include <string.h>

#include "model/template/instance.h"

int jmodel_find_body(const jmodel* m, const char* name) {
  return jindex_find(&m->names, JMODEL_NAMES_BODY, name, strlen(name));
}

int jmodel_find_coordinate(const jmodel* m, const char* name) {
  return jindex_find(&m->names, JMODEL_NAMES_COORDINATE, name, strlen(name));
}

bool jmodel_index_parameters(jmodel* m, jarena* a) {
  m->parameters = jindex_of(a);
  for (int i = 0; i < m->nparameter; i++) {
    const char* name = m->parameter[i].name;
    if (!jindex_put(&m->parameters, 0, name, strlen(name), i)) return false;
  }
  return true;
}

bool jmodel_index_signals(jmodel* m, jarena* a) {
  m->signals = jindex_of(a);
  for (int i = 0; i < m->nsignal; i++) {
    const char* name = m->signal[i].name;
    if (!jindex_put(&m->signals, 0, name, strlen(name), i)) return false;
  }
  return true;
}

// ---- numbers

// What is left of a path as the file is written: of "parameters.k" the name, of "initial.z.value" and of "com[1]" what is
// before, with the index.
typedef struct written_path {
  const char* text;
  size_t n;
  bool is_parameter;
  int index;  // -1: none
} written_path;

static written_path shorten(const char* path) {
  static const char* const section[] = {"parameters.", "inputs."};
  static const char value[] = ".value";
  written_path w = {.text = path, .index = -1};
  for (int i = 0; i < 2; i++) {
    if (strncmp(path, section[i], strlen(section[i])) != 0) continue;
    w.text = path + strlen(section[i]);
    w.is_parameter = true;
  }
  w.n = strlen(w.text);
  if (w.n > strlen(value) && strcmp(w.text + w.n - strlen(value), value) == 0) w.n -= strlen(value);
  const char* end = w.text + w.n;
  if (w.n > 3 && end[-3] == '[' && end[-2] >= '0' && end[-2] <= '5' && end[-1] == ']') {
    w.index = end[-2] - '0';
    w.n -= 3;
  }
  return w;
}

static bool is_written_so(const jmodel_number* k, const written_path* w) {
  static const char* const vector[] = {"x", "y", "z", "", "", ""};
  static const char* const tensor[] = {"xx", "yy", "zz", "xy", "xz", "yz"};
  static const char inertia[] = ".inertia";
  if (strncmp(k->path, w->text, w->n) != 0 || (w->is_parameter && !k->is_parameter)) return false;
  const char* rest = k->path + w->n;
  if (w->index < 0) return !*rest;
  bool is_tensor =
      w->n > strlen(inertia) && strncmp(rest - strlen(inertia), inertia, strlen(inertia)) == 0;
  return *rest == '.' && strcmp(rest + 1, (is_tensor ? tensor : vector)[w->index]) == 0;
}

int jmodel_find_number(const jmodel* m, const char* path) {
  for (int i = 0; i < m->nnumber; i++) {
    const jmodel_number* k = &m->number[i];
    if (strcmp(k->path, path) == 0 || (k->also && strcmp(k->also, path) == 0)) return i;
  }
  written_path w = shorten(path);
  for (int i = 0; i < m->nnumber && w.n < strlen(path); i++) {
    if (is_written_so(&m->number[i], &w)) return i;
  }
  return -1;
}

static const jmodel_parameter* find_computed(const jmodel* m, const char* name) {
  for (int i = 0; i < m->nparameter; i++) {
    const jmodel_parameter* p = &m->parameter[i];
    if (strcmp(p->name, name) == 0 && p->value.number < 0) return p;
  }
  return NULL;
}

const jmodel_image* jmodel_find_image(const jmodel* m, const char* path, const char** rest) {
  static const char section[] = "instances.";
  if (strncmp(path, section, strlen(section)) != 0) return NULL;
  const char* name = path + strlen(section);
  for (int i = 0; i < m->nimage; i++) {
    size_t n = strlen(m->image[i].name);
    if (strncmp(name, m->image[i].name, n) != 0) continue;
    *rest = name + n;
    if (strncmp(*rest, ".at.", 4) == 0 || strcmp(*rest, ".turn") == 0) return &m->image[i];
  }
  return NULL;
}

jo_status jmodel_number_named(jo_context* ctx, const jmodel* m, const char* name, int* out) {
  int number = jmodel_find_number(m, name);
  if (number >= 0) {
    *out = number;
    return JO_OK;
  }
  const jmodel_parameter* p = find_computed(m, name);
  if (p) {
    return jerr_set(
        ctx, JO_ERR_ARGUMENT,
        "%s:%d: parameter '%s' is computed (%s); choose one it depends on, or give it a "
        "value with --set",
        p->value.place.file, p->value.place.line, name, p->value.text ? p->value.text : "");
  }
  const char* rest;
  const jmodel_image* image = jmodel_find_image(m, name, &rest);
  if (image) {
    return jerr_set(ctx, JO_ERR_ARGUMENT,
                    "%s: '%.80s': '%s' is the mirror image of '%s' and has its place; use "
                    "'instances.%s%s', which moves both",
                    m->path, name, image->name, image->of, image->of, rest);
  }
  size_t length = strlen(name);
  bool is_place =
      strncmp(name, "instances.", 10) == 0 && length > 5 &&
      (strcmp(name + length - 5, ".turn") == 0 || strncmp(name + length - 5, ".at.", 4) == 0);
  if (is_place) {
    return jerr_set(ctx, JO_ERR_ARGUMENT,
                    "%s: '%.80s' is not in the file; what an instance leaves out of its place is "
                    "zero: write it there ('at: [0, 0, 0]' or 'turn: 0') for derivatives with "
                    "respect to it",
                    m->path, name);
  }
  if (strncmp(name, "templates.", 10) == 0 || strncmp(name, "instances.", 10) == 0) {
    return jerr_set(ctx, JO_ERR_ARGUMENT,
                    "%s: '%.80s' is what instances are made of, not a value of the model; use the "
                    "values of the instances, as 'hardpoints.INSTANCE.NAME.x', or a parameter of "
                    "the model",
                    m->path, name);
  }
  jmodel_guess guess = jmodel_guess_begin(name);
  for (int i = 0; i < m->nnumber; i++) {
    jmodel_guess_add(&guess, m->number[i].path);
  }
  return jerr_set(ctx, JO_ERR_ARGUMENT, "%s: no parameter or number is named '%.80s'%s%s%s",
                  m->path, name, guess.best ? "; did you mean '" : "", guess.best ? guess.best : "",
                  guess.best ? "'?" : "");
}

static const jmodel_named_v3* find_named(const jmodel_named_v3* list, int n, const char* name) {
  for (int i = 0; i < n; i++) {
    if (strcmp(list[i].name, name) == 0) return &list[i];
  }
  return NULL;
}

static bool is_hardpoint(const jmodel_named_v3* h, const char* scope, size_t nscope,
                         const char* name, size_t n) {
  size_t own = strlen(h->name);
  return own == nscope + n && memcmp(h->name, scope, nscope) == 0 &&
         memcmp(h->name + nscope, name, n) == 0;
}

const jmodel_named_v3* jmodel_find_hardpoint(const jmodel* m, int body, const char* name,
                                             size_t n) {
  // "front.left.upright": front.left.P, front.P, P
  const char* scope = m->body[body].name;
  size_t nscope = strlen(scope);
  for (;;) {
    while (nscope > 0 && scope[nscope - 1] != '.') {
      nscope--;
    }
    int i = nscope == 0 ? jindex_find(&m->names, JMODEL_NAMES_HARDPOINT, name, n) : -1;
    if (i >= 0) return &m->hardpoint[i];
    for (i = nscope == 0 ? m->nread_hardpoint : 0; i < m->nhardpoint; i++) {
      if (is_hardpoint(&m->hardpoint[i], scope, nscope, name, n)) return &m->hardpoint[i];
    }
    if (nscope == 0) return NULL;
    nscope--;
  }
}

bool jmodel_is_vehicle_frame(const jmodel* m, int body) {
  return body == 0 || !m->body[body].has_frame;
}

// ---- bodies, tables, coordinates

static int body_named(const jmodel_at* at, jmodel_place place, const char* name,
                      const char* label) {
  const jmodel* m = at->r->m;
  int body = jmodel_find_body(m, name);
  if (body >= 0) return body;
  jmodel_guess guess = jmodel_guess_begin(name);
  for (int i = 0; i < m->nbody; i++) {
    jmodel_guess_add(&guess, m->body[i].name);
  }
  jmodel_mistake(at, place, "%s: there is no body '%.60s'%s", label, name,
                 jmodel_guess_hint(at->r, &guess));
  return -1;
}

// A name as the model has it.
static const char* name_at(const jmodel_at* at, const jmodel_node* node) {
  return jmodel_full_name(at->r, node->in, node->text);
}

int jmodel_body_at(const jmodel_at* at, const jmodel_node* node, const char* label) {
  if (!jmodel_is(at, node, JMODEL_NODE_TEXT, label)) return -1;
  return body_named(at, node->place, name_at(at, node), label);
}

int jmodel_table_at(const jmodel_at* at, const jmodel_node* node, const char* label) {
  const jmodel* m = at->r->m;
  if (!jmodel_is(at, node, JMODEL_NODE_TEXT, label)) return -1;
  const char* name = name_at(at, node);
  jmodel_guess guess = jmodel_guess_begin(name);
  for (int i = 0; i < m->ntable; i++) {
    bool is_it = strcmp(m->table[i].name, name) == 0;
    if (is_it && m->table[i].ny > 0) {
      jmodel_mistake(at, node->place, "%s: table '%.60s' is one of two variables", label, name);
      return -1;
    }
    if (is_it) return i;
    jmodel_guess_add(&guess, m->table[i].name);
  }
  jmodel_mistake(at, node->place, "%s: there is no table '%.60s'%s", label, name,
                 jmodel_guess_hint(at->r, &guess));
  return -1;
}

static bool is_of_attitude(const jmodel* m, const char* name, int coordinate) {
  int k;
  if (coordinate < 0) return jmodel_find_attitude(m, name, strlen(name), &k) >= 0;
  const jmodel_coordinate* c = &m->coordinate[coordinate];
  return m->joint[c->joint].is_any && c->is_angle;
}

int jmodel_coordinate_at(const jmodel_at* at, const jmodel_node* node, const char* label) {
  const jmodel* m = at->r->m;
  if (!jmodel_is(at, node, JMODEL_NODE_TEXT, label)) return -1;
  const char* name = name_at(at, node);
  int found = jmodel_find_coordinate(m, name);
  if (is_of_attitude(m, name, found)) {
    jmodel_mistake(
        at, node->place,
        "%s: '%.60s' is no coordinate to act on, since its joint takes any attitude; act "
        "at points, or choose an order of its angles in place of 'angles: any'",
        label, name);
    return -1;
  }
  if (found >= 0 || at->r->joints_incomplete) return found;
  jmodel_guess guess = jmodel_guess_begin(name);
  for (int i = 0; i < m->ncoordinate; i++) {
    jmodel_guess_add(&guess, m->coordinate[i].name);
  }
  for (int i = 0; i < m->njoint; i++) {
    const jmodel_joint* j = &m->joint[i];
    if (strcmp(j->name, name) != 0 || j->ncoordinate < 2) continue;
    jmodel_mistake(at, node->place, "%s: joint '%s' has %d coordinates; choose one, as '%s'", label,
                   j->name, j->ncoordinate, m->coordinate[j->first_coordinate].name);
    return -1;
  }
  jmodel_mistake(at, node->place, "%s: there is no coordinate '%.60s'%s", label, name,
                 jmodel_guess_hint(at->r, &guess));
  return -1;
}

// ---- points

jmodel_point jmodel_origin(jmodel_reader* r, int body, jmodel_place place) {
  const char* name = jmodel_format(r, "%s.origin", r->m->body[body].name);
  return (jmodel_point){name, body, false, jmodel_unit(-1, place)};
}

static void no_point(const jmodel_at* at, jmodel_place place, const char* label, int body,
                     const char* name) {
  const jmodel* m = at->r->m;
  const char* owner = body >= 0 ? m->body[body].name : NULL;
  jmodel_guess guess = jmodel_guess_begin(name);
  for (int i = 0; body >= 0 && i < m->body[body].npoint; i++) {
    jmodel_guess_add(&guess, m->body[body].point[i].name);
  }
  for (int i = 0; i < m->nhardpoint; i++) {
    jmodel_guess_add(&guess, m->hardpoint[i].name);
  }
  const char* hint = jmodel_guess_hint(at->r, &guess);
  if (owner) {
    jmodel_mistake(at, place, "%s: neither body '%s' nor the hardpoints have a point '%.60s'%s",
                   label, owner, name, hint);
  } else {
    jmodel_mistake(at, place, "%s: there is no hardpoint '%.60s'%s", label, name, hint);
  }
}

// "body.point" apart: the body, and what follows its dot in *rest. Names of bodies and points may have dots of their
// own, that of one body is never the beginning of another's.
static int split_body(const jmodel_at* at, const jmodel_node* node, const char* label,
                      const char** rest) {
  const jmodel* m = at->r->m;
  const char* text = name_at(at, node);
  for (const char* dot = strchr(text, '.'); dot; dot = strchr(dot + 1, '.')) {
    *rest = dot + 1;
    int body = jindex_find(&m->names, JMODEL_NAMES_BODY, text, (size_t)(dot - text));
    if (body >= 0) return body;
  }
  // inside of an instance the names of the template tell more
  const char* dot = strrchr(text, '.');
  if (!node->in) dot = strchr(text, '.');
  return body_named(at, node->place, jmodel_format(at->r, "%.*s", (int)(dot - text), text), label);
}

// Is the body part of the instance?
static bool is_part(const jmodel_reader* r, int body, const jmodel_instance* in) {
  const jmodel_instance* owner = r->body_in[body];
  while (owner && owner != in) {
    owner = owner->outer;
  }
  return owner == in;
}

// A point or vector that a body from outside has: mirror images mean its mirror image.
static void flip_foreign(jmodel_reader* r, const jmodel_instance* in, int body, jmodel_v3* v) {
  if (!in || is_part(r, body, in)) return;
  jmodel_flip(r, r->body_in[body], v);
  jmodel_flip(r, in, v);
}

static bool point_of_body(const jmodel_at* at, const jmodel_node* node, const char* label,
                          jmodel_point* out) {
  const jmodel* m = at->r->m;
  const char* name;
  int body = split_body(at, node, label, &name);
  if (body < 0) return false;
  const jmodel_body* b = &m->body[body];
  *out = (jmodel_point){jmodel_keep(at->r, name_at(at, node)), body, false, {{{0}}}};
  int k = jindex_find(&m->names, JMODEL_NAMES_POINT + body, name, strlen(name));
  const jmodel_named_v3* own = k < 0 ? NULL : &b->point[k];
  const jmodel_named_v3* hard = own ? NULL : jmodel_find_hardpoint(m, body, name, strlen(name));
  if (own) {
    out->r = own->value;
    flip_foreign(at->r, node->in, body, &out->r);
  } else if (strcmp(name, "origin") == 0) {
    out->r = jmodel_unit(-1, node->place);
  } else if (strcmp(name, "com") == 0 && body > 0) {
    out->r = b->com;
    out->in_vehicle = b->com_in_vehicle;
    if (!b->com_in_vehicle) flip_foreign(at->r, node->in, body, &out->r);
  } else if (hard) {
    out->r = hard->value;
    out->in_vehicle = true;
  } else {
    no_point(at, node->place, label, body, name);
    return false;
  }
  return true;
}

bool jmodel_point_at(const jmodel_at* at, const jmodel_node* node, const char* label,
                     const char* path, jmodel_point* out) {
  const jmodel* m = at->r->m;
  *out = (jmodel_point){"", -1, true, jmodel_unit(-1, node->place)};
  if (node->kind == JMODEL_NODE_LIST) {
    out->name = jmodel_keep(at->r, path);
    out->r = jmodel_v3_at(at, node, label, path, JMODEL_SCOPE_PARAMETERS);
    jmodel_place_point(at->r, node->in, &out->r);
    return true;
  }
  if (node->kind != JMODEL_NODE_TEXT) {
    jmodel_mistake(at, node->place, "%s needs a point: body.point, a hardpoint or [x, y, z]",
                   label);
    return false;
  }
  const char* name = name_at(at, node);
  int k = jindex_find(&m->names, JMODEL_NAMES_HARDPOINT, name, strlen(name));
  const jmodel_named_v3* hard = k < 0 ? NULL : &m->hardpoint[k];
  if (!hard && strchr(name, '.')) return point_of_body(at, node, label, out);
  if (!hard) {
    no_point(at, node->place, label, -1, name);
    return false;
  }
  out->name = hard->name;
  out->r = hard->value;
  return true;
}

bool jmodel_body_point_at(const jmodel_at* at, const jmodel_node* node, const char* label,
                          const char* path, jmodel_point* out) {
  if (!jmodel_point_at(at, node, label, path, out)) return false;
  if (out->body >= 0) return true;
  jmodel_mistake(at, node->place, "%s: the body is missing; write body.point", label);
  return false;
}

// ---- directions

static bool vector_of_body(const jmodel_at* at, const jmodel_node* node, const char* label,
                           jmodel_vector* out) {
  const jmodel* m = at->r->m;
  const char* name;
  int body = split_body(at, node, label, &name);
  if (body < 0) return false;
  const jmodel_body* b = &m->body[body];
  const jmodel_named_v3* own = find_named(b->vector, b->nvector, name);
  *out = (jmodel_vector){jmodel_keep(at->r, name_at(at, node)), body, false, {{{0}}}};
  if (own) {
    out->v = own->value;
    flip_foreign(at->r, node->in, body, &out->v);
    return true;
  }
  if (name[0] >= 'x' && name[0] <= 'z' && !name[1]) {
    out->v = jmodel_unit(name[0] - 'x', node->place);
    jmodel_flip(at->r, node->in, &out->v);
    return true;
  }
  jmodel_guess guess = jmodel_guess_begin(name);
  for (int i = 0; i < b->nvector; i++) {
    jmodel_guess_add(&guess, b->vector[i].name);
  }
  jmodel_mistake(at, node->place, "%s: body '%s' has no vector '%.60s'%s", label, b->name, name,
                 jmodel_guess_hint(at->r, &guess));
  return false;
}

// A scalar as part of an expression: numbers go by their path, so that derivatives see them.
static const char* scalar_text(jmodel_reader* r, const jmodel_scalar* s) {
  return s->text ? jmodel_format(r, "(%s)", s->text) : s->path;
}

static jmodel_v3 difference(jmodel_reader* r, const jmodel_v3* to, const jmodel_v3* from,
                            const char* path, jmodel_place place) {
  static const char* const xyz[] = {"x", "y", "z"};
  jmodel_v3 v;
  for (int i = 0; i < 3; i++) {
    const char* text =
        jmodel_format(r, "%s - %s", scalar_text(r, &to->e[i]), scalar_text(r, &from->e[i]));
    v.e[i] = (jmodel_scalar){text, -1, jmodel_format(r, "%s.%s", path, xyz[i]), place};
  }
  return v;
}

static bool is_same(const jmodel* m, const jmodel_v3* a, const jmodel_v3* b) {
  for (int i = 0; i < 3; i++) {
    double x, y;
    if (!jmodel_literal(m, &a->e[i], &x) || !jmodel_literal(m, &b->e[i], &y) || x != y) {
      return false;
    }
  }
  return true;
}

// {from: P, to: Q}: both in the same coordinates.
static bool vector_between(const jmodel_at* at, const jmodel_node* node, const char* label,
                           const char* path, jmodel_vector* out) {
  jmodel_reader* r = at->r;
  jmodel_check_keys(at, node, jmodel_between_keys);
  const jmodel_node* a = jmodel_need(at, node, "from");
  const jmodel_node* b = jmodel_need(at, node, "to");
  jmodel_point from, to;
  if (!a || !b) return false;
  if (!jmodel_point_at(at, a, "from", jmodel_format(r, "%s.from", path), &from)) return false;
  if (!jmodel_point_at(at, b, "to", jmodel_format(r, "%s.to", path), &to)) return false;
  int body = from.body >= 0 ? from.body : to.body;
  bool other_body = from.body >= 0 && to.body >= 0 && from.body != to.body;
  if (other_body || from.in_vehicle != to.in_vehicle) {
    jmodel_mistake(at, node->place,
                   "%s: 'from' and 'to' must be points of one body, or both hardpoints", label);
    return false;
  }
  if (is_same(r->m, &from.r, &to.r)) {
    jmodel_mistake(at, node->place, "%s: 'from' and 'to' are the same place", label);
    return false;
  }
  *out = (jmodel_vector){jmodel_format(r, "%s to %s", from.name, to.name), body, from.in_vehicle,
                         difference(r, &to.r, &from.r, path, node->place)};
  return true;
}

static bool is_zero(const jmodel* m, const jmodel_v3* v) {
  for (int i = 0; i < 3; i++) {
    double x;
    if (!jmodel_literal(m, &v->e[i], &x) || x != 0.0) return false;
  }
  return true;
}

bool jmodel_axis_word(jmodel_reader* r, const jmodel_node* node, jmodel_v3* out) {
  if (node->kind != JMODEL_NODE_TEXT) return false;
  bool is_opposite = node->text[0] == '-';
  const char* axis = node->text + (is_opposite ? 1 + strspn(node->text + 1, " ") : 0);
  if (axis[0] < 'x' || axis[0] > 'z' || axis[1]) return false;
  int k = axis[0] - 'x';
  *out = jmodel_unit(k, node->place);
  if (is_opposite) out->e[k] = jmodel_negative(r, &out->e[k]);
  return true;
}

static bool any_vector_at(const jmodel_at* at, const jmodel_node* node, const char* label,
                          const char* path, jmodel_vector* out) {
  *out = (jmodel_vector){"", -1, true, jmodel_unit(-1, node->place)};
  if (node->kind == JMODEL_NODE_MAP) return vector_between(at, node, label, path, out);
  if (node->kind == JMODEL_NODE_LIST) {
    out->name = jmodel_keep(at->r, path);
    out->v = jmodel_v3_at(at, node, label, path, JMODEL_SCOPE_PARAMETERS);
    jmodel_place_direction(at->r, node->in, &out->v);
    return true;
  }
  if (jmodel_axis_word(at->r, node, &out->v)) {
    out->name = jmodel_keep(at->r, node->text);
    jmodel_place_direction(at->r, node->in, &out->v);
    return true;
  }
  jmodel_node plain = *node;
  bool is_opposite = node->kind == JMODEL_NODE_TEXT && node->text[0] == '-';
  if (is_opposite) plain.text = node->text + 1 + strspn(node->text + 1, " ");
  if (node->kind != JMODEL_NODE_TEXT || !strchr(name_at(at, &plain), '.')) {
    jmodel_mistake(at, node->place,
                   "%s needs a direction: x, y, z, [x, y, z], body.vector or {from: P, to: Q}",
                   label);
    return false;
  }
  if (!vector_of_body(at, &plain, label, out)) return false;
  for (int k = 0; is_opposite && k < 3; k++) {
    out->v.e[k] = jmodel_negative(at->r, &out->v.e[k]);
  }
  if (is_opposite) out->name = jmodel_format(at->r, "-%s", out->name);
  return true;
}

bool jmodel_vector_at(const jmodel_at* at, const jmodel_node* node, const char* label,
                      const char* path, jmodel_vector* out) {
  if (!any_vector_at(at, node, label, path, out)) return false;
  if (!is_zero(at->r->m, &out->v)) return true;
  jmodel_mistake(at, node->place, "%s has length zero", label);
  return false;
}

bool jmodel_body_vector_at(const jmodel_at* at, const jmodel_node* node, const char* label,
                           const char* path, jmodel_vector* out) {
  if (!jmodel_vector_at(at, node, label, path, out)) return false;
  if (out->body >= 0) return true;
  jmodel_mistake(at, node->place, "%s: the body is missing; write body.vector", label);
  return false;
}

bool jmodel_axis_at(const jmodel_at* at, const jmodel_node* node, const char* label,
                    const char* path, jmodel_vector* out) {
  if (!jmodel_vector_at(at, node, label, path, out)) return false;
  jmodel_turn_round(at->r, node->in, &out->v);
  return true;
}

bool jmodel_body_axis_at(const jmodel_at* at, const jmodel_node* node, const char* label,
                         const char* path, jmodel_vector* out) {
  if (!jmodel_body_vector_at(at, node, label, path, out)) return false;
  jmodel_turn_round(at->r, node->in, &out->v);
  return true;
}

jmodel_vector jmodel_own_axis(const jmodel_at* at, const jmodel_node* entry, int body, int k) {
  static const char* const xyz[] = {"x", "y", "z"};
  const char* name = jmodel_format(at->r, "%s.%s", at->r->m->body[body].name, xyz[k]);
  jmodel_vector v = {name, body, false, jmodel_unit(k, entry->key_place)};
  jmodel_flip(at->r, entry->in, &v.v);
  jmodel_turn_round(at->r, entry->in, &v.v);
  return v;
}
