// SPDX-License-Identifier: Apache-2.0
#include "import/import.h"

#include <string.h>

static const jimport_format formats[] = {
    {"mbsDescR7", "ROBOTRAN", jimport_robotran},
    {"MBsysPad", "ROBOTRAN", jimport_robotran},
    {"robot", "URDF", jimport_urdf},
    {"mujoco", "MJCF", jimport_mjcf},
};

static const jimport_format* find_format(const char* root) {
  for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
    if (strcmp(formats[i].root, root) == 0) return &formats[i];
  }
  return NULL;
}

jo_status jimport_file(jimport_draft* d, jo_context* ctx, jarena* a, const char* path,
                       const char** text) {
  jimport_node* root = NULL;
  JO_TRY(jimport_draft_init(d, ctx, a, path));
  JO_TRY(jimport_xml_read(ctx, a, path, &root));
  const jimport_format* format = find_format(root->name);
  if (!format) {
    return jimport_refuse(d, root->line,
                          "<%s> is the root of no format known here: ROBOTRAN (mbsDescR7), URDF "
                          "(robot), MJCF (mujoco)",
                          jimport_show(d, root->name));
  }
  d->format = format->name;
  root->is_read = true;
  JO_TRY(format->read(d, root));
  if (d->failed) return jerr_memory(ctx);
  if (!d->body) {
    return jimport_refuse(d, root->line, "there is no body in it: nothing to take over");
  }
  jimport_settle_mass(d);
  jimport_remark_unread(d, root);
  return jimport_write(d, text);
}
