// SPDX-License-Identifier: Apache-2.0
// ROBOTRAN while it is read: import/robotran.c reads bodies and joints, import/robotran_rest.c what joins them, acts on
// them and goes with them.
#ifndef JIMPORT_ROBOTRAN_H
#define JIMPORT_ROBOTRAN_H

#include "import/import.h"

#define JIMPORT_RT_JOINTS 64  // in front of one body, at most

typedef struct jimport_rt_body {
  jimport_node* node;
  const char *name, *parent_name, *parent_point;
  struct jimport_rt_body* parent;  // NULL: the base
  struct jimport_rt_body *first_child, *sibling, *next, *waiting;
  jimport_table* points;  // names of the file to those of the draft
  jimport_body* body;
  int nchild, njoint;
  jimport_node* joint[JIMPORT_RT_JOINTS];
  jimport_body* carrier[JIMPORT_RT_JOINTS];  // of the joints but the last
  bool is_held;                              // a cut or a link is fixed to it
  bool is_free;                              // its joints are one free joint
  bool is_merged;                            // gone into the free joint of a body further out
} jimport_rt_body;

typedef struct jimport_rt {
  jimport_draft* d;
  jimport_table *bodies, *base_points;
  const char* base_name;
  jimport_rt_body *body, **last_body;
} jimport_rt;

// A number of a child, 0 where there is none.
jo_status jimport_rt_number(jimport_draft* d, jimport_node* node, const char* key, double* out);

// The body and the point that a child of a node names; a point that is no point of the body is a mistake.
jo_status jimport_rt_end(jimport_rt* r, jimport_node* node, const char* key, const char* whose,
                         jimport_end* out);

jo_status jimport_rt_cuts(jimport_rt* r, jimport_node* cuts);
jo_status jimport_rt_links(jimport_rt* r, jimport_node* links);
jo_status jimport_rt_user_models(jimport_draft* d, jimport_node* models);

#endif
