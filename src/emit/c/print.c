// SPDX-License-Identifier: Apache-2.0
// Statements, chunk functions and entry functions.
//
//   const double t12 = t3 * q[4];   one operation; 12 is its place in the schedule
//   const double t3 = w[0];         computed by an earlier chunk
//   qdd[0] = t12;                   an output, stored where it is computed
//
// With several lanes a value that differs between them is a jk_real, read by jk_at and stored by
// jk_put; a value common to all lanes stays a double and is spread by jk_all where a function
// needs it.
#include "emit/c/print.h"

#include <string.h>

#include "base/err.h"
#include "emit/c/names.h"
#include "emit/c/operand.h"
#include "emit/c/vector.h"
#include "expr/body.h"

#define LINE_WIDTH 96

// ---- names of arrays

static bool is_taken(const char* const* name, int n, const char* s) {
  for (int i = 0; i < n; i++) {
    if (strcmp(name[i], s) == 0) return true;
  }
  return false;
}

static jo_status name_arrays(jarena* a, jemit_printer* p) {
  const jexpr_fn* fn = p->plan->fn;
  const jexpr_graph* g = fn->graph;
  for (int i = 0; i < g->ngroup; i++) {
    const char* s = g->group[i].name;
    bool keep = jemit_is_plain_name(s) && !is_taken(p->in_name, i, s);
    p->in_name[i] = keep ? s : jarena_printf(a, "in%d", i);
    if (!p->in_name[i]) return jerr_memory(p->ctx);
  }
  for (int i = 0; i < fn->nout; i++) {
    const char* s = fn->out[i].name;
    bool keep = jemit_is_plain_name(s) && !is_taken(p->in_name, g->ngroup, s) &&
                !is_taken(p->out_name, i, s);
    p->out_name[i] = keep ? s : jarena_printf(a, "out%d", i);
    if (!p->out_name[i]) return jerr_memory(p->ctx);
  }
  return JO_OK;
}

static void note_input(jemit_printer* p, jexpr_ref r) {
  const jexpr_node* node = jexpr_at(p->plan->fn->graph, r);
  if (node->op == JEXPR_INPUT) p->in_read[node->a] = true;
  if (node->op == JEXPR_DATA) p->in_read[jexpr_data_of(p->plan->fn->graph, r).group] = true;
}

// Arrays the function reads. Others do not show in its text: functions that compute the same are the same
// text, whatever else their graphs can be asked for.
static void find_inputs(jemit_printer* p) {
  const jemit_plan* plan = p->plan;
  for (int i = 0; i < plan->schedule.n; i++) {
    jexpr_ref r = plan->schedule.order[i];
    int n = jexpr_nargs(plan->fn->graph, r);
    note_input(p, r);
    for (int k = 0; k < n; k++) {
      note_input(p, jexpr_arg(plan->fn->graph, r, k));
    }
  }
  for (int i = 0; i < plan->nleaf; i++) {
    note_input(p, plan->store[plan->leaf[i]].ref);
  }
}

static bool no_chunk(jarena* a, int n, int** out) {
  *out = JARENA_ARRAY(a, n, int);
  for (int i = 0; *out && i < n; i++)
    (*out)[i] = -1;
  return *out != NULL;
}

