// SPDX-License-Identifier: Apache-2.0
// Magic Formula tyres by themselves: property files (.tir), their forces, radii, derivatives and curves.
//
//   jo_tyre* tyre = NULL;
//   jo_tyre_table* table = NULL;
//   status = jo_tyre_load(ctx, "sedan.tir", NULL, 0, &tyre);
//   if (status >= 0) status = jo_tyre_table_create(ctx, tyre, NULL, "cases.csv", &table);
//   if (status >= 0) puts(jo_tyre_table_text(table));
#ifndef JOUNCE_TYRE_H
#define JOUNCE_TYRE_H

#include "jounce/model.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct jo_tyre jo_tyre;

/// Read a property file: PAC2002 / MF 5.2, MF 6.1, MF 6.2. Settings give coefficients other values, or values that the file
/// lacks, in SI. Forces need no vertical stiffness; functions of radii (`vertical`) do.
/// On failure `*out` is NULL and the context names file, line and cause of every mistake. A tyre whose forces point the wrong
/// way at the nominal load is one; where they do so at other loads only, there is a warning.
/// Ownership: caller, release with jo_tyre_destroy(). Threads: any, one context per thread.
JO_API jo_status jo_tyre_load(jo_context* ctx, const char* path, const jo_setting* set, int nset,
                              jo_tyre** out);
/// NULL is fine.
JO_API void jo_tyre_destroy(jo_tyre* tyre);

typedef struct jo_tyre_info {
  const char* version;  // "MF 5.2", "MF 6.1", "MF 6.2"
  const char* side;     // "left", "right", "symmetric"; "" where the file does not say
  int is_ellipse;  // combined slip is by friction ellipse: the file has no coefficients of it, or says so
  int given;  // coefficients in the file
} jo_tyre_info;

JO_API jo_tyre_info jo_tyre_inspect(const jo_tyre* tyre);

typedef struct jo_tyre_coefficient {
  const char *name, *unit;
  double value;  // SI
  int line;      // of the file; 0: it has none, and the value is what stands for that
} jo_tyre_coefficient;

JO_API int jo_tyre_coefficient_count(const jo_tyre* tyre);
/// The i-th of all coefficients that the formulas know; JO_ERR_ARGUMENT where there is none.
JO_API jo_status jo_tyre_coefficient_at(const jo_tyre* tyre, int i, jo_tyre_coefficient* out);

/// How combined slip is computed.
typedef enum jo_tyre_combined {
  JO_TYRE_AS_FILE,  // as the file has it: see jo_tyre_info.is_ellipse
  JO_TYRE_FORMULA,  // by the formulas, also without coefficients: then forces do not reduce each other
  JO_TYRE_ELLIPSE  // by friction ellipse
} jo_tyre_combined;

typedef struct jo_tyre_options {
  jo_tyre_combined combined;
  /// Radii and deflection instead of forces: inputs Fz Fx Fy gamma omega p, else Fz kappa alpha gamma Vx p.
  int vertical;
  /// Also derivatives with respect to these: names of inputs and coefficients; "all": inputs and what the file gives.
  const char* const* wrt;
  int nwrt;
} jo_tyre_options;

JO_API jo_tyre_options jo_tyre_options_default(void);

/// A tyre as a function of 6 inputs in SI and ISO axes, with what the options ask for. It needs the tyre no
/// longer. `opt` may be NULL. Ownership: caller, release with jo_tyre_function_destroy().
typedef struct jo_tyre_function jo_tyre_function;
JO_API jo_status jo_tyre_function_create(jo_context* ctx, const jo_tyre* tyre,
                                         const jo_tyre_options* opt, jo_tyre_function** out);
JO_API void jo_tyre_function_destroy(jo_tyre_function* f);

#define JO_TYRE_INPUTS 6
/// Names and units of the inputs and outputs; "" where there is no i-th.
JO_API const char* jo_tyre_input_name(const jo_tyre_function* f, int i);
JO_API const char* jo_tyre_input_unit(const jo_tyre_function* f, int i);
JO_API int jo_tyre_output_count(const jo_tyre_function* f);
JO_API const char* jo_tyre_output_name(const jo_tyre_function* f, int i);
JO_API const char* jo_tyre_output_unit(const jo_tyre_function* f, int i);
/// What an input is where a table does not have it: no slip, no camber, the nominal load, speed and pressure.
JO_API double jo_tyre_input_default(const jo_tyre_function* f, int i);
/// Evaluates the outputs at JO_TYRE_INPUTS inputs. Without load (Fz <= 0) there are no forces: all outputs are 0.
/// JO_ERR_ARGUMENT for inputs that are not finite and pressures that are not positive, JO_ERR_NUMERIC where an output is not
/// finite; the context of the function has the cause then, and `output` is not written. Not for several threads at once.
JO_API jo_status jo_tyre_evaluate(jo_tyre_function* f, const double* input, double* output);

/// A table of inputs (CSV, a row of names first) with the outputs behind. Columns may stand in any order; Fz is
/// needed, others have their defaults; further columns are kept.
/// Ownership: caller, release with jo_tyre_table_destroy(). Its text is owned by the table.
typedef struct jo_tyre_table jo_tyre_table;
JO_API jo_status jo_tyre_table_create(jo_context* ctx, const jo_tyre* tyre,
                                      const jo_tyre_options* opt, const char* inputs,
                                      jo_tyre_table** out);
JO_API void jo_tyre_table_destroy(jo_tyre_table* table);
JO_API int jo_tyre_table_rows(const jo_tyre_table* table);
JO_API const char* jo_tyre_table_text(const jo_tyre_table* table);

/// The usual curves at several loads: Fx over slip, Fy and Mz over slip angle, forces of combined slip. As SVG
/// or HTML, by the ending of `path`. `opt` may be NULL; derivatives are not drawn.
JO_API jo_status jo_tyre_plot(jo_context* ctx, const jo_tyre* tyre, const jo_tyre_options* opt,
                              const char* path);

#ifdef __cplusplus
}
#endif
#endif
