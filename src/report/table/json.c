// SPDX-License-Identifier: Apache-2.0
// Tables as JSON.
#include <math.h>
#include <string.h>

#include "base/text/format.h"
#include "base/text/text.h"
#include "report/table/put.h"

// One object or list that is open: whether it has members, and whether they stand on one line.
typedef struct level {
  int depth;
  bool has_members, is_flat;
} level;

typedef struct writer {
  const jreport_out* out;
  const jo_tables* all;
} writer;

void jreport_out_quoted(const jreport_out* out, const char* text) {
  jreport_out_text(out, "\"");
  while (*text) {
    bool shows;
    unsigned char c = (unsigned char)*text;
    size_t n = jtext_character(text, strnlen(text, 4), &shows);
    if (c == '"' || c == '\\') jreport_out_text(out, "\\");
    if (c < 0x20 || c == 0x7f) {
      char code[8];
      jformat(code, sizeof code, "\\u%04x", c);
      jreport_out_text(out, code);
    } else if (n == 0) {
      jreport_out_text(out, "\\ufffd");
    } else {
      out->write(out->user, text, n);
    }
    text += n > 0 ? n : 1;
  }
  jreport_out_text(out, "\"");
}

// ---- levels --------------------------------------------------------------------------------------

static void begin_line(const writer* w, int depth) {
  jreport_out_text(w->out, "\n");
  jreport_out_blanks(w->out, 2 * depth);
}

// Comma, line and key in front of a member; key NULL: of a list.
static void begin_member(const writer* w, level* l, const char* key) {
  if (l->has_members) jreport_out_text(w->out, l->is_flat ? ", " : ",");
  if (!l->is_flat) begin_line(w, l->depth);
  l->has_members = true;
  if (!key) return;
  jreport_out_quoted(w->out, key);
  jreport_out_text(w->out, ": ");
}

static level open_level(const writer* w, const level* around, const char* bracket, bool is_flat) {
  jreport_out_text(w->out, bracket);
  return (level){.depth = around->depth + 1, .is_flat = is_flat};
}

static void close_level(const writer* w, const level* l, const char* bracket) {
  if (l->has_members && !l->is_flat) begin_line(w, l->depth - 1);
  jreport_out_text(w->out, bracket);
}

// ---- cells ---------------------------------------------------------------------------------------

static void put_cell(const writer* w, const jo_table* t, int column, int row) {
  char number[40];
  const jo_column* c = &t->column[column];
  jreport_kind kind = t->style->field[column].kind;
  if (c->text) {
    jreport_out_quoted(w->out, c->text[row]);
    return;
  }
  double x = jreport_number(t, column, row);
  if (!isfinite(x)) {
    jformat(number, sizeof number, "null");
  } else if (kind == JREPORT_TRUTH) {
    jformat(number, sizeof number, x != 0.0 ? "true" : "false");
  } else if (kind == JREPORT_WHOLE) {
    jformat(number, sizeof number, "%.0f", x);
  } else {
    jformat(number, sizeof number, "%.17g", x);
  }
  jreport_out_text(w->out, number);
}

static bool is_member(const jo_table* t, int column) {
  return column >= t->style->nkey && !t->style->field[column].no_json;
}

static void put_members(const writer* w, level* l, const jo_table* t, int row) {
  for (int i = 0; i < t->ncolumn; i++) {
    if (!is_member(t, i)) continue;
    const char* key = t->style->field[i].key ? t->style->field[i].key : t->column[i].name;
    begin_member(w, l, t->style->is_list ? NULL : key);
    put_cell(w, t, i, row);
  }
}

// ---- forms ---------------------------------------------------------------------------------------

static void put_children(const writer* w, level* l, const jo_table* parent, int row);

static void put_object(const writer* w, const level* around, const jo_table* t, int row) {
  bool is_list = t->style->is_list;
  level l = open_level(w, around, is_list ? "[" : "{", t->style->is_flat);
  put_members(w, &l, t, row);
  put_children(w, &l, t, row);
  close_level(w, &l, is_list ? "]" : "}");
}

// What belongs to the last key: a number alone, or an object.
static void put_leaf(const writer* w, const level* around, const jo_table* t, int row) {
  int n = 0, only = 0;
  for (int i = 0; i < t->ncolumn; i++) {
    if (!is_member(t, i)) continue;
    n++;
    only = i;
  }
  if (n == 1) {
    put_cell(w, t, only, row);
  } else {
    put_object(w, around, t, row);
  }
}

