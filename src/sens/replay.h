// SPDX-License-Identifier: Apache-2.0
// States of recorded steps that were not stored: steps from one stored state to the next are taken again, bit by bit
// as they were, once for all of them. Their slopes are then known to the walk.
#ifndef JSENS_REPLAY_H
#define JSENS_REPLAY_H

#include "sens/walk.h"

// State at the start of step i, and behind entry i. They stay until another segment is asked for.
jo_status jsens_replay_state(jsens_walk* w, int i, const double** y);
jo_status jsens_replay_after(jsens_walk* w, int i, const double** y);

#endif
