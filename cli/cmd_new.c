// SPDX-License-Identifier: Apache-2.0
// jounce new: begin with a starter: a commented model that runs, with the files of the library it needs. Starters are
// the files of models/starters; one more file there is one more starter.
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli.h"
#include "failure.h"
#include "json.h"
#include "terminal.h"

#define PATH      CLI_PATH
#define MAX_FILES 64         // of one starter, and starters
#define MAX_SIZE  (1 << 20)  // of one file
#define LIBRARY   "../library/"

// A file to be written: where it is read, and its place below the new folder.
typedef struct piece {
  char from[PATH], to[256];
} piece;

typedef struct starter {
  char name[64];
  char* text;
  bool is_study;
  int nfile;  // beside itself
  piece file[MAX_FILES];
} starter;

// ---- files ---------------------------------------------------------------------------------------

static bool join(char out[PATH], const char* folder, const char* name) {
  int n = snprintf(out, PATH, "%s/%s", folder, name);
  return n >= 0 && n < PATH;
}

static bool is_there(const char* path) {
  struct stat s;
  return lstat(path, &s) == 0;
}

// NULL: it cannot be read, or is no such file.
static char* read_text(const char* path) {
  FILE* f = fopen(path, "rb");
  if (!f) return NULL;
  char* text = malloc(MAX_SIZE + 1);
  size_t n = text ? fread(text, 1, MAX_SIZE + 1, f) : 0;
  bool is_fine = text && !ferror(f) && n <= MAX_SIZE;
  fclose(f);
  if (!is_fine) {
    free(text);
    return NULL;
  }
  text[n] = 0;
  return text;
}

static bool starters_folder(char out[PATH]) {
  char models[CLI_PATH];
  cli_models_folder(models);
  return join(out, models, "starters");
}

// ---- what a starter consists of ------------------------------------------------------------------

static bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '.' || c == '/' || c == '-';
}

static void add_file(starter* s, const char* from, const char* to) {
  for (int i = 0; i < s->nfile; i++) {
    if (strcmp(s->file[i].to, to) == 0) return;
  }
  if (s->nfile == MAX_FILES) return;
  piece* p = &s->file[s->nfile++];
  snprintf(p->from, sizeof p->from, "%s", from);
  snprintf(p->to, sizeof p->to, "%s", to);
}

// A word of the file: one of the library, another starter, or neither.
static void look_at(starter* s, const char* folder, const char* word) {
  char path[PATH], to[256];
  size_t skip = strlen(LIBRARY);
  if (!cli_ends_in(word, ".yaml .tir") || !join(path, folder, word)) return;
  if (strncmp(word, LIBRARY, skip) == 0) {
    snprintf(to, sizeof to, "library/%s", word + skip);
    add_file(s, path, to);
  } else if (!strchr(word, '/') && is_there(path)) {
    add_file(s, path, word);
  }
}

// Comments name files as examples: only the rest counts.
static void find_files(starter* s, const char* folder) {
  char word[256];
  size_t n = 0;
  bool is_comment = false;
  for (const char* at = s->text; *at; at++) {
    if (*at == '#') is_comment = true;
    if (*at == '\n') is_comment = false;
    if (!is_comment && is_word(*at) && n < sizeof word - 1) {
      word[n++] = *at;
      continue;
    }
    word[n] = 0;
    if (n > 0) look_at(s, folder, word);
    n = 0;
  }
}

static void close_starter(starter* s) {
  if (s) free(s->text);
  free(s);
}

// NULL: there is none of this name.
static starter* open_starter(const char* name) {
  char folder[PATH], path[PATH], file[80];
  starter* s = calloc(1, sizeof *s);
  if (!s || strchr(name, '/') || strlen(name) >= sizeof s->name) {
    close_starter(s);
    return NULL;
  }
  snprintf(s->name, sizeof s->name, "%s", name);
  snprintf(file, sizeof file, "%s.yaml", s->name);
  if (starters_folder(folder) && join(path, folder, file)) s->text = read_text(path);
  if (!s->text) {
    close_starter(s);
    return NULL;
  }
  s->is_study = strstr(s->text, "\nstudy: 1") != NULL;
  find_files(s, folder);
  return s;
}

// ---- the list ------------------------------------------------------------------------------------

static int is_yaml(const struct dirent* e) {
  return cli_ends_in(e->d_name, ".yaml");
}