static bool is_repeated(const char* const* text, int first, int i) {
  for (int k = first; k < i; k++) {
    if (strcmp(text[k], text[i]) == 0) return true;
  }
  return false;
}

// Rows with the same texts in the columns before `key` are below one another; each of the others opens an object.
static void put_map(const writer* w, const level* around, const jo_table* t, int first, int n,
                    int key) {
  const char* const* text = t->column[key].text;
  level l = open_level(w, around, "{", false);
  for (int i = first; i < first + n;) {
    int end = i + 1;
    while (key + 1 < t->style->nkey && end < first + n && strcmp(text[end], text[i]) == 0) {
      end++;
    }
    if (t->style->is_unique && is_repeated(text, first, i)) {
      i = end;
      continue;
    }
    begin_member(w, &l, text[i]);
    if (key + 1 < t->style->nkey) {
      put_map(w, &l, t, i, end - i, key + 1);
    } else {
      put_leaf(w, &l, t, i);
    }
    i = end;
  }
  close_level(w, &l, "}");
}

static void put_rows(const writer* w, const level* around, const jo_table* t, int first, int n) {
  level l = open_level(w, around, "[", false);
  for (int i = first; i < first + n; i++) {
    begin_member(w, &l, NULL);
    put_object(w, &l, t, i);
  }
  close_level(w, &l, "]");
}

static void put_column(const writer* w, level* l, const jo_table* t, int column) {
  const char* key = t->style->field[column].key;
  begin_member(w, l, key ? key : t->column[column].name);
  level list = open_level(w, l, "[", true);
  for (int k = 0; k < t->nrow; k++) {
    begin_member(w, &list, NULL);
    put_cell(w, t, column, k);
  }
  close_level(w, &list, "]");
}

static bool is_in_group(const jo_table* t, int column, const char* group) {
  const char* own = column < t->ncolumn ? t->style->field[column].group : NULL;
  return own && strcmp(own, group) == 0;
}

// Columns of a group, which stand together, are members of an object of their own.
static void put_columns(const writer* w, level* l, const jo_table* t) {
  for (int i = 0; i < t->ncolumn; i++) {
    const char* group = t->style->field[i].group;
    if (!is_member(t, i)) continue;
    if (!group) {
      put_column(w, l, t, i);
      continue;
    }
    begin_member(w, l, group);
    level inside = open_level(w, l, "{", false);
    put_column(w, &inside, t, i);
    while (is_in_group(t, i + 1, group)) {
      put_column(w, &inside, t, ++i);
    }
    close_level(w, &inside, "}");
  }
}

// Members of the object that the table stands in.
static void put_inline(const writer* w, level* l, const jo_table* t) {
  if (t->style->form == JREPORT_ONE) {
    put_members(w, l, t, 0);
  } else {
    put_columns(w, l, t);
  }
}

static void put_table(const writer* w, level* l, const jo_table* t, int first, int n) {
  jreport_form form = t->style->form;
  if (form == JREPORT_NO_FORM) return;
  if (t->style->is_inline) {
    put_inline(w, l, t);
    return;
  }
  begin_member(w, l, t->name);
  if (form == JREPORT_ROWS) put_rows(w, l, t, first, n);
  if (form == JREPORT_ONE) put_object(w, l, t, first);
  if (form == JREPORT_MAP) put_map(w, l, t, first, n, 0);
  if (form != JREPORT_COLUMNS) return;
  level inside = open_level(w, l, "{", false);
  put_columns(w, &inside, t);
  close_level(w, &inside, "}");
}

// Tables whose rows belong to a row of this one.
static void put_children(const writer* w, level* l, const jo_table* parent, int row) {
  for (int i = 0; i < w->all->ntable; i++) {
    const jo_table* t = &w->all->table[i];
    if (!t->style->parent || strcmp(t->style->parent, parent->name) != 0) continue;
    int n = t->nrow / parent->nrow;
    put_table(w, l, t, row * n, n);
  }
}

void jreport_json(const jo_tables* tables, int depth, const jreport_out* out) {
  const writer w = {.out = out, .all = tables};
  level l = {.depth = depth};
  for (int i = 0; i < tables->ntable; i++) {
    const jo_table* t = &tables->table[i];
    if (!t->style->parent) put_table(&w, &l, t, 0, t->nrow);
  }
}
