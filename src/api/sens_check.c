// SPDX-License-Identifier: Apache-2.0
// Checks of derivatives a user can run: direct against adjoint against differences of whole runs, and
// what becomes of differences as their increment shrinks.
#include <math.h>
#include <string.h>

#include "api/sens_handle.h"
#include "base/require.h"
#include "sens/error/agreement.h"
#include "sens/error/metric.h"
#include "sens/error/numeric.h"

#define CHECK_TOLERANCE 1e-12
#define ASIDE           1e-6  // change of a value that is set in the file, of its size

static void tighten(jsens_options* o, double tolerance) {
  o->solve.rel_tol = fmin(o->solve.rel_tol, tolerance);
  o->solve.abs_tol = fmin(o->solve.abs_tol, tolerance);
}

// Errors of derivatives are those against the motion itself, so fixed steps are compared with runs that resolve it. Differences
// of fixed steps would be derivatives of their errors, too: a window's edge that moves cuts other steps.
static void resolve(jsens_options* o) {
  tighten(o, CHECK_TOLERANCE);
  if (!jsolve_method_about(o->solve.method)->is_fixed) return;
  o->solve.method = JSOLVE_AUTO;
  o->solve.step = 0.0;
}

// ---- what users would change -----------------------------------------------------------------------

// Differences change a number of the compiled model, users a value of the file. Both are the same where the file,
// read with that value, has this number changed and all others as they are.
typedef struct reread {
  jo_context* ctx;
  jarena arena;
  const jo_system* system;
  const double* value;  // of all numbers, as the run had them
  jmodel_setting* set;  // what the run had, and room for one more (nset + 1)
  int nset;
} reread;

// The file with number k at another value; *out NULL: it cannot have that value, which is no fault.
static jo_status read_with(reread* r, int k, double value, jmodel** out) {
  int said = jo_context_diagnostic_count(r->ctx);
  const char* text = jarena_printf(&r->arena, "%.17g", value);
  if (!text) return jerr_memory(r->ctx);
  *out = NULL;
  r->set[r->nset] = (jmodel_setting){r->system->variable->number[k].path, text};
  jo_status status = japi_model_again(r->ctx, r->system->model, r->set, r->nset + 1, out);
  if (status == JO_ERR_MEMORY) return status;
  jerr_forget(r->ctx, said);
  return JO_OK;
}

static jo_status compare_models(const reread* r, int k, double value, const jmodel* m) {
  const jmodel* was = r->system->variable;
  const char* path = was->number[k].path;
  if (strcmp(m->sha256, was->sha256) != 0) {
    return jerr_set(r->ctx, JO_ERR_FILE, "%s: the file has changed since it was read; run it again",
                    was->path);
  }
  for (int i = 0; i < was->nnumber; i++) {
    double expected = i == k ? value : r->value[i];
    bool same = m->nnumber == was->nnumber && strcmp(m->number[i].path, was->number[i].path) == 0;
    if (same && m->number[i].value == expected) continue;
    return jerr_set(r->ctx, JO_ERR_MODEL,
                    "%s: '%s' cannot be checked: setting it in the file also changes '%s', which "
                    "its derivatives leave as it is; hint: make it a parameter that both use",
                    was->path, path, was->number[i].path);
  }
  return JO_OK;
}

static jo_status check_setting(reread* r, int k) {
  const jmodel* m = r->system->variable;
  double nominal = r->value[k], size = jsens_size_at(m, k, nominal);
  jmodel* again = NULL;
  for (int side = 0; side < 2 && !again; side++) {
    double value = nominal + (side == 0 ? ASIDE : -ASIDE) * size;
    JO_TRY(read_with(r, k, value, &again));
    if (!again) continue;
    jo_status status = compare_models(r, k, value, again);
    jmodel_destroy(again);
    return status;
  }
  return JO_OK;
}

static jo_status check_settings(jo_context* ctx, const jo_sens_result* result) {
  const jo_system* s = result->system;
  const japi_values* kept = &result->kept;
  reread r = {.ctx = ctx, .system = s, .value = kept->value, .nset = kept->nset};
  jarena_init(&r.arena, ctx);
  r.set = JARENA_ARRAY(&r.arena, kept->nset + 1, jmodel_setting);
  jo_status status = r.set ? JO_OK : jerr_memory(ctx);
  for (int i = 0; i < kept->nset && status >= 0; i++) {
    r.set[i] = kept->set[i];
  }
  for (int i = 0; i < s->motion->nw && status >= 0; i++) {
    if (!s->motion->why[i]) status = check_setting(&r, s->motion->wrt[i]);
  }
  jarena_free(&r.arena);
  return status;
}

