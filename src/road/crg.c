// SPDX-License-Identifier: Apache-2.0
// OpenCRG files (ASAM OpenCRG 1.2): a reference line by its headings, and heights over the distance along it and off it.
// What is read: sections ROAD_CRG, KD_DEFINITION and ROAD_CRG_OPTS, and data as text (LRFI, LDFI) or binary (KRBI, KDBI).
// docs/theory/road.md (R11)-(R13)
#include <math.h>
#include <string.h>

#include "base/elementary.h"
#include "base/err.h"
#include "base/text/text.h"
#include "base/text/text_file.h"
#include "road/file.h"

#define MAX_CHANNELS 4000
#define MAX_ROWS     20000000

typedef enum section { NO_SECTION, COMMENT, ROAD, CHANNELS, OPTIONS, MODIFIERS, UNKNOWN } section;

// Numbers of the head, by their names in the file.
#define HEAD_LIST(X)                         \
  X(START_U, "reference_line_start_u")       \
  X(END_U, "reference_line_end_u")           \
  X(INCREMENT, "reference_line_increment")   \
  X(V_RIGHT, "long_section_v_right")         \
  X(V_LEFT, "long_section_v_left")           \
  X(V_INCREMENT, "long_section_v_increment") \
  X(START_S, "reference_line_start_s")       \
  X(START_B, "reference_line_start_b")       \
  X(START_X, "reference_line_start_x")       \
  X(START_Y, "reference_line_start_y")       \
  X(END_X, "reference_line_end_x")           \
  X(END_Y, "reference_line_end_y")           \
  X(OFFSET_X, "reference_line_offset_x")     \
  X(OFFSET_Y, "reference_line_offset_y")     \
  X(OFFSET_Z, "reference_line_offset_z")     \
  X(OFFSET_PHI, "reference_line_offset_phi") \
  X(START_PHI, "reference_line_start_phi")   \
  X(START_Z, "reference_line_start_z")       \
  X(END_Z, "reference_line_end_z")           \
  X(MODE_U, "border_mode_u")                 \
  X(MODE_V, "border_mode_v")                 \
  X(BORDER_OFFSET_U, "border_offset_u")      \
  X(BORDER_OFFSET_V, "border_offset_v")      \
  X(SMOOTH_BEGIN, "border_smooth_ubeg")      \
  X(SMOOTH_END, "border_smooth_uend")        \
  X(CONTINUATION, "refline_continuation")

typedef enum head {
#define X(id, name) id,
  HEAD_LIST(X)
#undef X
      HEAD_COUNT
} head;

static const char* const head_name[] = {
#define X(id, name) name,
    HEAD_LIST(X)
#undef X
};

typedef struct reader {
  jo_context* ctx;
  jarena* a;
  const jroad_text* f;
  size_t at;  // in the text
  int line;
  bool is_binary, is_double;
  double value[HEAD_COUNT];
  bool given[HEAD_COUNT];
  int nchannel, nheight, phi, slope, bank;  // channels; -1: none
  bool has_places;                          // of the long sections, by themselves
  int* height;                              // channels of the long sections, as they come
  double* v;
  int rows;
  double* data;  // rows x nchannel
} reader;

static jo_status wrong(const reader* r, const char* what) {
  return jerr_set(r->ctx, JO_ERR_SYNTAX, "%s:%d: %s", r->f->path, r->line, what);
}

// ---- the head ------------------------------------------------------------------------------------

typedef struct span {
  const char* s;
  size_t n;
} span;

static span next_line(reader* r) {
  const char *from = r->f->text + r->at, *stop = r->f->text + r->f->size;
  const char* newline = memchr(from, '\n', (size_t)(stop - from));
  const char* end = newline ? newline : stop;
  r->at = (size_t)(newline ? newline + 1 - r->f->text : stop - r->f->text);
  r->line++;
  if (end > from && end[-1] == '\r') end--;
  return (span){from, (size_t)(end - from)};
}

static span trim(span t) {
  while (t.n > 0 && jroad_is_space(*t.s)) {
    t.s++, t.n--;
  }
  while (t.n > 0 && jroad_is_space(t.s[t.n - 1])) {
    t.n--;
  }
  return t;
}

