// SPDX-License-Identifier: Apache-2.0
// Files of stiff events with the states they began from, so that their loads can be computed again:
// notes as '# name: text' lines, a row of names, one row per event. Numbers read back exactly.
#ifndef JREPORT_LOAD_EVENTS_H
#define JREPORT_LOAD_EVENTS_H

#include "base/err.h"
#include "base/mem.h"

typedef struct jreport_load_event {
  const char* element;     // "": none
  const char* coordinate;  // "": none
  double t0, t1, impulse, peak, t_peak;
  unsigned doubt;  // bits of jloads_doubt
  const double* y;
} jreport_load_event;

typedef struct jreport_load_events {
  const char *model, *sha256, *settings, *driver;  // model: path of its file
  double rate;                                     // [Hz]
  int ny, n;
  const char* const* state;  // names (ny)
  jreport_load_event* event;
} jreport_load_events;

// Appears under `path` whole or not at all.
jo_status jreport_load_events_write(jo_context* ctx, const jreport_load_events* e,
                                    const char* path);

// Everything in the arena. Mistakes are reported with the line.
jo_status jreport_load_events_read(jo_context* ctx, jarena* a, const char* path,
                                   jreport_load_events* out);

#endif
