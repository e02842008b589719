// SPDX-License-Identifier: Apache-2.0
// Types and helpers of emitted code.
//
// With several lanes jk_real is a vector type: arithmetic is written with operators, everything
// else goes through jkv_<operator>: an elementary function of vectors, a choice by masks, or the operator's C text
// once per lane.
#include "emit/c/prelude.h"

#include <string.h>

#include "emit/c/real.h"
#include "expr/body.h"

static const char common[] =
    "#include <math.h>\n"
    "\n"
    "#define JK_HIDDEN __attribute__((visibility(\"hidden\")))\n"
    "#ifndef JK_HELPER\n"
    "#define JK_HELPER static inline\n"
    "#endif\n";

static const char lists[] =
    "\n"
    "/* largest k in 0 ... n-2 with X[k] <= x, else 0; X ascending */\n"
    "JK_HELPER %r jk_locate%f(%r x, const %r* X, int n) {\n"
    "  int lo = 0;\n"
    "  int hi = n - 1;\n"
    "  while (hi - lo > 1) {\n"
    "    const int mid = (lo + hi) / 2;\n"
    "    if (X[mid] <= x) {\n"
    "      lo = mid;\n"
    "    } else {\n"
    "      hi = mid;\n"
    "    }\n"
    "  }\n"
    "  return (%r)lo;\n"
    "}\n"
    "\n"
    "/* an index into m values; 0 where there is none */\n"
    "JK_HELPER int jk_index%f(%r k, int m) {\n"
    "  return k >= 0.0%f && k < (%r)m ? (int)k : 0;\n"
    "}\n";

static const char single_waves[] =
    "JK_HELPER void jm_sincosf(float a, float* sine, float* cosine) {\n"
    "#if defined(__CUDACC__)\n"
    "  sincosf(a, sine, cosine);\n"
    "#else\n"
    "  *sine = sinf(a);\n"
    "  *cosine = cosf(a);\n"
    "#endif\n"
    "}\n";

static const char vector[] =
    "\n"
    "typedef double jk_real __attribute__((vector_size(8 * JK_LANES)));\n"
    "typedef double jk_memory __attribute__((vector_size(8 * JK_LANES), aligned(8), may_alias));\n"
    "#if defined(__GNUC__)\n"
    "#pragma GCC diagnostic ignored \"-Wpsabi\"\n"
    "#endif\n"
    "#define JK_INLINE static inline __attribute__((always_inline))\n"
    "\n"
    "/* element i of an array with the lanes innermost */\n"
    "JK_INLINE jk_real jk_at(const double* x, int i) {\n"
    "  return (jk_real) * (const jk_memory*)(x + i * JK_LANES);\n"
    "}\n"
    "JK_INLINE void jk_put(double* x, int i, jk_real value) {\n"
    "  *(jk_memory*)(x + i * JK_LANES) = (jk_memory)value;\n"
    "}\n";

// Choices between values that are all there, by masks of bits: as the C text of the operators has them.
static const char choices[] =
    "typedef long long jk_mask __attribute__((vector_size(8 * JK_LANES)));\n"
    "JK_INLINE jk_real jk_choose(jk_mask m, jk_real a, jk_real b) {\n"
    "  return (jk_real)((m & (jk_mask)a) | (~m & (jk_mask)b));\n"
    "}\n"
    "JK_INLINE jk_real jk_one(jk_mask m) {\n"
    "  return (jk_real)(m & (jk_mask)jk_all(1.0));\n"
    "}\n"
    "/* one lane after another where the machine has no square roots of that many */\n"
    "JK_INLINE jk_real jk_roots(jk_real a) {\n"
    "#if defined(__AVX512F__) && JK_LANES == 8 && !defined(__clang__)\n"
    "  return (jk_real)__builtin_ia32_sqrtpd512_mask(a, a, -1, 4);\n"
    "#elif defined(__AVX__) && JK_LANES == 4\n"
    "  return (jk_real)__builtin_ia32_sqrtpd256(a);\n"
    "#elif defined(__SSE2__) && JK_LANES == 2\n"
    "  return (jk_real)__builtin_ia32_sqrtpd(a);\n"
    "#else\n"
    "  for (int lane = 0; lane < JK_LANES; lane++) {\n"
    "    a[lane] = sqrt(a[lane]);\n"
    "  }\n"
    "  return a;\n"
    "#endif\n"
    "}\n";

// The text of an operator for vectors; NULL: once per lane.
static const char* choice_text(int op) {
  switch (op) {
    case JEXPR_LT: return "jk_one((jk_mask)(a < b))";
    case JEXPR_LE: return "jk_one((jk_mask)(a <= b))";
    case JEXPR_EQ: return "jk_one((jk_mask)(a == b))";
    case JEXPR_SIGN:
      return "jk_one((jk_mask)(a > jk_all(0.0))) - jk_one((jk_mask)(a < jk_all(0.0)))";
    case JEXPR_MIN: return "jk_choose((jk_mask)(a < b), a, b)";
    case JEXPR_MAX: return "jk_choose((jk_mask)(a > b), a, b)";
    case JEXPR_SELECT: return "jk_choose((jk_mask)(a != jk_all(0.0)), b, c)";
    case JEXPR_ABS: return "(jk_real)((jk_mask)a & ~(jk_mask)jk_all(-0.0))";
    case JEXPR_SQRT: return "jk_roots(a)";
    default: return NULL;
  }
}

