// SPDX-License-Identifier: Apache-2.0
// Values of slots: their expressions become one tape over the numbers of the model. Parameters come in an
// order in which each finds those it depends on, so that a long chain of them needs no stack.
#include <math.h>
#include <string.h>

#include "expr/parse/parse.h"
#include "expr/rewrite.h"
#include "model/range/ranges.h"

#define MAX_UNKNOWNS 4096  // they need not be told apart: what depends on any is unknown
#define MAX_SIGNALS  32    // signals of signals that are followed

enum { NUMBERS, UNKNOWNS };

typedef struct builder {
  const jmodel* m;
  jexpr_graph* g;
  jindex numbers;        // by path
  jexpr_ref* parameter;  // poison: not known yet (nparameter)
  jexpr_ref* signal;     // poison: not met yet (nsignal)
  bool* is_busy;         // the signal is being read (nsignal)
  int nunknown, depth, levels;
} builder;

static bool list_numbers(builder* b, jarena* scratch) {
  const jmodel* m = b->m;
  b->numbers = jindex_of(scratch);
  for (int i = 0; i < m->nnumber; i++) {
    const char* path = m->number[i].path;
    if (!jindex_put(&b->numbers, 0, path, strlen(path), i)) return false;
  }
  return true;
}

static jexpr_ref unknown(builder* b) {
  return jexpr_input(b->g, UNKNOWNS, b->nunknown++ % MAX_UNKNOWNS);
}

static jexpr_ref read_scalar(builder* b, const jmodel_scalar* s);

static jexpr_ref read_signal(builder* b, int i) {
  if (b->signal[i]) return b->signal[i];
  if (b->is_busy[i] || b->depth >= MAX_SIGNALS) return unknown(b);
  b->is_busy[i] = true;
  b->depth++;
  b->signal[i] = read_scalar(b, &b->m->signal[i].value);
  b->depth--;
  b->is_busy[i] = false;
  return b->signal[i];
}

static jexpr_ref find(void* user, jexpr_graph* g, const char* name, size_t n) {
  builder* b = user;
  bool is_constant = (n == 2 && memcmp(name, "pi", 2) == 0) || (n == 3 && !memcmp(name, "tau", 3));
  if (is_constant) return JEXPR_POISON;  // the parser knows them
  int i = jindex_find(&b->m->parameters, 0, name, n);
  if (i >= 0) return b->parameter[i] ? b->parameter[i] : unknown(b);
  i = jindex_find(&b->m->signals, 0, name, n);
  if (i >= 0) return read_signal(b, i);
  i = jindex_find(&b->numbers, 0, name, n);
  return i >= 0 ? jexpr_input(g, NUMBERS, i) : unknown(b);
}

static jexpr_ref call(void* user, jexpr_graph* g, const char* name, size_t n, const jexpr_ref* x,
                      int nargs, int* expected) {
  builder* b = user;
  for (int i = 0; i < b->m->ntable; i++) {
    const char* table = b->m->table[i].name;
    if (strlen(table) == n && memcmp(table, name, n) == 0) return unknown(b);
  }
  int f = jmodel_find_function(b->m, name, n);
  jexpr_scope scope = {.find = find, .user = b, .call = call, .depth = &b->levels};
  return f < 0 ? JEXPR_POISON : jmodel_call(b->m, f, g, &scope, "", x, nargs, expected);
}

// Texts were parsed before: what fails here is folding with constants, which gen/ tells about.
static jexpr_ref read_scalar(builder* b, const jmodel_scalar* s) {
  if (!s->text) return s->number >= 0 ? jexpr_input(b->g, NUMBERS, s->number) : unknown(b);
  jexpr_scope scope = {.find = find, .user = b, .call = call, .depth = &b->levels};
  jexpr_ref r = JEXPR_POISON;
  jo_context* ctx = b->g->ctx;
  int said = jo_context_diagnostic_count(ctx);
  if (jexpr_parse(b->g, s->text, strlen(s->text), &scope, "", &r) >= 0) return r;
  if (b->g->status != JO_ERR_MEMORY) {
    jerr_forget(ctx, said);
    return unknown(b);
  }
  return JEXPR_POISON;
}

// By node: does it depend on an input of this group?
static bool* find_dependent(jarena* scratch, const jexpr_graph* g, int group) {
  bool* depends = JARENA_ARRAY(scratch, (size_t)g->nnode, bool);
  for (jexpr_ref r = 1; depends && r < (jexpr_ref)g->nnode; r++) {
    depends[r] = g->node[r].op == JEXPR_INPUT && (int)g->node[r].a == group;
    for (int i = 0; i < jexpr_nargs(g, r); i++) {
      depends[r] = depends[r] || depends[jexpr_arg(g, r, i)];
    }
  }
  return depends;
}

