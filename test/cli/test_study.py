#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Studies: every number is that of the plain command; mistakes are told with file and line; the page is whole.

Numbers are those of `run`, `sens` and `sweep` bit by bit, also at other values of parameters. Other values of numbers
that are no parameters meet `--set` to 1e-12: there they are constants of the code, which folds them.
"""
import csv
import html.parser
import json
import math
import re
import tempfile
import unittest
from pathlib import Path

from program import jounce

QUARTER = Path("test/models/sweep_quarter_car.yaml").resolve()
STEP = Path("models/buggy/step_descent.yaml").resolve()
CONSTANTS = 1e-12

CAR = """study: 1
name: quarter car
model: MODEL
set: {step: 0.06}
tolerance: 1e-9
parts:
  - histories: {sensors: [heave, spring.force], wrt: [c, k], for: {c: [800, 1100]}, output_step: 0.05}
  - range: {parameter: c, from: 500, to: 3000, points: 6}
  - range: {parameter: k, from: 1e4, to: 3e4, points: 3, objectives: comfort, derivative: false}
  - trajectories: {x: heave, y: spring.force, for: {c: [600, 1100]}}
  - differences: {objective: travel, parameter: c, points: 23}
  - ranking: {objective: comfort, wrt: [parameters, bodies.*], per: {c: 50}, threshold: 1e-3}
  - title: ends
    values: {text: what is left, objectives: all, sensors: [heave, hop], for: {bodies.body.mass: [200, 250]}}
""".replace("MODEL", str(QUARTER))

BUGGY = """study: 1
model: MODEL
parts:
  - histories: {sensors: az1, wrt: c_f, output_step: 0.05}
  - range: {parameter: c_f, from: 8000, to: 12000, points: 3}
  - trajectories: {x: z1, y: pitch, output_step: 0.05}
  - ranking: {wrt: [c_f, c_r], threshold: 1e-3}
  - values: {sensors: [z1, load_fr], objectives: [psi]}
