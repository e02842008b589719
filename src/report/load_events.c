// SPDX-License-Identifier: Apache-2.0
// Event files: writer and reader.
#include "report/load_events.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/system/file.h"
#include "report/html/cell.h"

#define VERSION   "2"
#define MAX_BYTES ((size_t)1 << 30)

static const char* const fixed_column[] = {"element", "coordinate", "t0",     "t1",
                                           "impulse", "peak",       "t_peak", "doubt"};
enum { NFIXED = sizeof fixed_column / sizeof *fixed_column };

// ---- writing -------------------------------------------------------------------------------------

static void put_note(jtext* t, const char* name, const char* text) {
  jtext_printf(t, "# %s: ", name);
  jreport_put_line(t, text);
  jtext_put(t, "\n");
}

// Bytes other than plain characters, and those in `mistakable`, as %XX.
static void put_escaped(jtext* t, const char* s, const char* mistakable) {
  for (; *s; s++) {
    bool is_plain = *s >= ' ' && *s <= '~' && !strchr(mistakable, *s);
    if (is_plain) {
      jtext_write(t, s, 1);
    } else {
      jtext_printf(t, "%%%02X", (unsigned)(unsigned char)*s);
    }
  }
}

static void put_setting(jtext* t, const jmodel_setting* s) {
  jtext_put(t, "# set: ");
  put_escaped(t, s->name, "%=");
  jtext_put(t, "=");
  put_escaped(t, s->value, "%");
  jtext_put(t, "\n");
}

static void put_event(jtext* t, const jreport_load_event* v, int ny) {
  const double number[] = {v->t0, v->t1, v->impulse, v->peak, v->t_peak};
  jreport_put_cell(t, v->element);
  jtext_put(t, ",");
  jreport_put_cell(t, v->coordinate);
  for (size_t i = 0; i < sizeof number / sizeof *number; i++) {
    jtext_put(t, ",");
    jreport_put_number(t, number[i]);
  }
  jtext_printf(t, ",%u", v->doubt);
  for (int i = 0; i < ny; i++) {
    jtext_put(t, ",");
    jreport_put_number(t, v->y[i]);
  }
  jtext_put(t, "\n");
}

jo_status jreport_load_events_write(jo_context* ctx, const jreport_load_events* e,
                                    const char* path) {
  jtext t;
  jtext_init(&t, ctx);
  put_note(&t, "jounce load events", VERSION);
  put_note(&t, "model", e->model);
  put_note(&t, "sha256", e->sha256);
  for (int i = 0; i < e->nset; i++) {
    put_setting(&t, &e->set[i]);
  }
  put_note(&t, "driver", e->driver);
  jtext_put(&t, "# rate: ");
  jreport_put_number(&t, e->rate);
  jtext_put(&t, "\n");
  for (int i = 0; i < NFIXED; i++) {
    jtext_printf(&t, "%s%s", i > 0 ? "," : "", fixed_column[i]);
  }
  for (int i = 0; i < e->ny; i++) {
    jtext_put(&t, ",");
    jreport_put_cell(&t, e->state[i]);
  }
  jtext_put(&t, "\n");
  for (int i = 0; i < e->n && !t.failed; i++) {
    put_event(&t, &e->event[i], e->ny);
  }
  jo_status status = t.failed ? jerr_memory(ctx) : jfile_write(ctx, path, t.data, t.length);
  jtext_free(&t);
  return status;
}

// ---- reading -------------------------------------------------------------------------------------

typedef struct reader {
  jo_context* ctx;
  jarena* a;
  const char* path;
  char* at;  // rest of the text
  int line;
  jmodel_setting* set;
  int set_cap;
  jreport_load_events* out;
} reader;

static jo_status fail(const reader* r, const char* what) {
  return jerr_set(r->ctx, JO_ERR_SYNTAX, "%s:%d: %s", r->path, r->line, what);
}

// The next line, ended by a zero; NULL: there is none.
static char* next_line(reader* r) {
  if (!*r->at) return NULL;
  char* begin = r->at;
  size_t n = strcspn(begin, "\n");
  r->at = begin + n + (begin[n] == '\n');
  begin[n] = 0;
  if (n > 0 && begin[n - 1] == '\r') begin[n - 1] = 0;
  r->line++;
  return begin;
}

// The next cell of a line, ended by a zero; NULL: the line is over.
static char* next_cell(char** line) {
  if (!*line) return NULL;
  char* begin = *line;
  char* comma = strchr(begin, ',');
  *line = comma ? comma + 1 : NULL;
  if (comma) *comma = 0;
  return begin;
}