static jo_status read_slots(builder* b, const struct jmodel_ranges* k, jexpr_ref* ref,
                            const int* order) {
  for (int i = 0; i < b->m->nparameter; i++) {
    b->parameter[order[i]] = read_scalar(b, &b->m->parameter[order[i]].value);
  }
  for (int i = 0; i < k->nslot; i++) {
    const jmodel_scalar* s = k->slot[i].scalar;
    if (s->text) ref[i] = i < b->m->nparameter ? b->parameter[i] : read_scalar(b, s);
  }
  return jexpr_graph_status(b->g);
}

// Known expressions become the outputs of the tape.
static jo_status make_tape(jo_context* ctx, jmodel* m, struct jmodel_ranges* k, jarena* scratch,
                           const jexpr_graph* g, const jexpr_ref* ref) {
  bool* depends = find_dependent(scratch, g, UNKNOWNS);
  jexpr_ref* out = JARENA_ARRAY(scratch, k->nslot, jexpr_ref);
  if (!depends || !out) return jerr_memory(ctx);
  for (int i = 0; i < k->nslot; i++) {
    if (!ref[i] || depends[ref[i]]) continue;
    out[k->noutput] = ref[i];
    k->slot[i].output = k->noutput++;
  }
  jexpr_outputs outputs = {"values", k->noutput, out};
  jexpr_fn fn = {"values", g, 1, &outputs};
  return jexpr_tape_build(ctx, &m->arena, &fn, &k->tape);
}

// A graph over the numbers with the slots that have expressions (nslot); poison: no expression. The caller destroys it.
static jo_status write_graph(jo_context* ctx, const jmodel* m, const struct jmodel_ranges* k,
                             const int* order, jarena* scratch, jexpr_graph** g, jexpr_ref* ref) {
  builder b = {.m = m,
               .g = jexpr_graph_create(ctx),
               .parameter = JARENA_ARRAY(scratch, m->nparameter, jexpr_ref),
               .signal = JARENA_ARRAY(scratch, m->nsignal, jexpr_ref),
               .is_busy = JARENA_ARRAY(scratch, m->nsignal, bool)};
  *g = b.g;
  bool ok = b.g && list_numbers(&b, scratch) && b.parameter && b.signal && b.is_busy &&
            jexpr_group(b.g, "numbers", m->nnumber + 1, JEXPR_PER_LANE) == NUMBERS &&
            jexpr_group(b.g, "unknowns", MAX_UNKNOWNS, JEXPR_PER_LANE) == UNKNOWNS;
  return ok ? read_slots(&b, k, ref, order) : jerr_memory(ctx);
}

jo_status jmodel_ranges_build(jo_context* ctx, jmodel* m, struct jmodel_ranges* k,
                              const int* order) {
  for (int i = 0; i < k->nslot; i++) {
    if (k->slot[i].scalar->number >= 0) k->slot[i].output = JMODEL_SLOT_NUMBER;
  }
  k->order = order;
  if (!order) return JO_OK;
  jarena scratch;
  jarena_init(&scratch, ctx);
  jexpr_graph* g = NULL;
  jexpr_ref* ref = JARENA_ARRAY(&scratch, k->nslot, jexpr_ref);
  jo_status status = ref ? write_graph(ctx, m, k, order, &scratch, &g, ref) : jerr_memory(ctx);
  if (status >= 0) status = make_tape(ctx, m, k, &scratch, g, ref);
  jexpr_graph_destroy(g);
  jarena_free(&scratch);
  return status;
}

// ---- rules of live numbers -------------------------------------------------------------------------

typedef struct renumbering {
  const jmodel* m;
  const int* live;  // number -> live number; -1: it has its value
} renumbering;

static jexpr_ref renumber(void* user, jexpr_graph* g, jexpr_ref r, jexpr_ref rebuilt) {
  const renumbering* k = user;
  const jexpr_node n = g->node[r];
  if (n.op != JEXPR_INPUT || n.a != NUMBERS) return rebuilt;
  int at = k->live[n.b];
  return at >= 0 ? jexpr_input(g, NUMBERS, at) : jexpr_const(g, k->m->number[n.b].value);
}

static bool is_wanted(const jmodel_rule* rule, const jexpr_ref* ref, const bool* is_live,
                      const bool* is_unknown) {
  bool any = false;
  // warnings, which are for readers of models
  if (rule->kind == JMODEL_RULE_OUTSIDE || rule->kind == JMODEL_RULE_TOGETHER) return false;
  for (int i = rule->first; i < rule->first + rule->n; i++) {
    if (!ref[i] || is_unknown[ref[i]]) return false;
    any = any || is_live[ref[i]];
  }
  return any;
}

