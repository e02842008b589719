// SPDX-License-Identifier: Apache-2.0
// Siblings on demand.
#include <pthread.h>

#include "plant/plant.h"

struct jplant_family {
  jo_context* ctx;
  pthread_mutex_t guard;
  int n, cap;
  jplant** member;
};

jplant_family* jplant_family_create(jo_context* ctx) {
  jplant_family* f = jmem_resize(ctx, NULL, sizeof *f);
  if (!f) return NULL;
  *f = (jplant_family){.ctx = ctx};
  pthread_mutex_init(&f->guard, NULL);
  return f;
}

void jplant_family_destroy(jplant_family* f) {
  if (!f) return;
  for (int i = 0; i < f->n; i++) {
    jplant_destroy(f->member[i]);
  }
  jmem_free(f->ctx, f->member);
  pthread_mutex_destroy(&f->guard);
  jmem_free(f->ctx, f);
}

static const jplant* find(jplant_family* f, const jgen_partition* part) {
  const jplant* found = NULL;
  pthread_mutex_lock(&f->guard);
  for (int i = 0; !found && i < f->n; i++) {
    if (jgen_partition_is_same(&f->member[i]->dynamics->part, part)) found = f->member[i];
  }
  pthread_mutex_unlock(&f->guard);
  return found;
}

static bool keep(jplant_family* f, jplant* p) {
  pthread_mutex_lock(&f->guard);
  bool ok = jmem_grow(f->ctx, &f->member, &f->cap, f->n + 1, sizeof(jplant*));
  if (ok) f->member[f->n++] = p;
  pthread_mutex_unlock(&f->guard);
  return ok;
}

jo_status jplant_family_get(jo_context* ctx, const jplant* first, const jgen_partition* part,
                            const jplant** out, jplant** own) {
  jplant_family* f = first->family;
  *own = NULL;
  *out = find(f, part);
  if (*out) return JO_OK;
  int said = jo_context_diagnostic_count(ctx);
  JO_TRY(jplant_create_sibling(ctx, first, part, own));
  jerr_forget(ctx, said);  // what there was to warn of was said of the first
  *out = *own;
  if (ctx != f->ctx) return JO_OK;
  if (!keep(f, *own)) {
    jplant_destroy(*own);
    *own = NULL;
    *out = NULL;
    return jerr_memory(ctx);
  }
  *own = NULL;
  return JO_OK;
}
