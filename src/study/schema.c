// SPDX-License-Identifier: Apache-2.0
// Schemas of files for editors.
#include "model/schema.h"

#include <string.h>

#include "base/require.h"
#include "base/system/file.h"
#include "jounce/model.h"
#include "model/read/reader.h"
#include "study/file.h"

static void write_model(jtext* out) {
  jmodel_write_schema(out, &jmodel_file, &jmodel_form_number);
}

static const struct {
  const char* of;
  void (*write)(jtext* out);
} schemas[] = {{"model", write_model}, {"study", jstudy_write_schema}};
enum { NSCHEMA = sizeof schemas / sizeof *schemas };

jo_status jo_schema_write(jo_context* ctx, const char* of, const char* path) {
  JO_REQUIRE(ctx, of, path);
  int i = 0;
  while (i < NSCHEMA && strcmp(schemas[i].of, of) != 0) {
    i++;
  }
  if (i == NSCHEMA) {
    return jerr_set(ctx, JO_ERR_ARGUMENT, "schema of '%.60s': it must be model or study", of);
  }
  jtext text;
  jtext_init(&text, ctx);
  schemas[i].write(&text);
  jo_status status =
      text.failed ? jerr_memory(ctx) : jfile_write(ctx, path, text.data, text.length);
  jtext_free(&text);
  return status;
}
