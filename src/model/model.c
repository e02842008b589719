// SPDX-License-Identifier: Apache-2.0
// Loading a model: read the text, merge and override, read the sections in the order in which they
// refer to each other, check the whole.
#include "model/model.h"

#include <string.h>

#include "model/template/instance.h"

static void read_sections(jmodel_reader* r, const jmodel_node* root) {
  r->root = root;
  static void (*const sections[])(jmodel_reader*, const jmodel_node*) = {
      jmodel_read_names,      jmodel_read_function_names, jmodel_read_functions,
      jmodel_read_head,       jmodel_read_parameters,     jmodel_read_tables,
      jmodel_read_instances,  jmodel_read_hardpoints,     jmodel_read_bodies,
      jmodel_read_joints,     jmodel_read_closures,       jmodel_read_couplings,
      jmodel_read_elements,   jmodel_read_samplers,       jmodel_read_delays,
      jmodel_read_states,     jmodel_read_events,         jmodel_read_signals,
      jmodel_read_objectives, jmodel_read_initial,        jmodel_start_attitudes,
      jmodel_read_simulation, jmodel_read_axles};
  for (size_t i = 0; i < sizeof sections / sizeof sections[0]; i++) {
    if (!r->oom) sections[i](r, root);
  }
}

static jo_status finish(jmodel_reader* r) {
  uint8_t digest[32];
  jsha256_finish(&r->sha, digest);
  jsha256_hex(digest, r->m->sha256);
  if (r->status < 0) return r->status;
  return r->oom ? JO_ERR_MEMORY : JO_OK;
}

static jo_status load(jo_context* ctx, const char* text, size_t n, const char* path,
                      const jmodel_setting* set, int nset, jmodel** out) {
  *out = NULL;
  jmodel* m = jmem_resize(ctx, NULL, sizeof *m);
  if (!m) return jerr_memory(ctx);
  *m = (jmodel){.ctx = ctx};
  jarena_init(&m->arena, ctx);
  m->names = jindex_of(&m->arena);
  jmodel_reader r = {.ctx = ctx, .m = m, .set = set, .nset = nset, .current_parameter = -1};
  jarena_init(&r.scratch, ctx);
  jsha256_init(&r.sha);
  m->path = jmodel_keep(&r, path);

  jmodel_node* root = NULL;
  if (!r.oom) {
    root = text ? jmodel_include_text(&r, text, n, m->path) : jmodel_include_file(&r, m->path);
  }
  if (root && !r.oom) {
    jmodel_set_in_tree(&r, root);
    jmodel_expand(&r, root);
    // what instances hold refers to each other: the mistakes of one would be told of all
    bool is_whole = r.nmistake == 0;
    if (is_whole && r.instance) jmodel_set_in_tree(&r, root);
    if (is_whole) {
      read_sections(&r, root);
      if (!r.oom) jmodel_set_numbers(&r);
      jmodel_check(&r);
    }
  }
  jmodel_free_expressions(&r);
  jmem_free(ctx, r.own);
  jarena_free(&r.scratch);
  jo_status status = finish(&r);
  if (status < 0) {
    jmodel_destroy(m);
  } else {
    *out = m;
  }
  return status;
}

jo_status jmodel_load(jo_context* ctx, const char* path, const jmodel_setting* set, int nset,
                      jmodel** out) {
  return load(ctx, NULL, 0, path, set, nset, out);
}

jo_status jmodel_parse(jo_context* ctx, const char* text, size_t length, const char* path,
                       const jmodel_setting* set, int nset, jmodel** out) {
  return load(ctx, text ? text : "", length, path, set, nset, out);
}

void jmodel_destroy(jmodel* m) {
  if (!m) return;
  jo_context* ctx = m->ctx;
  jarena_free(&m->arena);
  jmem_free(ctx, m);
}
