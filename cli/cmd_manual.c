// SPDX-License-Identifier: Apache-2.0
// jounce manual: man pages and completion of shells. Every command is run with a visitor, so that what is
// written comes from the tables that commands read their options with, and from nowhere else.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "failure.h"
#include "json.h"
#include "manual.h"

static const manual_format* const formats[] = {&manual_man, &manual_bash, &manual_zsh,
                                               &manual_fish};
enum { NFORMAT = sizeof formats / sizeof *formats };

// ---- what all formats ask ------------------------------------------------------------------------

const cli_option* manual_option_at(const manual_page* page, int i) {
  if (i < page->noption) return &page->option[i];
  const cli_option* o = cli_common_options;
  for (i -= page->noption; i > 0 && o->name; i--) {
    o++;
  }
  return o->name ? o : NULL;
}

static bool is_small(const char* word) {
  return *word && !word[strspn(word, "abcdefghijklmnopqrstuvwxyz0123456789_-|")];
}

// "FILE", "CASES.csv", "TREE.urdf|.xml", "DIR", "one|another"; of arguments FILE is a model
static void read_name(manual_value* v, const char* model) {
  const char* dot = strchr(v->name, '.');
  if (strcmp(v->name, "DIR") == 0) {
    v->kind = MANUAL_FOLDERS;
  } else if (strcmp(v->name, "FILE") == 0) {
    v->kind = MANUAL_FILES;
    snprintf(v->list, sizeof v->list, "%s", model);
  } else if (dot && dot != v->name && dot[1]) {
    v->kind = MANUAL_FILES;
    snprintf(v->list, sizeof v->list, "%s", dot);
  } else if (is_small(v->name)) {
    v->kind = MANUAL_WORDS;
    snprintf(v->list, sizeof v->list, "%s", v->name);
  }
  for (char* bar = v->list; (bar = strchr(bar, '|'));) {
    *bar = ' ';
  }
}

manual_value manual_value_of(const cli_option* option) {
  manual_value v = {.kind = MANUAL_ANY};
  snprintf(v.name, sizeof v.name, "%s", option->value ? option->value : "");
  if (option->choice) {
    v.kind = MANUAL_WORDS;
    size_t have = 0;
    for (int i = 0; option->choice(i) && have < sizeof v.list; i++) {
      have += (size_t)snprintf(v.list + have, sizeof v.list - have, "%s%s", i ? " " : "",
                               option->choice(i));
    }
  } else if (option->ends) {
    v.kind = MANUAL_FILES;
    snprintf(v.list, sizeof v.list, "%s", option->ends);
  } else if (!option->number) {
    read_name(&v, "");
  }
  return v;
}

bool manual_argument_at(const cli_command* command, int i, manual_value* out) {
  const char* at = command->arguments;
  for (; i > 0 && *at; i--) {
    at += strcspn(at, " ");
    at += strspn(at, " ");
  }
  if (!*at) return false;
  *out = (manual_value){.kind = MANUAL_ANY};
  at += strspn(at, "[");
  snprintf(out->name, sizeof out->name, "%.*s", (int)strcspn(at, " ]"), at);
  read_name(out, ".yaml .yml");
  return true;
}

const char* manual_second_word(const cli_command* command) {
  const char* blank = strchr(command->name, ' ');
  return blank ? blank + 1 : NULL;
}

bool manual_is_below(const cli_command* command, const char* first) {
  size_t n = strlen(first);
  return strncmp(command->name, first, n) == 0 && command->name[n] == ' ';
}

// ---- writing -------------------------------------------------------------------------------------

typedef struct job {
  cli* c;
  const char* folder;
  cli_json* json;  // NULL: no one wants to know
  int nfile;
  // while commands are visited
  const manual_format* format;
  manual_text all;  // the file of all commands
  int nseen;
  cli_exit code;
} job;

