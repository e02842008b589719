// SPDX-License-Identifier: Apache-2.0
// Conditions that were written in the file, as those of a drive or a signal, by names that its author knows: the elements and
// events that they are part of, or the expression in which they stand.
#include <string.h>

#include "gen/build.h"

#define MOST_TEXT 40  // characters of an expression in a name

// Whether a mark is "name" or "name: what".
static bool is_of(const char* name, const char* mark, size_t n) {
  return strlen(name) == n && strncmp(name, mark, n) == 0;
}

// Whether a marked equation is one of an element or event, and not of the formalism.
static bool is_known(const jmodel* m, const char* mark) {
  const char* colon = strstr(mark, ": ");
  size_t n = colon ? (size_t)(colon - mark) : strlen(mark);
  bool is_found = is_of("end_when", mark, n);
  for (int i = 0; !is_found && i < m->nelement; i++) {
    is_found = is_of(m->element[i].name, mark, n);
  }
  for (int i = 0; !is_found && i < m->nevent; i++) {
    is_found = is_of(m->event[i].name, mark, n);
  }
  return is_found;
}

// Of every node its own mark, and the first marked node that depends on it, or itself; 0: none does.
static void find_owners(jgen* s, const char** mark, jexpr_ref* owner, int n) {
  const jexpr_graph* g = s->g;
  for (int i = 0; i < g->nmark; i++) {
    mark[g->mark[i].ref] = g->mark[i].text;
  }
  for (int k = n - 1; k > 0; k--) {
    if (mark[k]) owner[k] = (jexpr_ref)k;
    for (int i = 0; owner[k] && i < jexpr_nargs(g, (jexpr_ref)k); i++) {
      jexpr_ref arg = jexpr_arg(g, (jexpr_ref)k, i);
      if (!owner[arg] || owner[k] < owner[arg]) owner[arg] = owner[k];
    }
  }
}

// "0.8*max(0, t - 2) (line 6)", with the file where it is another one
static void mark_choice(jgen* s, jexpr_ref r, const jmodel_scalar* x) {
  const char *file = x->place.file ? x->place.file : "", *name = strrchr(file, '/');
  bool is_long = strlen(x->text) > MOST_TEXT, is_own = strcmp(file, s->m->path) == 0;
  jexpr_mark(s->g, r, "%.*s%s (line %d%s%.30s)", MOST_TEXT, x->text, is_long ? "..." : "",
             x->place.line, is_own ? "" : " of ",
             is_own ? ""
             : name ? name + 1
                    : file);
}

jo_status jgen_name_choices(jgen* s) {
  int n = s->g->nnode;
  jarena_mark scratch = jarena_save(s->a);
  const char** mark = JARENA_ARRAY(s->a, n, const char*);
  jexpr_ref* owner = JARENA_ARRAY(s->a, n, jexpr_ref);
  bool* is_done = JARENA_ARRAY(s->a, n, bool);
  if (!mark || !owner || !is_done) return s->g->status = jerr_memory(s->ctx);
  find_owners(s, mark, owner, n);
  for (int i = 0; i < s->nchoice; i++) {
    jexpr_ref r = s->choice[i].ref;
    bool is_named = owner[r] && is_known(s->m, mark[owner[r]]);
    // what an expression uses by its name was written in another one, which came first
    if (!is_named && !is_done[r]) mark_choice(s, r, s->choice[i].text);
    is_done[r] = true;
  }
  jarena_restore(s->a, scratch);
  return s->g->status;
}
