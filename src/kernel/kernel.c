// SPDX-License-Identifier: Apache-2.0
// Kernel sets: machine code, or C source that is compiled in a temporary folder and loaded, or the interpreter.
#include "kernel/kernel.h"

#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/system/clock.h"
#include "base/system/cpu.h"
#include "base/system/file.h"
#include "base/system/process.h"
#include "base/system/work.h"
#include "emit/machine/machine.h"
#include "kernel/functions.h"
#include "kernel/library.h"
#include "kernel/toolchain.h"

#define PACK_LANES   8
#define LEAST_ROOM   ((size_t)16 << 20)  // [bytes]
#define ROOM_BY_TEXT 16                  // of emitted text

jkernel_options jkernel_options_default(void) {
  jkernel_options opt = {.backend = JKERNEL_AUTO,
                         .lanes = 1,
                         .optimize = 1,  // -O2 compiles longer and runs no faster
                         .emit = jemit_options_default()};
  opt.emit.pack = PACK_LANES;
  return opt;
}

static bool is_compiled(jkernel_backend backend) {
  return backend == JKERNEL_CC || (backend == JKERNEL_AUTO && !jemit_machine_has(jcpu_chosen()));
}

int jkernel_most_lanes(jkernel_backend backend) {
  return is_compiled(backend) ? jcpu_lanes(jcpu_chosen()) : JCPU_MAX_LANES;
}

// Functions that are worth compiling, and their places in the set.
typedef struct selection {
  int n;
  jexpr_fn* fn;  // (n)
  int* member;   // (n)
} selection;

// ---- interpreter

static jo_status interpret_one(jkernel_set* set, const jexpr_fn* fn, jkernel* k) {
  JO_TRY(jexpr_graph_status(fn->graph));
  JO_TRY(jexpr_tape_build(set->ctx, &set->arena, fn, &k->tape));
  k->counts = k->tape.counts;
  k->work = jexpr_tape_work(&k->tape, k->lanes);
  k->function = NULL;
  return JO_OK;
}

static jo_status interpret(jkernel_set* set, const jexpr_fn* fn) {
  for (int i = 0; i < set->n; i++) {
    JO_TRY(interpret_one(set, &fn[i], &set->kernel[i]));
  }
  set->backend = JKERNEL_INTERP;
  return JO_OK;
}

// ---- compiler

// Functions on their way into a library.
typedef struct build {
  jo_context* ctx;
  jarena* scratch;
  const jkernel_options* opt;
  jkernel_toolchain tc;
  jemit_unit unit;
} build;

static jo_status open_work(const build* b, jwork* work) {
  const char* tmp = getenv("TMPDIR");
  tmp = tmp && tmp[0] == '/' ? jarena_strdup(b->scratch, tmp) : "/tmp";
  return tmp ? jwork_open(b->ctx, b->scratch, tmp, work) : jerr_memory(b->ctx);
}

// Compiles in `dir` and loads. The library stays mapped when its file goes. *is_stuck: the system does not load it.
static jo_status compile_in(build* b, jkernel_set* set, const char* dir, bool* is_stuck) {
  const char* library = NULL;
  double start = jclock_wall();
  JO_TRY(jkernel_toolchain_compile(b->ctx, b->scratch, &b->tc, &b->unit, dir, &library));
  set->compile_seconds = jclock_wall() - start;
  jo_status status = jkernel_library_open(b->ctx, library, &set->library);
  *is_stuck = status < 0;
  return status;
}

// Room that compiling takes: sources, assembly, objects and the library, and no less than what a small disk has left.
static size_t needed_room(const jemit_unit* unit) {
  size_t text = 0;
  for (int i = 0; i < unit->nfile; i++) {
    text += unit->file[i].length;
  }
  return LEAST_ROOM + ROOM_BY_TEXT * text;
}

// *is_stuck: there is nowhere to compile, or no room.
static jo_status make_library(build* b, jkernel_set* set, bool* is_stuck) {
  jwork work;
  *is_stuck = true;
  JO_TRY(open_work(b, &work));
  int said = jo_context_diagnostic_count(b->ctx);
  *is_stuck = false;
  jo_status status = compile_in(b, set, work.path, is_stuck);
  bool may_be_full = status == JO_ERR_FILE || status == JO_ERR_COMPILER;
  if (may_be_full && !jfile_has_room(work.path, needed_room(&b->unit))) {
    *is_stuck = true;
    jerr_forget(b->ctx, said);
    status = jerr_set(b->ctx, JO_ERR_FILE,
                      "%s: there is no room to compile equations: the disk is full, or files may "
                      "not be as large (ulimit -f)",
                      work.path);
  }
  jwork_close(&work);
  return status;
}

