// SPDX-License-Identifier: Apache-2.0
// The source of a batch for a device, and the library made of it.

#include "batch/inside.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/system/file.h"
#include "base/system/process.h"
#include "base/system/work.h"
#include "base/text/format.h"
#include "base/text/text.h"
#include "batch/device/cache.h"
#include "batch/march/marches.h"
#include "kernel/library.h"
#include "kernel/toolchain.h"

#define WORTH_A_PAIR    0.5   // share of the operations of the slopes that come in pairs
#define MOST_AT_ONCE    4500  // statements of a function; longer ones are cut into ...
#define PIECE           2000  // ... pieces of so many
#define MESSAGE_SIZE    400
#define MOST_FILES      18
#define COMPILE_SECONDS 3600.0

typedef struct code {
  jo_context* ctx;
  jarena* arena;
  jemit_unit unit;
  int entry[JBATCH_FUNCTIONS];  // of the unit; -1: none
  bool is_pair;
  jemit_file file[MOST_FILES];
  int nfile;
  const char* arg[JKERNEL_FLAGS_MAX];  // the compiler and what it is told, but for files
  int narg;
  char name[JBATCH_CACHE_NAME];
} code;

// Functions that take the time, and the first of their outputs that may not be of single precision.
static const struct {
  int f, exact;
} slopes[] = {{JBATCH_RHS, 1}, {JBATCH_RHS_COMMON, 2}, {JBATCH_RHS_ALONG, 1}};
#define NSLOPES ((int)(sizeof slopes / sizeof *slopes))

// Of these the two threads of a lane take a direction each.
static bool has_directions(int f) {
  return f >= JBATCH_RHS_ALONG && f <= JBATCH_OBJECTIVE_ALONG;
}

// ---- source ----------------------------------------------------------------------------------------

static int gather_functions(const jbatch* b, jexpr_fn fn[JBATCH_FUNCTIONS], code* c) {
  int n = 0;
  for (int f = 0; f < JBATCH_FUNCTIONS; f++) {
    bool is_there = b->function[f].name != NULL;
    c->entry[f] = is_there ? n : -1;
    if (is_there) fn[n++] = b->function[f];
  }
  return n;
}

// Slopes may be of single precision, not the switches they tell along, nor what these depend on.
static void set_precision(const code* c, int* single) {
  for (int i = 0; i < JBATCH_FUNCTIONS; i++)
    single[i] = JEMIT_DOUBLE;
  for (int k = 0; k < NSLOPES; k++) {
    int i = c->entry[slopes[k].f];
    if (i >= 0) single[i] = slopes[k].exact;
  }
}

static jo_status emit(const jbatch* b, code* c, int pack) {
  jexpr_fn fn[JBATCH_FUNCTIONS];
  int single[JBATCH_FUNCTIONS], n = gather_functions(b, fn, c);
  bool alone[JBATCH_FUNCTIONS] = {false};
  set_precision(c, single);
  for (int f = 0; f < JBATCH_FUNCTIONS; f++) {
    if (c->entry[f] >= 0) alone[c->entry[f]] = has_directions(f);
  }
  jemit_options opt = jemit_options_default();
  opt.alone = alone;
  opt.single = b->opt.single ? single : NULL;
  opt.pack = pack;
  opt.device = true;
  opt.whole_statements = MOST_AT_ONCE;
  opt.chunk_statements = PIECE;
  opt.file_statements = 0;
  return jemit_c(c->ctx, c->arena, fn, n, &opt, &c->unit);
}

// Two threads a lane where that shares the work.
static jo_status emit_as_pays(const jbatch* b, code* c) {
  JO_TRY(emit(b, c, 2));
  c->is_pair = true;
  for (int k = 0; k < NSLOPES; k++) {
    if (c->entry[slopes[k].f] < 0) continue;
    const jemit_entry* e = &c->unit.entry[c->entry[slopes[k].f]];
    bool is_shared = has_directions(slopes[k].f) || e->packed[2] > WORTH_A_PAIR * e->counts.total;
    c->is_pair = c->is_pair && is_shared;
  }
  return c->is_pair ? JO_OK : emit(b, c, 1);
}

