// SPDX-License-Identifier: Apache-2.0
// What follows from the coefficients of a tyre, and where they must lie: ranges of one stand in model/tyre/tir.def, those of
// several here.
#include <math.h>

#include "base/err.h"
#include "base/rule.h"
#include "base/text/format.h"
#include "model/tyre/tir_signs.h"

#define MAX_MISTAKES 20

// Products of a few of them and a load stay finite.
#define MOST       1e6   // of what has no dimension
#define MOST_IN_SI 1e12  // of what has one

typedef struct judge {
  jo_context* ctx;
  const jmodel_tir* t;
  const bool* elsewhere;
  int nmistake;
} judge;

static bool is_elsewhere(const judge* j, int i) {
  return j->elsewhere && j->elsewhere[i];
}

// "file:12: LKX is 0; cause", or "file: LKX is set to 0; cause"
static void complain(judge* j, int i, const char* cause) {
  const jmodel_tir* t = j->t;
  const char* name = jmodel_tir_table[i].name;
  char place[32] = "";
  if (j->nmistake++ >= MAX_MISTAKES) return;
  if (!t->is_set[i]) jformat(place, sizeof place, ":%d", t->line[i] > 0 ? t->line[i] : 1);
  if (t->line[i] == 0) {
    jerr_set(j->ctx, JO_ERR_MODEL, "%s%s: %s is missing; %s", t->path, place, name, cause);
  } else {
    jerr_set(j->ctx, JO_ERR_MODEL, "%s%s: %s is %s%g; %s", t->path, place, name,
             t->is_set[i] ? "set to " : "", t->value[i], cause);
  }
}

static void need(judge* j, int i) {
  if (j->t->line[i] > 0 || is_elsewhere(j, i)) return;
  complain(j, i, "the formulas need it: add it to the file, or set it");
}

static void check_range(judge* j, int i) {
  double x = j->t->value[i];
  const jmodel_tir_info* info = &jmodel_tir_table[i];
  double most = info->unit[0] == '-' ? MOST : MOST_IN_SI;
  char cause[80];
  if (j->t->line[i] == 0 || is_elsewhere(j, i)) return;
  if (!(fabs(x) <= most)) {
    jformat(cause, sizeof cause, "it must lie between %g and %g",
            info->range == JTIR_ANY || info->range == JTIR_NOT_ZERO ? -most : 0.0, most);
    complain(j, i, cause);
  } else if (info->range == JTIR_POSITIVE && !(x > 0.0)) {
    complain(j, i, "it must be positive");
  } else if (info->range == JTIR_NOT_NEGATIVE && !(x >= 0.0)) {
    complain(j, i, "it must not be negative");
  } else if (info->range == JTIR_NOT_ZERO && x == 0.0) {
    complain(j, i, "it must not be zero: the formulas divide by it");
  }
}

static void check_order(judge* j, int low, int high) {
  const jmodel_tir* t = j->t;
  char cause[80];
  if (is_elsewhere(j, low) || is_elsewhere(j, high)) return;
  if (t->line[low] == 0 || t->line[high] == 0 || t->value[low] < t->value[high]) return;
  jformat(cause, sizeof cause, "it must be above %s, %g", jmodel_tir_table[low].name,
          t->value[low]);
  complain(j, high, cause);
}

// The load curve F / F0 = sqrt(c^2 - 4 Q_FZ2) x + Q_FZ2 x^2 begins with a slope, c = VERTICAL_STIFFNESS R0 / FNOMIN
static void check_load_curve(judge* j) {
  const double* v = j->t->value;
  static const int of[] = {JTIR_VERTICAL_STIFFNESS, JTIR_UNLOADED_RADIUS, JTIR_FNOMIN, JTIR_Q_FZ2};
  for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
    if (is_elsewhere(j, of[i]) || (of[i] != JTIR_Q_FZ2 && j->t->line[of[i]] == 0)) return;
  }
  double slope = v[JTIR_VERTICAL_STIFFNESS] * v[JTIR_UNLOADED_RADIUS] / v[JTIR_FNOMIN];
  if (slope * slope >= 4.0 * v[JTIR_Q_FZ2]) return;
  char cause[160];
  jformat(cause, sizeof cause,
          "it must be at most (VERTICAL_STIFFNESS UNLOADED_RADIUS / FNOMIN)^2 / 4 = %g: the load "
          "curve would begin with a negative slope",
          slope * slope / 4.0);
  complain(j, JTIR_Q_FZ2, cause);
}

static void check(judge* j, jmodel_tir_use use) {
  static const int needed[] = {JTIR_UNLOADED_RADIUS,
                               JTIR_FNOMIN,
                               JTIR_LONGVL,
                               JTIR_PCX1,
                               JTIR_PDX1,
                               JTIR_PKX1,
                               JTIR_PCY1,
                               JTIR_PDY1,
                               JTIR_PKY1,
                               JTIR_PKY2};
  static const int ordered[][2] = {{JTIR_FZMIN, JTIR_FZMAX},
                                   {JTIR_KPUMIN, JTIR_KPUMAX},
                                   {JTIR_ALPMIN, JTIR_ALPMAX},
                                   {JTIR_CAMMIN, JTIR_CAMMAX},
                                   {JTIR_PRESMIN, JTIR_PRESMAX}};
  for (size_t i = 0; i < sizeof needed / sizeof *needed; i++) {
    need(j, needed[i]);
  }
  if (use == JTIR_WHEELS) need(j, JTIR_VERTICAL_STIFFNESS);
  for (int i = 0; i < JTIR_COUNT; i++) {
    check_range(j, i);
  }
  for (size_t i = 0; i < sizeof ordered / sizeof *ordered; i++) {
    check_order(j, ordered[i][0], ordered[i][1]);
  }
  if (j->t->version == JTIR_52) return;
  need(j, JTIR_NOMPRES);
  bool is_given = j->t->line[JTIR_NOMPRES] > 0 && !is_elsewhere(j, JTIR_NOMPRES);
  if (is_given && j->t->value[JTIR_NOMPRES] == 0.0) {
    complain(j, JTIR_NOMPRES, "it must be positive");
  }
  if (j->nmistake == 0) check_load_curve(j);
}