static jo_status bind_functions(const build* b, const selection* chosen, jkernel_set* set) {
  for (int i = 0; i < chosen->n; i++) {
    const jemit_entry* entry = &b->unit.entry[i];
    jkernel* k = &set->kernel[chosen->member[i]];
    jkernel_symbol symbol = jkernel_library_find(set->library, entry->symbol);
    if (!symbol) {
      return jerr_set(b->ctx, JO_ERR_COMPILER, "compiled kernel has no function '%s'",
                      entry->symbol);
    }
    k->function = (jkernel_function)symbol;
    k->work = entry->work;
    k->counts = entry->counts;
    memcpy(k->packed, entry->packed, sizeof k->packed);
  }
  return JO_OK;
}

// Lanes of packs: those asked for, at most those of the processor and $JOUNCE_PACK_LANES.
static jo_status limit_packs(jo_context* ctx, int* pack) {
  if (*pack > jcpu_lanes(jcpu_chosen())) *pack = jcpu_lanes(jcpu_chosen());
  const char* text = getenv("JOUNCE_PACK_LANES");
  if (!text || text[0] == '\0') return JO_OK;
  int most = text[1] == '\0' ? text[0] - '0' : 0;
  if (most != 1 && most != 2 && most != 4 && most != 8) {
    return jerr_set(
        ctx, JO_ERR_ARGUMENT,
        "JOUNCE_PACK_LANES is '%s'; it must be 1, 2, 4 or 8: so many equal operations of "
        "a model are computed together at most",
        text);
  }
  if (*pack > most) *pack = most;
  return JO_OK;
}

static jo_status compile(build* b, const selection* chosen, jkernel_set* set, bool* is_stuck) {
  jemit_options emit = b->opt->emit;
  emit.lanes = b->opt->lanes;
  set->backend = JKERNEL_CC;
  JO_TRY(limit_packs(b->ctx, &emit.pack));
  if (chosen->n == 0) return JO_OK;
  JO_TRY(jemit_c(b->ctx, b->scratch, chosen->fn, chosen->n, &emit, &b->unit));
  JO_TRY(make_library(b, set, is_stuck));
  return bind_functions(b, chosen, set);
}

// Where nothing can be compiled the error becomes a notice, the only one since there were `said` diagnostics.
static jo_status interpret_instead(const build* b, int said, jkernel_set* set, const jexpr_fn* fn) {
  int last = jo_context_diagnostic_count(b->ctx) - 1;
  const char* cause = jarena_strdup(b->scratch, jo_context_diagnostic(b->ctx, last, NULL));
  if (!cause) return jerr_memory(b->ctx);
  jerr_forget(b->ctx, said);
  jerr_notice(b->ctx, "%s; equations are interpreted, slower", cause);
  return interpret(set, fn);
}

static jo_status compile_or_interpret(jkernel_set* set, jarena* scratch, const jexpr_fn* fn,
                                      const selection* chosen, const jkernel_options* opt) {
  build b = {.ctx = set->ctx, .scratch = scratch, .opt = opt};
  JO_TRY(jkernel_toolchain_find(b.ctx, scratch, opt->compiler, opt->optimize, &b.tc));
  if (b.tc.path) {
    int said = jo_context_diagnostic_count(b.ctx);
    bool is_stuck = false;
    jo_status status = compile(&b, chosen, set, &is_stuck);
    bool is_error = !is_stuck || opt->backend == JKERNEL_CC || status == JO_ERR_MEMORY;
    return status >= 0 || is_error ? status : interpret_instead(&b, said, set, fn);
  }
  if (opt->backend == JKERNEL_CC) {
    return jerr_set(b.ctx, JO_ERR_COMPILER, "no C compiler: '%s' is not in PATH", b.tc.name);
  }
  jerr_notice(b.ctx, "no C compiler ('%s' is not in PATH): equations are interpreted, slower",
              b.tc.name);
  return interpret(set, fn);
}

// ---- machine code

static void bind_code(jkernel_set* set, const jemit_machine_unit* unit, const selection* chosen) {
  const char* base = set->code.memory;
  union {
    const void* address;
    jkernel_function function;
  } at;
  for (int i = 0; i < chosen->n; i++) {
    const jemit_machine_entry* entry = &unit->entry[i];
    jkernel* k = &set->kernel[chosen->member[i]];
    at.address = base + entry->start;
    k->function = at.function;
    k->code_bytes = entry->bytes;
    k->work = entry->work;
    k->counts = entry->counts;
    memcpy(k->packed, entry->packed, sizeof k->packed);
  }
  for (int i = 0; i < unit->nlist; i++) {
    at.address = base + unit->entry[unit->list[i]->body].start;
    unit->list[i]->function = at.function;
  }
}

static jo_status assemble(jkernel_set* set, jarena* scratch, const selection* chosen,
                          const jkernel_options* opt) {
  jemit_machine_options how = {
      .lanes = opt->lanes, .pack = opt->emit.pack, .level = jcpu_chosen(), .listing = opt->listing};
  how.functions = jkernel_functions(how.level);
  JO_TRY(jemit_check_lanes(set->ctx, how.lanes, how.pack));
  JO_TRY(limit_packs(set->ctx, &how.pack));
  set->backend = JKERNEL_MACHINE;
  if (chosen->n == 0) return JO_OK;
  jemit_machine_unit unit;
  JO_TRY(jemit_machine(set->ctx, scratch, &set->arena, chosen->fn, chosen->n, &how, &unit));
  JO_TRY(jkernel_code_map(set->ctx, unit.code, unit.size, &set->code));
  bind_code(set, &unit, chosen);
  return JO_OK;
}

