// SPDX-License-Identifier: Apache-2.0
// Reading of study files, with the YAML tree and the messages of model files.
#include "study/file.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "base/file.h"
#include "base/format.h"
#include "model/reader.h"
#include "model/select.h"

#define MAX_BYTES  ((size_t)1 << 20)
#define MAX_POINTS 100000
#define THRESHOLD  1e-4  // of rankings, as of jounce sens
#define DECADES    23    // increments of differences, two per decade

const char* jstudy_part_name(jstudy_part_kind kind) {
  static const char* const name[] = {
#define X(id, name) name,
      JSTUDY_PART_LIST(X)
#undef X
  };
  return kind < JSTUDY_PART_COUNT ? name[kind] : "";
}

// ---- values --------------------------------------------------------------------------------------

static jstudy_name name_at(const jmodel_at* at, const jmodel_node* node, const char* label) {
  jstudy_name out = {NULL, node->place};
  if (!jmodel_is(at, node, JMODEL_NODE_TEXT, label)) return out;
  if (!*node->text) {
    jmodel_mistake(at, node->place, "%s is empty", label);
    return out;
  }
  out.text = jmodel_keep(at->r, node->text);
  return out;
}

static jstudy_name get_name(const jmodel_at* at, const jmodel_node* map, const char* key) {
  const jmodel_node* node = jmodel_node_find(map, key);
  return node ? name_at(at, node, key) : (jstudy_name){NULL, map->place};
}

static jstudy_name need_name(const jmodel_at* at, const jmodel_node* map, const char* key) {
  jmodel_need(at, map, key);
  return get_name(at, map, key);
}

// One name, or a list of them.
static jstudy_names get_names(const jmodel_at* at, const jmodel_node* map, const char* key) {
  const jmodel_node* node = jmodel_node_find(map, key);
  jstudy_names out = {NULL, 0};
  if (!node) return out;
  bool is_list = node->kind == JMODEL_NODE_LIST;
  out.name = JMODEL_ARRAY(at->r, is_list ? node->n : 1, jstudy_name);
  if (!out.name) return out;
  if (!is_list) {
    out.name[0] = name_at(at, node, key);
    out.n = out.name[0].text != NULL;
    return out;
  }
  if (node->n == 0) jmodel_mistake(at, node->place, "%s is an empty list; leave it out", key);
  for (const jmodel_node* c = node->first; c; c = c->next) {
    out.name[out.n] = name_at(at, c, key);
    out.n += out.name[out.n].text != NULL;
  }
  return out;
}

static bool number_at(const jmodel_at* at, const jmodel_node* node, const char* label,
                      double* out) {
  if (!jmodel_is(at, node, JMODEL_NODE_TEXT, label)) return false;
  if (!jmodel_constant_value(at, node->place, label, node->text, out)) return false;
  if (isfinite(*out)) return true;
  jmodel_mistake(at, node->place, "%s is not a finite number", label);
  return false;
}

static double get_number(const jmodel_at* at, const jmodel_node* map, const char* key,
                         double otherwise) {
  const jmodel_node* node = jmodel_node_find(map, key);
  double value;
  return node && number_at(at, node, key, &value) ? value : otherwise;
}

static int get_count(const jmodel_at* at, const jmodel_node* map, const char* key, int least,
                     int otherwise) {
  const jmodel_node* node = jmodel_node_find(map, key);
  double value;
  if (!node || !number_at(at, node, key, &value)) return otherwise;
  if (value >= least && value <= MAX_POINTS && value == floor(value)) return (int)value;
  jmodel_mistake(at, node->place, "%s is %.9g; it must be a whole number from %d to %d", key, value,
                 least, MAX_POINTS);
  return otherwise;
}