jo_status jemit_printer_init(jo_context* ctx, jarena* a, const jemit_plan* plan, int index,
                             const char* symbol, bool is_device, jtext* body, jemit_printer* out) {
  jemit_printer p = {.ctx = ctx,
                     .plan = plan,
                     .index = index,
                     .symbol = symbol,
                     .real = &jemit_double,
                     .is_device = is_device,
                     .chunk = -1,
                     .body = body};
  int ngroup = plan->fn->graph->ngroup;
  int nout = plan->fn->nout;
  p.in_name = JARENA_ARRAY(a, ngroup, const char*);
  p.out_name = JARENA_ARRAY(a, nout, const char*);
  p.in_read = JARENA_ARRAY(a, ngroup, bool);
  p.in_used = JARENA_ARRAY(a, ngroup, bool);
  p.out_used = JARENA_ARRAY(a, nout, bool);
  bool ok = p.in_name && p.out_name && p.in_read && p.in_used && p.out_used;
  ok = ok && no_chunk(a, plan->packing.n, &p.loaded) &&
       no_chunk(a, plan->fn->graph->nnode, &p.taken) &&
       no_chunk(a, plan->packing.nvector, &p.assembled[0]) &&
       no_chunk(a, plan->packing.nvector, &p.assembled[1]) &&
       no_chunk(a, plan->packing.n, &p.narrowed) &&
       no_chunk(a, plan->packing.nvector, &p.single_mask) &&
       no_chunk(a, plan->packing.nvector, &p.spread) &&
       no_chunk(a, plan->packing.nvector, &p.mask[0]) &&
       no_chunk(a, plan->packing.nvector, &p.mask[1]);
  if (!ok) return jerr_memory(ctx);
  JO_TRY(name_arrays(a, &p));
  find_inputs(&p);
  *out = p;
  return JO_OK;
}

// ---- operands

static void put_vector_operand(jemit_printer* p, jexpr_ref r) {
  bool scalar = p->plan->scalar[r];
  if (scalar) jtext_put(p->body, "jk_all(");
  jemit_put_operand(p, r);
  if (scalar) jtext_put(p->body, ")");
}

// ---- expressions

// The operator's C text with its operands; `spread` operands are vectors throughout.
static void put_text(jemit_printer* p, jexpr_ref r, const char* text, bool spread) {
  const jexpr_graph* g = p->plan->fn->graph;
  for (;;) {
    size_t n = strcspn(text, "$");
    jemit_put_operator_text(p->body, p->real, text, n);
    if (text[n] == '\0') return;
    int k = text[n + 1] - 'a';
    jexpr_ref arg = jexpr_arg(g, r, k);
    if (spread && k > 0) {
      put_vector_operand(p, arg);
    } else {
      jemit_put_operand(p, arg);
    }
    text += n + 2;
  }
}

static void put_vector_call(jemit_printer* p, jexpr_ref r) {
  const jexpr_graph* g = p->plan->fn->graph;
  int n = jexpr_nargs(g, r);
  jtext_put(p->body, "jkv_");
  jtext_put(p->body, jexpr_ops[jexpr_at(g, r)->op].name);
  for (int k = 0; k < n; k++) {
    jtext_put(p->body, k == 0 ? "(" : ", ");
    put_vector_operand(p, jexpr_arg(g, r, k));
  }
  jtext_put(p->body, ")");
}

static void put_fixed_arity(jemit_printer* p, jexpr_ref r) {
  const jexpr_graph* g = p->plan->fn->graph;
  uint32_t op = jexpr_at(g, r)->op;
  const char* text = jexpr_ops[op].c_text;
  if (p->plan->scalar[r] || jexpr_ops[op].class_ == JEXPR_CLASS_ARITH) {
    put_text(p, r, text, false);
  } else if (op == JEXPR_SELECT && p->plan->scalar[jexpr_arg(g, r, 0)]) {
    put_text(p, r, text, true);  // all lanes go the same way
  } else {
    put_vector_call(p, r);
  }
}

// ---- lists

static bool list_is_scalar(const jemit_printer* p, jexpr_ref r) {
  int n = jexpr_nargs(p->plan->fn->graph, r);
  bool scalar = true;
  for (int k = 1; k < n; k++) {
    scalar = scalar && p->plan->scalar[jexpr_arg(p->plan->fn->graph, r, k)];
  }
  return scalar;
}

static bool list_is_const(const jexpr_graph* g, jexpr_ref r) {
  int n = jexpr_nargs(g, r);
  for (int k = 1; k < n; k++) {
    if (!jexpr_is_const(g, jexpr_arg(g, r, k))) return false;
  }
  return true;
}

static bool list_is_ascending_const(const jexpr_graph* g, jexpr_ref r) {
  if (!list_is_const(g, r)) return false;
  int n = jexpr_nargs(g, r);
  for (int k = 2; k < n; k++) {
    double before = jexpr_const_value(g, jexpr_arg(g, r, k - 1));
    if (!(before <= jexpr_const_value(g, jexpr_arg(g, r, k)))) return false;
  }
  return true;
}

