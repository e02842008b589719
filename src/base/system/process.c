// SPDX-License-Identifier: Apache-2.0
// Child processes: started with argument vectors, awaited one by one.
//
// The library shares its process with others, so it never waits for "any" child: it asks its own,
// in turn, whether they are done; and it sets no signal handlers. So that nothing outlives it all the
// same, the commands of a call are one process group, led by a guard that waits for the end of its
// input. The other end of that is here and nowhere else: it closes with the call or with the process,
// and the guard kills the group.
#include "base/system/process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/err.h"
#include "base/system/clock.h"
#include "base/system/file.h"

extern char** environ;

// Compilers run for tens of milliseconds at least.
static const struct timespec poll_interval = {0, 2000000};

// A fixed text: nothing of what the shell runs comes from outside.
static const char* const guard_argv[] = {"/bin/sh", "-c", "read end; kill -9 0", NULL};

// What is removed is an argument. Compilers that are being killed may still make files in it: then again.
static const char keeper_script[] =
    "read end; n=0; while [ -d \"$1\" ] && [ $n -lt 100 ]; do rm -rf -- \"$1\"; n=$((n+1)); done";

typedef struct child {
  pid_t pid;  // 0: free
  jproc_command* command;
  double start;  // wall time [s]
} child;

// What the commands of a call share.
typedef struct crew {
  jo_context* ctx;
  child* slot;
  int jobs, running;
  double limit_s;
  char** environment;
  pid_t group;  // the guard and the group it leads; 0: there is no guard
  int lifeline;
} crew;

// ---- starting ------------------------------------------------------------------------------------

// Input from nowhere, or from an open file; output and errors to one file.
static int set_files(posix_spawn_file_actions_t* files, const char* output_path, int input) {
  const char* path = output_path ? output_path : "/dev/null";
  int e = input < 0 ? posix_spawn_file_actions_addopen(files, 0, "/dev/null", O_RDONLY, 0)
                    : posix_spawn_file_actions_adddup2(files, input, 0);
  if (!e) e = posix_spawn_file_actions_addopen(files, 1, path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  if (!e) e = posix_spawn_file_actions_adddup2(files, 1, 2);
  return e;
}

// The caller's thread may block signals; a compiler must be able to end on them.
static int set_attributes(posix_spawnattr_t* attr, pid_t group) {
  sigset_t none;
  sigemptyset(&none);
  int e = posix_spawnattr_setsigmask(attr, &none);
  if (!e) e = posix_spawnattr_setpgroup(attr, group);
  return e ? e : posix_spawnattr_setflags(attr, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP);
}

// Start a program in a process group; 0: one of its own.
static int spawn(const jproc_command* c, char** environment, pid_t group, int input, pid_t* pid) {
  posix_spawn_file_actions_t files;
  posix_spawnattr_t attr;
  int e = posix_spawn_file_actions_init(&files);
  if (e) return e;
  e = posix_spawnattr_init(&attr);
  if (!e) {
    e = set_files(&files, c->output_path, input);
    if (!e) e = set_attributes(&attr, group);
    // exec takes char* const* for historical reasons and does not write
    union {
      const char* const* in;
      char* const* out;
    } argv = {.in = c->argv};
    if (!e) e = posix_spawnp(pid, c->argv[0], &files, &attr, argv.out, environment);
    // where this returns before the child has started (qemu), its group is needed now; else there is nothing to change
    if (!e) setpgid(*pid, group);
    posix_spawnattr_destroy(&attr);
  }
  posix_spawn_file_actions_destroy(&files);
  return e;
}

// Start a command in a free slot; the caller knows that there is one.
static jo_status start(crew* w, jproc_command* command) {
  child* slot = w->slot;
  while (slot->pid) {
    slot++;
  }
  pid_t pid = 0;
  int e = spawn(command, w->environment, w->group, -1, &pid);
  if (e) {
    char reason[128] = "";
    strerror_r(e, reason, sizeof reason);
    return jerr_set(w->ctx, JO_ERR_FILE, "program '%s' cannot be started: %s", command->argv[0],
                    reason);
  }
  *slot = (child){pid, command, jclock_wall()};
  w->running++;
  return JO_OK;
}

// ---- waiting -------------------------------------------------------------------------------------

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

// One that takes too long takes all of them along: their result is of no use without it.
static bool stop_late(crew* w, child* c) {
  if (!(w->limit_s > 0.0) || jclock_wall() - c->start < w->limit_s) return false;
  c->command->is_late = true;
  if (w->group) kill(-w->group, SIGKILL);
  for (int i = 0; i < w->jobs; i++) {
    if (!w->slot[i].pid) continue;
    if (!w->group) kill(-w->slot[i].pid, SIGKILL);
    is_done(&w->slot[i], true);
  }
  w->running = 0;
  return true;
}

// Wait until one child has ended. False: all were stopped.
static bool wait_one(crew* w) {
  bool can_sleep = w->running == 1 && !(w->limit_s > 0.0);
  for (;;) {
    for (int i = 0; i < w->jobs; i++) {
      if (!w->slot[i].pid) continue;
      if (is_done(&w->slot[i], can_sleep)) {
        w->running--;
        return true;
      }
      if (stop_late(w, &w->slot[i])) return false;
    }
    nanosleep(&poll_interval, NULL);
  }
}

// ---- the crew ------------------------------------------------------------------------------------

// Our environment with another TMPDIR: what a compiler leaves behind is removed with the folder.
static bool set_environment(crew* w, jarena* a, const char* temp_dir) {
  w->environment = environ;
  if (!temp_dir) return true;
  size_t n = 0, kept = 0;
  while (environ[n]) {
    n++;
  }
  w->environment = JARENA_ARRAY(a, n + 2, char*);
  char* own = jarena_printf(a, "TMPDIR=%s", temp_dir);
  if (!w->environment || !own) return false;
  for (size_t i = 0; i < n; i++) {
    if (strncmp(environ[i], own, 7) != 0) w->environment[kept++] = environ[i];
  }
  w->environment[kept] = own;
  return true;
}

// Start a command in a group of its own whose input ends with this process; 0: it could not be started.
static pid_t start_watching(const char* const* argv, int* lifeline) {
  int end[2];
  pid_t pid = 0;
  const jproc_command command = {.argv = argv};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, end) != 0) return 0;
  if (spawn(&command, environ, 0, end[0], &pid) != 0) pid = 0;
  close(end[0]);
  *lifeline = jfile_raise(end[1]);
  return pid;
}

