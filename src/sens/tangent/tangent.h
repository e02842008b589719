// SPDX-License-Identifier: Apache-2.0
// Inside of the direct method: what its steps (tangent.c), errors (tangent_error.c), events (tangent_event.c)
// and samples (tangent_sample.c) share.
#ifndef JSENS_TANGENT_H
#define JSENS_TANGENT_H

#include "sens/walk.h"

// Lanes behind the numbers: what errors of derivatives, and errors of the motion, come to; where lanes are free, more of
// the first kind.
enum { JSENS_PROBE_S, JSENS_PROBE_Y, JSENS_PROBES, JSENS_MORE_PROBES = 2 };

// Several numbers in lanes; behind the last of them probes, which follow no number.
typedef struct jsens_pack {
  double* S;   // ny x lanes
  double* dp;  // nw x lanes: unit seeds
  double *dt_flip,
      *dt_kept;    // by switch, of flips that were no consequence of another (nswitch x lanes)
  double* dt_end;  // of the end of the run (lanes)
  double *S0, *D0, *D1;      // for samples inside of a step: at its start, slopes at both ends
  double* dk[JSENS_SLOPES];  // ny x lanes
  double* error;             // of the last step (ny x lanes)
  double*
      kept[JSENS_TAIL_STAGES];  // slopes of the last step that tell what it left out (ny x lanes)
} jsens_pack;

typedef struct jsens_direct {
  jsens_walk* w;
  int lanes, npack;
  jsens_pack* pack;
  double *dY, *ydot, *dg, *zero, *one, *dt, *dP, *dd;
  double *y, *y_mixed, *P;
  double* times;  // of an event, all packs
  double* still;  // no number moves (nw x lanes)
  int nevent;
  double* column;      // one lane after another (ny x lanes)
  double* end_column;  // derivatives of objectives at the end (nobjective x (nw + nprobe))
  // error estimate
  int nprobe;
  int open;            // entry whose error lacks the slope at its end; -1: none
  double open_weight;  // of that slope
  double* local;       // by number: errors of the steps, added up
  jsens_trace* trace;  // by number; of all together where there are too many
  int ntrace;
  const double* unit;  // by number: what a change of it is measured by
  double* motion;      // error of the motion in a step, but for its last slope (ny)
  double* push;        // what the probes get at the end of the step (ny x nprobe)
  double *turn,
      *turned;    // by number: with which sign and size it is in that push, and in all before
  bool is_blind;  // some of it was left out, which has a size and no sign
  jsens_stretches* stretches;  // of steps that left something out, by probe
  int probe;                   // that the present stretch goes to; -1: there is none
  int resolved;                // steps since the last that left something out
  double* last;                // what that one left out, as it was pushed (ny)
  double* summed;  // errors of objectives' integrals: by integral, of numbers and of the motion
  // samples for the observer
  int64_t next;                 // of the grid
  double *y0, *f0, *f1;         // of the step
  double *y_at, *S_at;          // at a sample
  double *out, *dout;           // noutput, noutput x nw
  double *dout_error, *probed;  // the same, noutput x nprobe
} jsens_direct;

// tangent.c
double* jsens_direct_vector(jsens_direct* d, int n);  // n x lanes
// A walk begins, goes on by entries of the record, and ends: what jsens_walk_direct() does, for those who go along with a
// run (along.c). To be released whatever came of it.
jo_status jsens_direct_begin(jsens_direct* d);
jo_status jsens_direct_finish(jsens_direct* d);
void jsens_direct_release(jsens_direct* d);
// dk_i = f_y dY_i + f_p of pack q in a step of length h, at (t, Y_i); f there is in `ydot`, and of the first pack in k_i.
void jsens_direct_stage(jsens_direct* d, const jsolve_scheme* s, int q, int i, double t, double h);
// A step from the present state to `after`. Explicit: of the first pack the first `done` stages are there. `first`: the slope
// that the run began it with; NULL: that of the state. Implicit: the error of the one before is settled.
jo_status jsens_direct_step(jsens_direct* d, const jsens_entry* e, int done, const double* first,
                            const double* after);
// (S2) at (t, y) for the derivatives S of a pack, which time moves along with by dt.
void jsens_direct_close(jsens_direct* d, double t, const double* y, const double* dt, jsens_pack* p,
                        double* S);

// tangent_error.c: the error of a step is opened with its own slopes and completed with the first slopes of
// the next one, or settled where no step follows
bool jsens_direct_begin_errors(jsens_direct* d);
// Room for all entries that there are by now.
bool jsens_direct_reserve(jsens_direct* d);
void jsens_direct_end_errors(jsens_direct* d);
// has_error: what the step's own slopes come to is there.
void jsens_direct_open(jsens_direct* d, int q, const jsens_entry* e, bool has_error);
// The embedded method of a step without the slope at its end.
jsolve_combination jsens_direct_own_error(const jsolve_scheme* s);
void jsens_direct_complete(jsens_direct* d, int q);
void jsens_direct_settle(jsens_direct* d);
// What stands in the errors of pack q; entry: the step it belongs to, -1: an event.
void jsens_direct_account(jsens_direct* d, int q, int entry);
// What was accounted for goes to the probes.
void jsens_direct_push(jsens_direct* d);
// The next step that leaves something out begins a stretch of its own.
void jsens_direct_end_stretch(jsens_direct* d);
double jsens_direct_amplification(const jsens_direct* d, const double* carried);

// tangent_event.c
jo_status jsens_direct_event(jsens_direct* d, const jsens_entry* e);

// tangent_change.c
void jsens_direct_change(jsens_direct* d, const jsens_entry* e);

// tangent_sample.c
jo_status jsens_direct_begin_samples(jsens_direct* d);
void jsens_direct_keep(jsens_direct* d, const jsens_entry* e);
jo_status jsens_direct_sample_start(jsens_direct* d);
jo_status jsens_direct_sample_step(jsens_direct* d, const jsens_entry* e);
jo_status jsens_direct_sample_event(jsens_direct* d, const jsens_entry* e);

#endif
