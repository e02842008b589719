// SPDX-License-Identifier: Apache-2.0
// The road: an expression, and what is added to it: random roads, blocks, profiles and grids from files, sines, obstacles.
// A kind is one function and one line in the table at the end.
#include <math.h>
#include <string.h>

#include "base/system/file.h"
#include "model/read/reader.h"
#include "road/file.h"

#define MAX_BYTES  ((size_t)1 << 30)
#define MAX_VALUES 1e8   // of all tables together
#define TRACK      1.5   // [m]
#define COHERENCE  0.2   // [1/m]
#define RAMP       10.0  // [m]
#define MOST_SEED  9007199254740992.0

// ---- parts ---------------------------------------------------------------------------------------

typedef struct road_reader {
  jmodel_reader* r;
  jroad_source* source;
  int nsource, source_cap, part_cap;
} road_reader;

static jmodel_road_part* new_part(road_reader* k, jmodel_road_kind kind, const jmodel_at* at) {
  jmodel* m = k->r->m;
  if (m->nroad_part == k->part_cap) {
    int cap = k->part_cap ? 2 * k->part_cap : 8;
    jmodel_road_part* larger = JMODEL_ARRAY(k->r, cap, jmodel_road_part);
    if (k->r->oom) return NULL;
    if (m->nroad_part > 0) {
      memcpy(larger, m->road_part, (size_t)m->nroad_part * sizeof *larger);
    }
    m->road_part = larger;
    k->part_cap = cap;
  }
  jmodel_road_part* p = &m->road_part[m->nroad_part++];
  *p = (jmodel_road_part){.kind = kind, .subject = at->kind, .name = at->name};
  return p;
}

static jroad_source* new_sources(road_reader* k, int n) {
  if (k->nsource + n > k->source_cap) {
    int cap = 2 * k->source_cap + n;
    jroad_source* larger = JMODEL_ARRAY(k->r, cap, jroad_source);
    if (k->r->oom) return NULL;
    if (k->nsource > 0) memcpy(larger, k->source, (size_t)k->nsource * sizeof *larger);
    k->source = larger;
    k->source_cap = cap;
  }
  k->nsource += n;
  return k->source + k->nsource - n;
}

static void take(const jmodel_at* at, const jmodel_node* map, const char* key,
                 jmodel_road_value which, jmodel_road_part* p) {
  p->given[which] = jmodel_get_scalar(at, map, key, JMODEL_SCOPE_PARAMETERS, &p->value[which]);
}

static void need(const jmodel_at* at, const jmodel_node* map, const char* key,
                 jmodel_road_value which, jmodel_road_part* p) {
  jmodel_need_scalar(at, map, key, JMODEL_SCOPE_PARAMETERS, &p->value[which]);
  p->given[which] = true;
}

static double need_double(const jmodel_at* at, const jmodel_node* map, const char* key) {
  return jmodel_need(at, map, key) ? jmodel_get_double(at, map, key, 1.0) : 1.0;
}

static bool has_room(const jmodel_at* at, const road_reader* k, jmodel_place place) {
  double all = 0.0;
  for (int i = 0; i < k->nsource; i++) {
    all += jroad_size(&k->source[i]);
  }
  if (all <= MAX_VALUES) return true;
  jmodel_mistake(at, place, "the road has %.3g heights, more than %.3g; take a shorter one", all,
                 MAX_VALUES);
  return false;
}

// ---- random roads --------------------------------------------------------------------------------

// Displacement spectral densities at 0.1 cycles/m, geometric means of the classes: ISO 8608:2016, table C.1 [m^3]
static double roughness_of(int class_) {
  double g = 16e-6;
  for (int i = 0; i < class_; i++) {
    g *= 4.0;
  }
  return g;
}

