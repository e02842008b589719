// SPDX-License-Identifier: Apache-2.0
// Property files of Magic Formula tyres (.tir): PAC2002 / MF 5.2, MF 6.1, MF 6.2. docs/theory/magic_formula.md
#ifndef JMODEL_TIR_H
#define JMODEL_TIR_H

#include <stdbool.h>
#include <stddef.h>

#include "base/mem.h"

typedef enum jmodel_tir_id {
#define TIR(name, otherwise, dimension, group, range) JTIR_##name,
#include "model/tyre/tir.def"
  JTIR_COUNT
} jmodel_tir_id;

typedef enum jmodel_tir_group {
  JTIR_GROUP_MODEL,
  JTIR_GROUP_DIMENSION,
  JTIR_GROUP_PRESSURE,
  JTIR_GROUP_VERTICAL,
  JTIR_GROUP_STRUCTURAL,
  JTIR_GROUP_CONTACT,
  JTIR_GROUP_RANGE,
  JTIR_GROUP_SCALE,
  JTIR_GROUP_LONGITUDINAL,
  JTIR_GROUP_OVERTURNING,
  JTIR_GROUP_LATERAL,
  JTIR_GROUP_ROLLING,
  JTIR_GROUP_ALIGNING
} jmodel_tir_group;

typedef enum jmodel_tir_range {
  JTIR_ANY,
  JTIR_POSITIVE,
  JTIR_NOT_NEGATIVE,
  JTIR_NOT_ZERO
} jmodel_tir_range;

typedef struct jmodel_tir_info {
  const char* name;
  double otherwise;  // value where the file has none
  const char* unit;  // SI
  jmodel_tir_group group;
  jmodel_tir_range range;
} jmodel_tir_info;

extern const jmodel_tir_info jmodel_tir_table[JTIR_COUNT];

// Names of all, and of the scale factors: "" in place of others. Both end with NULL.
extern const char *const jmodel_tir_names[], *const jmodel_tir_scales[];

// Its coefficient, whatever the case of the letters; -1: there is none.
int jmodel_tir_find(const char* name);
// The name closest to it; NULL: none is close.
const char* jmodel_tir_guess(const char* name);

typedef enum jmodel_tir_version { JTIR_52, JTIR_61, JTIR_62 } jmodel_tir_version;
typedef enum jmodel_tir_side {
  JTIR_NO_SIDE,
  JTIR_LEFT,
  JTIR_RIGHT,
  JTIR_SYMMETRIC
} jmodel_tir_side;

typedef struct jmodel_tir {
  const char* path;
  jmodel_tir_version version;
  jmodel_tir_side side;
  int method;                // FE_METHOD: 1 yes, 0 no, -1 it does not say
  bool has_combined;         // it has coefficients of combined slip
  bool ellipse;              // combined slip by friction ellipse: it says so, or has none of those
  double value[JTIR_COUNT];  // SI
  int line[JTIR_COUNT];      // where; 0: not given
  bool is_set[JTIR_COUNT];   // not by the file
} jmodel_tir;

const char* jmodel_tir_version_name(jmodel_tir_version v);

// Read a file, or text that `path` names in messages. Mistakes are all reported, with file and line; what is
// unknown but does no harm is a warning. Texts of *out live in the arena. To be finished with jmodel_tir_finish().
jo_status jmodel_tir_read(jo_context* ctx, jarena* a, const char* path, jmodel_tir* out);
jo_status jmodel_tir_parse(jo_context* ctx, jarena* a, const char* text, size_t n, const char* path,
                           jmodel_tir* out);

// What tyres are used for: forces at a given load; or, in models, also the load from the deflection and radii. Models
// judge signs of forces themselves, for all values that they are run with.
typedef enum jmodel_tir_use { JTIR_FORCES, JTIR_WHEELS } jmodel_tir_use;

// Gives a coefficient another value, or one that the file lacks; SI.
void jmodel_tir_set(jmodel_tir* t, int i, double value);

// When all values are known: what follows from them, and whether they are there and lie where the formulas can use
// them. `elsewhere` (JTIR_COUNT), or NULL: coefficients that others give and judge.
jo_status jmodel_tir_finish(jo_context* ctx, jmodel_tir* t, jmodel_tir_use use,
                            const bool* elsewhere);

// Radii and loads need a vertical stiffness; reported where there is none.
jo_status jmodel_tir_need_vertical(jo_context* ctx, const jmodel_tir* t);

#endif
