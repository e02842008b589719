// SPDX-License-Identifier: Apache-2.0
#include "import/space.h"

#include <math.h>
#include <string.h>

jimport_pose jimport_pose_none(void) {
  return (jimport_pose){.R = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
}

void jimport_mul(double A[3][3], double B[3][3], double out[3][3]) {
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      out[i][j] = A[i][0] * B[0][j] + A[i][1] * B[1][j] + A[i][2] * B[2][j];
    }
  }
}

void jimport_turn(double R[3][3], const double x[3], double out[3]) {
  for (int i = 0; i < 3; i++) {
    out[i] = R[i][0] * x[0] + R[i][1] * x[1] + R[i][2] * x[2];
  }
}

void jimport_turn_back(double R[3][3], const double x[3], double out[3]) {
  for (int i = 0; i < 3; i++) {
    out[i] = R[0][i] * x[0] + R[1][i] * x[1] + R[2][i] * x[2];
  }
}

void jimport_place(const jimport_pose* a, const double x[3], double out[3]) {
  jimport_pose p = *a;
  double turned[3];
  jimport_turn(p.R, x, turned);
  for (int i = 0; i < 3; i++) {
    out[i] = p.p[i] + turned[i];
  }
}

void jimport_place_back(const jimport_pose* a, const double x[3], double out[3]) {
  jimport_pose p = *a;
  double d[3] = {x[0] - p.p[0], x[1] - p.p[1], x[2] - p.p[2]};
  jimport_turn_back(p.R, d, out);
}

jimport_pose jimport_pose_mul(const jimport_pose* a, const jimport_pose* b) {
  jimport_pose x = *a, y = *b, out;
  jimport_mul(x.R, y.R, out.R);
  jimport_place(a, b->p, out.p);
  return out;
}

// R = cos 1 + (1 - cos) u u^T + sin [u]x
void jimport_about(const double u[3], double angle, double R[3][3]) {
  double c = cos(angle), s = sin(angle);
  for (int i = 0; i < 3; i++) {
    int j = (i + 1) % 3, k = (i + 2) % 3;
    R[i][i] = c + (1.0 - c) * u[i] * u[i];
    R[i][j] = (1.0 - c) * u[i] * u[j] - s * u[k];
    R[j][i] = (1.0 - c) * u[i] * u[j] + s * u[k];
  }
}

void jimport_about_axis(int k, double angle, double R[3][3]) {
  double u[3] = {0};
  u[k] = 1.0;
  jimport_about(u, angle, R);
}

int jimport_quaternion(const double q[4], double R[3][3]) {
  double n = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  if (!(n > 0.0) || !isfinite(n)) return 0;
  double w = q[0] / n, v[3] = {q[1] / n, q[2] / n, q[3] / n};
  for (int i = 0; i < 3; i++) {
    int j = (i + 1) % 3, k = (i + 2) % 3;
    R[i][i] = 1.0 - 2.0 * (v[j] * v[j] + v[k] * v[k]);
    R[i][j] = 2.0 * (v[i] * v[j] - w * v[k]);
    R[j][i] = 2.0 * (v[i] * v[j] + w * v[k]);
  }
  return 1;
}

double jimport_length(const double x[3]) {
  return sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
}

int jimport_normalise(double x[3]) {
  double n = jimport_length(x);
  if (!(n > 0.0) || !isfinite(n)) return 0;
  for (int i = 0; i < 3; i++) {
    x[i] /= n;
  }
  return 1;
}

void jimport_cross(const double a[3], const double b[3], double out[3]) {
  for (int i = 0; i < 3; i++) {
    int j = (i + 1) % 3, k = (i + 2) % 3;
    out[i] = a[j] * b[k] - a[k] * b[j];
  }
}

// I_o += R I R^T + m ((r.r) 1 - r r^T)
void jimport_mass_add(jimport_mass* sum, double m, double I[3][3], const jimport_pose* p) {
  jimport_pose f = *p;
  if (sum->n++ == 0) memcpy(sum->about, f.p, sizeof f.p);
  for (int i = 0; i < 3; i++) {
    f.p[i] -= sum->about[i];
  }
  double RI[3][3], T[3][3], turned[3][3];
  jimport_mul(f.R, I, RI);
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      T[i][j] = f.R[j][i];
    }
  }
  jimport_mul(RI, T, turned);
  double rr = f.p[0] * f.p[0] + f.p[1] * f.p[1] + f.p[2] * f.p[2];
  sum->m += m;
  for (int i = 0; i < 3; i++) {
    sum->mr[i] += m * f.p[i];
    for (int j = 0; j < 3; j++) {
      sum->I[i][j] += turned[i][j] + m * ((i == j ? rr : 0.0) - f.p[i] * f.p[j]);
    }
  }
}

void jimport_mass_get(const jimport_mass* sum, double* m, double com[3], double inertia[6]) {
  static const int at[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}};
  *m = sum->m;
  double r[3];
  for (int i = 0; i < 3; i++) {
    r[i] = sum->m > 0.0 ? sum->mr[i] / sum->m : 0.0;
    com[i] = sum->about[i] + r[i];
  }
  double rr = r[0] * r[0] + r[1] * r[1] + r[2] * r[2];
  for (int k = 0; k < 6; k++) {
    int i = at[k][0], j = at[k][1];
    inertia[k] = sum->I[i][j] - sum->m * ((i == j ? rr : 0.0) - r[i] * r[j]);
  }
}
