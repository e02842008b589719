// SPDX-License-Identifier: Apache-2.0
// Tables from files of comma-separated values: `file` with names of columns for x, y and z. What is read becomes lists
// as a model file has them, with the places of the numbers in their own file.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/system/file.h"
#include "base/text/text.h"
#include "base/text/text_file.h"
#include "model/template/instance.h"

#define MAX_BYTES   ((size_t)4 << 20)
#define MAX_COLUMNS 64
#define MAX_ROWS    250000

typedef struct sheet {
  const jmodel_at* at;
  const char* file;
  const char* next;  // text not read yet
  int line;
  char separator;
  const char* field[MAX_COLUMNS];  // of the line at hand
  int nfield;
} sheet;

static jmodel_place here(const sheet* s) {
  return (jmodel_place){s->file, s->line};
}

static char* trimmed(char* text) {
  while (*text == ' ' || *text == '"') {
    text++;
  }
  size_t n = strlen(text);
  while (n > 0 && strchr(" \"\r", text[n - 1])) {
    text[--n] = '\0';
  }
  return text;
}

// The next line that says something, apart; false: there is none.
static bool next_line(sheet* s) {
  while (*s->next) {
    size_t n = strcspn(s->next, "\n");
    char* line = jarena_strndup(&s->at->r->scratch, s->next, n);
    s->next += n + (s->next[n] == '\n');
    s->line++;
    if (!line) jmodel_out_of_memory(s->at->r);
    if (!line) return false;
    if (*trimmed(line) == '\0' || *trimmed(line) == '#') continue;
    if (!s->separator) s->separator = strchr(line, ';') ? ';' : strchr(line, '\t') ? '\t' : ',';
    s->nfield = 0;
    for (char* field = line; field && s->nfield < MAX_COLUMNS;) {
      char* end = strchr(field, s->separator);
      if (end) *end = '\0';
      s->field[s->nfield++] = trimmed(field);
      field = end ? end + 1 : NULL;
    }
    return true;
  }
  return false;
}

static bool open_sheet(const jmodel_at* at, const jmodel_node* node, sheet* s) {
  jmodel_reader* r = at->r;
  char* text;
  size_t n;
  if (!jmodel_is(at, node, JMODEL_NODE_TEXT, "file")) return false;
  const char* path = jfile_beside(&r->m->arena, node->place.file, node->text);
  if (!path) {
    jmodel_out_of_memory(r);
    return false;
  }
  if (!jfile_exists(path)) {
    jmodel_mistake(at, node->place, "file '%.200s' is no file beside this one", node->text);
    return false;
  }
  int said = jo_context_diagnostic_count(r->ctx);
  jo_status status = jfile_read(r->ctx, &r->scratch, path, MAX_BYTES, &text, &n);
  if (status == JO_ERR_MEMORY) {
    jmodel_out_of_memory(r);
    return false;
  }
  size_t at_byte;
  if (status >= 0) jsha256_add(&r->sha, text, n);
  const char* plain = text;
  if (status >= 0) status = jtext_open(r->ctx, path, &plain, &n);
  if (status < 0 || jtext_flaw(plain, n, &at_byte)) {
    if (status < 0) jerr_forget(r->ctx, said);
    jmodel_mistake(at, node->place, "file '%.200s' cannot be used; it needs text, 4 MiB at most",
                   node->text);
    return false;
  }
  *s = (sheet){.at = at, .file = path, .next = text + (plain - text)};
  return true;
}

// ---- columns -------------------------------------------------------------------------------------

// The column that a key names; -1 after a mistake.
static int column_of(const sheet* s, const jmodel_node* map, const char* key) {
  const jmodel_node* node = jmodel_need(s->at, map, key);
  if (!node) return -1;
  if (node->kind != JMODEL_NODE_TEXT) {
    jmodel_mistake(s->at, node->place, "%s needs the name of a column, for there is a 'file'", key);
    return -1;
  }
  jmodel_guess guess = jmodel_guess_begin(node->text);
  for (int i = 0; i < s->nfield; i++) {
    if (strcmp(s->field[i], node->text) == 0) return i;
    jmodel_guess_add(&guess, s->field[i]);
  }
  jmodel_mistake(s->at, node->place, "%s: there is no column '%.60s' in %s:%d%s", key, node->text,
                 s->file, s->line, jmodel_guess_hint(s->at->r, &guess));
  return -1;
}

