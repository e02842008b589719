// SPDX-License-Identifier: Apache-2.0
#include "plant/kernels.h"

#define CACHE_LINE 64

static bool is_called_seldom(jgen_fn f, jplant_kernels_use use) {
  switch (jgen_fn_about(f)->use) {
    case JGEN_USE_OUTPUTS: return !use.outputs;
    case JGEN_USE_GUARDS: return !use.guards;
    case JGEN_USE_SELDOM: return true;
    default: return false;
  }
}

static jo_status build(jo_context* ctx, jplant_kernels* k, const jexpr_fn* fn, const jexpr_fn* more,
                       int nmore, jplant_kernels_use use, const jkernel_options* opt) {
  int at[JGEN_FN_COUNT], n = 0;
  size_t most = (size_t)JGEN_FN_COUNT + (size_t)nmore;
  jexpr_fn* all = jmem_resize(ctx, NULL, most * sizeof *all);
  bool* is_seldom = jmem_resize(ctx, NULL, most * sizeof *is_seldom);
  jo_status status = all && is_seldom ? JO_OK : jerr_memory(ctx);
  for (int f = 0; status >= 0 && f < JGEN_FN_COUNT; f++) {
    at[f] = fn[f].name ? n : -1;
    if (!fn[f].name) continue;
    is_seldom[n] = is_called_seldom((jgen_fn)f, use);
    all[n++] = fn[f];
  }
  for (int i = 0; status >= 0 && i < nmore; i++) {
    is_seldom[n + i] = false;
    all[n + i] = more[i];
  }
  jkernel_options o = *opt;
  o.is_seldom = is_seldom;
  if (status >= 0) status = jkernel_build(ctx, all, n + nmore, &o, &k->set);
  jmem_free(ctx, all);
  jmem_free(ctx, is_seldom);
  if (status < 0) return status;
  for (int f = 0; f < JGEN_FN_COUNT; f++) {
    k->of[f] = at[f] >= 0 ? &k->set->kernel[at[f]] : NULL;
  }
  k->more = k->set->kernel + n;
  return status;
}

jo_status jplant_kernels_create(jo_context* ctx, const jexpr_fn* fn, const jexpr_fn* more,
                                int nmore, jplant_kernels_use use, const jkernel_options* opt,
                                jplant_kernels** out) {
  *out = NULL;
  jplant_kernels* k = jmem_resize(ctx, NULL, sizeof *k);
  if (!k) return jerr_memory(ctx);
  *k = (jplant_kernels){0};
  jo_status status = build(ctx, k, fn, more, nmore, use, opt);
  if (status < 0) {
    jmem_free(ctx, k);
    return status;
  }
  *out = k;
  return status;
}

void jplant_kernels_destroy(jo_context* ctx, jplant_kernels* k) {
  if (!k) return;
  jkernel_destroy(k->set);
  jmem_free(ctx, k);
}

double** jplant_kernels_work(jarena* a, const jplant_kernels* k) {
  double** work = JARENA_ARRAY(a, k->set->n, double*);
  for (int i = 0; work && i < k->set->n; i++) {
    work[i] = jplant_kernels_vector(a, k->set->kernel[i].work);
    if (!work[i]) return NULL;
    jkernel_init_work(&k->set->kernel[i], work[i]);
  }
  return work;
}

double* jplant_kernels_vector(jarena* a, size_t n) {
  size_t line = CACHE_LINE / sizeof(double);
  double* x = JARENA_ARRAY(a, n + line, double);
  if (!x) return NULL;
  size_t over = (uintptr_t)x % CACHE_LINE / sizeof(double);
  return over ? x + (line - over) : x;
}
