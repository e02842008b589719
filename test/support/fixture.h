// SPDX-License-Identifier: Apache-2.0
// What tests start from: a context whose memory is counted, an arena, a scratch folder, and, where they
// are asked for, a graph, a model with its plant, or a system as users make it. What a fixture holds it
// releases, and a test that leaks fails when it closes.
//
//   fixture* f = fixture_parse("pendulum.yaml", text);
//   fixture_build(f, NULL);
//   ...
//   fixture_close(f);
#ifndef JTEST_FIXTURE_H
#define JTEST_FIXTURE_H

#include "base/mem.h"
#include "support/check.h"
#include "support/failing_alloc.h"

// as far as a test needs them it includes their headers
struct jexpr_graph;
struct jmodel;
struct jmodel_setting;
struct jo_model;
struct jo_setting;
struct jo_system;
struct jo_system_options;
struct jplant;
struct jplant_options;
struct jplant_work;

#define FIXTURE_SYSTEMS 16

typedef struct fixture {
  failing_alloc memory;  // of the context; counts, and fails when a test tells it to
  jo_context* ctx;
  jarena a;
  const char* dir;  // scratch folder, see fixture_dir()
  struct jexpr_graph* g;
  struct jmodel* m;
  struct jplant* plant;
  struct jplant_work* run;
  struct jo_model* model;    // the public face of a model, and of a plant
  struct jo_system* system;  // the latest of these
  struct jo_system* systems[FIXTURE_SYSTEMS];
  int nsystem;
} fixture;

// Context and arena. The functions of fixtures fail the test on any error.
fixture* fixture_open(void);

// With a model of a file, or of a text that comes from `path`, of the library's inside.
fixture* fixture_load(const char* path, const struct jmodel_setting* set, int nset);
fixture* fixture_parse(const char* path, const char* text);

// Give everything back and check that the context has got all of its memory back, too.
void fixture_close(fixture* f);

// open and close for cmocka: *state is the fixture.
int fixture_setup(void** state);
int fixture_teardown(void** state);
#define fixture_test(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)

// The scratch folder, made when first asked for; a path in it. Closing removes all that is there.
const char* fixture_dir(fixture* f);
const char* fixture_below(fixture* f, const char* name);

struct jexpr_graph* fixture_graph(fixture* f);

// The plant of f->m and a run of it.
void fixture_build(fixture* f, const struct jplant_options* opt);
struct jplant_options fixture_interpreted(
    void);  // small models: compilers are slower than the interpreter

// A model and a system as users make them, interpreted.
void fixture_model(fixture* f, const char* path, const struct jo_setting* set, int nset);
void fixture_system(fixture* f, const char* const* variable, int nvariable);

// A system of the model, of these options but interpreted. The fixture holds it, and the ones before.
struct jo_system* fixture_prepare(fixture* f, struct jo_system_options opt);

// A call that is to fail: with this status, and each of these texts is part of the message.
#define assert_refused(ctx, call, status, ...)                                            \
  check_refused((ctx), (call), (status), (const char* const[]){__VA_ARGS__, NULL}, #call, \
                __FILE__, __LINE__)
void check_refused(const jo_context* ctx, jo_status got, jo_status status, const char* const* told,
                   const char* what, const char* file, int line);

#endif