// ---- check ---------------------------------------------------------------------------------------

static void fill_method(const jsens_result* r, jo_sens_check_row* row) {
  bool is_direct = r->method == JSENS_DIRECT;
  for (int i = 0; i < r->nobjective * r->nw; i++) {
    *(is_direct ? &row[i].direct : &row[i].adjoint) = r->gradient[i];
    *(is_direct ? &row[i].direct_error : &row[i].adjoint_error) = r->gradient_error[i];
  }
}

// The other method along the same run.
static jo_status fill_other(jo_context* ctx, const jo_sens_result* result, jo_sens_check_row* row) {
  const jsens* s = result->system->motion;
  jsens_method other = result->main->method == JSENS_DIRECT ? JSENS_ADJOINT : JSENS_DIRECT;
  jsens_result* r;
  JO_TRY(jsens_walk_again(ctx, s, result->main, other, result->asked.frozen, &r));
  japi_sens_clear(s, r);
  fill_method(r, row);
  jsens_result_destroy(r);
  return JO_OK;
}

static jo_status fill_differences(jsens_numeric* n, const jsens* checked, const japi_report* tell,
                                  jo_sens_check_row* row) {
  int no = n->nobjective, nw = checked->nw;
  double* d = JARENA_ARRAY(&n->arena, 3 * no, double);
  if (!d) return jerr_memory(n->ctx);
  for (int k = 0; k < nw; k++) {
    double increment;
    if (checked->why[k]) continue;
    for (int o = 0; o < no; o++) {
      const jo_sens_check_row* r = &row[(int64_t)o * nw + k];
      d[2 * no + o] = isfinite(r->direct) ? r->direct : r->adjoint;
    }
    JO_TRY(jsens_numeric_derivative(n, k, d + 2 * no, d, d + no, &increment));
    for (int o = 0; o < no; o++) {
      jo_sens_check_row* r = &row[(int64_t)o * nw + k];
      r->difference = d[o];
      r->difference_error = d[no + o];
      r->increment = increment;
    }
    if (tell->progress && !tell->progress(tell->user, (k + 1.0) / nw)) {
      return jerr_set(n->ctx, JO_ERR_LIMIT, "check stopped after %d of %d parameters", k + 1, nw);
    }
  }
  return JO_OK;
}

jo_status jo_sens_check(jo_context* ctx, const jo_sens_result* result,
                        int (*progress)(void* user, double fraction), void* user,
                        jo_sens_check_row* row) {
  JO_REQUIRE(ctx, result, row);
  const jo_system* system = result->system;
  if (!system->perturbed) return japi_system_fail(ctx, system, JO_USE_CHECKS);
  for (int i = 0; i < result->main->nobjective * result->main->nw; i++) {
    row[i] = (jo_sens_check_row){NAN, NAN, NAN, NAN, NAN, NAN, NAN};
  }
  fill_method(result->main, row);
  JO_TRY(fill_other(ctx, result, row));
  // differences move the events: they say nothing about frozen ones
  if (result->asked.frozen) return JO_OK;
  JO_TRY(check_settings(ctx, result));
  jsens_options o = result->asked;
  o.p = result->kept.p_perturbed;
  resolve(&o);
  jsens_numeric numeric;
  jo_status status = jsens_numeric_begin(&numeric, ctx, system->perturbed, system->motion->wrt, &o);
  japi_report tell = {progress, user};
  if (status >= 0) status = fill_differences(&numeric, system->motion, &tell, row);
  jsens_numeric_end(&numeric);
  return status;
}

const char* jo_verdict_name(jo_verdict verdict) {
  static const char* const name[] = {"agrees", "undecided", "disagrees"};
  return verdict >= JO_AGREES && verdict <= JO_DISAGREES ? name[verdict] : NULL;
}

jo_status jo_sens_judge(jo_context* ctx, const jo_sens_result* result, const jo_sens_check_row* row,
                        jo_sens_agreement* out, jo_verdict* worst) {
  JO_REQUIRE(ctx, result, row, out);
  const jsens_result* r = result->main;
  jsens_checked c = {r, result->value, row, result->asked.frozen, result->statistics.rel_tol};
  jo_verdict most = JO_AGREES;
  for (int o = 0; o < r->nobjective; o++) {
    for (int k = 0; k < r->nw; k++) {
      int64_t at = (int64_t)o * r->nw + k;
      out[at] = jsens_agree(&c, o, k);
      if (!r->why[o] && out[at].verdict > most) most = out[at].verdict;
    }
  }
  if (worst) *worst = most;
  return JO_OK;
}

