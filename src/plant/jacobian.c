// SPDX-License-Identifier: Apache-2.0
// Jacobians on demand.
#include "plant/jacobian.h"

#include <pthread.h>

struct jplant_jacobian_shelf {
  jo_context* ctx;
  jplant_jacobian_source source;
  pthread_mutex_t guard;
  jplant_jacobian* there;
};

static jo_status build(jplant_jacobian* j, const jplant_jacobian_source* s) {
  const jgen_dynamics* d = s->dynamics;
  jgen_options gen = {.live = s->live, .modes = true, .jacobian = true};
  JO_TRY(jgen_dynamics_build(j->ctx, s->model, &gen, &d->part, &j->dynamics));
  if (j->dynamics->ny != d->ny || j->dynamics->nswitch != d->nswitch || j->dynamics->np != d->np) {
    return jerr_set(j->ctx, JO_ERR_MODEL, "%s: the Jacobian does not fit the equations",
                    s->model->path);
  }
  jkernel_options kernel = s->kernel;
  kernel.lanes = 1;
  return jkernel_build(j->ctx, &j->dynamics->fn[JGEN_FN_JACOBIAN], 1, &kernel, &j->kernels);
}

static jo_status create(jo_context* ctx, const jplant_jacobian_source* s, jplant_jacobian** out) {
  *out = NULL;
  jplant_jacobian* j = jmem_resize(ctx, NULL, sizeof *j);
  if (!j) return jerr_memory(ctx);
  *j = (jplant_jacobian){.ctx = ctx};
  jo_status status = build(j, s);
  if (status < 0) {
    jplant_jacobian_destroy(j);
    return status;
  }
  *out = j;
  return JO_OK;
}

void jplant_jacobian_destroy(jplant_jacobian* j) {
  if (!j) return;
  jkernel_destroy(j->kernels);
  jgen_dynamics_destroy(j->dynamics);
  jmem_free(j->ctx, j);
}

jplant_jacobian_shelf* jplant_jacobian_shelf_create(jo_context* ctx,
                                                    const jplant_jacobian_source* source) {
  jplant_jacobian_shelf* s = jmem_resize(ctx, NULL, sizeof *s);
  if (!s) return NULL;
  *s = (jplant_jacobian_shelf){.ctx = ctx, .source = *source};
  pthread_mutex_init(&s->guard, NULL);
  return s;
}

void jplant_jacobian_shelf_destroy(jplant_jacobian_shelf* s) {
  if (!s) return;
  jplant_jacobian_destroy(s->there);
  pthread_mutex_destroy(&s->guard);
  jmem_free(s->ctx, s);
}

static const jplant_jacobian* take(jplant_jacobian_shelf* s) {
  pthread_mutex_lock(&s->guard);
  const jplant_jacobian* there = s->there;
  pthread_mutex_unlock(&s->guard);
  return there;
}

static void put(jplant_jacobian_shelf* s, jplant_jacobian* j) {
  pthread_mutex_lock(&s->guard);
  s->there = j;
  pthread_mutex_unlock(&s->guard);
}

jo_status jplant_jacobian_get(jo_context* ctx, jplant_jacobian_shelf* shelf, const jkernel** kernel,
                              jplant_jacobian** own) {
  *own = NULL;
  const jplant_jacobian* j = take(shelf);
  if (!j) {
    JO_TRY(create(ctx, &shelf->source, own));
    j = *own;
    if (ctx == shelf->ctx) {
      put(shelf, *own);
      *own = NULL;
    }
  }
  *kernel = &j->kernels->kernel[0];
  return JO_OK;
}
