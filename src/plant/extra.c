// SPDX-License-Identifier: Apache-2.0
// Functions on demand.
#include "plant/extra.h"

#include <pthread.h>

enum { MAX_FUNCTIONS = 2 };

struct jplant_extra_shelf {
  jo_context* ctx;
  jplant_extra_source source;
  pthread_mutex_t guard;
  jplant_extra* there[JPLANT_EXTRA_COUNT];
};

static jo_status compile(jplant_extra* x, const jkernel_options* opt, const jgen_fn* f, int n) {
  jexpr_fn fn[MAX_FUNCTIONS];
  for (int i = 0; i < n; i++) {
    fn[i] = x->dynamics->fn[f[i]];
  }
  if (!fn[0].name) return JO_OK;
  jkernel_options kernel = *opt;
  kernel.lanes = 1;
  return jkernel_build(x->ctx, fn, n, &kernel, &x->kernels);
}

typedef struct content {
  const char* text;
  int n;
  jgen_fn fn[MAX_FUNCTIONS];
} content;

static const content contents[JPLANT_EXTRA_COUNT] = {
    [JPLANT_JACOBIAN] = {"Jacobian", 1, {JGEN_FN_JACOBIAN}},
    [JPLANT_LOCAL] = {"part of local states", 2, {JGEN_FN_FEEDS, JGEN_FN_LOCAL}},
    [JPLANT_GAINS] = {"effect of local states", 1, {JGEN_FN_GAINS}},
};

static jo_status build(jplant_extra* x, const jplant_extra_source* s, jplant_extra_kind kind) {
  const jgen_dynamics* d = s->dynamics;
  jgen_options gen = {.live = s->live, .modes = true};
  gen.jacobian = kind == JPLANT_JACOBIAN;
  gen.local = kind == JPLANT_LOCAL;
  gen.gains = kind == JPLANT_GAINS;
  JO_TRY(jgen_dynamics_build(x->ctx, s->model, &gen, &d->part, &x->dynamics));
  if (x->dynamics->ny != d->ny || x->dynamics->nswitch != d->nswitch || x->dynamics->np != d->np) {
    return jerr_set(x->ctx, JO_ERR_MODEL, "%s: the %s does not fit the equations", s->model->path,
                    contents[kind].text);
  }
  return compile(x, &s->kernel, contents[kind].fn, contents[kind].n);
}

static jo_status create(jo_context* ctx, const jplant_extra_source* s, jplant_extra_kind kind,
                        jplant_extra** out) {
  *out = NULL;
  jplant_extra* x = jmem_resize(ctx, NULL, sizeof *x);
  if (!x) return jerr_memory(ctx);
  *x = (jplant_extra){.ctx = ctx};
  jo_status status = build(x, s, kind);
  if (status < 0) {
    jplant_extra_destroy(x);
    return status;
  }
  *out = x;
  return JO_OK;
}

void jplant_extra_destroy(jplant_extra* x) {
  if (!x) return;
  jkernel_destroy(x->kernels);
  jgen_dynamics_destroy(x->dynamics);
  jmem_free(x->ctx, x);
}

jplant_extra_shelf* jplant_extra_shelf_create(jo_context* ctx, const jplant_extra_source* source) {
  jplant_extra_shelf* s = jmem_resize(ctx, NULL, sizeof *s);
  if (!s) return NULL;
  *s = (jplant_extra_shelf){.ctx = ctx, .source = *source};
  pthread_mutex_init(&s->guard, NULL);
  return s;
}

void jplant_extra_shelf_destroy(jplant_extra_shelf* s) {
  if (!s) return;
  for (int i = 0; i < JPLANT_EXTRA_COUNT; i++) {
    jplant_extra_destroy(s->there[i]);
  }
  pthread_mutex_destroy(&s->guard);
  jmem_free(s->ctx, s);
}

static const jplant_extra* take(jplant_extra_shelf* s, jplant_extra_kind kind) {
  pthread_mutex_lock(&s->guard);
  const jplant_extra* there = s->there[kind];
  pthread_mutex_unlock(&s->guard);
  return there;
}

static void put(jplant_extra_shelf* s, jplant_extra_kind kind, jplant_extra* x) {
  pthread_mutex_lock(&s->guard);
  s->there[kind] = x;
  pthread_mutex_unlock(&s->guard);
}

jo_status jplant_extra_get(jo_context* ctx, jplant_extra_shelf* shelf, jplant_extra_kind kind,
                           const jplant_extra** out, jplant_extra** own) {
  *own = NULL;
  *out = take(shelf, kind);
  if (*out) return JO_OK;
  JO_TRY(create(ctx, &shelf->source, kind, own));
  *out = *own;
  if (ctx == shelf->ctx) {
    put(shelf, kind, *own);
    *own = NULL;
  }
  return JO_OK;
}
