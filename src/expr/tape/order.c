// SPDX-License-Identifier: Apache-2.0
// Depth first with a path of its own.
#include "expr/tape/order.h"

#include <string.h>

#include "expr/parse/lex.h"

typedef enum mark { UNSEEN, ON_PATH, DONE } mark;

typedef struct walk {
  const jexpr_texts* texts;
  jexpr_lexer* lexer;  // how far each text has been looked through
  unsigned char* mark;
  int* path;
  int depth;
} walk;

static void enter(walk* w, int i) {
  const char* text = w->texts->text(w->texts->user, i);
  w->lexer[i] = (jexpr_lexer){text ? text : "", text ? strlen(text) : 0, 0};
  w->mark[i] = ON_PATH;
  w->path[w->depth++] = i;
}

// The next of the texts that text i names; -1: no more.
static int next_name(walk* w, int i) {
  for (;;) {
    jexpr_token t = jexpr_lex_next(&w->lexer[i]);
    if (t.kind == JEXPR_TOKEN_END || t.kind == JEXPR_TOKEN_BAD) return -1;
    if (t.kind != JEXPR_TOKEN_NAME) continue;
    int found = w->texts->find(w->texts->user, w->lexer[i].text + t.start, t.length);
    if (found >= 0) return found;
  }
}

jo_status jexpr_order(jo_context* ctx, const jexpr_texts* texts, int root, int* order, int* norder,
                      int* cyclic) {
  jarena a;
  jarena_init(&a, ctx);
  walk w = {.texts = texts};
  w.lexer = JARENA_ARRAY(&a, texts->n, jexpr_lexer);
  w.mark = JARENA_ARRAY(&a, texts->n, unsigned char);
  w.path = JARENA_ARRAY(&a, texts->n, int);
  bool has_memory = w.lexer && w.mark && w.path;
  *norder = 0;
  *cyclic = -1;
  if (has_memory) enter(&w, root);
  while (w.depth > 0 && *cyclic < 0) {
    int i = w.path[w.depth - 1], k = next_name(&w, i);
    if (k < 0) {
      w.mark[i] = DONE;
      order[(*norder)++] = i;
      w.depth--;
    } else if (w.mark[k] == ON_PATH) {
      *cyclic = k;
    } else if (w.mark[k] == UNSEEN) {
      enter(&w, k);
    }
  }
  jarena_free(&a);
  return has_memory ? JO_OK : jerr_memory(ctx);
}
