// SPDX-License-Identifier: Apache-2.0
// Limits of runs, and how they are told.
#include "plant/check/limits.h"

#include <math.h>

#define MEGABYTE 1e6

jo_status jplant_check_option(jo_context* ctx, const char* key, double value) {
  const char* rule = isnan(value) ? NULL : jmodel_simulation_rule(key, value);
  if (!rule) return JO_OK;
  return jerr_set(ctx, JO_ERR_ARGUMENT, "%s is %g; it must be %s", key, value, rule);
}

double jplant_memory_limit(const jmodel* m) {
  return m->simulation.max_memory * MEGABYTE;
}

jo_status jplant_check_memory(jo_context* ctx, const jmodel* m, double bytes, const char* what) {
  if (bytes <= jplant_memory_limit(m)) return JO_OK;
  return jerr_set(ctx, JO_ERR_LIMIT,
                  "%s: %s would take %.4g MB, more than the limit of %.9g MB; ask for less, or "
                  "raise simulation.max_memory (--max-memory)",
                  m->path, what, bytes / MEGABYTE, m->simulation.max_memory);
}

jo_status jplant_fail_memory(jo_context* ctx, const jmodel* m, const char* what, double t) {
  return jerr_set(
      ctx, JO_ERR_LIMIT,
      "%s: %s take more than the limit of %.9g MB at t = %.9g s; ask for less, or raise "
      "simulation.max_memory (--max-memory)",
      m->path, what, m->simulation.max_memory, t);
}
