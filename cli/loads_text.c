// SPDX-License-Identifier: Apache-2.0
// The loads report: as text and as JSON.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "loads.h"
#include "terminal.h"

#define MAX_EVENTS 40  // printed as text; JSON and files have all
#define NBIN       16

const char* cli_doubts(unsigned doubt, char* buffer, size_t size) {
  snprintf(buffer, size, "%s%s%s", doubt & JO_DOUBT_LATER ? "later " : "",
           doubt & JO_DOUBT_CONSECUTIVE ? "consecutive " : "",
           doubt & JO_DOUBT_COUPLING ? "coupling " : "");
  size_t n = strlen(buffer);
  if (n > 0) buffer[n - 1] = 0;
  return buffer;
}

// ---- text ----------------------------------------------------------------------------------------

static int by_peak(const void* a, const void* b) {
  double x = fabs(((const jo_loads_element*)a)->peak), y = fabs(((const jo_loads_element*)b)->peak);
  return x < y ? 1 : x > y ? -1 : 0;
}

static void print_elements(const jo_loads_result* r, const jo_loads_options* opt) {
  int n = jo_loads_element_count(r);
  jo_loads_element* e = calloc((size_t)n + 1, sizeof *e);
  if (!e) return;
  for (int i = 0; i < n; i++) {
    jo_loads_element_at(r, i, &e[i]);
  }
  qsort(e, (size_t)n, sizeof *e, by_peak);
  cli_heading("\nloads, largest first (rainflow after ASTM E1049; damage: slope %g, reference %g)",
              opt->slope, opt->reference);
  printf("  %-14s %14s %9s %14s %11s %11s %11s\n", "element", "peak", "t [s]", "smooth part",
         "cycles", "range", "damage");
  for (int i = 0; i < n; i++) {
    printf("  %-14s %10.3f k%-3s %8.4f %10.3f k%-3s %10.1f %10.3fk %11.4g\n", e[i].name,
           1e-3 * e[i].peak, e[i].unit, e[i].t_peak, 1e-3 * e[i].smooth_peak, e[i].unit,
           e[i].cycles, 1e-3 * e[i].largest_range, e[i].damage);
  }
  free(e);
}

static void print_pose(const jo_loads_result* r, double t) {
  jo_pose p;
  if (jo_loads_pose(r, &p) < 0) return;
  cli_heading("\n%s at t = %.9g s", p.body, t);
  printf("  x %.6f  y %.6f  z %.6f m   yaw %.6f  pitch %.6f  roll %.6f deg\n", p.x, p.y, p.z,
         p.yaw_deg, p.pitch_deg, p.roll_deg);
}

static void print_event(const jo_loads_event* v) {
  char doubt[64];
  printf("  %9.4f %9.2f  %-12s ", v->t0, 1e3 * (v->t1 - v->t0), v->element);
  if (v->position == v->position) {
    printf("%-10s %9.4f %10.4f", v->coordinate, v->position, v->speed);
  } else {  // a contact acts on no single coordinate
    printf("%-10s %9s %10s", "-", "-", "-");
  }
  printf(" %12.4g", v->impulse);
  printf(" %11.3f %9.4f  %s\n", 1e-3 * v->peak, v->t_peak,
         cli_doubts(v->doubt, doubt, sizeof doubt));
}

static void print_events(const jo_loads_result* r) {
  int n = jo_loads_event_count(r), shown = 0, begun = 0;
  jo_loads_event v;
  for (int i = 0; i < n && jo_loads_event_at(r, i, &v) >= 0; i++) {
    begun += !(v.doubt & JO_DOUBT_CONSECUTIVE);
  }
  if (n == 0) return;
  cli_heading("\nstiff events: %d", begun);
  printf("  %9s %9s  %-12s %-10s %9s %10s %12s %11s %9s\n", "t [s]", "for [ms]", "element", "on",
         "position", "speed", "impulse", "peak [k]", "at [s]");
  for (int i = 0; i < n && shown < MAX_EVENTS; i++) {
    jo_loads_event_at(r, i, &v);
    if (v.doubt & JO_DOUBT_CONSECUTIVE) continue;
    print_event(&v);
    shown++;
  }
  if (begun > shown)
    printf("  ... and %d more; all with --json or -o FILE.events\n", begun - shown);
}