// ---- sets

// What is called too seldom to be compiled is interpreted.
static jo_status select_functions(jkernel_set* set, jarena* scratch, const jexpr_fn* fn,
                                  const bool* is_seldom, selection* out) {
  *out = (selection){.fn = JARENA_ARRAY(scratch, set->n, jexpr_fn),
                     .member = JARENA_ARRAY(scratch, set->n, int)};
  if (!out->fn || !out->member) return jerr_memory(set->ctx);
  for (int i = 0; i < set->n; i++) {
    if (is_seldom && is_seldom[i]) {
      JO_TRY(interpret_one(set, &fn[i], &set->kernel[i]));
    } else {
      out->fn[out->n] = fn[i];
      out->member[out->n++] = i;
    }
  }
  return JO_OK;
}

static jo_status make_functions(jkernel_set* set, jarena* scratch, const jexpr_fn* fn,
                                const jkernel_options* opt) {
  bool has_machine = jemit_machine_has(jcpu_chosen());
  if (opt->backend == JKERNEL_INTERP) return interpret(set, fn);
  if (opt->backend == JKERNEL_MACHINE && !has_machine) {
    return jerr_set(set->ctx, JO_ERR_COMPILER, "there is no machine code for this processor (%s)",
                    jcpu_name(jcpu_chosen()));
  }
  selection chosen;
  JO_TRY(select_functions(set, scratch, fn, opt->is_seldom, &chosen));
  if (opt->backend == JKERNEL_CC || !has_machine)
    return compile_or_interpret(set, scratch, fn, &chosen, opt);
  int said = jo_context_diagnostic_count(set->ctx);
  jo_status status = assemble(set, scratch, &chosen, opt);
  if (status != JO_ERR_COMPILER || opt->backend == JKERNEL_MACHINE) return status;
  jerr_forget(set->ctx, said);
  jerr_notice(
      set->ctx,
      "this system does not execute code that programs make: equations are interpreted, slower");
  return interpret(set, fn);
}

static jo_status create_set(jo_context* ctx, const jexpr_fn* fn, int nfn, int lanes,
                            jkernel_set** out) {
  JASSERT(nfn > 0 && lanes > 0);
  jkernel_set* set = jmem_resize(ctx, NULL, sizeof *set);
  if (!set) return jerr_memory(ctx);
  *set = (jkernel_set){.ctx = ctx, .n = nfn};
  jarena_init(&set->arena, ctx);
  set->kernel = JARENA_ARRAY(&set->arena, nfn, jkernel);
  bool ok = set->kernel != NULL;
  for (int i = 0; ok && i < nfn; i++) {
    set->kernel[i].name = jarena_strdup(&set->arena, fn[i].name);
    set->kernel[i].lanes = lanes;
    ok = set->kernel[i].name != NULL;
  }
  if (!ok) {
    jkernel_destroy(set);
    return jerr_memory(ctx);
  }
  *out = set;
  return JO_OK;
}

jo_status jkernel_build(jo_context* ctx, const jexpr_fn* fn, int nfn, const jkernel_options* opt,
                        jkernel_set** out) {
  *out = NULL;
  if (nfn < 1) return jerr_set(ctx, JO_ERR_ARGUMENT, "no function to build a kernel from");
  if (opt->lanes < 1) {
    return jerr_set(ctx, JO_ERR_ARGUMENT, "%d lanes: a kernel has at least one", opt->lanes);
  }
  jcpu_level level;
  JO_TRY(jcpu_choose(ctx, &level));
  jkernel_set* set = NULL;
  JO_TRY(create_set(ctx, fn, nfn, opt->lanes, &set));
  jarena scratch;
  jarena_init(&scratch, ctx);
  jo_status status = make_functions(set, &scratch, fn, opt);
  jarena_free(&scratch);
  if (status < 0) {
    jkernel_destroy(set);
    return status;
  }
  *out = set;
  return JO_OK;
}

void jkernel_destroy(jkernel_set* set) {
  if (!set) return;
  jkernel_library_close(set->library);
  jkernel_code_unmap(&set->code);
  jarena_free(&set->arena);
  jmem_free(set->ctx, set);
}

const jkernel* jkernel_find(const jkernel_set* set, const char* name) {
  for (int i = 0; i < set->n; i++) {
    if (strcmp(set->kernel[i].name, name) == 0) return &set->kernel[i];
  }
  return NULL;
}

void jkernel_init_work(const jkernel* k, double* work) {
  // compiled functions write every slot before they read it
  if (!k->function) jexpr_tape_init(&k->tape, k->lanes, work);
}