static jo_status add_file(code* c, const char* name, const char* text, size_t length) {
  c->file[c->nfile++] = (jemit_file){name, text, length};
  return name && text ? JO_OK : jerr_memory(c->ctx);
}

static jo_status keep_text(code* c, const char* name, jtext* t) {
  jo_status status =
      t->failed ? jerr_memory(c->ctx)
                : add_file(c, name, jarena_strndup(c->arena, t->data, t->length), t->length);
  jtext_free(t);
  return status;
}

// A function of one or two indices that gives numbers, for compilers to see through.
static void put_table(jtext* t, const char* type, const char* name, const double* x, int rows,
                      int columns, int row_length) {
  jtext_printf(t, "JK_HELPER %s jb_table_%s(%sint j) {\n  switch (%sj) {\n", type, name,
               rows > 1 ? "int i, " : "", rows > 1 ? "i * 8 + " : "");
  for (int i = 0; i < rows; i++) {
    for (int j = 0; j < columns; j++)
      jtext_printf(t, "    case %d: return %.17g;\n", i * 8 + j, x[i * row_length + j]);
  }
  jtext_put(t, "    default: return 0;\n  }\n}\n");
}

static void put_method(jtext* t, const jbatch_rule* r) {
  double sample[JBATCH_SAMPLES];
  for (int i = 0; i < r->nsample; i++)
    sample[i] = r->sample[i];
  put_table(t, "double", "a", r->a[0], r->stages, r->stages, JBATCH_STAGES);
  put_table(t, "double", "b", r->b, 1, r->stages, 0);
  put_table(t, "double", "c", r->c, 1, r->stages, 0);
  put_table(t, "int", "sample", sample, 1, r->nsample, 0);
}

// The functions by their numbers, and the coefficients of the method.
static jo_status write_calls(const jbatch* b, code* c) {
  jtext t;
  jtext_init(&t, c->ctx);
  jtext_put(&t, "JK_HELPER void jb_eval(int f, const double* const* in, double* const* out) {\n");
  jtext_put(&t, "  double w[JB_FAR * JK_WORK_DOUBLES];\n  switch (f) {\n");
  for (int f = 0; f < JBATCH_FUNCTIONS; f++) {
    if (c->entry[f] < 0) continue;
    jtext_printf(&t, "    case %d: %s(in, out, w); break;\n", f, c->unit.entry[c->entry[f]].symbol);
  }
  jtext_put(&t, "    default: break;\n  }\n}\n");
  put_method(&t, &b->rule);
  return keep_text(c, "calls.inc", &t);
}

// Sizes of the rule as constants: loops over them have a known length, and arrays known places.
static void put_sizes(jtext* t, const jbatch_rule* r) {
  const struct {
    const char* name;
    int value;
  } size[] = {{"np", r->np},
              {"ny", r->ny},
              {"nw", r->nw},
              {"nv", r->nv},
              {"nswitch", r->nswitch},
              {"nobjective", r->nobjective},
              {"nintegral", r->nintegral},
              {"noutput", r->noutput},
              {"nredundant", r->nredundant},
              {"nguard", r->nguard},
              {"ndrive", r->ndrive},
              {"weighs", r->weighs},
              {"ncommon", r->ncommon},
              {"first_v", r->first_v},
              {"first_integral", r->first_integral},
              {"stages", r->stages},
              {"is_fixed", r->is_fixed},
              {"has_quartic", r->has_quartic},
              {"nsample", r->nsample}};
  for (size_t i = 0; i < sizeof size / sizeof *size; i++)
    jtext_printf(t, "#define JB_SIZE_%s %d\n", size[i].name, size[i].value);
}

