// SPDX-License-Identifier: Apache-2.0
// Options of commands: the common ones and those a command adds.
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "terminal.h"

cli_exit cli_misuse(const char* command, const char* format, ...) {
  va_list args;
  va_start(args, format);
  fprintf(stderr, "jounce %s: ", command);
  cli_vprint(stderr, format, args);
  fprintf(stderr, " (see 'jounce %s --help')\n", command);
  va_end(args);
  return CLI_USAGE;
}

static void print_option(const char* name, const char* value, const char* help) {
  char left[64];
  snprintf(left, sizeof left, "%s%s%s", name, value ? " " : "", value ? value : "");
  printf("  %-22s %s\n", left, help);
}

static cli_exit print_help(const cli_command* command, const cli_option* option, int n) {
  printf("usage: jounce %s %s [options]\n%s\n\noptions\n", command->name, command->arguments,
         command->summary);
  for (int i = 0; i < n; i++) {
    print_option(option[i].name, option[i].value, option[i].help);
  }
  print_option("--set", "NAME=VALUE", "set a parameter, or any number of the file by its path");
  print_option("--max-steps", "N", "most steps of a run; 10 million by default");
  print_option("--max-memory", "MB", "most memory of results; 1000 MB by default");
  print_option("--json", NULL, "print JSON instead of text");
  print_option("--quiet", NULL, "no notes, warnings and progress");
  print_option("--interpreter", NULL, "evaluate without compiling");
  print_option("--help", NULL, "print this");
  return CLI_DONE;
}

static cli_exit add_setting(cli* c, const char* name, const char* value) {
  jo_setting* set = realloc(c->set, (size_t)(c->nset + 1) * sizeof *set);
  if (!set) return CLI_FAIL;
  c->set = set;
  c->set[c->nset++] = (jo_setting){name, value};
  return CLI_OK;
}

static cli_exit cut_setting(cli* c, const char* command, char* text) {
  char* equals = strchr(text, '=');
  if (!equals || equals == text) {
    return cli_misuse(command, "--set needs NAME=VALUE, not '%s'", text);
  }
  *equals = 0;
  return add_setting(c, text, equals + 1);
}

// Options of every command that stand for a number of the model.
static const char* const limits[][2] = {{"--max-steps", "simulation.max_steps"},
                                        {"--max-memory", "simulation.max_memory"}};

static cli_exit add_text(cli_texts* list, const char* value) {
  const char** text = realloc(list->text, (size_t)(list->n + 1) * sizeof *text);
  if (!text) return CLI_FAIL;
  list->text = text;
  list->text[list->n++] = value;
  return CLI_OK;
}

static cli_exit set_option(const char* command, const cli_option* o, const char* value) {
  if (o->texts) return add_text(o->texts, value);
  if (o->text) *o->text = value;
  if (o->file) *o->file = value;
  if (o->number) {
    char* end;
    double x = strtod(value, &end);
    if (end == value || *end || !isfinite(x)) {
      return cli_misuse(command, "%s needs a number, not '%s'", o->name, value);
    }
    *o->number = x;
  }
  return CLI_OK;
}

// "--name value", "--name=value", "-o value"
typedef struct words {
  int argc, i;
  char** argv;
  char* attached;  // behind the '=', NULL: none
  size_t length;   // of the name
} words;

static bool is_named(const words* w, const char* name) {
  return strlen(name) == w->length && strncmp(w->argv[w->i], name, w->length) == 0;
}

static char* take_value(words* w) {
  if (w->attached) return w->attached;
  return w->i + 1 < w->argc ? w->argv[++w->i] : NULL;
}

static cli_exit take_flag(const words* w, const char* command, bool* flag) {
  if (w->attached) {
    return cli_misuse(command, "'%.*s' takes no value", (int)w->length, w->argv[w->i]);
  }
  *flag = true;
  return CLI_OK;
}

