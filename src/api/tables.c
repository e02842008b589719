// SPDX-License-Identifier: Apache-2.0
// What tables of several results have in common.
#include "api/tables.h"

#include <string.h>

#include "api/select.h"

jreport_builder japi_build(jarena* a, int n, const jo_model* model) {
  jreport_builder b = jreport_build(a, n);
  jreport_add_note(&b, "model", jo_model_name(model));
  jreport_add_note(&b, "sha256", jo_model_sha256(model));
  jreport_add_note(&b, "settings", jo_model_settings(model));
  jreport_add_note(&b, "jounce", jo_version());
  return b;
}

int japi_sensor_count(const jmodel* m) {
  int n = 0;
  for (int i = 0; i < m->nsignal; i++) {
    n += m->signal[i].is_output;
  }
  return n;
}

static const jreport_field parameters[] = {
    {"parameter", .kind = JREPORT_WORDS},
    {.name = "value"},
    {"unit", .kind = JREPORT_WORDS},
    {"description", .kind = JREPORT_WORDS},
};
static const jo_table_style parameters_style = {"parameters", JREPORT_FIELDS(parameters)};

void japi_put_parameters(jreport_builder* b, const jmodel* m, const jmodel_selection* by) {
  jreport_begin(b, &parameters_style, NULL, by->n);
  for (int k = 0; k < by->n; k++) {
    jo_quantity p = japi_describe(m, by->wrt[k]);
    jreport_say(b, p.name);
    jreport_put(b, p.value);
    jreport_say(b, p.unit);
    jreport_say(b, p.description);
  }
}

void japi_begin_slopes(jreport_builder* b, const jo_table_style* style, const jmodel* m,
                       const jmodel_selection* by, int nrow) {
  int own = style->nfield;
  jreport_field* field = JARENA_ARRAY(b->a, own + by->n, jreport_field);
  jo_table_style* wide = JARENA_NEW(b->a, jo_table_style);
  b->failed = b->failed || !field || !wide;
  if (b->failed) return;
  memcpy(field, style->field, (size_t)own * sizeof *field);
  for (int k = 0; k < by->n; k++) {
    field[own + k].name = jreport_text(b, "d/d %s", m->number[by->wrt[k]].path);
  }
  *wide = *style;
  wide->field = field;
  wide->nfield = own + by->n;
  jreport_begin(b, wide, NULL, nrow);
}

const char* japi_slope_unit(jreport_builder* b, const char* of, const char* by) {
  return *by ? jreport_text(b, "%s/(%s)", of, by) : of;
}