// What to think of the impulsive driver's loads.
static void print_doubts(const jo_loads_result* r) {
  int n = jo_loads_event_count(r), later = 0, again = 0, coupled = 0, clean = 0;
  jo_loads_event v;
  for (int i = 0; i < n && jo_loads_event_at(r, i, &v) >= 0; i++) {
    later += (v.doubt & JO_DOUBT_LATER) != 0;
    again += (v.doubt & JO_DOUBT_CONSECUTIVE) != 0;
    coupled += (v.doubt & JO_DOUBT_COUPLING) != 0;
    clean += v.doubt == 0;
  }
  cli_heading("\nwhere not to trust the impulsive driver");
  printf(
      "  of %d flags %d are beyond doubt: the first impact of a coordinate, by a stiff force of its"
      " own\n",
      n, clean);
  printf(
      "  %6d later        earlier reversals with restitution 1 have changed the motion: peaks may"
      " be far off\n",
      later);
  printf("  %6d consecutive  the coordinate was flagged in the step before too: it may lock\n",
         again);
  printf("  %6d coupling     no force on the coordinate itself is stiff: there is no impact\n",
         coupled);
  printf("  (the subcycle driver has none of these limits)\n");
}

static void print_statistics(const jo_loads_statistics* s, bool realtime) {
  printf("\n%s at %g Hz", s->driver, s->rate);
  printf(": %lld steps, %lld stiff, %lld rejected\n", (long long)s->steps,
         (long long)s->stiff_steps, (long long)s->rejected);
  printf("evaluations of the full model: %.0f, in the worst step %.2f", s->evaluations,
         s->worst_step_evaluations);
  if (s->guaranteed_step_evaluations > 0.0) {
    printf(" (never more than %.2f)\n", s->guaranteed_step_evaluations);
  } else {
    printf(" (no bound); smallest step %.3g s at %.4f s\n", s->smallest_step, s->t_smallest_step);
  }
  printf("%.9g s of motion in %.3g ms of CPU time: %.0f times real time\n",
         s->t_reached - s->t_start, 1e3 * s->cpu_s, s->real_time_factor);
  if (realtime) {
    printf("real time: %lld of %lld deadlines missed, %.3g ms late at worst\n",
           (long long)s->missed_deadlines, (long long)s->steps + 1, 1e3 * s->worst_delay);
  }
  if (s->is_complete) return;
  printf("incomplete: %.9g s of %.9g s; loads count until they run away at %.4f s\n", s->t_reached,
         s->t_end, s->t_meaningful);
}

void cli_loads_print(const jo_model* m, const jo_loads_result* r, const jo_loads_options* opt) {
  jo_loads_statistics s = jo_loads_result_statistics(r);
  cli_heading("%s", jo_model_name(m));
  if (*jo_model_description(m)) printf("%s\n", jo_model_description(m));
  if (*jo_model_settings(m)) printf("with %s\n", jo_model_settings(m));
  print_elements(r, opt);
  print_pose(r, s.t_reached);
  print_events(r);
  if (strcmp(s.driver, "impulsive") == 0) print_doubts(r);
  print_statistics(&s, opt->realtime != 0);
}

// ---- JSON ----------------------------------------------------------------------------------------

