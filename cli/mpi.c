// SPDX-License-Identifier: Apache-2.0
// The module that speaks MPI. Only the thread that has begun calls it.
#include <mpi.h>

#include "team.h"

#define TAG 15

// Messages are no longer than what a process has computed between two of them.
static jo_status send(void* user, int to, const void* data, size_t size) {
  (void)user;
  if (size > INT32_MAX) return JO_ERR_LIMIT;
  int error = MPI_Send(data, (int)size, MPI_BYTE, to, TAG, MPI_COMM_WORLD);
  return error == MPI_SUCCESS ? JO_OK : JO_ERR_FILE;
}

static int poll(void* user, int* from, size_t* size) {
  (void)user;
  int waits = 0, count = 0;
  MPI_Status status;
  if (MPI_Iprobe(MPI_ANY_SOURCE, TAG, MPI_COMM_WORLD, &waits, &status) != MPI_SUCCESS || !waits) {
    return 0;
  }
  MPI_Get_count(&status, MPI_BYTE, &count);
  *from = status.MPI_SOURCE;
  *size = (size_t)count;
  return 1;
}

static jo_status receive(void* user, int from, void* data, size_t size) {
  (void)user;
  int error = MPI_Recv(data, (int)size, MPI_BYTE, from, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return error == MPI_SUCCESS ? JO_OK : JO_ERR_FILE;
}

static int count_neighbours(void) {
  MPI_Comm here;
  int n = 1;
  if (MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &here) ==
      MPI_SUCCESS) {
    MPI_Comm_size(here, &n);
    MPI_Comm_free(&here);
  }
  return n;
}

static int begin(jo_team* team) {
  int threads;
  if (MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &threads) != MPI_SUCCESS) return 0;
  *team = (jo_team){.send = send, .poll = poll, .receive = receive};
  MPI_Comm_rank(MPI_COMM_WORLD, &team->rank);
  MPI_Comm_size(MPI_COMM_WORLD, &team->size);
  team->neighbours = count_neighbours();
  return 1;
}

static void end(void) {
  MPI_Finalize();
}

static void abort_all(void) {
  MPI_Abort(MPI_COMM_WORLD, 1);
}

extern const cli_mpi jounce_mpi;
const cli_mpi jounce_mpi = {begin, end, abort_all};
