// SPDX-License-Identifier: Apache-2.0
// Recursive-descent parser from text straight to graph nodes. Grammar: docs/expressions.md, one
// function per rule here, loosest binding first.
//
// The first mistake is reported and then replaces the look-ahead by an end, so every rule above it
// unwinds without asking; whatever is complained about on the way is dropped.
#include "expr/parse/parse.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "base/text/format.h"
#include "base/text/text.h"
#include "expr/function.h"
#include "expr/parse/lex.h"
#include "expr/tape/order.h"

#define MAX_TEXT  65536  // bytes
#define MAX_DEPTH 200    // parentheses, calls, signs, exponents within each other
#define MAX_ARGS  64
#define MAX_CALLS 200000  // functions written out in one graph
#define SHOWN     60      // most bytes of a name repeated in a message

#define PI 3.14159265358979323846

typedef struct parser {
  jexpr_graph* g;
  const jexpr_scope* scope;
  const char* where;
  const char* colon;       // between where and the column, when there is a where
  const jexpr_call* call;  // the function whose text is read; NULL: none
  jexpr_lexer lexer;
  jexpr_token token;  // look-ahead
  size_t end;         // of the token before it
  int depth;
  int* total_depth;  // of all texts read within each other
  jo_status status;  // of the first mistake
} parser;

typedef struct value {
  jexpr_ref ref;
  bool truth;  // known to be 0 or 1
} value;

static const value nothing = {JEXPR_POISON, false};

// ---- mistakes

static void stop(parser* p, jo_status status) {
  p->status = status;
  p->token = (jexpr_token){.kind = JEXPR_TOKEN_END, .start = p->token.start};
}

JERR_PRINTF(4, 5)
static value fail(parser* p, jo_status status, size_t at, const char* format, ...) {
  if (p->status < 0) return nothing;
  char cause[512];
  va_list args;
  va_start(args, format);
  jformat_v(cause, sizeof cause, format, args);
  va_end(args);
  stop(p, jerr_set(p->g->ctx, status, "%s%scolumn %d: %s", p->where, p->colon,
                   jexpr_lex_column(p->lexer.text, at), cause));
  return nothing;
}

static const char* text_of(const parser* p, const jexpr_token* t) {
  return p->lexer.text + t->start;
}

static int shown(size_t length) {
  return length < SHOWN ? (int)length : SHOWN;
}

static value unexpected(parser* p, const char* hint) {
  const jexpr_token* t = &p->token;
  if (t->kind == JEXPR_TOKEN_BAD) {
    char cause[256];
    jexpr_lex_cause(&p->lexer, t, cause, sizeof cause);
    return fail(p, JO_ERR_SYNTAX, t->start, "%s", cause);
  }
  if (t->kind == JEXPR_TOKEN_END) {
    return fail(p, JO_ERR_SYNTAX, t->start, "unexpected end%s", hint);
  }
  return fail(p, JO_ERR_SYNTAX, t->start, "unexpected '%.*s'%s", shown(t->length), text_of(p, t),
              hint);
}

static value not_finite(parser* p, size_t at) {
  return fail(p, JO_ERR_NUMERIC, at, "the expression is not finite");
}

// A node just built from good operands: poison means that the graph failed.
static value built(parser* p, jexpr_ref ref, bool truth, size_t at) {
  if (p->status < 0) return nothing;
  if (ref == JEXPR_POISON) {
    jo_status status = jexpr_graph_status(p->g);
    stop(p, status < 0 ? status : JO_ERR_ARGUMENT);
    return nothing;
  }
  if (jexpr_is_const(p->g, ref) && !isfinite(jexpr_const_value(p->g, ref))) {
    return not_finite(p, at);
  }
  return (value){ref, truth};
}

// ---- tokens

static void advance(parser* p) {
  if (p->status < 0) return;
  p->end = p->token.start + p->token.length;
  p->token = jexpr_lex_next(&p->lexer);
}

static bool accept(parser* p, jexpr_token_kind kind) {
  if (p->token.kind != kind) return false;
  advance(p);
  return true;
}

static bool enter(parser* p, size_t at) {
  if (p->depth == MAX_DEPTH) {
    fail(p, JO_ERR_LIMIT, at, "nested deeper than %d levels", MAX_DEPTH);
    return false;
  }
  p->depth++;
  ++*p->total_depth;
  return true;
}

