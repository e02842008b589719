// SPDX-License-Identifier: Apache-2.0
// Tables of a run for loads.
#include "api/loads_handle.h"
#include "api/tables.h"

#define MAX_EVENTS 40  // printed as text; JSON and files have all
#define DEGREES    (180.0 / 3.14159265358979323846)

static const jreport_field facts[] = {
    {"driver", .kind = JREPORT_WORDS},
    {"rate", "Hz", .description = "steps per second"},
    {.name = "tolerance"},
    {"complete", .kind = JREPORT_TRUTH},
    {"t_reached", "s", .description = ""},
};
static const jo_table_style facts_style = {"loads", JREPORT_FIELDS(facts), .form = JREPORT_ONE,
                                           .is_inline = true};

static const jreport_field elements[] = {
    {"name", .kind = JREPORT_WORDS, .label = "element", .width = -14},
    {"peak", .label = "peak", .width = 10, .digits = 3, .as = 'f', .scale = 1e-3},
    {"unit", .kind = JREPORT_WORDS, .before = "k", .width = -3},
    {"t_peak", "s", .label = "t [s]", .width = 8, .digits = 4, .as = 'f'},
    {"smooth_peak", .label = "smooth", .width = 10, .digits = 3, .as = 'f', .scale = 1e-3},
    {"unit of smooth_peak", .kind = JREPORT_WORDS, .before = "k", .width = -3},
    {"smallest", .description = "of the history"},
    {"largest", .description = "of the history"},
    {"cycles", "", "rainflow, after ASTM E1049", .label = "cycles", .width = 10, .digits = 1,
     .as = 'f'},
    {"largest_range", .label = "range", .width = 10, .digits = 3, .as = 'f', .scale = 1e-3,
     .behind = "k"},
    {"damage", "", "pseudo-damage", .label = "damage", .width = 11, .digits = 4},
};
enum { PEAK = 1 };
static const jo_table_style elements_style = {"elements", JREPORT_FIELDS(elements), .by = PEAK};

static const jreport_field peaks[] = {
    {"element", .kind = JREPORT_WORDS},
    {.name = "value"},
    {"time", "s", .description = ""},
    {"unit", .kind = JREPORT_WORDS},
};
static const jo_table_style peaks_style = {"peaks", JREPORT_FIELDS(peaks), .form = JREPORT_MAP,
                                           .nkey = 1, .is_flat = true};

static const jreport_field damage[] = {
    {"element", .kind = JREPORT_WORDS},
    {.name = "cycles"},
    {.name = "largest_range"},
    {.name = "damage"},
    {.name = "smooth_peak"},
};
static const jo_table_style damage_style = {"damage", JREPORT_FIELDS(damage), .form = JREPORT_MAP,
                                            .nkey = 1, .is_flat = true};

static const jreport_field hull[] = {
    {"body", .kind = JREPORT_WORDS},    {"x", "m", .description = ""},
    {"y", "m", .description = ""},      {"z", "m", .description = ""},
    {"yaw", "deg", .description = ""},  {"pitch", "deg", .description = ""},
    {"roll", "deg", .description = ""},
};
static const jo_table_style hull_style = {"hull", JREPORT_FIELDS(hull), .form = JREPORT_ONE,
                                          .is_flat = true};

static const jreport_field statistics[] = {
    {"steps", .kind = JREPORT_WHOLE},
    {"stiff_steps", .kind = JREPORT_WHOLE},
    {"rejected", .kind = JREPORT_WHOLE},
    {"evaluations", "", .description = "of the full model"},
    {"worst_step_evaluations", "", .description = "most in one step"},
    {"guaranteed_step_evaluations", "", .description = "bound of that; 0: there is none"},
    {"smallest_step", "s", .description = ""},
    {"cpu_s", "s", .description = ""},
    {.name = "real_time_factor"},
    {"missed_deadlines", .kind = JREPORT_WHOLE},
};
static const jo_table_style statistics_style = {"statistics", JREPORT_FIELDS(statistics),
                                                .form = JREPORT_ONE, .is_inline = true};

static const jreport_field outputs[] = {{"output", .kind = JREPORT_WORDS},
                                        {.name = "value"},
                                        {"unit", .kind = JREPORT_WORDS, .no_json = true}};
static const jo_table_style sensors_style = {"sensors", JREPORT_FIELDS(outputs),
                                             .form = JREPORT_MAP, .nkey = 1};
