// SPDX-License-Identifier: Apache-2.0
// The loads report: as text and as JSON.
#include <stdio.h>
#include <string.h>

#include "loads.h"
#include "terminal.h"

const char* cli_doubts(unsigned doubt, char* buffer, size_t size) {
  snprintf(buffer, size, "%s%s%s", doubt & JO_DOUBT_LATER ? "later " : "",
           doubt & JO_DOUBT_CONSECUTIVE ? "consecutive " : "",
           doubt & JO_DOUBT_COUPLING ? "coupling " : "");
  size_t n = strlen(buffer);
  if (n > 0) buffer[n - 1] = 0;
  return buffer;
}

// ---- text ----------------------------------------------------------------------------------------

static void print_pose(const jo_table* hull, double t) {
  if (!hull) return;
  cli_heading("\n%s at t = %.9g s", hull->column[0].text[0], t);
  printf("  x %.6f  y %.6f  z %.6f m   yaw %.6f  pitch %.6f  roll %.6f deg\n",
         jo_table_number(hull, "x", 0), jo_table_number(hull, "y", 0),
         jo_table_number(hull, "z", 0), jo_table_number(hull, "yaw", 0),
         jo_table_number(hull, "pitch", 0), jo_table_number(hull, "roll", 0));
}

// What to think of the impulsive driver's loads.
static void print_doubts(const jo_table* events) {
  int n = events->nrow, later = 0, again = 0, coupled = 0, clean = 0;
  for (int i = 0; i < n; i++) {
    unsigned doubt = (unsigned)jo_table_number(events, "doubt", i);
    later += (doubt & JO_DOUBT_LATER) != 0;
    again += (doubt & JO_DOUBT_CONSECUTIVE) != 0;
    coupled += (doubt & JO_DOUBT_COUPLING) != 0;
    clean += doubt == 0;
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
  const jo_tables* all = jo_loads_tables(r);
  const jo_table* events = jo_tables_find(all, "events");
  cli_titled_table(jo_tables_find(all, "elements"));
  print_pose(jo_tables_find(all, "hull"), s.t_reached);
  if (events->nrow > 0) cli_titled_table(events);
  if (strcmp(s.driver, "impulsive") == 0) print_doubts(events);
  print_statistics(&s, opt->realtime != 0);
}

// ---- JSON ----------------------------------------------------------------------------------------

// What runs that are compared have: nothing of single events and sensors.
void cli_loads_json_run(cli_json* j, const jo_loads_result* r) {
  const jo_tables* all = jo_loads_tables(r);
  const jo_table* last = jo_tables_find(all, "statistics");
  const jo_tables part = {all->table, (int)(last - all->table) + 1};
  cli_json_tables(j, &part);
}

void cli_loads_json(const jo_model* m, const jo_loads_result* r) {
  cli_json j = {0};
  cli_json_object(&j, NULL);
  cli_json_text(&j, "model", jo_model_name(m));
  cli_json_text(&j, "sha256", jo_model_sha256(m));
  cli_json_text(&j, "settings", jo_model_settings(m));
  cli_json_tables(&j, jo_loads_tables(r));
  cli_json_end(&j);
}