static void leave(parser* p) {
  p->depth--;
  --*p->total_depth;
}

// Is the comma at hand a decimal comma, as in 0,5?
static bool is_decimal_comma(const parser* p) {
  size_t at = p->token.start;
  if (p->token.kind != JEXPR_TOKEN_COMMA || at == 0 || p->end != at) return false;
  if (at + 1 == p->lexer.n) return false;
  char before = p->lexer.text[at - 1];
  char after = p->lexer.text[at + 1];
  return before >= '0' && before <= '9' && after >= '0' && after <= '9';
}

// Complain about what stands where an expression could have gone on or ended.
static value not_followed(parser* p) {
  switch (p->token.kind) {
    case JEXPR_TOKEN_NUMBER:
    case JEXPR_TOKEN_NAME:
    case JEXPR_TOKEN_OPEN:
    case JEXPR_TOKEN_NOT: return unexpected(p, "; an operator is missing before it");
    case JEXPR_TOKEN_CLOSE: return unexpected(p, "; it closes no '('");
    case JEXPR_TOKEN_COMMA:
      return unexpected(p, is_decimal_comma(p) ? "; write the decimal point as '.'" : "");
    default: return unexpected(p, "");
  }
}

static void expect_close(parser* p, size_t open) {
  switch (p->token.kind) {
    case JEXPR_TOKEN_CLOSE: advance(p); return;
    case JEXPR_TOKEN_END:
    case JEXPR_TOKEN_COMMA:
      fail(p, JO_ERR_SYNTAX, p->token.start, "expected ')' to close '(' at column %d%s",
           jexpr_lex_column(p->lexer.text, open),
           is_decimal_comma(p) ? "; write the decimal point as '.'" : "");
      return;
    default: not_followed(p); return;
  }
}

// ---- truth values

static value negation(parser* p, value a, size_t at) {
  jexpr_graph* g = p->g;
  jexpr_ref ref =
      a.truth ? jexpr_sub(g, jexpr_const(g, 1.0), a.ref) : jexpr_eq(g, a.ref, jexpr_const(g, 0.0));
  return built(p, ref, true, at);
}

static value truth(parser* p, value a, size_t at) {
  if (p->status < 0) return nothing;
  uint32_t op = jexpr_at(p->g, a.ref)->op;
  bool known = a.truth || op == JEXPR_LT || op == JEXPR_LE || op == JEXPR_EQ;
  if (known || jexpr_is_value(p->g, a.ref, 0.0) || jexpr_is_value(p->g, a.ref, 1.0)) {
    return (value){a.ref, true};
  }
  return negation(p, negation(p, a, at), at);
}

// ---- names

static bool is_word(const char* s, size_t n, const char* word) {
  return n == strlen(word) && memcmp(s, word, n) == 0;
}

typedef struct named_constant {
  const char* name;
  double value;
} named_constant;

static const named_constant constants[] = {{"pi", PI}, {"tau", 2.0 * PI}};
#define NCONSTANT ((int)(sizeof constants / sizeof constants[0]))

static const named_constant* find_constant(const char* name, size_t n) {
  for (int i = 0; i < NCONSTANT; i++) {
    if (is_word(name, n, constants[i].name)) return &constants[i];
  }
  return NULL;
}

typedef struct foreign_name {
  const char* name;
  const char* hint;
} foreign_name;

// Names of other languages that are too far from ours to be found by resemblance.
static const foreign_name foreign[] = {
    {"ln", "use log"},      {"log10", "use log(x)/log(10)"},
    {"fabs", "use abs"},    {"sgn", "use sign"},
    {"arctan", "use atan"}, {"arcsin", "use asin"},
    {"arccos", "use acos"}, {"select", "use if"},
    {"e", "use exp(1)"},    {"true", "use 1"},
    {"false", "use 0"},
};

typedef struct search {
  const char* name;
  size_t n;
  const char* best;
  int distance;  // of the best
} search;

static void consider(search* s, const char* candidate) {
  size_t n = strlen(candidate);
  if (n > SHOWN || is_word(s->name, s->n, candidate)) return;  // the same: known, but not here
  int distance = jtext_distance(s->name, s->n, candidate, n);
  // a third of the letters may differ, never all of them
  int limit = s->n < 6 ? 1 : (int)(s->n / 3);
  if (distance > limit || distance >= (int)s->n || distance >= s->distance) return;
  s->best = candidate;
  s->distance = distance;
}

