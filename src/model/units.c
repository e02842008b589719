// SPDX-License-Identifier: Apache-2.0
// Units of numbers: read, converted to SI, and held against what the place expects. What values of elements are
// expected in stands with their ranges (jmodel_field), of all else with their keys.
#include <math.h>
#include <string.h>

#include "base/text/unit.h"
#include "model/element.h"
#include "model/read/reader.h"

static bool begins(const char* text, const char* with, const char* ends) {
  size_t n = strlen(with);
  return strncmp(text, with, n) == 0 && (text[n] == '\0' || strchr(ends, text[n]));
}

// What follows the name of the entry in a path; names may have dots. "": nothing does.
static const char* rest_of(const jmodel_reader* r, const char* section, const char* path) {
  const char* entry = path + strlen(section);
  if (*entry == '.') entry++;
  const jmodel_node* map = jmodel_node_find(r->root, section);
  const jmodel_node* c = map && map->kind == JMODEL_NODE_MAP ? map->first : NULL;
  for (; c; c = c->next) {
    if (begins(entry, c->key, ".")) return entry[strlen(c->key)] ? entry + strlen(c->key) + 1 : "";
  }
  return entry;
}

// Of the key that a path begins with, or of one inside of it.
static const char* unit_among(const jmodel_key* keys, const char* path) {
  for (; keys && keys->name; keys++) {
    if (!begins(path, keys->name, ".[")) continue;
    size_t n = strlen(keys->name);
    if (keys->unit || path[n] != '.') return keys->unit;
    return unit_among(keys->keys, path + n + 1);
  }
  return NULL;
}

// What the numbers at a path are expected in; NULL: nothing is.
static const char* expected_at(const jmodel_reader* r, const char* path) {
  for (int i = 0; jmodel_section_at(i); i++) {
    const jmodel_key* section = jmodel_section_at(i)->key;
    size_t n = strlen(section->name);
    if (!begins(path, section->name, ".")) continue;
    if (section->unit || !path[n]) return section->unit;
    if (!section->item) return unit_among(section->keys, path + n + 1);  // it has no entries
    return unit_among(section->item->keys, rest_of(r, section->name, path));
  }
  return NULL;
}

// ---- numbers with units --------------------------------------------------------------------------

bool jmodel_quantity_text(const char* text, double* value, const char** unit, size_t* nunit) {
  size_t n, at;
  junit u;
  if (!junit_split(text, &n, &at, nunit) || !junit_parse(text + at, *nunit, &u, NULL, NULL)) {
    return false;
  }
  *value = junit_scale(text, n, &u);
  *unit = text + at;
  return true;
}

static bool is_known(const char* s, size_t n) {
  junit u;
  return junit_parse(s, n, &u, NULL, NULL);
}

// "; write 'N m'", "; did you mean 'mm'?" or nothing
static const char* unit_hint(jmodel_reader* r, const char* bad, size_t n) {
  for (size_t i = n; i-- > 1;) {
    if (is_known(bad, i) && is_known(bad + i, n - i)) {
      return jmodel_format(r, "; write '%.*s %.*s'", (int)i, bad, (int)(n - i), bad + i);
    }
  }
  jmodel_guess guess = jmodel_guess_begin(jmodel_format(r, "%.*s", (int)n, bad));
  for (int i = 0; junit_name(i); i++) {
    jmodel_guess_add(&guess, junit_name(i));
  }
  return jmodel_guess_hint(r, &guess);
}

// A number, a space and letters: it was meant to be a unit. "5 and x" was not.
bool jmodel_unknown_unit(const jmodel_at* at, const jmodel_node* node, const char* label) {
  static const char allowed[] =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789^*/ ";
  size_t n, start, nunit, nbad = 0;
  const char* bad = NULL;
  junit u;
  if (!junit_split(node->text, &n, &start, &nunit) || start == n) return false;
  const char* unit = node->text + start;
  bool is_word = strncmp(unit, "and ", 4) == 0 || strncmp(unit, "or ", 3) == 0;
  if (is_word || strspn(unit, allowed) < nunit) return false;
  if (junit_parse(unit, nunit, &u, &bad, &nbad)) return false;
  if (!bad) return false;
  jmodel_mistake(at, node->place, "%s: unknown unit '%.*s'%s", label, (int)nbad, bad,
                 unit_hint(at->r, bad, nbad));
  return true;
}

// ---- against what is expected ------------------------------------------------------------------------

// A parameter that a value is and nothing else, through others that are likewise.
static const jmodel_number* number_behind(const jmodel* m, const jmodel_scalar* s,
                                          const char** parameter) {
  for (int depth = 0; depth < 8 && s->number < 0 && s->text; depth++) {
    const jmodel_scalar* next = NULL;
    for (int i = 0; i < m->nparameter && !next; i++) {
      if (strcmp(m->parameter[i].name, s->text) == 0) next = &m->parameter[i].value;
    }
    if (!next) return NULL;
    if (!*parameter) *parameter = s->text;
    s = next;
  }
  return s->number >= 0 && s->number < m->nnumber ? &m->number[s->number] : NULL;
}

