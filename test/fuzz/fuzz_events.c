// SPDX-License-Identifier: Apache-2.0
// Fuzz target: any bytes as a file of load events. A failure says why; what is read can be written
// and comes back as it was.
//
//   ./fuzz_events -max_len=2048 -dict=test/fuzz/events.dict test/fuzz/corpus_events
#include "fuzz.h"
#include "report/load_events.h"
#include "support/error_count.h"

static bool same_number(double a, double b) {
  return memcmp(&a, &b, sizeof a) == 0 || (a != a && b != b);
}

static void compare(const jreport_load_events* a, const jreport_load_events* b) {
  require(a->n == b->n && a->ny == b->ny && same_number(a->rate, b->rate));
  require(a->nset == b->nset);
  for (int i = 0; i < a->nset; i++) {
    require(strcmp(a->set[i].name, b->set[i].name) == 0);
    require(strcmp(a->set[i].value, b->set[i].value) == 0);
  }
  for (int i = 0; i < a->n; i++) {
    const jreport_load_event *v = &a->event[i], *w = &b->event[i];
    require(same_number(v->t0, w->t0) && same_number(v->t1, w->t1) && v->doubt == w->doubt);
    require(same_number(v->impulse, w->impulse) && same_number(v->peak, w->peak));
    for (int k = 0; k < a->ny; k++) {
      require(same_number(v->y[k], w->y[k]));
    }
  }
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  jo_context* ctx = NULL;
  require(jo_context_create(NULL, &ctx) == JO_OK);
  const char* path = fuzz_path(".events");
  fuzz_save(path, data, size);
  jarena arena;
  jarena_init(&arena, ctx);
  jreport_load_events first, again;
  jo_status status = jreport_load_events_read(ctx, &arena, path, &first);
  require((status < 0) == (error_count(ctx) > 0));
  if (status >= 0) {
    require(jreport_load_events_write(ctx, &first, path) >= 0);
    require(jreport_load_events_read(ctx, &arena, path, &again) >= 0);
    compare(&first, &again);
  }
  remove(path);
  jarena_free(&arena);
  jo_context_destroy(ctx);
  return 0;
}
