// SPDX-License-Identifier: Apache-2.0
// Names of the model reach the sources only as escaped strings, numbers as literals that read back exactly.
#include "export/tables.h"

#include "base/text/format.h"

// ---- values ------------------------------------------------------------------------------------------

// What is not plain ASCII, or could start something, is an octal escape.
static void put_string(jtext* t, const char* s) {
  if (!s) {
    jtext_put(t, "0");
    return;
  }
  jtext_put(t, "\"");
  for (; *s; s++) {
    unsigned char c = (unsigned char)*s;
    bool plain = c >= ' ' && c < 127 && c != '"' && c != '\\' && c != '?';
    if (plain) jtext_write(t, s, 1);
    if (!plain) jtext_printf(t, "\\%03o", c);
  }
  jtext_put(t, "\"");
}

// "static const TYPE NAME[n] = {" with room for one where there is none.
static void begin(jtext* t, const char* type, const char* name, int n) {
  jtext_printf(t, "static const %s %s[%d] = {", type, name, n > 0 ? n : 1);
  if (n == 0) jtext_put(t, "0");
}

static void separate(jtext* t, int i, int per_line) {
  if (i > 0) jtext_put(t, ",");
  jtext_put(t, i % per_line == 0 ? "\n    " : " ");
}

static void end(jtext* t) {
  jtext_put(t, "};\n");
}

static void put_doubles(jtext* t, const char* name, const double* x, int n) {
  begin(t, "double", name, n);
  for (int i = 0; i < n; i++) {
    separate(t, i, 4);
    jtext_number(t, x[i]);
  }
  end(t);
}

static void put_ints(jtext* t, const char* name, const int* x, int n) {
  begin(t, "int", name, n);
  for (int i = 0; i < n; i++) {
    separate(t, i, 16);
    jtext_printf(t, "%d", x[i]);
  }
  end(t);
}

static void put_bools(jtext* t, const char* name, const bool* x, int n) {
  begin(t, "bool", name, n);
  for (int i = 0; i < n; i++) {
    separate(t, i, 24);
    jtext_put(t, x[i] ? "1" : "0");
  }
  end(t);
}

static void put_strings(jtext* t, const char* name, const char* const* x, int n) {
  begin(t, "char* const", name, n);
  for (int i = 0; i < n; i++) {
    separate(t, i, 1);
    put_string(t, x[i]);
  }
  end(t);
}

static void put_quantity(jtext* t, const jvehicle_quantity* q) {
  jtext_put(t, "{");
  put_string(t, q->name);
  jtext_put(t, ", ");
  put_string(t, q->unit);
  jtext_put(t, ", ");
  put_string(t, q->description);
  jtext_put(t, "}");
}

static void begin_structs(jtext* t, const char* type, const char* name, int n) {
  jtext_printf(t, "static const %s %s[%d] = {", type, name, n > 0 ? n : 1);
}

static void put_quantities(jtext* t, const char* name, const jvehicle_quantity* q, int n) {
  begin_structs(t, "jvehicle_quantity", name, n);
  for (int i = 0; i < n; i++) {
    separate(t, i, 1);
    put_quantity(t, &q[i]);
  }
  end(t);
}

static void put_place(jtext* t, const jmachine_place* p) {
  jtext_put(t, "{");
  put_string(t, p->file);
  jtext_printf(t, ", %d}", p->line);
}

// ---- tables ------------------------------------------------------------------------------------------

static void put_numbers(jtext* t, const jvehicle_model* m) {
  begin_structs(t, "jvehicle_number", "number", m->nnumber);
  for (int i = 0; i < m->nnumber; i++) {
    const jvehicle_number* n = &m->number[i];
    separate(t, i, 1);
    jtext_put(t, "{");
    put_quantity(t, &n->quantity);
    const double value[] = {n->value, n->min, n->max};
    for (int k = 0; k < 3; k++) {
      jtext_put(t, ", ");
      jtext_number(t, value[k]);
    }
    jtext_printf(t, ", %d}", n->is_input);
  }
  end(t);
}

