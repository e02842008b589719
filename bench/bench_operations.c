// SPDX-License-Identifier: Apache-2.0
// Operations of one evaluation of the right-hand side by part of the equations, the same on every machine: of vehicles and of
// cars of 50 joints on a free joint, on a chain of single joints, with a trailer, and two of them.
//
//   bench_operations [FILE ...]
//
// Conditions are written out here, not held as modes: each operation stands where it was written. Run in the root of the
// repository.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plant/plant.h"

enum { MAX_MODELS = 16, MAX_PARTS = 40 };

static const char* const defaults[] = {
    "models/buggy/step_descent.yaml", "models/tracked/bump.yaml",   "models/sedan/four_poster.yaml",
    "models/sedan/drive.yaml",        "bench/models/car_free.yaml", "bench/models/car_chain.yaml",
    "bench/models/car_trailer.yaml",  "bench/models/two_cars.yaml",
};

typedef struct table {
  int npart;
  const char* part[MAX_PARTS];
  int count[MAX_PARTS][MAX_MODELS];
  int total[MAX_MODELS];       // of it
  int parameters[MAX_MODELS];  // of these, operations that depend on parameters alone
  int numbers[MAX_MODELS];     // in all, where parameters are numbers
  int kept[MAX_MODELS];        // in all, conditions as modes: what runs evaluate
  int shared
      [2][MAX_MODELS];  // derivatives by all parameters, along directions and backward: values ...
  int lanes[2][MAX_MODELS];  // ... and what every direction or weight takes
} table;

static void stop(const jo_context* ctx, const char* what) {
  fprintf(stderr, "bench_operations: %s: %s\n", what, ctx ? jo_context_message(ctx) : "");
  exit(EXIT_FAILURE);
}

static int part_of(table* t, const char* name) {
  for (int i = 0; i < t->npart; i++) {
    if (strcmp(t->part[i], name) == 0) return i;
  }
  if (t->npart == MAX_PARTS) stop(NULL, "too many parts");
  t->part[t->npart] = name;
  return t->npart++;
}

static const char* section_of(const jgen_dynamics* d, jexpr_ref r) {
  const char* name = JGEN_REST;
  for (int i = 0; i < d->nsection && d->section[i].first <= (int)r; i++) {
    name = d->section[i].name;
  }
  return (int)r < d->nwritten ? name : JGEN_REST;
}

// Nodes that depend on live numbers and on nothing else.
static int count_parameters(const jgen_dynamics* d, const jexpr_schedule* s, jarena* a) {
  const jexpr_graph* g = d->g;
  bool* varies = JARENA_ARRAY(a, g->nnode, bool);
  int n = 0;
  if (!varies) stop(NULL, "no memory");
  for (jexpr_ref r = 1; r < (jexpr_ref)g->nnode; r++) {
    varies[r] = g->node[r].op == JEXPR_INPUT && g->node[r].a != JGEN_P;
    for (int k = 0; k < jexpr_nargs(g, r); k++) {
      varies[r] = varies[r] || varies[jexpr_arg(g, r, k)];
    }
  }
  for (int i = 0; i < s->n; i++) {
    n += !varies[s->order[i]];
  }
  return n;
}

static jgen_dynamics* generate(jo_context* ctx, const jplant* p, const bool* live, bool modes) {
  jgen_dynamics* d;
  jgen_options opt = {.live = live, .modes = modes};
  if (jgen_dynamics_build(ctx, p->model, &opt, &p->dynamics->part, &d) < 0) stop(ctx, "equations");
  return d;
}

static int total_of(const jgen_dynamics* d, jarena* a, jexpr_schedule* s) {
  if (jexpr_schedule_build(a, &d->fn[JGEN_FN_RHS], s) < 0) stop(d->g->ctx, "schedule");
  return s->n;
}

// Operations of a function that depend on its direction or weight, and the others.
static void count_lanes(const jexpr_fn* fn, jarena* a, int* shared, int* lanes) {
  const jexpr_graph* g = fn->graph;
  jexpr_schedule s;
  bool* varies = JARENA_ARRAY(a, g->nnode, bool);
  if (!varies || jexpr_schedule_build(a, fn, &s) < 0) stop(g->ctx, "schedule");
  for (jexpr_ref r = 1; r < (jexpr_ref)g->nnode; r++) {
    const jexpr_node* n = &g->node[r];
    varies[r] = n->op == JEXPR_INPUT && g->group[n->a].vary == JEXPR_PER_LANE;
    for (int k = 0; k < jexpr_nargs(g, r); k++) {
      varies[r] = varies[r] || varies[jexpr_arg(g, r, k)];
    }
  }
  for (int i = 0; i < s.n; i++) {
    *(varies[s.order[i]] ? lanes : shared) += 1;
  }
}

