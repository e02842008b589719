// SPDX-License-Identifier: Apache-2.0
// Memory ends at the n-th allocation of everything the public functions do: the cause that is told is
// memory, or the result is the right one; nothing leaks. Arenas have no blocks here: every request is an
// allocation. Of some tasks the allocations of every call stack fail, the first one of it with all that follow and
// the last one alone; of the others some n, the first and the last ones one by one. More of them with
// JOUNCE_OOM_PLACES=N, one place of one task with JOUNCE_OOM_TASK and JOUNCE_OOM_AT. (libfyaml, HDF5 and SUNDIALS have allocators of their own.)
#include "jounce/jounce.h"
#include "support/call_stack.h"
#include "support/fixture.h"

#define QUARTER_CAR "test/models/sweep_quarter_car.yaml"
#define LOOP        "test/models/sens_loop.yaml"
#define BUGGY       "models/buggy/step_descent.yaml"
#define REDUNDANT   "test/models/parallelogram.yaml"
#define BOUNCER     "test/models/bouncer.yaml"
#define AT_REST     "test/models/sens_static.yaml"
#define STUDY       "test/study/quarter_car.yaml"

#define FEW  (CHECK_SANITIZED ? 8 : 25)  // places tried of each task, without JOUNCE_OOM_PLACES
#define ENDS 5                           // of these the first and the last, one by one
#define SHOW 10                          // wrong causes of a task after which it is left
#define MOST 20000                       // allocations of a task all of whose call stacks are tried

typedef struct task {
  const char *what, *model;
  const char* name;      // of a parameter
  double from, to, end;  // its range; end of the run [s]
  bool compiled, every;  // every: all call stacks, also without JOUNCE_OOM_PLACES
} task;

typedef struct work {
  const task* task;
  jo_context* ctx;
  jo_model* model;
  double digest;  // of the results
  int nvalue;
} work;

static const char *folder, *csv, *events, *page, *h5;

static void add(work* w, double x) {
  w->digest += (isfinite(x) ? x : 1.0) * (1.0 + 0.01 * w->nvalue++);
}

static jo_system_options how(const work* w) {
  return (jo_system_options){.interpreter = !w->task->compiled};
}

// A system of these uses, with derivatives by the parameter.
static jo_status prepare(work* w, unsigned use, jo_sens_method method, jo_system** out) {
  jo_system_options opt = how(w);
  opt.use = use;
  opt.method = method;
  opt.wrt = &w->task->name;
  opt.nwrt = 1;
  return jo_system_create(w->ctx, w->model, &opt, out);
}

// ---- what users do -------------------------------------------------------------------------------

static jo_status load_model(work* w) {
  const jo_setting set[] = {{w->task->name, w->task->from > 0 ? "1.25e4" : "0.25"}};
  jo_model* m = NULL;
  jo_status status = jo_model_load(w->ctx, w->task->model, set, 1, &m);
  jo_parameter p;
  for (int i = 0; status >= 0 && jo_model_parameter_at(m, i, &p) >= 0; i++) {
    add(w, p.value);
  }
  jo_model_destroy(m);
  return status;
}

static jo_status run_method(work* w, const jo_system* s, jo_method method) {
  jo_result* r = NULL;
  jo_simulate_options opt = jo_simulate_options_default();
  opt.t_end_s = w->task->end;
  opt.method = method;
  opt.tolerance = 1e-6;
  opt.step_s = method == JO_METHOD_RK4 ? 1e-3 : NAN;
  jo_status status = jo_simulate(w->ctx, s, &opt, &r);
  const jo_table* t = status >= 0 ? jo_tables_find(jo_result_tables(r), "final") : NULL;
  for (int i = 0; t && i < t->nrow; i++) {
    add(w, jo_table_number(t, "value", i));
  }
  if (status >= 0) status = jo_result_save(w->ctx, r, csv);
  if (status >= 0) status = jo_result_save(w->ctx, r, h5);
  jo_result_destroy(r);
  return status;
}

