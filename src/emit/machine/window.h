// SPDX-License-Identifier: Apache-2.0
// Windows: general registers that point to where values are read and written at the moment.
//
// Straight code runs as fast as its bytes are fetched, and half of its instructions read or write
// memory. A displacement of one byte instead of four reaches 128 bytes on both sides of a register,
// so the frame and the constants are seen as windows of 256 bytes. A register is moved to a window
// when several values there are read soon; values are stored where a register points.
#ifndef JEMIT_WINDOW_H
#define JEMIT_WINDOW_H

#include "base/mem.h"
#include "emit/encode/target.h"
#include "emit/machine/operations.h"

typedef enum jemit_area { JEMIT_FRAME, JEMIT_CONSTANTS, JEMIT_AREAS } jemit_area;

typedef struct jemit_windows {
  const jemit_operations* o;
  const jemit_target* target;
  jemit_code* c;
  const int* next;  // operation that reads a value next                          (value)
  const int* reg;   // of a value; -1: none                                       (value)
  const int* now;   // operation at hand
  // below: by jemit_windows_init()
  int* held[JEMIT_AREAS];  // value at each double, -1: none
  int size;                // of the frame: windows that were ever used
  int* room;               // free doubles                      (window of the frame)
  struct {
    int area, index;  // window that the register points to; area -1: none
    int at;           // operation that used it last
  } of[JEMIT_WINDOWS_MAX];
} jemit_windows;

// Whether values of n doubles have their places in windows.
bool jemit_is_windowed(const jemit_target* target, int n);

// False: no memory.
bool jemit_windows_init(jemit_windows* w, jarena* a);
// Nothing in registers that calls overwrite outlives them.
void jemit_windows_forget(jemit_windows* w);

// A place for a value, in bytes from the beginning of the part of the frame, and back again.
int jemit_window_take(jemit_windows* w, int value);
void jemit_window_give(jemit_windows* w, int value, int at);

// The value is read at a place of another one from now on.
void jemit_window_note(jemit_windows* w, int value, int at);

// Where code finds what is so many bytes behind the beginning of an area. Registers that the
// operation at hand has used stay.
jemit_location jemit_window_location(jemit_windows* w, jemit_area area, int at);

// Bytes of the part of the frame.
int jemit_windows_size(const jemit_windows* w);

#endif