// Up to a remark, which begins with an exclamation mark.
static span without_remark(span t) {
  const char* mark = t.n > 0 ? memchr(t.s, '!', t.n) : NULL;
  if (mark) t.n = (size_t)(mark - t.s);
  return trim(t);
}

static bool begins(span t, const char* word) {
  size_t n = strlen(word);
  if (t.n < n) return false;
  for (size_t i = 0; i < n; i++) {
    if (jroad_lower(t.s[i]) != word[i]) return false;
  }
  return true;
}

static bool equals(span t, const char* word) {
  return t.n == strlen(word) && begins(t, word);
}

static span after(span t, size_t n) {
  return trim((span){t.s + n, t.n - n});
}

// The section that a line with a dollar sign begins or ends.
static jo_status turn(reader* r, span t, section* now) {
  span word = without_remark(after(t, 1));
  bool opens = word.n > 0 && (jroad_lower(*word.s) >= 'a' && jroad_lower(*word.s) <= 'z');
  size_t n = 0;
  while (n < word.n && !jroad_is_space(word.s[n])) {
    n++;
  }
  word.n = n;
  *now = !opens                          ? NO_SECTION
         : equals(word, "ct")            ? COMMENT
         : equals(word, "road_crg")      ? ROAD
         : equals(word, "kd_definition") ? CHANNELS
         : equals(word, "road_crg_opts") ? OPTIONS
         : equals(word, "road_crg_mods") ? MODIFIERS
         : equals(word, "road_crg_mpro") ? COMMENT
                                         : UNKNOWN;
  if (equals(word, "road_crg_file")) {
    return wrong(r, "the file refers to others, which is not followed; give the one with the data");
  }
  return JO_OK;
}

static jo_status read_value(reader* r, span t) {
  const char* sign = memchr(t.s, '=', t.n);
  if (!sign) return wrong(r, "a line 'name = value' is expected");
  span name = trim((span){t.s, (size_t)(sign - t.s)});
  span text = trim((span){sign + 1, (size_t)(t.s + t.n - sign - 1)});
  for (int i = 0; i < HEAD_COUNT; i++) {
    if (!equals(name, head_name[i])) continue;
    if (!jroad_read_number(text.s, text.n, &r->value[i]) || !isfinite(r->value[i])) {
      return jerr_set(r->ctx, JO_ERR_SYNTAX, "%s:%d: %s is not a finite number", r->f->path,
                      r->line, head_name[i]);
    }
    r->given[i] = true;
    return JO_OK;
  }
  // others are of no concern: geodetic coordinates, limits of checks
  return JO_OK;
}

static jo_status read_format(reader* r, span t) {
  static const struct {
    const char* name;
    bool is_binary, is_double;
  } formats[] = {
      {"lrfi", false, false}, {"ldfi", false, true}, {"krbi", true, false}, {"kdbi", true, true}};
  for (int i = 0; i < 4; i++) {
    if (!begins(t, formats[i].name)) continue;
    r->is_binary = formats[i].is_binary;
    r->is_double = formats[i].is_double;
    return JO_OK;
  }
  return wrong(r, "the format of the data is one of LRFI, LDFI, KRBI and KDBI");
}

static jo_status read_height(reader* r, span t) {
  span of = after(t, strlen("long section"));
  if (r->nheight >= MAX_CHANNELS) return wrong(r, "more than 4000 long sections");
  bool has_place = begins(of, "at v");
  if (r->nheight > 0 && has_place != r->has_places) {
    return wrong(r, "some long sections have a place v, others a number");
  }
  r->has_places = has_place;
  double* v = &r->v[r->nheight];
  if (has_place) {
    const char* sign = memchr(of.s, '=', of.n);
    const char* comma = sign ? memchr(sign, ',', (size_t)(of.s + of.n - sign)) : NULL;
    if (!comma || !jroad_read_number(sign + 1, (size_t)(comma - sign - 1), v)) {
      return wrong(r, "a long section is 'long section at v = 0.5,m'");
    }
  }
  r->height[r->nheight++] = r->nchannel++;
  return JO_OK;
}

static jo_status read_channel(reader* r, span t) {
  if (begins(t, "#:")) return read_format(r, after(t, 2));
  if (!begins(t, "d:")) return JO_OK;
  span name = after(t, 2);
  if (begins(name, "long section")) return read_height(r, name);
  int* which = begins(name, "reference line phi")       ? &r->phi
               : begins(name, "reference line slope")   ? &r->slope
               : begins(name, "reference line banking") ? &r->bank
                                                        : NULL;
  if (which) *which = r->nchannel;
  r->nchannel++;
  return JO_OK;
}