static jo_status run_model(work* w) {
  static const jo_method method[] = {JO_METHOD_DOPRI5, JO_METHOD_ESDIRK5, JO_METHOD_RK4,
                                     JO_METHOD_ADAMS, JO_METHOD_BDF};
  jo_system_options opt = how(w);
  jo_system* s = NULL;
  jo_status status = jo_system_create(w->ctx, w->model, &opt, &s);
  if (status >= 0) status = jo_system_check(w->ctx, s);
  for (size_t i = 0; status >= 0 && i < sizeof method / sizeof *method; i++) {
    status = run_method(w, s, method[i]);
  }
  jo_system_destroy(s);
  return status;
}

static jo_status differentiate(work* w, jo_sens_method method) {
  jo_system* s = NULL;
  jo_sens_result* r = NULL;
  jo_sens_options opt = jo_sens_options_default();
  opt.method = method;
  opt.tolerance = 1e-6;
  jo_status status = prepare(w, JO_USE_CONTRIBUTIONS, method, &s);
  if (status >= 0) status = jo_sens_run(w->ctx, s, &opt, &r);
  jo_quantity q;
  for (int i = 0; status >= 0 && jo_sens_objective_at(r, i, &q) >= 0; i++) {
    add(w, q.value);
    add(w, jo_sens_derivative(r, i, 0));
  }
  if (status >= 0) status = jo_sens_save(w->ctx, r, csv);
  jo_sens_result_destroy(r);
  jo_system_destroy(s);
  return status;
}

static jo_status sens_model(work* w) {
  jo_status status = differentiate(w, JO_SENS_AUTO);
  if (status >= 0) status = differentiate(w, JO_SENS_DIRECT);
  if (status >= 0) status = differentiate(w, JO_SENS_ADJOINT);
  return status;
}

static jo_status check_model(work* w) {
  jo_system* s = NULL;
  jo_sens_result* r = NULL;
  jo_sens_options opt = jo_sens_options_default();
  jo_sens_check_row row[8] = {0};
  jo_sens_vcurve_point point[3];
  double exact = 0.0;
  jo_status status = prepare(w, JO_USE_CHECKS, JO_SENS_AUTO, &s);
  if (status >= 0) status = jo_sens_run(w->ctx, s, &opt, &r);
  if (status >= 0) status = jo_sens_check(w->ctx, r, NULL, NULL, row);
  if (status >= 0) status = jo_sens_vcurve(w->ctx, s, &opt, 0, 0, 3, point, &exact);
  if (status >= 0) status = jo_sens_vcurve_save(w->ctx, s, 0, 0, point, 3, exact, csv);
  add(w, row[0].direct);
  add(w, row[0].difference);
  add(w, exact);
  jo_sens_result_destroy(r);
  jo_system_destroy(s);
  return status;
}

static jo_status sweep_model(work* w) {
  jo_system* system = NULL;
  jo_sweep* s = NULL;
  const jo_range range = {.name = w->task->name, .from = w->task->from, .to = w->task->to, .n = 3};
  jo_sweep_options opt = jo_sweep_options_default();
  opt.range = &range;
  opt.nrange = 1;
  opt.t_end_s = w->task->end;
  opt.tolerance = 1e-6;
  opt.workers = 1;
  jo_status status = prepare(w, JO_USE_DERIVATIVES, JO_SENS_AUTO, &system);
  if (status >= 0) status = jo_sweep_create(w->ctx, system, &opt, &s);
  if (status >= 0) status = jo_sweep_run(s);
  jo_sweep_point p;
  for (int i = 0; status >= 0 && jo_sweep_point_at(s, i, &p) >= 0; i++) {
    add(w, p.status);
    add(w, p.value[0]);
    add(w, p.gradient[0]);
  }
  if (status >= 0) status = jo_sweep_save(w->ctx, s, csv);
  jo_sweep_destroy(s);
  jo_system_destroy(system);
  return status;
}

static jo_status reconstruct(work* w) {
  jo_load_events* v = NULL;
  jo_system_options opt = how(w);
  jo_reconstruction done = {0};
  jo_status status = jo_load_events_open(w->ctx, events, NULL, 0, &opt, &v);
  if (status >= 0) status = jo_load_events_reconstruct(w->ctx, v, NULL, &done);
  jo_load_event_again e;
  for (int i = 0; status >= 0 && jo_load_events_at(v, i, &e) >= 0; i++) {
    add(w, e.peak);
  }
  jo_load_events_destroy(v);
  return status;
}

