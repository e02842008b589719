// SPDX-License-Identifier: Apache-2.0
// Reading .tir files. Sections and their order do not matter but for [UNITS], whose MASS is not that of
// [INERTIA]; keys and words are taken in either case; tables, as that of [SHAPE], are passed over.
#include "model/tyre/tir.h"

#include <math.h>
#include <string.h>

#include "base/err.h"
#include "base/system/file.h"
#include "base/text/format.h"
#include "base/text/text.h"
#include "base/text/text_file.h"
#include "model/read/reader.h"

#define MAX_BYTES    ((size_t)1 << 20)
#define END_OF_FILE  '\x1a'  // behind the last line of files from DOS
#define MAX_MISTAKES 20
#define MAX_WORD     64

// ---- coefficients --------------------------------------------------------------------------------

// Exponents of length, force, angle, time; SI unit.
#define DIM_NONE       "-", 0, 0, 0, 0
#define DIM_LENGTH     "m", 1, 0, 0, 0
#define DIM_FORCE      "N", 0, 1, 0, 0
#define DIM_ANGLE      "rad", 0, 0, 1, 0
#define DIM_STIFFNESS  "N/m", -1, 1, 0, 0
#define DIM_DAMPING    "N s/m", -1, 1, 0, 1
#define DIM_SPEED      "m/s", 1, 0, 0, -1
#define DIM_PRESSURE   "Pa", -2, 1, 0, 0
#define DIM_PER_LENGTH "1/m", -1, 0, 0, 0
#define DIM_PER_AREA   "1/m^2", -2, 0, 0, 0

typedef struct dimension {
  const char* unit;
  int exponent[4];
} dimension;

#define UNIT_OF(unit, l, f, a, t) unit
#define DIMENSION_OF(unit, l, f, a, t) \
  {                                    \
    unit, {                            \
      l, f, a, t                       \
    }                                  \
  }
#define EXPAND(macro, dim) macro(dim)

