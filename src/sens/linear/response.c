// SPDX-License-Identifier: Apache-2.0
// docs/theory/sensitivity.md eq. (S22), (S23), with R = (s - A)^-1 and s = i 2 pi f:
//   H  = C R b + d                 b = B_0 + s B_1 + s^2 B_2, likewise d, of a coordinate; else B, D
//   dH = dC x + C R (dA x + db) + dd      x = R b
#include "sens/linear/response.h"

#include <complex.h>
#include <math.h>
#include <string.h>

#include "expr/tape/tape.h"
#include "sens/linear/linear.h"

#define TWO_PI 6.28318530717958647692
#define MOVES  3  // place, rate and acceleration of a driven coordinate

typedef double _Complex cplx;

static const char* const moved_path[MOVES] = {"response.place", "response.rate",
                                              "response.acceleration"};

struct jsens_response {
  jo_context* ctx;
  jarena arena;
  const jmodel* m;
  jmodel* copy;  // whose input moves, all numbers that are needed being parameters
  int nnumber;   // of the model itself
  int coordinate;
  jmodel_selection by;
  int input[MOVES], nin;  // as the dynamics count what they are differentiated for
  int *output, nout;
  jplant* plant;
  jplant_work* run;
  double* p;                          // live numbers (np)
  cplx *b, *d, *db, *dd, *M, *x, *z;  // of one frequency
  double* scale;
  int* pivot;
};

// ---- the model -----------------------------------------------------------------------------------

static int find_coordinate(const jmodel* m, const char* name) {
  for (int i = 0; i < m->ncoordinate; i++) {
    if (strcmp(m->coordinate[i].name, name) == 0) return i;
  }
  return -1;
}

// The drive of the coordinate becomes drive + u_0 + u_1 (t - t_0) + u_2 (t - t_0)^2/2: at t_0, where all u are zero,
// its derivatives are those by place, rate and acceleration.
static bool move_coordinate(jsens_response* r) {
  jmodel* c = r->copy;
  jarena* a = &r->arena;
  jmodel_coordinate* list = JARENA_ARRAY(a, c->ncoordinate, jmodel_coordinate);
  jmodel_number* number = JARENA_ARRAY(a, c->nnumber + MOVES, jmodel_number);
  if (!list || !number) return false;
  memcpy(list, c->coordinate, (size_t)c->ncoordinate * sizeof *list);
  memcpy(number, c->number, (size_t)c->nnumber * sizeof *number);
  for (int i = 0; i < MOVES; i++) {
    number[c->nnumber + i] =
        (jmodel_number){.path = moved_path[i], .place = {c->path, 0}, .is_parameter = true};
  }
  jmodel_scalar* s = &list[r->coordinate].driven;
  const char* drive = s->text ? s->text : c->number[s->number].path;
  double t0 = c->simulation.t_start;
  s->text = jarena_printf(a, "(%s) + %s + %s*(t - (%.17g)) + %s*(t - (%.17g))^2/2", drive,
                          moved_path[0], moved_path[1], t0, moved_path[2], t0);
  s->number = -1;
  c->coordinate = list;
  c->number = number;
  c->nnumber += MOVES;
  return s->text;
}

static bool take(jmodel_selection* k, int number) {
  if (k->taken[number]) return false;
  k->taken[number] = true;
  k->wrt[k->n++] = number;
  return true;
}

static int index_of(const jmodel_selection* k, int number) {
  int i = 0;
  while (k->wrt[i] != number) {
    i++;
  }
  return i;
}

// Numbers that are differentiated for: those asked for, then the inputs.
static jo_status choose_numbers(jsens_response* r, const jsens_response_options* opt,
                                jmodel_selection* all) {
  jmodel* c = r->copy;
  *all = (jmodel_selection){.m = c,
                            .taken = JARENA_ARRAY(&r->arena, c->nnumber, bool),
                            .wrt = JARENA_ARRAY(&r->arena, c->nnumber, int)};
  if (!all->taken || !all->wrt) return jerr_memory(r->ctx);
  for (int i = 0; i < r->by.n; i++) {
    take(all, r->by.wrt[i]);
  }
  int number = -1;
  if (r->coordinate < 0) JO_TRY(jmodel_number_named(r->ctx, r->m, opt->input, &number));
  r->nin = r->coordinate >= 0 ? MOVES : 1;
  for (int i = 0; i < r->nin; i++) {
    int at = r->coordinate >= 0 ? r->nnumber + i : number;
    take(all, at);
    r->input[i] = index_of(all, at);
  }
  return JO_OK;
}

