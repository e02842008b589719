// SPDX-License-Identifier: Apache-2.0
// An interpreted plant has all equations; their functions are emitted, what runs need of the model becomes tables.
#include "export/sources.h"

#include <math.h>
#include <string.h>

#include "base/assert.h"
#include "base/hash.h"
#include "base/text/text.h"
#include "emit/c/emit.h"
#include "export/tables.h"
#include "model/range/ranges.h"
#include "model/select.h"
#include "plant/plant.h"
#include "plant/start/assemble.h"

#define MAX_ROAD_VALUES 2e6

_Static_assert((int)JVEHICLE_NUMBERS == (int)JGEN_P && (int)JVEHICLE_TIME == (int)JGEN_T &&
                   (int)JVEHICLE_STATE == (int)JGEN_Y && (int)JVEHICLE_MODES == (int)JGEN_MODE &&
                   (int)JVEHICLE_MOMENTUM == (int)JGEN_MOMENTUM,
               "groups of inputs");
_Static_assert((int)JVEHICLE_STATE_DIRECTION == (int)JGEN_DY &&
                   (int)JVEHICLE_TIME_DIRECTION == (int)JGEN_DT &&
                   (int)JVEHICLE_NUMBER_DIRECTION == (int)JGEN_DP &&
                   (int)JVEHICLE_WEIGHTS == (int)JGEN_LAMBDA &&
                   (int)JVEHICLE_FEEDS == (int)JGEN_FEED &&
                   (int)JVEHICLE_FIRED == (int)JGEN_FIRED &&
                   (int)JVEHICLE_GROUP_COUNT == (int)JGEN_COMMON,
               "groups of inputs");

#define MAX_FUNCTIONS 48

typedef struct writer {
  jo_context* ctx;
  jarena* a;
  const jmodel* m;
  const jexport_sources_options* opt;
  jplant* plant;
  jmodel_range_function range;
  jvehicle_number* number;  // of the tables
  const jplant_extra* extra[JPLANT_EXTRA_COUNT];
  jplant_extra* own[JPLANT_EXTRA_COUNT];
  jexpr_fn fn[MAX_FUNCTIONS];
  jexport_entry entry[MAX_FUNCTIONS];
  int nfn;
  jemit_unit unit;
  jvehicle_model* table;
  jexport_sources* out;
} writer;

// ---- functions -----------------------------------------------------------------------------------------

static jo_status add_function(writer* w, const jexpr_fn* fn, const char* field, int index) {
  if (!fn->name) return JO_OK;
  JASSERT(w->nfn < MAX_FUNCTIONS);
  const char* name = index < 0 ? field : jarena_printf(w->a, "%s[%d]", field, index);
  if (!name) return jerr_memory(w->ctx);
  w->entry[w->nfn].field = name;
  w->fn[w->nfn++] = *fn;
  return JO_OK;
}

static bool is_empty(const jexpr_fn* fn) {
  int n = 0;
  for (int i = 0; i < fn->nout; i++) {
    n += fn->out[i].n;
  }
  return n == 0;
}

static jo_status list_derivatives(writer* w) {
  const jgen_sens* s = &w->plant->dynamics->sens;
  const jgen_fn kind[JVEHICLE_SLOPE_COUNT] = {[JVEHICLE_RATES] = JGEN_FN_RHS,
                                              [JVEHICLE_INDICATORS] = JGEN_FN_SWITCHES,
                                              [JVEHICLE_OUTPUTS] = JGEN_FN_OUTPUTS,
                                              [JVEHICLE_OBJECTIVES] = JGEN_FN_OBJECTIVE};
  for (int k = 0; k < JVEHICLE_SLOPE_COUNT; k++) {
    if (is_empty(&w->plant->dynamics->fn[kind[k]])) continue;
    JO_TRY(add_function(w, &s->tangent[kind[k]], "tangent", k));
    JO_TRY(add_function(w, &s->adjoint[kind[k]], "adjoint", k));
  }
  if (w->plant->dynamics->part.nv == 0) return JO_OK;
  JO_TRY(add_function(w, &s->tangent[JGEN_FN_PROJECT], "closure_tangent", -1));
  return add_function(w, &s->adjoint[JGEN_FN_PROJECT], "closure_adjoint", -1);
}

