// SPDX-License-Identifier: Apache-2.0
// The public face of studies: files, systems, what came out.
#include "jounce/study.h"

#include <math.h>
#include <string.h>

#include "api/select.h"
#include "base/require.h"
#include "base/system/file.h"
#include "base/text/text.h"
#include "study/plan.h"
#include "study/tables.h"

struct jo_study {
  jo_context* ctx;
  jstudy_file* file;
  jo_model** model;  // the study's own, then those of parts (nmodel)
  int nmodel;
  jarena arena;              // titles
  jarena results;            // what came out, thrown away by the next run
  jreport_part* part;        // of the file's, in their order
  const jo_tables** tables;  // of these
};

// A study under way.
typedef struct work {
  jo_context* ctx;
  jo_study* study;
  const jo_study_options* opt;
  jarena* a;
  jstudy_plan plan;
  jo_system** system;  // of the plan
  int part;            // under way
  bool is_stopped;
} work;

jo_study_options jo_study_options_default(void) {
  return (jo_study_options){0};
}

// ---- files ---------------------------------------------------------------------------------------

static bool is_set_again(const char* name, const jo_setting* set, int nset) {
  for (int i = 0; i < nset; i++) {
    if (strcmp(set[i].name, name) == 0) return true;
  }
  return false;
}

// Each file once.
static jo_status load_models(jo_study* s, const jo_setting* set, int nset) {
  const jstudy_file* f = s->file;
  const char** path = JARENA_ARRAY(&s->arena, f->npart + 1, const char*);
  s->model = JARENA_ARRAY(&s->arena, f->npart + 1, jo_model*);
  if (!path || !s->model) return jerr_memory(s->ctx);
  path[0] = f->model;
  JO_TRY(jo_model_load(s->ctx, path[0], set, nset, &s->model[0]));
  s->nmodel = 1;
  for (int i = 0; i < f->npart; i++) {
    jstudy_part* p = &f->part[i];
    int k = 0;
    while (p->model.text && k < s->nmodel && strcmp(path[k], p->model.text) != 0) {
      k++;
    }
    p->which = k;
    if (k < s->nmodel) continue;
    path[k] = p->model.text;
    JO_TRY(jo_model_load(s->ctx, path[k], set, nset, &s->model[k]));
    s->nmodel++;
  }
  return JO_OK;
}

static const jmodel** list_models(const jo_study* s, jarena* a) {
  const jmodel** list = JARENA_ARRAY(a, s->nmodel, const jmodel*);
  for (int i = 0; list && i < s->nmodel; i++) {
    list[i] = s->model[i]->model;
  }
  return list;
}

static jo_status load_model(jo_study* s, const jo_setting* set, int nset) {
  const jstudy_file* f = s->file;
  jo_setting* all = JARENA_ARRAY(&s->arena, f->nset + nset, jo_setting);
  if (!all) return jerr_memory(s->ctx);
  int n = 0;
  for (int i = 0; i < f->nset; i++) {
    if (is_set_again(f->set[i].name, set, nset)) continue;
    all[n++] = (jo_setting){f->set[i].name, f->set[i].value};
  }
  for (int i = 0; i < nset; i++) {
    all[n++] = set[i];
  }
  JO_TRY(load_models(s, all, n));
  const jmodel** list = list_models(s, &s->arena);
  return list ? jstudy_file_check(s->ctx, f, list) : jerr_memory(s->ctx);
}

// What a part has of its own, for the page: "model twin_tube, v = 0.3 m/s"; NULL: no memory.
static const char* about_part(jo_study* s, const jstudy_part* p) {
  const jo_model* m = s->model[p->which];
  const char* text = p->which > 0 ? jarena_printf(&s->arena, "model %s", jo_model_name(m)) : "";
  for (int i = 0; i < p->nset && text; i++) {
    const jstudy_value* v = &p->set[i];
    int number = jmodel_find_number(m->model, v->name.text);
    const char* unit = number >= 0 ? japi_describe(m->model, number).unit : "";
    text = jarena_printf(&s->arena, "%s%s%s = %.9g%s%s", text, *text ? ", " : "", v->name.text,
                         v->value, *unit ? " " : "", unit);
  }
  return text;
}

static jo_status begin_parts(jo_study* s) {
  const jstudy_file* f = s->file;
  s->part = JARENA_ARRAY(&s->arena, f->npart, jreport_part);
  s->tables = JARENA_ARRAY(&s->arena, f->npart, const jo_tables*);
  if (!s->part || !s->tables) return jerr_memory(s->ctx);
  for (int i = 0; i < f->npart; i++) {
    const jstudy_part* p = &f->part[i];
    s->part[i].kind = p->kind->key.name;
    s->part[i].title =
        *p->title ? p->title : p->kind->title(&s->arena, s->model[p->which]->model, p);
    s->part[i].text = p->text;
    s->part[i].about = about_part(s, p);
    if (!s->part[i].title || !s->part[i].about) return jerr_memory(s->ctx);
  }
  return JO_OK;
}

