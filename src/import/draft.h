// SPDX-License-Identifier: Apache-2.0
// A model while it is taken over from a file of another program: bodies, joints and entries of other sections,
// under names that model files allow, and remarks on what became of the rest. import/write.c makes a model file
// of it.
//
// Running out of memory is remembered (`failed`) and asked for once, at the end; what these functions return may
// always be used.
#ifndef JIMPORT_DRAFT_H
#define JIMPORT_DRAFT_H

#include "base/err.h"
#include "import/space.h"
#include "import/xml.h"

#define JIMPORT_MAX_BODIES 20000
#define JIMPORT_TABLE      16384

// What became of things: not taken over; a place left for what the file does not say; taken over as something else.
typedef enum jimport_kind { JIMPORT_LOST, JIMPORT_TO_FILL, JIMPORT_CHANGED } jimport_kind;

typedef struct jimport_remark {
  jimport_kind kind;
  int line;
  const char* text;
  struct jimport_remark* next;
} jimport_remark;

// Texts to pointers.
typedef struct jimport_pair {
  const char* key;
  void* value;
  struct jimport_pair* next;
} jimport_pair;

typedef struct jimport_table {
  jimport_pair* bucket[JIMPORT_TABLE];
} jimport_table;

typedef struct jimport_vector {
  const char* name;
  double x[3];
  struct jimport_vector* next;
} jimport_vector;

typedef struct jimport_body {
  const char* name;
  const char* comment;  // NULL: none
  int line;
  struct jimport_body* parent;
  jimport_pose design;              // vehicle coordinates, all coordinates zero
  double mass, com[3], inertia[6];  // xx yy zz xy xz yz about the centre of mass, own axes
  jimport_vector *point, **last_point, *vector, **last_vector;
  struct jimport_joint* carrier;
  bool is_closed;  // a closure holds it, or what it carries
  struct jimport_body* next;
} jimport_body;

typedef struct jimport_joint {
  const char *name, *type, *comment;
  int line;
  jimport_body *parent, *child;
  const char *at_parent, *at_child;  // points; NULL: the origin
  int naxis;
  double axis[2][3];  // vehicle coordinates
  const char* drive;  // name of a signal; NULL: not driven
  double guess;       // 0: none
  int independent;    // a wish: 1, 0; -1: none
  double
      moved;  // mass that a slide moves, moment of inertia that a turn does, at the design position
  bool is_settled;  // fixed, for want of mass
  struct jimport_joint* next;
} jimport_joint;

typedef enum jimport_section {
  JIMPORT_PARAMETERS,
  JIMPORT_INPUTS,
  JIMPORT_CLOSURES,
  JIMPORT_FORCES,
  JIMPORT_BUSHES,
  JIMPORT_SIGNALS,
  JIMPORT_SENSORS,
  JIMPORT_INITIAL,
  JIMPORT_SECTIONS
} jimport_section;

// "name: value  # comment", the value as YAML.
typedef struct jimport_entry {
  const char *name, *value, *comment;
  const jimport_joint* on;  // means nothing once that is fixed; NULL: of no joint
  struct jimport_entry* next;
} jimport_entry;

typedef struct jimport_draft {
  jo_context* ctx;
  jarena* a;
  const char *path, *format;
  const char* name;  // of the model; NULL: none
  double gravity[3];
  jimport_body ground, *body, **last_body, spare_body;
  jimport_joint *joint, **last_joint, spare_joint;
  jimport_entry *entry[JIMPORT_SECTIONS], **last_entry[JIMPORT_SECTIONS], spare_entry;
  jimport_remark *remark, **last_remark;
  jimport_table* names;  // taken
  int nbody, njoint, nclosure;
  bool failed;
} jimport_draft;

jo_status jimport_draft_init(jimport_draft* d, jo_context* ctx, jarena* a, const char* path);

// A mistake in the file: "path:line: ...".
jo_status jimport_refuse(jimport_draft* d, int line, const char* format, ...) JERR_PRINTF(3, 4);
void jimport_remark_add(jimport_draft* d, jimport_kind kind, int line, const char* format, ...)
    JERR_PRINTF(4, 5);

// Everything that nobody has asked for, as remarks, one for each kind of it.
void jimport_remark_unread(jimport_draft* d, jimport_node* root);

// Texts in the arena; "" and `failed` without memory. `show` is a text of the file as it can be shown: one line,
// no control characters, not long.
const char* jimport_text(jimport_draft* d, const char* format, ...) JERR_PRINTF(2, 3);
const char* jimport_show(jimport_draft* d, const char* text);
// Numbers as model files have them: "[1, 2, 3]".
const char* jimport_list(jimport_draft* d, const double* x, int n);
const char* jimport_number(jimport_draft* d, double x);

void* jimport_table_get(const jimport_table* t, const char* key);
void jimport_table_put(jimport_draft* d, jimport_table* t, const char* key, void* value);
jimport_table* jimport_table_new(jimport_draft* d);

// Numbers of a text with blanks between: exactly n, or, where `least` is below it, from there on; *got of them.
// What is not finite is no number. `what` says whose text it is.
jo_status jimport_numbers(jimport_draft* d, int line, const char* what, const char* text, int least,
                          int n, double* x, int* got);
// Exactly n.
jo_status jimport_vector_of(jimport_draft* d, int line, const char* what, const char* text, int n,
                            double* x);

// A name that is allowed and free, as close to the wanted one as can be; told where it is another one. `shared`:
// a name that may be taken although it is in use, or NULL.
const char* jimport_name(jimport_draft* d, const char* wanted, const char* shared, int line);

// A new body, at rest in the ground's frame until its design pose is set. `parent` may be set later.
jo_status jimport_body_add(jimport_draft* d, const char* wanted, jimport_body* parent, int line,
                           jimport_body** out);
jimport_joint* jimport_joint_add(jimport_draft* d, const char* wanted, const char* type,
                                 jimport_body* child, int line);

// A point or a vector of a body, own coordinates; the name it got, told where it is another one than the wanted
// one of the file at that line. Line 0: the name is ours.
const char* jimport_point_add(jimport_draft* d, jimport_body* b, const char* wanted,
                              const double x[3], int line);
const char* jimport_vector_add(jimport_draft* d, jimport_body* b, const char* wanted,
                               const double x[3]);

jimport_entry* jimport_entry_add(jimport_draft* d, jimport_section s, const char* name,
                                 const char* value, const char* comment);

// An end of a closure: a body and one of its points, NULL for the origin.
typedef struct jimport_end {
  jimport_body* body;
  const char* point;
} jimport_end;

const char* jimport_end_text(jimport_draft* d, jimport_end e);
void jimport_ball(jimport_draft* d, const char* wanted, jimport_end a, jimport_end b, int line);
void jimport_distance(jimport_draft* d, const char* wanted, jimport_end a, jimport_end b,
                      double length, int line);
// Nothing moves: the points are one, and the axes of b, turned by R, are those of a.
void jimport_weld(jimport_draft* d, const char* wanted, jimport_end a, jimport_end b,
                  double R[3][3], int line);

// Bodies that would move without mass are fixed, or get a little of it where a closure holds them.
void jimport_settle_mass(jimport_draft* d);

// The model file.
jo_status jimport_write(jimport_draft* d, const char** text);

#endif
