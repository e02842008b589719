// SPDX-License-Identifier: Apache-2.0
#include "emit/machine/values.h"

#include <string.h>

// ---- values and operations -----------------------------------------------------------------------

int jemit_value_new(jemit_writer* w, jemit_value v) {
  jemit_operations* o = w->o;
  if (!o->failed && !jmem_grow(o->ctx, &o->value, &o->value_cap, o->nvalue + 1, sizeof *o->value)) {
    o->failed = true;
  }
  if (o->failed) return 0;
  o->value[o->nvalue] = v;
  return o->nvalue++;
}

void jemit_new_operation(jemit_writer* w, jemit_operation op) {
  jemit_operations* o = w->o;
  if (!o->failed && !jmem_grow(o->ctx, &o->operation, &o->operation_cap, o->noperation + 1,
                               sizeof *o->operation)) {
    o->failed = true;
  }
  if (!o->failed) o->operation[o->noperation++] = op;
}

int jemit_operate(jemit_writer* w, jemit_operator op, int n, int imm, int a, int b, int c) {
  int dst = jemit_value_new(w, (jemit_value){.n = (uint8_t)n});
  jemit_new_operation(w, (jemit_operation){.op = (uint8_t)op,
                                           .n = (uint8_t)n,
                                           .imm = imm,
                                           .dst = dst,
                                           .second = -1,
                                           .arg = {a, b, c}});
  return dst;
}

int jemit_value_width(const jemit_writer* w, int value) {
  return w->o->failed ? 1 : w->o->value[value].n;
}

// Constants of n doubles, aligned to their size.
int jemit_value_pool(jemit_writer* w, const uint64_t* bits, int n) {
  jemit_operations* o = w->o;
  int at = (o->npool + n - 1) / n * n;
  if (!o->failed && !jmem_grow(o->ctx, &o->pool, &o->pool_cap, at + n, sizeof *o->pool)) {
    o->failed = true;
  }
  if (o->failed) return 0;
  for (int i = o->npool; i < at; i++) {
    o->pool[i] = 0;
  }
  memcpy(o->pool + at, bits, (size_t)n * sizeof *bits);
  o->npool = at + n;
  return at * 8;
}

static uint64_t hash_of(const uint64_t* bits, int n) {
  uint64_t hash = (uint64_t)n;
  for (int i = 0; i < n; i++) {
    hash = (hash ^ bits[i]) * 0x9e3779b97f4a7c15u;
    hash ^= hash >> 29;
  }
  return hash;
}

// Where a constant is in the table, or would be.
static int* find_constant(const jemit_operations* o, const uint64_t* bits, int n) {
  unsigned last = (unsigned)o->nknown - 1, at = (unsigned)hash_of(bits, n) & last;
  while (o->known[at] >= 0) {
    const jemit_value* v = &o->value[o->known[at]];
    if (v->n == n && memcmp(o->pool + v->at / 8, bits, (size_t)n * sizeof *bits) == 0) break;
    at = (at + 1) & last;
  }
  return &o->known[at];
}

static void grow_table(jemit_writer* w) {
  jemit_operations* o = w->o;
  int* old = o->known;
  int n = o->nknown, more = n > 0 ? 2 * n : 256;
  if (o->failed || 2 * o->nconstant < n) return;
  o->known = jmem_resize(o->ctx, NULL, (size_t)more * sizeof *o->known);
  if (!o->known) {
    o->known = old;
    o->failed = true;
    return;
  }
  o->nknown = more;
  memset(o->known, 0xff, (size_t)more * sizeof *o->known);
  for (int i = 0; i < n; i++) {
    if (old[i] < 0) continue;
    const jemit_value* v = &o->value[old[i]];
    *find_constant(o, o->pool + v->at / 8, v->n) = old[i];
  }
  jmem_free(o->ctx, old);
}

int jemit_value_constant(jemit_writer* w, const uint64_t* bits, int n) {
  grow_table(w);
  if (w->o->failed) return 0;
  int* known = find_constant(w->o, bits, n);
  if (*known >= 0) return *known;
  jemit_value v = {.n = (uint8_t)n, .home = JEMIT_CONSTANT, .at = jemit_value_pool(w, bits, n)};
  w->o->nconstant++;
  return *known = jemit_value_new(w, v);
}

