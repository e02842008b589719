// SPDX-License-Identifier: Apache-2.0
// Values judged: the one place that says whether a value of the model can be, for the numbers of the file
// and for any others.
#include "model/range/ranges.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/text/format.h"
#include "model/element.h"
#include "model/read/reader.h"

#define MAX_TEXT    480
#define MAX_SOURCES 4  // parameters named in a message

typedef struct judge {
  const jmodel* m;
  const struct jmodel_ranges* k;
  const double* value;    // of the slots
  const int* body_of;     // whose first moment of inertia a slot is; 0: of none (nslot)
  const bool* is_planar;  // bodies that turn about one direction only (nbody)
  void* user;
  // told of every value that cannot be; false: enough
  bool (*report)(void* user, const jmodel_rule* rule, jmodel_place place, bool is_warning,
                 const char* text);
  jo_context* ctx;
  jarena* scratch;
  jo_status* status;  // of rules that need memory; NULL: those are not asked for
} judge;

#define MAX_NUMBER 32

static const char* show(double x, char text[MAX_NUMBER]) {
  if (isfinite(x)) {
    jformat(text, MAX_NUMBER, "%.9g", x);
  } else {
    jformat(text, MAX_NUMBER, "%s", isnan(x) ? "not a number" : "infinite");
  }
  return text;
}

// ---- where a value comes from --------------------------------------------------------------------

static bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_inside(char c) {
  return is_letter(c) || (c >= '0' && c <= '9') || c == '.';
}

// Does an expression name this? Whole words count.
static bool names(const char* text, const char* name) {
  size_t n = strlen(name);
  for (const char* s = strstr(text, name); s; s = strstr(s + 1, name)) {
    if ((s == text || !is_inside(s[-1])) && !is_inside(s[n])) return true;
  }
  return false;
}

// " (from r = -1, k = 2)": the parameters that the slots name, with their values.
static const char* sources(const judge* j, const jmodel_rule* rule, char text[MAX_TEXT]) {
  size_t used = 0;
  int count = 0;
  text[0] = '\0';
  for (int p = 0; p < j->m->nparameter && count < MAX_SOURCES; p++) {
    const char* name = j->m->parameter[p].name;
    bool is_named = false;
    for (int i = rule->first; i < rule->first + rule->n && !is_named; i++) {
      const char* of = j->k->slot[i].scalar->text;
      is_named = of && names(of, name);
    }
    if (!is_named) continue;
    char number[MAX_NUMBER];
    int n = jformat(text + used, MAX_TEXT - used, "%s%s = %s", count++ ? ", " : " (from ", name,
                    show(j->value[p], number));
    if (n < 0 || (size_t)n >= MAX_TEXT - used - 1) break;
    used += (size_t)n;
  }
  if (count > 0 && used < MAX_TEXT - 1) jformat(text + used, MAX_TEXT - used, ")");
  return text;
}

// ---- rules ---------------------------------------------------------------------------------------

static bool complain(const judge* j, const jmodel_rule* rule, int slot, bool is_warning,
                     const char* format, ...) JERR_PRINTF(5, 6);

static bool complain(const judge* j, const jmodel_rule* rule, int slot, bool is_warning,
                     const char* format, ...) {
  char text[MAX_TEXT];
  va_list args;
  va_start(args, format);
  jformat_v(text, sizeof text, format, args);
  va_end(args);
  return j->report(j->user, rule, j->k->slot[slot].scalar->place, is_warning, text);
}

static bool holds(const judge* j, const jmodel_rule* rule) {
  return jrule_holds((jrule_kind)rule->kind, (jrule_limit)rule->limit, j->value + rule->first,
                     rule->n);
}

static bool check_limit(const judge* j, const jmodel_rule* rule) {
  double x = j->value[rule->first];
  char from[MAX_TEXT], number[MAX_NUMBER];
  return complain(j, rule, rule->first, false, "%s is %s%s; it must be %s", rule->label,
                  show(x, number), sources(j, rule, from),
                  jrule_limit_text((jrule_limit)rule->limit));
}

static bool check_increase(const judge* j, const jmodel_rule* rule) {
  for (int i = 1; i < rule->n; i++) {
    double a = j->value[rule->first + i - 1], b = j->value[rule->first + i];
    jmodel_rule pair = {.first = rule->first + i - 1, .n = 2};
    char from[MAX_TEXT];
    if (a < b) continue;
    return complain(j, rule, rule->first + i, false,
                    "%s[%d] = %g does not come after %s[%d] = %g%s; %s must increase", rule->label,
                    i, b, rule->label, i - 1, a, sources(j, &pair, from), rule->label);
  }
  return true;
}