static jo_status list_positions(writer* w) {
  const jgen_position* p = w->plant->position;
  const jexpr_fn* fn[JMACHINE_POSITION_FN_COUNT] = {[JMACHINE_CLOSURE] = &p->closure,
                                                    [JMACHINE_DRIVES] = &p->drive,
                                                    [JMACHINE_INITIAL] = &p->initial,
                                                    [JMACHINE_STATES] = &p->states};
  for (int f = 0; f < JMACHINE_POSITION_FN_COUNT; f++) {
    JO_TRY(add_function(w, fn[f], "position_fn", f));
  }
  return JO_OK;
}

static jo_status get_extra(writer* w, jplant_extra_kind kind) {
  return jplant_extra_get(w->ctx, w->plant->shelf, kind, &w->extra[kind], &w->own[kind]);
}

static jo_status list_extras(writer* w) {
  jsolve_method_kind kind = jsolve_method_about(w->table->options.method)->kind;
  if (kind == JSOLVE_IMPLICIT || kind == JSOLVE_BOTH) {
    JO_TRY(get_extra(w, JPLANT_JACOBIAN));
    const jgen_dynamics* d = w->extra[JPLANT_JACOBIAN]->dynamics;
    JO_TRY(add_function(w, &d->fn[JGEN_FN_JACOBIAN], "jacobian", -1));
  }
  JO_TRY(get_extra(w, JPLANT_LOCAL));
  const jgen_dynamics* d = w->extra[JPLANT_LOCAL]->dynamics;
  const jgen_local* l = &d->local;
  if (l->n == 0) return JO_OK;
  w->table->local =
      (jvehicle_local){l->n, l->nfeed, l->entry.n, l->state, l->entry.row, l->entry.col};
  JO_TRY(add_function(w, &d->fn[JGEN_FN_FEEDS], "feeds", -1));
  return add_function(w, &d->fn[JGEN_FN_LOCAL], "local_rates", -1);
}

static jo_status list_functions(writer* w) {
  static const jgen_fn of[JMACHINE_FN_COUNT] = {
#define X(id) [JMACHINE_##id] = JGEN_FN_##id,
      JMACHINE_FN_LIST(X)
#undef X
  };
  for (int f = 0; f < JMACHINE_FN_COUNT; f++) {
    JO_TRY(add_function(w, &w->plant->dynamics->fn[of[f]], "fn", f));
  }
  JO_TRY(list_positions(w));
  JO_TRY(list_extras(w));
  if (w->range.nrule > 0) JO_TRY(add_function(w, &w->range.fn, "limits", -1));
  return list_derivatives(w);
}

static jo_status emit(writer* w) {
  jemit_options emit = jemit_options_default();
  emit.title = w->m->name;
  JO_TRY(jemit_c(w->ctx, w->a, w->fn, w->nfn, &emit, &w->unit));
  for (int i = 0; i < w->nfn; i++) {
    w->entry[i].symbol = w->unit.entry[i].symbol;
    w->entry[i].work = w->unit.entry[i].work;
  }
  w->out->operations = w->unit.entry[JMACHINE_RHS].counts.total;
  return JO_OK;
}

// ---- tables --------------------------------------------------------------------------------------------

// Where the files of a model lie is nobody's business.
static const char* file_name(const char* path) {
  const char* slash = path ? strrchr(path, '/') : NULL;
  return slash ? slash + 1 : path;
}

static const jmodel_parameter* parameter_of(const jmodel* m, int number) {
  for (int i = 0; i < m->nparameter; i++) {
    if (m->parameter[i].value.number == number) return &m->parameter[i];
  }
  return NULL;
}

static jo_status fill_numbers(writer* w) {
  const jgen_dynamics* d = w->plant->dynamics;
  jvehicle_number* number = JARENA_ARRAY(w->a, d->np, jvehicle_number);
  if (!number) return jerr_memory(w->ctx);
  for (int i = 0; i < d->np; i++) {
    const jmodel_number* n = &w->m->number[d->live[i]];
    const jmodel_parameter* p = parameter_of(w->m, d->live[i]);
    number[i] = (jvehicle_number){
        .quantity = {p ? p->name : n->path, p ? p->unit : "", p ? p->description : ""},
        .value = d->p[i],
        .min = -INFINITY,
        .max = INFINITY,
        .is_input = n->is_input};
  }
  w->table->nnumber = d->np;
  w->table->number = w->number = number;
  return JO_OK;
}

