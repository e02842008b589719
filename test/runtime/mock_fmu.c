// SPDX-License-Identifier: Apache-2.0
// The mock vehicle as an FMU: mock_fmu MOCK_VEHICLE.C VERSION OUT.fmu [sources]. Tests of the interface need no model.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/system/file.h"
#include "base/text/text.h"
#include "export/fmu.h"

#define MAX_FILES 200

// The mock in place of vehicles, and of the rest what it and the interface need.
static bool is_needed(const char* name) {
  return jtext_ends_in(name, ".h") || strcmp(name, "base/text/format.c") == 0;
}

static jo_status write_mock(jo_context* ctx, jarena* a, char** argv, bool sources_only) {
  static jexport_file file[MAX_FILES];
  jexport_sources s = {.file = file, .model = &jvehicle_exported};
  for (const jexport_file* f = jexport_runtime; f->name && s.nfile < MAX_FILES - 1; f++) {
    if (is_needed(f->name)) file[s.nfile++] = *f;
  }
  char* text = NULL;
  size_t length = 0;
  jo_status status = jfile_read(ctx, a, argv[1], 1 << 20, &text, &length);
  if (status < 0) return status;
  file[s.nfile++] = (jexport_file){"equations/mock_vehicle.c", text, length};
  jexport_fmu_options opt = {
      .version = atoi(argv[2]), .sources_only = sources_only, .has_derivatives = true};
  jexport_fmu made;
  return jexport_fmu_write(ctx, a, &s, &opt, argv[3], &made);
}

int main(int argc, char** argv) {
  jo_context* ctx = NULL;
  if (argc < 4 || jo_context_create(NULL, &ctx) < 0) return 2;
  jarena a;
  jarena_init(&a, ctx);
  jo_status status = write_mock(ctx, &a, argv, argc > 4);
  if (status < 0) fprintf(stderr, "%s\n", jo_context_message(ctx));
  jarena_free(&a);
  jo_context_destroy(ctx);
  return status < 0 ? 1 : 0;
}
