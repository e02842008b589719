// SPDX-License-Identifier: Apache-2.0
#include "model/select.h"

#include <string.h>

#include "model/read/reader.h"

static void take(jmodel_selection* s, int number) {
  if (s->taken[number]) return;
  s->taken[number] = true;
  s->wrt[s->n++] = number;
}

static jo_status take_name(jo_context* ctx, jmodel_selection* s, const char* name) {
  const jmodel* m = s->m;
  size_t n = strlen(name);
  bool all = strcmp(name, "all") == 0, parameters = strcmp(name, "parameters") == 0;
  bool begins = n > 0 && name[n - 1] == '*';
  int before = s->n, number = jmodel_find_number(m, name);
  if (number >= 0) {
    s->named[number] = true;
    take(s, number);
    return JO_OK;
  }
  bool fits = all || parameters || begins;
  for (int i = 0; fits && i < m->nnumber; i++) {
    const jmodel_number* k = &m->number[i];
    bool starts = begins && strncmp(k->path, name, n - 1) == 0;
    bool is_parameter = k->is_parameter && !k->is_input;
    if (all || (parameters && is_parameter) || starts) take(s, i);
  }
  // a pattern may repeat what is there already, but not stand for nothing
  if (fits && (s->n > before || !begins)) return JO_OK;
  return jmodel_number_named(ctx, m, name, &number);
}

jo_status jmodel_select(jo_context* ctx, jarena* a, const jmodel* m, const char* const* name, int n,
                        jmodel_selection* s) {
  *s = (jmodel_selection){.m = m, .taken = JARENA_ARRAY(a, m->nnumber, bool)};
  s->named = JARENA_ARRAY(a, m->nnumber, bool);
  s->wrt = JARENA_ARRAY(a, m->nnumber, int);
  if (!s->taken || !s->named || !s->wrt) return jerr_memory(ctx);
  if (n == 0) JO_TRY(take_name(ctx, s, "parameters"));
  for (int i = 0; i < n; i++) {
    JO_TRY(take_name(ctx, s, name[i]));
  }
  if (s->n > 0) return JO_OK;
  return jerr_set(ctx, JO_ERR_ARGUMENT, "%s: the model has no numbers to differentiate for",
                  m->path);
}

const jmodel* jmodel_make_variable(jarena* a, const jmodel* m, const jmodel_selection* k) {
  jmodel* copy = JARENA_ARRAY(a, 1, jmodel);
  jmodel_number* number = JARENA_ARRAY(a, m->nnumber, jmodel_number);
  if (!copy || !number) return NULL;
  memcpy(number, m->number, (size_t)m->nnumber * sizeof *number);
  for (int i = 0; i < k->n; i++) {
    number[k->wrt[i]].is_parameter = true;
  }
  *copy = *m;
  copy->number = number;
  return copy;
}

static jo_status find_objective(jo_context* ctx, const jmodel* m, const char* name, int* out) {
  jmodel_guess guess = jmodel_guess_begin(name);
  for (*out = 0; *out < m->nobjective; (*out)++) {
    if (strcmp(m->objective[*out].name, name) == 0) return JO_OK;
    jmodel_guess_add(&guess, m->objective[*out].name);
  }
  return jerr_set(ctx, JO_ERR_ARGUMENT, "%s: no objective is named '%.80s'%s%s%s", m->path, name,
                  guess.best ? "; did you mean '" : "", guess.best ? guess.best : "",
                  guess.best ? "'?" : "");
}

jo_status jmodel_select_objectives(jo_context* ctx, jarena* a, const jmodel* m,
                                   const char* const* name, int n, const jmodel** out) {
  *out = m;
  if (n == 0) return JO_OK;
  jmodel* copy = JARENA_ARRAY(a, 1, jmodel);
  jmodel_objective* chosen = JARENA_ARRAY(a, m->nobjective, jmodel_objective);
  bool* taken = JARENA_ARRAY(a, m->nobjective, bool);
  if (!copy || !chosen || !taken) return jerr_memory(ctx);
  *copy = *m;
  copy->objective = chosen;
  copy->nobjective = 0;
  for (int i = 0; i < n; i++) {
    int which;
    JO_TRY(find_objective(ctx, m, name[i], &which));
    if (taken[which]) {
      return jerr_set(ctx, JO_ERR_ARGUMENT, "%s: objective '%.80s' is given twice", m->path,
                      name[i]);
    }
    chosen[copy->nobjective++] = m->objective[which];
    taken[which] = true;
  }
  *out = copy;
  return JO_OK;
}
