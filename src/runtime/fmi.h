// SPDX-License-Identifier: Apache-2.0
// An instance of an FMU as both versions of the standard see it: a vehicle, the mode it is in, what the importer
// has set and the vehicle does not know yet. fmi3.c and fmi2.c are the functions of the standards over it.
#ifndef JRUNTIME_FMI_H
#define JRUNTIME_FMI_H

#include <stdbool.h>
#include <stddef.h>

#include "runtime/fmi_layout.h"
#include "runtime/vehicle.h"

// Numbers as in both standards.
typedef enum jfmi_status {
  JFMI_OK,
  JFMI_WARNING,
  JFMI_DISCARD,  // nothing was done, go on otherwise
  JFMI_ERROR,    // the instance is terminated
  JFMI_FATAL
} jfmi_status;

// Modes, as bits of sets of them.
typedef enum jfmi_mode {
  JFMI_INSTANTIATED = 1,
  JFMI_INITIALIZATION = 2,
  JFMI_EVENT = 4,
  JFMI_CONTINUOUS = 8,     // model exchange
  JFMI_STEPPING = 16,      // co-simulation
  JFMI_INTERMEDIATE = 32,  // inside of a step, in a callback
  JFMI_TERMINATED = 64
} jfmi_mode;

#define JFMI_ANY     127u
#define JFMI_STARTED ((unsigned)(JFMI_EVENT | JFMI_CONTINUOUS | JFMI_STEPPING))
// where equations can be evaluated
#define JFMI_EVALUATES (JFMI_STARTED | (unsigned)JFMI_INITIALIZATION | (unsigned)JFMI_TERMINATED)

// Categories of messages; the status of a message says which of the others it belongs to.
#define JFMI_LOG_EVENTS "logEvents"
#define JFMI_CATEGORIES 5

const char* jfmi_category(int i);

typedef struct jfmi_host {
  void* user;
  void (*log)(void* user, jfmi_status status, const char* category, const char* message);
} jfmi_host;

// What the importer may do between communication points.
typedef struct jfmi_intermediate {
  void* user;
  // returns whether to return early, and when
  bool (*update)(void* user, double t, bool can_return, double* t_return);  // NULL: none
  const unsigned* reference;                                                // that may be read then
  size_t n;
} jfmi_intermediate;

typedef struct jfmi {
  const jvehicle_model* model;
  jvehicle* vehicle;
  jfmi_host host;
  unsigned categories;  // a bit for each that is on
  bool is_exchange;     // else co-simulation
  bool has_events;      // the importer uses event mode
  bool may_return;      // early, from a step
  jfmi_intermediate intermediate;

  jfmi_mode mode;
  bool is_begun;       // the vehicle is at its start, or behind it
  bool has_written;    // numbers that the vehicle has not looked at
  bool has_moved;      // t, x are where it shall be
  double t, *x;        // of the importer (nstate)
  double start, stop;  // [s]; stop is infinite where none was given
  double setting[JFMI_SETTINGS];
  double tolerance;  // of the importer; 0: none

  unsigned known;  // values below that are of the present moment, a bit for each kind
  double *rates, *indicators, *outputs, *objectives;
  // directions and results of derivatives
  double *dx, *dp, *dt, *drates, *dindicators, *doutputs, *dobjectives;
} jfmi;

// NULL: no memory. `reference` of what is intermediate is copied.
jfmi* jfmi_create(const jvehicle_model* model, const jfmi_host* host, bool is_exchange,
                  bool has_log, const jfmi_intermediate* intermediate);
void jfmi_destroy(jfmi* f);

// As created, but for the categories.
void jfmi_reset(jfmi* f);

// Tell the importer, and return the status; an error terminates the instance.
jfmi_status jfmi_say(jfmi* f, jfmi_status status, const char* format, ...)
    __attribute__((format(printf, 3, 4)));
// Of an event, where that is asked for.
void jfmi_tell_event(jfmi* f, const char* what);
// Categories on or off: all (n 0), or those named. A name there is none of is an error.
jfmi_status jfmi_set_log(jfmi* f, bool is_on, size_t n, const char* const* category);
// A message before there is an instance; # is doubled, as both standards ask for.
void jfmi_tell(const jfmi_host* host, jfmi_status status, const char* category, const char* text);

// Whether a function may be called now; else an error that names it.
jfmi_status jfmi_check(jfmi* f, unsigned modes, const char* function);

// What a failure of the vehicle is for the importer, with the vehicle's own words.
jfmi_status jfmi_fail(jfmi* f, jo_status status, const char* doing);

// ---- values ----------------------------------------------------------------------------------------

jfmi_status jfmi_get(jfmi* f, const unsigned* reference, size_t n, double* value);
jfmi_status jfmi_set(jfmi* f, const unsigned* reference, size_t n, const double* value);
// The integers, of which there is one.
jfmi_status jfmi_get_integer(jfmi* f, unsigned reference, long long* value);
jfmi_status jfmi_set_integer(jfmi* f, unsigned reference, long long value);

// All values of a kind (states, rates, indicators, outputs, objectives); n must be how many there are.
jfmi_status jfmi_get_all(jfmi* f, jfmi_kind kind, double* value, size_t n);

// The vehicle where the importer wants it to be, with the numbers it has set.
jfmi_status jfmi_settle(jfmi* f);

// ---- going on --------------------------------------------------------------------------------------

jfmi_status jfmi_setup(jfmi* f, bool has_tolerance, double tolerance, double start, bool has_stop,
                       double stop);
jfmi_status jfmi_exit_initialization(jfmi* f);

jfmi_status jfmi_set_time(jfmi* f, double t);
jfmi_status jfmi_set_states(jfmi* f, const double* x, size_t n);
jfmi_status jfmi_enter_event(jfmi* f);
jfmi_status jfmi_update(jfmi* f, bool* jumped);

typedef struct jfmi_step {
  double t;       // reached [s]
  bool is_event;  // the importer shall enter event mode
  bool is_early;  // before the end of the step
} jfmi_step;

jfmi_status jfmi_do_step(jfmi* f, double t, double h, jfmi_step* out);

#endif
