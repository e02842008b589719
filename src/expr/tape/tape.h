// SPDX-License-Identifier: Apache-2.0
// The interpreter: a schedule flattened to instructions over work slots. Needs no compiler, and is
// the reference the compiled kernels are held against.
#ifndef JEXPR_TAPE_H
#define JEXPR_TAPE_H

#include <stdint.h>

#include "expr/tape/schedule.h"

// op      an operator: work[dst] = op(work[a], work[b], work[c])
//         INPUT: work[dst] = in[a][b]      JEXPR_OP_COUNT: out[b][c] = work[a]
//         list operators: operands are list[a] ... list[a + b - 1]; SOLVE: its equation is body[c]
typedef struct jexpr_ins {
  int32_t op;
  int32_t dst, a, b, c;
} jexpr_ins;

typedef struct jexpr_tape {
  int n;
  jexpr_ins* ins;  // (n)
  int* list;       // slots of list operands
  int nslot;       // work slots, constants first, those of bodies last
  int nconst;
  double* constant;  // (nconst)
  bool* uniform;     // by group: one value for all lanes instead of one per lane  (ngroup)
  int nbody;
  struct jexpr_tape_body* body;  // equations of unknowns (nbody)
  jexpr_counts counts;
} jexpr_tape;

// One lane at a time; its slots stand behind those of the tape it belongs to.
typedef struct jexpr_tape_body {
  jexpr_tape tape;
  int first_slot;
} jexpr_tape_body;

jo_status jexpr_tape_build(jo_context* ctx, jarena* a, const jexpr_fn* fn, jexpr_tape* out);

// Doubles of work space for `lanes` lanes; fill it once with jexpr_tape_init, then evaluate as
// often as wanted. Arrays are lane-innermost: in[g][i * lanes + lane] (in[g][i] for a uniform
// group), out[o][i * lanes + lane]. Nothing is allocated.
size_t jexpr_tape_work(const jexpr_tape* t, int lanes);
// Work space for one lane, filled, in the arena; and a tape with it.
jo_status jexpr_tape_make_work(jo_context* ctx, jarena* a, const jexpr_tape* t, double** work);
jo_status jexpr_tape_prepare(jo_context* ctx, jarena* a, const jexpr_fn* fn, jexpr_tape* out,
                             double** work);
void jexpr_tape_init(const jexpr_tape* t, int lanes, double* work);
void jexpr_tape_eval(const jexpr_tape* t, int lanes, const double* const* in, double* const* out,
                     double* work);

// One lane in complex numbers, for complex-step derivatives. Branches are taken by the real part.
// `work` holds nslot values and needs no filling.
void jexpr_tape_eval_complex(const jexpr_tape* t, const double _Complex* const* in,
                             double _Complex* const* out, double _Complex* work);

#endif
