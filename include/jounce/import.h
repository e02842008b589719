// SPDX-License-Identifier: Apache-2.0
// Models of other programs: ROBOTRAN (.mbs), URDF, MJCF of MuJoCo (.xml), as model files. docs/import.md says what
// is taken over.
//
//   jo_imported* taken = NULL;
//   status = jo_import(ctx, "arm.urdf", &taken);
//   if (status >= 0) status = jo_output_write(ctx, "arm.yaml", jo_imported_text(taken), strlen(jo_imported_text(taken)));
#ifndef JOUNCE_IMPORT_H
#define JOUNCE_IMPORT_H

#include "jounce/base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct jo_imported jo_imported;

/// Read a file of another program; which one, its root element says. Nothing but that file is read.
/// On failure `*out` is NULL and the context names file, line and cause; so it does where the library was built
/// without expat.
/// Ownership: caller, release with jo_imported_destroy(). Threads: any, one context per thread.
JO_API jo_status jo_import(jo_context* ctx, const char* path, jo_imported** out);
/// NULL is fine.
JO_API void jo_imported_destroy(jo_imported* taken);

/// The model file, to be written with jo_output_write(). The same file gives the same text. Valid as long as `taken`.
JO_API const char* jo_imported_text(const jo_imported* taken);

typedef struct jo_imported_info {
  const char* format;  // "ROBOTRAN", "URDF", "MJCF"
  int bodies, joints, closures;
  int remarks;
} jo_imported_info;

JO_API jo_imported_info jo_imported_inspect(const jo_imported* taken);

typedef enum jo_import_kind {
  JO_IMPORT_LOST,     // not taken over
  JO_IMPORT_TO_FILL,  // a place is left for what the file does not say
  JO_IMPORT_CHANGED   // something else stands for it: another name, another joint
} jo_import_kind;

typedef struct jo_import_remark {
  jo_import_kind kind;
  int line;          // of the file that was read
  const char* text;  // valid as long as `taken`
} jo_import_remark;

JO_API int jo_imported_remark_count(const jo_imported* taken);
/// The i-th of what there is to say; JO_ERR_ARGUMENT where there is none. What is not told was taken over.
JO_API jo_status jo_imported_remark_at(const jo_imported* taken, int i, jo_import_remark* out);

#ifdef __cplusplus
}
#endif
#endif
