// SPDX-License-Identifier: Apache-2.0
#include "export/fmu.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/system/file.h"
#include "base/system/process.h"
#include "base/system/work.h"
#include "base/text/zip.h"
#include "export/embedded.h"
#include "export/fmu_description.h"
#include "kernel/toolchain.h"

#define MAX_LIBRARY ((size_t)1 << 31)
#define LICENSE     "LICENSE"     // among the texts of every FMU
#define EQUATIONS   "equations/"  // what is generated

// Names of this platform in both versions; NULL: there is none for it.
#if defined(__x86_64__) && defined(__linux__)
#define PLATFORM_3 "x86_64-linux"
#define PLATFORM_2 "linux64"
#elif defined(__aarch64__) && defined(__linux__)
#define PLATFORM_3 "aarch64-linux"
#define PLATFORM_2 NULL
#else
#define PLATFORM_3 NULL
#define PLATFORM_2 NULL
#endif

typedef struct writer {
  jo_context* ctx;
  jarena* a;
  const jexport_fmu_options* opt;
  jexport_fmu_description d;
  jexport_file* file;  // all sources, by name
  int nfile;
  jzip zip;
} writer;

// ---- sources ---------------------------------------------------------------------------------------

// Of the two interfaces one is left out, and the program of generated C.
static bool is_wanted(const writer* w, const char* name) {
  const char* other = w->opt->version == 2 ? "runtime/fmi3." : "runtime/fmi2.";
  return strncmp(name, other, strlen(other)) != 0 && strcmp(name, "main.c") != 0 &&
         strcmp(name, LICENSE) != 0;
}

static const jexport_file* find_license(void) {
  const jexport_file* f = jexport_fmi;
  while (strcmp(f->name, LICENSE) != 0)
    f++;
  return f;
}

// Functions of programs that the sources are part of have the name of the model in front.
static const char* prefix_text(const writer* w) {
  return jarena_printf(w->a,
                       "// How functions of this FMU are called where its sources are part of a "
                       "program.\n#ifndef JRUNTIME_FMI_PREFIX_H\n#define JRUNTIME_FMI_PREFIX_H\n\n"
                       "#define FMI%d_FUNCTION_PREFIX %s_\n\n#endif\n",
                       w->opt->version, w->d.identifier);
}

static int by_name(const void* a, const void* b) {
  return strcmp(((const jexport_file*)a)->name, ((const jexport_file*)b)->name);
}

static void add_source(writer* w, const jexport_file* f, const char* prefix) {
  if (!is_wanted(w, f->name)) return;
  jexport_file* to = &w->file[w->nfile++];
  *to = *f;
  if (strcmp(f->name, "runtime/fmi_prefix.h") != 0) return;
  to->text = prefix;
  to->length = strlen(prefix);
}

static jo_status gather_sources(writer* w, const jexport_sources* s) {
  int n = 0;
  while (jexport_fmi[n].name)
    n++;
  w->file = JARENA_ARRAY(w->a, s->nfile + n, jexport_file);
  const char* prefix = prefix_text(w);
  if (!w->file || !prefix) return jerr_memory(w->ctx);
  for (int i = 0; i < s->nfile; i++)
    add_source(w, &s->file[i], prefix);
  for (int i = 0; i < n; i++)
    add_source(w, &jexport_fmi[i], prefix);
  qsort(w->file, (size_t)w->nfile, sizeof *w->file, by_name);
  return JO_OK;
}

static jo_status list_units(writer* w) {
  const char** unit = JARENA_ARRAY(w->a, w->nfile, const char*);
  if (!unit) return jerr_memory(w->ctx);
  for (int i = 0; i < w->nfile; i++) {
    if (jtext_ends_in(w->file[i].name, ".c")) unit[w->d.nsource++] = w->file[i].name;
  }
  w->d.source = unit;
  return JO_OK;
}

// ---- binary ----------------------------------------------------------------------------------------

