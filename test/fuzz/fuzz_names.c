// SPDX-License-Identifier: Apache-2.0
// Fuzz target: expressions with the names of a model. The lines of the input are a parameter, a
// signal, a force, a road, a sensor and an objective of a small vehicle, which is then generated and
// assembled. A failure says why; nothing crashes, leaks or hangs.
//
//   ./fuzz_names -max_len=512 -dict=test/fuzz/names.dict test/fuzz/corpus_names
#include "base/err.h"
#include "fuzz.h"
#include "jounce/jounce.h"
#include "support/error_count.h"

static const char* const part[] = {
    "jounce: 1\nname: fuzz\ntables: {tab: {x: [0, 1, 2], y: [0, 1, 4]}}\n"
    "bodies: {cart: {mass: 3}, arm: {mass: 1, com: [0.2, 0, -0.1], points: {tip: [0.4, 0, 0]}}}\n"
    "joints:\n  cart: {type: prismatic, child: cart, axis: x}\n"
    "  arm: {type: revolute, parent: cart, child: arm, axis: y}\n"
    "states: {z: {derivative: -z}}\ninitial: {arm: 0.3}\nsimulation: {end: 0.01}\n"
    "parameters: {k: 5, p: \"",
    "\"}\nsignals: {s: \"",
    "\"}\nforces: {f: {on: cart, force: \"",
    "\"}}\nroad: \"",
    "\"\nsensors: {a: \"",
    "\"}\nobjectives: {psi: {integral: \""};
enum { NPART = sizeof part / sizeof *part };
#define MAX_TEXT 16384

typedef struct writer {
  char text[MAX_TEXT];
  size_t n;
} writer;

static void put(writer* w, char c) {
  if (w->n < MAX_TEXT) w->text[w->n++] = c;
}

static void put_text(writer* w, const char* text) {
  for (; *text; text++)
    put(w, *text);
}

static void write_model(writer* w, const uint8_t* data, size_t size) {
  size_t at = 0;
  for (int i = 0; i < NPART; i++) {
    put_text(w, part[i]);
    size_t from = at;
    for (; at < size && data[at] != '\n'; at++) {
      if (data[at] == '"' || data[at] == '\\') put(w, '\\');
      put(w, (char)data[at]);
    }
    if (at == from) put(w, '1');
    at += at < size;
  }
  put_text(w, "\"}}\n");
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static writer w;
  w.n = 0;
  write_model(&w, data, size);
  jo_context* ctx = NULL;
  jo_model* model = NULL;
  jo_system* system = NULL;
  require(jo_context_create(NULL, &ctx) == JO_OK);
  jo_status status = jo_model_parse(ctx, w.text, w.n, "/nowhere/fuzz.yaml", NULL, 0, &model);
  require((status < 0) == (model == NULL));
  if (model) {
    jo_system_options opt = jo_system_options_default();
    opt.interpreter = 1;
    status = jo_system_create(ctx, model, &opt, &system);
    require((status < 0) == (system == NULL));
  }
  require(status >= 0 || error_count(ctx) > 0);
  jo_system_destroy(system);
  jo_model_destroy(model);
  jo_context_destroy(ctx);
  return 0;
}
