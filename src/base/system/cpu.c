// SPDX-License-Identifier: Apache-2.0
#include "base/system/cpu.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/require.h"

#define NATIVE "native"

static const struct {
  const char *name, *flag;
  int lanes;
} table[] = {
#define ROW(level, name, lanes) [level] = {name, "-march=" name, lanes},
    JCPU_LEVELS(ROW)
#undef ROW
};
enum { LEVELS = sizeof table / sizeof *table };

#if defined(__x86_64__)
#define LOWEST JCPU_V1
#define HAS    __builtin_cpu_supports
bool jcpu_has_v3(void) {
  return HAS("avx2") && HAS("fma") && HAS("bmi") && HAS("bmi2");
}

jcpu_level jcpu_detect(void) {
  if (!HAS("ssse3") || !HAS("sse4.2") || !HAS("popcnt")) return JCPU_V1;
  if (!jcpu_has_v3()) return JCPU_V2;
  bool is_v4 =
      HAS("avx512f") && HAS("avx512dq") && HAS("avx512bw") && HAS("avx512cd") && HAS("avx512vl");
  return is_v4 ? JCPU_V4 : JCPU_V3;
}
#elif defined(__aarch64__)
#define LOWEST JCPU_AARCH64
#else
#define LOWEST JCPU_OTHER
#endif
#if !defined(__x86_64__)
bool jcpu_has_v3(void) {
  return false;
}

jcpu_level jcpu_detect(void) {
  return LOWEST;
}
#endif

// What was asked for; NULL: nothing, or the highest.
static const char* wanted(void) {
  const char* text = getenv("JOUNCE_CPU");
  return text && text[0] != '\0' && strcmp(text, NATIVE) != 0 ? text : NULL;
}

static int find(const char* name) {
  for (int i = 0; i < LEVELS; i++) {
    if (strcmp(table[i].name, name) == 0) return i;
  }
  return -1;
}

static bool is_there(int level) {
  return level >= (int)LOWEST && level <= (int)jcpu_detect();
}

jo_status jcpu_choose(jo_context* ctx, jcpu_level* level) {
  const char* name = wanted();
  if (name && find(name) < 0) {
    return jerr_set(ctx, JO_ERR_ARGUMENT,
                    "JOUNCE_CPU is '%s'; it must be x86-64, x86-64-v2, x86-64-v3, x86-64-v4, "
                    "aarch64 or native (this processor: %s)",
                    name, jcpu_name(jcpu_detect()));
  }
  if (name && !is_there(find(name))) {
    return jerr_set(ctx, JO_ERR_ARGUMENT,
                    "JOUNCE_CPU is '%s', which this processor does not have (it has %s); set it to "
                    "a level up to that one, or leave it unset",
                    name, jcpu_name(jcpu_detect()));
  }
  *level = jcpu_chosen();
  return JO_OK;
}

jcpu_level jcpu_chosen(void) {
  const char* name = wanted();
  int level = name ? find(name) : -1;
  return is_there(level) ? (jcpu_level)level : jcpu_detect();
}

const char* jcpu_name(jcpu_level level) {
  return table[level].name;
}

int jcpu_lanes(jcpu_level level) {
  return table[level].lanes;
}

const char* jcpu_flag(void) {
  if (LOWEST != JCPU_V1) return NULL;
  return wanted() ? table[jcpu_chosen()].flag : "-march=" NATIVE;
}

jo_status jo_processor(jo_context* ctx, const char** level, int* lanes) {
  JO_REQUIRE(ctx, level, lanes);
  jcpu_level chosen;
  JO_TRY(jcpu_choose(ctx, &chosen));
  *level = jcpu_name(chosen);
  *lanes = jcpu_lanes(chosen);
  return JO_OK;
}