// expr/body.c: l holds where to begin, the first step, and the values of the equation.
static const char unknown[] =
    "\n"
    "typedef void jk_equation(const double* const* in, double* const* out, double* w);\n"
    "\n"
    "/* x with F(x) = 0, where F falls with x */\n"
    "JK_HELPER double jk_solve(jk_equation* f, const double* l) {\n"
    "  double x = l[0];\n"
    "  double step = l[1];\n"
    "  double low = 0.0;\n"
    "  double high = 0.0;\n"
    "  double last = INFINITY;\n"
    "  double F[2];\n"
    "  const double* in[2] = {&x, l + 2};\n"
    "  double* const out[1] = {F};\n"
    "  const double enough = 1e-12 * (fabs(x) + step);\n"
    "  int found = 0;\n"
    "  for (int i = 0; i < 200; i++) {\n"
    "    f(in, out, 0);\n"
    "    if (F[0] == 0.0) {\n"
    "      return x;\n"
    "    }\n"
    "    if (F[0] > 0.0) {\n"
    "      low = x;\n"
    "      found |= 1;\n"
    "    } else if (F[0] < 0.0) {\n"
    "      high = x;\n"
    "      found |= 2;\n"
    "    } else {\n"
    "      return NAN;\n"
    "    }\n"
    "    double way = -F[0] / F[1];\n"
    "    if (found == 3 && fabs(way) <= enough) {\n"
    "      return x + way;\n"
    "    }\n"
    "    if (found != 3) {\n"
    "      way = F[0] > 0.0 ? step : -step;\n"
    "      step *= 2.0;\n"
    "    } else if (!(x + way > low && x + way < high && fabs(way) <= 0.5 * last)) {\n"
    "      way = 0.5 * (low + high) - x;\n"
    "    }\n"
    "    if (found == 3) {\n"
    "      last = fabs(way);\n"
    "    }\n"
    "    if (x + way == x) {\n"
    "      return x;\n"
    "    }\n"
    "    x += way;\n"
    "  }\n"
    "  return NAN;\n"
    "}\n";

static const char unknown_lanes[] =
    "JK_INLINE jk_real jkv_solve(jk_equation* f, const jk_real* l, int n) {\n"
    "  jk_real x = {0.0};\n"
    "  for (int lane = 0; lane < JK_LANES; lane++) {\n"
    "    double own[2 + JK_VALUES];\n"
    "    for (int i = 0; i < n; i++) {\n"
    "      own[i] = l[i][lane];\n"
    "    }\n"
    "    x[lane] = jk_solve(f, own);\n"
    "  }\n"
    "  return x;\n"
    "}\n";

// base/data.h
static const char data[] =
    "\n"
    "/* data given at run time: their head is a function that reads table k at (u, v), i and j "
    "times "
    "differentiated */\n"
    "typedef struct jk_data {\n"
    "  double (*at)(const struct jk_data* d, int k, int i, int j, double u, double v);\n"
    "} jk_data;\n"
    "JK_HELPER double jk_read(const double* in, int k, int i, int j, double u, double v) {\n"
    "  const jk_data* d = (const jk_data*)(const void*)in;\n"
    "  return d->at(d, k, i, j, u, v);\n"
    "}\n";

static const char data_lanes[] =
    "JK_INLINE jk_real jkv_read(const double* in, int k, int i, int j, jk_real u, jk_real v) {\n"
    "  jk_real x = {0.0};\n"
    "  for (int lane = 0; lane < JK_LANES; lane++) {\n"
    "    x[lane] = jk_read(in, k, i, j, u[lane], v[lane]);\n"
    "  }\n"
    "  return x;\n"
    "}\n";

// `{f(0), f(1), ...}` over the lanes.
static void put_lanes(jtext* t, int lanes, const char* text) {
  jtext_put(t, "(jk_real){");
  for (int lane = 0; lane < lanes; lane++) {
    if (lane > 0) jtext_put(t, ", ");
    for (const char* s = text; *s != '\0'; s++) {
      if (*s == '$' && s[1] == '#') {
        jtext_printf(t, "%d", lane);
        s++;
      } else if (*s == '$') {
        jtext_printf(t, "%c[%d]", s[1], lane);
        s++;
      } else {
        jtext_write(t, s, 1);
      }
    }
  }
  jtext_put(t, "}");
}

static void put_helper(jtext* t, int lanes, const char* signature, const char* text) {
  jtext_printf(t, "JK_INLINE jk_real %s {\n  return ", signature);
  put_lanes(t, lanes, text);
  jtext_put(t, ";\n}\n");
}

