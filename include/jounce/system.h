// SPDX-License-Identifier: Apache-2.0
// Systems: the equations of a model, generated, assembled at the initial position and compiled.
#ifndef JOUNCE_SYSTEM_H
#define JOUNCE_SYSTEM_H

#include "jounce/model.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct jo_system jo_system;

/// What a system shall answer, any of these added up.
typedef enum jo_use {
  JO_USE_RUNS = 1,         // runs, and their outputs
  JO_USE_DERIVATIVES = 2,  // derivatives of objectives; runs come along, with outputs interpreted
  JO_USE_HISTORIES = 4,    // derivatives of outputs along a run, of peaks and damage; direct method
  JO_USE_CHECKS = 8,       // derivatives against differences of runs
  JO_USE_LOADS = 16,       // load prediction
  JO_USE_CONTRIBUTIONS =
      32  // of events to derivatives: both methods, of up to JO_SENS_MAX_BOTH numbers
} jo_use;

/// Direct costs by the parameter (eight at once), adjoint by the objective.
/// Auto: adjoint where there are fewer objectives than groups of eight parameters.
typedef enum jo_sens_method { JO_SENS_AUTO, JO_SENS_DIRECT, JO_SENS_ADJOINT } jo_sens_method;

/// Contributions of events need both methods, which many parameters make long.
#define JO_SENS_MAX_BOTH 64

typedef struct jo_system_options {
  unsigned use;  // jo_use; 0: runs, and derivatives with contributions where numbers are named
  /// Derivatives by these: parameters by name, other numbers of the file by path, "hardpoints.*" for all
  /// that begin so, "parameters" for all parameters, "all" for every number. Repetitions count once.
  /// None at all: "parameters".
  const char* const* wrt;
  int nwrt;
  jo_sens_method
      method;  // of derivatives, to prepare; auto: the cheaper one, or both where they are needed
  /// Numbers of the file that jo_system_set() shall be able to change, named likewise; parameters and inputs
  /// always can be.
  const char* const* variable;
  int nvariable;
  int interpreter;  // evaluate by the interpreter, which is slower
  /// Objectives to compute, by name, each once, in this order; none: all of the model. The others are integrated all the same, so that
  /// a run takes the same steps and has the same values.
  const char* const* objective;
  int nobjective;
  int compiler;  // have a C compiler make the code, for comparison: starts later, and the same numbers
} jo_system_options;

JO_API jo_system_options jo_system_options_default(void);

/// Generates the equations of a model, assembles it, chooses independent coordinates, differentiates, and makes machine code.
/// What the system is not prepared for is refused when it is asked. `opt` NULL: defaults, which are runs. For processors without machine code of ours, a C compiler is
/// used, in a temporary folder; where there is none the interpreter takes over, with a notice in the context.
/// On failure `*out` is NULL and the context names the file, subject and cause, an unknown name with a suggestion.
/// Ownership: caller, release with jo_system_destroy() before the model, which must outlive it.
/// Threads: any, one context per thread; a system may be used by all.
JO_API jo_status jo_system_create(jo_context* ctx, const jo_model* model,
                                  const jo_system_options* opt, jo_system** out);

/// Whether the manoeuvre can be run as the model gives it: the windows of its objectives are part of it, and
/// the equations have finite values at the start. Warns of a model in which nothing moves by itself.
/// On failure the context names the file and the objective with its window, or the element at fault.
JO_API jo_status jo_system_check(jo_context* ctx, const jo_system* system);

/// NULL is fine.
JO_API void jo_system_destroy(jo_system* system);

/// Set numbers, parameters by name, others by path: runs, derivatives, loads and sweeps from now on have them. Nothing is read,
/// generated or compiled again. All are set or, on failure, none: the context names the one that is unknown, not
/// variable, or out of its range. Warns of tyres whose forces change their sign with the load.
/// Threads: not while another one uses the system.
JO_API jo_status jo_system_set(jo_context* ctx, jo_system* system, const char* const* name,
                               const double* value, int n);

/// The value of a variable number now.
JO_API jo_status jo_system_get(jo_context* ctx, const jo_system* system, const char* name,
                               double* out);

typedef struct jo_system_info {
  int dof;  // degrees of freedom: independent coordinates
  int coordinates, independent, dependent, driven;
  int closure_equations;  // written, redundant ones included
  int redundant;          // of these, following from the others
  int states;             // of the differential equations
  int switches;
  int equations_generated, equations_kept;  // recursive equations written, and needed
  double closure_residual;                  // at the initial position [m]
  int is_compiled;
  int packed_2, packed_4, packed_8;  // operations as evaluated that are done so many at a time
} jo_system_info;

JO_API jo_system_info jo_system_inspect(const jo_system* system);

/// Operations of the accelerations: as written (before elimination) and as evaluated (after it).
typedef struct jo_operations {
  int add, subtract, multiply, divide, root, trigonometric, function, logic, lookup;
  int total;
} jo_operations;

JO_API jo_operations jo_system_operations(const jo_system* system, int after_elimination);

typedef enum jo_role { JO_INDEPENDENT, JO_DEPENDENT, JO_DRIVEN } jo_role;

JO_API const char* jo_role_name(jo_role role);

/// A coordinate at the initial position.
typedef struct jo_coordinate {
  const char *name, *joint;
  const char* unit;  // "m" or "rad"
  jo_role role;
  double value;  // [unit]
  double rate;   // [unit/s]
} jo_coordinate;

JO_API int jo_system_coordinate_count(const jo_system* system);
/// Fills `*out`; JO_ERR_ARGUMENT where there is no i-th coordinate, reporting nothing.
JO_API jo_status jo_system_coordinate_at(const jo_system* system, int i, jo_coordinate* out);

/// Names of the i-th redundant closure equation and of the i-th switch; NULL where there is none.
/// Owned by the system.
JO_API const char* jo_system_redundant_name(const jo_system* system, int i);
JO_API const char* jo_system_switch_name(const jo_system* system, int i);

#ifdef __cplusplus
}
#endif
#endif
