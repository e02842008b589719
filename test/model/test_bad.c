// SPDX-License-Identifier: Apache-2.0
// Broken model files, each with everything that is said about it: file, line, subject, cause, hint.
#include "model/model.h"
#include "support/fixture.h"

#define TOP  "jounce: 1\n"
#define A    "bodies: {a: {mass: 1, points: {P: [0, 0, 1]}, vectors: {strut: [1, 0, 0]}}}\n"
#define AB   "bodies: {a: {mass: 1}, b: {mass: 1}}\n"
#define FREE "joints: {a: {type: free, child: a}}\n"
#define TWO \
  "joints: {a: {type: free, child: a}, b: {type: revolute, parent: a, child: b, axis: x}}\n"
#define ONE  TOP A FREE  // three lines, one body
#define PAIR TOP AB TWO  // three lines, two bodies

#define SOIL(wheel, track, centre, lateral, radius)                                       \
  "soils: {s: {wheel: " wheel ", track: " track ", centre: " centre ", lateral: " lateral \
  ", radius: " radius                                                                     \
  ", length: 1, width: 1, k_c: 1, k_phi: 1, exponent: 1, shear: 1, friction_long: 1, "    \
  "friction_lat: 1}}\n"

typedef struct bad {
  const char* text;
  const char* expected;  // after the file name; one line each
} bad;

