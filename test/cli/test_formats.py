#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Files of results in all formats, read back by readers of their own: the numbers of the CSV file."""
import csv
import json
import math
import re
import unittest
from pathlib import Path

from binary import accessor, read_glb, read_mat, read_netcdf, read_rpc
from case import Case
from program import jounce

PENDULUM = "models/mechanisms/pendulum.yaml"
BOUNCER = "test/models/bouncer.yaml"
HOSTILE = """
jounce: 1
name: "näme \\"quoted\\", 🚗 and more"
description: "two\\nlines; # = é"
gravity: [0, 0, -9.81]
bodies: {rod: {mass: 1, com: [0, 0, -0.5], inertia: [0.1, 0.1, 0]}}
joints: {hinge: {type: revolute, parent: ground, child: rod, at: [0, 0, 0], axis: [0, -1, 0]}}
initial: {hinge: {value: 1, rate: 0}}
sensors:
  end: {value: hinge, unit: "°, \\"deg\\" 🚗", description: "a, b\\n\\"c\\""}
  LONG: {value: hinge.rate, unit: rad/s}
objectives: {psi: {integral: hinge.rate^2, unit: "m²"}}
simulation: {end: 0.5, method: rk4, step: 0.01, output_step: 0.1}
""".replace("LONG", "l" * 60)


def table(path):
    with open(path, encoding="utf-8", newline="") as f:
        rows = list(csv.reader(line for line in f if not line.startswith("#")))
    return rows[0], rows[1], [[float(x) for x in row] for row in rows[2:]]


