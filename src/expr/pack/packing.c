// SPDX-License-Identifier: Apache-2.0
#include "expr/pack/packing.h"

int jexpr_pack_nargs(const jexpr_graph* g, const jexpr_item* item) {
  return item->width > 1 ? item->narg * item->width : jexpr_nargs(g, item->node[0]);
}

jexpr_ref jexpr_pack_arg_of(const jexpr_graph* g, const jexpr_vector* vector,
                            const jexpr_item* item, int k) {
  if (item->width == 1) return jexpr_arg(g, item->node[0], k);
  return vector[item->arg[k / item->width].vector].lane[k % item->width];
}

int jexpr_pack_lane(const jexpr_packing* p, jexpr_ref r) {
  const jexpr_item* item = &p->item[p->at[r]];
  int lane = 0;
  while (item->node[lane] != r)
    lane++;
  return lane;
}

bool jexpr_vector_is_const(const jexpr_graph* g, const jexpr_vector* v) {
  for (int i = 0; i < v->width; i++) {
    if (!jexpr_is_const(g, v->lane[i])) return false;
  }
  return true;
}

bool jexpr_vector_is_one(const jexpr_vector* v) {
  for (int i = 1; i < v->width; i++) {
    if (v->lane[i] != v->lane[0]) return false;
  }
  return true;
}
