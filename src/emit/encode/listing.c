// SPDX-License-Identifier: Apache-2.0
#include "emit/encode/listing.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "base/text/format.h"

enum { TEXT = 200, MOST_SHOWN = 8, BYTES_COLUMN = 36, INSTRUCTION_COLUMN = 48 };

void jemit_listing_init(jemit_listing* l, jo_context* ctx) {
  *l = (jemit_listing){.ctx = ctx};
  jtext_init(&l->text, ctx);
  jtext_write(&l->text, "", 1);  // so that no text of a line is at 0
}

void jemit_listing_free(jemit_listing* l) {
  jtext_free(&l->text);
  jmem_free(l->ctx, l->line);
  jmem_free(l->ctx, l->function);
  jmem_free(l->ctx, l->code);
}

// ---- lines ---------------------------------------------------------------------------------------

// A text that is kept; where it begins.
static size_t keep(jemit_listing* l, const char* text) {
  size_t at = l->text.length;
  jtext_write(&l->text, text, strlen(text) + 1);
  l->failed = l->failed || l->text.failed;
  return at;
}

static void add_line(jemit_listing* l, uint32_t end, const char* text) {
  size_t at = keep(l, text);
  if (l->failed || !jmem_grow(l->ctx, &l->line, &l->line_cap, l->nline + 1, sizeof *l->line)) {
    l->failed = true;
    return;
  }
  l->line[l->nline++] = (jemit_line){.at = l->from, .bytes = (int)(end - l->from), .text = at};
  l->from = end;
}

void jemit_say(jemit_code* c, const char* format, ...) {
  jemit_listing* l = c->listing;
  char text[TEXT];
  va_list args;
  va_start(args, format);
  jformat_v(text, sizeof text, format, args);
  va_end(args);
  if (c->failed) return;
  add_line(l, (uint32_t)c->n, text);
  if (!l->failed) l->function[l->nfunction - 1].instructions++;
}

void jemit_mask(jemit_code* c) {
  if (!c->listing->failed && c->listing->nline > 0) {
    c->listing->line[c->listing->nline - 1].is_masked = true;
  }
}

// ---- names ---------------------------------------------------------------------------------------

// Ordinary numbers in decimals, others by their bits.
static void put_number(char* out, size_t size, uint64_t bits) {
  double x;
  memcpy(&x, &bits, sizeof x);
  if (isnormal(x) || x == 0.0) {
    char text[JTEXT_NUMBER_SIZE];
    jtext_format_number(text, x);
    jformat(out, size, "%s", text);
  } else {
    jformat(out, size, "0x%llx", (unsigned long long)bits);
  }
}

// n constants, one where all are equal.
static void name_constants(const jemit_listing* l, int32_t at, int n, char out[TEXT]) {
  const uint64_t* x = l->o->pool + at / 8;
  bool is_same = true;
  size_t have = 0;
  for (int i = 1; i < n; i++) {
    is_same = is_same && x[i] == x[0];
  }
  out[0] = 0;
  for (int i = 0; i < (is_same ? 1 : n) && i < MOST_SHOWN && have < TEXT; i++) {
    char number[JTEXT_NUMBER_SIZE];
    put_number(number, sizeof number, x[i]);
    have += (size_t)jformat(out + have, TEXT - have, "%s%s", i ? ", " : is_same ? "" : "{", number);
  }
  if (!is_same && have < TEXT) jformat(out + have, TEXT - have, "}");
}

// n elements of an input (from 0) or output (from -2 down) from a place on; what varies has the lanes of an element side by side.
static void name_elements(const jemit_listing* l, int array, int32_t at, int n, char out[TEXT]) {
  const jexpr_fn* fn = l->plan->fn;
  bool is_output = array < 0;
  const char* name = is_output ? fn->out[-2 - array].name : fn->graph->group[array].name;
  bool varies = is_output || fn->graph->group[array].vary == JEXPR_PER_LANE;
  int lanes = varies ? l->plan->lanes : 1, first = at / 8, last = first + n - 1;
  if (lanes > 1 && last / lanes == first / lanes) {
    jformat(out, TEXT, "%s[%d] lanes %d..%d", name, first / lanes, first % lanes, last % lanes);
  } else if (lanes > 1 || n > 1) {
    jformat(out, TEXT, "%s[%d..%d]", name, first / lanes, last / lanes);
  } else {
    jformat(out, TEXT, "%s[%d]", name, first);
  }
}

static void name_value(const jemit_listing* l, int value, char out[TEXT]) {
  const jemit_value* v = &l->o->value[value];
  int n = v->is_splat ? 1 : v->n;
  if (v->home == JEMIT_INPUT) {
    name_elements(l, v->group, v->at, n, out);
  } else if (v->home == JEMIT_CONSTANT) {
    name_constants(l, v->at, n, out);
  } else {
    jformat(out, TEXT, "v%d", value);
  }
}