// Bits in all places; operations on bits read at least two doubles.
int jemit_value_bits(jemit_writer* w, uint64_t bits, int n) {
  uint64_t all[8];
  for (int i = 0; i < 8; i++) {
    all[i] = bits;
  }
  return jemit_value_constant(w, all, n < 2 ? 2 : n);
}

// ---- gathering -----------------------------------------------------------------------------------

static int place_of(jemit_writer* w, int value, int place) {
  if (jemit_value_width(w, value) == 1) return value;
  return jemit_operate(w, JEMIT_PLACE, 1, place, value, -1, -1);
}

int jemit_value_number(jemit_writer* w, const jemit_source* s) {
  switch (s->from) {
    case JEMIT_FROM_CONSTANT: return jemit_value_constant(w, &s->bits, 1);
    case JEMIT_FROM_INPUT:
      return jemit_value_new(
          w, (jemit_value){.n = 1, .home = JEMIT_INPUT, .group = s->group, .at = s->at});
    default: return place_of(w, s->value, s->place);
  }
}

static bool is_same(const jemit_source* a, const jemit_source* b) {
  if (a->from != b->from) return false;
  if (a->from == JEMIT_FROM_CONSTANT) return a->bits == b->bits;
  if (a->from == JEMIT_FROM_INPUT) return a->group == b->group && a->at == b->at;
  return a->value == b->value && a->place == b->place;
}

static bool are_all(const jemit_source* s, int n, int from) {
  for (int i = 0; i < n; i++) {
    if ((int)s[i].from != from) return false;
  }
  return true;
}

static bool is_run(const jemit_source* s, int n) {
  for (int i = 0; i < n; i++) {
    bool is_next =
        s[i].from == JEMIT_FROM_INPUT && s[i].group == s[0].group && s[i].at == s[0].at + 8 * i;
    if (!is_next) return false;
  }
  return true;
}

// Side by side in one value, from a place that is a multiple of n on.
static bool is_chunk(const jemit_source* s, int n) {
  for (int i = 0; i < n; i++) {
    bool is_next =
        s[i].from == JEMIT_FROM_VALUE && s[i].value == s[0].value && s[i].place == s[0].place + i;
    if (!is_next) return false;
  }
  return s[0].place % n == 0;
}

// The one or two values, of n numbers or of 2 ... n - 1 at the beginning of a register, that all places come from.
static int find_values(const jemit_writer* w, const jemit_source* s, int n, int value[2]) {
  int found = 0;
  for (int i = 0; i < n; i++) {
    int width = s[i].from == JEMIT_FROM_VALUE ? jemit_value_width(w, s[i].value) : 0;
    if (width < 2 || width > n) return 0;
    if ((found > 0 && value[0] == s[i].value) || (found > 1 && value[1] == s[i].value)) continue;
    if (found == 2) return 0;
    value[found++] = s[i].value;
  }
  if (found == 1) value[1] = value[0];
  return found;
}

// A value of at most two doubles that has the number, and its place there.
int jemit_value_half(jemit_writer* w, const jemit_source* s, int* place) {
  *place = 0;
  if (s->from != JEMIT_FROM_VALUE || jemit_value_width(w, s->value) == 1)
    return jemit_value_number(w, s);
  *place = s->place % 2;
  if (jemit_value_width(w, s->value) == 2) return s->value;
  return jemit_operate(w, JEMIT_CHUNK, 2, s->place / 2, s->value, -1, -1);
}

static int gather_two(jemit_writer* w, const jemit_source* s) {
  int place[2], a = jemit_value_half(w, &s[0], &place[0]),
                b = jemit_value_half(w, &s[1], &place[1]);
  if (place[0] == 0 && place[1] == 0) return jemit_operate(w, JEMIT_PAIR, 2, 0, a, b, -1);
  return jemit_operate(w, JEMIT_SHUFFLE, 2, place[0] | place[1] << 1, a, b, -1);
}

static int permute_two(jemit_writer* w, const jemit_source* s, int n, const int value[2]) {
  uint64_t place[8];
  for (int i = 0; i < n; i++) {
    place[i] = (uint64_t)(s[i].place + (s[i].value == value[0] ? 0 : n));
  }
  return jemit_operate(w, JEMIT_PERMUTE_TWO, n, 0, jemit_value_constant(w, place, n), value[0],
                       value[1]);
}