// Whole or not at all.
static void save(job* j, manual_text* t, const char* name) {
  char path[4096];
  if (t->is_lost || !t->text) {
    j->code = cli_no_memory();
  } else if (snprintf(path, sizeof path, "%s/%s", j->folder, name) >= (int)sizeof path) {
    cli_complain("jounce manual: the name of the folder is too long");
    j->code = CLI_FAIL;
  } else if (jo_output_write(j->c->ctx, path, t->text, t->size) < 0) {
    j->code = CLI_FAIL;
  } else {
    if (j->json) cli_json_text(j->json, NULL, path);
    j->nfile++;
  }
}

static void save_page(job* j, const manual_page* page) {
  char name[128];
  snprintf(name, sizeof name, "jounce-%s%s", page->command->name, j->format->ending);
  for (char* blank = name; (blank = strchr(blank, ' '));) {
    *blank = '-';
  }
  manual_text t = {0};
  j->format->page(&t, page);
  save(j, &t, name);
  free(t.text);
}

static void see(void* user, const cli_command* command, const cli_option* option, int noption) {
  job* j = user;
  manual_page page = {command, option, noption};
  j->nseen++;
  if (j->code != CLI_OK) return;
  if (j->format->ending) {
    save_page(j, &page);
  } else {
    j->format->page(&j->all, &page);
  }
}

static void visit_commands(job* j) {
  const cli_visitor visitor = {see, j};
  const cli_command* command;
  for (int i = 0; j->code == CLI_OK && (command = cli_command_at(i)); i++) {
    cli c = {.ctx = j->c->ctx, .visitor = &visitor};
    j->nseen = 0;
    command->run(&c, 0, NULL);
    if (j->nseen == 1) continue;
    cli_complain("jounce manual: the command '%s' does not show its options", command->name);
    j->code = CLI_FAIL;
  }
}

static void write_format(job* j, const manual_format* format) {
  j->format = format;
  j->all = (manual_text){0};
  format->begin(&j->all);
  visit_commands(j);
  if (format->end) format->end(&j->all);
  if (j->code == CLI_OK) save(j, &j->all, format->file);
  free(j->all.text);
}

// ---- the command ---------------------------------------------------------------------------------

static const char* format_name(int i) {
  return i < NFORMAT ? formats[i]->name : NULL;
}

static cli_exit work(job* j, const char* format) {
  if (mkdir(j->folder, 0777) != 0 && errno != EEXIST) {
    cli_complain("%s: the folder cannot be made: %s", j->folder, strerror(errno));
    return CLI_FAIL;
  }
  cli_json json = {0};
  if (j->c->json) {
    j->json = &json;
    cli_json_object(&json, NULL);
    cli_json_list(&json, "files");
  }
  for (int i = 0; i < NFORMAT && j->code == CLI_OK; i++) {
    if (!format || strcmp(format, formats[i]->name) == 0) write_format(j, formats[i]);
  }
  cli_tell(j->c);
  if (j->json) {
    cli_json_end(&json);
    cli_json_end(&json);
  } else if (j->code == CLI_OK) {
    printf("%d files written to %s\n", j->nfile, j->folder);
  }
  return j->code;
}

static cli_exit run(cli* c, int argc, char** argv) {
  const char *folder = NULL, *format = NULL;
  const cli_option option[] = {
      {"-o", "DIR", "the folder to write, made where missing", .text = &folder},
      {"--format", "NAME", "man (pages), bash, zsh or fish (completion); all by default",
       .text = &format, .choice = format_name},
  };
  cli_exit code = cli_parse(c, &cli_manual, option, sizeof option / sizeof *option, argc, argv);
  if (code != CLI_OK) return code;
  if (!folder || !*folder) return cli_misuse("manual", "-o DIR is missing");
  job j = {.c = c, .folder = folder, .code = CLI_OK};
  return work(&j, format);
}

const cli_command cli_manual = {"manual", "", 0, "write man pages and completion of shells", run};
