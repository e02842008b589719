// SPDX-License-Identifier: Apache-2.0
// jounce manual: completion of fish, a line per option.
#include "manual.h"

// Inside of '...'
static void put_quoted(manual_text* f, const char* text) {
  manual_put_char(f, '\'');
  manual_put_escaped(f, text, "'\\", "\\");
  manual_put_char(f, '\'');
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

static void put_condition(manual_text* f, const cli_command* c) {
  manual_print(f, "complete -c jounce -n '__jounce_is %s'", c->name);
}

// What follows -a and says what to offer.
static void put_value(manual_text* f, const manual_value* v) {
  switch (v->kind) {
    case MANUAL_WORDS: manual_print(f, " -a '%s'", v->list); break;
    case MANUAL_FOLDERS: manual_put(f, " -a '(__fish_complete_directories)'"); break;
    case MANUAL_FILES:
      if (*v->list) {
        manual_put(f, " -a '(__jounce_files ");
        manual_put_list(f, v->list, "", " ", "");
        manual_put(f, ")'");
      } else {
        manual_put(f, " -F");
      }
      break;
    case MANUAL_ANY: break;
  }
}

static void put_option(manual_text* f, const cli_command* c, const cli_option* o) {
  char list[512];
  bool is_long = o->name[1] == '-';
  manual_value v = manual_value_of(o);
  cli_write_list(o, list, sizeof list);
  put_condition(f, c);
  manual_print(f, " -%c %s", is_long ? 'l' : 's', o->name + (is_long ? 2 : 1));
  // -x: a value is needed, and is no file
  if (o->value) manual_put(f, v.kind == MANUAL_FILES && !*v.list ? " -r" : " -x");
  if (o->value) put_value(f, &v);
  manual_put(f, " -d ");
  put_quoted(f, o->help ? o->help : list);
  manual_put_char(f, '\n');
}

static void begin(manual_text* f) {
  const cli_command* c;
  manual_print(f, "# fish completion of jounce %s, written by 'jounce manual'\n\n", jo_version());
  manual_put(f, "set -g __jounce_pairs");
  for (int i = 0; (c = cli_command_at(i)); i++) {
    if (manual_second_word(c)) manual_print(f, " '%s'", c->name);
  }
  manual_print(f, "\n\n%s", head);
}

static void put_page(manual_text* f, const manual_page* page) {
  const cli_command* c = page->command;
  const char* second = manual_second_word(c);
  const cli_option* o;
  manual_value v;
  if (second) {
    manual_print(f, "\ncomplete -c jounce -n '__jounce_at 2; and __jounce_is %.*s' -a '%s' -d ",
                 (int)(second - c->name - 1), c->name, second);
  } else {
    manual_print(f, "\ncomplete -c jounce -n '__jounce_at 1' -a '%s' -d ", c->name);
  }
  put_quoted(f, c->summary);
  manual_put_char(f, '\n');
  for (int i = 0; (o = manual_option_at(page, i)); i++) {
    put_option(f, c, o);
  }
  for (int i = 0; manual_argument_at(c, i, &v); i++) {
    if (v.kind == MANUAL_ANY) continue;
    put_condition(f, c);
    put_value(f, &v);
    manual_put_char(f, '\n');
  }
}

const manual_format manual_fish = {
    .name = "fish", .file = "jounce.fish", .begin = begin, .page = put_page};
