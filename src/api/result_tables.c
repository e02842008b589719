// SPDX-License-Identifier: Apache-2.0
// Tables of a run.
#include "api/tables.h"

#define MAX_EVENTS  45  // printed as text; JSON and files have all
#define MAX_CHANGES 6

const jo_tables japi_no_tables = {0};

static const jreport_field objectives[] = {
    {"objective", .kind = JREPORT_WORDS, .width = -JREPORT_WIDEST},
    {.name = "value", .before = " ", .width = 16, .digits = 10, .missing = "not a number"},
    {"unit", .kind = JREPORT_WORDS, .no_json = true, .width = -10},
    {"description", .kind = JREPORT_WORDS, .no_json = true, .width = JREPORT_PLAIN},
};
static const jo_table_style objectives_style = {
    "objectives", "objectives", JREPORT_FIELDS(objectives), .form = JREPORT_MAP, .nkey = 1};

static const jreport_field outputs[] = {
    {"output", .kind = JREPORT_WORDS, .width = -JREPORT_WIDEST},
    {.name = "value", .width = 13, .digits = 6},
    {"unit", .kind = JREPORT_WORDS, .no_json = true, .width = JREPORT_PLAIN},
    {"description", .kind = JREPORT_WORDS, .no_json = true},
};
static const jo_table_style final_style = {"final", JREPORT_FIELDS(outputs), .form = JREPORT_MAP,
                                           .nkey = 1, .is_unique = true};
static const jo_table_style sensors_style = {"sensors", JREPORT_FIELDS(outputs),
                                             .form = JREPORT_NO_FORM, .flows = true};

static const jreport_field events[] = {
    {"t", "s", .width = 10, .digits = 6, .as = 'f', .behind = " s "},
    {"name", "", "condition", .kind = JREPORT_WORDS, .width = JREPORT_PLAIN},
    {"on", "", "became true", .kind = JREPORT_TRUTH},
    {"change", .kind = JREPORT_WORDS, .no_json = true, .width = JREPORT_PLAIN},
};
static const jo_table_style events_style = {"events",
                                            "events",
                                            JREPORT_FIELDS(events),
                                            .form = JREPORT_ROWS,
                                            .is_flat = true,
                                            .flows = true,
                                            .most = MAX_EVENTS,
                                            .more = ", all of them with --json or in a file (-o)"};

static const jreport_field changes[] = {
    {"t", "s", .width = 10, .digits = 6, .as = 'f', .behind = " s "},
    {"independent", "", "coordinates", .kind = JREPORT_WORDS, .width = JREPORT_PLAIN},
};
static const jo_table_style changes_style = {
    "partition_changes", JREPORT_FIELDS(changes), .form = JREPORT_ROWS,
    .is_flat = true,     .most = MAX_CHANGES,     .more = ", all of them with --json"};

static const jo_table_style history_style = {.name = "history"};

static const jreport_field end[] = {{"complete", .kind = JREPORT_TRUTH},
                                    {"t_reached", "s", .description = ""}};
static const jo_table_style end_style = {"end", JREPORT_FIELDS(end), .form = JREPORT_ONE,
                                         .is_inline = true};
static const jreport_field ended_by[] = {{"ended_by", .kind = JREPORT_WORDS}};
static const jo_table_style ended_by_style = {"ended_by", JREPORT_FIELDS(ended_by),
                                              .form = JREPORT_ONE, .is_inline = true};
static const jreport_field statistics[] = {
    {"method", .kind = JREPORT_WORDS},
    {"steps", .kind = JREPORT_WHOLE},
    {"rejected", .kind = JREPORT_WHOLE},
    {"evaluations", .kind = JREPORT_WHOLE},
    {"projections", .kind = JREPORT_WHOLE},
    {"closure_residual", "m", .description = "largest after any step"},
    {"cpu_s", "s", .description = "CPU time of the run"},
    {.name = "real_time_factor"},
};
static const jo_table_style statistics_style = {"statistics", JREPORT_FIELDS(statistics),
                                                .form = JREPORT_ONE, .is_inline = true};

