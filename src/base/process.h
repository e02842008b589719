// SPDX-License-Identifier: Apache-2.0
// Child processes (the compiler): argument vectors, never a shell.
#ifndef JBASE_PROCESS_H
#define JBASE_PROCESS_H

#include "base/mem.h"

typedef struct jproc_command {
  const char* const* argv;  // NULL-terminated; argv[0] is looked up in PATH
  const char* output_path;  // standard output and error go there; NULL: discarded
  int exit_code;            // out: exit status, or 128 + signal
} jproc_command;

// Run `n` commands, at most `jobs` at a time. An error only when a command could not be started.
jo_status jproc_run(jo_context* ctx, jproc_command* command, int n, int jobs);

// Full path of a program in PATH (or of a name with a slash); NULL when there is none.
const char* jproc_find(jarena* a, const char* program);

// Processors this process may use, at least 1.
int jproc_cpu_count(void);

#endif
