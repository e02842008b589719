// SPDX-License-Identifier: Apache-2.0
#include "model/road_alike.h"

#include <string.h>

static bool is_same_scalar(const jmodel* m, const jmodel_scalar* a, const jmodel* other,
                           const jmodel_scalar* b) {
  if (!a->text != !b->text) return false;
  if (a->text) return strcmp(a->text, b->text) == 0;
  if (a->number < 0 || b->number < 0) return a->number == b->number;
  return m->number[a->number].value == other->number[b->number].value;
}

static bool is_same_part(const jmodel* m, const jmodel_road_part* a, const jmodel* other,
                         const jmodel_road_part* b) {
  if (a->kind != b->kind || a->shape != b->shape || a->table != b->table) return false;
  for (int i = 0; i < JMODEL_ROAD_VALUES; i++) {
    if (a->given[i] != b->given[i]) return false;
    if (a->given[i] && !is_same_scalar(m, &a->value[i], other, &b->value[i])) return false;
  }
  return true;
}

// What equations know of a table (gen/force/road_shape.c).
static bool is_same_kind(const jroad_source* a, const jroad_source* b) {
  return a->is_random == b->is_random && a->is_line == b->is_line && a->is_level == b->is_level &&
         a->degree == b->degree && a->ends == b->ends && a->sides == b->sides &&
         a->across == b->across && (a->nv > 1) == (b->nv > 1);
}

static jo_status fail(jo_context* ctx, const jmodel* other, const char* what, const char* hint) {
  return jerr_set(ctx, JO_ERR_ARGUMENT, "%s: %s; %s", other->path, what, hint);
}

jo_status jmodel_road_alike(jo_context* ctx, const jmodel* m, const jmodel* other) {
  static const char hint[] =
      "only the tables of a road (profile, crg, iso8608, blocks) can be others than those of the "
      "system; hint: let its numbers vary";
  if (!m->road_surface || !other->road_surface)
    return fail(ctx, m->road_surface ? other : m, "there is no table in the road", hint);
  bool same = m->nroad_part == other->nroad_part && m->nroad_source == other->nroad_source &&
              is_same_scalar(m, &m->road, other, &other->road);
  if (!same) return fail(ctx, other, "the road has other parts", hint);
  for (int i = 0; i < m->nroad_part; i++) {
    const jmodel_road_part* p = &other->road_part[i];
    if (is_same_part(m, &m->road_part[i], other, p)) continue;
    return jerr_set(ctx, JO_ERR_ARGUMENT, "%s: %s '%s' has other values; %s", other->path,
                    p->subject, p->name, hint);
  }
  for (int i = 0; i < m->nroad_source; i++) {
    if (is_same_kind(&m->road_source[i], &other->road_source[i])) continue;
    return fail(ctx, other, "a table of the road is of another kind",
                "it needs the same interpolation, ends and number of tracks");
  }
  return JO_OK;
}
