// SPDX-License-Identifier: Apache-2.0
// The public face of systems.
#include <string.h>

#include "api/handles.h"
#include "api/select.h"
#include "base/require.h"
#include "plant/check/caution.h"
#include "plant/check/guard.h"
#include "plant/start/start.h"

jo_system_options jo_system_options_default(void) {
  return (jo_system_options){0};
}

// ---- preparation ---------------------------------------------------------------------------------

// The model, with the objectives that are asked for, and the numbers that are to stay variable as parameters.
static jo_status make_variable(jo_system* s, const jo_system_options* opt) {
  JO_TRY(jmodel_select_objectives(s->ctx, &s->arena, s->model->model, opt->objective,
                                  opt->nobjective, &s->variable));
  if (opt->nvariable == 0) return JO_OK;
  jmodel_selection k;
  JO_TRY(jmodel_select(s->ctx, &s->arena, s->variable, opt->variable, opt->nvariable, &k));
  s->variable = jmodel_make_variable(&s->arena, s->variable, &k);
  return s->variable ? JO_OK : jerr_memory(s->ctx);
}

static unsigned all_uses(const jo_system_options* opt) {
  unsigned use = opt->use;
  if (use == 0) use = JO_USE_RUNS | (opt->nwrt > 0 ? JO_USE_CONTRIBUTIONS : 0u);
  const unsigned derivatives = JO_USE_HISTORIES | JO_USE_CHECKS | JO_USE_CONTRIBUTIONS;
  if (use & derivatives) use |= JO_USE_DERIVATIVES;
  return use;
}

// A number that was asked for by name must have a derivative; one that a pattern stands for is told of
// and has NaN instead.
static jo_status check_numbers(const jo_system* s, const jmodel_selection* k) {
  const jsens* motion = s->motion;
  int n = 0, first = -1;
  for (int i = 0; i < k->n; i++) {
    if (!motion->why[i]) continue;
    if (k->named[k->wrt[i]]) return jsens_fail(s->ctx, motion, i, motion->why[i]);
    if (n++ == 0) first = i;
  }
  if (n == 0) return JO_OK;
  jerr_warn(
      s->ctx,
      "%s: nothing has a derivative with respect to %d of the parameters, the first being '%s': %s",
      k->m->path, n, s->parameter[first].name, motion->why[first]);
  return JO_OK;
}

static jo_status select_numbers(jo_system* s, const jo_system_options* opt, jmodel_selection* k) {
  const jmodel* m = s->variable;
  if (m->nobjective == 0 && !(s->use & JO_USE_HISTORIES)) {
    return jerr_set(s->ctx, JO_ERR_ARGUMENT,
                    "%s: the model has no objectives: there is nothing to differentiate", m->path);
  }
  JO_TRY(jmodel_select(s->ctx, &s->arena, m, opt->wrt, opt->nwrt, k));
  s->parameter = JARENA_ARRAY(&s->arena, k->n, jo_sens_parameter);
  if (!s->parameter) return jerr_memory(s->ctx);
  for (int i = 0; i < k->n; i++) {
    jo_quantity q = japi_describe(m, k->wrt[i]);
    s->parameter[i] = (jo_sens_parameter){q.name, q.unit, q.description, q.value};
  }
  return JO_OK;
}

static void choose_methods(const jo_system* s, const jo_system_options* opt, int nw,
                           jsens_setup* out) {
  bool few = nw <= JO_SENS_MAX_BOTH, contributions = s->use & JO_USE_CONTRIBUTIONS;
  bool both = s->use & JO_USE_CHECKS || (contributions && !opt->method && few);
  bool cheaper = jsens_cheaper(s->variable->nintegrated, nw) == JSENS_DIRECT;
  bool history = s->use & JO_USE_HISTORIES;
  bool direct = opt->method ? opt->method == JO_SENS_DIRECT : cheaper;
  out->direct = both || direct || history;
  out->adjoint = both || !(direct || history);
}

static jkernel_backend choose_backend(const jo_system_options* opt) {
  if (opt->interpreter) return JKERNEL_INTERP;
  return opt->compiler ? JKERNEL_CC : JKERNEL_AUTO;
}