static const jo_table_style outputs_style = {"outputs", JREPORT_FIELDS(outputs)};

static const jreport_field events[] = {
    {"t0", "s", .key = "time", .label = "t [s]", .width = 9, .digits = 4, .as = 'f'},
    {"t1", "s", .no_json = true},
    {"duration", "s", .label = "for [ms]", .width = 9, .digits = 2, .as = 'f', .scale = 1e3,
     .behind = " "},
    {"element", .kind = JREPORT_WORDS, .label = "element", .width = -12},
    {"coordinate", .kind = JREPORT_WORDS},
    {"on", .kind = JREPORT_WORDS, .no_json = true, .label = "on", .width = -10},
    {"position", .label = "position", .width = 9, .digits = 4, .as = 'f'},
    {"speed", .label = "speed", .width = 10, .digits = 4, .as = 'f'},
    {"impulse", .label = "impulse", .width = 12, .digits = 4},
    {"peak", .label = "peak [k]", .width = 11, .digits = 3, .as = 'f', .scale = 1e-3},
    {"t_peak", "s", .key = "time_of_peak", .label = "at [s]", .width = 9, .digits = 4, .as = 'f'},
    {"doubt", .kind = JREPORT_WHOLE, .no_json = true},
    {"doubts", .kind = JREPORT_WORDS, .key = "doubt", .before = " ", .width = JREPORT_PLAIN},
    {"continues", "", "an event of the step before", .kind = JREPORT_TRUTH, .no_json = true,
     .skip = JREPORT_SKIP_SET},
};
static const jo_table_style events_style = {
    "events",        JREPORT_FIELDS(events), .form = JREPORT_ROWS,
    .is_flat = true, .most = MAX_EVENTS,     .more = "; all with --json or -o FILE.events"};

static const jo_table_style history_style = {.name = "history"};

static void put_facts(jreport_builder* b, const jo_loads_statistics* s) {
  jreport_begin(b, &facts_style, NULL, 1);
  jreport_say(b, s->driver);
  jreport_put(b, s->rate);
  jreport_put(b, s->tolerance);
  jreport_put(b, s->is_complete);
  jreport_put(b, s->t_reached);
}

static void put_elements(jreport_builder* b, const jo_loads_result* r) {
  jo_loads_element e;
  const char* title = jreport_text(
      b, "loads, largest first (rainflow after ASTM E1049; damage: slope %g, reference %g)",
      r->choice.slope, r->choice.reference);
  jreport_begin(b, &elements_style, title, r->result->ne);
  for (int i = 0; jo_loads_element_at(r, i, &e) >= 0; i++) {
    jreport_say(b, e.name);
    jreport_put(b, e.peak);
    jreport_say(b, e.unit);
    jreport_put(b, e.t_peak);
    jreport_put(b, e.smooth_peak);
    jreport_say(b, e.unit);
    jreport_put(b, e.smallest);
    jreport_put(b, e.largest);
    jreport_put(b, e.cycles);
    jreport_put(b, e.largest_range);
    jreport_put(b, e.damage);
  }
}

static void put_peaks(jreport_builder* b, const jo_loads_result* r) {
  jo_loads_element e;
  jreport_begin(b, &peaks_style, NULL, r->result->ne);
  for (int i = 0; jo_loads_element_at(r, i, &e) >= 0; i++) {
    jreport_say(b, e.name);
    jreport_put(b, e.peak);
    jreport_put(b, e.t_peak);
    jreport_say(b, e.unit);
  }
  jreport_begin(b, &damage_style, NULL, r->result->ne);
  for (int i = 0; jo_loads_element_at(r, i, &e) >= 0; i++) {
    jreport_say(b, e.name);
    jreport_put(b, e.cycles);
    jreport_put(b, e.largest_range);
    jreport_put(b, e.damage);
    jreport_put(b, e.smooth_peak);
  }
}

static void put_hull(jreport_builder* b, const jo_loads_result* r) {
  jloads_pose p;
  if (!jloads_pose_at_end(r->system->loads, r->result, &p)) return;
  const double number[] = {p.x, p.y, p.z, p.yaw * DEGREES, p.pitch * DEGREES, p.roll * DEGREES};
  jreport_begin(b, &hull_style, NULL, 1);
  jreport_say(b, p.body);
  for (size_t i = 0; i < sizeof number / sizeof *number; i++) {
    jreport_put(b, number[i]);
  }
}

