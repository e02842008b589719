// SPDX-License-Identifier: Apache-2.0
// Files, what they include, and how they override each other: maps merge by key, all else is
// replaced, an empty value takes an entry away.
#include <string.h>
#include <sys/stat.h>

#include "base/system/file.h"
#include "model/read/reader.h"

#define MAX_FILES 64
#define MAX_CHAIN 16

// The files being read, innermost first.
typedef struct chain {
  const struct chain* outer;
  const char* path;
  dev_t device;
  ino_t inode;
  bool is_file;
  int depth;
} chain;

// ---- merging

static void take_value(jmodel_node* to, const jmodel_node* from) {
  to->kind = from->kind;
  to->text = from->text;
  to->place = from->place;
  to->n = from->n;
  to->first = from->first;
  to->last = from->last;
  to->in = from->in;
}

static void remove_entry(jmodel_node* map, const jmodel_node* entry) {
  jmodel_node* before = NULL;
  for (jmodel_node* c = map->first; c; before = c, c = c->next) {
    if (c != entry) continue;
    if (before) {
      before->next = c->next;
    } else {
      map->first = c->next;
    }
    if (map->last == c) map->last = before;
    map->n--;
    return;
  }
}

void jmodel_merge(jmodel_node* base, jmodel_node* over) {
  jmodel_node* next;
  for (jmodel_node* o = over->first; o; o = next) {
    next = o->next;
    o->next = NULL;
    jmodel_node* b = jmodel_node_find(base, o->key);
    if (!b) {
      jmodel_node_append(base, o);
      continue;
    }
    // `k_f: 20000` over `k_f: {value: 16000, unit: N/m}` keeps the unit
    jmodel_node* value = o->kind == JMODEL_NODE_TEXT ? jmodel_node_find(b, "value") : NULL;
    b->key_place = o->key_place;
    if (o->kind == JMODEL_NODE_NULL) {
      remove_entry(base, b);
    } else if (o->kind == JMODEL_NODE_MAP && b->kind == JMODEL_NODE_MAP) {
      jmodel_merge(b, o);
    } else {
      take_value(value ? value : b, o);
    }
  }
  over->first = NULL;
}

// ---- files

static jmodel_node* read_file(jmodel_reader* r, const char* path, const chain* outer,
                              const jmodel_at* at, jmodel_place place);

// `name` as seen from the file `from`.
static const char* relative(jmodel_reader* r, const char* from, const char* name) {
  const char* slash = strrchr(from, '/');
  if (name[0] == '/' || !slash) return jmodel_keep(r, name);
  return jmodel_format(r, "%.*s/%s", (int)(slash - from), from, name);
}

static void include_one(jmodel_reader* r, const jmodel_node* node, const chain* here,
                        jmodel_node** merged) {
  jmodel_at at = {r, "include", NULL, "include"};
  if (node->kind != JMODEL_NODE_TEXT || !*node->text) {
    jmodel_mistake(&at, node->place, "needs the name of a file, or a list of names");
    return;
  }
  at.name = node->text;
  jmodel_node* tree = read_file(r, relative(r, here->path, node->text), here, &at, node->place);
  if (!tree) return;
  if (*merged) {
    jmodel_merge(*merged, tree);
  } else {
    *merged = tree;
  }
}

static bool check_version(jmodel_reader* r, const jmodel_node* root) {
  jmodel_at at = {r, "jounce", NULL, ""};
  const jmodel_node* version = jmodel_node_find(root, "jounce");
  if (!version) {
    jmodel_mistake(&at, root->place, "the format version is missing; begin with 'jounce: 1'");
    return false;
  }
  if (version->kind == JMODEL_NODE_TEXT && strcmp(version->text, "1") == 0) return true;
  jmodel_mistake(&at, version->place, "format version '%.60s' is not known; this is for version 1",
                 version->text);
  return false;
}

static jmodel_node* read_text(jmodel_reader* r, const char* text, size_t n, const chain* here) {
  jsha256_add(&r->sha, text, n);
  jmodel_node* root = jmodel_yaml_parse(r, text, n, here->path);
  jmodel_at at = {r, "model", NULL, ""};
  if (!root) {
    if (jmodel_goes_on(r) && r->nmistake == 0) {
      jmodel_mistake(&at, (jmodel_place){here->path, 1}, "the file is empty");
    }
    return NULL;
  }
  if (root->kind == JMODEL_NODE_NULL) {
    jmodel_mistake(&at, root->place, "the file is empty");
    return NULL;
  }
  if (!jmodel_is(&at, root, JMODEL_NODE_MAP, "the file")) return NULL;
  if (!check_version(r, root)) return NULL;
  const jmodel_node* include = jmodel_node_find(root, "include");
  if (!include) return root;
  jmodel_node* merged = NULL;
  if (include->kind == JMODEL_NODE_LIST) {
    for (const jmodel_node* c = include->first; c; c = c->next) {
      include_one(r, c, here, &merged);
    }
  } else {
    include_one(r, include, here, &merged);
  }
  if (!merged) return root;
  jmodel_merge(merged, root);
  return merged;
}

static bool is_open(const chain* c, const struct stat* st) {
  for (; c; c = c->outer) {
    if (c->is_file && c->device == st->st_dev && c->inode == st->st_ino) return true;
  }
  return false;
}

// Why a file is not read, or NULL.
static const char* refusal(const jmodel_reader* r, const chain* outer, const struct stat* st) {
  if (is_open(outer, st)) return "includes itself; remove one of the includes";
  if (r->nfile >= MAX_FILES) return "more than 64 files";
  if (outer && outer->depth >= MAX_CHAIN) return "files include each other too deep";
  if (!S_ISREG(st->st_mode)) return "not a file";
  if (st->st_size < 0 || (size_t)st->st_size > JMODEL_MAX_BYTES - r->nbyte) {
    return "more than 4 MiB of text";
  }
  return NULL;
}

static jmodel_node* read_file(jmodel_reader* r, const char* path, const chain* outer,
                              const jmodel_at* at, jmodel_place place) {
  if (!jmodel_goes_on(r)) return NULL;
  struct stat st;
  const char* cause = stat(path, &st) != 0 ? "there is no such file" : refusal(r, outer, &st);
  if (cause) {
    jmodel_mistake(at, place, "%s", cause);
    if (!outer && r->status == JO_ERR_MODEL) r->status = JO_ERR_FILE;
    return NULL;
  }
  char* text;
  size_t n;
  jo_status status = jfile_read(r->ctx, &r->scratch, path, JMODEL_MAX_BYTES - r->nbyte, &text, &n);
  if (status < 0) {
    r->nmistake++;
    r->status = status;
    r->oom = r->oom || status == JO_ERR_MEMORY;
    return NULL;
  }
  r->nfile++;
  r->nbyte += n;
  chain here = {outer, path, st.st_dev, st.st_ino, true, outer ? outer->depth + 1 : 0};
  return read_text(r, text, n, &here);
}

jmodel_node* jmodel_include_file(jmodel_reader* r, const char* path) {
  jmodel_at at = {r, "model", NULL, ""};
  return read_file(r, path, NULL, &at, (jmodel_place){path, 0});
}

jmodel_node* jmodel_include_text(jmodel_reader* r, const char* text, size_t n, const char* path) {
  chain here = {.path = path};
  r->nbyte = n;
  if (n > JMODEL_MAX_BYTES) {
    jmodel_at at = {r, "model", NULL, ""};
    jmodel_mistake(&at, (jmodel_place){path, 0}, "more than 4 MiB of text");
    return NULL;
  }
  return read_text(r, text, n, &here);
}