// for: {NAME: [value, value]}
static void read_for(const jmodel_at* at, const jmodel_node* map, jstudy_part* p) {
  const jmodel_node* node = jmodel_node_find(map, "for");
  if (!node || !jmodel_is(at, node, JMODEL_NODE_MAP, "for")) return;
  if (node->n != 1) {
    jmodel_mistake(at, node->place, "for needs one parameter with a list of values, got %d",
                   node->n);
    return;
  }
  const jmodel_node* list = node->first;
  p->parameter = (jstudy_name){jmodel_keep(at->r, list->key), list->key_place};
  if (!jmodel_is(at, list, JMODEL_NODE_LIST, "for")) return;
  if (list->n == 0) jmodel_mistake(at, list->place, "for needs one value or more");
  p->value = JMODEL_ARRAY(at->r, list->n, double);
  for (const jmodel_node* c = list->first; c && p->value; c = c->next) {
    if (number_at(at, c, "for", &p->value[p->nvalue])) p->nvalue++;
  }
}

// per: {NAME: increment}
static void read_per(const jmodel_at* at, const jmodel_node* map, jstudy_part* p) {
  const jmodel_node* node = jmodel_node_find(map, "per");
  if (!node || !jmodel_is(at, node, JMODEL_NODE_MAP, "per")) return;
  p->per = JMODEL_ARRAY(at->r, node->n, jstudy_increment);
  for (const jmodel_node* c = node->first; c && p->per; c = c->next) {
    jstudy_increment* i = &p->per[p->nper];
    i->name = (jstudy_name){jmodel_keep(at->r, c->key), c->key_place};
    if (number_at(at, c, "per", &i->value)) p->nper++;
  }
}

// "all": none by name.
static void read_objectives(const jmodel_at* at, const jmodel_node* map, jstudy_part* p) {
  p->objectives = get_names(at, map, "objectives");
  const char* only = p->objectives.n == 1 ? p->objectives.name[0].text : "";
  if (strcmp(only, "all") == 0) p->objectives.n = 0;
}

// ---- parts ---------------------------------------------------------------------------------------

static void read_histories(const jmodel_at* at, const jmodel_node* map, jstudy_part* p) {
  static const char* const keys[] = {"sensors", "wrt", "for", "output_step", "title", "text", NULL};
  jmodel_check_keys(at, map, keys);
  jmodel_need(at, map, "sensors");
  p->sensors = get_names(at, map, "sensors");
  p->wrt = get_names(at, map, "wrt");
  read_for(at, map, p);
  if (p->wrt.n == 0 && p->parameter.text && !jmodel_node_find(map, "wrt")) {
    p->wrt.name = JMODEL_ARRAY(at->r, 1, jstudy_name);
    if (p->wrt.name) p->wrt.name[p->wrt.n++] = p->parameter;
  } else if (p->wrt.n == 0) {
    jmodel_need(at, map, "wrt");
  }
}

static void read_range(const jmodel_at* at, const jmodel_node* map, jstudy_part* p) {
  static const char* const keys[] = {"parameter",  "from",  "to",   "points", "objectives",
                                     "derivative", "title", "text", NULL};
  jmodel_check_keys(at, map, keys);
  p->parameter = need_name(at, map, "parameter");
  jmodel_need(at, map, "from");
  jmodel_need(at, map, "to");
  p->from = get_number(at, map, "from", NAN);
  p->to = get_number(at, map, "to", NAN);
  p->points = get_count(at, map, "points", 2, 13);
  read_objectives(at, map, p);
  const jmodel_node* derivative = jmodel_node_find(map, "derivative");
  p->derivative = !derivative || jmodel_bool_at(at, derivative, "derivative");
}

static void read_trajectories(const jmodel_at* at, const jmodel_node* map, jstudy_part* p) {
  static const char* const keys[] = {"x", "y", "for", "output_step", "title", "text", NULL};
  jmodel_check_keys(at, map, keys);
  p->x = need_name(at, map, "x");
  p->y = need_name(at, map, "y");
  read_for(at, map, p);
}

