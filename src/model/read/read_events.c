// SPDX-License-Identifier: Apache-2.0
// `events:` and `samplers:`. A sampler becomes events: one where its clock strikes, and, where what it found takes effect
// later, one more for that. Its clocks are discrete states of its own, so that periods have derivatives as any number.
#include <string.h>

#include "model/read/reader.h"
#include "model/template/instance.h"

// ---- what is set

static int find_state(const jmodel* m, const char* name) {
  for (int i = 0; i < m->nstate; i++) {
    if (strcmp(m->state[i].name, name) == 0) return i;
  }
  return -1;
}

// The coordinate whose rate is meant; -1: none.
static int find_rate(const jmodel* m, const char* name) {
  static const char rate[] = ".rate";
  size_t n = strlen(name), k = sizeof rate - 1;
  if (n <= k || strcmp(name + n - k, rate) != 0) return -1;
  for (int i = 0; i < m->ncoordinate; i++) {
    const char* own = m->coordinate[i].name;
    if (strlen(own) == n - k && memcmp(own, name, n - k) == 0) return i;
  }
  return -1;
}

static bool is_attitude_rate(const jmodel* m, const char* name, int rate) {
  static const char ending[] = ".rate";
  size_t n = strlen(name), tail = sizeof ending - 1;
  int k;
  if (n > tail && strcmp(name + n - tail, ending) == 0) n -= tail;
  if (rate < 0) return jmodel_find_attitude(m, name, n, &k) >= 0;
  const jmodel_coordinate* c = &m->coordinate[rate];
  return m->joint[c->joint].is_any && c->is_angle;
}

static void fail_target(const jmodel_at* at, const jmodel_node* c, const char* name) {
  const jmodel* m = at->r->m;
  if (jmodel_find_coordinate(m, name) >= 0) {
    jmodel_mistake(
        at, c->key_place,
        "set: '%s' is a coordinate, which does not jump; states and rates of coordinates "
        "may be set",
        name);
    return;
  }
  jmodel_guess guess = jmodel_guess_begin(name);
  for (int i = 0; i < m->nstate; i++) {
    bool is_own = m->state[i].element >= 0 || m->state[i].is_attitude;
    if (!is_own) jmodel_guess_add(&guess, m->state[i].name);
  }
  if (at->r->joints_incomplete) return;
  jmodel_mistake(at, c->key_place, "set: there is no state '%.60s'%s", name,
                 jmodel_guess_hint(at->r, &guess));
}

static bool read_target(const jmodel_at* at, const jmodel_node* c, jmodel_assignment* out) {
  const jmodel* m = at->r->m;
  int sign = 1;
  const char* name = jmodel_full_quantity(at->r, c->in, c->key, strlen(c->key), &sign);
  int state = find_state(m, name), rate = find_rate(m, name);
  *out = (jmodel_assignment){.target = JMODEL_SET_STATE, .index = state};
  if (state >= 0 && m->state[state].element < 0 && !m->state[state].is_attitude) return true;
  if (state >= 0) {
    jmodel_mistake(at, c->key_place, "set: state '%s' belongs to %s", name,
                   m->state[state].is_attitude ? "a joint" : "an element");
    return false;
  }
  if (is_attitude_rate(m, name, rate)) {
    jmodel_mistake(at, c->key_place,
                   "set: '%s' is of a joint that takes any attitude; choose an order of its angles "
                   "in place of 'angles: any'",
                   name);
    return false;
  }
  *out = (jmodel_assignment){.target = JMODEL_SET_RATE, .index = rate};
  if (rate >= 0 && !m->coordinate[rate].is_driven) return true;
  if (rate >= 0) {
    jmodel_mistake(at, c->key_place, "set: coordinate '%s' is driven, its rate follows from that",
                   m->coordinate[rate].name);
  } else {
    fail_target(at, c, name);
  }
  return false;
}

static bool is_set_before(const jmodel_assignment* set, int n, const jmodel_assignment* a) {
  for (int i = 0; i < n; i++) {
    if (set[i].target == a->target && set[i].index == a->index) return true;
  }
  return false;
}

// What an event sets, with room for `more` behind it.
static void read_set(const jmodel_at* at, const jmodel_node* entry, int more, jmodel_event* e) {
  const jmodel_node* map = jmodel_need(at, entry, "set");
  if (!map || !jmodel_is(at, map, JMODEL_NODE_MAP, "set")) return;
  e->set = JMODEL_ARRAY(at->r, map->n + more, jmodel_assignment);
  for (const jmodel_node* c = map->first; c && e->set; c = c->next) {
    jmodel_assignment* a = &e->set[e->nset];
    const char* path = jmodel_format(at->r, "%s.set.%s", at->path, c->key);
    if (!read_target(at, c, a)) continue;
    if (is_set_before(e->set, e->nset, a)) {
      jmodel_mistake(at, c->key_place, "set: '%.60s' is given twice", c->key);
      continue;
    }
    a->value = jmodel_scalar_at(at, c, c->key, path, JMODEL_SCOPE_ANY);
    e->nset++;
  }
}