// Four numbers from one or two vectors, with AVX alone.
static int permute_four(jemit_writer* w, const jemit_source* s, int found, const int value[2]) {
  int imm = 0, from_second = 0, shuffle = 0;
  bool is_blend = true, is_shuffle = true;
  for (int i = 0; i < 4; i++) {
    bool second = s[i].value != value[0];
    imm |= s[i].place << 2 * i;
    from_second |= second << i;
    shuffle |= (s[i].place & 1) << i;
    is_blend = is_blend && s[i].place == i;
    is_shuffle = is_shuffle && second == (i & 1) && s[i].place / 2 == i / 2;
  }
  if (found == 1) return jemit_operate(w, JEMIT_PERMUTE, 4, imm, value[0], -1, -1);
  if (is_shuffle) return jemit_operate(w, JEMIT_SHUFFLE, 4, shuffle, value[0], value[1], -1);
  int a = value[0], b = value[1];
  if (!is_blend) {
    a = jemit_operate(w, JEMIT_PERMUTE, 4, imm, a, -1, -1);
    b = jemit_operate(w, JEMIT_PERMUTE, 4, imm, b, -1, -1);
  }
  return jemit_operate(w, JEMIT_BLEND, 4, from_second, a, b, -1);
}

static int gather_halves(jemit_writer* w, const jemit_source* s, int n) {
  int value[2], found = find_values(w, s, n, value);
  bool are_chunks = is_chunk(s, n / 2) && is_chunk(s + n / 2, n / 2);
  bool are_whole =
      found > 0 && jemit_value_width(w, value[0]) == n && jemit_value_width(w, value[1]) == n;
  if (!are_whole && are_chunks) found = 0;  // joined by one operation
  if (found > 0 && w->target->has_permute_two) return permute_two(w, s, n, value);
  if (n == 4 && (are_whole || found == 1)) return permute_four(w, s, found, value);
  int low = jemit_value_gather(w, s, n / 2), high = jemit_value_gather(w, s + n / 2, n / 2);
  return jemit_operate(w, JEMIT_JOIN, n, 0, low, high, -1);
}

static bool is_one(const jemit_source* s, int n) {
  for (int i = 1; i < n; i++) {
    if (!is_same(&s[0], &s[i])) return false;
  }
  return true;
}

// Whether one double in memory is read into all places: inputs, and constants where instructions do so by the way.
static bool is_splat_read(const jemit_writer* w, const jemit_source* s, int n) {
  bool is_wide = n >= 4;
  return is_wide && (s->from == JEMIT_FROM_INPUT ||
                     (s->from == JEMIT_FROM_CONSTANT && w->target->folds >= JEMIT_FOLDS_SPLATS));
}

int jemit_value_gather(jemit_writer* w, const jemit_source* s, int n) {
  if (n == 1) return jemit_value_number(w, s);
  if (is_one(s, n) && is_splat_read(w, s, n)) {
    jemit_value v = {.n = (uint8_t)n, .home = JEMIT_INPUT, .is_splat = true};
    v.group = s[0].group;
    v.at = s[0].at;
    if (s[0].from == JEMIT_FROM_CONSTANT) {
      int one = jemit_value_constant(w, &s[0].bits, 1);
      v.home = JEMIT_CONSTANT;
      v.at = w->o->failed ? 0 : w->o->value[one].at;
    }
    return jemit_value_new(w, v);
  }
  if (are_all(s, n, JEMIT_FROM_CONSTANT)) {
    uint64_t bits[8];
    for (int i = 0; i < n; i++) {
      bits[i] = s[i].bits;
    }
    return jemit_value_constant(w, bits, n);
  }
  if (is_run(s, n)) {
    jemit_value v = {.n = (uint8_t)n, .home = JEMIT_INPUT, .group = s[0].group, .at = s[0].at};
    return jemit_value_new(w, v);
  }
  if (is_one(s, n)) return jemit_operate(w, JEMIT_SPLAT, n, 0, jemit_value_number(w, s), -1, -1);
  if (is_chunk(s, n)) {
    if (jemit_value_width(w, s[0].value) == n) return s[0].value;
    return jemit_operate(w, JEMIT_CHUNK, n, s[0].place / n, s[0].value, -1, -1);
  }
  return n == 2 ? gather_two(w, s) : gather_halves(w, s, n);
}