static void consider_functions(search* s) {
  for (int i = 0; jexpr_function_name(i); i++) {
    consider(s, jexpr_function_name(i));
  }
}

static const char* find_foreign(const char* name, size_t n) {
  for (size_t i = 0; i < sizeof foreign / sizeof foreign[0]; i++) {
    if (is_word(name, n, foreign[i].name)) return foreign[i].hint;
  }
  return NULL;
}

static value unknown(parser* p, const jexpr_token* t, const char* kind, bool is_call) {
  search s = {text_of(p, t), t->length, NULL, SHOWN};
  const jexpr_scope* scope = p->scope;
  const char* hint = find_foreign(s.name, s.n);
  if (hint) {
    return fail(p, JO_ERR_SYNTAX, t->start, "unknown %s '%.*s'; %s", kind, shown(s.n), s.name,
                hint);
  }
  const char* why = scope && scope->why ? scope->why(scope->user, s.name, s.n) : NULL;
  if (why) {
    return fail(p, JO_ERR_SYNTAX, t->start, "'%.*s' is %s", shown(s.n), s.name, why);
  }
  const char* candidate;
  bool can_search = s.n <= SHOWN;
  for (int i = 0; can_search && scope && scope->suggest; i++) {
    candidate = scope->suggest(scope->user, i);
    if (!candidate) break;
    consider(&s, candidate);
  }
  for (int i = 0; can_search && p->call && i < p->call->nargs; i++) {
    consider(&s, p->call->name[i]);
  }
  for (int i = 0; can_search && !is_call && i < NCONSTANT; i++) {
    consider(&s, constants[i].name);
  }
  if (can_search && is_call) consider_functions(&s);
  if (!s.best) {
    return fail(p, JO_ERR_SYNTAX, t->start, "unknown %s '%.*s'", kind, shown(s.n), s.name);
  }
  return fail(p, JO_ERR_SYNTAX, t->start, "unknown %s '%.*s'; did you mean '%s'?", kind, shown(s.n),
              s.name, s.best);
}

static jexpr_ref find_name(parser* p, const jexpr_token* t) {
  const jexpr_scope* scope = p->scope;
  for (int i = 0; p->call && i < p->call->nargs; i++) {
    if (is_word(text_of(p, t), t->length, p->call->name[i])) return p->call->value[i];
  }
  if (!scope || !scope->find) return JEXPR_POISON;
  return scope->find(scope->user, p->g, text_of(p, t), t->length);
}

static value name_value(parser* p, const jexpr_token* t) {
  const char* name = text_of(p, t);
  const named_constant* constant = find_constant(name, t->length);
  jexpr_ref ref = find_name(p, t);
  if (ref != JEXPR_POISON) {
    if (constant) {
      jerr_warn(p->g->ctx, "%s%scolumn %d: '%s' is a name of the model here, not the constant",
                p->where, p->colon, jexpr_lex_column(p->lexer.text, t->start), constant->name);
    }
    return built(p, ref, false, t->start);
  }
  if (jexpr_graph_status(p->g) < 0) return built(p, ref, false, t->start);
  if (constant) return built(p, jexpr_const(p->g, constant->value), false, t->start);
  jexpr_function f;
  if (jexpr_function_find(name, t->length, &f)) {
    return fail(p, JO_ERR_SYNTAX, t->start, "'%s' is a function; write %s(...)", f.name, f.name);
  }
  return unknown(p, t, "name", false);
}

// ---- calls

static value wrong_count(parser* p, const jexpr_token* t, const char* least, int expected,
                         int nargs) {
  return fail(p, JO_ERR_SYNTAX, t->start, "%.*s takes %s%d argument%s, got %d", shown(t->length),
              text_of(p, t), least, expected, expected == 1 ? "" : "s", nargs);
}

