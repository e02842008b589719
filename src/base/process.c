// SPDX-License-Identifier: Apache-2.0
// Child processes: started with argument vectors, awaited one by one.
//
// The library shares its process with others, so it never waits for "any" child: it asks its own,
// in turn, whether they are done.
#include "base/process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/err.h"

extern char** environ;

// Compilers run for tens of milliseconds at least.
static const struct timespec poll_interval = {0, 2000000};

typedef struct child {
  pid_t pid;  // 0: free
  jproc_command* command;
} child;

// Input from nowhere, output and errors to one file.
static int set_files(posix_spawn_file_actions_t* files, const char* output_path) {
  const char* path = output_path ? output_path : "/dev/null";
  int e = posix_spawn_file_actions_addopen(files, 0, "/dev/null", O_RDONLY, 0);
  if (!e) e = posix_spawn_file_actions_addopen(files, 1, path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  if (!e) e = posix_spawn_file_actions_adddup2(files, 1, 2);
  return e;
}

// The caller's thread may block signals; a compiler must be able to end on them.
static int set_signals(posix_spawnattr_t* attr) {
  sigset_t none;
  sigemptyset(&none);
  int e = posix_spawnattr_setsigmask(attr, &none);
  return e ? e : posix_spawnattr_setflags(attr, POSIX_SPAWN_SETSIGMASK);
}

static int spawn(const jproc_command* c, pid_t* pid) {
  posix_spawn_file_actions_t files;
  posix_spawnattr_t attr;
  int e = posix_spawn_file_actions_init(&files);
  if (e) return e;
  e = posix_spawnattr_init(&attr);
  if (!e) {
    e = set_files(&files, c->output_path);
    if (!e) e = set_signals(&attr);
    // exec takes char* const* for historical reasons and does not write
    union {
      const char* const* in;
      char* const* out;
    } argv = {.in = c->argv};
    if (!e) e = posix_spawnp(pid, c->argv[0], &files, &attr, argv.out, environ);
    posix_spawnattr_destroy(&attr);
  }
  posix_spawn_file_actions_destroy(&files);
  return e;
}

// Start a command in a free slot; the caller knows that there is one.
static jo_status start(jo_context* ctx, child* slot, jproc_command* command) {
  while (slot->pid) {
    slot++;
  }
  pid_t pid = 0;
  command->exit_code = -1;
  int e = spawn(command, &pid);
  if (e) {
    char reason[128] = "";
    strerror_r(e, reason, sizeof reason);
    return jerr_set(ctx, JO_ERR_FILE, "program '%s' cannot be started: %s", command->argv[0],
                    reason);
  }
  *slot = (child){pid, command};
  return JO_OK;
}

// True when the child has ended; its slot is free then.
static bool is_done(child* c, bool wait) {
  int status = 0;
  pid_t pid;
  do {
    pid = waitpid(c->pid, &status, wait ? 0 : WNOHANG);
  } while (pid < 0 && errno == EINTR);
  if (pid == 0) return false;
  // when the host ignores SIGCHLD the status is lost: exit_code stays -1
  if (pid > 0) {
    c->command->exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }
  c->pid = 0;
  return true;
}

// Wait until one child has ended.
static void wait_one(child* slot, int jobs, int running) {
  for (;;) {
    for (int i = 0; i < jobs; i++) {
      if (slot[i].pid && is_done(&slot[i], running == 1)) return;
    }
    nanosleep(&poll_interval, NULL);
  }
}

jo_status jproc_run(jo_context* ctx, jproc_command* command, int n, int jobs) {
  if (n <= 0) return JO_OK;
  if (jobs < 1) jobs = 1;
  if (jobs > n) jobs = n;
  jarena scratch;
  jarena_init(&scratch, ctx);
  child* slot = JARENA_ARRAY(&scratch, jobs, child);
  if (!slot) return jerr_memory(ctx);

  jo_status status = JO_OK;
  int next = 0, running = 0;
  while (running > 0 || (next < n && status == JO_OK)) {
    if (next < n && running < jobs && status == JO_OK) {
      status = start(ctx, slot, &command[next++]);
      running += status == JO_OK;
    } else {
      wait_one(slot, jobs, running--);
    }
  }
  for (; next < n; next++) {
    command[next].exit_code = -1;
  }
  jarena_free(&scratch);
  return status;
}

static bool is_program(const char* path) {
  struct stat st;
  return stat(path, &st) == 0 && S_ISREG(st.st_mode) && access(path, X_OK) == 0;
}

const char* jproc_find(jarena* a, const char* program) {
  if (program[0] == '\0') return NULL;
  if (strchr(program, '/')) return is_program(program) ? jarena_strdup(a, program) : NULL;
  const char* path = getenv("PATH");
  while (path) {
    // an empty entry is the current folder
    int n = (int)strcspn(path, ":");
    jarena_mark mark = jarena_save(a);
    const char* candidate = jarena_printf(a, "%.*s/%s", n ? n : 1, n ? path : ".", program);
    if (!candidate) return NULL;
    if (is_program(candidate)) return candidate;
    jarena_restore(a, mark);
    path = path[n] ? path + n + 1 : NULL;
  }
  return NULL;
}

// Set bits in the hexadecimal mask "Cpus_allowed:" of Linux; 0 where there is none.
static int allowed_cpus(void) {
  FILE* f = fopen("/proc/self/status", "r");
  if (!f) return 0;
  char line[4096];
  int count = 0;
  while (fgets(line, sizeof line, f)) {
    if (strncmp(line, "Cpus_allowed:", 13) != 0) continue;
    for (const char* s = line + 13; *s; s++) {
      int digit = *s >= '0' && *s <= '9' ? *s - '0' : *s >= 'a' && *s <= 'f' ? *s - 'a' + 10 : 0;
      count += (digit & 1) + (digit >> 1 & 1) + (digit >> 2 & 1) + (digit >> 3 & 1);
    }
  }
  fclose(f);
  return count;
}

int jproc_cpu_count(void) {
  long online = sysconf(_SC_NPROCESSORS_ONLN);
  int allowed = allowed_cpus();
  int count = online < 1 ? 1 : online > 4096 ? 4096 : (int)online;
  return allowed > 0 && allowed < count ? allowed : count;
}
