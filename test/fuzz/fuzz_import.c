// SPDX-License-Identifier: Apache-2.0
// Fuzz target: any bytes as a file of another program. A failure says why; what is taken over is a file that the
// model reader takes.
//
//   ./fuzz_import -max_len=4096 -dict=test/fuzz/import.dict test/fuzz/corpus_import
#include "fuzz.h"
#include "jounce/jounce.h"
#include "support/error_count.h"

// Values of the source may be out of range for us, which is told; that the file is one must not fail.
static bool is_about_values(const char* message) {
  static const char* const words[] = {"inertia", "mass",     "finite",
                                      "large",   "moves no", "more than"};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
    if (strstr(message, words[i])) return true;
  }
  return false;
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  jo_context* ctx = NULL;
  require(jo_context_create(NULL, &ctx) == JO_OK);
  const char* path = fuzz_path(".xml");
  fuzz_save(path, data, size);
  jo_imported* taken = NULL;
  jo_model* model = NULL;
  jo_status status = jo_import(ctx, path, &taken);
  require((status < 0) == (error_count(ctx) > 0));
  if (status >= 0) {
    const char* text = jo_imported_text(taken);
    status = jo_model_parse(ctx, text, strlen(text), "taken.yaml", NULL, 0, &model);
    require(status >= 0 || is_about_values(jo_context_message(ctx)));
  }
  jo_model_destroy(model);
  jo_imported_destroy(taken);
  remove(path);
  jo_context_destroy(ctx);
  return 0;
}
