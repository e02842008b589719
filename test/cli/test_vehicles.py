#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Vehicles to start from (models/vehicles) against textbook formulae in plain Python (theory.py): statics, frequencies, steady
turns, critical speeds. Each runs without a warning."""
import json
import math
import unittest
from pathlib import Path

import theory
from case import Case
from program import jounce

VEHICLES = Path("models/vehicles").resolve()
G = 9.81


def ask(command, model, *options, says=""):
    """The JSON of a command that has nothing to say beside it, or just a line that has this."""
    done = jounce(command, str(model), "--json", "--interpreter", *options)
    if (says not in done.stderr or done.stderr.count("\n") != 1) if says else done.stderr:
        raise AssertionError(f"{command} {model}: {done.stderr}")
    return json.loads(done.stdout)


def settings(**values):
    return [part for name, value in values.items() for part in ("--set", f"{name}={value!r}")]


class Tractor(Case):
    MODEL = VEHICLES / "tractor_semitrailer/vehicle.yaml"
    L, HITCH, D, SPACING = 3.7, 0.6, 7.7, 1.31              # wheelbase, fifth wheel, kingpin to middle axle
    M1, X1, M2, X2 = 6500, 2.6, 29000, 5.0                  # bodies and their centres of mass
    MF, MD, MT = 510, 860, 680                              # axles with wheels
    GRIP = 0.8

    def loads(self):
        kingpin = self.M2 * G * (1 - self.X2 / self.D)
        front = (self.M1 * G * self.X1 + kingpin * self.HITCH) / self.L
        return [front + self.MF * G, self.M1 * G + kingpin - front + self.MD * G, (self.M2 * G - kingpin) / 3 + self.MT * G]

    def theory(self, V, angle=0.0, alpha=(0.15, 0.13, 0.14)):
        C = [self.GRIP / a * N for a, N in zip(alpha, self.loads())]
        at = [self.D - self.SPACING, self.D, self.D + self.SPACING]
        return theory.with_trailer(V, [(self.L, C[0], angle), (0, C[1], 0)],
                                   [(self.M1, self.X1), (self.MF, self.L), (self.MD, 0)], self.HITCH,
                                   [(d, C[2]) for d in at], [(self.M2, self.X2)] + [(self.MT, d) for d in at])

    def test_axle_loads_are_those_of_statics(self):
        found, (front, drive, trailer) = ask("static", self.MODEL)["sensors"], self.loads()
        expected = {"load_front": front, "load_drive": drive, "load_1": trailer, "load_2": trailer, "load_3": trailer}
        for name, load in expected.items():
            self.assertAlmostEqual(found[name] / load, 1, delta=1e-9)

    def test_steady_turn_is_that_of_the_single_track_model(self):
        # small angles: what is left is of the second order, 0.7 % at 0.01 rad
        angle = 0.001
        done = ask("run", self.MODEL, *settings(steer=angle), "--end", "15")["final"]
        _, r, articulation, _ = theory.solve(*self.theory(done["speed_of_tractor"], angle))
        self.assertAlmostEqual(done["yaw_rate"] / r, 1, delta=2e-4)
        self.assertAlmostEqual(done["articulation"] / articulation, 1, delta=2e-4)

    def test_tractor_that_oversteers_jackknifes_at_the_critical_speed(self):
        # an eigenvalue passes zero where the steady turn has no solution
        alpha = (0.12, 0.17, 0.14)
        V = theory.root(lambda v: theory.det(self.theory(v, alpha=alpha)[0]) * v * v, 10, 40)
        beside = []
        for factor in (0.998, 1.002):
            found = ask("modes", self.MODEL, *settings(speed=factor * V, alpha_front=alpha[0], alpha_drive=alpha[1]))
            beside.append(max(m["re"] for m in found["modes"] if not m["rigid"] and not m["im"]))
        self.assertLess(beside[0], 0)
        # of a secant over 0.4 % of the speed, whose curvature makes 5e-6
        self.assertAlmostEqual(0.998 - 0.004 * beside[0] / (beside[1] - beside[0]), 1, delta=2e-5)

    def test_off_tracking_is_that_of_the_equivalent_wheelbase(self):
        # trailing axles share the scrub: the foot of the centre of the turn is where their moments balance the inertia
        model = self.path("off.yaml", f"""
jounce: 1
include: {self.MODEL}
parameters: {{steer: 0.1, speed: 2}}
hardpoints: {{middle: [{self.HITCH - self.D}, 0, 1.2]}}
sensors:
  turn: tractor.wz
  hitch_speed: sqrt(trailer.F.vx^2 + trailer.F.vy^2)
  middle_speed: sqrt(trailer.middle.vx^2 + trailer.middle.vy^2)