static const char* const classes[] = {"A", "B", "C", "D", "E", "F", "G", "H", NULL};
static const char* const counts[] = {"1", "2", NULL};
static const jmodel_key random_keys[] = {{JMODEL_KEY_WORD("class", classes)},
                                         {JMODEL_KEY_NUMBER("roughness")},
                                         {JMODEL_KEY_NUMBER("seed")},
                                         {JMODEL_KEY_NUMBER("length"), .is_needed = true},
                                         {JMODEL_KEY_NUMBER("start")},
                                         {JMODEL_KEY_NUMBER("ramp")},
                                         {JMODEL_KEY_NUMBER("track")},
                                         {JMODEL_KEY_NUMBER("coherence")},
                                         {JMODEL_KEY_WORD("tracks", counts)},
                                         {JMODEL_KEY_NUMBER("scale")},
                                         {0}};

static double read_roughness(const jmodel_at* at, const jmodel_node* map) {
  const jmodel_node* class_ = jmodel_node_find(map, "class");
  const jmodel_node* roughness = jmodel_node_find(map, "roughness");
  if (class_ && roughness) {
    jmodel_mistake(at, roughness->key_place, "roughness: the class says it already");
  }
  if (class_) {
    int which = jmodel_word_at(at, class_, "class", classes);
    return roughness_of(which > 0 ? which : 0);
  }
  if (!roughness) {
    jmodel_mistake(at, map->place, "a class, A ... H, or a roughness is needed");
    return 0.0;
  }
  return jmodel_get_double(at, map, "roughness", 0.0);
}

static bool is_seed(double seed) {
  return seed >= 0.0 && seed <= MOST_SEED && seed == floor(seed);
}

static void check_random(const jmodel_at* at, const jmodel_node* map, const jroad_random* r,
                         double track, double seed) {
  const struct {
    const char* key;
    bool ok;
    const char* rule;
  } rules[] = {{"roughness", r->roughness >= 0.0, "must not be negative"},
               {"length", r->length > 0.0, "must be above zero"},
               {"ramp", r->ramp > 0.0 && 2.0 * r->ramp <= r->length,
                "must be above zero and at most half of the length"},
               {"coherence", r->coherence >= 0.0, "must not be negative"},
               {"track", track > 0.0, "must be above zero"},
               {"seed", is_seed(seed), "must be a whole number from 0 to 2^53"}};
  for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
    const jmodel_node* node = jmodel_node_find(map, rules[i].key);
    if (!rules[i].ok) {
      jmodel_mistake(at, node ? node->place : map->place, "%s %s", rules[i].key, rules[i].rule);
    }
  }
}

static void read_random(road_reader* k, const jmodel_node* map) {
  jmodel_at at = {k->r, "road", "iso8608", "road.iso8608"};
  if (!jmodel_is(&at, map, JMODEL_NODE_MAP, "iso8608")) return;
  jmodel_check_keys(&at, map, random_keys);
  double track = jmodel_get_double(&at, map, "track", TRACK);
  double seed = jmodel_get_double(&at, map, "seed", 1.0);
  jroad_random random = {.roughness = read_roughness(&at, map),
                         .coherence = jmodel_get_double(&at, map, "coherence", COHERENCE),
                         .length = need_double(&at, map, "length")};
  random.ramp = jmodel_get_double(&at, map, "ramp", fmin(RAMP, 0.5 * random.length));
  const jmodel_node* tracks = jmodel_node_find(map, "tracks");
  bool one = tracks && jmodel_word_at(&at, tracks, "tracks", counts) == 0;
  int mistakes = k->r->nmistake;
  check_random(&at, map, &random, track, seed);
  jmodel_road_part* p = new_part(k, JMODEL_ROAD_TABLE, &at);
  jroad_source* s = new_sources(k, 1);
  double* v = JMODEL_ARRAY(k->r, 2, double);
  if (!p || !s || !v || k->r->nmistake > mistakes) {
    if (s) k->nsource--;
    return;
  }
  random.seed = (uint64_t)seed;
  v[0] = -0.5 * track;
  v[1] = 0.5 * track;
  *s = (jroad_source){.is_random = true,
                      .degree = 3,
                      .across = JROAD_BLEND,
                      .nv = one ? 1 : 2,
                      .du = JROAD_RANDOM_SPACING,
                      .v = v,
                      .random = random};
  p->table = k->nsource - 1;
  take(&at, map, "start", JMODEL_ROAD_START, p);
  take(&at, map, "scale", JMODEL_ROAD_SCALE, p);
}

