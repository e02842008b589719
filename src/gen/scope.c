// SPDX-License-Identifier: Apache-2.0
// Numbers, parameters and the names that expressions of a model may use.
#include <math.h>
#include <stdio.h>

#include "expr/parse/parse.h"
#include "expr/tape/order.h"
#include "expr/tape/tape.h"
#include "gen/build.h"
#include "gen/force/element.h"
#include "gen/tree/attitude.h"

typedef struct word {
  const char* s;
  size_t n;
} word;

static bool is(word w, const char* text) {
  return strlen(text) == w.n && memcmp(w.s, text, w.n) == 0;
}

// ---- numbers -------------------------------------------------------------------------------------

jo_status jgen_inputs(jgen* s, const bool* live, int group_p, int* live_index, double* values) {
  const jmodel* m = s->m;
  s->number = JARENA_ARRAY(s->a, m->nnumber, jexpr_ref);
  s->parameter = JARENA_ARRAY(s->a, m->nparameter, jgen_memo);
  s->signal = JARENA_ARRAY(s->a, m->nsignal, jgen_memo);
  if (!s->number || !s->parameter || !s->signal) return jerr_memory(s->ctx);
  for (int i = 0; i < m->nnumber; i++) {
    bool is_live = live ? live[i] : m->number[i].is_parameter;
    if (is_live) {
      live_index[s->number_p] = i;
      values[s->number_p] = m->number[i].value;
      s->number[i] = jexpr_input(s->g, group_p, s->number_p++);
    } else {
      s->number[i] = jexpr_const(s->g, m->number[i].value);
    }
  }
  return s->g->status;
}

double jgen_value(jgen* s, jexpr_ref r) {
  if (!r) return NAN;
  if (jexpr_is_const(s->g, r)) return jexpr_const_value(s->g, r);
  jarena scratch;
  jarena_init(&scratch, s->ctx);
  jexpr_outputs out = {"value", 1, &r};
  jexpr_fn fn = {"value", s->g, 1, &out};
  jexpr_tape tape;
  double value = NAN, *work = NULL, *p = JARENA_ARRAY(&scratch, s->number_p, double);
  if (p && jexpr_tape_build(s->ctx, &scratch, &fn, &tape) == JO_OK) {
    work = JARENA_ARRAY(&scratch, jexpr_tape_work(&tape, 1), double);
  }
  if (work) {
    for (int i = 0, k = 0; i < s->m->nnumber; i++) {
      if (!jexpr_is_const(s->g, s->number[i])) p[k++] = s->m->number[i].value;
    }
    const double* in[JGEN_GROUP_COUNT] = {p};
    jexpr_tape_init(&tape, 1, work);
    jexpr_tape_eval(&tape, 1, in, (double* const[]){&value}, work);
  } else if (s->g->status == JO_OK) {
    s->g->status = jerr_memory(s->ctx);
  }
  jarena_free(&scratch);
  return value;
}

void jgen_push_local(jgen* s, const char* name, jexpr_ref value) {
  s->local.name[s->local.n] = name;
  s->local.value[s->local.n++] = value;
}

void jgen_pop_local(jgen* s, int n) {
  s->local.n -= n;
}

// ---- names ---------------------------------------------------------------------------------------

static jexpr_ref not_yet(jgen* s, word name, const char* what) {
  s->g->status = jerr_set(s->ctx, JO_ERR_MODEL, "%s: '%.*s' is %s; %s", s->where, (int)name.n,
                          name.s, what, s->rule ? s->rule : "it is not known here");
  return JEXPR_POISON;
}

jexpr_ref jgen_not_yet(jgen* s, const char* name, size_t n, const char* what) {
  return not_yet(s, (word){name, n}, what);
}

static int index_of_parameter(const jmodel* m, word name) {
  return jindex_find(&m->parameters, 0, name.s, name.n);
}

static int index_of_signal(const jmodel* m, word name) {
  return jindex_find(&m->signals, 0, name.s, name.n);
}

