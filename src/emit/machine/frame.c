// SPDX-License-Identifier: Apache-2.0
#include "emit/machine/frame.h"

#define PART 64  // [bytes] parts are aligned to this

static int log2_of(int n) {
  return n == 8 ? 3 : n / 2;
}

static int part_of(const jemit_frame* f, int n) {
  return f->target->has_narrow && n < f->target->lanes;
}

static int round_up(int x, int to) {
  return (x + to - 1) / to * to;
}

bool jemit_frame_init(jemit_frame* f, jarena* a, const jemit_target* target, size_t list,
                      int nvalue) {
  *f = (jemit_frame){.target = target, .size = {round_up(8 * (int)list, PART), 0}};
  bool ok = true;
  for (int k = 0; k < 4; k++) {
    f->free[k] = JARENA_ARRAY(a, nvalue, int);
    ok = ok && f->free[k];
  }
  return ok;
}

int jemit_frame_take(jemit_frame* f, int n) {
  int k = log2_of(n), *heap = f->free[k];
  if (f->nfree[k] == 0) {
    int* size = &f->size[part_of(f, n)];
    int at = round_up(*size, 8 * n);
    *size = at + 8 * n;
    return at;
  }
  int lowest = heap[0], last = heap[--f->nfree[k]], i = 0;
  for (int child = 1; child < f->nfree[k]; child = 2 * i + 1) {
    if (child + 1 < f->nfree[k] && heap[child + 1] < heap[child]) child++;
    if (last <= heap[child]) break;
    heap[i] = heap[child];
    i = child;
  }
  heap[i] = last;
  return lowest;
}

void jemit_frame_give(jemit_frame* f, int n, int at) {
  int k = log2_of(n), *heap = f->free[k], i = f->nfree[k]++;
  for (; i > 0 && heap[(i - 1) / 2] > at; i = (i - 1) / 2) {
    heap[i] = heap[(i - 1) / 2];
  }
  heap[i] = at;
}

static jemit_location from_base(jemit_base base, int at) {
  return jemit_in_memory(base.reg, at - base.at);
}

// The first base, but where another one is within reach.
static jemit_location in_wide_part(const jemit_target* t, int at) {
  for (int i = 1; i < t->nwide; i++) {
    int distance = at - t->wide[i].at;
    if (distance >= -t->reach && distance < t->reach) return from_base(t->wide[i], at);
  }
  return from_base(t->wide[0], at);
}

jemit_location jemit_frame_location(const jemit_frame* f, int n, int at) {
  return part_of(f, n) ? from_base(f->target->narrow, at) : in_wide_part(f->target, at);
}

jemit_location jemit_frame_list(const jemit_frame* f, int at) {
  return in_wide_part(f->target, at);
}

int jemit_frame_size(const jemit_frame* f) {
  return round_up(f->size[0], PART) + f->size[1];
}
