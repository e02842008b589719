// SPDX-License-Identifier: Apache-2.0
// States are listed twice by the same functions: once to be counted, once to be described.
#include "gen/layout.h"

#include <string.h>

#include "base/assert.h"
#include "gen/objective.h"

typedef struct writer {
  jarena* a;
  const jmodel* m;
  const jgen_partition* part;
  jgen_layout* out;
  bool counts;  // first time: nothing is described yet
  int n;
  bool no_memory;
} writer;

const char* jgen_coordinate_unit(const jmodel_coordinate* c) {
  return c->is_angle ? "rad" : "m";
}

int jgen_state_count(const jmodel* m) {
  return m->nstate;
}

// unit^power factor; "" is one.
static const char* unit_by(writer* w, const char* unit, double power, const char* factor) {
  if (w->counts || !*factor) return unit;
  if (!*unit) return factor;
  const char* text = power == 1.0 ? jarena_printf(w->a, "%s %s", unit, factor)
                                  : jarena_printf(w->a, "(%s)^%g %s", unit, power, factor);
  w->no_memory = w->no_memory || !text;
  return text;
}

// One state: what it belongs to, what it is of that (NULL: it has the name itself), and its number there
// (from 1; 0: it is the only one).
typedef struct state {
  jgen_block block;
  const char *of, *what;
  int number;
  const char* unit;
  double nominal;
  bool is_held, is_discrete;
} state;

static const char* name_of(jarena* a, const state* s) {
  if (!s->what) return s->of;
  return s->number > 0 ? jarena_printf(a, "%s.%s.%d", s->of, s->what, s->number)
                       : jarena_printf(a, "%s.%s", s->of, s->what);
}

// The next state of y. Blocks are listed in their order.
static void add(writer* w, state s) {
  jgen_layout* l = w->out;
  int i = w->n++;
  if (w->counts) {
    l->block[s.block].n++;
    return;
  }
  JASSERT(jgen_is_in(l, s.block, i));
  l->name[i] = name_of(w->a, &s);
  w->no_memory = w->no_memory || !l->name[i];
  l->unit[i] = s.unit;
  l->nominal[i] = s.nominal;
  l->is_held[i] = s.is_held;
  l->is_discrete[i] = s.is_discrete;
  bool is_own = s.block == JGEN_QU || s.block == JGEN_QDU || s.block == JGEN_Z;
  if (is_own && !s.is_discrete) l->own[l->nown++] = i;
  l->is_followed[i] = s.block != JGEN_QV && s.block != JGEN_INTEGRAL;
}

static void list_positions(writer* w, jgen_block block, const int* coordinate, int n) {
  for (int i = 0; i < n; i++) {
    const jmodel_coordinate* c = &w->m->coordinate[coordinate[i]];
    add(w, (state){block, .of = c->name, .unit = jgen_coordinate_unit(c), .nominal = 1.0});
  }
}

static void list_velocities(writer* w) {
  for (int i = 0; i < w->part->nu; i++) {
    const jmodel_coordinate* c = &w->m->coordinate[w->part->u[i]];
    add(w, (state){JGEN_QDU, .of = c->name, .what = "rate", .unit = c->is_angle ? "rad/s" : "m/s",
                   .nominal = 1.0});
  }
}

static void list_states(writer* w) {
  for (int i = 0; i < w->m->nstate; i++) {
    const jmodel_state* z = &w->m->state[i];
    add(w, (state){JGEN_Z, .of = z->name, .unit = z->unit, .nominal = z->nominal,
                   .is_held = z->is_held, .is_discrete = z->is_discrete});
  }
}

// (O5)  both states of a section have the unit and the size of its signal x, which a mean has, too; what is no mean has that
// of x times s^(1/n).
static void list_filters(writer* w) {
  for (int i = 0; i < w->m->nintegrated; i++) {
    const jmodel_objective* o = &w->m->integrated[i];
    bool is_mean = jmodel_objective_class_of(o->kind)->is_mean;
    int n = jgen_objective_states(o);
    if (n == 0) continue;
    const char* second = is_mean ? "" : jarena_printf(w->a, "s^%g", -1.0 / o->power);
    const char* unit = unit_by(w, o->unit, 1.0, second ? second : "");
    for (int k = 0; k < n; k++) {
      add(w, (state){JGEN_FILTER, o->name, "filter", k + 1, unit, .nominal = o->nominal});
    }
  }
}

// (O1)  squares and powers are those of x/nominal
static bool has_scaled_power(const jmodel_objective* o) {
  return o->power > 1.0 && o->has_nominal;
}

static double integral_nominal(const jmodel_objective* o) {
  return has_scaled_power(o) ? 1.0 : o->nominal;
}