static jo_status read_head(reader* r) {
  section now = NO_SECTION;
  while (r->at < r->f->size) {
    span t = next_line(r);
    if (t.n >= 4 && memcmp(t.s, "$$$$", 4) == 0) return JO_OK;
    if (t.n > 0 && memchr(t.s, 0, t.n)) return wrong(r, "a byte of zero before the data");
    if (t.n > 0 && *t.s == '$') {
      JO_TRY(turn(r, t, &now));
      continue;
    }
    t = without_remark(t);
    if (t.n == 0 || *t.s == '*' || *t.s == '%' || now == COMMENT || now == NO_SECTION) continue;
    if (now == UNKNOWN) return wrong(r, "a section of a kind that is not known");
    if (now == MODIFIERS && !begins(t, "grid_nan_mode")) {  // which is kept as it is by default
      return wrong(r, "modifiers are not supported; apply them and write the file anew");
    }
    if (now != MODIFIERS) JO_TRY(now == CHANNELS ? read_channel(r, t) : read_value(r, t));
  }
  return wrong(r, "there are no data: they begin after a line of dollar signs");
}

static double get(const reader* r, head which, double otherwise) {
  return r->given[which] ? r->value[which] : otherwise;
}

// ---- data ----------------------------------------------------------------------------------------

static uint64_t big_endian(const unsigned char* b, int n) {
  uint64_t bits = 0;
  for (int i = 0; i < n; i++) {
    bits = bits << 8 | b[i];
  }
  return bits;
}

static double binary_value(const reader* r, const unsigned char* b) {
  uint64_t bits = big_endian(b, r->is_double ? 8 : 4);
  if (r->is_double) {
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
  }
  uint32_t half = (uint32_t)bits;
  float x;
  memcpy(&x, &half, sizeof x);
  return (double)x;
}

// Rows as far as the head says; as many as there are where it does not.
static int rows_wanted(const reader* r) {
  if (!r->given[END_U]) return -1;
  double n = (r->value[END_U] - get(r, START_U, 0.0)) / r->value[INCREMENT];
  return n >= 0.0 && n < MAX_ROWS ? (int)floor(n + 0.5) + 1 : -2;
}

static jo_status too_short(const reader* r, int rows, int wanted) {
  return jerr_set(r->ctx, JO_ERR_SYNTAX,
                  "%s: the data end after %d rows of %d channels; %d were expected", r->f->path,
                  rows, r->nchannel, wanted);
}

// Without an end in the head only whole rows say that all of the data are there.
static jo_status cut(const reader* r, size_t rows, size_t bytes) {
  return jerr_set(r->ctx, JO_ERR_SYNTAX,
                  "%s: the data end %zu bytes into row %zu of %d channels: the file is cut off; if "
                  "something else follows the data, say in the head where they end "
                  "(reference_line_end_u)",
                  r->f->path, bytes, rows + 1, r->nchannel);
}

static jo_status read_binary(reader* r, int wanted) {
  size_t size = r->is_double ? 8 : 4, left = r->f->size - r->at;
  size_t row = size * (size_t)r->nchannel, there = left / row;
  if (wanted < 0 && left % row != 0) return cut(r, there, left % row);
  if (there > MAX_ROWS) there = MAX_ROWS;
  r->rows = wanted >= 0 ? wanted : (int)there;
  if (there < (size_t)r->rows) return too_short(r, (int)there, r->rows);
  size_t n = (size_t)r->rows * (size_t)r->nchannel;
  r->data = jmem_resize(r->ctx, NULL, (n > 0 ? n : 1) * sizeof *r->data);
  if (!r->data) return jerr_memory(r->ctx);
  const unsigned char* b = (const unsigned char*)r->f->text + r->at;
  for (size_t i = 0; i < n; i++) {
    r->data[i] = binary_value(r, b + i * size);
  }
  return JO_OK;
}

// A line with something in it and no end: the last of a file, or what is left of it.
static bool is_cut(const reader* r, span t) {
  return t.n > 0 && t.s + t.n == r->f->text + r->f->size;
}