static const bad cases[] = {
    // text and YAML
    {"", ":1: model: the file is empty"},
    {"# only a comment\n", ":1: model: the file is empty"},
    {"a\x01", ":1: yaml: a control character; is this a text file?"},
    {"jounce: 1\nname: \xff\n", ":2: yaml: not UTF-8 text"},
    {"jounce: 1\nname: \xc2\x9b\n", ":2: yaml: a control character; is this a text file?"},
    {"jounce: 1\nname: \"\\e[31m\"\n",
     ":2: yaml: a text with a control character; names and units are shown on terminals"},
    {"jounce: 1\nname: \"a\\nb\"\n",
     ":2: model: name is more than one line\n:1: model: there are no bodies; add 'bodies:'"},
    {"jounce: 1\nname: \xed\xa0\x80\n", ":2: yaml: not UTF-8 text"},
    {"just words\n", ":1: model: the file needs a map, got a single value"},
    {"- 1\n- 2\n", ":1: model: the file needs a map, got a list"},
    {TOP "bodies: {a: [1, 2}\n", ":2: yaml: mismatched flow mapping end"},
    {TOP "bodies:\n\ta: 1\n", ":3: yaml: tab character may not be used as indentation"},
    {TOP "name: 'open\n", ":2: yaml: single-quoted scalar without closing quote"},
    {TOP "bodies: &b {}\n", ":2: yaml: anchors are not supported; use parameters or include"},
    {TOP "bodies: *b\n", ":2: yaml: aliases are not supported; use parameters or include"},
    {TOP "name: !!str 5\n", ":2: yaml: tags are not supported; leave out what begins with '!'"},
    {TOP "name: a\n---\njounce: 1\n", ":3: yaml: a second document begins; one file, one document"},
    {TOP "? [a, b]\n: 1\n", ":2: yaml: a key must be a plain name"},
    {TOP "name: [[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]\n",
     ":2: yaml: nested too deep"},
    {TOP "name: \"a\\0b\"\n", ":2: yaml: a zero character in a text"},
    {TOP "name: x\n" A FREE "name: y\n", ":5: key 'name': given twice; first in line 2"},
    {TOP "bodies:\n  a: {mass: 1}\n  b: {mass: 1}\n  a: {mass: 2}\n" TWO,
     ":5: key 'a': given twice; first in line 3"},

    // head
    {A FREE, ":1: jounce: the format version is missing; begin with 'jounce: 1'"},
    {"jounce: 2\n" A FREE, ":1: jounce: format version '2' is not known; this is for version 1"},
    {ONE "force: {}\n", ":4: model: unknown key 'force'; did you mean 'forces'?"},
    {ONE "zebra: 1\n", ":4: model: unknown key 'zebra'"},
    {ONE "gravity: [0, -9.81]\n", ":4: model: gravity needs 3 numbers, got 2"},
    {ONE "gravity: 9.81\n", ":4: model: gravity needs 3 numbers, got a single value"},
    {ONE "road: {heigth: 0}\n",
     ":4: road: unknown key 'heigth'; did you mean 'height'?\n"
     ":4: road: 'height' is missing"},
    {ONE "name: [a]\n", ":4: model: name needs a single value, got a list"},
    {TOP "name: x\n", ":1: model: there are no bodies; add 'bodies:'"},
    {ONE "forces: [1]\n", ":4: forces: needs a map from names to entries, got a list"},

    // parameters and numbers
    {ONE "parameters: {k: }\n", ":4: parameter 'k': value is empty"},
    {ONE "parameters: {k: .inf}\n", ":4: parameter 'k': value is not a finite number"},
    {ONE "parameters: {k: 1e999}\n", ":4: parameter 'k': value is not a finite number"},
    {ONE "parameters: {k: [1, 2]}\n",
     ":4: parameter 'k': value needs a number or an expression, got a list"},
    {ONE "parameters: {k: {vlaue: 1}}\n",
     ":4: parameter 'k': unknown key 'vlaue'; did you mean 'value'?\n"
     ":4: parameter 'k': 'value' is missing"},
    {ONE "parameters: {k: {value: 1, unit: [m]}}\n",
     ":4: parameter 'k': unit needs a single value, got a list"},
    {ONE "parameters: {2k: 1}\n",
     ":4: parameter '2k': not a name; use letters, digits and '_', a letter first"},
    {ONE "parameters: {\"k\\nm\": 1}\n",
     ":4: parameter 'k?m': not a name; use letters, digits and '_', a letter first"},
    {ONE "parameters: {t: 1}\n", ":4: parameter 't': the name is reserved; choose another"},
    {ONE "parameters: {pi: 3}\n", ":4: parameter 'pi': the name is reserved; choose another"},
    {ONE "parameters: {k: 2*c_ff, c_f: 1}\n",
     ":4: parameter 'k': value: column 3: unknown name 'c_ff'; did you mean 'c_f'?"},
    {ONE "parameters: {k: k + 1}\n", ":4: parameter 'k': depends on itself: k -> k"},
    {ONE "parameters:\n  a1: b1 + 1\n  b1: 2*c1\n  c1: a1^2\n",
     ":5: parameter 'a1': depends on itself: a1 -> b1 -> c1 -> a1"},
    {ONE "parameters: {k: 2*}\n",
     ":4: parameter 'k': value: column 3: unexpected end; a value is missing"},
    {ONE "parameters: {k: \"1,5\"}\n",
     ":4: parameter 'k': value: column 2: unexpected ','; write the decimal point as '.'"},
    {ONE "parameters: {k: sine(1)}\n",
     ":4: parameter 'k': value: column 1: unknown function 'sine'; did you mean 'sin'?"},
    {ONE "parameters: {k: 1/0}\n",
     ":4: parameter 'k': value: column 2: the expression is not finite"},

    // hardpoints and bodies
    {ONE "hardpoints: {P1: [0, 0]}\n", ":4: hardpoint 'P1': it needs 3 numbers, got 2"},
    {ONE "hardpoints: {P1: [0, 0, z0]}\n", ":4: hardpoint 'P1': it.z: column 1: unknown name 'z0'"},
    {ONE "hardpoints: {ground: [0, 0, 0]}\n",
     ":4: hardpoint 'ground': the name is reserved; choose another"},
    {TOP "bodies: {a: {mas: 1, mass: 1}}\n" FREE,
     ":2: body 'a': unknown key 'mas'; did you mean 'mass'?"},
    {TOP "bodies: {a: {mass: -1}}\n" FREE, ":2: body 'a': mass is -1; it must be at least 0"},
    {TOP "bodies: {a: {mass: 1, com: [1, 2]}}\n" FREE, ":2: body 'a': com needs 3 numbers, got 2"},
    {TOP "bodies: {a: {mass: 1, com: {x: 1}}}\n" FREE,
     ":2: body 'a': com needs 3 numbers, got a map"},
    {TOP "bodies: {a: {com: [0, 0, 0]}}\n" FREE,
     ":2: body 'a': 'mass' is missing; it has com\n"
     ":2: body 'a': it moves in joint 'a' but neither it nor what it carries has mass; give it a "
     "mass"},
    {TOP "bodies: {a: {mass: 1, inertia: [1, 2]}}\n" FREE,
     ":2: body 'a': inertia needs 3 or 6 numbers, got 2"},
    {TOP "bodies: {a: {mass: 1, inertia: 5}}\n" FREE,
     ":2: body 'a': inertia needs [xx, yy, zz] or a map of xx, yy, zz, xy, xz, yz"},
    {TOP "bodies: {a: {mass: 1, inertia: {xx: 1, zx: 1}}}\n" FREE,
     ":2: body 'a': unknown key 'zx'; did you mean 'xx'?"},
    {TOP "bodies: {a: {mass: 1, inertia: [1, 1, -1]}}\n" FREE,
     ":2: body 'a': the inertia tensor is not positive semidefinite; check the signs"},
    {TOP "bodies: {a: {mass: 1, inertia: [1, 1, 1, 2, 0, 0]}}\n" FREE,
     ":2: body 'a': the inertia tensor is not positive semidefinite; check the signs"},
    {TOP "bodies: {a: {mass: 1, frame: {x: [1, 0, 0]}}}\n" FREE,
     ":2: body 'a': frame needs two of the axes x, y, z, got 1"},
    {TOP "bodies: {a: {mass: 1, frame: {x: [1, 0, 0], y: [2, 0, 0]}}}\n" FREE,
     ":2: body 'a': frame: the two axes are parallel or of length zero"},
    {TOP "bodies: {a: {mass: 1, frame: {centre: [0, 0, 0]}}}\n" FREE,
     ":2: body 'a': unknown key 'centre'"},
    {TOP "bodies: {a: {mass: 1, points: {com: [0, 0, 0]}}}\n" FREE,
     ":2: point 'a.com': the name is reserved; choose another"},
    {TOP "bodies: {a: {mass: 1, vectors: {v: [0, 0, 0]}}}\n" FREE,
     ":2: body 'a': vector 'v' has length zero"},
    {TOP "bodies: {a: 5}\n" FREE,
     ":2: body 'a': it needs a map, got a single value\n"
     ":2: body 'a': it moves in joint 'a' but neither it nor what it carries has mass; give it a "
     "mass"},
    {TOP "bodies: {ground: {mass: 1}, a: {mass: 1}}\n" FREE,
     ":2: body 'ground': the name is reserved; choose another"},

    // joints and the tree
    {TOP AB FREE, ":2: body 'b': no joint carries it; add a joint with 'child: b'"},
    {TOP A "joints: {a: {type: free, child: a}, j: {type: revolute, child: a, axis: x}}\n",
     ":3: joint 'j': body 'a' is carried by joint 'a' (line 3) already; use a closure to close the "
     "loop"},
    {TOP AB "joints:\n  a: {type: revolute, parent: b, child: a, axis: x}\n"
            "  b: {type: revolute, parent: a, child: b, axis: x}\n",
     ":4: joint 'a': following the parents never reaches the ground; use a closure to close the "
     "loop"},
    {TOP A "joints: {a: {type: hinge, child: a}}\n",
     ":3: joint 'a': type is 'hinge'; it must be fixed, revolute, prismatic, cylindrical, "
     "universal, spherical, planar, pin_slot or free"},
    {TOP A "joints: {a: {child: a}}\n", ":3: joint 'a': 'type' is missing"},
    {TOP A "joints: {a: {type: free}}\n", ":3: joint 'a': 'child' is missing"},
    {TOP A "joints: {a: {type: free, child: b}}\n", ":3: joint 'a': child: there is no body 'b'"},
    {TOP "bodies: {chassis: {mass: 1}}\njoints: {c: {type: free, child: chasis}}\n",
     ":3: joint 'c': child: there is no body 'chasis'; did you mean 'chassis'?"},
    {TOP A "joints: {a: {type: free, child: ground}}\n",
     ":3: joint 'a': the ground cannot be a child; it is the root of the tree"},
    {TOP A "joints: {a: {type: revolute, parent: a, child: a, axis: x}}\n",
     ":3: joint 'a': parent and child are both 'a'"},
    {TOP A "joints: {a: {type: revolute, child: a}}\n", ":3: joint 'a': 'axis' is missing"},
    {TOP A "joints: {a: {type: revolute, child: a, axis: [0, 0, 0]}}\n",
     ":3: joint 'a': axis has length zero"},
    {TOP A "joints: {a: {type: revolute, child: a, axis: w}}\n",
     ":3: joint 'a': axis needs a direction: x, y, z, [x, y, z], body.vector or {from: P, to: Q}"},
    {TOP A "joints: {a: {type: revolute, child: a, axis: a.strutt}}\n",
     ":3: joint 'a': axis: body 'a' has no vector 'strutt'; did you mean 'strut'?"},
    {TOP A "joints: {a: {type: free, child: a, axis: x}}\n",
     ":3: joint 'a': a free joint has no 'axis'"},
    {TOP A "joints: {a: {type: planar, child: a, axis: z}}\n", ":3: joint 'a': 'axis2' is missing"},
    {TOP A "joints: {a: {type: free, child: a, at: P9}}\n",
     ":3: joint 'a': at: there is no hardpoint 'P9'"},
    {TOP A "joints: {a: {type: free, child: a, at: a.Q}}\n",
     ":3: joint 'a': at: neither body 'a' nor the hardpoints have a point 'Q'"},
    {PAIR "closures: {}\n"
          "hardpoints: {P: [0, 0, 0], strut_top: [0, 0, 0]}\n"
          "forces: {f: {between: [a.P, b.strut_tpo], force: 1}}\n",
     ":6: force 'f': between: neither body 'b' nor the hardpoints have a point 'strut_tpo'; "
     "did you mean 'strut_top'?"},
    {TOP "bodies:\n  a: {mass: 1, frame: {origin: [0, 0, 1]}, points: {P: [0, 0, 0]}}\n"
         "joints: {a: {type: revolute, child: a, at: a.P, axis: x}}\n",
     ":4: joint 'a': at: give the point on both bodies, as [a.P, ground.P]"},
    {TOP A "joints: {a: {type: revolute, child: a, axis: x, drive: {b: 1}}}\n",
     ":3: joint 'a': unknown key 'b'"},
    {TOP A "joints: {a: {type: free, child: a, drive: sin(t)}}\n",
     ":3: joint 'a': drive: the joint has 6 coordinates; write {x: ...}"},
    {TOP A "joints: {a: {type: free, child: a, independent: maybe}}\n",
     ":3: joint 'a': independent is 'maybe'; it must be false or true"},
    {TOP "bodies: {a: {mass: 1}, b: }\n" TWO,
     ":2: body 'b': it moves in joint 'b' but neither it nor what it carries has mass; give it a "
     "mass"},
    {TOP A "hardpoints: {P: [0, 0, 1]}\n"
           "joints: {a: {type: revolute, child: a, axis: {from: P, to: P}}}\n",
     ":4: joint 'a': axis: 'from' and 'to' are the same place"},
    {TOP A "joints: {a: {type: revolute, child: a, axis: {from: a.P}}}\n",
     ":3: joint 'a': 'to' is missing"},

    // drives
    {TOP AB "joints: {a: {type: free, child: a, drive: {velocity: 1}}, "
            "b: {type: revolute, child: b, axis: x}}\n",
     ":3: joint 'a': drive: the joint has 6 coordinates; write {x: ...}"},
    {TOP AB "joints: {a: {type: free, child: a, drive: {x: {velocity: 1}}}, "
            "b: {type: revolute, child: b, axis: x}}\n",
     ":3: joint 'a': drive: 'from' is missing: where 'a.x' is at the start"},
    {TOP AB "joints: {a: {type: revolute, child: a, axis: x, drive: {force: 3}}, "
            "b: {type: revolute, child: b, axis: x}}\n",
     ":3: joint 'a': drive: a force drives nothing to a given motion; write it under 'forces', as "
     "{on: "
     "a, torque: ...}"},
    {TOP AB "joints: {a: {type: revolute, child: a, axis: x, drive: {velocity: 1, position: 2}}, "
            "b: {type: revolute, child: b, axis: x}}\n",
     ":3: joint 'a': drive: give one of 'position' and 'velocity'"},
    {TOP AB "joints: {a: {type: revolute, child: a, axis: x, drive: {position: 1, from: 2}}, "
            "b: {type: revolute, child: b, axis: x}}\n",
     ":3: joint 'a': drive: 'from' goes with 'velocity'; a position says it"},
    {TOP AB "joints: {a: {type: revolute, child: a, axis: x, drive: {velocity: 1, form: 2}}, "
            "b: {type: revolute, child: b, axis: x}}\n",
     ":3: joint 'a': unknown key 'form'; did you mean 'force'?"},

    // closures
    {PAIR "closures: {c: {type: bal, a: a.origin, b: b.origin}}\n",
     ":4: closure 'c': type is 'bal'; it must be ball, revolute, point_on_line, distance, "
     "parallel, "
     "perpendicular, point_in_plane, universal, cylindrical, prismatic, planar or fixed"},
    {PAIR "closures: {c: {type: point_in_plane, point: b.com, plane: {point: a.com, norml: z}}}\n",
     ":4: closure 'c': unknown key 'norml'; did you mean 'normal'?\n"
     ":4: closure 'c': 'normal' is missing"},
    {PAIR "closures: {c: {type: point_in_plane, point: b.com, plane: {point: a.com, normal: [0, 0, "
          "0]}}}\n",
     ":4: closure 'c': normal has length zero"},
    {PAIR "closures: {c: {type: fixed, a: a.com, b: b.com, axis_a: x}}\n",
     ":4: closure 'c': unknown key 'axis_a'"},
    {PAIR "closures: {c: {type: prismatic, a: a.com, b: b.com}}\n",
     ":4: closure 'c': 'axis_a' is missing"},

    // couplings
    {PAIR "couplings: {c: {}}\n",
     ":4: coupling 'c': what does it couple? give 'of', 'gear', 'rack_and_pinion', 'screw', "
     "'differential' or 'belt'"},
    {PAIR "couplings: {c: {gear: [b, a.x], ratio: 2, of: {b: 1}}}\n",
     ":4: coupling 'c': it has 'of' already; one coupling is of one kind"},
    {PAIR "couplings: {c: {gear: [b, a.w], ratio: 2}}\n",
     ":4: coupling 'c': gear: there is no coordinate 'a.w'; did you mean 'a.x'?"},
    {PAIR "couplings: {c: {gear: [b, a], ratio: 2}}\n",
     ":4: coupling 'c': gear: joint 'a' has 6 coordinates; choose one, as 'a.x'"},
    {PAIR "couplings: {c: {gear: [b], ratio: 2}}\n",
     ":4: coupling 'c': gear: give two coordinates, [a, b] of a = ratio b"},
    {PAIR "couplings: {c: {gear: [b, a.x]}}\n", ":4: coupling 'c': 'ratio' is missing"},
    {PAIR "couplings: {c: {gear: [b, a.x], ratio: 0}}\n",
     ":4: coupling 'c': ratio is 0; it must be other than 0"},
    {PAIR "couplings: {c: {gear: [b, b], ratio: 2}}\n",
     ":4: coupling 'c': coordinate 'b' is named twice"},
    {PAIR "couplings: {c: {gear: [b, a.x], ratio: t}}\n",
     ":4: coupling 'c': ratio: column 1: 't' is the time; only parameters may stand here, whose "
     "values do not "
     "change with time"},
    {PAIR "couplings: {c: {gear: [b, a.x], ratio: 2, equals: 1}}\n",
     ":4: coupling 'c': unknown key 'equals'"},
    {PAIR "couplings: {c: {rack_and_pinion: {pinion: b, rack: a.x, radius: 3 deg}}}\n",
     ":4: coupling 'c': radius is 3 deg; expected a unit as m"},
    {PAIR "couplings: {c: {gear: [b, a.yaw], ratio: 2, offset: 3 mm}}\n",
     ":4: coupling 'c': offset is 3 mm; expected a unit as rad"},
    {TOP AB "joints: {a: {type: free, child: a}, "
            "b: {type: revolute, child: b, axis: x, drive: {velocity: 3 m/s, from: 5 deg}}}\n",
     ":3: coordinate 'b': velocity is 3 m/s; expected a unit as rad/s"},
    {PAIR "couplings: {c: {of: {b: 1, a.x: 0}}}\n",
     ":4: coupling 'c': the coefficient of 'a.x' is 0; it must be other than 0"},
    {PAIR "couplings: {c: {of: {}}}\n", ":4: coupling 'c': of: no coordinate is named"},
    {PAIR "couplings: {c: {of: [b]}}\n", ":4: coupling 'c': of needs a map, got a list"},
    {PAIR "couplings: {c: {screw: {joint: b, lead: 1}}}\n",
     ":4: coupling 'c': joint: 'b' is not cylindrical; give 'angle' and 'slide'"},
    {PAIR "couplings: {c: {screw: {joint: x, lead: 1}}}\n",
     ":4: coupling 'c': joint: there is no joint 'x'"},
    {PAIR "couplings: {c: {rack_and_pinion: {pinion: b, rack: a.x}}}\n",
     ":4: coupling 'c': 'radius' is missing"},
    {PAIR "couplings: {c: {belt: {pulleys: [b, a.yaw], radii: [1]}}}\n",
     ":4: coupling 'c': belt: give two pulleys or more, and as many radii (2 and 1 are given)"},
    {PAIR "couplings: {c: {belt: {pulleys: [b, a.yaw, a.roll], radii: [1, 1, 1]}, offset: 1}}\n",
     ":4: coupling 'c': offset: it has 2 relations, and an offset belongs to one; write them as "
     "couplings of their own"},
    {PAIR "couplings: {c: {differential: {input: b, outputs: [a.x]}}}\n",
     ":4: coupling 'c': outputs: give two coordinates, [left, right]"},
    {TOP AB "joints: {a: {type: revolute, child: a, axis: x, drive: t}, "
            "b: {type: revolute, child: b, axis: x, drive: 2*t}}\n"
            "couplings: {c: {gear: [b, a], ratio: 2}}\n",
     ":4: coupling 'c': all of its coordinates are driven ('b' and others), so none is left that "
     "could "
     "follow; take a drive away, or the coupling"},
    {PAIR "couplings: {a: {gear: [b, a.x], ratio: 2}}\n",
     ":4: coupling 'a': there is a body of this name already (line 2)"},
    {PAIR "closures: {c: {type: ball, a: a.origin, b: a.com}}\n",
     ":4: closure 'c': both sides are on body 'a'"},
    {PAIR "closures: {c: {type: ball, a: a.origin}}\n", ":4: closure 'c': 'b' is missing"},
    {PAIR "hardpoints: {P: [0, 0, 0]}\nclosures: {c: {type: ball, a: a.P, b: P}}\n",
     ":5: closure 'c': b: the body is missing; write body.point"},
    {PAIR "closures: {c: {type: distance, a: a.com, b: b.com, length: -1}}\n",
     ":4: closure 'c': length is -1; it must be more than 0"},
    {PAIR "closures: {c: {type: point_on_line, a: a.com, point: b.com}}\n",
     ":4: closure 'c': unknown key 'a'\n:4: closure 'c': 'line' is missing"},
    {PAIR "closures: {c: {type: parallel, a: a.x, b: z}}\n",
     ":4: closure 'c': b: the body is missing; write body.vector"},
    {PAIR "closures: {c: {type: revolute, a: a.com, b: b.com, axis_a: b.x, axis_b: b.x}}\n",
     ":4: closure 'c': axis_a must be a direction of body 'a'"},

    // tables
    {ONE "tables: {f: {x: [0, 1, 1], y: [0, 1, 2]}}\n",
     ":4: table 'f': x[2] = 1 does not come after x[1] = 1; x must increase"},
    {ONE "tables: {f: {x: [0, 1], y: [0, 1, 2]}}\n",
     ":4: table 'f': x has 2 numbers and y 3; they must be as many"},
    {ONE "tables: {f: {x: [], y: []}}\n", ":4: table 'f': the table is empty"},
    {ONE "tables: {sin: {x: [0], y: [0]}}\n",
     ":4: table 'sin': the name is that of a function; choose another"},
    {ONE "tables: {f: {x: [0], y: [0], interpolation: spline}}\n",
     ":4: table 'f': interpolation is 'spline'; it must be linear or cubic"},
    {ONE "tables: {f: {x: [0, 1], y: [0, 1]}}\nsignals: {s: \"f(1, 2)\"}\n",
     ":5: signal 's': value: column 1: f takes 1 argument, got 2"},

    // forces
    {ONE "forces: {f: {stiffness: 1}}\n",
     ":4: force 'f': where it acts is missing; give 'between', 'on', 'bar' or 'at'"},
    {ONE "forces: {f: {on: a.x, between: [a.P, ground.origin], force: 1}}\n",
     ":4: force 'f': it has both 'between' and 'on'; give one"},
    {ONE "forces: {f: {between: [a.P], force: 1}}\n",
     ":4: force 'f': between needs 2 points, got 1"},
    {ONE "forces: {f: {between: [a.P, a.com], force: 1}}\n",
     ":4: force 'f': between: both ends are on body 'a'"},
    {ONE "forces: {f: {between: [a.P, ground.origin]}}\n",
     ":4: force 'f': it says no law; give 'stiffness', 'damping' or 'force'"},
    {ONE "forces: {f: {between: [a.P, ground.origin], stiffness: 1}}\n",
     ":4: force 'f': 'free_length' is missing; a stiffness needs it"},
    {ONE "forces: {f: {between: [a.P, ground.origin], damping: -1}}\n",
     ":4: force 'f': damping is -1; it must be at least 0"},
    {ONE "forces: {f: {on: a, stiffness: 1}}\n",
     ":4: force 'f': on: joint 'a' has 6 coordinates; choose one, as 'a.x'"},
    {ONE "forces: {f: {on: a.w, stiffness: 1}}\n",
     ":4: force 'f': on: there is no coordinate 'a.w'; did you mean 'a.x'?"},
    {ONE "forces: {f: {on: a.x, spring: curve}}\n",
     ":4: force 'f': spring: there is no table 'curve'"},
    {ONE "forces: {f: {on: a.x, stifness: 1, damping: 1}}\n",
     ":4: force 'f': unknown key 'stifness'; did you mean 'stiffness'?"},
    {ONE "forces: {f: {on: a.x, damping: 1, bump_stop: {stiffness: 1}}}\n",
     ":4: force 'f': 'at' is missing"},
    {ONE "forces: {f: {bar: [a.x, a.x], stiffness: 1}}\n",
     ":4: force 'f': bar: both ends are coordinate 'a.x'"},
    {ONE "forces: {f: {at: a.P}}\n",
     ":4: force 'f': it says no law; give 'force: [x, y, z]' or 'torque: [x, y, z]'"},
    {ONE "forces: {f: {at: a.P, force: 5}}\n",
     ":4: force 'f': force needs 3 numbers, got a single value"},
    {ONE "forces: {f: {at: ground.origin, force: [1, 0, 0]}}\n",
     ":4: force 'f': at: a force on the ground does nothing"},
    {ONE "forces: {f: {at: a.P, force: [1, 0, 0], axes: world}}\n",
     ":4: force 'f': axes is 'world'; it must be ground or body"},
    {ONE "forces: {f: {on: a.x, force: 2*(rate}}\n",
     ":4: force 'f': force: column 8: expected ')' to close '(' at column 3"},

    // tyres
    {ONE
     "tyres: {w: {wheel: a, radius: 0, stiffness: 1, kappa_c: 1, alpha_c: 1, mu_x: 1, mu_y: 1}}\n",
     ":4: tyre 'w': radius is 0; it must be more than 0"},
    {ONE
     "tyres: {w: {wheel: b, radius: 1, stiffness: 1, kappa_c: 1, alpha_c: 1, mu_x: 1, mu_y: 1}}\n",
     ":4: tyre 'w': wheel: there is no body 'b'"},
    {ONE "tyres: {w: {wheel: a, radius: 1, stiffness: 1, kappa_c: 1, alpha_c: 1, mu_x: 1}}\n",
     ":4: tyre 'w': 'mu_y' is missing"},
    {ONE "tyres: {w: {wheel: a, radius: 1, stiffness: 1, kappa_c: 1, alpha_c: 1, mu_x: 1, mu_y: 1, "
         "reading: C}}\n",
     ":4: tyre 'w': reading is 'C'; it must be A or B"},

    // soils
    {PAIR SOIL("b", "a", "b.origin", "a.y", "0"),
     ":4: soil 's': radius is 0; it must be more than 0"},
    {PAIR SOIL("c", "a", "b.origin", "a.y", "1"), ":4: soil 's': wheel: there is no body 'c'"},
    {PAIR SOIL("b", "a", "a.origin", "a.y", "1"),
     ":4: soil 's': centre is not a point of the wheel"},
    {PAIR SOIL("b", "a", "b.origin", "b.y", "1"),
     ":4: soil 's': lateral is not a direction of the body 'track'"},
    {PAIR "soils: {s: {wheel: b, track: a, centre: b.origin, lateral: a.y, radius: 1, length: 1, "
          "width: 1, k_c: 1, k_phi: 1, exponent: 1, shear: 1, friction_long: 1}}\n",
     ":4: soil 's': 'friction_lat' is missing"},
    {PAIR
     "soils: {s: {wheel: b, track: a, centre: b.origin, lateral: a.y, radius: 1, length: 1, "
     "width: 1, k_c: 1, k_phi: -1, exponent: 1, shear: 1, friction_long: 1, friction_lat: 1}}\n",
     ":4: soil 's': k_phi is -1; it must be at least 0"},
    {PAIR
     "soils: {s: {wheel: b, trak: a, centre: b.origin, lateral: a.y, radius: 1, length: 1, "
     "width: 1, k_c: 1, k_phi: 1, exponent: 1, shear: 1, friction_long: 1, friction_lat: 1}}\n",
     ":4: soil 's': unknown key 'trak'; did you mean 'track'?\n"
     ":4: soil 's': 'track' is missing"},
    {ONE "soils: {s: 1}\n", ":4: soil 's': it needs a map, got a single value"},
    {ONE "forces: {f: {on: a.x, damping: 1, bump_stop: {at: 0, stiffness: 1, exponet: 1}}}\n",
     ":4: force 'f': unknown key 'exponet'; did you mean 'exponent'?"},

    // states, signals, sensors, objectives, initial
    {ONE "states: {h: {initial: 0}}\n", ":4: state 'h': 'derivative' is missing"},
    {ONE "states: {h: 1}\n", ":4: state 'h': it needs a map, got a single value"},
    {ONE "states: {h: {derivative: 0, nominal: 0}}\n",
     ":4: state 'h': nominal is 0; it must be more than 0"},
    {ONE "states: {h: {derivative: 0, nominal: -1e6}}\n",
     ":4: state 'h': nominal is -1e+06; it must be more than 0"},
    {ONE "states: {h: {derivative: 0, nominal: .inf}}\n",
     ":4: state 'h': nominal is not a finite number"},
    {ONE "states: {h: {derivative: 0, hold: 2}}\n",
     ":4: state 'h': hold is '2'; it must be false or true"},
    {ONE "states: {h: {derivative: 0, nominl: 2}}\n",
     ":4: state 'h': unknown key 'nominl'; did you mean 'nominal'?"},
    {ONE "signals: {s: }\n", ":4: signal 's': value is empty"},
    {ONE "signals: {s: {unit: m}}\n", ":4: signal 's': 'value' is missing"},
    {ONE "parameters: {s: 1}\nsignals: {s: 2}\n",
     ":5: signal 's': there is a parameter of this name already (line 4)"},
    {ONE "signals: {s: 1}\nsensors: {s: 2}\n",
     ":5: sensor 's': there is a signal of this name already (line 4)"},
    {PAIR "sensors: {b: 2}\n", ":4: sensor 'b': there is a joint of this name already (line 3)"},
    {PAIR "forces: {b: {on: a.x, force: 1}}\n",
     ":4: force 'b': there is a body of this name already (line 2)"},
    {ONE "forces: {energy: {on: a.x, force: 1}}\n",
     ":4: force 'energy': the name is reserved; choose another"},
    {TOP AB "joints: {b: {type: free, child: a}, a: {type: free, child: b}}\n",
     ":3: joint 'b': there is a body of this name already (line 2)\n"
     ":3: joint 'a': there is a body of this name already (line 2)"},
    {ONE "objectives: {psi: {integrand: 1}}\n",
     ":4: objective 'psi': unknown key 'integrand'; did you mean 'integral'?\n"
     ":4: objective 'psi': needs one of integral, mean, rms, vdv, peak, final"},
    {ONE "objectives: {psi: {integral: 1, rms: 1}}\n",
     ":4: objective 'psi': both 'integral' and 'rms' are given; one is enough"},
    {ONE "objectives: {psi: {rms: 1, window: [0, 1, 2]}}\n",
     ":4: objective 'psi': window needs 2 numbers, got 3"},
    {ONE "objectives: {psi: {rms: 1, filter: lowpass}}\n",
     ":4: objective 'psi': 'frequency' is missing"},
    {ONE "objectives: {psi: {rms: 1, filter: Wx}}\n",
     ":4: objective 'psi': filter is 'Wx'; it must be none, lowpass, Wk or Wd"},
    {ONE "objectives: {psi: {peak: 1, power: 1}}\n",
     ":4: objective 'psi': power is 1; it must be between 2 and 200"},
    {ONE "objectives: {psi: {peak: 1, nominal: 0}}\n",
     ":4: objective 'psi': nominal is 0; it must be more than 0"},
    {ONE "objectives: {psi: {final: 1, nominal: 2}}\n",
     ":4: objective 'psi': nominal is the size of a signal, and 'final' alone has none"},
    {ONE "initial: {a.x: {}}\n", ":4: initial 'a.x': neither 'value' nor 'rate' is given"},
    {ONE "initial: {3: 1}\n", ":4: initial '3': needs a quantity, as 'chassis.x', not a number"},
    {ONE "initial: {a.x +: 1}\n",
     ":4: initial 'a.x +': column 6: unexpected end; a value is missing"},

    // simulation
    {ONE "simulation: {end: 0}\n", ":4: simulation: end is 0; it must be after start, 0"},
    {ONE "simulation: {end: 1, method: euler}\n",
     ":4: simulation: method is 'euler'; it must be auto, dopri5, esdirk5, rk2, rk3, rk4, imex4, "
     "imex3, adams or bdf"},
    {ONE "simulation: {end: 1, method: rk4}\n", ":4: simulation: method rk4 needs a 'step'"},
    {ONE "simulation: {end: 1, tolerance: 0}\n",
     ":4: simulation: tolerance is 0; it must be between 1e-15 and 0.1"},
    {ONE "simulation: {end: 1, output_step: -1}\n",
     ":4: simulation: output_step is -1; it must be between 0 and 1e6"},
    {ONE "simulation: {end: k}\n", ":4: simulation: end: column 1: unknown name 'k'"},
    {ONE "simulation: {stop: 1}\n", ":4: simulation: unknown key 'stop'; did you mean 'step'?"},
    {ONE "simulation: {end: 1, start_at: rest}\n",
     ":4: simulation: start_at is 'rest'; it must be initial or static"},

    // includes
    {TOP "include: missing.yaml\n" A FREE, ":2: include 'missing.yaml': there is no such file"},
    {TOP "include: {a: b}\n" A FREE, ":2: include: needs the name of a file, or a list of names"},
    {TOP "include: .\n" A FREE, ":2: include '.': not a file"},

    // several at once
    {TOP
     "bodys: {}\nbodies: {a: {mass: -1, com: [1]}}\njoints: {a: {type: free, child: a, at: Q}}\n",
     ":2: model: unknown key 'bodys'; did you mean 'bodies'?\n"
     ":3: body 'a': com needs 3 numbers, got 1\n"
     ":4: joint 'a': at: there is no hardpoint 'Q'\n"
     ":3: body 'a': mass is -1; it must be at least 0"},
};
#define NCASE ((int)(sizeof cases / sizeof cases[0]))

