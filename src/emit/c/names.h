// SPDX-License-Identifier: Apache-2.0
// Names of the user's on their way into C source: nothing passes that could end a comment, start
// another token or collide with a name of ours.
#ifndef JEMIT_NAMES_H
#define JEMIT_NAMES_H

#include <stdbool.h>

#include "base/text/text.h"

// Most characters of a user's text in a comment or a symbol.
#define JEMIT_NAME_LIMIT 60

// For comments: letters, digits and harmless punctuation stay, the rest becomes '_'.
void jemit_put_comment(jtext* t, const char* s);

// For the tail of a C symbol: letters and digits stay, the rest becomes '_'.
void jemit_put_symbol(jtext* t, const char* s);

// May stand as the name of an array in emitted code: short, lower case, no keyword, no function
// used by an operator, and nothing of the form of our own names (t12, t12_3, l12, v12, g12, in3, out, w, jk_...).
bool jemit_is_plain_name(const char* s);

#endif