// A row of text: values of ten or twenty characters, eighty of them on a line. What is missing has an asterisk.
static jo_status read_text_row(reader* r, double* row) {
  size_t width = r->is_double ? 20 : 10;
  span t = {NULL, 0};
  for (int k = 0; k < r->nchannel; k++) {
    if (k % (int)(80 / width) == 0) {
      do {
        if (r->at >= r->f->size) {
          return k == 0 ? JO_EVENT : wrong(r, "the data end within a row: the file is cut off");
        }
        t = next_line(r);
      } while (trim(t).n == 0 && !is_cut(r, t));
    }
    size_t n = t.n < width ? t.n : width;
    row[k] = NAN;
    if (n == 0) return wrong(r, "the line has fewer values than there are channels");
    if (n < width && is_cut(r, t)) {
      return wrong(r, "the file ends within a number: it is cut off, or a line end is missing");
    }
    if (!memchr(t.s, '*', n) && !jroad_read_number(t.s, n, &row[k])) {
      return jerr_set(r->ctx, JO_ERR_SYNTAX, "%s:%d: '%.*s' is not a number", r->f->path, r->line,
                      (int)n, t.s);
    }
    t.s += n;
    t.n -= n;
  }
  return JO_OK;
}

static jo_status read_text(reader* r, int wanted) {
  int cap = 0;
  while (wanted < 0 || r->rows < wanted) {
    if (!jmem_grow(r->ctx, &r->data, &cap, (r->rows + 1) * r->nchannel, sizeof *r->data)) {
      return jerr_memory(r->ctx);
    }
    jo_status status = read_text_row(r, r->data + (size_t)r->rows * (size_t)r->nchannel);
    if (status < 0) return status;
    if (status == JO_EVENT) break;
    if (++r->rows >= MAX_ROWS) return wrong(r, "more than 20 million rows");
  }
  return r->rows < wanted ? too_short(r, r->rows, wanted) : JO_OK;
}

static jo_status read_data(reader* r) {
  int wanted = rows_wanted(r);
  if (wanted == -2) return wrong(r, "reference_line_end_u does not come after the start");
  JO_TRY(r->is_binary ? read_binary(r, wanted) : read_text(r, wanted));
  if (r->rows < 4) return wrong(r, "a road has at least four rows of data");
  return JO_OK;
}

// ---- what it means -------------------------------------------------------------------------------

static jo_status check_head(reader* r) {
  if (r->nheight == 0) return wrong(r, "there is no channel 'long section'");
  if (!r->given[INCREMENT] || !(r->value[INCREMENT] > 0.0)) {
    return wrong(r, "reference_line_increment is missing or not above zero");
  }
  if (get(r, BORDER_OFFSET_U, 0.0) != 0.0 || get(r, BORDER_OFFSET_V, 0.0) != 0.0 ||
      get(r, OFFSET_PHI, 0.0) != 0.0 || get(r, CONTINUATION, 0.0) != 0.0) {
    return wrong(r, "offsets of borders and headings, and closed lines, are not supported");
  }
  double u = get(r, MODE_U, 2.0), v = get(r, MODE_V, 2.0);
  if (!(u == 0.0 || u == 1.0 || u == 2.0 || u == 3.0 || u == 4.0)) {
    return wrong(r, "border_mode_u is one of 0, 1, 2, 3 and 4");
  }
  if (!(v == 0.0 || v == 1.0 || v == 2.0)) {
    return wrong(r, "border_mode_v is one of 0, 1 and 2 here: a road does not repeat to its sides");
  }
  return JO_OK;
}

// (R11) where the long sections are
static jo_status place_sections(reader* r) {
  double right = get(r, V_RIGHT, 0.0), left = get(r, V_LEFT, 0.0);
  bool equal = !r->has_places && r->nheight > 1;
  bool known = r->given[V_INCREMENT] || (r->given[V_RIGHT] && r->given[V_LEFT]);
  if (equal && !known) {
    return wrong(r, "long sections by number need long_section_v_increment or _right and _left");
  }
  if (equal && !r->given[V_RIGHT]) {  // as far to the right as to the left
    right = r->given[V_LEFT] ? left - r->value[V_INCREMENT] * (r->nheight - 1)
                             : -0.5 * r->value[V_INCREMENT] * (r->nheight - 1);
  }
  double step = r->given[V_INCREMENT] ? r->value[V_INCREMENT] : (left - right) / (r->nheight - 1);
  for (int j = 0; j < r->nheight; j++) {
    if (!r->has_places) r->v[j] = equal ? right + j * step : right;
    if (!isfinite(r->v[j]) || (j > 0 && !(r->v[j] > r->v[j - 1]))) {
      return wrong(r, "long sections must go from right to left, v ascending");
    }
  }
  return JO_OK;
}