typedef struct cell {
  const char* text;
  double value;
  jmodel_place place;
} cell;

static bool read_row(const sheet* s, const int* column, int n, int width, cell* out) {
  if (s->nfield != width) {
    jmodel_mistake(s->at, here(s), "%d columns, and %d in the heading", s->nfield, width);
    return false;
  }
  for (int i = 0; i < n; i++) {
    out[i] = (cell){s->field[column[i]], 0.0, here(s)};
    bool is_number = jmodel_number_text(out[i].text, &out[i].value) && isfinite(out[i].value);
    if (is_number) continue;
    bool has_comma = strchr(out[i].text, ',') != NULL;
    jmodel_mistake(s->at, here(s), "'%.40s' is no number%s", out[i].text,
                   has_comma ? "; write the decimal point as '.'" : "");
    return false;
  }
  return true;
}

// All rows, n cells each; NULL after a mistake.
static cell* read_rows(sheet* s, const int* column, int n, int* nrow) {
  jmodel_reader* r = s->at->r;
  int width = s->nfield, cap = 0;
  cell* rows = NULL;
  *nrow = 0;
  while (next_line(s)) {
    if (*nrow == MAX_ROWS) {
      jmodel_mistake(s->at, here(s), "more than %d rows", MAX_ROWS);
      return NULL;
    }
    if (*nrow == cap) {
      int larger = cap ? 2 * cap : 64;
      cell* grown = jarena_array(&r->scratch, (size_t)larger * (size_t)n, sizeof *grown);
      if (!grown) {
        jmodel_out_of_memory(r);
        return NULL;
      }
      if (cap) memcpy(grown, rows, (size_t)cap * (size_t)n * sizeof *grown);
      rows = grown;
      cap = larger;
    }
    if (!read_row(s, column, n, width, rows + (size_t)*nrow * (size_t)n)) return NULL;
    ++*nrow;
  }
  if (*nrow == 0 && !r->oom) jmodel_mistake(s->at, here(s), "there are no rows of numbers");
  return r->oom ? NULL : rows;
}

// ---- as lists of a model file ------------------------------------------------------------------------

static jmodel_node* add_node(jmodel_reader* r, jmodel_node* to, jmodel_node_kind kind,
                             const char* key, const cell* c) {
  jmodel_node* node = JARENA_NEW(&r->scratch, jmodel_node);
  if (!node) {
    jmodel_out_of_memory(r);
    return NULL;
  }
  *node = (jmodel_node){.kind = kind, .text = c ? c->text : "", .place = to->place, .key = key};
  if (c) node->place = c->place;
  if (key) node->key_hash = jhash_bytes(key, strlen(key));
  node->key_place = node->place;
  jmodel_node_append(to, node);
  return node;
}

static void add_column(jmodel_reader* r, jmodel_node* map, const char* key, const cell* rows, int n,
                       int step) {
  jmodel_node* list = add_node(r, map, JMODEL_NODE_LIST, key, NULL);
  for (int i = 0; list && i < n && !r->oom; i++) {
    add_node(r, list, JMODEL_NODE_TEXT, NULL, &rows[(size_t)i * (size_t)step]);
  }
}

static int compare(const void* a, const void* b) {
  double x = ((const cell*)a)->value, y = ((const cell*)b)->value;
  return (x > y) - (x < y);
}

