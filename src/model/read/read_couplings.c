// SPDX-License-Identifier: Apache-2.0
// `couplings:` linear relations between coordinates. Every kind is read into relations
//   sum of coefficients times coordinates = offset
#include <string.h>

#include "model/read/reader.h"

#define TAU 6.283185307179586

// A coupling being read.
typedef struct draft {
  const jmodel_at* at;
  jmodel_coupling* c;
  bool is_good;
} draft;

static jmodel_relation* add_relation(draft* d, int most) {
  jmodel_coupling* c = d->c;
  jmodel_relation* r = &c->relation[c->nrelation++];
  *r = (jmodel_relation){.offset = jmodel_constant("0", c->place)};
  r->term = JMODEL_ARRAY(d->at->r, most, jmodel_term);
  d->is_good = d->is_good && r->term;
  return r;
}

static bool make_relations(draft* d, int most) {
  d->c->relation = JMODEL_ARRAY(d->at->r, most, jmodel_relation);
  return d->c->relation != NULL;
}

// factor * scale * coordinate; scale NULL: one
static void add_term(draft* d, jmodel_relation* r, int coordinate, double factor,
                     const jmodel_scalar* scale, const char* label) {
  bool is_length =
      strcmp(label, "radius") == 0 || strcmp(label, "radii") == 0 || strcmp(label, "lead") == 0;
  if (coordinate < 0) d->is_good = false;
  if (!d->is_good) return;
  jmodel_term* t = &r->term[r->nterm++];
  *t = (jmodel_term){.coordinate = coordinate, .factor = factor, .label = label};
  t->has_scale = scale != NULL;
  t->unit = is_length ? "m" : NULL;
  t->scale = scale ? *scale : jmodel_constant("1", d->c->place);
}

static int need_coordinate(draft* d, const jmodel_node* map, const char* key) {
  const jmodel_node* node = jmodel_need(d->at, map, key);
  return node ? jmodel_coordinate_at(d->at, node, key) : -1;
}

static jmodel_scalar need_number(draft* d, const jmodel_node* map, const char* path,
                                 const char* key) {
  jmodel_at inner = *d->at;
  jmodel_scalar out = jmodel_constant("1", d->c->place);
  inner.path = path;
  jmodel_need_scalar(&inner, map, key, JMODEL_SCOPE_PARAMETERS, &out);
  return out;
}

static const char* path_of(draft* d, const char* key) {
  return jmodel_format(d->at->r, "%s.%s", d->at->path, key);
}

// ---- kinds ---------------------------------------------------------------------------------------

// of: {pinion: 1, rack: -1/r}, equals: 0
static void read_linear(draft* d, const jmodel_node* map, const jmodel_node* of) {
  if (!jmodel_is(d->at, of, JMODEL_NODE_MAP, "of") || !make_relations(d, 1)) {
    d->is_good = false;
    return;
  }
  if (of->n == 0) {
    jmodel_mistake(d->at, of->place, "of: no coordinate is named");
    d->is_good = false;
    return;
  }
  jmodel_relation* r = add_relation(d, of->n);
  for (const jmodel_node* c = of->first; c && d->is_good; c = c->next) {
    // the coordinate is the key
    jmodel_node name = *c;
    name.kind = JMODEL_NODE_TEXT;
    name.text = c->key;
    name.place = c->key_place;
    const char* path = jmodel_format(d->at->r, "%s.of.%s", d->at->path, c->key);
    const char* label = jmodel_format(d->at->r, "the coefficient of '%s'", c->key);
    int coordinate = jmodel_coordinate_at(d->at, &name, "of");
    jmodel_scalar scale = jmodel_scalar_at(d->at, c, label, path, JMODEL_SCOPE_PARAMETERS);
    add_term(d, r, coordinate, 1.0, &scale, label);
  }
  if (d->is_good) jmodel_get_scalar(d->at, map, "equals", JMODEL_SCOPE_PARAMETERS, &r->offset);
}