// ---- blocks --------------------------------------------------------------------------------------

static const jmodel_key blocks_keys[] = {
    {JMODEL_KEY_NUMBER("start")},       {JMODEL_KEY_NUMBER("length"), .is_needed = true},
    {JMODEL_KEY_NUMBER("width")},       {JMODEL_KEY_NUMBER("stone_length")},
    {JMODEL_KEY_NUMBER("stone_width")}, {JMODEL_KEY_NUMBER("height")},
    {JMODEL_KEY_NUMBER("scatter")},     {JMODEL_KEY_NUMBER("seed")},
    {JMODEL_KEY_NUMBER("scale")},       {0}};

static void read_blocks(road_reader* k, const jmodel_node* map) {
  jmodel_at at = {k->r, "road", "blocks", "road.blocks"};
  if (!jmodel_is(&at, map, JMODEL_NODE_MAP, "blocks")) return;
  jmodel_check_keys(&at, map, blocks_keys);
  jroad_blocks b = {.length = need_double(&at, map, "length"),
                    .width = jmodel_get_double(&at, map, "width", 3.0),
                    .stone_length = jmodel_get_double(&at, map, "stone_length", 0.12),
                    .stone_width = jmodel_get_double(&at, map, "stone_width", 0.16),
                    .height = jmodel_get_double(&at, map, "height", 0.015),
                    .scatter = jmodel_get_double(&at, map, "scatter", 1.0)};
  double seed = jmodel_get_double(&at, map, "seed", 1.0);
  const struct {
    const char* key;
    bool ok;
    const char* rule;
  } rules[] = {
      {"length", b.length > 0.0, "must be above zero"},
      {"width", b.width > 0.0, "must be above zero"},
      {"stone_length", b.stone_length > 0.0, "must be above zero"},
      {"stone_width", b.stone_width > 0.0, "must be above zero"},
      {"scatter", b.scatter >= 0.0 && b.scatter <= 2.0, "must lie between 0 and 2"},
      {"seed", is_seed(seed), "must be a whole number from 0 to 2^53"},
      {"length", 64.0 * (b.length / b.stone_length + 1.0) * (b.width / b.stone_width + 1.0) < 1e7,
       "and width make more than 10 million heights"}};
  for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
    const jmodel_node* node = jmodel_node_find(map, rules[i].key);
    if (rules[i].ok) continue;
    jmodel_mistake(&at, node ? node->place : map->place, "%s %s", rules[i].key, rules[i].rule);
    return;
  }
  b.seed = (uint64_t)seed;
  jroad_source source;
  if (jroad_make_blocks(k->r->ctx, &k->r->m->arena, &b, &source) < 0) {
    k->r->oom = true;
    return;
  }
  jmodel_road_part* p = new_part(k, JMODEL_ROAD_TABLE, &at);
  jroad_source* s = new_sources(k, 1);
  if (!p || !s) return;
  *s = source;
  p->table = k->nsource - 1;
  take(&at, map, "start", JMODEL_ROAD_START, p);
  take(&at, map, "scale", JMODEL_ROAD_SCALE, p);
}

// ---- files ---------------------------------------------------------------------------------------

