// SPDX-License-Identifier: Apache-2.0
// Vectors, rotations and places, in numbers: what files of other programs say of where things are.
#ifndef JIMPORT_SPACE_H
#define JIMPORT_SPACE_H

// A frame in another: x_outer = R x + p.
typedef struct jimport_pose {
  double R[3][3], p[3];
} jimport_pose;

jimport_pose jimport_pose_none(void);
jimport_pose jimport_pose_mul(const jimport_pose* a, const jimport_pose* b);
void jimport_turn(double R[3][3], const double x[3], double out[3]);       // R x
void jimport_turn_back(double R[3][3], const double x[3], double out[3]);  // R^T x
void jimport_place(const jimport_pose* a, const double x[3], double out[3]);
void jimport_place_back(const jimport_pose* a, const double x[3], double out[3]);

void jimport_mul(double A[3][3], double B[3][3], double out[3][3]);

// A turn by `angle` [rad] about a unit vector; about coordinate axis k.
void jimport_about(const double axis[3], double angle, double R[3][3]);
void jimport_about_axis(int k, double angle, double R[3][3]);

// Of a quaternion w x y z, made one of length 1. false: it has no length.
int jimport_quaternion(const double q[4], double R[3][3]);

double jimport_length(const double x[3]);
int jimport_normalise(double x[3]);  // 0: no length
void jimport_cross(const double a[3], const double b[3], double out[3]);

// Mass, first and second moments about the centre of the first part; parts are added up.
typedef struct jimport_mass {
  double m, about[3], mr[3], I[3][3];
  int n;
} jimport_mass;

// A part of mass m with its centre at pose p and inertia about it, along the axes of that pose.
void jimport_mass_add(jimport_mass* sum, double m, double I[3][3], const jimport_pose* p);

// The sum about its own centre of mass: xx yy zz xy xz yz.
void jimport_mass_get(const jimport_mass* sum, double* m, double com[3], double inertia[6]);

#endif