// gear: [a, b], ratio: a = ratio b + offset
static void read_gear(draft* d, const jmodel_node* map, const jmodel_node* pair) {
  d->is_good = jmodel_is(d->at, pair, JMODEL_NODE_LIST, "gear") && make_relations(d, 1);
  if (!d->is_good) return;
  if (pair->n != 2) {
    jmodel_mistake(d->at, pair->place, "gear: give two coordinates, [a, b] of a = ratio b");
    d->is_good = false;
    return;
  }
  jmodel_relation* r = add_relation(d, 2);
  jmodel_scalar ratio = need_number(d, map, d->at->path, "ratio");
  add_term(d, r, jmodel_coordinate_at(d->at, pair->first, "gear"), 1.0, NULL, "");
  add_term(d, r, jmodel_coordinate_at(d->at, pair->last, "gear"), -1.0, &ratio, "ratio");
}

static const jmodel_key rack_keys[] = {
    {JMODEL_KEY_AS("pinion", jmodel_form_coordinate), .is_needed = true},
    {JMODEL_KEY_AS("rack", jmodel_form_coordinate), .is_needed = true},
    {JMODEL_KEY_NUMBER("radius"), .is_needed = true},
    {0}};

// rack_and_pinion: {pinion, rack, radius}: rack = radius pinion + offset
static void read_rack(draft* d, const jmodel_node* map, const jmodel_node* node) {
  (void)map;
  d->is_good = jmodel_is(d->at, node, JMODEL_NODE_MAP, "rack_and_pinion") && make_relations(d, 1);
  if (!d->is_good) return;
  jmodel_check_keys(d->at, node, rack_keys);
  jmodel_relation* r = add_relation(d, 2);
  jmodel_scalar radius = need_number(d, node, path_of(d, "rack_and_pinion"), "radius");
  add_term(d, r, need_coordinate(d, node, "rack"), 1.0, NULL, "");
  add_term(d, r, need_coordinate(d, node, "pinion"), -1.0, &radius, "radius");
}

// The coordinates of a cylindrical joint, which a screw makes one of.
static bool screw_joint(draft* d, const jmodel_node* node, int* angle, int* slide) {
  const jmodel* m = d->at->r->m;
  if (!jmodel_is(d->at, node, JMODEL_NODE_TEXT, "joint")) return false;
  const char* name = jmodel_full_name(d->at->r, node->in, node->text);
  for (int i = 0; i < m->njoint; i++) {
    const jmodel_joint* j = &m->joint[i];
    if (strcmp(j->name, name) != 0) continue;
    const jmodel_joint_coordinate* c = jmodel_joint_class_of(j->type)->coordinate;
    bool is_screw = j->ncoordinate == 2 && c[0].motion != c[1].motion && c[0].axis == c[1].axis;
    if (is_screw) {
      *slide = j->first_coordinate + (c[1].motion == JMODEL_SLIDE);
      *angle = j->first_coordinate + (c[1].motion == JMODEL_TURN);
      return true;
    }
    jmodel_mistake(d->at, node->place, "joint: '%s' is not cylindrical; give 'angle' and 'slide'",
                   name);
    return false;
  }
  if (!d->at->r->joints_incomplete) {
    jmodel_mistake(d->at, node->place, "joint: there is no joint '%.60s'", name);
  }
  return false;
}

static const jmodel_key screw_keys[] = {{JMODEL_KEY_AS("angle", jmodel_form_coordinate)},
                                        {JMODEL_KEY_AS("slide", jmodel_form_coordinate)},
                                        {JMODEL_KEY_NUMBER("lead"), .is_needed = true},
                                        {0}};
static const jmodel_key screw_joint_keys[] = {
    {JMODEL_KEY_TEXT("joint")}, {JMODEL_KEY_NUMBER("lead"), .is_needed = true}, {0}};
static const jmodel_key screw_by_joint_form = {JMODEL_KEY_MAP("screw_of_joint", screw_joint_keys)};

// screw: {angle, slide, lead} or {joint, lead}: slide = lead angle / turn + offset
static void read_screw(draft* d, const jmodel_node* map, const jmodel_node* node) {
  (void)map;
  d->is_good = jmodel_is(d->at, node, JMODEL_NODE_MAP, "screw") && make_relations(d, 1);
  if (!d->is_good) return;
  const jmodel_node* joint = jmodel_node_find(node, "joint");
  int angle = -1, slide = -1;
  jmodel_check_keys(d->at, node, joint ? screw_joint_keys : screw_keys);
  if (joint) {
    if (!screw_joint(d, joint, &angle, &slide)) d->is_good = false;
  } else {
    angle = need_coordinate(d, node, "angle");
    slide = need_coordinate(d, node, "slide");
  }
  if (!d->is_good) return;
  jmodel_relation* r = add_relation(d, 2);
  jmodel_scalar lead = need_number(d, node, path_of(d, "screw"), "lead");
  add_term(d, r, slide, 1.0, NULL, "");
  add_term(d, r, angle, -1.0 / TAU, &lead, "lead");
}

