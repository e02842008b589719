// SPDX-License-Identifier: Apache-2.0
// Models: read from files, checked, immutable. docs/format.md describes the files.
#ifndef JOUNCE_MODEL_H
#define JOUNCE_MODEL_H

#include "jounce/base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct jo_model jo_model;

/// A value given from outside: a parameter by its name, or any other number of the file by its path
/// ("bodies.chassis.mass"). The value is a number or, for a parameter, an expression.
typedef struct jo_setting {
  const char* name;
  const char* value;
} jo_setting;

/// Load and check a model file with what it includes.
/// `set` (may be NULL when `nset` is 0) overrides what the files say.
/// On failure `*out` is NULL and the context holds one diagnostic per mistake, several per run, each
/// naming file, line, subject and cause.
/// Ownership: caller, release with jo_model_destroy() before the context. Threads: any, one context
/// per thread; a loaded model may be read by all.
JO_API jo_status jo_model_load(jo_context* ctx, const char* path, const jo_setting* set, int nset,
                               jo_model** out);

/// The same from text; `path` names it in messages and is where its includes are looked for.
JO_API jo_status jo_model_parse(jo_context* ctx, const char* text, size_t length, const char* path,
                                const jo_setting* set, int nset, jo_model** out);

/// NULL is fine.
JO_API void jo_model_destroy(jo_model* model);

/// What the file says about itself. Never NULL; owned by the model.
JO_API const char* jo_model_name(const jo_model* model);
JO_API const char* jo_model_description(const jo_model* model);
JO_API const char* jo_model_path(const jo_model* model);
/// Hash of all text read, in hexadecimal digits; settings are not part of it.
JO_API const char* jo_model_sha256(const jo_model* model);
/// The settings it was loaded with, "name=value, name=value"; "" when there were none.
JO_API const char* jo_model_settings(const jo_model* model);

// The lists of a model. Every function fills `*out` and returns JO_OK, or JO_ERR_ARGUMENT where there
// is no i-th item, reporting nothing; texts are owned by the model and never NULL.

typedef struct jo_parameter {
  const char *name, *unit, *description;
  double value;     // NaN where it cannot be evaluated
  int is_computed;  // an expression of other parameters
} jo_parameter;

typedef struct jo_body {
  const char* name;
  double mass;  // [kg]; 0: massless
} jo_body;

typedef struct jo_joint {
  const char *name, *type, *parent, *child;
  int ncoordinate;
} jo_joint;

typedef struct jo_closure {
  const char *name, *type;
  const char *a, *b;  // bodies
  int nequation;
} jo_closure;

/// A coupling: linear relations between coordinates, which are listed with commas between them.
typedef struct jo_coupling {
  const char *name, *type;
  const char* coordinates;
  int nequation;
} jo_coupling;

/// How many of each. Bodies do not count the ground.
typedef struct jo_model_info {
  int parameters, bodies, joints, coordinates, closures, forces, tyres, states, sensors, objectives;
} jo_model_info;

JO_API jo_model_info jo_model_inspect(const jo_model* model);
JO_API int jo_model_parameter_count(const jo_model* model);
JO_API jo_status jo_model_parameter_at(const jo_model* model, int i, jo_parameter* out);

/// What a text as "25 N/mm" or "0.3" is as a value of a parameter, in SI units; whether the model could do with it is not
/// asked. JO_ERR_ARGUMENT, reporting nothing, where there is no such parameter, the text is no number, or its unit none of the parameter's kind.
JO_API jo_status jo_model_quantity(const jo_model* model, const char* name, const char* text,
                                   double* out);

JO_API int jo_model_body_count(const jo_model* model);
JO_API jo_status jo_model_body_at(const jo_model* model, int i, jo_body* out);
JO_API int jo_model_joint_count(const jo_model* model);
JO_API jo_status jo_model_joint_at(const jo_model* model, int i, jo_joint* out);
JO_API int jo_model_closure_count(const jo_model* model);
JO_API jo_status jo_model_closure_at(const jo_model* model, int i, jo_closure* out);
JO_API int jo_model_coupling_count(const jo_model* model);
JO_API jo_status jo_model_coupling_at(const jo_model* model, int i, jo_coupling* out);

/// The unit in which the file gives a parameter, or a number by its path, as "N/mm"; "" where it gives none. All values
/// of the interface are in SI units.
JO_API const char* jo_model_unit(const jo_model* model, const char* name);
/// A value of it in that unit: 25 for 25000 N/m. As it is where there is none.
JO_API double jo_model_shown(const jo_model* model, const char* name, double value);

/// Write the JSON schema of "model" or "study" files, by which editors complete and check their keys: those that
/// this library reads. The file appears whole or not at all. On failure the context says why; JO_ERR_ARGUMENT: there
/// are no such files. Threads: any, one context per thread.
JO_API jo_status jo_schema_write(jo_context* ctx, const char* of, const char* path);

#ifdef __cplusplus
}
#endif
#endif