static jo_status loads_driver(work* w, const jo_system* s, jo_loads_driver driver) {
  jo_loads_result* r = NULL;
  jo_loads_options opt = jo_loads_options_default();
  opt.driver = driver;
  opt.t_end_s = w->task->end;
  jo_status status = jo_loads_run(w->ctx, s, &opt, &r);
  jo_loads_element e;
  for (int i = 0; status >= 0 && jo_loads_element_at(r, i, &e) >= 0; i++) {
    add(w, e.peak);
    add(w, e.damage);
  }
  if (status >= 0) status = jo_loads_save(w->ctx, r, csv);
  if (status >= 0) status = jo_loads_save(w->ctx, r, events);
  jo_loads_result_destroy(r);
  return status;
}

static jo_status loads_model(work* w) {
  static const jo_loads_driver driver[] = {JO_LOADS_FIXED, JO_LOADS_ADAPTIVE, JO_LOADS_IMPULSIVE,
                                           JO_LOADS_SUBCYCLE};
  jo_system* s = NULL;
  jo_status status = prepare(w, JO_USE_LOADS, JO_SENS_AUTO, &s);
  for (size_t i = 0; status >= 0 && i < sizeof driver / sizeof *driver; i++) {
    status = loads_driver(w, s, driver[i]);
  }
  jo_system_destroy(s);
  return status < 0 ? status : reconstruct(w);
}

static jo_status loads_sens_model(work* w) {
  jo_system* system = NULL;
  jo_loads_sens* s = NULL;
  jo_loads_sens_options opt = jo_loads_sens_options_default();
  opt.t_end_s = w->task->end;
  opt.tolerance = 1e-7;
  jo_status status = prepare(w, JO_USE_HISTORIES, JO_SENS_AUTO, &system);
  if (status >= 0) status = jo_loads_sens_run(w->ctx, system, &opt, &s);
  jo_loads_gradient g;
  for (int i = 0; status >= 0 && jo_loads_sens_at(s, i, &g) >= 0; i++) {
    add(w, g.dpeak[0]);
  }
  jo_loads_sens_destroy(s);
  jo_system_destroy(system);
  return status;
}

static jo_status report_model(work* w) {
  jo_report_options opt = jo_report_options_default();
  opt.tolerance = 1e-5;
  int64_t bytes = 0;
  jo_system* s = NULL;
  jo_status status = prepare(w, JO_USE_RUNS | JO_USE_CONTRIBUTIONS, JO_SENS_AUTO, &s);
  if (status >= 0) status = jo_report_write(w->ctx, s, &opt, page, &bytes);
  jo_system_destroy(s);
  add(w, (double)bytes);
  return status;
}

// One system for everything, at a value that was set.
static jo_status all_of_model(work* w) {
  const unsigned all = JO_USE_RUNS | JO_USE_CONTRIBUTIONS | JO_USE_CHECKS | JO_USE_HISTORIES;
  jo_system* s = NULL;
  jo_result* run = NULL;
  jo_sens_result* r = NULL;
  jo_sens_options opt = jo_sens_options_default();
  opt.tolerance = 1e-6;
  jo_status status = prepare(w, all | JO_USE_LOADS, JO_SENS_AUTO, &s);
  if (status >= 0) status = jo_system_set(w->ctx, s, &w->task->name, &w->task->to, 1);
  if (status >= 0) status = jo_simulate(w->ctx, s, NULL, &run);
  if (status >= 0) status = jo_sens_run(w->ctx, s, &opt, &r);
  if (status >= 0) add(w, jo_sens_derivative(r, 0, 0));
  if (status >= 0) status = jo_sens_save(w->ctx, r, csv);
  if (status >= 0) status = loads_driver(w, s, JO_LOADS_SUBCYCLE);
  jo_sens_result_destroy(r);
  jo_result_destroy(run);
  jo_system_destroy(s);
  return status < 0 ? status : reconstruct(w);
}