class Formats(Case):
    def written(self, ending, *args):
        path = self.path("out" + ending)
        jounce(*args, "--interpreter", "--quiet", "-o", path)
        return Path(path).read_bytes()

    def columns(self, *args):
        self.written(".csv", *args)
        names, units, rows = table(self.path("out.csv"))
        return names, units, [list(c) for c in zip(*rows)]

    def same(self, a, b):
        self.assertEqual(len(a), len(b))
        for x, y in zip(a, b):
            self.assertTrue(x == y or (math.isnan(x) and math.isnan(y)), (x, y))

    def history(self, *args):
        names, units, columns = self.columns(*args)
        mat = read_mat(self.written(".mat", *args))
        self.assertEqual(mat["t"][0], (len(columns[0]), 1))
        self.same(mat["t"][1], columns[0])
        self.assertEqual(mat["columns"]["field"], list(mat["history"]))
        self.assertEqual(mat["columns"]["name"], names[1:])
        self.assertEqual(mat["columns"]["unit"], [u.replace("🚗", "\ufffd") for u in units[1:]])
        for (size, values), column in zip(mat["history"].values(), columns[1:]):
            self.assertEqual(size, (len(column), 1))
            self.same(values, column)
        notes, sizes, found = read_netcdf(self.written(".nc", *args))
        self.assertEqual({k: v.replace("🚗", "\ufffd") for k, v in notes.items() if isinstance(v, str)},
                         {k: v for k, v in mat["notes"].items() if isinstance(v, str)})
        self.assertEqual(sizes["t"], len(columns[0]))
        histories = [v for v in found.values() if v[0] == ["t"]]
        self.assertEqual([about["name"] for _, about, _ in histories], names)
        self.assertEqual([about.get("units", "") for _, about, _ in histories], units)
        for (_, _, values), column in zip(histories, columns):
            self.same(values, column)
        # 16 bits: half of 1/32752 of the largest value, and the even step
        head, channels = read_rpc(self.written(".rsp", *args))
        self.assertEqual([head[f"DESC.CHAN_{k + 1}"] for k in range(len(channels))], names[1:])
        first, step = columns[0][0], float(head["DELTA_T"])
        for samples, column in zip(channels, columns[1:]):
            largest = max(map(abs, column))
            for t, value in zip(columns[0], column):
                k = round((t - first) / step)
                self.assertAlmostEqual(first + k * step, t, delta=1e-3 * step)
                self.assertAlmostEqual(samples[k], value, delta=1.0001 * largest / 65504)
            self.assertEqual(len(set(samples[int(head["SAMPLES"]) - 1:])), 1)
        return mat

    def test_run(self):
        mat = self.history("run", PENDULUM, "--end", "1")
        self.assertEqual(mat["notes"]["model"], "pendulum")
        self.assertEqual(len(mat["notes"]["sha256"]), 64)
        self.assertEqual(mat["objectives"]["name"], ["psi"])
        self.assertEqual(mat["objectives"]["value"][1], mat["history"]["psi"][1][-1:])
        _, _, found = read_netcdf(self.written(".nc", "run", PENDULUM, "--end", "1"))
        self.assertEqual(found["objectives"][2], ["psi"])
        self.assertEqual(found["objectives_value"][2], mat["objectives"]["value"][1])
        self.assertEqual(found["t"][:2], (["t"], {"name": "t", "units": "s", "long_name": "time"}))

    def test_events(self):
        mat = read_mat(self.written(".mat", "run", BOUNCER))
        _, sizes, found = read_netcdf(self.written(".nc", "run", BOUNCER))
        self.assertEqual(sizes["events"], len(mat["events"]["name"]))
        self.assertGreater(sizes["events"], 3)
        self.assertEqual(found["events"][2], mat["events"]["name"])
        self.assertEqual(found["events_t"][2], mat["events"]["t"][1])
        self.assertEqual(found["events_on"][2], mat["events"]["on"][1])

    def test_loads(self):
        mat = self.history("loads", BOUNCER, "--rate", "200")
        self.assertEqual(mat["notes"]["driver"], "subcycle")

    def test_history_of_derivatives(self):
        self.history("sens", PENDULUM, "--wrt", "m,l", "--history", "angle", "--output-step", "0.5")

    def test_gradient_is_a_matrix(self):
        mat = read_mat(self.written(".mat", "sens", PENDULUM))
        self.written(".csv", "sens", PENDULUM)
        with open(self.path("out.csv"), encoding="utf-8", newline="") as f:
            rows = list(csv.DictReader(line for line in f if not line.startswith("#")))
        self.assertEqual(mat["gradient"][0], (1, len(rows)))
        for row in rows:
            k = mat["parameters"]["name"].index(row["parameter"])
            for name, column in (("gradient", "derivative"), ("gradient_error", "derivative_error"),
                                 ("gradient_frozen", "derivative_frozen")):
                self.same([mat[name][1][k]], [float(row[column])])
            self.assertAlmostEqual(mat["percent_per_percent"][1][k], float(row["percent_per_percent"]), 13)
            self.assertEqual(mat["parameters"]["value"][1][k], float(row["value"]))
            self.assertEqual(mat["parameters"]["unit"][k], row["unit"])
        _, _, found = read_netcdf(self.written(".nc", "sens", PENDULUM))
        self.assertEqual(found["gradient"][0], ["objectives", "parameters"])
        self.assertEqual(found["gradient"][2], mat["gradient"][1])
        self.assertEqual(found["parameters"][2], mat["parameters"]["name"])

    def test_gradients_of_loads(self):
        args = ("loads", "test/models/sens_bounce.yaml", "--wrt", "k,c", "--interpreter", "--end", "0.5")
        found = {}
        for ending in (".csv", ".mat"):
            path = self.path("g" + ending)
            found = json.loads(jounce(*args, "--json", "--gradient", path).stdout)
        mat = read_mat(Path(self.path("g.mat")).read_bytes())
        with open(self.path("g.csv"), encoding="utf-8", newline="") as f:
            rows = {(r["elements"], r["parameters"]): r
                    for r in csv.DictReader(line for line in f if not line.startswith("#"))}
        names, numbers = mat["elements"]["name"], mat["parameters"]["name"]
        self.assertEqual((names, numbers), (list(found["elements"]), ["k", "c"]))
        for i, name in enumerate(names):
            wanted = found["elements"][name]
            self.assertEqual(mat["peak"][1][i], wanted["peak"])
            self.assertEqual(mat["damage"][1][i], wanted["damage"])
            for key in ("d_peak", "d_peak_error", "d_damage", "d_damage_error"):
                self.assertEqual(mat[key][0], (len(names), 2))
                for k, number in enumerate(numbers):
                    self.assertEqual(mat[key][1][i + k * len(names)], wanted[key][number])
                    self.assertEqual(float(rows[name, number][key]), wanted[key][number])
                    self.assertEqual(float(rows[name, number]["peak"]), wanted["peak"])

    def test_sweep(self):
        args = ("sweep", PENDULUM, "--param", "l=1:2:3", "--wrt", "m,l")
        names, units, columns = self.columns(*args)
        mat = read_mat(self.written(".mat", *args))
        self.assertEqual(mat["columns"]["name"], names)
        self.assertEqual(mat["columns"]["unit"], units)
        for (_, values), column in zip(mat["table"].values(), columns):
            self.same(values, column)
        # points x objectives x numbers, the first running fastest
        self.assertEqual(mat["gradient"][0], (3, 1, 2))
        by_m, by_l = columns[names.index("d psi / d m")], columns[names.index("d psi / d l")]
        self.same(mat["gradient"][1], by_m + by_l)
        # the last one running fastest
        _, _, found = read_netcdf(self.written(".nc", *args))
        self.assertEqual(found["gradient"][0], ["row", "objectives", "wrt"])
        self.same(found["gradient"][2], [x for pair in zip(by_m, by_l) for x in pair])
        self.assertEqual([about["name"] for dims, about, _ in found.values() if dims == ["row"]], names)

    def test_failed_points_have_remarks(self):
        args = ("sweep", PENDULUM, "--param", "m=-1:1:2")
        path = self.path("out.nc")
        jounce(*args, "--interpreter", "--quiet", "-o", path)
        _, sizes, found = read_netcdf(Path(path).read_bytes())
        self.assertEqual((sizes["remarks"], found["remarks_row"][2]), (1, [0.0]))
        self.assertEqual(found["status"][2][1], 0.0)

    def test_names_that_try_to_break_files(self):
        model = self.path("hostile.yaml", HOSTILE)
        mat = self.history("run", model)
        self.assertEqual(mat["notes"]["model"], 'näme "quoted", \ufffd and more')
        self.assertEqual(mat["notes"]["description"], "two\nlines; # = é")
        self.assertEqual(mat["columns"]["unit"][0], '°, "deg" \ufffd')
        self.assertEqual(mat["columns"]["description"][0], 'a, b\n"c"')
        self.assertEqual(list(mat["history"])[:2], ["end_", "l" * 60])
        self.assertEqual(mat["columns"]["name"][1], "l" * 60)
        for ending in (".mat", ".nc", ".rsp"):
            self.assertEqual(self.written(ending, "run", model), self.written(ending, "run", model))

    def test_even_step_is_said_to_be_missed(self):
        done = jounce("run", PENDULUM, "--end", "1.03", "--interpreter", "-o", self.path("a.rsp"))
        self.assertIn("1.03 s, is no multiple of the step of 0.1 s", done.stderr)
        done = jounce("run", PENDULUM, "--end", "1", "--output-step", "0", "--interpreter", "-o",
                      self.path("a.rsp"))
        self.assertRegex(done.stderr, "not evenly spaced: interpolated at .* s, which takes at most")

    def test_sens_takes_each_format_where_it_fits(self):
        for args in (["-o", "a.rsp"], ["--vcurve", "m", "-o", "a.mat"], ["-o", "a.svg"]):
            self.assertIn("needs a name that ends in one of", jounce("sens", PENDULUM, *args, code=2).stderr)


