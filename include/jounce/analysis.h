// SPDX-License-Identifier: Apache-2.0
// Analyses of a model without a run: static equilibrium, modes, stand-alone C.
#ifndef JOUNCE_ANALYSIS_H
#define JOUNCE_ANALYSIS_H

#include "jounce/simulate.h"
#include "jounce/table.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- static equilibrium --------------------------------------------------------------------------

typedef struct jo_static jo_static;

/// Find the static equilibrium nearest to the initial position: velocities zero, loops closed, nothing
/// accelerates. Coordinates that nothing holds (x, y, yaw of a vehicle, wheel angles) stay.
/// Equations are interpreted: nothing is compiled.
/// On failure `*out` is NULL and the context names the coordinate that is not at rest.
/// Ownership: caller, release with jo_static_destroy() before the model. Threads: any, one context per
/// thread.
JO_API jo_status jo_static_create(jo_context* ctx, const jo_model* model, jo_static** out);
/// NULL is fine.
JO_API void jo_static_destroy(jo_static* s);

/// How it was found, and whether it is stable, by the eigenvalues of the equations of motion to first order about it. Free
/// motions, as rolling along the road, are not unstable. Texts are owned by the result.
typedef struct jo_static_info {
  int dof;
  int held;  // directions that forces hold; the others are free to stay where they are
  int iterations;
  double residual;    // largest acceleration left [m/s^2, rad/s^2]
  int is_unstable;    // a small push grows; the context has a warning
  double growth;      // its rate [1/s]; 0: stable; infinite: it grows, but not to first order
  double turning;     // angular frequency at which it oscillates while it grows [rad/s]
  const char* state;  // the coordinate, or state, that moves most; "" where it is stable
  /// The coordinate, or state, that forces about the equilibrium neither hold nor drive to first order, so that its
  /// eigenvalues, zero within their errors, leave open whether it is stable; "" where they decide. Of a single coordinate the
  /// forces 0.01 m or rad beside the equilibrium decide, where there are any.
  const char* undecided;
} jo_static_info;

JO_API jo_static_info jo_static_inspect(const jo_static* s);

/// Returns the tables of an equilibrium, owned by it:
///   equilibrium, undecided, unstable   what jo_static_inspect() has; the last two where they apply
///   coordinates, sensors               coordinate or sensor, value, unit, description
///   parameters                         what it was differentiated with respect to: parameter, value, unit, description
///   derivatives                        of coordinates and sensors: quantity, parameter, value, unit
///   outputs                            as those of a run, sensors and coordinates first: output, value, unit, description,
///                                      and "d/d NAME" for each parameter; NaN: there is none
JO_API const jo_tables* jo_static_tables(const jo_static* s);

/// As jo_static_create(), with the exact derivatives of the equilibrium by numbers of the model: names of
/// parameters, paths, patterns "path.*", "parameters" or "all", as in jo_system_options; none: all
/// parameters. What nothing holds stays where it began, also where a number pushes it: such a number has no derivative,
/// which is JO_ERR_MODEL where it was given by its name, and a warning where a pattern stands for it.
JO_API jo_status jo_static_differentiate(jo_context* ctx, const jo_model* model,
                                         const char* const* name, int nname, jo_static** out);

// ---- modes ---------------------------------------------------------------------------------------

typedef struct jo_modes jo_modes;

typedef struct jo_modes_options {
  int at_static;  // about static equilibrium, at rest
  double at_s;    // else about the motion at this time, reached by a run; NaN: the initial state
  // also derivatives with respect to these, named as in jo_system_options; not about the motion at a time
  const char* const* name;
  int nname;
} jo_modes_options;

JO_API jo_modes_options jo_modes_options_default(void);

/// Linearise the equations of motion about a state and find eigenvalues and mode shapes. Conditions
/// (contact, saturation) are held as they are there. Equations are interpreted. `opt` NULL: defaults.
/// On failure `*out` is NULL. Ownership: caller, release with jo_modes_destroy() before the model.
/// Threads: any, one context per thread.
JO_API jo_status jo_modes_create(jo_context* ctx, const jo_model* model,
                                 const jo_modes_options* opt, jo_modes** out);
/// NULL is fine.
JO_API void jo_modes_destroy(jo_modes* m);

/// Returns the tables of the modes, owned by them:
///   linearisation   t, the time of the state
///   modes           re, im (of a conjugate pair the eigenvalue with positive imaginary part), frequency, damping, rigid (zero
///                   but for rounding: a free motion), largest (the largest parts of the shape, as text)
///   shape           coordinate, mode (row of `modes`), re, im: part of the coordinate in the mode; the largest is 1. As many
///                   rows for each mode as there are coordinates
///   parameters      what was differentiated with respect to: parameter, value, unit, description
///   derivatives     parameter, mode, and derivatives of re, im, frequency and damping; NaN where another mode has the same
///                   eigenvalue. The state they are about moves with the parameter. As many rows for each mode as parameters
///   by NAME         of a parameter: the same beside re and im of the mode
JO_API const jo_tables* jo_modes_tables(const jo_modes* m);

// ---- stand-alone C -------------------------------------------------------------------------------

typedef struct jo_generated {
  int files;
  int operations;  // of one evaluation of the right-hand side
} jo_generated;

/// Write the equations of a model as C with data, a small driver and a Makefile into `dir`, made where
/// missing; nothing of Jounce is needed to compile and run them. Files of the same names are replaced
/// where they were generated too; others are an error, and nothing is written then.
/// On failure the context names the file. `out` may be NULL. Threads: any, one context per thread.
JO_API jo_status jo_generate(jo_context* ctx, const jo_model* model, const char* dir,
                             jo_generated* out);

#ifdef __cplusplus
}
#endif
#endif