static value call_function(parser* p, const jexpr_token* t, const jexpr_function* f,
                           const jexpr_ref* x, int nargs) {
  jexpr_graph* g = p->g;
  bool folds = f->op == JEXPR_MIN || f->op == JEXPR_MAX, is_list = folds || f->nargs == JEXPR_LIST;
  int least = folds ? 2 : 1;
  if (is_list && nargs < least) return wrong_count(p, t, "at least ", least, nargs);
  if (!is_list && nargs != f->nargs) return wrong_count(p, t, "", f->nargs, nargs);

  if (f->build) return built(p, f->build(g, x, nargs), f->is_truth, t->start);
  jexpr_ref ref = jexpr_apply(g, f->op, x[0], nargs > 1 ? x[1] : JEXPR_POISON, JEXPR_POISON);
  for (int i = 2; i < nargs; i++) {
    ref = jexpr_apply(g, f->op, ref, x[i], JEXPR_POISON);
  }
  return built(p, ref, false, t->start);
}

// Whether the model has a function or a table of this name: it then says how many arguments it needs.
static bool can_be_called(parser* p, const char* name) {
  const jexpr_scope* scope = p->scope;
  int expected = -1;
  scope->call(scope->user, p->g, name, strlen(name), NULL, -1, &expected);
  return expected >= 0;
}

static value no_function(parser* p, const jexpr_token* t) {
  search s = {text_of(p, t), t->length, NULL, SHOWN};
  const jexpr_scope* scope = p->scope;
  for (int i = 0; scope && scope->suggest && scope->call && s.n <= SHOWN; i++) {
    const char* candidate = scope->suggest(scope->user, i);
    if (!candidate) break;
    if (can_be_called(p, candidate)) consider(&s, candidate);
  }
  if (s.n <= SHOWN) consider_functions(&s);
  if (!s.best) {
    return fail(p, JO_ERR_SYNTAX, t->start, "'%.*s' is not a function; a product needs '*'",
                shown(s.n), s.name);
  }
  return fail(p, JO_ERR_SYNTAX, t->start,
              "'%.*s' is not a function; did you mean '%s'? a product needs '*'", shown(s.n),
              s.name, s.best);
}

static value call_scope(parser* p, const jexpr_token* t, const jexpr_ref* x, int nargs) {
  const jexpr_scope* scope = p->scope;
  int expected = -1;
  jexpr_ref ref = JEXPR_POISON;
  if (scope && scope->call) {
    ref = scope->call(scope->user, p->g, text_of(p, t), t->length, x, nargs, &expected);
  }
  if (ref != JEXPR_POISON || jexpr_graph_status(p->g) < 0) return built(p, ref, false, t->start);
  if (expected == JEXPR_TOLD) {
    if (p->status >= 0) stop(p, JO_ERR_SYNTAX);
    return nothing;
  }
  if (expected >= 0) return wrong_count(p, t, "", expected, nargs);
  jexpr_function f;
  if (jexpr_function_find(text_of(p, t), t->length, &f)) return call_function(p, t, &f, x, nargs);
  if (find_constant(text_of(p, t), t->length) || find_name(p, t) != JEXPR_POISON) {
    return no_function(p, t);
  }
  return unknown(p, t, "function", true);
}

static value parse_or(parser* p);

// call = name "(" [ or { "," or } ] ")"
static value parse_call(parser* p, const jexpr_token* t) {
  jexpr_ref x[MAX_ARGS];
  int nargs = 0;
  size_t open = p->token.start;
  if (!enter(p, open)) return nothing;
  advance(p);
  if (p->token.kind != JEXPR_TOKEN_CLOSE) {
    do {
      if (nargs == MAX_ARGS) {
        return fail(p, JO_ERR_LIMIT, p->token.start, "more than %d arguments", MAX_ARGS);
      }
      x[nargs++] = parse_or(p).ref;
    } while (accept(p, JEXPR_TOKEN_COMMA));
  }
  expect_close(p, open);
  leave(p);
  if (p->status < 0) return nothing;
  jexpr_function f;
  bool is_ours = jexpr_function_find(text_of(p, t), t->length, &f) && f.nargs != JEXPR_LIST;
  return is_ours ? call_function(p, t, &f, x, nargs) : call_scope(p, t, x, nargs);
}

// ---- grammar

static value parse_group(parser* p) {
  size_t open = p->token.start;
  if (!enter(p, open)) return nothing;
  advance(p);
  value a = parse_or(p);
  expect_close(p, open);
  leave(p);
  return p->status < 0 ? nothing : a;
}