static double channel(const reader* r, int i, int which, double otherwise) {
  return which < 0 ? otherwise : r->data[(size_t)i * (size_t)r->nchannel + (size_t)which];
}

static jo_status check_channel(reader* r, int which, const char* name) {
  for (int i = 1; which >= 0 && i < r->rows; i++) {  // of the first row they are not used
    if (isfinite(channel(r, i, which, 0.0))) continue;
    return jerr_set(r->ctx, JO_ERR_SYNTAX, "%s: row %d: the %s of the reference line is missing",
                    r->f->path, i + 1, name);
  }
  return JO_OK;
}

// (R12) x' = rate along the line, from its start; where its end is given, too, mixed with what comes from there
static void integrate(const reader* r, const double* rate, double start, bool has_end, double end,
                      double* x) {
  int n = r->rows;
  double du = r->value[INCREMENT];
  if (has_end) {
    x[n - 1] = end;
    for (int i = n - 1; i > 0; i--) {
      x[i - 1] = x[i] - du * rate[i];
    }
  }
  x[0] = start;
  for (int i = 0; i < n - 1; i++) {
    double part = has_end ? (double)(i + 1) / (n - 1) : 0.0, forward = x[i] + du * rate[i + 1];
    x[i + 1] = (1.0 - part) * forward + (has_end ? part * x[i + 1] : 0.0);
  }
}

static void make_line(const reader* r, double* rate, double* x, double* y) {
  int n = r->rows;
  double phi = get(r, START_PHI, 0.0), x0 = get(r, START_X, 0.0), y0 = get(r, START_Y, 0.0);
  bool has_end = r->given[END_X] && r->given[END_Y];
  if (r->phi < 0 && has_end && !r->given[START_PHI]) {
    phi = jm_atan2(r->value[END_Y] - y0, r->value[END_X] - x0);
  }
  has_end = has_end && r->phi >= 0;
  double ox = get(r, OFFSET_X, 0.0), oy = get(r, OFFSET_Y, 0.0);
  for (int i = 0; i < n; i++) {
    rate[i] = jm_cos(i > 0 ? channel(r, i, r->phi, phi) : phi);
  }
  integrate(r, rate, x0 + ox, has_end, r->value[END_X] + ox, x);
  for (int i = 0; i < n; i++) {
    rate[i] = jm_sin(i > 0 ? channel(r, i, r->phi, phi) : phi);
  }
  integrate(r, rate, y0 + oy, has_end, r->value[END_Y] + oy, y);
}

static void make_elevation(const reader* r, double* rate, double* z) {
  int n = r->rows;
  double z0 = get(r, START_Z, 0.0), offset = get(r, OFFSET_Z, 0.0);
  double slope = get(r, START_S, 0.0), length = r->value[INCREMENT] * (n - 1);
  bool has_end = r->given[END_Z];
  if (has_end && r->slope < 0 && !r->given[START_S]) slope = (r->value[END_Z] - z0) / length;
  for (int i = 0; i < n; i++) {
    rate[i] = i > 0 ? channel(r, i, r->slope, slope) : 0.0;
  }
  integrate(r, rate, z0 + offset, has_end && r->slope >= 0, r->value[END_Z] + offset, z);
}

// Borders of a cross section that were not measured are as the nearest that was; holes inside of it are a mistake.
static jo_status fill_section(const reader* r, int row, double* z) {
  int n = r->nheight, first = 0, last = n - 1;
  while (first < n && isnan(z[first])) {
    first++;
  }
  while (last >= 0 && isnan(z[last])) {
    last--;
  }
  for (int j = 0; j < n; j++) {
    if (first < n) z[j] = j < first ? z[first] : j > last ? z[last] : z[j];
    if (isfinite(z[j])) continue;
    return jerr_set(r->ctx, JO_ERR_SYNTAX,
                    "%s: row %d, long section %d: the height is missing or not finite", r->f->path,
                    row + 1, j + 1);
  }
  return JO_OK;
}

