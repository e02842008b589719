// SPDX-License-Identifier: Apache-2.0
// The public face of load prediction: runs, and what elements went through in them.
#include "jounce/loads.h"

#include <string.h>

#include "api/loads_handle.h"
#include "base/require.h"
#include "loads/doubt.h"

#define DEGREES (180.0 / 3.14159265358979323846)

// ---- drivers ---------------------------------------------------------------------------------

// as jo_loads_driver has them
_Static_assert((int)JO_LOADS_SUBCYCLE == JLOADS_DRIVER_SUBCYCLE &&
                   (int)JO_LOADS_CONVERGED == JLOADS_DRIVER_COUNT,
               "drivers of the interface are those of the library, then the converged one");

const char* jo_loads_driver_name(int i) {
  if (i == JO_LOADS_CONVERGED) return JLOADS_CONVERGED;
  bool exists = i >= 0 && i < JLOADS_DRIVER_COUNT;
  return exists ? jloads_driver_name((jloads_driver)i) : NULL;
}

int jo_loads_driver_find(const char* name) {
  JO_REQUIRE_OR(-1, name);
  for (int i = 0; jo_loads_driver_name(i); i++) {
    if (strcmp(jo_loads_driver_name(i), name) == 0) return i;
  }
  return -1;
}

// ---- runs ----------------------------------------------------------------------------------------

jo_loads_options jo_loads_options_default(void) {
  jloads_choice c = jloads_choice_default();
  return (jo_loads_options){.driver = (jo_loads_driver)jo_loads_driver_find(c.driver),
                            .rate_hz = c.rate,
                            .t_end_s = c.t_end,
                            .tolerance = c.tolerance,
                            .restitution = c.restitution,
                            .slope = c.slope,
                            .reference = c.reference};
}

static jloads_choice read_options(const jo_loads_options* opt) {
  const char* driver = jo_loads_driver_name((int)opt->driver);
  return (jloads_choice){.driver = driver ? driver : "unknown",
                         .rate = opt->rate_hz,
                         .t_end = opt->t_end_s,
                         .tolerance = opt->tolerance,
                         .restitution = opt->restitution,
                         .realtime = opt->realtime != 0,
                         .slope = opt->slope,
                         .reference = opt->reference};
}

static jo_status evaluate(jo_context* ctx, jo_loads_result* r) {
  r->doubt = JARENA_ARRAY(&r->arena, r->result->nevent, unsigned);
  if (!r->doubt) return jerr_memory(ctx);
  JO_TRY(jloads_evaluate(ctx, &r->arena, &r->opt, r->result, r->choice.slope, r->choice.reference,
                         &r->evaluation));
  JO_TRY(jloads_doubts(ctx, r->system->loads, &r->opt, r->result, r->doubt));
  r->tables = japi_loads_tables(r);
  return r->tables ? JO_OK : jerr_memory(ctx);
}

jo_status jo_loads_run(jo_context* ctx, const jo_system* system, const jo_loads_options* opt,
                       jo_loads_result** out) {
  JO_REQUIRE_OUT(out, ctx, system);
  if (!system->loads) return japi_system_fail(ctx, system, JO_USE_LOADS);
  jo_loads_result* r = jmem_resize(ctx, NULL, sizeof *r);
  if (!r) return jerr_memory(ctx);
  *r = (jo_loads_result){.ctx = ctx, .system = system};
  jarena_init(&r->arena, ctx);
  r->choice = opt ? read_options(opt) : jloads_choice_default();
  jo_status evaluated = JO_OK;
  jo_status status = jloads_choose(ctx, system->variable, &r->choice, &r->opt);
  if (status >= 0) status = japi_system_keep(ctx, &r->arena, system, &r->kept);
  r->opt.p = r->kept.p_loads;
  if (status >= 0) status = jloads_run(ctx, system->loads, &r->opt, &r->result);
  if (r->result) evaluated = evaluate(ctx, r);
  if (!r->result || evaluated < 0) {
    jo_loads_result_destroy(r);
    return evaluated < 0 ? evaluated : status;
  }
  *out = r;
  return status;
}

