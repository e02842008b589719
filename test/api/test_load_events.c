// SPDX-License-Identifier: Apache-2.0
// Load prediction through the public functions: events and the model they come from.
#include "jounce/loads.h"

#include <unistd.h>

#include "jounce/jounce.h"
#include "support/check.h"

#define MODEL "test/models/bouncer.yaml"

static const jo_system_options interpreted = {.use = JO_USE_LOADS, .interpreter = 1};

static void save_events(jo_context* ctx, const jo_setting* set, int nset, const char* path) {
  jo_model* m;
  jo_system* s;
  jo_loads_result* r;
  jo_loads_options opt = jo_loads_options_default();
  opt.t_end_s = 5.0;
  assert_ok(ctx, jo_model_load(ctx, MODEL, set, nset, &m));
  assert_ok(ctx, jo_system_create(ctx, m, &interpreted, &s));
  assert_ok(ctx, jo_loads_run(ctx, s, &opt, &r));
  assert_true(jo_tables_find(jo_loads_tables(r), "events")->nrow > 0);
  assert_ok(ctx, jo_loads_save(ctx, r, path));
  jo_loads_result_destroy(r);
  jo_system_destroy(s);
  jo_model_destroy(m);
}

static double parameter(const jo_model* m, const char* name) {
  jo_parameter p;
  for (int i = 0; jo_model_parameter_at(m, i, &p) >= 0; i++) {
    if (strcmp(p.name, name) == 0) return p.value;
  }
  return NAN;
}

static void test_events_bring_the_settings_of_their_model(void** state) {
  (void)state;
  char path[64];
  snprintf(path, sizeof path, "/tmp/jounce_api_%ld.events", (long)getpid());
  jo_context* ctx;
  assert_int_equal(jo_context_create(NULL, &ctx), JO_OK);
  const jo_setting set[] = {{"hardness", "max(40, 30)"}, {"m_mass", "if(hardness == 40, 19, 18)"}};
  save_events(ctx, set, 2, path);
  const jo_setting on_top[] = {{"hardness", "50"}};
  for (int nset = 0; nset < 2; nset++) {
    jo_load_events* v;
    assert_ok(ctx, jo_load_events_open(ctx, path, on_top, nset, &interpreted, &v));
    const jo_model* m = jo_load_events_model(v);
    assert_true(parameter(m, "hardness") == (nset ? 50.0 : 40.0));
    assert_true(parameter(m, "m_mass") == (nset ? 18.0 : 19.0));
    assert_ok(ctx, jo_load_events_reconstruct(ctx, v, NULL, NULL));
    jo_load_event_again e;
    assert_int_equal(jo_load_events_at(v, 0, &e), JO_OK);
    assert_true(isfinite(e.peak) && isfinite(e.then.position) && isfinite(e.then.speed));
    jo_load_events_destroy(v);
  }
  remove(path);
  jo_context_destroy(ctx);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_events_bring_the_settings_of_their_model),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
