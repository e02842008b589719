// SPDX-License-Identifier: Apache-2.0
// Angles of `spherical` and `free` joints: their order, and joints that take any attitude. docs/theory/attitude.md
#include <string.h>

#include "model/template/instance.h"

// Orders first, so that their axes are their letters; then what is none.
const char* const jmodel_angle_words[] = {"xyz", "xzy", "yxz", "yzx", "zxy", "zyx", "xyx",
                                          "xzx", "yxy", "yzy", "zxz", "zyz", "any", NULL};

static const jmodel_joint_class* class_of(const jmodel_joint* j) {
  return jmodel_joint_class_of(j->type);
}

static bool has_three_axes(const jmodel_joint* j) {
  return j->turn[0] != j->turn[2];
}

const char* jmodel_angle_suffix(const jmodel_joint* j, int i) {
  static const char* const by_axis[] = {"roll", "pitch", "yaw"};
  static const char* const by_order[] = {"a", "b", "c"};
  bool by_name = class_of(j)->is_place && has_three_axes(j);
  return by_name ? by_axis[j->turn[i]] : by_order[i];
}

void jmodel_read_angles(const jmodel_at* at, const jmodel_node* map, jmodel_joint* j) {
  const jmodel_node* node = jmodel_node_find(map, "angles");
  if (!class_of(j)->order) {
    if (node) {
      jmodel_mistake(at, node->key_place, "only spherical and free joints have 'angles'");
    }
    return;
  }
  const char* order = class_of(j)->order;
  int word = node ? jmodel_word_at(at, node, "angles", jmodel_angle_words) : -1;
  j->is_any = word >= 0 && !jmodel_angle_words[word + 1];
  if (word >= 0 && !j->is_any) order = jmodel_angle_words[word];
  for (int i = 0; i < 3; i++) {
    j->turn[i] = order[i] - 'x';
  }
}

// ---- any attitude --------------------------------------------------------------------------------

// The coordinates of the turns get names of their own; guesses are those of the angles.
void jmodel_name_angles(const jmodel_at* at, jmodel_joint* j, jmodel_coordinate* coordinate,
                        const jmodel_node* drive) {
  if (!j->is_any) return;
  for (int i = 0; i < 3; i++) {
    jmodel_coordinate* c = &coordinate[j->ncoordinate - 3 + i];
    if (c->is_driven) {
      jmodel_mistake(at, drive->place,
                     "drive: with 'angles: any' '%s' is no coordinate and cannot be driven; choose "
                     "an order of the angles, as %s",
                     jmodel_angle_suffix(j, i), class_of(j)->order);
    }
    j->angle[i] = c->name;
    j->start[i] = c->guess;
    c->name = jmodel_format(at->r, "%s.turn_%c", at->name, 'x' + j->turn[i]);
    c->guess = jmodel_constant("0", j->place);
    c->has_guess = false;
  }
}

static void own_state(jmodel_reader* r, const jmodel_joint* j, const char* name, const char* unit) {
  if (!jmem_grow(r->ctx, &r->own, &r->own_cap, r->nown + 1, sizeof *r->own)) {
    jmodel_out_of_memory(r);
    return;
  }
  jmodel_scalar none = jmodel_constant("0", j->place);
  r->own[r->nown++] = (jmodel_state){.name = jmodel_format(r, "%s.%s", j->name, name),
                                     .place = j->place,
                                     .initial = none,
                                     .derivative = none,
                                     .nominal = 1.0,
                                     .is_held = true,
                                     .is_discrete = true,
                                     .is_attitude = true,
                                     .unit = unit,
                                     .element = -1};
}

void jmodel_own_attitudes(jmodel_reader* r) {
  static const char* const parameter[] = {"e0", "e1", "e2", "e3"};
  for (int i = 0; i < r->m->njoint && !r->oom; i++) {
    jmodel_joint* j = &r->m->joint[i];
    if (!j->is_any) continue;
    j->first_state = r->nown;
    for (int k = 0; k < 4; k++) {
      own_state(r, j, parameter[k], "-");
    }
    own_state(r, j, jmodel_format(r, "base_%s", jmodel_angle_suffix(j, 0)), "rad");
    own_state(r, j, jmodel_format(r, "base_%s", jmodel_angle_suffix(j, 2)), "rad");
  }
}