static jo_status choose_rules(jo_context* ctx, jarena* a, jarena* scratch,
                              const struct jmodel_ranges* k, const jexpr_ref* ref,
                              jmodel_range_function* out) {
  bool* is_live = find_dependent(scratch, out->g, NUMBERS);
  bool* is_unknown = find_dependent(scratch, out->g, UNKNOWNS);
  jexpr_ref* value = JARENA_ARRAY(a, 7 * (size_t)k->nslot + 1, jexpr_ref);
  jexpr_outputs* outputs = JARENA_NEW(a, jexpr_outputs);
  out->rule = JARENA_ARRAY(a, k->nrule, jmodel_rule);
  out->place = JARENA_ARRAY(a, k->nrule, jmodel_place);
  if (!is_live || !is_unknown || !value || !outputs || !out->rule || !out->place) {
    return jerr_memory(ctx);
  }
  int n = 0;
  for (int i = 0; i < k->nrule; i++) {
    const jmodel_rule* rule = &k->rule[i];
    if (n + rule->n > 7 * k->nslot || !is_wanted(rule, ref, is_live, is_unknown)) continue;
    out->place[out->nrule] = k->slot[rule->first].scalar->place;
    out->rule[out->nrule] = *rule;
    out->rule[out->nrule++].first = n;
    for (int s = rule->first; s < rule->first + rule->n; s++) {
      value[n++] = ref[s];
    }
  }
  *outputs = (jexpr_outputs){"values", n, value};
  out->fn = (jexpr_fn){"limits", out->g, 1, outputs};
  return JO_OK;
}

static jo_status build_function(jo_context* ctx, jarena* a, jarena* scratch, const jmodel* m,
                                const int* live, int nlive, jmodel_range_function* out) {
  const struct jmodel_ranges* k = m->ranges;
  jexpr_ref* ref = JARENA_ARRAY(scratch, k->nslot, jexpr_ref);
  int* map = JARENA_ARRAY(scratch, m->nnumber, int);
  if (!ref || !map) return jerr_memory(ctx);
  JO_TRY(write_graph(ctx, m, k, k->order, scratch, &out->g, ref));
  for (int i = 0; i < m->nnumber; i++) {
    map[i] = -1;
  }
  for (int i = 0; i < nlive; i++) {
    map[live[i]] = i;
  }
  for (int i = 0; i < k->nslot; i++) {
    int number = k->slot[i].scalar->number;
    if (!ref[i] && number >= 0) ref[i] = jexpr_input(out->g, NUMBERS, number);
    if (!ref[i]) ref[i] = jexpr_input(out->g, UNKNOWNS, 0);
  }
  renumbering to = {m, map};
  JO_TRY(jexpr_rewrite(out->g, renumber, &to, ref, k->nslot));
  return choose_rules(ctx, a, scratch, k, ref, out);
}

jo_status jmodel_range_function_build(jo_context* ctx, jarena* a, const jmodel* m, const int* live,
                                      int nlive, jmodel_range_function* out) {
  *out = (jmodel_range_function){0};
  if (!m->ranges || !m->ranges->order) return JO_OK;
  jarena scratch;
  jarena_init(&scratch, ctx);
  jo_status status = build_function(ctx, a, &scratch, m, live, nlive, out);
  jarena_free(&scratch);
  if (status < 0) jmodel_range_function_destroy(out);
  return status;
}

void jmodel_range_function_destroy(jmodel_range_function* f) {
  jexpr_graph_destroy(f->g);
  *f = (jmodel_range_function){0};
}

// ---- values ------------------------------------------------------------------------------------------

jo_status jmodel_ranges_values(jo_context* ctx, const jmodel* m, const double* number,
                               double* value) {
  const struct jmodel_ranges* k = m->ranges;
  jarena scratch;
  jarena_init(&scratch, ctx);
  double* out = JARENA_ARRAY(&scratch, k->noutput, double);
  double* work = JARENA_ARRAY(&scratch, jexpr_tape_work(&k->tape, 1), double);
  if (!out || !work) {
    jarena_free(&scratch);
    return jerr_memory(ctx);
  }
  if (k->noutput > 0) {
    const double* in[2] = {number, NULL};
    jexpr_tape_init(&k->tape, 1, work);
    jexpr_tape_eval(&k->tape, 1, in, (double* const[]){out}, work);
  }
  for (int i = 0; i < k->nslot; i++) {
    int from = k->slot[i].output;
    value[i] = from >= 0 ? out[from] : NAN;
    if (from == JMODEL_SLOT_NUMBER) value[i] = number[k->slot[i].scalar->number];
  }
  jarena_free(&scratch);
  return JO_OK;
}