static const char file[] = "test/model/bad/m.yaml";

// All errors, each without the file name in front.
static void collect(const jo_context* ctx, char* out, size_t size) {
  size_t used = 0;
  out[0] = '\0';
  for (int i = 0; i < jo_context_diagnostic_count(ctx); i++) {
    jo_severity severity;
    const char* text = jo_context_diagnostic(ctx, i, &severity);
    if (severity != JO_ERROR) continue;
    size_t skip = strncmp(text, file, sizeof file - 1) == 0 ? sizeof file - 1 : 0;
    int n = snprintf(out + used, size - used, "%s%s", used ? "\n" : "", text + skip);
    used += (size_t)n;
    assert_true(used < size);
  }
}

static void test_every_mistake_is_told_where_and_why(void** state) {
  (void)state;
  assert_true(NCASE >= 60);
  int failed = 0;
  for (int i = 0; i < NCASE; i++) {
    jmodel* m;
    char said[4096];
    fixture* f = fixture_open();
    jo_context* ctx = f->ctx;
    jo_status status = jmodel_parse(ctx, cases[i].text, strlen(cases[i].text), file, NULL, 0, &m);
    collect(ctx, said, sizeof said);
    if (status != JO_ERR_MODEL || m || strcmp(said, cases[i].expected) != 0) {
      print_error("case %d, status %d:\n%s--- expected\n%s\n--- said\n%s\n", i, status,
                  cases[i].text, cases[i].expected, said);
      failed++;
    }
    jmodel_destroy(m);
    fixture_close(f);
  }
  assert_int_equal(failed, 0);
}

