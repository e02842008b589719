// SPDX-License-Identifier: Apache-2.0
// Jacobians on demand.
#include "study/jacobian.h"

#include <pthread.h>

struct jstudy_jacobian_shelf {
  jo_context* ctx;
  jstudy_jacobian_source source;
  pthread_mutex_t guard;
  jstudy_jacobian* there;
};

static jo_status build(jstudy_jacobian* j, const jstudy_jacobian_source* s) {
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

static jo_status create(jo_context* ctx, const jstudy_jacobian_source* s, jstudy_jacobian** out) {
  *out = NULL;
  jstudy_jacobian* j = jmem_resize(ctx, NULL, sizeof *j);
  if (!j) return jerr_memory(ctx);
  *j = (jstudy_jacobian){.ctx = ctx};
  jo_status status = build(j, s);
  if (status < 0) {
    jstudy_jacobian_destroy(j);
    return status;
  }
  *out = j;
  return JO_OK;
}

void jstudy_jacobian_destroy(jstudy_jacobian* j) {
  if (!j) return;
  jkernel_destroy(j->kernels);
  jgen_dynamics_destroy(j->dynamics);
  jmem_free(j->ctx, j);
}

jstudy_jacobian_shelf* jstudy_jacobian_shelf_create(jo_context* ctx,
                                                    const jstudy_jacobian_source* source) {
  jstudy_jacobian_shelf* s = jmem_resize(ctx, NULL, sizeof *s);
  if (!s) return NULL;
  *s = (jstudy_jacobian_shelf){.ctx = ctx, .source = *source};
  pthread_mutex_init(&s->guard, NULL);
  return s;
}

void jstudy_jacobian_shelf_destroy(jstudy_jacobian_shelf* s) {
  if (!s) return;
  jstudy_jacobian_destroy(s->there);
  pthread_mutex_destroy(&s->guard);
  jmem_free(s->ctx, s);
}

static const jstudy_jacobian* take(jstudy_jacobian_shelf* s) {
  pthread_mutex_lock(&s->guard);
  const jstudy_jacobian* there = s->there;
  pthread_mutex_unlock(&s->guard);
  return there;
}

static void put(jstudy_jacobian_shelf* s, jstudy_jacobian* j) {
  pthread_mutex_lock(&s->guard);
  s->there = j;
  pthread_mutex_unlock(&s->guard);
}

jo_status jstudy_jacobian_get(jo_context* ctx, jstudy_jacobian_shelf* shelf, const jkernel** kernel,
                              jstudy_jacobian** own) {
  *own = NULL;
  const jstudy_jacobian* j = take(shelf);
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