// primary = number | name | call | "(" or ")"
static value parse_primary(parser* p) {
  jexpr_token t = p->token;
  switch (t.kind) {
    case JEXPR_TOKEN_NUMBER:
      advance(p);
      return built(p, jexpr_const(p->g, t.value), false, t.start);
    case JEXPR_TOKEN_NAME:
      advance(p);
      return p->token.kind == JEXPR_TOKEN_OPEN ? parse_call(p, &t) : name_value(p, &t);
    case JEXPR_TOKEN_OPEN: return parse_group(p);
    case JEXPR_TOKEN_END: return unexpected(p, "; a value is missing");
    case JEXPR_TOKEN_NOT: return unexpected(p, "; put the negation in parentheses");
    default: return unexpected(p, "; a value is missing before it");
  }
}

static value parse_unary(parser* p);

// power = primary [ "^" unary ]
static value parse_power(parser* p) {
  value a = parse_primary(p);
  size_t at = p->token.start;
  if (p->token.kind != JEXPR_TOKEN_CARET) return a;
  if (!enter(p, at)) return nothing;
  advance(p);
  value b = parse_unary(p);
  leave(p);
  if (p->status < 0) return nothing;
  return built(p, jexpr_pow(p->g, a.ref, b.ref), false, at);
}

// unary = ( "-" | "+" ) unary | power
static value parse_unary(parser* p) {
  jexpr_token t = p->token;
  if (t.kind != JEXPR_TOKEN_MINUS && t.kind != JEXPR_TOKEN_PLUS) return parse_power(p);
  if (!enter(p, t.start)) return nothing;
  advance(p);
  value a = parse_unary(p);
  leave(p);
  if (p->status < 0 || t.kind == JEXPR_TOKEN_PLUS) return a;
  return built(p, jexpr_neg(p->g, a.ref), false, t.start);
}

// product = unary { ( "*" | "/" ) unary }
static value parse_product(parser* p) {
  value a = parse_unary(p);
  for (;;) {
    size_t at = p->token.start;
    jexpr_token_kind kind = p->token.kind;
    if (kind != JEXPR_TOKEN_STAR && kind != JEXPR_TOKEN_SLASH) return a;
    advance(p);
    value b = parse_unary(p);
    if (p->status < 0) return nothing;
    jexpr_op op = kind == JEXPR_TOKEN_STAR ? JEXPR_MUL : JEXPR_DIV;
    // x/0 stays a quotient in the graph, but no x makes it finite
    if (op == JEXPR_DIV && jexpr_is_value(p->g, b.ref, 0.0)) return not_finite(p, at);
    a = built(p, jexpr_apply(p->g, op, a.ref, b.ref, JEXPR_POISON), false, at);
  }
}

// sum = product { ( "+" | "-" ) product }
static value parse_sum(parser* p) {
  value a = parse_product(p);
  for (;;) {
    size_t at = p->token.start;
    jexpr_token_kind kind = p->token.kind;
    if (kind != JEXPR_TOKEN_PLUS && kind != JEXPR_TOKEN_MINUS) return a;
    advance(p);
    value b = parse_product(p);
    if (p->status < 0) return nothing;
    jexpr_op op = kind == JEXPR_TOKEN_PLUS ? JEXPR_ADD : JEXPR_SUB;
    a = built(p, jexpr_apply(p->g, op, a.ref, b.ref, JEXPR_POISON), false, at);
  }
}

static bool is_comparison(jexpr_token_kind kind) {
  return kind >= JEXPR_TOKEN_LT && kind <= JEXPR_TOKEN_NE;
}

static value compare(parser* p, jexpr_token_kind kind, jexpr_ref a, jexpr_ref b, size_t at) {
  jexpr_graph* g = p->g;
  switch (kind) {
    case JEXPR_TOKEN_LT: return built(p, jexpr_lt(g, a, b), true, at);
    case JEXPR_TOKEN_LE: return built(p, jexpr_le(g, a, b), true, at);
    case JEXPR_TOKEN_GT: return built(p, jexpr_lt(g, b, a), true, at);
    case JEXPR_TOKEN_GE: return built(p, jexpr_le(g, b, a), true, at);
    case JEXPR_TOKEN_EQ: return built(p, jexpr_eq(g, a, b), true, at);
    default: return negation(p, built(p, jexpr_eq(g, a, b), true, at), at);
  }
}

