// SPDX-License-Identifier: Apache-2.0
// Which values of a model must lie where. docs/format.md tells the same to the user.
#include <stddef.h>
#include <string.h>

#include "model/element.h"
#include "model/range/ranges.h"

// ---- slots and rules -----------------------------------------------------------------------------

typedef struct lister {
  jo_context* ctx;
  jarena* arena;
  struct jmodel_ranges* k;
  jo_status status;
} lister;

// Lists belong to the model's arena: grown by doubling, what was there stays behind until it is freed.
static void* grow(lister* l, void* list, int n, int* cap, size_t size) {
  if (n < *cap) return list;
  int larger = *cap ? 2 * *cap : 64;
  void* fresh = jarena_array(l->arena, (size_t)larger, size);
  if (!fresh) {
    if (l->status >= 0) l->status = jerr_memory(l->ctx);
    return NULL;
  }
  if (n > 0) memcpy(fresh, list, (size_t)n * size);
  *cap = larger;
  return fresh;
}

static void add_slot(lister* l, const jmodel_scalar* s) {
  struct jmodel_ranges* k = l->k;
  if (l->status < 0) return;
  jmodel_slot* slot = grow(l, k->slot, k->nslot, &k->slot_cap, sizeof *slot);
  if (!slot) return;
  k->slot = slot;
  k->slot[k->nslot++] = (jmodel_slot){s, JMODEL_SLOT_UNKNOWN};
}

// A rule on the last n slots.
static void add_rule(lister* l, jmodel_rule rule, int n) {
  struct jmodel_ranges* k = l->k;
  if (l->status < 0) return;
  jmodel_rule* list = grow(l, k->rule, k->nrule, &k->rule_cap, sizeof *list);
  if (!list) return;
  k->rule = list;
  rule.first = k->nslot - n;
  rule.n = n;
  k->rule[k->nrule++] = rule;
}

// Numbers are finite: that of an expression only is a question.
static void add_limit(lister* l, const char* subject, const char* name, const char* label,
                      const jmodel_scalar* s, jmodel_limit limit) {
  if (limit == JMODEL_FINITE && s->number >= 0) return;
  add_slot(l, s);
  add_rule(l, (jmodel_rule){JMODEL_RULE_LIMIT, limit, subject, name, label, 0, 0, NULL}, 1);
}

static void add_v3(lister* l, const jmodel_v3* v) {
  for (int i = 0; i < 3; i++) {
    add_slot(l, &v->e[i]);
  }
}

// What the reader wrote itself has no path: axes of frames, and zero where an element has no direction.
static bool is_written(const jmodel_v3* v) {
  return !*v->e[0].path && !*v->e[1].path && !*v->e[2].path;
}

static void add_direction(lister* l, const char* subject, const char* name, const char* label,
                          const jmodel_v3* v) {
  if (is_written(v)) return;
  add_v3(l, v);
  add_rule(l, (jmodel_rule){JMODEL_RULE_DIRECTION, JMODEL_FINITE, subject, name, label, 0, 0, NULL},
           3);
}

// Two directions that span a plane.
static void add_plane(lister* l, const char* subject, const char* name, const char* label,
                      const jmodel_v3* axis) {
  add_v3(l, &axis[0]);
  add_v3(l, &axis[1]);
  add_rule(l, (jmodel_rule){JMODEL_RULE_PLANE, JMODEL_FINITE, subject, name, label, 0, 0, NULL}, 6);
}

// Two scalars, one behind the other in their struct.
static void add_less(lister* l, const char* subject, const char* name, const char* label,
                     const jmodel_scalar* s) {
  add_slot(l, &s[0]);
  add_slot(l, &s[1]);
  add_rule(l, (jmodel_rule){JMODEL_RULE_LESS, JMODEL_FINITE, subject, name, label, 0, 0, NULL}, 2);
}

// Three scalars, one behind the other: a load, the least and the most.
static void add_outside(lister* l, const char* subject, const char* name, const char* label,
                        const jmodel_scalar* s) {
  for (int i = 0; i < 3; i++) {
    add_slot(l, &s[i]);
  }
  add_rule(l, (jmodel_rule){JMODEL_RULE_OUTSIDE, JMODEL_FINITE, subject, name, label, 0, 0, NULL},
           3);
}

