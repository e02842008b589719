// SPDX-License-Identifier: Apache-2.0
#include "model/tyre/tir_signs.h"

#include <math.h>
#include <string.h>

#include "base/err.h"
#include "expr/parse/parse.h"

const jmodel_tir_sign jmodel_tir_sign_table[JTIR_SIGNS] = {
#define SIGN(what, from, c1, c2, nominal, zero) {what, from, JTIR_##c1, JTIR_##c2, nominal, zero},
#include "model/tyre/tir_signs.def"
};

const char jmodel_tir_least_load[] = "FZMIN";

const char* jmodel_tir_most_load(bool has_most) {
  return has_most ? "FZMAX" : "2*LFZO*FNOMIN";
}

static bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static size_t word_length(const char* s) {
  size_t n = 0;
  while (is_letter(s[n]) || (n > 0 && s[n] >= '0' && s[n] <= '9')) {
    n++;
  }
  return n;
}

// The coefficient, dp, or -1: a function of expressions.
static int find(const char* word, size_t n) {
  char name[32];
  if (n >= sizeof name) return -1;
  memcpy(name, word, n);
  name[n] = '\0';
  return strcmp(name, "dp") == 0 ? JTIR_COUNT : jmodel_tir_find(name);
}

const char* jmodel_tir_write(jarena* a, const char* formula, jmodel_tir_text* text, void* user) {
  const char* out = "";
  for (const char* s = formula; *s && out;) {
    size_t n = word_length(s);
    int i = n > 0 ? find(s, n) : -1;
    const char* value = i >= 0 ? text(user, a, i) : NULL;
    if (i >= 0 && !value) return NULL;
    if (n == 0) n = 1;
    out = i >= 0 ? jarena_printf(a, "%s(%s)", out, value)
                 : jarena_printf(a, "%s%.*s", out, (int)n, s);
    s += n;
  }
  return out;
}

static const char* number_text(void* user, jarena* a, int i) {
  const jmodel_tir* t = *(const jmodel_tir**)user;
  const double* v = t->value;
  double p = t->line[JTIR_INFLPRES] > 0 ? v[JTIR_INFLPRES] : v[JTIR_NOMPRES];
  bool has_pressure = t->version != JTIR_52 && v[JTIR_NOMPRES] != 0.0;
  double dp = has_pressure ? (p - v[JTIR_NOMPRES]) / v[JTIR_NOMPRES] : 0.0;
  return jarena_printf(a, "%.17g", i == JTIR_COUNT ? dp : v[i]);
}

static jexpr_ref find_nothing(void* user, jexpr_graph* g, const char* name, size_t n) {
  (void)user, (void)g, (void)name, (void)n;
  return JEXPR_POISON;
}

// Of constants the graph makes one, or a mistake: what is divided by zero has no value.
static jo_status fold(jexpr_graph* g, const char* text, double* out) {
  jexpr_scope scope = {.find = find_nothing};
  jexpr_ref r = JEXPR_POISON;
  int said = jo_context_diagnostic_count(g->ctx);
  jo_status status = jexpr_parse(g, text, strlen(text), &scope, "", &r);
  if (status == JO_ERR_MEMORY || g->status == JO_ERR_MEMORY) return JO_ERR_MEMORY;
  *out = status >= 0 && jexpr_is_const(g, r) ? jexpr_const_value(g, r) : (double)NAN;
  jerr_forget(g->ctx, said);
  return JO_OK;
}

jo_status jmodel_tir_value(jo_context* ctx, const jmodel_tir* t, const char* formula, double* out) {
  jarena a;
  jarena_init(&a, ctx);
  const char* text = jmodel_tir_write(&a, formula, number_text, &t);
  jexpr_graph* g = text ? jexpr_graph_create(ctx) : NULL;
  jo_status status = g ? fold(g, text, out) : jerr_memory(ctx);
  jexpr_graph_destroy(g);
  jarena_free(&a);
  return status;
}