static jo_status write_files(writer* w, const char* dir) {
  for (int i = 0; i < w->nfile; i++) {
    char* path = jarena_printf(w->a, "%s/%s", dir, w->file[i].name);
    if (!path) return jerr_memory(w->ctx);
    char* slash = strrchr(path, '/');
    *slash = '\0';
    JO_TRY(jfile_make_dirs(w->ctx, path));
    *slash = '/';
    JO_TRY(jfile_write_new(w->ctx, path, w->file[i].text, w->file[i].length));
  }
  return JO_OK;
}

// What is compiled, equations first.
static const char** order_units(const writer* w, int* nequation) {
  const char** unit = JARENA_ARRAY(w->a, w->d.nsource, const char*);
  int n = 0;
  for (int pass = 0; pass < 2 && unit; pass++) {
    for (int i = 0; i < w->d.nsource; i++) {
      bool is_equation = strncmp(w->d.source[i], EQUATIONS, strlen(EQUATIONS)) == 0;
      if (is_equation == (pass == 0)) unit[n++] = w->d.source[i];
    }
    if (pass == 0) *nequation = n;
  }
  return unit;
}

static jo_status find_compiler(writer* w, jkernel_toolchain* tc) {
  JO_TRY(jkernel_toolchain_find(w->ctx, w->a, w->opt->compiler, 1, tc));
  if (tc->path) return JO_OK;
  return jerr_set(
      w->ctx, JO_ERR_COMPILER,
      "there is no C compiler (%s) to make the binary of an FMU with; hint: install one, "
      "name it in JOUNCE_CC, or write an FMU of sources only (--sources-only)",
      tc->name);
}

// Nothing but the functions of the standard is seen from outside, so that nothing of several FMUs in a program, or
// of an FMU and the program, is taken for the other's.
static jo_status write_exports(const writer* w, const char* dir, const char** flag) {
  const char* path = jarena_printf(w->a, "%s/exports.map", dir);
  const char* text = jarena_printf(w->a, "{ global: fmi%d*; local: *; };\n", w->opt->version);
  *flag = path ? jarena_printf(w->a, "-Wl,--version-script=%s", path) : NULL;
  if (!text || !*flag) return jerr_memory(w->ctx);
  return jfile_write_new(w->ctx, path, text, strlen(text));
}

static jo_status compile_in(writer* w, const jkernel_toolchain* tc, const char* dir, char** data,
                            size_t* size) {
  const char* include = jarena_printf(w->a, "-I%s", dir);
  // paths of this machine are nobody's business
  const char* map = jarena_printf(w->a, "-ffile-prefix-map=%s=.", dir);
  const char* name = jarena_printf(w->a, "%s.so", w->d.identifier);
  const char* path = jarena_printf(w->a, "%s/%s", dir, name);
  const char* exports = NULL;
  JO_TRY(write_exports(w, dir, &exports));
  int nequation = 0;
  const char** unit = order_units(w, &nequation);
  if (!include || !map || !name || !path || !unit) return jerr_memory(w->ctx);
  const char* const flag[] = {
      "-fvisibility=hidden",
      include,
      map,
      exports,
      "-Wl,-s",
      "-Wl,--build-id=none",
      "-D_XOPEN_SOURCE=700",
      w->opt->version == 2 ? "-DFMI2_OVERRIDE_FUNCTION_PREFIX" : "-DFMI3_OVERRIDE_FUNCTION_PREFIX"};
  jkernel_library library = {.dir = dir,
                             .name = name,
                             .source = unit,
                             .nsource = w->d.nsource,
                             .nequation = nequation,
                             .flag = flag,
                             .nflag = sizeof flag / sizeof *flag,
                             .jobs = w->opt->jobs > 0 ? w->opt->jobs : jproc_cpu_count()};
  JO_TRY(write_files(w, dir));
  JO_TRY(jkernel_toolchain_link(w->ctx, w->a, tc, &library));
  return jfile_read(w->ctx, w->a, path, MAX_LIBRARY, data, size);
}