static void add_together(lister* l, const jmodel_element* e, const char* label,
                         const jmodel_scalar* s, int n) {
  jmodel_rule rule = {JMODEL_RULE_TOGETHER, JMODEL_FINITE, e->class->kind, e->name, label, 0, 0, e};
  for (int i = 0; i < n; i++) {
    add_slot(l, &s[i]);
  }
  add_rule(l, rule, n);
}

static void add_point(lister* l, const char* subject, const char* name, const char* label,
                      const jmodel_v3* v) {
  for (int i = 0; i < 3; i++) {
    add_limit(l, subject, name, label, &v->e[i], JMODEL_FINITE);
  }
}

// ---- fields of elements --------------------------------------------------------------------------

static const void* at_offset(const void* data, size_t offset) {
  return (const char*)data + offset;
}

static void add_fields(lister* l, const char* subject, const char* name, const void* data,
                       const jmodel_field* list, int n) {
  for (int i = 0; i < n; i++) {
    const jmodel_field* f = &list[i];
    bool is_given = true;
    if (f->given != JMODEL_ALWAYS) memcpy(&is_given, at_offset(data, f->given), sizeof is_given);
    if (!is_given) continue;
    const jmodel_v3* v = at_offset(data, f->at);
    switch (f->kind) {
      case JMODEL_FIELD_SCALAR:
        add_limit(l, subject, name, f->label, at_offset(data, f->at), f->limit);
        break;
      case JMODEL_FIELD_V3:
        for (int k = 0; k < 3; k++) {
          add_limit(l, subject, name, f->label, &v->e[k], f->limit);
        }
        break;
      case JMODEL_FIELD_DIRECTION: add_direction(l, subject, name, f->label, v); break;
      case JMODEL_FIELD_PLANE: add_plane(l, subject, name, f->label, v); break;
      case JMODEL_FIELD_LESS: add_less(l, subject, name, f->label, at_offset(data, f->at)); break;
      case JMODEL_FIELD_OUTSIDE:
        add_outside(l, subject, name, f->label, at_offset(data, f->at));
        break;
      case JMODEL_FIELD_TOGETHER: break;  // of elements: list_elements
    }
  }
}

#define ADD_FIELDS(l, subject, data, list) \
  add_fields(l, subject, (data)->name, data, list, sizeof(list) / sizeof *(list))

static const jmodel_field closure_fields[] = {
    JMODEL_GIVEN(jmodel_closure, "length", length, JMODEL_POSITIVE, has_length),
};

static const jmodel_field coordinate_fields[] = {
    JMODEL_GIVEN(jmodel_coordinate, "guess", guess, JMODEL_FINITE, has_guess),
    JMODEL_GIVEN(jmodel_coordinate, "drive", driven, JMODEL_FINITE, is_driven),
};

static const jmodel_field state_fields[] = {
    JMODEL_FIELD(jmodel_state, "initial", initial, JMODEL_FINITE)};

static const jmodel_field delay_fields[] = {
    JMODEL_FIELD(jmodel_delay, "time", time, JMODEL_POSITIVE)};

static const jmodel_field sampler_fields[] = {
    JMODEL_FIELD(jmodel_sampler, "every", every, JMODEL_RESOLVED),
    JMODEL_FIELD(jmodel_sampler, "delay", delay, JMODEL_NOT_NEGATIVE),
    JMODEL_FIELD(jmodel_sampler, "offset", offset, JMODEL_NOT_NEGATIVE),
    JMODEL_LESS(jmodel_sampler, "delay and every", delay)};

// Where values of parts of the road must lie, by jmodel_road_value.
static const struct {
  const char* label;
  jmodel_limit limit;
} road_values[JMODEL_ROAD_VALUES] = {
    [JMODEL_ROAD_START] = {"start", JMODEL_FINITE},
    [JMODEL_ROAD_SCALE] = {"scale", JMODEL_FINITE},
    [JMODEL_ROAD_LENGTH] = {"length", JMODEL_POSITIVE},
    [JMODEL_ROAD_HEIGHT] = {"height", JMODEL_FINITE},
    [JMODEL_ROAD_EDGE] = {"edge", JMODEL_POSITIVE},
    [JMODEL_ROAD_PHASE] = {"phase", JMODEL_FINITE},
    [JMODEL_ROAD_FIRST_WAVE] = {"first_wavelength", JMODEL_POSITIVE},
    [JMODEL_ROAD_LAST_WAVE] = {"last_wavelength", JMODEL_POSITIVE},
    [JMODEL_ROAD_RIGHT] = {"across", JMODEL_FINITE},
    [JMODEL_ROAD_LEFT] = {"across", JMODEL_FINITE},
};