static jo_status make_model(jsens_response* r, const jsens_response_options* opt,
                            jmodel_selection* all) {
  r->coordinate = find_coordinate(r->m, opt->input);
  if (r->coordinate >= 0 && !r->m->coordinate[r->coordinate].is_driven) {
    return jerr_set(r->ctx, JO_ERR_MODEL,
                    "coordinate '%s' is not driven: an input is a driven coordinate, or a number",
                    opt->input);
  }
  jmodel_selection variable = {0};
  if (opt->nwrt > 0) {
    JO_TRY(jmodel_select(r->ctx, &r->arena, r->m, opt->wrt, opt->nwrt, &r->by));
  }
  if (opt->nvariable > 0) {
    JO_TRY(jmodel_select(r->ctx, &r->arena, r->m, opt->variable, opt->nvariable, &variable));
  }
  r->copy = JARENA_NEW(&r->arena, jmodel);
  if (!r->copy) return jerr_memory(r->ctx);
  *r->copy = *r->m;
  if (r->coordinate >= 0 && !move_coordinate(r)) return jerr_memory(r->ctx);
  JO_TRY(choose_numbers(r, opt, all));
  const jmodel* m = jmodel_make_variable(&r->arena, r->copy, all);
  if (m && opt->nvariable > 0) m = jmodel_make_variable(&r->arena, m, &variable);
  if (!m) return jerr_memory(r->ctx);
  *r->copy = *m;
  return JO_OK;
}

// ---- the plant -----------------------------------------------------------------------------------

static jo_status find_outputs(jsens_response* r, const jsens_response_options* opt) {
  const jgen_dynamics* d = r->plant->dynamics;
  r->output = JARENA_ARRAY(&r->arena, opt->nout, int);
  if (!r->output) return jerr_memory(r->ctx);
  for (; r->nout < opt->nout; r->nout++) {
    int i = 0;
    while (i < d->noutput && strcmp(d->output_name[i], opt->output[r->nout]) != 0) {
      i++;
    }
    if (i == d->noutput) {
      return jerr_set(r->ctx, JO_ERR_MODEL, "no sensor or other output is named '%.80s'",
                      opt->output[r->nout]);
    }
    r->output[r->nout] = i;
  }
  return JO_OK;
}

// A number in a drive: its rates would not follow.
static jo_status check_drives(jsens_response* r, const char* input) {
  const jgen_dynamics* d = r->plant->dynamics;
  if (r->coordinate >= 0 || d->part.nd == 0) return JO_OK;
  jexpr_tape tape;
  JO_TRY(jexpr_tape_build(r->ctx, &r->arena, &d->fn[JGEN_FN_DRIVE], &tape));
  cplx* p = JARENA_ARRAY(&r->arena, d->np, cplx);
  cplx* s = JARENA_ARRAY(&r->arena, MOVES * d->part.nd, cplx);
  cplx* scratch = JARENA_ARRAY(&r->arena, tape.nslot, cplx);
  if (!p || !s || !scratch) return jerr_memory(r->ctx);
  for (int i = 0; i < d->np; i++) {
    p[i] = r->run->p[i];
  }
  p[d->sens.wrt[r->input[0]]] += 1e-40 * I;
  const cplx t = r->m->simulation.t_start;
  const cplx* in[JGEN_GROUP_COUNT] = {[JGEN_P] = p, [JGEN_T] = &t};
  int nd = d->part.nd;
  jexpr_tape_eval_complex(&tape, in, (cplx* const[]){s, s + nd, s + 2 * nd}, scratch);
  for (int i = 0; i < MOVES * nd; i++) {
    if (cimag(s[i]) == 0.0) continue;
    const char* name = r->m->coordinate[d->part.d[i % nd]].name;
    return jerr_set(
        r->ctx, JO_ERR_MODEL,
        "'%s' drives coordinate '%s', whose rates would not follow it; take '%s' itself "
        "as the input",
        input, name, name);
  }
  return JO_OK;
}

static jo_status allocate(jsens_response* r) {
  const jgen_dynamics* d = r->plant->dynamics;
  int n = jgen_own_count(&d->layout);
  cplx** array[] = {&r->b, &r->d, &r->db, &r->dd, &r->M, &r->x, &r->z};
  int size[] = {n, r->nout, n, r->nout, n * n, n, n};
  for (size_t i = 0; i < sizeof size / sizeof *size; i++) {
    *array[i] = JARENA_ARRAY(&r->arena, size[i], cplx);
    if (!*array[i]) return jerr_memory(r->ctx);
  }
  r->p = JARENA_ARRAY(&r->arena, d->np, double);
  r->scale = JARENA_ARRAY(&r->arena, n, double);
  r->pivot = JARENA_ARRAY(&r->arena, n, int);
  return r->p && r->scale && r->pivot ? JO_OK : jerr_memory(r->ctx);
}

