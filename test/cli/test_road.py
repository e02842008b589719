#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Roads: random ones lie in their class, files are what they say, obstacles have their shapes; runs on them and derivatives
of these; what is wrong is told."""
import cmath
import json
import math
import os
import struct
import subprocess
import unittest
import unittest.mock
from pathlib import Path

from case import Case
from program import PROGRAM, jounce

# A quarter of a car that is pulled along.
MODEL = """
jounce: 1
name: quarter car
parameters: {speed: 15, mass: 300, scale: 1, begin: 0, h: 0.03 MORE}
ROAD
bodies:
  slide: {mass: 1}
  sprung: {mass: mass, points: {low: [0, 0, 0]}}
  wheel: {mass: 40, points: {up: [0, 0, 0]}}
joints:
  along: {type: prismatic, child: slide, axis: x, drive: speed*t}
  heave: {type: prismatic, parent: slide, child: sprung, axis: z}
  hop: {type: prismatic, parent: slide, child: wheel, axis: z}
forces:
  strut: {between: [sprung.low, wheel.up], stiffness: 20000, damping: 1500, free_length: 0.7}
tyres:
  tyre: {wheel: wheel, radius: 0.3, stiffness: 2e5, damping: 50, kappa_c: 0.1, alpha_c: 0.1, mu_x: 0, mu_y: 0}