static void put_guards(jtext* t, const jmachine_about* a) {
  begin_structs(t, "jmachine_guard", "guard", a->nguard);
  for (int i = 0; i < a->nguard; i++) {
    const jmachine_guard* g = &a->guard[i];
    const char* text[] = {g->is_short, g->why_short, g->begins, g->why_begins};
    separate(t, i, 1);
    jtext_put(t, "{");
    put_string(t, g->kind);
    jtext_put(t, ", ");
    put_string(t, g->name);
    jtext_put(t, ", ");
    put_place(t, &g->place);
    jtext_put(t, ", ");
    jtext_number(t, g->least);
    for (int k = 0; k < 4; k++) {
      jtext_put(t, ",\n     ");
      put_string(t, text[k]);
    }
    jtext_put(t, "}");
  }
  end(t);
}

static void put_rules(jtext* t, const jvehicle_model* m) {
  begin_structs(t, "jvehicle_rule", "rule", m->nrule);
  for (int i = 0; i < m->nrule; i++) {
    const jvehicle_rule* r = &m->rule[i];
    separate(t, i, 1);
    jtext_printf(t, "{%d, %d, %d, %d", r->kind, r->limit, r->first, r->n);
    const char* text[] = {r->subject, r->name, r->label};
    for (int k = 0; k < 3; k++) {
      jtext_put(t, ", ");
      put_string(t, text[k]);
    }
    jtext_put(t, ", ");
    put_place(t, &r->place);
    jtext_put(t, "}");
  }
  end(t);
}

static void put_coordinates(jtext* t, const jmachine_position* p) {
  begin_structs(t, "jmachine_coordinate", "coordinate", p->nq);
  for (int i = 0; i < p->nq; i++) {
    const jmachine_coordinate* c = &p->coordinate[i];
    separate(t, i, 1);
    jtext_printf(t, "{%d, %d, ", c->is_driven, c->is_angle);
    put_string(t, c->name);
    jtext_put(t, ", ");
    put_place(t, &c->drive_place);
    jtext_put(t, ", ");
    put_string(t, c->drive_text);
    jtext_put(t, "}");
  }
  end(t);
}

static void put_initial(jtext* t, const jmachine_position* p) {
  begin_structs(t, "jmachine_initial", "initial", p->ninitial);
  for (int i = 0; i < p->ninitial; i++) {
    const jmachine_initial* c = &p->initial[i];
    separate(t, i, 1);
    jtext_printf(t, "{%d, %d, ", c->has_value, c->has_rate);
    put_place(t, &c->place);
    jtext_put(t, ", ");
    put_string(t, c->text);
    jtext_put(t, "}");
  }
  end(t);
}

// Tables of the road: values, or for a random one what it is made from.
static void put_road(jtext* t, const jvehicle_model* m) {
  if (m->nroad == 0) return;
  for (int i = 0; i < m->nroad; i++) {
    const jroad_source* s = &m->road[i];
    char name[32];
    jformat(name, sizeof name, "road_v_%d", i);
    put_doubles(t, name, s->v, s->nv);
    jformat(name, sizeof name, "road_value_%d", i);
    if (!s->is_random) put_doubles(t, name, s->value, s->nu * s->nv);
  }
  begin_structs(t, "jroad_source", "road", m->nroad);
  for (int i = 0; i < m->nroad; i++) {
    const jroad_source* s = &m->road[i];
    const jroad_random* r = &s->random;
    const double place[] = {s->u0, s->du},
                 chance[] = {r->roughness, r->coherence, r->length, r->ramp};
    separate(t, i, 1);
    jtext_printf(t, "{%d, %d, %d, %d, %d, %d, %d, %d, %d, ", s->is_random, s->is_line, s->is_level,
                 s->degree, s->ends, s->sides, s->across, s->nu, s->nv);
    for (int k = 0; k < 2; k++) {
      jtext_number(t, place[k]);
      jtext_put(t, ", ");
    }
    jtext_printf(t, "road_v_%d, ", i);
    jtext_printf(t, s->is_random ? "0" : "road_value_%d", i);
    jtext_put(t, ", {");
    for (int k = 0; k < 4; k++) {
      jtext_number(t, chance[k]);
      jtext_put(t, ", ");
    }
    jtext_printf(t, "UINT64_C(%llu)}}", (unsigned long long)r->seed);
  }
  end(t);
}

