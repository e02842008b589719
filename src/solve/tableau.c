// SPDX-License-Identifier: Apache-2.0
// The tableaux, explicit ones as exact fractions. Sources: midpoint rule, Kutta 1901 (orders 3 and 4),
// Dormand and Prince 1980 with the dense output of Hairer, Norsett and Wanner 1993, II.6; for stiff
// problems the L-stable pair ESDIRK5(4)7L[2]SA2 of Kennedy and Carpenter 2019 (Appl. Numer. Math.
// 146), stage order two. Its dense output is the cubic Hermite polynomial: slopes of inner stages, of
// order two for stiff components, would make it worse there. Mixed: ARK4(3)6L[2]SA and ARK3(2)4L[2]SA of
// Kennedy and Carpenter 2003 (Appl. Numer. Math. 44).
#include "solve/tableau.h"

#include <stddef.h>
#include <string.h>

#include "base/assert.h"

static const jsolve_tableau tableaux[] = {
    {
        .method = JSOLVE_RK2,
        .stages = 2,
        .c = {0, 1.0 / 2},
        .a = {{0}, {1.0 / 2}},
        .b = {0, 1},
    },
    {
        .method = JSOLVE_RK3,
        .stages = 3,
        .c = {0, 1.0 / 2, 1},
        .a = {{0}, {1.0 / 2}, {-1, 2}},
        .b = {1.0 / 6, 2.0 / 3, 1.0 / 6},
    },
    {
        .method = JSOLVE_RK4,
        .stages = 4,
        .c = {0, 1.0 / 2, 1.0 / 2, 1},
        .a = {{0}, {1.0 / 2}, {0, 1.0 / 2}, {0, 0, 1}},
        .b = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6},
    },
    {
        .method = JSOLVE_DOPRI5,
        .stages = 6,
        .c = {0, 1.0 / 5, 3.0 / 10, 4.0 / 5, 8.0 / 9, 1},
        .a = {{0},
              {1.0 / 5},
              {3.0 / 40, 9.0 / 40},
              {44.0 / 45, -56.0 / 15, 32.0 / 9},
              {19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729},
              {9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656}},
        .b = {35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84},
        .e = {71.0 / 57600, 0, -71.0 / 16695, 71.0 / 1920, -17253.0 / 339200, 22.0 / 525,
              -1.0 / 40},
        .d = {-12715105075.0 / 11282082432.0, 0, 87487479700.0 / 32700410799.0,
              -10690763975.0 / 1880347072.0, 701980252875.0 / 199316789632.0,
              -1453857185.0 / 822651844.0, 69997945.0 / 29380423.0},
    },
    {
        .method = JSOLVE_ESDIRK5,
        .stages = 6,
        .gamma = 0.184,
        .c = {0, 0.368, 0.62821529547664945, 0.13881019830028329, 0.69995861940457471,
              0.90837696335078533},
        .a = {{0},
              {0.184},
              {0.2221076477383247, 0.22210764773832475},
              {-0.014049475381926274, -0.014049475381926283, -0.017090850935864151},
              {-0.40838859254931487, -0.40838859254931464, 0.16646399821362964, 1.1662718062895745},
              {-0.53929072355881114, -0.53929072355881136, -0.24223442884542501, 1.4888806111225146,
               0.55631222819131843}},
        .b = {-0.039466069109740348, -0.039466069109740258, 0.27263649025024267,
              0.43216517252028819, 0.35241608623288911, -0.16228561078393952},
        .e = {0.041223397456906924, 0.041223397456907181, 0.089736805636807138,
              -0.084848701245942793, -0.074183645069565207, -0.057958752816804543,
              0.04480749858169103},
    },
    {
        .method = JSOLVE_IMEX4,
        .stages = 6,
        .c = {0, 0.5, 0.332, 0.62, 0.85, 1},
        .a = {{0},
              {0.5},
              {0.221776, 0.110224},
              {-0.04884659515311858, -0.177720652326401, 0.84656724747951961},
              {-0.15541685842491548, -0.3567050098221991, 1.0587258798684427, 0.30339598837867193},
              {0.20142435067267633, 0.0087420578429041849, 0.15993995707168115, 0.40382906052207751,
               0.22606457389066084}},
        .b = {0.15791629516167136, 0, 0.18675894052400077, 0.68056529530933463,
              -0.27524053099500667, 0.25},
        .e = {0.0032044943984591845, 0, -0.002446251136679456, -0.021480075919587227,
              0.04394686806857245, -0.02322503541076487},
        .local_gamma = 0.25,
        .local = {{0},
                  {0.25},
                  {0.137776, -0.055776},
                  {0.14463686602698217, -0.22393190761334475, 0.44929504158636258},
                  {0.098258783283564771, -0.59154424281967044, 0.81012105382829958,
                   0.28316440570780599},
                  {0.15791629516167136, 0, 0.18675894052400077, 0.68056529530933463,
                   -0.27524053099500667}},
    },
    {
        .method = JSOLVE_IMEX3,
        .stages = 4,
        .c = {0, 0.87173304301691801, 0.6, 1},
        .a = {{0},
              {0.87173304301691801},
              {0.52758901197630037, 0.072410988023699593},
              {0.39909600767607012, -0.43755765461351942, 1.0384616469374492}},
        .b = {0.18764102434672383, -0.59529747357695495, 0.97178992772177208, 0.435866521508459},
        .local_gamma = 0.435866521508459,
        .local = {{0},
                  {0.435866521508459},
                  {0.25764824606642722, -0.093514767574886248},
                  {0.18764102434672383, -0.59529747357695495, 0.97178992772177208}},
    },
};

const jsolve_tableau* jsolve_tableau_find(jsolve_method m) {
  if (m == JSOLVE_AUTO) m = JSOLVE_DOPRI5;
  for (size_t i = 0; i < sizeof tableaux / sizeof *tableaux; i++) {
    if (tableaux[i].method == m) return &tableaux[i];
  }
  return NULL;
}

const jsolve_tableau* jsolve_tableau_implicit(jsolve_method m) {
  const jsolve_method_info* about = jsolve_method_about(m);
  bool has_one = about->is_own && (about->kind == JSOLVE_IMPLICIT || about->kind == JSOLVE_BOTH);
  return has_one ? jsolve_tableau_find(JSOLVE_ESDIRK5) : NULL;
}

jsolve_combination jsolve_compress(const double* factor, int n) {
  JASSERT(n >= 0 && n <= JSOLVE_MAX_STAGES + 1);
  jsolve_combination c = {0};
  for (int i = 0; i < n; i++) {
    if (factor[i] == 0) continue;
    c.index[c.n] = i;
    c.factor[c.n++] = factor[i];
  }
  return c;
}

jsolve_scheme jsolve_scheme_of(const jsolve_tableau* tab) {
  jsolve_scheme s = {.tab = tab};
  for (int i = 0; i < tab->stages; i++) {
    s.a[i] = jsolve_compress(tab->a[i], i);
    s.a_local[i] = jsolve_compress(tab->local[i], i);
  }
  s.b = jsolve_compress(tab->b, tab->stages);
  s.e = jsolve_compress(tab->e, tab->stages + 1);
  s.d = jsolve_compress(tab->d, tab->stages + 1);
  return s;
}
