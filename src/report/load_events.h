// SPDX-License-Identifier: Apache-2.0
// Files of stiff events with the states they began from, so that their loads can be computed again:
// notes as '# name: text' lines, a row of names, one row per event. Numbers and settings read back
// exactly: of these, each has a line '# set: name=value', with what could be mistaken as %XX. Files of
// version 1 are read too; they have all settings in one line, '# settings: name=value, name=value', where
// a comma belongs to a value unless a name and '=' follow.
#ifndef JREPORT_LOAD_EVENTS_H
#define JREPORT_LOAD_EVENTS_H

#include "plant/plant.h"

typedef struct jreport_load_event {
  const char* element;     // "": none
  const char* coordinate;  // "": none
  double t0, t1, impulse, peak, t_peak;
  unsigned doubt;  // bits of jloads_doubt
  const double* y;
} jreport_load_event;

typedef struct jreport_load_events {
  const char *model, *sha256, *driver;  // model: its file as found from the folder of the events
  const jmodel_setting* set;            // of the model (nset)
  int nset;
  double rate;  // [Hz]
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

// What a file of events at `path` calls a model at this absolute place: both may move together. NULL: no
// memory.
const char* jreport_load_events_name_model(jarena* a, const char* place, const char* path);

// The file of the model that the events in `path` are of. Reported: there is none.
jo_status jreport_load_events_find_model(jo_context* ctx, jarena* a, const jreport_load_events* e,
                                         const char* path, const char** out);

#endif
