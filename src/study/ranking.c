// SPDX-License-Identifier: Apache-2.0
// Which numbers matter for an objective, and which do not.
#include <math.h>

#include "study/job.h"
#include "study/list.h"
#include "study/read.h"

#define THRESHOLD 1e-4  // as of jounce sens

static void read(const jmodel_at* at, const jmodel_node* map, jstudy_part* p) {
  double* threshold = JMODEL_ARRAY(at->r, 1, double);
  jstudy_read_objective(at, map, p);
  p->wrt = jstudy_get_names(at, map, "wrt");
  p->nper = jstudy_read_values(at, map, "per", &p->per);
  if (threshold) *threshold = jstudy_get_positive(at, map, "threshold", THRESHOLD);
  p->own = threshold;
}

typedef struct ranking {
  const jo_sens_result* result;
  int objective, n;
  const jo_sens_row* row;
  const double* increment;
} ranking;

static int count_rows(const ranking* r, jo_influence influence) {
  int n = 0;
  for (int i = 0; i < r->n; i++) {
    n += r->row[i].influence == influence;
  }
  return n;
}

typedef double (*pick)(const ranking* r, const jo_sens_row* row);

static double pick_value(const ranking* r, const jo_sens_row* row) {
  (void)r;
  return row->value;
}

static double pick_size(const ranking* r, const jo_sens_row* row) {
  (void)r;
  return row->size;
}

static double pick_derivative(const ranking* r, const jo_sens_row* row) {
  (void)r;
  return row->derivative;
}

static double pick_error(const ranking* r, const jo_sens_row* row) {
  return jo_sens_derivative_error(r->result, r->objective, row->parameter);
}

static double pick_percent(const ranking* r, const jo_sens_row* row) {
  (void)r;
  return row->percent;
}

static double pick_increment(const ranking* r, const jo_sens_row* row) {
  return r->increment[row->parameter];
}

static double pick_change(const ranking* r, const jo_sens_row* row) {
  (void)r;
  return row->change;
}

static bool add_picked(const jstudy_job* k, jreport_sheet* s, const ranking* r,
                       jo_influence influence, const char* name, const char* unit, int digits,
                       pick get) {
  double* value = jstudy_add_numbers(k, s, name, unit);
  if (value) s->column[s->ncolumn - 1].digits = digits;
  for (int i = 0, n = 0; value && i < r->n; i++) {
    if (r->row[i].influence == influence) value[n++] = get(r, &r->row[i]);
  }
  return value;
}

// Texts of the parameters: 0 names, 1 units, 2 descriptions.
static bool add_words(const jstudy_job* k, jreport_sheet* s, const ranking* r,
                      jo_influence influence, const char* name, int what) {
  const char** text = jstudy_add_texts(k, s, name);
  for (int i = 0, n = 0; text && i < r->n; i++) {
    if (r->row[i].influence != influence) continue;
    const jo_sens_parameter* p = &k->system->parameter[r->row[i].parameter];
    const char* word = what == 0 ? p->name : what == 1 ? p->unit : p->description;
    text[n] = jarena_strdup(k->a, word);
    if (!text[n++]) return false;
  }
  return text;
}

static jo_status add_rank(jstudy_job* k, const ranking* r, jo_influence influence,
                          const char* title) {
  int n = count_rows(r, influence);
  bool is_first = influence == JO_MATTERS;
  if (n == 0 && !is_first) return JO_OK;
  const char* unit = jstudy_or_empty(k->m->objective[r->objective].unit);
  jreport_sheet* s = jstudy_add_sheet(k, title, 9, n);
  if (!s) return jerr_memory(k->ctx);
  bool ok = add_words(k, s, r, influence, "number", 0);
  if (influence == JO_ZERO_VALUE) {
    ok = ok && add_picked(k, s, r, influence, "natural size", "", 6, pick_size);
  } else {
    ok = ok && add_picked(k, s, r, influence, "value", "", 7, pick_value);
  }
  ok = ok && add_words(k, s, r, influence, "unit", 1);
  if (influence != JO_NONE) {
    ok = ok && add_picked(k, s, r, influence, "derivative", "", 6, pick_derivative) &&
         add_picked(k, s, r, influence, "error", "", 2, pick_error);
    if (ok && k->p->nper > 0) {
      ok = add_picked(k, s, r, influence, "increment", "", 6, pick_increment) &&
           add_picked(k, s, r, influence, "change", unit, 6, pick_change);
    }
    ok = ok && add_picked(k, s, r, influence, "% per 1 %", "", 5, pick_percent);
    if (ok) s->column[s->ncolumn - 1].has_bar = is_first;
  }
  ok = ok && add_words(k, s, r, influence, "description", 2);
  s->is_open = influence == JO_MATTERS || influence == JO_ZERO_VALUE;
  return ok ? JO_OK : jerr_memory(k->ctx);
}