// The list as an array: l12 for statement t12. Unknowns are found in double precision.
static void put_list_array(jemit_printer* p, jexpr_ref r, bool scalar) {
  const jexpr_graph* g = p->plan->fn->graph;
  jtext* t = p->body;
  int n = jexpr_nargs(g, r);
  const jemit_real* real = p->real;
  if (jexpr_at(g, r)->op == JEXPR_SOLVE) p->real = &jemit_double;
  jtext_put(t, list_is_const(g, r) && scalar ? "  static const " : "  const ");
  jtext_put(t, scalar ? p->real->type : "jk_real");
  jtext_put(t, " l");
  jemit_put_int(t, p->plan->packing.at[r]);
  jtext_put(t, "[] = {");
  size_t line = t->length;
  for (int k = 1; k < n; k++) {
    if (k > 1) jtext_put(t, ", ");
    if (t->length - line > LINE_WIDTH - 30) {
      jtext_put(t, "\n    ");
      line = t->length;
    }
    if (scalar) {
      jemit_put_operand(p, jexpr_arg(g, r, k));
    } else {
      put_vector_operand(p, jexpr_arg(g, r, k));
    }
  }
  jtext_put(t, "};\n");
  p->real = real;
}

static void put_operator(jemit_printer* p, const char* text) {
  jemit_put_operator_text(p->body, p->real, text, strlen(text));
}

// Few breakpoints: count those passed. The first and the last one do not matter.
static void put_locate_sum(jemit_printer* p, jexpr_ref r) {
  const jexpr_graph* g = p->plan->fn->graph;
  jexpr_ref x = jexpr_arg(g, r, 0);
  int n = jexpr_nargs(g, r) - 1;
  bool scalar = p->plan->scalar[r];
  if (scalar) put_operator(p, "(double)(");
  for (int k = 1; k < n - 1; k++) {
    if (k > 1) jtext_put(p->body, " + ");
    jtext_put(p->body, scalar ? "(" : "jkv_le(");
    if (scalar) {
      jemit_put_operand(p, jexpr_arg(g, r, k + 1));
    } else {
      put_vector_operand(p, jexpr_arg(g, r, k + 1));
    }
    jtext_put(p->body, scalar ? " <= " : ", ");
    jemit_put_operand(p, x);
    jtext_put(p->body, ")");
  }
  if (scalar) jtext_put(p->body, ")");
}

static bool locate_is_sum(const jemit_printer* p, jexpr_ref r) {
  const jexpr_graph* g = p->plan->fn->graph;
  int n = jexpr_nargs(g, r) - 1;
  return n >= 3 && n <= 8 && list_is_ascending_const(g, r);
}

// pick of two values needs no array.
static bool pick_is_choice(const jemit_printer* p, jexpr_ref r) {
  const jexpr_graph* g = p->plan->fn->graph;
  return jexpr_nargs(g, r) == 3 && p->plan->scalar[jexpr_arg(g, r, 0)];
}

static void put_pick_choice(jemit_printer* p, jexpr_ref r) {
  const jexpr_graph* g = p->plan->fn->graph;
  jexpr_ref index = jexpr_arg(g, r, 0);
  jtext_put(p->body, "(");
  jemit_put_operand(p, index);
  if (jexpr_is_flag(g, index)) {
    put_operator(p, " != 0.0 ? ");
  } else {
    put_operator(p, " >= 1.0 && ");
    jemit_put_operand(p, index);
    put_operator(p, " < 2.0 ? ");
  }
  for (int k = 2; k >= 1; k--) {
    if (p->plan->scalar[r]) {
      jemit_put_operand(p, jexpr_arg(g, r, k));
    } else {
      put_vector_operand(p, jexpr_arg(g, r, k));
    }
    jtext_put(p->body, k == 2 ? " : " : ")");
  }
}

void jemit_put_body_symbol(jtext* t, int index, int body) {
  // entries are jk_<index>_<name>: no name of a user's can make one of these
  jtext_printf(t, "jkb_%d_%d", index, body);
}

