// SPDX-License-Identifier: Apache-2.0
// Operands, and where they come from.
#include "emit/c/operand.h"

#include <math.h>

// printf is most of the cost of emission: integers go by hand.
void jemit_put_int(jtext* t, int value) {
  char digits[12];
  size_t n = sizeof digits;
  do {
    digits[--n] = (char)('0' + value % 10);
    value /= 10;
  } while (value > 0);
  jtext_write(t, digits + n, sizeof digits - n);
}

void jemit_put_constant(jtext* t, const jemit_real* real, double value) {
  char buffer[JTEXT_NUMBER_SIZE];
  jtext_format_number(buffer, jemit_constant(real, value));
  bool negative = buffer[0] == '-';
  if (negative) jtext_put(t, "(");
  jtext_put(t, buffer);
  if (isfinite(value)) jtext_put(t, real->suffix);
  if (negative) jtext_put(t, ")");
}

const jemit_real* jemit_real_of(const jemit_printer* p, int item) {
  return p->is_single && p->is_single[item] ? &jemit_single : &jemit_double;
}

void jemit_put_declaration(jemit_printer* p, const jemit_real* real) {
  jtext_put(p->body, "  const ");
  jtext_put(p->body, real->type);
  jtext_put(p->body, " ");
}

static void put_input(jemit_printer* p, jexpr_ref r) {
  const jexpr_node* node = jexpr_at(p->plan->fn->graph, r);
  bool scalar = p->plan->scalar[r];
  p->in_used[node->a] = true;
  if (!scalar) jtext_put(p->body, "jk_at(");
  if (p->real == &jemit_single) jtext_put(p->body, "(float)");
  jtext_put(p->body, p->in_name[node->a]);
  jtext_put(p->body, scalar ? "[" : ", ");
  jemit_put_int(p->body, (int)node->b);
  if (p->is_strided) jtext_put(p->body, " * JK_STRIDE");
  jtext_put(p->body, scalar ? "]" : ")");
}

// A lane of a pack has the name of its item and its own.
static void put_value(jemit_printer* p, jexpr_ref r) {
  const jexpr_packing* packing = &p->plan->packing;
  jtext_put(p->body, "t");
  jemit_put_int(p->body, packing->at[r]);
  if (packing->item[packing->at[r]].width == 1) return;
  jtext_put(p->body, "_");
  jemit_put_int(p->body, jexpr_pack_lane(packing, r));
}

void jemit_put_operand(jemit_printer* p, jexpr_ref r) {
  const jexpr_graph* g = p->plan->fn->graph;
  if (jexpr_is_const(g, r)) {
    jemit_put_constant(p->body, p->real, jexpr_const_value(g, r));
  } else if (jexpr_at(g, r)->op == JEXPR_INPUT) {
    put_input(p, r);
  } else {
    bool is_rounded = jemit_real_of(p, p->plan->packing.at[r]) != p->real;
    if (is_rounded && p->real == &jemit_single) jtext_put(p->body, "(float)");
    put_value(p, r);
  }
}

void jemit_put_wave_name(jtext* t, bool is_sine, int first) {
  jtext_put(t, is_sine ? "jk_s" : "jk_c");
  jemit_put_int(t, first);
}

// `const jk_real t12_1 = JK_SHUFFLE2(4, v12, v12, 2, 3);`, or from the slot: `jk_at(w, 7)`
static void take_lanes(jemit_printer* p, jexpr_ref r, int at, bool from_slot) {
  const jemit_plan* plan = p->plan;
  int lanes = plan->lanes, first = jexpr_pack_lane(&plan->packing, r) * lanes;
  jtext_put(p->body, "  const jk_real ");
  put_value(p, r);
  if (from_slot) {
    jtext_put(p->body, " = jk_at(w, ");
    jemit_put_int(p->body, (plan->slot[at] + first) / lanes);
  } else {
    jtext_put(p->body, " = JK_SHUFFLE");
    jemit_put_int(p->body, lanes);
    jtext_put(p->body, "(");
    jemit_put_int(p->body, jemit_plan_numbers(plan, &plan->packing.item[at]));
    for (int k = 0; k < 2; k++) {
      jtext_put(p->body, ", v");
      jemit_put_int(p->body, at);
    }
    for (int k = 0; k < lanes; k++) {
      jtext_put(p->body, ", ");
      jemit_put_int(p->body, first + k);
    }
  }
  jtext_put(p->body, ");\n");
}

