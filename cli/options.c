// SPDX-License-Identifier: Apache-2.0
// Options of commands: the common ones and those a command adds.
#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "failure.h"
#include "terminal.h"

#define LIST 512  // longest list of choices

enum { SET, MAX_STEPS, MAX_MEMORY, JSON, QUIET, INTERPRETER, COMPILER, HELP, NCOMMON };
const cli_option cli_common_options[NCOMMON + 1] = {
    [SET] = {"--set", "NAME=VALUE",
             .help = "set a parameter, or any number of the file by its path", .is_repeated = true},
    [MAX_STEPS] = {"--max-steps", "N", .help = "most steps of a run; 10 million by default"},
    [MAX_MEMORY] = {"--max-memory", "MB", .help = "most memory of results; 1000 MB by default"},
    [JSON] = {"--json", .help = "print JSON instead of text"},
    [QUIET] = {"--quiet", .help = "no notes, warnings and progress"},
    [INTERPRETER] = {"--interpreter", .help = "evaluate by the interpreter, which is slower"},
    [COMPILER] = {"--compiler", .help = "have a C compiler make the code, for comparison"},
    [HELP] = {"--help", .help = "print this"},
};

cli_exit cli_misuse(const char* command, const char* format, ...) {
  char text[2048];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  cli_complain("jounce %s: %s (see 'jounce %s --help')", command, text, command);
  return CLI_USAGE;
}

cli_exit cli_no_memory(void) {
  cli_complain("jounce: out of memory");
  return CLI_FAIL;
}

static void print_option(const char* name, const char* value, const char* help) {
  char left[64];
  snprintf(left, sizeof left, "%s%s%s", name, value ? " " : "", value ? value : "");
  printf("  %-22s %s\n", left, help);
}

void cli_write_list(const cli_option* o, char* out, size_t size) {
  const char* at = o->ends ? o->ends : "";
  size_t have = 0;
  out[0] = 0;
  for (int i = 0; have < size; i++) {
    const char* word = o->choice ? o->choice(i) : *at ? at : NULL;
    if (!word) return;
    int n = (int)strcspn(word, " ");
    const char* next = o->choice ? o->choice(i + 1) : at + n + strspn(at + n, " ");
    bool is_last = !next || !*next;
    const char* between = i == 0 ? "" : is_last ? " or " : ", ";
    have += (size_t)snprintf(out + have, size - have, "%s%.*s", between, n, word);
    if (!o->choice) at = next;
  }
}

static bool does_name_one(const char* help, const char* endings) {
  for (const char* at = endings; *at; at += strspn(at, " ")) {
    char word[16];
    int n = (int)strcspn(at, " ");
    snprintf(word, sizeof word, "%.*s", n, at);
    if (strstr(help, word)) return true;
    at += n;
  }
  return false;
}

// Of a file: with the endings there are, where the help leaves them to the list of formats.
static void print_own_option(const cli_option* o) {
  char list[LIST], help[LIST + 128];
  cli_write_list(o, list, sizeof list);
  if (!o->help || !o->ends || does_name_one(o->help, o->ends)) {
    print_option(o->name, o->value, o->help ? o->help : list);
    return;
  }
  snprintf(help, sizeof help, "%s: %s", o->help, list);
  print_option(o->name, o->value, help);
}