static const char* raised(writer* w, const char* unit, double power) {
  if (w->counts || !*unit) return unit;
  const char* text = jarena_printf(w->a, "(%s)^%g", unit, power);
  w->no_memory = w->no_memory || !text;
  return text;
}

static const char* integral_unit(writer* w, const jmodel_objective* o) {
  if (has_scaled_power(o)) return "s";
  if (jmodel_objective_class_of(o->kind)->is_mean) return unit_by(w, o->unit, o->power, "s");
  return o->power == 1.0 ? o->unit : raised(w, o->unit, o->power);
}

static bool is_taken(const writer* w, const char* name) {
  for (int i = 0; !w->counts && i < w->n; i++) {
    if (strcmp(w->out->name[i], name) == 0) return true;
  }
  return false;
}

// Named as the objective, which users know; models may have given that name to a coordinate or a state.
static void list_integrals(writer* w) {
  for (int i = 0; i < w->m->nintegrated && !w->no_memory; i++) {
    const jmodel_objective* o = &w->m->integrated[i];
    const char* what = is_taken(w, o->name) ? "integral" : NULL;
    add(w, (state){JGEN_INTEGRAL, o->name, what, 0, integral_unit(w, o),
                   .nominal = integral_nominal(o)});
  }
}

static void list_all(writer* w) {
  w->n = 0;
  list_positions(w, JGEN_QU, w->part->u, w->part->nu);
  list_positions(w, JGEN_QV, w->part->v, w->part->nv);
  list_velocities(w);
  list_states(w);
  list_filters(w);
  list_integrals(w);
}

// Where coordinates stand: maps from the model's order to that of y.
static void map_coordinates(jgen_layout* l, const jgen_partition* part) {
  for (int i = 0; i < l->nq; i++) {
    l->q[i] = l->qd[i] = -1;
  }
  for (int i = 0; i < part->nu; i++) {
    l->q[part->u[i]] = jgen_first(l, JGEN_QU) + i;
    l->qd[part->u[i]] = jgen_first(l, JGEN_QDU) + i;
  }
  for (int i = 0; i < part->nv; i++) {
    l->q[part->v[i]] = jgen_first(l, JGEN_QV) + i;
  }
}

static bool allocate(jgen_layout* l, jarena* a) {
  l->name = JARENA_ARRAY(a, l->ny, const char*);
  l->unit = JARENA_ARRAY(a, l->ny, const char*);
  l->nominal = JARENA_ARRAY(a, l->ny, double);
  l->is_held = JARENA_ARRAY(a, l->ny, bool);
  l->is_followed = JARENA_ARRAY(a, l->ny, bool);
  l->is_discrete = JARENA_ARRAY(a, l->ny, bool);
  l->own = JARENA_ARRAY(a, l->ny, int);
  l->q = JARENA_ARRAY(a, l->nq, int);
  l->qd = JARENA_ARRAY(a, l->nq, int);
  return l->name && l->unit && l->nominal && l->is_held && l->is_followed && l->is_discrete &&
         l->own && l->q && l->qd;
}

jo_status jgen_layout_build(jarena* a, const jmodel* m, const jgen_partition* part,
                            jgen_layout* out) {
  writer w = {.a = a, .m = m, .part = part, .out = out, .counts = true};
  *out = (jgen_layout){.nq = m->ncoordinate};
  list_all(&w);
  for (int b = 0; b < JGEN_BLOCK_COUNT; b++) {
    out->block[b].first = out->ny;
    out->ny += out->block[b].n;
  }
  if (!allocate(out, a)) return jerr_memory(a->ctx);
  w.counts = false;
  list_all(&w);
  map_coordinates(out, part);
  JASSERT(w.no_memory || w.n == out->ny);
  return w.no_memory ? jerr_memory(a->ctx) : JO_OK;
}

int jgen_own_count(const jgen_layout* l) {
  return l->nown;
}

int jgen_own(const jgen_layout* l, int i) {
  JASSERT(i >= 0 && i < l->nown);
  return l->own[i];
}

void jgen_gather(const jgen_layout* l, const double* y, double* q, double* qd) {
  for (int c = 0; c < l->nq; c++) {
    if (q && l->q[c] >= 0) q[c] = y[l->q[c]];
    if (qd && l->qd[c] >= 0) qd[c] = y[l->qd[c]];
  }
}

void jgen_scatter(const jgen_layout* l, const double* q, const double* qd, const double* z,
                  double* y) {
  for (int c = 0; c < l->nq; c++) {
    if (q && l->q[c] >= 0) y[l->q[c]] = q[c];
    if (qd && l->qd[c] >= 0) y[l->qd[c]] = qd[c];
  }
  const jgen_span* own = &l->block[JGEN_Z];
  if (z && own->n > 0) memcpy(y + own->first, z, (size_t)own->n * sizeof *z);
}
