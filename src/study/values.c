// SPDX-License-Identifier: Apache-2.0
// A table of objectives, and of outputs at the end of the run.
#include <math.h>
#include <string.h>

#include "study/job.h"
#include "study/list.h"
#include "study/read.h"

static void read(const jmodel_at* at, const jmodel_node* map, jstudy_part* p) {
  jstudy_read_objectives(at, map, p);
  p->sensors = jstudy_get_names(at, map, "sensors");
  p->no_objectives = p->sensors.n > 0 && !jmodel_node_find(map, "objectives");
  jstudy_read_runs(at, map, p);
}

static jo_quantity row_of(const jo_table* t, int i) {
  return (jo_quantity){t->column[0].text[i], t->column[2].text[i], t->column[3].text[i],
                       jo_table_number(t, "value", i)};
}

// The i-th quantity that is asked for: objectives first, then outputs at the end of the run.
static void value_at(const jstudy_job* k, const jo_result* r, int i, jo_quantity* q) {
  const jstudy_names *objectives = &k->p->objectives, *sensors = &k->p->sensors;
  int nobjective = k->p->no_objectives ? 0 : objectives->n > 0 ? objectives->n : k->m->nobjective;
  *q = (jo_quantity){"", "", "", NAN};
  if (i < nobjective) {
    bool by_name = objectives->n > 0;
    int which = by_name ? jstudy_find_objective(k->m, objectives->name[i].text) : i;
    *q = row_of(jo_tables_find(jo_result_tables(r), "objectives"), which);
    return;
  }
  const jo_table* t = jo_tables_find(jo_result_tables(r), "final");
  for (int n = t->nrow - 1; n >= 0; n--) {
    jo_quantity now = row_of(t, n);
    if (strcmp(now.name, sensors->name[i - nobjective].text) == 0) *q = now;
  }
}

static jo_status describe_values(jstudy_job* k, jreport_sheet* s, const jo_result* r,
                                 bool is_before) {
  const char** first = jstudy_add_texts(k, s, is_before ? "quantity" : "unit");
  const char** second = is_before ? first : jstudy_add_texts(k, s, "description");
  jo_quantity q;
  for (int i = 0; first && second && i < s->nrow; i++) {
    value_at(k, r, i, &q);
    first[i] = jarena_strdup(k->a, is_before ? q.name : q.unit);
    if (!is_before) second[i] = jarena_strdup(k->a, q.description);
    if (!first[i] || !second[i]) return jerr_memory(k->ctx);
  }
  return first && second ? JO_OK : jerr_memory(k->ctx);
}

static jo_status fill_values(jstudy_job* k, jreport_sheet* s, const jo_result* r, int run) {
  bool is_last = run == jstudy_run_count(k) - 1;
  if (run == 0) JO_TRY(describe_values(k, s, r, true));
  const char* name = k->p->runs.n > 0 ? jstudy_run_label(k, run) : "value";
  double* value = jstudy_add_numbers(k, s, name, "");
  if (!value) return jerr_memory(k->ctx);
  for (int i = 0; i < s->nrow; i++) {
    jo_quantity q;
    value_at(k, r, i, &q);
    value[i] = q.value;
  }
  return is_last ? describe_values(k, s, r, false) : JO_OK;
}

static jo_status run_values(jstudy_job* k) {
  int n = k->p->objectives.n > 0 ? k->p->objectives.n : k->m->nobjective;
  if (k->p->no_objectives) n = 0;
  JO_TRY(jstudy_reserve(k, 1, 0));
  jreport_sheet* s = jstudy_add_sheet(k, "", 3 + jstudy_run_count(k), n + k->p->sensors.n);
  if (!s) return jerr_memory(k->ctx);
  s->is_open = true;
  for (int i = 0; i < jstudy_run_count(k); i++) {
    jo_result* r = NULL;
    JO_TRY(jstudy_begin_run(k, i));
    JO_TRY(jstudy_simulate(k, &r));
    jo_status status = fill_values(k, s, r, i);
    jo_result_destroy(r);
    JO_TRY(status);
  }
  return jstudy_end_runs(k);
}

static const char* title(jarena* a, const jmodel* m, const jstudy_part* p) {
  (void)a, (void)m, (void)p;
  return "Values";
}

static const jmodel_key keys[] = {
    {JMODEL_KEY_AS("objectives", jstudy_form_names), .about = "By default all"},
    {JMODEL_KEY_AS("sensors", jstudy_form_names),
     .about = "Sensors, coordinates, forces of elements: columns of `jounce run -o`"},
    {JMODEL_KEY_AS("for", jstudy_form_runs), .about = "A run for each value"},
    JSTUDY_COMMON_KEYS,
    {0}};

const jstudy_kind jstudy_values = {
    .key = {.name = "values",
            .is = JMODEL_A_MAP | JMODEL_A_NULL,
            .keys = keys,
            .about = "A table of objectives, and of outputs at the end of the run"},
    .read = read,
    .needs = {.any = true},
    .title = title,
    .run = run_values};