static jo_status write_sizes(const jbatch* b, code* c) {
  jbatch_group group = {.rule = &b->rule};
  size_t work = 0;
  jtext t;
  jtext_init(&t, c->ctx);
  for (int i = 0; i < c->unit.nentry; i++) {
    if (c->unit.entry[i].work > work) work = c->unit.entry[i].work;
  }
  jtext_printf(&t, "#define JB_WORK %zu\n", work / 2);
  jtext_printf(&t, "#define JB_PAIR %d\n#define JB_STORE %ld\n", c->is_pair ? 1 : 0,
               jbatch_march_1.carve(&group, NULL) + 1);
  jtext_printf(&t, "#define JBATCH_HISTORIES %d\n", b->nrow > 0 ? 1 : 0);
  put_sizes(&t, &b->rule);
  return keep_text(c, "sizes.inc", &t);
}

static jo_status gather_files(const jbatch* b, code* c) {
  JO_TRY(emit_as_pays(b, c));
  for (int i = 0; i < c->unit.nfile; i++)
    JO_TRY(add_file(c, c->unit.file[i].name, c->unit.file[i].text, c->unit.file[i].length));
  JO_TRY(write_sizes(b, c));
  JO_TRY(write_calls(b, c));
  JO_TRY(add_file(c, "gen/group.h", jgen_group_h, strlen(jgen_group_h)));
  JO_TRY(add_file(c, "solve/constants.h", jsolve_constants_h, strlen(jsolve_constants_h)));
  JO_TRY(add_file(c, "batch/march/lanes.h", jbatch_lanes_h, strlen(jbatch_lanes_h)));
  JO_TRY(add_file(c, "batch/device/job.h", jbatch_job_h, strlen(jbatch_job_h)));
  JO_TRY(add_file(c, "batch/march/march.inc", jbatch_march_inc, strlen(jbatch_march_inc)));
  JO_TRY(add_file(c, "batch/march/march_events.inc", jbatch_march_events_inc,
                  strlen(jbatch_march_events_inc)));
  JO_TRY(add_file(c, "batch/march/march_checks.inc", jbatch_march_checks_inc,
                  strlen(jbatch_march_checks_inc)));
  JO_TRY(add_file(c, "batch/march/march_samples.inc", jbatch_march_samples_inc,
                  strlen(jbatch_march_samples_inc)));
  return add_file(c, "device.cu", jbatch_device_inc, strlen(jbatch_device_inc));
}

static jo_status write_files(const code* c, const char* dir) {
  static const char* const below[] = {"gen", "solve", "batch/march", "batch/device"};
  for (size_t i = 0; i < sizeof below / sizeof *below; i++) {
    const char* path = jarena_printf(c->arena, "%s/%s", dir, below[i]);
    if (!path) return jerr_memory(c->ctx);
    JO_TRY(jfile_make_dirs(c->ctx, path));
  }
  for (int i = 0; i < c->nfile; i++) {
    const char* path = jarena_printf(c->arena, "%s/%s", dir, c->file[i].name);
    if (!path) return jerr_memory(c->ctx);
    JO_TRY(jfile_write_new(c->ctx, path, c->file[i].text, c->file[i].length));
  }
  return JO_OK;
}

// ---- compilers -------------------------------------------------------------------------------------

static const char otherwise[] = "hint: leave points to the processor (device cpu)";

static jo_status refuse(jo_context* ctx, const char* why) {
  return jerr_set(ctx, JO_ERR_COMPILER, "device cuda: %s; %s", why, otherwise);
}

