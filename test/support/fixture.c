// SPDX-License-Identifier: Apache-2.0
#include "support/fixture.h"

#include <ftw.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/system/file.h"
#include "jounce/system.h"
#include "plant/plant.h"

fixture* fixture_open(void) {
  fixture* f = calloc(1, sizeof *f);
  assert_non_null(f);
  failing_alloc_init(&f->memory, -1);
  assert_int_equal(jo_context_create(&f->memory.allocator, &f->ctx), JO_OK);
  jarena_init(&f->a, f->ctx);
  return f;
}

fixture* fixture_load(const char* path, const jmodel_setting* set, int nset) {
  fixture* f = fixture_open();
  assert_ok(f->ctx, jmodel_load(f->ctx, path, set, nset, &f->m));
  return f;
}

fixture* fixture_parse(const char* path, const char* text) {
  fixture* f = fixture_open();
  assert_ok(f->ctx, jmodel_parse(f->ctx, text, strlen(text), path, NULL, 0, &f->m));
  return f;
}

static int remove_entry(const char* path, const struct stat* st, int kind, struct FTW* at) {
  (void)st, (void)kind, (void)at;
  remove(path);
  return 0;
}

static void remove_dir(const char* path) {
  chmod(path, 0700);  // whatever a test made of it
  nftw(path, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
}

void fixture_close(fixture* f) {
  if (f->dir) remove_dir(f->dir);
  bool is_clean = !f->dir || !jfile_exists(f->dir);
  while (f->nsystem > 0) {
    jo_system_destroy(f->systems[--f->nsystem]);
  }
  jo_model_destroy(f->model);
  jplant_work_destroy(f->run);
  jplant_destroy(f->plant);
  jmodel_destroy(f->m);
  jexpr_graph_destroy(f->g);
  jarena_free(&f->a);
  jo_context_destroy(f->ctx);
  size_t bytes = f->memory.live_bytes;
  int blocks = f->memory.live_blocks;
  free(f);
  if (blocks != 0) fail_msg("%zu bytes in %d blocks are not released", bytes, blocks);
  assert_true(is_clean);
}

int fixture_setup(void** state) {
  *state = fixture_open();
  return 0;
}

int fixture_teardown(void** state) {
  fixture_close(*state);
  return 0;
}

const char* fixture_dir(fixture* f) {
  const char* tmp = getenv("TMPDIR");
  if (!f->dir) assert_ok(f->ctx, jfile_temp_dir(f->ctx, &f->a, tmp ? tmp : "/tmp", &f->dir));
  return f->dir;
}

const char* fixture_below(fixture* f, const char* name) {
  const char* path = jarena_printf(&f->a, "%s/%s", fixture_dir(f), name);
  assert_non_null(path);
  return path;
}

jexpr_graph* fixture_graph(fixture* f) {
  if (!f->g) f->g = jexpr_graph_create(f->ctx);
  assert_non_null(f->g);
  return f->g;
}

void fixture_build(fixture* f, const jplant_options* opt) {
  assert_ok(f->ctx, jplant_create(f->ctx, f->m, opt, &f->plant));
  assert_ok(f->ctx, jplant_work_create(f->ctx, f->plant, NULL, &f->run));
}

jplant_options fixture_interpreted(void) {
  jplant_options opt = jplant_options_default();
  opt.kernel.backend = JKERNEL_INTERP;
  return opt;
}

void fixture_model(fixture* f, const char* path, const jo_setting* set, int nset) {
  assert_ok(f->ctx, jo_model_load(f->ctx, path, set, nset, &f->model));
}

jo_system* fixture_prepare(fixture* f, jo_system_options opt) {
  assert_true(f->nsystem < FIXTURE_SYSTEMS);
  opt.interpreter = 1;
  assert_ok(f->ctx, jo_system_create(f->ctx, f->model, &opt, &f->system));
  f->systems[f->nsystem++] = f->system;
  return f->system;
}

void fixture_system(fixture* f, const char* const* variable, int nvariable) {
  fixture_prepare(f, (jo_system_options){.variable = variable, .nvariable = nvariable});
}

void check_refused(const jo_context* ctx, jo_status got, jo_status status, const char* const* told,
                   const char* what, const char* file, int line) {
  const char* message = jo_context_message(ctx);
  bool is_right = got == status;
  for (int i = 0; told[i]; i++) {
    is_right = is_right && strstr(message, told[i]);
  }
  if (is_right) return;
  print_error("%s: %s: %s\n", what, jo_status_text(got), message);
  _fail(file, line);
}
