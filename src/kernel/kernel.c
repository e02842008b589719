// SPDX-License-Identifier: Apache-2.0
// Kernel sets: emit, look into the cache, compile where nothing is there, load; or interpret.
//
// The key of a cached library is a hash of everything that decides its bytes: the emitted text, the
// compiler, its flags and the processor. So a cached library is never stale, only unused.
#include "kernel/kernel.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/cpu.h"
#include "base/file.h"
#include "base/format.h"
#include "base/process.h"
#include "base/work.h"
#include "emit/machine.h"
#include "kernel/cache.h"
#include "kernel/functions.h"
#include "kernel/toolchain.h"

#define PACK_LANES   8
#define LEAST_ROOM   ((size_t)16 << 20)  // [bytes]
#define ROOM_BY_TEXT 16                  // of emitted text

// To be raised with the signature of emitted functions.
static const char abi[] = "jounce kernel abi 1";

jkernel_options jkernel_options_default(void) {
  jkernel_options opt = {.backend = JKERNEL_AUTO,
                         .lanes = 1,
                         .use_cache = true,
                         .optimize = 1,  // -O2 compiles longer and runs no faster
                         .emit = jemit_options_default()};
  opt.emit.pack = PACK_LANES;
  return opt;
}

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

// A part on its way into a library.
typedef struct build {
  jo_context* ctx;
  jarena* scratch;
  const jkernel_options* opt;
  jkernel_toolchain tc;
  int part;
  int n;         // functions of the part
  jexpr_fn* fn;  // (n)
  int* member;   // their places in the set (n)
  jemit_unit unit;
  const char* cache;              // the folder; NULL: no cache
  char name[JKERNEL_CACHE_NAME];  // of the library in it
} build;

static void name_cached(build* b) {
  jsha256 s;
  uint8_t digest[32];
  char key[65];
  jsha256_init(&s);
  jsha256_add(&s, abi, sizeof abi);
  jsha256_add(&s, b->unit.sha256, sizeof b->unit.sha256);
  jkernel_toolchain_hash(&b->tc, &s);
  jsha256_finish(&s, digest);
  jsha256_hex(digest, key);
  jformat(b->name, sizeof b->name, "%s.so", key);
}

// A cache that cannot be used costs time, not the run: the error becomes a notice, the only one since
// there were `said` diagnostics. Without memory nothing helps.
static jo_status go_on_without(const build* b, int said, jo_status status,
                               const char* consequence) {
  if (status == JO_ERR_MEMORY) return status;
  int last = jo_context_diagnostic_count(b->ctx) - 1;
  const char* cause = jarena_strdup(b->scratch, jo_context_diagnostic(b->ctx, last, NULL));
  if (!cause) return jerr_memory(b->ctx);
  jerr_forget(b->ctx, said);
  jerr_notice(b->ctx, "%s; %s", cause, consequence);
  return JO_OK;
}

static const char not_kept[] =
    "compiled equations are not kept for the next run; hint: set JOUNCE_CACHE_DIR to a folder of "
    "yours";

static jo_status choose_cache(build* b) {
  if (!b->opt->use_cache) return JO_OK;
  int said = jo_context_diagnostic_count(b->ctx);
  jo_status status = jkernel_cache_dir(b->ctx, b->scratch, b->opt->cache_dir, &b->cache);
  return status < 0 ? go_on_without(b, said, status, not_kept) : JO_OK;
}

// Where to compile: in the cache, so that its file comes by a rename, or in a temporary folder.
static jo_status open_work(build* b, jwork* work) {
  if (b->cache) {
    int said = jo_context_diagnostic_count(b->ctx);
    jo_status status = jwork_open(b->ctx, b->scratch, b->cache, work);
    if (status >= 0) return status;
    JO_TRY(go_on_without(b, said, status, not_kept));
    b->cache = NULL;
  }
  const char* tmp = getenv("TMPDIR");
  tmp = tmp && tmp[0] == '/' ? jarena_strdup(b->scratch, tmp) : "/tmp";
  return tmp ? jwork_open(b->ctx, b->scratch, tmp, work) : jerr_memory(b->ctx);
}

// Keep the library, and load the one that is kept: what is loaded then has passed all checks.
static jo_status keep(build* b, jkernel_set* set, const char* library, const char* dir) {
  int said = jo_context_diagnostic_count(b->ctx);
  jo_status status = jkernel_cache_store(b->ctx, b->scratch, library, dir, b->cache, b->name);
  if (status >= 0) return jkernel_cache_load(b->ctx, b->cache, b->name, &set->library[b->part]);
  b->cache = NULL;  // one notice will do
  return go_on_without(b, said, status, not_kept);
}

