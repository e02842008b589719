// SPDX-License-Identifier: Apache-2.0
// What is behind the public handle of studies, and what running one needs.
#ifndef JAPI_STUDY_HANDLE_H
#define JAPI_STUDY_HANDLE_H

#include "api/handles.h"
#include "jounce/study.h"
#include "report/study.h"
#include "study/plan.h"

struct jo_study {
  jo_context* ctx;
  jstudy_file* file;
  jo_model* model;
  jarena arena;        // titles
  jarena results;      // what came out, thrown away by the next run
  jreport_part* part;  // of the file's, in their order
};

// A study under way.
typedef struct japi_study_job {
  jo_context* ctx;
  jo_study* study;
  const jo_study_options* opt;
  jarena* a;
  jstudy_plan plan;
  jo_system** system;  // of the plan
  int part;            // under way
  bool is_stopped;
} japi_study_job;

// Tell how far the part is; false: stop.
bool japi_study_tell(japi_study_job* j, double fraction);

// Whether the systems have the outputs that parts name. All that they have not is told.
jo_status japi_study_check_outputs(japi_study_job* j);

// Run a part: figures and tables into `out`, which has its texts.
jo_status japi_study_part(japi_study_job* j, const jstudy_part* p, jo_system* system,
                          jreport_part* out);

#endif
