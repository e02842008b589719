// SPDX-License-Identifier: Apache-2.0
// The whole of an instance as bytes that can be kept, written to a file and given to another instance.
#ifndef JRUNTIME_FMI_STATE_H
#define JRUNTIME_FMI_STATE_H

#include "runtime/fmi.h"

typedef struct jfmi_state jfmi_state;

// Into *state, which is made where it is NULL. Release with jfmi_state_free(); NULL is fine.
jfmi_status jfmi_state_get(jfmi* f, jfmi_state** state);
void jfmi_state_free(jfmi_state* state);
jfmi_status jfmi_state_set(jfmi* f, const jfmi_state* state);

size_t jfmi_state_size(const jfmi_state* state);
void jfmi_state_write(const jfmi_state* state, char* bytes);
// Bytes that are none of this model are an error.
jfmi_status jfmi_state_read(jfmi* f, const char* bytes, size_t size, jfmi_state** state);

#endif