// `jk_solve(jkb_0_1, l12)`, or every lane on its own: `jkv_solve(jkb_0_1, l12, n)`
static void put_solve(jemit_printer* p, jexpr_ref r) {
  const jexpr_graph* g = p->plan->fn->graph;
  bool scalar = p->plan->scalar[r];
  jtext_put(p->body, scalar ? "jk_solve(" : "jkv_solve(");
  jemit_put_body_symbol(p->body, p->index, (int)(jexpr_body_of(g, r) - g->body));
  jtext_put(p->body, ", l");
  jemit_put_int(p->body, p->plan->packing.at[r]);
  if (!scalar) {
    jtext_put(p->body, ", ");
    jemit_put_int(p->body, jexpr_nargs(g, r) - 1);
  }
  jtext_put(p->body, ")");
}

// `jk_read(road, 0, 1, 0, t3, t4)`: table 0, differentiated by u
static void put_data(jemit_printer* p, jexpr_ref r) {
  jexpr_data_args d = jexpr_data_of(p->plan->fn->graph, r);
  bool scalar = p->plan->scalar[r];
  p->in_used[d.group] = true;
  jtext_printf(p->body, "%s(%s, %d, %d, %d, ", scalar ? "jk_read" : "jkv_read", p->in_name[d.group],
               d.which, d.du, d.dv);
  for (int k = 0; k < 2; k++) {
    if (k > 0) jtext_put(p->body, ", ");
    if (scalar) {
      jemit_put_operand(p, k == 0 ? d.u : d.v);
    } else {
      put_vector_operand(p, k == 0 ? d.u : d.v);
    }
  }
  jtext_put(p->body, ")");
}

// An array before the statement, where the operator needs one.
static void put_list_before(jemit_printer* p, jexpr_ref r) {
  const jexpr_node* node = jexpr_at(p->plan->fn->graph, r);
  if (node->op == JEXPR_LOCATE && !locate_is_sum(p, r)) {
    put_list_array(p, r, list_is_scalar(p, r));
  } else if (node->op == JEXPR_PICK && !pick_is_choice(p, r)) {
    put_list_array(p, r, list_is_scalar(p, r));
  } else if (node->op == JEXPR_SOLVE) {
    put_list_array(p, r, list_is_scalar(p, r));
  }
}

// `function(x, l12, n)`
static void put_list_call(jemit_printer* p, jexpr_ref r, const char* function, bool spread) {
  const jexpr_graph* g = p->plan->fn->graph;
  put_operator(p, function);
  jtext_put(p->body, "(");
  if (spread) {
    put_vector_operand(p, jexpr_arg(g, r, 0));
  } else {
    jemit_put_operand(p, jexpr_arg(g, r, 0));
  }
  jtext_put(p->body, ", l");
  jemit_put_int(p->body, p->plan->packing.at[r]);
  jtext_put(p->body, ", ");
  jemit_put_int(p->body, jexpr_nargs(g, r) - 1);
  jtext_put(p->body, ")");
}

static void put_locate(jemit_printer* p, jexpr_ref r) {
  if (locate_is_sum(p, r)) {
    put_locate_sum(p, r);
  } else if (p->plan->scalar[r]) {
    put_list_call(p, r, "jk_locate", false);
  } else {
    put_list_call(p, r, list_is_scalar(p, r) ? "jkv_locate" : "jkv_locate_each", true);
  }
}

static void put_pick(jemit_printer* p, jexpr_ref r) {
  const jexpr_graph* g = p->plan->fn->graph;
  jexpr_ref k = jexpr_arg(g, r, 0);
  if (pick_is_choice(p, r)) {
    put_pick_choice(p, r);
  } else if (p->plan->scalar[k]) {
    jtext_put(p->body, "l");
    jemit_put_int(p->body, p->plan->packing.at[r]);
    put_operator(p, "[jk_index(");
    jemit_put_operand(p, k);
    jtext_put(p->body, ", ");
    jemit_put_int(p->body, jexpr_nargs(g, r) - 1);
    jtext_put(p->body, ")]");
  } else {
    put_list_call(p, r, list_is_scalar(p, r) ? "jkv_pick" : "jkv_pick_each", true);
  }
}

