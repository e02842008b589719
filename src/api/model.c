// SPDX-License-Identifier: Apache-2.0
// The public face of models.
#include <math.h>
#include <string.h>

#include "api/handles.h"
#include "base/require.h"
#include "base/system/file.h"
#include "base/text/text.h"
#include "model/element.h"

static jo_status keep_settings(jo_model* m, const jo_setting* set, int nset) {
  m->nset = nset;
  m->set = JARENA_ARRAY(&m->arena, nset, jmodel_setting);
  if (!m->set) return jerr_memory(m->ctx);
  jtext t;
  jtext_init(&t, m->ctx);
  bool kept = true;
  for (int i = 0; i < nset; i++) {
    m->set[i].name = jarena_strdup(&m->arena, set[i].name);
    m->set[i].value = jarena_strdup(&m->arena, set[i].value);
    kept = kept && m->set[i].name && m->set[i].value;
    jtext_printf(&t, "%s%s=%s", i > 0 ? ", " : "", set[i].name, set[i].value);
  }
  m->settings = t.failed ? NULL : jarena_strdup(&m->arena, t.data ? t.data : "");
  jtext_free(&t);
  return kept && m->settings ? JO_OK : jerr_memory(m->ctx);
}

// `text` NULL: from the file
static jo_status read(jo_model* m, const char* text, size_t length, const char* path,
                      const jo_setting* set, int nset) {
  JO_TRY(keep_settings(m, set, nset));
  JO_TRY(text ? jmodel_parse(m->ctx, text, length, path, m->set, nset, &m->model)
              : jmodel_load(m->ctx, path, m->set, nset, &m->model));
  m->place = jfile_absolute(&m->arena, path);
  if (!m->place) return jerr_memory(m->ctx);
  if (text) {
    char* copy = jarena_alloc(&m->arena, length + 1);
    if (!copy) return jerr_memory(m->ctx);
    memcpy(copy, text, length);
    m->text = copy;
    m->length = length;
  }
  return jplant_values_build(m->ctx, &m->arena, m->model, &m->values);
}

jo_status japi_model_again(jo_context* ctx, const jo_model* m, const jmodel_setting* set, int nset,
                           jmodel** out) {
  return m->text ? jmodel_parse(ctx, m->text, m->length, m->model->path, set, nset, out)
                 : jmodel_load(ctx, m->place, set, nset, out);
}

static jo_status create(jo_context* ctx, const char* text, size_t length, const char* path,
                        const jo_setting* set, int nset, jo_model** out) {
  for (int i = 0; i < nset; i++) {
    if (!set[i].name || !set[i].value) {
      return jerr_set(ctx, JO_ERR_ARGUMENT, "setting %d has no name or no value", i + 1);
    }
  }
  jo_model* m = jmem_resize(ctx, NULL, sizeof *m);
  if (!m) return jerr_memory(ctx);
  *m = (jo_model){.ctx = ctx};
  jarena_init(&m->arena, ctx);
  jo_status status = read(m, text, length, path, set, nset);
  if (status < 0) {
    jo_model_destroy(m);
    return status;
  }
  *out = m;
  return status;
}

jo_status jo_model_load(jo_context* ctx, const char* path, const jo_setting* set, int nset,
                        jo_model** out) {
  JO_REQUIRE_OUT(out, ctx, path);
  JO_REQUIRE_LIST(ctx, set, nset);
  return create(ctx, NULL, 0, path, set, nset, out);
}

jo_status jo_model_parse(jo_context* ctx, const char* text, size_t length, const char* path,
                         const jo_setting* set, int nset, jo_model** out) {
  JO_REQUIRE_OUT(out, ctx, text, path);
  JO_REQUIRE_LIST(ctx, set, nset);
  return create(ctx, text, length, path, set, nset, out);
}

void jo_model_destroy(jo_model* model) {
  if (!model) return;
  jmodel_destroy(model->model);
  jarena_free(&model->arena);
  jmem_free(model->ctx, model);
}

static const char* text_or_empty(const char* text) {
  return text ? text : "";
}

const char* jo_model_name(const jo_model* model) {
  JO_REQUIRE_OR("", model);
  return text_or_empty(model->model->name);
}

const char* jo_model_description(const jo_model* model) {
  JO_REQUIRE_OR("", model);
  return text_or_empty(model->model->description);
}

const char* jo_model_path(const jo_model* model) {
  JO_REQUIRE_OR("", model);
  return text_or_empty(model->model->path);
}

const char* jo_model_sha256(const jo_model* model) {
  JO_REQUIRE_OR("", model);
  return model->model->sha256;
}

const char* jo_model_settings(const jo_model* model) {
  JO_REQUIRE_OR("", model);
  return model->settings;
}

// ---- lists ---------------------------------------------------------------------------------------

static int count_in(const jmodel* m, const char* section) {
  int n = 0;
  for (int i = 0; i < m->nelement; i++) {
    n += strcmp(m->element[i].class->section, section) == 0;
  }
  return n;
}