// What stands behind "description: " at the beginning of a line, without quotes.
static void describe(const char* text, char out[256]) {
  const char* at = strstr(text, "\ndescription: ");
  out[0] = 0;
  if (!at) return;
  at += strlen("\ndescription: ");
  bool is_quoted = *at == '"';
  at += is_quoted;
  snprintf(out, 256, "%.*s", (int)strcspn(at, is_quoted ? "\"\n" : "\n"), at);
}

static void tell_one(cli_json* j, const char* name) {
  char about[256];
  starter* s = open_starter(name);
  if (!s) return;
  describe(s->text, about);
  if (j) {
    cli_json_flat_object(j, NULL);
    cli_json_text(j, "name", name);
    cli_json_text(j, "description", about);
    cli_json_end(j);
  } else {
    cli_print(stdout, "  %-12s %s\n", name, about);
  }
  close_starter(s);
}

static cli_exit tell_all(cli* c) {
  char folder[PATH];
  struct dirent** list = NULL;
  int n = starters_folder(folder) ? scandir(folder, &list, is_yaml, alphasort) : -1;
  if (n <= 0) {
    cli_models_folder(folder);
    cli_complain("jounce new: there are no starters in %s/starters", folder);
    return CLI_FAIL;
  }
  cli_json j = {0};
  if (c->json) {
    cli_json_object(&j, NULL);
    cli_json_list(&j, "starters");
  } else {
    cli_heading("starters");
  }
  for (int i = 0; i < n; i++) {
    char* name = list[i]->d_name;
    *strrchr(name, '.') = 0;
    tell_one(c->json ? &j : NULL, name);
    free(list[i]);
  }
  free(list);
  if (c->json) {
    cli_json_end(&j);
    cli_json_end(&j);
  } else {
    printf("\n'jounce new KIND -o NAME' writes one, as a file NAME.yaml or in a folder NAME.\n");
  }
  return CLI_OK;
}

// ---- writing -------------------------------------------------------------------------------------

static cli_exit cannot(const char* path, const char* why) {
  cli_complain("%s: %s", path, why);
  return CLI_FAIL;
}

static bool make_folder(const char* path) {
  return mkdir(path, 0777) == 0;
}

// Folders on the way to a file, below one that is there.
static bool make_way(const char* path, size_t below) {
  char part[PATH];
  for (const char* at = strchr(path + below, '/'); at; at = strchr(at + 1, '/')) {
    snprintf(part, sizeof part, "%.*s", (int)(at - path), path);
    if (!is_there(part) && !make_folder(part)) return false;
  }
  return true;
}

// The library is beside the file then, not beside its folder.
static void move_library(char* text) {
  for (char* at = strstr(text, LIBRARY); at; at = strstr(at, LIBRARY)) {
    memmove(at, at + 3, strlen(at + 3) + 1);
  }
}

static cli_exit write_text(cli* c, const char* path, const char* text) {
  if (is_there(path)) return cannot(path, "is there already; nothing is overwritten");
  return jo_output_write(c->ctx, path, text, strlen(text)) < 0 ? CLI_FAIL : CLI_OK;
}

// The schema of editors is where the program was built, not there.
static const char* without_schema(const char* text) {
  if (strncmp(text, "# yaml-language-server:", 23) != 0) return text;
  const char* end = strchr(text, '\n');
  return end ? end + 1 : text;
}

static cli_exit write_pieces(cli* c, const starter* s, const char* folder) {
  for (int i = 0; i < s->nfile; i++) {
    char path[PATH];
    char* text = read_text(s->file[i].from);
    if (!text) return cannot(s->file[i].from, "cannot be read");
    bool is_named = join(path, folder, s->file[i].to);
    cli_exit code = is_named && make_way(path, strlen(folder) + 1)
                        ? write_text(c, path, without_schema(text))
                        : cannot(folder, "cannot make folders in it");
    free(text);
    if (code != CLI_OK) return code;
  }
  return CLI_OK;
}

// What there is of a folder that did not become whole, and the folders on the way to it.
static void remove_pieces(const starter* s, const char* folder, const char* name) {
  char path[PATH];
  if (join(path, folder, name)) remove(path);
  for (int i = s->nfile - 1; i >= 0; i--) {
    if (!join(path, folder, s->file[i].to)) continue;
    remove(path);
    for (char* at = strrchr(path, '/'); at && at > path + strlen(folder); at = strrchr(path, '/')) {
      *at = 0;
      remove(path);  // as long as it is not empty it stays
    }
  }
  remove(folder);
}