// ---- signs of forces ------------------------------------------------------------------------------

// The coefficient that is most likely wrong: one that was set, else the first.
static int blamed(const judge* j, const jmodel_tir_sign* s) {
  if (s->c1 != JTIR_PKY2) return s->c1;
  if (j->t->is_set[JTIR_PKY4]) return JTIR_PKY4;
  return j->t->is_set[JTIR_PKY2] ? JTIR_PKY2 : JTIR_PKY1;
}

// Forces that point the wrong way at the nominal load
static jo_status check_sign(judge* j, const jmodel_tir_sign* s) {
  double value;
  char cause[280];
  JO_TRY(jmodel_tir_value(j->ctx, j->t, s->nominal, &value));
  if (!(value <= 0.0)) return JO_OK;  // what has no value is reported where forces are evaluated
  jformat(
      cause, sizeof cause, "with it the %s at the nominal load (from %s) is %g; it must be %s%s",
      s->what, s->from, value, jrule_limit_text(JRULE_RIGHT_WAY),
      s->c1 == JTIR_PKY2 ? " (in ISO axes the force is negative where the angle is positive)" : "");
  complain(j, blamed(j, s), cause);
  return JO_OK;
}

// Those that do so at other loads only are accepted, as the formulas define them, and reported.
static jo_status warn_of_sign(const judge* j, const jmodel_tir_sign* s) {
  const jmodel_tir* t = j->t;
  bool has_most = t->line[JTIR_FZMAX] > 0;
  double zero, least, most;
  JO_TRY(jmodel_tir_value(j->ctx, t, s->zero, &zero));
  JO_TRY(jmodel_tir_value(j->ctx, t, jmodel_tir_least_load, &least));
  JO_TRY(jmodel_tir_value(j->ctx, t, jmodel_tir_most_load(has_most), &most));
  if (!(zero > least && zero < most)) return JO_OK;
  jerr_warn(j->ctx,
            "%s:%d: with %s = %g and %s = %g the %s changes its sign at a load of %.4g N, below "
            "%s = %g N, so that forces may point the wrong way; correct them%s",
            t->path, t->line[s->c2], jmodel_tir_table[s->c1].name, t->value[s->c1],
            jmodel_tir_table[s->c2].name, t->value[s->c2], s->what, zero,
            has_most ? "FZMAX" : "twice FNOMIN", most, has_most ? ", or lower FZMAX" : "");
  return JO_OK;
}

static jo_status check_signs(judge* j) {
  for (int i = 0; i < JTIR_SIGNS; i++) {
    JO_TRY(check_sign(j, &jmodel_tir_sign_table[i]));
  }
  for (int i = 0; i < JTIR_SIGNS && j->nmistake == 0; i++) {
    JO_TRY(warn_of_sign(j, &jmodel_tir_sign_table[i]));
  }
  return JO_OK;
}

static bool is_combined(int i) {
  const char* name = jmodel_tir_table[i].name;
  jmodel_tir_group group = jmodel_tir_table[i].group;
  return name[0] == 'R' && (group == JTIR_GROUP_LONGITUDINAL || group == JTIR_GROUP_LATERAL);
}

void jmodel_tir_set(jmodel_tir* t, int i, double value) {
  t->value[i] = value;
  t->is_set[i] = true;
  if (t->line[i] == 0) t->line[i] = 1;
}

jo_status jmodel_tir_finish(jo_context* ctx, jmodel_tir* t, jmodel_tir_use use,
                            const bool* elsewhere) {
  judge j = {.ctx = ctx, .t = t, .elsewhere = elsewhere};
  check(&j, use);
  if (j.nmistake == 0 && use == JTIR_FORCES) JO_TRY(check_signs(&j));
  if (j.nmistake > 0) return JO_ERR_MODEL;
  for (int i = 0; i < JTIR_COUNT; i++) {
    t->has_combined = t->has_combined || (is_combined(i) && t->line[i] > 0);
  }
  t->ellipse = t->method >= 0 ? t->method == 1 : !t->has_combined;
  if (t->line[JTIR_INFLPRES] == 0) t->value[JTIR_INFLPRES] = t->value[JTIR_NOMPRES];
  return JO_OK;
}

jo_status jmodel_tir_need_vertical(jo_context* ctx, const jmodel_tir* t) {
  judge j = {.ctx = ctx, .t = t};
  need(&j, JTIR_VERTICAL_STIFFNESS);
  return j.nmistake > 0 ? JO_ERR_MODEL : JO_OK;
}