// ---- the V-curve ---------------------------------------------------------------------------------

static jo_status one_point(jsens_numeric* n, int objective, int parameter, double p, double size,
                           double exact, double* psi, jo_sens_vcurve_point* v) {
  double h = v->relative * size, nominal = n->psi[objective];
  volatile double up = p + h, down = p - h;
  JO_TRY(jsens_numeric_value(n, parameter, h, psi, NULL));
  double high = psi[objective];
  JO_TRY(jsens_numeric_value(n, parameter, -h, psi, NULL));
  v->forward = (high - nominal) / (up - p);
  v->central = (high - psi[objective]) / (up - down);
  double scale = exact != 0.0 ? fabs(exact) : 1.0;
  v->forward_error = fabs(v->forward - exact) / scale;
  v->central_error = fabs(v->central - exact) / scale;
  return JO_OK;
}

static jo_status curve(jsens_numeric* n, const jo_system* s, int objective, int parameter,
                       int count, double exact, const japi_report* tell,
                       jo_sens_vcurve_point* point) {
  jo_sens_parameter about;
  JO_TRY(jo_sens_parameter_at(s, parameter, &about));
  double p = about.value, size = jsens_size_at(s->variable, s->motion->wrt[parameter], p);
  double* psi = JARENA_ARRAY(&n->arena, n->nobjective, double);
  if (!psi) return jerr_memory(n->ctx);
  for (int i = 0; i < count; i++) {
    double x = count > 1 ? (double)i / (count - 1) : 0.0;
    point[i].relative = pow(10.0, -1.0 - 11.0 * x);
    JO_TRY(one_point(n, objective, parameter, p, size, exact, psi, &point[i]));
    if (tell->progress && !tell->progress(tell->user, (i + 1.0) / count)) {
      return jerr_set(n->ctx, JO_ERR_LIMIT, "differences stopped after %d of %d increments", i + 1,
                      count);
    }
  }
  return JO_OK;
}

static jo_status fail_exact(jo_context* ctx, const jsens* s, const jsens_result* r, int objective,
                            int parameter) {
  return r->why[objective] ? jsens_fail_objective(ctx, s, r, objective)
                           : jsens_fail(ctx, s, parameter, s->why[parameter]);
}

jo_status japi_sens_vcurve(jo_context* ctx, const jo_system* system, const jo_sens_options* opt,
                           int objective, int parameter, int n, const japi_report* tell,
                           jo_sens_vcurve_point* point, double* exact) {
  const jsens* s = system->motion;
  if (!system->perturbed) return japi_system_fail(ctx, system, JO_USE_CHECKS);
  if (n < 1) return jerr_set(ctx, JO_ERR_ARGUMENT, "%d increments: must be 1 or more", n);
  if (objective < 0 || objective >= s->plant->dynamics->nobjective || parameter < 0 ||
      parameter >= s->nw) {
    return jerr_set(ctx, JO_ERR_ARGUMENT, "there is no such objective or parameter");
  }
  jsens_options o;
  JO_TRY(japi_sens_options(ctx, system, opt, &o));
  // the derivative itself is computed far beyond the noise of the runs
  jsens_options tight = o;
  tight.frozen = false;
  tight.compare = false;
  tight.some = true;
  tighten(&tight, fmax(1e-3 * o.solve.rel_tol, CHECK_TOLERANCE));
  jsens_result* r = NULL;
  JO_TRY(jsens_run(ctx, s, s->tangents ? JSENS_DIRECT : JSENS_ADJOINT, &tight, &r));
  *exact = r->gradient[(int64_t)objective * r->nw + parameter];
  jo_status known = isfinite(*exact) ? JO_OK : fail_exact(ctx, s, r, objective, parameter);
  jsens_result_destroy(r);
  JO_TRY(known);
  o.p = system->p_perturbed;
  jsens_numeric numeric;
  jo_status status = jsens_numeric_begin(&numeric, ctx, system->perturbed, s->wrt, &o);
  if (status >= 0) status = curve(&numeric, system, objective, parameter, n, *exact, tell, point);
  jsens_numeric_end(&numeric);
  return status;
}

jo_status jo_sens_vcurve(jo_context* ctx, const jo_system* system, const jo_sens_options* opt,
                         int objective, int parameter, int n, jo_sens_vcurve_point* point,
                         double* exact) {
  JO_REQUIRE(ctx, system, point, exact);
  jo_sens_options defaults = jo_sens_options_default();
  japi_report tell = {NULL, NULL};
  return japi_sens_vcurve(ctx, system, opt ? opt : &defaults, objective, parameter, n, &tell, point,
                          exact);
}
