// SPDX-License-Identifier: Apache-2.0
// jounce manual: completion of zsh, a call of _arguments per command.
#include <string.h>

#include "manual.h"

// Inside of '...': no apostrophe; and what _arguments would take for its own.
static void put_help(FILE* f, const char* text, const char* special) {
  for (; *text; text++) {
    const char one[2] = {*text, 0};
    if (*text == '\'') {
      fputs("'\\''", f);
    } else {
      manual_put_escaped(f, one, special, "\\");
    }
  }
}

static void put_action(FILE* f, const manual_value* v) {
  switch (v->kind) {
    case MANUAL_WORDS: fprintf(f, "(%s)", v->list); break;
    case MANUAL_FOLDERS: fputs("_files -/", f); break;
    case MANUAL_FILES:
      fputs("_files", f);
      if (!*v->list) break;
      // a single word between brackets would be a qualifier
      fputs(strchr(v->list, ' ') ? " -g \"*(" : " -g \"*", f);
      manual_put_list(f, v->list, "", "|", "");
      fputs(strchr(v->list, ' ') ? ")\"" : "\"", f);
      break;
    case MANUAL_ANY: fputc(' ', f); break;
  }
}

static void put_option(FILE* f, const cli_option* o) {
  char list[512];
  cli_write_list(o, list, sizeof list);
  bool is_long = o->name[1] == '-';
  fprintf(f, "        '%s%s%s[", o->texts || o->is_repeated ? "*" : "", o->name,
          o->value && is_long ? "=" : "");
  put_help(f, o->help ? o->help : list, "[]:\\");
  fputc(']', f);
  if (o->value) {
    manual_value v = manual_value_of(o);
    fputc(':', f);
    put_help(f, o->value, ":\\");
    fputc(':', f);
    put_action(f, &v);
  }
  fputs("' \\\n", f);
}

static void put_names(FILE* f, const char* first) {
  const cli_command* c;
  for (int i = 0; (c = cli_command_at(i)); i++) {
    const char* second = manual_second_word(c);
    if (first ? !manual_is_below(c, first) : second != NULL) continue;
    fputs("    '", f);
    put_help(f, first ? second : c->name, ":\\");
    fputc(':', f);
    put_help(f, c->summary, ":\\");
    fputs("'\n", f);
  }
}

static bool has_second(const cli_command* first) {
  const cli_command* c;
  for (int i = 0; (c = cli_command_at(i)); i++) {
    if (manual_is_below(c, first->name)) return true;
  }
  return false;
}

static void begin(FILE* f) {
  const cli_command* c;
  fprintf(f, "#compdef jounce\n# zsh completion of jounce %s, written by 'jounce manual'\n\n",
          jo_version());
  fputs("_jounce() {\n  local command\n  local -a commands second\n  commands=(\n", f);
  put_names(f, NULL);
  fputs(
      "    '--help:print the commands'\n    '--version:print the version'\n  )\n"
      "  if (( CURRENT == 2 )); then\n"
      "    _describe -t commands command commands\n    return\n  fi\n"
      "  command=$words[2]\n",
      f);
  // the name goes, so that _arguments sees the options of one command
  fputs("  if (( CURRENT > 3 )); then\n    case \"$words[2] $words[3]\" in\n", f);
  for (int i = 0; (c = cli_command_at(i)); i++) {
    if (manual_second_word(c)) {
      fprintf(f, "      '%s') command='%s'; shift words; (( CURRENT-- )) ;;\n", c->name, c->name);
    }
  }
  fputs("    esac\n  fi\n  shift words\n  (( CURRENT-- ))\n  case $command in\n", f);
}

static void put_page(FILE* f, const manual_page* page) {
  const cli_option* o;
  manual_value v;
  fprintf(f, "    '%s')\n", page->command->name);
  if (has_second(page->command)) {
    fputs("      if (( CURRENT == 2 )); then\n        second=(\n", f);
    put_names(f, page->command->name);
    fputs("        )\n        _describe -t commands command second\n      fi\n", f);
  }
  fputs("      _arguments -S \\\n", f);
  for (int i = 0; (o = manual_option_at(page, i)); i++) {
    put_option(f, o);
  }
  for (int i = 0; manual_argument_at(page->command, i, &v); i++) {
    fprintf(f, "        '%d:", i + 1);
    put_help(f, v.name, ":\\");
    fputc(':', f);
    put_action(f, &v);
    fputs("' \\\n", f);
  }
  fputs("        && return 0\n      ;;\n", f);
}

static void end(FILE* f) {
  fputs("  esac\n}\n\n_jounce \"$@\"\n", f);
}

const manual_format manual_zsh = {
    .name = "zsh", .file = "_jounce", .begin = begin, .page = put_page, .end = end};
