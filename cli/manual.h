// SPDX-License-Identifier: Apache-2.0
// Man pages and completion of shells, written from the tables of the commands: what --help prints, as files.
#ifndef CLI_MANUAL_H
#define CLI_MANUAL_H

#include "cli.h"

// A command with its options.
typedef struct manual_page {
  const cli_command* command;
  const cli_option* option;
  int noption;
} manual_page;

// The options of the command, then those of every command; NULL where there is no i-th.
const cli_option* manual_option_at(const manual_page* page, int i);

// What may stand where a value or an argument is asked for.
typedef enum manual_kind {
  MANUAL_ANY,    // numbers, names of the model: nothing to offer
  MANUAL_WORDS,  // one of `list`
  MANUAL_FILES,  // a file whose name ends in one of `list`; where that is empty, any
  MANUAL_FOLDERS,
} manual_kind;

typedef struct manual_value {
  manual_kind kind;
  char name[64];   // as the help calls it
  char list[512];  // with a blank between
} manual_value;

manual_value manual_value_of(const cli_option* option);
// False where there is no i-th argument.
bool manual_argument_at(const cli_command* command, int i, manual_value* out);

// Behind the blank of "loads reconstruct"; NULL where the name is one word.
const char* manual_second_word(const cli_command* command);
// Whether it is such a command behind the name of the other.
bool manual_is_below(const cli_command* command, const char* first);

// Text that grows; once memory has ended it stays lost.
typedef struct manual_text {
  char* text;
  size_t size, room;
  bool is_lost;
} manual_text;

void manual_put(manual_text* t, const char* text);
void manual_put_char(manual_text* t, char c);
void manual_print(manual_text* t, const char* format, ...) __attribute__((format(printf, 2, 3)));
// The list as a shell wants it: every word between `before` and `after`, with `between` between.
void manual_put_list(manual_text* t, const char* list, const char* before, const char* between,
                     const char* after);
// Text where none of the characters `special` may stand without `before` in front of it.
void manual_put_escaped(manual_text* t, const char* text, const char* special, const char* before);

// A kind of file, or of files: a format is a file manual_<name>.c and a line in the table of cmd_manual.c.
typedef struct manual_format {
  const char* name;
  const char* file;    // what begin, page and end write, in this order
  const char* ending;  // of a file of its own per command; NULL: all in one
  void (*begin)(manual_text* t);
  void (*page)(manual_text* t, const manual_page* page);  // of a command
  void (*end)(manual_text* t);                            // NULL: nothing
} manual_format;

extern const manual_format manual_man, manual_bash, manual_zsh, manual_fish;

#endif
