// SPDX-License-Identifier: Apache-2.0
// The network of a linear function. A vertex is a value along a direction, an edge a multiple of it that goes into
// another, with a partial that all directions share:
//   v = sum over edges e into v  c_e from(e)
// Vertices can be eliminated, and put back in the opposite order. docs/theory/expressions.md eq. (X1)
//   c_ps += c_vs c_pv        for all p before and s behind v
#ifndef JEXPR_NETWORK_H
#define JEXPR_NETWORK_H

#include "expr/graph.h"

// A partial up to its sign: a node of the graph, or made of two other terms. Equal ones are one term.
typedef enum jexpr_term_kind {
  JEXPR_TERM_NODE,
  JEXPR_TERM_PRODUCT,
  JEXPR_TERM_SUM,
  JEXPR_TERM_DIFFERENCE
} jexpr_term_kind;

typedef struct jexpr_term {
  jexpr_term_kind kind;
  uint32_t a, b;  // terms; NODE: a is the ref
  jexpr_ref ref;  // poison: not written yet
  int uses;       // eliminations that were done with it; 0: it would have to be made
} jexpr_term;

#define JEXPR_TERM_ONE 0  // the first term

typedef struct jexpr_edge {
  int from, to;
  int term;
  bool minus;
  int prev_in, next_in;    // among those that end at `to`; -1: none
  int prev_out, next_out;  // among those that begin at `from`
} jexpr_edge;

typedef struct jexpr_vertex {
  jexpr_ref ref;
  int weight;    // directions along which it is not zero
  bool is_seed;  // an input that is one along its only direction
  bool
      is_kept;  // is not eliminated: inputs, outputs, what is no sum of multiples, and what that is made of
  bool is_opaque;  // no sum of multiples
  bool is_gone;
  int in, out;  // first edges; -1: none
  int version;  // of what is known about it
} jexpr_vertex;

// What an elimination did, to be undone.
typedef enum jexpr_deed_kind {
  JEXPR_DEED_VERTEX,   // gone
  JEXPR_DEED_ADDED,    // edge
  JEXPR_DEED_REMOVED,  // edge
  JEXPR_DEED_CHANGED,  // edge, which had `term` and `minus`
  JEXPR_DEED_USED      // term
} jexpr_deed_kind;

typedef struct jexpr_deed {
  jexpr_deed_kind kind;
  int at, term;
  bool minus;
} jexpr_deed;

typedef struct jexpr_network {
  jexpr_graph* g;
  jexpr_vertex* v;
  int nv, v_cap;
  jexpr_edge* e;
  int ne, e_cap;
  jexpr_term* term;
  int nterm, term_cap;
  int* table;  // open addressing: terms; -1: free
  int table_size;
  jexpr_deed* deed;
  int ndeed, deed_cap;
  int round;       // of looking at the edges from a vertex
  int *seen, *at;  // by vertex: the last round that saw it, the edge to it then
  int seen_cap, at_cap;
} jexpr_network;

jo_status jexpr_network_init(jexpr_network* k, jexpr_graph* g);
void jexpr_network_free(jexpr_network* k);

// The next vertex, without edges.
jo_status jexpr_network_vertex(jexpr_network* k, jexpr_vertex v);
// from < to, and there is no such edge yet.
jo_status jexpr_network_edge(jexpr_network* k, int from, int to, jexpr_ref partial);

// Operations that are saved in all directions together without vertex v, less those of new partials.
int jexpr_network_gain(jexpr_network* k, int v);
jo_status jexpr_network_eliminate(jexpr_network* k, int v);
// Back to where there were `ndeed` deeds.
void jexpr_network_undo(jexpr_network* k, int ndeed);

// Partials of the edges that are left become nodes; the one of edge e.
jo_status jexpr_network_write_partials(jexpr_network* k, jarena* a);
jexpr_ref jexpr_network_partial(jexpr_network* k, int e);

#endif
