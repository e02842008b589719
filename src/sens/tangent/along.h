// SPDX-License-Identifier: Apache-2.0
// The direct method along with the run itself: a stage of an explicit step is evaluated once, for the run and for the
// derivatives of the first pack. Steps, values and derivatives have the bits they have one after the other.
#ifndef JSENS_ALONG_H
#define JSENS_ALONG_H

#include "sens/tangent/tangent.h"

typedef struct jsens_along {
  jo_context* ctx;
  const jsens* sens;
  jsens_walk walk;
  jsens_direct direct;
  const jsolve_system* system;  // of the run, for steps that are not followed
  jplant_work* work;            // of the walk
  jsens_result* out;
  bool is_begun;
  bool has_stopped;  // the run is walked when it has ended
  jo_status status;  // no memory
  int next;          // entry of the record that is walked next
  int event_cap;
  double t1;  // end of the step that is tried
  int done;   // stages of it, the first pack's
} jsens_along;

// Whether derivatives may go along: by a method that is explicit where it can be, and with nobody who looks at them on the way.
bool jsens_along_can(jsens_method method, const jsens_options* opt);

// Begin with a record that has begun. Ends with jsens_along_end, whatever happens.
jo_status jsens_along_begin(jsens_along* a, jo_context* ctx, const jsens* s,
                            const jsolve_system* system, const jsens_record* record,
                            const jsens_options* opt, jsens_result* out);
// As jsolve_observer.stage.
void jsens_along_stage(jsens_along* a, const jsolve_stage* s);
// A step, behind its record.
jo_status jsens_along_step(jsens_along* a, const jsolve_step* step);
// The partition changes: the walk is for later.
void jsens_along_stop(jsens_along* a);
// The run has ended. *is_done: so has the walk, and the result has its derivatives.
jo_status jsens_along_finish(jsens_along* a, bool* is_done);
void jsens_along_end(jsens_along* a);

#endif
