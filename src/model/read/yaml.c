// SPDX-License-Identifier: Apache-2.0
// YAML through libfyaml's events. The tree is built here rather than by libfyaml, so that a
// duplicate key is told with both lines, nothing is expanded (anchors and aliases are refused) and
// memory is ours. libfyaml prints nothing: its messages are collected.
#include "model/read/yaml.h"

#include <string.h>

#include <libfyaml.h>

#include "base/text/text.h"
#include "model/read/reader.h"

#define MAX_DEPTH   32
#define MAX_ENTRIES 20000  // of one map
#define ROOM        65536  // more than libfyaml needs to begin [bytes]

typedef struct builder {
  jmodel_reader* r;
  jmodel_at at;
  const char* text;  // all of it
  size_t ntext;
  const char* file;
  jmodel_node* stack[MAX_DEPTH];
  int depth;
  int map[MAX_DEPTH], nmap;  // numbers of the open maps
  jindex keys;               // lines of the keys, by map
  jmodel_node* root;
  const char* key;  // waits for its value
  jmodel_place key_place;
  int line;  // of the last token
  int ndocument;
  bool failed;
} builder;

jmodel_node* jmodel_node_find(const jmodel_node* map, const char* key) {
  if (!map || map->kind != JMODEL_NODE_MAP) return NULL;
  uint64_t hash = jhash_bytes(key, strlen(key));
  for (jmodel_node* c = map->first; c; c = c->next) {
    if (c->key_hash == hash && strcmp(c->key, key) == 0) return c;
  }
  return NULL;
}

void jmodel_node_append(jmodel_node* parent, jmodel_node* child) {
  if (parent->last) {
    parent->last->next = child;
  } else {
    parent->first = child;
  }
  parent->last = child;
  parent->n++;
}

static void fail(builder* b, int line, const char* cause) {
  if (!b->failed) jmodel_mistake(&b->at, (jmodel_place){b->file, line}, "%s", cause);
  b->failed = true;
}

static void fail_for_memory(builder* b) {
  jmodel_out_of_memory(b->r);
  b->failed = true;
}

// ---- bytes: what is no text is refused before libfyaml sees it

static bool is_text(builder* b, const char* text, size_t n) {
  size_t at = 0;
  const char* cause = jtext_flaw(text, n, &at);
  if (!cause) return true;
  int line = 1;
  for (size_t i = 0; i < at; i++) {
    line += text[i] == '\n';
  }
  fail(b, line, cause);
  return false;
}

// ---- tree

static bool is_null_word(const char* s) {
  return !*s || strcmp(s, "~") == 0 || strcmp(s, "null") == 0 || strcmp(s, "Null") == 0 ||
         strcmp(s, "NULL") == 0;
}

static jmodel_node* new_node(builder* b, jmodel_node_kind kind) {
  jmodel_node* node = JARENA_NEW(&b->r->scratch, jmodel_node);
  if (!node) {
    fail_for_memory(b);
    return NULL;
  }
  node->kind = kind;
  node->text = "";
  node->place = (jmodel_place){b->file, b->line};
  return node;
}

static void attach_entry(builder* b, jmodel_node* map, jmodel_node* node) {
  int scope = b->map[b->depth - 1];
  size_t length = strlen(b->key);
  int before = jindex_find(&b->keys, scope, b->key, length);
  node->key = b->key;
  node->key_hash = jhash_bytes(b->key, length);
  node->key_place = b->key_place;
  b->key = NULL;
  if (before >= 0) {
    jmodel_at at = {b->r, "key", node->key, ""};
    jmodel_mistake(&at, node->key_place, "given twice; first in line %d", before);
  } else if (map->n >= MAX_ENTRIES) {
    fail(b, b->line, "too many entries");
  } else if (!jindex_put(&b->keys, scope, node->key, length, node->key_place.line)) {
    fail_for_memory(b);
  } else {
    jmodel_node_append(map, node);
  }
}

