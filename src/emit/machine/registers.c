// SPDX-License-Identifier: Apache-2.0
#include "emit/machine/registers.h"

#include <limits.h>

#include "base/assert.h"
#include "base/err.h"
#include "emit/encode/listing.h"

#define NEVER INT_MAX
#define SOON  8  // operations: a value in memory that is read again before is brought to a register

// ---- uses ----------------------------------------------------------------------------------------

static void find_uses(jemit_registers* m) {
  for (int i = 0; i < m->o->nvalue; i++) {
    m->next[i] = NEVER;
  }
  for (int i = m->o->noperation - 1; i >= 0; i--) {
    const jemit_operation* op = &m->o->operation[i];
    int before[3];
    for (int k = 0; k < 3; k++) {
      before[k] = op->arg[k] >= 0 ? m->next[op->arg[k]] : NEVER;
    }
    for (int k = 0; k < 3; k++) {
      m->after[3 * i + k] = before[k];
      if (op->arg[k] >= 0) m->next[op->arg[k]] = i;
    }
  }
}

bool jemit_is_dead(const jemit_registers* m, int k) {
  return m->after[3 * m->at + k] == NEVER;
}

// ---- memory --------------------------------------------------------------------------------------

static int pointer_to(jemit_registers* m, int array) {
  const jemit_target* t = m->target;
  int oldest = 0;
  for (int i = 0; i < t->npointer; i++) {
    if (m->pointer[i] == array) {
      m->used[i] = ++m->clock;
      return t->pointer[i];
    }
    if (m->used[i] < m->used[oldest]) oldest = i;
  }
  bool is_output = array < -1;
  int index = is_output ? -2 - array : array;
  t->load_pointer(m->c, t->pointer[oldest], is_output ? t->output : t->input, 8 * index);
  if (m->c->listing) jemit_listing_pointer(m->c->listing, t->pointer[oldest], array);
  m->pointer[oldest] = array;
  m->used[oldest] = ++m->clock;
  return t->pointer[oldest];
}

static bool is_in_memory(const jemit_registers* m, int value) {
  uint8_t home = m->o->value[value].home;
  return m->slot[value] >= 0 || m->of[value] >= 0 || home == JEMIT_INPUT || home == JEMIT_CONSTANT;
}

static jemit_location place_in_frame(jemit_registers* m, int value) {
  int n = m->o->value[value].n;
  JASSERT(m->slot[value] >= 0);
  if (jemit_is_windowed(m->target, n))
    return jemit_window_location(&m->windows, JEMIT_FRAME, m->slot[value]);
  return jemit_frame_location(&m->frame, n, m->slot[value]);
}

// Memory of a value, from a place on.
jemit_location jemit_memory_of(jemit_registers* m, int value, int place) {
  const jemit_value* v = &m->o->value[value];
  if (v->home == JEMIT_INPUT) return jemit_in_memory(pointer_to(m, v->group), v->at + 8 * place);
  if (m->of[value] >= 0) return jemit_memory_of(m, m->of[value], m->first[value] + place);
  jemit_location at;
  if (v->home == JEMIT_CONSTANT) {
    bool moves = m->target->pool_pointer != NULL;
    at = moves ? jemit_window_location(&m->windows, JEMIT_CONSTANTS, v->at)
               : jemit_in_pool(m->c->pool + v->at);
  } else {
    at = place_in_frame(m, value);
  }
  at.at += 8 * place;
  at.value = value + 1;
  return at;
}

// ---- registers -----------------------------------------------------------------------------------

static void spill(jemit_registers* m, int value) {
  int n = m->o->value[value].n;
  m->slot[value] = jemit_is_windowed(m->target, n) ? jemit_window_take(&m->windows, value)
                                                   : jemit_frame_take(&m->frame, n);
  m->target->store(m->c, n, m->reg[value], place_in_frame(m, value));
  if (m->c->listing) jemit_listing_spill(m->c->listing, value);
}