// Bounds of switching functions.
static void put_enclosure(jtext* t, const jsolve_enclosure* e) {
  if (!e) return;
  put_ints(t, "bound_code", e->code, 4 * e->n);
  put_ints(t, "bound_list", e->list, e->nlist);
  put_doubles(t, "bound_constant", e->constant, e->nconstant);
  put_ints(t, "bound_which", e->which, e->nwatch);
  put_ints(t, "bound_value", e->value, e->nwatch);
  put_bools(t, "bound_has_states", e->has_states, e->nwatch);
  put_bools(t, "bound_is_whole", e->is_whole, e->nwatch);
  put_bools(t, "bound_is_aid", e->is_aid, e->nwatch);
  jtext_printf(t,
               "static const jsolve_enclosure enclosure = {%d, bound_code, %d, %d, bound_constant, "
               "bound_list, %d,\n    bound_which, bound_value, bound_has_states, bound_is_whole, "
               "bound_is_aid};\n",
               e->n, e->nconstant, e->nlist, e->nwatch);
}

static void put_tables(jtext* t, const jvehicle_model* m) {
  const jmachine_about* a = &m->about;
  put_numbers(t, m);
  put_quantities(t, "state", m->state, m->nstate);
  put_doubles(t, "state_nominal", m->state_nominal, m->nstate);
  put_ints(t, "state_rate_of", m->state_rate_of, m->nstate);
  put_quantities(t, "indicator", m->indicator, m->nindicator);
  put_quantities(t, "output", m->output, m->noutput);
  put_quantities(t, "objective", m->objective, m->nobjective);
  put_doubles(t, "nominal", a->nominal, a->ny);
  put_bools(t, "is_held", a->is_held, a->ny);
  put_bools(t, "is_angle", a->is_angle, a->nu);
  put_strings(t, "state_name", a->state_name, a->ny);
  put_strings(t, "switch_name", a->switch_name, a->nswitch);
  put_strings(t, "redundant_name", a->redundant_name, a->nredundant);
  put_doubles(t, "closure_limit", a->closure_limit, a->nredundant);
  put_guards(t, a);
  put_bools(t, "has_root", a->has_root, a->nintegral);
  put_bools(t, "is_quiet", a->is_quiet, a->nswitch);
  put_strings(t, "event_name", a->event_name, a->nevent);
  put_bools(t, "event_at_start", a->event_at_start, a->nevent);
  put_ints(t, "reset_state", a->reset_state, a->nreset);
  put_ints(t, "constant", a->constant, a->nconstant);
  put_enclosure(t, a->enclosure);
  put_ints(t, "state_at", m->state_at, m->nstate);
  put_doubles(t, "start_state", m->y0, a->ny);
  put_rules(t, m);
  put_coordinates(t, &m->position);
  put_initial(t, &m->position);
  put_strings(t, "row_name", m->position.row_name, m->position.nh);
  put_bools(t, "stays", m->stays, m->position.nq);
  put_bools(t, "rests", m->rests, m->position.nq);
  put_ints(t, "position_at", m->position_at, m->position.nq);
  put_ints(t, "rate_at", m->rate_at, m->position.nq);
  put_ints(t, "local_state", m->local.state, m->local.n);
  put_ints(t, "local_row", m->local.row, m->local.nentry);
  put_ints(t, "local_col", m->local.col, m->local.nentry);
  put_road(t, m);
}

// ---- the model ---------------------------------------------------------------------------------------

static void put_field(jtext* t, const char* name, double value) {
  jtext_printf(t, "%s = ", name);
  jtext_number(t, value);
  jtext_put(t, ", ");
}

static void put_options(jtext* t, const jsolve_options* o) {
  jtext_printf(t, "    .options = {.method = %d, .locate_events = %d, .max_events = %d, ",
               o->method, o->locate_events, o->max_events);
  jtext_printf(t, ".max_steps = %lld, ", (long long)o->max_steps);
  put_field(t, ".rel_tol", o->rel_tol);
  put_field(t, ".abs_tol", o->abs_tol);
  put_field(t, ".step", o->step);
  put_field(t, ".max_step", o->max_step);
  put_field(t, ".shortest_pulse", o->shortest_pulse);
  jtext_put(t, "},\n");
}

