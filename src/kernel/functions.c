// SPDX-License-Identifier: Apache-2.0
#include "kernel/functions.h"

#include "base/data.h"
#include "expr/body.h"

static const jemit_functions* const table[] = {
#if defined(__x86_64__)
    [JCPU_V2] = &jkernel_functions_v2,
    [JCPU_V3] = &jkernel_functions_v3,
    [JCPU_V4] = &jkernel_functions_v4,
#elif defined(__aarch64__)
    [JCPU_AARCH64] = &jkernel_functions_aarch64,
#else
    [JCPU_OTHER] = NULL,
#endif
};
enum { LEVELS = sizeof table / sizeof *table };

const jemit_functions* jkernel_functions(jcpu_level level) {
  return (int)level < LEVELS ? table[level] : NULL;
}

// The k-th operand behind the first.
static double at(const jemit_list* about, const double* list, int k, int lane) {
  if (about->constant) return about->constant[k];
  return list[(k + 1) * about->lanes + lane];
}

// largest k in 0 ... n-2 with X_k <= x, else 0
static double locate(const jemit_list* about, const double* list, int lane) {
  double x = list[lane];
  int low = 0, high = about->n - 2;
  while (high - low > 1) {
    int middle = (low + high) / 2;
    if (at(about, list, middle, lane) <= x) {
      low = middle;
    } else {
      high = middle;
    }
  }
  return low;
}

static double pick(const jemit_list* about, const double* list, int lane) {
  double k = list[lane];
  return at(about, list, k >= 0.0 && k < about->n - 1 ? (int)k : 0, lane);
}

typedef struct equation {
  const jemit_list* about;
  const double* c;
  double* work;
} equation;

static void equation_at(void* user, double x, double F[2]) {
  const equation* e = user;
  const double* in[2] = {&x, e->c};
  e->about->function(in, (double* const[]){F}, e->work);
}

static double solve(const jemit_list* about, double* list, int lane) {
  double* own = list + about->work;
  for (int k = 0; k < about->n; k++) {
    own[k] = list[k * about->lanes + lane];
  }
  equation e = {about, own + 2, own + about->n};
  return jexpr_solve_value(equation_at, &e, own[0], own[1]);
}

void jkernel_list(const jemit_list* about, double* list, const double* data) {
  double value[16];
  for (int lane = 0; lane < about->lanes; lane++) {
    switch (about->op) {
      case JEXPR_LOCATE: value[lane] = locate(about, list, lane); break;
      case JEXPR_PICK: value[lane] = pick(about, list, lane); break;
      case JEXPR_SOLVE: value[lane] = solve(about, list, lane); break;
      default:
        value[lane] = jdata_of_input(data, about->data[0], about->data[1], about->data[2],
                                     list[lane], list[about->lanes + lane]);
        break;
    }
  }
  for (int lane = 0; lane < about->lanes; lane++) {
    list[lane] = value[lane];
  }
}