// The plant of runs, with derivatives where they are asked for.
static jo_status prepare_motion(jo_system* s, const jo_system_options* opt) {
  bool is_sens = s->use & JO_USE_DERIVATIVES, is_checked = s->use & JO_USE_CHECKS;
  jmodel_selection k = {0};
  if (is_sens) JO_TRY(select_numbers(s, opt, &k));
  jsens_setup setup = {.wrt = k.wrt, .nwrt = k.n, .kernel = jkernel_options_default()};
  if (is_sens) choose_methods(s, opt, k.n, &setup);
  setup.outputs = s->use & (JO_USE_RUNS | JO_USE_HISTORIES);
  setup.histories = s->use & JO_USE_HISTORIES;
  setup.kernel.backend = choose_backend(opt);
  JO_TRY(jsens_create(s->ctx, s->variable, &setup, &s->motion));
  s->plant = s->motion->plant;
  if (is_sens) JO_TRY(check_numbers(s, &k));
  if (!is_checked) return JO_OK;
  // what is checked is what the plain command runs; differences come from a model of their own
  const jmodel* m = jmodel_make_variable(&s->arena, s->variable, &k);
  if (!m) return jerr_memory(s->ctx);
  setup.nwrt = 0;
  setup.direct = setup.adjoint = setup.outputs = setup.histories = false;
  return jsens_create(s->ctx, m, &setup, &s->perturbed);
}

static jo_status prepare_loads(jo_system* s, const jo_system_options* opt) {
  jkernel_options kernel = jkernel_options_default();
  kernel.backend = choose_backend(opt);
  JO_TRY(jloads_create(s->ctx, s->variable, &kernel, &s->loads));
  if (!s->plant) s->plant = s->loads->plant;
  return JO_OK;
}

static jo_status prepare(jo_system* s, const jo_system_options* opt) {
  s->use = all_uses(opt);
  JO_TRY(make_variable(s, opt));
  if (s->use & (JO_USE_RUNS | JO_USE_DERIVATIVES)) JO_TRY(prepare_motion(s, opt));
  return s->use & JO_USE_LOADS ? prepare_loads(s, opt) : JO_OK;
}

jo_status jo_system_create(jo_context* ctx, const jo_model* model, const jo_system_options* opt,
                           jo_system** out) {
  JO_REQUIRE_OUT(out, ctx, model);
  jo_system_options defaults = jo_system_options_default();
  if (!opt) opt = &defaults;
  JO_REQUIRE_TEXTS(ctx, opt->wrt, opt->nwrt);
  JO_REQUIRE_TEXTS(ctx, opt->variable, opt->nvariable);
  JO_REQUIRE_TEXTS(ctx, opt->objective, opt->nobjective);
  jo_system* s = jmem_resize(ctx, NULL, sizeof *s);
  if (!s) return jerr_memory(ctx);
  *s = (jo_system){.ctx = ctx, .model = model};
  jarena_init(&s->arena, ctx);
  jo_status status = prepare(s, opt);
  if (status < 0) {
    jo_system_destroy(s);
    return status;
  }
  *out = s;
  return JO_OK;
}

jo_status japi_system_fail(jo_context* ctx, const jo_system* s, jo_use use) {
  const char* what = use == JO_USE_LOADS         ? "loads"
                     : use == JO_USE_CHECKS      ? "checks of derivatives"
                     : use == JO_USE_HISTORIES   ? "derivatives of outputs by the direct method"
                     : use == JO_USE_DERIVATIVES ? "derivatives"
                                                 : "runs";
  return jerr_set(ctx, JO_ERR_ARGUMENT, "%s: the system was not prepared for %s", s->variable->path,
                  what);
}

// Fine for who wants to see a mechanism driven; else something was forgotten.
static void tell_freedom(jo_context* ctx, const jplant* p) {
  const jgen_partition* part = &p->dynamics->part;
  if (part->nu > 0) return;
  jerr_warn(ctx,
            "%s: nothing moves by itself: %d coordinates, of which %d are driven and %d follow",
            p->model->path, p->model->ncoordinate, part->nd, part->nv);
}