static void put_statistics(jreport_builder* b, const jo_loads_statistics* s) {
  const double number[] = {(double)s->steps,          (double)s->stiff_steps,
                           (double)s->rejected,       s->evaluations,
                           s->worst_step_evaluations, s->guaranteed_step_evaluations,
                           s->smallest_step,          s->cpu_s,
                           s->real_time_factor,       (double)s->missed_deadlines};
  jreport_begin(b, &statistics_style, NULL, 1);
  for (size_t i = 0; i < sizeof number / sizeof *number; i++) {
    jreport_put(b, number[i]);
  }
}

static void put_outputs(jreport_builder* b, const jo_loads_result* r, const jo_table_style* style,
                        int n) {
  const jgen_dynamics* d = r->system->loads->plant->dynamics;
  jreport_begin(b, style, NULL, n);
  for (int i = 0; i < n; i++) {
    jreport_say(b, d->output_name[i]);
    jreport_put(b, r->result->out_end[i]);
    jreport_say(b, d->output_unit[i]);
  }
}

// Names of doubts with blanks between them.
static const char* doubts_of(jreport_builder* b, unsigned doubt) {
  const char *later = doubt & JO_DOUBT_LATER ? "later" : "",
             *again = doubt & JO_DOUBT_CONSECUTIVE ? "consecutive" : "",
             *coupled = doubt & JO_DOUBT_COUPLING ? "coupling" : "";
  return jreport_text(b, "%s%s%s%s%s", later, *later && (*again || *coupled) ? " " : "", again,
                      *again && *coupled ? " " : "", coupled);
}

static void put_event(jreport_builder* b, const jo_loads_event* v) {
  jreport_put(b, v->t0);
  jreport_put(b, v->t1);
  jreport_put(b, v->t1 - v->t0);
  jreport_say(b, v->element);
  jreport_say(b, v->coordinate);
  jreport_say(b,
              v->position == v->position ? v->coordinate : "-");  // a contact acts on no single one
  jreport_put(b, v->position);
  jreport_put(b, v->speed);
  jreport_put(b, v->impulse);
  jreport_put(b, v->peak);
  jreport_put(b, v->t_peak);
  jreport_put(b, v->doubt);
  jreport_say(b, doubts_of(b, v->doubt));
  jreport_put(b, (v->doubt & JO_DOUBT_CONSECUTIVE) != 0);
}

static void put_events(jreport_builder* b, const jo_loads_result* r) {
  int n = r->result->nevent, begun = 0;
  for (int i = 0; i < n; i++) {
    begun += !(r->doubt[i] & JO_DOUBT_CONSECUTIVE);
  }
  jreport_begin(b, &events_style, jreport_text(b, "stiff events: %d", begun), n);
  for (int i = 0; i < n; i++) {
    jo_loads_event v = japi_loads_event(r, i);
    put_event(b, &v);
  }
}

static void put_history(jreport_builder* b, const jo_loads_result* r) {
  const jloads* l = r->system->loads;
  int width = 1 + r->result->ne;
  const double* x = r->result->sample;
  jreport_begin_columns(b, &history_style, NULL, width, r->result->nsample);
  jreport_view(b, &(jreport_field){"t", "s", "time", .width = 0}, x, width);
  for (int i = 0; i < r->result->ne; i++) {
    const jreport_field field = {l->name[i], l->unit[i], .description = ""};
    jreport_view(b, &field, x ? x + 1 + i : NULL, width);
  }
}

enum { NTABLE = 10 };

// First what runs that are compared have in JSON, up to "statistics".
const jo_tables* japi_loads_tables(jo_loads_result* r) {
  jo_loads_statistics s = jo_loads_result_statistics(r);
  jreport_builder b = japi_build(&r->arena, NTABLE, r->system->model);
  jreport_add_note(&b, "driver", r->choice.driver);
  put_facts(&b, &s);
  put_elements(&b, r);
  put_peaks(&b, r);
  put_hull(&b, r);
  put_statistics(&b, &s);
  put_outputs(&b, r, &sensors_style, japi_sensor_count(r->system->variable));
  put_events(&b, r);
  put_outputs(&b, r, &outputs_style, r->system->loads->plant->dynamics->noutput);
  put_history(&b, r);
  return jreport_built(&b);
}
