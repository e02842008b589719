// SPDX-License-Identifier: Apache-2.0
// Cuts expressions into tokens. Knows ASCII only, whatever the locale; other characters are bad
// tokens, and those that people paste from documents (a typographic minus, a middle dot) get a hint
// that says what to type instead.
#include "expr/parse/lex.h"

#include <math.h>
#include <string.h>

#include "base/text/format.h"
#include "base/text/text.h"

#define SHOWN 60  // most bytes of a token repeated in a message

static bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

static bool is_name_start(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_name_part(char c) {
  return is_name_start(c) || is_digit(c);
}

// The byte `ahead` of the reading place; 0 behind the end.
static char peek(const jexpr_lexer* lexer, size_t ahead) {
  return ahead < lexer->n - lexer->at ? lexer->text[lexer->at + ahead] : '\0';
}

static void skip_space(jexpr_lexer* lexer) {
  while (lexer->at < lexer->n) {
    char c = lexer->text[lexer->at];
    if (c != ' ' && c != '\t' && c != '\n' && c != '\r') return;
    lexer->at++;
  }
}

// Everything that stands glued to a misshapen number or name, so that the message shows all of it.
static void take_word(jexpr_lexer* lexer) {
  while (is_name_part(peek(lexer, 0)) || peek(lexer, 0) == '.') {
    lexer->at++;
  }
}

static jexpr_token_kind lex_number(jexpr_lexer* lexer, double* value) {
  lexer->at += jtext_scan_number(lexer->text + lexer->at, lexer->n - lexer->at, value);
  bool glued = is_name_part(peek(lexer, 0)) || peek(lexer, 0) == '.';
  if (!glued && isfinite(*value)) return JEXPR_TOKEN_NUMBER;
  take_word(lexer);
  return JEXPR_TOKEN_BAD;
}

static bool is_word(const char* s, size_t n, const char* word) {
  return n == strlen(word) && memcmp(s, word, n) == 0;
}

static jexpr_token_kind lex_name(jexpr_lexer* lexer) {
  const char* s = lexer->text + lexer->at;
  size_t start = lexer->at;
  for (;;) {
    while (is_name_part(peek(lexer, 0))) {
      lexer->at++;
    }
    if (peek(lexer, 0) != '.') break;
    if (!is_name_start(peek(lexer, 1))) {
      take_word(lexer);
      return JEXPR_TOKEN_BAD;
    }
    lexer->at++;
  }
  size_t n = lexer->at - start;
  if (is_word(s, n, "and")) return JEXPR_TOKEN_AND;
  if (is_word(s, n, "or")) return JEXPR_TOKEN_OR;
  if (is_word(s, n, "not")) return JEXPR_TOKEN_NOT;
  return JEXPR_TOKEN_NAME;
}

typedef struct symbol {
  char text[3];
  jexpr_token_kind kind;
} symbol;

// longer symbols first
static const symbol symbols[] = {
    {"**", JEXPR_TOKEN_CARET}, {"<=", JEXPR_TOKEN_LE},   {">=", JEXPR_TOKEN_GE},
    {"==", JEXPR_TOKEN_EQ},    {"!=", JEXPR_TOKEN_NE},   {"&&", JEXPR_TOKEN_AND},
    {"||", JEXPR_TOKEN_OR},    {"+", JEXPR_TOKEN_PLUS},  {"-", JEXPR_TOKEN_MINUS},
    {"*", JEXPR_TOKEN_STAR},   {"/", JEXPR_TOKEN_SLASH}, {"^", JEXPR_TOKEN_CARET},
    {"(", JEXPR_TOKEN_OPEN},   {")", JEXPR_TOKEN_CLOSE}, {",", JEXPR_TOKEN_COMMA},
    {"<", JEXPR_TOKEN_LT},     {">", JEXPR_TOKEN_GT},    {"!", JEXPR_TOKEN_NOT},
};
#define NSYMBOL (sizeof symbols / sizeof symbols[0])

static jexpr_token_kind lex_symbol(jexpr_lexer* lexer) {
  size_t rest = lexer->n - lexer->at;
  const char* s = lexer->text + lexer->at;
  for (size_t i = 0; i < NSYMBOL; i++) {
    size_t length = strlen(symbols[i].text);
    if (length <= rest && memcmp(s, symbols[i].text, length) == 0) {
      lexer->at += length;
      return symbols[i].kind;
    }
  }
  bool shows;
  size_t length = jtext_character(s, rest, &shows);
  lexer->at += length > 0 ? length : 1;
  return JEXPR_TOKEN_BAD;
}

jexpr_token jexpr_lex_next(jexpr_lexer* lexer) {
  skip_space(lexer);
  jexpr_token token = {.kind = JEXPR_TOKEN_END, .start = lexer->at};
  if (lexer->at == lexer->n) return token;

  char c = peek(lexer, 0);
  if (is_digit(c) || (c == '.' && is_digit(peek(lexer, 1)))) {
    token.kind = lex_number(lexer, &token.value);
  } else if (is_name_start(c)) {
    token.kind = lex_name(lexer);
  } else {
    token.kind = lex_symbol(lexer);
  }
  token.length = lexer->at - token.start;
  return token;
}

int jexpr_lex_column(const char* text, size_t at) {
  int column = 1;
  for (size_t i = 0; i < at; i++) {
    if (((unsigned char)text[i] & 0xc0) != 0x80) column++;
  }
  return column;
}

typedef struct advice {
  const char* text;
  const char* hint;
} advice;

// What people write who know another language, or paste from a document.
static const advice advices[] = {
    {"=", "compare with '=='"},
    {"&", "write 'and'"},
    {"|", "write 'or'"},
    {"%", "use mod(a, b)"},
    {"?", "use if(condition, a, b)"},
    {":", "use if(condition, a, b)"},
    {"[", "group with '(' and ')'; names have no index"},
    {"]", "group with '(' and ')'; names have no index"},
    {"{", "group with '(' and ')'"},
    {"}", "group with '(' and ')'"},
    {"\xe2\x88\x92", "use '-'"},                      // minus sign
    {"\xe2\x80\x93", "use '-'"},                      // en dash
    {"\xe2\x80\x94", "use '-'"},                      // em dash
    {"\xe2\x80\x90", "use '-'"},                      // hyphen
    {"\xc3\x97", "use '*'"},                          // multiplication sign
    {"\xc2\xb7", "use '*'"},                          // middle dot
    {"\xe2\x8b\x85", "use '*'"},                      // dot operator
    {"\xc3\xb7", "use '/'"},                          // division sign
    {"\xe2\x89\xa4", "use '<='"},                     // less or equal
    {"\xe2\x89\xa5", "use '>='"},                     // greater or equal
    {"\xe2\x89\xa0", "use '!='"},                     // not equal
    {"\xc2\xb2", "use '^2'"},                         // superscript two
    {"\xc2\xb3", "use '^3'"},                         // superscript three
    {"\xe2\x88\x9a", "use sqrt(...)"},                // square root
    {"\xc2\xb0", "use deg(...)"},                     // degree sign
    {"\xcf\x80", "use pi"},                           // greek pi
    {"\xcf\x84", "use tau"},                          // greek tau
    {"\xc2\xa0", "it is a no-break space; use ' '"},  // no-break space
};

static const char* find_hint(const char* s, size_t n) {
  for (size_t i = 0; i < sizeof advices / sizeof advices[0]; i++) {
    if (is_word(s, n, advices[i].text)) return advices[i].hint;
  }
  if ((unsigned char)s[0] >= 0x80) return "names use A-Z, a-z, 0-9, '_' and '.'";
  return NULL;
}

static void number_cause(const char* s, size_t n, char* buffer, size_t size) {
  double value = 0.0;
  size_t used = jtext_scan_number(s, n, &value);
  int shown = n < SHOWN ? (int)n : SHOWN;
  if (used == n) {
    jformat(buffer, size, "the number '%.*s' is too large", shown, s);
    return;
  }
  // 2x is a product without its sign, 2e an unfinished number
  bool product = is_name_start(s[used]) && s[used] != 'e' && s[used] != 'E';
  jformat(buffer, size, "'%.*s' is not a number%s", shown, s,
          product ? "; a product needs '*'" : "");
}

void jexpr_lex_cause(const jexpr_lexer* lexer, const jexpr_token* bad, char* buffer, size_t size) {
  const char* s = lexer->text + bad->start;
  unsigned char c = (unsigned char)s[0];
  size_t n = bad->length;
  bool shows;
  size_t length = jtext_character(s, n, &shows);
  if (is_digit(s[0]) || (s[0] == '.' && n > 1)) {
    number_cause(s, n, buffer, size);
  } else if (is_name_start(s[0])) {
    jformat(buffer, size, "'%.*s' is not a name; a letter follows each '.'",
            n < SHOWN ? (int)n : SHOWN, s);
  } else if (c < 0x20 || c == 0x7f) {
    jformat(buffer, size, "unexpected control character 0x%02x", c);
  } else if (length == 0) {
    jformat(buffer, size, "byte 0x%02x is not UTF-8", c);
  } else if (!shows) {
    jformat(buffer, size, "unexpected control character beyond ASCII");
  } else {
    const char* hint = find_hint(s, n);
    jformat(buffer, size, "unexpected '%.*s'%s%s", (int)n, s, hint ? "; " : "", hint ? hint : "");
  }
}
