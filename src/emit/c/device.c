// SPDX-License-Identifier: Apache-2.0
// Types and helpers of emitted code on devices.
//
// Lane k of a pair is in the thread of the half k of its warp: threads l and l + 16 are one vehicle, go the same way, and
// hold the same single values. Functions are called by whole warps.
#include "emit/c/device.h"

#include "emit/c/real.h"
#include "expr/graph.h"

static const char device_text[] =
    "#if defined(__CUDACC__)\n"
    "#define restrict __restrict__\n"
    "#define JK_FUNCTION static __device__ __noinline__\n"
    "#define JK_HELPER static __device__ __forceinline__\n"
    "#else\n"
    "#define JK_FUNCTION static\n"
    "#define JK_PUT2(a, i, v, lane) (a)[(i) * JK_STRIDE] = (v)[lane]\n"
    "#endif\n"
    "/* a value that a thread keeps, of a pack: its own */\n"
    "#ifndef JK_WORK\n"
    "#define JK_WORK(w, i) (w)[(i) * JK_WORK_DOUBLES]\n"
    "#define JK_WORK_DOUBLES 2\n"
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
    "#define JK_PUT2(a, i, v, lane) if (JK_SIDE == (lane)) (a)[(i) * JK_STRIDE] = (v).x\n"
    "/* what one thread has written, both read */\n"
    "#undef JK_MEET\n"
    "#define JK_MEET() __syncwarp()\n"
    "typedef bool jk_i2, jk_i2f; /* of this thread */\n"
    "#define JK_NARROW2(v) jk_v2f((float)(v).x)\n";

// Of an arithmetic (real.h).
static const char pair_text[] =
    "/* 1 or -1, by thread: sums take the sign as a factor, exactly, in one operation */\n"
    "struct jk_flipped$ {\n"
    "  %r x, sign;\n"
    "};\n"
    "struct jk_v$ {\n"
    "  %r x; /* of this thread */\n"
    "  __device__ __forceinline__ jk_v$() {}\n"
    "  __device__ __forceinline__ explicit jk_v$(%r own) : x(own) {}\n"
    "  __device__ __forceinline__ jk_v$(jk_flipped$ a) : x(a.sign * a.x) {}\n"
    "  __device__ __forceinline__ jk_v$(%r a, %r b) : x(JK_SIDE ? b : a) {}\n"
    "  __device__ __forceinline__ %r operator[](int k) const {\n"
    "    return __shfl_sync(~0u, x, k * 16 + JK_PLACE);\n"
    "  }\n"
    "};\n"
    "JK_HELPER jk_v$ operator+(jk_v$ a, jk_v$ b) {\n"
    "  return jk_v$(a.x + b.x);\n"
    "}\n"
    "JK_HELPER jk_v$ operator-(jk_v$ a, jk_v$ b) {\n"
    "  return jk_v$(a.x - b.x);\n"
    "}\n"
    "JK_HELPER jk_v$ operator*(jk_v$ a, jk_v$ b) {\n"
    "  return jk_v$(a.x * b.x);\n"
    "}\n"
    "JK_HELPER jk_v$ operator/(jk_v$ a, jk_v$ b) {\n"
    "  return jk_v$(a.x / b.x);\n"
    "}\n"
    "#define JK_V$(a, b) jk_v$(a, b)\n"
    "#define JK_AT$(a) (*(jk_v$*)(a)) /* memory of this thread */\n"
    "#define JK_RUN$(a, i) jk_v$((%r)(a)[((i) + JK_SIDE) * JK_STRIDE])\n"
    "#define JK_PICK$(a, i, k) jk_v$((%r)(a)[((i) + ((k) - (i)) * JK_SIDE) * JK_STRIDE])\n"
    "JK_HELPER jk_flipped$ jk_flip$(jk_v$ a, int first, int second) {\n"
    "  const jk_flipped$ f = {a.x, (%r)((JK_SIDE ? second : first) ? -1 : 1)};\n"
    "  return f;\n"
    "}\n"
    "JK_HELPER jk_v$ operator+(jk_v$ a, jk_flipped$ b) {\n"
    "  return jk_v$(fma(b.sign, b.x, a.x));\n"
    "}\n"
    "JK_HELPER jk_v$ operator+(jk_flipped$ a, jk_v$ b) {\n"
    "  return jk_v$(fma(a.sign, a.x, b.x));\n"
    "}\n"
    "JK_HELPER jk_v$ operator+(jk_flipped$ a, jk_flipped$ b) {\n"
    "  return jk_v$(a) + b;\n"
    "}\n"
    "JK_HELPER jk_v$ operator-(jk_v$ a, jk_flipped$ b) {\n"
    "  return jk_v$(fma(-b.sign, b.x, a.x));\n"
    "}\n"
    "JK_HELPER jk_v$ operator-(jk_flipped$ a, jk_v$ b) {\n"
    "  return jk_v$(fma(a.sign, a.x, -b.x));\n"
    "}\n"
    "JK_HELPER jk_v$ operator-(jk_flipped$ a, jk_flipped$ b) {\n"
    "  return jk_v$(a) - b;\n"
    "}\n"
    "#define JK_FLIP$(v, s0, s1) jk_flip$(v, s0, s1)\n"
    "/* lanes i and k of a, then those of b: what the other thread has comes over, once */\n"
    "JK_HELPER jk_v$ jk_shuffle$(jk_v$ a, jk_v$ b, int i, int k) {\n"
    "  const %r from_first = i < 2 ? a.x : b.x;\n"
    "  const %r from_second = k < 2 ? a.x : b.x;\n"
    "  if (i %% 2 == 0 && k %% 2 == 1) {\n"
    "    return jk_v$(from_first, from_second);\n"
    "  }\n"
    "  if (i %% 2 == 1 && k %% 2 == 0) {\n"
    "    return jk_v$(__shfl_xor_sync(~0u, JK_SIDE ? from_first : from_second, 16));\n"
    "  }\n"
    "  if (i == k) {\n"
    "    return jk_v$(jk_v$(from_first)[i %% 2]);\n"
    "  }\n"
    "  const %r one = jk_v$(from_first)[i %% 2];\n"
    "  const %r other = jk_v$(from_second)[k %% 2];\n"
    "  return jk_v$(one, other);\n"
    "}\n"
    "#define JK_SHUFFLE$(n, a, b, i, k) jk_shuffle$(a, b, i, k)\n"
    "JK_HELPER jk_v$ jk_lt$(jk_v$ a, jk_v$ b) {\n"
    "  return jk_v$(a.x < b.x ? 1.0%f : 0.0%f);\n"
    "}\n"
    "JK_HELPER jk_v$ jk_le$(jk_v$ a, jk_v$ b) {\n"
    "  return jk_v$(a.x <= b.x ? 1.0%f : 0.0%f);\n"
    "}\n"
    "JK_HELPER jk_v$ jk_eq$(jk_v$ a, jk_v$ b) {\n"
    "  return jk_v$(a.x == b.x ? 1.0%f : 0.0%f);\n"
    "}\n"
    "JK_HELPER jk_v$ jk_min$(jk_v$ a, jk_v$ b) {\n"
    "  return jk_v$(a.x < b.x ? a.x : b.x);\n"
    "}\n"
    "JK_HELPER jk_v$ jk_max$(jk_v$ a, jk_v$ b) {\n"
    "  return jk_v$(a.x > b.x ? a.x : b.x);\n"
    "}\n"
    "JK_HELPER jk_i$ jk_asked$(jk_v$ a) {\n"
    "  return a.x != 0.0%f;\n"
    "}\n"
    "JK_HELPER jk_v$ jk_blend$(jk_i$ m, jk_v$ a, jk_v$ b) {\n"
    "  return jk_v$(m ? a.x : b.x);\n"
    "}\n"
    "JK_HELPER jk_v$ jk_abs$(jk_v$ a) {\n"
    "  return jk_v$(fabs%f(a.x));\n"
    "}\n"
    "JK_HELPER jk_v$ jk_sqrt$(jk_v$ a) {\n"
    "  return jk_v$(sqrt%f(a.x));\n"
    "}\n"
    "JK_HELPER jk_v$ jk_addsub$(jk_v$ a, jk_v$ b) {\n"
    "  return a + jk_flip$(b, 1, 0);\n"
    "}\n";