jo_model_info jo_model_inspect(const jo_model* model) {
  JO_REQUIRE_OR((jo_model_info){0}, model);
  const jmodel* m = model->model;
  int sensors = 0;
  for (int i = 0; i < m->nsignal; i++) {
    sensors += m->signal[i].is_output;
  }
  return (jo_model_info){.parameters = m->nparameter,
                         .bodies = m->nbody - 1,
                         .joints = m->njoint,
                         .coordinates = m->ncoordinate,
                         .closures = m->nclosure,
                         .forces = count_in(m, "forces"),
                         .tyres = count_in(m, "tyres"),
                         .states = m->nstate,
                         .sensors = sensors,
                         .objectives = m->nobjective};
}

int jo_model_parameter_count(const jo_model* model) {
  JO_REQUIRE_OR(0, model);
  return model->model->nparameter;
}

jo_status jo_model_parameter_at(const jo_model* model, int i, jo_parameter* out) {
  JO_REQUIRE_OR(JO_ERR_ARGUMENT, model, out);
  const jmodel* m = model->model;
  if (i < 0 || i >= m->nparameter) return JO_ERR_ARGUMENT;
  const jmodel_parameter* p = &m->parameter[i];
  *out = (jo_parameter){p->name, text_or_empty(p->unit), text_or_empty(p->description),
                        model->values.parameter[i], p->value.number < 0};
  return JO_OK;
}

jo_status jo_model_quantity(const jo_model* model, const char* name, const char* text,
                            double* out) {
  JO_REQUIRE_OR(JO_ERR_ARGUMENT, model, name, text, out);
  return jmodel_parameter_value(model->model, name, text, out) ? JO_OK : JO_ERR_ARGUMENT;
}

int jo_model_body_count(const jo_model* model) {
  JO_REQUIRE_OR(0, model);
  return model->model->nbody - 1;
}

jo_status jo_model_body_at(const jo_model* model, int i, jo_body* out) {
  JO_REQUIRE_OR(JO_ERR_ARGUMENT, model, out);
  const jmodel* m = model->model;
  if (i < 0 || i >= m->nbody - 1) return JO_ERR_ARGUMENT;
  *out = (jo_body){m->body[i + 1].name, model->values.mass[i + 1]};
  return JO_OK;
}

int jo_model_joint_count(const jo_model* model) {
  JO_REQUIRE_OR(0, model);
  return model->model->njoint;
}

jo_status jo_model_joint_at(const jo_model* model, int i, jo_joint* out) {
  JO_REQUIRE_OR(JO_ERR_ARGUMENT, model, out);
  const jmodel* m = model->model;
  if (i < 0 || i >= m->njoint) return JO_ERR_ARGUMENT;
  const jmodel_joint* j = &m->joint[i];
  *out = (jo_joint){j->name, jmodel_joint_class_of(j->type)->name, m->body[j->parent].name,
                    m->body[j->child].name, j->ncoordinate};
  return JO_OK;
}

int jo_model_closure_count(const jo_model* model) {
  JO_REQUIRE_OR(0, model);
  return model->model->nclosure;
}

jo_status jo_model_closure_at(const jo_model* model, int i, jo_closure* out) {
  JO_REQUIRE_OR(JO_ERR_ARGUMENT, model, out);
  const jmodel* m = model->model;
  if (i < 0 || i >= m->nclosure) return JO_ERR_ARGUMENT;
  const jmodel_closure* c = &m->closure[i];
  const jmodel_closure_class* class_ = jmodel_closure_class_of(c->type);
  *out = (jo_closure){c->name, class_->name, m->body[c->a.body].name, m->body[c->b.body].name,
                      jmodel_closure_equations(class_)};
  return JO_OK;
}

int jo_model_coupling_count(const jo_model* model) {
  JO_REQUIRE_OR(0, model);
  return model->model->ncoupling;
}

jo_status jo_model_coupling_at(const jo_model* model, int i, jo_coupling* out) {
  JO_REQUIRE_OR(JO_ERR_ARGUMENT, model, out);
  const jmodel* m = model->model;
  if (i < 0 || i >= m->ncoupling) return JO_ERR_ARGUMENT;
  const jmodel_coupling* c = &m->coupling[i];
  *out = (jo_coupling){c->name, c->kind, c->coordinates, c->nrelation};
  return JO_OK;
}

// ---- units ---------------------------------------------------------------------------------------

const char* jo_model_unit(const jo_model* model, const char* name) {
  JO_REQUIRE_OR("", model, name);
  const char* unit;
  jmodel_shown(model->model, name, 1.0, &unit);
  return unit;
}

double jo_model_shown(const jo_model* model, const char* name, double value) {
  JO_REQUIRE_OR(NAN, model, name);
  const char* unit;
  return jmodel_shown(model->model, name, value, &unit);
}
