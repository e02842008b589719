// SPDX-License-Identifier: Apache-2.0
// Results as HDF5:
//   /                attributes: the notes (report/format/notes.h)
//   /data            rows x columns, double
//   /names /units    of the columns, fixed-length UTF-8
//   /columns/NAME    each column by its name; histories have the time as their dimension scale
//   /objectives      compound: name, unit, value
//   /events          compound: t, name, on
//   /ARRAY           gradients; /axes/LIST: names of what their axes stand for
#ifndef JREPORT_HDF5_H
#define JREPORT_HDF5_H

#include "plant/simulate.h"

// Appears under `path` whole or not at all: the file is made in memory. JO_ERR_FILE where the program
// was built without HDF5. Threads: one at a time, the HDF5 library has state of its own.
jo_status jreport_hdf5(jo_context* ctx, const jplant_result* r, const char* path);

#endif
