// SPDX-License-Identifier: Apache-2.0
// Texts for double and single precision.
#include "emit/c/real.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/err.h"
#include "emit/c/operand.h"

const jemit_real jemit_double = {"double", "", "long long", 8};
const jemit_real jemit_single = {"float", "f", "int", 4};

static void put_part(jtext* t, const jemit_real* real, int lanes, char which) {
  switch (which) {
    case 'n': jemit_put_int(t, lanes); break;
    case 'b': jemit_put_int(t, real->bytes); break;
    case 'r': jtext_put(t, real->type); break;
    case 'i': jtext_put(t, real->integer); break;
    case '%': jtext_put(t, "%"); break;
    default: jtext_put(t, real->suffix); break;
  }
}

// `^@text;` begins a list, `@, text;` goes on with one.
static const char* put_each(jtext* t, const jemit_real* real, const char* text, bool begins,
                            int lanes) {
  const char* end = text;
  while (*end != ';')
    end++;
  for (int lane = 0; lane < lanes; lane++) {
    if (begins && lane > 0) jtext_put(t, ", ");
    for (const char* s = text; s < end; s++) {
      if (*s == '#') {
        jemit_put_int(t, lane);
      } else if (*s == '%') {
        put_part(t, real, lanes, *++s);
      } else {
        jtext_write(t, s, 1);
      }
    }
  }
  return end;
}

void jemit_put_for(jtext* t, const jemit_real* real, int lanes, const char* text) {
  for (const char* s = text; *s != '\0'; s++) {
    if (*s == '$') {
      jemit_put_int(t, lanes);
      jtext_put(t, real->suffix);
    } else if (*s == '%') {
      put_part(t, real, lanes, *++s);
    } else if (*s == '^' && s[1] == '@') {
      s = put_each(t, real, s + 2, true, lanes);
    } else if (*s == '@') {
      s = put_each(t, real, s + 1, false, lanes);
    } else {
      jtext_write(t, s, 1);
    }
  }
}

// Words are functions or the type; numbers have a point.
void jemit_put_operator_text(jtext* t, const jemit_real* real, const char* text, size_t length) {
  static const char word[] = "abcdefghijklmnopqrstuvwxyz_0123456789";
  static const char digit[] = "0123456789.";
  for (size_t i = 0; i < length;) {
    bool is_number = text[i] >= '0' && text[i] <= '9';
    size_t n = strspn(text + i, is_number ? digit : word);
    if (n == 0) {
      jtext_write(t, text + i++, 1);
      continue;
    }
    bool is_type = n == 6 && strncmp(text + i, jemit_double.type, n) == 0;
    jtext_write(t, is_type ? real->type : text + i, is_type ? strlen(real->type) : n);
    if (!is_type) jtext_put(t, real->suffix);
    i += n;
  }
}

double jemit_constant(const jemit_real* real, double value) {
  bool is_too_small = real == &jemit_single && value != 0.0 && fabs(value) < FLT_MIN;
  return is_too_small ? copysign(FLT_MIN, value) : value;
}

static bool is_in_range(const jexpr_graph* g, jexpr_ref r) {
  return !jexpr_is_const(g, r) || fabs(jexpr_const_value(g, r)) <= FLT_MAX;
}

bool jemit_is_in_single_range(const jemit_plan* plan) {
  const jexpr_fn* fn = plan->fn;
  const jexpr_schedule* schedule = &plan->schedule;
  bool ok = true;
  for (int i = 0; i < schedule->n; i++) {
    for (int k = 0; k < jexpr_nargs(fn->graph, schedule->order[i]); k++)
      ok = ok && is_in_range(fn->graph, jexpr_arg(fn->graph, schedule->order[i], k));
  }
  for (int o = 0; o < fn->nout; o++) {
    for (int i = 0; i < fn->out[o].n; i++)
      ok = ok && is_in_range(fn->graph, fn->out[o].ref[i]);
  }
  return ok;
}

static bool is_root(const jexpr_graph* g, jexpr_ref r) {
  if (jexpr_at(g, r)->op == JEXPR_NEG) r = jexpr_arg(g, r, 0);
  return jexpr_at(g, r)->op == JEXPR_SQRT;
}

// A length less another, as springs have it: of what is left, floats would have few digits.
static bool is_deflection(const jexpr_graph* g, const jexpr_item* item) {
  bool found = false;
  for (int lane = 0; lane < item->width && (item->op == JEXPR_ADD || item->op == JEXPR_SUB); lane++)
    found = found || is_root(g, jexpr_arg(g, item->node[lane], 0)) ||
            is_root(g, jexpr_arg(g, item->node[lane], 1));
  return found;
}

static void mark_double(const jemit_plan* plan, jexpr_ref r, bool* is_single) {
  int at = plan->packing.at[r];
  if (at >= 0) is_single[at] = false;
}

// What a statement reads: a pack may read a value where its node has the negative of it.
static void mark_operands(const jemit_plan* plan, const jexpr_item* item, bool* is_single) {
  const jexpr_graph* g = plan->fn->graph;
  for (int k = 0; item->width == 1 && k < jexpr_nargs(g, item->node[0]); k++)
    mark_double(plan, jexpr_arg(g, item->node[0], k), is_single);
  for (int k = 0; item->width > 1 && k < item->narg; k++) {
    const jexpr_vector* v = &plan->packing.vector[item->arg[k].vector];
    for (int lane = 0; lane < v->width; lane++)
      mark_double(plan, v->lane[lane], is_single);
  }
}

// From the last to the first: operands stand before.
jo_status jemit_mark_single(jo_context* ctx, jarena* a, const jemit_plan* plan, int group,
                            bool** out) {
  static const jexpr_outputs none = {0};
  const jexpr_outputs* exact = group < plan->fn->nout ? &plan->fn->out[group] : &none;
  bool* is_single = JARENA_ARRAY(a, plan->packing.n, bool);
  if (!is_single) return jerr_memory(ctx);
  for (int i = 0; i < plan->packing.n; i++)
    is_single[i] = !is_deflection(plan->fn->graph, &plan->packing.item[i]);
  for (int i = 0; i < exact->n; i++)
    mark_double(plan, exact->ref[i], is_single);
  for (int i = plan->packing.n - 1; i >= 0; i--) {
    const jexpr_item* item = &plan->packing.item[i];
    // sine and cosine are computed together
    if (jemit_plan_is_pair(plan, i))
      is_single[i] = is_single[i + 1] = is_single[i] && is_single[i + 1];
    if (!is_single[i]) mark_operands(plan, item, is_single);
  }
  *out = is_single;
  return JO_OK;
}
