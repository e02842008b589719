#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Points of sweeps get the warnings about their starts that a run of the same values gets: each once, with the number of points
and the figures of the first."""
import re
import unittest
from pathlib import Path

from case import Case
from program import jounce

ROLLING = """
jounce: 1
parameters: {r: 0.3, z0: 0.29, off: 0, tilt: 0, c: 5000}
bodies:
  carriage: {mass: 1}
  body: {mass: 400}
  wheel: {mass: 20, inertia: [1, 2, 1, 0, 0, 0]}
joints:
  x: {type: prismatic, child: carriage, axis: x}
  z: {type: prismatic, parent: carriage, child: body, axis: z}
  wheel: {type: revolute, parent: body, child: wheel, axis: y}
tyres:
  w: {wheel: wheel, radius: r, stiffness: 2e5, damping: c, kappa_c: 0.1, alpha_c: 0.1, mu_x: 0.9, mu_y: 0.9, centre: [off, 0, 0], axis: [tilt, 1, 0]}
initial: {x: {value: 0, rate: 10}, z: {value: z0, rate: 0}, wheel: {value: 0, rate: 33}}
objectives: {v: {final: x.rate}}
simulation: {end: 0.02, output_step: 0.01}
"""

# Two wheels that are free to lean: in one track where it is narrow.
CYCLE = """
jounce: 1
parameters: {track: 1.5}
bodies:
  frame: {mass: 100, com: [0.5, 0, 0.5], inertia: [10, 20, 15]}
  a: {mass: 10, inertia: [0.1, 0.2, 0.1], com: [0, 0, 0.3]}
  b: {mass: 10, inertia: [0.1, 0.2, 0.1], com: [1, track, 0.3]}
joints:
  frame: {type: free, child: frame}
  a: {type: revolute, parent: frame, child: a, at: [0, 0, 0.3], axis: y}
  b: {type: revolute, parent: frame, child: b, at: [1, track, 0.3], axis: y}
tyres:
  ta: {wheel: a, centre: [0, 0, 0.3], radius: 0.3, stiffness: 1e5, kappa_c: 0.1, alpha_c: 0.1, mu_x: 1, mu_y: 1}
  tb: {wheel: b, centre: [1, track, 0.3], radius: 0.3, stiffness: 1e5, kappa_c: 0.1, alpha_c: 0.1, mu_x: 1, mu_y: 1}
initial: {frame.x: {value: 0, rate: 5}, frame.z: -0.005, a: {value: 0, rate: 17}, b: {value: 0, rate: 17}}
objectives: {z: {final: frame.z}}
simulation: {end: 0.02, output_step: 0.01}
"""

# At rest on its spring, which sinks with its load.
RESTING = """
jounce: 1
parameters: {m: 400, k: 1e5, v: 10}
bodies:
  carriage: {mass: 1}
  body: {mass: m}
  wheel: {mass: 20, inertia: [1, 2, 1, 0, 0, 0]}
joints:
  x: {type: prismatic, child: carriage, axis: x}
  z: {type: prismatic, parent: carriage, child: body, axis: z}
  wheel: {type: revolute, parent: body, child: wheel, axis: y}
tyres:
  w: {wheel: wheel, radius: 0.3, stiffness: k, damping: 500, kappa_c: 0.1, alpha_c: 0.1, mu_x: 0.9, mu_y: 0.9, relaxation: 0.2}
