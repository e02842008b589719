// SPDX-License-Identifier: Apache-2.0
// The road by itself: its expression read with x and y as inputs, and the tables of the model.
#include "scene/road.h"

#include <math.h>
#include <string.h>

#include "expr/tape/order.h"
#include "expr/tape/tape.h"
#include "gen/force/road_shape.h"
#include "plant/values.h"

typedef struct scope {
  const jmodel* m;
  jarena* a;
  jplant_folder folder;
  jexpr_graph* g;
  int group;
  int depth;        // expr/tape/order.h
  bool is_strange;  // a name of something else, or tables and parameters that go too deep
} scope;

static bool is(const char* name, size_t n, const char* text) {
  return strlen(text) == n && memcmp(name, text, n) == 0;
}

// Coordinates, states, signals, and what is told of bodies and elements: "chassis.P1.x".
static bool is_of_motion(const jmodel* m, const char* name, size_t n) {
  bool found = memchr(name, '.', n) != NULL;
  for (int i = 0; i < m->ncoordinate && !found; i++) {
    found = is(name, n, m->coordinate[i].name);
  }
  for (int i = 0; i < m->nstate && !found; i++) {
    found = is(name, n, m->state[i].name);
  }
  for (int i = 0; i < m->nsignal && !found; i++) {
    found = is(name, n, m->signal[i].name);
  }
  return found;
}

static jexpr_ref find(void* user, jexpr_graph* g, const char* name, size_t n) {
  scope* s = user;
  const jmodel* m = s->m;
  if (is(name, n, "x") || is(name, n, "y")) return jexpr_input(g, s->group, *name - 'x');
  if (is(name, n, "t")) return jexpr_const(g, m->simulation.t_start);
  jexpr_ref parameter = jplant_fold_parameter(&s->folder, g, name, n);
  if (parameter) return parameter;
  for (int i = 0; i < m->nnumber; i++) {
    if (is(name, n, m->number[i].path)) return jexpr_const(g, m->number[i].value);
  }
  if (!is_of_motion(m, name, n)) return JEXPR_POISON;  // a constant such as pi
  s->is_strange = true;
  return jexpr_const(g, 0.0);
}

static jexpr_ref call(void* user, jexpr_graph* g, const char* name, size_t n, const jexpr_ref* args,
                      int nargs, int* expected) {
  scope* s = user;
  s->depth += JEXPR_NAME_LEVELS;
  bool is_deep = s->depth > JEXPR_DEEPEST;
  s->is_strange |= is_deep;
  jexpr_ref r = is_deep ? jexpr_const(g, 0.0)
                        : jplant_fold_call(&s->folder, g, name, n, args, nargs, expected);
  s->depth -= JEXPR_NAME_LEVELS;
  return r;
}

static jexpr_ref read_scalar(scope* s, jexpr_graph* g, const jmodel_scalar* x) {
  s->depth += JEXPR_NAME_LEVELS;
  bool is_deep = s->depth > JEXPR_DEEPEST;
  s->is_strange |= is_deep;
  jexpr_ref r = is_deep ? jexpr_const(g, 0.0) : jplant_fold(&s->folder, g, x);
  s->depth -= JEXPR_NAME_LEVELS;
  return r;
}

static jexpr_ref read_value(void* user, const jmodel_scalar* x, const char* name) {
  (void)name;
  scope* s = user;
  return read_scalar(s, s->g, x);
}

// ---- heights -------------------------------------------------------------------------------------

static jo_status evaluate(jo_context* ctx, jarena* scratch, const jmodel* m, const jexpr_fn* fn,
                          int n, const double* xy, double* z) {
  jexpr_tape tape;
  double* work;
  JO_TRY(jexpr_tape_prepare(ctx, scratch, fn, &tape, &work));
  for (int i = 0; i < n; i++) {
    const double* in[2] = {xy + 2 * i, jdata_as_input(jmodel_road_data(m))};
    jexpr_tape_eval(&tape, 1, in, (double* const[]){&z[i]}, work);
  }
  return JO_OK;
}

static jexpr_ref write_height(scope* s, jexpr_graph* g) {
  const jmodel* m = s->m;
  jexpr_ref z = m->has_road ? read_scalar(s, g, &m->road) : jexpr_const(g, 0.0);
  jgen_road_reading parts = {g, jexpr_group(g, "road", 0, JEXPR_UNIFORM), read_value, s};
  jexpr_ref x = jexpr_input(g, s->group, 0), y = jexpr_input(g, s->group, 1);
  return z ? jexpr_add(g, z, jgen_road_parts(&parts, m, JGEN_ROAD_ALL, x, y)) : z;
}

jo_status jscene_road_heights(jo_context* ctx, const jmodel* m, int n, const double* xy, double* z,
                              bool* known) {
  jarena scratch;
  jarena_init(&scratch, ctx);
  *known = false;
  jexpr_graph* g = jexpr_graph_create(ctx);
  if (!g) return jerr_memory(ctx);
  scope s = {.m = m, .a = &scratch, .g = g, .group = jexpr_group(g, "place", 2, JEXPR_PER_LANE)};
  jexpr_scope names = {.find = find, .user = &s, .call = call, .depth = &s.depth};
  s.folder = (jplant_folder){m, JARENA_ARRAY(&scratch, m->nparameter, jexpr_ref), &names, 0};
  if (!s.folder.parameter && g->status == JO_OK) g->status = jerr_memory(ctx);
  jexpr_ref height = g->status == JO_OK ? write_height(&s, g) : JEXPR_POISON;
  jo_status status = g->status;
  if (status >= 0 && height && !s.is_strange) {
    jexpr_outputs out = {"z", 1, &height};
    jexpr_fn fn = {"road", g, 1, &out};
    status = evaluate(ctx, &scratch, m, &fn, n, xy, z);
    *known = status >= 0;
  }
  jexpr_graph_destroy(g);
  jarena_free(&scratch);
  return status;
}
