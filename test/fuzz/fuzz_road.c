// SPDX-License-Identifier: Apache-2.0
// Fuzz target: any bytes as a file of a road, OpenCRG or a profile. A failure says why; what is read makes tables that can
// be evaluated anywhere, with finite heights inside of them.
//
//   ./fuzz_road -max_len=4096 -dict=test/fuzz/road.dict test/fuzz/corpus_road
#include <math.h>

#include "base/err.h"
#include "fuzz.h"
#include "road/file.h"
#include "support/error_count.h"

#define MOST_VALUES 1e5

static void walk(const jroad_surface* s, const jroad_source* source, int table) {
  const jroad_table* t = &s->table[table];
  for (int i = -2; i < 12; i++) {
    double u = source->u0 + i * 0.1 * source->du * (source->nu - 1);
    double v = t->v[0] + i * 0.1 * (t->v[t->nv - 1] - t->v[0]);
    double z = s->data.at(&s->data, table, 0, 0, u, v);
    double slope = s->data.at(&s->data, table, 1, 1, u, v);
    require(i < 0 || i > 9 || (isfinite(z) && isfinite(slope)) || !isfinite(u) || !isfinite(v));
  }
}

// Heights may be as large as numbers get: then sums of them are not finite.
static bool is_moderate(const jroad_source* s) {
  bool ok = jroad_size(s) < MOST_VALUES && fabs(s->u0) < 1e9 && s->du > 1e-6 && s->du < 1e6;
  for (int i = 0; ok && i < s->nu * s->nv; i++) {
    ok = fabs(s->value[i]) < 1e9;
  }
  for (int j = 0; ok && j < s->nv; j++) {
    ok = fabs(s->v[j]) < 1e6 && (j == 0 || s->v[j] - s->v[j - 1] > 1e-6);
  }
  return ok;
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  jo_context* ctx = NULL;
  jarena a;
  require(jo_context_create(NULL, &ctx) == JO_OK);
  jarena_init(&a, ctx);
  // readers may count on a zero behind the text, as files have it
  char* text = jmem_resize(ctx, NULL, size + 1);
  memcpy(text, data, size);
  text[size] = '\0';
  jroad_text file = {"fuzz", text, size};
  jroad_source source[JROAD_CRG_TABLES];
  bool is_grid = size > 0 && text[0] == '$';
  int n = is_grid ? JROAD_CRG_TABLES : 1;
  jo_status status = is_grid ? jroad_read_crg(ctx, &a, &file, source)
                             : jroad_read_profile(ctx, &a, &file, 1.5, source);
  require((status < 0) == (error_count(ctx) > 0));
  bool ok = status >= 0;
  for (int i = 0; ok && i < n; i++) {
    ok = is_moderate(&source[i]);
  }
  jroad_surface* s = NULL;
  if (ok && jroad_build(ctx, &a, source, n, &s) >= 0) {
    walk(s, &source[n - 1], n - 1);
    if (is_grid) require(isfinite(s->data.at(&s->data, 0, JDATA_FOOT, 0, 3.0, 4.0)));
  }
  jmem_free(ctx, text);
  jarena_free(&a);
  jo_context_destroy(ctx);
  return 0;
}