static void list_road(lister* l, const jmodel_road_part* p) {
  for (int i = 0; i < JMODEL_ROAD_VALUES; i++) {
    bool is_wave = p->kind == JMODEL_ROAD_SINE && i == JMODEL_ROAD_LENGTH;
    if (!p->given[i]) continue;
    add_limit(l, p->subject, p->name, is_wave ? "wavelength" : road_values[i].label, &p->value[i],
              road_values[i].limit);
  }
}

// ---- the model -----------------------------------------------------------------------------------

static void list_body(lister* l, const jmodel_body* b, int* first_mass) {
  *first_mass = b->has_mass ? l->k->nslot : -1;
  if (b->has_mass) {
    add_limit(l, "body", b->name, "mass", &b->mass, JMODEL_NOT_NEGATIVE);
    for (int i = 0; i < 6; i++) {
      add_slot(l, &b->inertia[i]);
    }
    add_rule(
        l, (jmodel_rule){JMODEL_RULE_TENSOR, JMODEL_FINITE, "body", b->name, "inertia", 0, 0, NULL},
        6);
    add_point(l, "body", b->name, "com", &b->com);
  }
  if (b->has_frame) {
    add_point(l, "body", b->name, "frame: origin", &b->origin);
    add_plane(l, "body", b->name, "frame", b->axis);
  }
  for (int i = 0; i < b->npoint; i++) {
    add_point(l, "body", b->name, b->point[i].name, &b->point[i].value);
  }
  for (int i = 0; i < b->nvector; i++) {
    const char* label = jarena_printf(l->arena, "vector '%s'", b->vector[i].name);
    if (!label) l->status = jerr_memory(l->ctx);
    add_direction(l, "body", b->name, label, &b->vector[i].value);
  }
}

static bool is_same(const jmodel_v3* a, const jmodel_v3* b) {
  bool is_equal = true;
  for (int i = 0; i < 3; i++) {
    is_equal = is_equal && a->e[i].text == b->e[i].text && a->e[i].number == b->e[i].number;
  }
  return is_equal;
}

static void list_joint(lister* l, const jmodel_joint* j) {
  const jmodel_joint_class* c = jmodel_joint_class_of(j->type);
  if (c->axis) add_direction(l, "joint", j->name, "axis", &j->axis_parent.v);
  if (c->axis && !is_same(&j->axis_parent.v, &j->axis_child.v)) {
    add_direction(l, "joint", j->name, "axis", &j->axis_child.v);
  }
  if (c->axis2) add_direction(l, "joint", j->name, "axis2", &j->axis2.v);
}

static void list_closure(lister* l, const jmodel_closure* c) {
  const jmodel_closure_class* class_ = jmodel_closure_class_of(c->type);
  bool has_u = jmodel_closure_has_u(class_), has_v = jmodel_closure_has_v(class_);
  ADD_FIELDS(l, "closure", c, closure_fields);
  if (has_u) add_direction(l, "closure", c->name, "its direction", &c->u.v);
  if (has_v) add_direction(l, "closure", c->name, "its second direction", &c->v.v);
}

static void list_coupling(lister* l, const jmodel_coupling* c) {
  for (int i = 0; i < c->nrelation; i++) {
    const jmodel_relation* r = &c->relation[i];
    for (int k = 0; k < r->nterm; k++) {
      const jmodel_term* t = &r->term[k];
      if (t->has_scale) add_limit(l, "coupling", c->name, t->label, &t->scale, JMODEL_NOT_ZERO);
    }
    add_limit(l, "coupling", c->name, "offset", &r->offset, JMODEL_FINITE);
  }
}