// The text of a file found from the one that names it; part of the model.
static bool read_file(const jmodel_at* at, const jmodel_node* node, jroad_text* out) {
  jmodel_reader* r = at->r;
  if (!jmodel_is(at, node, JMODEL_NODE_TEXT, "file")) return false;
  out->path = jfile_beside(&r->m->arena, node->place.file, node->text);
  if (!out->path) {
    jmodel_out_of_memory(r);
    return false;
  }
  char* text;
  bool is_there = jfile_exists(out->path);
  jo_status status = is_there
                         ? jfile_read(r->ctx, &r->scratch, out->path, MAX_BYTES, &text, &out->size)
                         : JO_ERR_FILE;
  if (status == JO_ERR_MEMORY) r->oom = true;
  if (status < 0) {
    jmodel_mistake(at, node->place, "file: '%.200s' %s", node->text,
                   is_there ? "cannot be read" : "is no file beside this one");
    return false;
  }
  jsha256_add(&r->sha, text, out->size);
  out->text = text;
  return true;
}

static bool accept(const jmodel_at* at, const jmodel_node* node, jo_status status) {
  if (status == JO_ERR_MEMORY) at->r->oom = true;
  if (status < 0) jmodel_mistake(at, node->place, "file: '%.200s' cannot be used", node->text);
  return status >= 0;
}

static const char* const interpolations[] = {"cubic", "linear", NULL};
static const char* const ends[] = {"keep", "zero", "repeat", "reflect", NULL};
static const jmodel_key profile_keys[] = {{JMODEL_KEY_TEXT("file"), .is_needed = true},
                                          {JMODEL_KEY_WORD("interpolation", interpolations)},
                                          {JMODEL_KEY_NUMBER("track")},
                                          {JMODEL_KEY_WORD("ends", ends)},
                                          {JMODEL_KEY_NUMBER("start")},
                                          {JMODEL_KEY_NUMBER("scale")},
                                          {0}};
static const jmodel_key grid_keys[] = {{JMODEL_KEY_TEXT("file"), .is_needed = true},
                                       {JMODEL_KEY_WORD("interpolation", interpolations)},
                                       {JMODEL_KEY_NUMBER("scale")},
                                       {0}};

// The node of the file: `profile: name` or `profile: {file: name}`.
static const jmodel_node* file_of(const jmodel_at* at, const jmodel_node* node,
                                  const jmodel_key* keys) {
  if (node->kind == JMODEL_NODE_TEXT) return node;
  if (!jmodel_is(at, node, JMODEL_NODE_MAP, at->name)) return NULL;
  jmodel_check_keys(at, node, keys);
  return jmodel_need(at, node, "file");
}

static bool is_linear(const jmodel_at* at, const jmodel_node* map) {
  const jmodel_node* node = jmodel_node_find(map, "interpolation");
  return node && jmodel_word_at(at, node, "interpolation", interpolations) == 1;
}

static void read_profile(road_reader* k, const jmodel_node* node) {
  static const jroad_ends which[] = {JROAD_KEEP, JROAD_ZERO, JROAD_REPEAT, JROAD_REFLECT};
  jmodel_at at = {k->r, "road", "profile", "road.profile"};
  const jmodel_node* file = file_of(&at, node, profile_keys);
  jroad_text text;
  if (!file || !read_file(&at, file, &text)) return;
  double track = jmodel_get_double(&at, node, "track", TRACK);
  if (!(track > 0.0)) jmodel_mistake(&at, node->place, "track must be above zero");
  jroad_source source;
  if (!accept(&at, file, jroad_read_profile(k->r->ctx, &k->r->m->arena, &text, track, &source))) {
    return;
  }
  if (is_linear(&at, node)) {
    source.degree = 1;
    if (source.across == JROAD_SMOOTH) source.across = JROAD_STRAIGHT;
  }
  const jmodel_node* end = jmodel_node_find(node, "ends");
  int word = end ? jmodel_word_at(&at, end, "ends", ends) : 0;
  if (word > 0) source.ends = which[word];
  jmodel_road_part* p = new_part(k, JMODEL_ROAD_TABLE, &at);
  jroad_source* s = new_sources(k, 1);
  if (!p || !s) return;
  *s = source;
  p->table = k->nsource - 1;
  take(&at, node, "start", JMODEL_ROAD_START, p);
  take(&at, node, "scale", JMODEL_ROAD_SCALE, p);
}

