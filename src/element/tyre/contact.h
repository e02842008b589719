// SPDX-License-Identifier: Apache-2.0
// Geometry of wheels on the ground, apart from the laws of their forces.
#ifndef JELEMENT_CONTACT_H
#define JELEMENT_CONTACT_H

#include "gen/force/element.h"
#include "gen/force/road.h"
#include "model/read/reader.h"

// The centre of a wheel and the road under it, in ground axes; but for its position v and n of a disc are in the axes of what
// carries the wheel, as the disc is.
typedef struct jelement_hub {
  int link;
  jexpr_v3 r;     // centre, link frame [m]
  jexpr_v3 p, v;  // its position and velocity
  jexpr_v3 n;     // upward normal of the road
  jexpr_ref z;    // height of the road
} jelement_hub;

// A wheel of the file.
typedef struct jelement_wheel {
  int body;
  jmodel_point centre;
  jmodel_vector axis;  // pointing left
} jelement_wheel;

// The keys wheel, centre (its origin without) and axis (its y without); false after a mistake.
bool jelement_read_wheel(const jmodel_at* at, const jmodel_node* map, jmodel_place place,
                         jelement_wheel* w);
int jelement_draw_wheel(const jelement_wheel* w, const jmodel_scalar* radius, jmodel_shape* out);

// How a wheel touches the road: at a point, or with a patch that rolls over what is shorter than itself. docs/theory/road.md
// (R19)-(R22)
typedef struct jelement_contact {
  bool is_patch, has_shift, has_order;
  jmodel_scalar shift, length, height, order;  // of the cams [m] [m] [m] [-]
  jmodel_scalar radius;                        // of the tyre [m]
} jelement_contact;
#define JELEMENT_CONTACT_FIELDS(type, member)                                                    \
  JMODEL_GIVEN_IN(type, "contact: shift", member.shift, JMODEL_POSITIVE, member.has_shift, "m"), \
      JMODEL_GIVEN_IN(type, "contact: length", member.length, JMODEL_POSITIVE, member.is_patch,  \
                      "m"),                                                                      \
      JMODEL_GIVEN_IN(type, "contact: height", member.height, JMODEL_POSITIVE, member.is_patch,  \
                      "m"),                                                                      \
      JMODEL_GIVEN_IN(type, "contact: order", member.order, JMODEL_ABOVE_ONE, member.has_order,  \
                      "1")

extern const jmodel_key jelement_contact_form;
// The key contact: point, patch, or {kind: patch, ...} with values; `radius` of the tyre is the size of the cams else.
void jelement_read_contact(const jmodel_at* at, const jmodel_node* map, const jmodel_scalar* radius,
                           jelement_contact* c);
// The plane that the wheel stands on: height at its centre and normal. u: its axis; p: its centre.
jgen_road jelement_contact_plane(jgen* s, const jmodel_element* m, const jelement_contact* c,
                                 jexpr_v3 u, jexpr_v3 p);

// A thin disc over the tangent plane of the road, in the axes of what carries it (jgen_to_carrier), or in those of a flat ground
// where little is asked of it. docs/theory/tyre.md (Y1), (Y2), (Y4)
typedef struct jelement_disc {
  jelement_hub hub;
  jexpr_ref spin;     // about the axis, relative to the ground [rad/s]
  jexpr_ref loaded;   // distance of centre and plane, in the plane of the disc [m]
  jexpr_ref delta;    // indentation, > 0 in contact [m]
  jexpr_v3 arm;       // from the centre to the contact point
  jexpr_v3 u;         // axis
  jexpr_ref un, sn;   // its component along the normal, and the length of the rest
  jexpr_ref inverse;  // 1 / sn
  jexpr_v3 t;         // in the disc, upward
  bool in_ground;     // vectors are in ground axes
} jelement_disc;

// loaded_radius: the contact point is where the plane of the disc cuts the ground, and the indentation is
// measured along t; else it is the lowest point of the circle, and is measured along the normal. turns: how the wheel turns
// will be asked for.
jelement_disc jelement_disc_on_road(jgen* s, const jmodel_element* m, const jelement_wheel* w,
                                    const jelement_contact* contact, const jmodel_scalar* radius,
                                    bool loaded_radius, bool turns);
// Its angular velocity, in the axes of the disc.
jexpr_v3 jelement_disc_turning(jgen* s, const jelement_disc* d);

// Whether a wheel is on the ground, one condition for all that depends on it: it reaches the ground, and what acts between
// them pushes. `depth`: the force of the deflection alone, `push`: that of deflection and damping [N]; (Y10)
jexpr_ref jelement_is_down(jgen* s, const jmodel_element* m, jexpr_ref depth, jexpr_ref push);

// Force and moment at the contact point, on the wheel's link; their power is returned.
jexpr_ref jelement_push_disc(jgen* s, const jelement_disc* d, jexpr_v3 F, jexpr_v3 M);

// A force in ground axes at the contact point `arm` from the centre, on the wheel's link; its power is returned.
jexpr_ref jelement_push_wheel(jgen* s, const jelement_hub* hub, jexpr_v3 arm, jexpr_v3 F);

#endif