// Grows and dies away over the lengths the file asks for.
static double fade(const reader* r, int i) {
  double du = r->value[INCREMENT], begin = get(r, SMOOTH_BEGIN, 0.0), end = get(r, SMOOTH_END, 0.0);
  double factor = 1.0;
  if (begin > 0.0) factor *= fmin(1.0, i * du / begin);
  if (end > 0.0) factor *= fmin(1.0, (r->rows - 1 - i) * du / end);
  return factor;
}

// (R13) heights with elevation and banking
static jo_status make_grid(const reader* r, const double* elevation, double* z) {
  double banking = get(r, START_B, 0.0);
  for (int i = 0; i < r->rows; i++) {
    double* row = z + (size_t)i * (size_t)r->nheight;
    for (int j = 0; j < r->nheight; j++) {
      row[j] = channel(r, i, r->height[j], 0.0);
    }
    JO_TRY(fill_section(r, i, row));
    double bank = channel(r, i, r->bank, banking);
    if (!isfinite(bank))
      bank = channel(r, i + 1, r->bank, banking);  // the first one may be missing
    for (int j = 0; j < r->nheight; j++) {
      row[j] = (row[j] + elevation[i] + bank * r->v[j]) * fade(r, i);
    }
  }
  return JO_OK;
}

static jo_status make_sources(reader* r, jroad_source out[JROAD_CRG_TABLES]) {
  static const jroad_ends ends[] = {JROAD_NONE, JROAD_ZERO, JROAD_KEEP, JROAD_REPEAT,
                                    JROAD_REFLECT};
  int n = r->rows;
  double* xy[2] = {JARENA_ARRAY(r->a, n, double), JARENA_ARRAY(r->a, n, double)};
  double *rate = JARENA_ARRAY(r->a, n, double), *elevation = JARENA_ARRAY(r->a, n, double);
  double* z = JARENA_ARRAY(r->a, (size_t)n * (size_t)r->nheight, double);
  if (!xy[0] || !xy[1] || !rate || !elevation || !z) return jerr_memory(r->ctx);
  make_line(r, rate, xy[0], xy[1]);
  make_elevation(r, rate, elevation);
  JO_TRY(make_grid(r, elevation, z));
  jroad_source s = {.degree = 3, .nu = n, .nv = 1, .v = r->v};
  s.u0 = get(r, START_U, 0.0);
  s.du = r->value[INCREMENT];
  s.ends = JROAD_LINE;
  for (int k = 0; k < 2; k++) {
    s.value = xy[k];
    out[k] = s;
  }
  out[JROAD_CRG_X].is_line = true;
  s.nv = r->nheight;
  s.value = z;
  s.ends = ends[(int)get(r, MODE_U, 2.0)];
  s.sides = ends[(int)get(r, MODE_V, 2.0)];
  s.across = JROAD_SMOOTH;
  out[JROAD_CRG_GRID] = s;
  return JO_OK;
}

static jo_status read_all(reader* r, jroad_source out[JROAD_CRG_TABLES]) {
  r->height = JARENA_ARRAY(r->a, MAX_CHANNELS, int);
  r->v = JARENA_ARRAY(r->a, MAX_CHANNELS, double);
  if (!r->height || !r->v) return jerr_memory(r->ctx);
  JO_TRY(read_head(r));
  JO_TRY(check_head(r));
  JO_TRY(place_sections(r));
  JO_TRY(read_data(r));
  JO_TRY(check_channel(r, r->phi, "heading"));
  JO_TRY(check_channel(r, r->slope, "slope"));
  JO_TRY(check_channel(r, r->bank, "banking"));
  return make_sources(r, out);
}

jo_status jroad_read_crg(jo_context* ctx, jarena* a, const jroad_text* f,
                         jroad_source out[JROAD_CRG_TABLES]) {
  reader r = {.ctx = ctx, .a = a, .f = f, .is_binary = true, .phi = -1, .slope = -1, .bank = -1};
  r.at = jtext_mark(f->text, f->size);
  jo_status status = read_all(&r, out);
  jmem_free(ctx, r.data);
  return status;
}