void jo_loads_result_destroy(jo_loads_result* result) {
  if (!result) return;
  jloads_result_destroy(result->result);
  jarena_free(&result->arena);
  jmem_free(result->ctx, result);
}

// ---- what came out -------------------------------------------------------------------------------

jo_loads_statistics jo_loads_result_statistics(const jo_loads_result* result) {
  JO_REQUIRE_OR((jo_loads_statistics){0}, result);
  const jloads_result* r = result->result;
  const jloads_driver_statistics* s = &r->statistics;
  return (jo_loads_statistics){.driver = result->choice.driver,
                               .rate = result->choice.rate,
                               .tolerance = result->choice.tolerance,
                               .is_complete = r->is_complete,
                               .t_start = result->opt.t_start,
                               .t_end = result->opt.t_end,
                               .t_reached = r->t_end,
                               .t_meaningful = result->evaluation.t_meaningful,
                               .steps = s->steps,
                               .rejected = s->rejected,
                               .stiff_steps = s->stiff_steps,
                               .evaluations = s->evaluations,
                               .worst_step_evaluations = s->worst_step,
                               .guaranteed_step_evaluations = s->guaranteed,
                               .smallest_step = s->smallest_step,
                               .t_smallest_step = s->t_smallest,
                               .cpu_s = r->cpu,
                               .real_time_factor = result->evaluation.real_time_factor,
                               .missed_deadlines = r->deadlines_missed,
                               .worst_delay = r->missed,
                               .element_cost = jloads_largest_element_cost(result->system->loads),
                               .directions_cost = result->system->loads->directions_cost};
}

int jo_loads_element_count(const jo_loads_result* result) {
  JO_REQUIRE_OR(0, result);
  return result->result->ne;
}

jo_status jo_loads_element_at(const jo_loads_result* result, int i, jo_loads_element* out) {
  JO_REQUIRE_OR(JO_ERR_ARGUMENT, result, out);
  if (i < 0 || i >= result->result->ne) return JO_ERR_ARGUMENT;
  const jloads* l = result->system->loads;
  const jloads_summary* e = &result->evaluation.element[i];
  *out = (jo_loads_element){l->name[i],  l->unit[i], e->peak,   e->t_peak,        e->smooth_peak,
                            e->smallest, e->largest, e->cycles, e->largest_range, e->damage};
  return JO_OK;
}

jo_status jo_loads_cycles(jo_context* ctx, const jo_loads_result* result, int element,
                          jo_counting counting, int nbin, double* width, double* count) {
  JO_REQUIRE(ctx, result, width, count);
  if (element < 0 || element >= result->result->ne) {
    return jerr_set(ctx, JO_ERR_ARGUMENT, "there is no element %d", element);
  }
  if (nbin < 1) return jerr_set(ctx, JO_ERR_ARGUMENT, "%d bins: must be 1 or more", nbin);
  if (counting != JO_RAINFLOW && counting != JO_RANGE_PAIR) {
    return jerr_set(ctx, JO_ERR_ARGUMENT, "there is no way %d to count", (int)counting);
  }
  return jloads_evaluation_cycles(ctx, &result->evaluation, element, (jloads_counting)counting,
                                  nbin, width, count);
}

const jo_tables* jo_loads_tables(const jo_loads_result* result) {
  JO_REQUIRE_OR(NULL, result);
  return result->tables;
}

jo_loads_event japi_loads_event(const jo_loads_result* result, int i) {
  const jloads* l = result->system->loads;
  const jloads_event* v = &result->result->event[i];
  jloads_event_summary s = jloads_event_summarise(l, &result->opt, v);
  return (jo_loads_event){.t0 = v->event.t0,
                          .t1 = v->event.t1,
                          .element = v->element >= 0 ? l->name[v->element] : "",
                          .coordinate = jloads_coordinate_name(l, s.coordinate),
                          .position = s.position,
                          .speed = s.speed,
                          .impulse = v->event.impulse,
                          .peak = s.peak,
                          .t_peak = s.t_peak,
                          .doubt = result->doubt[i]};
}