static void put_about(jtext* t, const jmachine_about* a) {
  jtext_put(t, "    .about = {.path = ");
  put_string(t, a->path);
  jtext_printf(
      t,
      ", .ny = %d, .np = %d, .nu = %d, .nv = %d, .nd = %d, .nz = %d, .nswitch = %d,\n"
      "              .nobjective = %d, .nintegral = %d, .noutput = %d, .nredundant = %d, .nguard = "
      "%d,\n"
      "              .first_v = %d, .first_rate = %d, .first_z = %d, .first_integral = %d,\n"
      "              .nevent = %d, .nreset = %d, .nconstant = %d, .has_end = %d, .first_guard = "
      "%d,",
      a->ny, a->np, a->nu, a->nv, a->nd, a->nz, a->nswitch, a->nobjective, a->nintegral, a->noutput,
      a->nredundant, a->nguard, a->first_v, a->first_rate, a->first_z, a->first_integral, a->nevent,
      a->nreset, a->nconstant, a->has_end, a->first_guard);
  jtext_put(t,
            "\n              .nominal = nominal, .is_held = is_held, .is_angle = is_angle,\n"
            "              .state_name = state_name, .switch_name = switch_name,\n"
            "              .redundant_name = redundant_name, .closure_limit = closure_limit,\n"
            "              .guard = guard, .has_root = has_root, .is_quiet = is_quiet,\n"
            "              .event_name = event_name, .reset_state = reset_state,\n"
            "              .constant = constant, .event_at_start = event_at_start");
  jtext_put(t, a->enclosure ? ", .enclosure = &enclosure},\n" : "},\n");
}

static void put_position(jtext* t, const jmachine_position* p) {
  jtext_put(t, "    .position = {.path = ");
  put_string(t, p->path);
  jtext_printf(t,
               ", .nq = %d, .nz = %d, .nh = %d, .ninitial = %d, .nd = %d,\n"
               "                 .coordinate = coordinate, .initial = initial,\n"
               "                 .row_name = row_name, .ncoupling = %d},\n",
               p->nq, p->nz, p->nh, p->ninitial, p->nd, p->ncoupling);
}

static void put_model(jtext* t, const jvehicle_model* m) {
  jtext_put(t, "\nconst jvehicle_model jvehicle_exported = {\n    .name = ");
  put_string(t, m->name);
  jtext_put(t, ",\n    .description = ");
  put_string(t, m->description);
  jtext_put(t, ",\n    .token = ");
  put_string(t, m->token);
  jtext_printf(t,
               ",\n    .nnumber = %d, .nstate = %d, .nindicator = %d, .noutput = %d, .nobjective = "
               "%d, .nsensor = %d,\n",
               m->nnumber, m->nstate, m->nindicator, m->noutput, m->nobjective, m->nsensor);
  jtext_put(t,
            "    .number = number, .state = state, .state_nominal = state_nominal,\n"
            "    .state_rate_of = state_rate_of,\n"
            "    .indicator = indicator, .output = output, .objective = objective,\n    ");
  put_field(t, ".t_start", m->t_start);
  put_field(t, ".t_end", m->t_end);
  jtext_put(t, "\n");
  put_options(t, &m->options);
  put_about(t, &m->about);
  put_position(t, &m->position);
  jtext_printf(
      t,
      "    .state_at = state_at, .y0 = start_state, .starts_static = %d, .stays = stays, .rests = "
      "rests,\n    .position_at = position_at, .rate_at = rate_at,\n",
      m->starts_static);
  jtext_printf(t, "    .nrule = %d, .nlimit = %d, .rule = rule,\n", m->nrule, m->nlimit);
  jtext_printf(t,
               "    .local = {.n = %d, .nfeed = %d, .nentry = %d, .state = local_state,\n"
               "              .row = local_row, .col = local_col},\n",
               m->local.n, m->local.nfeed, m->local.nentry);
  if (m->nroad > 0) jtext_printf(t, "    .nroad = %d, .road = road,\n", m->nroad);
}

void jexport_tables_write(jtext* t, const jvehicle_model* m, const jexport_entry* entry, int n,
                          const char* header) {
  jtext_put(t, "/* Generated by jounce " JO_VERSION_STRING ", do not edit. */\n");
  jtext_put(t, "#include <math.h>\n\n#include \"runtime/model.h\"\n");
  jtext_printf(t, "#include \"%s\"\n\n", header);
  put_tables(t, m);
  put_model(t, m);
  for (int i = 0; i < n; i++) {
    if (entry[i].symbol) {
      jtext_printf(t, "    .%s = {%s, %zu},\n", entry[i].field, entry[i].symbol, entry[i].work);
    }
  }
  jtext_put(t, "};\n");
}
