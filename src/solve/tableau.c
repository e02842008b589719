// SPDX-License-Identifier: Apache-2.0
// The tableaux, as exact fractions. Sources: midpoint rule, Kutta 1901 (orders 3 and 4), Dormand and
// Prince 1980 with the dense output of Hairer, Norsett and Wanner 1993, II.6.
#include "solve/tableau.h"

#include <stddef.h>

static const jsolve_tableau tableaux[] = {
    {
        .method = JSOLVE_RK2,
        .stages = 2,
        .order = 2,
        .c = {0, 1.0 / 2},
        .a = {{0}, {1.0 / 2}},
        .b = {0, 1},
    },
    {
        .method = JSOLVE_RK3,
        .stages = 3,
        .order = 3,
        .c = {0, 1.0 / 2, 1},
        .a = {{0}, {1.0 / 2}, {-1, 2}},
        .b = {1.0 / 6, 2.0 / 3, 1.0 / 6},
    },
    {
        .method = JSOLVE_RK4,
        .stages = 4,
        .order = 4,
        .c = {0, 1.0 / 2, 1.0 / 2, 1},
        .a = {{0}, {1.0 / 2}, {0, 1.0 / 2}, {0, 0, 1}},
        .b = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6},
    },
    {
        .method = JSOLVE_DOPRI5,
        .stages = 6,
        .order = 5,
        .is_adaptive = true,
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
};

const jsolve_tableau* jsolve_tableau_find(jsolve_method m) {
  for (size_t i = 0; i < sizeof tableaux / sizeof *tableaux; i++) {
    if (tableaux[i].method == m) return &tableaux[i];
  }
  return NULL;
}
