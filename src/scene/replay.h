// SPDX-License-Identifier: Apache-2.0
// A motion to look at: where the points of every body are over time, wheels, springs and the road.
// Positions are outputs of the model with a sensor per point, at the states of a run of the plant.
#ifndef JSCENE_REPLAY_H
#define JSCENE_REPLAY_H

#include "plant/simulate.h"

// Points joined by edges: the outline of their convex hull, what lies inside tied to its nearest.
typedef struct jscene_replay_body {
  const char* name;
  int npoint, nedge;
  int* point;  // indices of points
  int* edge;   // pairs of them (2 nedge)
} jscene_replay_body;

typedef struct jscene_replay_line {
  const char* name;
  int a, b;        // points
  bool is_spring;  // else a rod: a closure that keeps a distance
} jscene_replay_line;

typedef struct jscene_replay_wheel {
  const char* name;
  double radius;  // [m]
} jscene_replay_wheel;

// Heights on a grid along the axes; nx = 0: none to be drawn.
typedef struct jscene_replay_road {
  int nx, ny;
  double x0, y0, dx, dy;  // [m]
  double* z;              // by x, then y [m]
} jscene_replay_road;

typedef struct jscene_replay {
  jo_context* ctx;
  jarena arena;
  double t_start, dt;  // [s]
  int nframe, npoint, nbody, nline, nwheel;
  int follow;    // body the view goes with; -1: none
  double* xyz;   // positions [m]: frame by frame, point by point, x y z
  double* spin;  // frame by frame, wheel by wheel: centre [m], axis, a direction that turns with it
  double* pose;  // frame by frame, body by body: origin [m], x axis, y axis of its frame
  jscene_replay_body* body;  // the ground is 0 and has no edges
  jscene_replay_line* line;
  jscene_replay_wheel* wheel;
  jscene_replay_road road;
} jscene_replay;

// Run the manoeuvre of a plant and keep 50 frames per second, fewer where that were too much to keep. The step
// of `opt` for rows does not count. On failure *out is NULL, also where a run fails on its way.
// Ownership: caller, release with jscene_replay_destroy().
jo_status jscene_replay_create(jo_context* ctx, const jplant* plant,
                               const jplant_simulate_options* opt, jscene_replay** out);
void jscene_replay_destroy(jscene_replay* r);

// Parts of it. Edges of a body from positions of all points (npoint x 3).
jo_status jscene_replay_outline(jo_context* ctx, jarena* a, const double* xyz,
                                jscene_replay_body* b);
// The road below all frames; none where it cannot be known without the state of the vehicle.
jo_status jscene_replay_pave(jscene_replay* r, const jmodel* m);

#endif
