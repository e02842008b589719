// SPDX-License-Identifier: Apache-2.0
// The road of a replay: its expression read with x and y as inputs and evaluated over a grid. A road
// that needs more than parameters, tables and time is left out of the picture.
#include <math.h>
#include <string.h>

#include "export/replay.h"
#include "expr/order.h"
#include "expr/tape.h"
#include "plant/values.h"

#define MARGIN 2.5   // beyond the wheels [m]
#define FINEST 0.05  // of the grid along x [m]
#define MAX_X  400
#define MAX_Y  16

typedef struct scope {
  const jmodel* m;
  jarena* a;
  jplant_folder folder;
  int group;
  int depth;        // expr/order.h
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

// ---- the grid ------------------------------------------------------------------------------------

static void lay_out(jexport_replay* r) {
  double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
  for (int i = 0; i < r->nframe * r->nwheel; i++) {
    for (int k = 0; k < 2; k++) {
      low[k] = fmin(low[k], r->spin[9 * i + k]);
      high[k] = fmax(high[k], r->spin[9 * i + k]);
    }
  }
  double length = high[0] - low[0] + 2.0 * MARGIN, width = high[1] - low[1] + 2.0 * MARGIN;
  if (!isfinite(length) || !isfinite(width)) return;  // there is no road to a place that is none
  jexport_replay_road* road = &r->road;
  road->nx = (int)fmin(MAX_X, ceil(length / FINEST)) + 1;
  road->ny = MAX_Y + 1;
  road->x0 = low[0] - MARGIN;
  road->y0 = low[1] - MARGIN;
  road->dx = length / (road->nx - 1);
  road->dy = width / (road->ny - 1);
}

static jo_status evaluate(jexport_replay* r, jexpr_graph* g, jexpr_ref height, jarena* scratch) {
  jexport_replay_road* road = &r->road;
  jexpr_outputs out = {"z", 1, &height};
  jexpr_fn fn = {"road", g, 1, &out};
  jexpr_tape tape;
  JO_TRY(jexpr_tape_build(r->ctx, scratch, &fn, &tape));
  double* work = JARENA_ARRAY(scratch, jexpr_tape_work(&tape, 1), double);
  road->z = JARENA_ARRAY(&r->arena, road->nx * road->ny, double);
  if (!work || !road->z) return jerr_memory(r->ctx);
  jexpr_tape_init(&tape, 1, work);
  for (int i = 0; i < road->nx * road->ny; i++) {
    double at[2] = {road->x0 + i / road->ny * road->dx, road->y0 + i % road->ny * road->dy};
    const double* in[1] = {at};
    jexpr_tape_eval(&tape, 1, in, (double* const[]){&road->z[i]}, work);
    if (!isfinite(road->z[i])) road->z[i] = 0.0;
  }
  return JO_OK;
}

jo_status jexport_replay_pave(jexport_replay* r, const jmodel* m) {
  if (r->nwheel == 0 || r->nframe == 0) return JO_OK;
  jarena scratch;
  jarena_init(&scratch, r->ctx);
  jexpr_graph* g = jexpr_graph_create(r->ctx);
  if (!g) return jerr_memory(r->ctx);
  scope s = {.m = m, .a = &scratch, .group = jexpr_group(g, "place", 2, JEXPR_PER_LANE)};
  jexpr_scope names = {.find = find, .user = &s, .call = call, .depth = &s.depth};
  s.folder = (jplant_folder){m, JARENA_ARRAY(&scratch, m->nparameter, jexpr_ref), &names, 0};
  if (!s.folder.parameter && g->status == JO_OK) g->status = jerr_memory(r->ctx);
  jexpr_ref height = JEXPR_POISON;
  if (g->status == JO_OK) {
    height = m->has_road ? read_scalar(&s, g, &m->road) : jexpr_const(g, 0.0);
  }
  jo_status status = g->status;
  if (status >= 0 && height && !s.is_strange) {
    lay_out(r);
    if (r->road.nx > 0) status = evaluate(r, g, height, &scratch);
  }
  jexpr_graph_destroy(g);
  jarena_free(&scratch);
  return status;
}
