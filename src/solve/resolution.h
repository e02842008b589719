// SPDX-License-Identifier: Apache-2.0
// Whether fixed steps resolve the motion. With the slopes f0 and f1 at the ends of a step, and S_i the largest |y_i| so far,
//   |y1 - y0 - h (f0 + f1) / 2|  >  SUSPECT S_i
// costs next to nothing, and finds every step that may be far off (docs/theory/integration.md eq. (I10)). Such a step is taken once
// more, in two parts. A run whose ends differ by as much as the motion itself, step after step, is of the method's making: that
// holds where events cut steps, where several modes grow together, and where they grow for a short time. Quadratures grow with nothing, but
// stages of such steps may spoil them.
#ifndef JSOLVE_RESOLUTION_H
#define JSOLVE_RESOLUTION_H

#include "solve/run.h"

typedef struct jsolve_resolution {
  int n;            // states of the motion: the first of y; others are quadratures
  double* largest;  // |y_i| so far
  double*
      wrong;  // sum of differences, as parts of the largest; what is past counts less and less. Of quadratures all
  double* least;       // what is large at all
  double* two;         // end of the step in two parts
  double *now, *next;  // in more
  double step;         // to take instead [s]
  bool has_wrong;
  int bad;  // one plus the state that the last step has most wrong, by BAD or more; 0: none
} jsolve_resolution;

// Takes the proposed step once more, in equal parts: its end.
typedef struct jsolve_parts {
  void* user;
  jo_status (*take)(void* user, jsolve_run* run, int parts, double* y);
} jsolve_parts;

// False: out of memory.
bool jsolve_resolution_init(jsolve_resolution* r, jarena* a, const jsolve_system* sys);

// Whether the step from run->t to run->t_new may be far off, by the slopes at its ends.
bool jsolve_resolution_suspects(jsolve_resolution* r, const jsolve_run* run, const double* f0,
                                const double* f1);

// What is known of a step before it is judged.
typedef struct jsolve_suspicion {
  bool is_suspect;
  bool grows;     // steps so far were unstable (stability.h)
  bool is_event;  // it ends at an event
} jsolve_suspicion;

// Judges the same step. Reports a run that is made by its steps; the statistics of the run say where motions are not followed.
jo_status jsolve_resolution_judge(jsolve_resolution* r, jsolve_run* run,
                                  const jsolve_suspicion* found, const jsolve_parts* parts);

// Judges the event at the end of the step judged last, which ended the run or reset states. A step that does not resolve the
// motion makes such an event itself: reports it where the run has ended, and notes it in the statistics where states were reset.
jo_status jsolve_resolution_judge_event(jsolve_resolution* r, jsolve_run* run);

#endif