static cli_exit take_option(cli* c, const cli_command* command, const cli_option* option, int n,
                            words* w) {
  const char* name = command->name;
  bool help = false;
  if (is_named(w, "--json")) return take_flag(w, name, &c->json);
  if (is_named(w, "--quiet")) return take_flag(w, name, &c->quiet);
  if (is_named(w, "--interpreter")) return take_flag(w, name, &c->interpreter);
  if (is_named(w, "--help") || is_named(w, "-h")) {
    cli_exit code = take_flag(w, name, &help);
    return code == CLI_OK ? print_help(command, option, n) : code;
  }
  if (is_named(w, "--set")) {
    char* value = take_value(w);
    return value ? cut_setting(c, name, value) : cli_misuse(name, "--set needs NAME=VALUE");
  }
  for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
    if (!is_named(w, limits[i][0])) continue;
    const char* value = take_value(w);
    return value ? add_setting(c, limits[i][1], value)
                 : cli_misuse(name, "%s needs a number", limits[i][0]);
  }
  for (int i = 0; i < n; i++) {
    if (!is_named(w, option[i].name)) continue;
    if (option[i].flag) return take_flag(w, name, option[i].flag);
    const char* value = take_value(w);
    if (!value) return cli_misuse(name, "%s needs a value, %s", option[i].name, option[i].value);
    return set_option(name, &option[i], value);
  }
  return cli_misuse(name, "no option '%.*s'", (int)w->length, w->argv[w->i]);
}

// What the command line says is printed, and written to files.
static cli_exit check_words(const cli_command* command, int argc, char** argv) {
  for (int i = 0; i < argc; i++) {
    for (const char* s = argv[i]; *s; s++) {
      int n = jo_text_character(s);
      if (n < 0 && *s != '\n' && *s != '\t') {
        return cli_misuse(command->name, "a control character in '%s'", argv[i]);
      }
      if (n > 0) s += n - 1;
    }
  }
  return CLI_OK;
}

// Before minutes of work, not after.
static cli_exit check_outputs(cli* c, const cli_option* option, int n) {
  for (int i = 0; i < n; i++) {
    if (!option[i].file || !*option[i].file) continue;
    if (jo_output_check(c->ctx, *option[i].file) >= 0) continue;
    cli_tell(c);
    return CLI_FAIL;
  }
  return CLI_OK;
}

cli_exit cli_parse(cli* c, const cli_command* command, const cli_option* option, int noption,
                   int argc, char** argv) {
  cli_exit clean = check_words(command, argc, argv);
  if (clean != CLI_OK) return clean;
  words w = {.argc = argc, .argv = argv};
  bool only_arguments = false;
  for (; w.i < argc; w.i++) {
    char* word = argv[w.i];
    if (!only_arguments && strcmp(word, "--") == 0) {
      only_arguments = true;
    } else if (!only_arguments && word[0] == '-' && word[1]) {
      w.attached = word[1] == '-' ? strchr(word, '=') : NULL;
      w.length = w.attached ? (size_t)(w.attached - word) : strlen(word);
      if (w.attached) w.attached++;
      cli_exit code = take_option(c, command, option, noption, &w);
      if (code != CLI_OK) return code;
    } else if (c->nargument >= command->nargument || c->nargument >= CLI_MAX_ARGUMENTS) {
      return cli_misuse(command->name, "'%s' is one argument too many", word);
    } else {
      c->argument[c->nargument++] = word;
    }
  }
  if (c->nargument < command->nargument) {
    return cli_misuse(command->name, "missing argument: %s", command->arguments);
  }
  return check_outputs(c, option, noption);
}

const char** cli_cut(const char* text, char** room, int* n) {
  size_t length = strlen(text);
  const char** list = calloc(length + 2, sizeof *list);
  if (!list) return NULL;
  memcpy(*room, text, length + 1);
  for (char* word = strtok(*room, ","); word; word = strtok(NULL, ",")) {
    list[(*n)++] = word;
  }
  *room += length + 1;
  return list;
}

bool cli_words(const char* text, cli_list* out) {
  char* room = malloc(strlen(text) + 1);
  *out = (cli_list){.room = room};
  if (room) out->word = cli_cut(text, &room, &out->n);
  return out->word != NULL;
}

void cli_list_free(cli_list* list) {
  free(list->word);
  free(list->room);
}