// `(w + 12)`, or of a thread: `(&JK_WORK(w, 12))`
void jemit_put_place(jemit_printer* p, int slot) {
  jtext_put(p->body, p->is_device ? "(&JK_WORK(w, " : "(w + ");
  jemit_put_int(p->body, slot);
  jtext_put(p->body, p->is_device ? "))" : ")");
}

// What names end in that are for a pack as it was computed.
void jemit_put_numbers(jemit_printer* p, int at, int numbers) {
  jemit_put_int(p->body, numbers);
  jtext_put(p->body, jemit_real_of(p, at)->suffix);
}

// A pack computed by an earlier chunk is read where it is first needed.
void jemit_load_pack(jemit_printer* p, int at) {
  const jemit_plan* plan = p->plan;
  if (at / plan->chunk == p->chunk || p->loaded[at] == p->chunk) return;
  int numbers = jemit_plan_numbers(plan, &plan->packing.item[at]);
  p->loaded[at] = p->chunk;
  p->work_used = true;
  jtext_put(p->body, "  const jk_v");
  jemit_put_numbers(p, at, numbers);
  jtext_put(p->body, " v");
  jemit_put_int(p->body, at);
  jtext_put(p->body, " = JK_AT");
  jemit_put_numbers(p, at, numbers);
  jemit_put_place(p, plan->slot[at]);
  jtext_put(p->body, ";\n");
}

// `const double t12_3 = v12[3];`, or from the slot: `w[15]`
static void take_number(jemit_printer* p, jexpr_ref r, int at, bool from_slot) {
  const jemit_plan* plan = p->plan;
  int lane = jexpr_pack_lane(&plan->packing, r);
  jemit_put_declaration(p, jemit_real_of(p, at));
  put_value(p, r);
  jtext_put(p->body, from_slot ? " = w" : " = v");
  if (!from_slot) jemit_put_int(p->body, at);
  jtext_put(p->body, "[");
  jemit_put_int(p->body, from_slot ? plan->slot[at] + lane : lane);
  jtext_put(p->body, "];\n");
}

// A value out of its pack.
static void take_value(jemit_printer* p, jexpr_ref r, int at) {
  if (p->taken[r] == p->chunk) return;
  p->taken[r] = p->chunk;
  // threads keep what is theirs
  bool from_slot = at / p->plan->chunk != p->chunk && !p->is_device;
  if (p->is_device) jemit_load_pack(p, at);
  p->work_used = p->work_used || from_slot;
  if (p->plan->scalar[r]) {
    take_number(p, r, at, from_slot);
  } else {
    take_lanes(p, r, at, from_slot);
  }
}

void jemit_load(jemit_printer* p, jexpr_ref r) {
  const jemit_plan* plan = p->plan;
  int at = plan->packing.at[r];
  if (at < 0) return;
  if (plan->packing.item[at].width > 1) {
    take_value(p, r, at);
    return;
  }
  if (at / plan->chunk == p->chunk || p->loaded[at] == p->chunk) return;
  p->loaded[at] = p->chunk;
  p->work_used = true;
  bool scalar = plan->scalar[r];
  if (scalar) {
    jemit_put_declaration(p, jemit_real_of(p, at));
  } else {
    jtext_put(p->body, "  const jk_real ");
  }
  put_value(p, r);
  jtext_put(p->body, p->is_device ? " = JK_WORK(w, " : scalar ? " = w[" : " = jk_at(w, ");
  jemit_put_int(p->body, scalar ? plan->slot[at] : plan->slot[at] / plan->lanes);
  jtext_put(p->body, scalar && !p->is_device ? "];\n" : ");\n");
}