// comparison = sum [ ( "<" | "<=" | ">" | ">=" | "==" | "!=" ) sum ]
static value parse_comparison(parser* p) {
  value a = parse_sum(p);
  jexpr_token t = p->token;
  if (!is_comparison(t.kind)) return a;
  advance(p);
  value b = parse_sum(p);
  if (p->status < 0) return nothing;
  if (is_comparison(p->token.kind)) {
    return fail(p, JO_ERR_SYNTAX, p->token.start,
                "comparisons do not chain; write 'a < b and b < c'");
  }
  return compare(p, t.kind, a.ref, b.ref, t.start);
}

// not = "not" not | comparison
static value parse_not(parser* p) {
  size_t at = p->token.start;
  if (p->token.kind != JEXPR_TOKEN_NOT) return parse_comparison(p);
  if (!enter(p, at)) return nothing;
  advance(p);
  value a = parse_not(p);
  leave(p);
  if (p->status < 0) return nothing;
  return negation(p, a, at);
}

// and = not { "and" not }
static value parse_and(parser* p) {
  value a = parse_not(p);
  for (;;) {
    size_t at = p->token.start;
    if (!accept(p, JEXPR_TOKEN_AND)) return a;
    value b = parse_not(p);
    a = truth(p, a, at);
    b = truth(p, b, at);
    if (p->status < 0) return nothing;
    a = built(p, jexpr_mul(p->g, a.ref, b.ref), true, at);
  }
}

// or = and { "or" and }
static value parse_or(parser* p) {
  value a = parse_and(p);
  for (;;) {
    size_t at = p->token.start;
    if (!accept(p, JEXPR_TOKEN_OR)) return a;
    value b = parse_and(p);
    a = truth(p, a, at);
    b = truth(p, b, at);
    if (p->status < 0) return nothing;
    a = built(p, jexpr_max(p->g, a.ref, b.ref), true, at);
  }
}

static jo_status parse(jexpr_graph* g, const char* text, size_t n, const jexpr_scope* scope,
                       const char* where, const jexpr_call* call, jexpr_ref* out) {
  *out = JEXPR_POISON;
  JO_TRY(jexpr_graph_status(g));
  int depth = 0;
  parser p = {.g = g, .scope = scope, .call = call, .lexer = {text, n, 0}};
  p.total_depth = scope && scope->depth ? scope->depth : &depth;
  depth = *p.total_depth;
  p.where = where ? where : "";
  p.colon = p.where[0] ? ": " : "";
  if (n > MAX_TEXT) {
    fail(&p, JO_ERR_LIMIT, MAX_TEXT, "the expression is longer than %d bytes", MAX_TEXT);
    return p.status;
  }
  advance(&p);
  if (p.token.kind == JEXPR_TOKEN_END) {
    fail(&p, JO_ERR_SYNTAX, 0, "the expression is empty");
    return p.status;
  }
  value a = parse_or(&p);
  *p.total_depth = depth;  // mistakes do not leave what they entered
  if (p.status >= 0 && p.token.kind != JEXPR_TOKEN_END) not_followed(&p);
  if (p.status >= 0) *out = a.ref;
  return p.status;
}

jo_status jexpr_parse(jexpr_graph* g, const char* text, size_t n, const jexpr_scope* scope,
                      const char* where, jexpr_ref* out) {
  return parse(g, text, n, scope, where, NULL, out);
}

jo_status jexpr_parse_call(jexpr_graph* g, const jexpr_call* call, const jexpr_scope* scope,
                           const char* where, jexpr_ref* out) {
  *out = JEXPR_POISON;
  if (*scope->depth + JEXPR_NAME_LEVELS > JEXPR_DEEPEST) {
    return jerr_set(g->ctx, JO_ERR_LIMIT,
                    "%s: functions and names are nested deeper than %d levels", where,
                    JEXPR_DEEPEST);
  }
  if (g->ncall >= MAX_CALLS) {
    return jerr_set(g->ctx, JO_ERR_LIMIT, "%s: more than %d calls of functions, written out", where,
                    MAX_CALLS);
  }
  g->ncall++;
  *scope->depth += JEXPR_NAME_LEVELS;
  jo_status status = parse(g, call->text, strlen(call->text), scope, where, call, out);
  *scope->depth -= JEXPR_NAME_LEVELS;
  return status;
}
