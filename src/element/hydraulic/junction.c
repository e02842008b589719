// SPDX-License-Identifier: Apache-2.0
// A junction without volume: its pressure is that at which what flows in flows out. docs/theory/hydraulics.md
// eq. (P19). The equation is solved where it stands (expr/solve.h); flows that fall with its pressure have one
// solution.
#include "element/hydraulic/port.h"
#include "expr/solve.h"

typedef struct junction {
  jelement_port port;
} junction;

static const jmodel_key keys[] = {{JMODEL_KEY_TEXT("fluid")}, {JMODEL_KEY_DESCRIPTION}, {0}};

// those of a volume stand for what is nothing here, so that balances hold on to them
enum { VOLUME = JELEMENT_PRESSURE + 1, MASS, ENERGY, INFLOW };
static const char* const signals[] = {"pressure", "volume", "mass", "energy", "inflow", NULL};

#define STEP 1e5  // of the search [Pa]

static bool read(const jmodel_at* at, const jmodel_node* map, jmodel_element* e) {
  junction* j = e->data;
  return jelement_fluid_read(at, map, e->place, &j->port.fluid);
}

// Which end of the flow stands at the port of element i.
static int end_at(const jelement_flow* f, int i) {
  return f->port[0] == i ? 0 : 1;
}

// What flows in at the pressure p.
static jexpr_ref inflow(jgen* s, const jmodel_element* m, int i, jexpr_ref p) {
  const junction* j = m->data;
  jexpr_graph* g = s->g;
  jexpr_ref sum = s->zero;
  for (const jelement_flow* f = j->port.first; f; f = f->next[end_at(f, i)]) {
    bool goes_out = end_at(f, i) == 0;
    jexpr_ref Q, area;
    if (f->law) {
      jexpr_ref other = jelement_pressure_at(s, m, f->port[goes_out ? 1 : 0]);
      Q = f->law(s, f->own, goes_out ? jexpr_sub(g, p, other) : jexpr_sub(g, other, p), &area);
    } else {
      Q = jgen_own_state(s, f->own, 0);
    }
    sum = goes_out ? jexpr_sub(g, sum, Q) : jexpr_add(g, sum, Q);
  }
  return sum;
}

// The mean of the pressures around it: where the search begins.
static jexpr_ref around(jgen* s, const jmodel_element* m, int i) {
  const junction* j = m->data;
  jexpr_ref sum = s->zero;
  int n = 0;
  for (const jelement_flow* f = j->port.first; f; f = f->next[end_at(f, i)]) {
    if (!f->law) continue;
    sum = jexpr_add(s->g, sum, jelement_pressure_at(s, m, f->port[1 - end_at(f, i)]));
    n++;
  }
  return n > 1 ? jexpr_mul(s->g, jexpr_const(s->g, 1.0 / n), sum) : sum;
}

// (P19)  sum Q(p) = 0
static void write(jgen* s, const jmodel_element* m, jgen_element* e) {
  jexpr_graph* g = s->g;
  int i = (int)(m - s->m->element);
  jexpr_ref sum = inflow(s, m, i, jexpr_hole(g)), start = around(s, m, i);
  if (sum && !jexpr_has_hole(g, sum) && g->status == JO_OK) {
    g->status = jerr_set(s->ctx, JO_ERR_MODEL,
                         "%s:%d: junction '%s': no flow depends on its pressure; join it to an "
                         "orifice, a valve or a leakage, or list it under 'volumes:'",
                         m->place.file, m->place.line, m->name);
  }
  if (g->status < 0) return;
  jexpr_ref p = jexpr_solve(g, sum, start, jexpr_const(g, STEP));
  e->signal[JELEMENT_PRESSURE] = jexpr_mark(g, p, "%s: pressure", m->name);
  e->signal[VOLUME] = e->signal[MASS] = e->signal[ENERGY] = s->zero;
}

static void finish(jgen* s, const jmodel_element* m, jgen_element* e) {
  (void)m;
  e->signal[INFLOW] = jelement_fed(s, e, JELEMENT_INFLOW);
}

const jgen_element_class jelement_junction = {.model = {.kind = "junction",
                                                        .section = "junctions",
                                                        .keys = keys,
                                                        .about = "Junctions without volume",
                                                        .size = sizeof(junction),
                                                        .read = read,
                                                        .mirrors = true},
                                              .signal = signals,
                                              .what = JELEMENT_FLOW_WHAT,
                                              .write = write,
                                              .finish = finish,
                                              .nlast = 1};