// ---- events

#define SET                                                                            \
  {                                                                                    \
    JMODEL_KEY_BY_TEXT("set", jmodel_form_number),                                     \
        .is_needed = true, .about = "New values of states and of rates of coordinates" \
  }

static const jmodel_key event_keys[] = {
    {JMODEL_KEY_NUMBER("when"), .is_needed = true}, SET, {JMODEL_KEY_DESCRIPTION}, {0}};
static const jmodel_key event_form = {.is = JMODEL_A_MAP, .keys = event_keys};
const jmodel_key jmodel_section_events = {JMODEL_KEY_SECTION("events", event_form),
                                          .about = "What happens where a condition becomes true"};

static void read_event(const jmodel_at* at, const jmodel_node* c, jmodel_event* e) {
  jmodel_check_keys(at, c, event_keys);
  jmodel_need_scalar(at, c, "when", JMODEL_SCOPE_ANY, &e->when);
  double value;
  const jmodel_node* when = jmodel_node_find(c, "when");
  if (when && jmodel_literal(at->r->m, &e->when, &value)) {
    jmodel_mistake(at, when->place, "when is %g; it must be a condition, as 'x > 0.1'", value);
  }
  read_set(at, c, 0, e);
}

// ---- samplers

// A number or an expression of the file, as it stands in another expression.
static const char* text_of(const jmodel_at* at, const jmodel_scalar* s) {
  return s->text ? jmodel_format(at->r, "(%s)", s->text) : s->path;
}

static void add_own(const jmodel_at* at, const char* name, jmodel_place place, const char* initial,
                    bool is_time) {
  jmodel_reader* r = at->r;
  if (!jmem_grow(r->ctx, &r->own, &r->own_cap, r->nown + 1, sizeof *r->own)) {
    jmodel_out_of_memory(r);
    return;
  }
  r->own[r->nown++] = (jmodel_state){.name = jmodel_format(r, "%s.%s", at->name, name),
                                     .place = place,
                                     .initial = jmodel_constant(initial, place),
                                     .derivative = jmodel_constant("0", place),
                                     .nominal = 1.0,
                                     .is_held = true,
                                     .is_discrete = true,
                                     .unit = is_time ? "s" : "",
                                     .element = -1};
}

// Clocks tell when the next sample is, since when they count, and how many have been: instants are begin + count period,
// so that rounding does not add up.
static void add_clock(const jmodel_at* at, const char* name, jmodel_place place,
                      const char* initial) {
  add_own(at, name, place, initial, true);
  add_own(at, jmodel_format(at->r, "%s.begin", name), place, initial, true);
  add_own(at, jmodel_format(at->r, "%s.count", name), place, "0", false);
}

static jmodel_at at_sampler(jmodel_reader* r, const jmodel_node* c) {
  return (jmodel_at){r, "sampler", jmodel_keep(r, c->key), jmodel_format(r, "samplers.%s", c->key)};
}

static const jmodel_key sampler_keys[] = {{JMODEL_KEY_NUMBER("every"), .is_needed = true},
                                          {JMODEL_KEY_NUMBER("delay")},
                                          {JMODEL_KEY_NUMBER("offset")},
                                          SET,
                                          {JMODEL_KEY_DESCRIPTION},
                                          {0}};
static const jmodel_key sampler_form = {.is = JMODEL_A_MAP, .keys = sampler_keys};
const jmodel_key jmodel_section_samplers = {JMODEL_KEY_SECTION("samplers", sampler_form),
                                            .about = "Values that are set every so often"};

static void read_sampler(const jmodel_at* at, const jmodel_node* c, jmodel_sampler* s) {
  jmodel_check_keys(at, c, sampler_keys);
  jmodel_need_scalar(at, c, "every", JMODEL_SCOPE_PARAMETERS, &s->every);
  bool is_late = jmodel_get_scalar(at, c, "delay", JMODEL_SCOPE_PARAMETERS, &s->delay);
  if (!is_late) s->delay = jmodel_constant("0", c->place);
  bool has_offset = jmodel_get_scalar(at, c, "offset", JMODEL_SCOPE_PARAMETERS, &s->offset);
  if (!has_offset) s->offset = jmodel_constant("0", c->place);
  const char* first = has_offset ? jmodel_format(at->r, "t + %s", text_of(at, &s->offset)) : "t";
  add_clock(at, "next", c->key_place, first);
  if (!is_late) return;
  add_clock(at, "due", c->key_place,
            jmodel_format(at->r, "%s + %s", first, text_of(at, &s->delay)));
  const jmodel_node* set = jmodel_node_find(c, "set");
  for (const jmodel_node* k = set ? set->first : NULL; k; k = k->next) {
    add_own(at, k->key, c->key_place, "0", false);
  }
}