// Parameters, then signals, as one list.
static const jmodel_scalar* definition(const jgen* s, int i, const char** name, jgen_memo** memo) {
  bool is_parameter = i < s->m->nparameter;
  int k = is_parameter ? i : i - s->m->nparameter;
  *name = is_parameter ? s->m->parameter[k].name : s->m->signal[k].name;
  *memo = is_parameter ? &s->parameter[k] : &s->signal[k];
  return is_parameter ? &s->m->parameter[k].value : &s->m->signal[k].value;
}

static const char* text_to_read(void* user, int i) {
  const char* name;
  jgen_memo* memo;
  const jmodel_scalar* x = definition(user, i, &name, &memo);
  return memo->value ? NULL : x->text;
}

static int find_text(void* user, const char* name, size_t n) {
  const jmodel* m = ((jgen*)user)->m;
  int i = index_of_parameter(m, (word){name, n});
  if (i >= 0) return i;
  int k = index_of_signal(m, (word){name, n});
  return k < 0 ? -1 : m->nparameter + k;
}

static void read_definition(jgen* s, int i) {
  const char* name;
  jgen_memo* memo;
  const jmodel_scalar* x = definition(s, i, &name, &memo);
  if (memo->value || memo->busy) return;
  memo->busy = 1;
  memo->value = jgen_scalar(s, x, name);
  if (!memo->value && i >= s->m->nparameter) memo->busy = 0;
}

// Far down in names that need names: what the definition needs is read first, one after the other.
static void read_in_order(jgen* s, int root) {
  jarena scratch;
  jarena_init(&scratch, s->ctx);
  jexpr_texts texts = {s->m->nparameter + s->m->nsignal, s, text_to_read, find_text};
  int* order = JARENA_ARRAY(&scratch, texts.n, int);
  int n = 0, cyclic = -1;
  jo_status status =
      order ? jexpr_order(s->ctx, &texts, root, order, &n, &cyclic) : jerr_memory(s->ctx);
  if (status < 0 && s->g->status == JO_OK) s->g->status = status;
  if (cyclic >= 0) {
    const char* name;
    jgen_memo* memo;
    definition(s, cyclic, &name, &memo);
    not_yet(s, (word){name, strlen(name)}, "defined by itself");
  }
  for (int i = 0; i < n && s->g->status == JO_OK; i++) {
    read_definition(s, order[i]);
  }
  jarena_free(&scratch);
}

static void read_named(jgen* s, int i) {
  if (s->depth < JEXPR_DEEP) {
    read_definition(s, i);
  } else {
    read_in_order(s, i);
  }
}

static jexpr_ref find_parameter(jgen* s, word name) {
  int i = index_of_parameter(s->m, name);
  if (i < 0) return JEXPR_POISON;
  if (s->rule && s->m->parameter[i].is_input) return not_yet(s, name, "an input");
  jgen_memo* k = &s->parameter[i];
  if (!k->value && !k->busy) read_named(s, i);
  return k->value;
}

static jexpr_ref find_signal(jgen* s, word name, bool* found) {
  int i = index_of_signal(s->m, name);
  if (i < 0) return JEXPR_POISON;
  jgen_memo* k = &s->signal[i];
  *found = true;
  if (k->busy) return k->value ? k->value : not_yet(s, name, "defined by itself");
  read_named(s, s->m->nparameter + i);
  return k->value;
}

static int find_coordinate(const jmodel* m, word name) {
  for (int i = 0; i < m->ncoordinate; i++) {
    if (is(name, m->coordinate[i].name)) return i;
  }
  return -1;
}