const jmodel_tir_info jmodel_tir_table[JTIR_COUNT] = {
#define TIR(name, otherwise, dim, group, range) \
  {#name, otherwise, EXPAND(UNIT_OF, DIM_##dim), JTIR_GROUP_##group, JTIR_##range},
#include "model/tyre/tir.def"
};

const char* const jmodel_tir_names[] = {
#define TIR(name, otherwise, dim, group, range) #name,
#include "model/tyre/tir.def"
    NULL};

const char* const jmodel_tir_scales[] = {
#define TIR(name, otherwise, dim, group, range) JTIR_GROUP_##group == JTIR_GROUP_SCALE ? #name : "",
#include "model/tyre/tir.def"
    NULL};

static const dimension dimensions[JTIR_COUNT] = {
#define TIR(name, otherwise, dim, group, range) EXPAND(DIMENSION_OF, DIM_##dim),
#include "model/tyre/tir.def"
};

// What such files also have and the equations do not use: texts of the head, solvers of other programs,
// inertia, ellipsoids, turn slip, bottoming.
static const char* const passed_over[] = {"FILE_TYPE",
                                          "FILE_VERSION",
                                          "FILE_FORMAT",
                                          "PROPERTY_FILE_FORMAT",
                                          "USER_SUB_ID",
                                          "N_TIRE_STATES",
                                          "USE_MODE",
                                          "HMAX_LOCAL",
                                          "COMMENT",
                                          "COMMENTS",
                                          "TIME_SWITCH_INTEG",
                                          "ROAD_INCREMENT",
                                          "MESSAGES",
                                          "ROAD_DIRECTION",
                                          "CONTACT_MODEL",
                                          "FUNCTION_NAME",
                                          "FITTYP",
                                          "TYRESIDE",
                                          "FE_METHOD",
                                          "MASS",
                                          "IXX",
                                          "IYY",
                                          "BELT_MASS",
                                          "BELT_IXX",
                                          "BELT_IYY",
                                          "GRAVITY",
                                          "MC_CONTOUR_A",
                                          "MC_CONTOUR_B",
                                          "Q_CAM",
                                          "BOTTOM_OFFST",
                                          "BOTTOM_STIFF",
                                          "YAW_STIFFNESS",
                                          "FREQ_LONG",
                                          "FREQ_LAT",
                                          "FREQ_YAW",
                                          "FREQ_WINDUP",
                                          "DAMP_LONG",
                                          "DAMP_LAT",
                                          "DAMP_YAW",
                                          "DAMP_WINDUP",
                                          "DAMP_RESIDUAL",
                                          "DAMP_VLOW",
                                          "Q_BVX",
                                          "Q_BVT",
                                          "PCMZ1",
                                          "ELLIPS_SHIFT",
                                          "ELLIPS_LENGTH",
                                          "ELLIPS_HEIGHT",
                                          "ELLIPS_ORDER",
                                          "ELLIPS_NWIDTH",
                                          "ELLIPS_MAX_STEP",
                                          "ELLIPS_NLENGTH",
                                          "ELLIPS_INC",
                                          "ENV_C1",
                                          "ENV_C2",
                                          "Q_A1",
                                          "Q_A2",
                                          "LGYR",
                                          "LMP",
                                          "QTZ1",
                                          "MBELT",
                                          "QTY1",
                                          "SWITCH_INTEG",
                                          "TIRE_MODEL",
                                          "PDXP1",
                                          "PDXP2",
                                          "PDXP3",
                                          "PKYP1",
                                          "PDYP1",
                                          "PDYP2",
                                          "PDYP3",
                                          "PDYP4",
                                          "PHYP1",
                                          "PHYP2",
                                          "PHYP3",
                                          "PHYP4",
                                          "PECP1",
                                          "PECP2",
                                          "QDTP1",
                                          "QCRP1",
                                          "QCRP2",
                                          "QBRP1",
                                          "QDRP1",
                                          NULL};

static char upper(char c) {
  return c >= 'a' && c <= 'z' ? (char)(c - 'a' + 'A') : c;
}

static bool is_same(const char* a, const char* b) {
  while (*a && upper(*a) == upper(*b)) {
    a++;
    b++;
  }
  return upper(*a) == upper(*b);
}

static int find_word(const char* const* list, const char* word) {
  for (int i = 0; list[i]; i++) {
    if (is_same(list[i], word)) return i;
  }
  return -1;
}

int jmodel_tir_find(const char* name) {
  for (int i = 0; i < JTIR_COUNT; i++) {
    if (is_same(jmodel_tir_table[i].name, name)) return i;
  }
  return -1;
}

const char* jmodel_tir_guess(const char* name) {
  jmodel_guess guess = jmodel_guess_begin(name);
  for (int i = 0; i < JTIR_COUNT; i++) {
    jmodel_guess_add(&guess, jmodel_tir_table[i].name);
  }
  return guess.best;
}

const char* jmodel_tir_version_name(jmodel_tir_version v) {
  static const char* const name[] = {"MF 5.2", "MF 6.1", "MF 6.2"};
  return name[v];
}

// ---- lines ---------------------------------------------------------------------------------------

typedef struct reader {
  jo_context* ctx;
  const char* path;
  jmodel_tir* t;
  int line, nmistake;
  char section[MAX_WORD];
  bool in_table;
  double scale[4];  // of length, force, angle, time, to SI
  int fittyp, fittyp_line;
} reader;

#define MISTAKE(r, at_line, ...)                                                              \
  do {                                                                                        \
    char cause_[300];                                                                         \
    jformat(cause_, sizeof cause_, __VA_ARGS__);                                              \
    if ((r)->nmistake++ < MAX_MISTAKES)                                                       \
      jerr_set((r)->ctx, JO_ERR_MODEL, "%s:%d: %s", (r)->path, (at_line) > 0 ? (at_line) : 1, \
               cause_);                                                                       \
  } while (0)

static bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\f';
}

// The text between `s` and `end`, without blanks around it; false: it is longer than a word may be.
static bool trim(const char* s, const char* end, char word[MAX_WORD]) {
  while (s < end && is_blank(*s))
    s++;
  while (end > s && is_blank(end[-1]))
    end--;
  size_t n = (size_t)(end - s);
  if (n >= MAX_WORD) n = MAX_WORD - 1;
  for (size_t i = 0; i < n; i++) {
    word[i] = (unsigned char)s[i] < 0x20 || s[i] == 0x7f ? '?' : s[i];
  }
  word[n] = '\0';
  return (size_t)(end - s) < MAX_WORD;
}

