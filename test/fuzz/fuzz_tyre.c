// SPDX-License-Identifier: Apache-2.0
// Fuzz target: any bytes as a property file of a tyre and, behind a line of dashes, as a table of inputs for it. A failure
// says why; forces and radii of what is read are finite, or evaluating them fails with a cause; tables that come out
// have no formulas.
//
//   ./fuzz_tyre -max_len=4096 -dict=test/fuzz/tyre.dict test/fuzz/corpus_tyre
#include <math.h>

#include "fuzz.h"
#include "jounce/jounce.h"
#include "support/error_count.h"

#define MOST_OUTPUTS 64

static void evaluate(jo_context* ctx, const jo_tyre* tyre, int vertical) {
  jo_tyre_options opt = {.vertical = vertical};
  jo_tyre_function* f = NULL;
  jo_status status = jo_tyre_function_create(ctx, tyre, &opt, &f);
  require((status < 0) == (error_count(ctx) > 0));
  jo_context_clear(ctx);
  if (status < 0) return;
  double in[JO_TYRE_INPUTS], out[MOST_OUTPUTS];
  require(jo_tyre_output_count(f) <= MOST_OUTPUTS);
  for (int k = 0; k < 5; k++) {
    for (int i = 0; i < JO_TYRE_INPUTS; i++) {
      in[i] = jo_tyre_input_default(f, i);
    }
    if (k > 0 && k <= 3) in[k] += 0.1;
    if (k == 4) in[0] = -1.0;
    status = jo_tyre_evaluate(f, in, out);
    require((status < 0) == (error_count(ctx) > 0));
    for (int i = 0; status >= 0 && i < jo_tyre_output_count(f); i++) {
      require(isfinite(out[i]));
    }
    jo_context_clear(ctx);
  }
  jo_tyre_function_destroy(f);
}

// Cells that are no numbers do not begin with what makes a formula.
static void check_table(const char* text) {
  bool begins = true;
  for (const char* s = text; *s; s++) {
    require(*s == '\n' || (unsigned char)*s >= ' ' || *s == '\t');
    if (begins && (*s == '=' || *s == '@')) require(s[1] == ',' || s[1] == '\n' || s[1] == '"');
    begins = *s == ',' || *s == '\n' || *s == ';' || *s == '"';
  }
}

static void make_table(jo_context* ctx, const jo_tyre* tyre, const uint8_t* data, size_t size) {
  const char* path = fuzz_path(".csv");
  jo_tyre_table* table = NULL;
  fuzz_save(path, data, size);
  jo_status status = jo_tyre_table_create(ctx, tyre, NULL, path, &table);
  require((status < 0) == (error_count(ctx) > 0));
  if (status >= 0) check_table(jo_tyre_table_text(table));
  jo_tyre_table_destroy(table);
  remove(path);
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  jo_context* ctx = NULL;
  jo_tyre* tyre = NULL;
  size_t n = 0;
  while (n < size && !(n + 4 < size && memcmp(data + n, "----\n", 5) == 0)) {
    n++;
  }
  require(jo_context_create(NULL, &ctx) == JO_OK);
  const char* path = fuzz_path(".tir");
  fuzz_save(path, data, n);
  jo_status status = jo_tyre_load(ctx, path, NULL, 0, &tyre);
  remove(path);
  require((status < 0) == (error_count(ctx) > 0));
  jo_context_clear(ctx);
  if (status >= 0) {
    evaluate(ctx, tyre, 0);
    evaluate(ctx, tyre, 1);
    if (n < size) make_table(ctx, tyre, data + n + 5, size - n - 5);
  }
  jo_tyre_destroy(tyre);
  jo_context_destroy(ctx);
  return 0;
}