initial: {x: {value: 0, rate: v}, z: {value: 0.29}, wheel: {value: 0, rate: v/0.3}}
objectives: {z: {final: z}}
simulation: {start_at: static, end: 0.02, output_step: 0.01}
"""

WAYS = ((), ("--wrt", "none"), ("--batch",), ("--batch", "--wrt", "none"), ("--method", "adjoint"))
COUNT = re.compile(r"; (\d+) of (\d+) points starts? so, the first is point (\d+)$")


def warnings(done):
    return [line for line in done.stderr.splitlines() if line.startswith("warning: ")]


class Starts(Case):
    def swept(self, path, param, *more):
        return warnings(jounce("sweep", path, "--param", param, *more))

    def counted(self, text, param, words, points, total, first, figure):
        """All ways of a sweep report the fault once, with its count and the first point's figures."""
        path = self.path("m.yaml", text)
        for way in WAYS:
            said = [w for w in self.swept(path, param, *way) if words in w]
            self.assertEqual(len(said), 1, (way, said))
            found = COUNT.search(said[0])
            self.assertIsNotNone(found, said)
            self.assertEqual([int(g) for g in found.groups()], [points, total, first], (way, said))
            self.assertIn(figure, said[0])

    def test_points_below_the_ground(self):
        # 0.11, 0.12 ... 0.29: deflected by 0.19 ... 0.01 of 0.3, too much above 0.09
        self.counted(ROLLING, "z0=0.11:0.29:19", "it is deflected by", 10, 19, 1, "by 0.19 m of its radius of 0.3 m")
        # the centre stays at 0.29, radii are 0.3, 0.35 ... 0.6: r - 0.29 > 0.3 r beyond 0.414
        self.counted(ROLLING, "r=0.3:0.6:7", "it is deflected by", 4, 7, 4, "by 0.16 m of its radius of 0.45 m")

    def test_points_with_a_wheel_off_or_askew_to_its_axis(self):
        self.counted(ROLLING, "off=0:0.01:5", "off the axis", 3, 5, 3, "its centre is 0.005 m off the axis")
        # atan(0.05) is 2.86 degrees
        self.counted(ROLLING, "tilt=0:0.1:3", "so that it wobbles", 2, 3, 2, "its axis is 2.86 degrees off")

    def test_points_at_rest(self):
        # (m + 20) g / k: 0.3 of the radius is 0.09 m, of m = 897
        self.counted(RESTING, "m=400:1400:11", "it is deflected by", 6, 11, 6, f"by {(900 + 20) * 9.81 / 1e5:.4g} m")

    def test_points_that_lean(self):
        path = self.path("m.yaml", CYCLE)
        for way in WAYS:
            said = [w for w in self.swept(path, "track=-0.5:0.5:3", *way) if "all wheels are in one track" in w]
            self.assertEqual(len(said), 2, (way, said))  # wheel by wheel, as of a run
            for w in said:
                self.assertEqual(COUNT.search(w).groups(), ("1", "3", "2"))

    def test_what_the_model_was_warned_of_is_not_repeated(self):
        deep = self.path("m.yaml", ROLLING.replace("z0: 0.29", "z0: 0.1"))
        for way in WAYS:
            self.assertEqual(len(self.swept(deep, "c=4000:6000:3", *way)), 1)
            # with other figures it is news
            said = self.swept(deep, "z0=0.1:0.12:2", *way)
            self.assertEqual(len(said), 2, said)
            self.assertIn("; 2 of 2 points start so, the first is point 1", said[1])

    def test_points_in_a_journal_are_counted(self):
        path = self.path("m.yaml", ROLLING)
        for out, more in (("out.csv", ()), ("out.h5", ("--stream",)), ("out.h5", ("--stream", "--batch"))):
            said = self.swept(path, "z0=0.11:0.29:19", "-o", self.path(out), *more)
            self.assertIn("; 10 of 19 points start so, the first is point 1", said[0])

    def test_one_point_gets_the_warnings_of_a_run(self):
        bicycle = Path("models/vehicles/bicycle/vehicle.yaml").resolve().parent
        buggy, car = Path("models/buggy/step_descent.yaml").resolve(), Path("models/sedan").resolve()
        self.assertTrue(bicycle.exists() and car.exists())
        cases = [(self.path("rolling.yaml", ROLLING), "z0", v, 1) for v in (0.05, -0.1)]
        cases += [(self.path("rolling.yaml", ROLLING), "z0", 0.28, 0), (self.path("rolling.yaml", ROLLING), "off", 0.02, 1),
                  (self.path("rolling.yaml", ROLLING), "tilt", -0.3, 1), (self.path("rolling.yaml", ROLLING), "r", 0.5, 1),
                  (self.path("cycle.yaml", CYCLE), "track", 0.001, 2), (self.path("cycle.yaml", CYCLE), "track", 0.2, 0),
                  (self.path("resting.yaml", RESTING), "m", 2000, 1), (self.path("resting.yaml", RESTING), "k", 3e4, 1),
                  (str(buggy), "R", 0.42, 2), (str(buggy), "R", 0.55, 4), (str(buggy), "R", 0.31, 0)]
        for path, name, value, expected in cases:
            run = warnings(jounce("run", path, "--set", f"{name}={value}", "--end", "0.01"))
            self.assertEqual(sum("at the start" in w or "axis" in w or "track" in w for w in run), expected, (path, name, run))
            for way in WAYS:
                said = self.swept(path, f"{name}={value}:{value}:1", "--end", "0.01", *way)
                own = {COUNT.sub("", w) for w in said}
                self.assertLessEqual(set(run), own, (way, path, name))
                self.assertEqual({w for w in own if COUNT.search(w) or "tyre" in w}, {w for w in run if "tyre" in w}, (way, path, name))


if __name__ == "__main__":
    unittest.main()
