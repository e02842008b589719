// SPDX-License-Identifier: Apache-2.0
// Processes that mpirun or srun has started together. What speaks MPI is a module of its own (mpi.c), loaded only
// where the program was started so: nobody else needs it.
#ifndef CLI_TEAM_H
#define CLI_TEAM_H

#include "cli.h"

// What a process has done, and how long it waited for the others then.
typedef struct cli_share {
  int points;
  double waited_s;
} cli_share;

typedef struct cli_team {
  jo_team team;  // size 1: alone
  cli_share share;
  double since;  // when it began to wait [s]
  int terminal;  // where processes but the first have their errors; what else they say nobody sees
} cli_team;

// What the module has under the name jounce_mpi.
typedef struct cli_mpi {
  int (*begin)(jo_team* team);  // zero: it cannot
  void (*end)(void);
  void (*abort)(void);  // all processes
} cli_mpi;

// Alone where nobody has started several. Started by mpirun without what speaks MPI it complains: all would do the same.
cli_exit cli_team_join(cli_team* t);

// The first process says whether the others may begin, the others wait for it, so that what is wrong with a model
// is reported once. Returns whether to begin.
bool cli_team_begin(const cli_team* t, bool is_fine);

// Another process than the first has done its part.
void cli_team_done(cli_team* t, int points);

// The first process: the shares of all, by rank, once all have done theirs. NULL: no memory, or alone. Free it.
cli_share* cli_team_shares(const cli_team* t, cli_share own);

// Another process than the first cannot go on: tell why, and end all.
void cli_team_give_up(const cli_team* t, const char* why);

// The others wait, without using a processor, until the first has come here, too.
void cli_team_leave(cli_team* t);

#endif