static bool check_less(const judge* j, const jmodel_rule* rule) {
  double a = j->value[rule->first], b = j->value[rule->first + 1];
  char from[MAX_TEXT];
  return complain(j, rule, rule->first, false,
                  "%s are %g and %g%s; the first must be less than the second", rule->label, a, b,
                  sources(j, rule, from));
}

// The number of an axis as readers write it: literal, or 1, -(0.5) of a mirror image; NaN: an expression.
static double axis_value(const judge* j, const jmodel_scalar* s) {
  double value, sign = 1.0;
  if (jmodel_literal(j->m, s, &value)) return value;
  const char* text = s->text ? s->text : "";
  for (; *text == '-' || *text == '('; text++) {
    if (*text == '-') sign = -sign;
  }
  char plain[32];
  size_t n = strcspn(text, ")");
  if (n >= sizeof plain) return NAN;
  memcpy(plain, text, n);
  plain[n] = '\0';
  return jmodel_number_text(plain, &value) ? sign * value : NAN;
}

// Are the axes of two joints parallel, as far as can be seen without turning frames?
static bool is_parallel(const judge* j, const jmodel_vector* a, const jmodel_vector* b) {
  double u[3], v[3];
  const jmodel_vector* axis[2] = {a, b};
  for (int k = 0; k < 2; k++) {
    bool is_vehicle = axis[k]->in_vehicle || jmodel_is_vehicle_frame(j->m, axis[k]->body);
    if (!is_vehicle) return false;
    for (int i = 0; i < 3; i++) {
      (k == 0 ? u : v)[i] = axis_value(j, &axis[k]->v.e[i]);
    }
  }
  bool is_parallel = true;
  for (int i = 0; i < 3; i++) {
    int k = (i + 1) % 3;
    double across = u[i] * v[k] - u[k] * v[i];
    is_parallel = is_parallel && fabs(across) <= 1e-12 * fabs(u[i] * v[k]);
  }
  return is_parallel;
}

// A body that turns about one direction only, as all do in a planar model, has one moment of inertia. Joints stand
// parents before children; `axis` is that of the last turn before a body (nbody).
static void find_planar(const judge* j, const jmodel_vector** axis, bool* is_planar) {
  const jmodel* m = j->m;
  for (int i = 0; i < m->nbody; i++) {
    is_planar[i] = true;
  }
  for (int i = 0; i < m->njoint; i++) {
    const jmodel_joint* joint = &m->joint[i];
    const jmodel_vector* before = axis[joint->parent];
    int turns = jmodel_joint_turns(jmodel_joint_class_of(joint->type));
    axis[joint->child] = turns > 0 ? &joint->axis_parent : before;
    is_planar[joint->child] =
        is_planar[joint->parent] &&
        (turns == 0 || (turns == 1 && (!before || is_parallel(j, before, &joint->axis_parent))));
  }
}

// The largest principal moment is at most the sum of the others: tr(I)/2 E - I is positive semidefinite, as it is of any
// distribution of mass.
static bool is_of_mass(const double I[6]) {
  double half = 0.5 * (1.0 + 1e-3) * (I[0] + I[1] + I[2]);
  double of_mass[6] = {half - I[0], half - I[1], half - I[2], -I[3], -I[4], -I[5]};
  return jrule_holds(JRULE_TENSOR, JRULE_FINITE, of_mass, 6);
}

static bool check_tensor(const judge* j, const jmodel_rule* rule) {
  static const char* const entry[] = {"xx", "yy", "zz"};
  const double* I = j->value + rule->first;
  char from[MAX_TEXT];
  if (!holds(j, rule)) {
    return complain(j, rule, rule->first, false,
                    "the inertia tensor is not positive semidefinite%s; check the signs",
                    sources(j, rule, from));
  }
  if (j->is_planar[j->body_of[rule->first]]) return true;
  for (int i = 0; i < 3; i++) {
    double others = I[(i + 1) % 3] + I[(i + 2) % 3];
    if (I[i] <= others * (1.0 + 1e-3)) continue;
    bool goes_on = complain(
        j, rule, rule->first, true,
        "inertia %s = %g is more than the sum of the other two; no body has that", entry[i], I[i]);
    return goes_on;
  }
  if (is_of_mass(I)) return true;
  return complain(
      j, rule, rule->first, true,
      "inertia: with its products xy = %g, xz = %g, yz = %g the largest principal moment "
      "is more than the sum of the other two; no body has that; check the products",
      I[3], I[4], I[5]);
}

