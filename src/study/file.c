// SPDX-License-Identifier: Apache-2.0
// Reading of study files, with the YAML tree and the messages of model files.
#include "study/file.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "base/system/file.h"
#include "base/text/format.h"
#include "model/schema.h"
#include "model/select.h"
#include "study/list.h"
#include "study/read.h"

#define MAX_BYTES ((size_t)1 << 20)

// ---- the file ------------------------------------------------------------------------------------

// All kinds, in their order.
static const jstudy_kind* const kinds[] = {
#define X(name) &jstudy_##name,
    JSTUDY_LIST(X)
#undef X
};
enum { NKIND = sizeof kinds / sizeof *kinds };

static const jmodel_key* key_of_kind(int i) {
  return i < NKIND ? &kinds[i]->key : NULL;
}

static const jmodel_key common_keys[] = {JSTUDY_COMMON_KEYS, {0}};
static const jmodel_key part_form = {
    .is = JMODEL_A_MAP, .keys = common_keys, .one_of = key_of_kind};
static const char* const versions[] = {"1", NULL};
static const jmodel_key study_keys[] = {
    {JMODEL_KEY_WORD("study", versions), .is_needed = true, .about = "Format version"},
    {JMODEL_KEY_TEXT("name")},
    {JMODEL_KEY_DESCRIPTION},
    {JMODEL_KEY_TEXT("model"), .is_needed = true, .about = "A model file, as found from the study"},
    {JMODEL_KEY_AS("set", jstudy_form_values), .about = "Values of the model, as --set"},
    {JMODEL_KEY_NUMBER("tolerance"), .about = "Of all runs; by default the model's"},
    {JMODEL_KEY_LIST("parts", part_form, 1, 0), .is_needed = true},
    {0}};
static const jmodel_key study_form = {.name = "Jounce study",
                                      .is = JMODEL_A_MAP,
                                      .keys = study_keys,
                                      .about =
                                          "docs/studies.md is the reference. Names and what only "
                                          "the model shows are checked by `jounce study`."};

void jstudy_write_schema(jtext* out) {
  static const jmodel_key number = {JMODEL_KEY_NUMBER("number"),
                                    .about = "A number, or an expression without names"};
  jmodel_write_schema(out, &study_form, &number);
}

static const jmodel_node* find_kind(const jmodel_at* at, const jmodel_node* node, jstudy_part* p) {
  const jmodel_node* found = NULL;
  for (int i = 0; i < NKIND; i++) {
    const jmodel_node* c = jmodel_node_find(node, kinds[i]->key.name);
    if (c && found) {
      jmodel_mistake(at, c->key_place, "'%s' beside '%s'; begin another part with '- %s:'", c->key,
                     found->key, c->key);
    } else if (c) {
      found = c;
      p->kind = kinds[i];
    }
  }
  return found;
}

static const jmodel_node* find_once(const jmodel_at* at, const jmodel_node* map, const char* key,
                                    bool is_given) {
  const jmodel_node* node = jmodel_node_find(map, key);
  if (node && is_given) jmodel_mistake(at, node->key_place, "%s is given twice", key);
  return node;
}

// What all kinds have, beside the kind of a part or among its keys.
static void read_common(const jmodel_at* at, const jmodel_node* map, jstudy_part* p) {
  const jmodel_node* title = find_once(at, map, "title", *p->title);
  const jmodel_node* text = find_once(at, map, "text", *p->text);
  const jmodel_node* model = find_once(at, map, "model", p->model.text);
  const jmodel_node* set = find_once(at, map, "set", p->nset > 0);
  if (title) p->title = jmodel_get_text(at, map, "title", "");
  if (text && jmodel_is(at, text, JMODEL_NODE_TEXT, "text")) {
    p->text = jmodel_keep(at->r, text->text);
  }
  if (model) {
    p->model = jstudy_get_name(at, map, "model");
    const char* path = p->model.text;
    if (path) p->model.text = jfile_beside(&at->r->m->arena, model->place.file, path);
    if (path && !p->model.text) jmodel_out_of_memory(at->r);
  }
  if (set) p->nset = jstudy_read_values(at, map, "set", &p->set);
}

