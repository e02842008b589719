// SPDX-License-Identifier: Apache-2.0
// Tokens of the expression language. Grammar: docs/expressions.md.
#ifndef JEXPR_LEX_H
#define JEXPR_LEX_H

#include <stdbool.h>
#include <stddef.h>

typedef enum jexpr_token_kind {
  JEXPR_TOKEN_END,
  JEXPR_TOKEN_BAD,  // cannot begin or be a token; jexpr_lex_cause says why
  JEXPR_TOKEN_NUMBER,
  JEXPR_TOKEN_NAME,
  JEXPR_TOKEN_PLUS,
  JEXPR_TOKEN_MINUS,
  JEXPR_TOKEN_STAR,
  JEXPR_TOKEN_SLASH,
  JEXPR_TOKEN_CARET,
  JEXPR_TOKEN_OPEN,
  JEXPR_TOKEN_CLOSE,
  JEXPR_TOKEN_COMMA,
  JEXPR_TOKEN_LT,
  JEXPR_TOKEN_LE,
  JEXPR_TOKEN_GT,
  JEXPR_TOKEN_GE,
  JEXPR_TOKEN_EQ,
  JEXPR_TOKEN_NE,
  JEXPR_TOKEN_AND,
  JEXPR_TOKEN_OR,
  JEXPR_TOKEN_NOT
} jexpr_token_kind;

typedef struct jexpr_token {
  jexpr_token_kind kind;
  size_t start, length;  // bytes of the text
  double value;          // of a number
} jexpr_token;

typedef struct jexpr_lexer {
  const char* text;
  size_t n;
  size_t at;  // next byte to read
} jexpr_lexer;

jexpr_token jexpr_lex_next(jexpr_lexer* lexer);

// The column of a byte, from 1, in characters of UTF-8.
int jexpr_lex_column(const char* text, size_t at);

// Write "cause; hint" of a bad token into buffer.
void jexpr_lex_cause(const jexpr_lexer* lexer, const jexpr_token* bad, char* buffer, size_t size);

#endif
