// SPDX-License-Identifier: Apache-2.0
#include "study/kernels.h"

#define CACHE_LINE 64

static jo_status build(jo_context* ctx, jstudy_kernels* k, const jexpr_fn* fn, const jexpr_fn* more,
                       int nmore, const jkernel_options* opt) {
  int at[JGEN_FN_COUNT], n = 0;
  jexpr_fn* all = jmem_resize(ctx, NULL, ((size_t)JGEN_FN_COUNT + (size_t)nmore) * sizeof *all);
  if (!all) return jerr_memory(ctx);
  for (int f = 0; f < JGEN_FN_COUNT; f++) {
    at[f] = fn[f].name ? n : -1;
    if (fn[f].name) all[n++] = fn[f];
  }
  for (int i = 0; i < nmore; i++) {
    all[n + i] = more[i];
  }
  jo_status status = jkernel_build(ctx, all, n + nmore, opt, &k->set);
  jmem_free(ctx, all);
  if (status < 0) return status;
  for (int f = 0; f < JGEN_FN_COUNT; f++) {
    k->of[f] = at[f] >= 0 ? &k->set->kernel[at[f]] : NULL;
  }
  k->more = k->set->kernel + n;
  return status;
}

jo_status jstudy_kernels_create(jo_context* ctx, const jexpr_fn* fn, const jexpr_fn* more,
                                int nmore, const jkernel_options* opt, jstudy_kernels** out) {
  *out = NULL;
  jstudy_kernels* k = jmem_resize(ctx, NULL, sizeof *k);
  if (!k) return jerr_memory(ctx);
  *k = (jstudy_kernels){0};
  jo_status status = build(ctx, k, fn, more, nmore, opt);
  if (status < 0) {
    jmem_free(ctx, k);
    return status;
  }
  *out = k;
  return status;
}

void jstudy_kernels_destroy(jo_context* ctx, jstudy_kernels* k) {
  if (!k) return;
  jkernel_destroy(k->set);
  jmem_free(ctx, k);
}

double** jstudy_kernels_work(jarena* a, const jstudy_kernels* k) {
  double** work = JARENA_ARRAY(a, k->set->n, double*);
  for (int i = 0; work && i < k->set->n; i++) {
    work[i] = jstudy_kernels_vector(a, k->set->kernel[i].work);
    if (!work[i]) return NULL;
    jkernel_init_work(&k->set->kernel[i], work[i]);
  }
  return work;
}

double* jstudy_kernels_vector(jarena* a, size_t n) {
  size_t line = CACHE_LINE / sizeof(double);
  double* x = JARENA_ARRAY(a, n + line, double);
  if (!x) return NULL;
  size_t over = (uintptr_t)x % CACHE_LINE / sizeof(double);
  return over ? x + (line - over) : x;
}
