// SPDX-License-Identifier: Apache-2.0
// Event files: writer and reader.
#include "report/load_events.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "report/cell.h"

#define VERSION   "1"
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
  put_note(&t, "settings", e->settings);
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

static jo_status read_note(reader* r, const char* text) {
  static const char version[] = "jounce load events: ";
  const struct {
    const char* name;
    const char** target;
  } note[] = {{"model: ", &r->out->model},
              {"sha256: ", &r->out->sha256},
              {"settings: ", &r->out->settings},
              {"driver: ", &r->out->driver}};
  if (r->line == 1) {
    bool known = strncmp(text, version, sizeof version - 1) == 0 &&
                 strcmp(text + sizeof version - 1, VERSION) == 0;
    return known ? JO_OK : fail(r, "no file of load events of version " VERSION);
  }
  for (size_t i = 0; i < sizeof note / sizeof *note; i++) {
    size_t n = strlen(note[i].name);
    if (strncmp(text, note[i].name, n) == 0) *note[i].target = text + n;
  }
  if (strncmp(text, "rate: ", 6) == 0 && !read_number(text + 6, &r->out->rate)) {
    return fail(r, "the rate is no number");
  }
  return JO_OK;
}

static jo_status read_names(reader* r, char* line) {
  for (int i = 0; i < NFIXED; i++) {
    const char* cell = next_cell(&line);
    if (!cell || strcmp(cell, fixed_column[i]) != 0) return fail(r, "columns are missing");
  }
  int n = 0;
  for (const char* s = line; s && *s; s++) {
    n += *s == ',';
  }
  const char** name = JARENA_ARRAY(r->a, n + 2, const char*);
  if (!name) return jerr_memory(r->ctx);
  for (char* cell; (cell = next_cell(&line)) != NULL;) {
    name[r->out->ny++] = cell;
  }
  r->out->state = name;
  return JO_OK;
}

static jo_status read_event(reader* r, char* line, jreport_load_event* v) {
  double number[NFIXED - 2], *y = JARENA_ARRAY(r->a, r->out->ny + 1, double);
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
  int cap = 0;
  for (const char* s = r->at; *s; s++) {
    cap += *s == '\n';
  }
  r->out->event = JARENA_ARRAY(r->a, cap + 2, jreport_load_event);
  if (!r->out->event) return jerr_memory(r->ctx);
  while ((line = next_line(r)) != NULL) {
    if (*line) JO_TRY(read_event(r, line, &r->out->event[r->out->n++]));
  }
  return JO_OK;
}

jo_status jreport_load_events_read(jo_context* ctx, jarena* a, const char* path,
                                   jreport_load_events* out) {
  *out = (jreport_load_events){.model = "", .sha256 = "", .settings = "", .driver = ""};
  reader r = {.ctx = ctx, .a = a, .path = path, .out = out};
  size_t size;
  JO_TRY(jfile_read(ctx, a, path, MAX_BYTES, &r.at, &size));
  size_t at;
  const char* flaw = jtext_flaw(r.at, size, &at);
  if (flaw) return jerr_set(ctx, JO_ERR_SYNTAX, "%s: %s", path, flaw);
  return read_all(&r);
}
