// SPDX-License-Identifier: Apache-2.0
// The table of a sweep: notes, columns, rows, and why points failed.
#include "report/sweep.h"

#include <string.h>

#include "base/text/format.h"
#include "report/format/table.h"

static const char* text_or_empty(const char* text) {
  return text ? text : "";
}

// ---- notes ---------------------------------------------------------------------------------------

// What a sample was drawn from: "k: normal(16000, 800) in [0, 1e5]; ..."; NULL: no memory.
static const char* tell_laws(jarena* a, const jsweep* s) {
  static const char* const name[] = {"uniform", "normal", "lognormal"};
  const char* told = "";
  for (int i = 0; i < s->nrange && told; i++) {
    const jsweep_range* r = &s->range[i];
    told = jarena_printf(a, "%s%s%s: %s", told, i > 0 ? "; " : "", r->name, name[r->law]);
    if (told && r->law != JSWEEP_UNIFORM) {
      told = jarena_printf(a, "%s(%.17g, %.17g)", told, r->mean, r->deviation);
    }
    if (told) told = jarena_printf(a, "%s in [%.17g, %.17g]", told, r->from, r->to);
  }
  for (int i = 0; i < s->ncorrelation && told; i++) {
    const jsweep_correlation* c = &s->correlation[i];
    told = jarena_printf(a, "%s; correlation %s,%s: %.17g", told, c->first, c->second, c->value);
  }
  return told;
}

static bool is_plain(const jsweep* s) {
  for (int i = 0; i < s->nrange; i++) {
    if (s->range[i].law != JSWEEP_UNIFORM) return false;
  }
  return s->ncorrelation == 0;
}

static void put_notes(jreport_notes* l, jarena* a, const jsweep* s, int failed) {
  const jsolve_options* o = &s->run.solve;
  jreport_note_text(l, "model", text_or_empty(s->model->name));
  jreport_note_text(l, "description", text_or_empty(s->model->description));
  jreport_note_text(l, "sha256", s->model->sha256);
  jreport_note_text(l, "settings", s->settings);
  jreport_note_text(l, "jounce", jo_version());
  jreport_note_text(l, "method", jsolve_method_name(o->method));
  jreport_note_real(l, "t_start", "s", s->run.t_start);
  jreport_note_real(l, "t_end", "s", s->run.t_end);
  jreport_note_real(l, "rel_tol", "", o->rel_tol);
  if (o->step > 0.0) jreport_note_real(l, "step", "s", o->step);
  jreport_note_text(l, "design", s->is_sample ? jsweep_sampling_name(s->sampling) : "grid");
  if (s->is_sample) jreport_note_count(l, "seed", (int64_t)s->seed);
  if (!is_plain(s)) jreport_note_text(l, "distributions", text_or_empty(tell_laws(a, s)));
  jreport_note_text(l, "derivatives",
                    s->method == JSENS_VALUE    ? "none"
                    : s->method == JSENS_DIRECT ? "direct"
                                                : "adjoint");
  if (s->nw > 0) jreport_note_text(l, "events", s->run.frozen ? "frozen" : "exact");
  if (s->single.is_single) {
    jreport_note_text(l, "precision", "single");
    jreport_note_count(l, "checked", s->single.checked);
    jreport_note_real(l, "value_error", "", s->single.value_error);
    if (s->nw > 0) jreport_note_real(l, "gradient_error", "", s->single.gradient_error);
  }
  jreport_note_count(l, "points", s->ndone);
  jreport_note_count(l, "failed", failed);
}

// ---- columns -------------------------------------------------------------------------------------

static const jmodel_parameter* parameter_of(const jmodel* m, int number) {
  for (int i = 0; i < m->nparameter; i++) {
    if (m->parameter[i].value.number == number) return &m->parameter[i];
  }
  return NULL;
}

static jplant_quantity parameter_column(const jmodel* m, int number) {
  const jmodel_parameter* p = parameter_of(m, number);
  return (jplant_quantity){.name = m->number[number].path,
                           .unit = p ? text_or_empty(p->unit) : "",
                           .description = p ? text_or_empty(p->description) : ""};
}