jo_status jo_system_check(jo_context* ctx, const jo_system* system) {
  JO_REQUIRE(ctx, system);
  if (!system->motion) return japi_system_fail(ctx, system, JO_USE_RUNS);
  const jplant* p = system->plant;
  const jmodel_simulation* s = &p->model->simulation;
  jplant_work* run;
  JO_TRY(jplant_work_create(ctx, p, NULL, &run));
  tell_freedom(ctx, p);
  jo_status status = jplant_guard_windows(run, s->t_start, s->t_end);
  // guards need not hold at the start: wheels may stand where only equilibrium is sought
  bool all = p->dynamics->nguard == 0;
  if (status >= 0) status = jplant_guard_lengths(run, s->t_start, p->y0);
  if (status >= 0) status = jplant_guard_elements(run, s->t_start, p->y0, all);
  jplant_work_destroy(run);
  return status;
}

void jo_system_destroy(jo_system* system) {
  if (!system) return;
  jsens_destroy(system->motion);
  jsens_destroy(system->perturbed);
  jloads_destroy(system->loads);
  jarena_free(&system->arena);
  jmem_free(system->ctx, system);
}

// ---- values --------------------------------------------------------------------------------------

static jo_status fail_fixed(jo_context* ctx, const jo_system* s, const char* name) {
  const jmodel* m = s->variable;
  if (jmodel_find_number(m, name) >= 0) {
    return jerr_set(ctx, JO_ERR_ARGUMENT,
                    "%s: number '%.80s' is a constant of the code: make it a parameter, or name it "
                    "when the system is made",
                    m->path, name);
  }
  for (int i = 0; i < m->nparameter; i++) {
    if (strcmp(m->parameter[i].name, name) != 0) continue;
    return jerr_set(ctx, JO_ERR_ARGUMENT, "%s: parameter '%s' is computed from others: set those",
                    m->path, name);
  }
  return jerr_set(ctx, JO_ERR_ARGUMENT, "%s: no parameter or number is named '%.80s'", m->path,
                  name);
}

// A number that can be set. Those that derivatives are taken by are constants of the code all the same.
static jo_status find_variable(jo_context* ctx, const jo_system* s, const char* name, int* number) {
  *number = jmodel_find_number(s->variable, name);
  if (*number >= 0 && s->variable->number[*number].is_parameter) return JO_OK;
  return fail_fixed(ctx, s, name);
}

static double value_of(const jo_system* s, int number) {
  return s->value ? s->value[number] : s->variable->number[number].value;
}

// Live numbers of a plant from values of all numbers.
static void gather(const jplant* plant, const double* value, double* p) {
  const jgen_dynamics* d = plant->dynamics;
  for (int i = 0; i < d->np; i++) {
    p[i] = value[d->live[i]];
  }
}

static double* live_array(jo_system* s, const jplant* plant) {
  return JARENA_ARRAY(&s->arena, plant->dynamics->np, double);
}

static jo_status begin_values(jo_context* ctx, jo_system* s) {
  if (s->value) return JO_OK;
  int n = s->variable->nnumber;
  double* value = JARENA_ARRAY(&s->arena, n, double);
  if (s->motion) s->p = live_array(s, s->motion->plant);
  if (s->perturbed) s->p_perturbed = live_array(s, s->perturbed->plant);
  if (s->loads) s->p_loads = live_array(s, s->loads->plant);
  bool ok = value && (s->p || !s->motion) && (s->p_perturbed || !s->perturbed) &&
            (s->p_loads || !s->loads);
  if (!ok) {
    s->p = s->p_perturbed = s->p_loads = NULL;
    return jerr_memory(ctx);
  }
  for (int i = 0; i < n; i++) {
    value[i] = s->variable->number[i].value;
  }
  s->value = value;
  return JO_OK;
}

static void put_values(jo_system* s, const double* value) {
  memcpy(s->value, value, (size_t)s->variable->nnumber * sizeof *value);
  if (s->motion) gather(s->motion->plant, value, s->p);
  if (s->perturbed) gather(s->perturbed->plant, value, s->p_perturbed);
  if (s->loads) gather(s->loads->plant, value, s->p_loads);
}