// Compile in `dir` and load. The library stays mapped when its file goes.
static jo_status compile_in(build* b, jkernel_set* set, const char* dir) {
  const char* library = NULL;
  int jobs = b->opt->jobs > 0 ? b->opt->jobs : jproc_cpu_count();
  double start = jclock_wall();
  JO_TRY(jkernel_toolchain_compile(b->ctx, b->scratch, &b->tc, &b->unit, dir, jobs, &library));
  set->compile_seconds += jclock_wall() - start;
  if (b->cache) JO_TRY(keep(b, set, library, dir));
  void** loaded = &set->library[b->part];
  return *loaded ? JO_OK : jkernel_library_open(b->ctx, library, loaded);
}

// Room that compiling takes: sources, assembly, objects and the library, and no less than what a small disk has left.
static size_t needed_room(const jemit_unit* unit) {
  size_t text = 0;
  for (int i = 0; i < unit->nfile; i++) {
    text += unit->file[i].length;
  }
  return LEAST_ROOM + ROOM_BY_TEXT * text;
}

// Compile in one folder. *is_full: it failed because there is no room in it.
static jo_status try_folder(build* b, jkernel_set* set, jwork* work, bool* is_full) {
  int said = jo_context_diagnostic_count(b->ctx);
  jo_status status = compile_in(b, set, work->path);
  bool may_be_full = status == JO_ERR_FILE || status == JO_ERR_COMPILER;
  *is_full = may_be_full && !jfile_has_room(work->path, needed_room(&b->unit));
  if (*is_full) {
    jerr_forget(b->ctx, said);
    status = jerr_set(b->ctx, JO_ERR_FILE,
                      "%s: there is no room to compile equations: the disk is full, or files may "
                      "not be as large (ulimit -f)",
                      work->path);
  }
  jwork_close(work);
  return status;
}

// In the cache, or where that is full in a temporary folder. *is_stuck: there is nowhere to compile.
static jo_status make_library(build* b, jkernel_set* set, bool* is_stuck) {
  for (;;) {
    jwork work;
    bool is_full = false;
    *is_stuck = true;
    JO_TRY(open_work(b, &work));
    *is_stuck = false;
    int said = jo_context_diagnostic_count(b->ctx);
    jo_status status = try_folder(b, set, &work, &is_full);
    *is_stuck = is_full && !b->cache;
    if (status >= 0 || !is_full || !b->cache) return status;
    JO_TRY(go_on_without(b, said, status, not_kept));
    b->cache = NULL;
  }
}