static bool check_direction(const judge* j, const jmodel_rule* rule) {
  const double* v = j->value + rule->first;
  bool is_zero = v[0] == 0.0 && v[1] == 0.0 && v[2] == 0.0;
  char from[MAX_TEXT];
  return complain(j, rule, rule->first, false, "%s has length %s%s", rule->label,
                  is_zero ? "zero" : "infinite or none", sources(j, rule, from));
}

static bool check_plane(const judge* j, const jmodel_rule* rule) {
  char from[MAX_TEXT];
  return complain(j, rule, rule->first, false, "%s: the two axes are parallel or of length zero%s",
                  rule->label, sources(j, rule, from));
}

static bool check_outside(const judge* j, const jmodel_rule* rule) {
  const double* v = j->value + rule->first;
  char from[MAX_TEXT];
  if (!(v[0] > v[1] && v[0] < v[2])) return true;
  return complain(j, rule, rule->first, true,
                  "the %s changes its sign at a load of %.4g N, which is between the least, %g N, "
                  "and the most of the tyre, %g N%s, so that forces may point the wrong way; "
                  "correct these coefficients, or lower FZMAX",
                  rule->label, v[0], v[1], v[2], sources(j, rule, from));
}

// What is unknown is NaN.
static bool check_together(const judge* j, const jmodel_rule* rule) {
  if (!j->status || *j->status < 0) return true;
  const jmodel_element* e = rule->element;
  const char* text = NULL;
  int blamed = 0;
  jarena_mark mark = jarena_save(j->scratch);
  *j->status = e->class->judge(j->ctx, j->scratch, e, j->value + rule->first, &text, &blamed);
  char from[MAX_TEXT];
  jmodel_rule one = {.first = rule->first + blamed, .n = 1};
  bool goes_on = *j->status < 0 || !text ||
                 complain(j, rule, one.first, true, "%s%s", text, sources(j, &one, from));
  jarena_restore(j->scratch, mark);
  return goes_on;
}

static bool is_known(const judge* j, const jmodel_rule* rule) {
  if (rule->kind == JMODEL_RULE_TOGETHER) return true;
  for (int i = rule->first; i < rule->first + rule->n; i++) {
    if (j->k->slot[i].output == JMODEL_SLOT_UNKNOWN) return false;
  }
  return true;
}

static void check_rules(const judge* j) {
  static bool (*const check[])(const judge*, const jmodel_rule*) = {
      [JMODEL_RULE_LIMIT] = check_limit,     [JMODEL_RULE_INCREASES] = check_increase,
      [JMODEL_RULE_TENSOR] = check_tensor,   [JMODEL_RULE_DIRECTION] = check_direction,
      [JMODEL_RULE_PLANE] = check_plane,     [JMODEL_RULE_LESS] = check_less,
      [JMODEL_RULE_OUTSIDE] = check_outside, [JMODEL_RULE_TOGETHER] = check_together};
  bool goes_on = true;
  for (int i = 0; i < j->k->nrule && goes_on; i++) {
    const jmodel_rule* rule = &j->k->rule[i];
    bool warns = rule->kind == JMODEL_RULE_TENSOR;  // of what holds, too
    warns = warns || rule->kind == JMODEL_RULE_OUTSIDE || rule->kind == JMODEL_RULE_TOGETHER;
    if (is_known(j, rule) && (warns || !holds(j, rule))) goes_on = check[rule->kind](j, rule);
  }
}

// ---- masses --------------------------------------------------------------------------------------

static bool weighs_nothing(const judge* j, int body) {
  int first = j->k->first_mass[body];
  for (int i = first; first >= 0 && i < first + 7; i++) {
    if (j->k->slot[i].output == JMODEL_SLOT_UNKNOWN || j->value[i] != 0.0) return false;
  }
  return true;
}

static bool moves_freely(const jmodel* m, const jmodel_joint* joint) {
  for (int k = 0; k < joint->ncoordinate; k++) {
    if (!m->coordinate[joint->first_coordinate + k].is_driven) return true;
  }
  return false;
}

static bool is_below(const jmodel* m, int body, int ancestor, const int* carrier) {
  while (body > 0 && body != ancestor) {
    body = m->joint[carrier[body]].parent;
  }
  return body == ancestor;
}

