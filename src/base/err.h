// SPDX-License-Identifier: Apache-2.0
// Reporting: a cause is reported once, where it is known; callers propagate with JO_TRY.
#ifndef JBASE_ERR_H
#define JBASE_ERR_H

#include "jounce/base.h"

#define JO_TRY(call)                         \
  do {                                       \
    jo_status try_status_ = (call);          \
    if (try_status_ < 0) return try_status_; \
  } while (0)

#define JERR_PRINTF(f, a) __attribute__((format(printf, f, a)))

// Report an error and return `status`. Several errors may be reported before a pass gives up.
jo_status jerr_set(jo_context* ctx, jo_status status, const char* format, ...) JERR_PRINTF(3, 4);

// Report running out of memory; never allocates.
jo_status jerr_memory(jo_context* ctx);

void jerr_warn(jo_context* ctx, const char* format, ...) JERR_PRINTF(2, 3);
void jerr_notice(jo_context* ctx, const char* format, ...) JERR_PRINTF(2, 3);

// Options that hints of messages name, as the caller of the context writes them.
typedef enum jerr_option { JERR_TOLERANCE, JERR_DERIVATIVE_TOLERANCE, JERR_STEP } jerr_option;
const char* jerr_option_name(const jo_context* ctx, jerr_option option);

// Who of the library was called, where its caller cannot give all of these options: hints name keys of files instead.
typedef enum jerr_scope { JERR_SCOPE_RUN, JERR_SCOPE_REPORT, JERR_SCOPE_STUDY } jerr_scope;
// From now on; the outermost counts. Returns what to give jerr_leave().
jerr_scope jerr_enter(jo_context* ctx, jerr_scope scope);
void jerr_leave(jo_context* ctx, jerr_scope before);

// Forget what was said since there were n diagnostics: of an attempt that need not have succeeded.
void jerr_forget(jo_context* ctx, int n);

#endif