static void drop(jemit_registers* m, int r) {
  int value = m->held[r];
  if (value >= 0) m->reg[value] = -1;
  m->held[r] = -1;
}

static void hold(jemit_registers* m, int value, int r) {
  m->held[r] = value;
  m->reg[value] = r;
  m->busy[r] = true;
}

// For n doubles. Where instructions reach the first registers in fewer bytes, but not with the widest
// vectors, these take the last ones and leave the first to others, which have only these.
static int free_register(jemit_registers* m, int n) {
  int best = -1, last = m->target->nvector - 1;
  bool is_widest = n == m->target->lanes && m->target->nshort < m->target->nvector;
  if (!is_widest) last = m->target->nshort - 1;
  for (int i = 0; i <= last; i++) {
    int r = is_widest ? last - i : i;
    if (m->busy[r]) continue;
    if (m->held[r] < 0) return r;
    if (best < 0 || m->next[m->held[r]] > m->next[m->held[best]]) best = r;
  }
  JASSERT(best >= 0);
  int value = m->held[best];
  if (m->next[value] != NEVER && !is_in_memory(m, value)) spill(m, value);
  drop(m, best);
  return best;
}

static bool is_splat(const jemit_registers* m, int value) {
  return m->o->value[value].is_splat || m->is_splat[value];
}

static void load(jemit_registers* m, int value, int r) {
  jemit_location from = jemit_memory_of(m, value, 0);
  from.is_splat = is_splat(m, value);
  m->target->load(m->c, m->o->value[value].n, r, from);
}

int jemit_to_register(jemit_registers* m, int value) {
  if (m->reg[value] < 0) {
    int r = free_register(m, m->o->value[value].n);
    load(m, value, r);
    hold(m, value, r);
  }
  m->busy[m->reg[value]] = true;
  return m->reg[value];
}

static bool takes_splat(const jemit_registers* m) {
  int op = m->o->operation[m->at].op;
  return op <= JEMIT_XOR || op == JEMIT_COMPARE;
}

// Whether an instruction reads the k-th operand from memory: it is not in a register, nor read again soon.
bool jemit_is_folded(const jemit_registers* m, int k, int bytes) {
  int value = m->o->operation[m->at].arg[k];
  const jemit_value* v = &m->o->value[value];
  if (m->target->folds == JEMIT_FOLDS_NOTHING) return false;
  if (m->reg[value] >= 0 || !is_in_memory(m, value)) return false;
  if (8 * v->n < bytes) return false;
  if (is_splat(m, value) &&
      !(m->target->folds >= JEMIT_FOLDS_SPLATS && bytes == 8 * v->n && takes_splat(m)))
    return false;
  bool is_aligned = v->home != JEMIT_INPUT || bytes == 8;
  if (m->target->folds < JEMIT_FOLDS_VECTORS && !is_aligned) return false;
  int again = m->after[3 * m->at + k];
  return again == NEVER || again - m->at > SOON;
}

jemit_location jemit_operand_of(jemit_registers* m, int k, int bytes) {
  int value = m->o->operation[m->at].arg[k];
  if (jemit_is_folded(m, k, bytes)) {
    jemit_location o = jemit_memory_of(m, value, 0);
    o.is_splat = is_splat(m, value);
    return o;
  }
  return jemit_in_register(jemit_to_register(m, value));
}

static void give_place(jemit_registers* m, int value) {
  int n = m->o->value[value].n;
  if (jemit_is_windowed(m->target, n)) {
    jemit_window_give(&m->windows, value, m->slot[value]);
  } else {
    jemit_frame_give(&m->frame, n, m->slot[value]);
  }
  m->slot[value] = -1;
}