static jo_status static_model(work* w) {
  jo_static* s = NULL;
  jo_status status = jo_static_differentiate(w->ctx, w->model, &w->task->name, 1, &s);
  const jo_table* t = status >= 0 ? jo_tables_find(jo_static_tables(s), "outputs") : NULL;
  for (int i = 0; t && i < t->nrow; i++) {
    add(w, jo_table_number(t, "value", i));
    add(w, t->column[4].value[i]);
  }
  jo_static_destroy(s);
  return status;
}

static jo_status modes_model(work* w) {
  jo_modes* m = NULL;
  jo_modes_options opt = jo_modes_options_default();
  opt.name = &w->task->name;
  opt.nname = 1;
  jo_status status = jo_modes_create(w->ctx, w->model, &opt, &m);
  const jo_table* t = status >= 0 ? jo_tables_find(jo_modes_tables(m), "modes") : NULL;
  for (int i = 0; t && i < t->nrow; i++) {
    add(w, jo_table_number(t, "frequency", i));
  }
  jo_modes_destroy(m);
  return status;
}

static jo_status generate_model(work* w) {
  jo_generated g = {0};
  jo_status status = jo_generate(w->ctx, w->model, folder, &g);
  add(w, g.operations);
  return status;
}

static jo_status list_model(work* w) {
  jo_listing* l = NULL;
  jo_status status = jo_export_assembly(w->ctx, w->model, &l);
  if (status >= 0) add(w, jo_listing_inspect(l).instructions + (double)strlen(jo_listing_text(l)));
  jo_listing_destroy(l);
  return status;
}

static jo_status write_schemas(work* w) {
  jo_status status = jo_schema_write(w->ctx, "model", page);
  return status < 0 ? status : jo_schema_write(w->ctx, "study", page);
}

static jo_status export_model(work* w) {
  jo_fmu_options opt = jo_fmu_options_default();
  opt.sources_only = 1;
  jo_fmu made = {0};
  jo_status status = jo_export_fmu(w->ctx, w->model, &opt, page, &made);
  add(w, made.operations + (double)made.bytes);
  return status;
}

// Parts of all kinds; the task's model is not looked at.
static jo_status study_model(work* w) {
  jo_study* s = NULL;
  jo_study_options opt = {.interpreter = 1};
  jo_status status = jo_study_load(w->ctx, STUDY, NULL, 0, &s);
  if (status >= 0) status = jo_study_run(w->ctx, s, &opt);
  if (status >= 0) status = jo_study_save(w->ctx, s, page);
  for (int i = 0; status >= 0 && i < jo_study_part_count(s); i++) {
    const jo_table* t = jo_study_tables(s, i)->table;
    for (int k = 0; k < t->ncolumn; k++) {
      if (t->column[k].value) add(w, t->column[k].value[0]);
    }
  }
  jo_study_destroy(s);
  return status;
}

static jo_status run_batch(work* w, jo_sens_method method) {
  jo_system* system = NULL;
  jo_batch* b = NULL;
  const double x[] = {w->task->from, w->task->to, -1.0};  // the last cannot be
  jo_batch_options opt = jo_batch_options_default();
  opt.parameter = &w->task->name;
  opt.nparameter = 1;
  opt.t_end_s = w->task->end;
  opt.tolerance = 1e-6;
  opt.gradient = opt.outputs = opt.workers = 1;
  const char* const history = "heave";
  opt.history = &history;
  opt.nhistory = 1;
  jo_status status = prepare(w, JO_USE_DERIVATIVES, method, &system);
  if (status >= 0) status = jo_batch_create(w->ctx, system, &opt, &b);
  if (status >= 0) status = jo_batch_run(b, 3, x);
  jo_batch_point p;
  for (int i = 0; status >= 0 && jo_batch_point_at(b, i, &p) >= 0; i++) {
    add(w, p.status);
    add(w, p.value[0]);
    add(w, p.gradient[0]);
    add(w, p.output[0]);
    add(w, p.history[0]);
  }
  jo_batch_destroy(b);
  jo_system_destroy(system);
  return status;
}

static jo_status batch_model(work* w) {
  return run_batch(w, JO_SENS_DIRECT);
}

static jo_status batch_back_model(work* w) {
  return run_batch(w, JO_SENS_ADJOINT);
}

