// SPDX-License-Identifier: Apache-2.0
// What the classes of elements read from the file, of those whose forces the tests compute on their own. All
// others look at elements through their classes only; a new class keeps its data in its file.
#ifndef JELEMENT_DATA_H
#define JELEMENT_DATA_H

#include "element/law.h"
#include "element/span.h"
#include "element/tyre/contact.h"

// between: along the line between two points
typedef struct jelement_line_data {
  jelement_ends ends;
  jelement_law law;
} jelement_line_data;

// on: on one coordinate
typedef struct jelement_coordinate_data {
  jelement_law law;
} jelement_coordinate_data;

// bar: between two coordinates
typedef struct jelement_bar_data {
  int first, second;  // coordinates
  bool has_damping;
  jmodel_scalar stiffness, damping;
} jelement_bar_data;

// at: at a point of a body
typedef struct jelement_point_data {
  jmodel_point at;
  jmodel_v3 force, torque;
  bool has_force, has_torque;
  bool in_body;  // components in body axes, else in ground axes
} jelement_point_data;

// tyres
typedef struct jelement_tyre_data {
  jelement_wheel wheel;
  jmodel_scalar radius, stiffness, damping;  // [m] [N/m] [N s/m]
  jmodel_scalar kappa_c, alpha_c, mu_x, mu_y;
  int law;  // of slip forces, in the order of element/tyre/slip_law.h
  jelement_contact contact;
  bool loaded_radius;  // false: reading A (lowest point of the circle), true: reading B
  bool relaxes;        // slips follow, down to standstill, with ...
  jmodel_scalar relaxation, low_speed, damping_time;  // ... these [m] [m/s] [s]
} jelement_tyre_data;

// soils
typedef struct jelement_soil_data {
  int body, track;                            // wheel, carrier of the track
  jmodel_point centre;                        // of the wheel
  jmodel_vector lateral;                      // direction to the left, fixed to the carrier
  jmodel_scalar radius;                       // wheel plus track [m]
  jmodel_scalar length, width;                // of the contact patch [m]
  jmodel_scalar k_c, k_phi, exponent;         // [N/m^(n+1)] [N/m^(n+2)] [-]
  jmodel_scalar shear;                        // force per normal force and slip speed [s/m]
  jmodel_scalar friction_long, friction_lat;  // limits of that ratio
  jmodel_scalar track_speed;                  // of the track over the ground [m/s]
} jelement_soil_data;

#endif