static jexpr_ref coordinate_field(jgen* s, int i, word field, word name) {
  if (is(field, "rate")) {
    return s->stage >= JGEN_AT_VELOCITY ? s->qd[i] : not_yet(s, name, "a velocity");
  }
  if (is(field, "acc")) {
    return s->stage >= JGEN_AT_ACCELERATION ? s->qdd[i] : not_yet(s, name, "an acceleration");
  }
  if (is(field, "drive_force") && s->m->coordinate[i].is_driven) {
    return s->stage >= JGEN_AT_ACCELERATION ? s->drive_force[i] : not_yet(s, name, "a reaction");
  }
  return JEXPR_POISON;
}

// Of the angles of a joint that takes any attitude.
static jexpr_ref attitude_field(jgen* s, word base, word field, word name) {
  int which;
  bool rate = is(field, "rate"), acc = is(field, "acc");
  if (!(rate || acc) || jmodel_find_attitude(s->m, base.s, base.n, &which) < 0) return JEXPR_POISON;
  if (rate && s->stage < JGEN_AT_VELOCITY) return not_yet(s, name, "a velocity");
  if (acc && s->stage < JGEN_AT_ACCELERATION) return not_yet(s, name, "an acceleration");
  return jgen_attitude_rate(s, base.s, base.n, acc);
}

// Is the k-th signal known when all elements are written only?
static bool is_last(const jgen_element_class* class, int k) {
  int n = 0;
  while (class->signal[n]) {
    n++;
  }
  return k >= n - class->nlast;
}

static jexpr_ref any_element_field(jgen* s, word base, word field, word name) {
  int i = jgen_element_find(s, base.s, base.n);
  int k = i >= 0 ? jgen_element_signal(s, i, field.s, field.n) : -1;
  if (k < 0) return JEXPR_POISON;
  const jgen_element_class* class = jgen_class_of(&s->m->element[i]);
  bool is_position = k < class->nposition;
  if (!is_position && s->stage < JGEN_AT_VELOCITY) return not_yet(s, name, class->what);
  const jgen_element* e = jgen_element_at(s, i);
  if (!is_position && e->progress == JGEN_BEING_WRITTEN)
    return not_yet(s, name, "defined by itself");
  if (e->progress < JGEN_FINISHED && is_last(class, k))
    return not_yet(s, name, "made of what all elements give");
  return e->signal[k];
}

// An element's own names are not those of the element that refers to it.
static jexpr_ref element_field(jgen* s, word base, word field, word name) {
  jgen_locals outer = s->local;
  s->local.n = 0;
  jexpr_ref r = any_element_field(s, base, field, name);
  s->local = outer;
  return r;
}

static int find_body(const jmodel* m, word name) {
  for (int i = 0; i < m->nbody; i++) {
    if (is(name, m->body[i].name)) return i;
  }
  return -1;
}

void jgen_want_follow(jgen* s, int body) {
  if (!s->link[s->body[body].link].spins_free) return;
  s->follow[body] = true;
  s->retry_follow = true;
}

static jexpr_ref body_field(jgen* s, int body, word field, word name) {
  static const char* const rate[3] = {"wx", "wy", "wz"};
  for (int i = 0; i < 3; i++) {
    if (!is(field, rate[i])) continue;
    if (s->stage < JGEN_AT_VELOCITY) return not_yet(s, name, "a velocity");
    int link = s->body[body].link;
    jgen_want_follow(s, body);
    jgen_absolute_motion(s, s->dyn, true, link);
    return jexpr_m3_apply(s->g, &s->body[body].E, s->dyn[link].w).e[i];
  }
  return JEXPR_POISON;
}

bool jgen_body_point(jgen* s, int body, const char* text, size_t n, jexpr_v3* r) {
  word name = {text, n};
  jmodel_point p;
  if (is(name, "origin")) {
    const jgen_body_frame* f = &s->body[body];
    *r = jexpr_m3_tapply(s->g, &f->E, jexpr_v3_neg(s->g, f->o));
    return true;
  }
  if (is(name, "com")) {
    *r = jgen_com_in_link(s, body);
    return true;
  }
  if (!jgen_find_point(s, body, name.s, name.n, &p)) return false;
  *r = jgen_point_in_link(s, &p);
  return true;
}

