// SPDX-License-Identifier: Apache-2.0
// The public face of systems.
#include "api/handles.h"
#include "base/require.h"
#include "study/guard.h"

jo_system_options jo_system_options_default(void) {
  return (jo_system_options){0};
}

jo_status jo_system_create(jo_context* ctx, const jo_model* model, const jo_system_options* opt,
                           jo_system** out) {
  JO_REQUIRE_OUT(out, ctx, model);
  jstudy_plant_options plant = jstudy_plant_options_default();
  if (opt && opt->interpreter) plant.kernel.backend = JKERNEL_INTERP;
  jo_system* s = jmem_resize(ctx, NULL, sizeof *s);
  if (!s) return jerr_memory(ctx);
  *s = (jo_system){.ctx = ctx, .model = model};
  jo_status status = jstudy_plant_create(ctx, model->model, &plant, &s->plant);
  if (status < 0) {
    jo_system_destroy(s);
    return status;
  }
  *out = s;
  return status;
}

// Fine for who wants to see a mechanism driven; else something was forgotten.
static void tell_freedom(jo_context* ctx, const jstudy_plant* p) {
  const jgen_partition* part = &p->dynamics->part;
  if (part->nu > 0) return;
  jerr_warn(ctx,
            "%s: nothing moves by itself: %d coordinates, of which %d are driven and %d follow",
            p->model->path, p->model->ncoordinate, part->nd, part->nv);
}

jo_status jo_system_check(jo_context* ctx, const jo_system* system) {
  JO_REQUIRE(ctx, system);
  const jstudy_plant* p = system->plant;
  const jmodel_simulation* s = &p->model->simulation;
  jstudy_run* run;
  JO_TRY(jstudy_run_create(ctx, p, &run));
  tell_freedom(ctx, p);
  jo_status status = jstudy_guard_windows(run, s->t_start, s->t_end);
  // tyres need not have a force at the start: wheels may stand where only equilibrium is sought
  bool all = p->dynamics->nwheel == 0;
  if (status >= 0) status = jstudy_guard_lengths(run, s->t_start, p->y0);
  if (status >= 0) status = jstudy_guard_elements(run, s->t_start, p->y0, all);
  jstudy_run_destroy(run);
  return status;
}

void jo_system_destroy(jo_system* system) {
  if (!system) return;
  jstudy_plant_destroy(system->plant);
  jmem_free(system->ctx, system);
}

jo_system_info jo_system_inspect(const jo_system* system) {
  JO_REQUIRE_OR((jo_system_info){0}, system);
  const jstudy_plant* p = system->plant;
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
  const jstudy_plant* p = system->plant;
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
  const jstudy_plant* p = system->plant;
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
