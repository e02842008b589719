// SPDX-License-Identifier: Apache-2.0
// What all files of text have in common, whoever wrote them: a mark of byte order before the first line, bytes that no
// text has, and an end that may be missing.
#ifndef JBASE_TEXT_FILE_H
#define JBASE_TEXT_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "jounce/base.h"

// Length of the mark of byte order that a text in UTF-8 may begin with; 0: it has none.
size_t jtext_mark(const char* text, size_t n);

// Goes past that mark. What is no text is an error that names the line: bytes of zero, and UTF-16. A last line
// without an end is a warning, for numbers that were cut off cannot be told from short ones. Encodings other than UTF-8
// pass: comments of other programs have them.
jo_status jtext_open(jo_context* ctx, const char* path, const char** text, size_t* n);

#endif