static jexpr_ref point_field(jgen* s, int body, word point, word field, word name) {
  jexpr_v3 r;
  if (field.n < 1 || field.n > 2 || !jgen_body_point(s, body, point.s, point.n, &r))
    return JEXPR_POISON;
  char axis = field.s[field.n - 1], kind = field.n == 2 ? field.s[0] : 'p';
  if (axis < 'x' || axis > 'z') return JEXPR_POISON;
  int link = s->body[body].link, i = axis - 'x';
  for (int k = 0; k < 3; k++) {
    bool off_axis = k != s->link[link].axis && !jexpr_is_value(s->g, r.e[k], 0.0);
    if (off_axis) jgen_want_follow(s, body);
  }
  if (kind == 'p') return jgen_ground_position(s, link, r).e[i];
  if (kind == 'v') {
    if (s->stage < JGEN_AT_VELOCITY) return not_yet(s, name, "a velocity");
    return jgen_ground_velocity(s, link, r).e[i];
  }
  if (kind != 'a') return JEXPR_POISON;
  if (s->stage < JGEN_AT_ACCELERATION) return not_yet(s, name, "an acceleration");
  return jgen_ground_acceleration(s, link, r).e[i];
}

// Force and moment of the parent on the child at the joint, in the child's axes.
static jexpr_ref joint_field(jgen* s, word base, word field, word name) {
  static const char* const fields[6] = {"fx", "fy", "fz", "mx", "my", "mz"};
  for (int i = 0; i < 6; i++) {
    if (!is(field, fields[i])) continue;
    for (int j = 0; j < s->m->njoint; j++) {
      if (!is(base, s->m->joint[j].name)) continue;
      if (s->stage < JGEN_AT_ACCELERATION) return not_yet(s, name, "a reaction");
      int child = s->m->joint[j].child, link = s->body[child].link;
      jgen_want_follow(s, child);
      const jgen_wrench* w = jgen_reactions(s);
      if (!w) return JEXPR_POISON;
      return jexpr_m3_apply(s->g, &s->body[child].E, i < 3 ? w[link].f : w[link].n).e[i % 3];
    }
  }
  return JEXPR_POISON;
}

// Multiplier of the k-th equation of a closure: force1, force2 ...
static jexpr_ref closure_field(jgen* s, word base, word field, word name) {
  if (field.n != 6 || memcmp(field.s, "force", 5) != 0) return JEXPR_POISON;
  int wanted = field.s[5] - '1';
  for (int i = 0, k = 0; i < s->m->nclosure; i++) {
    if (!is(base, s->m->closure[i].name)) continue;
    if (s->stage < JGEN_AT_ACCELERATION) return not_yet(s, name, "a reaction");
    for (int r = 0; r < s->nrow; r++) {
      if (s->row[r].closure == i && k++ == wanted) return s->lambda[r];
    }
  }
  return JEXPR_POISON;
}

// Generalised force of a coupling's relation, per unit of its coefficients: force, force2 ...
static jexpr_ref coupling_field(jgen* s, word base, word field, word name) {
  if (field.n < 5 || field.n > 6 || memcmp(field.s, "force", 5) != 0) return JEXPR_POISON;
  int wanted = field.n == 6 ? field.s[5] - '1' : 0;
  for (int i = 0, k = 0; i < s->m->ncoupling; i++) {
    const jmodel_coupling* c = &s->m->coupling[i];
    if (!is(base, c->name) || (field.n == 5 && c->nrelation > 1)) continue;
    if (s->stage < JGEN_AT_ACCELERATION) return not_yet(s, name, "a reaction");
    for (int r = 0; r < s->nrow; r++) {
      if (s->row[r].coupling != i || k++ != wanted) continue;
      return jexpr_mul(s->g, s->row[r].scale, s->lambda[r]);
    }
  }
  return JEXPR_POISON;
}