// ---- statements

// `array[index] = value;`
static void put_assignment(jemit_printer* p, const char* array, int index, jexpr_ref value,
                           bool as_vector, bool is_strided) {
  jtext_put(p->body, as_vector ? "  jk_put(" : "  ");
  jtext_put(p->body, array);
  jtext_put(p->body, as_vector ? ", " : "[");
  jemit_put_int(p->body, index);
  if (is_strided) jtext_put(p->body, " * JK_STRIDE");
  jtext_put(p->body, as_vector ? ", " : "] = ");
  if (as_vector) {
    put_vector_operand(p, value);
  } else {
    jemit_put_operand(p, value);
  }
  jtext_put(p->body, as_vector ? ");\n" : ";\n");
}

static void put_output(jemit_printer* p, const jemit_store* store) {
  p->out_used[store->group] = true;
  put_assignment(p, p->out_name[store->group], store->index, store->ref, p->plan->lanes > 1,
                 p->is_strided);
}

// `JK_PUT2(ydot, 3, v12, 1);`: by the thread that has it
static void put_lane_output(jemit_printer* p, const jemit_store* store, int index) {
  p->out_used[store->group] = true;
  jtext_put(p->body, "  JK_PUT2(");
  jtext_put(p->body, p->out_name[store->group]);
  jtext_printf(p->body, ", %d, v%d, %d);\n", store->index, index,
               jexpr_pack_lane(&p->plan->packing, store->ref));
}

// Operators that call functions compiled elsewhere.
static bool is_call(uint32_t op) {
  return op == JEXPR_DATA || op == JEXPR_FLOOR;
}

// Before the first of two: `double jk_s12, jk_c12; jm_sincos(x, &jk_s12, &jk_c12);`
static void put_waves(jemit_printer* p, int first) {
  const jexpr_graph* g = p->plan->fn->graph;
  jexpr_ref r = p->plan->packing.item[first].node[0];
  bool scalar = p->plan->scalar[r];
  jtext_put(p->body, "  ");
  jtext_put(p->body, scalar ? p->real->type : "jk_real");
  jtext_put(p->body, " ");
  jemit_put_wave_name(p->body, true, first);
  jtext_put(p->body, ", ");
  jemit_put_wave_name(p->body, false, first);
  put_operator(p, scalar ? ";\n  jm_sincos(" : ";\n  jkv_sincos(");
  jemit_put_operand(p, jexpr_arg(g, r, 0));
  jtext_put(p->body, ", &");
  jemit_put_wave_name(p->body, true, first);
  jtext_put(p->body, ", &");
  jemit_put_wave_name(p->body, false, first);
  jtext_put(p->body, ");\n");
}

// One node: `const double t12 = t3 * q[4];`
static void put_single(jemit_printer* p, int index) {
  const jemit_plan* plan = p->plan;
  jexpr_ref r = plan->packing.item[index].node[0];
  int n = jexpr_nargs(plan->fn->graph, r);
  for (int k = 0; k < n; k++)
    jemit_load(p, jexpr_arg(plan->fn->graph, r, k));
  put_list_before(p, r);
  jexpr_op op = plan->packing.item[index].op;
  if (is_call(op)) jemit_put_rest(p);
  bool is_first = jemit_plan_is_pair(plan, index);
  bool is_second = jemit_plan_is_pair(plan, index - 1);
  if (is_first) put_waves(p, index);
  if (plan->scalar[r]) {
    jemit_put_declaration(p, p->real);
  } else {
    jtext_put(p->body, "  const jk_real ");
  }
  jemit_put_operand(p, r);
  jtext_put(p->body, " = ");
  switch (is_first || is_second ? JEXPR_NIL : op) {
    case JEXPR_NIL: jemit_put_wave_name(p->body, op == JEXPR_SIN, index - is_second); break;
    case JEXPR_LOCATE: put_locate(p, r); break;
    case JEXPR_PICK: put_pick(p, r); break;
    case JEXPR_SOLVE: put_solve(p, r); break;
    case JEXPR_DATA: put_data(p, r); break;
    default: put_fixed_arity(p, r); break;
  }
  jtext_put(p->body, ";");
}

