// SPDX-License-Identifier: Apache-2.0
// jounce: the table of commands, and nothing of what they do. A command is a file cmd_<name>.c and a
// line in the table.
#include <fcntl.h>
#if defined(__GLIBC__)
#include <malloc.h>
#endif
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"
#include "failure.h"
#include "terminal.h"

static const cli_command* const commands[] = {
    &cli_run,    &cli_info,       &cli_check, &cli_static,    &cli_modes, &cli_generate,
    &cli_export, &cli_sweep,      &cli_sens,  &cli_benchmark, &cli_loads, &cli_loads_reconstruct,
    &cli_report, &cli_kinematics, &cli_tyre,  &cli_road,      &cli_study, &cli_import,
    &cli_new,    &cli_schema,     &cli_manual};
enum { NCOMMAND = sizeof commands / sizeof *commands };

const cli_command* cli_command_at(int i) {
  return i >= 0 && i < NCOMMAND ? commands[i] : NULL;
}

static void print_usage(FILE* f) {
  int width = 0;
  for (int i = 0; i < NCOMMAND; i++) {
    int n = (int)(strlen(commands[i]->name) + strlen(commands[i]->arguments)) + 1;
    width = n > width ? n : width;
  }
  fprintf(f, "usage: jounce COMMAND [options] ...\n\ncommands\n");
  for (int i = 0; i < NCOMMAND; i++) {
    int n = fprintf(f, "  %s %s", commands[i]->name, commands[i]->arguments) - 2;
    fprintf(f, "%*s %s\n", width - n, "", commands[i]->summary);
  }
  fprintf(f,
          "\n'jounce COMMAND --help' tells about the options of a command.\n"
          "Exit status: 0 fine, 1 the model or the run failed, 2 wrong use.\n");
}

static cli_exit run(const cli_command* command, int argc, char** argv) {
  cli c = {0};
  cli_exit code = jo_context_create(NULL, &c.ctx) < 0 ? cli_no_memory() : CLI_OK;
  if (code == CLI_OK) jo_context_set_caller(c.ctx, JO_CALLER_COMMAND_LINE);
  if (code == CLI_OK) code = command->run(&c, argc, argv);
  free(c.set);
  jo_context_destroy(c.ctx);
  return code == CLI_DONE ? CLI_OK : code;
}

// How many words of the command line are the name of the command; 0: it is another one.
static int count_name(const cli_command* command, int nword, char** word) {
  const char* at = command->name;
  for (int i = 0; i < nword; i++) {
    size_t n = strcspn(at, " ");
    if (strlen(word[i]) != n || strncmp(word[i], at, n) != 0) return 0;
    if (!at[n]) return i + 1;
    at += n + 1;
  }
  return 0;
}

// "loads reconstruct" and not "loads", where the words begin with both.
static const cli_command* find_command(int nword, char** word, int* nname) {
  const cli_command* found = NULL;
  *nname = 0;
  for (int i = 0; i < NCOMMAND; i++) {
    int n = count_name(commands[i], nword, word);
    if (n <= *nname) continue;
    *nname = n;
    found = commands[i];
  }
  return found;
}

// Also behind '--': that may be the value of an option.
static bool is_json_asked(int argc, char** argv) {
  for (int i = 1; i < argc; i++) {
    if (strcmp(argv[i], "--json") == 0) return true;
  }
  return false;
}

// No failure without a message. Who asked for JSON gets one object, also where a command failed before it
// had anything to say.
static cli_exit answer(cli_exit code, int argc, char** argv) {
  if (code != CLI_OK && !cli_has_complained()) cli_complain("jounce: failed, and cannot say why");
  if (code != CLI_OK && is_json_asked(argc, argv) && !cli_json_is_begun()) {
    cli_json j = {0};
    cli_json_object(&j, NULL);
    cli_json_end(&j);
  }
  return code;
}

// A full disk or a closed pipe is a failure too.
static cli_exit flush(cli_exit code) {
  if (fflush(stdout) == 0 && !ferror(stdout)) return code;
  fprintf(stderr, "jounce: cannot write the output\n");
  return code == CLI_OK ? CLI_FAIL : code;
}

// Files are opened at the lowest number that is free: were one of these three closed, a file of results
// would be next, and messages would land in it. Opened the wrong way around, so that using it still fails.
static void hold_standard_files(void) {
  for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
    if (fcntl(fd, F_GETFD) < 0) {
      int got = open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
      if (got > fd) close(got);
    }
  }
}

static cli_exit print_version(void) {
  jo_context* ctx = NULL;
  const char* level = "";
  int lanes = 0;
  if (jo_context_create(NULL, &ctx) < 0) return cli_no_memory();
  bool ok = jo_processor(ctx, &level, &lanes) >= 0;
  printf("jounce %s\n", jo_version());
  if (ok) printf("processor %s, %d doubles in a vector\n", level, lanes);
  if (!ok) cli_complain("jounce: %s", jo_context_message(ctx));
  jo_context_destroy(ctx);
  return ok ? CLI_OK : CLI_USAGE;
}

// Freed memory stays with the process: a command allocates as much again a moment later, and pages that the system has to
// clear anew took a third of the time of large models.
static void keep_freed_memory(void) {
#if defined(__GLIBC__)
  mallopt(M_MMAP_THRESHOLD, 1 << 30);
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
#endif
}

int main(int argc, char** argv) {
  hold_standard_files();
  keep_freed_memory();
  signal(SIGXFSZ,
         SIG_IGN);  // a file that may not grow (ulimit -f) is an error of whoever writes it
  const char* name = argc > 1 ? argv[1] : "";
  if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0 || strcmp(name, "help") == 0) {
    print_usage(stdout);
    return (int)flush(CLI_OK);
  }
  if (strcmp(name, "--version") == 0) return (int)flush(print_version());
  int nname = 0;
  const cli_command* command = find_command(argc - 1, argv + 1, &nname);
  if (command) {
    cli_exit code = run(command, argc - 1 - nname, argv + 1 + nname);
    return (int)flush(answer(code, argc, argv));
  }
  if (!*name) print_usage(stderr);
  cli_complain("jounce: %s%s%s (see 'jounce --help')", *name ? "no command '" : "no command", name,
               *name ? "'" : "");
  return (int)flush(answer(CLI_USAGE, argc, argv));
}