static jexpr_ref find_dotted(jgen* s, word name) {
  const char* dot = NULL;
  for (size_t i = 0; i < name.n; i++) {
    if (name.s[i] == '.') dot = name.s + i;
  }
  if (!dot) return JEXPR_POISON;
  word base = {name.s, (size_t)(dot - name.s)}, field = {dot + 1, name.n - base.n - 1};
  if (is(base, "energy") && s->stage >= JGEN_AT_VELOCITY) {
    if (is(field, "kinetic")) return jgen_kinetic_energy(s);
    if (is(field, "potential")) return jgen_potential_energy(s);
  }
  int i = find_coordinate(s->m, base);
  jexpr_ref r = i >= 0 ? coordinate_field(s, i, field, name) : JEXPR_POISON;
  if (!r) r = attitude_field(s, base, field, name);
  if (!r) r = element_field(s, base, field, name);
  int body = find_body(s->m, base);
  if (!r && body >= 0) r = body_field(s, body, field, name);
  if (!r) r = joint_field(s, base, field, name);
  if (!r) r = closure_field(s, base, field, name);
  if (!r) r = coupling_field(s, base, field, name);
  // body.point, either of which may have dots of its own
  for (size_t at = 0; !r && at < base.n; at++) {
    if (base.s[at] != '.') continue;
    word point = {base.s + at + 1, base.n - at - 1};
    body = find_body(s->m, (word){base.s, at});
    if (body >= 0) r = point_field(s, body, point, field, name);
  }
  return r;
}

// Any number of the file by its path.
static jexpr_ref find_number(jgen* s, word name) {
  for (int i = 0; i < s->m->nnumber; i++) {
    if (is(name, s->m->number[i].path)) return s->number[i];
  }
  return JEXPR_POISON;
}

// What comes out is the last of the states of a delay.
static jexpr_ref delayed(jgen* s, const jmodel_delay* d) {
  size_t n = strlen(d->name);
  for (int i = s->m->nstate - 1; i >= 0; i--) {
    const char* name = s->m->state[i].name;
    if (s->m->state[i].element < 0 && strncmp(name, d->name, n) == 0 && name[n] == '.')
      return s->z[i];
  }
  return JEXPR_POISON;
}

static jexpr_ref find_name(void* user, jexpr_graph* g, const char* text, size_t n) {
  (void)g;
  jgen* s = user;
  word name = {text, n};
  for (int i = s->local.n - 1; i >= 0; i--) {
    if (is(name, s->local.name[i])) return s->local.value[i];
  }
  if (is(name, "t")) return s->t;
  jexpr_ref r = find_parameter(s, name);
  if (r) return r;
  for (int i = 0; i < s->m->nstate; i++) {
    if (!is(name, s->m->state[i].name)) continue;
    return s->z ? s->z[i] : not_yet(s, name, "a state");
  }
  int i = find_coordinate(s->m, name);
  if (i >= 0) return s->q[i];
  r = jgen_attitude_angle(s, name.s, name.n);
  if (r) return r;
  for (int k = 0; k < s->m->ndelay; k++) {
    const jmodel_delay* d = &s->m->delay[k];
    if (is(name, d->name)) return s->z ? delayed(s, d) : not_yet(s, name, "a delay");
  }
  bool found = false;
  r = find_signal(s, name, &found);
  if (!r && !found) r = find_dotted(s, name);
  if (!r && !found && s->g->status >= 0) r = jgen_quantity(s, text, n);
  return r || found ? r : find_number(s, name);
}

static const char* suggest(void* user, int i) {
  const jmodel* m = ((jgen*)user)->m;
  if (i < m->nparameter) return m->parameter[i].name;
  i -= m->nparameter;
  if (i < m->ncoordinate) return m->coordinate[i].name;
  i -= m->ncoordinate;
  if (i < m->nsignal) return m->signal[i].name;
  i -= m->nsignal;
  if (i < m->nfunction) return m->function[i].name;
  i -= m->nfunction;
  return i < m->nstate ? m->state[i].name : NULL;
}

