// SPDX-License-Identifier: Apache-2.0
// Version, status codes and the context: what every other public header needs.
#ifndef JOUNCE_BASE_H
#define JOUNCE_BASE_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The version of these headers; jo_version() is that of the library. Programs built with one release run with
/// another of the same major number that is not older; docs/install.md says what may change when.
#define JO_VERSION_MAJOR  0
#define JO_VERSION_MINOR  1
#define JO_VERSION_PATCH  0
#define JO_VERSION_STRING "0.1.0"
#define JO_API            __attribute__((visibility("default")))

// A NULL where an object, a text or room for a result is needed is an argument that is not valid, never
// followed: functions that return a status return JO_ERR_ARGUMENT, and where they take a context it
// names the function and the argument; others return what stands for nothing: NULL, or "" of texts that
// are never NULL; NaN of numbers; 0 of counts, -1 of an index; a struct of zeros. What may be NULL says so;
// every destroy function takes NULL.

// Names of functions: jo_<object>_<verb>. Lists of an object: jo_<object>_<item>_count() tells how many there are,
// jo_<object>_<item>_at() fills a struct of the caller and returns JO_OK, or JO_ERR_ARGUMENT where there is no
// i-th, reporting nothing; lists of mere names: jo_<object>_<item>_name(), NULL where there is no i-th. All numbers at
// once: arrays that the object owns, row by row (jo_result_tables(), jo_sens_gradient(), jo_loads_tables()).
// jo_<object>_inspect() is a struct of counts. Options are structs with a _default() function; what is not SI or
// has no obvious unit carries it in its name (rate_hz, t_end_s); choices are enums, with _name() and _find().

/// Every status of the library: zero is success, negative an error, positive success with a remark.
/// The numbers never change.
#define JO_STATUS_LIST(X)                                               \
  X(JO_EVENT, 1, "stopped at an event")                                 \
  X(JO_OK, 0, "no error")                                               \
  X(JO_ERR_MEMORY, -1, "out of memory")                                 \
  X(JO_ERR_ARGUMENT, -2, "argument is not valid")                       \
  X(JO_ERR_MODEL, -3, "model is not valid")                             \
  X(JO_ERR_SINGULAR, -4, "matrix is singular to working precision")     \
  X(JO_ERR_SYNTAX, -5, "text cannot be read")                           \
  X(JO_ERR_FILE, -6, "file cannot be read or written")                  \
  X(JO_ERR_COMPILER, -7, "generated code cannot be compiled or loaded") \
  X(JO_ERR_CONVERGENCE, -8, "iteration does not converge")              \
  X(JO_ERR_NUMERIC, -9, "a computed value is not finite")               \
  X(JO_ERR_LIMIT, -10, "a size or a step count exceeds its limit")

typedef enum jo_status {
#define X(name, value, text) name = value,
  JO_STATUS_LIST(X)
#undef X
} jo_status;

/// Memory hooks. All memory of the library passes through them.
/// `resize` may be called with p == NULL; both return NULL when memory is exhausted.
typedef struct jo_allocator {
  void* (*resize)(void* user, void* p, size_t size);
  void (*release)(void* user, void* p);
  void* user;
} jo_allocator;

typedef enum jo_severity { JO_NOTICE, JO_WARNING, JO_ERROR } jo_severity;

/// Who calls: hints of messages name options as the caller writes them.
typedef enum jo_caller { JO_CALLER_C, JO_CALLER_PYTHON, JO_CALLER_COMMAND_LINE } jo_caller;

/// Carries the allocator and what went wrong. One per thread.
typedef struct jo_context jo_context;

/// Create a context. `allocator` may be NULL (malloc and free); it is copied.
/// On failure `*out` is NULL. Ownership: caller, release with jo_context_destroy().
JO_API jo_status jo_context_create(const jo_allocator* allocator, jo_context** out);

/// Set who calls; JO_CALLER_C where it was never set. Values that are none are ignored, and so is NULL. Never fails.
JO_API void jo_context_set_caller(jo_context* ctx, jo_caller caller);
/// NULL is fine.
JO_API void jo_context_destroy(jo_context* ctx);

/// The first error since the context was made or cleared, as one sentence; "" when there is none.
/// Valid until the next call that takes the context.
JO_API const char* jo_context_message(const jo_context* ctx);

/// Everything said since the context was made or cleared, in order: errors, warnings, notices.
JO_API int jo_context_diagnostic_count(const jo_context* ctx);
/// The i-th, "" where there is none. `severity` may be NULL.
JO_API const char* jo_context_diagnostic(const jo_context* ctx, int i, jo_severity* severity);

/// Forget messages; the context is then as new.
JO_API void jo_context_clear(jo_context* ctx);

/// Whether a file of this name could be written, to be asked before the work whose result it is: not a
/// link, not read-only, in a folder that takes files. On failure the context says what stands against it.
JO_API jo_status jo_output_check(jo_context* ctx, const char* path);

/// Write a file whole or not at all, as all files of the library are.
JO_API jo_status jo_output_write(jo_context* ctx, const char* path, const void* data, size_t size);

/// Bytes of the UTF-8 character at `s`, for programs that show texts of files. Positive: it can be shown;
/// negative: a control character, which would do something to a terminal; 0: no UTF-8.
JO_API int jo_text_character(const char* s);

JO_API const char* jo_status_text(jo_status status);
JO_API const char* jo_version(void);

/// The level of the processor that compiled equations use, as compilers call it ("x86-64-v3"), and the doubles of its
/// vectors: the highest that the processor has, or what the environment variable JOUNCE_CPU says. Results have the same
/// bits at every level. Fails where JOUNCE_CPU is no level of this processor.
/// Ownership: the library, for ever. Threads: any, one context per thread.
JO_API jo_status jo_processor(jo_context* ctx, const char** level, int* lanes);

#ifdef __cplusplus
}
#endif
#endif
