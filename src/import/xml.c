// SPDX-License-Identifier: Apache-2.0
// XML by expat. Its parser keeps no tree, expands nothing once declarations are refused, and reads no other file.
#include "import/xml.h"

#include <string.h>

#include "base/err.h"
#include "base/system/file.h"
#include "base/text/text.h"

#ifndef JOUNCE_WITH_EXPAT

jo_status jimport_xml_read(jo_context* ctx, jarena* a, const char* path, jimport_node** root) {
  (void)a;
  (void)root;
  return jerr_set(ctx, JO_ERR_FILE,
                  "%s: cannot read: built without expat (Debian: libexpat1-dev), which reads XML",
                  path);
}

#else
#include <expat.h>

typedef struct builder {
  jo_context* ctx;
  jarena* a;
  const char* path;
  XML_Parser parser;
  jimport_node *root, *open;
  int depth, nnode;
  jtext text;  // since the last tag
  jo_status status;
} builder;

// The first reason counts; the parser stops.
static void stop(builder* b, const char* why) {
  if (b->status < 0) return;
  b->status = jerr_set(b->ctx, JO_ERR_MODEL, "%s:%d: %s", b->path,
                       (int)XML_GetCurrentLineNumber(b->parser), why);
  XML_StopParser(b->parser, XML_FALSE);
}

static void stop_for_memory(builder* b) {
  if (b->status < 0) return;
  b->status = jerr_memory(b->ctx);
  XML_StopParser(b->parser, XML_FALSE);
}

static void add_attributes(builder* b, jimport_node* node, const XML_Char** pair) {
  jimport_attribute** last = &node->attribute;
  for (; *pair; pair += 2) {
    jimport_attribute* t = JARENA_NEW(b->a, jimport_attribute);
    if (t) {
      t->name = jarena_strdup(b->a, pair[0]);
      t->value = jarena_strdup(b->a, pair[1]);
    }
    if (!t || !t->name || !t->value) {
      stop_for_memory(b);
      return;
    }
    *last = t;
    last = &t->next;
  }
}

static void XMLCALL begin(void* user, const XML_Char* name, const XML_Char** attributes) {
  builder* b = user;
  if (b->status < 0) return;
  if (++b->depth > JIMPORT_MAX_DEPTH) {
    stop(b, "elements are nested too deeply; 256 levels are the limit");
    return;
  }
  if (++b->nnode > JIMPORT_MAX_NODES) {
    stop(b, "too many elements; 400000 are the limit");
    return;
  }
  jimport_node* node = JARENA_NEW(b->a, jimport_node);
  if (node) node->name = jarena_strdup(b->a, name);
  if (!node || !node->name) {
    stop_for_memory(b);
    return;
  }
  node->text = "";
  node->line = (int)XML_GetCurrentLineNumber(b->parser);
  node->parent = b->open;
  add_attributes(b, node, attributes);
  if (!b->open) {
    b->root = node;
  } else if (b->open->last) {
    b->open->last->next = node;
  } else {
    b->open->first = node;
  }
  if (b->open) b->open->last = node;
  b->open = node;
  jtext_clear(&b->text);
}

static bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static void XMLCALL end(void* user, const XML_Char* name) {
  builder* b = user;
  (void)name;
  if (b->status < 0) return;
  jimport_node* node = b->open;
  if (!node->first && b->text.length > 0) {
    const char* s = b->text.data;
    size_t n = b->text.length;
    while (n > 0 && is_blank(s[n - 1])) {
      n--;
    }
    while (n > 0 && is_blank(*s)) {
      s++;
      n--;
    }
    node->text = jarena_strndup(b->a, s, n);
    if (!node->text) stop_for_memory(b);
  }
  jtext_clear(&b->text);
  b->open = node->parent;
  b->depth--;
}

static void XMLCALL characters(void* user, const XML_Char* s, int n) {
  builder* b = user;
  if (b->status < 0) return;
  jtext_write(&b->text, s, (size_t)n);
  if (b->text.failed) stop_for_memory(b);
}

static void XMLCALL refuse_types(void* user, const XML_Char* name, const XML_Char* system,
                                 const XML_Char* public, int has_internal) {
  (void)name;
  (void)system;
  (void)public;
  (void)has_internal;
  stop(user, "declarations of types and entities (<!DOCTYPE>) are not taken; leave them out");
}

static jo_status parse(builder* b, const char* data, size_t size) {
  XML_SetUserData(b->parser, b);
  XML_SetElementHandler(b->parser, begin, end);
  XML_SetCharacterDataHandler(b->parser, characters);
  XML_SetStartDoctypeDeclHandler(b->parser, refuse_types);
  enum XML_Status fine = XML_Parse(b->parser, data, (int)size, XML_TRUE);
  if (b->status < 0) return b->status;
  if (fine == XML_STATUS_OK) return JO_OK;
  enum XML_Error code = XML_GetErrorCode(b->parser);
  if (code == XML_ERROR_NO_MEMORY) return jerr_memory(b->ctx);
  return jerr_set(b->ctx, JO_ERR_MODEL, "%s:%d: not XML: %s", b->path,
                  (int)XML_GetCurrentLineNumber(b->parser), XML_ErrorString(code));
}

jo_status jimport_xml_read(jo_context* ctx, jarena* a, const char* path, jimport_node** root) {
  char* data;
  size_t size;
  JO_TRY(jfile_read(ctx, a, path, JIMPORT_MAX_BYTES, &data, &size));
  builder b = {.ctx = ctx, .a = a, .path = path, .parser = XML_ParserCreate(NULL)};
  if (!b.parser) return jerr_memory(ctx);
  // what orders its tables is never seen, but the same input shall take the same way
  XML_SetHashSalt(b.parser, 1);
  jtext_init(&b.text, ctx);
  jo_status status = parse(&b, data, size);
  jtext_free(&b.text);
  XML_ParserFree(b.parser);
  if (status >= 0) *root = b.root;
  return status;
}

#endif

// ---- asking --------------------------------------------------------------------------------------

const char* jimport_attribute_of(jimport_node* node, const char* name) {
  for (jimport_attribute* t = node->attribute; t; t = t->next) {
    if (strcmp(t->name, name) != 0) continue;
    t->is_read = true;
    return t->value;
  }
  return NULL;
}

static jimport_node* find(jimport_node* from, const char* name) {
  for (jimport_node* n = from; n; n = n->next) {
    if (strcmp(n->name, name) != 0) continue;
    n->is_read = true;
    return n;
  }
  return NULL;
}

jimport_node* jimport_child(jimport_node* node, const char* name) {
  return node ? find(node->first, name) : NULL;
}

jimport_node* jimport_next(jimport_node* node, const char* name) {
  return find(node->next, name);
}

const char* jimport_child_text(jimport_node* node, const char* name) {
  jimport_node* child = jimport_child(node, name);
  return child ? child->text : NULL;
}

void jimport_read_all(jimport_node* node) {
  node->is_read = true;
  for (jimport_attribute* t = node->attribute; t; t = t->next) {
    t->is_read = true;
  }
  for (jimport_node* c = node->first; c; c = c->next) {
    jimport_read_all(c);
  }
}