// A value that is a number by itself bounds it.
static void bound_number(writer* w, const jmodel_rule* r) {
  const jexpr_node* n = jexpr_at(w->range.g, w->range.fn.out[0].ref[r->first]);
  bool is_bounded =
      r->kind == JMODEL_RULE_LIMIT && r->limit != JMODEL_FINITE && r->limit != JMODEL_NOT_ZERO;
  if (!is_bounded || n->op != JEXPR_INPUT) return;
  jvehicle_number* number = &w->number[n->b];
  number->min = fmax(number->min, r->limit == JMODEL_ABOVE_ONE ? 1.0 : 0.0);
}

static jo_status fill_rules(writer* w) {
  const jgen_dynamics* d = w->plant->dynamics;
  jvehicle_model* t = w->table;
  jmodel_range_function* f = &w->range;
  JO_TRY(jmodel_range_function_build(w->ctx, w->a, w->m, d->live, d->np, f));
  jvehicle_rule* rule = JARENA_ARRAY(w->a, f->nrule, jvehicle_rule);
  if (!rule) return jerr_memory(w->ctx);
  for (int i = 0; i < f->nrule; i++) {
    const jmodel_rule* r = &f->rule[i];
    rule[i] = (jvehicle_rule){(jrule_kind)r->kind,
                              (jrule_limit)r->limit,
                              r->first,
                              r->n,
                              r->subject,
                              r->name,
                              r->label,
                              {file_name(f->place[i].file), f->place[i].line}};
    bound_number(w, r);
  }
  t->rule = rule;
  t->nrule = f->nrule;
  t->nlimit = f->nrule > 0 ? f->fn.out[0].n : 0;
  return JO_OK;
}

// All of y but the dependent positions and what changes at events only.
static jo_status fill_states(writer* w) {
  const jgen_layout* l = &w->plant->dynamics->layout;
  const jmachine_about* about = &w->plant->about;
  int n = 0, k = 0;
  for (int i = 0; i < l->ny; i++) {
    n += !jgen_is_in(l, JGEN_QV, i) && !l->is_discrete[i];
  }
  jvehicle_quantity* state = JARENA_ARRAY(w->a, n, jvehicle_quantity);
  double* nominal = JARENA_ARRAY(w->a, n, double);
  int *at = JARENA_ARRAY(w->a, n, int), *rate_of = JARENA_ARRAY(w->a, n, int);
  if (!state || !nominal || !at || !rate_of) return jerr_memory(w->ctx);
  for (int i = 0; i < l->ny; i++) {
    if (jgen_is_in(l, JGEN_QV, i) || l->is_discrete[i]) continue;
    state[k] = (jvehicle_quantity){l->name[i], l->unit[i], ""};
    nominal[k] = l->nominal[i];
    rate_of[k] = jgen_is_in(l, JGEN_QDU, i) ? i - about->first_rate : -1;
    at[k++] = i;
  }
  w->table->nstate = n;
  w->table->state = state;
  w->table->state_nominal = nominal;
  w->table->state_at = at;
  w->table->state_rate_of = rate_of;
  return JO_OK;
}

static jo_status fill_outputs(writer* w) {
  const jgen_dynamics* d = w->plant->dynamics;
  const jmodel* m = w->m;
  jvehicle_model* t = w->table;
  jvehicle_quantity* output = JARENA_ARRAY(w->a, d->noutput, jvehicle_quantity);
  jvehicle_quantity* objective = JARENA_ARRAY(w->a, d->nobjective, jvehicle_quantity);
  jvehicle_quantity* indicator = JARENA_ARRAY(w->a, d->nswitch, jvehicle_quantity);
  if (!output || !objective || !indicator) return jerr_memory(w->ctx);
  for (int i = 0; i < d->noutput; i++) {
    output[i] = (jvehicle_quantity){d->output_name[i], d->output_unit[i], ""};
  }
  for (int i = 0; i < m->nsignal; i++) {
    if (m->signal[i].is_output) output[t->nsensor++].description = m->signal[i].description;
  }
  for (int i = 0; i < d->nobjective; i++) {
    const jmodel_objective* o = &m->objective[i];
    objective[i] = (jvehicle_quantity){o->name, o->unit, o->description};
  }
  for (int i = 0; i < d->nswitch; i++) {
    indicator[i] = (jvehicle_quantity){d->sw[i].text, "", ""};
  }
  t->noutput = d->noutput;
  t->output = output;
  t->nobjective = d->nobjective;
  t->objective = objective;
  t->nindicator = d->nswitch;
  t->indicator = indicator;
  return JO_OK;
}