def turn(q, v):
    """v rotated by the quaternion x y z w."""
    x, y, z, w = q
    t = [2 * (y * v[2] - z * v[1]), 2 * (z * v[0] - x * v[2]), 2 * (x * v[1] - y * v[0])]
    return [v[0] + w * t[0] + y * t[2] - z * t[1], v[1] + w * t[1] + z * t[0] - x * t[2],
            v[2] + w * t[2] + x * t[1] - y * t[0]]


class Scene(Case):
    """The replay as a scene, against the replay of the page, which has whole millimetres."""

    def write(self, model, *options):
        for ending in ("html", "glb"):
            jounce("report", model, "--interpreter", "--quiet", *options, "-o", self.path("r." + ending))
        page = Path(self.path("r.html")).read_text(encoding="utf-8")
        self.page = json.loads(re.search(r'id="replay-data">(.*?)</script>', page, re.S).group(1))
        self.scene, self.buffer = read_glb(Path(self.path("r.glb")).read_bytes())
        self.nodes = self.scene["nodes"]
        self.items = [accessor(self.scene, self.buffer, i) for i in range(len(self.scene["accessors"]))]
        self.track = {}
        self.times = None
        for animation in self.scene.get("animations", []):
            for channel in animation["channels"]:
                sampler = animation["samplers"][channel["sampler"]]
                self.assertEqual(sampler["interpolation"], "LINEAR")
                self.times = [t for t, in self.items[sampler["input"]]]
                self.track[channel["target"]["node"], channel["target"]["path"]] = self.items[sampler["output"]]

    def at(self, node, path, frame):
        if (node, path) in self.track:
            return self.track[node, path][frame]
        return self.nodes[node].get(path, [0, 0, 0])

    def near(self, a, b, delta):
        for x, y in zip(a, b, strict=True):
            self.assertAlmostEqual(x, y, delta=delta)

    def point(self, k, frame):
        at = 3 * (frame * self.page["points"] + k)
        return [x / 1000 for x in self.page["xyz"][at:at + 3]]

    def check_structure(self):
        self.assertEqual(self.scene["asset"]["version"], "2.0")
        self.assertEqual(self.scene["buffers"], [{"byteLength": len(self.buffer)}])
        # views lie one after the other and fill the buffer
        at = 0
        for view in self.scene["bufferViews"]:
            self.assertEqual(view["byteOffset"], at)
            at += view["byteLength"]
        self.assertEqual(at, len(self.buffer))
        root = self.scene["scenes"][0]["nodes"]
        self.assertEqual(root, [len(self.nodes) - 1])
        self.assertEqual(self.nodes[-1]["children"], list(range(len(self.nodes) - 1)))
        self.near(turn(self.nodes[-1]["rotation"], [0, 0, 1]), [0, 1, 0], 1e-15)
        for mesh in self.scene["meshes"]:
            for p in mesh["primitives"]:
                vertices, normals = (self.items[p["attributes"][k]] for k in ("POSITION", "NORMAL"))
                self.assertIn("min", self.scene["accessors"][p["attributes"]["POSITION"]])
                self.assertEqual(len(vertices), len(normals))
                self.assertEqual(len(self.items[p["indices"]]) % 3, 0)
                self.assertLess(max(self.items[p["indices"]])[0], len(vertices))
                for n in normals:
                    self.assertAlmostEqual(math.hypot(*n), 1, delta=1e-6)
        self.assertEqual(len(self.times), self.page["frames"])
        self.near(self.times, [k * self.page["dt"] for k in range(len(self.times))], 1e-5)
        for (_, path), items in self.track.items():
            self.assertEqual(len(items), len(self.times))
            for a, b in zip(items, items[1:]) if path == "rotation" else ():
                self.assertAlmostEqual(math.hypot(*b), 1, delta=1e-6)
                self.assertGreaterEqual(sum(x * y for x, y in zip(a, b)), 0)

    def check_bodies(self, names):
        for body in self.page["bodies"]:
            if body["name"] not in names:
                continue
            node = names[body["name"]]
            q0, o0 = self.nodes[node]["rotation"], self.nodes[node]["translation"]
            for k in body["p"]:
                home = turn([-q0[0], -q0[1], -q0[2], q0[3]],
                            [p - o for p, o in zip(self.point(k, 0), o0)])
                for f in range(0, self.page["frames"], 3):
                    here = turn(self.at(node, "rotation", f), home)
                    here = [h + o for h, o in zip(here, self.at(node, "translation", f))]
                    self.near(here, self.point(k, f), 1.6e-3)  # rounded to 0.5 mm twice, in three directions

    def check_lines_and_wheels(self):
        by_name = {}
        for i, node in enumerate(self.nodes):
            by_name.setdefault((node["name"], "scale" in node), i)
        for line in self.page["lines"]:
            node = by_name[line["name"], True]
            for f in range(self.page["frames"]):
                a = self.at(node, "translation", f)
                length = self.at(node, "scale", f)
                b = [x + y for x, y in zip(a, turn(self.at(node, "rotation", f), [0, 0, length[2]]))]
                self.near(a, self.point(line["a"], f), 6e-4)
                self.near(b, self.point(line["b"], f), 6e-4)
        wheels = self.page["wheels"]
        for k, wheel in enumerate(wheels):
            node = by_name[wheel["name"], False]
            for f in range(self.page["frames"]):
                spin = [x / 1000 for x in self.page["spin"][9 * (f * len(wheels) + k):][:9]]
                q = self.at(node, "rotation", f)
                self.near(self.at(node, "translation", f), spin[:3], 6e-4)
                self.near(turn(q, [0, 1, 0]), spin[3:6], 6e-4)
                self.near(turn(q, [1, 0, 0]), spin[6:9], 6e-4)
            mesh = self.scene["meshes"][self.nodes[node]["mesh"]]
            rim = [math.hypot(v[0], v[2]) for v in self.items[mesh["primitives"][0]["attributes"]["POSITION"]]]
            self.assertAlmostEqual(max(rim), wheel["r"] / 1000, delta=6e-4)

    def test_vehicle(self):
        self.write("models/buggy/step_descent.yaml", "--set", "simulation.end=0.8", "--tol", "1e-4")
        self.check_structure()
        names = {}
        for i, node in enumerate(self.nodes):
            names.setdefault(node["name"], i)
        self.assertIn("chassis", names)
        self.check_bodies(names)
        self.check_lines_and_wheels()
        self.assertIn("road", names)

    def test_names_that_try_to_break_a_scene(self):
        model = self.path("hostile.yaml", HOSTILE)
        self.write(model)
        self.check_structure()
        self.assertEqual(self.scene["scenes"][0]["name"], 'näme "quoted", 🚗 and more')
        first = Path(self.path("r.glb")).read_bytes()
        self.write(model)
        self.assertEqual(Path(self.path("r.glb")).read_bytes(), first)

    def test_options_of_pages_are_refused(self):
        for option in (["--no-replay"], ["--wrt", "m"]):
            done = jounce("report", PENDULUM, "-o", "a.glb", *option, code=2)
            self.assertIn(f"{option[0]} is of pages", done.stderr)


