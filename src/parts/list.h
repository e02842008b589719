// SPDX-License-Identifier: Apache-2.0
// The kinds of parts.
#ifndef JPARTS_LIST_H
#define JPARTS_LIST_H

#include "parts/part.h"

// A new kind: its file, and its line here.
#define JPARTS_LIST(X) \
  X(histories)         \
  X(range)             \
  X(trajectories)      \
  X(differences)       \
  X(ranking)           \
  X(values)            \
  X(response)          \
  X(surface)

#define X(name) extern const jparts_kind jparts_##name;
JPARTS_LIST(X)
#undef X

#endif
