// SPDX-License-Identifier: Apache-2.0
// Types and helpers of emitted code on devices.
//
// Lane k of a pair is in the thread of the half k of its warp: threads l and l + 16 are one vehicle, go the same way, and
// hold the same single values. Functions are called by whole warps.
#include "emit/device.h"

#include "emit/prelude.h"
#include "expr/graph.h"

static const char device_text[] =
    "#if defined(__CUDACC__)\n"
    "#define restrict __restrict__\n"
    "#define JK_FUNCTION static __device__ __noinline__\n"
    "#define JK_HELPER static __device__ __forceinline__\n"
    "#else\n"
    "#define JK_FUNCTION static\n"
    "#define JK_RUN2(a, i) JK_V2((a)[(i) * JK_STRIDE], (a)[((i) + 1) * JK_STRIDE])\n"
    "#define JK_PUT2(a, i, v, lane) (a)[(i) * JK_STRIDE] = (v)[lane]\n"
    "#define JK_V2(a, b) (jk_v2){a, b}\n"
    "#endif\n"
    "/* elements of arrays are so far apart */\n"
    "#ifndef JK_STRIDE\n"
    "#define JK_STRIDE 1\n"
    "#endif\n"
    "#define JK_MEET() (void)0\n";

static const char threads_text[] =
    "\n"
    "#if defined(__CUDACC__)\n"
    "#define JK_SIDE ((int)(threadIdx.x >> 4) & 1)\n"
    "#define JK_PLACE ((int)threadIdx.x & 15)\n"
    "#define JK_BOTH (0x10001u << JK_PLACE) /* threads of a vehicle */\n"
    "#define JK_REST() (void)0\n"
    "struct jk_flipped {\n"
    "  double x, sign; /* 1 or -1, by thread: sums take it as a factor, exactly, in one operation "
    "*/\n"
    "};\n"
    "struct jk_v2 {\n"
    "  double x; /* of this thread */\n"
    "  __device__ __forceinline__ jk_v2() {}\n"
    "  __device__ __forceinline__ explicit jk_v2(double own) : x(own) {}\n"
    "  __device__ __forceinline__ jk_v2(jk_flipped a) : x(a.sign * a.x) {}\n"
    "  __device__ __forceinline__ jk_v2(double a, double b) : x(JK_SIDE ? b : a) {}\n"
    "  __device__ __forceinline__ double operator[](int k) const {\n"
    "    return __shfl_sync(~0u, x, k * 16 + JK_PLACE);\n"
    "  }\n"
    "};\n"
    "JK_HELPER jk_v2 operator+(jk_v2 a, jk_v2 b) {\n"
    "  return jk_v2(a.x + b.x);\n"
    "}\n"
    "JK_HELPER jk_v2 operator-(jk_v2 a, jk_v2 b) {\n"
    "  return jk_v2(a.x - b.x);\n"
    "}\n"
    "JK_HELPER jk_v2 operator*(jk_v2 a, jk_v2 b) {\n"
    "  return jk_v2(a.x * b.x);\n"
    "}\n"
    "JK_HELPER jk_v2 operator/(jk_v2 a, jk_v2 b) {\n"
    "  return jk_v2(a.x / b.x);\n"
    "}\n"
    "#define JK_V2(a, b) jk_v2(a, b)\n"
    "#define JK_RUN2(a, i) jk_v2((a)[((i) + JK_SIDE) * JK_STRIDE])\n"
    "#define JK_PUT2(a, i, v, lane) if (JK_SIDE == (lane)) (a)[(i) * JK_STRIDE] = (v).x\n"
    "/* what one thread has written, both read */\n"
    "#undef JK_MEET\n"
    "#define JK_MEET() __syncwarp()\n"
    "JK_HELPER jk_flipped jk_flip2(jk_v2 a, int first, int second) {\n"
    "  const jk_flipped f = {a.x, (JK_SIDE ? second : first) ? -1.0 : 1.0};\n"
    "  return f;\n"
    "}\n"
    "JK_HELPER jk_v2 operator+(jk_v2 a, jk_flipped b) {\n"
    "  return jk_v2(fma(b.sign, b.x, a.x));\n"
    "}\n"
    "JK_HELPER jk_v2 operator+(jk_flipped a, jk_v2 b) {\n"
    "  return jk_v2(fma(a.sign, a.x, b.x));\n"
    "}\n"
    "JK_HELPER jk_v2 operator+(jk_flipped a, jk_flipped b) {\n"
    "  return jk_v2(a) + b;\n"
    "}\n"
    "JK_HELPER jk_v2 operator-(jk_v2 a, jk_flipped b) {\n"
    "  return jk_v2(fma(-b.sign, b.x, a.x));\n"
    "}\n"
    "JK_HELPER jk_v2 operator-(jk_flipped a, jk_v2 b) {\n"
    "  return jk_v2(fma(a.sign, a.x, -b.x));\n"
    "}\n"
    "JK_HELPER jk_v2 operator-(jk_flipped a, jk_flipped b) {\n"
    "  return jk_v2(a) - b;\n"
    "}\n"
    "#define JK_FLIP2(v, s0, s1) jk_flip2(v, s0, s1)\n"
    "/* lanes i and k of a, then those of b: what the other thread has comes over, once */\n"
    "JK_HELPER jk_v2 jk_shuffle2(jk_v2 a, jk_v2 b, int i, int k) {\n"
    "  const double from_first = i < 2 ? a.x : b.x;\n"
    "  const double from_second = k < 2 ? a.x : b.x;\n"
    "  if (i % 2 == 0 && k % 2 == 1) {\n"
    "    return jk_v2(from_first, from_second);\n"
    "  }\n"
    "  if (i % 2 == 1 && k % 2 == 0) {\n"
    "    return jk_v2(__shfl_xor_sync(~0u, JK_SIDE ? from_first : from_second, 16));\n"
    "  }\n"
    "  if (i == k) {\n"
    "    return jk_v2(jk_v2(from_first)[i % 2]);\n"
    "  }\n"
    "  const double one = jk_v2(from_first)[i % 2];\n"
    "  const double other = jk_v2(from_second)[k % 2];\n"
    "  return jk_v2(one, other);\n"
    "}\n"
    "#define JK_SHUFFLE2(n, a, b, i, k) jk_shuffle2(a, b, i, k)\n"
    "JK_HELPER jk_v2 jk_lt2(jk_v2 a, jk_v2 b) {\n"
    "  return jk_v2(a.x < b.x ? 1.0 : 0.0);\n"
    "}\n"
    "JK_HELPER jk_v2 jk_le2(jk_v2 a, jk_v2 b) {\n"
    "  return jk_v2(a.x <= b.x ? 1.0 : 0.0);\n"
    "}\n"
    "JK_HELPER jk_v2 jk_eq2(jk_v2 a, jk_v2 b) {\n"
    "  return jk_v2(a.x == b.x ? 1.0 : 0.0);\n"
    "}\n"
    "JK_HELPER jk_v2 jk_min2(jk_v2 a, jk_v2 b) {\n"
    "  return jk_v2(a.x < b.x ? a.x : b.x);\n"
    "}\n"
    "JK_HELPER jk_v2 jk_max2(jk_v2 a, jk_v2 b) {\n"
    "  return jk_v2(a.x > b.x ? a.x : b.x);\n"
    "}\n"
    "typedef bool jk_i2; /* of this thread */\n"
    "JK_HELPER jk_i2 jk_asked2(jk_v2 a) {\n"
    "  return a.x != 0.0;\n"
    "}\n"
    "JK_HELPER jk_v2 jk_blend2(jk_i2 m, jk_v2 a, jk_v2 b) {\n"
    "  return jk_v2(m ? a.x : b.x);\n"
    "}\n"
    "JK_HELPER jk_v2 jk_abs2(jk_v2 a) {\n"
    "  return jk_v2(fabs(a.x));\n"
    "}\n"
    "JK_HELPER jk_v2 jk_sqrt2(jk_v2 a) {\n"
    "  return jk_v2(sqrt(a.x));\n"
    "}\n"
    "JK_HELPER jk_v2 jk_addsub2(jk_v2 a, jk_v2 b) {\n"
    "  return a + jk_flip2(b, 1, 0);\n"
    "}\n";

static const char waves_text[] =
    "JK_HELPER void jm_sincos_v2(jk_v2 a, jk_v2* sine, jk_v2* cosine) {\n"
    "  jm_sincos(a.x, &sine->x, &cosine->x);\n"
    "}\n";

void jemit_put_device_prelude(jtext* t) {
  jtext_put(t, device_text);
}

void jemit_put_threads_prelude(jtext* t, const bool* functions) {
  jtext_put(t, threads_text);
  for (int op = 1; op < JEXPR_OP_COUNT; op++) {
    const jexpr_op_info* info = &jexpr_ops[op];
    if (!functions[op] || !jemit_is_function(info)) continue;
    bool has_two = info->arity == 2;
    jtext_printf(t, "JK_HELPER jk_v2 jm_%s_v2(jk_v2 a%s) {\n  return jk_v2(jm_%s(a.x%s));\n}\n",
                 info->name, has_two ? ", jk_v2 b" : "", info->name, has_two ? ", b.x" : "");
  }
  if (functions[JEXPR_SIN]) jtext_put(t, waves_text);
  jtext_put(t, "#else\n");
}