// The unit of a derivative; "" when one of the two is not known.
static const char* unit_ratio(jarena* a, const char* above, const char* below) {
  if (!*above || !*below) return "";
  return strcmp(below, "1") == 0 ? above : jarena_printf(a, "(%s)/(%s)", above, below);
}

static jo_status derivative_columns(jo_context* ctx, jarena* a, const jsweep* s, const char* what,
                                    jplant_quantity* c, int* k) {
  const jmodel* m = s->model;
  for (int i = 0; i < s->nobjective; i++) {
    const jmodel_objective* o = &m->objective[i];
    for (int w = 0; w < s->nw; w++) {
      jplant_quantity p = parameter_column(m, s->wrt[w]), *q = &c[(*k)++];
      *q = (jplant_quantity){.name = jarena_printf(a, "%sd %s / d %s", what, o->name, p.name),
                             .unit = unit_ratio(a, text_or_empty(o->unit), p.unit),
                             .description = ""};
      if (!q->name || !q->unit) return jerr_memory(ctx);
    }
  }
  return JO_OK;
}

static jo_status make_columns(jo_context* ctx, jarena* a, const jsweep* s, jreport_table* out) {
  const jmodel* m = s->model;
  int n = s->nrange + 1 + s->nobjective * (2 * s->nw + 1) + 2, k = 0;
  jplant_quantity* c = JARENA_ARRAY(a, n, jplant_quantity);
  if (!c) return jerr_memory(ctx);
  for (int i = 0; i < s->nrange; i++) {
    c[k++] = parameter_column(m, s->parameter[i]);
  }
  c[k++] = (jplant_quantity){.name = "status", .unit = "", .description = ""};
  for (int i = 0; i < s->nobjective; i++) {
    c[k++] = (jplant_quantity){.name = m->objective[i].name,
                               .unit = text_or_empty(m->objective[i].unit),
                               .description = text_or_empty(m->objective[i].description)};
  }
  JO_TRY(derivative_columns(ctx, a, s, "", c, &k));
  JO_TRY(derivative_columns(ctx, a, s, "error of ", c, &k));
  c[k++] = (jplant_quantity){.name = "events", .unit = "", .description = ""};
  c[k++] = (jplant_quantity){.name = "evaluations", .unit = "", .description = ""};
  out->column = c;
  out->ncolumn = k;
  return JO_OK;
}

// ---- rows ----------------------------------------------------------------------------------------

// Row of a point, in the order of the columns.
static void put_row(const jsweep* s, const jsweep_point* p, const double* x, double* row) {
  size_t numbers = (size_t)s->nobjective * (size_t)(2 * s->nw + 1);
  memcpy(row, x, (size_t)s->nrange * sizeof *row);
  row += s->nrange;
  *row++ = p->status;
  // values, derivatives and their errors lie one after the other
  memcpy(row, p->value, numbers * sizeof *row);
  row += numbers;
  *row++ = p->events;
  *row++ = (double)p->evaluations;
}

static jo_status make_rows(jo_context* ctx, jarena* a, const jsweep* s, jreport_table* out) {
  double* row = jarena_array(a, (size_t)s->ndone, (size_t)out->ncolumn * sizeof *row);
  jreport_remark* remark = JARENA_ARRAY(a, s->ndone, jreport_remark);
  if (!row || !remark) return jerr_memory(ctx);
  out->row = row;
  out->remark = remark;
  jsweep_cursor c;
  JO_TRY(jsweep_look(ctx, a, s, &c));
  for (int i = 0; i < s->npoint; i++) {
    const jsweep_point* p;
    const double* x;
    JO_TRY(jsweep_at(&c, i, &p, &x));
    if (!p->is_done) continue;
    put_row(s, p, x, row + (size_t)out->nrow * (size_t)out->ncolumn);
    if (p->message) {
      const char* text = jarena_strdup(a, p->message);
      if (!text) return jerr_memory(ctx);
      remark[out->nremark++] = (jreport_remark){out->nrow, text};
    }
    out->nrow++;
  }
  return JO_OK;
}

// ---- rows of a streamed sweep --------------------------------------------------------------------

#define MAX_REMARKS 1000

typedef struct reader {
  jsweep_cursor cursor;
  int row, point;  // the next row, and a point not behind it
  int ncolumn;
} reader;