static void read_objective(const jmodel_at* at, const jmodel_node* map, jstudy_part* p) {
  p->objectives = get_names(at, map, "objective");
  if (p->objectives.n > 1) {
    jmodel_mistake(at, p->objectives.name[1].place,
                   "objective needs one name; another part can "
                   "have the other");
  }
}

static void read_differences(const jmodel_at* at, const jmodel_node* map, jstudy_part* p) {
  static const char* const keys[] = {"objective", "parameter", "points", "title", "text", NULL};
  jmodel_check_keys(at, map, keys);
  read_objective(at, map, p);
  p->parameter = need_name(at, map, "parameter");
  p->points = get_count(at, map, "points", 1, DECADES);
}

static void read_ranking(const jmodel_at* at, const jmodel_node* map, jstudy_part* p) {
  static const char* const keys[] = {"objective", "wrt", "per", "threshold", "title", "text", NULL};
  jmodel_check_keys(at, map, keys);
  read_objective(at, map, p);
  p->wrt = get_names(at, map, "wrt");
  read_per(at, map, p);
  p->threshold = get_number(at, map, "threshold", THRESHOLD);
  if (p->threshold < 0.0) {
    jmodel_mistake(at, jmodel_node_find(map, "threshold")->place,
                   "threshold is %.9g; it must not be less than 0", p->threshold);
  }
}

static void read_values(const jmodel_at* at, const jmodel_node* map, jstudy_part* p) {
  static const char* const keys[] = {"objectives", "sensors", "for", "title", "text", NULL};
  jmodel_check_keys(at, map, keys);
  read_objectives(at, map, p);
  p->sensors = get_names(at, map, "sensors");
  p->no_objectives = p->sensors.n > 0 && !jmodel_node_find(map, "objectives");
  read_for(at, map, p);
}

static void read_output_step(const jmodel_at* at, const jmodel_node* map, jstudy_part* p) {
  p->output_step = get_number(at, map, "output_step", NAN);
  if (p->output_step < 0.0) {
    jmodel_mistake(at, jmodel_node_find(map, "output_step")->place,
                   "output_step is %.9g; it must not be less than 0", p->output_step);
  }
}

// ---- the file ------------------------------------------------------------------------------------

static const jmodel_node* find_kind(const jmodel_at* at, const jmodel_node* node, jstudy_part* p) {
  const jmodel_node* found = NULL;
  for (int i = 0; i < JSTUDY_PART_COUNT; i++) {
    const jmodel_node* c = jmodel_node_find(node, jstudy_part_name((jstudy_part_kind)i));
    if (c && found) {
      jmodel_mistake(at, c->key_place, "'%s' beside '%s'; begin another part with '- %s:'", c->key,
                     found->key, c->key);
    } else if (c) {
      found = c;
      p->kind = (jstudy_part_kind)i;
    }
  }
  return found;
}

// Title and text, beside the kind of a part or among its keys.
static void read_words(const jmodel_at* at, const jmodel_node* map, jstudy_part* p) {
  const jmodel_node *title = jmodel_node_find(map, "title"), *text = jmodel_node_find(map, "text");
  if (title && *p->title) jmodel_mistake(at, title->key_place, "title is given twice");
  if (text && *p->text) jmodel_mistake(at, text->key_place, "text is given twice");
  if (title) p->title = jmodel_get_text(at, map, "title", "");
  if (text && jmodel_is(at, text, JMODEL_NODE_TEXT, "text")) {
    p->text = jmodel_keep(at->r, text->text);
  }
}

