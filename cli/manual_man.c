// SPDX-License-Identifier: Apache-2.0
// jounce manual: man pages, jounce.1 and a page per command. They have no date, only the version: the same
// program writes the same bytes.
#include <stdio.h>
#include <string.h>

#include "manual.h"

// Text of a line. Hyphens are written so that they can be copied as such; a dot or an apostrophe at the
// beginning of a line would be a request.
static void put(manual_text* f, const char* text) {
  for (const char* at = text; *at; at++) {
    if (at == text && strchr(".'", *at)) manual_put(f, "\\&");
    switch (*at) {
      case '-': manual_put(f, "\\-"); break;
      case '\\': manual_put(f, "\\e"); break;
      case '^': manual_put(f, "\\(ha"); break;
      case '~': manual_put(f, "\\(ti"); break;
      case '`': manual_put(f, "\\(ga"); break;
      case '\'': manual_put(f, "\\(aq"); break;
      default: manual_put_char(f, *at); break;
    }
  }
}

static void put_font(manual_text* f, const char* font, const char* text) {
  manual_print(f, "\\f%s", font);
  put(f, text);
  manual_put(f, "\\fR");
}

// "loads reconstruct" has the page jounce-loads-reconstruct
static void put_page_name(manual_text* f, const char* command) {
  manual_put(f, "jounce\\-");
  for (const char* at = command; *at; at++) {
    manual_put(f, *at == ' ' || *at == '-' ? "\\-" : (char[]){*at, 0});
  }
}

static void put_title(manual_text* f, const char* command) {
  manual_put(f, ".TH ");
  for (const char* at = "jounce"; *at; at++) {
    manual_put_char(f, *at - 'a' + 'A');
  }
  for (const char* at = command; *at; at++) {
    if (at == command) manual_put(f, "\\-");
    if (*at == ' ' || *at == '-') {
      manual_put(f, "\\-");
    } else {
      manual_put_char(f, *at >= 'a' && *at <= 'z' ? *at - 'a' + 'A' : *at);
    }
  }
  manual_print(f, " 1 \"\" \"jounce %s\" \"Vehicle dynamics\"\n", jo_version());
}

// With its first letter large and a full stop.
static void put_sentence(manual_text* f, const char* text) {
  size_t n = strlen(text);
  char first[2] = {*text >= 'a' && *text <= 'z' ? (char)(*text - 'a' + 'A') : *text, 0};
  put(f, first);
  put(f, n > 0 ? text + 1 : text);
  if (n > 0 && !strchr(".!?", text[n - 1])) manual_put_char(f, '.');
  manual_put_char(f, '\n');
}

// ---- options -------------------------------------------------------------------------------------