static jo_status load(jo_study* s, const char* path, const jo_setting* set, int nset) {
  JO_TRY(jstudy_file_open(s->ctx, path, &s->file));
  JO_TRY(load_model(s, set, nset));
  return begin_parts(s);
}

jo_status jo_study_load(jo_context* ctx, const char* path, const jo_setting* set, int nset,
                        jo_study** out) {
  JO_REQUIRE_OUT(out, ctx, path);
  JO_REQUIRE_LIST(ctx, set, nset);
  for (int i = 0; i < nset; i++) {
    if (!set[i].name || !set[i].value) {
      return jerr_set(ctx, JO_ERR_ARGUMENT, "setting %d has no name or no value", i + 1);
    }
  }
  jo_study* s = jmem_resize(ctx, NULL, sizeof *s);
  if (!s) return jerr_memory(ctx);
  *s = (jo_study){.ctx = ctx};
  jarena_init(&s->arena, ctx);
  jarena_init(&s->results, ctx);
  jo_status status = load(s, path, set, nset);
  if (status < 0) {
    jo_study_destroy(s);
    return status;
  }
  *out = s;
  return JO_OK;
}

void jo_study_destroy(jo_study* study) {
  if (!study) return;
  jstudy_file_close(study->file);
  for (int i = 0; i < study->nmodel; i++) {
    jo_model_destroy(study->model[i]);
  }
  jarena_free(&study->arena);
  jarena_free(&study->results);
  jmem_free(study->ctx, study);
}

const char* jo_study_name(const jo_study* study) {
  JO_REQUIRE_OR("", study);
  return *study->file->name ? study->file->name : jo_model_name(study->model[0]);
}

const jo_model* jo_study_model(const jo_study* study) {
  JO_REQUIRE_OR(NULL, study);
  return study->model[0];
}

// ---- runs ----------------------------------------------------------------------------------------

// How far the part under way is; false: stop.
static bool tell(void* user, double fraction) {
  work* j = user;
  if (!j->opt->progress) return true;
  double done = (j->part + fraction) / j->study->file->npart;
  j->is_stopped = j->is_stopped || !j->opt->progress(j->opt->user, done);
  return !j->is_stopped;
}

static jo_status prepare(work* j) {
  const jo_study* s = j->study;
  const jmodel** list = list_models(s, j->a);
  if (!list) return jerr_memory(j->ctx);
  JO_TRY(jstudy_plan_make(j->ctx, j->a, s->file, list, &j->plan));
  j->system = JARENA_ARRAY(j->a, j->plan.nsetup, jo_system*);
  if (!j->system) return jerr_memory(j->ctx);
  for (int i = 0; i < j->plan.nsetup; i++) {
    const jstudy_setup* k = &j->plan.setup[i];
    jo_system_options o = {.wrt = k->wrt,
                           .nwrt = k->nwrt,
                           .variable = k->variable,
                           .nvariable = k->nvariable,
                           .interpreter = j->opt->interpreter,
                           .compiler = j->opt->compiler};
    if (k->runs || !k->derivatives) o.use |= JO_USE_RUNS;
    if (k->derivatives) o.use |= JO_USE_DERIVATIVES;
    if (k->histories) o.use |= JO_USE_HISTORIES;
    if (k->checks) o.use |= JO_USE_CHECKS;
    JO_TRY(jo_system_create(j->ctx, s->model[k->model], &o, &j->system[i]));
    if (!tell(j, 0.0)) break;
  }
  return JO_OK;
}

static jo_status fail_stopped(const work* j) {
  return jerr_set(j->ctx, JO_ERR_LIMIT, "%s: stopped in part %d of %d", j->study->file->path,
                  j->part + 1, j->study->file->npart);
}

static jo_system* system_of(const work* j, int part) {
  return j->system[j->plan.of[part]];
}

// Whether the systems have the outputs that parts name. All that they have not is told.
static jo_status check_outputs(const work* j) {
  const jstudy_file* f = j->study->file;
  jo_status status = JO_OK;
  for (int i = 0; i < f->npart; i++) {
    const jgen_dynamics* d = system_of(j, i)->plant->dynamics;
    jo_status s = jstudy_check_outputs(j->ctx, &f->part[i], d);
    if (s < 0) status = s;
  }
  return status;
}

// Give numbers the values they have in this part; before: what they had.
static jo_status set_values(jo_context* ctx, jo_system* system, const jstudy_part* p,
                            double* before) {
  for (int i = 0; i < p->nset; i++) {
    const char* name = p->set[i].name.text;
    JO_TRY(jo_system_get(ctx, system, name, &before[i]));
    JO_TRY(jo_system_set(ctx, system, &name, &p->set[i].value, 1));
  }
  return JO_OK;
}