// The kinds, then keys that all of them have.
static void check_part_keys(const jmodel_at* at, const jmodel_node* map) {
  const char* names[NKIND + sizeof common_keys / sizeof *common_keys];
  int n = 0;
  for (; n < NKIND; n++) {
    names[n] = kinds[n]->key.name;
  }
  for (size_t i = 0; i < sizeof common_keys / sizeof *common_keys; i++) {
    names[n++] = common_keys[i].name;  // NULL last
  }
  jmodel_check_names(at, map, names);
}

static void fail_kind(const jmodel_at* at, const jmodel_node* node) {
  const char* list = "";
  for (int i = 0; i < NKIND; i++) {
    list = jmodel_format(at->r, "%s%s%s", list, i > 0 ? ", " : "", kinds[i]->key.name);
  }
  jmodel_mistake(at, node->place, "says not what it is; it needs one of %s", list);
}

static void read_part(jmodel_reader* r, const jmodel_node* node, jstudy_part* p) {
  jmodel_at at = {r, "part", NULL, ""};
  *p = (jstudy_part){.place = node->place, .title = "", .text = "", .output_step = NAN};
  if (!jmodel_is(&at, node, JMODEL_NODE_MAP, "a part")) return;
  int before = r->nmistake;
  check_part_keys(&at, node);
  const jmodel_node* map = find_kind(&at, node, p);
  if (!map) {
    if (r->nmistake == before) fail_kind(&at, node);
    return;
  }
  read_common(&at, node, p);
  at.kind = map->key;
  p->place = map->key_place;
  p->needs = p->kind->needs;
  if ((p->kind->key.is & JMODEL_A_NULL) && map->kind == JMODEL_NODE_NULL) return;
  if (!jmodel_is(&at, map, JMODEL_NODE_MAP, map->key)) return;
  jmodel_check_keys(&at, map, p->kind->key.keys);
  p->kind->read(&at, map, p);
  read_common(&at, map, p);
  p->output_step = jstudy_get_positive(&at, map, "output_step", NAN);
}

static void read_settings(jmodel_reader* r, const jmodel_node* root, jstudy_file* f) {
  const jmodel_node* map = jmodel_section(r, root, "set");
  jmodel_at at = {r, "set", NULL, ""};
  if (!map) return;
  f->set = JMODEL_ARRAY(r, map->n, jmodel_setting);
  for (const jmodel_node* c = map->first; c && f->set; c = c->next) {
    if (!jmodel_is(&at, c, JMODEL_NODE_TEXT, c->key)) continue;
    f->set[f->nset++] = (jmodel_setting){jmodel_keep(r, c->key), jmodel_keep(r, c->text)};
  }
}

static void read_parts(jmodel_reader* r, const jmodel_node* root, jstudy_file* f) {
  jmodel_at at = {r, "study", NULL, ""};
  const jmodel_node* list = jmodel_need(&at, root, "parts");
  if (!list || !jmodel_is(&at, list, JMODEL_NODE_LIST, "parts")) return;
  if (list->n == 0) jmodel_mistake(&at, list->place, "parts is an empty list");
  f->part = JMODEL_ARRAY(r, list->n, jstudy_part);
  for (const jmodel_node* c = list->first; c && f->part && jmodel_goes_on(r); c = c->next) {
    read_part(r, c, &f->part[f->npart++]);
  }
}

static bool check_version(const jmodel_at* at, const jmodel_node* root) {
  const jmodel_node* version = jmodel_node_find(root, "study");
  if (!version) {
    bool is_model = jmodel_node_find(root, "jounce") != NULL;
    jmodel_mistake(at, root->place, "the format version is missing; begin with 'study: 1'%s",
                   is_model ? ". This is a model: a study names one, 'model: FILE'" : "");
    return false;
  }
  if (version->kind == JMODEL_NODE_TEXT && strcmp(version->text, "1") == 0) return true;
  jmodel_mistake(at, version->place, "format version '%.60s' is not known; this is for version 1",
                 version->text);
  return false;
}