// All values with the new ones in their places (nnumber).
static jo_status set_values(jo_context* ctx, const jo_system* s, const char* const* name,
                            const double* value, int n, double* all) {
  for (int i = 0; i < s->variable->nnumber; i++) {
    all[i] = value_of(s, i);
  }
  for (int i = 0; i < n; i++) {
    int number;
    JO_TRY(find_variable(ctx, s, name[i], &number));
    all[number] = value[i];
  }
  return JO_OK;
}

// What values that were set bring about and those before did not.
static jo_status warn_of_values(jo_context* ctx, const jo_system* s, jarena* a, const double* p) {
  double* before = JARENA_ARRAY(a, s->plant->dynamics->np, double);
  jplant_caution c;
  if (!before) return jerr_memory(ctx);
  for (int i = 0; i < s->plant->dynamics->np; i++) {
    before[i] = value_of(s, s->plant->dynamics->live[i]);
  }
  JO_TRY(jplant_caution_begin(ctx, a, s->plant, before, &c));
  return jplant_caution_add(&c, p, -1);
}

jo_status jo_system_set(jo_context* ctx, jo_system* system, const char* const* name,
                        const double* value, int n) {
  JO_REQUIRE(ctx, system);
  JO_REQUIRE_TEXTS(ctx, name, n);
  if (n > 0) JO_REQUIRE(ctx, value);
  jarena a;
  jarena_init(&a, ctx);
  double* all = JARENA_ARRAY(&a, system->variable->nnumber, double);
  double* p = JARENA_ARRAY(&a, system->plant->dynamics->np, double);
  jo_status status = all && p ? set_values(ctx, system, name, value, n, all) : jerr_memory(ctx);
  if (status >= 0) {
    gather(system->plant, all, p);
    status = jplant_start_check(ctx, system->plant, p);
  }
  if (status >= 0) status = warn_of_values(ctx, system, &a, p);
  if (status >= 0) status = begin_values(ctx, system);
  if (status >= 0) put_values(system, all);
  jarena_free(&a);
  return status;
}

jo_status jo_system_get(jo_context* ctx, const jo_system* system, const char* name, double* out) {
  JO_REQUIRE(ctx, system, name, out);
  int number;
  JO_TRY(find_variable(ctx, system, name, &number));
  *out = value_of(system, number);
  return JO_OK;
}

const char* japi_system_settings(jarena* a, const jo_system* s) {
  const jmodel* m = s->variable;
  const char* text = jarena_strdup(a, jo_model_settings(s->model));
  for (int i = 0; text && s->value && i < m->nnumber; i++) {
    if (s->value[i] == m->number[i].value) continue;
    text =
        jarena_printf(a, "%s%s%s=%.17g", text, *text ? ", " : "", m->number[i].path, s->value[i]);
  }
  return text;
}

static bool keep_array(jarena* a, const jplant* plant, const double* p, double** out) {
  if (!p) return true;
  size_t n = (size_t)plant->dynamics->np;
  *out = JARENA_ARRAY(a, n, double);
  if (*out) memcpy(*out, p, n * sizeof *p);
  return *out;
}

static bool keep_settings(jarena* a, const jo_system* s, japi_values* v) {
  const jmodel* m = s->variable;
  int changed = 0;
  for (int i = 0; s->value && i < m->nnumber; i++) {
    changed += s->value[i] != m->number[i].value;
  }
  v->settings = japi_system_settings(a, s);
  v->set = JARENA_ARRAY(a, s->model->nset + changed, jmodel_setting);
  if (!v->settings || !v->set) return false;
  for (; v->nset < s->model->nset; v->nset++) {
    v->set[v->nset] = s->model->set[v->nset];
  }
  for (int i = 0; s->value && i < m->nnumber; i++) {
    if (s->value[i] == m->number[i].value) continue;
    const char* text = jarena_printf(a, "%.17g", s->value[i]);
    if (!text) return false;
    v->set[v->nset++] = (jmodel_setting){m->number[i].path, text};
  }
  return true;
}