// [+-]digits, with a point anywhere, [e[+-]digits]
static bool read_number(const char* word, double* value) {
  double sign = *word == '-' ? -1.0 : 1.0;
  if (*word == '-' || *word == '+') word++;
  size_t n = strlen(word);
  if (n == 0 || jtext_scan_number(word, n, value) != n) return false;
  *value *= sign;
  return isfinite(*value);
}

// ---- values --------------------------------------------------------------------------------------

typedef struct unit {
  const char* name;
  double factor;
} unit;

static const unit lengths[] = {{"meter", 1},         {"metre", 1},       {"m", 1},
                               {"millimeter", 1e-3}, {"mm", 1e-3},       {"centimeter", 1e-2},
                               {"cm", 1e-2},         {"kilometer", 1e3}, {"km", 1e3},
                               {"inch", 0.0254},     {"in", 0.0254},     {"foot", 0.3048},
                               {"ft", 0.3048},       {NULL, 0}};
static const unit forces[] = {{"newton", 1},
                              {"n", 1},
                              {"kilonewton", 1e3},
                              {"kn", 1e3},
                              {"millinewton", 1e-3},
                              {"kilogram_force", 9.80665},
                              {"kgf", 9.80665},
                              {"kpound_force", 4448.2216152605},
                              {"klbf", 4448.2216152605},
                              {"pound_force", 4.4482216152605},
                              {"lbf", 4.4482216152605},
                              {NULL, 0}};
static const unit angles[] = {{"radian", 1},
                              {"radians", 1},
                              {"rad", 1},
                              {"degree", 0.017453292519943295},
                              {"degrees", 0.017453292519943295},
                              {"deg", 0.017453292519943295},
                              {NULL, 0}};
static const unit times[] = {{"second", 1}, {"sec", 1},     {"s", 1},    {"millisecond", 1e-3},
                             {"ms", 1e-3},  {"minute", 60}, {"min", 60}, {"hour", 3600},
                             {"h", 3600},   {NULL, 0}};
static const unit masses[] = {{"kg", 1},         {"kilogram", 1}, {"gram", 1},       {"g", 1},
                              {"tonne", 1},      {"megagram", 1}, {"pound_mass", 1}, {"lbm", 1},
                              {"ounce_mass", 1}, {"slug", 1},     {NULL, 0}};

static void take_unit(reader* r, const char* key, const char* word) {
  static const char* const keys[] = {"LENGTH", "FORCE", "ANGLE", "TIME", "MASS", NULL};
  static const unit* const lists[] = {lengths, forces, angles, times, masses};
  int k = find_word(keys, key);
  if (k < 0) {
    jerr_warn(r->ctx, "%s:%d: [UNITS] of LENGTH, FORCE, ANGLE, MASS and TIME are known, not '%s'",
              r->path, r->line, key);
    return;
  }
  for (int i = 0; lists[k][i].name; i++) {
    if (!is_same(lists[k][i].name, word)) continue;
    if (k < 4) r->scale[k] = lists[k][i].factor;
    return;
  }
  MISTAKE(r, r->line, "%s: unit '%s' is not known", keys[k], word);
}

static void take_side(reader* r, const char* word) {
  static const char* const sides[] = {"LEFT", "RIGHT", "SYMMETRIC", "UNKNOWN", NULL};
  int k = find_word(sides, word);
  if (k < 0) {
    MISTAKE(r, r->line, "TYRESIDE is '%s'; it must be LEFT, RIGHT or SYMMETRIC", word);
    return;
  }
  r->t->side = k < 3 ? (jmodel_tir_side)(k + 1) : JTIR_NO_SIDE;
}

