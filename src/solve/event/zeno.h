// SPDX-License-Identifier: Apache-2.0
// Events that accumulate (Zeno sequences), docs/theory/integration.md eq. (I12): a ball that bounces is in the air for shorter
// and shorter times, and infinitely many events end at one instant. No integrator gets past it by taking them one by one, and
// one that loses the last of them lets the ball fall through the floor.
//
// An event that resets the state may send its switch back: behind it the margin s of the mode that
// was just entered falls. Where the excursion to the other side stays below the floor of the
// switch, nothing flips, and the switch moves on into the mode that the event meant to leave. There
// the run has to stop. The same holds where the event leaves nothing of the rate with which the
// switch was crossed: a ball that does not bounce at all. And it holds where intervals d between
// events of a switch shrink, and the next, d_n^2 / d_(n-1), or the first itself, is below the
// resolution of time: errors of the integration may have more to say about the sign of its rate
// than the event. Events that leave the rate as it was, as those that count, may be as frequent as
// they like. A reset of what is compared itself, x < 0 that sets x: a/2, sends its switch back by
// value, not by slope: the sequence ends where that is less than the floor, or than what passes
// until the event is located (I13). One that changes neither the margin nor its rate sends nothing
// back. The same holds, too, where another event at the same instant undoes what the first did: a
// rod that falls flat, whose other end throws the first one back down. What a jump or a reset takes
// far beyond its limit is not sent back: it may turn round before it comes to the limit again.
#ifndef JSOLVE_ZENO_H
#define JSOLVE_ZENO_H

#include <stdbool.h>

#include "base/mem.h"

typedef struct jsolve_zeno {
  int n, npending;
  bool* is_pending;  // its last flip came with a reset, and sent it back
  bool* is_sent;     // its own reset sent it back, whatever others at that instant did
  bool* is_held;     // is pending because its event holds it at its limit
  double* start;     // margin behind the reset
  // margin of the mode that was entered, before the reset, and a span later as the slope before it
  // has it; NAN: not known
  double *at, *ahead;
  double *t, *interval,
      *before;        // of its last event with a reset, and the last two intervals; 0: none
  double resolution;  // of time [s]
} jsolve_zeno;

// Over which rates of margins beside an event at t are taken [s].
double jsolve_zeno_span(double t);

// False: out of memory.
bool jsolve_zeno_init(jsolve_zeno* z, jarena* a, int n, double resolution);

// Switch k flipped at t, with a reset of the state or without; is_sent: which is known to have sent it back.
void jsolve_zeno_flip(jsolve_zeno* z, int k, double t, bool is_reset, bool is_sent);
// All that happens at t has happened (is_over), or something of it: margins there, and a span and
// twice that later as the slope behind has it. Switches that are not sent back are no longer
// pending.
void jsolve_zeno_start(jsolve_zeno* z, double t, const double* s, const double* next,
                       const double* second, const double* floor, bool is_over);
// (I16)  Whether an event that takes the margin of a state in its condition from `beyond` to `again` holds it at its limit.
bool jsolve_zeno_holds(double beyond, double again, double floor);
// Switch k, with margin s, is held at its limit by its event at t: it must not go on into the mode that it entered.
void jsolve_zeno_hold(jsolve_zeno* z, int k, double t, double s);
// Whether a switch that is held goes there at once: its margin a span behind the event.
bool jsolve_zeno_leaves(const jsolve_zeno* z, int k, double next, double floor);
// Margins s in a step that is about to be accepted, or at its end. The first switch that was sent back, did not flip and moves
// on nevertheless; -1: none.
int jsolve_zeno_lost(const jsolve_zeno* z, const double* s, const double* hysteresis,
                     const double* floor);

#endif