static void test_at_most_twenty_mistakes(void** state) {
  (void)state;
  char text[4096] = TOP "bodies:\n";
  for (int i = 0; i < 50; i++) {
    size_t n = strlen(text);
    snprintf(text + n, sizeof text - n, "  b%d: {mas: 1}\n", i);
  }
  jmodel* m;
  fixture* f = fixture_open();
  jo_context* ctx = f->ctx;
  assert_int_equal(jmodel_parse(ctx, text, strlen(text), file, NULL, 0, &m), JO_ERR_MODEL);
  assert_int_equal(jo_context_diagnostic_count(ctx), 20);
  fixture_close(f);
}

static void test_missing_file_is_a_file_error(void** state) {
  (void)state;
  jmodel* m;
  fixture* f = fixture_open();
  jo_context* ctx = f->ctx;
  assert_int_equal(jmodel_load(ctx, "test/model/none.yaml", NULL, 0, &m), JO_ERR_FILE);
  assert_string_equal(jo_context_message(ctx),
                      "test/model/none.yaml: model: there is no such file");
  assert_null(m);
  fixture_close(f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_every_mistake_is_told_where_and_why),
      cmocka_unit_test(test_at_most_twenty_mistakes),
      cmocka_unit_test(test_missing_file_is_a_file_error),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
