// SPDX-License-Identifier: Apache-2.0
// MJCF while it is read: settings of the file, classes of defaults, attributes with them. import/mjcf.c reads
// bodies, import/mjcf_parts.c what they have, import/mjcf_rest.c what joins them and acts on them.
#ifndef JIMPORT_MJCF_H
#define JIMPORT_MJCF_H

#include "import/import.h"

typedef struct jimport_mj {
  jimport_draft* d;
  double angle;                    // to radians
  char eulerseq[4];                // "xyz": about axes that turn along; "XYZ": about fixed ones
  bool limits;                     // a range alone means a limit
  bool geoms_always, geoms_never;  // masses from geoms: where there is no inertial by default
  jimport_node* main;              // defaults of everything; NULL: none
  jimport_table *classes, *bodies, *joints, *sites;
  int nunnamed;
} jimport_mj;

// A joint by the name of the file.
typedef struct jimport_mj_joint {
  jimport_joint* joint;
  double ref;  // coordinate of the source where ours is zero
} jimport_mj_joint;

typedef struct jimport_mj_site {
  jimport_body* body;
  const char* point;
  jimport_pose pose;  // on the body
} jimport_mj_site;

// An attribute: of the element, of its class, of the classes around that, of everything; NULL: nowhere.
const char* jimport_mj_attribute(jimport_mj* m, jimport_node* node, const char* class,
                                 const char* name);

// The same as numbers; *got of them, 0 where there is none.
jo_status jimport_mj_numbers(jimport_mj* m, jimport_node* node, const char* class, const char* name,
                             int least, int n, double* x, int* got);
jo_status jimport_mj_number(jimport_mj* m, jimport_node* node, const char* class, const char* name,
                            double usual, double* x);

// pos and one of quat, axisangle, euler, xyaxes, zaxis.
jo_status jimport_mj_pose(jimport_mj* m, jimport_node* node, const char* class, jimport_pose* out);

// Mass of a geom, at its place on the body.
jo_status jimport_mj_geom(jimport_mj* m, jimport_node* node, const char* class,
                          const jimport_pose* frame, jimport_mass* sum);
jo_status jimport_mj_inertial(jimport_mj* m, jimport_node* node, jimport_body* b);

// equality and actuator, once all bodies are there.
jo_status jimport_mj_rest(jimport_mj* m, jimport_node* root);

#endif
