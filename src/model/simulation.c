// SPDX-License-Identifier: Apache-2.0
// Ranges of the numbers of the simulation block, for files and options alike.
#include <string.h>

#include "model/model.h"

typedef struct range {
  const char* key;
  double low, high;
  const char* rule;
} range;

static const range ranges[] = {
    {"tolerance", 1e-15, 0.1, "between 1e-15 and 0.1"},
    {"rel_tol", 1e-15, 0.1, "between 1e-15 and 0.1"},
    {"abs_tol", 1e-300, 0.1,
     "more than 0 and at most 0.1: it is a part of the nominal size of states"},
    {"step", 1e-12, 1e6, "between 1e-12 and 1e6"},
    {"output_step", 0.0, 1e6, "between 0 and 1e6"},
    {"max_step", 1e-12, 1e6, "between 1e-12 and 1e6"},
    {"shortest_pulse", 1e-9, 1e6, "between 1e-9 and 1e6"},
    {"derivative_tol", 1e-12, 0.1, "between 1e-12 and 0.1"},
    {"max_events", 1.0, 1e9, "between 1 and 1e9"},
    {"max_steps", 1.0, 1e15, "between 1 and 1e15"},
    {"max_memory", 1.0, 1e9, "between 1 and 1e9 (MB)"},
};

static const range* find(const char* key) {
  for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++) {
    if (strcmp(ranges[i].key, key) == 0) return &ranges[i];
  }
  return NULL;
}

const char* jmodel_simulation_rule(const char* key, double value) {
  const range* r = find(key);
  return !r || (value >= r->low && value <= r->high) ? NULL : r->rule;
}

bool jmodel_is_limit(const char* key) {
  return strcmp(key, "max_steps") == 0 || strcmp(key, "max_events") == 0 ||
         strcmp(key, "max_memory") == 0;
}