static void put_elements(cli_json* j, const jo_loads_result* r) {
  jo_loads_element e;
  cli_json_object(j, "peaks");
  for (int i = 0; jo_loads_element_at(r, i, &e) >= 0; i++) {
    cli_json_flat_object(j, e.name);
    cli_json_number(j, "value", e.peak);
    cli_json_number(j, "time", e.t_peak);
    cli_json_text(j, "unit", e.unit);
    cli_json_end(j);
  }
  cli_json_end(j);
  cli_json_object(j, "damage");
  for (int i = 0; jo_loads_element_at(r, i, &e) >= 0; i++) {
    cli_json_flat_object(j, e.name);
    cli_json_number(j, "cycles", e.cycles);
    cli_json_number(j, "largest_range", e.largest_range);
    cli_json_number(j, "damage", e.damage);
    cli_json_number(j, "smooth_peak", e.smooth_peak);
    cli_json_end(j);
  }
  cli_json_end(j);
}

static void put_pose(cli_json* j, const jo_loads_result* r) {
  jo_pose p;
  if (jo_loads_pose(r, &p) < 0) return;
  cli_json_flat_object(j, "hull");
  cli_json_text(j, "body", p.body);
  cli_json_number(j, "x", p.x);
  cli_json_number(j, "y", p.y);
  cli_json_number(j, "z", p.z);
  cli_json_number(j, "yaw", p.yaw_deg);
  cli_json_number(j, "pitch", p.pitch_deg);
  cli_json_number(j, "roll", p.roll_deg);
  cli_json_end(j);
}

static void put_events(cli_json* j, const jo_loads_result* r) {
  jo_loads_event v;
  char doubt[64];
  cli_json_list(j, "events");
  for (int i = 0; jo_loads_event_at(r, i, &v) >= 0; i++) {
    cli_json_flat_object(j, NULL);
    cli_json_number(j, "time", v.t0);
    cli_json_number(j, "duration", v.t1 - v.t0);
    cli_json_text(j, "element", v.element);
    cli_json_text(j, "coordinate", v.coordinate);
    cli_json_number(j, "position", v.position);
    cli_json_number(j, "speed", v.speed);
    cli_json_number(j, "impulse", v.impulse);
    cli_json_number(j, "peak", v.peak);
    cli_json_number(j, "time_of_peak", v.t_peak);
    cli_json_text(j, "doubt", cli_doubts(v.doubt, doubt, sizeof doubt));
    cli_json_end(j);
  }
  cli_json_end(j);
}

void cli_loads_json_run(cli_json* j, const jo_loads_result* r) {
  jo_loads_statistics s = jo_loads_result_statistics(r);
  cli_json_text(j, "driver", s.driver);
  cli_json_number(j, "rate", s.rate);
  cli_json_number(j, "tolerance", s.tolerance);
  cli_json_bool(j, "complete", s.is_complete != 0);
  cli_json_number(j, "t_reached", s.t_reached);
  put_elements(j, r);
  put_pose(j, r);
  cli_json_count(j, "steps", s.steps);
  cli_json_count(j, "stiff_steps", s.stiff_steps);
  cli_json_count(j, "rejected", s.rejected);
  cli_json_number(j, "evaluations", s.evaluations);
  cli_json_number(j, "worst_step_evaluations", s.worst_step_evaluations);
  cli_json_number(j, "guaranteed_step_evaluations", s.guaranteed_step_evaluations);
  cli_json_number(j, "smallest_step", s.smallest_step);
  cli_json_number(j, "cpu_s", s.cpu_s);
  cli_json_number(j, "real_time_factor", s.real_time_factor);
  cli_json_count(j, "missed_deadlines", s.missed_deadlines);
}

void cli_loads_json(const jo_model* m, const jo_loads_result* r) {
  cli_json j = {0};
  jo_quantity q;
  cli_json_object(&j, NULL);
  cli_json_text(&j, "model", jo_model_name(m));
  cli_json_text(&j, "sha256", jo_model_sha256(m));
  cli_json_text(&j, "settings", jo_model_settings(m));
  cli_loads_json_run(&j, r);
  cli_json_object(&j, "sensors");
  for (int i = 0; i < jo_loads_sensor_count(r) && jo_loads_output_at(r, i, &q) >= 0; i++) {
    cli_json_number(&j, q.name, q.value);
  }
  cli_json_end(&j);
  put_events(&j, r);
  cli_json_end(&j);
}