// Does a loop or a coupling hold on to the body or to what it carries? Then it moves with others, and their masses
// count: whether that is enough, the reduced mass matrix tells.
static bool is_in_loop(const jmodel* m, int body, const int* carrier) {
  for (int i = 0; i < m->nclosure; i++) {
    const jmodel_closure* c = &m->closure[i];
    bool is_inside = is_below(m, c->a.body, body, carrier);
    if (is_inside != is_below(m, c->b.body, body, carrier)) return true;
  }
  for (int i = 0; i < m->ncoupling; i++) {
    for (int k = 0; k < m->coupling[i].nrelation; k++) {
      const jmodel_relation* r = &m->coupling[i].relation[k];
      for (int t = 0; t < r->nterm; t++) {
        const jmodel_joint* j = &m->joint[m->coordinate[r->term[t].coordinate].joint];
        if (is_below(m, j->child, body, carrier)) return true;
      }
    }
  }
  return false;
}

// A coordinate that moves no mass has no equation of motion. has_mass, carrier: scratch (nbody). True: bodies in loops
// have none.
static bool check_massless(const judge* j, bool* has_mass, int* carrier) {
  bool is_allowed = false;
  const jmodel* m = j->m;
  for (int i = 1; i < m->nbody; i++) {
    has_mass[i] = !weighs_nothing(j, i);
  }
  for (int i = 0; i < m->njoint; i++) {
    carrier[m->joint[i].child] = i;
  }
  for (int i = m->njoint - 1; i >= 0; i--) {
    const jmodel_joint* joint = &m->joint[i];
    if (has_mass[joint->child]) {
      has_mass[joint->parent] = true;
    } else if (moves_freely(m, joint) && is_in_loop(m, joint->child, carrier)) {
      is_allowed = true;
    } else if (moves_freely(m, joint)) {
      const jmodel_body* b = &m->body[joint->child];
      int first = j->k->first_mass[joint->child];
      jmodel_rule rule = {.subject = "body",
                          .name = b->name,
                          .first = first < 0 ? 0 : first,
                          .n = first < 0 ? 0 : 7};
      char from[MAX_TEXT], text[MAX_TEXT];
      jformat(text, sizeof text,
              "it moves in joint '%s' but neither it nor what it carries has mass%s; give it a "
              "mass",
              joint->name, sources(j, &rule, from));
      if (!j->report(j->user, &rule, b->place, false, text)) return is_allowed;
    }
  }
  return is_allowed;
}

static jo_status prepare_tensors(jo_context* ctx, judge* j, jarena* scratch) {
  int* body_of = JARENA_ARRAY(scratch, j->k->nslot + 1, int);
  bool* is_planar = JARENA_ARRAY(scratch, j->m->nbody, bool);
  const jmodel_vector** axis = JARENA_ARRAY(scratch, j->m->nbody, const jmodel_vector*);
  if (!body_of || !is_planar || !axis) return jerr_memory(ctx);
  for (int i = 1; i < j->m->nbody; i++) {
    if (j->k->first_mass[i] >= 0) body_of[j->k->first_mass[i] + 1] = i;
  }
  find_planar(j, axis, is_planar);
  j->body_of = body_of;
  j->is_planar = is_planar;
  return JO_OK;
}

static jo_status judge_all(jo_context* ctx, judge* j, const double* number, bool masses,
                           bool* has_massless) {
  jarena scratch;
  jarena_init(&scratch, ctx);
  double* value = JARENA_ARRAY(&scratch, j->k->nslot, double);
  bool* has_mass = JARENA_ARRAY(&scratch, j->m->nbody, bool);
  int* carrier = JARENA_ARRAY(&scratch, j->m->nbody, int);
  jo_status status = value && has_mass && carrier ? jmodel_ranges_values(ctx, j->m, number, value)
                                                  : jerr_memory(ctx);
  if (status >= 0) status = prepare_tensors(ctx, j, &scratch);
  if (status >= 0) {
    j->value = value;
    j->ctx = ctx;
    j->scratch = &scratch;
    check_rules(j);
    *has_massless = masses && check_massless(j, has_mass, carrier);
  }
  jarena_free(&scratch);
  return status;
}

// ---- while reading -------------------------------------------------------------------------------

static bool report_to_reader(void* user, const jmodel_rule* rule, jmodel_place place,
                             bool is_warning, const char* text) {
  jmodel_at at = {user, rule->subject, rule->name, ""};
  (is_warning ? jmodel_warning : jmodel_mistake)(&at, place, "%s", text);
  return jmodel_goes_on(at.r);
}

static jo_status build(jmodel_reader* r, const int* order) {
  struct jmodel_ranges* k = JMODEL_ARRAY(r, 1, struct jmodel_ranges);
  if (!k) return JO_ERR_MEMORY;
  r->m->ranges = k;
  JO_TRY(jmodel_ranges_list(r->ctx, r->m, k));
  return jmodel_ranges_build(r->ctx, r->m, k, order);
}

