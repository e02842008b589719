// SPDX-License-Identifier: Apache-2.0
// What gen/functions.def says of the generated functions.
#ifndef JGEN_FUNCTIONS_H
#define JGEN_FUNCTIONS_H

#include <stdbool.h>

typedef enum jgen_fn {
#define FN(id, name, part, use, numbers, tangent, adjoint, ...) JGEN_FN_##id,
#include "gen/functions.def"
  JGEN_FN_COUNT
} jgen_fn;

typedef enum jgen_fn_use {
  JGEN_USE_OFTEN,
  JGEN_USE_SELDOM,
  JGEN_USE_OUTPUTS,
  JGEN_USE_GUARDS
} jgen_fn_use;

typedef enum jgen_fn_part {
  JGEN_PART_PLANT,
  JGEN_PART_PIECE,
  JGEN_PART_IMPLIED,
  JGEN_PART_EXTRA,
  JGEN_PART_LOADS
} jgen_fn_part;

typedef enum jgen_fn_rule {
  JGEN_RULE_NONE,
  JGEN_RULE_PLAIN,
  JGEN_RULE_TIMED,
  JGEN_RULE_IMPULSIVE,
  JGEN_RULE_VALUED,
  JGEN_RULE_CLOSURE
} jgen_fn_rule;

enum { JGEN_MAX_OUT = 4 };

typedef struct jgen_fn_info {
  const char *name, *tangent_name, *adjoint_name;
  jgen_fn_part part;
  jgen_fn_use use;
  bool is_folded;
  jgen_fn_rule tangent, adjoint;
  const char* out[JGEN_MAX_OUT + 1];  // names of the outputs; NULL: no more
} jgen_fn_info;

const jgen_fn_info* jgen_fn_about(jgen_fn f);

#endif