// What the driver says of the first device: its driver is asked by itself, so that nothing is compiled for none.
static jo_status find_architecture(jo_context* ctx, int* major, int* minor, int* shared) {
  typedef int (*plain)(unsigned);
  typedef int (*counting)(int*);
  typedef int (*asking)(int*, int, int);
  // CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_..., MAX_SHARED_MEMORY_PER_BLOCK_OPTIN
  enum { MAJOR = 75, MINOR = 76, SHARED = 97 };
  void* driver = NULL;
  int said = jo_context_diagnostic_count(ctx), count = 0;
  if (jkernel_library_open(ctx, "libcuda.so.1", &driver) < 0) {
    jerr_forget(ctx, said);
    return refuse(ctx, "this machine has no NVIDIA driver (libcuda.so.1)");
  }
  plain init = (plain)jkernel_library_find(driver, "cuInit");
  counting get_count = (counting)jkernel_library_find(driver, "cuDeviceGetCount");
  asking ask = (asking)jkernel_library_find(driver, "cuDeviceGetAttribute");
  bool ok = init && get_count && ask && init(0) == 0 && get_count(&count) == 0 && count > 0 &&
            ask(major, MAJOR, 0) == 0 && ask(minor, MINOR, 0) == 0 && ask(shared, SHARED, 0) == 0;
  jkernel_library_close(driver);
  return ok ? JO_OK : refuse(ctx, "this machine has no GPU that its driver knows");
}

static const char* find_nvcc(jarena* a) {
  const char* wanted = getenv("JOUNCE_NVCC");
  if (wanted && wanted[0] != '\0') return jproc_find(a, wanted);
  const char* path = jproc_find(a, "nvcc");
  return path ? path : jproc_find(a, "/usr/local/cuda/bin/nvcc");
}

static void add(code* c, const char* arg) {
  c->arg[c->narg++] = arg;
}

static jo_status choose_nvcc(const jbatch* b, code* c) {
  const char* nvcc = find_nvcc(c->arena);
  int major = 0, minor = 0, shared = 0;
  if (!nvcc) return refuse(c->ctx, "no CUDA compiler, neither $JOUNCE_NVCC nor nvcc in PATH");
  JO_TRY(find_architecture(c->ctx, &major, &minor, &shared));
  const char* arch = jarena_printf(c->arena, "-arch=sm_%d%d", major, minor);
  const char* room = jarena_printf(c->arena, "-DJB_SHARED=%d", shared);
  if (!arch || !room) return jerr_memory(c->ctx);
  add(c, nvcc);
  add(c, "-std=c++17");
  add(c, "-O3");
  add(c, arch);
  add(c, room);
  add(c, b->opt.fused ? "-fmad=true" : "-fmad=false");
  add(c, "-w");
  add(c, "-Xcompiler");
  add(c, "-fPIC");
  return JO_OK;
}

// The host in place of a device, by the compiler of kernels.
static jo_status choose_host(code* c) {
  jkernel_toolchain tc;
  JO_TRY(jkernel_toolchain_find(c->ctx, c->arena, NULL, 1, &tc));
  if (!tc.path)
    return jerr_set(c->ctx, JO_ERR_COMPILER, "no C compiler: '%s' is not in PATH", tc.name);
  add(c, tc.path);
  for (int i = 0; i < tc.nflag; i++)
    add(c, tc.flag[i]);
  add(c, "-x");
  add(c, "c");
  return JO_OK;
}

static void name_library(code* c) {
  jsha256 s;
  uint8_t digest[32];
  char key[65];
  jsha256_init(&s);
  for (int i = 0; i < c->narg; i++)
    jsha256_add(&s, c->arg[i], strlen(c->arg[i]) + 1);
  for (int i = 0; i < c->nfile; i++) {
    jsha256_add(&s, c->file[i].name, strlen(c->file[i].name) + 1);
    jsha256_add(&s, c->file[i].text, c->file[i].length + 1);
  }
  jsha256_finish(&s, digest);
  jsha256_hex(digest, key);
  jformat(c->name, sizeof c->name, "%s.so", key);
}

// The first line that a compiler said.
static const char* first_line(code* c, const char* path) {
  char* text = NULL;
  size_t size = 0;
  int said = jo_context_diagnostic_count(c->ctx);
  if (jfile_read(c->ctx, c->arena, path, 1 << 20, &text, &size) < 0) {
    jerr_forget(c->ctx, said);
    return "it said nothing";
  }
  text[strcspn(text, "\n")] = '\0';
  return text;
}

