// SPDX-License-Identifier: Apache-2.0
// A state is a header, the states of the importer that the vehicle may not know yet, and a snapshot of the vehicle,
// one behind the other: the bytes in memory are those that are written. The mode is part of it: an instance that
// is set goes on as the other one did.
#include "runtime/fmi_state.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define MAGIC     0x31756d666e756f6au  // "jounfmu1"
#define TOKEN_MAX 80

typedef struct header {
  uint64_t magic;
  uint64_t size;          // of all bytes
  char token[TOKEN_MAX];  // of the model, cut where it is longer
  int32_t is_exchange, has_events, mode, is_begun, has_written, has_moved;
  double t, start, stop, tolerance;
  double setting[JFMI_SETTINGS];
} header;

struct jfmi_state {
  size_t size;
  char* bytes;
};

static size_t full_size(const jfmi* f) {
  return sizeof(header) + (size_t)f->model->nstate * sizeof(double) +
         jvehicle_snapshot_size(f->vehicle);
}

static jfmi_state* make(size_t size) {
  jfmi_state* s = (jfmi_state*)calloc(1, sizeof *s);
  if (!s) return NULL;
  *s = (jfmi_state){size, (char*)calloc(1, size)};
  if (s->bytes) return s;
  free(s);
  return NULL;
}

void jfmi_state_free(jfmi_state* s) {
  if (!s) return;
  free(s->bytes);
  free(s);
}

static void write_header(const jfmi* f, size_t size, header* h) {
  memset(h, 0, sizeof *h);
  h->magic = MAGIC;
  h->size = size;
  strncpy(h->token, f->model->token, TOKEN_MAX - 1);
  h->is_exchange = f->is_exchange;
  h->has_events = f->has_events;
  h->mode = (int32_t)f->mode;
  h->is_begun = f->is_begun;
  h->has_written = f->has_written;
  h->has_moved = f->has_moved;
  h->t = f->t;
  h->start = f->start;
  h->stop = f->stop;
  h->tolerance = f->tolerance;
  memcpy(h->setting, f->setting, sizeof h->setting);
}

jfmi_status jfmi_state_get(jfmi* f, jfmi_state** state) {
  size_t size = full_size(f), nx = (size_t)f->model->nstate * sizeof(double);
  if (*state && (*state)->size != size) {
    jfmi_state_free(*state);
    *state = NULL;
  }
  if (!*state) *state = make(size);
  if (!*state) return jfmi_say(f, JFMI_ERROR, "no memory for a state of %zu bytes", size);
  header h;
  write_header(f, size, &h);
  char* at = (*state)->bytes;
  memcpy(at, &h, sizeof h);
  if (f->has_moved) memcpy(at + sizeof h, f->x, nx);
  jvehicle_save(f->vehicle, at + sizeof h + nx);
  return JFMI_OK;
}

static jfmi_status check_bytes(jfmi* f, const char* bytes, size_t size) {
  header own, h;
  write_header(f, full_size(f), &own);
  if (size >= sizeof h) memcpy(&h, bytes, sizeof h);
  bool fits = size >= sizeof h && h.magic == MAGIC && h.size == size && size == own.size &&
              memcmp(h.token, own.token, TOKEN_MAX) == 0;
  if (!fits) return jfmi_say(f, JFMI_ERROR, "these %zu bytes are no state of this model", size);
  bool is_mode = h.mode > 0 && h.mode <= JFMI_TERMINATED && (h.mode & (h.mode - 1)) == 0;
  if (!is_mode || h.is_exchange != own.is_exchange || h.has_events != own.has_events) {
    return jfmi_say(f, JFMI_ERROR,
                    "the state is of another kind of instance (model exchange, co-simulation, with "
                    "event mode or without)");
  }
  return JFMI_OK;
}

jfmi_status jfmi_state_set(jfmi* f, const jfmi_state* state) {
  jfmi_status status = check_bytes(f, state->bytes, state->size);
  if (status != JFMI_OK) return status;
  size_t nx = (size_t)f->model->nstate * sizeof(double);
  const char* snapshot = state->bytes + sizeof(header) + nx;
  jo_status restored = jvehicle_restore(f->vehicle, snapshot, state->size - sizeof(header) - nx);
  if (restored < 0) return jfmi_fail(f, restored, "setting a state");
  header h;
  memcpy(&h, state->bytes, sizeof h);
  f->mode = (jfmi_mode)h.mode;
  f->is_begun = h.is_begun != 0;
  f->has_written = h.has_written != 0;
  f->has_moved = h.has_moved != 0;
  f->t = h.t;
  f->start = h.start;
  f->stop = h.stop;
  f->tolerance = h.tolerance;
  memcpy(f->setting, h.setting, sizeof h.setting);
  if (f->has_moved) memcpy(f->x, state->bytes + sizeof h, nx);
  f->known = 0;
  return JFMI_OK;
}

size_t jfmi_state_size(const jfmi_state* state) {
  return state->size;
}

void jfmi_state_write(const jfmi_state* state, char* bytes) {
  memcpy(bytes, state->bytes, state->size);
}

jfmi_status jfmi_state_read(jfmi* f, const char* bytes, size_t size, jfmi_state** state) {
  jfmi_status status = check_bytes(f, bytes, size);
  if (status != JFMI_OK) return status;
  if (*state && (*state)->size != size) {
    jfmi_state_free(*state);
    *state = NULL;
  }
  if (!*state) *state = make(size);
  if (!*state) return jfmi_say(f, JFMI_ERROR, "no memory for a state of %zu bytes", size);
  memcpy((*state)->bytes, bytes, size);
  return JFMI_OK;
}