// Rows in their order; points that are not done have none.
static jo_status read_rows(void* user, int first, int n, double* row) {
  reader* r = user;
  if (first == 0) r->row = r->point = 0;
  while (r->row < first + n && r->point < r->cursor.s->npoint) {
    const jsweep_point* p;
    const double* x;
    JO_TRY(jsweep_at(&r->cursor, r->point++, &p, &x));
    if (!p->is_done) continue;
    put_row(r->cursor.s, p, x, row);
    row += r->ncolumn;
    r->row++;
  }
  return JO_OK;
}

// Why points failed, or lack derivatives: of the first ones, as all of them might be too many.
static jo_status find_remarks(jo_context* ctx, jarena* a, reader* r, jreport_table* out) {
  const jsweep* s = r->cursor.s;
  int most = s->ndone < MAX_REMARKS ? s->ndone : MAX_REMARKS, row = 0;
  jreport_remark* remark = JARENA_ARRAY(a, most, jreport_remark);
  if (!remark) return jerr_memory(ctx);
  out->remark = remark;
  for (int i = 0; i < s->npoint && out->nremark < most; i++) {
    const jsweep_point* p;
    const double* x;
    JO_TRY(jsweep_at(&r->cursor, i, &p, &x));
    if (p->message) {
      const char* text = jarena_strdup(a, p->message);
      if (!text) return jerr_memory(ctx);
      remark[out->nremark++] = (jreport_remark){row, text};
    }
    row += p->is_done;
  }
  return JO_OK;
}

static jo_status stream_rows(jo_context* ctx, jarena* a, const jsweep* s, reader* r,
                             jreport_table* out) {
  JO_TRY(jsweep_look(ctx, a, s, &r->cursor));
  r->ncolumn = out->ncolumn;
  out->read = read_rows;
  out->user = r;
  out->nrow = s->ndone;
  return find_remarks(ctx, a, r, out);
}

// ---- gradients -----------------------------------------------------------------------------------

enum { OBJECTIVES, WRT, STATISTICS, NLIST, NARRAY = 3 };

typedef struct parts {
  jreport_notes notes;
  jreport_list list[NLIST];
  jreport_array array[NARRAY];
} parts;

// Their numbers lie in the rows: views of them.
static jo_status make_arrays(jo_context* ctx, jarena* a, const jsweep* s, parts* p,
                             jreport_table* out) {
  jplant_quantity* wrt = JARENA_ARRAY(a, s->nw, jplant_quantity);
  if (!wrt) return jerr_memory(ctx);
  for (int i = 0; i < s->nw; i++) {
    wrt[i] = parameter_column(s->model, s->wrt[i]);
  }
  const jplant_quantity* objective = out->column + s->nrange + 1;
  p->list[OBJECTIVES] = (jreport_list){"objectives", NULL, objective, s->nobjective, false};
  p->list[WRT] = (jreport_list){"wrt", NULL, wrt, s->nw, false};
  int first = s->nrange + 1;
  const double* at = out->row ? out->row + first : NULL;
  size_t stride = (size_t)out->ncolumn, n = (size_t)s->nobjective * (size_t)s->nw;
  p->array[0] = (jreport_array){
      "values", "objectives by point", 2, {-1, OBJECTIVES}, {out->nrow, s->nobjective}, at, stride,
      first};
  p->array[1] = (jreport_array){"gradient",
                                "derivatives of the objectives by point",
                                3,
                                {-1, OBJECTIVES, WRT},
                                {out->nrow, s->nobjective, s->nw},
                                at ? at + s->nobjective : NULL,
                                stride,
                                first + s->nobjective};
  p->array[2] = p->array[1];
  p->array[2].name = "gradient_error";
  p->array[2].description = "estimated errors of the derivatives";
  p->array[2].data = at ? p->array[1].data + n : NULL;
  p->array[2].column += (int)n;
  out->list = p->list;
  out->nlist = s->statistic ? NLIST : STATISTICS;
  out->array = p->array;
  out->narray = s->nw > 0 ? NARRAY : 1;
  return JO_OK;
}

// ---- statistics ----------------------------------------------------------------------------------

// Numbers with a name and a unit each, as they come.
typedef struct numbers {
  jarena* a;
  jplant_quantity* item;
  int n;
  bool oom;
} numbers;

