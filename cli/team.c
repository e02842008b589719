// SPDX-License-Identifier: Apache-2.0
// Teams of processes: whether there is one, when it begins, and when it ends.
#include "team.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "failure.h"

#ifndef JOUNCE_MPI_MODULE
#define JOUNCE_MPI_MODULE ""
#endif

// What starts processes says so: Open MPI, PMIx (srun --mpi=pmix), PMI (srun, MPICH).
static bool is_started_by_mpi(void) {
  return getenv("OMPI_COMM_WORLD_SIZE") || getenv("PMIX_RANK") || getenv("PMI_RANK");
}

static int processes_told(void) {
  const char* size = getenv("OMPI_COMM_WORLD_SIZE");
  if (!size) size = getenv("PMI_SIZE");
  if (!size) size = getenv("SLURM_NTASKS");
  return size ? atoi(size) : 1;
}

// It stays loaded: MPI has threads of its own.
static const cli_mpi* load_module(void) {
  const char* built = JOUNCE_MPI_MODULE;
  // an empty name would be the program itself
  void* library = *built ? dlopen(built, RTLD_NOW | RTLD_GLOBAL) : NULL;
  if (!library) library = dlopen(JOUNCE_INSTALLED_MPI_MODULE, RTLD_NOW | RTLD_GLOBAL);
  return library ? dlsym(library, "jounce_mpi") : NULL;
}

// What all processes would say the first one says.
static void hush(cli_team* t) {
  int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
  t->terminal = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
  if (nowhere < 0) return;
  dup2(nowhere, STDOUT_FILENO);
  dup2(nowhere, STDERR_FILENO);
  close(nowhere);
}

cli_exit cli_team_join(cli_team* t) {
  *t = (cli_team){.team = {.size = 1, .neighbours = 1}, .terminal = -1};
  if (!is_started_by_mpi()) return CLI_OK;
  const cli_mpi* mpi = load_module();
  if (mpi && mpi->begin(&t->team)) {
    if (t->team.rank > 0) hush(t);
    return CLI_OK;
  }
  if (processes_told() < 2) return CLI_OK;
  cli_complain(
      "started as %d processes by MPI, which this program was built without: each would do "
      "all of the work",
      processes_told());
  return CLI_FAIL;
}

static void send_word(const cli_team* t, char word) {
  for (int i = 1; i < t->team.size; i++) {
    t->team.send(t->team.user, i, &word, 1);
  }
}

static char wait_for_word(const cli_team* t) {
  int from;
  size_t size;
  char word = 0;
  while (!t->team.poll(t->team.user, &from, &size)) {
    nanosleep(&(struct timespec){0, 5000000}, NULL);
  }
  if (size == 1) t->team.receive(t->team.user, from, &word, 1);
  return word;
}

bool cli_team_begin(const cli_team* t, bool is_fine) {
  if (t->team.size < 2) return is_fine;
  if (t->team.rank > 0) return wait_for_word(t) == 'b';
  send_word(t, is_fine ? 'b' : 'n');
  return is_fine;
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void cli_team_done(cli_team* t, int points) {
  t->share.points = points;
  t->since = now();
}

cli_share* cli_team_shares(const cli_team* t, cli_share own) {
  cli_share* share = t->team.size > 1 ? calloc((size_t)t->team.size, sizeof *share) : NULL;
  if (!share) return NULL;
  share[0] = own;
  send_word(t, 's');
  for (int left = t->team.size - 1; left > 0;) {
    int from;
    size_t size;
    if (t->team.poll(t->team.user, &from, &size)) {
      t->team.receive(t->team.user, from, &share[from], sizeof *share);
      left--;
    } else {
      nanosleep(&(struct timespec){0, 1000000}, NULL);
    }
  }
  return share;
}

static void tell_share(cli_team* t) {
  t->share.waited_s = now() - t->since;
  t->team.send(t->team.user, 0, &t->share, sizeof t->share);
}

void cli_team_give_up(const cli_team* t, const char* why) {
  const cli_mpi* mpi = load_module();
  dprintf(t->terminal, "error: process %d: %s\n", t->team.rank, why);
  if (mpi) mpi->abort();
}

void cli_team_leave(cli_team* t) {
  if (!t->team.send) return;
  const cli_mpi* mpi = load_module();
  if (t->team.size > 1) {
    if (t->team.rank > 0) {
      while (wait_for_word(t) == 's') {
        tell_share(t);
      }
    } else {
      send_word(t, 'e');
    }
  }
  if (mpi) mpi->end();
  t->team.send = NULL;
}
