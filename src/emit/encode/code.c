// SPDX-License-Identifier: Apache-2.0
#include "emit/encode/code.h"

void jemit_code_put(jemit_code* c, uint64_t word, int bytes) {
  if (!c->failed && !jmem_grow(c->ctx, &c->byte, &c->cap, c->n + bytes, sizeof *c->byte)) {
    c->failed = true;
  }
  for (int i = 0; i < bytes && !c->failed; i++) {
    c->byte[c->n++] = (uint8_t)(word >> 8 * i);
  }
}

void jemit_code_fix(jemit_code* c, jemit_fix fix) {
  if (!c->failed && !jmem_grow(c->ctx, &c->fix, &c->fix_cap, c->nfix + 1, sizeof *c->fix)) {
    c->failed = true;
  }
  if (!c->failed) c->fix[c->nfix++] = fix;
}

void jemit_code_free(jemit_code* c) {
  jmem_free(c->ctx, c->byte);
  jmem_free(c->ctx, c->fix);
}
