// SPDX-License-Identifier: Apache-2.0
// A model, its plant and a run, for tests of whole systems.
#include "support/laboratory.h"

#include "support/check.h"

void laboratory_open(laboratory* l, const char* path, const char* text, const jplant_options* opt) {
  *l = (laboratory){0};
  assert_int_equal(jo_context_create(NULL, &l->ctx), JO_OK);
  jo_status status = text ? jmodel_parse(l->ctx, text, strlen(text), path, NULL, 0, &l->model)
                          : jmodel_load(l->ctx, path, NULL, 0, &l->model);
  assert_ok(l->ctx, status);
  assert_ok(l->ctx, jplant_create(l->ctx, l->model, opt, &l->plant));
  assert_ok(l->ctx, jplant_work_create(l->ctx, l->plant, &l->run));
  const jgen_dynamics* d = l->plant->dynamics;
  l->y = calloc((size_t)d->ny + 1, sizeof *l->y);
  l->g = calloc((size_t)d->nswitch + 1, sizeof *l->g);
  assert_non_null(l->y);
  assert_non_null(l->g);
  laboratory_disturb(l, 0, 0.0);
}

void laboratory_close(laboratory* l) {
  jplant_work_destroy(l->run);
  jplant_destroy(l->plant);
  jmodel_destroy(l->model);
  jo_context_destroy(l->ctx);
  free(l->y);
  free(l->g);
}

static double noise(uint64_t* state) {
  *state = *state * 6364136223846793005u + 1442695040888963407u;
  return (double)(int64_t)(*state >> 11) / 4503599627370496.0 - 1.0;
}

void laboratory_disturb(laboratory* l, unsigned seed, double size) {
  const jgen_dynamics* d = l->plant->dynamics;
  uint64_t state = seed * 7919u + 17u;
  l->t = l->model->simulation.t_start;
  memcpy(l->y, l->plant->y0, (size_t)d->ny * sizeof *l->y);
  for (int i = 0; i < d->part.nu; i++) {
    l->y[jgen_first(&d->layout, JGEN_QU) + i] += size * noise(&state);
    l->y[jgen_first(&d->layout, JGEN_QDU) + i] += 10.0 * size * noise(&state);
  }
  for (int i = jgen_first(&d->layout, JGEN_Z); i < jgen_first(&d->layout, JGEN_INTEGRAL); i++) {
    l->y[i] += size * noise(&state);
  }
  jsolve_system* s = &l->run->system;
  if (s->project) assert_ok(l->ctx, s->project(s->user, l->t, l->y));
  jsolve_set_modes(s, l->t, l->y, l->g);
}
