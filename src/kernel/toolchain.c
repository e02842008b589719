// SPDX-License-Identifier: Apache-2.0
// Compiling a unit: sources in parallel, then a link. Arguments are vectors; no shell is involved.
//
// The flags keep results the same on every machine: no contraction of a * b + c, no rewriting of
// pow; the flag of the processor (base/system/cpu.h) then only chooses wider registers, not other roundings. The vectorizers stay off
// because gcc 12 forms fused vfmaddsub there against -ffp-contract=off; they gain nothing on
// straight-line code, and lanes are vectors already. At -O1 gcc is spared the passes that find nothing to
// do here: a quarter of its time, and kernels run as fast without them (bench/README.md).
#include "kernel/toolchain.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/system/cpu.h"
#include "base/system/file.h"
#include "base/system/process.h"
#include "base/text/text.h"

// One command compiles a piece of bounded size, within seconds: this is for those that hang.
#define DEFAULT_LIMIT 600.0  // [s]

// Passes of gcc -O1 that are left out. Constants are folded, values shared and dead ones gone before a graph is
// emitted; nothing is stored twice; loops, aggregates and calls of our own are rare. What it takes to move
// work behind the branches that need it stays: points-to analysis, dominators, sinking.
static const char* const spared_pass[] = {
    // constants, copies, equal and dead values
    "-fno-tree-ccp", "-fno-tree-bit-ccp", "-fno-tree-copy-prop", "-fno-tree-forwprop",
    "-fno-tree-fre", "-fno-tree-dce", "-fno-dce", "-fno-tree-dse", "-fno-dse",
    "-fno-forward-propagate", "-fno-cprop-registers", "-fno-ssa-backprop",
    // sums, loops, aggregates
    "-fno-tree-reassoc", "-fno-tree-slsr", "-fno-tree-ch", "-fno-tree-loop-optimize",
    "-fno-move-loop-invariants", "-fno-tree-phiprop", "-fno-tree-sra", "-fno-split-wide-types",
    // branches and calls
    "-fno-thread-jumps", "-fno-if-conversion", "-fno-if-conversion2", "-fno-reorder-blocks",
    "-fno-compare-elim", "-fno-shrink-wrap", "-fno-combine-stack-adjustments",
    "-fno-inline-functions-called-once", "-fno-ipa-pure-const", "-fno-ipa-profile"};
enum { SPARED = sizeof spared_pass / sizeof *spared_pass };

static const char* find_any(jarena* a, const char** name) {
  static const char* const candidate[] = {"cc", "gcc", "clang"};
  for (size_t i = 0; i < sizeof candidate / sizeof candidate[0]; i++) {
    const char* path = jproc_find(a, candidate[i]);
    *name = candidate[i];
    if (path) return path;
  }
  *name = "cc, gcc or clang";
  return NULL;
}

// Seconds a compiler may take: $JOUNCE_CC_TIMEOUT.
static jo_status read_limit(jo_context* ctx, double* limit_s) {
  *limit_s = DEFAULT_LIMIT;
  const char* text = getenv("JOUNCE_CC_TIMEOUT");
  if (!text || text[0] == '\0') return JO_OK;
  double x = 0.0;
  if (jtext_scan_number(text, strlen(text), &x) != strlen(text) || !isfinite(x)) {
    return jerr_set(ctx, JO_ERR_ARGUMENT,
                    "JOUNCE_CC_TIMEOUT is '%s'; it must be a number of seconds, 0 for no limit",
                    text);
  }
  *limit_s = x;
  return JO_OK;
}

jo_status jkernel_toolchain_find(jo_context* ctx, jarena* a, const char* compiler, int optimize,
                                 jkernel_toolchain* out) {
  jkernel_toolchain tc = {.name = compiler};
  JO_TRY(read_limit(ctx, &tc.limit_s));
  if (!tc.name || tc.name[0] == '\0') tc.name = getenv("JOUNCE_CC");
  if (tc.name && tc.name[0] != '\0') {
    tc.name = jarena_strdup(a, tc.name);
    if (!tc.name) return jerr_memory(ctx);
    tc.path = jproc_find(a, tc.name);
  } else {
    tc.path = find_any(a, &tc.name);
  }
  const char* level = jarena_printf(a, "-O%d", optimize < 0 ? 0 : optimize > 3 ? 3 : optimize);
  if (!level) return jerr_memory(ctx);
  const char* const flag[] = {"-std=c17",
                              "-w",
                              level,
                              "-fPIC",
                              "-fno-math-errno",
                              "-fno-trapping-math",
                              "-ffp-contract=off",
                              "-fno-builtin-pow",
                              "-fno-tree-vectorize",
                              "-fno-tree-slp-vectorize"};
  for (size_t i = 0; i < sizeof flag / sizeof flag[0]; i++)
    tc.flag[tc.nflag++] = flag[i];
  tc.processor = jcpu_flag();
  if (tc.processor) tc.flag[tc.nflag++] = tc.processor;
  tc.spares_passes = optimize == 1;
  *out = tc;
  return JO_OK;
}