bool jemit_is_function(const jexpr_op_info* op) {
  return strncmp(op->c_text, "jm_", 3) == 0;
}

static void put_operator(jtext* t, int lanes, const jexpr_op_info* op) {
  static const char* const parameters[] = {"", "jk_real a", "jk_real a, jk_real b",
                                           "jk_real a, jk_real b, jk_real c"};
  static const char* const arguments[] = {"", "a", "a, b", "a, b, c"};
  jtext_printf(t, "JK_INLINE jk_real jkv_%s(%s) {\n  return ", op->name, parameters[op->arity]);
  const char* choice = choice_text((int)(op - jexpr_ops));
  if (jemit_is_function(op)) {
    jtext_printf(t, "jm_%s_v%d(%s)", op->name, lanes, arguments[op->arity]);
  } else if (choice) {
    jtext_put(t, choice);
  } else {
    put_lanes(t, lanes, op->c_text);
  }
  jtext_put(t, ";\n}\n");
}

// Elementary functions of single values, and of vectors of the width.
void jemit_put_functions(jtext* t, int width) {
  jtext_printf(t, "\n#define JM_WIDTH %d\n", width);
  jtext_put(t, jbase_elementary_text_h);
}

// Those of the C library, or of the device.
static void put_single(jtext* t, const bool* function) {
  jemit_put_for(t, &jemit_single, 1, lists);
  for (int op = 1; op < JEXPR_OP_COUNT; op++) {
    if (!function[op]) continue;
    const char* name = jexpr_ops[op].name;
    bool has_two = jexpr_ops[op].arity == 2;
    jtext_printf(t, "JK_HELPER float jm_%sf(float a%s) {\n  return %sf(a%s);\n}\n", name,
                 has_two ? ", float b" : "", name, has_two ? ", b" : "");
  }
  if (function[JEXPR_SIN]) jtext_put(t, single_waves);
}

void jemit_put_prelude(jtext* t, int lanes, const jemit_needs* needs) {
  jtext_put(t, common);
  jemit_put_for(t, &jemit_double, 1, lists);
  if (needs->single) put_single(t, needs->single_function);
  for (int op = 1; op < JEXPR_OP_COUNT; op++) {
    if (needs->function[op]) jtext_printf(t, "#define JM_NEEDS_%s\n", jexpr_ops[op].name);
  }
  if (needs->functions) {
    jtext_put(t, "#define JM_SOME\n");
    jemit_put_functions(t, 1);
  }
  if (needs->data) jtext_put(t, data);
  if (needs->unknowns) jtext_put(t, unknown);
  if (lanes == 1) return;
  jtext_printf(t, "\n#define JK_LANES %d\n", lanes);
  jtext_put(t, vector);
  put_helper(t, lanes, "jk_all(double x)", "x");
  jtext_put(t, choices);
  if (needs->functions) jemit_put_functions(t, lanes);
  for (int op = 1; op < JEXPR_OP_COUNT; op++) {
    const jexpr_op_info* info = &jexpr_ops[op];
    bool is_vector_operator = info->class_ == JEXPR_CLASS_ARITH;
    bool is_missing = jemit_is_function(info) && !needs->function[op];
    if (info->arity > 0 && !is_vector_operator && !is_missing) put_operator(t, lanes, info);
  }
  if (needs->function[JEXPR_SIN]) jtext_printf(t, "#define jkv_sincos jm_sincos_v%d\n", lanes);
  // lists: the same for all lanes, or an own one in every lane
  put_helper(t, lanes, "jkv_locate(jk_real a, const double* X, int n)", "jk_locate($a, X, n)");
  put_helper(t, lanes, "jkv_pick(jk_real a, const double* A, int m)", "A[jk_index($a, m)]");
  put_helper(t, lanes, "jkv_pick_each(jk_real a, const jk_real* A, int m)",
             "A[jk_index($a, m)][$#]");
  jtext_put(t,
            "JK_INLINE jk_real jkv_locate_each(jk_real a, const jk_real* X, int n) {\n"
            "  jk_real k = {0.0};\n"
            "  for (int lane = 0; lane < JK_LANES; lane++) {\n"
            "    int lo = 0;\n"
            "    int hi = n - 1;\n"
            "    while (hi - lo > 1) {\n"
            "      const int mid = (lo + hi) / 2;\n"
            "      if (X[mid][lane] <= a[lane]) {\n"
            "        lo = mid;\n"
            "      } else {\n"
            "        hi = mid;\n"
            "      }\n"
            "    }\n"
            "    k[lane] = (double)lo;\n"
            "  }\n"
            "  return k;\n"
            "}\n");
  if (needs->data) jtext_put(t, data_lanes);
  if (!needs->unknowns) return;
  jtext_printf(t, "\n#define JK_VALUES %d\n", JEXPR_MAX_VALUES);
  jtext_put(t, unknown_lanes);
}