sensors: {load: tyre.fz}
objectives: {discomfort: {rms: sprung.com.az}, end: {final: heave}}
initial: {heave: 0.84, hop: 0.283}
simulation: {end: END, start_at: static, rel_tol: 1e-9, abs_tol: 1e-9}
"""


def model(road, end=2, more=""):
    return MODEL.replace("ROAD", road).replace("END", str(end)).replace("MORE", more)


def transform(z):
    """Fast Fourier transform of a power of two of values."""
    if len(z) == 1:
        return z
    even, odd = transform(z[::2]), transform(z[1::2])
    n = len(z)
    turned = [cmath.exp(-2j * math.pi * k / n) * odd[k] for k in range(n // 2)]
    return [even[k] + turned[k] for k in range(n // 2)] + [even[k] - turned[k] for k in range(n // 2)]


class Roads(Case):
    def heights(self, road, *options, more="", end=2):
        """x, left and right heights of `jounce road`."""
        out = self.path("road.csv")
        jounce("road", self.path("m.yaml", model(road, end, more)), "-o", out, *options)
        with open(out, encoding="utf-8") as f:
            rows = [[float(v) for v in line.split(",")] for line in list(f)[1:]]
        return list(zip(*rows))

    def results(self, text, *options):
        done = jounce("run", self.path("m.yaml", text), "--json", *options)
        result = json.loads(done.stdout)
        return {k: result[k] for k in ("objectives", "final", "steps", "events")}

    def check_derivatives(self, text, *options):
        """Direct and adjoint agree to rounding; both are those of whole runs within their stated errors.

        Increments are small beside the waves of the road, and differences are extrapolated from two of them."""
        steps = {"speed": 1e-3, "mass": 0.1, "scale": 1e-3, "begin": 2e-3, "h": 1e-4}
        path = self.path("m.yaml", text)
        got = []
        for method in "direct", "adjoint":
            done = jounce("sens", path, "--method", method, "--json", "--interpreter", "--tol", "1e-10", *options)
            got.append(json.loads(done.stdout)["objectives"])

        def values(name, value):
            done = jounce("run", path, "--json", "--interpreter", "--tol", "1e-12", "--set", f"{name}={value!r}", *options)
            return json.loads(done.stdout)["objectives"]
        start = {"speed": 15, "mass": 300, "scale": 1, "begin": 0, "h": 0.03}
        for name, h in steps.items():
            slopes = []
            for step in (h, h / 2):
                up, down = values(name, start[name] + step), values(name, start[name] - step)
                slopes.append({k: (up[k] - down[k]) / (2 * step) for k in up})
            for k, objective in got[0].items():
                direct, adjoint = objective["gradient"][name], got[1][k]["gradient"][name]
                stated = objective["gradient_error"][name]
                fine = slopes[1][k] + (slopes[1][k] - slopes[0][k]) / 3
                self.assertLess(abs(direct - adjoint), 1e-9 * abs(direct) + 1e-12, (k, name))
                self.assertLess(abs(direct - fine), stated + 1e-5 * abs(fine) + 2e-8 / h * 1e-3, (k, name))

    def refused(self, road, *parts, files=()):
        for name, data in files:
            with open(self.path(name), "wb") as f:
                f.write(data if isinstance(data, bytes) else data.encode())
        told = jounce("check", self.path("m.yaml", model(road)), code=1).stderr
        for part in parts:
            self.assertIn(part, told)


class Extremes(Roads):
    """Whatever a value is, results are finite or it is rejected."""
    VALUES = ("0", "-1", "nan", "inf", "-inf", "1e300", "-1e300", "1e-300", "5e-324", "1e10")

    def is_finite(self, value):
        if isinstance(value, dict):
            return all(self.is_finite(v) for v in value.values())
        if isinstance(value, list):
            return all(self.is_finite(v) for v in value)
        return isinstance(value, str) or (value is not None and math.isfinite(value))

    def attempt(self, path, *options):
        done = subprocess.run([PROGRAM, "road", path, "--json", *options], capture_output=True, text=True, check=False)
        shown = json.loads(done.stdout)
        if done.returncode == 0:
            self.assertTrue(self.is_finite(shown), (options, done.stdout[:500]))
        else:
            self.assertIn(done.returncode, (1, 2), options)
            self.assertTrue(done.stderr.strip(), options)

    def test_options(self):
        path = self.path("m.yaml", model("road: {iso8608: {class: C, seed: 7, length: 200}}"))
        for option in ("--from", "--to", "--step", "--left", "--right"):
            for value in self.VALUES:
                with self.subTest(option=option, value=value):
                    self.attempt(path, option, value)

    def test_places_that_cannot_be_told_apart(self):
        path, table = self.path("m.yaml", model('road: {height: "0.01*sin(x)"}')), self.path("road.csv")
        for start, end, step, code in (("1e17", "100000000000000100", "0.05", 2), ("-1e17", "-99999999999999900", "0.05", 2),
                                       ("1e12", "1000000000100", "0.05", 2), ("1e12", "1000000000100", "1", 0),
                                       ("1e10", "10000000100", "0.05", 0), ("0", "1e-9", "1e-12", 0), ("1", "1.000000001", "1e-13", 2)):
            done = jounce("road", path, f"--from={start}", f"--to={end}", "--step", step, "-o", table, code=code)
            self.assertEqual(code == 2, "cannot be told apart at x = " in done.stderr, done.stderr)
            if code == 0:
                places = [line.split(",")[0] for line in Path(table).read_text(encoding="utf-8").splitlines()[1:]]
                self.assertEqual(len(set(places)), len(places))

    def test_random_roads(self):
        for key in ("seed", "length", "start", "ramp", "track", "coherence", "scale", "roughness"):
            for value in self.VALUES:
                with self.subTest(key=key, value=value):
                    given = {"class": "C", "length": 200, key: value}
                    if key == "roughness":
                        del given["class"]
                    road = f"road: {{iso8608: {{{', '.join(f'{k}: {v}' for k, v in given.items())}}}}}"
                    self.attempt(self.path("m.yaml", model(road)), "--to", "50", "--step", "0.1")

    def test_heights(self):
        for value in self.VALUES:
            road = f"road: {{height: \"{value.replace('-', '0 - ')}*sin(x)\"}}"
            self.attempt(self.path("m.yaml", model(road)))


class RandomRoads(Roads):
    def test_spectrum_lies_in_its_class(self):
        for seed in range(1, 21):
            letter = "ABCDEFGH"[seed % 8]
            road = f"road: {{iso8608: {{class: {letter}, seed: {seed}, length: 4000}}}}"
            done = jounce("road", self.path("m.yaml", model(road)), "--from", "15", "--to", "3985", "--step",
                          "0.1", "--json")
            shown = json.loads(done.stdout)
            for side in "left", "right":
                bands = [b for b in shown[side]["bands"] if b["low"] >= 0.009 and b["high"] <= 2.83]
                self.assertGreaterEqual(len(bands), 7)
                self.assertEqual({b["class"] for b in bands}, {letter}, (seed, side))

    def test_spectrum_by_an_estimate_of_its_own(self):
        # (R1) and (R4): means over octaves of many pieces; two in a hundred of the density is chance
        x, left, right = self.heights("road: {iso8608: {class: B, seed: 3, length: 16000, coherence: 0.15}}",
                                      "--from", "100", "--to", "15900", "--step", "0.15")
        n, step = 512, x[1] - x[0]
        power, cross = [0.0] * (n // 2), [0.0] * (n // 2)
        pieces = 0
        for begin in range(0, len(x) - n, n):
            window = [0.5 - 0.5 * math.cos(2 * math.pi * i / n) for i in range(n)]
            # differences whiten the profile: no leakage from long waves
            d = [[(z[begin + i + 1] - z[begin + i]) * window[i] for i in range(n)] for z in (left, right)]
            a, b = transform(d[0]), transform(d[1])
            pieces += 1
            for k in range(1, n // 2):
                factor = 2 * step / (n * 0.375) / (2 * math.sin(math.pi * k / n)) ** 2
                power[k] += factor * (abs(a[k]) ** 2 + abs(b[k]) ** 2) / 2
                cross[k] += factor * (a[k] * b[k].conjugate()).real
        self.assertGreater(pieces, 200)
        for k in (4, 8, 16, 32, 64, 110):
            band = range(k, min(2 * k, n // 2))
            wave = [j / (n * step) for j in band]
            got = sum(power[j] for j in band) / pieces / len(band)
            wanted = sum(64e-6 * (w / 0.1) ** -2 for w in wave) / len(band)
            self.assertLess(abs(got / wanted - 1), 0.2, wave[0])
            common = sum(cross[j] for j in band) / sum(power[j] for j in band)
            expected = sum(w ** -2 / (1 + (w / 0.15) ** 2) for w in wave) / sum(w ** -2 for w in wave)
            self.assertLess(abs(common - expected), 0.12, wave[0])

    def test_same_seed_same_road(self):
        short = self.heights("road: {iso8608: {class: C, seed: 4, length: 200}}", "--to", "150")
        again = self.heights("road: {iso8608: {class: C, seed: 4, length: 200}}", "--to", "150")
        long_ = self.heights("road: {iso8608: {class: C, seed: 4, length: 900}}", "--to", "150")
        other = self.heights("road: {iso8608: {class: C, seed: 5, length: 200}}", "--to", "150")
        self.assertEqual(short, again)
        self.assertEqual(short, long_)
        self.assertNotEqual(short, other)
        # sums of integers, sums and products: the same digits wherever they are computed
        self.assertEqual(short[1][2000], 0.024001485383241081)
        self.assertEqual((short[1][0], short[2][0]), (0.0, 0.0))

    def test_compiled_code_has_no_data(self):
        compiler, log = self.path("cc", "#!/bin/sh\nfor f; do case $f in *.c) cksum < $f >> $LOG;; esac; done\n"
                                  'exec cc "$@"\n'), self.path("log")
        os.chmod(compiler, 0o755)
        keep = []
        for seed, length in ((1, 60), (2, 90)):
            road = f"road: {{iso8608: {{class: C, seed: {seed}, length: {length}}}}}"
            with unittest.mock.patch.dict(os.environ, {"JOUNCE_CC": compiler, "LOG": log}):
                kernel = self.results(model(road), "--compiler")
            self.assertEqual(kernel, self.results(model(road), "--interpreter"))
            with open(log, encoding="ascii") as sources:
                keep.append((kernel["objectives"], sorted(sources)))
            os.remove(log)
        self.assertEqual(keep[0][1], keep[1][1])
        self.assertNotEqual(keep[0][0], keep[1][0])

    def test_steps_do_not_miss_it(self):
        road = "road: {iso8608: {class: D, seed: 2, length: 60, start: 8}}"
        plain = self.results(model(road, 4), "--tol", "1e-6")["objectives"]["discomfort"]
        fine = self.results(model(road, 4), "--tol", "1e-11", "--max-step", "2e-4")["objectives"]["discomfort"]
        self.assertLess(abs(plain / fine - 1), 1e-4)

    def test_an_hour_of_road(self):
        done = jounce("road", self.path("m.yaml", model("road: {iso8608: {class: C, length: 108000}}")), "--from",
                      "107900", "--to", "107980", "--json")
        self.assertGreater(json.loads(done.stdout)["left"]["highest"], 0.001)

    def test_derivatives(self):
        road = "road: {iso8608: {class: C, seed: 9, length: 80, start: begin, scale: scale}}"
        self.check_derivatives(model(road))


class Files(Roads):
    def test_profile_with_two_tracks(self):
        rows = [(0.5 * i, math.sin(i) * 0.01, math.cos(i) * 0.02) for i in range(40)]
        self.path("p.csv", "x,left,right\n" + "".join(f"{x},{a!r},{b!r}\n" for x, a, b in rows))
        for how in ("cubic", "linear"):
            got = self.heights(f"road: {{profile: {{file: p.csv, interpolation: {how}, start: 3}}}}", "--from", "3",
                               "--to", "22.5", "--step", "0.5")
            for i, (_, a, b) in enumerate(rows):
                self.assertAlmostEqual(got[1][i], a, 15)
                self.assertAlmostEqual(got[2][i], b, 15)
            middle = self.heights(f"road: {{profile: {{file: p.csv, interpolation: {how}, start: 3}}}}", "--from",
                                  "3.25", "--to", "22.25", "--step", "0.5")
            if how == "linear":
                for i in range(39):
                    self.assertAlmostEqual(middle[1][i], (rows[i][1] + rows[i + 1][1]) / 2, 15)

    def test_profile_over_y(self):
        places = [-1.2, -0.3, 0.4, 1.0]
        rows = "".join(f"{0.25 * i}," + ",".join(repr(0.02 * y + 0.01 * i) for y in places) + "\n" for i in range(20))
        self.path("p.csv", "x," + ",".join(str(y) for y in places) + "\n" + rows)
        # what is linear in both stays so, but for the level ends of x
        got = self.heights("road: {profile: p.csv}", "--from", "2", "--to", "2.5", "--step", "0.25", "--left", "0.7",
                           "--right", "-0.77")
        for i in range(3):
            self.assertAlmostEqual(got[1][i], 0.02 * 0.7 + 0.01 * (8 + i), 6)
            self.assertAlmostEqual(got[2][i], 0.02 * -0.77 + 0.01 * (8 + i), 6)

    def test_bad_profiles(self):
        road = "road: {profile: p.csv}"
        self.refused(road, "m.yaml:5: road 'profile': file: 'p.csv' is no file beside this one")
        head = "x,z\n"
        for data, told in ((b"", "the file is empty"), (b"0,1\n1,2\n", "the first line must name the columns"),
                           (b"x\n0\n", "at least two columns"), (b"x,a,b\n", "headed 'left' and 'right'"),
                           (head + "0,0\n1,0\n2,0\n", "at least four rows"),
                           (head + "0,0\n1,nan\n2,0\n3,0\n", "p.csv:3: 'nan' is not a finite number"),
                           (head + "0,0\n1\n", "p.csv:3: fewer values"), (head + "0,0,0\n", "p.csv:2: more values"),
                           (head + "0,0\n1,0\n2.5,0\n3,0\n", "x is not equally spaced: row 3 has 2.5"),
                           (head + "3,0\n2,0\n1,0\n0,0\n", "x must ascend"),
                           ("x,1,0\n", "y ascending"), ("x,1,b\n", "others are not"),
                           (head + "0,0\n1,\0000\n2,0\n3,0\n", "p.csv:3: a byte of zero"),
                           (b"\xff\xfex\0,\0z\0", "UTF-16")):
            self.refused(road, told, files=[("p.csv", data)])


def crg(form, phi, rows, *, du=0.5, head="", places=None, right=-1.5, step=0.5, slope=None, bank=None):
    """The bytes of an OpenCRG file; None stands for a value that is missing."""
    text = f"$CT\nwritten by a test\n$\n$ROAD_CRG\nREFERENCE_LINE_INCREMENT = {du}\n{head}"
    if places is None:
        text += f"long_section_v_right = {right}\nlong_section_v_increment = {step}\n"
    text += f"$\n$KD_Definition\n#:{form}\nU:reference line u,m,0,{du}\n"
    columns = [("phi,rad", phi), ("slope,m/m", slope), ("banking,m/m", bank)]
    columns = [(name, values) for name, values in columns if values is not None]
    text += "".join(f"D:reference line {name}\n" for name, _ in columns)
    for j in range(len(rows[0])):
        text += f"D:long section at v = {places[j]},m\n" if places else f"D:long section {j + 1},m\n"
    data = (text + "$\n" + "$" * 72 + "\n").encode()
    for i, row in enumerate(rows):
        values = [c[i] for _, c in columns] + list(row)
        if form in ("KRBI", "KDBI"):
            for v in values:
                data += struct.pack(">f" if form == "KRBI" else ">d", math.nan if v is None else v)
            continue
        width = 10 if form == "LRFI" else 20
        cells = ["*missing*".rjust(width) if v is None else f"{v:{width}.{7 if width == 10 else 15}f}" for v in values]
        for k in range(0, len(cells), 80 // width):
            data += ("".join(cells[k:k + 80 // width]) + "\n").encode()
    return data


class Grids(Roads):
    def write(self, data):
        with open(self.path("r.crg"), "wb") as f:
            f.write(data)

    def surface(self, u, v):
        return 0.02 * math.sin(0.3 * u) + 0.01 * v * math.cos(0.2 * u)

    def test_formats_of_a_straight_road(self):
        rows = [[self.surface(0.5 * i, -1.5 + 0.5 * j) for j in range(7)] for i in range(60)]
        seen = {}
        for form, digits in (("LRFI", 7), ("LDFI", 14), ("KRBI", 8), ("KDBI", 15)):
            self.write(crg(form, None, rows))
            _, left, right = self.heights("road: {crg: r.crg}", "--to", "29.5", "--step", "0.5", "--left", "1",
                                          "--right", "-1.5")
            for i in range(60):
                self.assertAlmostEqual(left[i], rows[i][5], digits)
                self.assertAlmostEqual(right[i], rows[i][0], digits)
            seen[form] = left
        # between the points, as the format's own evaluator: bilinear
        self.write(crg("KDBI", None, rows))
        _, left, right = self.heights("road: {crg: {file: r.crg, interpolation: linear}}", "--from", "0.2", "--to", "29.2",
                                      "--step", "0.5", "--left", "0.9", "--right", "-1.35")
        for i in range(59):
            for got, v in ((left[i], 0.9), (right[i], -1.35)):
                s, t = 0.4, (v + 1.5) / 0.5
                j = int(t)
                t -= j
                a, b = (rows[i + k][j] * (1 - t) + rows[i + k][j + 1] * t for k in (0, 1))
                self.assertAlmostEqual(got, a * (1 - s) + b * s, 13)

    def test_files_that_are_cut_off(self):
        rows = [[0.01 * i, 0.02 * i, 0.03] for i in range(8)]
        for form in ("LRFI", "LDFI", "KRBI", "KDBI"):
            whole = crg(form, None, rows)
            row = len(whole) - len(crg(form, None, rows[:-1]))
            for n in range(1, row + 1):
                with self.subTest(form=form, bytes=n):
                    self.write(whole[:-n])
                    # a line end is no data, and that a row is missing cannot be seen without an end in the head
                    fits = n == row or (n == 1 and form in ("LRFI", "LDFI"))
                    done = jounce("road", self.path("m.yaml", model("road: {crg: r.crg}")), "--to", "3.5",
                                  code=0 if fits else 1)
                    if not fits:
                        self.assertRegex(done.stderr, "cut off|fewer values")
            for n in range(1, row + 1):  # with an end in the head nothing is lost without being told
                self.write(crg(form, None, rows, head="REFERENCE_LINE_END_U = 3.5\n")[:-n])
                is_line_end = n == 1 and form in ("LRFI", "LDFI")
                jounce("road", self.path("m.yaml", model("road: {crg: r.crg}")), "--to", "3.5",
                       code=0 if is_line_end else 1)

    def test_marks_of_byte_order_and_zeros(self):
        rows = [[0.01 * i, 0.02 * i, 0.03] for i in range(8)]
        options = ("--to", "3.5", "--step", "0.5")
        self.write(crg("KDBI", None, rows))
        want = self.heights("road: {crg: r.crg}", *options)
        self.write(b"\xef\xbb\xbf" + crg("KDBI", None, rows))
        self.assertEqual(self.heights("road: {crg: r.crg}", *options), want)
        self.write(crg("KDBI", None, rows, head="REFERENCE_\0LINE_START_Z = 2\n"))
        done = jounce("road", self.path("m.yaml", model("road: {crg: r.crg}")), code=1)
        self.assertIn("r.crg:6: a byte of zero before the data", done.stderr)

    def circle(self, radius, n, du, **more):
        """A line whose points lie on a circle, from the origin along x, turning left."""
        angle = 2 * math.asin(du / 2 / radius)
        phi = [None] + [(i + 0.5) * angle for i in range(n - 1)]
        places = [-2.0, -1.5, -0.5, 0.0, 0.7, 2.0]
        rows = [[self.surface(du * i, v) for v in places] for i in range(n)]
        self.write(crg("KDBI", phi, rows, du=du, places=places, **more))
        return angle / du

    def on_circle(self, radius, turn, expected, *options):
        # heights along lines of x, each against the place on the circle that it has
        for y in (0.5, 2.0):
            x, left, right = self.heights("road: {crg: r.crg}", "--from", "2", "--to", "18", "--step", "0.5", "--left",
                                          str(y), "--right", str(y - 1), *options)
            count = 0
            for i, at in enumerate(x):
                for z, ay in ((left[i], y), (right[i], y - 1)):
                    v = radius - math.hypot(at, radius - ay)
                    u = math.atan2(at, radius - ay) / turn
                    if abs(v) < 1.9:
                        count += 1
                        self.assertLess(abs(z - expected(u, v)), 2e-5, (at, ay))
            self.assertGreater(count, 20)

    def test_curved_line(self):
        turn = self.circle(40.0, 60, 0.5)
        self.on_circle(40.0, turn, self.surface)

    def test_slope_and_banking(self):
        n = 60
        slope, bank = [None] + [0.05] * (n - 1), [0.03] * n
        turn = self.circle(40.0, n, 0.5, slope=slope, bank=bank, head="REFERENCE_LINE_START_Z = 2\n")
        self.on_circle(40.0, turn, lambda u, v: self.surface(u, v) + 2 + 0.05 * u + 0.03 * v)

    def test_borders(self):
        rows = [[0.01 * (i + 1)] * 2 for i in range(8)]
        for mode, before, behind in ((1, 0.0, 0.0), (2, 0.01, 0.08), (3, 0.07, 0.02), (4, 0.02, 0.07)):
            head = f"$\n$ROAD_CRG_OPTS\nBORDER_MODE_U = {mode}\n"
            self.write(crg("LDFI", None, rows, du=1.0, head=head, places=[-1, 1]))
            _, left, _ = self.heights("road: {crg: {file: r.crg, interpolation: linear}}", "--from", "-1", "--to", "8",
                                      "--step", "1")
            self.assertAlmostEqual(left[0], before, 14)
            self.assertAlmostEqual(left[-1], behind, 14)

    def test_missing_heights_at_the_sides(self):
        rows = [[None, 0.01 * i, 0.02 * i, None] for i in range(10)]
        self.write(crg("KRBI", None, rows, places=[-1, -0.5, 0.5, 1]))
        _, left, right = self.heights("road: {crg: r.crg}", "--from", "4", "--to", "4.5", "--step", "0.5", "--left", "1",
                                      "--right", "-1")
        self.assertAlmostEqual(left[0], 0.16, 6)
        self.assertAlmostEqual(right[0], 0.08, 6)

    def test_derivatives_through_the_line(self):
        self.circle(40.0, 60, 0.5)
        road = "road: {crg: {file: r.crg, scale: scale}}"
        self.check_derivatives(model(road, 1.2))

    def test_bad_files(self):
        rows = [[0.0, 0.01] for _ in range(10)]
        good = crg("KRBI", None, rows)
        text = crg("LRFI", None, rows)
        hole = [list(r) + [0.0] for r in rows]
        hole[4][1] = None
        road = "road: {crg: r.crg}"
        self.refused(road, "road 'crg': file: 'r.crg' is no file beside this one")
        for data, told in ((b"", "there are no data"), (good[:-9].replace(b"LINE_INC", b"LINE_END_U = 4.5\nREFERENCE_LINE_INC", 1),
                                                        "the data end after 8 rows of 2 channels; 10 were expected"),
                           (good.replace(b"_INCREMENT = 0.5", b"_INCREMENT = 0", 1), "increment is missing or not above"),
                           (good.replace(b"#:KRBI", b"#:XRBI"), "one of LRFI, LDFI, KRBI and KDBI"),
                           (good.replace(b"D:long", b"D:wide"), "there is no channel 'long section'"),
                           (text.replace(b" 0.0100000\n", b" 0.01x0000\n", 1), "' 0.01x0000' is not a number"),
                           (good.replace(b"$ROAD_CRG\n", b"$ROAD_CRG_FILE\n"), "the file refers to others"),
                           (good.replace(b"$ROAD_CRG\n", b"$ROAD_CRG_MODS\nrefline_offset_x = 3\n$\n$ROAD_CRG\n"),
                            "modifiers are not supported"),
                           (good.replace(b"$ROAD_CRG\n", b"$ROAD_CRG\nborder_mode_v = 3\n"), "border_mode_v is one of"),
                           (crg("KRBI", None, hole), "row 5, long section 2: the height is missing"),
                           (crg("KRBI", [None, None] + [0.0] * 8, rows), "row 2: the heading of the reference line"),
                           (crg("KRBI", None, rows[:3]), "at least four rows"),
                           (crg("KRBI", None, rows, places=[1, -1]), "v ascending"),
                           (good.replace(b"v_increment = 0.5", b"v_increment = 0.5x"), "long_section_v_increment is not")):
            self.refused(road, told, "r.crg", files=[("r.crg", data)])


class Shapes(Roads):
    def along(self, road, places, more=""):
        out = []
        for x in places:
            _, left, right = self.heights(road, "--from", str(x), "--to", str(x + 1e-3), "--step", "1e-3", more=more)
            out.append((left[0], right[0]))
        return out

    def test_shapes(self):
        def obstacle(text, places):
            return [a for a, _ in self.along(f"road: {{obstacles: {{one: {{{text}}}}}}}", places)]
        self.assertEqual(obstacle("kind: kerb, at: 2, height: 0.1", (1.99, 2.01, 50)), [0, 0.1, 0.1])
        self.assertEqual(obstacle("kind: plank, at: 2, length: 1, height: 0.1", (1.99, 2.01, 2.99, 3.01)), [0, 0.1, 0.1, 0])
        for z, wanted in zip(obstacle("kind: pothole, at: 2, length: 1, height: 0.1, edge: 0.2", (1.99, 2.1, 2.5, 2.9, 3.01)),
                             (0, -0.05, -0.1, -0.05, 0)):
            self.assertAlmostEqual(z, wanted, 14)
        self.assertAlmostEqual(obstacle("kind: cosine, at: 2, length: 1, height: 0.1", (2.25,))[0], 0.05, 14)
        got = obstacle("kind: half_round, at: 2, length: 0.2, height: 0.05", (2.1, 2.05, 2.3))
        radius = (0.01 + 0.0025) / 0.1
        for z, wanted in zip(got, (0.05, math.sqrt(radius ** 2 - 0.0025) - (radius - 0.05), 0)):
            self.assertAlmostEqual(z, wanted, 14)
        got = obstacle("kind: sweep, at: 0, length: 10, height: 0.02, first_wavelength: 4, last_wavelength: 1", (1, 9))
        for z, s in zip(got, (1, 9)):
            self.assertAlmostEqual(z, 0.02 * math.sin(2 * math.pi * (s / 4 + 0.75 * s * s / 20)), 13)

    def test_blocks(self):
        def along(text, *places):
            out = []
            for x, y in places:
                got = self.heights("road: {blocks: {length: 3, seed: 2, " + text + "}}", "--from", str(x), "--to",
                                   str(x + 1e-3), "--step", "1e-3", "--left", str(y), "--right", "0")
                out.append(got[1][0])
            return out
        # stones of 0.2 x 0.4 m: their middles, joints, and beyond the field of 2 m
        even = along("height: 0.02, scatter: 0, width: 2, stone_length: 0.2, stone_width: 0.4", (0.5, 0.2), (0.4, 0.2),
                     (0.5, 1.5), (-0.1, 0.2), (3.3, 0.2))
        for got, wanted in zip(even, (0.02, 0, 0, 0, 0)):
            self.assertAlmostEqual(got, wanted, 12)
        some = along("height: 0.02, width: 2, stone_length: 0.2, stone_width: 0.4", (0.5, 0.2), (0.9, 0.2), (1.3, 0.2))
        self.assertEqual(len(set(some)), 3)
        for z in some:
            self.assertTrue(0.01 <= z <= 0.03)
        for text, told in (("length: 0", "length must be above zero"), ("length: 1e9", "10 million"),
                           ("length: 3, scatter: 3", "scatter must lie between"), ("width: 3", "length")):
            self.refused("road: {blocks: {" + text + "}}", told, "m.yaml:5")

    def test_example_of_the_documentation(self):
        with open("docs/format.md", encoding="utf-8") as f:
            text = f.read()
        begin = text.index("road:\n  height: 0.02*y")
        road = text[begin:text.index("```", begin)]
        self.assertGreater(self.results(model(road, 5))["objectives"]["discomfort"], 0.3)

    def test_sides_and_sums(self):
        road = """road:
  height: 0.001*x
  sines: {a: {amplitude: h, wavelength: 8}, b: {amplitude: 0.01, wavelength: 3, phase: 0.4, side: right}}
  obstacles:
    l: {kind: kerb, at: 3, height: 0.1, side: left}
    m: {kind: kerb, at: 3, height: 0.2, across: [-0.8, -0.7]}"""
        (left, right), = self.along(road, (5,))
        both = 0.005 + 0.03 * math.sin(2 * math.pi * 5 / 8)
        self.assertAlmostEqual(left, both + 0.1, 14)
        self.assertAlmostEqual(right, both + 0.01 * math.sin(2 * math.pi * 5 / 3 + 0.4) + 0.2, 14)

    def test_runs_end_steps_at_edges(self):
        road = "road: {obstacles: {step: {kind: plank, at: 5, length: 2, height: 0.01}}}"
        times = [e["t"] for e in self.results(model(road, 1))["events"]]
        for t in (5 / 15, 7 / 15):
            self.assertLess(min(abs(t - e) for e in times), 1e-9)

    def test_derivatives(self):
        road = """road:
  sines: {a: {amplitude: 0.01*scale, wavelength: 5}}
  obstacles: {bump: {kind: cosine, at: 4 + begin, length: 3, height: h}, up: {kind: kerb, at: 9, height: h/3, edge: 0.5},
              hole: {kind: plank, at: 12, length: 1.5, height: h/10}, arc: {kind: half_round, at: 16, length: 1, height: h}}"""
        self.check_derivatives(model(road))

    def test_bad_values(self):
        for road, told in (
                ("{iso8608: {class: J, length: 100}}", "road 'iso8608': class"),
                ("{iso8608: {length: 100}}", "a class, A ... H, or a roughness is needed"),
                ("{iso8608: {class: A, roughness: 1e-6, length: 100}}", "roughness: the class says it already"),
                ("{iso8608: {class: A}}", "length"), ("{iso8608: {class: A, length: -1}}", "length must be above zero"),
                ("{iso8608: {class: A, length: 100, seed: 1.5}}", "seed must be a whole number"),
                ("{iso8608: {class: A, length: 10, ramp: 6}}", "ramp must be above zero and at most half"),
                ("{iso8608: {class: A, length: 1e9}}", "take a shorter one"),
                ("{iso8608: {class: A, length: .nan}}", "length is not a finite number"),
                ("{iso8608: {class: A, length: 100, coherence: -1}}", "coherence must not be negative"),
                ("{iso8608: {class: A, lenght: 100}}", "unknown key 'lenght'; did you mean 'length'?"),
                ("{description: nothing}", "height"), ("{isO: 1}", "unknown key 'isO'"),
                ("{obstacles: {a: {kind: wall, at: 1, height: 1}}}", "obstacle 'a': kind"),
                ("{obstacles: {a: {at: 1, height: 1}}}", "obstacle 'a'"),
                ("{obstacles: {a: {kind: plank, at: 1, height: 1}}}", "length"),
                ("{obstacles: {a: {kind: plank, at: 1, height: 1, length: 0}}}", "length"),
                ("{obstacles: {a: {kind: plank, at: 1, height: 1, length: 1, edge: 0.6}}}", "edge must be at most half"),
                ("{obstacles: {a: {kind: cosine, at: 1, height: 1, length: 1, edge: 0.1}}}", "a cosine has none"),
                ("{obstacles: {a: {kind: half_round, at: 1, height: 0.5, length: 1}}}", "less than half of the length"),
                ("{obstacles: {a: {kind: kerb, at: 1, height: 1, side: left, across: [0, 1]}}}", "the side says it already"),
                ("{obstacles: {a: {kind: kerb, at: 1, height: 1, across: [0]}}}", "across needs two places"),
                ("{obstacles: {a: {kind: kerb, at: x, height: 1}}}", "obstacle 'a': at"),
                ("{sines: {a: {amplitude: 1, wavelength: -2}}}", "sine 'a': wavelength"),
                ("{profile: {}}", "file")):
            self.refused("road: " + road, told, "m.yaml:5")
        told = jounce("road", self.path("m.yaml", model("road: heave")), code=1).stderr
        self.assertIn("depends on the motion of the vehicle", told)


# A wheel that is led over the road at a given height: its deflection tells the plane it stands on.
LED = """
jounce: 1
name: led
parameters: {h: 0.02, ls: 0.09, a: 0.31, b: 0.305, c: 1.8}
ROAD
bodies:
  slide: {mass: 1}
  wheel: {mass: 20}