static const jmodel_key differential_keys[] = {
    {JMODEL_KEY_AS("input", jmodel_form_coordinate), .is_needed = true},
    {JMODEL_KEY_LIST("outputs", jmodel_form_coordinate, 2, 2), .is_needed = true},
    {JMODEL_KEY_NUMBER("ratio")},
    {JMODEL_KEY_BOOL("locked")},
    {0}};

// differential: {input, outputs: [l, r], ratio}: input = ratio (l + r)/2 + offset; locked: and l = r
static void read_differential(draft* d, const jmodel_node* map, const jmodel_node* node) {
  (void)map;
  d->is_good = jmodel_is(d->at, node, JMODEL_NODE_MAP, "differential") && make_relations(d, 2);
  if (!d->is_good) return;
  jmodel_check_keys(d->at, node, differential_keys);
  const jmodel_node* outputs = jmodel_need(d->at, node, "outputs");
  const jmodel_node* locked = jmodel_node_find(node, "locked");
  bool is_locked = locked && jmodel_bool_at(d->at, locked, "locked");
  if (!outputs || !jmodel_is(d->at, outputs, JMODEL_NODE_LIST, "outputs") || outputs->n != 2) {
    if (outputs && outputs->kind == JMODEL_NODE_LIST) {
      jmodel_mistake(d->at, outputs->place, "outputs: give two coordinates, [left, right]");
    }
    d->is_good = false;
    return;
  }
  const char* path = path_of(d, "differential");
  const char* own = jmodel_format(d->at->r, "%s.ratio", path);
  jmodel_scalar ratio = jmodel_node_find(node, "ratio")
                            ? need_number(d, node, path, "ratio")
                            : jmodel_default(d->at->r, own, 1.0, d->c->place);
  int left = jmodel_coordinate_at(d->at, outputs->first, "outputs");
  int right = jmodel_coordinate_at(d->at, outputs->last, "outputs");
  jmodel_relation* r = add_relation(d, 3);
  add_term(d, r, need_coordinate(d, node, "input"), 1.0, NULL, "");
  add_term(d, r, left, -0.5, &ratio, "ratio");
  add_term(d, r, right, -0.5, &ratio, "ratio");
  if (!is_locked) return;
  r = add_relation(d, 2);
  add_term(d, r, left, 1.0, NULL, "");
  add_term(d, r, right, -1.0, NULL, "");
}

static const jmodel_key belt_keys[] = {
    {JMODEL_KEY_LIST("pulleys", jmodel_form_coordinate, 2, 0), .is_needed = true},
    {JMODEL_KEY_LIST("radii", jmodel_form_number, 2, 0), .is_needed = true},
    {0}};

// belt: {pulleys: [a, b, ...], radii: [...]}: radius_1 a = radius_i b_i
static void read_belt(draft* d, const jmodel_node* map, const jmodel_node* node) {
  (void)map;
  d->is_good = jmodel_is(d->at, node, JMODEL_NODE_MAP, "belt");
  if (!d->is_good) return;
  jmodel_check_keys(d->at, node, belt_keys);
  const jmodel_node* pulleys = jmodel_need(d->at, node, "pulleys");
  const jmodel_node* radii = jmodel_need(d->at, node, "radii");
  bool is_pair = pulleys && radii && jmodel_is(d->at, pulleys, JMODEL_NODE_LIST, "pulleys") &&
                 jmodel_is(d->at, radii, JMODEL_NODE_LIST, "radii");
  if (is_pair && (pulleys->n < 2 || radii->n != pulleys->n)) {
    jmodel_mistake(d->at, node->place,
                   "belt: give two pulleys or more, and as many radii (%d and %d are given)",
                   pulleys->n, radii->n);
    is_pair = false;
  }
  d->is_good = is_pair && make_relations(d, pulleys->n - 1);
  if (!d->is_good) return;
  const jmodel_node *p = pulleys->first, *x = radii->first;
  int first = -1;
  jmodel_scalar radius = jmodel_constant("1", d->c->place);
  for (int i = 0; i < pulleys->n && d->is_good; i++, p = p->next, x = x->next) {
    const char* path =
        jmodel_format(d->at->r, x->in ? "%s.belt.radii_%d" : "%s.belt.radii[%d]", d->at->path, i);
    jmodel_scalar r = jmodel_scalar_at(d->at, x, "radii", path, JMODEL_SCOPE_PARAMETERS);
    int pulley = jmodel_coordinate_at(d->at, p, "pulleys");
    if (i == 0) {
      first = pulley;
      radius = r;
      continue;
    }
    jmodel_relation* row = add_relation(d, 2);
    add_term(d, row, first, 1.0, &radius, "radii");
    add_term(d, row, pulley, -1.0, &r, "radii");
  }
}

