// SPDX-License-Identifier: Apache-2.0
// jounce manual: man pages, jounce.1 and a page per command. They have no date, only the version: the same
// program writes the same bytes.
#include <string.h>

#include "manual.h"

// Text of a line. Hyphens are written so that they can be copied as such; a dot or an apostrophe at the
// beginning of a line would be a request.
static void put(FILE* f, const char* text) {
  for (const char* at = text; *at; at++) {
    if (at == text && strchr(".'", *at)) fputs("\\&", f);
    switch (*at) {
      case '-': fputs("\\-", f); break;
      case '\\': fputs("\\e", f); break;
      case '^': fputs("\\(ha", f); break;
      case '~': fputs("\\(ti", f); break;
      case '`': fputs("\\(ga", f); break;
      case '\'': fputs("\\(aq", f); break;
      default: fputc(*at, f); break;
    }
  }
}

static void put_font(FILE* f, const char* font, const char* text) {
  fprintf(f, "\\f%s", font);
  put(f, text);
  fputs("\\fR", f);
}

// "loads reconstruct" has the page jounce-loads-reconstruct
static void put_page_name(FILE* f, const char* command) {
  fputs("jounce\\-", f);
  for (const char* at = command; *at; at++) {
    fputs(*at == ' ' || *at == '-' ? "\\-" : (char[]){*at, 0}, f);
  }
}

static void put_title(FILE* f, const char* command) {
  fputs(".TH ", f);
  for (const char* at = "jounce"; *at; at++) {
    fputc(*at - 'a' + 'A', f);
  }
  for (const char* at = command; *at; at++) {
    if (at == command) fputs("\\-", f);
    if (*at == ' ' || *at == '-') {
      fputs("\\-", f);
    } else {
      fputc(*at >= 'a' && *at <= 'z' ? *at - 'a' + 'A' : *at, f);
    }
  }
  fprintf(f, " 1 \"\" \"jounce %s\" \"Vehicle dynamics\"\n", jo_version());
}

// With its first letter large and a full stop.
static void put_sentence(FILE* f, const char* text) {
  size_t n = strlen(text);
  char first[2] = {*text >= 'a' && *text <= 'z' ? (char)(*text - 'a' + 'A') : *text, 0};
  put(f, first);
  put(f, n > 0 ? text + 1 : text);
  if (n > 0 && !strchr(".!?", text[n - 1])) fputc('.', f);
  fputc('\n', f);
}

// ---- options -------------------------------------------------------------------------------------

static void put_companions(FILE* f, const char* before, const char* list, const char* after) {
  if (!list) return;
  fputs(before, f);
  for (const char* at = list; *at;) {
    char name[64];
    int n = (int)strcspn(at, " ");
    snprintf(name, sizeof name, "%.*s", n, at);
    at += n;
    at += strspn(at, " ");
    put_font(f, "B", name);
    if (*at) fputs(" or ", f);
  }
  fputs(after, f);
}

static bool does_name_all(const char* help, const char* list) {
  for (const char* at = list; *at; at += strspn(at, " ")) {
    char word[64];
    size_t n = strcspn(at, " ");
    snprintf(word, sizeof word, "%.*s", (int)n, at);
    if (!strstr(help, word)) return false;
    at += n;
  }
  return true;
}

// What the program holds an option to, where its help does not say so.
static void put_rules(FILE* f, const cli_option* o) {
  manual_value v = manual_value_of(o);
  if (o->help && (o->choice || o->ends) && !does_name_all(o->help, v.list)) {
    char list[512];
    cli_write_list(o, list, sizeof list);
    fputs(o->choice ? "One of " : "The name ends in ", f);
    put(f, list);
    fputs(".\n", f);
  }
  if (o->texts || o->is_repeated) fputs("May be given several times.\n", f);
  put_companions(f, "Only with ", o->needs, ".\n");
  put_companions(f, "Not with ", o->excludes, ".\n");
}

static void put_option(FILE* f, const cli_option* o) {
  char list[512];
  fputs(".TP\n", f);
  put_font(f, "B", o->name);
  if (o->value) {
    fputc(' ', f);
    put_font(f, "I", o->value);
  }
  fputc('\n', f);
  // as it stands: the first word may be one to type
  cli_write_list(o, list, sizeof list);
  put(f, o->help ? o->help : list);
  fputs(".\n", f);
  put_rules(f, o);
}

static void put_common_options(FILE* f) {
  for (const cli_option* o = cli_common_options; o->name; o++) {
    put_option(f, o);
  }
}

