// SPDX-License-Identifier: Apache-2.0
// The formats of results: the only list of them, which writers, messages and options of the command line
// are made of. docs/formats.md says what stands in each.
#ifndef JOUNCE_FORMATS_H
#define JOUNCE_FORMATS_H

#include "jounce/base.h"

/// Formats of every table of results, by the ending of the name of the file.
///   X(ending, writer)
#define JO_TABLE_FORMATS(X) \
  X(".csv", csv)            \
  X(".h5", hdf5)            \
  X(".hdf5", hdf5)          \
  X(".mat", mat)            \
  X(".nc", netcdf)

/// Those that hold nothing but histories: tables whose first column is the time.
#define JO_HISTORY_FORMATS(X) X(".rsp", rpc)

#define JO_FORMAT_ENDING(ending, writer) ending " "
/// The endings with blanks between them: ".csv .h5 ".
#define JO_TABLE_ENDINGS   JO_TABLE_FORMATS(JO_FORMAT_ENDING)
#define JO_HISTORY_ENDINGS JO_TABLE_ENDINGS JO_HISTORY_FORMATS(JO_FORMAT_ENDING)

#endif