// ---- the section ---------------------------------------------------------------------------------

#define OFFSET \
  { JMODEL_KEY_NUMBER("offset"), .about = "Added to the right side" }

static const jmodel_key of_linear[] = {
    {JMODEL_KEY_BY_TEXT("of", jmodel_form_number), .about = "Coefficients by coordinate"},
    {JMODEL_KEY_NUMBER("equals"), .about = "Sum of coefficients times coordinates"},
    {JMODEL_KEY_DESCRIPTION},
    {0}};
static const jmodel_key of_gear[] = {
    {JMODEL_KEY_LIST("gear", jmodel_form_coordinate, 2, 2), .about = "[a, b] of a = ratio b"},
    {JMODEL_KEY_NUMBER("ratio")},
    OFFSET,
    {JMODEL_KEY_DESCRIPTION},
    {0}};
static const jmodel_key of_rack[] = {
    {JMODEL_KEY_MAP("rack_and_pinion", rack_keys), .about = "rack = radius pinion"},
    OFFSET,
    {JMODEL_KEY_DESCRIPTION},
    {0}};
static const jmodel_key of_screw[] = {
    {JMODEL_KEY_MAP("screw", screw_keys), .as = &screw_by_joint_form,
     .about = "slide = lead angle per turn"},
    OFFSET,
    {JMODEL_KEY_DESCRIPTION},
    {0}};
static const jmodel_key of_differential[] = {
    {JMODEL_KEY_MAP("differential", differential_keys),
     .about = "input = ratio (left + right)/2; locked: also left = right"},
    OFFSET,
    {JMODEL_KEY_DESCRIPTION},
    {0}};
static const jmodel_key of_belt[] = {
    {JMODEL_KEY_MAP("belt", belt_keys), .about = "radius times angle is the same for all pulleys"},
    OFFSET,
    {JMODEL_KEY_DESCRIPTION},
    {0}};

// The first of its keys tells the kind.
static const struct kind {
  const jmodel_key* keys;
  void (*read)(draft* d, const jmodel_node* map, const jmodel_node* node);
} kinds[] = {{of_linear, read_linear},
             {of_gear, read_gear},
             {of_rack, read_rack},
             {of_screw, read_screw},
             {of_differential, read_differential},
             {of_belt, read_belt}};

enum { KINDS = sizeof kinds / sizeof kinds[0] };

static const jmodel_key* keys_of_kind(int i) {
  return i < KINDS ? kinds[i].keys : NULL;
}

static const jmodel_key coupling_form = {.is = JMODEL_A_MAP, .keys_of = keys_of_kind};
const jmodel_key jmodel_section_couplings = {
    JMODEL_KEY_SECTION("couplings", coupling_form),
    .about = "Linear relations between coordinates: gears, racks, screws, differentials, belts"};

static const struct kind* find_kind(const jmodel_at* at, const jmodel_node* map,
                                    jmodel_place place) {
  const struct kind* found = NULL;
  for (int i = 0; i < KINDS; i++) {
    const jmodel_node* node = jmodel_node_find(map, kinds[i].keys->name);
    if (!node) continue;
    if (found) {
      jmodel_mistake(at, node->key_place, "it has '%s' already; one coupling is of one kind",
                     found->keys->name);
      return NULL;
    }
    found = &kinds[i];
  }
  if (!found) {
    jmodel_mistake(at, place,
                   "what does it couple? give 'of', 'gear', 'rack_and_pinion', 'screw', "
                   "'differential' or 'belt'");
  }
  return found;
}