static void put_number(numbers* l, const char* what, const char* of, const char* by,
                       const char* unit, double value) {
  const char* name = jarena_printf(l->a, "%s of %s%s%s", what, of, by ? " by " : "", by ? by : "");
  l->oom = l->oom || !name;
  if (l->oom) return;
  l->item[l->n++] =
      (jplant_quantity){.name = name, .unit = unit, .description = "", .value = value};
}

static void put_moments(numbers* l, const jmodel_objective* o, const jsweep_statistic* t) {
  const char* unit = text_or_empty(o->unit);
  put_number(l, "points", o->name, NULL, "", t->n);
  put_number(l, "mean", o->name, NULL, unit, t->mean);
  put_number(l, "error of the mean", o->name, NULL, unit, t->mean_error);
  put_number(l, "deviation", o->name, NULL, unit, t->deviation);
  put_number(l, "error of the deviation", o->name, NULL, unit, t->deviation_error);
  put_number(l, "least", o->name, NULL, unit, t->least);
  put_number(l, "most", o->name, NULL, unit, t->most);
  for (int i = 0; i < JSWEEP_QUANTILES; i++) {
    char what[32];
    jformat(what, sizeof what, "quantile %.9g", jsweep_quantile_share[i]);
    put_number(l, what, o->name, NULL, unit, t->quantile[i]);
  }
  put_number(l, "rank error of quantiles", o->name, NULL, "", t->rank_error);
}

static void put_indices(numbers* l, const jsweep* s, const jmodel_objective* o,
                        const jsweep_statistic* t) {
  for (int k = 0; k < s->nrange; k++) {
    const char* by = s->range[k].name;
    if (t->first) {
      put_number(l, "first order index", o->name, by, "", t->first[k]);
      put_number(l, "error of the first order index", o->name, by, "", t->first_error[k]);
      put_number(l, "total index", o->name, by, "", t->total[k]);
      put_number(l, "error of the total index", o->name, by, "", t->total_error[k]);
    }
    if (t->slope) {
      put_number(l, "mean square derivative", o->name, by, "", t->slope[k]);
      put_number(l, "error of the mean square derivative", o->name, by, "", t->slope_error[k]);
      put_number(l, "bound on the total index", o->name, by, "", t->bound[k]);
      put_number(l, "error of the bound on the total index", o->name, by, "", t->bound_error[k]);
    }
  }
}

static jo_status make_statistics(jo_context* ctx, jarena* a, const jsweep* s, parts* p) {
  if (!s->statistic) return JO_OK;
  int most = s->nobjective * (8 + JSWEEP_QUANTILES + 8 * s->nrange);
  numbers l = {.a = a, .item = JARENA_ARRAY(a, most, jplant_quantity)};
  if (!l.item) return jerr_memory(ctx);
  for (int o = 0; o < s->nobjective; o++) {
    put_moments(&l, &s->model->objective[o], &s->statistic[o]);
    put_indices(&l, s, &s->model->objective[o], &s->statistic[o]);
  }
  p->list[STATISTICS] = (jreport_list){"statistics", "statistic", l.item, l.n, true};
  return l.oom ? jerr_memory(ctx) : JO_OK;
}

static bool is_hdf5(const char* path) {
  const char* end = strrchr(path, '.');
  return end && (strcmp(end, ".h5") == 0 || strcmp(end, ".hdf5") == 0);
}

jo_status jreport_sweep(jo_context* ctx, const jsweep* s, const char* path) {
  jreport_table table = {0};
  parts p = {0};
  jarena a;
  jarena_init(&a, ctx);
  reader r;
  jo_status status = make_columns(ctx, &a, s, &table);
  if (status >= 0) {
    status = s->at && is_hdf5(path) ? stream_rows(ctx, &a, s, &r, &table)
                                    : make_rows(ctx, &a, s, &table);
  }
  if (status >= 0) status = make_arrays(ctx, &a, s, &p, &table);
  if (status >= 0) status = make_statistics(ctx, &a, s, &p);
  put_notes(&p.notes, &a, s, s->nfailed);
  table.note = p.notes.note;
  table.nnote = p.notes.n;
  if (status >= 0) status = jreport_save(ctx, &table, path);
  jarena_free(&a);
  return status;
}