// A value that is not read again: its place is free when nobody else is read there.
static void leave_place(jemit_registers* m, int value) {
  int of = m->of[value];
  if (of >= 0) {
    m->of[value] = -1;
    m->readers[of]--;
    value = of;
  }
  bool is_over = m->next[value] == NEVER && m->readers[value] == 0;
  if (is_over && m->slot[value] >= 0) give_place(m, value);
}

// Uses of the operation are over: values that nobody reads again leave their places.
static void release(jemit_registers* m) {
  const jemit_operation* op = &m->o->operation[m->at];
  for (int k = 0; k < 3; k++) {
    int value = op->arg[k];
    if (value < 0) continue;
    m->next[value] = m->after[3 * m->at + k];
    if (m->next[value] != NEVER) continue;
    if (m->reg[value] >= 0) drop(m, m->reg[value]);
    leave_place(m, value);
  }
}

// A register for the result: that of the k-th operand where its value is not read again. Values read later keep their own.
int jemit_result_in(jemit_registers* m, int k) {
  int value = k >= 0 ? m->o->operation[m->at].arg[k] : -1;
  if (value >= 0 && m->reg[value] >= 0 && jemit_is_dead(m, k)) {
    int r = m->reg[value];
    drop(m, r);
    return r;
  }
  return free_register(m, m->o->operation[m->at].n);
}

void jemit_finish(jemit_registers* m, int r) {
  release(m);
  int value = m->o->operation[m->at].dst;
  if (m->next[value] == NEVER) return;
  hold(m, value, r);
}

// ---- calls ---------------------------------------------------------------------------------------

// Nothing in registers outlives a call.
static void save_all(jemit_registers* m) {
  const jemit_operation* op = &m->o->operation[m->at];
  for (int r = 0; r < m->target->nvector; r++) {
    int value = m->held[r];
    if (value < 0) continue;
    int next = m->next[value];
    for (int k = 0; k < 3; k++) {
      if (op->arg[k] == value) next = m->after[3 * m->at + k];
    }
    if (next != NEVER && !is_in_memory(m, value)) spill(m, value);
  }
}

static void forget_all(jemit_registers* m) {
  for (int r = 0; r < m->target->nvector; r++) {
    drop(m, r);
  }
  for (int i = m->target->nkept; i < m->target->npointer; i++) {
    m->pointer[i] = -1;
    m->used[i] = 0;
  }
  jemit_windows_forget(&m->windows);
}

static void bring(jemit_registers* m, int value, int r) {
  if (m->reg[value] == r) return;
  if (m->reg[value] >= 0) {
    m->target->copy(m->c, m->o->value[value].n, r, m->reg[value]);
  } else {
    load(m, value, r);
  }
}

// Arguments in registers 0 and 1. The second goes first: it may be in 0.
static void bring_arguments(jemit_registers* m) {
  const jemit_operation* op = &m->o->operation[m->at];
  int a = op->arg[0], b = op->arg[1];
  if (b >= 0 && m->reg[a] == 1) {
    int other = m->reg[b] == 2 ? 3 : 2;
    bring(m, a, other);
    drop(m, 1);
    drop(m, other);
    hold(m, a, other);
  }
  if (b >= 0) bring(m, b, 1);
  bring(m, a, 0);
}

static void finish_second(jemit_registers* m, int r) {
  int value = m->o->operation[m->at].second;
  if (m->next[value] != NEVER) hold(m, value, r);
}

// The address of the list as an argument.
static void hand_on_list(jemit_registers* m, int argument) {
  jemit_location list = jemit_frame_list(&m->frame, 0);
  m->target->add_pointer(m->c, m->target->argument[argument], list.reg, list.at);
}

static void call(jemit_registers* m) {
  const jemit_operation* op = &m->o->operation[m->at];
  const jemit_target* t = m->target;
  bool is_waves = op->op == JEMIT_WAVES;
  save_all(m);
  bring_arguments(m);
  forget_all(m);
  if (is_waves) hand_on_list(m, 0);
  t->call(m->c, op->call, false);
  jemit_finish(m, 0);
  if (!is_waves) return;
  t->load(m->c, op->n, 1, jemit_frame_list(&m->frame, 0));
  finish_second(m, 1);
}

