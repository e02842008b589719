// SPDX-License-Identifier: Apache-2.0
// Ranges, distributions, correlations and names on the command line of a sweep.
#include "sweep_laws.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "failure.h"

// Values of a range or a distribution, as they stand in its text.
enum { FROM, TO, MEAN, DEVIATION, VALUES };

// ---- texts ---------------------------------------------------------------------------------------

// A finite number, or one with something behind it that begins as a unit does, in the first n characters.
static bool is_value(const char* text, size_t n) {
  char* end;
  double x = strtod(text, &end);
  if (end == text || end > text + n || !isfinite(x)) return false;
  const char* unit = end + strspn(end, " ");
  return unit >= text + n || isalpha((unsigned char)*unit) || strncmp(unit, "1/", 2) == 0;
}

// A part of a text, up to `end`, without blanks around it.
typedef struct piece {
  const char* text;
  size_t n;
} piece;

static piece cut(const char* from, const char* end) {
  while (from < end && *from == ' ') {
    from++;
  }
  while (end > from && end[-1] == ' ') {
    end--;
  }
  return (piece){from, (size_t)(end - from)};
}

// "FROM:TO:N" of a grid, "FROM:TO" of a sample.
static bool read_range(const char* text, bool is_sample, jo_range* out, piece* value) {
  char* end;
  out->n = 1;
  const char* middle = strchr(text, ':');
  if (!middle) return false;
  const char* stop = middle + 1 + strcspn(middle + 1, ":");
  value[FROM] = (piece){text, (size_t)(middle - text)};
  value[TO] = (piece){middle + 1, (size_t)(stop - middle - 1)};
  if (!is_value(value[FROM].text, value[FROM].n) || !is_value(value[TO].text, value[TO].n)) {
    return false;
  }
  if (is_sample) return !*stop;
  if (!*stop) return false;
  long n = strtol(stop + 1, &end, 10);
  if (end == stop + 1 || *end || n < 1 || n > 1000000) return false;
  out->n = (int)n;
  return true;
}

static bool is_infinite(piece p) {
  const char* text = p.n > 0 && (*p.text == '-' || *p.text == '+') ? p.text + 1 : p.text;
  return p.text + p.n == text + 3 && strncmp(text, "inf", 3) == 0;
}

// "uniform(A, B)", "normal(M, S)", "lognormal(M, S)", the last two with ends to be cut off at: (M, S, A, B).
static bool read_law(const char* text, jo_range* out, piece* value) {
  static const char* const name[] = {"uniform", "normal", "lognormal"};
  static const int order[][VALUES] = {{FROM, TO}, {MEAN, DEVIATION, FROM, TO}};
  const char* open = strchr(text, '(');
  piece word = cut(text, open);
  int law = 0, n = 0;
  while (law < 3 && (strlen(name[law]) != word.n || strncmp(name[law], word.text, word.n) != 0)) {
    law++;
  }
  if (law == 3) return false;
  out->law = (jo_law)law;
  const char* at = open;
  do {
    const char* next = at + 1 + strcspn(at + 1, ",)");
    if (!*next || n == VALUES) return false;
    int which = order[law > 0][n];
    value[which] = cut(at + 1, next);
    bool is_end = law > 0 && (which == FROM || which == TO);
    if (!is_value(value[which].text, value[which].n) && !(is_end && is_infinite(value[which]))) {
      return false;
    }
    n++;
    at = next;
  } while (*at == ',');
  return !at[1] && (n == 2 || (law > 0 && n == 4));
}

// Append a name of n characters to `names`, where there is room.
static const char* keep_name(char** names, const char* text, size_t n) {
  char* name = *names;
  memcpy(name, text, n);
  name[n] = 0;
  *names = name + n + 1;
  return name;
}

static cli_exit refuse_range(const char* text, bool is_sample) {
  if (!is_sample && strchr(text, '(')) {
    return cli_misuse("sweep", "a distribution needs --sample: '%s'", text);
  }
  return cli_misuse("sweep", "--param needs NAME=FROM:TO%s, not '%s'",
                    is_sample ? " with --sample, or NAME=uniform(A, B), normal(MEAN, DEVIATION) or "
                                "lognormal(MEAN, DEVIATION), these two also with ends A, B"
                              : ":N",
                    text);
}

static cli_exit read_ranges(cli_laws* l, char** names, bool is_sample) {
  for (int i = 0; i < l->params.n; i++) {
    const char *text = l->params.text[i], *equals = strchr(text, '=');
    jo_range* r = &l->range[i];
    piece value[VALUES] = {0};
    bool is_law = equals && strchr(equals, '(');
    if (!equals || equals == text || (is_law && !is_sample) ||
        !(is_law ? read_law(equals + 1, r, value) : read_range(equals + 1, is_sample, r, value))) {
      return refuse_range(text, is_sample);
    }
    r->name = keep_name(names, text, (size_t)(equals - text));
    for (int k = 0; k < VALUES; k++) {
      if (value[k].text) l->text[VALUES * i + k] = keep_name(names, value[k].text, value[k].n);
    }
  }
  return CLI_OK;
}

