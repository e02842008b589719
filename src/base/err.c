// SPDX-License-Identifier: Apache-2.0
// The context: diagnostics in order, and the first error as one sentence.
//
// Nothing here may fail for want of memory. The first error is written into the context itself;
// what does not fit into memory later is counted, and its text replaced or left out.
#include "base/err.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/context.h"
#include "base/mem.h"
#include "base/text/format.h"

static const char text_memory[] = "out of memory";
static const char text_lost[] = "a message was lost: out of memory";

static void* heap_resize(void* user, void* p, size_t size) {
  (void)user;
  return realloc(p, size);
}

static void heap_release(void* user, void* p) {
  (void)user;
  free(p);
}

static void drop_messages(jo_context* ctx) {
  for (int i = 0; i < ctx->n; i++) {
    jmem_free(ctx, ctx->item[i].owned);
  }
  if (ctx->item != ctx->embedded) jmem_free(ctx, ctx->item);
  ctx->item = ctx->embedded;
  ctx->cap = JCONTEXT_EMBEDDED;
  ctx->n = 0;
  ctx->nerror = 0;
  ctx->first[0] = '\0';
}

// Double the list; the embedded entries move out the first time.
static bool grow_list(jo_context* ctx) {
  size_t bytes = 2 * (size_t)ctx->cap * sizeof *ctx->item;
  bool is_embedded = ctx->item == ctx->embedded;
  jcontext_diagnostic* item = jmem_resize(ctx, is_embedded ? NULL : ctx->item, bytes);
  if (!item) return false;
  if (is_embedded) memcpy(item, ctx->embedded, sizeof ctx->embedded);
  ctx->item = item;
  ctx->cap *= 2;
  return true;
}

static void append(jo_context* ctx, jo_severity severity, const char* text, char* owned) {
  JASSERT(text && ctx->n < ctx->cap);
  ctx->item[ctx->n++] = (jcontext_diagnostic){severity, text, owned};
}

// A copy of the formatted message; NULL when there is no memory.
static char* format_copy(jo_context* ctx, const char* format, va_list args) {
  va_list copy;
  va_copy(copy, args);
  int length = jformat_v(NULL, 0, format, copy);
  va_end(copy);
  if (length < 0) return NULL;
  char* text = jmem_resize(ctx, NULL, (size_t)length + 1);
  if (text) jformat_v(text, (size_t)length + 1, format, args);
  return text;
}

// A notice is told once, however many parts of a job have reason to.
static bool is_repeated(const jo_context* ctx, jo_severity severity, const char* text) {
  for (int i = 0; severity == JO_NOTICE && text && i < ctx->n; i++) {
    if (ctx->item[i].severity == JO_NOTICE && strcmp(ctx->item[i].text, text) == 0) return true;
  }
  return false;
}

static void report(jo_context* ctx, jo_severity severity, const char* format, va_list args) {
  bool is_first = severity == JO_ERROR && ctx->nerror++ == 0;
  if (is_first) jformat_v(ctx->first, sizeof ctx->first, format, args);
  if (ctx->n == ctx->cap && !grow_list(ctx)) return;
  if (is_first) {
    append(ctx, severity, ctx->first, NULL);
  } else {
    char* text = format_copy(ctx, format, args);
    if (is_repeated(ctx, severity, text)) {
      jmem_free(ctx, text);
      return;
    }
    append(ctx, severity, text ? text : text_lost, text);
  }
}

jo_status jerr_set(jo_context* ctx, jo_status status, const char* format, ...) {
  JASSERT(status < 0);  // what is reported as an error is one for the caller too
  va_list args;
  va_start(args, format);
  report(ctx, JO_ERROR, format, args);
  va_end(args);
  return status;
}

jo_status jerr_memory(jo_context* ctx) {
  if (ctx->nerror++ == 0) memcpy(ctx->first, text_memory, sizeof text_memory);
  if (ctx->n < ctx->cap) append(ctx, JO_ERROR, text_memory, NULL);
  return JO_ERR_MEMORY;
}

void jerr_warn(jo_context* ctx, const char* format, ...) {
  va_list args;
  va_start(args, format);
  report(ctx, JO_WARNING, format, args);
  va_end(args);
}

