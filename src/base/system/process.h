// SPDX-License-Identifier: Apache-2.0
// Child processes (the compiler): argument vectors, never a shell.
#ifndef JBASE_PROCESS_H
#define JBASE_PROCESS_H

#include <stdbool.h>

#include "base/mem.h"

typedef struct jproc_command {
  const char* const* argv;  // NULL-terminated; argv[0] is looked up in PATH
  const char* output_path;  // standard output and error go there; NULL: discarded
  int exit_code;            // out: exit status, or 128 + signal; -1: not started
  bool is_late;             // out: it was stopped because it took too long
} jproc_command;

typedef struct jproc_options {
  int jobs;              // commands at a time, at least 1
  double limit_s;        // wall time of each command; 0: no limit
  const char* temp_dir;  // their TMPDIR; NULL: ours
} jproc_options;

// Run `n` commands. An error only when a command could not be started. They and what they start end
// with the call, or with this process, however that ends.
jo_status jproc_run(jo_context* ctx, jproc_command* command, int n, const jproc_options* opt);

// A process that removes a folder when this one ends, however that happens. Without processes to be had there is none.
typedef struct jproc_keeper {
  int pid;  // 0: none
  int lifeline;
} jproc_keeper;

jproc_keeper jproc_keep(const char* folder);
void jproc_keep_no_more(jproc_keeper* k);

// Full path of a program in PATH (or of a name with a slash); NULL when there is none.
const char* jproc_find(jarena* a, const char* program);

// Processors this process may use, at least 1.
int jproc_cpu_count(void);

#endif