static void compare(const jmodel_at* at, const char* label, const char* parameter,
                    const jmodel_number* k, const char* unit, jmodel_place place) {
  junit is, wanted;
  if (!junit_parse(k->unit, strlen(k->unit), &is, NULL, NULL)) return;
  if (!junit_parse(unit, strlen(unit), &wanted, NULL, NULL)) return;
  if (junit_same_dimension(&is, &wanted)) return;
  bool is_angular = wanted.dimension[JUNIT_ANGLE] != is.dimension[JUNIT_ANGLE];
  for (int i = 0; i < JUNIT_ANGLE; i++) {
    is_angular = is_angular && wanted.dimension[i] == is.dimension[i];
  }
  const char* hint = is_angular ? " (angles count: rad, deg, rpm)" : "";
  const char* from = parameter ? jmodel_format(at->r, "'%s', ", parameter) : "";
  const char* as =
      strcmp(unit, "1") == 0 ? "a plain number" : jmodel_format(at->r, "a unit as %s", unit);
  jmodel_mistake(at, place, "%s is %s%.6g %s; expected %s%s", label, from,
                 junit_shown(k->value, &is), k->unit, as, hint);
}

void jmodel_check_unit(const jmodel_at* at, const char* label, const jmodel_scalar* s,
                       const char* unit) {
  const char* parameter = NULL;
  const jmodel_number* k = number_behind(at->r->m, s, &parameter);
  if (unit && k && k->unit) compare(at, label, parameter, k, unit, s->place);
}

void jmodel_check_plain(const jmodel_at* at, const char* key, const jmodel_number* k,
                        jmodel_place place) {
  const char* unit = expected_at(at->r, jmodel_format(at->r, "%s.%s", at->path, key));
  compare(at, key, NULL, k, unit ? unit : "1", place);
}

void jmodel_check_unit_at(const jmodel_at* at, const char* label, const jmodel_scalar* s) {
  const char* parameter = NULL;
  if (!at->r->has_units || !s->path || at->r->current_parameter >= 0) return;
  const jmodel_number* k = number_behind(at->r->m, s, &parameter);
  const char* unit = k && k->unit ? expected_at(at->r, s->path) : NULL;
  if (unit) compare(at, label, parameter, k, unit, s->place);
}

// F and X in units of elements: force and displacement of what they act on.
static const char* element_unit(jmodel_reader* r, const jmodel_element* e, const char* unit) {
  const char* force = e->class->unit ? e->class->unit(r->m, e, 0) : "N";
  bool turns = strcmp(force, "N m") == 0;
  const char* text = "";
  for (; *unit; unit++) {
    const char* part = *unit == 'F' ? (turns ? "(N m)" : "N") : turns ? "rad" : "m";
    text = *unit == 'F' || *unit == 'X' ? jmodel_format(r, "%s%s", text, part)
                                        : jmodel_format(r, "%s%c", text, *unit);
  }
  return text;
}

static void check_element(jmodel_reader* r, const jmodel_element* e) {
  jmodel_at at = {r, e->class->kind, e->name, ""};
  for (int i = 0; i < e->class->nfield; i++) {
    const jmodel_field* f = &e->class->field[i];
    const char* data = e->data;
    bool is_given = true;
    if (f->given != JMODEL_ALWAYS) memcpy(&is_given, data + f->given, sizeof is_given);
    if (!f->unit || !is_given) continue;
    int n = f->kind == JMODEL_FIELD_V3 ? 3 : f->kind == JMODEL_FIELD_LESS ? 2 : 1;
    const jmodel_scalar* s = (const jmodel_scalar*)(const void*)(data + f->at);
    const char* unit = element_unit(r, e, f->unit);
    for (int k = 0; k < n; k++) {
      jmodel_check_unit(&at, f->label, &s[k], unit);
    }
  }
}

static void check_coordinate(jmodel_reader* r, const jmodel_coordinate* c) {
  jmodel_at at = {r, "coordinate", c->name, ""};
  const char* unit = c->is_angle ? "rad" : "m";
  if (c->has_guess) jmodel_check_unit(&at, "guess", &c->guess, unit);
  if (c->is_driven) jmodel_check_unit(&at, "drive", &c->driven, unit);
}

static void check_coupling(jmodel_reader* r, const jmodel_coupling* c) {
  jmodel_at at = {r, "coupling", c->name, ""};
  for (int i = 0; i < c->nrelation; i++) {
    const jmodel_relation* relation = &c->relation[i];
    for (int k = 0; k < relation->nterm; k++) {
      const jmodel_term* t = &relation->term[k];
      if (t->has_scale) jmodel_check_unit(&at, t->label, &t->scale, t->unit);
    }
    const jmodel_term* first = &relation->term[0];
    bool is_angle = r->m->coordinate[first->coordinate].is_angle;
    if (!first->has_scale) {
      jmodel_check_unit(&at, "offset", &relation->offset, is_angle ? "rad" : "m");
    }
  }
}