class Rainflow(Case):
    def cells(self, *args):
        path = self.path("cycles.csv")
        jounce("loads", BOUNCER, "--interpreter", "--quiet", "--rainflow", path, *args)
        with open(path, encoding="utf-8", newline="") as f:
            return list(csv.DictReader(line for line in f if not line.startswith("#")))

    def test_matrices_hold_all_cycles(self):
        found = json.loads(jounce("loads", BOUNCER, "--interpreter", "--json").stdout)["damage"]
        cells = self.cells("--classes", "1000")
        for element, wanted in found.items():
            for matrix in ("from-to", "range-mean"):
                mine = [{k: float(c[k]) for k in ("row", "column", "count", "row_class", "column_class")}
                        for c in cells if (c["element"], c["matrix"]) == (element, matrix)]
                self.assertEqual(sum(c["count"] for c in mine), wanted["cycles"])
                self.assertTrue(all(1 <= c[k] <= 1000 for c in mine for k in ("row_class", "column_class")))
                ranges = [abs(c["row"] - c["column"]) if matrix == "from-to" else c["row"] for c in mine]
                damage = sum(c["count"] * r ** 5 for c, r in zip(mine, ranges))
                # a range is known to a class, 1/1000 of the largest; its fifth power to five times as much
                self.assertAlmostEqual(damage / wanted["damage"], 1, delta=5e-3)

    def test_classes_are_refused(self):
        for n in ("0", "1001", "2.5"):
            done = jounce("loads", BOUNCER, "--rainflow", "a.csv", "--classes", n, code=2)
            self.assertIn("--classes needs a whole number", done.stderr)
        self.assertIn("--rainflow", jounce("loads", BOUNCER, "--classes", "5", code=2).stderr)


class Units(Case):
    TIR = "test/data/tyres/MagicFormula61_Parameters.tir"

    def test_inputs_with_and_without_a_row_of_units(self):
        plain = self.path("plain.csv", "Fz,kappa,alpha\n4000,0.1,0.02\n3000,0,0.1\n")
        units = self.path("units.csv", "Fz,kappa,alpha\nN,-,rad\n4000,0.1,0.02\n3000,0,0.1\n")
        a = jounce("tyre", self.TIR, "--inputs", plain).stdout.splitlines()
        b = jounce("tyre", self.TIR, "--inputs", units).stdout.splitlines()
        self.assertEqual(a, b[:1] + b[2:])
        self.assertTrue(b[1].startswith("N,-,rad,N,N,N m,"))
        other = self.path("other.csv", "Fz,kappa,alpha\nkN,-,rad\n4,0.1,0.02\n")
        self.assertIn(":2: Fz is in 'kN'; it must be in 'N'",
                      jounce("tyre", self.TIR, "--inputs", other, code=1).stderr)


if __name__ == "__main__":
    unittest.main()