static bool read_number(const char* s, double* out) {
  bool minus = *s == '-';
  s += *s == '-' || *s == '+';
  if (strcmp(s, "nan") == 0) {
    *out = NAN;
    return true;
  }
  if (strcmp(s, "inf") == 0) {
    *out = minus ? -INFINITY : INFINITY;
    return true;
  }
  size_t n = strlen(s);
  if (n == 0 || jtext_scan_number(s, n, out) != n) return false;
  if (minus) *out = -*out;
  return true;
}

static jo_status add_setting(reader* r, const char* name, const char* value) {
  int n = r->out->nset;
  if (n == r->set_cap) {
    r->set_cap = 2 * n + 8;
    jmodel_setting* more = JARENA_ARRAY(r->a, r->set_cap, jmodel_setting);
    if (!more) return jerr_memory(r->ctx);
    if (n > 0) memcpy(more, r->set, (size_t)n * sizeof *more);
    r->out->set = r->set = more;
  }
  r->set[r->out->nset++] = (jmodel_setting){name, value};
  return JO_OK;
}

static int digit(char c) {
  const char *digits = "0123456789ABCDEF", *at = c ? strchr(digits, c) : NULL;
  return at ? (int)(at - digits) : -1;
}

// In place; false: a % that stands for nothing.
static bool unescape(char* s) {
  char* to = s;
  for (; *s; s++) {
    if (*s != '%') {
      *to++ = *s;
      continue;
    }
    int high = digit(s[1]), low = high < 0 ? -1 : digit(s[2]);
    if (low < 0 || high + low == 0) return false;
    *to++ = (char)(16 * high + low);
    s += 2;
  }
  *to = 0;
  return true;
}

static jo_status read_setting(reader* r, char* text) {
  char* equals = strchr(text, '=');
  if (!equals) return fail(r, "a setting has no value");
  *equals = 0;
  if (!unescape(text) || !unescape(equals + 1)) return fail(r, "a setting has a % without digits");
  return add_setting(r, text, equals + 1);
}

// Whether a setting begins here, in version 1.
static bool begins_setting(const char* s) {
  size_t n = 0;
  while ((s[n] >= 'a' && s[n] <= 'z') || (s[n] >= 'A' && s[n] <= 'Z') ||
         (s[n] >= '0' && s[n] <= '9') || (s[n] && strchr("_.[]", s[n]))) {
    n++;
  }
  return n > 0 && s[n] == '=' && s[n + 1] != '=';
}

static jo_status read_settings_1(reader* r, char* text) {
  while (*text) {
    char* end = text;
    while (*end && !(end[0] == ',' && end[1] == ' ' && begins_setting(end + 2))) {
      end++;
    }
    char *next = *end ? end + 2 : end, *equals = strchr(text, '=');
    *end = 0;
    if (equals) {
      *equals = 0;
      JO_TRY(add_setting(r, text, equals + 1));
    }
    text = next;
  }
  return JO_OK;
}

static jo_status read_rate(reader* r, char* text) {
  return read_number(text, &r->out->rate) ? JO_OK : fail(r, "the rate is no number");
}

static bool begins(const char* text, const char* with) {
  return strncmp(text, with, strlen(with)) == 0;
}

static jo_status read_version(const reader* r, const char* text) {
  static const char note[] = "jounce load events: ";
  const char* version = begins(text, note) ? text + strlen(note) : "";
  bool is_known = strcmp(version, "1") == 0 || strcmp(version, VERSION) == 0;
  return is_known ? JO_OK : fail(r, "no file of load events of version 1 or " VERSION);
}

// Notes that are not known are left out.
static jo_status read_note(reader* r, char* text) {
  const struct {
    const char* name;
    const char** target;                       // a text, or ...
    jo_status (*read)(reader* r, char* text);  // ... what makes sense of it
  } note[] = {{"model: ", &r->out->model, NULL},   {"sha256: ", &r->out->sha256, NULL},
              {"driver: ", &r->out->driver, NULL}, {"rate: ", NULL, read_rate},
              {"set: ", NULL, read_setting},       {"settings: ", NULL, read_settings_1}};
  if (r->line == 1) return read_version(r, text);
  for (size_t i = 0; i < sizeof note / sizeof *note; i++) {
    if (!begins(text, note[i].name)) continue;
    char* rest = text + strlen(note[i].name);
    if (note[i].read) return note[i].read(r, rest);
    *note[i].target = rest;
  }
  return JO_OK;
}

