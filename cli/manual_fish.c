// SPDX-License-Identifier: Apache-2.0
// jounce manual: completion of fish, a line per option.
#include "manual.h"

// Inside of '...'
static void put_quoted(FILE* f, const char* text) {
  fputc('\'', f);
  manual_put_escaped(f, text, "'\\", "\\");
  fputc('\'', f);
}

static const char head[] =
    "# whether the words so far begin with this command, and with no longer one\n"
    "function __jounce_is\n"
    "    set -l words (commandline -opc)[2..-1]\n"
    "    set -l name \"$words[1]\"\n"
    "    contains -- \"$words[1] $words[2]\" $__jounce_pairs\n"
    "    and set name \"$words[1] $words[2]\"\n"
    "    test \"$name\" = \"$argv\"\n"
    "end\n\n"
    "function __jounce_at\n"
    "    test (count (commandline -opc)) -eq $argv[1]\n"
    "end\n\n"
    "# files that end so, and folders; where no name ends so, any\n"
    "function __jounce_files\n"
    "    set -l all (complete -C '__fish_command_without_completions '(commandline -ct))\n"
    "    set -l fit\n"
    "    for ending in $argv\n"
    "        set -a fit (string match -- \"*$ending\" $all)\n"
    "    end\n"
    "    if set -q fit[1]\n"
    "        printf '%s\\n' $fit (string match -- '*/' $all)\n"
    "    else if set -q all[1]\n"
    "        printf '%s\\n' $all\n"
    "    end\n"
    "end\n\n"
    "complete -c jounce -f\n"
    "complete -c jounce -n '__jounce_at 1' -l help -d 'print the commands'\n"
    "complete -c jounce -n '__jounce_at 1' -l version -d 'print the version'\n";

static void put_condition(FILE* f, const cli_command* c) {
  fprintf(f, "complete -c jounce -n '__jounce_is %s'", c->name);
}

// What follows -a and says what to offer.
static void put_value(FILE* f, const manual_value* v) {
  switch (v->kind) {
    case MANUAL_WORDS: fprintf(f, " -a '%s'", v->list); break;
    case MANUAL_FOLDERS: fputs(" -a '(__fish_complete_directories)'", f); break;
    case MANUAL_FILES:
      if (*v->list) {
        fputs(" -a '(__jounce_files ", f);
        manual_put_list(f, v->list, "", " ", "");
        fputs(")'", f);
      } else {
        fputs(" -F", f);
      }
      break;
    case MANUAL_ANY: break;
  }
}

static void put_option(FILE* f, const cli_command* c, const cli_option* o) {
  char list[512];
  bool is_long = o->name[1] == '-';
  manual_value v = manual_value_of(o);
  cli_write_list(o, list, sizeof list);
  put_condition(f, c);
  fprintf(f, " -%c %s", is_long ? 'l' : 's', o->name + (is_long ? 2 : 1));
  // -x: a value is needed, and is no file
  if (o->value) fputs(v.kind == MANUAL_FILES && !*v.list ? " -r" : " -x", f);
  if (o->value) put_value(f, &v);
  fputs(" -d ", f);
  put_quoted(f, o->help ? o->help : list);
  fputc('\n', f);
}

static void begin(FILE* f) {
  const cli_command* c;
  fprintf(f, "# fish completion of jounce %s, written by 'jounce manual'\n\n", jo_version());
  fputs("set -g __jounce_pairs", f);
  for (int i = 0; (c = cli_command_at(i)); i++) {
    if (manual_second_word(c)) fprintf(f, " '%s'", c->name);
  }
  fprintf(f, "\n\n%s", head);
}

static void put_page(FILE* f, const manual_page* page) {
  const cli_command* c = page->command;
  const char* second = manual_second_word(c);
  const cli_option* o;
  manual_value v;
  if (second) {
    fprintf(f, "\ncomplete -c jounce -n '__jounce_at 2; and __jounce_is %.*s' -a '%s' -d ",
            (int)(second - c->name - 1), c->name, second);
  } else {
    fprintf(f, "\ncomplete -c jounce -n '__jounce_at 1' -a '%s' -d ", c->name);
  }
  put_quoted(f, c->summary);
  fputc('\n', f);
  for (int i = 0; (o = manual_option_at(page, i)); i++) {
    put_option(f, c, o);
  }
  for (int i = 0; manual_argument_at(c, i, &v); i++) {
    if (v.kind == MANUAL_ANY) continue;
    put_condition(f, c);
    put_value(f, &v);
    fputc('\n', f);
  }
}

const manual_format manual_fish = {
    .name = "fish", .file = "jounce.fish", .begin = begin, .page = put_page};
