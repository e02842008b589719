// SPDX-License-Identifier: Apache-2.0
// An XML file as a tree. Nodes and attributes know whether somebody has asked for them: what nobody asked for
// was not taken over, and is told (import/draft.h).
//
// Files are untrusted: declarations of types and entities are refused, nothing outside of the file is read, and
// size, depth and number of elements are limited.
#ifndef JIMPORT_XML_H
#define JIMPORT_XML_H

#include <stdbool.h>

#include "base/mem.h"

#define JIMPORT_MAX_BYTES (16u << 20)
#define JIMPORT_MAX_DEPTH 256
#define JIMPORT_MAX_NODES 400000

typedef struct jimport_attribute {
  const char *name, *value;
  bool is_read;
  struct jimport_attribute* next;
} jimport_attribute;

typedef struct jimport_node {
  const char* name;
  const char* text;  // of a node without children, without blanks around it; "" where there is none
  int line;
  bool is_read;
  jimport_attribute* attribute;
  struct jimport_node *parent, *first, *last, *next;
} jimport_node;

// On failure the context names file, line and cause. The tree is in the arena.
jo_status jimport_xml_read(jo_context* ctx, jarena* a, const char* path, jimport_node** root);

// All of these mark what they give as read. NULL: there is none.
const char* jimport_attribute_of(jimport_node* node, const char* name);
jimport_node* jimport_child(jimport_node* node, const char* name);
jimport_node* jimport_next(jimport_node* node, const char* name);  // among the ones behind it

// All of a node counts as read: what becomes of it is told otherwise.
void jimport_read_all(jimport_node* node);

// The text of a child; NULL: no such child.
const char* jimport_child_text(jimport_node* node, const char* name);

#endif