void jemit_note(jemit_code* c, jemit_location at, int bytes) {
  jemit_listing* l = c->listing;
  char text[TEXT];
  int n = at.is_splat || bytes < 8 ? 1 : bytes / 8;
  if (l->failed || l->nline == 0 || at.kind == JEMIT_REGISTER) return;
  if (at.kind == JEMIT_POOL) {
    name_constants(l, at.at - c->pool, n, text);
  } else if (at.value > 0) {
    name_value(l, at.value - 1, text);
  } else if (l->array[at.reg] != -1) {
    name_elements(l, l->array[at.reg], at.at, n, text);
  } else {
    return;
  }
  l->line[l->nline - 1].note = keep(l, text);
}

// Functions by their operator and the number of doubles in a vector.
void jemit_symbol(jemit_code* c, uintptr_t address, char out[JEMIT_SYMBOL]) {
  jemit_listing* l = c->listing;
  const jemit_functions* f = l->functions;
  if (address == (uintptr_t)f->list) {
    jformat(out, JEMIT_SYMBOL, "list");
    return;
  }
  for (int k = 0; k < 4; k++) {
    if (f->waves[k] && address == (uintptr_t)f->waves[k]) {
      jformat(out, JEMIT_SYMBOL, "sincos.%d", 1 << k);
      return;
    }
    for (int op = 0; op < JEXPR_OP_COUNT; op++) {
      if (!f->of[op][k] || address != (uintptr_t)f->of[op][k]) continue;
      jformat(out, JEMIT_SYMBOL, "%s.%d", jexpr_ops[op].name, 1 << k);
      return;
    }
  }
  jformat(out, JEMIT_SYMBOL, "list_%d", ++l->nlist);
}

// ---- operations ----------------------------------------------------------------------------------

static const struct {
  const char* name;
  int operands;
} about[] = {
#define JEMIT_ROW(id, operands) [JEMIT_##id] = {#id, operands},
    JEMIT_OPERATIONS(JEMIT_ROW)
#undef JEMIT_ROW
};

static void name_operator(const jemit_operation* op, jtext* t) {
  static const char* const relation[] = {"eq", "lt", "le", "", "ne"};
  for (const char* s = about[op->op].name; *s; s++) {
    jtext_printf(t, "%c", *s == '_' ? '_' : *s - 'A' + 'a');
  }
  if (op->op == JEMIT_COMPARE) jtext_printf(t, ".%s", relation[op->imm]);
  if (op->n > 1) jtext_printf(t, ".%d", op->n);
}

// Where the operation writes to memory, or has one more operand than values.
static void put_place(const jemit_listing* l, const jemit_operation* op, jtext* t) {
  char name[TEXT];
  switch (op->op) {
    case JEMIT_STORE:
      name_elements(l, -2 - op->group, op->at, op->n, name);
      jtext_printf(t, " %s,", name);
      break;
    case JEMIT_STORE_PLACE:
      name_elements(l, -2 - op->group, op->at, 1, name);
      jtext_printf(t, " %s,", name);
      break;
    case JEMIT_ARGUMENT:
    case JEMIT_LIST:
      jtext_printf(t, " list[%d]%s", op->at / 8, op->op == JEMIT_LIST ? "" : ",");
      break;
    default: break;
  }
}

static bool has_immediate(int op) {
  return op == JEMIT_PLACE || op == JEMIT_CHUNK || op == JEMIT_SHUFFLE || op == JEMIT_PERMUTE ||
         op == JEMIT_BLEND || op == JEMIT_STORE_PLACE || op == JEMIT_PICK;
}

static void put_operation(const jemit_listing* l, const jemit_operation* op, jtext* t) {
  char name[TEXT];
  bool is_first = true;
  if (op->dst >= 0) jtext_printf(t, "v%d", op->dst);
  if (op->second >= 0) jtext_printf(t, ", v%d", op->second);
  if (op->dst >= 0) jtext_put(t, " = ");
  name_operator(op, t);
  put_place(l, op, t);
  for (int k = 0; k < about[op->op].operands; k++) {
    if (op->arg[k] < 0) continue;
    name_value(l, op->arg[k], name);
    jtext_printf(t, "%s %s", is_first ? "" : ",", name);
    is_first = false;
  }
  if (has_immediate(op->op)) jtext_printf(t, ", #%d", op->imm);
  if (op->op == JEMIT_LIST && op->about) jtext_printf(t, ": %s", jexpr_ops[op->about->op].name);
}

