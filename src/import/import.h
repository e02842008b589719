// SPDX-License-Identifier: Apache-2.0
// Files of other programs as model files. A format is a file of its own here and a line in the table of
// import/import.c; what it reads goes into a draft (import/draft.h), and what it does not is told.
#ifndef JIMPORT_IMPORT_H
#define JIMPORT_IMPORT_H

#include "import/draft.h"

// Known by the name of the root element.
typedef struct jimport_format {
  const char *root, *name;
  jo_status (*read)(jimport_draft* d, jimport_node* root);
} jimport_format;

jo_status jimport_robotran(jimport_draft* d, jimport_node* root);
jo_status jimport_urdf(jimport_draft* d, jimport_node* root);
jo_status jimport_mjcf(jimport_draft* d, jimport_node* root);

// Read a file into a draft and write it as a model file; everything is in the draft's arena.
jo_status jimport_file(jimport_draft* d, jo_context* ctx, jarena* a, const char* path,
                       const char** text);

#endif
