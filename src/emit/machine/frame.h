// SPDX-License-Identifier: Apache-2.0
// The frame of a function: where values are that have no register, and lists that are handed on.
//
// Code that does not repeat runs as fast as its bytes are read, so places are chosen for short displacements: the lowest one
// that is free, near one of several registers that point into the frame. Values as wide as a vector are in the first part,
// behind the list; others have a part of their own where the instruction set has a register for that. Values that are read
// through windows (emit/machine/window.h) have no places here: they take the second part.
#ifndef JEMIT_FRAME_H
#define JEMIT_FRAME_H

#include "base/mem.h"
#include "emit/encode/target.h"

typedef struct jemit_frame {
  const jemit_target* target;
  int size[2];   // of the parts [bytes]
  int* free[4];  // heaps of free places, by size 1, 2, 4, 8
  int nfree[4];
} jemit_frame;

// The list of so many doubles is at the beginning. False: no memory.
bool jemit_frame_init(jemit_frame* f, jarena* a, const jemit_target* target, size_t list,
                      int nvalue);

// A place for n doubles, in bytes from the beginning of their part, and back again.
int jemit_frame_take(jemit_frame* f, int n);
void jemit_frame_give(jemit_frame* f, int n, int at);

// Where code finds it.
jemit_location jemit_frame_location(const jemit_frame* f, int n, int at);
// In the list, which all parts of a value use alike.
jemit_location jemit_frame_list(const jemit_frame* f, int at);

// Bytes of both parts.
int jemit_frame_size(const jemit_frame* f);

#endif