static void end_watching(pid_t pid, int lifeline) {
  if (pid) {
    kill(-pid, SIGKILL);
    while (waitpid(pid, NULL, 0) < 0 && errno == EINTR) {
    }
  }
  if (lifeline >= 0) close(lifeline);
}

jproc_keeper jproc_keep(const char* folder) {
  const char* const argv[] = {"/bin/sh", "-c", keeper_script, "sh", folder, NULL};
  jproc_keeper k = {.lifeline = -1};
  k.pid = start_watching(argv, &k.lifeline);
  return k;
}

void jproc_keep_no_more(jproc_keeper* k) {
  end_watching(k->pid, k->lifeline);
  *k = (jproc_keeper){.lifeline = -1};
}

// Without a guard, where there are no processes or no shell to be had, commands still run.
static void set_guard(crew* w) {
  w->group = start_watching(guard_argv, &w->lifeline);
}

static void dismiss(crew* w) {
  end_watching(w->group, w->lifeline);
}

static jo_status run_all(crew* w, jproc_command* command, int n) {
  jo_status status = JO_OK;
  int next = 0;
  while (w->running > 0 || (next < n && status == JO_OK)) {
    if (next < n && w->running < w->jobs && status == JO_OK) {
      status = start(w, &command[next++]);
    } else if (!wait_one(w)) {
      break;
    }
  }
  return status;
}

jo_status jproc_run(jo_context* ctx, jproc_command* command, int n, const jproc_options* opt) {
  if (n <= 0) return JO_OK;
  for (int i = 0; i < n; i++) {
    command[i].exit_code = -1;
    command[i].is_late = false;
  }
  crew w = {.ctx = ctx, .jobs = opt->jobs, .limit_s = opt->limit_s, .lifeline = -1};
  if (w.jobs < 1) w.jobs = 1;
  if (w.jobs > n) w.jobs = n;
  jarena scratch;
  jarena_init(&scratch, ctx);
  w.slot = JARENA_ARRAY(&scratch, w.jobs, child);
  jo_status status = JO_OK;
  if (w.slot && set_environment(&w, &scratch, opt->temp_dir)) {
    set_guard(&w);
    status = run_all(&w, command, n);
    dismiss(&w);
  } else {
    status = jerr_memory(ctx);
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