""".replace("MODEL", str(STEP))


def run_json(*args):
    return json.loads(jounce(*args, "--json").stdout)


def columns(table):
    return {c["name"]: c["values"] for c in table["columns"]}


def read_csv(path):
    with open(path, encoding="utf-8", newline="") as f:
        rows = list(csv.reader(line for line in f if not line.startswith("#")))
    return {name: [float(r[i]) for r in rows[2:]] for i, name in enumerate(rows[0])}


class Numbers(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def study(self, text, *args):
        path = self.folder / "study.yaml"
        path.write_text(text, encoding="utf-8")
        return run_json("study", str(path), *args)["parts"]

    def plain(self, command, *args):
        """A command that writes a table."""
        out = self.folder / "out.csv"
        jounce(command, *args, "-o", str(out))
        return read_csv(out)

    def same(self, got, expected, tolerance=0.0):
        self.assertEqual(len(got), len(expected))
        scale = max((abs(x) for x in expected), default=0.0)
        for a, b in zip(got, expected):
            self.assertLessEqual(abs(a - b), tolerance * scale, msg=f"{a!r} {b!r}")

    def check_car(self, *how):
        parts = self.study(CAR, *how)
        common = (str(QUARTER), "--set", "step=0.06", "--tol", "1e-9", *how)
        # histories
        for i, value in enumerate((800, 1100)):
            got = columns(parts[0]["tables"][i])
            plain = self.plain("sens", *common, "--set", f"c={value}", "--wrt", "c,k", "--history",
                               "heave,spring.force", "--output-step", "0.05")
            self.assertEqual(list(got), list(plain))
            for name, values in got.items():
                self.same(values, plain[name])
        self.assertEqual(parts[0]["figures"], 6)
        # ranges
        sweep = run_json("sweep", *common, "--param", "c=500:3000:6", "--wrt", "c")["points"]
        got = columns(parts[1]["tables"][0])
        self.same(got["c"], [p["parameters"]["c"] for p in sweep])
        for name in ("comfort", "travel"):
            value = [p["objectives"][name]["value"] for p in sweep]
            slope = [p["objectives"][name]["gradient"]["c"] for p in sweep]
            self.same(got[name], value)
            self.same(got[f"d {name} / d c"], slope)
            percent = [d * x / y for d, x, y in zip(slope, got["c"], value)]
            self.same(got[f"{name}, % per 1 % of c"], percent, 1e-15)
        self.assertEqual(parts[1]["figures"], 4)
        sweep = run_json("sweep", *common, "--param", "k=1e4:3e4:3")["points"]
        got = columns(parts[2]["tables"][0])
        self.assertEqual(list(got), ["k", "comfort"])
        self.same(got["comfort"], [p["objectives"]["comfort"]["value"] for p in sweep])
        # trajectories
        for i, value in enumerate((600, 1100)):
            got = columns(parts[3]["tables"][i])
            plain = self.plain("run", *common, "--set", f"c={value}")
            for name in ("t", "heave", "spring.force"):
                self.same(got[name], plain[name])
        # differences
        curve = run_json("sens", *common, "--vcurve", "c", "--objective", "travel")["vcurve"]
        got = columns(parts[4]["tables"][0])
        self.same(got["increment of c / c"], [p["increment"] for p in curve["points"]])
        for name in ("forward", "central"):
            self.same(got[name], [p[name] for p in curve["points"]])
            self.same(got[f"relative error, {name}"], [p[f"{name}_error"] for p in curve["points"]])
        self.check_ranking(parts[5]["tables"], run_json(
            "sens", *common, "--wrt", "parameters,bodies.*", "--threshold", "1e-3"), "comfort")
        got = columns(parts[5]["tables"][0])
        self.assertEqual([x for x in got["increment"] if x is not None], [50])
        at = got["number"].index("c")
        self.assertEqual(got["change"][at], 50 * got["derivative"][at])
        # values
        self.assertEqual(parts[6]["title"], "ends")
        got = columns(parts[6]["tables"][0])
        self.assertEqual(got["quantity"], ["comfort", "travel", "heave", "hop"])
        for mass in (200, 250):
            plain = run_json("run", *common, "--set", f"bodies.body.mass={mass}")
            known = plain["objectives"] | plain["final"]
            for name, value in zip(got["quantity"], got[f"bodies.body.mass = {mass}"]):
                self.same([value], [known[name]], CONSTANTS)

    def check_ranking(self, tables, sens, objective):
        """Who matters, in that order, and who does not."""
        o = sens["objectives"][objective]
        groups = {"matters": [], "zero value": [], "idle": [], "none": []}
        for row in o["ranking"]:
            groups[row["influence"]].append(row)
        self.assertEqual(len(tables), sum(1 for g in groups.values() if g))
        for table, rows in zip(tables, (g for g in groups.values() if g)):
            got = columns(table)
            self.assertEqual(got["number"], [r["parameter"] for r in rows])
            self.same(got["derivative"], [o["gradient"][r["parameter"]] for r in rows])
            self.same(got["error"], [o["gradient_error"][r["parameter"]] for r in rows])
            self.same(got["% per 1 %"], [r["percent_per_percent"] for r in rows])

    def test_a_small_model(self):
        self.check_car()

    def test_a_small_model_interpreted(self):
        self.check_car("--interpreter")

    def test_the_buggy(self):
        parts = self.study(BUGGY)
        step = str(STEP)
        got = columns(parts[0]["tables"][0])
        plain = self.plain("sens", step, "--wrt", "c_f", "--history", "az1", "--output-step", "0.05")
        for name, values in got.items():
            self.same(values, plain[name])
        sweep = run_json("sweep", step, "--param", "c_f=8000:12000:3", "--wrt", "c_f")["points"]
        got = columns(parts[1]["tables"][0])
        self.same(got["psi"], [p["objectives"]["psi"]["value"] for p in sweep])
        self.same(got["d psi / d c_f"], [p["objectives"]["psi"]["gradient"]["c_f"] for p in sweep])
        got = columns(parts[2]["tables"][0])
        plain = self.plain("run", step, "--output-step", "0.05")
        for name in ("t", "z1", "pitch"):
            self.same(got[name], plain[name])
        sens = run_json("sens", step, "--wrt", "c_f,c_r", "--threshold", "1e-3")
        self.check_ranking(parts[3]["tables"], sens, "psi")
        got = columns(parts[4]["tables"][0])
        plain = run_json("run", step)
        known = plain["objectives"] | plain["final"]
        self.same(got["value"], [known[name] for name in got["quantity"]])

    def test_curves_by_other_numbers(self):
        """Ranges and trajectories with derivatives, runs and values of their own: those of the plain commands."""
        parts = self.study(CAR[:CAR.index("parts:")] + """parts:
  - range: {parameter: c, from: 500, to: 3000, points: 3, objectives: travel, wrt: [k, c], for: {step: [0.05, 0.1]}}
  - {set: {c: 900}, trajectories: {x: [heave, t], y: spring.force, wrt: k, from: 0.5, to: 1, output_step: 0.05}}
