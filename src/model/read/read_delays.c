// SPDX-License-Identifier: Apache-2.0
// `delays:`. A delay is a line that what goes in travels along; it becomes states of the model, one for each of the nodes of the
// line but the first. docs/theory/discrete.md eq. (E8).
#include <math.h>
#include <string.h>

#include "base/elementary.h"
#include "base/text/text.h"
#include "model/read/reader.h"
#include "model/template/instance.h"

#define DEFAULT_ORDER 8
#define MOST_ORDER    24
#define PI            3.14159265358979323846

// Node k of n + 1 on [0, 1].
static double node(int k, int n) {
  return 0.5 * (1.0 - jm_cos(PI * k / n));
}

static double weight(int k, int n) {
  return (k == 0 || k == n ? 2.0 : 1.0) * (k % 2 ? -1.0 : 1.0);
}

// d/dx at node i of the polynomial that is 1 at node j and 0 at the others.
static double slope(int i, int j, int n) {
  if (i != j) return weight(i, n) / weight(j, n) / (node(i, n) - node(j, n));
  double sum = 0.0;  // rows of it have no sum: what is constant has no slope
  for (int k = 0; k <= n; k++) {
    if (k != i) sum -= slope(i, k, n);
  }
  return sum;
}

static const char* text_of(const jmodel_at* at, const jmodel_scalar* s) {
  return s->text ? jmodel_format(at->r, "(%s)", s->text) : s->path;
}

// -(sum_j D_ij u_j) / time
static const char* rate_of(const jmodel_at* at, int i, int n, const char* in, const char* time) {
  jtext t;
  jtext_init(&t, at->r->ctx);
  jtext_put(&t, "-(");
  for (int j = 0; j <= n; j++) {
    jtext_put(&t, j > 0 ? " + " : "");
    jtext_number(&t, slope(i, j, n));
    jtext_printf(&t, "*");
    if (j == 0) jtext_put(&t, in);
    if (j > 0) jtext_printf(&t, "%s.n%d", at->name, j);
  }
  jtext_printf(&t, ")/%s", time);
  const char* kept = t.failed ? "" : jmodel_keep(at->r, t.data);
  if (t.failed) jmodel_out_of_memory(at->r);
  jtext_free(&t);
  return kept;
}

static void add_node(const jmodel_at* at, int i, jmodel_place place, const char* rate,
                     const char* initial, const char* unit, double nominal) {
  jmodel_reader* r = at->r;
  if (!jmem_grow(r->ctx, &r->own, &r->own_cap, r->nown + 1, sizeof *r->own)) {
    jmodel_out_of_memory(r);
    return;
  }
  r->own[r->nown++] = (jmodel_state){.name = jmodel_format(r, "%s.n%d", at->name, i),
                                     .place = place,
                                     .initial = jmodel_constant(initial, place),
                                     .derivative = jmodel_constant(rate, place),
                                     .nominal = nominal,
                                     .unit = unit,
                                     .element = -1};
}

static int read_order(const jmodel_at* at, const jmodel_node* c) {
  double order = jmodel_get_double(at, c, "order", DEFAULT_ORDER);
  if (order >= 1.0 && order <= MOST_ORDER && order == floor(order)) return (int)order;
  jmodel_mistake(at, jmodel_node_find(c, "order")->place,
                 "order is %g; it must be a whole number between 1 and %d", order, MOST_ORDER);
  return 1;
}

static const jmodel_key delay_keys[] = {
    {JMODEL_KEY_NUMBER("of"), .is_needed = true},
    {JMODEL_KEY_NUMBER("time"), .is_needed = true},
    {.name = "order", .is = JMODEL_A_COUNT, .least = 1, .most = MOST_ORDER},
    {JMODEL_KEY_NUMBER("initial")},
    {JMODEL_KEY_UNIT},
    {JMODEL_KEY_NUMBER("nominal")},
    {JMODEL_KEY_DESCRIPTION},
    {0}};
static const jmodel_key delay_form = {.is = JMODEL_A_MAP, .keys = delay_keys};
const jmodel_key jmodel_section_delays = {JMODEL_KEY_SECTION("delays", delay_form),
                                          .about = "What something was some time ago"};

static void read_delay(const jmodel_at* at, const jmodel_node* c, jmodel_delay* d) {
  jmodel_check_keys(at, c, delay_keys);
  jmodel_need_scalar(at, c, "of", JMODEL_SCOPE_ANY, &d->of);
  jmodel_need_scalar(at, c, "time", JMODEL_SCOPE_PARAMETERS, &d->time);
  bool has_initial = jmodel_get_scalar(at, c, "initial", JMODEL_SCOPE_ANY, &d->initial);
  if (!has_initial) d->initial = jmodel_constant("0", c->place);
  d->order = read_order(at, c);
  d->unit = jmodel_get_text(at, c, "unit", "");
  double nominal = jmodel_get_double(at, c, "nominal", 1.0);
  if (!(nominal > 0.0)) {
    jmodel_mistake(at, jmodel_node_find(c, "nominal")->place,
                   "nominal is %g; it must be more than 0", nominal);
  }
  const char *of = text_of(at, &d->of), *time = text_of(at, &d->time);
  const char* initial = has_initial ? text_of(at, &d->initial) : "0";
  for (int i = 1; i <= d->order && !at->r->oom; i++) {
    const char* rate = rate_of(at, i, d->order, of, time);
    add_node(at, i, c->key_place, rate, initial, d->unit, nominal);
  }
}

void jmodel_read_delays(jmodel_reader* r, const jmodel_node* root) {
  const jmodel_node* section = jmodel_section(r, root, "delays");
  r->m->delay = JMODEL_ARRAY(r, section ? section->n : 0, jmodel_delay);
  for (const jmodel_node* c = section ? section->first : NULL; c && r->m->delay; c = c->next) {
    jmodel_at at = {r, "delay", jmodel_keep(r, c->key), jmodel_format(r, "delays.%s", c->key)};
    if (!jmodel_name_ok(&at, c) || !jmodel_is(&at, c, JMODEL_NODE_MAP, "it")) continue;
    jmodel_delay* d = &r->m->delay[r->m->ndelay++];
    *d = (jmodel_delay){.name = at.name, .place = c->key_place};
    read_delay(&at, c, d);
  }
}