""")
        done = ask("run", model, "--end", "40")["final"]
        V, C = done["speed_of_tractor"], self.GRIP / 0.14 * self.loads()[2]
        at = [self.D - self.SPACING, self.D, self.D + self.SPACING]
        foot = ((C * sum(d * d for d in at) - (self.M2 * self.X2 + self.MT * sum(at)) * V * V) / (C * sum(at)))
        hitch, middle = done["hitch_speed"] / done["turn"], done["middle_speed"] / done["turn"]
        expected = math.sqrt(hitch ** 2 - foot ** 2 + (self.D - foot) ** 2)
        self.assertAlmostEqual((hitch - middle) / (hitch - expected), 1, delta=1e-3)


class Truck(Case):
    MODEL = VEHICLES / "truck/vehicle.yaml"
    L, SPACING, M, X, MF, MT = 4.4, 1.35, 22500, 1.37, 510, 1970

    def loads(self):
        front = self.M * G * self.X / self.L
        return front + self.MF * G, (self.M * G - front + self.MT * G) / 2

    def test_walking_beams_share_the_load(self):
        front, rear = self.loads()
        found = ask("static", self.MODEL)["sensors"]
        for name, load in (("load_1", front), ("load_2", rear), ("load_3", rear)):
            self.assertAlmostEqual(found[name] / load, 1, delta=1e-9)
        # the middle axle on a step of 8 cm: still equal, and the front axle keeps its load but for the tilt of the load
        step = self.path("step.yaml", f"jounce: 1\ninclude: {self.MODEL}\nroad: \"0.08*exp(-(x - 0.675)^12)\"\n")
        found = ask("static", step)["sensors"]
        self.assertAlmostEqual(found["load_2"] / found["load_3"], 1, delta=1e-6)
        self.assertAlmostEqual(found["load_1"] + found["load_2"] + found["load_3"], front + 2 * rear, delta=1e-3)
        self.assertAlmostEqual(found["load_1"] / front, 1, delta=0.02)

    def test_steady_turn_is_that_of_the_single_track_model(self):
        angle, (front, rear) = 0.001, self.loads()
        turn = self.path("turn.yaml", f"jounce: 1\ninclude: {self.MODEL}\nsignals: {{angle: steer*(1 - exp(-t))}}\n")
        done = ask("run", turn, *settings(steer=angle), "--end", "15")["final"]
        C = 0.8 / 0.15 * front, 0.8 / 0.13 * rear
        axles = [(self.L, C[0], angle), (self.SPACING / 2, C[1], 0), (-self.SPACING / 2, C[1], 0)]
        _, r = theory.solve(*theory.single_track(done["speed_of_truck"], axles, [(self.M, self.X), (self.MF, self.L), (self.MT, 0)]))
        self.assertAlmostEqual(done["yaw_rate"] / r, 1, delta=2e-4)

    def test_wheelbase_of_a_tandem_at_low_speed(self):
        # two axles that do not steer scrub: the truck turns as one with a wheelbase of L + t^2/L (1 + C_r/C_f)
        front, rear = self.loads()
        C, t, angle = (0.8 / 0.15 * front, 2 * 0.8 / 0.13 * rear), self.SPACING / 2, 0.02
        turn = self.path("slow.yaml", f"jounce: 1\ninclude: {self.MODEL}\nsignals: {{angle: steer*(1 - exp(-t))}}\n")
        done = ask("run", turn, *settings(steer=angle, speed=3.2), "--end", "12")["final"]
        V = done["speed_of_truck"]
        understeer = (self.M * self.X + self.MF * self.L) / self.L / C[0] - (self.M * (self.L - self.X) + self.MT * self.L) / self.L / C[1]
        equal = self.L + t * t / self.L * (1 + C[1] / C[0])
        self.assertAlmostEqual(done["yaw_rate"] / (V * angle / (equal + understeer * V * V)), 1, delta=2e-3)


class Bus(Case):
    MODEL = VEHICLES / "bus/vehicle.yaml"
    L, MF, MR = 5.9, 510, 1060

    def masses(self, passengers):
        people = 68 * passengers
        M = 9800 + people
        x, z = (9800 * 2.1 + people * 3.0) / M, (9800 * 1.0 + people * 1.4) / M
        inertia = 110000 + 9 * people + 9800 * ((x - 2.1) ** 2 + (z - 1.0) ** 2) + people * ((x - 3.0) ** 2 + (z - 1.4) ** 2)
        return M, x, z, inertia

    def test_axle_loads(self):
        for passengers in (0, 60):
            M, x, _, _ = self.masses(passengers)
            found = ask("static", self.MODEL, *settings(passengers=passengers))["sensors"]
            self.assertAlmostEqual(found["load_front"] / (G * (M * x / self.L + self.MF)), 1, delta=1e-9)
            self.assertAlmostEqual(found["load_rear"] / (G * (M * (1 - x / self.L) + self.MR)), 1, delta=1e-9)

    def test_frequencies_of_heave_pitch_and_wheel_hop(self):
        # coordinates: x, z of the body, pitch (nose down), bounce of the axles on it. Axles follow the body along x and in
        # pitch; gravity acts on a body that tips over them. Without friction no wheel turns.
        M, x, z, inertia = self.masses(60)
        m, h = (self.MF, self.MR), z - 0.49
        mass = [[0.0] * 5 for _ in range(5)]
        stiffness = [[0.0] * 5 for _ in range(5)]

        def add(matrix, factor, *row):
            for i, a in enumerate(row):
                for j, b in enumerate(row):
                    matrix[i][j] += factor * a * b

        add(mass, M, 1, 0, 0, 0, 0)
        add(mass, M, 0, 1, 0, 0, 0)
        add(mass, inertia + 20 + 2 * 1 + 20, 0, 0, 1, 0, 0)      # axles and knuckles about y
        add(stiffness, -M * G * h, 0, 0, 1, 0, 0)
        for i, (a, k) in enumerate(((self.L - x, 2 * 110000), (-x, 2 * 220000))):
            load = G * (M * (x if i == 0 else self.L - x) / self.L + m[i])
            own = [1.0 if j == i else 0.0 for j in range(2)]
            add(mass, m[i], 1, 0, -h, 0, 0)
            add(mass, m[i], 0, 1, -a, *own)
            add(stiffness, k, 0, 0, 0, *own)
            add(stiffness, load / 0.032, 0, 1, -a, *own)
        # x is free: it follows by momentum
        for i in range(1, 5):
            for j in range(1, 5):
                mass[i][j] -= mass[i][0] * mass[0][j] / mass[0][0]
        reduced = [[row[1:] for row in matrix[1:]] for matrix in (mass, stiffness)]
        expected = theory.frequencies(*reduced)
        calm = {"grip": 1e-12, "c_front": 0, "c_rear": 0, "rubber_f.damping": 0, "rubber_r.damping": 0, "bump": 0}
        found = ask("modes", self.MODEL, "--at", "static", *settings(**calm))["modes"]
        for frequency in expected:
            nearest = min((m["frequency"] for m in found), key=lambda f: abs(f - frequency))
            self.assertAlmostEqual(nearest / frequency, 1, delta=1e-6)

    def test_yaw_gain_follows_the_understeer_gradient(self):
        gradient = 0.15 / 0.8 / G - 0.13 / 0.8 / G               # m/C of the axles; stiffness goes with load
        angle = 0.001
        done = ask("run", self.MODEL, *settings(steer=angle, speed=20.0, bump=0), "--end", "8")["final"]
        V = done["forward"]
        self.assertAlmostEqual(done["yaw_rate"] / (V * angle / (self.L + gradient * V * V)), 1, delta=2e-4)


class TwoWheels(Case):
    """Wheels of knife-edged tyres that hardly slip, against bicycles that roll without slip."""
    BICYCLE = VEHICLES / "bicycle/vehicle.yaml"
    MOTORCYCLE = VEHICLES / "motorcycle/vehicle.yaml"
    BENCHMARK = (1.02, 0.08, math.pi / 10, (0.3, 2, 0.0603, 0.12), (85, 0.3, 0.9, 9.2, 2.8, -2.4),
                 (4, 0.9, 0.7, 0.05892, 0.00708, 0.00756), (0.35, 3, 0.1405, 0.28))
    # table 2 of Meijaard et al. at 5 m/s
    PUBLISHED = (-14.07838969279822, -0.32286642900409, complex(-0.77534188219585, 4.46486771378823))

    def compare(self, model, expected, names, *options):
        # off in proportion to the slip: extrapolated from two of them what is left is of its square
        slips = 1e-4, 1e-5
        found = [[complex(m["re"], m["im"]) for m in
                  ask("modes", model, *settings(push=0, **{n: slip for n in names}), *options)["modes"]] for slip in slips]
        for z in expected:
            rough, fine = (min(modes, key=lambda x: abs(x - z)) for modes in found)
            self.assertLess(abs(fine - z), 0.12 * abs(rough - z))       # it converges
            self.assertLess(abs((10 * fine - rough) / 9 - z), 2e-6 * abs(z))

    def test_formulae_give_the_published_eigenvalues(self):
        found = theory.whipple_eigenvalues(5.0, G, *self.BENCHMARK)
        for z in self.PUBLISHED:
            self.assertLess(min(abs(x - z) for x in found), 1e-12)

    def test_bicycle_is_that_of_the_benchmark(self):
        self.compare(self.BICYCLE, self.PUBLISHED, ["slip"])

    def test_weave_of_the_bicycle_is_neutral_at_the_published_speed(self):
        speed = 4.29238253634111
        weave = max((z for z in theory.whipple_eigenvalues(speed, G, *self.BENCHMARK)), key=lambda z: z.imag)
        self.assertAlmostEqual(weave.real, 0, delta=1e-9)
        self.compare(self.BICYCLE, [weave], ["slip"], *settings(speed=speed))

    def test_motorcycle_with_stiff_springs_is_a_whipple_bicycle(self):
        body = theory.joined((235, 0.68, 0.66, 16, 27, -3), (9, 0.27, 0.36, 0.1, 0.5, 0))
        bar = theory.joined((10, 1.2, 0.78, 0.7, 0.35, 0), (9, 1.3, 0.42, 0.35, 0.1, 0))
        bike = (1.42, 0.10, 0.43, (0.31, 14, 0.36, 0.62), body, bar, (0.30, 12, 0.26, 0.45))
        for speed in (5.0, 15.0):
            expected = [z for z in theory.whipple_eigenvalues(speed, G, *bike) if z.imag >= 0]
            self.compare(self.MOTORCYCLE, expected, ["alpha_c", "kappa_c"],
                         *settings(speed=speed, steering_damper=0, k_fork=1e10, k_rear=1e10, c_fork=0, c_rear=0))

    def test_motorcycle_stands_as_it_is_drawn(self):
        # nothing but a rider keeps it upright
        found = ask("static", self.MOTORCYCLE, *settings(push=0), says="unstable")
        front = G * (235 * 0.68 + 9 * 0.27 + 10 * 1.2 + 9 * 1.3 + 12 * 1.42) / 1.42
        self.assertAlmostEqual(found["sensors"]["load_front"] / front, 1, delta=1e-9)
        self.assertAlmostEqual(found["sensors"]["load_rear"] / (G * 289 - front), 1, delta=1e-9)
        for name, place in (("slide", 0), ("arm", 0), ("frame.pitch", 0), ("frame.z", 0.40)):
            self.assertAlmostEqual(found["coordinates"][name], place, delta=1e-9)


def template(path, **changed):
    """Hardpoints of a template of the library, as its file has them."""
    text = (VEHICLES / "../library" / path).read_text(encoding="utf-8").split("hardpoints:\n")[1]
    points = {}
    for line in text.splitlines():
        name, _, rest = line.strip().partition(": [")
        if not rest:
            break
        points[name] = [float(x) for x in rest.rstrip("]").split(",")]
    return {**points, **changed}


DOUBLE_WISHBONE = [("UF", "UU"), ("UB", "UU"), ("LF", "LU"), ("LB", "LU"), ("TC", "TU")]


class FormulaStudent(Case):
    MODEL = VEHICLES / "formula_student/vehicle.yaml"
    POINTS = {"UF": [0.12, 0.25, 0.29], "UB": [-0.12, 0.25, 0.29], "UU": [-0.01, 0.54, 0.31], "LF": [0.14, 0.20, 0.13],
              "LB": [-0.14, 0.20, 0.13], "LU": [0.01, 0.56, 0.12], "TC": [0.08, 0.23, 0.155], "TU": [0.08, 0.55, 0.155],
              "W": [0, 0.6, 0.223]}

    def linkage(self):
        return theory.Linkage({**template("pushrod.yaml"), **self.POINTS}, theory.rods(*DOUBLE_WISHBONE), ["UU", "LU", "TU", "W"],
                              [("LU", "LB", "LF", ["PA"])], [("PA", "PR", "D", "C", ["SR"])])

    def spring(self, rise):
        p = self.linkage().at(rise)
        return theory.distance(p["SR"], p["SB"])

    def ratio(self, rise):
        return (self.spring(rise + 1e-4) - self.spring(rise - 1e-4)) / 2e-4

    def test_motion_ratio_and_wheel_rate_are_those_of_the_linkage(self):
        found = ask("kinematics", self.MODEL, "--axle", "front", "--points", "3", "--from", "-0.02", "--to", "0.02")["curves"]
        for i, rise in enumerate((-0.02, 0.0, 0.02)):
            self.assertAlmostEqual(found["fl.push.spring_length"][i], self.spring(rise), delta=1e-9)
            self.assertAlmostEqual(found["fl.push.spring_ratio"][i] / self.ratio(rise), 1, delta=1e-6)

            def force(z):
                return 30000 * (self.spring(z) - 0.2426) * self.ratio(z)
            rate = (force(rise + 1e-3) - force(rise - 1e-3)) / 2e-3        # off by the third derivative, 1e-4
            self.assertAlmostEqual(found["wheel_force"][i] / force(rise), 1, delta=1e-6)
            self.assertAlmostEqual(found["wheel_rate"][i] / rate, 1, delta=1e-4)

    def test_static_loads_and_ride_frequency(self):
        # unsprung, a corner: wheel 7.103 with spindle, upright 2.5, arms and rocker 1.6 kg; the rack 1 kg
        found = ask("static", self.MODEL)
        corner = 7.103 + 2.5 + 0.5 + 0.7 + 0.4
        total = G * (245 + 1 + 4 * corner)
        loads = [found["sensors"][f"load_{w}"] for w in ("fl", "fr", "rl", "rr")]
        self.assertAlmostEqual(sum(loads) / total, 1, delta=1e-9)
        # about the middle: body 30 mm behind, rack 855 mm in front; upright 0 and arms within 1 mm of their axle
        share = 0.5 + (-0.03 * 245 + 0.855 * 1) * G / total / 1.55
        self.assertAlmostEqual((loads[0] + loads[1]) / total / share, 1, delta=2e-3)     # pitch of 0.5 mrad
        # quarter-car formula with the wheel rate there and the tyre in series; arms count in part, hence 3 %
        travel = found["coordinates"]["chassis.z"]
        self.assertLess(abs(travel), 0.003)
        rate = sum(ask("kinematics", self.MODEL, "--axle", axle, "--points", "1", "--from", "0", "--to", "0")["curves"]["wheel_rate"][0]
                   for axle in ("front", "rear"))
        in_series = 1 / (1 / rate + 1 / 220000)
        bounce = math.sqrt(2 * in_series / 245) / (2 * math.pi)
        modes = ask("modes", self.MODEL, "--at", "static", *settings(c_front=0, c_rear=0, **{f"{w}.rubber.damping": 0 for w in ("fl", "fr", "rl", "rr")}))
        nearest = min((m["frequency"] for m in modes["modes"]), key=lambda f: abs(f - bounce))
        self.assertAlmostEqual(nearest / bounce, 1, delta=0.03)

    def test_load_transfer_follows_roll_stiffness_and_roll_centres(self):
        # Textbook split of m a h / t: what acts at roll centres goes to its axle, the rest by stiffness of wheels, bars and
        # tyres in series. First order in roll: wheel rates grow by 14 % per 10 mm of travel, and roll centres move by as much as
        # the wheels; 3 % of the whole are left, of 10 % by which the bar moves it.
        model = self.path("turn.yaml", f"""