static jo_status add_binary(writer* w, const char* platform) {
  jkernel_toolchain tc;
  JO_TRY(find_compiler(w, &tc));
  const char* tmp = getenv("TMPDIR");
  tmp = jarena_strdup(w->a, tmp && tmp[0] == '/' ? tmp : "/tmp");
  const char* name =
      jarena_printf(w->a, "binaries/%s/%s.so", platform ? platform : "", w->d.identifier);
  if (!tmp || !name) return jerr_memory(w->ctx);
  jwork work;
  JO_TRY(jwork_open(w->ctx, w->a, tmp, &work));
  char* data = NULL;
  size_t size = 0;
  jo_status status = compile_in(w, &tc, work.path, &data, &size);
  jwork_close(&work);
  return status < 0 ? status : jzip_add(&w->zip, name, data, size);
}

// ---- archive ---------------------------------------------------------------------------------------

static jo_status add_text(writer* w, const char* name,
                          void (*write)(const jexport_fmu_description* d, jtext* t)) {
  jtext t;
  jtext_init(&t, w->ctx);
  write(&w->d, &t);
  jo_status status = t.failed ? jerr_memory(w->ctx) : jzip_add(&w->zip, name, t.data, t.length);
  jtext_free(&t);
  return status;
}

static jo_status add_sources(writer* w) {
  for (int i = 0; i < w->nfile; i++) {
    const char* name = jarena_printf(w->a, "sources/%s", w->file[i].name);
    if (!name) return jerr_memory(w->ctx);
    JO_TRY(jzip_add(&w->zip, name, w->file[i].text, w->file[i].length));
  }
  return add_text(w, "sources/buildDescription.xml", jexport_fmu_write_build);
}

static jo_status add_all(writer* w, const char* platform) {
  JO_TRY(add_text(w, "modelDescription.xml", jexport_fmu_write_model));
  if (platform) JO_TRY(add_binary(w, platform));
  JO_TRY(add_text(w, "documentation/index.html", jexport_fmu_write_page));
  const jexport_file* license = find_license();
  JO_TRY(jzip_add(&w->zip, "documentation/licenses/license.txt", license->text, license->length));
  return add_sources(w);
}

static jo_status find_platform(writer* w, const char** platform) {
  *platform = NULL;
  if (w->opt->sources_only) return JO_OK;
  *platform = w->opt->version == 2 ? PLATFORM_2 : PLATFORM_3;
  if (*platform) return JO_OK;
  return jerr_set(w->ctx, JO_ERR_ARGUMENT,
                  "FMI %d has no name for binaries of this machine; hint: --sources-only",
                  w->opt->version);
}

static jo_status write(writer* w, const jexport_sources* s, const char* path, jexport_fmu* out) {
  const char* platform = NULL;
  size_t bytes = 0;
  JO_TRY(find_platform(w, &platform));
  JO_TRY(jexport_fmu_describe(w->ctx, w->a, s->model, w->opt->version, &w->d));
  w->d.has_derivatives = w->opt->has_derivatives;
  JO_TRY(gather_sources(w, s));
  JO_TRY(list_units(w));
  JO_TRY(add_all(w, platform));
  int files = w->zip.nfile;
  JO_TRY(jzip_write(&w->zip, path, &bytes));
  *out = (jexport_fmu){.identifier = w->d.identifier,
                       .platform = platform,
                       .files = files,
                       .variables = w->d.nvariable,
                       .bytes = (int64_t)bytes};
  return JO_OK;
}

jo_status jexport_fmu_write(jo_context* ctx, jarena* a, const jexport_sources* s,
                            const jexport_fmu_options* opt, const char* path, jexport_fmu* out) {
  writer w = {.ctx = ctx, .a = a, .opt = opt};
  JO_TRY(jfile_check_output(ctx, path));
  jzip_init(&w.zip, ctx);
  jo_status status = write(&w, s, path, out);
  jzip_free(&w.zip);
  return status;
}