static void read_root(jmodel_reader* r, const jmodel_node* root, jstudy_file* f) {
  jmodel_at at = {r, "study", NULL, ""};
  if (root->kind == JMODEL_NODE_NULL) {
    jmodel_mistake(&at, root->place, "the file is empty");
    return;
  }
  if (!jmodel_is(&at, root, JMODEL_NODE_MAP, "the file") || !check_version(&at, root)) return;
  jmodel_check_keys(&at, root, study_keys);
  f->name = jmodel_get_text(&at, root, "name", "");
  f->description = jmodel_get_text(&at, root, "description", "");
  jstudy_name model = jstudy_need_name(&at, root, "model");
  f->model = model.text ? jfile_beside(&r->m->arena, f->path, model.text) : NULL;
  if (model.text && !f->model) jmodel_out_of_memory(r);
  f->tolerance = jstudy_get_number(&at, root, "tolerance", NAN);
  if (f->tolerance <= 0.0) {
    jmodel_mistake(&at, jmodel_node_find(root, "tolerance")->place,
                   "tolerance is %.9g; it must be more than 0", f->tolerance);
  }
  read_settings(r, root, f);
  read_parts(r, root, f);
}

static jo_status read_file(jo_context* ctx, const char* path, jstudy_file* f) {
  jmodel_reader r = {.ctx = ctx, .m = f->holder, .current_parameter = -1};
  jarena_init(&r.scratch, ctx);
  char* text = NULL;
  size_t n = 0;
  f->path = jmodel_keep(&r, path);
  jo_status status =
      r.oom ? JO_ERR_MEMORY : jfile_read(ctx, &r.scratch, path, MAX_BYTES, &text, &n);
  if (status >= 0) {
    const jmodel_node* root = jmodel_yaml_parse(&r, text, n, f->path);
    jmodel_at at = {&r, "study", NULL, ""};
    if (root) {
      read_root(&r, root, f);
    } else if (r.nmistake == 0 && !r.oom) {
      jmodel_mistake(&at, (jmodel_place){f->path, 1}, "the file is empty");
    }
    status = r.status;
  }
  jmodel_free_expressions(&r);
  jarena_free(&r.scratch);
  return status < 0 ? status : r.oom ? JO_ERR_MEMORY : JO_OK;
}

jo_status jstudy_file_open(jo_context* ctx, const char* path, jstudy_file** out) {
  *out = NULL;
  jmodel* holder = jmem_resize(ctx, NULL, sizeof *holder);
  if (!holder) return jerr_memory(ctx);
  *holder = (jmodel){.ctx = ctx};
  jarena_init(&holder->arena, ctx);
  jstudy_file* f = JARENA_NEW(&holder->arena, jstudy_file);
  jo_status status = f ? JO_OK : jerr_memory(ctx);
  if (f) {
    *f = (jstudy_file){.ctx = ctx, .holder = holder, .tolerance = NAN};
    status = read_file(ctx, path, f);
  }
  if (status < 0) {
    jmodel_destroy(holder);
    return status;
  }
  *out = f;
  return JO_OK;
}

void jstudy_file_close(jstudy_file* f) {
  if (f) jmodel_destroy(f->holder);
}

// ---- against the model ---------------------------------------------------------------------------

jo_status jstudy_mistake(jo_context* ctx, const jstudy_part* part, jmodel_place place,
                         const char* format, ...) {
  char text[600];
  va_list args;
  va_start(args, format);
  jformat_v(text, sizeof text, format, args);
  va_end(args);
  return jerr_set(ctx, JO_ERR_MODEL, "%s:%d: %s: %s", place.file, place.line, part->kind->key.name,
                  text);
}

static jo_status check_objective(jo_context* ctx, const jstudy_part* p, const jstudy_name* name,
                                 const jmodel* m) {
  jmodel_guess guess = jmodel_guess_begin(name->text);
  for (int i = 0; i < m->nobjective; i++) {
    if (strcmp(m->objective[i].name, name->text) == 0) return JO_OK;
    jmodel_guess_add(&guess, m->objective[i].name);
  }
  return jstudy_mistake(ctx, p, name->place, "the model has no objective '%.60s'%s%s%s", name->text,
                        guess.best ? "; did you mean '" : "", guess.best ? guess.best : "",
                        guess.best ? "'?" : "");
}