static void read_grid(road_reader* k, const jmodel_node* node) {
  jmodel_at at = {k->r, "road", "crg", "road.crg"};
  const jmodel_node* file = file_of(&at, node, grid_keys);
  jroad_text text;
  if (!file || !read_file(&at, file, &text)) return;
  jroad_source source[JROAD_CRG_TABLES];
  if (!accept(&at, file, jroad_read_crg(k->r->ctx, &k->r->m->arena, &text, source))) return;
  if (is_linear(&at, node)) {
    source[JROAD_CRG_GRID].degree = 1;
    source[JROAD_CRG_GRID].across = JROAD_STRAIGHT;
  }
  jmodel_road_part* p = new_part(k, JMODEL_ROAD_GRID, &at);
  jroad_source* s = new_sources(k, JROAD_CRG_TABLES);
  if (!p || !s) return;
  memcpy(s, source, sizeof source);
  p->table = k->nsource - JROAD_CRG_TABLES;
  take(&at, node, "scale", JMODEL_ROAD_SCALE, p);
}

// ---- sines and obstacles -------------------------------------------------------------------------

static const char* const sides[] = {"both", "left", "right", NULL};
#define ACROSS_KEYS                                     \
  {JMODEL_KEY_WORD("side", sides)}, {                   \
    JMODEL_KEY_LIST("across", jmodel_form_number, 2, 2) \
  }

// Where it is across the road: `side: left`, right or both, or `across: [from, to]`.
static void read_side(const jmodel_at* at, const jmodel_node* map, jmodel_road_part* p) {
  const jmodel_node* side = jmodel_node_find(map, "side");
  const jmodel_node* across = jmodel_node_find(map, "across");
  if (side && across) {
    jmodel_mistake(at, across->key_place, "across: the side says it already");
    return;
  }
  int which = side ? jmodel_word_at(at, side, "side", sides) : 0;
  if (which > 0) {
    jmodel_road_value limit = which == 1 ? JMODEL_ROAD_RIGHT : JMODEL_ROAD_LEFT;
    p->value[limit] = jmodel_constant("0", side->place);
    p->given[limit] = true;
  }
  if (!across || !jmodel_is(at, across, JMODEL_NODE_LIST, "across")) return;
  if (across->n != 2) {
    jmodel_mistake(at, across->place, "across needs two places y, right and left, got %d",
                   across->n);
    return;
  }
  const jmodel_node* c = across->first;
  for (int i = 0; i < 2; i++, c = c->next) {
    int limit = JMODEL_ROAD_RIGHT + i;
    p->value[limit] =
        jmodel_scalar_at(at, c, "across", jmodel_format(at->r, "%s.across[%d]", at->path, i),
                         JMODEL_SCOPE_PARAMETERS);
    p->given[limit] = true;
  }
}

static const jmodel_key sine_keys[] = {{JMODEL_KEY_NUMBER("amplitude"), .is_needed = true},
                                       {JMODEL_KEY_NUMBER("wavelength"), .is_needed = true},
                                       {JMODEL_KEY_NUMBER("phase")},
                                       ACROSS_KEYS,
                                       {0}};
static const jmodel_key sine_form = {.is = JMODEL_A_MAP, .keys = sine_keys};

static void read_sine(road_reader* k, const jmodel_node* node) {
  jmodel_at at = {k->r, "sine", jmodel_keep(k->r, node->key), NULL};
  at.path = jmodel_format(k->r, "road.sines.%s", at.name);
  if (!jmodel_name_ok(&at, node) || !jmodel_is(&at, node, JMODEL_NODE_MAP, "it")) return;
  jmodel_check_keys(&at, node, sine_keys);
  jmodel_road_part* p = new_part(k, JMODEL_ROAD_SINE, &at);
  if (!p) return;
  need(&at, node, "amplitude", JMODEL_ROAD_HEIGHT, p);
  need(&at, node, "wavelength", JMODEL_ROAD_LENGTH, p);
  take(&at, node, "phase", JMODEL_ROAD_PHASE, p);
  read_side(&at, node, p);
}