// ---- running

#define LOG_LINES 6

// The first lines of a compiler's output; "" when there are none.
static void read_log(const char* path, char* text, size_t size) {
  FILE* f = fopen(path, "r");
  size_t n = f ? fread(text, 1, size - 1, f) : 0;
  if (f) fclose(f);
  text[n] = '\0';
  char* end = text;
  for (int i = 0; i < LOG_LINES && *end != '\0'; i++) {
    end += strcspn(end, "\n");
    if (*end != '\0') end++;
  }
  *end = '\0';
  while (end > text && (end[-1] == '\n' || end[-1] == '\r'))
    *--end = '\0';
}

static jo_status check_runs(jo_context* ctx, const jkernel_toolchain* tc, const jproc_command* run,
                            int n) {
  for (int i = 0; i < n; i++) {
    if (run[i].is_late) {
      return jerr_set(ctx, JO_ERR_COMPILER,
                      "compiler '%s' was stopped: it was not done after %g s; hint: set "
                      "JOUNCE_CC_TIMEOUT to more seconds (0: no limit), or interpret the equations "
                      "(--interpreter)",
                      tc->path, tc->limit_s);
    }
  }
  for (int i = 0; i < n; i++) {
    if (run[i].exit_code == 0) continue;
    char log[800];
    read_log(run[i].output_path, log, sizeof log);
    return jerr_set(ctx, JO_ERR_COMPILER, "compiler '%s' failed with exit code %d%s%s", tc->path,
                    run[i].exit_code, log[0] ? ":\n" : " and said nothing", log);
  }
  return JO_OK;
}

// An argument vector that grows within its room.
typedef struct arguments {
  const char** arg;
  int n;
} arguments;

static bool begin_arguments(jarena* a, const jkernel_toolchain* tc, int more, arguments* out) {
  out->arg = JARENA_ARRAY(a, tc->nflag + more + 2, const char*);
  out->n = 0;
  if (!out->arg) return false;
  out->arg[out->n++] = tc->path;
  for (int i = 0; i < tc->nflag; i++)
    out->arg[out->n++] = tc->flag[i];
  return true;
}

static void add_argument(arguments* args, const char* s) {
  args->arg[args->n++] = s;
}

static jo_status write_unit(jo_context* ctx, jarena* a, const jemit_unit* unit, const char* dir) {
  for (int i = 0; i < unit->nfile; i++) {
    const char* path = jarena_printf(a, "%s/%s", dir, unit->file[i].name);
    if (!path) return jerr_memory(ctx);
    JO_TRY(jfile_write_new(ctx, path, unit->file[i].text, unit->file[i].length));
  }
  return JO_OK;
}

// Sources, paths below a folder, to objects, whose paths it gets. The first are equations.
typedef struct compilation {
  const char* const* source;
  const char** object;
  int n, nequation;
} compilation;

static jo_status compile_sources(jo_context* ctx, jarena* a, const jkernel_toolchain* equations,
                                 const jkernel_toolchain* others, const compilation* c,
                                 const char* dir, int jobs) {
  jproc_command* run = JARENA_ARRAY(a, c->n, jproc_command);
  if (!run) return jerr_memory(ctx);
  for (int i = 0; i < c->n; i++) {
    arguments args;
    const char* source = jarena_printf(a, "%s/%s", dir, c->source[i]);
    c->object[i] = jarena_printf(a, "%s/kernel_%d.o", dir, i);
    run[i].output_path = jarena_printf(a, "%s/kernel_%d.log", dir, i);
    bool ok = begin_arguments(a, i < c->nequation ? equations : others, 4, &args) && source &&
              c->object[i] && run[i].output_path;
    if (!ok) return jerr_memory(ctx);
    add_argument(&args, "-c");
    add_argument(&args, source);
    add_argument(&args, "-o");
    add_argument(&args, c->object[i]);
    run[i].argv = args.arg;
  }
  jproc_options opt = {.jobs = jobs, .limit_s = equations->limit_s, .temp_dir = dir};
  JO_TRY(jproc_run(ctx, run, c->n, &opt));
  return check_runs(ctx, equations, run, c->n);
}

// Objects, or a source, to a shared library.
static jo_status link_objects(jo_context* ctx, jarena* a, const jkernel_toolchain* tc,
                              const char* const* input, int n, const char* dir,
                              const char* output) {
  const char* log = jarena_printf(a, "%s/link.log", dir);
  arguments args;
  if (!log || !begin_arguments(a, tc, n + 4, &args)) return jerr_memory(ctx);
  add_argument(&args, "-shared");
  add_argument(&args, "-o");
  add_argument(&args, output);
  for (int i = 0; i < n; i++)
    add_argument(&args, input[i]);
  add_argument(&args, "-lm");
  jproc_command link = {.argv = args.arg, .output_path = log};
  jproc_options opt = {.jobs = 1, .limit_s = tc->limit_s, .temp_dir = dir};
  JO_TRY(jproc_run(ctx, &link, 1, &opt));
  return check_runs(ctx, tc, &link, 1);
}