// A folder is written under another name beside its place and renamed: it is there whole or not at all.
static cli_exit write_folder(cli* c, starter* s, const char* out, const char* name,
                             char path[PATH]) {
  char folder[PATH];
  int n = (int)strlen(out);
  while (n > 1 && out[n - 1] == '/') {
    n--;
  }
  snprintf(folder, sizeof folder, "%.*s.%ld.tmp", n, out, (long)getpid());
  if (!make_folder(folder)) return cannot(out, "cannot make this folder");
  cli_exit code = write_pieces(c, s, folder);
  move_library(s->text);
  if (code == CLI_OK && join(path, folder, name)) code = write_text(c, path, s->text);
  if (code == CLI_OK && rename(folder, out) != 0) code = cannot(out, "cannot make this folder");
  if (code != CLI_OK) remove_pieces(s, folder, name);
  snprintf(path, PATH, "%.*s/%s", n, out, name);
  return code;
}

// Where it goes: a file of that name, or one in a new folder.
static cli_exit write_starter(cli* c, starter* s, const char* out, char path[PATH]) {
  char name[80];
  snprintf(name, sizeof name, "%s.yaml", s->name);
  bool is_file = out ? cli_ends_in(out, ".yaml .yml") : s->nfile == 0;
  if (is_file && s->nfile > 0) {
    return cli_misuse("new", "'%s' comes with other files: give a folder, not '%s'", s->name, out);
  }
  if (!out) out = is_file ? name : s->name;
  if (strlen(out) >= PATH - sizeof name - 32) return cannot(out, "the name is too long");
  if (is_there(out)) return cannot(out, "is there already; nothing is overwritten");
  if (is_file) {
    snprintf(path, PATH, "%s", out);
    return write_text(c, path, s->text);
  }
  return write_folder(c, s, out, name, path);
}

// ---- the answer ----------------------------------------------------------------------------------

static void print_next(const starter* s, const char* path) {
  static const char* const model[][2] = {
      {"check %s", "is it valid?"},
      {"run %s -o results.csv", "simulate it"},
      {"sens %s", "exact derivatives of its objectives"},
      {"report %s -o report.html", "a page with plots and a replay"}};
  static const char* const study[][2] = {{"study %s -o page.html", "a page with all of its parts"}};
  const char* const(*list)[2] = s->is_study ? study : model;
  cli_print(stdout, "%s is written", path);
  if (s->nfile > 0) printf(", with %d file%s beside it", s->nfile, s->nfile == 1 ? "" : "s");
  printf(". It is yours: open it, change it, and\n");
  for (int i = 0; i < (s->is_study ? 1 : 4); i++) {
    char line[PATH + 64];
    const char* at = strstr(list[i][0], "%s");
    snprintf(line, sizeof line, "%.*s%s%s", (int)(at - list[i][0]), list[i][0], path, at + 2);
    cli_print(stdout, "  jounce %-42s # %s\n", line, list[i][1]);
  }
}

static void print_json(const starter* s, const char* path) {
  cli_json j = {0};
  cli_json_object(&j, NULL);
  cli_json_text(&j, "kind", s->name);
  cli_json_text(&j, "file", path);
  cli_json_list(&j, "beside");
  for (int i = 0; i < s->nfile; i++) {
    cli_json_text(&j, NULL, s->file[i].to);
  }
  cli_json_end(&j);
  cli_json_end(&j);
}

static cli_exit run(cli* c, int argc, char** argv) {
  const char* out = NULL;
  const cli_option option[] = {
      {"-o", "NAME", "file (.yaml) or new folder; KIND by default. Nothing is overwritten",
       .text = &out}};
  cli_exit code = cli_parse(c, &cli_new, option, 1, argc, argv);
  if (code != CLI_OK) return code;
  if (c->nargument == 0 && out) return cli_misuse("new", "-o needs a KIND");
  if (c->nargument == 0) return tell_all(c);
  char path[PATH] = "";
  starter* s = open_starter(c->argument[0]);
  if (!s) return cli_misuse("new", "no starter '%s'; 'jounce new' lists them", c->argument[0]);
  code = write_starter(c, s, out, path);
  cli_tell(c);
  if (code == CLI_OK && c->json) print_json(s, path);
  if (code == CLI_OK && !c->json && !c->quiet) print_next(s, path);
  close_starter(s);
  return code;
}

const cli_command cli_new = {"new", "[KIND]", 1, "begin with a commented model that runs", run};