static bool literal(const jmodel_reader* r, const jmodel_scalar* s, double* value) {
  if (s->number < 0) return false;
  *value = r->m->number[s->number].value;
  return true;
}

static const char* const shapes[] = {
#define X(id, name) name,
    JMODEL_OBSTACLE_LIST(X)
#undef X
        NULL};
static const jmodel_key obstacle_keys[] = {{JMODEL_KEY_WORD("kind", shapes), .is_needed = true},
                                           {JMODEL_KEY_NUMBER("at"), .is_needed = true},
                                           {JMODEL_KEY_NUMBER("length")},
                                           {JMODEL_KEY_NUMBER("height"), .is_needed = true},
                                           {JMODEL_KEY_NUMBER("edge")},
                                           ACROSS_KEYS,
                                           {JMODEL_KEY_NUMBER("first_wavelength")},
                                           {JMODEL_KEY_NUMBER("last_wavelength")},
                                           {JMODEL_KEY_DESCRIPTION},
                                           {0}};
static const jmodel_key obstacle_form = {.is = JMODEL_A_MAP, .keys = obstacle_keys};

static void read_obstacle(road_reader* k, const jmodel_node* node) {
  jmodel_at at = {k->r, "obstacle", jmodel_keep(k->r, node->key), NULL};
  at.path = jmodel_format(k->r, "road.obstacles.%s", at.name);
  if (!jmodel_name_ok(&at, node) || !jmodel_is(&at, node, JMODEL_NODE_MAP, "it")) return;
  jmodel_check_keys(&at, node, obstacle_keys);
  const jmodel_node* kind = jmodel_need(&at, node, "kind");
  int shape = kind ? jmodel_word_at(&at, kind, "kind", shapes) : -1;
  jmodel_road_part* p = shape < 0 ? NULL : new_part(k, JMODEL_ROAD_OBSTACLE, &at);
  if (!p) return;
  p->shape = (jmodel_obstacle)shape;
  need(&at, node, "at", JMODEL_ROAD_START, p);
  need(&at, node, "height", JMODEL_ROAD_HEIGHT, p);
  if (shape == JMODEL_OBSTACLE_KERB) {
    take(&at, node, "length", JMODEL_ROAD_LENGTH, p);
  } else {
    need(&at, node, "length", JMODEL_ROAD_LENGTH, p);
  }
  take(&at, node, "edge", JMODEL_ROAD_EDGE, p);
  if (shape == JMODEL_OBSTACLE_SWEEP) {
    need(&at, node, "first_wavelength", JMODEL_ROAD_FIRST_WAVE, p);
    need(&at, node, "last_wavelength", JMODEL_ROAD_LAST_WAVE, p);
  } else if (jmodel_node_find(node, "first_wavelength") ||
             jmodel_node_find(node, "last_wavelength")) {
    jmodel_mistake(&at, node->place, "wavelengths are of a sweep");
  }
  bool has_edge = shape != JMODEL_OBSTACLE_COSINE && shape != JMODEL_OBSTACLE_HALF_ROUND;
  if (p->given[JMODEL_ROAD_EDGE] && !has_edge) {
    jmodel_mistake(&at, node->place, "edge: a %s has none", shapes[shape]);
  }
  double length = 0.0, height = 0.0, edge = 0.0;
  bool known = literal(k->r, &p->value[JMODEL_ROAD_LENGTH], &length);
  if (shape == JMODEL_OBSTACLE_HALF_ROUND && known &&
      literal(k->r, &p->value[JMODEL_ROAD_HEIGHT], &height) && !(2.0 * fabs(height) < length)) {
    jmodel_mistake(&at, node->place, "height must be less than half of the length: it is an arc");
  }
  if (p->given[JMODEL_ROAD_EDGE] && p->given[JMODEL_ROAD_LENGTH] && known &&
      literal(k->r, &p->value[JMODEL_ROAD_EDGE], &edge) && !(2.0 * edge <= length)) {
    jmodel_mistake(&at, node->place, "edge must be at most half of the length");
  }
  read_side(&at, node, p);
}