static const char waves_text[] =
    "JK_HELPER void jm_sincos_v$(jk_v$ a, jk_v$* sine, jk_v$* cosine) {\n"
    "  jm_sincos%f(a.x, &sine->x, &cosine->x);\n"
    "}\n";

// Pairs of a host, of an arithmetic.
static const char host_text[] =
    "#define JK_V$(a, b) (jk_v$){a, b}\n"
    "#define JK_RUN$(a, i) JK_PICK$(a, i, (i) + 1)\n"
    "#define JK_PICK$(a, i, k) JK_V$((%r)(a)[(i) * JK_STRIDE], (%r)(a)[(k) * JK_STRIDE])\n";

void jemit_put_device_prelude(jtext* t) {
  jtext_put(t, device_text);
}

static void put_pair(jtext* t, const jemit_real* real, const bool* functions) {
  const char* f = real->suffix;
  jemit_put_for(t, real, 2, pair_text);
  for (int op = 1; op < JEXPR_OP_COUNT; op++) {
    const jexpr_op_info* info = &jexpr_ops[op];
    if (!functions[op] || !jemit_is_function(info)) continue;
    bool has_two = info->arity == 2;
    jtext_printf(t, "JK_HELPER jk_v2%s jm_%s_v2%s(jk_v2%s a", f, info->name, f, f);
    if (has_two) jtext_printf(t, ", jk_v2%s b", f);
    jtext_printf(t, ") {\n  return jk_v2%s(jm_%s%s(a.x%s));\n}\n", f, info->name, f,
                 has_two ? ", b.x" : "");
  }
  if (functions[JEXPR_SIN]) jemit_put_for(t, real, 2, waves_text);
}

void jemit_put_threads_prelude(jtext* t, const jemit_needs* needs) {
  jtext_put(t, threads_text);
  put_pair(t, &jemit_double, needs->function);
  if (needs->single) put_pair(t, &jemit_single, needs->single_function);
  jtext_put(t, "#else\n");
  jemit_put_for(t, &jemit_double, 2, host_text);
  if (needs->single) jemit_put_for(t, &jemit_single, 2, host_text);
  if (needs->single) jtext_put(t, "#define JK_NARROW2(v) (jk_v2f){(float)(v)[0], (float)(v)[1]}\n");
}