// How the model is integrated; what needs a library is replaced by the method of models that name none.
static void fill_simulation(writer* w) {
  const jmodel_simulation* s = &w->m->simulation;
  jvehicle_model* t = w->table;
  t->t_start = s->t_start;
  t->t_end = s->t_end;
  t->starts_static = s->start_static;
  t->options = jplant_solve_options(w->m);
  if (jsolve_method_about(t->options.method)->is_own) return;
  jerr_warn(w->ctx, "%s: method %s is not part of exports: auto takes its place", w->m->path,
            jsolve_method_name(t->options.method));
  t->options.method = JSOLVE_AUTO;
}

static jo_status fill_guards(writer* w) {
  jmachine_about* about = &w->table->about;
  jmachine_guard* guard = JARENA_ARRAY(w->a, about->nguard, jmachine_guard);
  if (!guard) return jerr_memory(w->ctx);
  for (int i = 0; i < about->nguard; i++) {
    guard[i] = about->guard[i];
    guard[i].place.file = file_name(guard[i].place.file);
  }
  about->guard = guard;
  about->path = file_name(about->path);
  return JO_OK;
}

// Coordinates that nothing determines, at the start the plant found.
static jo_status fill_free(writer* w) {
  const jmodel* m = w->m;
  const jplant* p = w->plant;
  double t = m->simulation.t_start;
  jmachine_assembly at = {0};
  JO_TRY(jplant_assemble(w->ctx, w->a, m, p->position, NULL, NULL, t, &at, NULL));
  if (m->simulation.start_static) {
    memcpy(at.q, p->q0, (size_t)p->position->nq * sizeof *at.q);
    JO_TRY(jplant_assemble_velocity(w->ctx, w->a, m, p->position, NULL, t, at.q, at.qd, at.rests));
  }
  w->table->stays = at.stays;
  w->table->rests = at.rests;
  return JO_OK;
}

static jo_status fill_position(writer* w) {
  const jgen_layout* l = &w->plant->dynamics->layout;
  jvehicle_model* t = w->table;
  JO_TRY(jplant_position_table(w->ctx, w->a, w->m, w->plant->position, &t->position));
  jmachine_coordinate* c = (jmachine_coordinate*)t->position.coordinate;
  jmachine_initial* initial = (jmachine_initial*)t->position.initial;
  t->position.path = file_name(t->position.path);
  for (int i = 0; i < t->position.nq; i++) {
    c[i].drive_place.file = file_name(c[i].drive_place.file);
  }
  for (int i = 0; i < t->position.ninitial; i++) {
    initial[i].place.file = file_name(initial[i].place.file);
  }
  t->position_at = l->q;
  t->rate_at = l->qd;
  return fill_free(w);
}

// Tables travel as they were given: a random road as its seed, a file as its values, up to what compilers bear.
static jo_status fill_road(writer* w) {
  double values = 0.0;
  for (int i = 0; i < w->m->nroad_source; i++) {
    if (!w->m->road_source[i].is_random) values += jroad_size(&w->m->road_source[i]);
  }
  if (values > MAX_ROAD_VALUES) {
    return jerr_set(w->ctx, JO_ERR_LIMIT,
                    "%s: the road has %.3g heights from files, and exports take up to %.3g; cut it "
                    "to what is driven on",
                    w->m->path, values, MAX_ROAD_VALUES);
  }
  w->table->nroad = w->m->nroad_source;
  w->table->road = w->m->road_source;
  return JO_OK;
}

static jo_status fill_tables(writer* w) {
  jvehicle_model* t = w->table;
  t->name = w->m->name;
  t->description = w->m->description;
  t->token = "";
  t->about = w->plant->about;
  t->y0 = w->plant->y0;
  fill_simulation(w);
  JO_TRY(fill_road(w));
  JO_TRY(fill_numbers(w));
  JO_TRY(fill_rules(w));
  JO_TRY(fill_states(w));
  JO_TRY(fill_outputs(w));
  JO_TRY(fill_guards(w));
  return fill_position(w);
}

// ---- files ---------------------------------------------------------------------------------------------

static void add_file(writer* w, const char* name, const char* text, size_t length) {
  w->out->file[w->out->nfile++] = (jexport_file){name, text, length};
}