static jexpr_ref* scalars(jgen* s, const jmodel_scalar* x, int n, const char* what) {
  jexpr_ref* list = JARENA_ARRAY(s->a, n, jexpr_ref);
  if (!list) s->g->status = jerr_memory(s->ctx);
  for (int i = 0; list && i < n; i++) {
    list[i] = jgen_scalar(s, &x[i], what);
  }
  return list;
}

jexpr_ref jgen_table_at(jgen* s, int table, jexpr_ref x) {
  const jmodel_table* t = &s->m->table[table];
  const jexpr_ref *X = scalars(s, t->x, t->n, t->name), *Y = scalars(s, t->y, t->n, t->name);
  return X && Y ? jexpr_table(s->g, t->kind, t->rule, x, X, Y, t->n) : JEXPR_POISON;
}

static jexpr_ref table2_at(jgen* s, const jmodel_table* t, jexpr_ref x, jexpr_ref y) {
  jexpr_grid grid = {t->n, t->ny, scalars(s, t->x, t->n, t->name), scalars(s, t->y, t->ny, t->name),
                     scalars(s, t->z, t->n * t->ny, t->name)};
  if (!grid.X || !grid.Y || !grid.Z) return JEXPR_POISON;
  return jexpr_table2(s->g, t->kind, t->rule, x, y, &grid);
}

static jexpr_ref call_function(jgen* s, int i, const jexpr_ref* args, int nargs, int* expected);

// Tables and functions of the model.
static jexpr_ref call(void* user, jexpr_graph* g, const char* name, size_t n, const jexpr_ref* args,
                      int nargs, int* expected) {
  (void)g;
  jgen* s = user;
  for (int k = 0; k < s->m->ntable; k++) {
    if (!is((word){name, n}, s->m->table[k].name)) continue;
    const jmodel_table* t = &s->m->table[k];
    if (nargs == 2 && t->ny > 0) return table2_at(s, t, args[0], args[1]);
    if (nargs == 1 && t->ny == 0) return jgen_table_at(s, k, args[0]);
    *expected = t->ny > 0 ? 2 : 1;
  }
  int f = jmodel_find_function(s->m, name, n);
  return f >= 0 ? call_function(s, f, args, nargs, expected) : JEXPR_POISON;
}

// What exists but has no value of its own.
static const char* why(void* user, const char* text, size_t n) {
  const jmodel* m = ((jgen*)user)->m;
  word name = {text, n};
  if (find_coordinate(m, name) >= 0) {
    return "a coordinate, which is not known yet; time and parameters may stand here";
  }
  for (int i = 0; i < m->ntable; i++) {
    if (is(name, m->table[i].name)) return "a table; write it with its argument";
  }
  if (jmodel_find_function(m, text, n) >= 0) return "a function; write it with its arguments";
  for (int i = 0; i < m->njoint; i++) {
    if (is(name, m->joint[i].name)) return "a joint of several coordinates or none; add which";
  }
  if (jgen_element_find(user, text, n) >= 0) return "an element; add what of it";
  if (find_body(m, name) >= 0) return "a body; add the point and the component";
  for (int i = 0; i < m->nintegrated; i++) {
    if (is(name, m->integrated[i].name)) return "an objective; it has no value before the end";
  }
  return NULL;
}

// A function knows its arguments, and no names of the element that calls it.
static jexpr_ref call_function(jgen* s, int i, const jexpr_ref* args, int nargs, int* expected) {
  const jmodel_function* f = &s->m->function[i];
  const char *outer = s->where, *caller = s->caller;
  jgen_locals locals = s->local;
  jexpr_scope scope = {find_name, suggest, s, call, why, &s->depth};
  jexpr_ref r = JEXPR_POISON;
  s->local.n = 0;
  s->caller = caller ? caller : outer;
  s->where = jarena_printf(s->a, "%s: function '%s' (line %d)", s->caller ? s->caller : "", f->name,
                           f->place.line);
  if (s->where) {
    r = jmodel_call(s->m, i, s->g, &scope, s->where, args, nargs, expected);
  } else {
    s->g->status = jerr_memory(s->ctx);
  }
  s->where = outer;
  s->caller = caller;
  s->local = locals;
  return r;
}