static void put_slot(jemit_printer* p, int index) {
  const jemit_plan* plan = p->plan;
  const jexpr_item* item = &plan->packing.item[index];
  bool scalar = plan->scalar[item->node[0]];
  p->work_used = true;
  if (item->width > 1) {
    jemit_put_pack_slot(p, index);
  } else if (p->is_device) {
    jtext_printf(p->body, "  JK_WORK(w, %d) = ", plan->slot[index]);
    jemit_put_operand(p, item->node[0]);
    jtext_put(p->body, ";\n");
  } else {
    put_assignment(p, "w", scalar ? plan->slot[index] : plan->slot[index] / plan->lanes,
                   item->node[0], !scalar, false);
  }
}

static void put_statement(jemit_printer* p, int index) {
  const jemit_plan* plan = p->plan;
  p->real = jemit_real_of(p, index);
  if (plan->packing.item[index].width > 1) {
    jemit_put_pack(p, index);
  } else {
    put_single(p, index);
  }
  if (plan->mark[index]) {
    jtext_put(p->body, " /* ");
    jemit_put_comment(p->body, plan->mark[index]);
    jtext_put(p->body, " */");
  }
  jtext_put(p->body, "\n");
  if (plan->slot[index] >= 0) put_slot(p, index);
  bool is_apart = p->is_strided && plan->packing.item[index].width > 1;
  for (int s = plan->first_store[index]; s >= 0; s = plan->store[s].next) {
    if (is_apart) {
      put_lane_output(p, &plan->store[s], index);
      continue;
    }
    jemit_load(p, plan->store[s].ref);
    put_output(p, &plan->store[s]);
  }
}

// ---- functions

static const char parameters[] = "(const double* const* in, double* const* out, double* w)";

static const char* before(const jemit_printer* p) {
  return p->is_device ? "JK_FUNCTION " : "";
}

static void put_chunk_symbol(const jemit_printer* p, jtext* t, int k) {
  // entries are jk_<index>_<name>: no name of a user's can make one of these
  jtext_printf(t, "jkc_%d_%d", p->index, k);
}

void jemit_put_prototypes(jemit_printer* p, jtext* t) {
  jtext_printf(t, "%svoid %s%s;\n", before(p), p->symbol, parameters);
  for (int k = 0; k < p->plan->nchunk && p->plan->nchunk > 1; k++) {
    jtext_printf(t, "JK_HIDDEN %svoid ", before(p));
    put_chunk_symbol(p, t, k);
    jtext_printf(t, "%s;\n", parameters);
  }
}

static void put_count(jtext* t, const char** separator, const char* name, int count) {
  if (count == 0) return;
  jtext_printf(t, "%s%s %d", *separator, name, count);
  *separator = ", ";
}

static void put_counts(jtext* t, const jexpr_counts* c) {
  const char* separator = ": ";
  jtext_printf(t, "%d operations", c->total);
  put_count(t, &separator, "add", c->add);
  put_count(t, &separator, "sub", c->sub);
  put_count(t, &separator, "mul", c->mul);
  put_count(t, &separator, "div", c->div);
  put_count(t, &separator, "root", c->root);
  put_count(t, &separator, "trig", c->trig);
  put_count(t, &separator, "func", c->func);
  put_count(t, &separator, "logic", c->logic);
  put_count(t, &separator, "lookup", c->lookup);
}

// ` q[2]`; where C has another name for it: ` in3[2] (its name)`
static void put_array_note(jtext* t, size_t* line, const char* c_name, int n, const char* name,
                           const char* remark) {
  if (t->length - *line > LINE_WIDTH - 16) {
    *line = t->length;
    jtext_put(t, "\n *         ");
  }
  jtext_printf(t, " %s[%d]", c_name, n);
  if (name && strcmp(c_name, name) != 0) {
    jtext_put(t, " (");
    jemit_put_comment(t, name);
    jtext_put(t, ")");
  }
  jtext_put(t, remark);
}

