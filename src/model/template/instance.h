// SPDX-License-Identifier: Apache-2.0
// Templates used under a name. What a template holds is copied into the sections of the model before they are
// read, every entry under the name of its instance: bodies.fl.upright. The nodes of a copy say which instance
// they belong to; names in them are looked up where readers ask for names (names.c), and geometry is put in
// its place where readers ask for points and directions (place.c). Readers of sections and classes of elements
// know nothing of it.
#ifndef JMODEL_INSTANCE_H
#define JMODEL_INSTANCE_H

#include "model/read/reader.h"

#define JMODEL_MAX_PLACING 16  // steps of one instance

// From the coordinates of the template to those of who uses it, one step after the other.
typedef struct jmodel_placing {
  enum { JMODEL_PLACED_MIRROR, JMODEL_PLACED_TURN, JMODEL_PLACED_SHIFT } kind;
  int axis;                 // mirror: normal of the plane
  const jmodel_node* node;  // turn, shift: as the file gives it
  const char* path;
  jmodel_scalar turn;  // about z [rad]
  jmodel_v3 shift;     // [m]
} jmodel_placing;

typedef struct jmodel_port {
  const char* name;
  const char* bound;  // what stands for it, as the model calls it; NULL: a mistake was told
  jmodel_place place;
  bool is_used;
} jmodel_port;

struct jmodel_instance {
  const jmodel_instance* outer;  // that it is part of; NULL: the model
  const char* name;              // "front.left"
  const char* placed_as;  // whose `at` and `turn` it has: its own, or of what it is an image of
  const char* template;
  const jmodel_node* inside;  // the sections of the template, as this instance has them
  jmodel_place place;
  const char* told;  // "instance 'fl' (template 'corner')"
  int nport;
  jmodel_port* port;
  int nplacing;
  jmodel_placing placing[JMODEL_MAX_PLACING];
  int depth;
  bool is_moved;  // turned or shifted, itself or what it is part of
  int flip[3];    // mirrored along the axes, itself and what it is part of: 1 or -1
  int handed;     // product of the flips: -1 for a mirror image
  jmodel_instance* next;
};

// Put what the instances hold into the sections of the model (template.c).
void jmodel_expand(jmodel_reader* r, jmodel_node* root);
// Read where they are put; parameters are known (place.c).
void jmodel_read_instances(jmodel_reader* r, const jmodel_node* root);
// Warn of ports that no instance of a template has used.
void jmodel_check_ports(jmodel_reader* r);

#endif
