// SPDX-License-Identifier: Apache-2.0
#include "emit/machine/window.h"

#include <string.h>

enum {
  BYTES = 256,
  DOUBLES = BYTES / 8,
  HALF = BYTES / 2,
  WIDEST = 4,    // doubles of values in windows
  SOON = 80,     // operations: reads within are worth a move
  WORTH = 3,     // of them; to move a register takes seven bytes, and each read saves three
  SPACIOUS = 3,  // values that a window has room for, where one is chosen for stores
};

bool jemit_is_windowed(const jemit_target* target, int n) {
  return target->nwindow > 0 && n <= target->windowed;
}

static int* no_values(jarena* a, int n) {
  int* x = JARENA_ARRAY(a, n, int);
  if (x) memset(x, 0xff, (size_t)n * sizeof *x);
  return x;
}

// Values of the pool at their places: of several at one the last.
static void find_constants(jemit_windows* w) {
  for (int i = 0; i < w->o->nvalue; i++) {
    const jemit_value* v = &w->o->value[i];
    if (v->home != JEMIT_CONSTANT) continue;
    for (int k = 0; k < (v->is_splat ? 1 : v->n); k++) {
      w->held[JEMIT_CONSTANTS][v->at / 8 + k] = i;
    }
  }
}

bool jemit_windows_init(jemit_windows* w, jarena* a) {
  int doubles = 0;
  for (int k = 0; k < JEMIT_WINDOWS_MAX; k++) {
    w->of[k].area = -1;
  }
  if (w->target->nwindow == 0) return true;
  for (int i = 0; i < w->o->nvalue; i++) {
    const jemit_value* v = &w->o->value[i];
    if (v->home == JEMIT_NOWHERE && jemit_is_windowed(w->target, v->n)) doubles += v->n;
  }
  // a window is begun when every other one has a value in each place for the widest, or little room
  int most = doubles / (DOUBLES / WIDEST) + 1;
  w->held[JEMIT_FRAME] = no_values(a, most * DOUBLES);
  w->held[JEMIT_CONSTANTS] = no_values(a, w->o->npool + DOUBLES + 8);
  w->room = JARENA_ARRAY(a, most, int);
  if (!w->held[JEMIT_FRAME] || !w->held[JEMIT_CONSTANTS] || !w->room) return false;
  find_constants(w);
  return true;
}

void jemit_windows_forget(jemit_windows* w) {
  for (int k = w->target->nwindow_kept; k < w->target->nwindow; k++) {
    w->of[k].area = -1;
  }
}

int jemit_windows_size(const jemit_windows* w) {
  return w->size * BYTES;
}

// ---- registers -----------------------------------------------------------------------------------

static int find(const jemit_windows* w, int area, int index) {
  for (int k = 0; k < w->target->nwindow; k++) {
    if (w->of[k].area == area && w->of[k].index == index) return k;
  }
  return -1;
}

// Whether the register of the part of the frame, which never moves, has that window.
static bool is_fixed(const jemit_target* t, int index) {
  return index == 0 && t->narrow.at == HALF;
}

// Values of a window that are read from memory soon.
static int count_reads(const jemit_windows* w, int area, int index) {
  const int* held = w->held[area] + index * DOUBLES;
  int n = 0, last = -1;
  for (int i = 0; i < DOUBLES; i++) {
    int value = held[i];
    if (value < 0 || value == last) continue;
    last = value;
    n += w->reg[value] < 0 && w->next[value] - *w->now < SOON;
  }
  return n;
}

// The register whose window is read least, of those that the operation at hand does not need; -1: there is none.
static int find_idle(const jemit_windows* w) {
  int best = -1, least = 0;
  for (int k = 0; k < w->target->nwindow; k++) {
    if (w->of[k].area < 0) return k;
    if (w->of[k].at == *w->now) continue;
    int reads = count_reads(w, w->of[k].area, w->of[k].index);
    if (best >= 0 && reads >= least) continue;
    best = k;
    least = reads;
  }
  return best;
}

static int move_to(jemit_windows* w, int area, int index) {
  const jemit_target* t = w->target;
  int k = find_idle(w), middle = index * BYTES + HALF;
  if (k < 0) return -1;
  if (area == JEMIT_FRAME) {
    t->add_pointer(w->c, t->window[k], t->narrow.reg, middle - t->narrow.at);
  } else {
    t->pool_pointer(w->c, t->window[k], w->c->pool + middle);
  }
  w->of[k].area = area;
  w->of[k].index = index;
  return k;
}

// ---- places --------------------------------------------------------------------------------------

// In a window, doubles from its beginning on; -1: there is no room.
static int find_free(const jemit_windows* w, int index, int n) {
  const int* held = w->held[JEMIT_FRAME] + index * DOUBLES;
  if (index < w->size && w->room[index] < n) return -1;
  for (int at = 0; at < DOUBLES; at += n) {
    bool is_free = true;
    for (int i = 0; i < n; i++) {
      is_free = is_free && held[at + i] < 0;
    }
    if (is_free) return at;
  }
  return -1;
}

// The one with the most room, or a new one.
static int find_spacious(const jemit_windows* w, int n) {
  int best = -1;
  for (int i = 0; i < w->size; i++) {
    bool is_better = w->room[i] >= SPACIOUS * n && (best < 0 || w->room[i] > w->room[best]);
    if (is_better && find_free(w, i, n) >= 0) best = i;
  }
  return best < 0 ? w->size : best;
}

static int find_window(jemit_windows* w, int n) {
  if (is_fixed(w->target, 0) && find_free(w, 0, n) >= 0) return 0;
  for (int k = 0; k < w->target->nwindow; k++) {
    if (w->of[k].area == JEMIT_FRAME && find_free(w, w->of[k].index, n) >= 0) return w->of[k].index;
  }
  int index = find_spacious(w, n);
  move_to(w, JEMIT_FRAME, index);
  return index;
}

int jemit_window_take(jemit_windows* w, int value) {
  int n = w->o->value[value].n, index = find_window(w, n);
  if (index == w->size) w->room[w->size++] = DOUBLES;
  int at = index * DOUBLES + find_free(w, index, n);
  for (int i = 0; i < n; i++) {
    w->held[JEMIT_FRAME][at + i] = value;
  }
  w->room[index] -= n;
  return at * 8;
}

void jemit_window_give(jemit_windows* w, int value, int at) {
  int n = w->o->value[value].n;
  for (int i = 0; i < n; i++) {
    w->held[JEMIT_FRAME][at / 8 + i] = -1;
  }
  w->room[at / BYTES] += n;
}

void jemit_window_note(jemit_windows* w, int value, int at) {
  w->held[JEMIT_FRAME][at / 8] = value;
}

jemit_location jemit_window_location(jemit_windows* w, jemit_area area, int at) {
  const jemit_target* t = w->target;
  int index = at / BYTES, k = find(w, (int)area, index);
  bool moves = area != JEMIT_FRAME || !is_fixed(t, index);
  if (k < 0 && moves && count_reads(w, (int)area, index) >= WORTH) k = move_to(w, (int)area, index);
  if (k >= 0) {
    w->of[k].at = *w->now;
    return jemit_in_memory(t->window[k], at - index * BYTES - HALF);
  }
  if (area == JEMIT_CONSTANTS) return jemit_in_pool(w->c->pool + at);
  return jemit_in_memory(t->narrow.reg, at - t->narrow.at);
}