jounce: 1
include: {self.MODEL}
signals: {{rack_travel: "0.0015*(1 - exp(-4*t))^3"}}
sensors: {{ay: chassis.wz*chassis_speed, chassis_speed: sqrt(chassis.com.vx^2 + chassis.com.vy^2)}}
simulation: {{end: 3}}
""")
        p = self.linkage().points
        turn = theory.distance(self.linkage().velocities(p)["SR"], [0, 0, 0]) / theory.distance(p["SR"], [0] + p["C"][1:])
        track, low, wheels = 1.2, 7.103 * 0.223 + 2.5 * 0.22 + 0.5 * 0.3 + 0.7 * 0.125 + 0.4 * 0.43, []
        for axle in ("front", "rear"):
            curves = ask("kinematics", self.MODEL, "--axle", axle, "--points", "1", "--from", "0", "--to", "0")["curves"]
            wheels.append((curves["wheel_rate"][0], curves["roll_centre_height"][0]))
        for bar in (0.0, 500.0):
            f = ask("run", model, *settings(K_front=bar))["final"]
            front, rear = f["load_fr"] - f["load_fl"], f["load_rr"] - f["load_rl"]
            K = [1 / (1 / (rate + 2 * b * turn ** 2) + 1 / 110000) for (rate, _), b in zip(wheels, (bar, 150.0))]
            body = [245 * (0.775 - 0.03) / 1.55, 245 * (0.775 + 0.03) / 1.55]
            at_centres = [m * h + 2 * low for m, (_, h) in zip(body, wheels)]
            sprung = 245 * 0.30 - sum(m * h for m, (_, h) in zip(body, wheels))
            # the weight leans, and wheels that turn about two axes resist: 2 % and 4 % of the whole
            lean = 245 * G * 0.3 * f["roll"]
            gyro = 4 * 0.1705 * f["chassis_speed"] / 0.223 * f["yaw_rate"]
            expected = [2 / track * (f["ay"] * c + (f["ay"] * sprung + lean) * k / sum(K) + gyro / 2) for c, k in zip(at_centres, K)]
            whole = sum(expected)
            self.assertAlmostEqual((front + rear) / whole, 1, delta=0.01)
            self.assertGreater(f["ay"], 2)
            self.assertAlmostEqual(front / whole, expected[0] / whole, delta=0.03)
            self.assertAlmostEqual(rear / whole, expected[1] / whole, delta=0.03)


class Forklift(Case):
    MODEL = VEHICLES / "forklift/vehicle.yaml"
    STIFF = {"k_tyre": 1e8}                                   # statics know no tyres that give way

    def bodies(self, height, load=2000.0):
        """What stands on the front wheels and the pivot."""
        return [(3000, [-1.05, 0, 0.62]), (500, [0.25, 0, 1.1]), (150, [0.42, 0, 0.25 + height]),
                (load, [0.95, 0, 0.5 + height]), (60, [0, 0.48, 0.33]), (60, [0, -0.48, 0.33])]

    def test_axle_loads_with_and_without_load(self):
        for load in (0.001, 2000.0):
            bodies = self.bodies(1.0, load)
            rear = -sum(m * r[0] for m, r in bodies) / 1.6 * G
            front = sum(m for m, _ in bodies) * G - rear
            found = ask("static", self.MODEL, *settings(load=load, pull=0, **self.STIFF))["sensors"]
            # the pitch of tyres that give way by 0.2 mm moves centres by 1e-4 m
            self.assertAlmostEqual(found["load_fl"] / (front / 2), 1, delta=1e-3)
            self.assertAlmostEqual(found["load_rl"] / (rear / 2 + G * (180 / 2 + 30)), 1, delta=2e-3)

    def test_tips_over_the_edge_of_the_stability_triangle(self):
        # the edge runs from the contact of a front wheel to the pivot of the rear axle, at its height
        bodies, contact, pivot = self.bodies(3.0), [0, 0.48, 0], [-1.6, 0, 0.28]
        edge = theory.less(pivot, contact)

        def moment(at, force):
            return theory.dot(theory.cross(theory.less(at, contact), force), edge)
        tips = -sum(moment(r, [0, 0, -m * G]) for m, r in bodies) / moment(bodies[3][1], [0, 1, 0])
        rate = 1000.0
        done = ask("run", self.MODEL, *settings(pull=rate, height=3.0, **self.STIFF), "--end", "7", "--tol", "1e-6")
        lifts = [e["t"] for e in done["events"] if e["name"] == "fr.rubber.tyre: delta > 0" and not e["on"]]
        # what is left: the twist of the tyres on the road, which holds a little
        self.assertAlmostEqual(rate * lifts[0] / tips, 1, delta=3e-3)


class SixWheeler(Case):
    MODEL = VEHICLES / "six_wheeler/vehicle.yaml"

    def test_loads_are_linear_along_the_vehicle(self):
        # three equal springs on a side under a stiff hull
        found = ask("static", self.MODEL)
        loads, pitch = [found["sensors"][f"load_l{i}"] for i in (1, 2, 3)], found["coordinates"]["hull.pitch"]
        weight = G * (1200 + 6 * (14 + 18)) / 2
        self.assertAlmostEqual(sum(loads) / weight, 1, delta=1e-9)
        self.assertAlmostEqual(loads[1] / (weight / 3), 1, delta=1e-3)          # springs are straight but for the swing of arms
        # about the middle axle: the hull, arms with their mass 0.2 m in front of the wheels, and what pitch moves forward over
        # the wheels; 0.02 rad of swing move these by a millimetre
        moment = G * (1200 * (0.08 + pitch * (0.75 - 0.324)) + 6 * 14 * (0.2 + pitch * 0.01)) / 2
        self.assertAlmostEqual((loads[0] - loads[2]) * 1.1 / moment, 1, delta=5e-3)

    def test_motors_accelerate_mass_and_wheels(self):
        model = self.path("straight.yaml", f"jounce: 1\ninclude: {self.MODEL}\nsensors: {{ax: hull.com.ax, spin: l2.leg.wheel.rate}}\n")
        done = ask("run", model, *settings(rough=0, differ=0), "--end", "3")["final"]
        load = G * (1200 + 6 * 32) / 6
        radius = 0.34 - load / 150000
        expected = 6 * 30 / radius / (1200 + 6 * 32 + 6 * 0.9 / radius ** 2)
        # torque is 1 - 3e-7 of its end value; slip of 0.1 % turns wheels faster, loads differ by axle
        self.assertAlmostEqual(done["ax"] / expected, 1, delta=3e-3)


class QuarterCars(Case):
    """Ride and hop frequencies of a mass on a linkage that is integrated in plain Python, and its curves."""
    R, TYRE, MASS = 0.33, 200000.0, 360.0

    def case(self, name):
        """Linkage, spring (ends, rate, free length), parts (mass, point, what it turns with, moments)."""
        if name == "double_wishbone":
            p = template("double_wishbone.yaml")
            p.update(lower=[0.0048, 0.6112, -0.2932], upper=[-0.1083, 0.5972, 0.1063], upright=[-0.0224, 0.7470, -0.1118])
            linkage = theory.Linkage(self.placed(p), theory.rods(*DOUBLE_WISHBONE), ["UU", "LU", "TU", "W", "A", "upright"],
                                     [("LU", "LB", "LF", ["SB", "lower"]), ("UU", "UB", "UF", ["upper"])])
            parts = [(1.611, "lower", "LU", 0.0151), (1.032, "upper", "UU", 0.00591), (1.397, "upright", "carrier", [0.0138, 0.0146, 0.00283]),
                     (21.103, "W", "wheel", 0.760478)]
            return linkage, ("ST", "SB", 70000, 0.6086), parts
        if name == "mcpherson":
            p = template("mcpherson.yaml", lower=[-0.05, 0.53, -0.12], upright=[0, 0.66, 0.06])

            def rows(q):
                strut = theory.less(q["TOP"], q["SL"])
                return theory.rods(("LF", "LU"), ("LB", "LU"), ("TC", "TU"))(q) + [(q["TOP"], n) for n in theory.across(strut)]
            axis = theory.less(p["LF"], p["LB"])
            about = sum(i * a * a for i, a in zip([0.04, 0.02, 0.05], axis)) / theory.dot(axis, axis)
            linkage = theory.Linkage(self.placed(p), rows, ["LU", "TU", "SL", "W", "A", "upright"], [("LU", "LB", "LF", ["lower"])])
            parts = [(3, "lower", "LU", about), (9, "upright", "carrier", [0.2, 0.18, 0.05]), (20, "W", "wheel", 0.5)]
            return linkage, ("TOP", "SL", 24000, 0.695), parts
        if name == "five_link":
            p = template("five_link.yaml", upright=[0, 0.70, 0])
            linkage = theory.Linkage(self.placed(p), theory.rods(*((f"A{i}", f"B{i}") for i in range(1, 6))),
                                     ["B1", "B2", "B3", "B4", "B5", "W", "A", "SB", "upright"])
            return linkage, ("ST", "SB", 30000, 0.657), [(12, "upright", "carrier", [0.15, 0.15, 0.1]), (20, "W", "wheel", 0.5)]
        p = template("trailing_arm.yaml", arm=[0.20, 0.54, 0.01])

        def hinge(q):
            return [(q["PO"], e) for e in ([1, 0, 0], [0, 1, 0], [0, 0, 1])] + \
                [(q["PI"], n) for n in theory.across(theory.less(q["PO"], q["PI"]))]
        linkage = theory.Linkage(self.placed(p), hinge, ["W", "A", "SB", "arm"])
        return linkage, ("ST", "SB", 45000, 0.394), [(14, "arm", "carrier", [0.25, 0.35, 0.5]), (18, "W", "wheel", 0.5)]

    @staticmethod
    def placed(points):
        """With a point along the axis of the wheel."""
        return {**points, "A": [points["W"][0], points["W"][1] + 1, points["W"][2]]}

    def frequencies(self, name):
        """Of z (the body) and s (the wheel centre against it), about equilibrium; (M, K) from kinetic and potential energy."""
        linkage, (top, bottom, rate, free), parts = self.case(name)
        weight = G * (self.MASS + sum(m for m, *_ in parts))

        def slopes(s):
            """d/ds of what holds the wheel, of the height of the tyre; moments of inertia."""
            p = linkage.at(s, 8)
            v = linkage.velocities(p)
            length = theory.distance(p[top], p[bottom])
            zero = [0, 0, 0]
            stretch = theory.dot(theory.less(p[top], p[bottom]), theory.less(v.get(top, zero), v.get(bottom, zero))) / length
            force = rate * (length - free) * stretch + sum(m * G * v[at][2] for m, at, *_ in parts)
            axis, turn = theory.less(p["A"], p["W"]), theory.less(v["A"], v["W"])
            tyre = 1 + self.R * axis[2] * turn[2] / math.sqrt(1 - axis[2] ** 2)
            spins = linkage.turning(p)
            own = coupled = 0.0
            for m, at, with_what, moments in parts:
                own += m * theory.dot(v[at], v[at])
                coupled += m * v[at][2]
                w = spins["carrier" if with_what in ("carrier", "wheel") else with_what]
                if with_what == "carrier":
                    own += sum(i * x * x for i, x in zip(moments, w))
                else:
                    along = theory.dot(w, axis) if with_what == "wheel" else 0    # a wheel is free to turn about its axis
                    own += moments * (theory.dot(w, w) - along ** 2)
            return force, tyre, own, coupled

        def balance(s):
            force, tyre, _, _ = slopes(s)
            return force - weight * tyre
        low, high = -0.04, 0.04
        while high - low > 1e-9:
            low, high = (low, (low + high) / 2) if balance((low + high) / 2) > 0 else ((low + high) / 2, high)
        s, h = (low + high) / 2, 1e-3
        _, tyre, own, coupled = slopes(s)
        bend = (balance(s + h) - balance(s - h)) / (2 * h)
        K = [[self.TYRE, self.TYRE * tyre], [self.TYRE * tyre, self.TYRE * tyre ** 2 + bend]]
        return theory.frequencies([[weight / G, coupled], [coupled, own]], K), s

    def test_ride_and_hop(self):
        for name in ("double_wishbone", "mcpherson", "trailing_arm", "five_link"):
            with self.subTest(suspension=name):
                model = VEHICLES / f"quarter_cars/{name}.yaml"
                expected, s = self.frequencies(name)
                found = ask("modes", model, "--at", "static", *settings(c=0, **{"rubber.damping": 0}))["modes"]
                found = sorted(m["frequency"] for m in found if m["frequency"] > 0.1)
                self.assertEqual(len(found), 2)
                for x, y in zip(found, expected):
                    self.assertAlmostEqual(x / y, 1, delta=1e-5)              # stiffness by a difference over 1 mm
                self.assertAlmostEqual(ask("static", model)["sensors"]["travel"], 0.31 + s, delta=1e-7)

    def test_springs_over_travel(self):
        for name in ("mcpherson", "trailing_arm", "five_link"):
            linkage, (top, bottom, *_), _ = self.case(name)
            found = ask("kinematics", VEHICLES / f"quarter_cars/{name}.yaml", "--points", "3", "--from", "-0.05", "--to", "0.05")["curves"]
            for i, rise in enumerate((-0.05, 0.0, 0.05)):
                p = linkage.at(rise)
                self.assertAlmostEqual(found["s.spring_length"][i], theory.distance(p[top], p[bottom]), delta=1e-8)

    def test_rigid_axle_and_twist_beam(self):
        # in heave a rigid axle is a four-bar in the middle plane: rods of one side, and nothing to the side
        def rows(q):
            return theory.rods(("LC", "LA"), ("UC", "UA"))(q) + [(at, [0, 1, 0]) for at in ([0, 0, 0], [1, 0, 0], [0, 0, 1])]
        p = template("four_link.yaml")
        axle = theory.Linkage(self.placed(p), rows, ["LA", "UA", "W", "A", "SB"])
        arm = theory.Linkage(self.placed(template("trailing_arm.yaml")), lambda q: [([0.42, 0.58, 0.02], e) for e in ([1, 0, 0], [0, 1, 0], [0, 0, 1])] +
                             [([0.42, 0.50, 0.02], e) for e in ([1, 0, 0], [0, 0, 1])], ["W", "A", "SB"])
        for name, linkage in (("solid_axle", axle), ("twist_beam", arm)):
            found = ask("kinematics", VEHICLES / f"quarter_cars/{name}.yaml", "--points", "3", "--from", "-0.05", "--to", "0.05")["curves"]
            for i, rise in enumerate((-0.05, 0.0, 0.05)):
                q = linkage.at(rise)
                self.assertAlmostEqual(found["s.left.spring_length"][i], theory.distance(q["ST"], q["SB"]), delta=1e-8)

    def test_twist_beam_adds_to_roll_alone(self):
        model, calm = VEHICLES / "quarter_cars/twist_beam.yaml", settings(c=0, **{"rubber_l.damping": 0, "rubber_r.damping": 0})
        squares = {"heave": [], "roll": []}
        for beam in (0.0, 6000.0):
            modes = ask("modes", model, "--at", "static", *calm, *settings(**{"s.stiffness": beam}))["modes"]
            modes = [m for m in modes if m["frequency"] > 0.1]
            for kind, sign in (("heave", 1), ("roll", -1)):
                squares[kind].append(sum((2 * math.pi * m["frequency"]) ** 2 for m in modes
                                         if abs(m["shape"]["s.left.arm"][0] - sign * m["shape"]["s.right.arm"][0]) < 1e-6))
        self.assertAlmostEqual(squares["heave"][1] / squares["heave"][0], 1, delta=1e-9)
        # The sum is the trace of M^-1 K, which the beam adds 4 K/m to, with q = left - right = 2 left and the inertia m of q that
        # the rolling body leaves: arm and wheel (0.42 m behind its axis) as they push against the body.
        arm = 14 * (0.22 ** 2 + 0.01 ** 2) + 0.35 + 18 * (0.42 ** 2 + 0.02 ** 2)
        lateral = 14 * 0.22 * 0.54 + 18 * 0.42 * 0.72
        body = 260 + 720 * 0.3 ** 2 + 2 * (0.25 + 14 * (0.54 ** 2 + 0.07 ** 2) + 0.5 + 18 * (0.72 ** 2 + 0.06 ** 2))
        inertia = 2 * arm - (2 * lateral) ** 2 / body
        self.assertAlmostEqual((squares["roll"][1] - squares["roll"][0]) / (4 * 6000 / inertia), 1, delta=0.01)


class Bogie(Case):
    MODEL = VEHICLES / "bogie/vehicle.yaml"
    CONE, R0, L, A, FX, FY, KX, KY = 0.1, 0.46, 0.75, 1.25, 1e7, 9e6, 8e6, 4e6

    def determinant(self, z, V):
        """Of z^2 M + z C + K, of y and yaw of front, rear and bogie, and y of the coach (Wickens: Fundamentals of rail vehicle
        dynamics). Boxes and secondary springs are 1 m from the middle."""
        A = [[0j] * 7 for _ in range(7)]

        def spring(k, *row):
            for i, a in enumerate(row):
                for j, b in enumerate(row):
                    A[i][j] += k * a * b
        for i, m in enumerate((1600, 900, 1600, 900, 2800, 3400, 16000)):
            A[i][i] += m * z * z
        for y, yaw, a in ((0, 1, self.A), (2, 3, -self.A)):
            A[y][y] += 2 * self.FY * z / V
            A[y][yaw] -= 2 * self.FY
            A[yaw][yaw] += 2 * self.FX * self.L ** 2 * z / V
            A[yaw][y] += 2 * self.FX * self.L * self.CONE / self.R0
            across, along = [0] * 7, [0] * 7
            across[y], across[4], across[5] = 1, -1, -a
            along[yaw], along[5] = 1, -1
            spring(2 * self.KY, *across)
            spring(2 * self.KX, *along)
        spring(2 * (1.6e5 + 2e4 * z), 0, 0, 0, 0, 1, 0, -1)
        spring(2 * (1.6e5 + 2e5 * z), 0, 0, 0, 0, 0, 1, 0)
        return theory.det(A)

    def newton(self, z, V):
        h = 1e-6 * abs(z)
        return -self.determinant(z, V) * 2 * h / (self.determinant(z + h, V) - self.determinant(z - h, V))

    def modes(self, V, **more):
        found = ask("modes", self.MODEL, *settings(speed=V, **more), "--set", "initial.front.y=0")["modes"]
        return [complex(m["re"], m["im"]) for m in found if not m["rigid"]]

    def test_eigenvalues_are_those_of_the_linear_theory(self):
        found = self.modes(60.0)
        self.assertEqual(len(found), 7)
        for z in found:
            self.assertLess(abs(self.newton(z, 60.0)), 1e-8 * abs(z))

    def test_free_wheelsets_follow_klingel(self):
        # hardly held and slow: the wavelength is 2 pi sqrt(r0 l/cone), whatever the speed; inertia and springs are 1e-4 of it
        V = 0.5
        found = self.modes(V, kx=1.0, ky=1.0)
        klingel = V * math.sqrt(self.CONE / (self.R0 * self.L))
        near = [z for z in found if abs(z - 1j * klingel) < 0.1 * klingel]
        self.assertEqual(len(near), 2)
        for z in near:
            self.assertAlmostEqual(z.imag / klingel, 1, delta=1e-4)

    def test_critical_speed(self):
        def hunting(V):
            z = -1.3 + 28.4j
            for v in [100 + (V - 100) * k / 4 for k in range(5)]:
                for _ in range(4):
                    z += self.newton(z, v)
            return z.real
        V = theory.root(hunting, 100.0, 140.0, 1e-8)
        below, above = (max(z.real for z in self.modes(f * V) if z.imag > 15) for f in (0.999, 1.001))
        self.assertLess(below, 0)
        self.assertGreater(above, 0)


NUMBERS = {"bicycle": "trail", "bogie": "conicity", "bus": "m_body", "forklift": "load", "formula_student": "k_front",
           "motorcycle": "trail", "tractor_semitrailer": "m_trailer"}
ENDS = {"bicycle": 0.1, "bus": 0.9}


class All(Case):
    def test_every_vehicle_runs_without_a_word_and_has_derivatives(self):
        # half a second, so that it is cheap; direct and adjoint derivatives differ by less than their stated errors
        for model in sorted(VEHICLES.glob("*/*.yaml")):
            if "\nname:" not in model.read_text(encoding="utf-8"):
                continue
            kind = model.parent.name
            with self.subTest(model=f"{kind}/{model.stem}"):
                name, short = NUMBERS.get(kind, "mass"), settings(**{"simulation.end": ENDS.get(kind, 0.6)})
                self.assertTrue(ask("run", model, *short)["complete"])
                methods = ["direct"] if kind == "quarter_cars" and model.stem != "mcpherson" else ["direct", "adjoint"]
                found = [ask("sens", model, "--wrt", name, "--method", m, "--quiet", *short)["objectives"] for m in methods]
                self.assertGreaterEqual(len(found[0]), 2)
                for objective in found[0]:
                    values, errors = ([f[objective][key][name] for f in found] for key in ("gradient", "gradient_error"))
                    self.assertNotEqual(values[0], 0)
                    self.assertAlmostEqual(values[0], values[-1], delta=1e-9 * abs(values[0]) + sum(errors))


if __name__ == "__main__":
    unittest.main()
