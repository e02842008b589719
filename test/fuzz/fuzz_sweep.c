// SPDX-License-Identifier: Apache-2.0
// Fuzz target: records in the journal of a sweep, with true checksums, each behind a byte with its
// length. A point is taken from a record that fits, or is left to be computed.
//
//   ./fuzz_sweep -max_len=1024 test/fuzz/corpus_sweep
#include "base/err.h"
#include "base/system/journal.h"
#include "fuzz.h"
#include "jounce/jounce.h"

#define NAME 24  // bytes in front of the key of a journal

static const char model_text[] =
    "jounce: 1\nname: fuzz\nparameters: {l: 1}\nbodies: {bob: {mass: 1, com: [0, 0, -l]}}\n"
    "joints: {swing: {type: revolute, child: bob, axis: y}}\ninitial: {swing: 0.5}\n"
    "objectives: {psi: {integral: swing^2}}\nsimulation: {end: 0.01}\n";

static jo_status open_sweep(jo_context* ctx, const jo_system* system, const char* path,
                            jo_sweep** out) {
  jo_range range = {.name = "l", .from = 1, .to = 2, .n = 5};
  jo_sweep_options opt = jo_sweep_options_default();
  opt.range = &range;
  opt.nrange = 1;
  opt.workers = 1;
  opt.journal = path;
  return jo_sweep_create(ctx, system, &opt, out);
}

static uint8_t header[NAME + JJOURNAL_KEY];

// The system, and what a journal of its sweep begins with: the key stands in it.
static const jo_system* prepare(const char* path) {
  static jo_context* ctx;
  static jo_model* model;
  static jo_system* system;
  if (system) return system;
  jo_sweep* s = NULL;
  jo_system_options slow = {.interpreter = 1};
  require(jo_context_create(NULL, &ctx) == JO_OK);
  require(jo_model_parse(ctx, model_text, strlen(model_text), "fuzz.yaml", NULL, 0, &model) >= 0);
  require(jo_system_create(ctx, model, &slow, &system) >= 0);
  remove(path);
  require(open_sweep(ctx, system, path, &s) >= 0);
  jo_sweep_destroy(s);
  FILE* f = fopen(path, "rb");
  require(f != NULL);
  require(fread(header, 1, sizeof header, f) == sizeof header && fclose(f) == 0);
  return system;
}

static jo_status skip(void* user, const void* data, size_t size, int64_t at) {
  (void)user, (void)data, (void)size, (void)at;
  return JO_OK;
}

static void append(jo_context* ctx, const char* path, const uint8_t* data, size_t size) {
  jjournal* j;
  jjournal_options opt = {.path = path, .key = header + NAME, .record = skip};
  require(jjournal_open(ctx, &opt, &j) >= 0);
  for (size_t at = 0; at < size && data[at] <= size - at - 1; at += 1 + (size_t)data[at]) {
    require(jjournal_append(ctx, j, data + at + 1, data[at], &(int64_t){0}) >= 0);
  }
  jjournal_close(j);
}

static void check(jo_sweep* s) {
  jo_sweep_info info = jo_sweep_inspect(s);
  int done = 0;
  for (int i = 0; i < info.points; i++) {
    jo_sweep_point p;
    require(jo_sweep_point_at(s, i, &p) >= 0);
    require(p.message != NULL && (strlen(p.message) == 0 || p.status < 0));
    done += p.is_done != 0;
  }
  require(info.points == 5 && done == info.done && info.resumed == done);
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  jo_context* ctx = NULL;
  jo_sweep* s = NULL;
  const char* path = fuzz_path(".sweep");
  const jo_system* system = prepare(path);
  require(jo_context_create(NULL, &ctx) == JO_OK);
  remove(path);
  append(ctx, path, data, size);
  require(open_sweep(ctx, system, path, &s) >= 0);
  check(s);
  jo_sweep_destroy(s);
  jo_context_destroy(ctx);
  remove(path);
  return 0;
}