static void list_table(lister* l, const jmodel_table* t) {
  for (int i = 0; i < t->n; i++) {
    add_slot(l, &t->x[i]);
  }
  add_rule(l,
           (jmodel_rule){JMODEL_RULE_INCREASES, JMODEL_FINITE, "table", t->name, "x", 0, 0, NULL},
           t->n);
  jmodel_rule increases = {JMODEL_RULE_INCREASES, JMODEL_FINITE, "table", t->name, "y", 0, 0, NULL};
  for (int i = 0; i < t->ny; i++) {
    add_slot(l, &t->y[i]);
  }
  if (t->ny > 0) add_rule(l, increases, t->ny);
  for (int i = 0; i < t->n && t->ny == 0; i++) {
    add_limit(l, "table", t->name, "y", &t->y[i], JMODEL_FINITE);
  }
  for (int i = 0; i < t->n * t->ny; i++) {
    add_limit(l, "table", t->name, "z", &t->z[i], JMODEL_FINITE);
  }
}

static void list_objective(lister* l, const jmodel_objective* o) {
  for (int i = 0; o->has_window && i < 2; i++) {
    add_limit(l, "objective", o->name, "window", &o->window[i], JMODEL_FINITE);
  }
  if (o->filter == JMODEL_FILTER_LOWPASS) {
    add_limit(l, "objective", o->name, "frequency", &o->frequency, JMODEL_POSITIVE);
  }
}

static void list_elements(lister* l, const jmodel* m) {
  for (int i = 0; i < m->nelement; i++) {
    const jmodel_element* e = &m->element[i];
    add_fields(l, e->class->kind, e->name, e->data, e->class->field, e->class->nfield);
    for (int k = 0; k < e->class->nfield; k++) {
      const jmodel_field* f = &e->class->field[k];
      if (f->kind != JMODEL_FIELD_TOGETHER) continue;
      add_together(l, e, f->label, at_offset(e->data, f->at), f->n);
    }
  }
}

// ---- the whole -------------------------------------------------------------------------------------

static void list_values(lister* l, const jmodel* m) {
  for (int i = 0; i < m->ncoordinate; i++) {
    ADD_FIELDS(l, "coordinate", &m->coordinate[i], coordinate_fields);
  }
  for (int i = 0; i < m->nstate; i++) {
    ADD_FIELDS(l, "state", &m->state[i], state_fields);
  }
  for (int i = 0; i < m->nsampler; i++) {
    ADD_FIELDS(l, "sampler", &m->sampler[i], sampler_fields);
  }
  for (int i = 0; i < m->ndelay; i++) {
    ADD_FIELDS(l, "delay", &m->delay[i], delay_fields);
  }
  for (int i = 0; i < m->nobjective; i++) {
    list_objective(l, &m->objective[i]);
  }
  for (int i = 0; i < m->ninitial; i++) {
    const jmodel_initial* q = &m->initial[i];
    const char* name = q->quantity.text ? q->quantity.text : "";
    if (q->has_value) add_limit(l, "initial", name, "value", &q->value, JMODEL_FINITE);
    if (q->has_rate) add_limit(l, "initial", name, "rate", &q->rate, JMODEL_FINITE);
  }
}

jo_status jmodel_ranges_list(jo_context* ctx, jmodel* m, struct jmodel_ranges* k) {
  lister l = {.ctx = ctx, .arena = &m->arena, .k = k};
  k->first_mass = JARENA_ARRAY(&m->arena, m->nbody, int);
  if (!k->first_mass) return jerr_memory(ctx);
  for (int i = 0; i < m->nparameter; i++) {
    add_slot(&l, &m->parameter[i].value);
    add_rule(&l,
             (jmodel_rule){JMODEL_RULE_LIMIT, JMODEL_FINITE, "parameter", m->parameter[i].name,
                           "value", 0, 0, NULL},
             1);
  }
  for (int i = 0; i < m->nhardpoint; i++) {
    add_point(&l, "hardpoint", m->hardpoint[i].name, "it", &m->hardpoint[i].value);
  }
  for (int i = 1; i < m->nbody; i++) {
    list_body(&l, &m->body[i], &k->first_mass[i]);
  }
  for (int i = 0; i < m->njoint; i++) {
    list_joint(&l, &m->joint[i]);
  }
  for (int i = 0; i < m->nclosure; i++) {
    list_closure(&l, &m->closure[i]);
  }
  for (int i = 0; i < m->ncoupling; i++) {
    list_coupling(&l, &m->coupling[i]);
  }
  for (int i = 0; i < m->ntable; i++) {
    list_table(&l, &m->table[i]);
  }
  for (int i = 0; i < m->nroad_part; i++) {
    list_road(&l, &m->road_part[i]);
  }
  list_elements(&l, m);
  list_values(&l, m);
  return l.status;
}