static void take_format(reader* r, const char* word) {
  static const char* const known[] = {"PAC2002", "PAC2002_TIRE", "USER", "MF_05",   "MF52",
                                      "MF5.2",   "MF-TYRE",      "MF61", "MF-TIRE", NULL};
  if (find_word(known, word) >= 0) return;
  MISTAKE(r, r->line,
          "PROPERTY_FILE_FORMAT '%s' is no Magic Formula 5.2, 6.1 or 6.2; it must be PAC2002, "
          "or USER with FITTYP",
          word);
}

static void take_coefficient(reader* r, int i, const char* word) {
  jmodel_tir* t = r->t;
  double value;
  if (!read_number(word, &value)) {
    MISTAKE(r, r->line, "%s is '%s', which is no number", jmodel_tir_table[i].name, word);
    return;
  }
  if (t->line[i] > 0) {
    jerr_warn(r->ctx, "%s:%d: %s stands in line %d too; this one counts", r->path, r->line,
              jmodel_tir_table[i].name, t->line[i]);
  }
  t->value[i] = value;
  t->line[i] = r->line;
}

static void take_unknown(reader* r, const char* key) {
  const char* best = jmodel_tir_guess(key);
  jerr_warn(r->ctx, "%s:%d: '%s' is not known and not used%s%s%s", r->path, r->line, key,
            best ? "; did you mean '" : "", best ? best : "", best ? "'?" : "");
}

static void take_value(reader* r, const char* key, const char* word) {
  double value;
  int i = jmodel_tir_find(key);
  if (is_same(r->section, "UNITS")) {
    take_unit(r, key, word);
  } else if (i >= 0) {
    take_coefficient(r, i, word);
  } else if (is_same(key, "FITTYP")) {
    r->fittyp_line = r->line;
    r->fittyp = read_number(word, &value) && fabs(value) < 1000.0 && value == floor(value)
                    ? (int)value
                    : -1;
    if (r->fittyp < 0) MISTAKE(r, r->line, "FITTYP is '%s', which is no version", word);
  } else if (is_same(key, "TYRESIDE")) {
    take_side(r, word);
  } else if (is_same(key, "PROPERTY_FILE_FORMAT")) {
    take_format(r, word);
  } else if (is_same(key, "FE_METHOD")) {
    if (!is_same(word, "YES") && !is_same(word, "NO")) {
      MISTAKE(r, r->line, "FE_METHOD is '%s'; it must be YES or NO", word);
    }
    r->t->method = is_same(word, "YES");
  } else if (find_word(passed_over, key) < 0) {
    take_unknown(r, key);
  }
}

// ---- parsing -------------------------------------------------------------------------------------

// Where the value of a line ends: at a comment outside of quotes. *quote: one is open.
static const char* end_of_value(const char* s, const char* end, bool* open) {
  char quote = '\0';
  for (; s < end; s++) {
    if (quote) {
      if (*s == quote) quote = '\0';
    } else if (*s == '\'' || *s == '"') {
      quote = *s;
    } else if (*s == '$' || *s == '!') {
      break;
    }
  }
  *open = quote != '\0';
  return s;
}

static bool is_table_row(const char* s, const char* end) {
  for (; s < end; s++) {
    if (!is_blank(*s) && !strchr("0123456789+-.eE,", *s)) return false;
  }
  return true;
}

static void read_section(reader* r, const char* s, const char* end) {
  const char* close = memchr(s, ']', (size_t)(end - s));
  r->in_table = false;
  if (!close || !trim(s + 1, close, r->section) || !r->section[0]) {
    MISTAKE(r, r->line, "a section needs a name in brackets");
    return;
  }
  bool open;
  char rest[MAX_WORD];
  trim(close + 1, end_of_value(close + 1, end, &open), rest);
  if (rest[0]) MISTAKE(r, r->line, "'%s' behind the name of the section", rest);
}