static jo_status run_part(work* j) {
  const jstudy_file* f = j->study->file;
  const jstudy_part* p = &f->part[j->part];
  jo_system* system = system_of(j, j->part);
  jstudy_job job = {.ctx = j->ctx,
                    .a = j->a,
                    .p = p,
                    .system = system,
                    .m = system->variable,
                    .tolerance = f->tolerance,
                    .out = &j->study->part[j->part],
                    .tell = tell,
                    .user = j,
                    .nrun = 1};
  double* before = JARENA_ARRAY(j->a, p->nset, double);
  if (!before) return jerr_memory(j->ctx);
  JO_TRY(set_values(j->ctx, system, p, before));
  JO_TRY(p->kind->run(&job));
  const jo_model* model = j->study->model[p->which];
  j->study->tables[j->part] = jstudy_tables(j->a, model, &j->study->part[j->part]);
  if (!j->study->tables[j->part]) return jerr_memory(j->ctx);
  for (int i = 0; i < p->nset; i++) {
    const char* name = p->set[i].name.text;
    JO_TRY(jo_system_set(j->ctx, system, &name, &before[i], 1));
  }
  return JO_OK;
}

static jo_status run_parts(work* j) {
  const jo_study* s = j->study;
  JO_TRY(prepare(j));
  if (!j->is_stopped) JO_TRY(check_outputs(j));
  for (; j->part < s->file->npart && tell(j, 0.0); j->part++) {
    jo_status status = run_part(j);
    if (j->is_stopped) break;
    if (status < 0) return status;
  }
  return j->is_stopped ? fail_stopped(j) : JO_OK;
}

static void forget(jo_study* s) {
  for (int i = 0; i < s->file->npart; i++) {
    s->part[i].nsheet = s->part[i].nfigure = 0;
  }
  jarena_free(&s->results);
}

jo_status jo_study_run(jo_context* ctx, jo_study* study, const jo_study_options* opt) {
  JO_REQUIRE(ctx, study);
  jo_study_options defaults = jo_study_options_default();
  forget(study);
  work j = {.ctx = ctx, .study = study, .opt = opt ? opt : &defaults, .a = &study->results};
  jerr_scope scope = jerr_enter(ctx, JERR_SCOPE_STUDY);
  jo_status status = run_parts(&j);
  jerr_leave(ctx, scope);
  for (int i = 0; j.system && i < j.plan.nsetup; i++) {
    jo_system_destroy(j.system[i]);
  }
  if (status < 0) forget(study);
  return status < 0 ? status : JO_OK;
}

// ---- what came out -------------------------------------------------------------------------------

int jo_study_part_count(const jo_study* study) {
  JO_REQUIRE_OR(0, study);
  return study->file->npart;
}

static const jreport_part* part_of(const jo_study* s, int i) {
  return i >= 0 && i < s->file->npart ? &s->part[i] : NULL;
}

jo_status jo_study_part_at(const jo_study* study, int i, jo_study_part* out) {
  JO_REQUIRE_OR(JO_ERR_ARGUMENT, study, out);
  const jreport_part* p = part_of(study, i);
  if (!p) return JO_ERR_ARGUMENT;
  *out = (jo_study_part){p->kind, p->title, p->text, p->nsheet, p->nfigure};
  return JO_OK;
}

const jo_tables* jo_study_tables(const jo_study* study, int part) {
  JO_REQUIRE_OR(NULL, study);
  const jreport_part* p = part_of(study, part);
  return p && p->nsheet > 0 ? study->tables[part] : NULL;
}

static jo_status finish(jo_context* ctx, jtext* t, const char* path) {
  jo_status status = t->failed ? jerr_memory(ctx) : jfile_write(ctx, path, t->data, t->length);
  jtext_free(t);
  return status;
}

jo_status jo_study_figure_save(jo_context* ctx, const jo_study* study, int part, int i,
                               const char* path) {
  JO_REQUIRE(ctx, study, path);
  const jreport_part* p = part_of(study, part);
  if (!p || i < 0 || i >= p->nfigure) {
    return jerr_set(ctx, JO_ERR_ARGUMENT, "%s: there is no figure %d of part %d", path, i, part);
  }
  jtext t;
  jtext_init(&t, ctx);
  jreport_svg_plot(&t, &p->figure[i]);
  return finish(ctx, &t, path);
}

static jo_status save_page(jo_context* ctx, const jreport_study* page, const char* path) {
  jtext t;
  jtext_init(&t, ctx);
  jreport_study_html(&t, page);
  return finish(ctx, &t, path);
}

jo_status jo_study_save(jo_context* ctx, const jo_study* study, const char* path) {
  JO_REQUIRE(ctx, study, path);
  const jstudy_file* f = study->file;
  jarena a;
  jarena_init(&a, ctx);
  jreport_study_model* model = JARENA_ARRAY(&a, study->nmodel, jreport_study_model);
  for (int i = 0; model && i < study->nmodel; i++) {
    const jo_model* m = study->model[i];
    model[i] = (jreport_study_model){jo_model_name(m), jo_model_path(m), jo_model_sha256(m)};
  }
  jreport_study page = {.name = jo_study_name(study),
                        .description = f->description,
                        .path = f->path,
                        .model = model,
                        .nmodel = study->nmodel,
                        .settings = jo_model_settings(study->model[0]),
                        .tolerance = f->tolerance,
                        .part = study->part,
                        .npart = f->npart};
  jo_status status = model ? save_page(ctx, &page, path) : jerr_memory(ctx);
  jarena_free(&a);
  return status;
}