// Put a node where it belongs: below the innermost open map or list.
static void attach(builder* b, jmodel_node* node) {
  if (b->depth == 0) {
    b->root = node;
    return;
  }
  jmodel_node* parent = b->stack[b->depth - 1];
  if (parent->kind == JMODEL_NODE_LIST) {
    jmodel_node_append(parent, node);
  } else if (b->key) {
    attach_entry(b, parent, node);
  } else if (node->kind == JMODEL_NODE_TEXT || node->kind == JMODEL_NODE_NULL) {
    b->key = node->text;
    b->key_place = node->place;
  } else {
    fail(b, b->line, "a key must be a plain name");
  }
}

static void open_node(builder* b, jmodel_node_kind kind) {
  if (b->depth == MAX_DEPTH) {
    fail(b, b->line, "nested too deep");
    return;
  }
  jmodel_node* node = new_node(b, kind);
  if (!node) return;
  attach(b, node);
  if (b->failed) return;
  b->map[b->depth] = b->nmap++;
  b->stack[b->depth++] = node;
}

// A line end in a quoted text, and the blanks around it: one becomes a blank, more of them one less.
static size_t fold(const char* s, size_t i, size_t n, char* out, size_t* length) {
  while (*length > 0 && (out[*length - 1] == ' ' || out[*length - 1] == '\t'))
    (*length)--;
  int breaks = 0;
  for (; i < n && strchr(" \t\r\n", s[i]); i++) {
    if (s[i] == '\n' || (s[i] == '\r' && !(i + 1 < n && s[i + 1] == '\n'))) breaks++;
  }
  if (breaks == 1) out[(*length)++] = ' ';
  for (int k = 1; k < breaks; k++)
    out[(*length)++] = '\n';
  return i;
}

// What stands between single quotes. libfyaml 0.7.12 loses characters, and memory, of doubled quotes.
static const char* unquote(builder* b, const char* s, size_t n, size_t* length) {
  char* out = jarena_alloc(&b->r->scratch, n + 1);
  *length = 0;
  for (size_t i = 0; out && i < n;) {
    if (s[i] == '\n' || s[i] == '\r') {
      i = fold(s, i, n, out, length);
    } else {
      out[(*length)++] = s[i];
      i += s[i] == '\'' ? 2 : 1;
    }
  }
  return out;
}

static const char* token_text(builder* b, struct fy_token* token, size_t* n) {
  *n = 0;
  if (!token) return "";
  if (fy_token_scalar_style(token) != FYSS_SINGLE_QUOTED) return fy_token_get_text(token, n);
  const struct fy_mark* start = fy_token_start_mark(token);
  const struct fy_mark* end = fy_token_end_mark(token);
  if (!start || !end || start->input_pos > end->input_pos || end->input_pos > b->ntext) return "";
  return unquote(b, b->text + start->input_pos, end->input_pos - start->input_pos, n);
}

static void put_text(builder* b, struct fy_token* token) {
  size_t n = 0;
  jmem_watch();
  const char* text = token_text(b, token, &n);
  if (jmem_has_ended()) text = NULL;
  bool is_plain = !token || fy_token_scalar_style(token) == FYSS_PLAIN;
  jmodel_node* node = new_node(b, JMODEL_NODE_TEXT);
  if (!node) return;
  if (text) node->text = jarena_strndup(&b->r->scratch, text, n);
  if (!text || !node->text) {
    fail_for_memory(b);
    return;
  }
  if (strlen(node->text) != n) {
    fail(b, b->line, "a zero character in a text");
    return;
  }
  // escapes of double quotes can write anything
  size_t at;
  if (jtext_flaw(text, n, &at) || strchr(node->text, '\r')) {
    fail(b, b->line, "a text with a control character; names and units are shown on terminals");
    return;
  }
  bool is_key = b->depth > 0 && b->stack[b->depth - 1]->kind == JMODEL_NODE_MAP && !b->key;
  if (!is_key && is_plain && is_null_word(node->text)) node->kind = JMODEL_NODE_NULL;
  attach(b, node);
}