void jmodel_read_samplers(jmodel_reader* r, const jmodel_node* root) {
  const jmodel_node* section = jmodel_section(r, root, "samplers");
  r->m->sampler = JMODEL_ARRAY(r, section ? section->n : 0, jmodel_sampler);
  for (const jmodel_node* c = section ? section->first : NULL; c && r->m->sampler; c = c->next) {
    jmodel_at at = at_sampler(r, c);
    if (!jmodel_name_ok(&at, c) || !jmodel_is(&at, c, JMODEL_NODE_MAP, "it")) continue;
    jmodel_sampler* s = &r->m->sampler[r->m->nsampler++];
    *s = (jmodel_sampler){.name = at.name, .place = c->key_place};
    read_sampler(&at, c, s);
  }
}

// What a state of a sampler becomes: of its clock, that of its delay, or what it found.
static jmodel_assignment own_state(const jmodel_at* at, const char* name, const char* value) {
  const char* full = jmodel_format(at->r, "%s.%s", at->name, name);
  int state = find_state(at->r->m, full);
  return (jmodel_assignment){JMODEL_SET_STATE, state,
                             jmodel_constant(value, at->r->m->state[state].place)};
}

// docs/theory/discrete.md eq. (E6)
static void next_time(const jmodel_at* at, const char* clock, const jmodel_sampler* s,
                      jmodel_event* e) {
  const char* name = jmodel_format(at->r, "%s.%s", at->name, clock);
  const char* count = jmodel_format(at->r, "%s.count + 1", name);
  // a sample at the start is behind it: ">=" would be true there already, and nothing would happen
  e->when = jmodel_constant(jmodel_format(at->r, "t > %s", name), e->place);
  if (at->r->oom || !e->set) return;
  const char* next =
      jmodel_format(at->r, "%s.begin + (%s)*%s", name, count, text_of(at, &s->every));
  e->set[e->nset++] = own_state(at, clock, next);
  e->set[e->nset++] = own_state(at, jmodel_format(at->r, "%s.count", clock), count);
}

// Events of a sampler: what is found at a sample is set at once, or kept and set when it is due.
static void add_sampler_events(const jmodel_at* at, const jmodel_node* c, const jmodel_sampler* s) {
  jmodel* m = at->r->m;
  bool is_late = jmodel_node_find(c, "delay") != NULL;
  jmodel_event* e = &m->event[m->nevent++];
  *e = (jmodel_event){.name = at->name, .place = c->key_place};
  read_set(at, c, 2, e);
  if (at->r->oom || at->r->nmistake > 0) return;
  if (is_late) {
    jmodel_event* late = &m->event[m->nevent++];
    *late = (jmodel_event){.name = jmodel_format(at->r, "%s.due", at->name), .place = c->key_place};
    late->set = JMODEL_ARRAY(at->r, e->nset + 2, jmodel_assignment);
    const jmodel_node* k = jmodel_node_find(c, "set")->first;
    for (int i = 0; late->set && i < e->nset; i++, k = k->next) {
      late->set[i] = e->set[i];
      late->set[i].value =
          jmodel_constant(jmodel_format(at->r, "%s.%s", at->name, k->key), c->place);
      jmodel_scalar found = e->set[i].value;
      e->set[i] = own_state(at, k->key, "0");
      e->set[i].value = found;
      late->nset++;
    }
    next_time(at, "due", s, late);
  }
  next_time(at, "next", s, e);
}

void jmodel_read_events(jmodel_reader* r, const jmodel_node* root) {
  const jmodel_node* section = jmodel_section(r, root, "events");
  const jmodel_node* samplers = jmodel_node_find(root, "samplers");
  bool samples = r->m->nsampler > 0;
  r->m->event =
      JMODEL_ARRAY(r, (section ? section->n : 0) + (samples ? 2 * samplers->n : 0), jmodel_event);
  int k = 0;
  for (const jmodel_node* c = samples ? samplers->first : NULL; c && r->m->event; c = c->next) {
    if (k == r->m->nsampler || strcmp(c->key, r->m->sampler[k].name) != 0) continue;
    jmodel_at at = at_sampler(r, c);
    add_sampler_events(&at, c, &r->m->sampler[k++]);
  }
  for (const jmodel_node* c = section ? section->first : NULL; c && r->m->event; c = c->next) {
    jmodel_at at = {r, "event", jmodel_keep(r, c->key), jmodel_format(r, "events.%s", c->key)};
    if (!jmodel_name_ok(&at, c) || !jmodel_is(&at, c, JMODEL_NODE_MAP, "it")) continue;
    jmodel_event* e = &r->m->event[r->m->nevent++];
    *e = (jmodel_event){.name = at.name, .place = c->key_place};
    read_event(&at, c, e);
  }
}
