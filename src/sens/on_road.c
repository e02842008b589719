// SPDX-License-Identifier: Apache-2.0
#include "sens/on_road.h"

// Siblings belong to the plant that they were made of, and so do their kernels.
jo_status jsens_on_road_create(jo_context* ctx, const jsens* s, const jroad_surface* road,
                               jsens_on_road** out) {
  *out = NULL;
  jsens_on_road* r = jmem_resize(ctx, NULL, sizeof *r);
  if (!r) return jerr_memory(ctx);
  *r = (jsens_on_road){.sens = *s, .plant = *s->plant, .model = *s->plant->model};
  r->model.road_surface = road;
  r->plant.ctx = r->sens.ctx = ctx;
  r->plant.model = &r->model;
  r->sens.plant = &r->plant;
  r->plant.family = jplant_family_create(ctx);
  r->sens.siblings = s->siblings ? jsens_kernel_shelf_like(ctx, s->siblings) : NULL;
  if (!r->plant.family || (s->siblings && !r->sens.siblings)) {
    jsens_on_road_destroy(r);
    return jerr_memory(ctx);
  }
  *out = r;
  return JO_OK;
}

void jsens_on_road_destroy(jsens_on_road* r) {
  if (!r) return;
  jsens_kernel_shelf_destroy(r->sens.siblings);
  jplant_family_destroy(r->plant.family);
  jmem_free(r->plant.ctx, r);
}
