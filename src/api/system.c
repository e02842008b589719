// SPDX-License-Identifier: Apache-2.0
// The public face of systems.
#include <string.h>

#include "api/handles.h"
#include "api/select.h"
#include "base/require.h"
#include "plant/guard.h"
#include "plant/start.h"

jo_system_options jo_system_options_default(void) {
  return (jo_system_options){0};
}

// The model, with the numbers that are to stay variable as parameters. NULL: a name is not known, or memory
// ended, which was reported.
static const jmodel* variable(jo_system* s, const jo_system_options* opt) {
  if (opt->nvariable == 0) return s->model->model;
  jmodel_selection k;
  jo_status status =
      jmodel_select(s->ctx, &s->arena, s->model->model, opt->variable, opt->nvariable, &k);
  if (status < 0) return NULL;
  const jmodel* m = jmodel_make_variable(&s->arena, s->model->model, &k);
  if (!m) jerr_memory(s->ctx);
  return m;
}

jo_status jo_system_create(jo_context* ctx, const jo_model* model, const jo_system_options* opt,
                           jo_system** out) {
  JO_REQUIRE_OUT(out, ctx, model);
  jplant_options plant = jplant_options_default();
  if (opt && opt->interpreter) plant.kernel.backend = JKERNEL_INTERP;
  jo_system* s = jmem_resize(ctx, NULL, sizeof *s);
  if (!s) return jerr_memory(ctx);
  *s = (jo_system){.ctx = ctx, .model = model};
  jarena_init(&s->arena, ctx);
  const jmodel* m = opt ? variable(s, opt) : model->model;
  jo_status status = m ? jplant_create(ctx, m, &plant, &s->plant) : JO_ERR_ARGUMENT;
  if (status < 0) {
    jo_system_destroy(s);
    return status;
  }
  *out = s;
  return status;
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
  const jplant* p = system->plant;
  const jmodel_simulation* s = &p->model->simulation;
  jplant_work* run;
  JO_TRY(jplant_work_create(ctx, p, &run));
  tell_freedom(ctx, p);
  jo_status status = jplant_guard_windows(run, s->t_start, s->t_end);
  // tyres need not have a force at the start: wheels may stand where only equilibrium is sought
  bool all = p->dynamics->nwheel == 0;
  if (status >= 0) status = jplant_guard_lengths(run, s->t_start, p->y0);
  if (status >= 0) status = jplant_guard_elements(run, s->t_start, p->y0, all);
  jplant_work_destroy(run);
  return status;
}

void jo_system_destroy(jo_system* system) {
  if (!system) return;
  jplant_destroy(system->plant);
  jarena_free(&system->arena);
  jmem_free(system->ctx, system);
}

// ---- values --------------------------------------------------------------------------------------

// Where a number of this name stands among the live ones; -1: nowhere.
static int find_live(const jo_system* s, const char* name) {
  const jgen_dynamics* d = s->plant->dynamics;
  int number = jmodel_find_number(s->plant->model, name);
  for (int i = 0; number >= 0 && i < d->np; i++) {
    if (d->live[i] == number) return i;
  }
  return -1;
}

static jo_status fail_fixed(jo_context* ctx, const jo_system* s, const char* name) {
  const jmodel* m = s->plant->model;
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

jo_status jo_system_set(jo_context* ctx, jo_system* system, const char* const* name,
                        const double* value, int n) {
  JO_REQUIRE(ctx, system);
  JO_REQUIRE_TEXTS(ctx, name, n);
  if (n > 0) JO_REQUIRE(ctx, value);
  const jgen_dynamics* d = system->plant->dynamics;
  size_t bytes = (size_t)d->np * sizeof(double);
  double* p = jmem_resize(ctx, NULL, bytes + sizeof *p);
  if (!p) return jerr_memory(ctx);
  memcpy(p, system->p ? system->p : d->p, bytes);
  jo_status status = JO_OK;
  for (int i = 0; i < n && status >= 0; i++) {
    int at = find_live(system, name[i]);
    status = at < 0 ? fail_fixed(ctx, system, name[i]) : JO_OK;
    if (at >= 0) p[at] = value[i];
  }
  if (status >= 0) status = jplant_start_check(ctx, system->plant, p);
  if (status >= 0 && !system->p) {
    system->p = JARENA_ARRAY(&system->arena, d->np, double);
    if (!system->p) status = jerr_memory(ctx);
  }
  if (status >= 0) memcpy(system->p, p, bytes);
  jmem_free(ctx, p);
  return status;
}

jo_status jo_system_get(jo_context* ctx, const jo_system* system, const char* name, double* out) {
  JO_REQUIRE(ctx, system, name, out);
  int at = find_live(system, name);
  if (at < 0) return fail_fixed(ctx, system, name);
  *out = (system->p ? system->p : system->plant->dynamics->p)[at];
  return JO_OK;
}

const char* japi_system_settings(jarena* a, const jo_system* s) {
  const jgen_dynamics* d = s->plant->dynamics;
  const char* text = jarena_strdup(a, jo_model_settings(s->model));
  for (int i = 0; text && s->p && i < d->np; i++) {
    if (s->p[i] == d->p[i]) continue;
    text = jarena_printf(a, "%s%s%s=%.17g", text, *text ? ", " : "",
                         s->plant->model->number[d->live[i]].path, s->p[i]);
  }
  return text;
}

jo_system_info jo_system_inspect(const jo_system* system) {
  JO_REQUIRE_OR((jo_system_info){0}, system);
  const jplant* p = system->plant;
  const jgen_dynamics* d = p->dynamics;
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
                          .is_compiled = p->kernels->set->backend == JKERNEL_CC};
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

jo_status jo_system_coordinate(const jo_system* system, int i, jo_coordinate* out) {
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

const char* jo_system_redundant(const jo_system* system, int i) {
  JO_REQUIRE_OR(NULL, system);
  const jgen_partition* part = &system->plant->dynamics->part;
  if (i < 0 || i >= part->nredundant) return NULL;
  return system->plant->position->row_name[part->redundant[i]];
}

const char* jo_system_switch(const jo_system* system, int i) {
  JO_REQUIRE_OR(NULL, system);
  const jgen_dynamics* d = system->plant->dynamics;
  return i >= 0 && i < d->nswitch ? d->sw[i].text : NULL;
}
