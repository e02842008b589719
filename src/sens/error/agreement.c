// SPDX-License-Identifier: Apache-2.0
#include "sens/error/agreement.h"

#include <math.h>

#define DIRECT_ADJOINT 1e-9  // agreement asked for, relative, on top of the error estimates
#define NEGLIGIBLE     1e-9  // influence, relative over relative, that counts as none
#define LITTLE         1e-4  // influence that does not matter, of errors larger than the derivative

// Relative to the larger of the two; what is nothing against the objective agrees with zero.
static double difference(double a, double b, double noise) {
  double scale = fmax(fmax(fabs(a), fabs(b)), noise);
  return scale > 0.0 ? fabs(a - b) / scale : 0.0;
}

static double or_zero(double x) {
  return isfinite(x) ? x : 0.0;
}

static double size_of(const jsens_checked* c, int parameter) {
  double value = c->value[parameter];
  return value != 0.0 ? fabs(value) : 1.0;
}

static bool is_vague(double derivative, double error) {
  return isfinite(derivative) && !(error <= fabs(derivative));
}

// An objective, or what numbers as large as their size would add to it, where it is known.
static double weight_of(const jsens_checked* c, int objective, const jo_sens_check_row* row) {
  double weight = fabs(c->result->value[objective]);
  for (int k = 0; k < c->result->nw; k++) {
    const jo_sens_check_row* r = &row[k];
    double size = size_of(c, k);
    if (!is_vague(r->direct, r->direct_error)) weight = fmax(weight, fabs(r->direct) * size);
    if (!is_vague(r->adjoint, r->adjoint_error)) weight = fmax(weight, fabs(r->adjoint) * size);
  }
  return weight;
}

// Errors beyond the derivative itself agree with anything, and so tell nothing: those that are stated, and those of the
// differences. They are no harm where they are little against the objective, nor stated ones that are within what the
// differences are sure of.
static bool is_undecided(const jsens_checked* c, const jo_sens_check_row* r, double little) {
  double derivative = isfinite(r->direct) ? r->direct : r->adjoint;
  double unsure = 10.0 * r->difference_error, sure = fmax(little, or_zero(unsure));
  if (!isfinite(derivative)) return false;
  if (!c->is_frozen && !isfinite(r->difference)) return true;
  if (!c->is_frozen && is_vague(derivative, unsure) && !(unsure <= little)) return true;
  return (is_vague(r->direct, r->direct_error) && !(r->direct_error <= sure)) ||
         (is_vague(r->adjoint, r->adjoint_error) && !(r->adjoint_error <= sure));
}

// Methods agree within their stated errors and DIRECT_ADJOINT, each with the differences within its
// stated error and that of the differences. A derivative whose effect, a parameter as large as its size,
// is 1e-9 of the objective counts as zero.
jo_sens_agreement jsens_agree(const jsens_checked* c, int objective, int parameter) {
  const jo_sens_check_row* row = &c->row[(int64_t)objective * c->result->nw];
  const jo_sens_check_row* r = &row[parameter];
  double size = size_of(c, parameter);
  double noise = NEGLIGIBLE * fabs(c->result->value[objective]) / size;
  double scale = fmax(fmax(fabs(or_zero(r->direct)), fabs(or_zero(r->adjoint))), noise);
  double stated = or_zero(r->direct_error) + or_zero(r->adjoint_error);
  jo_sens_agreement a = {difference(r->direct, r->adjoint, noise), NAN, JO_AGREES};
  bool is_good = !(a.methods * scale > DIRECT_ADJOINT * scale + stated + noise);
  if (isfinite(r->difference)) {
    double derivative = isfinite(r->direct) ? r->direct : r->adjoint;
    double error = isfinite(r->direct) ? or_zero(r->direct_error) : or_zero(r->adjoint_error);
    a.differences = difference(derivative, r->difference, noise);
    double allowed = error + 10.0 * r->difference_error + noise;
    is_good = is_good && fabs(derivative - r->difference) <= allowed;
  }
  double tolerance = c->tolerance;
  double little = fmax(LITTLE * weight_of(c, objective, row), tolerance) / size;
  a.verdict = !is_good ? JO_DISAGREES : is_undecided(c, r, little) ? JO_UNDECIDED : JO_AGREES;
  return a;
}