// The first part calls; the others read what it left in the frame.
static void list(jemit_registers* m) {
  const jemit_operation* op = &m->o->operation[m->at];
  const jemit_target* t = m->target;
  if (op->about) {
    save_all(m);
    if (op->group >= 0) t->load_pointer(m->c, t->argument[2], t->input, 8 * op->group);
    forget_all(m);
    t->set_pointer(m->c, t->argument[0], (uintptr_t)op->about);
    hand_on_list(m, 1);
    t->call(m->c, (jemit_function)m->functions->list, true);
  }
  int dst = free_register(m, op->n);
  t->load(m->c, op->n, dst, jemit_frame_list(&m->frame, op->at));
  jemit_finish(m, dst);
}

static void pick(jemit_registers* m) {
  const jemit_operation* op = &m->o->operation[m->at];
  const jemit_target* t = m->target;
  int index = jemit_to_register(m, op->arg[0]);
  jemit_location from =
      op->group ? jemit_frame_list(&m->frame, 0) : jemit_in_pool(m->c->pool + op->at);
  // the result first: a window may move for its sake, and the address is in registers of windows
  int dst = jemit_result_in(m, 0);
  jemit_location element = t->element(m->c, index, op->imm, from);
  jemit_windows_forget(&m->windows);
  t->load(m->c, 1, dst, element);
  jemit_finish(m, dst);
}

// ---- stores --------------------------------------------------------------------------------------

static void store(jemit_registers* m) {
  const jemit_operation* op = &m->o->operation[m->at];
  const jemit_target* t = m->target;
  bool is_place = op->op == JEMIT_STORE_PLACE;
  int r = jemit_to_register(m, op->arg[0]);
  jemit_location to = op->op == JEMIT_ARGUMENT
                          ? jemit_frame_list(&m->frame, op->at)
                          : jemit_in_memory(pointer_to(m, -2 - op->group), op->at);
  if (is_place && op->imm == 1) {
    t->store_second(m->c, r, to);
  } else {
    t->store(m->c, is_place ? 1 : op->n, r, to);
  }
  release(m);
}

// ---- all of it -----------------------------------------------------------------------------------

// The double, or the n doubles, at a place of a value in memory.
static void read_part(jemit_registers* m, int place) {
  const jemit_operation* op = &m->o->operation[m->at];
  jemit_location from = jemit_memory_of(m, op->arg[0], place);
  int dst = free_register(m, op->n);
  m->target->load(m->c, op->n, dst, from);
  jemit_finish(m, dst);
}

// A part of a value in the frame, or its only double in all places, is read there by whoever needs it.
static bool is_read_in_place(const jemit_registers* m) {
  const jemit_operation* op = &m->o->operation[m->at];
  int value = op->arg[0];
  bool is_part = op->op == JEMIT_PLACE || op->op == JEMIT_CHUNK;
  if ((!is_part && op->op != JEMIT_SPLAT) || m->next[op->dst] == NEVER) return false;
  if (m->reg[value] >= 0 && (is_part || m->target->folds < JEMIT_FOLDS_SPLATS)) return false;
  int root = m->of[value] >= 0 ? m->of[value] : value;
  return m->slot[root] >= 0 && jemit_is_windowed(m->target, m->o->value[root].n) &&
         !is_splat(m, value);
}

static void read_in_place(jemit_registers* m) {
  const jemit_operation* op = &m->o->operation[m->at];
  int value = op->arg[0], root = m->of[value] >= 0 ? m->of[value] : value;
  int at = m->of[value] >= 0 ? m->first[value] : 0;
  m->of[op->dst] = root;
  m->first[op->dst] = op->op == JEMIT_SPLAT ? at : at + op->imm * op->n;
  m->is_splat[op->dst] = op->op == JEMIT_SPLAT;
  m->readers[root]++;
  jemit_window_note(&m->windows, op->dst, m->slot[root] + 8 * m->first[op->dst]);
  release(m);
}