joints:
  along: {type: prismatic, child: slide, axis: x, drive: t}
  up: {type: prismatic, parent: slide, child: wheel, axis: z, drive: 0.25}
tyres:
  tyre: {wheel: wheel, radius: 0.3, stiffness: 2e5, kappa_c: 0.1, alpha_c: 0.1, mu_x: 0, mu_y: 0 CONTACT}
sensors: {delta: tyre.delta}
objectives: {mean: {mean: tyre.delta}, load: {rms: tyre.fz}}
simulation: {end: 2, output_step: 0.01, rel_tol: 1e-9, abs_tol: 1e-9}
"""


class Patch(Roads):
    CAMS = ", contact: {kind: patch, shift: ls, length: a, height: b, order: c}"
    SHIFT, A, B, C = 0.09, 0.31, 0.305, 1.8

    def e(self, d):
        least = 0.02
        inner = 1 - ((d / self.A) ** 2 + least ** 2) ** (self.C / 2) + least ** self.C
        return self.B * (1 - inner ** (1 / self.C))

    def cam(self, z, x, n=2001):
        """The lowest point of a cam over heights z(x): by all of its points."""
        ways = [self.A * 0.9999 * (2 * i / (n - 1) - 1) for i in range(n)]
        return max(z(x + d) - self.e(d) for d in ways)

    def deflection(self, front, rear):
        slope = (front - rear) / self.SHIFT
        return 0.3 - (0.25 - (front + rear) / 2) / math.hypot(1, slope)

    def led(self, road, contact=CAMS):
        rows = self.rows(LED.replace("ROAD", road).replace("CONTACT", contact))
        return rows["t [s]"] if "t [s]" in rows else rows["t"], [rows[k] for k in rows if k.startswith("delta")][0]

    def check_sharp(self, kind, height):
        road = f"road: {{obstacles: {{one: {{kind: {kind}, at: 0.8, length: 0.4, height: h}}}}}}"
        times, delta = self.led(road)
        count = 0
        for t, d in zip(times, delta):
            front, rear = (self.cam(lambda x: height if 0.8 <= x <= 1.2 else 0.0, t + k * self.SHIFT / 2) for k in (1, -1))
            # of the search for the largest over all points: their distance times the slope of the cam
            self.assertLess(abs(d - self.deflection(front, rear)), 6e-4, (kind, t))
            count += abs(d - 0.05) > 1e-6
        self.assertGreater(count, 40)
        return times, delta

    def test_obstacles_with_sharp_edges(self):
        times, delta = self.check_sharp("plank", 0.02)
        self.check_sharp("pothole", -0.02)
        # length of the basic curve of a step (R20): from where the front cam meets it
        begin = 0.8 - self.SHIFT / 2 - self.A * (1 - (1 - 0.02 / self.B) ** self.C) ** (1 / self.C)
        before = max(t for t, d in zip(times, delta) if abs(d - 0.05) < 1e-9 and t < 0.8)
        self.assertLess(abs(before - begin), 0.0111)  # of the output, and of the rounding
        for t, d in zip(times, delta):
            front, rear = (max(0.0, 0.02 - self.e(max(0.0, 0.8 - t - k * self.SHIFT / 2))) if 0.8 - t - k * self.SHIFT / 2 < 0.3
                           else 0.0 for k in (1, -1))
            if t < 1.1:
                self.assertLess(abs(d - self.deflection(front, rear)), 1e-10, t)

    def test_a_wheel_that_is_round_rolls_over_a_step(self):
        # cams that are the wheel itself, at one place: it is lifted from sqrt(2 R h - h^2) before the step on
        contact = ", contact: {kind: patch, shift: 1e-6, length: 0.3, height: 0.3, order: 2}"
        times, delta = self.led("road: {obstacles: {one: {kind: kerb, at: 1, height: h}}}", contact)
        first = math.sqrt(2 * 0.3 * 0.02 - 0.02 ** 2)
        for t, d in zip(times, delta):
            way = 1 - t
            lift = 0.0 if way > first else 0.02 if way < 0 else 0.02 - 0.3 + math.sqrt(0.09 - way ** 2)
            slope = way / math.sqrt(0.09 - way ** 2) if 0 < way < first else 0.0
            self.assertLess(abs(d - (0.3 - (0.25 - lift) / math.hypot(1, slope))), 2e-6, t)

    def test_waves(self):
        # long waves as a point feels them, short ones not at their bottom
        for wave, height in ((5.0, 0.01), (0.4, 0.01)):
            times, delta = self.led(f"road: {{sines: {{one: {{amplitude: {height}, wavelength: {wave}}}}}}}")
            for t, d in zip(times, delta):
                front, rear = (self.cam(lambda x: height * math.sin(2 * math.pi * x / wave), t + k * self.SHIFT / 2, 401)
                               for k in (1, -1))
                self.assertLess(abs(d - self.deflection(front, rear)), 1.5e-3, (wave, t))
        level = self.led("road: 0.01")[1]
        self.assertLess(max(abs(d - 0.06) for d in level), 1e-15)

    def test_derivatives(self):
        road = """road:
  sines: {one: {amplitude: h/4, wavelength: 0.5}}
  obstacles: {one: {kind: plank, at: 0.8, length: 0.1, height: h}, two: {kind: pothole, at: 1.3, length: 0.2, height: h}}"""
        path = self.path("m.yaml", LED.replace("ROAD", road).replace("CONTACT", self.CAMS))
        done = jounce("sens", path, "--check", "--json", "--tol", "1e-10")
        for objective in json.loads(done.stdout)["objectives"].values():
            self.assertEqual(len(objective["gradient"]), 5)

    def test_point_is_the_default(self):
        road = "road: {sines: {one: {amplitude: h, wavelength: 3}}}"
        self.assertEqual(self.led(road, ""), self.led(road, ", contact: point"))

    def test_what_is_not_given_of_a_patch(self):
        road = "road: {sines: {one: {amplitude: h, wavelength: 0.4}}}"
        self.assertEqual(self.led(road, ", contact: patch"), self.led(road, ", contact: {kind: patch}"))
        self.assertEqual(self.led(road, ", contact: patch"), self.led(road, ", contact: {kind: patch, height: 0.3}"))

    def test_bad_contacts(self):
        for contact, told in ((", contact: line", "contact"), (", contact: {kind: point}", "kind"),
                              (", contact: {kind: patch, order: 1}", "contact: order"),
                              (", contact: {kind: patch, shift: 0}", "contact: shift"),
                              (", contact: {kind: patch, shif: 0}", "did you mean 'shift'?")):
            text = LED.replace("ROAD", "road: 0").replace("CONTACT", contact)
            self.assertIn(told, jounce("check", self.path("m.yaml", text), code=1).stderr)


if __name__ == "__main__":
    unittest.main()