static void put_companions(manual_text* f, const char* before, const char* list,
                           const char* after) {
  if (!list) return;
  manual_put(f, before);
  for (const char* at = list; *at;) {
    char name[64];
    int n = (int)strcspn(at, " ");
    snprintf(name, sizeof name, "%.*s", n, at);
    at += n;
    at += strspn(at, " ");
    put_font(f, "B", name);
    if (*at) manual_put(f, " or ");
  }
  manual_put(f, after);
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
static void put_rules(manual_text* f, const cli_option* o) {
  manual_value v = manual_value_of(o);
  if (o->help && (o->choice || o->ends) && !does_name_all(o->help, v.list)) {
    char list[512];
    cli_write_list(o, list, sizeof list);
    manual_put(f, o->choice ? "One of " : "The name ends in ");
    put(f, list);
    manual_put(f, ".\n");
  }
  if (o->texts || o->is_repeated) manual_put(f, "May be given several times.\n");
  put_companions(f, "Only with ", o->needs, ".\n");
  put_companions(f, "Not with ", o->excludes, ".\n");
}

static void put_option(manual_text* f, const cli_option* o) {
  char list[512];
  manual_put(f, ".TP\n");
  put_font(f, "B", o->name);
  if (o->value) {
    manual_put_char(f, ' ');
    put_font(f, "I", o->value);
  }
  manual_put_char(f, '\n');
  // as it stands: the first word may be one to type
  cli_write_list(o, list, sizeof list);
  put(f, o->help ? o->help : list);
  manual_put(f, ".\n");
  put_rules(f, o);
}

static void put_common_options(manual_text* f) {
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

static void put_page(manual_text* f, const manual_page* page) {
  const cli_command* c = page->command;
  put_title(f, c->name);
  manual_put(f, ".SH NAME\n");
  put_page_name(f, c->name);
  manual_put(f, " \\- ");
  put(f, c->summary);
  manual_put(f, "\n.SH SYNOPSIS\n\\fBjounce ");
  put(f, c->name);
  manual_put(f, "\\fR ");
  if (*c->arguments) put_font(f, "I", c->arguments);
  manual_put(f, *c->arguments ? " [\\fIoptions\\fR]\n" : "[\\fIoptions\\fR]\n");
  manual_put(f, ".SH DESCRIPTION\n");
  put_sentence(f, c->summary);
  if (*c->arguments) {
    manual_put(f, "Options may stand before or after the arguments, as\n");
    manual_put(f, "\\fB\\-\\-name\\fR \\fIvalue\\fR or \\fB\\-\\-name=\\fIvalue\\fR.\n");
  }
  if (page->noption > 0) manual_put(f, ".SH OPTIONS\n");
  for (int i = 0; i < page->noption; i++) {
    put_option(f, &page->option[i]);
  }
  manual_put(f, ".SH OPTIONS OF EVERY COMMAND\n");
  put_common_options(f);
  manual_put(f, exit_status);
  manual_put(f, ".SH SEE ALSO\n.BR jounce (1)\n");
}

static void put_environment(manual_text* f) {
  static const char* const variable[][2] = {
      {"JOUNCE_CACHE_DIR", "the folder in which code for GPUs is kept between runs"},
      {"XDG_CACHE_HOME", "where JOUNCE_CACHE_DIR is not set, it is kept in jounce in this folder"},
      {"HOME", "where that is not set either, in .cache/jounce in this folder"},
      {"JOUNCE_CC", "the compiler of equations; cc, gcc or clang by default"},
      {"JOUNCE_CC_TIMEOUT", "seconds after which a compiler is stopped; 600, and 0: never"},
      {"JOUNCE_CPU",
       "the level of the processor that equations are compiled for: x86-64-v2, x86-64-v3, "
       "x86-64-v4 or native, the default"},
      {"JOUNCE_NVCC", "the CUDA compiler of batches on GPUs; nvcc by default"},
      {"TMPDIR", "the folder in which equations are compiled; /tmp by default"},
      {"JOUNCE_PACK_LANES",
       "equal operations of a model done together, at most: 8 by default, 1: none"},
      {"PATH", "where compilers are looked for"},
      {"TMPDIR", "where equations are compiled that cannot be kept; /tmp by default"},
      {"NO_COLOR", "where it is set, headings are not bold"},
      {"OMPI_COMM_WORLD_SIZE", "set by mpirun: sweep shares its points with the other processes"},
      {"PMIX_RANK", "set by srun --mpi=pmix, likewise"},
      {"PMI_RANK", "set by srun and other starters of processes, likewise"},
      {"PMI_SIZE", "how many they are"},
      {"SLURM_NTASKS", "likewise"},
  };
  manual_put(f, ".SH ENVIRONMENT\n");
  for (size_t i = 0; i < sizeof variable / sizeof *variable; i++) {
    manual_put(f, ".TP\n");
    put_font(f, "B", variable[i][0]);
    manual_put_char(f, '\n');
    put_sentence(f, variable[i][1]);
  }
}

static void put_commands(manual_text* f) {
  const cli_command* c;
  manual_put(f, ".SH COMMANDS\n");
  for (int i = 0; (c = cli_command_at(i)); i++) {
    manual_put(f, ".TP\n");
    put_font(f, "B", c->name);
    if (*c->arguments) {
      manual_put_char(f, ' ');
      put_font(f, "I", c->arguments);
    }
    manual_put_char(f, '\n');
    put_sentence(f, c->summary);
    manual_put(f, "See\n.BR ");
    put_page_name(f, c->name);
    manual_put(f, " (1).\n");
  }
}

static void begin(manual_text* f) {
  const cli_command* c;
  put_title(f, "");
  manual_put(f,
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
             "Results go to standard output, messages to standard error, one line each.\n");
  put_commands(f);
  manual_put(f, ".SH OPTIONS OF EVERY COMMAND\n");
  put_common_options(f);
  manual_put(f, exit_status);
  put_environment(f);
  manual_put(f, ".SH SEE ALSO\n");
  for (int i = 0; (c = cli_command_at(i)); i++) {
    manual_put(f, ".BR ");
    put_page_name(f, c->name);
    manual_put(f, cli_command_at(i + 1) ? " (1),\n" : " (1)\n");
  }
}

const manual_format manual_man = {
    .name = "man", .file = "jounce.1", .ending = ".1", .begin = begin, .page = put_page};