static cli_exit print_help(const cli_command* command, const cli_option* option, int n) {
  printf("usage: jounce %s%s%s [options]\n%s\n\noptions\n", command->name,
         *command->arguments ? " " : "", command->arguments, command->summary);
  for (int i = 0; i < n; i++) {
    print_own_option(&option[i]);
  }
  for (const cli_option* o = cli_common_options; o->name; o++) {
    print_option(o->name, o->value, o->help);
  }
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
static const char* const limits[NCOMMON] = {
    [MAX_STEPS] = "simulation.max_steps", [MAX_MEMORY] = "simulation.max_memory"};

static cli_exit add_text(cli_texts* list, const char* value) {
  const char** text = realloc(list->text, (size_t)(list->n + 1) * sizeof *text);
  if (!text) return cli_no_memory();
  list->text = text;
  list->text[list->n++] = value;
  return CLI_OK;
}

bool cli_ends_in(const char* path, const char* endings) {
  const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
  const char* dot = strrchr(name, '.');
  for (const char* at = endings; dot && dot != name && *at; at += strspn(at, " ")) {
    size_t n = strcspn(at, " ");
    if (strlen(dot) == n && strncmp(dot, at, n) == 0) return true;
    at += n;
  }
  return false;
}

// Words of a fixed list, and endings of names of files: no model makes others right.
static cli_exit check_text(const char* command, const cli_option* o, const char* value) {
  bool is_known = !o->choice;
  char list[LIST];
  for (int i = 0; o->choice && o->choice(i); i++) {
    is_known = is_known || strcmp(o->choice(i), value) == 0;
  }
  cli_write_list(o, list, sizeof list);
  if (!is_known) return cli_misuse(command, "%s needs %s, not '%s'", o->name, list, value);
  if (!o->ends || cli_ends_in(value, o->ends)) return CLI_OK;
  return cli_misuse(command, "%s needs a name that ends in %s, not '%s'", o->name, list, value);
}

static cli_exit set_option(const char* command, const cli_option* o, const char* value) {
  cli_exit code = check_text(command, o, value);
  if (code != CLI_OK) return code;
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
  char* attached;               // behind the '=', NULL: none
  size_t length;                // of the name
  bool given[CLI_MAX_OPTIONS];  // by option of the command
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

static cli_exit take_common(cli* c, const cli_command* command, const cli_option* option, int n,
                            int which, words* w) {
  const char *name = command->name, *of = cli_common_options[which].name;
  bool help = false;
  if (!cli_common_options[which].value) {
    bool* flag[NCOMMON] = {[JSON] = &c->json,
                           [QUIET] = &c->quiet,
                           [INTERPRETER] = &c->interpreter,
                           [COMPILER] = &c->compiler,
                           [HELP] = &help};
    cli_exit code = take_flag(w, name, flag[which]);
    return help ? print_help(command, option, n) : code;
  }
  char* value = take_value(w);
  if (which == SET)
    return value ? cut_setting(c, name, value) : cli_misuse(name, "%s needs NAME=VALUE", of);
  return value ? add_setting(c, limits[which], value) : cli_misuse(name, "%s needs a number", of);
}

// Which one counts must not depend on their order.
static cli_exit reject_second(const char* command, const cli_option* o) {
  bool is_list = strstr(o->value, "LIST") != NULL;
  return cli_misuse(command, "%s is given twice; give it once%s", o->name,
                    is_list ? ", with commas between the entries" : "");
}

static cli_exit take_option(cli* c, const cli_command* command, const cli_option* option, int n,
                            words* w) {
  const char* name = command->name;
  for (int i = 0; i < NCOMMON; i++) {
    if (is_named(w, cli_common_options[i].name) || (i == HELP && is_named(w, "-h")))
      return take_common(c, command, option, n, i, w);
  }
  for (int i = 0; i < n; i++) {
    if (!is_named(w, option[i].name)) continue;
    bool may_repeat = option[i].flag || option[i].texts || option[i].is_repeated;
    if (w->given[i] && !may_repeat) return reject_second(name, &option[i]);
    w->given[i] = true;
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

static bool is_listed(const char* name, const char* list) {
  size_t n = strlen(name);
  for (const char* at = list ? strstr(list, name) : NULL; at; at = strstr(at + 1, name)) {
    if ((at == list || at[-1] == ' ') && (!at[n] || at[n] == ' ')) return true;
  }
  return false;
}

// No option is passed over in silence: it has what it needs, and nothing that it excludes.
static cli_exit check_company(const char* command, const cli_option* option, int n,
                              const bool* given) {
  for (int i = 0; i < n; i++) {
    const cli_option* o = &option[i];
    bool has_need = !o->needs;
    for (int k = 0; given[i] && k < n; k++) {
      has_need = has_need || (given[k] && is_listed(option[k].name, o->needs));
      if (given[k] && is_listed(option[k].name, o->excludes)) {
        return cli_misuse(command, "%s and %s exclude each other", o->name, option[k].name);
      }
    }
    if (given[i] && !has_need) return cli_misuse(command, "%s needs %s", o->name, o->needs);
  }
  return CLI_OK;
}

cli_exit cli_parse(cli* c, const cli_command* command, const cli_option* option, int noption,
                   int argc, char** argv) {
  assert(noption <= CLI_MAX_OPTIONS);
  if (c->visitor) {
    c->visitor->see(c->visitor->user, command, option, noption);
    return CLI_DONE;
  }
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
  if (c->nargument < command->nargument && command->arguments[0] != '[') {
    return cli_misuse(command->name, "missing argument: %s", command->arguments);
  }
  cli_exit code = check_company(command->name, option, noption, w.given);
  return code == CLI_OK ? check_outputs(c, option, noption) : code;
}

static char* trim(char* word) {
  word += strspn(word, " ");
  size_t n = strlen(word);
  while (n > 0 && word[n - 1] == ' ') {
    word[--n] = 0;
  }
  return word;
}

cli_exit cli_words(const char* command, const char* option, const char* text, cli_list* out) {
  *out = (cli_list){0};
  if (!text) return CLI_OK;
  size_t length = strlen(text);
  out->room = malloc(length + 1);
  out->word = calloc(length + 3, sizeof *out->word);
  if (!out->room || !out->word) return cli_no_memory();
  memcpy(out->room, text, length + 1);
  for (char *at = out->room, *next; at; at = next) {
    next = strchr(at, ',');
    if (next) *next++ = 0;
    const char* word = out->word[out->n++] = trim(at);
    if (!*word) {
      return cli_misuse(command, "%s needs names with commas between, not '%s'", option, text);
    }
  }
  return CLI_OK;
}

const char* cli_sens_method(int i) {
  return i <= JO_SENS_ADJOINT ? jo_sens_method_name((jo_sens_method)i) : NULL;
}

const char* cli_events_kind(int i) {
  static const char* const kind[] = {"exact", "frozen", NULL};
  return kind[i];
}

void cli_list_free(cli_list* list) {
  free(list->word);
  free(list->room);
}
