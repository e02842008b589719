// SPDX-License-Identifier: Apache-2.0
// All of a vehicle that changes, as bytes.
#include <string.h>

#include "runtime/inside.h"

#define TOKEN 64  // bytes of the token a snapshot begins with

typedef struct fixed_part {
  char token[TOKEN];
  double t, first_step, rel_tol, abs_tol, step;
  jsolve_growth growth;
  int method, side, has_ended;
} fixed_part;

typedef struct moving_part {
  double* x;
  int n;
} moving_part;

#define MOVING_PARTS 4

static void list_parts(const jvehicle* v, moving_part part[MOVING_PARTS]) {
  part[0] = (moving_part){v->y, v->model->about.ny};
  part[1] = (moving_part){v->machine.mode, v->model->nindicator};
  part[2] = (moving_part){v->machine.p, v->model->nnumber};
  part[3] = (moving_part){v->largest, v->model->nindicator};
}

size_t jvehicle_snapshot_size(const jvehicle* v) {
  moving_part part[MOVING_PARTS];
  size_t size = sizeof(fixed_part);
  list_parts(v, part);
  for (int i = 0; i < MOVING_PARTS; i++) {
    size += (size_t)part[i].n * sizeof(double);
  }
  return size;
}

void jvehicle_save(const jvehicle* v, void* snapshot) {
  fixed_part fixed;
  memset(&fixed, 0, sizeof fixed);
  strncpy(fixed.token, v->model->token, TOKEN - 1);
  fixed.t = v->t;
  fixed.first_step = v->first_step;
  fixed.growth.logarithm = v->growth.logarithm;  // and no padding
  fixed.growth.nstep = v->growth.nstep;
  fixed.rel_tol = v->options.rel_tol;
  fixed.abs_tol = v->options.abs_tol;
  fixed.step = v->options.step;
  fixed.method = v->options.method;
  fixed.side = v->machine.side;
  fixed.has_ended = v->machine.has_ended;
  char* to = snapshot;
  memcpy(to, &fixed, sizeof fixed);
  to += sizeof fixed;
  moving_part part[MOVING_PARTS];
  list_parts(v, part);
  for (int i = 0; i < MOVING_PARTS; i++) {
    memcpy(to, part[i].x, (size_t)part[i].n * sizeof(double));
    to += (size_t)part[i].n * sizeof(double);
  }
}

jo_status jvehicle_restore(jvehicle* v, const void* snapshot, size_t size) {
  fixed_part fixed;
  if (size != jvehicle_snapshot_size(v)) {
    return jerr_set(v->ctx, JO_ERR_ARGUMENT, "a state of %zu bytes is not one of '%s'", size,
                    v->model->name);
  }
  memcpy(&fixed, snapshot, sizeof fixed);
  if (strncmp(fixed.token, v->model->token, TOKEN - 1) != 0) {
    return jerr_set(v->ctx, JO_ERR_ARGUMENT, "the state is of another model than '%s'",
                    v->model->name);
  }
  const char* from = (const char*)snapshot + sizeof fixed;
  moving_part part[MOVING_PARTS];
  list_parts(v, part);
  for (int i = 0; i < MOVING_PARTS; i++) {
    memcpy(part[i].x, from, (size_t)part[i].n * sizeof(double));
    from += (size_t)part[i].n * sizeof(double);
  }
  v->t = fixed.t;
  v->first_step = fixed.first_step;
  v->growth = fixed.growth;
  v->options.rel_tol = fixed.rel_tol;
  v->options.abs_tol = fixed.abs_tol;
  v->options.step = fixed.step;
  v->options.method = (jsolve_method)fixed.method;
  v->machine.side = fixed.side;
  v->machine.has_ended = fixed.has_ended != 0;
  return JO_OK;
}