static void read_sines(road_reader* k, const jmodel_node* map) {
  jmodel_at at = {k->r, "road", NULL, "road"};
  if (!jmodel_is(&at, map, JMODEL_NODE_MAP, "sines")) return;
  for (const jmodel_node* c = map->first; c && !k->r->oom; c = c->next) {
    read_sine(k, c);
  }
}

static void read_obstacles(road_reader* k, const jmodel_node* map) {
  jmodel_at at = {k->r, "road", NULL, "road"};
  if (!jmodel_is(&at, map, JMODEL_NODE_MAP, "obstacles")) return;
  for (const jmodel_node* c = map->first; c && !k->r->oom; c = c->next) {
    read_obstacle(k, c);
  }
}

// ---- the road ------------------------------------------------------------------------------------

static const jmodel_key road_keys[] = {
    {JMODEL_KEY_NUMBER("height")},
    {JMODEL_KEY_MAP("iso8608", random_keys)},
    {JMODEL_KEY_MAP("blocks", blocks_keys)},
    {.name = "profile", .is = JMODEL_A_TEXT | JMODEL_A_MAP, .keys = profile_keys},
    {.name = "crg", .is = JMODEL_A_TEXT | JMODEL_A_MAP, .keys = grid_keys},
    {JMODEL_KEY_BY_NAME("sines", sine_form)},
    {JMODEL_KEY_BY_NAME("obstacles", obstacle_form)},
    {JMODEL_KEY_DESCRIPTION},
    {0}};
const jmodel_key jmodel_section_road = {.name = "road",
                                        .is = JMODEL_A_NUMBER | JMODEL_A_MAP,
                                        .keys = road_keys,
                                        .about = "Height of the ground [m] of x, y, t"};

static const struct {
  const char* key;
  void (*read)(road_reader* k, const jmodel_node* node);
} kinds[] = {{"iso8608", read_random}, {"blocks", read_blocks}, {"profile", read_profile},
             {"crg", read_grid},       {"sines", read_sines},   {"obstacles", read_obstacles}};

static bool read_kinds(road_reader* k, const jmodel_node* road) {
  bool any = false;
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    const jmodel_node* node = jmodel_node_find(road, kinds[i].key);
    if (!node) continue;
    any = true;
    kinds[i].read(k, node);
  }
  return any;
}

static void build(const jmodel_at* at, road_reader* k, jmodel_place place) {
  jmodel* m = at->r->m;
  m->nroad_source = k->nsource;
  m->road_source = k->source;
  if (k->nsource == 0 || at->r->nmistake > 0 || !has_room(at, k, place)) return;
  jroad_surface* surface;
  jo_status status = jroad_build(at->r->ctx, &m->arena, k->source, k->nsource, &surface);
  if (status < 0) {
    at->r->oom = true;
  } else {
    m->road_surface = surface;
  }
}

void jmodel_read_road(jmodel_reader* r, const jmodel_node* root) {
  jmodel* m = r->m;
  const jmodel_node* road = jmodel_node_find(root, "road");
  m->has_road = road != NULL;
  m->road = jmodel_constant("0", root->place);
  jmodel_at at = {r, "road", NULL, "road"};
  if (!road) return;
  if (road->kind != JMODEL_NODE_MAP) {
    m->road = jmodel_scalar_at(&at, road, "height", "road.height", JMODEL_SCOPE_ANY);
    return;
  }
  jmodel_check_keys(&at, road, road_keys);
  road_reader k = {.r = r};
  bool any = read_kinds(&k, road);
  if (!any || jmodel_node_find(road, "height")) {
    jmodel_need_scalar(&at, road, "height", JMODEL_SCOPE_ANY, &m->road);
  }
  build(&at, &k, road->place);
}
