// SPDX-License-Identifier: Apache-2.0
// jounce manual: completion of zsh, a call of _arguments per command.
#include <string.h>

#include "manual.h"

// Inside of '...': no apostrophe; and what _arguments would take for its own.
static void put_help(manual_text* f, const char* text, const char* special) {
  for (; *text; text++) {
    const char one[2] = {*text, 0};
    if (*text == '\'') {
      manual_put(f, "'\\''");
    } else {
      manual_put_escaped(f, one, special, "\\");
    }
  }
}

static void put_action(manual_text* f, const manual_value* v) {
  switch (v->kind) {
    case MANUAL_WORDS: manual_print(f, "(%s)", v->list); break;
    case MANUAL_FOLDERS: manual_put(f, "_files -/"); break;
    case MANUAL_FILES:
      manual_put(f, "_files");
      if (!*v->list) break;
      // a single word between brackets would be a qualifier
      manual_put(f, strchr(v->list, ' ') ? " -g \"*(" : " -g \"*");
      manual_put_list(f, v->list, "", "|", "");
      manual_put(f, strchr(v->list, ' ') ? ")\"" : "\"");
      break;
    case MANUAL_ANY: manual_put_char(f, ' '); break;
  }
}

static void put_option(manual_text* f, const cli_option* o) {
  char list[512];
  cli_write_list(o, list, sizeof list);
  bool is_long = o->name[1] == '-';
  manual_print(f, "        '%s%s%s[", o->texts || o->is_repeated ? "*" : "", o->name,
               o->value && is_long ? "=" : "");
  put_help(f, o->help ? o->help : list, "[]:\\");
  manual_put_char(f, ']');
  if (o->value) {
    manual_value v = manual_value_of(o);
    manual_put_char(f, ':');
    put_help(f, o->value, ":\\");
    manual_put_char(f, ':');
    put_action(f, &v);
  }
  manual_put(f, "' \\\n");
}

static void put_names(manual_text* f, const char* first) {
  const cli_command* c;
  for (int i = 0; (c = cli_command_at(i)); i++) {
    const char* second = manual_second_word(c);
    if (first ? !manual_is_below(c, first) : second != NULL) continue;
    manual_put(f, "    '");
    put_help(f, first ? second : c->name, ":\\");
    manual_put_char(f, ':');
    put_help(f, c->summary, ":\\");
    manual_put(f, "'\n");
  }
}

static bool has_second(const cli_command* first) {
  const cli_command* c;
  for (int i = 0; (c = cli_command_at(i)); i++) {
    if (manual_is_below(c, first->name)) return true;
  }
  return false;
}

static void begin(manual_text* f) {
  const cli_command* c;
  manual_print(f, "#compdef jounce\n# zsh completion of jounce %s, written by 'jounce manual'\n\n",
               jo_version());
  manual_put(f, "_jounce() {\n  local command\n  local -a commands second\n  commands=(\n");
  put_names(f, NULL);
  manual_put(f,
             "    '--help:print the commands'\n    '--version:print the version'\n  )\n"
             "  if (( CURRENT == 2 )); then\n"
             "    _describe -t commands command commands\n    return\n  fi\n"
             "  command=$words[2]\n");
  // the name goes, so that _arguments sees the options of one command
  manual_put(f, "  if (( CURRENT > 3 )); then\n    case \"$words[2] $words[3]\" in\n");
  for (int i = 0; (c = cli_command_at(i)); i++) {
    if (manual_second_word(c)) {
      manual_print(f, "      '%s') command='%s'; shift words; (( CURRENT-- )) ;;\n", c->name,
                   c->name);
    }
  }
  manual_put(f, "    esac\n  fi\n  shift words\n  (( CURRENT-- ))\n  case $command in\n");
}

static void put_page(manual_text* f, const manual_page* page) {
  const cli_option* o;
  manual_value v;
  manual_print(f, "    '%s')\n", page->command->name);
  if (has_second(page->command)) {
    manual_put(f, "      if (( CURRENT == 2 )); then\n        second=(\n");
    put_names(f, page->command->name);
    manual_put(f, "        )\n        _describe -t commands command second\n      fi\n");
  }
  manual_put(f, "      _arguments -S \\\n");
  for (int i = 0; (o = manual_option_at(page, i)); i++) {
    put_option(f, o);
  }
  for (int i = 0; manual_argument_at(page->command, i, &v); i++) {
    manual_print(f, "        '%d:", i + 1);
    put_help(f, v.name, ":\\");
    manual_put_char(f, ':');
    put_action(f, &v);
    manual_put(f, "' \\\n");
  }
  manual_put(f, "        && return 0\n      ;;\n");
}

static void end(manual_text* f) {
  manual_put(f, "  esac\n}\n\n_jounce \"$@\"\n");
}

const manual_format manual_zsh = {
    .name = "zsh", .file = "_jounce", .begin = begin, .page = put_page, .end = end};