static void put_operation(jemit_registers* m) {
  const jemit_operation* op = &m->o->operation[m->at];
  bool is_part = op->op == JEMIT_PLACE || op->op == JEMIT_CHUNK;
  if (m->c->listing) jemit_listing_operation(m->c->listing, op);
  for (int r = 0; r < m->target->nvector; r++) {
    m->busy[r] = false;
  }
  if (is_read_in_place(m)) {
    read_in_place(m);
    return;
  }
  if (is_part && m->reg[op->arg[0]] < 0) {
    read_part(m, op->imm * op->n);
    return;
  }
  switch (op->op) {
    case JEMIT_CALL:
    case JEMIT_WAVES: call(m); break;
    case JEMIT_STORE:
    case JEMIT_STORE_PLACE:
    case JEMIT_ARGUMENT: store(m); break;
    case JEMIT_LIST: list(m); break;
    case JEMIT_PICK: pick(m); break;
    default: m->target->operate(m); break;
  }
}

static bool allocate(jemit_registers* m, jarena* a) {
  size_t n = (size_t)m->o->nvalue;
  m->next = JARENA_ARRAY(a, n, int);
  m->reg = JARENA_ARRAY(a, n, int);
  m->slot = JARENA_ARRAY(a, n, int);
  m->after = JARENA_ARRAY(a, 3 * (size_t)m->o->noperation, int);
  m->of = JARENA_ARRAY(a, n, int);
  m->first = JARENA_ARRAY(a, n, int);
  m->is_splat = JARENA_ARRAY(a, n, bool);
  m->readers = JARENA_ARRAY(a, n, int);
  bool ok = m->next && m->reg && m->slot && m->after;
  ok = ok && m->of && m->first && m->is_splat && m->readers;
  ok = ok && jemit_frame_init(&m->frame, a, m->target, m->o->list_size, m->o->nvalue);
  m->windows = (jemit_windows){
      .o = m->o, .target = m->target, .c = m->c, .next = m->next, .reg = m->reg, .now = &m->at};
  ok = ok && jemit_windows_init(&m->windows, a);
  for (size_t i = 0; ok && i < n; i++) {
    m->reg[i] = m->slot[i] = m->of[i] = -1;
  }
  return ok;
}

jo_status jemit_assign(jo_context* ctx, jarena* scratch, const jemit_operations* o,
                       const jemit_target* target, const jemit_functions* functions, int pool_base,
                       jemit_code* code, size_t* work) {
  jemit_registers m = {.o = o, .target = target, .functions = functions, .c = code};
  jarena_mark mark = jarena_save(scratch);
  if (!allocate(&m, scratch)) return jerr_memory(ctx);
  for (int r = 0; r < JEMIT_VECTORS_MAX; r++) {
    m.held[r] = -1;
  }
  for (int i = 0; i < JEMIT_POINTERS_MAX; i++) {
    m.pointer[i] = -1;
  }
  find_uses(&m);
  code->pool = pool_base;
  int start = code->n;
  target->enter(code);
  for (m.at = 0; m.at < o->noperation; m.at++) {
    put_operation(&m);
  }
  target->leave(code, start, m.frame.size[0]);
  if (target->nwindow > 0) m.frame.size[1] = jemit_windows_size(&m.windows);
  if (code->listing) jemit_listing_end(code->listing, (size_t)jemit_frame_size(&m.frame));
  // aligned to 64 bytes, and what reads beyond a number
  *work = (size_t)jemit_frame_size(&m.frame) / 8 + 16;
  jarena_restore(scratch, mark);
  return code->failed ? jerr_memory(ctx) : JO_OK;
}