// Values of one column, each once, rising.
static cell* values_of(jmodel_reader* r, const cell* rows, int nrow, int* n) {
  cell* list = jarena_array(&r->scratch, (size_t)nrow, sizeof *list);
  *n = 0;
  if (!list) {
    jmodel_out_of_memory(r);
    return NULL;
  }
  for (int i = 0; i < nrow; i++) {
    list[i] = rows[3 * (size_t)i];
  }
  qsort(list, (size_t)nrow, sizeof *list, compare);
  for (int i = 0; i < nrow; i++) {
    if (*n == 0 || list[i].value != list[*n - 1].value) list[(*n)++] = list[i];
  }
  return list;
}

static int index_in(const cell* list, int n, double value) {
  cell wanted = {.value = value};
  const cell* found = bsearch(&wanted, list, (size_t)n, sizeof *list, compare);
  return found ? (int)(found - list) : 0;
}

// Rows x, y, z in any order, one for every point of a grid.
static void add_grid(const sheet* s, jmodel_node* map, const cell* rows, int nrow) {
  jmodel_reader* r = s->at->r;
  int nx, ny;
  cell *x = values_of(r, rows, nrow, &nx), *y = values_of(r, rows + 1, nrow, &ny);
  bool fits = x && y && nx <= MAX_ROWS / ny;
  const cell** grid =
      fits ? jarena_array(&r->scratch, (size_t)nx * (size_t)ny, sizeof *grid) : NULL;
  for (int i = 0; grid && i < nrow; i++) {
    const cell* k = &rows[3 * (size_t)i];
    const cell** at = &grid[index_in(x, nx, k[0].value) * ny + index_in(y, ny, k[1].value)];
    if (*at) {
      jmodel_mistake(s->at, k->place, "the point (%g, %g) is there already, in line %d", k[0].value,
                     k[1].value, (*at)->place.line);
      return;
    }
    *at = &k[2];
  }
  for (int i = 0; grid && i < nx * ny; i++) {
    if (grid[i]) continue;
    jmodel_mistake(s->at, here(s), "%d values of x and %d of y, but no row for (%g, %g)", nx, ny,
                   x[i / ny].value, y[i % ny].value);
    return;
  }
  if (!grid) {
    if (x && y && !fits) jmodel_mistake(s->at, here(s), "more than %d points", MAX_ROWS);
    return;
  }
  add_column(r, map, "x", x, nx, 1);
  add_column(r, map, "y", y, ny, 1);
  jmodel_node* z = add_node(r, map, JMODEL_NODE_LIST, "z", NULL);
  for (int i = 0; z && i < nx && !r->oom; i++) {
    jmodel_node* row = add_node(r, z, JMODEL_NODE_LIST, NULL, NULL);
    for (int j = 0; row && j < ny && !r->oom; j++) {
      add_node(r, row, JMODEL_NODE_TEXT, NULL, grid[i * ny + j]);
    }
  }
}

const jmodel_node* jmodel_table_file(const jmodel_at* at, const jmodel_node* node) {
  static const char* const keys[] = {"x", "y", "z"};
  jmodel_reader* r = at->r;
  const jmodel_node* file = jmodel_node_find(node, "file");
  int n = jmodel_node_find(node, "z") ? 3 : 2, column[3], nrow;
  sheet s;
  if (!open_sheet(at, file, &s)) return NULL;
  if (!next_line(&s)) {
    jmodel_mistake(at, here(&s), "the file is empty");
    return NULL;
  }
  for (int i = 0; i < n; i++) {
    column[i] = column_of(&s, node, keys[i]);
    if (column[i] < 0) return NULL;
  }
  cell* rows = read_rows(&s, column, n, &nrow);
  jmodel_node* map = rows && nrow > 0 ? JARENA_NEW(&r->scratch, jmodel_node) : NULL;
  if (!map) return NULL;
  *map = (jmodel_node){
      .kind = JMODEL_NODE_MAP, .text = "", .place = file->place, .key_place = file->place};
  map->key = node->key;
  if (n == 3) {
    add_grid(&s, map, rows, nrow);
  } else {
    add_column(r, map, "x", rows, nrow, 2);
    add_column(r, map, "y", rows + 1, nrow, 2);
  }
  return map->n == n ? map : NULL;
}