static const char exit_status[] =
    ".SH EXIT STATUS\n"
    ".TP\n.B 0\nfine\n"
    ".TP\n.B 1\nthe model or the run failed\n"
    ".TP\n.B 2\nwrong use, which no model could make right\n";

// ---- pages ---------------------------------------------------------------------------------------

static void put_page(FILE* f, const manual_page* page) {
  const cli_command* c = page->command;
  put_title(f, c->name);
  fputs(".SH NAME\n", f);
  put_page_name(f, c->name);
  fputs(" \\- ", f);
  put(f, c->summary);
  fputs("\n.SH SYNOPSIS\n\\fBjounce ", f);
  put(f, c->name);
  fputs("\\fR ", f);
  if (*c->arguments) put_font(f, "I", c->arguments);
  fputs(*c->arguments ? " [\\fIoptions\\fR]\n" : "[\\fIoptions\\fR]\n", f);
  fputs(".SH DESCRIPTION\n", f);
  put_sentence(f, c->summary);
  if (*c->arguments) {
    fputs("Options may stand before or after the arguments, as\n", f);
    fputs("\\fB\\-\\-name\\fR \\fIvalue\\fR or \\fB\\-\\-name=\\fIvalue\\fR.\n", f);
  }
  if (page->noption > 0) fputs(".SH OPTIONS\n", f);
  for (int i = 0; i < page->noption; i++) {
    put_option(f, &page->option[i]);
  }
  fputs(".SH OPTIONS OF EVERY COMMAND\n", f);
  put_common_options(f);
  fputs(exit_status, f);
  fputs(".SH SEE ALSO\n.BR jounce (1)\n", f);
}

static void put_environment(FILE* f) {
  static const char* const variable[][2] = {
      {"JOUNCE_CACHE_DIR", "the folder that compiled equations are kept in"},
      {"XDG_CACHE_HOME",
       "where JOUNCE_CACHE_DIR is not set, they are kept in jounce in this folder"},
      {"HOME", "where that is not set either, in .cache/jounce in this folder"},
      {"JOUNCE_CC", "the compiler of equations; cc, gcc or clang by default"},
      {"JOUNCE_CC_TIMEOUT", "seconds after which a compiler is stopped; 600, and 0: never"},
      {"PATH", "where compilers are looked for"},
      {"TMPDIR", "where equations are compiled that cannot be kept; /tmp by default"},
      {"NO_COLOR", "where it is set, headings are not bold"},
  };
  fputs(".SH ENVIRONMENT\n", f);
  for (size_t i = 0; i < sizeof variable / sizeof *variable; i++) {
    fputs(".TP\n", f);
    put_font(f, "B", variable[i][0]);
    fputc('\n', f);
    put_sentence(f, variable[i][1]);
  }
}

static void put_commands(FILE* f) {
  const cli_command* c;
  fputs(".SH COMMANDS\n", f);
  for (int i = 0; (c = cli_command_at(i)); i++) {
    fputs(".TP\n", f);
    put_font(f, "B", c->name);
    if (*c->arguments) {
      fputc(' ', f);
      put_font(f, "I", c->arguments);
    }
    fputc('\n', f);
    put_sentence(f, c->summary);
    fputs("See\n.BR ", f);
    put_page_name(f, c->name);
    fputs(" (1).\n", f);
  }
}

static void begin(FILE* f) {
  const cli_command* c;
  put_title(f, "");
  fputs(
      ".SH NAME\n"
      "jounce \\- vehicle dynamics with exact sensitivities\n"
      ".SH SYNOPSIS\n"
      "\\fBjounce\\fR \\fIcommand\\fR [\\fIoptions\\fR] ...\n"
      ".PP\n"
      "\\fBjounce\\fR \\fB\\-\\-help\\fR | \\fB\\-\\-version\\fR\n"
      ".SH DESCRIPTION\n"
      "Reads a model of a vehicle or a mechanism from a YAML file, generates and\n"
      "compiles its equations, simulates its manoeuvre, and gives derivatives of\n"
      "objectives by every number of the file.\n"
      "Results go to standard output, messages to standard error, one line each.\n",
      f);
  put_commands(f);
  fputs(".SH OPTIONS OF EVERY COMMAND\n", f);
  put_common_options(f);
  fputs(exit_status, f);
  put_environment(f);
  fputs(".SH SEE ALSO\n", f);
  for (int i = 0; (c = cli_command_at(i)); i++) {
    fputs(".BR ", f);
    put_page_name(f, c->name);
    fputs(cli_command_at(i + 1) ? " (1),\n" : " (1)\n", f);
  }
}

const manual_format manual_man = {
    .name = "man", .file = "jounce.1", .ending = ".1", .begin = begin, .page = put_page};
