// SPDX-License-Identifier: Apache-2.0
// Derivative kernels, of the first plant at once and of its siblings on demand.
#include "sens/sibling.h"

#include <pthread.h>

#define ADJOINT_LANES 2  // weights and their error

struct jsens_kernel_shelf {
  jo_context* ctx;
  jsens_kernel_options opt;
  pthread_mutex_t guard;
  int n, cap;
  jsens_kernels** member;
};

static jo_status build(jsens_kernels* k, const jsens_kernel_options* opt) {
  const jgen_sens* g = &k->plant->dynamics->sens;
  jkernel_options kernel = opt->kernel;
  jplant_kernels_use use = {.outputs = opt->histories};
  if (opt->direct) {
    kernel.lanes = opt->lanes;
    JO_TRY(jplant_kernels_create(k->ctx, g->tangent, NULL, 0, use, &kernel, &k->tangents));
  }
  if (opt->adjoint) {
    kernel.lanes = ADJOINT_LANES;
    JO_TRY(jplant_kernels_create(k->ctx, g->adjoint, NULL, 0, use, &kernel, &k->adjoints));
  }
  return JO_OK;
}

jo_status jsens_kernels_create(jo_context* ctx, const jplant* p, const jsens_kernel_options* opt,
                               jsens_kernels** out) {
  *out = NULL;
  jsens_kernels* k = jmem_resize(ctx, NULL, sizeof *k);
  if (!k) return jerr_memory(ctx);
  *k = (jsens_kernels){.ctx = ctx, .plant = p};
  jo_status status = build(k, opt);
  if (status < 0) {
    jsens_kernels_destroy(k);
    return status;
  }
  *out = k;
  return JO_OK;
}

void jsens_kernels_destroy(jsens_kernels* k) {
  if (!k) return;
  jplant_kernels_destroy(k->ctx, k->tangents);
  jplant_kernels_destroy(k->ctx, k->adjoints);
  jmem_free(k->ctx, k);
}

jsens_kernel_shelf* jsens_kernel_shelf_create(jo_context* ctx, const jsens_kernel_options* opt) {
  jsens_kernel_shelf* s = jmem_resize(ctx, NULL, sizeof *s);
  if (!s) return NULL;
  *s = (jsens_kernel_shelf){.ctx = ctx, .opt = *opt};
  pthread_mutex_init(&s->guard, NULL);
  return s;
}

jsens_kernel_shelf* jsens_kernel_shelf_like(jo_context* ctx, const jsens_kernel_shelf* s) {
  return jsens_kernel_shelf_create(ctx, &s->opt);
}

void jsens_kernel_shelf_destroy(jsens_kernel_shelf* s) {
  if (!s) return;
  for (int i = 0; i < s->n; i++) {
    jsens_kernels_destroy(s->member[i]);
  }
  jmem_free(s->ctx, s->member);
  pthread_mutex_destroy(&s->guard);
  jmem_free(s->ctx, s);
}

static const jsens_kernels* find(jsens_kernel_shelf* s, const jplant* p) {
  const jsens_kernels* found = NULL;
  pthread_mutex_lock(&s->guard);
  for (int i = 0; !found && i < s->n; i++) {
    if (s->member[i]->plant == p) found = s->member[i];
  }
  pthread_mutex_unlock(&s->guard);
  return found;
}

static bool keep(jsens_kernel_shelf* s, jsens_kernels* k) {
  pthread_mutex_lock(&s->guard);
  bool ok = jmem_grow(s->ctx, &s->member, &s->cap, s->n + 1, sizeof(jsens_kernels*));
  if (ok) s->member[s->n++] = k;
  pthread_mutex_unlock(&s->guard);
  return ok;
}

jo_status jsens_kernel_shelf_get(jo_context* ctx, jsens_kernel_shelf* s, const jplant* p,
                                 const jsens_kernels** out, jsens_kernels** own) {
  *own = NULL;
  *out = find(s, p);
  if (*out) return JO_OK;
  JO_TRY(jsens_kernels_create(ctx, p, &s->opt, own));
  *out = *own;
  if (ctx != s->ctx) return JO_OK;
  if (!keep(s, *own)) {
    jsens_kernels_destroy(*own);
    *own = NULL;
    *out = NULL;
    return jerr_memory(ctx);
  }
  *own = NULL;
  return JO_OK;
}