// A number, or what stands for several: what the model says against it is told with the line of the study.
static jo_status check_number(jo_context* ctx, const jstudy_part* p, const jstudy_name* name,
                              const jmodel* m, bool is_one) {
  int before = jo_context_diagnostic_count(ctx), number;
  jmodel_selection k;
  jarena a;
  jarena_init(&a, ctx);
  jo_status status = is_one ? jmodel_number_named(ctx, m, name->text, &number)
                            : jmodel_select(ctx, &a, m, &name->text, 1, &k);
  if (status < 0 && status != JO_ERR_MEMORY) {
    const char* why = jarena_strdup(&a, jo_context_diagnostic(ctx, before, NULL));
    jerr_forget(ctx, before);
    status = why ? jstudy_mistake(ctx, p, name->place, "%s", why) : jerr_memory(ctx);
  }
  jarena_free(&a);
  return status;
}

static jo_status check_part(jo_context* ctx, const jstudy_part* p, const jmodel* m) {
  jo_status status = JO_OK, s = JO_OK;
  bool needs = p->needs.objectives;
  if (needs && m->nobjective == 0) {
    status = jstudy_mistake(ctx, p, p->place, "the model has no objectives");
  }
  if (p->needs.one_objective && p->objectives.n == 0 && m->nobjective > 1) {
    status = jstudy_mistake(ctx, p, p->place, "'objective' is missing: the model has %d of them",
                            m->nobjective);
  }
  for (int i = 0; i < p->objectives.n && (m->nobjective > 0 || !needs); i++) {
    s = check_objective(ctx, p, &p->objectives.name[i], m);
    if (s < 0) status = s;
  }
  for (int i = 0; i < p->nset; i++) {
    s = check_number(ctx, p, &p->set[i].name, m, true);
    if (s < 0) status = s;
  }
  bool is_told = false;
  for (int i = 0; i < p->wrt.n; i++) {
    s = check_number(ctx, p, &p->wrt.name[i], m, false);
    if (s < 0) status = s;
    is_told = is_told || p->wrt.name[i].text == p->runs.name.text;
  }
  for (int i = 0; i < p->nper; i++) {
    s = check_number(ctx, p, &p->per[i].name, m, true);
    if (s < 0) status = s;
  }
  if (p->runs.name.text && !is_told) {
    s = check_number(ctx, p, &p->runs.name, m, true);
    if (s < 0) status = s;
  }
  if (p->parameter.text) {
    s = check_number(ctx, p, &p->parameter, m, true);
    if (s < 0) status = s;
  }
  s = p->kind->check ? p->kind->check(ctx, p, m) : JO_OK;
  if (s < 0) status = s;
  return status;
}

jo_status jstudy_file_check(jo_context* ctx, const jstudy_file* f, const jmodel* const* model) {
  jo_status status = JO_OK;
  for (int i = 0; i < f->npart; i++) {
    jo_status s = check_part(ctx, &f->part[i], model[f->part[i].which]);
    if (s < 0) status = s;
  }
  return status;
}

static jo_status check_output(jo_context* ctx, const jstudy_part* p, const jgen_dynamics* d,
                              const jstudy_name* name) {
  jmodel_guess guess = jmodel_guess_begin(name->text);
  for (int i = 0; i < d->noutput; i++) {
    if (strcmp(d->output_name[i], name->text) == 0) return JO_OK;
    jmodel_guess_add(&guess, d->output_name[i]);
  }
  return jstudy_mistake(ctx, p, name->place, "no sensor or other output is named '%.80s'%s%s%s",
                        name->text, guess.best ? "; did you mean '" : "",
                        guess.best ? guess.best : "", guess.best ? "'?" : "");
}

jo_status jstudy_check_outputs(jo_context* ctx, const jstudy_part* p, const jgen_dynamics* d) {
  jo_status status = JO_OK, s;
  for (int n = 0; n < p->sensors.n; n++) {
    s = check_output(ctx, p, d, &p->sensors.name[n]);
    if (s < 0) status = s;
  }
  for (int n = 0; n <= p->x.n; n++) {
    const jstudy_name* axis = n < p->x.n ? &p->x.name[n] : &p->y;
    if (!axis->text || strcmp(axis->text, "t") == 0) continue;
    s = check_output(ctx, p, d, axis);
    if (s < 0) status = s;
  }
  return status;
}