void jmodel_check_ranges(jmodel_reader* r, const int* order) {
  jmodel* m = r->m;
  jo_status status = build(r, order);
  double* number =
      status < 0 ? NULL : jarena_array(&r->scratch, (size_t)m->nnumber, sizeof *number);
  if (status >= 0 && !number) status = jerr_memory(r->ctx);
  for (int i = 0; status >= 0 && i < m->nnumber; i++) {
    number[i] = m->number[i].value;
  }
  jo_status judged = JO_OK;
  judge j = {.m = m, .k = m->ranges, .user = r, .report = report_to_reader, .status = &judged};
  if (status >= 0) status = judge_all(r->ctx, &j, number, !r->joints_incomplete, &m->has_massless);
  if (status >= 0) status = judged;
  if (status < 0) {
    r->oom = true;
    r->status = JO_ERR_MEMORY;
  }
}

// ---- later ---------------------------------------------------------------------------------------

typedef struct first_fault {
  jo_context* ctx;
  jo_status status;
} first_fault;

static bool report_to_context(void* user, const jmodel_rule* rule, jmodel_place place,
                              bool is_warning, const char* text) {
  first_fault* f = user;
  if (is_warning || f->status < 0) return f->status >= 0;
  f->status = jerr_set(f->ctx, JO_ERR_MODEL, "%s:%d: %s '%s': %s", place.file, place.line,
                       rule->subject, rule->name, text);
  return false;
}

jo_status jmodel_check_values(jo_context* ctx, const jmodel* m, const double* number) {
  first_fault f = {ctx, JO_OK};
  judge j = {.m = m, .k = m->ranges, .user = &f, .report = report_to_context};
  if (!m->ranges) return JO_OK;
  bool has_massless;
  JO_TRY(judge_all(ctx, &j, number, true, &has_massless));
  return f.status;
}

// ---- warnings of other values ----------------------------------------------------------------------

typedef struct cautions {
  jo_context* ctx;
  const judge* j;
  const double* before;  // of the slots
  const char* where;
  bool* told;  // by rule
} cautions;

static bool is_same(const cautions* c, const jmodel_rule* rule) {
  bool same = true;
  for (int i = rule->first; i < rule->first + rule->n; i++) {
    double now = c->j->value[i], before = c->before[i];
    same = same && (now == before || (isnan(now) && isnan(before)));
  }
  return same;
}

static bool report_caution(void* user, const jmodel_rule* rule, jmodel_place place, bool is_warning,
                           const char* text) {
  const cautions* c = user;
  if (!is_warning) return true;
  c->told[rule - c->j->k->rule] = true;
  jerr_warn(c->ctx, "%s:%d: %s '%s': %s%s", place.file, place.line, rule->subject, rule->name, text,
            c->where);
  return true;
}

static bool is_caution(const jmodel_rule* rule) {
  return rule->kind == JMODEL_RULE_OUTSIDE || rule->kind == JMODEL_RULE_TOGETHER;
}

int jmodel_warning_rules(const jmodel* m) {
  bool any = false;
  for (int i = 0; m->ranges && i < m->ranges->nrule; i++) {
    any = any || is_caution(&m->ranges->rule[i]);
  }
  return any ? m->ranges->nrule : 0;
}

jo_status jmodel_warn_of_values(jo_context* ctx, const jmodel* m, const double* before,
                                const double* number, const char* where, bool* told) {
  const struct jmodel_ranges* k = m->ranges;
  jarena scratch;
  jarena_init(&scratch, ctx);
  double* value = JARENA_ARRAY(&scratch, k->nslot, double);
  double* slot = JARENA_ARRAY(&scratch, k->nslot, double);
  jo_status judged = JO_OK;
  judge j = {.m = m, .k = k, .value = value, .report = report_caution, .ctx = ctx};
  j.scratch = &scratch;
  j.status = &judged;
  cautions c = {ctx, &j, slot, where, told};
  j.user = &c;
  jo_status status = value && slot ? jmodel_ranges_values(ctx, m, before, slot) : jerr_memory(ctx);
  if (status >= 0) status = jmodel_ranges_values(ctx, m, number, value);
  for (int i = 0; status >= 0 && i < k->nrule; i++) {
    const jmodel_rule* rule = &k->rule[i];
    bool is_asked = is_caution(rule) && !told[i] && is_known(&j, rule) && !is_same(&c, rule);
    if (!is_asked) continue;
    (rule->kind == JMODEL_RULE_OUTSIDE ? check_outside : check_together)(&j, rule);
    status = judged;
  }
  jarena_free(&scratch);
  return status;
}