// Of everything that was generated, and of the runtime.
static jo_status set_token(writer* w, const jtext* text) {
  jsha256 s;
  uint8_t digest[32];
  char hex[65];
  jsha256_init(&s);
  jsha256_add(&s, w->unit.sha256, sizeof w->unit.sha256);
  jsha256_add(&s, text->data, text->length);
  for (const jexport_file* f = jexport_runtime; f->name; f++) {
    jsha256_add(&s, f->text, f->length);
  }
  jsha256_finish(&s, digest);
  jsha256_hex(digest, hex);
  w->table->token = jarena_strndup(w->a, hex, 32);
  return w->table->token ? JO_OK : jerr_memory(w->ctx);
}

static jo_status write_tables(writer* w, jtext* t) {
  for (int pass = 0; pass < 2; pass++) {
    jtext_clear(t);
    jexport_tables_write(t, w->table, w->entry, w->nfn, "equations/kernel.h");
    if (t->failed) return jerr_memory(w->ctx);
    if (pass == 0) JO_TRY(set_token(w, t));
  }
  const char* text = jarena_strndup(w->a, t->data, t->length);
  if (!text) return jerr_memory(w->ctx);
  add_file(w, "equations/tables.c", text, t->length);
  return JO_OK;
}

static jo_status gather_files(writer* w) {
  int n = 0;
  while (jexport_runtime[n].name) {
    n++;
  }
  w->out->file = JARENA_ARRAY(w->a, n + w->unit.nfile + 1, jexport_file);
  if (!w->out->file) return jerr_memory(w->ctx);
  for (int i = 0; i < n; i++) {
    w->out->file[w->out->nfile++] = jexport_runtime[i];
  }
  for (int i = 0; i < w->unit.nfile; i++) {
    const jemit_file* f = &w->unit.file[i];
    const char* name = jarena_printf(w->a, "equations/%s", f->name);
    if (!name) return jerr_memory(w->ctx);
    add_file(w, name, f->text, f->length);
  }
  jtext t;
  jtext_init(&t, w->ctx);
  jo_status status = write_tables(w, &t);
  jtext_free(&t);
  return status;
}

// ---- all together --------------------------------------------------------------------------------------

static jo_status make_plant(writer* w) {
  jmodel_selection k;
  if (w->opt->nvariable > 0) {
    JO_TRY(jmodel_select(w->ctx, w->a, w->m, w->opt->variable, w->opt->nvariable, &k));
    w->m = jmodel_make_variable(w->a, w->m, &k);
    if (!w->m) return jerr_memory(w->ctx);
  }
  jplant_options opt = jplant_options_default();
  opt.kernel.backend = JKERNEL_INTERP;
  int* wrt = JARENA_ARRAY(w->a, w->m->nnumber, int);
  if (!wrt) return jerr_memory(w->ctx);
  for (int i = 0; i < w->m->nnumber && w->opt->derivatives; i++) {
    if (w->m->number[i].is_parameter) wrt[opt.gen.nwrt++] = i;
  }
  opt.gen.wrt = wrt;
  opt.gen.weighs_outputs = opt.gen.times_tangents = w->opt->derivatives;
  return jplant_create(w->ctx, w->m, &opt, &w->plant);
}

static jo_status build(writer* w) {
  w->table = JARENA_NEW(w->a, jvehicle_model);
  if (!w->table) return jerr_memory(w->ctx);
  JO_TRY(make_plant(w));
  JO_TRY(fill_tables(w));
  JO_TRY(list_functions(w));
  JO_TRY(emit(w));
  JO_TRY(gather_files(w));
  w->out->model = w->table;
  return JO_OK;
}

jo_status jexport_sources_build(jo_context* ctx, jarena* a, const jmodel* m,
                                const jexport_sources_options* opt, jexport_sources* out) {
  *out = (jexport_sources){0};
  writer* w = jmem_resize(ctx, NULL, sizeof *w);
  if (!w) return jerr_memory(ctx);
  *w = (writer){.ctx = ctx, .a = a, .m = m, .opt = opt, .out = out};
  jo_status status = build(w);
  jmodel_range_function_destroy(&w->range);
  out->plant = w->plant;
  for (int i = 0; i < JPLANT_EXTRA_COUNT; i++) {
    JASSERT(!w->own[i]);  // the context is the plant's: they are on its shelf
  }
  if (status < 0) jexport_sources_destroy(out);
  jmem_free(ctx, w);
  return status;
}

void jexport_sources_destroy(jexport_sources* s) {
  jplant_destroy(s->plant);
  *s = (jexport_sources){0};
}