static jo_status bind_functions(const build* b, jkernel_set* set) {
  for (int i = 0; i < b->n; i++) {
    const jemit_entry* entry = &b->unit.entry[i];
    jkernel* k = &set->kernel[b->member[i]];
    jkernel_symbol symbol = jkernel_library_find(set->library[b->part], entry->symbol);
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

static int part_of(const jkernel_options* opt, int i) {
  return opt->part ? opt->part[i] : 0;
}

static jo_status gather_part(build* b, const jkernel_set* set, const jexpr_fn* fn, int part) {
  b->part = part;
  b->n = 0;
  b->fn = JARENA_ARRAY(b->scratch, set->n, jexpr_fn);
  b->member = JARENA_ARRAY(b->scratch, set->n, int);
  if (!b->fn || !b->member) return jerr_memory(b->ctx);
  for (int i = 0; i < set->n; i++) {
    if (part_of(b->opt, i) != part) continue;
    b->fn[b->n] = fn[i];
    b->member[b->n++] = i;
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

// A part from the cache, or compiled. *is_stuck: there is nowhere to compile.
static jo_status compile_part(build* b, jkernel_set* set, bool* is_stuck) {
  jemit_options emit = b->opt->emit;
  emit.lanes = b->opt->lanes;
  JO_TRY(limit_packs(b->ctx, &emit.pack));
  JO_TRY(jemit_c(b->ctx, b->scratch, b->fn, b->n, &emit, &b->unit));
  void** library = &set->library[b->part];
  if (b->cache) {
    name_cached(b);
    JO_TRY(jkernel_cache_load(b->ctx, b->cache, b->name, library));
  }
  if (!*library) {
    set->from_cache = false;
    JO_TRY(make_library(b, set, is_stuck));
  }
  return bind_functions(b, set);
}

// With nowhere to compile, equations are interpreted, unless that is not wanted.
static jo_status compile(build* b, jkernel_set* set, const jexpr_fn* fn) {
  int said = jo_context_diagnostic_count(b->ctx);
  set->from_cache = true;
  JO_TRY(choose_cache(b));
  for (int part = 0; part < JKERNEL_PARTS_MAX; part++) {
    bool is_stuck = false;
    JO_TRY(gather_part(b, set, fn, part));
    jo_status status = b->n > 0 ? compile_part(b, set, &is_stuck) : JO_OK;
    if (status < 0 && (!is_stuck || b->opt->backend == JKERNEL_CC)) return status;
    if (status < 0) {
      JO_TRY(go_on_without(b, said, status, "equations are interpreted, slower"));
      return interpret(set, fn);
    }
  }
  for (int i = 0; i < set->n; i++) {
    if (part_of(b->opt, i) != JKERNEL_SELDOM) continue;
    JO_TRY(interpret_one(set, &fn[i], &set->kernel[i]));
  }
  set->backend = JKERNEL_CC;
  return JO_OK;
}

static jo_status compile_or_interpret(jkernel_set* set, jarena* scratch, const jexpr_fn* fn,
                                      const jkernel_options* opt) {
  build b = {.ctx = set->ctx, .scratch = scratch, .opt = opt};
  JO_TRY(jkernel_toolchain_find(b.ctx, scratch, opt->compiler, opt->optimize, &b.tc));
  if (b.tc.path) return compile(&b, set, fn);
  if (opt->backend == JKERNEL_CC) {
    return jerr_set(b.ctx, JO_ERR_COMPILER, "no C compiler: '%s' is not in PATH", b.tc.name);
  }
  jerr_notice(b.ctx, "no C compiler ('%s' is not in PATH): equations are interpreted, slower",
              b.tc.name);
  return interpret(set, fn);
}

// ---- machine code

static void bind_code(jkernel_set* set, const jemit_machine_unit* unit, const int* member, int n) {
  const char* base = set->code.memory;
  union {
    const void* address;
    jkernel_function function;
  } at;
  for (int i = 0; i < n; i++) {
    const jemit_machine_entry* entry = &unit->entry[i];
    jkernel* k = &set->kernel[member[i]];
    at.address = base + entry->start;
    k->function = at.function;
    k->work = entry->work;
    k->counts = entry->counts;
    memcpy(k->packed, entry->packed, sizeof k->packed);
  }
  for (int i = 0; i < unit->nlist; i++) {
    at.address = base + unit->entry[unit->list[i]->body].start;
    unit->list[i]->function = at.function;
  }
}

// Functions as machine code, but for those that are called too seldom.
static jo_status assemble(jkernel_set* set, jarena* scratch, const jexpr_fn* fn,
                          const jkernel_options* opt) {
  jexpr_fn* chosen = JARENA_ARRAY(scratch, set->n, jexpr_fn);
  int* member = JARENA_ARRAY(scratch, set->n, int);
  int n = 0;
  if (!chosen || !member) return jerr_memory(set->ctx);
  for (int i = 0; i < set->n; i++) {
    if (part_of(opt, i) == JKERNEL_SELDOM) {
      JO_TRY(interpret_one(set, &fn[i], &set->kernel[i]));
      continue;
    }
    chosen[n] = fn[i];
    member[n++] = i;
  }
  jemit_machine_options how = {.lanes = opt->lanes, .pack = opt->emit.pack, .level = jcpu_chosen()};
  how.functions = jkernel_functions(how.level);
  JO_TRY(jemit_check_lanes(set->ctx, how.lanes, how.pack));
  JO_TRY(limit_packs(set->ctx, &how.pack));
  set->backend = JKERNEL_MACHINE;
  if (n == 0) return JO_OK;
  jemit_machine_unit unit;
  JO_TRY(jemit_machine(set->ctx, scratch, &set->arena, chosen, n, &how, &unit));
  JO_TRY(jkernel_code_map(set->ctx, unit.code, unit.size, &set->code));
  bind_code(set, &unit, member, n);
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
  if (opt->backend == JKERNEL_CC || !has_machine)
    return compile_or_interpret(set, scratch, fn, opt);
  int said = jo_context_diagnostic_count(set->ctx);
  jo_status status = assemble(set, scratch, fn, opt);
  if (status != JO_ERR_COMPILER || opt->backend == JKERNEL_MACHINE) return status;
  jerr_forget(set->ctx, said);
  jerr_notice(
      set->ctx,
      "this system does not execute code that programs make: equations are interpreted, slower");
  return interpret(set, fn);
}

// ---- sets

static jo_status create_set(jo_context* ctx, const jexpr_fn* fn, int nfn, int lanes,
                            jkernel_set** out) {
  assert(nfn > 0 && lanes > 0);
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
  for (int i = 0; i < nfn; i++) {
    if (part_of(opt, i) >= JKERNEL_SELDOM && part_of(opt, i) < JKERNEL_PARTS_MAX) continue;
    return jerr_set(ctx, JO_ERR_ARGUMENT, "function '%s': there is no part %d", fn[i].name,
                    part_of(opt, i));
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
  for (int part = 0; part < JKERNEL_PARTS_MAX; part++) {
    jkernel_library_close(set->library[part]);
  }
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
