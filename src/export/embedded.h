// SPDX-License-Identifier: Apache-2.0
// Texts that come with every FMU, put into the library when that is built (src/CMakeLists.txt): the interface, and
// the license, which is the last. One more follows that has no name.
#ifndef JEXPORT_EMBEDDED_H
#define JEXPORT_EMBEDDED_H

#include "export/sources.h"

extern const jexport_file jexport_fmi[];

#endif