// What is coupled to itself, and what nothing is left free of.
static bool check_relation(draft* d, const jmodel_relation* r) {
  const jmodel* m = d->at->r->m;
  bool is_free = false;
  for (int i = 0; i < r->nterm; i++) {
    for (int k = 0; k < i; k++) {
      if (r->term[i].coordinate != r->term[k].coordinate) continue;
      jmodel_mistake(d->at, d->c->place, "coordinate '%s' is named twice",
                     m->coordinate[r->term[i].coordinate].name);
      return false;
    }
    is_free = is_free || !m->coordinate[r->term[i].coordinate].is_driven;
  }
  if (is_free) return true;
  const char* name = m->coordinate[r->term[0].coordinate].name;
  if (r->nterm == 1) {
    jmodel_mistake(d->at, d->c->place,
                   "its coordinate '%s' is driven, so nothing is left that could follow; take the "
                   "coupling away",
                   name);
  } else {
    jmodel_mistake(d->at, d->c->place,
                   "all of its coordinates are driven ('%s' and others), so none is left that "
                   "could follow; take a drive away, or the coupling",
                   name);
  }
  return false;
}

static void read_offset(draft* d, const jmodel_node* map) {
  const jmodel_node* node = jmodel_node_find(map, "offset");
  if (!node || !d->is_good) return;
  if (d->c->nrelation > 1) {
    jmodel_mistake(d->at, node->key_place,
                   "offset: it has %d relations, and an offset belongs to one; write them as "
                   "couplings of their own",
                   d->c->nrelation);
    d->is_good = false;
    return;
  }
  jmodel_get_scalar(d->at, map, "offset", JMODEL_SCOPE_PARAMETERS, &d->c->relation[0].offset);
}

// All coordinates, each once.
static void list_coordinates(draft* d) {
  jmodel_reader* r = d->at->r;
  jmodel_coupling* c = d->c;
  bool* is_listed = JMODEL_ARRAY(r, r->m->ncoordinate, bool);
  c->coordinates = "";
  for (int i = 0; is_listed && i < c->nrelation; i++) {
    for (int k = 0; k < c->relation[i].nterm; k++) {
      int q = c->relation[i].term[k].coordinate;
      if (is_listed[q]) continue;
      is_listed[q] = true;
      c->coordinates = jmodel_format(r, "%s%s%s", c->coordinates, *c->coordinates ? ", " : "",
                                     r->m->coordinate[q].name);
    }
  }
}

// The first coordinate has coefficient 1, or a radius [m]; what the coefficients of others are in, nobody says.
static const char* unit_of(const jmodel* m, const jmodel_coupling* c) {
  const jmodel_term* first = &c->relation[0].term[0];
  if (strcmp(c->kind, "linear") == 0) return "";
  return m->coordinate[first->coordinate].is_angle && !first->has_scale ? "N m" : "N";
}

static bool read_coupling(const jmodel_at* at, const jmodel_node* node, jmodel_coupling* c) {
  draft d = {at, c, true};
  if (!jmodel_is(at, node, JMODEL_NODE_MAP, "it")) return false;
  const struct kind* kind = find_kind(at, node, c->place);
  if (!kind) return false;
  c->kind = kind->read == read_linear ? "linear" : kind->keys->name;
  jmodel_check_keys(at, node, kind->keys);
  kind->read(&d, node, jmodel_node_find(node, kind->keys->name));
  read_offset(&d, node);
  for (int i = 0; i < c->nrelation && d.is_good; i++) {
    d.is_good = check_relation(&d, &c->relation[i]);
  }
  if (d.is_good) {
    list_coordinates(&d);
    c->unit = unit_of(at->r->m, c);
  }
  return d.is_good && !at->r->oom;
}

void jmodel_read_couplings(jmodel_reader* r, const jmodel_node* root) {
  const jmodel_node* section = jmodel_section(r, root, "couplings");
  if (!section) return;
  r->m->coupling = JMODEL_ARRAY(r, section->n, jmodel_coupling);
  for (const jmodel_node* c = section->first; c && r->m->coupling && jmodel_goes_on(r);
       c = c->next) {
    jmodel_at at = {r, "coupling", jmodel_keep(r, c->key),
                    jmodel_format(r, "couplings.%s", c->key)};
    jmodel_coupling* coupling = &r->m->coupling[r->m->ncoupling];
    *coupling = (jmodel_coupling){.name = at.name, .place = c->key_place};
    if (jmodel_name_ok(&at, c) && read_coupling(&at, c, coupling)) r->m->ncoupling++;
  }
}
