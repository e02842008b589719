// SPDX-License-Identifier: Apache-2.0
// The public face of exports for other programs.
#include "jounce/export.h"

#include "api/handles.h"
#include "base/require.h"
#include "base/system/file.h"
#include "export/fmu.h"
#include "export/listing.h"
#include "export/standalone.h"
#include "jounce/analysis.h"

jo_fmu_options jo_fmu_options_default(void) {
  return (jo_fmu_options){.version = 3};
}

static int count_inputs(const jvehicle_model* m) {
  int n = 0;
  for (int i = 0; i < m->nnumber; i++)
    n += m->number[i].is_input ? 1 : 0;
  return n;
}

static void tell(const jexport_sources* s, const jexport_fmu* made, jo_fmu* out) {
  const jvehicle_model* m = s->model;
  int inputs = count_inputs(m);
  *out = (jo_fmu){.files = made->files,
                  .variables = made->variables,
                  .parameters = m->nnumber - inputs,
                  .inputs = inputs,
                  .outputs = m->nsensor + m->nobjective,
                  .states = m->nstate,
                  .event_indicators = m->nindicator,
                  .operations = s->operations,
                  .bytes = made->bytes};
}

static jo_status write(jo_context* ctx, jarena* a, const jo_model* model, const jo_fmu_options* opt,
                       const char* path, jo_fmu* out) {
  jexport_sources_options what = {
      .variable = opt->vary, .nvariable = opt->nvary, .derivatives = !opt->no_derivatives};
  jexport_fmu_options how = {.version = opt->version,
                             .sources_only = opt->sources_only != 0,
                             .has_derivatives = !opt->no_derivatives,
                             .compiler = opt->compiler};
  jexport_sources sources;
  jexport_fmu made;
  JO_TRY(jexport_sources_build(ctx, a, model->model, &what, &sources));
  jo_status status = jexport_fmu_write(ctx, a, &sources, &how, path, &made);
  if (status >= 0 && out) tell(&sources, &made, out);
  jexport_sources_destroy(&sources);
  return status;
}

jo_status jo_export_fmu(jo_context* ctx, const jo_model* model, const jo_fmu_options* opt,
                        const char* path, jo_fmu* out) {
  JO_REQUIRE(ctx, model, path);
  jo_fmu_options defaults = jo_fmu_options_default();
  if (!opt) opt = &defaults;
  JO_TRY(jrequire_texts(ctx, __func__, "vary", opt->vary, opt->nvary));
  if (opt->version != 2 && opt->version != 3) {
    return jerr_set(ctx, JO_ERR_ARGUMENT, "FMI %d: FMUs are of version 3 or 2", opt->version);
  }
  JO_TRY(jfile_check_output(ctx, path));
  jarena a;
  jarena_init(&a, ctx);
  jo_status status = write(ctx, &a, model, opt, path, out);
  jarena_free(&a);
  return status;
}

// ---- machine code --------------------------------------------------------------------------------

struct jo_listing {
  jo_context* ctx;
  jtext text;
  jo_listing_info info;
};

jo_status jo_export_assembly(jo_context* ctx, const jo_model* model, jo_listing** out) {
  JO_REQUIRE_OUT(out, ctx, model);
  jo_listing* a = jmem_resize(ctx, NULL, sizeof *a);
  if (!a) return jerr_memory(ctx);
  *a = (jo_listing){.ctx = ctx};
  jtext_init(&a->text, ctx);
  jexport_listing made;
  jo_status status = jexport_listing_write(ctx, model->model, &a->text, &made);
  if (status < 0) {
    jo_listing_destroy(a);
    return status;
  }
  a->info = (jo_listing_info){made.functions, made.instructions, made.spills, (int64_t)made.bytes};
  *out = a;
  return JO_OK;
}

void jo_listing_destroy(jo_listing* listing) {
  if (!listing) return;
  jtext_free(&listing->text);
  jmem_free(listing->ctx, listing);
}

const char* jo_listing_text(const jo_listing* listing) {
  JO_REQUIRE_OR("", listing);
  return listing->text.data;
}

jo_listing_info jo_listing_inspect(const jo_listing* listing) {
  JO_REQUIRE_OR((jo_listing_info){0}, listing);
  return listing->info;
}

// ---- stand-alone C -------------------------------------------------------------------------------

jo_status jo_generate(jo_context* ctx, const jo_model* model, const char* dir, jo_generated* out) {
  JO_REQUIRE(ctx, model, dir);
  jexport_standalone made;
  JO_TRY(jexport_standalone_write(ctx, model->model, dir, &made));
  if (out) *out = (jo_generated){made.nfile, made.operations};
  return JO_OK;
}