static jo_status compile_in(code* c, const char* dir, const char** library) {
  const char* source = jarena_printf(c->arena, "%s/device.cu", dir);
  const char* log = jarena_printf(c->arena, "%s/device.log", dir);
  const char* include = jarena_printf(c->arena, "-I%s", dir);
  *library = jarena_printf(c->arena, "%s/device.so", dir);
  const char** argv = JARENA_ARRAY(c->arena, c->narg + 8, const char*);
  if (!source || !log || !include || !*library || !argv) return jerr_memory(c->ctx);
  JO_TRY(write_files(c, dir));
  const char* const last[] = {include, source, "-shared", "-o", *library, "-lm", NULL};
  memcpy(argv, c->arg, (size_t)c->narg * sizeof *argv);
  memcpy(argv + c->narg, last, sizeof last);
  jproc_command run = {.argv = argv, .output_path = log};
  jproc_options opt = {.jobs = 1, .limit_s = COMPILE_SECONDS, .temp_dir = dir};
  JO_TRY(jproc_run(c->ctx, &run, 1, &opt));
  if (run.exit_code == 0) return JO_OK;
  return jerr_set(c->ctx, JO_ERR_COMPILER, "compiler '%s' failed with exit code %d: %s", c->arg[0],
                  run.exit_code, first_line(c, log));
}

static jo_status make_library(jbatch* b, code* c, const char* cache) {
  jwork work;
  const char* library = NULL;
  JO_TRY(jwork_open(c->ctx, c->arena, cache, &work));
  jo_status status = compile_in(c, work.path, &library);
  if (status >= 0)
    status = jbatch_cache_store(c->ctx, c->arena, library, work.path, cache, c->name);
  if (status >= 0) status = jbatch_cache_load(c->ctx, cache, c->name, &b->device);
  jwork_close(&work);
  return status;
}

static jo_status load(jbatch* b, code* c) {
  const char* cache = NULL;
  name_library(c);
  JO_TRY(jbatch_cache_dir(c->ctx, c->arena, &cache));
  JO_TRY(jbatch_cache_load(c->ctx, cache, c->name, &b->device));
  if (!b->device) JO_TRY(make_library(b, c, cache));
  if (b->device)
    b->run_device = (jbatch_device_run)jkernel_library_find(b->device, "jbatch_device_run_points");
  if (b->run_device) return JO_OK;
  return jerr_set(c->ctx, JO_ERR_COMPILER, "the library compiled for a device cannot be loaded");
}

// ---- a batch ---------------------------------------------------------------------------------------

static jo_status check_model(const jbatch* b) {
  if (!jdata_as_input(jmodel_road_data(b->sens->plant->model))) return JO_OK;
  return refuse(b->ctx, "the road has tables, which devices do not read");
}

jo_status jbatch_device_create(jbatch* b) {
  jarena arena;
  jarena_init(&arena, b->ctx);
  code c = {.ctx = b->ctx, .arena = &arena};
  jo_status status = check_model(b);
  if (status >= 0)
    status = b->opt.device == JBATCH_DEVICE_HOST ? choose_host(&c) : choose_nvcc(b, &c);
  if (status >= 0) status = gather_files(b, &c);
  if (status >= 0) status = load(b, &c);
  jarena_free(&arena);
  return status;
}

jo_status jbatch_device_write(const jbatch* b, const char* dir) {
  jarena arena;
  jarena_init(&arena, b->ctx);
  code c = {.ctx = b->ctx, .arena = &arena};
  jo_status status = gather_files(b, &c);
  if (status >= 0) status = write_files(&c, dir);
  jarena_free(&arena);
  return status;
}

void jbatch_device_destroy(jbatch* b) {
  jkernel_library_close(b->device);
  b->device = NULL;
}