void jemit_listing_operation(jemit_listing* l, const jemit_operation* op) {
  jtext t;
  if (l->failed) return;
  jtext_init(&t, l->ctx);
  put_operation(l, op, &t);
  if (t.failed) {
    l->failed = true;
  } else {
    add_line(l, l->from, t.data);
  }
  jtext_free(&t);
}

void jemit_listing_pointer(jemit_listing* l, int reg, int array) {
  const jexpr_fn* fn = l->plan->fn;
  const char* name = array < 0 ? fn->out[-2 - array].name : fn->graph->group[array].name;
  l->array[reg] = array;
  if (!l->failed && l->nline > 0) l->line[l->nline - 1].note = keep(l, name);
}

void jemit_listing_spill(jemit_listing* l, int value) {
  char text[TEXT];
  if (l->failed) return;
  l->function[l->nfunction - 1].spills++;
  jformat(text, sizeof text, "v%d, spilled", value);
  if (l->nline > 0) l->line[l->nline - 1].note = keep(l, text);
}

// ---- functions -----------------------------------------------------------------------------------

void jemit_listing_begin(jemit_listing* l, const jemit_plan* plan, const jemit_operations* o,
                         const jemit_functions* functions, uint32_t start) {
  size_t name = keep(l, plan->fn->name);
  l->plan = plan;
  l->o = o;
  l->functions = functions;
  l->from = start;
  for (int i = 0; i < JEMIT_GENERALS; i++) {
    l->array[i] = -1;
  }
  if (l->failed ||
      !jmem_grow(l->ctx, &l->function, &l->function_cap, l->nfunction + 1, sizeof *l->function)) {
    l->failed = true;
    return;
  }
  l->function[l->nfunction++] = (jemit_listed){
      .name = name, .first = l->nline, .start = start, .constants = (size_t)o->npool * 8};
}

void jemit_listing_end(jemit_listing* l, size_t frame) {
  if (l->failed) return;
  jemit_listed* f = &l->function[l->nfunction - 1];
  f->end = l->nline;
  f->bytes = l->from - f->start;
  f->frame = frame;
}

void jemit_listing_link(jemit_listing* l, const uint8_t* code, size_t size) {
  if (l->failed) return;
  l->code = jmem_resize(l->ctx, NULL, size > 0 ? size : 1);
  if (!l->code) {
    l->failed = true;
    return;
  }
  if (size > 0) memcpy(l->code, code, size);
  l->ncode = size;
}

// ---- text ----------------------------------------------------------------------------------------

// Addresses are the last eight bytes of an instruction of x86-64, bits 5 to 20 of one of aarch64.
static void put_bytes(const jemit_listing* l, const jemit_line* line, jtext* t) {
  bool is_arm = l->level == JCPU_AARCH64;
  for (int i = 0; i < line->bytes; i++) {
    static const uint8_t kept[] = {0x1f, 0x00, 0xe0, 0xff};
    unsigned byte = l->code[line->at + (uint32_t)i];
    if (line->is_masked && is_arm) byte &= kept[i % 4];
    if (line->is_masked && !is_arm && i >= line->bytes - 8) byte = 0;
    jtext_printf(t, "%02x%s", byte, i + 1 < line->bytes ? " " : "");
  }
  for (int i = 3 * line->bytes; i < BYTES_COLUMN; i++) {
    jtext_put(t, " ");
  }
}

static void put_line(const jemit_listing* l, const jemit_line* line, jtext* t) {
  const char *text = l->text.data + line->text, *note = l->text.data + line->note;
  if (line->bytes == 0) {
    jtext_printf(t, "; %s\n", text);
    return;
  }
  jtext_printf(t, "  %06x  ", line->at);
  put_bytes(l, line, t);
  if (line->note) {
    jtext_printf(t, " %-*s ; %s\n", INSTRUCTION_COLUMN, text, note);
  } else {
    jtext_printf(t, " %s\n", text);
  }
}

static void put_function(const jemit_listing* l, const jemit_listed* f, jtext* t) {
  const char* name = l->text.data + f->name;
  jtext_printf(t,
               "\n; %s: %s, lanes %d, packs of up to %d\n; code %u bytes, instructions %d, spills "
               "%d; frame %zu bytes, constants %zu bytes\n%s:\n",
               name, jcpu_name(l->level), l->lanes, l->pack, f->bytes, f->instructions, f->spills,
               f->frame, f->constants, name);
  for (int i = f->first; i < f->end; i++) {
    put_line(l, &l->line[i], t);
  }
}

bool jemit_listing_write(const jemit_listing* l, jtext* out) {
  if (l->failed) return false;
  for (int i = 0; i < l->nfunction; i++) {
    put_function(l, &l->function[i], out);
  }
  return !out->failed;
}
