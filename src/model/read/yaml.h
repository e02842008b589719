// SPDX-License-Identifier: Apache-2.0
// A YAML text as a tree of places and texts: nothing is known of models here, nor of who reads them. The tree
// lives in the reader's scratch arena; libfyaml's own objects are gone when parsing (model/read/reader.h) returns.
#ifndef JMODEL_YAML_H
#define JMODEL_YAML_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/model.h"

typedef struct jmodel_instance jmodel_instance;  // model/template/instance.h

typedef enum jmodel_node_kind {
  JMODEL_NODE_NULL,  // nothing, `~` or `null`
  JMODEL_NODE_TEXT,
  JMODEL_NODE_LIST,
  JMODEL_NODE_MAP
} jmodel_node_kind;

typedef struct jmodel_node jmodel_node;
struct jmodel_node {
  jmodel_node_kind kind;
  const char* text;  // of a text; "" otherwise
  jmodel_place place;
  const char* key;  // of a map entry; NULL otherwise
  uint64_t key_hash;
  jmodel_place key_place;
  int n;  // entries of a list or a map ...
  jmodel_node *first, *last;
  jmodel_node* next;  // ... chained
  const jmodel_instance*
      in;             // whose names it uses and in whose coordinates it is; NULL: the model's
  const char* local;  // key of an entry inside of its template; NULL: the key itself
  bool is_opposite;   // initial: the quantity is minus what the key says
};

jmodel_node* jmodel_node_find(const jmodel_node* map, const char* key);
void jmodel_node_append(jmodel_node* parent, jmodel_node* child);

#endif
