// SPDX-License-Identifier: Apache-2.0
// The kinds of parts.
#ifndef JSTUDY_LIST_H
#define JSTUDY_LIST_H

#include "study/part.h"

// A new kind: its file, and its line here.
#define JSTUDY_LIST(X) \
  X(histories)         \
  X(range)             \
  X(trajectories)      \
  X(differences)       \
  X(ranking)           \
  X(values)            \
  X(response)          \
  X(surface)

#define X(name) extern const jstudy_kind jstudy_##name;
JSTUDY_LIST(X)
#undef X

#endif
