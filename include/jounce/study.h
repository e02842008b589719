// SPDX-License-Identifier: Apache-2.0
// Studies: a file names a model and what is to be found out about it; what comes out are tables, figures and one page.
// docs/studies.md describes the files.
#ifndef JOUNCE_STUDY_H
#define JOUNCE_STUDY_H

#include "jounce/model.h"
#include "jounce/table.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct jo_study jo_study;

/// Read a study file and the model it names. `set` (may be NULL when `nset` is 0) comes after what the study sets.
/// On failure `*out` is NULL and the context holds one diagnostic per mistake, each naming file, line, subject and cause.
/// Ownership: caller, release with jo_study_destroy() before the context. Threads: any, one context per thread.
JO_API jo_status jo_study_load(jo_context* ctx, const char* path, const jo_setting* set, int nset,
                               jo_study** out);

/// NULL is fine.
JO_API void jo_study_destroy(jo_study* study);

/// Its name (that of the model where it has none), and the model it is about. Owned by the study.
JO_API const char* jo_study_name(const jo_study* study);
JO_API const jo_model* jo_study_model(const jo_study* study);

typedef struct jo_study_options {
  int interpreter;  // evaluate by the interpreter, which is slower
  /// Called again and again with 0 ... 1; zero stops the study. Must not use the context. May be NULL.
  int (*progress)(void* user, double fraction);
  void* user;
  int compiler;  // have a C compiler make the code, for comparison
} jo_study_options;

JO_API jo_study_options jo_study_options_default(void);

/// Prepare the systems the parts need, each once, and go through the parts. `opt` NULL: defaults.
/// Same study, same numbers, bit by bit. On failure the context says why, and the study has nothing to show; stopped
/// by its progress it fails with JO_ERR_LIMIT. A study can be run again.
JO_API jo_status jo_study_run(jo_context* ctx, jo_study* study, const jo_study_options* opt);

/// A part of the file, with how much of it came out. Texts are owned by the study and never NULL.
typedef struct jo_study_part {
  const char *kind, *title, *text;
  int tables, figures;  // none before the study is run
} jo_study_part;

JO_API int jo_study_part_count(const jo_study* study);
JO_API jo_status jo_study_part_at(const jo_study* study, int i, jo_study_part* out);
/// Returns the tables of a part, owned by the study until it is run again; NULL where there is no such part, or nothing came
/// out of it.
JO_API const jo_tables* jo_study_tables(const jo_study* study, int part);

/// Write a figure of a part as SVG.
JO_API jo_status jo_study_figure_save(jo_context* ctx, const jo_study* study, int part, int i,
                                      const char* path);

/// Write all of it as one page; it needs no network and no other file. Files appear whole or not at all and hold no
/// clock, so that equal studies write equal files. On failure the context names the file and the reason.
JO_API jo_status jo_study_save(jo_context* ctx, const jo_study* study, const char* path);

#ifdef __cplusplus
}
#endif
#endif