void jmodel_place_attitudes(jmodel_reader* r) {
  for (int i = 0; i < r->m->njoint; i++) {
    if (r->m->joint[i].is_any) r->m->joint[i].first_state += r->m->nstate;
  }
}

int jmodel_find_attitude(const jmodel* m, const char* name, size_t n, int* k) {
  for (int i = 0; i < m->njoint; i++) {
    const jmodel_joint* j = &m->joint[i];
    for (*k = 0; j->is_any && *k < 3; ++*k) {
      const char* own = j->angle[*k];
      if (strlen(own) == n && memcmp(own, name, n) == 0) return i;
    }
  }
  return -1;
}

static jmodel_initial* value_of(const jmodel* m, const char* angle) {
  for (int i = 0; i < m->ninitial; i++) {
    const char* text = m->initial[i].quantity.text;
    if (m->initial[i].has_value && text && strcmp(text, angle) == 0) return &m->initial[i];
  }
  return NULL;
}

// Three angles are an orientation, from which the coordinates may count at once: their values are zero then, also
// where the angles are not one-to-one. Rates stay those of the angles.
static void start_at(jmodel_reader* r, jmodel_joint* j, jmodel_initial* const given[3]) {
  jmodel* m = r->m;
  for (int k = 0; k < 3; k++) {
    jmodel_initial* q = given[k];
    if (q->has_rate) {
      jmodel_initial* rate = &m->initial[m->ninitial++];
      *rate = *q;
      rate->has_value = false;
      rate->value = jmodel_constant("0", q->value.place);
      q->has_rate = false;
      q->rate = rate->value;
    }
    q->quantity.text = m->coordinate[j->first_coordinate + j->ncoordinate - 3 + k].name;
    q->value = jmodel_constant("0", q->value.place);
  }
}

static bool has_any(const jmodel* m) {
  for (int i = 0; i < m->njoint; i++) {
    if (m->joint[i].is_any) return true;
  }
  return false;
}

void jmodel_start_attitudes(jmodel_reader* r, const jmodel_node* root) {
  (void)root;
  jmodel* m = r->m;
  if (!has_any(m)) return;
  jmodel_initial* more = JMODEL_ARRAY(r, 2 * m->ninitial, jmodel_initial);
  if (!more) return;
  if (m->ninitial > 0) memcpy(more, m->initial, (size_t)m->ninitial * sizeof *more);
  m->initial = more;
  for (int i = 0; i < m->njoint; i++) {
    jmodel_joint* j = &m->joint[i];
    if (!j->is_any) continue;
    jmodel_initial* given[3];
    for (int k = 0; k < 3; k++) {
      given[k] = value_of(m, j->angle[k]);
      if (given[k]) j->start[k] = given[k]->value;
    }
    if (given[0] && given[1] && given[2]) start_at(r, j, given);
  }
}

// ---- orders with one axis twice --------------------------------------------------------------------

static bool has_start(const jmodel* m, const jmodel_coordinate* c) {
  return c->has_guess || c->is_driven || value_of(m, c->name);
}

// Their middle angle is zero at the design position, where the outer two turn about the same axis.
void jmodel_check_attitudes(jmodel_reader* r) {
  const jmodel* m = r->m;
  for (int i = 0; i < m->njoint; i++) {
    const jmodel_joint* j = &m->joint[i];
    if (!class_of(j)->order || has_three_axes(j)) continue;
    const jmodel_coordinate* c = &m->coordinate[j->first_coordinate + j->ncoordinate - 2];
    if (has_start(m, c)) continue;
    jmodel_at at = {r, "joint", j->name, ""};
    jmodel_mistake(&at, j->place,
                   "angles about the same axis first and last are locked where the one between is "
                   "zero; give '%s' a guess or an initial value, or choose 'angles: any'",
                   c->name);
  }
}