static void put_head_comment(const jemit_printer* p, jtext* t) {
  const jexpr_fn* fn = p->plan->fn;
  const jexpr_graph* g = fn->graph;
  jtext_put(t, "/* ");
  jemit_put_comment(t, fn->name);
  jtext_put(t, " - ");
  put_counts(t, &p->plan->counts);
  jtext_put(t, "\n * inputs  ");
  size_t line = t->length;
  for (int i = 0; i < g->ngroup; i++) {
    if (!p->in_read[i]) continue;
    bool uniform = p->plan->lanes > 1 && g->group[i].vary == JEXPR_UNIFORM;
    put_array_note(t, &line, p->in_name[i], g->group[i].size, g->group[i].name,
                   uniform ? " uniform" : "");
  }
  jtext_put(t, "\n * outputs ");
  line = t->length;
  for (int i = 0; i < fn->nout; i++) {
    put_array_note(t, &line, p->out_name[i], fn->out[i].n, fn->out[i].name, "");
  }
  jtext_put(t, "\n */\n");
}

// Arrays used by the chunk just printed to `body`; parameters it has no use for are voided.
static void put_arrays(const jemit_printer* p, jtext* t) {
  const jexpr_fn* fn = p->plan->fn;
  bool in_used = false, out_used = false;
  for (int i = 0; i < fn->graph->ngroup; i++) {
    if (!p->in_used[i]) continue;
    in_used = true;
    jtext_printf(t, "  const double* restrict %s = in[%d];\n", p->in_name[i], i);
  }
  for (int i = 0; i < fn->nout; i++) {
    if (!p->out_used[i]) continue;
    out_used = true;
    jtext_printf(t, "  double* restrict %s = out[%d];\n", p->out_name[i], i);
  }
  if (!in_used) jtext_put(t, "  (void)in;\n");
  if (!out_used) jtext_put(t, "  (void)out;\n");
  if (!p->work_used) jtext_put(t, "  (void)w;\n");
}

static void print_body(jemit_printer* p, int k) {
  const jemit_plan* plan = p->plan;
  for (int i = 0; i < plan->fn->graph->ngroup; i++)
    p->in_used[i] = false;
  for (int i = 0; i < plan->fn->nout; i++)
    p->out_used[i] = false;
  p->work_used = false;
  p->is_wide = false;
  p->chunk = k;
  jtext_clear(p->body);
  for (int i = k * plan->chunk; i < (k + 1) * plan->chunk && i < plan->nitem; i++) {
    if (i < plan->packing.n) {
      put_statement(p, i);
    } else {
      p->real = &jemit_double;
      put_output(p, &plan->store[plan->leaf[i - plan->packing.n]]);
    }
  }
  jemit_put_rest(p);
}

static void put_entry(const jemit_printer* p, jtext* t) {
  jtext_put(t, "\n");
  put_head_comment(p, t);
  jtext_printf(t, "%svoid %s%s {\n", before(p), p->symbol, parameters);
  for (int k = 0; k < p->plan->nchunk; k++) {
    jtext_put(t, "  ");
    put_chunk_symbol(p, t, k);
    jtext_put(t, "(in, out, w);\n");
  }
  jtext_put(t, "}\n");
}

void jemit_put_chunk(jemit_printer* p, jtext* t, int k) {
  bool single = p->plan->nchunk == 1;
  print_body(p, k);
  jtext_put(t, "\n");
  if (single) {
    put_head_comment(p, t);
    jtext_printf(t, "%svoid %s", before(p), p->symbol);
  } else {
    jtext_printf(t, "%svoid ", before(p));
    put_chunk_symbol(p, t, k);
  }
  jtext_put(t, "(const double* const* in, double* const* out, double* restrict w) {\n");
  put_arrays(p, t);
  if (p->is_strided) jtext_put(t, "  JK_MEET();\n");
  if (p->body->length > 0) jtext_write(t, p->body->data, p->body->length);
  if (p->is_strided) jtext_put(t, "  JK_MEET();\n");
  jtext_put(t, "}\n");
  if (!single && k == p->plan->nchunk - 1) put_entry(p, t);
  t->failed = t->failed || p->body->failed;
}