static jo_status read_names(reader* r, char* line) {
  for (int i = 0; i < NFIXED; i++) {
    const char* cell = next_cell(&line);
    if (!cell || strcmp(cell, fixed_column[i]) != 0) return fail(r, "columns are missing");
  }
  int n = line ? 1 : 0;
  for (const char* s = line; s && *s; s++) {
    n += *s == ',';
  }
  const char** name = JARENA_ARRAY(r->a, n, const char*);
  if (!name) return jerr_memory(r->ctx);
  for (char* cell; (cell = next_cell(&line)) != NULL;) {
    name[r->out->ny++] = cell;
  }
  r->out->state = name;
  return JO_OK;
}

static jo_status read_event(reader* r, char* line, jreport_load_event* v) {
  double number[NFIXED - 2], *y = JARENA_ARRAY(r->a, r->out->ny, double);
  if (!y) return jerr_memory(r->ctx);
  v->element = next_cell(&line);
  v->coordinate = next_cell(&line);
  for (int i = 0; i < NFIXED - 2 + r->out->ny; i++) {
    const char* cell = next_cell(&line);
    double* target = i < NFIXED - 2 ? &number[i] : &y[i - (NFIXED - 2)];
    if (!cell || !read_number(cell, target)) return fail(r, "a number is missing or wrong");
  }
  if (line || !v->coordinate) return fail(r, "too many cells");
  if (!(number[5] >= 0.0 && number[5] < 256.0)) return fail(r, "doubt is no small number");
  v->t0 = number[0];
  v->t1 = number[1];
  v->impulse = number[2];
  v->peak = number[3];
  v->t_peak = number[4];
  v->doubt = (unsigned)number[5];
  v->y = y;
  return JO_OK;
}

static jo_status read_all(reader* r) {
  char* line = next_line(r);
  if (!line || strncmp(line, "# ", 2) != 0) {
    r->line = 1;
    return fail(r, "no file of load events");
  }
  for (; line && *line == '#'; line = next_line(r)) {
    JO_TRY(read_note(r, line + 1 + (line[1] == ' ')));
  }
  if (!line) return fail(r, "no columns");
  JO_TRY(read_names(r, line));
  int nline = 1;  // the last may have no end
  for (const char* s = r->at; *s; s++) {
    nline += *s == '\n';
  }
  r->out->event = JARENA_ARRAY(r->a, nline, jreport_load_event);
  if (!r->out->event) return jerr_memory(r->ctx);
  while ((line = next_line(r)) != NULL) {
    if (*line) JO_TRY(read_event(r, line, &r->out->event[r->out->n++]));
  }
  return JO_OK;
}

jo_status jreport_load_events_read(jo_context* ctx, jarena* a, const char* path,
                                   jreport_load_events* out) {
  *out = (jreport_load_events){.model = "", .sha256 = "", .driver = ""};
  reader r = {.ctx = ctx, .a = a, .path = path, .out = out};
  size_t size;
  JO_TRY(jfile_read(ctx, a, path, MAX_BYTES, &r.at, &size));
  size_t at;
  if (size > 0 && r.at[size - 1] != '\n') {  // Jounce writes them, with an end of every line
    return jerr_set(ctx, JO_ERR_SYNTAX, "%s: the last line has no end: the file is cut off", path);
  }
  const char* flaw = jtext_flaw(r.at, size, &at);
  if (flaw) return jerr_set(ctx, JO_ERR_SYNTAX, "%s: %s", path, flaw);
  return read_all(&r);
}

// ---- its model -----------------------------------------------------------------------------------

const char* jreport_load_events_name_model(jarena* a, const char* place, const char* path) {
  const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
  const char* folder = slash ? jarena_strndup(a, path, (size_t)(slash - path) + 1) : ".";
  if (folder) folder = jfile_absolute(a, folder);
  const char* from = folder ? jarena_printf(a, "%s/%s", folder, name) : NULL;
  return from ? jfile_relative(a, place, from) : NULL;
}

// As found from the folder of the events; beside them, where both were gathered; from the current folder,
// as the first files mean it.
jo_status jreport_load_events_find_model(jo_context* ctx, jarena* a, const jreport_load_events* e,
                                         const char* path, const char** out) {
  const char *slash = strrchr(e->model, '/'), *name = slash ? slash + 1 : e->model;
  const char* const place[] = {jfile_beside(a, path, e->model), jfile_beside(a, path, name),
                               e->model};
  if (!place[0] || !place[1]) return jerr_memory(ctx);
  if (!*e->model) return jerr_set(ctx, JO_ERR_MODEL, "%s: does not say which model it is of", path);
  for (int i = 0; i < 3; i++) {
    if (!jfile_exists(place[i])) continue;
    *out = place[i];
    return JO_OK;
  }
  return jerr_set(ctx, JO_ERR_FILE,
                  "%s: the model of the events is gone: there is no %s and no %s; hint: put its "
                  "file beside the events, or run the loads again",
                  path, place[0], place[1]);
}