""")
        common = (str(QUARTER), "--tol", "1e-9")
        for i, step in enumerate((0.05, 0.1)):
            got = columns(parts[0]["tables"][i])
            sweep = run_json("sweep", *common, "--set", f"step={step}", "--param", "c=500:3000:3", "--wrt", "k,c")
            for name in ("k", "c"):
                slope = [p["objectives"]["travel"]["gradient"][name] for p in sweep["points"]]
                self.same(got[f"d travel / d {name}"], slope)
            self.same(got["travel per 1 % of k"], [0.01 * 16000 * d for d in got["d travel / d k"]], 1e-15)
            self.same(got["travel, % per 1 % of c"],
                      [d * x / y for d, x, y in zip(got["d travel / d c"], got["c"], got["travel"])], 1e-15)
        self.assertEqual(parts[0]["figures"], 3)
        got = columns(parts[1]["tables"][0])
        plain = self.plain("sens", *common, "--set", "step=0.06", "--set", "c=900", "--wrt", "k", "--history",
                           "heave,spring.force", "--output-step", "0.05")
        inside = [i for i, t in enumerate(plain["t"]) if 0.5 - 1e-9 <= t <= 1 + 1e-9]
        for name in ("t", "heave", "spring.force", "d spring.force / d k"):
            self.same(got[name], [plain[name][i] for i in inside])
        self.assertEqual(parts[1]["figures"], 4)

    def test_surfaces(self):
        parts = self.study(CAR[:CAR.index("parts:")] + """parts:
  - surface: {sensors: [heave, hop], parameter: c, from: 800, to: 1100, points: 4, output_step: 0.05}
