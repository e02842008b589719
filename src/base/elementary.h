// SPDX-License-Identifier: Apache-2.0
// Elementary functions whose bits are ours: the same on every machine, compiler and C library, and the same as those
// of compiled equations (base/elementary_text.h, which is the text of both). About one ulp.
#ifndef JBASE_ELEMENTARY_H
#define JBASE_ELEMENTARY_H

double jm_sin(double x);
double jm_cos(double x);
void jm_sincos(double x, double* sine, double* cosine);  // the bits of both
double jm_tan(double x);
double jm_asin(double x);
double jm_acos(double x);
double jm_atan(double x);
double jm_atan2(double y, double x);
double jm_exp(double x);
double jm_log(double x);
double jm_pow(double x, double y);
double jm_sinh(double x);
double jm_cosh(double x);
double jm_tanh(double x);

#endif