// Of a velocity that is driven: what its state is made of.
static void check_velocity(jmodel_reader* r, const jmodel_coordinate* c) {
  jmodel_at at = {r, "coordinate", c->name, ""};
  for (int i = 0; c->is_velocity && i < r->m->nstate; i++) {
    const jmodel_state* z = &r->m->state[i];
    if (strcmp(z->name, c->driven.text) != 0) continue;
    jmodel_check_unit(&at, "velocity", &z->derivative, c->is_angle ? "rad/s" : "m/s");
    jmodel_check_unit(&at, "from", &z->initial, c->is_angle ? "rad" : "m");
  }
}

static void check_initial(jmodel_reader* r, const jmodel_initial* q) {
  const char* name = q->quantity.text ? q->quantity.text : "";
  jmodel_at at = {r, "initial", name, ""};
  int i = jmodel_find_coordinate(r->m, name), k;
  bool is_attitude = jmodel_find_attitude(r->m, name, strlen(name), &k) >= 0;
  if (i < 0 && !is_attitude) return;
  bool is_angle = is_attitude || r->m->coordinate[i].is_angle;
  if (q->has_value) jmodel_check_unit(&at, "value", &q->value, is_angle ? "rad" : "m");
  if (q->has_rate) jmodel_check_unit(&at, "rate", &q->rate, is_angle ? "rad/s" : "m/s");
}

// Where angles of a joint of any attitude start.
static void check_attitude(jmodel_reader* r, const jmodel_joint* j) {
  for (int k = 0; j->is_any && k < 3; k++) {
    jmodel_at at = {r, "angle", j->angle[k], ""};
    jmodel_check_unit(&at, "value", &j->start[k], "rad");
  }
}

void jmodel_check_units(jmodel_reader* r) {
  const jmodel* m = r->m;
  if (!r->has_units) return;
  for (int i = 0; i < m->njoint; i++) {
    check_attitude(r, &m->joint[i]);
  }
  for (int i = 0; i < m->nelement; i++) {
    check_element(r, &m->element[i]);
  }
  for (int i = 0; i < m->ncoordinate; i++) {
    check_coordinate(r, &m->coordinate[i]);
    check_velocity(r, &m->coordinate[i]);
  }
  for (int i = 0; i < m->ncoupling; i++) {
    check_coupling(r, &m->coupling[i]);
  }
  for (int i = 0; i < m->ninitial; i++) {
    check_initial(r, &m->initial[i]);
  }
}

// ---- parameters ----------------------------------------------------------------------------------

static bool is_unit(const char* text, junit* u) {
  return junit_parse(text, strlen(text), u, NULL, NULL);
}

void jmodel_parameter_unit(const jmodel_at* at, jmodel_parameter* p, jmodel_place place) {
  const jmodel_number* k = p->value.number >= 0 ? &at->r->m->number[p->value.number] : NULL;
  junit given, said;
  bool is_said = *p->unit && is_unit(p->unit, &said);
  p->shown = "";
  if (!k) return;
  if (!k->unit) {
    if (is_said && !junit_is_coherent(&said)) {
      jmodel_warning(
          at, place,
          "the value is taken as %.6g in SI units; write 'value: %.6g %s' to give it in %s",
          k->value, k->value, p->unit, p->unit);
    }
    return;
  }
  if (!is_unit(k->unit, &given)) return;
  if (*p->unit && (!is_said || !junit_same_dimension(&given, &said))) {
    jmodel_mistake(at, place, "the value is in %s, which is no '%.40s'", k->unit, p->unit);
    return;
  }
  char si[JUNIT_MAX_TEXT];
  junit_si_text(k->unit, strlen(k->unit), si, sizeof si);
  p->shown = is_said ? p->unit : k->unit;
  p->unit = jmodel_keep(at->r, si);
}

static const jmodel_parameter* find_parameter(const jmodel* m, const char* name) {
  for (int i = 0; i < m->nparameter; i++) {
    if (strcmp(m->parameter[i].name, name) == 0) return &m->parameter[i];
  }
  return NULL;
}

bool jmodel_parameter_value(const jmodel* m, const char* name, const char* text, double* value) {
  const jmodel_parameter* p = find_parameter(m, name);
  const char* unit;
  size_t n;
  double x;
  junit given, said;
  if (!p) return false;
  if (!jmodel_number_text(text, &x)) {
    if (!jmodel_quantity_text(text, &x, &unit, &n)) return false;
    bool is_of_its_kind = !p->unit || !*p->unit ||
                          (is_unit(p->unit, &said) && junit_parse(unit, n, &given, NULL, NULL) &&
                           junit_same_dimension(&given, &said));
    if (!is_of_its_kind) return false;
  }
  if (!isfinite(x)) return false;
  *value = x;
  return true;
}

double jmodel_shown(const jmodel* m, const char* name, double value, const char** unit) {
  const char* shown = "";
  junit u;
  for (int i = 0; i < m->nparameter && !*shown; i++) {
    const jmodel_parameter* p = &m->parameter[i];
    if (strcmp(p->name, name) == 0 && p->shown) shown = p->shown;
  }
  int number = *shown ? -1 : jmodel_find_number(m, name);
  if (number >= 0 && m->number[number].unit) shown = m->number[number].unit;
  *unit = shown;
  return *shown && is_unit(shown, &u) ? junit_shown(value, &u) : value;
}
