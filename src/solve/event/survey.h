// SPDX-License-Identifier: Apache-2.0
// Looking into a proposed step for events, by its dense output: what it shows of the margins, and what it may hide.
#ifndef JSOLVE_SURVEY_H
#define JSOLVE_SURVEY_H

#include "solve/event/margins.h"

// What looks into a step found.
typedef struct jsolve_finding {
  int sample;  // the first at which a margin has crossed, its margins are in `hi`; past the last: none has
  int lost;    // switch of which an event was lost before that (zeno.h); -1: none
  int hidden;  // switch that changes faster than the looks show; -1: none
} jsolve_finding;

// Looks into the proposed step. Where something is hidden between the looks, or was in the last one, it becomes shorter;
// what seems to be lost may be.
jo_status jsolve_survey(jsolve_events* ev, jsolve_run* run, jsolve_finding* f);

// Time of look j into a step to t1: from 1 on equal parts of it, before that a ladder.
double jsolve_survey_time(const jsolve_events* ev, const jsolve_run* run, double t1, int j);

// The switch of which these margins show that an event was lost; -1: none.
int jsolve_survey_lost(const jsolve_events* ev, const double* s);

// Switch k changes faster than can be followed.
jo_status jsolve_survey_fail(jsolve_run* run, int k, double t, double width);

#endif