static jo_status read_increments(jstudy_job* k, double* increment, int n) {
  for (int i = 0; i < n; i++) {
    increment[i] = NAN;
  }
  for (int i = 0; i < k->p->nper; i++) {
    const jstudy_value* per = &k->p->per[i];
    int which = jo_sens_parameter_find(k->system, per->name.text);
    if (which < 0) {
      return jstudy_mistake(k->ctx, k->p, per->name.place,
                            "per: '%.60s' is not among the parameters of wrt; add it",
                            per->name.text);
    }
    increment[which] = per->value;
  }
  return JO_OK;
}

static jo_status fill_ranking(jstudy_job* k, const jo_sens_result* result,
                              const double* increment) {
  ranking r = {result, jstudy_objective(k), jo_sens_parameter_count(k->system), NULL, increment};
  const char* reason = jo_sens_objective_reason(result, r.objective);
  if (reason) {
    return jerr_set(k->ctx, JO_ERR_NUMERIC, "%s: objective '%s' has no derivatives: %s", k->m->path,
                    k->m->objective[r.objective].name, reason);
  }
  jo_sens_row* row = JARENA_ARRAY(k->a, r.n, jo_sens_row);
  if (!row) return jerr_memory(k->ctx);
  JO_TRY(jo_sens_rank(k->ctx, result, r.objective, increment, *(const double*)k->p->own, row));
  r.row = row;
  jo_quantity q;
  JO_TRY(jo_sens_objective_at(result, r.objective, &q));
  const char* head =
      jarena_printf(k->a, "%s = %.9g%s%s", q.name, q.value, *q.unit ? " " : "", q.unit);
  const char* idle = jarena_printf(k->a, "%d do not matter: less than %.3g %% per 1 %%",
                                   count_rows(&r, JO_IDLE), *(const double*)k->p->own);
  JO_TRY(add_rank(k, &r, JO_MATTERS, head));
  JO_TRY(add_rank(k, &r, JO_ZERO_VALUE, "Zero, but matter: % per 1 % of the natural size"));
  JO_TRY(add_rank(k, &r, JO_IDLE, idle));
  return add_rank(k, &r, JO_NONE, "Without a derivative");
}

static jo_status run_ranking(jstudy_job* k) {
  int n = jo_sens_parameter_count(k->system);
  double* increment = JARENA_ARRAY(k->a, n, double);
  if (!increment) return jerr_memory(k->ctx);
  JO_TRY(read_increments(k, increment, n));
  JO_TRY(jstudy_reserve(k, 4, 0));
  jo_sens_options o = jstudy_sens_options(k);
  jo_sens_result* result = NULL;
  JO_TRY(jo_sens_run(k->ctx, k->system, &o, &result));
  jo_status status = fill_ranking(k, result, increment);
  jo_sens_result_destroy(result);
  return status;
}

static const char* title(jarena* a, const jmodel* m, const jstudy_part* p) {
  return jarena_printf(a, "What matters for %s", jstudy_name_objectives(a, m, p));
}

static const jmodel_key keys[] = {
    {JMODEL_KEY_TEXT("objective")},
    {JMODEL_KEY_AS("wrt", jstudy_form_names),
     .about = "Parameters to differentiate with respect to: names, paths, patterns"},
    {JMODEL_KEY_AS("per", jstudy_form_values), .about = "Increments of parameters"},
    {JMODEL_KEY_NUMBER("threshold"),
     .about = "What changes less does not matter [% per 1 %]; 1e-4"},
    JSTUDY_COMMON_KEYS,
    {0}};

const jstudy_kind jstudy_ranking = {
    .key = {JMODEL_KEY_MAP("ranking", keys), .about = "Which parameters matter for an objective"},
    .read = read,
    .needs = {.derivatives = true, .objectives = true, .one_objective = true},
    .title = title,
    .run = run_ranking};