static void read_pair(reader* r, const char* s, const char* end) {
  const char* equal = memchr(s, '=', (size_t)(end - s));
  char key[MAX_WORD], word[MAX_WORD];
  if (!equal) {
    trim(s, end, word);
    MISTAKE(r, r->line, "'%s' is no 'NAME = value', section or comment", word);
    return;
  }
  bool fits = trim(s, equal, key);
  if (!fits || !key[0] || strpbrk(key, " \t'\"")) {
    MISTAKE(r, r->line, "'%s' is no name", key);
    return;
  }
  bool open;
  const char* value_end = end_of_value(equal + 1, end, &open);
  fits = trim(equal + 1, value_end, word);
  size_t n = strlen(word);
  if (open) {
    MISTAKE(r, r->line, "%s: the quote is not closed", key);
  } else if (!fits) {
    if (jmodel_tir_find(key) >= 0) MISTAKE(r, r->line, "%s: the value is too long", key);
  } else if (n == 0) {
    jerr_notice(r->ctx, "%s:%d: %s is empty and taken as not given", r->path, r->line, key);
  } else {
    if (n >= 2 && (word[0] == '\'' || word[0] == '"') && word[n - 1] == word[0]) {
      trim(word + 1, word + n - 1, word);
    }
    take_value(r, key, word);
  }
}

static void read_line(reader* r, const char* s, const char* end) {
  while (s < end && is_blank(*s))
    s++;
  while (end > s && is_blank(end[-1]))
    end--;
  if (s == end || *s == '$' || *s == '!') return;
  if (*s == '[') {
    read_section(r, s, end);
  } else if (*s == '{') {
    r->in_table = true;
  } else if (r->in_table || is_same(r->section, "SHAPE")) {
    bool open;
    if (!is_table_row(s, end_of_value(s, end, &open))) {
      MISTAKE(r, r->line, "a row of a table needs numbers");
    }
  } else {
    read_pair(r, s, end);
  }
}

// ---- the whole -----------------------------------------------------------------------------------

static void find_version(reader* r) {
  switch (r->fittyp) {
    case 0:
    case 5:
    case 6:
    case 21:
    case 51:
    case 52: r->t->version = JTIR_52; break;
    case 60:
    case 61: r->t->version = JTIR_61; break;
    case 62: r->t->version = JTIR_62; break;
    case -1: break;
    default:
      MISTAKE(r, r->fittyp_line,
              "FITTYP %d is not known; it must be 5, 6 or 21 (MF 5.2), 60 or 61 (MF 6.1) or 62 "
              "(MF 6.2)",
              r->fittyp);
  }
}

static void convert(reader* r) {
  for (int i = 0; i < JTIR_COUNT; i++) {
    double factor = 1.0;
    for (int k = 0; k < 4; k++) {
      factor *= pow(r->scale[k], dimensions[i].exponent[k]);
    }
    if (r->t->line[i] > 0 && factor != 1.0) r->t->value[i] *= factor;
  }
}

jo_status jmodel_tir_parse(jo_context* ctx, jarena* a, const char* text, size_t n, const char* path,
                           jmodel_tir* out) {
  jmodel_tir t = {.path = jarena_strdup(a, path), .method = -1};
  if (!t.path) return jerr_memory(ctx);
  JO_TRY(jtext_open(ctx, path, &text, &n));
  reader r = {.ctx = ctx, .path = path, .t = &t, .scale = {1, 1, 1, 1}};
  for (int i = 0; i < JTIR_COUNT; i++) {
    t.value[i] = jmodel_tir_table[i].otherwise;
  }
  if (n > 0 && text[n - 1] == END_OF_FILE) n--;
  char ending = n > 0 && memchr(text, '\n', n) ? '\n' : '\r';  // alone in files of old Macs
  for (const char *s = text, *end = text + n; s < end;) {
    const char* stop = memchr(s, ending, (size_t)(end - s));
    if (!stop) stop = end;
    r.line++;
    read_line(&r, s, stop);
    s = stop + 1;
  }
  find_version(&r);
  convert(&r);
  if (r.nmistake > 0) return JO_ERR_MODEL;
  *out = t;
  return JO_OK;
}

jo_status jmodel_tir_read(jo_context* ctx, jarena* a, const char* path, jmodel_tir* out) {
  char* text;
  size_t n;
  JO_TRY(jfile_read(ctx, a, path, MAX_BYTES, &text, &n));
  return jmodel_tir_parse(ctx, a, text, n, path, out);
}