// "A,B=R"
static cli_exit read_correlations(cli_laws* l, char** names) {
  for (int i = 0; i < l->correlations.n; i++) {
    const char *text = l->correlations.text[i], *comma = strchr(text, ','),
               *equals = strchr(text, '=');
    char* end = NULL;
    jo_correlation* c = &l->correlation[i];
    if (equals) c->value = strtod(equals + 1, &end);
    if (!comma || !equals || comma == text || equals < comma + 2 || end == equals + 1 || *end) {
      return cli_misuse("sweep", "--correlate needs NAME,NAME=R, not '%s'", text);
    }
    c->first = keep_name(names, text, (size_t)(comma - text));
    c->second = keep_name(names, comma + 1, (size_t)(equals - comma - 1));
  }
  return CLI_OK;
}

// What is differentiated for: a list, "none", or the parameters that vary.
static cli_exit read_wrt(cli_laws* l, char** names, const char* list) {
  if (!list) {
    for (int i = 0; i < l->params.n; i++) {
      l->wrt[l->nwrt++] = l->range[i].name;
    }
    return CLI_OK;
  }
  if (strcmp(list, "none") == 0) return CLI_OK;
  for (const char* at = list;; at++) {
    size_t n = strcspn(at, ",");
    if (n == 0) return cli_misuse("sweep", "--wrt needs names and commas, not '%s'", list);
    l->wrt[l->nwrt++] = keep_name(names, at, n);
    at += n;
    if (!*at) return CLI_OK;
  }
}

cli_exit cli_laws_read(cli_laws* l, const char* wrt, bool is_sample) {
  size_t size = wrt ? strlen(wrt) + 2 : 2;
  for (int i = 0; i < l->params.n; i++) {
    size += strlen(l->params.text[i]) + VALUES;
  }
  for (int i = 0; i < l->correlations.n; i++) {
    size += strlen(l->correlations.text[i]) + 1;
  }
  char* names = l->names = malloc(size);
  l->range = calloc((size_t)l->params.n + 1, sizeof *l->range);
  l->text = calloc(VALUES * ((size_t)l->params.n + 1), sizeof *l->text);
  l->correlation = calloc((size_t)l->correlations.n + 1, sizeof *l->correlation);
  l->wrt = calloc(size, sizeof *l->wrt);
  if (!l->names || !l->range || !l->text || !l->correlation || !l->wrt) return cli_no_memory();
  cli_exit code = read_ranges(l, &names, is_sample);
  if (code == CLI_OK) code = read_correlations(l, &names);
  return code == CLI_OK ? read_wrt(l, &names, wrt) : code;
}

// ---- values with units ----------------------------------------------------------------------------

static bool load_with(const cli* c, jo_context* ctx, jo_setting* set, jo_model** m) {
  for (int i = 0; i < c->nset; i++) {
    set[i] = c->set[i];
  }
  return jo_model_load(ctx, c->argument[0], set, c->nset + 1, m) >= 0;
}

// What is wrong with a value that no parameter can have, in the words that --set has for it. What can be set, but is no parameter,
// the sweep refuses. What the file has to say of other things was said.
static cli_exit judge_quantity(const cli* c, const char* name, const char* text) {
  jo_setting* set = calloc((size_t)c->nset + 1, sizeof *set);
  jo_context* ctx = NULL;
  jo_model* m = NULL;
  cli_exit code = CLI_OK;
  if (!set || jo_context_create(NULL, &ctx) < 0) {
    code = cli_no_memory();
  } else {
    set[c->nset] = (jo_setting){name, text};
    if (!load_with(c, ctx, set, &m)) {
      code = CLI_FAIL;
      cli_complain("--param %s=%s: %s", name, text, jo_context_message(ctx));
    }
  }
  jo_model_destroy(m);
  jo_context_destroy(ctx);
  free(set);
  return code;
}

static double* value_at(jo_range* r, int which) {
  return which == FROM ? &r->from : which == TO ? &r->to : which == MEAN ? &r->mean : &r->deviation;
}

cli_exit cli_laws_values(const cli* c, const jo_model* model, cli_laws* l) {
  cli_exit code = CLI_OK;
  for (int i = 0; i < VALUES * l->params.n && code == CLI_OK; i++) {
    jo_range* r = &l->range[i / VALUES];
    const char* text = l->text[i];
    double* out = value_at(r, i % VALUES);
    if (!text) {
      // not cut off
      *out = i % VALUES == FROM ? -INFINITY : i % VALUES == TO ? INFINITY : 0.0;
      continue;
    }
    char* end;
    *out = strtod(text, &end);
    if (*end && jo_model_quantity(model, r->name, text, out) < 0) {
      *out = NAN;
      code = judge_quantity(c, r->name, text);
    }
  }
  return code;
}

void cli_laws_free(cli_laws* l) {
  free(l->params.text);
  free(l->correlations.text);
  free(l->range);
  free(l->text);
  free(l->correlation);
  free(l->wrt);
  free(l->names);
}
