// SPDX-License-Identifier: Apache-2.0
// The public face of files of other programs.
#include "jounce/import.h"

#include "base/require.h"
#include "import/import.h"

struct jo_imported {
  jo_context* ctx;
  jarena arena;
  const char* text;
  jo_imported_info info;
  jo_import_remark* remark;
};

static jo_status take(jo_imported* t, const char* path) {
  jarena scratch;
  jarena_init(&scratch, t->ctx);
  jimport_draft* d = JARENA_NEW(&scratch, jimport_draft);
  jo_status status = d ? JO_OK : jerr_memory(t->ctx);
  const char* text = NULL;
  if (status >= 0) status = jimport_file(d, t->ctx, &scratch, path, &text);
  if (status >= 0) {
    t->info = (jo_imported_info){d->format, d->nbody, d->njoint, d->nclosure, 0};
    for (const jimport_remark* r = d->remark; r; r = r->next) {
      t->info.remarks++;
    }
    t->text = jarena_strdup(&t->arena, text);
    t->remark = JARENA_ARRAY(&t->arena, t->info.remarks, jo_import_remark);
    if (!t->text || !t->remark) status = jerr_memory(t->ctx);
  }
  int i = 0;
  for (const jimport_remark* r = status >= 0 ? d->remark : NULL; r; r = r->next) {
    const char* copy = jarena_strdup(&t->arena, r->text);
    if (!copy) {
      status = jerr_memory(t->ctx);
      break;
    }
    t->remark[i++] = (jo_import_remark){(jo_import_kind)r->kind, r->line, copy};
  }
  jarena_free(&scratch);
  return status;
}

jo_status jo_import(jo_context* ctx, const char* path, jo_imported** out) {
  JO_REQUIRE_OUT(out, ctx, path);
  jo_imported* t = jmem_resize(ctx, NULL, sizeof *t);
  if (!t) return jerr_memory(ctx);
  *t = (jo_imported){.ctx = ctx};
  jarena_init(&t->arena, ctx);
  jo_status status = take(t, path);
  if (status < 0) {
    jo_imported_destroy(t);
    return status;
  }
  *out = t;
  return status;
}

void jo_imported_destroy(jo_imported* taken) {
  if (!taken) return;
  jarena_free(&taken->arena);
  jmem_free(taken->ctx, taken);
}

const char* jo_imported_text(const jo_imported* taken) {
  JO_REQUIRE_OR("", taken);
  return taken->text;
}

jo_imported_info jo_imported_inspect(const jo_imported* taken) {
  JO_REQUIRE_OR((jo_imported_info){0}, taken);
  return taken->info;
}

int jo_imported_remark_count(const jo_imported* taken) {
  JO_REQUIRE_OR(0, taken);
  return taken->info.remarks;
}

jo_status jo_imported_remark_at(const jo_imported* taken, int i, jo_import_remark* out) {
  JO_REQUIRE_OR(JO_ERR_ARGUMENT, taken, out);
  if (i < 0 || i >= taken->info.remarks) return JO_ERR_ARGUMENT;
  *out = taken->remark[i];
  return JO_OK;
}
