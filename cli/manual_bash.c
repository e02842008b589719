// SPDX-License-Identifier: Apache-2.0
// jounce manual: completion of bash. It needs nothing but bash itself. A command sets what it has; what is
// the same for all of them stands before and behind.
#include "manual.h"

static const char head[] =
    "_jounce_files() { # ending...\n"
    "  local ending found=()\n"
    "  compopt -o filenames 2> /dev/null\n"
    "  for ending; do\n"
    "    mapfile -t -O ${#found[@]} found < <(compgen -f -X \"!*$ending\" -- \"$cur\")\n"
    "  done\n"
    "  # where no name ends so, any may\n"
    "  if ((${#found[@]} == 0)); then\n"
    "    mapfile -t found < <(compgen -f -- \"$cur\")\n"
    "  else\n"
    "    mapfile -t -O ${#found[@]} found < <(compgen -d -- \"$cur\")\n"
    "  fi\n"
    "  COMPREPLY=(\"${found[@]}\")\n"
    "}\n\n"
    "_jounce_offer() { # kind word...\n"
    "  local kind=$1\n"
    "  shift\n"
    "  case $kind in\n"
    "    words) mapfile -t COMPREPLY < <(compgen -W \"$*\" -- \"$cur\") ;;\n"
    "    files) _jounce_files \"$@\" ;;\n"
    "    folders)\n"
    "      compopt -o filenames 2> /dev/null\n"
    "      mapfile -t COMPREPLY < <(compgen -d -- \"$cur\")\n"
    "      ;;\n"
    "  esac\n"
    "}\n\n"
    "# what a command has: options, those of them with a value, arguments, and the value of "
    "$option\n"
    "_jounce_table() { # command\n"
    "  case $1 in\n";

static const char tail[] =
    "    *) return 1 ;;\n"
    "  esac\n"
    "}\n\n"
    "_jounce() {\n"
    "  local cur=${COMP_WORDS[COMP_CWORD]} option='' at command='' first=2 narg=0 "
    "only_arguments=''\n"
    "  local options='' valued='' value='' second='' arguments=()\n"
    "  COMPREPLY=()\n"
    "  if ((COMP_CWORD == 1)); then\n"
    "    _jounce_offer words $_jounce_commands --help --version\n"
    "    return\n"
    "  fi\n"
    "  if ((COMP_CWORD > 2)) && _jounce_table \"${COMP_WORDS[1]} ${COMP_WORDS[2]}\"; then\n"
    "    command=\"${COMP_WORDS[1]} ${COMP_WORDS[2]}\" first=3\n"
    "  else\n"
    "    command=${COMP_WORDS[1]}\n"
    "    _jounce_table \"$command\" || return\n"
    "  fi\n"
    "  # the words before: whose value is asked for, and how many arguments there are. "
    "--name=value is three\n"
    "  for ((at = first; at < COMP_CWORD; at++)); do\n"
    "    if [[ -n $option ]]; then\n"
    "      [[ ${COMP_WORDS[at]} == '=' ]] || option=''\n"
    "    elif [[ -z $only_arguments && ${COMP_WORDS[at]} == -- ]]; then\n"
    "      only_arguments=yes\n"
    "    elif [[ -z $only_arguments && ${COMP_WORDS[at]} == -* ]]; then\n"
    "      [[ \" $valued \" == *\" ${COMP_WORDS[at]} \"* ]] && option=${COMP_WORDS[at]}\n"
    "    else\n"
    "      ((narg++))\n"
    "    fi\n"
    "  done\n"
    "  if [[ -n $option ]]; then\n"
    "    [[ $cur == '=' ]] && cur=''\n"
    "    _jounce_table \"$command\"\n"
    "    _jounce_offer $value\n"
    "  elif [[ -z $only_arguments && $cur == -* ]]; then\n"
    "    _jounce_offer words $options\n"
    "  elif ((narg < ${#arguments[@]})); then\n"
    "    _jounce_offer ${arguments[narg]}\n"
    "    # the second word of a command may stand here too\n"
    "    if ((COMP_CWORD == 2)); then\n"
    "      mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -W \"$second\" -- \"$cur\")\n"
    "    fi\n"
    "  elif ((narg == 0 && ${#arguments[@]} == 0)); then\n"
    "    _jounce_offer words $options\n"
    "  fi\n"
    "}\n\n"
    "complete -F _jounce jounce\n";

static void begin(manual_text* f) {
  const cli_command* c;
  manual_print(f, "# bash completion of jounce %s, written by 'jounce manual'\n", jo_version());
  manual_put(f, "# shellcheck shell=bash disable=SC2086\n\n");
  manual_put(f, "_jounce_commands='");
  for (int i = 0; (c = cli_command_at(i)); i++) {
    if (!manual_second_word(c)) manual_print(f, "%s%s", i ? " " : "", c->name);
  }
  manual_print(f, "'\n\n%s", head);
}

static void put_value(manual_text* f, const manual_value* v) {
  static const char* const kind[] = {[MANUAL_ANY] = "any",
                                     [MANUAL_WORDS] = "words",
                                     [MANUAL_FILES] = "files",
                                     [MANUAL_FOLDERS] = "folders"};
  manual_print(f, "'%s%s%s'", kind[v->kind], *v->list ? " " : "", v->list);
}

static void put_options(manual_text* f, const manual_page* page, const char* name,
                        bool only_valued) {
  const cli_option* o;
  const char* between = "";
  manual_print(f, "      %s='", name);
  for (int i = 0; (o = manual_option_at(page, i)); i++) {
    if (only_valued && !o->value) continue;
    manual_print(f, "%s%s", between, o->name);
    between = " ";
  }
  manual_put(f, "'\n");
}

static void put_page(manual_text* f, const manual_page* page) {
  const cli_command* c;
  const cli_option* o;
  manual_value v;
  manual_print(f, "    '%s')\n", page->command->name);
  put_options(f, page, "options", false);
  put_options(f, page, "valued", true);
  manual_put(f, "      second='");
  for (int i = 0; (c = cli_command_at(i)); i++) {
    if (manual_is_below(c, page->command->name)) manual_print(f, "%s ", manual_second_word(c));
  }
  manual_put(f, "'\n      arguments=(");
  for (int i = 0; manual_argument_at(page->command, i, &v); i++) {
    if (i > 0) manual_put_char(f, ' ');
    put_value(f, &v);
  }
  manual_put(f, ")\n      case $option in\n");
  for (int i = 0; (o = manual_option_at(page, i)); i++) {
    v = manual_value_of(o);
    if (!o->value || v.kind == MANUAL_ANY) continue;
    manual_print(f, "        %s) value=", o->name);
    put_value(f, &v);
    manual_put(f, " ;;\n");
  }
  manual_put(f, "        *) value=any ;;\n      esac\n      ;;\n");
}

static void end(manual_text* f) {
  manual_put(f, tail);
}

const manual_format manual_bash = {
    .name = "bash", .file = "jounce", .begin = begin, .page = put_page, .end = end};