static const struct {
  const char* what;
  jo_status (*run)(work* w);
} verb[] = {
    {"load", load_model},      {"run", run_model},
    {"sens", sens_model},      {"check", check_model},
    {"sweep", sweep_model},    {"loads", loads_model},
    {"report", report_model},  {"static", static_model},
    {"modes", modes_model},    {"generate", generate_model},
    {"export", export_model},  {"listing", list_model},
    {"schema", write_schemas}, {"loads sens", loads_sens_model},
    {"all", all_of_model},     {"study", study_model},
    {"batch", batch_model},    {"batch back", batch_back_model},
};

static const task tasks[] = {
    {"load", QUARTER_CAR, "k", 1e4, 2e4, 0.0, false, true},
    {"load", BUGGY, "k_f", 1e4, 2e4, 0.0, false, false},
    {"run", QUARTER_CAR, "k", 1e4, 2e4, 0.4, false, false},
    {"run", QUARTER_CAR, "k", 1e4, 2e4, 0.4, true, false},
    {"run", LOOP, "k", 300.0, 500.0, 1.0, false, false},
    {"sens", QUARTER_CAR, "k", 1e4, 2e4, 0.4, false, false},
    {"sens", QUARTER_CAR, "k", 1e4, 2e4, 0.4, true, false},
    {"sens", AT_REST, "k", 1e4, 2e4, 0.4, false, false},
    {"check", QUARTER_CAR, "k", 1e4, 2e4, 0.4, false, false},
    {"sweep", QUARTER_CAR, "k", 1e4, 2e4, 0.4, false, false},
    {"sweep", QUARTER_CAR, "k", 1e4, 2e4, 0.4, true, false},
    {"batch", QUARTER_CAR, "k", 1e4, 2e4, 0.4, false, false},
    {"batch back", QUARTER_CAR, "k", 1e4, 2e4, 0.4, false, false},
    {"loads", BOUNCER, "hardness", 50.0, 60.0, 2.0, false, false},
    {"loads sens", BOUNCER, "hardness", 50.0, 60.0, 1.0, false, false},
    {"report", QUARTER_CAR, "k", 1e4, 2e4, 0.4, false, false},
    {"all", QUARTER_CAR, "k", 1e4, 2e4, 0.4, false, false},
    {"study", QUARTER_CAR, "k", 1e4, 2e4, 0.0, false, false},
    {"static", QUARTER_CAR, "k", 1e4, 2e4, 0.0, false, false},
    {"static", BUGGY, "k_f", 1e4, 2e4, 0.0, false, false},
    {"static", REDUNDANT, "load", 1.0, 2.0, 0.0, false, true},
    {"modes", QUARTER_CAR, "k", 1e4, 2e4, 0.0, false, false},
    {"modes", BUGGY, "k_f", 1e4, 2e4, 0.0, false, false},
    {"generate", QUARTER_CAR, "k", 1e4, 2e4, 0.0, false, false},
    {"listing", QUARTER_CAR, "k", 1e4, 2e4, 0.0, false, false},
    {"schema", QUARTER_CAR, "k", 1e4, 2e4, 0.0, false, true},
    {"export", QUARTER_CAR, "k", 1e4, 2e4, 0.0, false, false},
};

// ---- failures ------------------------------------------------------------------------------------

// Call stacks of the allocations first ... last of a task.
typedef struct trace {
  uint64_t stack[MOST];
  long first, last;
  int outer;  // callers of the test itself, left out
} trace;

typedef struct outcome {
  jo_status status;
  double digest;
  char message[200];
} outcome;

static void note(void* watcher, long call) {
  trace* seen = watcher;
  if (call >= seen->first && call <= seen->last) seen->stack[call] = call_stack_hash(seen->outer);
}

