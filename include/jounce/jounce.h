// SPDX-License-Identifier: Apache-2.0
// All of Jounce: load a model, generate its equations, run it.
//
//   jo_context* ctx = NULL;
//   jo_model* model = NULL;
//   jo_system* system = NULL;
//   jo_result* result = NULL;
//   jo_status status = jo_context_create(NULL, &ctx);
//   if (status >= 0) status = jo_model_load(ctx, "vehicle.yaml", NULL, 0, &model);
//   if (status >= 0) status = jo_system_create(ctx, model, NULL, &system);
//   if (status >= 0) status = jo_simulate(ctx, system, NULL, &result);
//   if (status >= 0) status = jo_result_save(ctx, result, "vehicle.csv");
//   if (status < 0) fprintf(stderr, "%s\n", jo_context_message(ctx));
//   jo_result_destroy(result);
//   jo_system_destroy(system);
//   jo_model_destroy(model);
//   jo_context_destroy(ctx);
#ifndef JOUNCE_JOUNCE_H
#define JOUNCE_JOUNCE_H

#include "jounce/analysis.h"
#include "jounce/base.h"
#include "jounce/batch.h"
#include "jounce/export.h"
#include "jounce/formats.h"
#include "jounce/import.h"
#include "jounce/kinematics.h"
#include "jounce/loads.h"
#include "jounce/methods.h"
#include "jounce/model.h"
#include "jounce/report.h"
#include "jounce/road.h"
#include "jounce/run.h"
#include "jounce/sens.h"
#include "jounce/simulate.h"
#include "jounce/study.h"
#include "jounce/sweep.h"
#include "jounce/system.h"
#include "jounce/table.h"
#include "jounce/tyre.h"

#endif