static void add_event(builder* b, struct fy_event* e) {
  const struct fy_mark* mark = fy_event_start_mark(e);
  if (mark) b->line = mark->line + 1;
  if (fy_event_get_anchor_token(e)) {
    fail(b, b->line, "anchors are not supported; use parameters or include");
    return;
  }
  if (e->type != FYET_DOCUMENT_START && fy_event_get_tag_token(e)) {
    fail(b, b->line, "tags are not supported; leave out what begins with '!'");
    return;
  }
  switch (e->type) {
    case FYET_DOCUMENT_START:
      if (b->ndocument++ == 1) fail(b, b->line, "a second document begins; one file, one document");
      break;
    case FYET_MAPPING_START: open_node(b, JMODEL_NODE_MAP); break;
    case FYET_SEQUENCE_START: open_node(b, JMODEL_NODE_LIST); break;
    case FYET_MAPPING_END:
    case FYET_SEQUENCE_END: b->depth--; break;
    case FYET_SCALAR: put_text(b, fy_event_get_token(e)); break;
    case FYET_ALIAS:
      fail(b, b->line, "aliases are not supported; use parameters or include");
      break;
    default: break;
  }
}

// ---- libfyaml

static void say_nothing(struct fy_diag* diag, void* user, const char* buf, size_t len) {
  (void)diag;
  (void)user;
  (void)buf;
  (void)len;
}

static void report_syntax(builder* b, struct fy_diag* diag) {
  void* iterator = NULL;
  const struct fy_diag_error* e = fy_diag_errors_iterate(diag, &iterator);
  if (e && e->msg) {
    fail(b, e->line > 0 ? e->line : b->line, e->msg);
  } else {
    fail(b, b->line, "this is not YAML");
  }
}

static void parse_events(builder* b, struct fy_parser* parser, struct fy_diag* diag) {
  while (!b->failed) {
    jmem_watch();
    struct fy_event* e = fy_parser_parse(parser);
    if (jmem_has_ended()) fail_for_memory(b);
    if (!e) break;
    if (!b->failed) add_event(b, e);
    fy_parser_event_free(parser, e);
  }
  if (!b->failed && fy_parser_get_stream_error(parser)) report_syntax(b, diag);
}

static struct fy_diag* create_diag(void) {
  struct fy_diag_cfg cfg;
  fy_diag_cfg_default(&cfg);
  cfg.fp = NULL;
  cfg.output_fn = say_nothing;
  cfg.colorize = false;
  struct fy_diag* diag = fy_diag_create(&cfg);
  if (diag) fy_diag_set_collect_errors(diag, true);
  return diag;
}

// libfyaml 0.7.12 follows a NULL when memory ends while it begins: see that there is some.
static bool has_room(builder* b) {
  void* room = jmem_resize(b->r->ctx, NULL, ROOM);
  jmem_free(b->r->ctx, room);
  return room != NULL;
}

jmodel_node* jmodel_yaml_parse(jmodel_reader* r, const char* text, size_t n, const char* file) {
  builder b = {.r = r, .at = {r, "yaml", NULL, ""}, .file = file, .line = 1};
  b.text = text;
  b.ntext = n;
  b.keys = jindex_of(&r->scratch);
  if (!is_text(&b, text, n)) return NULL;
  struct fy_diag* diag = has_room(&b) ? create_diag() : NULL;
  struct fy_parse_cfg cfg = {.flags = FYPCF_QUIET | FYPCF_COLLECT_DIAG | FYPCF_JSON_NONE,
                             .diag = diag};
  struct fy_parser* parser = diag ? fy_parser_create(&cfg) : NULL;
  if (!parser || fy_parser_set_string(parser, text, n) != 0) {
    fail_for_memory(&b);
  } else {
    parse_events(&b, parser, diag);
  }
  if (parser) fy_parser_destroy(parser);
  if (diag) fy_diag_destroy(diag);
  return b.failed ? NULL : b.root;
}