static jo_status make_plant(jsens_response* r, const jsens_response_options* opt,
                            const jmodel_selection* all) {
  jplant_options o = jplant_options_default();
  o.kernel.backend = JKERNEL_INTERP;
  o.gen.wrt = all->wrt;
  o.gen.nwrt = all->n;
  JO_TRY(jplant_create(r->ctx, r->copy, &o, &r->plant));
  JO_TRY(jplant_work_create(r->ctx, r->plant, NULL, &r->run));
  JO_TRY(find_outputs(r, opt));
  JO_TRY(check_drives(r, opt->input));
  return allocate(r);
}

jo_status jsens_response_open(jo_context* ctx, const jmodel* m, const jsens_response_options* opt,
                              jsens_response** out) {
  *out = NULL;
  jsens_response* r = jmem_resize(ctx, NULL, sizeof *r);
  if (!r) return jerr_memory(ctx);
  *r = (jsens_response){.ctx = ctx, .m = m, .nnumber = m->nnumber};
  jarena_init(&r->arena, ctx);
  jmodel_selection all;
  jo_status status = make_model(r, opt, &all);
  if (status >= 0) status = make_plant(r, opt, &all);
  if (status < 0) {
    jsens_response_close(r);
    return status;
  }
  *out = r;
  return JO_OK;
}

void jsens_response_close(jsens_response* r) {
  if (!r) return;
  jplant_work_destroy(r->run);
  jplant_destroy(r->plant);
  jarena_free(&r->arena);
  jmem_free(r->ctx, r);
}

const jmodel_selection* jsens_response_by(const jsens_response* r) {
  return &r->by;
}

const char* jsens_response_input_unit(const jsens_response* r) {
  return r->coordinate >= 0 ? jgen_coordinate_unit(&r->m->coordinate[r->coordinate]) : NULL;
}

// ---- one frequency -------------------------------------------------------------------------------

// s - A, factored in place: rows are compared by what they are beside their largest element, since states have all
// sorts of sizes.
static jo_status factor(jsens_response* r, const jsens_linear* l, cplx s) {
  int n = l->n;
  for (int i = 0; i < n; i++) {
    r->scale[i] = 0.0;
    for (int j = 0; j < n; j++) {
      r->M[i * n + j] = (i == j ? s : 0.0) - l->A[i + j * n];
      r->scale[i] = fmax(r->scale[i], cabs(r->M[i * n + j]));
    }
  }
  for (int k = 0; k < n; k++) {
    int best = k;
    for (int i = k + 1; i < n; i++) {
      if (cabs(r->M[i * n + k]) * r->scale[best] > cabs(r->M[best * n + k]) * r->scale[i]) best = i;
    }
    r->pivot[k] = best;
    for (int j = 0; j < n && best != k; j++) {
      cplx swap = r->M[k * n + j];
      r->M[k * n + j] = r->M[best * n + j];
      r->M[best * n + j] = swap;
    }
    double swap = r->scale[k];
    r->scale[k] = r->scale[best];
    r->scale[best] = swap;
    double size = cabs(r->M[k * n + k]);
    if (!(size > 0.0) || !isfinite(size)) return JO_ERR_SINGULAR;
    for (int i = k + 1; i < n; i++) {
      cplx f = r->M[i * n + k] /= r->M[k * n + k];
      for (int j = k + 1; j < n; j++) {
        r->M[i * n + j] -= f * r->M[k * n + j];
      }
    }
  }
  return JO_OK;
}

static void solve(const jsens_response* r, int n, cplx* x) {
  for (int k = 0; k < n; k++) {
    cplx swap = x[k];
    x[k] = x[r->pivot[k]];
    x[r->pivot[k]] = swap;
  }
  for (int i = 1; i < n; i++) {
    for (int j = 0; j < i; j++) {
      x[i] -= r->M[i * n + j] * x[j];
    }
  }
  for (int i = n - 1; i >= 0; i--) {
    for (int j = i + 1; j < n; j++) {
      x[i] -= r->M[i * n + j] * x[j];
    }
    x[i] /= r->M[i * n + i];
  }
}

// Columns B of the inputs (rows x nin) added up for a sine of one unit.
static void combine(const jsens_response* r, const double* B, int rows, cplx s, cplx* b) {
  for (int i = 0; i < rows; i++) {
    cplx power = 1.0;
    b[i] = 0.0;
    for (int k = 0; k < r->nin; k++, power *= s) {
      b[i] += power * B[i + k * rows];
    }
  }
}

static cplx dot(const double* C, int rows, int row, const cplx* x, int n) {
  cplx sum = 0.0;
  for (int j = 0; j < n; j++) {
    sum += C[row + j * rows] * x[j];
  }
  return sum;
}

