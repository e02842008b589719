// SPDX-License-Identifier: Apache-2.0
// jounce loads reconstruct: peaks of recorded events with other parameters, without running the vehicle.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "loads.h"
#include "terminal.h"

#define MAX_ROWS 60

static void print_rows(const jo_load_events* v) {
  jo_load_event_again e;
  char doubt[64];
  int shown = 0, n = 0;
  printf("  %9s  %-12s %9s %10s %12s %12s %8s %9s\n", "t [s]", "element", "position", "speed",
         "then [k]", "now [k]", "change", "at [s]");
  for (int i = 0; jo_load_events_at(v, i, &e) >= 0; i++) {
    if (isnan(e.peak)) continue;
    n++;
    if (shown == MAX_ROWS) continue;
    shown++;
    printf("  %9.4f  %-12s %9.4f %10.4f %12.3f %12.3f %7.1f%% %9.4f %s %s\n", e.then.t0,
           e.then.element, e.then.position, e.then.speed, 1e-3 * e.then.peak, 1e-3 * e.peak,
           100.0 * (e.peak / e.then.peak - 1.0), e.t_peak, e.interpolated ? "surface" : "",
           cli_doubts(e.then.doubt, doubt, sizeof doubt));
  }
  if (n > shown) printf("  ... and %d more, all of them with --json\n", n - shown);
}

// The largest load of each element, then and now.
static void print_largest(const jo_load_events* v) {
  jo_load_event_again e, k;
  printf("  %-12s %12s %12s %8s\n", "element", "then [k]", "now [k]", "change");
  for (int i = 0; jo_load_events_at(v, i, &e) >= 0; i++) {
    double then = 0.0, now = 0.0;
    bool first = !isnan(e.peak);
    for (int n = 0; first && jo_load_events_at(v, n, &k) >= 0; n++) {
      if (isnan(k.peak) || strcmp(k.then.element, e.then.element) != 0) continue;
      if (n < i) first = false;
      if (fabs(k.then.peak) > fabs(then)) then = k.then.peak;
      if (fabs(k.peak) > fabs(now)) now = k.peak;
    }
    if (!first) continue;
    printf("  %-12s %12.3f %12.3f %7.1f%%\n", e.then.element, 1e-3 * then, 1e-3 * now,
           100.0 * (now / then - 1.0));
  }
}

static void print_text(const jo_load_events* v, const jo_reconstruction* r) {
  const jo_model* m = jo_load_events_model(v);
  cli_heading("%s", jo_model_name(m));
  if (*jo_model_settings(m)) printf("with %s\n", jo_model_settings(m));
  cli_heading("\nrecorded events, loads computed again");
  print_rows(v);
  cli_heading("\nlargest loads in stiff events");
  print_largest(v);
  printf("\n%d events: %d integrated, %d interpolated on %d surfaces (%d nodes integrated)\n",
         r->events, r->integrated, r->events - r->integrated, r->surfaces, r->nodes);
  if (r->refused > 0) {
    printf("%d more surfaces were built and not used: checks were off by more than 5 %%\n",
           r->refused);
  }
  if (r->checked > 0) {
    printf("%d of the interpolated ones integrated too: %.2f %% of the largest load off at most\n",
           r->checked, 100.0 * r->mismatch);
  }
}

static void print_json(const jo_load_events* v, const jo_reconstruction* r) {
  cli_json j = {0};
  jo_load_event_again e;
  const jo_model* m = jo_load_events_model(v);
  cli_json_object(&j, NULL);
  cli_json_text(&j, "model", jo_model_name(m));
  cli_json_text(&j, "settings", jo_model_settings(m));
  cli_json_count(&j, "reconstructed", r->events);
  cli_json_count(&j, "integrated", r->integrated);
  cli_json_count(&j, "surfaces", r->surfaces);
  cli_json_count(&j, "surfaces_refused", r->refused);
  cli_json_count(&j, "surface_nodes", r->nodes);
  cli_json_count(&j, "checked", r->checked);
  cli_json_number(&j, "mismatch", r->mismatch);
  cli_json_list(&j, "events");
  for (int i = 0; jo_load_events_at(v, i, &e) >= 0; i++) {
    if (isnan(e.peak)) continue;
    cli_json_flat_object(&j, NULL);
    cli_json_number(&j, "time", e.then.t0);
    cli_json_text(&j, "element", e.then.element);
    cli_json_number(&j, "position", e.then.position);
    cli_json_number(&j, "speed", e.then.speed);
    cli_json_number(&j, "then", e.then.peak);
    cli_json_number(&j, "peak", e.peak);
    cli_json_number(&j, "time_of_peak", e.t_peak);
    cli_json_bool(&j, "interpolated", e.interpolated != 0);
    cli_json_end(&j);
  }
  cli_json_end(&j);
  cli_json_end(&j);
}

static cli_exit run(cli* c, int argc, char** argv) {
  jo_reconstruct_options opt = jo_reconstruct_options_default();
  bool surface = false;
  const cli_option option[] = {
      {"--surface", NULL, "interpolate on surfaces of peak load over position and speed",
       .flag = &surface},
      {"--window", "T", "longest time integrated from the beginning of an event [s]; 0.1",
       .number = &opt.window_s},
  };
  cli_exit code =
      cli_parse(c, &cli_loads_reconstruct, option, sizeof option / sizeof *option, argc, argv);
  if (code != CLI_OK) return code;
  opt.surface = surface;
  jo_system_options system = jo_system_options_default();
  system.interpreter = c->interpreter;
  system.compiler = c->compiler;
  jo_load_events* v = NULL;
  jo_reconstruction r;
  jo_status status = jo_load_events_open(c->ctx, c->argument[0], c->set, c->nset, &system, &v);
  if (status >= 0) status = jo_load_events_reconstruct(c->ctx, v, &opt, &r);
  cli_tell(c);
  if (status >= 0 && c->json) print_json(v, &r);
  if (status >= 0 && !c->json) print_text(v, &r);
  jo_load_events_destroy(v);
  return status < 0 ? CLI_FAIL : CLI_OK;
}

const cli_command cli_loads_reconstruct = {
    "loads reconstruct", "FILE.events", 1,
    "peaks of recorded events again, with parameters changed by --set", run};