static void count_derivatives(table* t, int column, const jplant* p, jarena* a) {
  const jmodel* m = p->model;
  int* wrt = JARENA_ARRAY(a, m->nnumber, int);
  bool* live = JARENA_ARRAY(a, m->nnumber, bool);
  if (!wrt || !live) stop(NULL, "no memory");
  jgen_options opt = {.modes = true, .live = live, .wrt = wrt};
  for (int i = 0; i < m->nnumber; i++) {
    live[i] = m->number[i].is_parameter;
    if (live[i]) wrt[opt.nwrt++] = i;
  }
  jgen_dynamics* d;
  jo_context* ctx = p->dynamics->g->ctx;
  if (jgen_dynamics_build(ctx, m, &opt, &p->dynamics->part, &d) < 0) stop(ctx, "derivatives");
  const jexpr_fn* fn[2] = {&d->sens.tangent[JGEN_FN_RHS], &d->sens.adjoint[JGEN_FN_RHS]};
  for (int k = 0; k < 2; k++) {
    count_lanes(fn[k], a, &t->shared[k][column], &t->lanes[k][column]);
  }
  jgen_dynamics_destroy(d);
}

static void count(table* t, int column, const char* path) {
  jo_context* ctx;
  jmodel* m;
  jplant* p;
  jexpr_schedule s;
  jarena a;
  if (jo_context_create(NULL, &ctx) < 0) stop(NULL, "no memory");
  if (jmodel_load(ctx, path, NULL, 0, &m) < 0) stop(ctx, path);
  jplant_options opt = jplant_options_default();
  opt.kernel.backend = JKERNEL_INTERP;
  if (jplant_create(ctx, m, &opt, &p) < 0) stop(ctx, path);
  jarena_init(&a, ctx);
  bool* none = JARENA_ARRAY(&a, m->nnumber, bool);
  if (!none) stop(NULL, "no memory");
  jgen_dynamics *d = generate(ctx, p, NULL, false), *numbers = generate(ctx, p, none, true);
  t->kept[column] = total_of(p->dynamics, &a, &s);
  t->numbers[column] = total_of(numbers, &a, &s);
  t->total[column] = total_of(d, &a, &s);
  t->parameters[column] = count_parameters(d, &s, &a);
  for (int i = 0; i < s.n; i++) {
    t->count[part_of(t, section_of(d, s.order[i]))][column]++;
  }
  count_derivatives(t, column, p, &a);
  jgen_dynamics_destroy(d);
  jgen_dynamics_destroy(numbers);
  jarena_free(&a);
  jplant_destroy(p);
  jmodel_destroy(m);
  jo_context_destroy(ctx);
}

static void print_row(const char* name, const int* n, int models) {
  printf("| %s |", name);
  for (int i = 0; i < models; i++) {
    printf(" %d |", n[i]);
  }
  printf("\n");
}

int main(int argc, char** argv) {
  static table t;
  int n = argc > 1 ? argc - 1 : (int)(sizeof defaults / sizeof *defaults);
  if (n > MAX_MODELS) stop(NULL, "too many models");
  printf("| part |");
  for (int i = 0; i < n; i++) {
    const char* path = argc > 1 ? argv[i + 1] : defaults[i];
    count(&t, i, path);
    printf(" %s |", path);
  }
  printf("\n| --- |");
  for (int i = 0; i < n; i++) {
    printf(" ---: |");
  }
  printf("\n");
  for (int i = 0; i < t.npart; i++) {
    print_row(t.part[i], t.count[i], n);
  }
  print_row("all", t.total, n);
  print_row("of it by parameters alone", t.parameters, n);
  print_row("all, conditions as modes", t.kept, n);
  print_row("all, parameters as numbers", t.numbers, n);
  print_row("derivatives by all parameters: along directions, values", t.shared[0], n);
  print_row("each direction", t.lanes[0], n);
  print_row("backward, values", t.shared[1], n);
  print_row("each weight", t.lanes[1], n);
  return EXIT_SUCCESS;
}