static void put(double* at, cplx z) {
  at[0] = creal(z);
  at[1] = cimag(z);
}

static jo_status respond(jsens_response* r, const jsens_linear* l, double f) {
  cplx s = I * TWO_PI * f;
  combine(r, l->B, l->n, s, r->b);
  combine(r, l->D, l->nout, s, r->d);
  memcpy(r->x, r->b, (size_t)l->n * sizeof *r->x);
  jo_status status = factor(r, l, s);
  if (status >= 0) {
    solve(r, l->n, r->x);
    return JO_OK;
  }
  return jerr_set(r->ctx, JO_ERR_SINGULAR,
                  "%s: there is no response at %.9g Hz: something moves freely there", r->m->path,
                  f);
}

static void slope(jsens_response* r, const jsens_linear* l, double f) {
  cplx s = I * TWO_PI * f;
  combine(r, l->dB, l->n, s, r->db);
  combine(r, l->dD, l->nout, s, r->dd);
  for (int i = 0; i < l->n; i++) {
    r->z[i] = dot(l->dA, l->n, i, r->x, l->n) + r->db[i];
  }
  solve(r, l->n, r->z);
}

// ---- all of them ---------------------------------------------------------------------------------

// What is no equilibrium moves on: by R ydot, about as far as in a period of the lowest frequency.
static double find_drift(jsens_response* r, const jsens_linear* l, const double* y, double f) {
  const jgen_dynamics* d = r->plant->dynamics;
  double* ydot = JARENA_ARRAY(&r->arena, d->ny, double);
  double most = 0.0;
  if (!ydot) return NAN;
  r->run->system.rhs(r->run->system.user, r->m->simulation.t_start, y, ydot);
  for (int i = 0; i < l->n; i++) {
    int at = jgen_own(&d->layout, i);
    r->z[i] = jgen_is_in(&d->layout, JGEN_QU, at) ? 0.0 : ydot[at];  // moving is no fault
  }
  if (factor(r, l, I * TWO_PI * f) < 0) return NAN;
  solve(r, l->n, r->z);
  for (int i = 0; i < l->n; i++) {
    int at = jgen_own(&d->layout, i);
    most = fmax(most, cabs(r->z[i]) / fmax(fabs(y[at]), d->layout.nominal[at]));
  }
  return most;
}

static jo_status fill(jsens_response* r, jsens_linear* l, const jplant_start* start,
                      const double* f, int n, double* H, double* dH) {
  int nw = r->by.n, ny = r->plant->dynamics->ny;
  for (int k = nw > 0 ? 0 : -1; k < nw; k++) {
    jsens_linear_fill(l, k, start->y, k >= 0 ? start->S + (int64_t)k * ny : NULL);
    for (int i = 0; i < n; i++) {
      JO_TRY(respond(r, l, f[i]));
      if (k >= 0) slope(r, l, f[i]);
      for (int o = 0; o < l->nout; o++) {
        int64_t at = (int64_t)o * n + i;
        put(H + 2 * at, dot(l->C, l->nout, o, r->x, l->n) + r->d[o]);
        if (k < 0) continue;
        put(dH + 2 * (at * nw + k),
            dot(l->dC, l->nout, o, r->x, l->n) + dot(l->C, l->nout, o, r->z, l->n) + r->dd[o]);
      }
    }
  }
  return JO_OK;
}

jo_status jsens_response_find(jsens_response* r, const double* values, const double* f, int n,
                              double* H, double* dH, double* moved) {
  const jgen_dynamics* d = r->plant->dynamics;
  for (int i = 0; i < d->np; i++) {
    int number = d->live[i];
    r->p[i] = values && number < r->nnumber ? values[number] : d->p[i];
  }
  JO_TRY(jplant_start_check(r->ctx, r->plant, r->p));
  jplant_start start;
  JO_TRY(jplant_start_find(r->ctx, &r->arena, r->plant, r->by.n, r->p, &start));
  JO_TRY(jplant_start_clear(r->ctx, r->plant, &r->by, &start));
  memcpy(r->run->p, r->p, (size_t)d->np * sizeof *r->p);
  double t = r->m->simulation.t_start;
  jplant_work_set_modes(r->run, t, start.y);
  jsens_linear l;
  JO_TRY(
      jsens_linear_begin(r->ctx, &r->arena, r->run, t, r->input, r->nin, r->output, r->nout, &l));
  JO_TRY(fill(r, &l, &start, f, n, H, dH));
  *moved = n > 0 ? find_drift(r, &l, start.y, f[0]) : 0.0;
  return JO_OK;
}