// Whether it is gcc, whatever it is called: others do not know its passes. It says whose it is.
static jo_status ask_for_gcc(jo_context* ctx, jarena* a, const jkernel_toolchain* tc,
                             const char* dir, bool* is_gcc) {
  char text[800];
  const char* const argv[] = {tc->path, "--version", NULL};
  jproc_command ask = {.argv = argv, .output_path = jarena_printf(a, "%s/version.log", dir)};
  if (!ask.output_path) return jerr_memory(ctx);
  jproc_options opt = {.jobs = 1, .limit_s = tc->limit_s, .temp_dir = dir};
  JO_TRY(jproc_run(ctx, &ask, 1, &opt));
  if (ask.is_late) return check_runs(ctx, tc, &ask, 1);
  read_log(ask.output_path, text, sizeof text);
  *is_gcc = strstr(text, "Free Software Foundation") != NULL;
  return JO_OK;
}

static jo_status spare_passes(jo_context* ctx, jarena* a, const char* dir, jkernel_toolchain* tc) {
  bool is_gcc = false;
  if (tc->spares_passes) JO_TRY(ask_for_gcc(ctx, a, tc, dir, &is_gcc));
  for (int i = 0; i < SPARED && is_gcc; i++) {
    tc->flag[tc->nflag++] = spared_pass[i];
  }
  return JO_OK;
}

jo_status jkernel_toolchain_compile(jo_context* ctx, jarena* a, const jkernel_toolchain* found,
                                    const jemit_unit* unit, const char* dir, const char** library) {
  jkernel_toolchain with = *found;
  JO_TRY(spare_passes(ctx, a, dir, &with));
  int n = unit->nfile - 1;
  const char** source = JARENA_ARRAY(a, n, const char*);
  const char** input = JARENA_ARRAY(a, n, const char*);
  const char* output = jarena_printf(a, "%s/kernel.so", dir);
  if (!source || !input || !output) return jerr_memory(ctx);

  JO_TRY(write_unit(ctx, a, unit, dir));
  for (int i = 0; i < n; i++)
    source[i] = unit->file[i + 1].name;
  if (n > 1) {
    compilation all = {source, input, n, n};
    JO_TRY(compile_sources(ctx, a, &with, &with, &all, dir, jproc_cpu_count()));
  } else {
    // a single source is compiled and linked by one command
    input[0] = jarena_printf(a, "%s/%s", dir, source[0]);
    if (!input[0]) return jerr_memory(ctx);
  }
  JO_TRY(link_objects(ctx, a, &with, input, n, dir, output));
  *library = output;
  return JO_OK;
}

static jo_status add_flag(jo_context* ctx, jkernel_toolchain* tc, const char* flag) {
  if (tc->nflag == JKERNEL_FLAGS_MAX) {
    return jerr_set(ctx, JO_ERR_LIMIT, "compiler '%s': more than %d flags", tc->path,
                    JKERNEL_FLAGS_MAX);
  }
  tc->flag[tc->nflag++] = flag;
  return JO_OK;
}

// Flags of the compiler but those of the processor, then those of the library.
static jo_status choose_flags(jo_context* ctx, const jkernel_toolchain* tc,
                              const jkernel_library* l, jkernel_toolchain* out) {
  *out = *tc;
  out->nflag = 0;
  for (int i = 0; i < tc->nflag; i++) {
    if (tc->flag[i] != tc->processor) JO_TRY(add_flag(ctx, out, tc->flag[i]));
  }
  for (int i = 0; i < l->nflag; i++)
    JO_TRY(add_flag(ctx, out, l->flag[i]));
  return JO_OK;
}

jo_status jkernel_toolchain_link(jo_context* ctx, jarena* a, const jkernel_toolchain* tc,
                                 const jkernel_library* l) {
  jkernel_toolchain runtime, equations;
  JO_TRY(choose_flags(ctx, tc, l, &runtime));
  equations = runtime;
  JO_TRY(spare_passes(ctx, a, l->dir, &equations));
  JO_TRY(add_flag(ctx, &runtime, "-O2"));
  const char** object = JARENA_ARRAY(a, l->nsource, const char*);
  const char* output = jarena_printf(a, "%s/%s", l->dir, l->name);
  if (!object || !output) return jerr_memory(ctx);
  compilation all = {l->source, object, l->nsource, l->nequation};
  JO_TRY(compile_sources(ctx, a, &equations, &runtime, &all, l->dir, l->jobs));
  return link_objects(ctx, a, &runtime, object, l->nsource, l->dir, output);
}
