#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Magic Formula tyres: forces, radii and derivatives of property files against tables that other programs made
(test/data/tyres/README.md); files as they come, and what is refused."""
import csv
import io
import json
import math
import os
import tempfile
import unittest
from pathlib import Path

from case import Case
from program import jounce

DATA = Path(__file__).resolve().parent.parent / "data/tyres"
FORCES = ("Fx", "Fy", "Mx", "My", "Mz")
CLOSE = 1e-12  # of the scales below; rounding of a few hundred operations
EXACT = 1e-9   # of derivatives, relative to the largest of their kind; the bar of the tables


def read(name):
    with open(DATA / name, newline="", encoding="utf-8") as f:
        return list(csv.DictReader(f))


def by_file(rows):
    files = {}
    for row in rows:
        files.setdefault(row["tir"], []).append(row)
    return files


def value_of(tir, key):
    for line in (DATA / tir).read_text(encoding="utf-8").splitlines():
        words = line.replace("=", " ").split()
        if words and words[0] == key:
            return float(words[1])
    return 1.0


def scales(tir):
    f0 = value_of(tir, "LFZO") * value_of(tir, "FNOMIN")
    r0 = value_of(tir, "UNLOADED_RADIUS")
    return dict(zip(FORCES, (f0, f0, f0 * r0, 0.01 * f0 * r0, 0.1 * f0 * r0)))


def evaluate(tir, rows, inputs, *options):
    """The rows of outputs for the given columns of the rows."""
    with tempfile.TemporaryDirectory() as folder:
        path, out = os.path.join(folder, "in.csv"), os.path.join(folder, "out.csv")
        with open(path, "w", newline="", encoding="utf-8") as f:
            w = csv.writer(f)
            w.writerow(inputs)
            w.writerows([row[k] for k in inputs] for row in rows)
        jounce("tyre", str(tir if os.path.isabs(str(tir)) else DATA / tir), "--inputs", path, "-o",
               out, "--quiet", *options)
        with open(out, newline="", encoding="utf-8") as f:
            return list(csv.DictReader(f))


INPUTS = ("Fz", "kappa", "alpha", "gamma", "Vx", "p")


class Tables(unittest.TestCase):
    def compare(self, table, names, *options):
        count, worst = 0, 0.0
        for tir, rows in by_file(read(table)).items():
            scale = scales(tir)
            for row, got in zip(rows, evaluate(tir, rows, INPUTS, *options), strict=True):
                for name in names:
                    want = float(row[name])
                    size = scale.get(name, max(abs(want), 1e-3))
                    error = abs(float(got[name]) - want) / size
                    worst = max(worst, error)
                    self.assertLessEqual(error, CLOSE, f"{table} {row['id']} {name}")
                count += 1
        return count

    def test_forces_of_5x(self):
        # the formulas as they are, also of the file without coefficients of combined slip
        names = (*FORCES, "sigma_kappa", "sigma_alpha", "trail", "mu_x", "mu_y", "Kxk", "Kya")
        self.assertEqual(self.compare("reference_5x.csv", names, "--combined", "formula"), 143)

    def test_forces_of_6x(self):
        names = (*FORCES, "sigma_kappa", "sigma_alpha", "trail", "mu_x", "mu_y", "Kxk", "Kya")
        self.assertEqual(self.compare("reference_6x.csv", names), 92)

    def test_friction_ellipse(self):
        self.assertEqual(
            self.compare("reference_5x_ellipse.csv", ("Fx", "Fy", "Mz"), "--combined", "ellipse"), 20)

    def test_file_without_combined_coefficients_takes_the_ellipse(self):
        rows = [r for r in read("reference_5x_ellipse.csv") if r["tir"].startswith("Sedan")]
        for row, got in zip(rows, evaluate(rows[0]["tir"], rows, INPUTS), strict=True):
            self.assertAlmostEqual(float(got["Fx"]), float(row["Fx"]), delta=1e-8)

    def test_radii(self):
        names = ("R_omega", "R_e", "rho", "R_l", "Fz_over_rho", "a_half_length", "b_half_width")
        count = 0
        for tir, rows in by_file(read("vertical.csv")).items():
            outputs = evaluate(tir, rows, ("Fz", "Fx", "Fy", "gamma", "omega", "p"), "--vertical")
            for row, got in zip(rows, outputs, strict=True):
                for name in names:
                    want = float(row[name])
                    if math.isnan(want):
                        self.assertNotIn(name, got)
                        continue
                    # radii in metres; the table's root of 6.2 is one of a search
                    self.assertLessEqual(abs(float(got[name]) / want - 1), 1e-12, row["id"] + name)
                    count += 1
        self.assertEqual(count, 4 * 5 + 24 * 7)

    def test_derivatives_by_inputs(self):
        rows = {}
        for row in read("derivatives.csv"):
            rows.setdefault((row["tir"], row["id"]), {})[row["output"]] = row
        self.assertEqual(len(rows), 6)
        for (tir, point), outputs in rows.items():
            got = evaluate(tir, [outputs["Fx"]], INPUTS, "--wrt", ",".join(INPUTS))[0]
            scale = scales(tir)
            for name, row in outputs.items():
                self.assertLessEqual(abs(float(got[name]) - float(row["value"])), CLOSE * scale[name])
                for x in INPUTS:
                    want = float(row["d_" + x])
                    size = max(abs(want), 1e-6 * scale[name] / max(abs(float(row[x])), 1e-2))
                    error = abs(float(got[f"d{name}/d{x}"]) - want) / size
                    self.assertLessEqual(error, EXACT, f"{point} d{name}/d{x}")

    def test_derivatives_by_coefficients(self):
        points = {r["id"]: r for r in read("derivatives.csv")}
        files = {}
        for row in read("coefficient_gradients.csv"):
            files.setdefault((row["tir"], row["id"]), []).append(row)
        count = 0
        for (tir, point), rows in files.items():
            names = ",".join(r["coefficient"] for r in rows)
            got = evaluate(tir, [points[point]], INPUTS, "--wrt", names)[0]
            scale = scales(tir)
            for row in rows:
                for name in FORCES:
                    want = float(row["d" + name])
                    value = float(got[f"d{name}/d{row['coefficient']}"])
                    size = max(abs(want), 1e-6 * scale[name] / max(abs(float(row["value"])), 1.0))
                    self.assertLessEqual(abs(value - want) / size, EXACT,
                                         f"{point} d{name}/d{row['coefficient']}")
                    count += 1
        self.assertEqual(count, 5 * 265)

    def test_derivatives_of_radii_are_differences(self):
        base = {"Fz": 5200.0, "Fx": 900.0, "Fy": -2100.0, "gamma": -0.04, "omega": 45.0, "p": 241000.0}
        names = list(base)
        for tir in ("Sedan_Pac02Tire.tir", "MagicFormula61_Parameters.tir",
                    "MagicFormula62_Parameters.tir"):
            step = {"Fz": 2.0, "Fx": 2.0, "Fy": 2.0, "gamma": 1e-4, "omega": 0.05, "p": 100.0}
            rows = [base]
            for x in names:
                for sign in (1, -1):
                    rows.append({**base, x: base[x] + sign * step[x]})
            out = evaluate(tir, rows, names, "--vertical", "--wrt", ",".join(names))
            for i, x in enumerate(names):
                for y in ("R_e", "R_l", "rho"):
                    up, down = float(out[1 + 2 * i][y]), float(out[2 + 2 * i][y])
                    # differences of second order, radii rounded to 1e-16 m
                    self.assertAlmostEqual(float(out[0][f"d{y}/d{x}"]), (up - down) / (2 * step[x]),
                                           delta=1e-6 * abs(up - down) / step[x] + 1e-15 / step[x],
                                           msg=f"{tir} d{y}/d{x}")


class Sides(unittest.TestCase):
    def test_no_load_no_forces(self):
        row = {"Fz": 0.0, "kappa": 0.1, "alpha": 0.1, "gamma": 0.0, "Vx": 10.0, "p": 0.0}
        out = evaluate("HMMWV_pacejka.tir", [row], INPUTS, "--wrt", "Fz")[0]
        self.assertTrue(all(float(out[k]) == 0.0 for k in (*FORCES, "dFx/dFz")))

    def test_backward_turns_rolling_moment_and_trail(self):
        rows = [{"Fz": 4000, "kappa": 0.02, "alpha": 0.05, "gamma": 0.0, "Vx": v, "p": 0} for v in
                (10, -10)]
        ahead, back = evaluate("HMMWV_pacejka.tir", rows, INPUTS)
        self.assertEqual(float(ahead["My"]), -float(back["My"]))
        self.assertEqual(float(ahead["trail"]), -float(back["trail"]))
        self.assertEqual(ahead["Fx"], back["Fx"])

    def test_derivatives_are_finite_without_slip(self):
        row = {"Fz": 4000, "kappa": 0, "alpha": 0, "gamma": 0, "Vx": 10, "p": 0}
        with tempfile.TemporaryDirectory() as folder:
            # no shifts: slip is exactly zero
            text = (DATA / "Sedan_Pac02Tire.tir").read_text(encoding="utf-8")
            lines = [l for l in text.splitlines() if l[:3] not in ("PHX", "PVX", "PHY", "PVY", "QHZ")]
            path = os.path.join(folder, "plain.tir")
            Path(path).write_text("\n".join(lines), encoding="utf-8")
            for how in ("formula", "ellipse"):
                out = evaluate(path, [row], INPUTS, "--wrt", "all", "--combined", how)[0]
                bad = [k for k, v in out.items() if not math.isfinite(float(v))]
                self.assertEqual(bad, [])
                self.assertAlmostEqual(float(out["dFx/dkappa"]) / float(out["Kxk"]), 1, delta=1e-12)
                self.assertAlmostEqual(float(out["dFy/dalpha"]) / float(out["Kya"]), 1, delta=1e-12)


class Files(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.text = (DATA / "HMMWV_pacejka.tir").read_text(encoding="utf-8")

    def write(self, text, name="t.tir"):
        path = os.path.join(self.folder.name, name)
        with open(path, "w", newline="", encoding="utf-8") as f:
            f.write(text)
        return path

    def values(self, text):
        return json.loads(jounce("tyre", self.write(text), "--json", "--quiet").stdout)["values"]

    def refused(self, old, new, *parts):
        self.assertIn(old, self.text)
        done = jounce("tyre", self.write(self.text.replace(old, new, 1)), code=1)
        for part in parts:
            self.assertIn(part, done.stderr)
        line = self.text[:self.text.index(old)].count("\n") + 1
        self.assertIn(f"t.tir:{line}: ", done.stderr)

    def test_signs_that_change_with_the_load_are_said(self):
        # K_x is zero at F0 (1 - PKX1/PKX2), and changes its sign there
        text = (DATA / "MagicFormula61_scaled.tir").read_text(encoding="utf-8")
        said = jounce("tyre", str(DATA / "MagicFormula61_scaled.tir")).stderr
        f0 = value_of("MagicFormula61_scaled.tir", "LFZO") * value_of("MagicFormula61_scaled.tir", "FNOMIN")
        load = f0 * (1 - value_of("MagicFormula61_scaled.tir", "PKX1") / value_of("MagicFormula61_scaled.tir", "PKX2"))
        self.assertIn(f"the longitudinal slip stiffness changes its sign at a load of {load:.4g} N", said)
        self.assertEqual(said.count("changes its sign"), 1)
        for name in ("PDX", "PDY"):
            said = jounce("tyre", str(DATA / "MagicFormula61_scaled.tir"), "--set", f"{name}1=1", "--set", f"{name}2=-0.9").stderr
            self.assertIn(f"with {name}1 = 1 and {name}2 = -0.9", said)
        said = jounce("tyre", str(DATA / "MagicFormula61_scaled.tir"), "--set", "PKY2=1", "--set", "PKY4=-3").stderr
        self.assertIn("the cornering stiffness changes its sign", said)
        for other in sorted(DATA.glob("*.tir")):
            if other.name != "MagicFormula61_scaled.tir":
                self.assertNotIn("changes its sign", jounce("tyre", str(other)).stderr)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "limited.tir")
            Path(path).write_text("\n".join("FZMAX = 17000" if line.startswith("FZMAX") else line for line in text.splitlines()),
                                  encoding="utf-8")
            self.assertNotIn("changes its sign", jounce("tyre", path).stderr)

    def drives(self, name, *options):
        """The largest power of the contact per load and sliding speed, without shifts (MF: -kappa, tan alpha slide)."""
        slips = [(k, 0) for s in (1, -1) for k in (0.1 * s, 0.3 * s, s, 4 * s, 60 * s)]
        slips += [(0, a) for s in (1, -1) for a in (0.1 * s, 0.4 * s, s, 1.5 * s)]
        slips += [(k, a) for k, _ in slips[:10] for _, a in slips[10:]]
        load = value_of(f"{name}.tir", "FNOMIN")
        cases = self.write(name="p.csv", text="Fz,kappa,alpha\n" + "".join(f"{load},{k},{a}\n" for k, a in slips))
        still = [x for c in ("LHX", "LVX", "LHY", "LVY") for x in ("--set", f"{c}=0")]
        done = jounce("tyre", str(DATA / f"{name}.tir"), "--inputs", cases, *still, *options)
        most = 0
        for row in csv.DictReader(io.StringIO(done.stdout)):
            k, a = float(row["kappa"]), float(row["alpha"])
            x, y = -k * math.cos(a), math.sin(a)
            most = max(most, (float(row["Fx"]) * x + float(row["Fy"]) * y) / (load * math.hypot(x, y)))
        return most, done.stderr

    def test_forces_that_drive_what_slides_are_said(self):
        """Their signs at zero slip are right: a shape factor above 2 turns them round at larger slips."""
        said = "points along the sliding velocity"
        for name in ("Sedan_Pac02Tire", "HMMWV_pacejka", "MagicFormula52_Parameters", "MagicFormula61_Parameters",
                     "MagicFormula62_Parameters"):
            most, text = self.drives(name)
            self.assertLess(most, 1e-6)
            self.assertNotIn(said, text)
            for shape, scale in (("PCX1", "LCX"), ("PCY1", "LCY")):
                c = value_of(f"{name}.tir", shape)
                for factor in (1.9 / c, 2.3 / c, 3 / c):
                    for option, value in ((shape, factor * c), (scale, factor)):
                        most, text = self.drives(name, "--set", f"{option}={value}")
                        if abs(factor * c - 2.3) > 0.1:  # in between the curvature counts, too
                            self.assertEqual(most > 1e-6, factor * c > 2, (name, option, value))
                            self.assertEqual(said in text, most > 1e-6, (name, option, value, text))
                        if most > 1e-6:
                            self.assertIn(f"{name}.tir: with {shape} = ", text)
        for name in ("MagicFormula52_Parameters", "MagicFormula61_Parameters", "MagicFormula62_Parameters"):
            for c, value in (("RCX1", 3), ("RCY1", 3)):
                most, text = self.drives(name, "--set", f"{c}={value}")
                self.assertGreater(most, 0.01, (name, c))
                self.assertIn(f"{name}.tir: with {c} = {value} the force at combined slip {said}", text)
        text = jounce("tyre", str(DATA / "MagicFormula61_Parameters.tir"), "--set", "PKY3=15").stderr
        self.assertIn(f"with PKY3 = 15 the lateral force {said}", text)
        # of the file: with its line
        text = self.text.replace("PCX1                     = 1.6411", "PCX1 = 3.2")
        line = self.text[:self.text.index("PCX1  ")].count("\n") + 1
        self.assertIn(f"t.tir:{line}: with PCX1 = 3.2 and LCX = 1 the longitudinal force {said}",
                      jounce("tyre", self.write(text)).stderr)

    def test_forces_that_point_the_wrong_way_are_rejected(self):
        for name in ("HMMWV_pacejka", "MagicFormula52_Parameters", "MagicFormula61_Parameters", "MagicFormula62_Parameters"):
            path = str(DATA / f"{name}.tir")
            done = jounce("tyre", path, "--set", "PKX1=-30", code=1)
            self.assertIn(f"{name}.tir: PKX1 is set to -30; with it the longitudinal slip stiffness at the nominal load", done.stderr)
            self.assertIn("correct the signs", done.stderr)
            turned = -value_of(f"{name}.tir", "PKY1")
            done = jounce("tyre", path, "--set", f"PKY1={turned}", code=1)
            self.assertIn(f"PKY1 is set to {turned:g}; with it the cornering stiffness at the nominal load", done.stderr)
            self.assertIn("ISO", done.stderr)
        self.refused("PKX1                     = 22.303", "PKX1 = -22.303", "PKX1 is -22.303; with it the longitudinal slip stiffness")
        # friction that the pressure turns round
        for c in ("PPX3", "PPY3"):
            done = jounce("tyre", str(DATA / "MagicFormula61_Parameters.tir"), "--set", f"{c}=-9", "--set", "INFLPRES=300000", code=1)
            self.assertIn("friction at the nominal load", done.stderr)

    def test_loads_of_files_without_a_range(self):
        text = "\n".join(line for line in self.text.splitlines() if not line.startswith("FZM"))
        for c2, said in ((-30, True), (-20, False)):
            path = self.write(text.replace("PKX2                     = 0.48896", f"PKX2 = {c2}"))
            done = jounce("tyre", path)
            self.assertEqual("below twice FNOMIN = 9700 N" in done.stderr, said, done.stderr)

    def test_line_ends_case_and_order_do_not_matter(self):
        want = self.values(self.text)
        self.assertEqual(self.values(self.text.replace("\n", "\r\n")), want)
        self.assertEqual(self.values(self.text + "\x1a"), want)
        self.assertEqual(self.values(self.text.replace("'LEFT'", '"Left"').replace("PKY1 ", "pky1 ")),
                         want)
        head, *sections = self.text.split("\n[")
        self.assertEqual(self.values(head + "\n[" + "\n[".join(reversed(sections)) + "\n"), want)
        self.assertEqual(self.values(self.text.replace("PVX1                     = -8.8098e-006",
                                                       "PVX1 = -.0000088098")), want)

    def test_units(self):
        want = self.values(self.text)
        text = self.text.replace("='meter'", "='mm'").replace("='newton'", "='kN'")
        for key, factor in (("UNLOADED_RADIUS", 1e3), ("WIDTH", 1e3), ("RIM_RADIUS", 1e3),
                            ("RIM_WIDTH", 1e3), ("VERTICAL_STIFFNESS", 1e-6), ("FNOMIN", 1e-3),
                            ("VERTICAL_DAMPING", 1e-6), ("FZMIN", 1e-3), ("FZMAX", 1e-3),
                            ("LONGVL", 1e3), ("VXLOW", 1e3)):
            lines = []
            for line in text.splitlines():
                if line.split("=")[0].strip() == key:
                    value = float(line.split("=")[1].split()[0])
                    line = f"{key} = {value * factor!r}"
                lines.append(line)
            text = "\n".join(lines)
        got = self.values(text)
        for key, value in want.items():
            self.assertAlmostEqual(got[key], value, delta=1e-12 * max(abs(value), 1.0), msg=key)

    def test_empty_value_is_not_given(self):
        want = self.values(self.text.replace("PHX1                     = 0.0012297", "$"))
        self.assertEqual(self.values(self.text.replace("= 0.0012297", "=")), want)

    def test_unknown_coefficient_is_a_warning_with_its_line(self):
        path = self.write(self.text.replace("LFZO ", "LFZ0 ", 1))
        done = jounce("tyre", path)
        line = self.text[:self.text.index("LFZO ")].count("\n") + 1
        self.assertIn(f"warning: {path}:{line}: 'LFZ0' is not known", done.stderr)
        self.assertIn("did you mean 'LFZO'?", done.stderr)

    def test_versions(self):
        for number, version in ((5, "5.2"), (6, "5.2"), (21, "5.2")):
            text = self.text.replace("[MODEL]", f"[MODEL]\nFITTYP = {number}", 1)
            path = self.write(text)
            self.assertIn(version, json.loads(jounce("tyre", path, "--json").stdout)["version"])
        path = self.write(self.text.replace("USE_MODE                 =", "FITTYP =", 1))
        self.assertIn("FITTYP 14 is not known", jounce("tyre", path, code=1).stderr)
        self.refused("='PAC2002'", "='FTIRE'", "'FTIRE' is no Magic Formula")

    def test_mistakes_have_file_and_line(self):
        self.refused("='meter'", "='furlong'", "unit 'furlong' is not known")
        self.refused("= 0.0012297", "= 0.0012x97", "PHX1 is '0.0012x97', which is no number")
        self.refused("FNOMIN                   = 4850", "FNOMIN = -4850", "it must be positive")
        self.refused("PKY2                     = 2.0012", "PKY2 = 0", "divide by it")
        self.refused("'LEFT'", "'LEFT", "quote is not closed")
        self.refused("'LEFT'", "'UP'", "LEFT, RIGHT or SYMMETRIC")
        self.refused("[DIMENSION]", "[DIMENSION", "name in brackets")
        self.refused("LCX                      = 1", "LCX one", "is no 'NAME = value'")
        self.refused(" 1.0    0.4", " 1.0    four", "needs numbers")
        self.refused("FZMAX                    = 10125", "FZMAX = 10", "FZMAX is 10; it must be above FZMIN")

    def test_missing_ones_are_named(self):
        text = self.text.replace("UNLOADED_RADIUS  ", "$", 1).replace("PCY1  ", "$", 1)
        done = jounce("tyre", self.write(text), code=1)
        self.assertIn("UNLOADED_RADIUS is missing", done.stderr)
        self.assertIn("PCY1 is missing", done.stderr)

    def test_marks_of_byte_order_zeros_and_ends(self):
        want = self.values(self.text)
        self.assertEqual(self.values("\ufeff" + self.text), want)
        for text, told in (("\0" + self.text, ":1: a byte of zero"),
                           (self.text + "A\0B = 3\n", "a byte of zero")):
            self.assertIn(told, jounce("tyre", self.write(text), code=1).stderr)
        path = self.write("")
        Path(path).write_bytes(self.text.encode("utf-16"))
        self.assertIn("UTF-16; save it as UTF-8", jounce("tyre", path, code=1).stderr)
        done = jounce("tyre", self.write(self.text.rstrip("\n")))
        self.assertIn("the last line has no end", done.stderr)

    def test_lines_may_end_as_anywhere(self):
        plain = self.values(self.text)
        for ending in ("\n", "\r\n", "\r"):
            path = self.write("")
            Path(path).write_bytes("".join(line + ending for line in self.text.splitlines()).encode())
            done = jounce("tyre", path, "--json")
            self.assertEqual((json.loads(done.stdout)["values"], done.stderr), (plain, ""), repr(ending))
            # a mistake in the last line is found there
            Path(path).write_bytes((ending.join(self.text.splitlines()) + ending + "LKX = 0" + ending).encode())
            said = jounce("tyre", path, code=1).stderr
            self.assertIn(f":{len(self.text.splitlines()) + 1}: ", said, repr(ending))

    def test_radii_that_no_tyre_has_are_an_error(self):
        path = str(DATA / "MagicFormula62_Parameters.tir")
        for row, words in (("4000,1e9,0", "rho is -4.08118e-11 m, not above 0 at Fz = 4000, Fx = 1e+09"),
                           ("4000,0,1e6", "rho is -0.207764 m, not above 0"),
                           ("1e6,0,0", "R_l is -0.394265 m, not above 0")):
            cases = self.write(f"Fz,Fx,Fy\n4000,0,0\n{row}\n", "c.csv")
            said = jounce("tyre", path, "--inputs", cases, "--vertical", code=1).stderr
            self.assertIn(":3: " + words, said)
            self.assertIn("choose other inputs", said)

    def test_friction_is_no_less_than_nothing(self):
        # with a negative PDY1 the force is the same (M7)
        path, pdy1 = self.write(self.text), value_of("HMMWV_pacejka.tir", "PDY1")
        said = [jounce("tyre", path, "--set", f"PDY1={sign*pdy1}", "--set", "PDY2=0").stdout for sign in (1, -1)]
        for one, other in zip(*(s.splitlines()[4:8] for s in said)):
            self.assertEqual(one, other)
        self.assertRegex(said[1], r"peak friction mu_y +1\.0489")

    def test_forces_need_no_vertical_data(self):
        text = "".join(l for l in self.text.splitlines(True) if not l.startswith("VERTICAL_"))
        full, bare = self.values(self.text), self.values(text)
        self.assertEqual({k: full[k] for k in bare}, bare)
        self.assertNotIn("R_l", bare)
        path = self.write(text)
        self.assertIn("VERTICAL_STIFFNESS", jounce("tyre", path).stdout)
        cases = self.write("Fz\n4000\n", "c.csv")
        done = jounce("tyre", path, "--inputs", cases, "--vertical", code=1)
        self.assertIn("VERTICAL_STIFFNESS is missing; the formulas need it", done.stderr)
        stiffness = f"VERTICAL_STIFFNESS={value_of('HMMWV_pacejka.tir', 'VERTICAL_STIFFNESS')}"
        values = json.loads(jounce("tyre", path, "--json", "--set", stiffness).stdout)["values"]
        self.assertEqual(values, full)

    def test_settings_supply_what_is_missing(self):
        text = "".join(l for l in self.text.splitlines(True) if not l.startswith("FNOMIN"))
        path = self.write(text)
        done = jounce("tyre", path, code=1)
        self.assertIn("FNOMIN is missing; the formulas need it: add it to the file, or set it", done.stderr)
        values = json.loads(jounce("tyre", path, "--json", "--set", "FNOMIN=4850").stdout)["values"]
        self.assertEqual(values, self.values(self.text))

    def test_settings(self):
        path = self.write(self.text)
        half = json.loads(jounce("tyre", path, "--json", "--set", "LMUY=0.5").stdout)["values"]
        self.assertEqual(half["mu_y"], 0.5 * self.values(self.text)["mu_y"])
        self.assertIn("did you mean 'LMUY'?", jounce("tyre", path, "--set", "LMUYY=1", code=1).stderr)
        self.assertIn("must be positive", jounce("tyre", path, "--set", "LMUY=-1", code=1).stderr)
        for setting, told in (("LKX=0", "LKX is set to 0; it must be positive"),
                              ("LKX=-1", "LKX is set to -1; it must be positive"),
                              ("LTR=-1", "LTR is set to -1; it must not be negative"),
                              ("LKY=1e300", "LKY is set to 1e+300; it must lie between 0 and 1e+06"),
                              ("LKY=inf", "LKY: 'inf' is no number")):
            self.assertIn(told, jounce("tyre", path, "--set", setting, code=1).stderr)


class Command(Case):
    TIR = str(DATA / "MagicFormula61_Parameters.tir")

    def test_columns_in_any_order_and_others_kept(self):
        cases = self.path("c.csv", "note,alpha,Fz\n\"a, b\",0.05,5000\nc,0.1,6000\n")
        rows = list(csv.DictReader(io.StringIO(
            jounce("tyre", self.TIR, "--inputs", cases).stdout)))
        self.assertEqual([r["note"] for r in rows], ["a, b", "c"])
        full = [{"Fz": f, "kappa": 0, "alpha": a, "gamma": 0, "Vx": 16.6, "p": 260000}
                for f, a in ((5000, 0.05), (6000, 0.1))]
        for row, want in zip(rows, evaluate("MagicFormula61_Parameters.tir", full, INPUTS)):
            self.assertEqual([row[k] for k in FORCES], [want[k] for k in FORCES])

    def test_mistakes_in_tables(self):
        for text, cause in (("alpha\n0.1\n", ":1: no column 'Fz'"),
                            ("Fz,alpha\n1000,x\n", ":2: alpha is 'x', which is no number"),
                            ("Fz,alpha\n1000\n", ":2: 1 columns, and 2 names"),
                            ("Fz,Fz\n1,1\n", "'Fz' is there twice"),
                            ("Fz,p\n1000,0\n", ":2: p is 0; the tyre needs a pressure"),
                            ("Fz\n1e300\n", ":2: Fx is not finite at Fz = 1e+300"),
                            ("Fz\n1000\nnan\n", ":3: Fz is 'nan', which is no number"),
                            ("Fz\n10\0\n", ":2: a byte of zero"), ("", "the table is empty")):
            done = jounce("tyre", self.TIR, "--inputs", self.path("c.csv", text), code=1)
            self.assertIn(cause, done.stderr)
        # columns that are nearly inputs; those of other names are kept
        for wrong, right in (("Kappa", "kappa"), ("KAPPA", "kappa"), ("kapa", "kappa"), ("alhpa", "alpha"), ("gamma1", "gamma"),
                             ("vx", "Vx"), ("P", "p"), ("fz", "Fz")):
            names = f"{wrong},Fx" if right == "Fz" else f"Fz,{wrong}"
            done = jounce("tyre", self.TIR, "--inputs", self.path("c.csv", f"{names}\n1000,1\n"), code=1)
            self.assertIn(f":1: unknown column '{wrong}'; did you mean '{right}'?", done.stderr)
        kept = jounce("tyre", self.TIR, "--inputs", self.path("c.csv", "Fz,kappa,Kappa,Vy,t,beta,fx0\n1000,0.1,1,1,1,1,1\n"))
        self.assertEqual(kept.stderr, "")
        done = jounce("tyre", self.TIR, "--set", "PDX1=5e-324", code=1)
        self.assertRegex(done.stderr, "Fx is not finite at Fz = .*; choose other inputs, or check the coefficients of .*61_Parameters.tir")
        cases = self.path("c.csv", "Fz\n1000\n")
        done = jounce("tyre", self.TIR, "--inputs", cases, "--wrt", "kapa", code=1)
        self.assertIn("did you mean 'kappa'?", done.stderr)
        jounce("tyre", self.TIR, "--inputs", cases, "-o", self.path("x.svg"), code=2)
        jounce("tyre", self.TIR, "-o", self.path("x.csv"), code=2)
        jounce("tyre", self.TIR, "--wrt", "Fz", code=2)

    def test_kept_columns_have_no_formulas(self):
        hostile = ["=1+1", "+1+1", "-1+1", "@SUM(1)", " =1", "a;=1", "\t=1", 'a"=1', "=" + "x" * 100]
        path = self.path("c.csv")
        with open(path, "w", newline="", encoding="utf-8") as f:
            w = csv.writer(f)
            w.writerow(["Fz", "=note", "plain"])
            w.writerows([4000, text, -1.5] for text in hostile)
        lines = list(csv.reader(io.StringIO(jounce("tyre", self.TIR, "--inputs", path).stdout)))
        for row in lines:
            for cell in row:
                try:
                    float(cell)
                    continue
                except ValueError:
                    pass
                for part in cell.replace("\t", ";").replace('"', ";").split(";"):
                    self.assertFalse(part.strip() and part.strip()[0] in "=+-@" and len(part.strip()) > 1, cell)
        self.assertEqual([row[2] for row in lines[1:]], ["-1.5"] * len(hostile))

    def test_rows_beyond_the_ranges_are_told(self):
        cases = self.path("c.csv", "Fz,gamma\n5000,0\n5000,0.5\n50000,0\n")
        done = jounce("tyre", self.TIR, "--inputs", cases)
        self.assertIn("2 rows lie beyond the ranges of the tyre, the first in line 3 (gamma)",
                      done.stderr)

    def test_curves(self):
        for ending in (".svg", ".html"):
            path = self.path("x" + ending)
            jounce("tyre", self.TIR, "-o", path)
            text = Path(path).read_text(encoding="utf-8")
            self.assertEqual(text.count("<title>"), 4 + (ending == ".html"))
            self.assertGreaterEqual(text.count("<polyline"), 17)
            self.assertNotIn("nan", text)

    def test_json(self):
        data = json.loads(jounce("tyre", self.TIR, "--json").stdout)
        self.assertEqual(data["version"], "MF 6.1")
        self.assertEqual(data["side"], "right")
        self.assertEqual(data["coefficients"]["PKY1"], 27.42326)
        self.assertAlmostEqual(data["values"]["R_e"], 0.385315, delta=1e-6)
        # the peak of the formula: D and the shift
        self.assertAlmostEqual(data["values"]["Fy_peak"], 6865.89, delta=0.1)


if __name__ == "__main__":
    unittest.main()