jo_status japi_system_keep(jo_context* ctx, jarena* a, const jo_system* s, japi_values* out) {
  *out = (japi_values){0};
  bool ok = keep_settings(a, s, out);
  out->value = JARENA_ARRAY(a, s->variable->nnumber, double);
  for (int i = 0; out->value && i < s->variable->nnumber; i++) {
    out->value[i] = value_of(s, i);
  }
  ok = ok && out->value;
  if (ok && s->motion) ok = keep_array(a, s->motion->plant, s->p, &out->p);
  if (ok && s->perturbed)
    ok = keep_array(a, s->perturbed->plant, s->p_perturbed, &out->p_perturbed);
  if (ok && s->loads) ok = keep_array(a, s->loads->plant, s->p_loads, &out->p_loads);
  return ok ? JO_OK : jerr_memory(ctx);
}

// ---- what it is ----------------------------------------------------------------------------------

jo_system_info jo_system_inspect(const jo_system* system) {
  JO_REQUIRE_OR((jo_system_info){0}, system);
  const jplant* p = system->plant;
  const jgen_dynamics* d = p->dynamics;
  const int* packed = p->kernels->of[JGEN_FN_RHS]->packed;
  return (jo_system_info){.dof = d->part.nu,
                          .coordinates = p->model->ncoordinate,
                          .independent = d->part.nu,
                          .dependent = d->part.nv,
                          .driven = d->part.nd,
                          .closure_equations = p->position->nh,
                          .redundant = d->part.nredundant,
                          .states = d->ny,
                          .switches = d->nswitch,
                          .equations_generated = d->equations.generated,
                          .equations_kept = d->equations.kept,
                          .closure_residual = p->closure_residual,
                          .is_compiled = p->kernels->set->backend != JKERNEL_INTERP,
                          .packed_2 = packed[2],
                          .packed_4 = packed[4],
                          .packed_8 = packed[8]};
}

jo_operations jo_system_operations(const jo_system* system, int after_elimination) {
  JO_REQUIRE_OR((jo_operations){0}, system);
  const jplant* p = system->plant;
  jexpr_counts c = after_elimination ? p->kernels->of[JGEN_FN_RHS]->counts : p->before;
  return (jo_operations){c.add,  c.sub,  c.mul,   c.div,    c.root,
                         c.trig, c.func, c.logic, c.lookup, c.total};
}

const char* jo_role_name(jo_role role) {
  static const char* const name[] = {"independent", "dependent", "driven"};
  return role <= JO_DRIVEN ? name[role] : "unknown";
}

static bool contains(const int* list, int n, int i) {
  for (int k = 0; k < n; k++) {
    if (list[k] == i) return true;
  }
  return false;
}

int jo_system_coordinate_count(const jo_system* system) {
  JO_REQUIRE_OR(0, system);
  return system->plant->model->ncoordinate;
}

jo_status jo_system_coordinate_at(const jo_system* system, int i, jo_coordinate* out) {
  JO_REQUIRE_OR(JO_ERR_ARGUMENT, system, out);
  const jplant* p = system->plant;
  const jmodel* m = p->model;
  const jgen_partition* part = &p->dynamics->part;
  if (i < 0 || i >= m->ncoordinate) return JO_ERR_ARGUMENT;
  const jmodel_coordinate* c = &m->coordinate[i];
  jo_role role = contains(part->u, part->nu, i)   ? JO_INDEPENDENT
                 : contains(part->d, part->nd, i) ? JO_DRIVEN
                                                  : JO_DEPENDENT;
  *out = (jo_coordinate){c->name,  m->joint[c->joint].name, jgen_coordinate_unit(c), role, p->q0[i],
                         p->qd0[i]};
  return JO_OK;
}

const char* jo_system_redundant_name(const jo_system* system, int i) {
  JO_REQUIRE_OR(NULL, system);
  const jgen_partition* part = &system->plant->dynamics->part;
  if (i < 0 || i >= part->nredundant) return NULL;
  return system->plant->position->row_name[part->redundant[i]];
}

const char* jo_system_switch_name(const jo_system* system, int i) {
  JO_REQUIRE_OR(NULL, system);
  const jgen_dynamics* d = system->plant->dynamics;
  return i >= 0 && i < d->nswitch ? d->sw[i].text : NULL;
}