static void put_quantities(jreport_builder* b, const jo_table_style* style, const char* title,
                           const jplant_quantity* q, int n) {
  jreport_begin(b, style, title, n);
  for (int i = 0; i < n; i++) {
    jreport_say(b, q[i].name);
    jreport_put(b, q[i].value);
    jreport_say(b, q[i].unit);
    jreport_say(b, q[i].description);
  }
}

static void put_events(jreport_builder* b, const jplant_result* r) {
  jreport_begin(b, &events_style, NULL, r->nevent);
  for (int i = 0; i < r->nevent; i++) {
    jreport_put(b, r->event[i].t);
    jreport_say(b, r->event[i].name);
    jreport_put(b, r->event[i].on);
    jreport_say(b, r->event[i].on ? "on" : "off");
  }
}

// Only where there are any: most models have none, ever.
static void put_changes(jreport_builder* b, const jplant_result* r) {
  int n = r->nchange;
  if (n == 0) return;
  jreport_begin(b, &changes_style,
                jreport_text(b, "%d change%s of the partition, independent from then on", n,
                             n > 1 ? "s" : ""),
                n);
  for (int i = 0; i < n; i++) {
    jreport_put(b, r->change[i].t);
    jreport_say(b, r->change[i].independent);
  }
}

static void put_history(jreport_builder* b, const jplant_result* r) {
  jreport_begin_columns(b, &history_style, NULL, r->ncolumn, r->nrow);
  for (int i = 0; i < r->ncolumn; i++) {
    const jplant_quantity* q = &r->column[i];
    const jreport_field field = {q->name, q->unit, .description = q->description};
    jreport_view(b, &field, r->row ? r->row + i : NULL, r->ncolumn);
  }
}

static void put_statistics(jreport_builder* b, const jplant_result* r) {
  jreport_begin(b, &end_style, NULL, 1);
  jreport_put(b, r->is_complete);
  jreport_put(b, r->t_reached);
  if (r->is_complete && r->t_reached < r->used.t_end) {
    jreport_begin(b, &ended_by_style, NULL, 1);
    jreport_say(b, "end_when");
  }
  jreport_begin(b, &statistics_style, NULL, 1);
  jreport_say(b, r->used.method);
  jreport_put(b, (double)r->statistics.steps);
  jreport_put(b, (double)r->statistics.rejected);
  jreport_put(b, (double)r->statistics.evaluations);
  jreport_put(b, (double)r->projections);
  jreport_put(b, r->closure);
  jreport_put(b, r->cpu);
  jreport_put(b, jplant_real_time_factor(r));
}

enum { NTABLE = 9 };

const jo_tables* japi_result_tables(const jo_system* system, jplant_result* r) {
  const char* settings = japi_system_settings(&r->arena, system);
  if (!settings) return &japi_no_tables;
  r->settings = settings;
  // a result needs its model no longer: its texts are its own
  jreport_builder b = jreport_build(&r->arena, NTABLE);
  jreport_add_note(&b, "model", r->model);
  jreport_add_note(&b, "sha256", r->sha256);
  jreport_add_note(&b, "settings", r->settings);
  jreport_add_note(&b, "jounce", jo_version());
  put_quantities(&b, &objectives_style, NULL, jplant_result_objectives(r), r->nobjective);
  put_quantities(&b, &final_style, NULL, jplant_result_outputs(r), r->noutput);
  put_quantities(&b, &sensors_style, jreport_text(&b, "sensors at t = %.9g s", r->t_reached),
                 jplant_result_outputs(r), r->nsensor);
  put_events(&b, r);
  put_changes(&b, r);
  put_history(&b, r);
  put_statistics(&b, r);
  const jo_tables* made = jreport_built(&b);
  return made ? made : &japi_no_tables;
}