""")
        tables = [columns(t) for t in parts[0]["tables"]]
        self.assertEqual([t["title"] for t in parts[0]["tables"]],
                         ["heave [m]", "d heave / d c [m/(N s/m)]", "hop [m]", "d hop / d c [m/(N s/m)]"])
        self.assertEqual(parts[0]["figures"], 4)
        for c in (800, 900, 1000, 1100):
            plain = self.plain("sens", str(QUARTER), "--tol", "1e-9", "--set", "step=0.06", "--set", f"c={c}", "--wrt",
                               "c", "--history", "heave,hop", "--output-step", "0.05")
            for table, name in zip(tables, ("heave", "d heave / d c", "hop", "d hop / d c")):
                self.same(table["t"], plain["t"])
                self.same(table[f"c = {c} N s/m"], plain[name])

    def test_settings_of_the_command_line_win(self):
        text = CAR[:CAR.index("parts:")] + "parts: [values: {objectives: [comfort]}]\n"
        values = [columns(self.study(text, *args)[0]["tables"][0])["value"][0]
                  for args in ((), ("--set", "step=0.06"), ("--set", "step=0.08"))]
        self.assertEqual(values[0], values[1])
        self.assertNotEqual(values[0], values[2])

    def test_points_that_fail_leave_a_gap(self):
        text = CAR[:CAR.index("parts:")] + ("parts: [range: {parameter: rod, from: -1, to: 2, points: 4, "
                                            "objectives: [comfort]}]\n")
        path = self.folder / "study.yaml"
        path.write_text(text, encoding="utf-8")
        done = jounce("study", str(path), "--json")
        self.assertIn("range: rod = -1", done.stderr)
        got = columns(json.loads(done.stdout)["parts"][0]["tables"][0])
        self.assertEqual([x is None for x in got["comfort"]], [True, True, False, False])
        path.write_text(text.replace("to: 2", "to: -0.5"), encoding="utf-8")
        self.assertIn("no point could be computed", jounce("study", str(path), code=1).stderr)


class Mistakes(unittest.TestCase):
    HEAD = f"study: 1\nmodel: {QUARTER}\nparts:\n"

    def told(self, text, *messages):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "study.yaml")
            path.write_text(text, encoding="utf-8")
            page = Path(folder, "page.html")
            said = jounce("study", str(path), "--interpreter", "-o", str(page), code=1).stderr
            for message in messages:
                self.assertIn(message, said)
            self.assertFalse(page.exists())

    def part(self, text, *messages):
        self.told(self.HEAD + f"  - {text}\n", *(f"study.yaml:4: {m}" for m in messages))

    def test_of_units(self):
        self.part("range: {parameter: m, from: 4 N/mm, to: 2}",
                  "range: from is '4 N/mm'; numbers here are in SI units, without one: 4000")

    def test_of_the_file(self):
        self.told("", "the file is empty")
        self.told("a: [", "study.yaml:2: yaml")
        self.told("jounce: 1\n", "begin with 'study: 1'. This is a model")
        self.told("study: 2\n", "format version '2' is not known")
        self.told("study: 1\n", "'model' is missing", "'parts' is missing")
        self.told("study: 1\nmodle: a\nmodel: b\nparts: []\n",
                  "study.yaml:2: study: unknown key 'modle'; did you mean 'model'?", "parts is an empty list")
        self.told("study: 1\nmodel: nothing.yaml\nparts: [values: ]\n", "nothing.yaml")
        self.told(self.HEAD.replace("parts", "tolerance: 0\nparts") + "  - values:\n", "tolerance is 0")
        self.told(self.HEAD.replace("parts", "set: {stepp: 1}\nparts") + "  - values:\n", "stepp")

    def test_of_parts(self):
        self.part("rnage: {}", "part: unknown key 'rnage'; did you mean 'range'?")
        self.part("title: nothing", "part: says not what it is")
        self.part("{values: , ranking: }", "part: 'values' beside 'ranking'")
        self.part("histories: {sensor: [heave]}", "histories: unknown key 'sensor'; did you mean 'sensors'?",
                  "histories: 'sensors' is missing", "histories: 'wrt' is missing")
        self.part("{title: a, values: {title: b}}", "values: title is given twice")
        self.part("range: {parameter: c, from: 1}", "range: 'to' is missing")
        self.part("range: {parameter: c, from: 1, to: 2, points: 1.5}", "range: points is 1.5; it must be a whole")
        self.part("range: {parameter: c, from: 1, to: 2, derivative: 1}", "range: derivative is '1'")
        self.part("trajectories: {x: heave, for: {c: []}}", "trajectories: 'y' is missing",
                  "trajectories: for needs one value or more")
        self.part("values: {for: {c: [1], k: [2]}}", "values: for needs one parameter")
        self.part("trajectories: {x: t, y: heave, from: 2, to: 1}", "trajectories: the window needs from < to")
        self.part("trajectories: {x: t, y: heave, from: 200}", "trajectories: nothing of the run is between 200")
        self.part("range: {parameter: c, from: 1, to: 2, wrt: k, derivative: false}", "range: wrt beside derivative")
        self.part("surface: {sensors: heave, parameter: c, from: 2, to: 1}", "surface: a surface needs from < to")
        self.part("surface: {sensors: heave, parameter: c, from: 1, to: 2, output_step: 0}", "surface: output_step is 0")
        self.part("{set: {cc: 1}, values: }", "values: ")
        self.told(self.HEAD + "  - {model: nothing.yaml, values: }\n", "nothing.yaml: model: there is no such file")
        self.part("ranking: {objective: comfort, threshold: -1}", "ranking: threshold is -1")
        self.part("histories: {sensors: heave, wrt: c, output_step: -1}", "histories: output_step is -1")

    def test_of_names(self):
        self.part("ranking: {}", "ranking: 'objective' is missing: the model has 2")
        self.part("ranking: {objective: comfrot}",
                  "ranking: the model has no objective 'comfrot'; did you mean 'comfort'?")
        self.part("differences: {objective: comfort, parameter: kk}", "differences: ")
        self.part("range: {parameter: k_2, from: 1, to: 2}", "range: ")
        self.part("ranking: {objective: comfort, wrt: [bodies.boddy.mass]}", "ranking: ")
        self.part("ranking: {objective: comfort, wrt: [k], per: {c: 1}}",
                  "ranking: per: 'c' is not among the parameters of wrt; add it")
        self.part("histories: {sensors: [heav], wrt: c}",
                  "histories: no sensor or other output is named 'heav'; did you mean 'heave'?")
        self.part("trajectories: {x: t, y: heev}", "trajectories: no sensor or other output is named 'heev'")

    def test_the_schema_has_the_kinds_and_their_keys(self):
        schema = json.loads(Path("docs/jounce-study.schema.json").read_text(encoding="utf-8"))
        part = schema["properties"]["parts"]["items"]
        kinds = [k for k in part["properties"] if "properties" in part["properties"][k]]
        self.part("title: nothing", f"part: says not what it is; it needs one of {', '.join(kinds)}")
        self.assertEqual([o["required"] for o in part["oneOf"]], [[k] for k in kinds])
        common = set(part["properties"]) - set(kinds)
        every = {k for kind in kinds for k in part["properties"][kind]["properties"]}
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "study.yaml")
            for kind in kinds:
                keys = part["properties"][kind]["properties"]
                self.assertLessEqual(common, set(keys))
                path.write_text(self.HEAD + f"  - {kind}: {{{', '.join(f'{k}: {{}}' for k in sorted(every))}}}\n",
                                encoding="utf-8")
                said = jounce("study", str(path), "--interpreter", code=1).stderr
                unknown = set(re.findall(r"unknown key '(\w+)'", said))
                self.assertEqual(unknown, every - set(keys), kind)
            for key in part["properties"]["range"]["required"]:
                path.write_text(self.HEAD + "  - range: {}\n", encoding="utf-8")
                self.assertIn(f"'{key}' is missing", jounce("study", str(path), code=1).stderr)

    def test_every_key_of_the_schema_is_read(self):
        schema = json.loads(Path("docs/jounce-study.schema.json").read_text(encoding="utf-8"))
        kinds = {k: p for k, p in schema["properties"]["parts"]["items"]["properties"].items() if "properties" in p}
        for kind, part in kinds.items():
            for key in part["properties"]:
                with tempfile.TemporaryDirectory() as folder:
                    path = Path(folder, "study.yaml")
                    path.write_text(self.HEAD + f"  - {kind}: {{{key}: {{zz: [[]]}}}}\n", encoding="utf-8")
                    said = jounce("study", str(path), code=1).stderr
                about = [line for line in said.splitlines() if re.search(rf": {key}\b|'{key}'", line)]
                self.assertTrue(any("missing" not in line for line in about), f"{kind}: {key}: {said}")

    def test_several_at_once(self):
        self.told(self.HEAD + "  - ranking: {objective: a}\n  - differences: {objective: b, parameter: cc}\n",
                  "study.yaml:4: ranking", "study.yaml:5: differences: the model has no objective 'b'", "'cc'")

    def test_of_the_command(self):
        jounce("study", code=2)
        jounce("study", "models/buggy/study.yaml", "-o", "page.pdf", code=2)
        error = json.loads(jounce("study", str(QUARTER), "--json", code=1).stdout)["error"]
        self.assertEqual(error["file"], str(QUARTER))


class Balance(html.parser.HTMLParser):
    """Elements that were opened and not closed."""
    VOID = {"meta"}

    def __init__(self):
        super().__init__()
        self.open, self.count = [], {}

    def handle_starttag(self, tag, attrs):
        self.count[tag] = self.count.get(tag, 0) + 1
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.count[tag] = self.count.get(tag, 0) + 1

    def handle_endtag(self, tag):
        last = self.open.pop()
        if last != tag:
            raise AssertionError(f"</{tag}> closes <{last}>")


class Page(unittest.TestCase):
    def test_the_page_is_whole_and_the_same_again(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "study.yaml")
            path.write_text(CAR.replace("what is left", "\"<b>&amp; 5 µm\""), encoding="utf-8")
            pages = []
            for name in ("a.html", "b.html"):
                done = run_json("study", str(path), "-o", f"{folder}/{name}", "--figures", folder)
                pages.append(Path(folder, name).read_text(encoding="utf-8"))
            self.assertEqual(pages[0], pages[1])
            page = Balance()
            page.feed(pages[0])
            self.assertEqual(page.open, [])
            self.assertIn("&lt;b&gt;&amp;amp; 5 µm", pages[0])
            self.assertNotIn("nan", pages[0].split("</style>")[1])
            self.assertNotIn("src=", pages[0])
            self.assertNotIn("<script", pages[0])
            figures = sum(p["figures"] for p in done["parts"])
            self.assertEqual(page.count["figure"], figures)
            self.assertEqual(len(list(Path(folder).glob("part*_*.svg"))), figures)
            self.assertEqual(page.count["section"], 7)
            tables = sum(len(p["tables"]) for p in done["parts"])
            self.assertEqual(page.count["table"], tables)
            self.assertGreater(page.count["details"], 5)

    def test_a_map_has_colours_and_a_bar(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "study.yaml")
            path.write_text(CAR[:CAR.index("parts:")] + "parts: [surface: {sensors: [heave, hop], parameter: c, "
                            "from: 800, to: 1100, points: 3, output_step: 0.05}]\n", encoding="utf-8")
            run_json("study", str(path), "-o", f"{folder}/page.html", "--figures", folder)
            page = Balance()
            page.feed(Path(folder, "page.html").read_text(encoding="utf-8"))
            self.assertEqual(page.open, [])
            for name, is_signed in (("part1_1.svg", False), ("part1_4.svg", True)):
                svg = Path(folder, name).read_text(encoding="utf-8")
                # all colours of cells are in the bar, which has both hues where there are both signs
                cells = set(re.findall('<path fill="(#[0-9a-f]{6})" d="M', svg))
                bar = re.findall('height="[0-9.]+" fill="(#[0-9a-f]{6})"', svg)[1:]
                self.assertLessEqual(cells, set(bar))
                self.assertGreater(len(cells), 5)
                warm = [int(c[1:3], 16) > int(c[5:7], 16) for c in bar]
                self.assertEqual((True in warm, False in warm), (is_signed, True))
                self.assertNotIn("nan", svg)

    def test_text_has_a_table_of_every_part(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "study.yaml")
            path.write_text(CAR, encoding="utf-8")
            text = jounce("study", str(path), "--interpreter").stdout
            for word in ("quarter car: sweep_quarter_car", "objectives over c", "What matters for comfort",
                         "one row in", "do not matter", "ends"):
                self.assertIn(word, text)

    def test_the_example_reads(self):
        text = Path("models/buggy/study.yaml").read_text(encoding="utf-8")
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "study.yaml")
            path.write_text(text[:text.index("  - title: Acceleration")].replace(
                "step_descent.yaml", str(STEP)), encoding="utf-8")
            got = columns(run_json("study", str(path))["parts"][0]["tables"][0])
            self.assertTrue(math.isclose(got["c_f = 10000 N s/m"][0], 16.418234, rel_tol=1e-6))


if __name__ == "__main__":
    unittest.main()
