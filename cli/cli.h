// SPDX-License-Identifier: Apache-2.0
// What the commands share: their table, options, messages, the way from a file to a system.
#ifndef CLI_CLI_H
#define CLI_CLI_H

#include <stdbool.h>
#include <stddef.h>

#include "jounce/jounce.h"

// Exit codes, of all commands. What no model could make right on the command line is wrong use: an option
// that is not there, a word that is no number, a method there is none of, an ending. What depends on
// files, models and runs is a failure: names that a model does not have, values out of range among it.
// CLI_DONE ends the command with success, as --help does.
typedef enum cli_exit { CLI_OK = 0, CLI_FAIL = 1, CLI_USAGE = 2, CLI_DONE = 3 } cli_exit;

#define CLI_MAX_ARGUMENTS 4
#define CLI_MAX_OPTIONS   32  // of one command
#define CLI_PATH          4096

typedef struct cli_visitor cli_visitor;

// What every command understands.
typedef struct cli {
  jo_context* ctx;
  int nargument;
  const char* argument[CLI_MAX_ARGUMENTS];  // what is no option: the file
  jo_setting* set;
  int nset;
  bool json, quiet, interpreter, compiler;
  int ntold;                   // diagnostics of the context already printed
  const cli_visitor* visitor;  // NULL: the command is to do its work
} cli;

// `arguments` is for the usage line. Completion reads it too: FILE is a model, FILE.tir (or
// FILE.a|.b) a file that ends so, DIR a folder, and a word in small letters (several with | between) stands for itself.
typedef struct cli_command {
  const char* name;  // one word; or two, "loads reconstruct", beside a command of the first
  const char* arguments;
  int nargument;        // how many are needed; more are refused
  const char* summary;  // one line
  cli_exit (*run)(cli* c, int argc, char** argv);
} cli_command;

extern const cli_command cli_run, cli_info, cli_check, cli_static, cli_modes, cli_generate,
    cli_kinematics, cli_sweep, cli_sens, cli_benchmark, cli_loads, cli_loads_reconstruct,
    cli_manual, cli_report, cli_road, cli_tyre, cli_study, cli_export, cli_import, cli_new,
    cli_schema;

// The i-th command, NULL where there is none.
const cli_command* cli_command_at(int i);

// Texts of an option that may come often, as given. Free `text`.
typedef struct cli_texts {
  const char** text;
  int n;
} cli_texts;

// An option of one command. `value` names the value in the help; NULL: a flag (bool target). Without a
// `help` of its own its choices are listed. Where the value is a file that is read, its name says so as
// `arguments` of a command do: FILE, CASES.csv, DIR.
typedef struct cli_option {
  const char *name, *value, *help;
  const char** text;             // target: text as given ...
  const char** file;             // ... or a file that will be written, tried beforehand ...
  double* number;                // ... or a finite number ...
  bool* flag;                    // ... or a flag ...
  cli_texts* texts;              // ... or all texts of an option that may come often
  const char* (*choice)(int i);  // of a text: the only ones there are; NULL: any
  const char* ends;              // of a name of a file: ".csv .h5"; NULL: any
  // other options of the command, with a blank between: without the first this one does nothing, with the
  // second it makes no sense
  const char *needs, *excludes;
  bool is_repeated;  // may come often, as one with `texts` may
} cli_option;

// Options of every command, without targets; the last one has no name.
extern const cli_option cli_common_options[];

// Read options and arguments, before and after each other. Mistakes and help are printed. With a visitor
// nothing is read: it sees the table, and the command ends. So the table of a command is all there is to
// know of its options, and a command calls this before it does anything else.
cli_exit cli_parse(cli* c, const cli_command* command, const cli_option* option, int noption,
                   int argc, char** argv);

struct cli_visitor {
  void (*see)(void* user, const cli_command* command, const cli_option* option, int noption);
  void* user;
};

// "A, B or C" of the choices, or of the endings.
void cli_write_list(const cli_option* o, char* out, size_t size);

// A mistake in the use of a command, with a hint to its help; returns CLI_USAGE.
cli_exit cli_misuse(const char* command, const char* format, ...)
    __attribute__((format(printf, 2, 3)));

// No memory; returns CLI_FAIL.
cli_exit cli_no_memory(void);

// Whether the name of a file ends in one of these: ".csv .h5".
bool cli_ends_in(const char* path, const char* endings);

// What --objective of commands is about.
#define CLI_ABOUT_OBJECTIVES "objectives to compute, separated by commas; all by default"

// Choices that commands share; NULL where there is no i-th.
const char* cli_sens_method(int i);
const char* cli_events_kind(int i);

// The words of an option between commas (`text` NULL: none), with room for one more. A word that is empty
// is a mistake. Free it in any case.
typedef struct cli_list {
  const char** word;
  int n;
  char* room;
} cli_list;

cli_exit cli_words(const char* command, const char* option, const char* text, cli_list* out);
void cli_list_free(cli_list* list);

// Print what the context has to say since the last call: errors always, the rest unless --quiet.
void cli_tell(cli* c);

// Folder of the models: that of the source, else ../share/jounce/models beside the program, else
// the installed one.
void cli_models_folder(char out[CLI_PATH]);

// The file of argument 0 as a model, and as a system. Failures are printed.
cli_exit cli_load(cli* c, jo_model** model);
cli_exit cli_load_system(cli* c, jo_model** model, jo_system** system);
// A system of a model as the options ask, compiled or not as the command line does.
// CPU time of the command so far, with that of compilers it ran [s].
double cli_cpu(void);
cli_exit cli_prepare(cli* c, const jo_model* model, const jo_system_options* opt,
                     jo_system** system);

#endif