// The model is loaded with enough memory, so that n counts what the task itself asks for.
static outcome attempt(const task* t, failing_alloc* f, long fail_at, bool once, trace* seen) {
  work w = {.task = t};
  outcome o = {0};
  failing_alloc_init(f, -1);
  assert_int_equal(jo_context_create(&f->allocator, &w.ctx), JO_OK);
  assert_ok(w.ctx, jo_model_load(w.ctx, t->model, NULL, 0, &w.model));
  seen->outer = call_stack_depth();
  f->calls = 0;
  f->fail_at = fail_at;
  f->once = once;
  f->watch = t->every ? note : NULL;
  f->watcher = seen;
  for (size_t i = 0; i < sizeof verb / sizeof *verb; i++) {
    if (strcmp(verb[i].what, t->what) == 0) o.status = verb[i].run(&w);
  }
  f->watch = NULL;
  f->fail_at = -1;
  o.digest = w.digest;
  snprintf(o.message, sizeof o.message, "%s", jo_context_message(w.ctx));
  jo_model_destroy(w.model);
  jo_context_destroy(w.ctx);
  return o;
}

static bool is_right(const outcome* o, const outcome* whole) {
  if (o->status >= 0) return o->digest == whole->digest;
  return o->status == JO_ERR_MEMORY && strstr(o->message, "memory");
}

static bool is_sample(long n, long calls) {
  const char* places = getenv("JOUNCE_OOM_PLACES");
  long stride = 1 + calls / (places ? atol(places) : FEW);
  return n < ENDS || n >= calls - ENDS || (n - ENDS) % stride == 0;
}

// Whether no other one of its call stack comes before it, or after it.
static bool is_first(const trace* all, long n) {
  for (long i = 0; i < n; i++) {
    if (all->stack[i] == all->stack[n]) return false;
  }
  return true;
}

static bool is_last(const trace* all, long n, long calls) {
  for (long i = n + 1; i < calls; i++) {
    if (all->stack[i] == all->stack[n]) return false;
  }
  return true;
}

static bool is_chosen(const task* t, const trace* all, long n, long calls, bool once) {
  const char* at = getenv("JOUNCE_OOM_AT");
  if (at) return n == atol(at);
  if (is_sample(n, calls)) return true;
  return t->every && (once ? is_last(all, n, calls) : is_first(all, n));
}

// One place. Returns whether the cause told is wrong.
static bool try_place(const task* t, const outcome* whole, const trace* all, long n, bool once) {
  static trace one;
  failing_alloc f;
  one.first = one.last = n;
  outcome o = attempt(t, &f, n, once, &one);
  if (t->every) assert_true(one.stack[n] == all->stack[n]);  // it is the place that was meant
  if (f.live_bytes != 0) fail_msg("%s %s: %ld leaks %zu", t->what, t->model, n, f.live_bytes);
  if (is_right(&o, whole)) return false;
  print_error("%s %s%s, allocation %ld%s: status %d, %s\n", t->what, t->model,
              t->compiled ? " compiled" : "", n, once ? " alone" : " and later ones", o.status,
              o.status < 0 ? o.message : "other results");
  return true;
}

static int try_task(const task* t, long* tried) {
  static trace all = {.last = MOST - 1};
  failing_alloc f;
  outcome whole = attempt(t, &f, -1, false, &all);
  if (whole.status < 0) fail_msg("%s %s: %s", t->what, t->model, whole.message);
  long calls = f.calls;
  assert_true(!t->every || calls <= MOST);
  int wrong = 0;
  for (int once = 0; once < 2; once++) {
    for (long n = 0; n < calls && wrong < SHOW; n++) {
      if (!is_chosen(t, &all, n, calls, once)) continue;
      wrong += try_place(t, &whole, &all, n, once);
      ++*tried;
    }
  }
  return wrong;
}

static void test_oom_is_told_as_such(void** state) {
  (void)state;
  long tried = 0;
  int wrong = 0;
  const char* only = getenv("JOUNCE_OOM_TASK");
  for (size_t i = 0; i < sizeof tasks / sizeof *tasks; i++) {
    if (!only || atoi(only) == (int)i) wrong += try_task(&tasks[i], &tried);
  }
  print_message("%ld allocation failures, %d told as another cause\n", tried, wrong);
  assert_int_equal(wrong, 0);
}

static int set_up(void** state) {
  fixture* f = fixture_open();
  *state = f;
  folder = fixture_dir(f);
  csv = fixture_below(f, "x.csv");
  h5 = fixture_below(f, "x.h5");
  events = fixture_below(f, "x.events");
  page = fixture_below(f, "x.html");
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_oom_is_told_as_such)};
  return cmocka_run_group_tests(tests, set_up, fixture_teardown);
}