static void read_part(jmodel_reader* r, const jmodel_node* node, jstudy_part* p) {
  static void (*const read[])(const jmodel_at*, const jmodel_node*, jstudy_part*) = {
      read_histories, read_range, read_trajectories, read_differences, read_ranking, read_values};
  static const char* const keys[] = {"title", "text",
#define X(id, name) name,
                                     JSTUDY_PART_LIST(X)
#undef X
                                         NULL};
  jmodel_at at = {r, "part", NULL, ""};
  *p = (jstudy_part){.place = node->place, .title = "", .text = "", .output_step = NAN};
  if (!jmodel_is(&at, node, JMODEL_NODE_MAP, "a part")) return;
  int before = r->nmistake;
  jmodel_check_keys(&at, node, keys);
  const jmodel_node* map = find_kind(&at, node, p);
  if (!map) {
    if (r->nmistake > before) return;
    jmodel_mistake(&at, node->place,
                   "says not what it is; it needs one of histories, range, trajectories, "
                   "differences, ranking, values");
    return;
  }
  read_words(&at, node, p);
  at.kind = map->key;
  p->place = map->key_place;
  if (p->kind == JSTUDY_VALUES && map->kind == JMODEL_NODE_NULL) return;  // all objectives
  if (!jmodel_is(&at, map, JMODEL_NODE_MAP, map->key)) return;
  read[p->kind](&at, map, p);
  read_words(&at, map, p);
  read_output_step(&at, map, p);
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
  static const char* const keys[] = {"study", "name",      "description", "model",
                                     "set",   "tolerance", "parts",       NULL};
  jmodel_at at = {r, "study", NULL, ""};
  if (root->kind == JMODEL_NODE_NULL) {
    jmodel_mistake(&at, root->place, "the file is empty");
    return;
  }
  if (!jmodel_is(&at, root, JMODEL_NODE_MAP, "the file") || !check_version(&at, root)) return;
  jmodel_check_keys(&at, root, keys);
  f->name = jmodel_get_text(&at, root, "name", "");
  f->description = jmodel_get_text(&at, root, "description", "");
  jstudy_name model = need_name(&at, root, "model");
  f->model = model.text ? jfile_beside(&r->m->arena, f->path, model.text) : NULL;
  if (model.text && !f->model) jmodel_out_of_memory(r);
  f->tolerance = get_number(&at, root, "tolerance", NAN);
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
  return jerr_set(ctx, JO_ERR_MODEL, "%s:%d: %s: %s", place.file, place.line,
                  jstudy_part_name(part->kind), text);
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
  bool needs =
      p->kind == JSTUDY_RANGE || p->kind == JSTUDY_DIFFERENCES || p->kind == JSTUDY_RANKING;
  if (needs && m->nobjective == 0) {
    status = jstudy_mistake(ctx, p, p->place, "the model has no objectives");
  }
  bool is_of_one = p->kind == JSTUDY_DIFFERENCES || p->kind == JSTUDY_RANKING;
  if (is_of_one && p->objectives.n == 0 && m->nobjective > 1) {
    status = jstudy_mistake(ctx, p, p->place, "'objective' is missing: the model has %d of them",
                            m->nobjective);
  }
  for (int i = 0; i < p->objectives.n && (m->nobjective > 0 || !needs); i++) {
    s = check_objective(ctx, p, &p->objectives.name[i], m);
    if (s < 0) status = s;
  }
  for (int i = 0; i < p->wrt.n; i++) {
    s = check_number(ctx, p, &p->wrt.name[i], m, false);
    if (s < 0) status = s;
  }
  for (int i = 0; i < p->nper; i++) {
    s = check_number(ctx, p, &p->per[i].name, m, true);
    if (s < 0) status = s;
  }
  bool is_told =
      p->kind == JSTUDY_HISTORIES && p->wrt.n == 1 && p->wrt.name[0].text == p->parameter.text;
  if (p->parameter.text && !is_told) {
    s = check_number(ctx, p, &p->parameter, m, true);
    if (s < 0) status = s;
  }
  return status;
}

jo_status jstudy_file_check(jo_context* ctx, const jstudy_file* f, const jmodel* m) {
  jo_status status = JO_OK;
  for (int i = 0; i < f->npart; i++) {
    jo_status s = check_part(ctx, &f->part[i], m);
    if (s < 0) status = s;
  }
  return status;
}
