// SPDX-License-Identifier: Apache-2.0
// A unit of machine code: functions one after another, constants of all of them behind.
#include "emit/machine/machine.h"

#include <string.h>

#include "base/assert.h"
#include "base/err.h"
#include "emit/machine/registers.h"
#include "expr/body.h"

#define ALIGNMENT 64  // [bytes] of functions and constants

typedef struct unit {
  jo_context* ctx;
  jarena *a, *lists;
  jarena scratch;
  const jemit_machine_options* opt;
  const jemit_target* target;  // of the function at hand
  jemit_code code;
  uint64_t* pool;
  int npool, pool_cap;
  jemit_machine_entry* entry;
  int nentry, entry_cap;
  jemit_list** list;
  int nlist, list_cap;
} unit;

bool jemit_machine_has(jcpu_level level) {
  return jemit_target_of(level) != NULL;
}

static jo_status align_code(unit* u) {
  jemit_code* c = &u->code;
  int end = (c->n + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  if (end == c->n) return JO_OK;
  if (!jmem_grow(u->ctx, &c->byte, &c->cap, end, sizeof *c->byte)) return jerr_memory(u->ctx);
  for (; c->n < end; c->n++) {
    c->byte[c->n] = u->target->padding[c->n % 4];
  }
  return JO_OK;
}

// Constants of a function behind those before; *base: where they begin [bytes].
static jo_status add_pool(unit* u, const jemit_operations* o, int* base) {
  int at = (u->npool + 7) / 8 * 8;
  if (!jmem_grow(u->ctx, &u->pool, &u->pool_cap, at + o->npool + 8, sizeof *u->pool)) {
    return jerr_memory(u->ctx);
  }
  for (int i = u->npool; i < at; i++) {
    u->pool[i] = 0;
  }
  if (o->npool > 0) memcpy(u->pool + at, o->pool, (size_t)o->npool * sizeof *o->pool);
  u->npool = at + o->npool;
  *base = at * 8;
  return JO_OK;
}

static jo_status keep_lists(unit* u, const jemit_operations* o) {
  for (int i = 0; i < o->noperation; i++) {
    const jemit_operation* op = &o->operation[i];
    if (op->op != JEMIT_LIST || !op->about || op->about->body < 0) continue;
    if (!jmem_grow(u->ctx, &u->list, &u->list_cap, u->nlist + 1, sizeof *u->list)) {
      return jerr_memory(u->ctx);
    }
    u->list[u->nlist++] = op->about;
  }
  return JO_OK;
}

// Operations of a planned function as code, and its entry.
static jo_status add_function(unit* u, const jemit_plan* plan, const int* body, const size_t* work,
                              jemit_machine_entry* entry) {
  jemit_operations o;
  int base = 0;
  u->code.level = jemit_level_for(u->opt->level, jemit_plan_widest(plan));
  u->target = jemit_target_of(u->code.level);
  jo_status status = jemit_lower(u->ctx, u->lists, &u->scratch, plan, u->target, u->opt->functions,
                                 body, work, &o);
  if (status >= 0) status = add_pool(u, &o, &base);
  if (status >= 0) status = align_code(u);
  entry->start = (uint32_t)u->code.n;
  if (status >= 0 && u->opt->listing) {
    jemit_listing_begin(u->opt->listing, plan, &o, u->opt->functions, entry->start);
  }
  if (status >= 0) {
    status = jemit_assign(u->ctx, &u->scratch, &o, u->target, u->opt->functions, base, &u->code,
                          &entry->work);
  }
  entry->bytes = (uint32_t)u->code.n - entry->start;
  if (status >= 0) status = keep_lists(u, &o);
  jemit_operations_free(&o);
  entry->counts = plan->counts;
  memcpy(entry->packed, plan->packing.packed, sizeof entry->packed);
  return status;
}

// The equation of an unknown, as a function behind those that were asked for.
static jo_status add_body(unit* u, const jexpr_body* b, int* index, size_t* work) {
  jexpr_outputs out;
  jexpr_fn fn = jexpr_body_fn(b, &out);
  jemit_plan plan;
  jemit_plan_options whole = {.lanes = 1, .pack = 1};
  if (!jmem_grow(u->ctx, &u->entry, &u->entry_cap, u->nentry + 1, sizeof *u->entry)) {
    return jerr_memory(u->ctx);
  }
  JO_TRY(jemit_plan_build(u->ctx, &u->scratch, &fn, &whole, &plan));
  jemit_machine_entry entry = {0};
  JO_TRY(add_function(u, &plan, NULL, NULL, &entry));
  *index = u->nentry;
  *work = entry.work;
  u->entry[u->nentry++] = entry;
  return JO_OK;
}

static jo_status add_bodies(unit* u, const jemit_plan* plan, int* body, size_t* work) {
  const jexpr_graph* g = plan->fn->graph;
  for (int i = 0; i < g->nbody; i++) {
    body[i] = -1;
  }
  for (int i = 0; i < plan->schedule.n; i++) {
    if (g->node[plan->schedule.order[i]].op != JEXPR_SOLVE) continue;
    const jexpr_body* b = jexpr_body_of(g, plan->schedule.order[i]);
    if (body[b - g->body] < 0) JO_TRY(add_body(u, b, &body[b - g->body], &work[b - g->body]));
  }
  return JO_OK;
}

static jo_status build(unit* u, const jexpr_fn* fn, int index) {
  jemit_plan plan;
  jemit_plan_options opt = {.lanes = u->opt->lanes, .pack = u->opt->pack, .reorder = true};
  JO_TRY(jemit_plan_build(u->ctx, &u->scratch, fn, &opt, &plan));
  int* body = JARENA_ARRAY(&u->scratch, fn->graph->nbody, int);
  size_t* work = JARENA_ARRAY(&u->scratch, fn->graph->nbody, size_t);
  if (!body || !work) return jerr_memory(u->ctx);
  JO_TRY(add_bodies(u, &plan, body, work));
  jemit_machine_entry entry = {0};
  JO_TRY(add_function(u, &plan, body, work, &entry));
  u->entry[index] = entry;
  return JO_OK;
}

// Code and constants together, and places of the code that refer to these.
static jo_status link_unit(unit* u, jemit_machine_unit* out) {
  JO_TRY(align_code(u));
  size_t pool_at = (size_t)u->code.n, size = pool_at + (size_t)u->npool * sizeof *u->pool;
  out->code = JARENA_ARRAY(u->a, size, uint8_t);
  out->entry = JARENA_ARRAY(u->a, u->nentry, jemit_machine_entry);
  out->list = JARENA_ARRAY(u->a, u->nlist, jemit_list*);
  if (!out->code || !out->entry || !out->list) return jerr_memory(u->ctx);
  if (pool_at > 0) memcpy(out->code, u->code.byte, pool_at);
  if (u->npool > 0) memcpy(out->code + pool_at, u->pool, size - pool_at);
  for (int i = 0; i < u->code.nfix; i++) {
    u->target->link(out->code, &u->code.fix[i], pool_at);
  }
  if (u->opt->listing) jemit_listing_link(u->opt->listing, out->code, pool_at);
  memcpy(out->entry, u->entry, (size_t)u->nentry * sizeof *u->entry);
  if (u->nlist > 0) memcpy(out->list, u->list, (size_t)u->nlist * sizeof(jemit_list*));
  out->size = size;
  out->nentry = u->nentry;
  out->nlist = u->nlist;
  return JO_OK;
}

static jo_status build_all(unit* u, const jexpr_fn* fn, int nfn, jemit_machine_unit* out) {
  if (!jmem_grow(u->ctx, &u->entry, &u->entry_cap, nfn, sizeof *u->entry)) {
    return jerr_memory(u->ctx);
  }
  u->nentry = nfn;
  for (int i = 0; i < nfn; i++) {
    jarena_mark mark = jarena_save(&u->scratch);
    JO_TRY(build(u, &fn[i], i));
    jarena_restore(&u->scratch, mark);
  }
  return link_unit(u, out);
}

jo_status jemit_machine(jo_context* ctx, jarena* a, jarena* lists, const jexpr_fn* fn, int nfn,
                        const jemit_machine_options* opt, jemit_machine_unit* out) {
  unit u = {.ctx = ctx,
            .a = a,
            .lists = lists,
            .opt = opt,
            .target = jemit_target_of(opt->level),
            .code = {.ctx = ctx, .level = opt->level, .listing = opt->listing}};
  JASSERT(u.target);
  jarena_init(&u.scratch, ctx);
  *out = (jemit_machine_unit){0};
  if (opt->listing) {
    opt->listing->level = opt->level;
    opt->listing->lanes = opt->lanes;
    opt->listing->pack = opt->pack;
  }
  jo_status status = build_all(&u, fn, nfn, out);
  jarena_free(&u.scratch);
  jemit_code_free(&u.code);
  jmem_free(ctx, u.pool);
  jmem_free(ctx, u.entry);
  jmem_free(ctx, u.list);
  if (status >= 0 && opt->listing && opt->listing->failed) return jerr_memory(ctx);
  return status;
}
