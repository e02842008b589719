// SPDX-License-Identifier: Apache-2.0
// A run as one HTML page: objectives, derivatives, events, plots and a replay to look at from all
// sides. The page needs no network and no other file.
#ifndef JOUNCE_REPORT_H
#define JOUNCE_REPORT_H

#include "jounce/sens.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct jo_report_options {
  double tolerance;  // relative and absolute, of adaptive methods; NaN: the model's
  int no_replay;     // leave the replay out: a smaller page, made faster
} jo_report_options;

JO_API jo_report_options jo_report_options_default(void);

/// Run the manoeuvre of a system, with derivatives where it is prepared for them, and write the page. `opt`
/// NULL: defaults.
/// Where `path` ends in .glb the replay alone is written, as binary glTF 2.0: bodies, wheels, springs and the road
/// by name, and their motion; docs/formats.md.
/// The file appears whole or not at all; it holds no clock, so that equal runs write equal files.
/// `*bytes` (may be NULL) is its size. On failure the context says why, and no file is written.
/// Threads: any, one context per thread.
JO_API jo_status jo_report_write(jo_context* ctx, const jo_system* system,
                                 const jo_report_options* opt, const char* path, int64_t* bytes);

#ifdef __cplusplus
}
#endif

#endif