void jerr_notice(jo_context* ctx, const char* format, ...) {
  va_list args;
  va_start(args, format);
  report(ctx, JO_NOTICE, format, args);
  va_end(args);
}

void jerr_forget(jo_context* ctx, int n) {
  JASSERT(n >= 0);
  while (ctx->n > n) {
    jcontext_diagnostic* d = &ctx->item[--ctx->n];
    if (d->severity == JO_ERROR && ctx->nerror > 0) ctx->nerror--;
    if (d->text == ctx->first) ctx->first[0] = '\0';
    if (d->owned) ctx->allocator.release(ctx->allocator.user, d->owned);
  }
}

jo_status jo_context_create(const jo_allocator* allocator, jo_context** out) {
  jo_allocator use = {heap_resize, heap_release, NULL};
  if (!out) return JO_ERR_ARGUMENT;
  *out = NULL;
  if (allocator) {
    if (!allocator->resize || !allocator->release) return JO_ERR_ARGUMENT;
    use = *allocator;
  }
  jo_context* ctx = use.resize(use.user, NULL, sizeof *ctx);
  if (!ctx) return JO_ERR_MEMORY;
  *ctx = (jo_context){.allocator = use, .cap = JCONTEXT_EMBEDDED};
  ctx->item = ctx->embedded;
  *out = ctx;
  return JO_OK;
}

void jo_context_set_caller(jo_context* ctx, jo_caller caller) {
  if (ctx && caller >= JO_CALLER_C && caller <= JO_CALLER_COMMAND_LINE) ctx->caller = caller;
}

const char* jerr_option_name(const jo_context* ctx, jerr_option option) {
  static const char* const name[][JO_CALLER_COMMAND_LINE + 1] = {
      [JERR_TOLERANCE] = {"'tolerance' of the options", "'tolerance'", "--tol"},
      [JERR_DERIVATIVE_TOLERANCE] = {"'derivative_tol' of the options", "'derivative_tol'",
                                     "--derivative-tol"},
      [JERR_STEP] = {"'step' of the options", "'step'", "--step"},
  };
  // reports have a tolerance, studies one in their file
  static const char* const key[][JERR_STEP + 1] = {
      [JERR_SCOPE_RUN] = {NULL},
      [JERR_SCOPE_REPORT] = {[JERR_DERIVATIVE_TOLERANCE] = "'simulation.derivative_tol'",
                             [JERR_STEP] = "'simulation.step'"},
      [JERR_SCOPE_STUDY] = {"'tolerance' of the study", "'simulation.derivative_tol'",
                            "'simulation.step'"},
  };
  return key[ctx->scope][option] ? key[ctx->scope][option] : name[option][ctx->caller];
}

jerr_scope jerr_enter(jo_context* ctx, jerr_scope scope) {
  jerr_scope before = (jerr_scope)ctx->scope;
  if (before == JERR_SCOPE_RUN) ctx->scope = (int)scope;
  return before;
}

void jerr_leave(jo_context* ctx, jerr_scope before) {
  ctx->scope = (int)before;
}

void jo_context_destroy(jo_context* ctx) {
  if (!ctx) return;
  drop_messages(ctx);
  jo_allocator use = ctx->allocator;
  use.release(use.user, ctx);
}

const char* jo_context_message(const jo_context* ctx) {
  return ctx ? ctx->first : "";
}

int jo_context_diagnostic_count(const jo_context* ctx) {
  return ctx ? ctx->n : 0;
}

const char* jo_context_diagnostic(const jo_context* ctx, int i, jo_severity* severity) {
  if (!ctx || i < 0 || i >= ctx->n) return "";
  if (severity) *severity = ctx->item[i].severity;
  return ctx->item[i].text;
}

void jo_context_clear(jo_context* ctx) {
  if (ctx) drop_messages(ctx);
}

const char* jo_status_text(jo_status status) {
  switch (status) {
#define X(name, value, text) \
  case name: return text;
    JO_STATUS_LIST(X)
#undef X
  }
  return "unknown status";
}

const char* jo_version(void) {
  return JO_VERSION_STRING;
}