// One more of a list that doubles.
static bool note(jgen* s, jgen_floor** list, int* n, jgen_floor what) {
  if (!(*n & (*n - 1))) {
    jgen_floor* more = JARENA_ARRAY(s->a, *n > 0 ? 2 * (size_t)*n : 1, jgen_floor);
    if (!more) {
      s->g->status = jerr_memory(s->ctx);
      return false;
    }
    if (*n > 0) memcpy(more, *list, (size_t)*n * sizeof *more);
    *list = more;
  }
  (*list)[(*n)++] = what;
  return true;
}

// Floors, which ceil() and mod() have, too, that were written for an expression are named by it, and so are choices that nothing
// else names (choices.c).
static void note_conditions(jgen* s, const jmodel_scalar* x, int first) {
  // who calls may keep it no longer than the call
  jmodel_scalar* own = s->g->nnode > first ? JARENA_ARRAY(s->a, 1, jmodel_scalar) : NULL;
  if (!own && s->g->nnode > first) s->g->status = jerr_memory(s->ctx);
  if (own) *own = *x;
  bool goes_on = own != NULL;
  for (int r = first; goes_on && r < s->g->nnode; r++) {
    jgen_floor what = {(jexpr_ref)r, own};
    switch (s->g->node[r].op) {
      case JEXPR_FLOOR: goes_on = note(s, &s->floor, &s->nfloor, what); break;
      case JEXPR_LT:
      case JEXPR_LE:
      case JEXPR_EQ:
      case JEXPR_MIN:
      case JEXPR_MAX:
      case JEXPR_ABS:
      case JEXPR_SIGN: goes_on = note(s, &s->choice, &s->nchoice, what); break;
      default: break;
    }
  }
}

jexpr_ref jgen_scalar(jgen* s, const jmodel_scalar* x, const char* what) {
  if (!x->text) return x->number >= 0 ? s->number[x->number] : s->zero;
  const char *outer = s->where, *caller = s->caller;
  int first = s->g->nnode;
  s->caller = NULL;
  s->where = jarena_printf(s->a, "%s:%d: '%s'", x->place.file, x->place.line, what);
  jexpr_scope scope = {find_name, suggest, s, call, why, &s->depth};
  jexpr_ref r = JEXPR_POISON;
  s->depth += JEXPR_NAME_LEVELS;
  if (!s->where) {
    s->g->status = jerr_memory(s->ctx);
  } else if (s->depth > JEXPR_DEEPEST && s->g->status == JO_OK) {
    s->g->status = jerr_set(s->ctx, JO_ERR_LIMIT,
                            "%s: elements and names that need each other are nested deeper than "
                            "%d levels (a name counts %d, a parenthesis 1)",
                            s->where, JEXPR_DEEPEST, JEXPR_NAME_LEVELS);
  } else if (jexpr_parse(s->g, x->text, strlen(x->text), &scope, s->where, &r) < 0 &&
             s->g->status == JO_OK) {
    s->g->status = JO_ERR_MODEL;
  }
  if (r) note_conditions(s, x, first);
  s->depth -= JEXPR_NAME_LEVELS;
  s->where = outer;
  s->caller = caller;
  return r;
}

jexpr_v3 jgen_vector(jgen* s, const jmodel_v3* x, const char* what) {
  jexpr_v3 v;
  for (int i = 0; i < 3; i++) {
    v.e[i] = jgen_scalar(s, &x->e[i], what);
  }
  return v;
}
