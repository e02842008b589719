# SPDX-License-Identifier: Apache-2.0
"""What documents show works: every block of Python in docs/python.md and README.md, and the notebook."""
import contextlib
import doctest
import importlib.util
import io
import json
import re
import tempfile
import unittest
import warnings

import numpy as np
import run_notebook
import standins
from case import QUARTER_CAR, ROOT, Case

import jounce

BLOCK = re.compile(r"^```python\n(.*?)^```$", re.M | re.S)
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
OPTIONAL = {"scipy": "Debian: python3-scipy"}


def blocks(name):
    text = (ROOT / name).read_text(encoding="utf-8")
    for match in BLOCK.finditer(text):
        yield text.count("\n", 0, match.start()) + 2, match[1]


def is_there(module):
    return module not in standins.INSTALLED and importlib.util.find_spec(module) is not None


class Documents(Case):
    def run_blocks(self, name):
        names, printed = {"__name__": "__main__"}, io.StringIO()
        for line, code in blocks(name):
            needs = re.match(r"# needs (\w+)", code)
            if needs and not is_there(needs[1]):
                if needs[1] in OPTIONAL:
                    print(f"{name}:{line}: not run, {needs[1]} is not installed ({OPTIONAL[needs[1]]})")
                    continue
                standins.install(needs[1])
            with self.subTest(place=f"{name}:{line}"), contextlib.redirect_stdout(printed):
                if ">>>" in code:
                    self.run_session(code, names, name, line)
                else:
                    exec(compile("\n" * (line - 1) + code, name, "exec"), names)
        return names, printed.getvalue()

    def run_session(self, code, names, name, line):
        test = doctest.DocTestParser().get_doctest(code, names, name, name, line - 1)
        told = io.StringIO()
        runner = doctest.DocTestRunner(optionflags=FLAGS)
        failed = runner.run(test, out=told.write, clear_globs=False).failed
        names.update(test.globs)
        self.assertEqual(failed, 0, told.getvalue())

    def test_the_page_about_python(self):
        names, printed = self.run_blocks("docs/python.md")
        h = names["h"]
        # what JAX and PyTorch, or their stand-ins, make of the rules
        J = h.jac(h.x0)
        self.assertTrue(np.allclose(np.asarray(names["slope"].numpy()), J[0]))
        self.assertIn("d psi / d k_f = ", printed)
        self.assertLess(names["f"](names["f"].x0 * 0 + [12000, 800]), names["f"](names["f"].x0))

    def test_the_rule_for_jax(self):
        system = jounce.load(QUARTER_CAR).system(["k", "c"], interpreter=True)
        code = next(code for _, code in blocks("docs/python.md") if code.startswith("# needs jax"))
        if not is_there("jax"):
            standins.install("jax")
        names = {"system": system}
        exec(code, names)
        J = names["h"].jac(names["h"].x0)
        self.assertTrue(np.allclose(names["slope"], J[0] + 10.0 * J[1]))

    def test_the_readme(self):
        _, printed = self.run_blocks("README.md")
        self.assertEqual(len(re.findall(r"^d psi / d \w+ = \S+ \+- \S+$", printed, re.M)), 5)
        code = next(code for _, code in blocks("README.md"))
        self.assertLess(len(code.strip().splitlines()), 10)


class Notebook(Case):
    def test_the_tutorial(self):
        shown, printed = run_notebook.run(str(ROOT / "examples/tutorial.ipynb"))
        kinds = [kind for kind, count in shown if count]
        for kind in ("Model", "Gradient", "Result", "Sweep", "Loads", "Page"):
            self.assertIn(kind, kinds)
        self.assertIn("without a copy: True", printed)

    def test_it_is_a_notebook_without_outputs(self):
        book = json.loads((ROOT / "examples/tutorial.ipynb").read_text(encoding="utf-8"))
        self.assertEqual((book["nbformat"], len({c["id"] for c in book["cells"]})), (4, len(book["cells"])))
        for cell in book["cells"]:
            self.assertEqual(cell.get("outputs", []), [])

    def test_cells_that_fail_are_named(self):
        book = {"cells": [{"cell_type": "markdown", "source": ["x"]}, {"cell_type": "code", "source": ["1/0"]}]}
        with open(self.path("bad.ipynb"), "w", encoding="utf-8") as file:
            json.dump(book, file)
        with self.assertRaisesRegex(RuntimeError, "cell 2: division by zero"):
            run_notebook.run(self.path("bad.ipynb"))
        with self.assertRaisesRegex(ValueError, "not whole: div"):
            run_notebook.check_html("<div><p>x</div>")

    def test_everything_that_shows_itself_is_whole(self):
        model = jounce.load(QUARTER_CAR)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", jounce.JounceWarning)
            gradient = model.gradient(["k", "c", "at"], interpreter=True)
        things = [model, model.system(["k"], interpreter=True), model.run(interpreter=True), gradient,
                  model.sweep({"k": (15000, 17000, 3)}, interpreter=True),
                  model.sweep({"k": (15000, 17000, 2), "c": (1000, 1200, 2)}, interpreter=True),
                  model.sweep({"k": (15000, 17000)}, sample=4, interpreter=True), model.loads(interpreter=True),
                  model.static(), model.modes("static"),
                  model.system(["k"], use=["histories"], interpreter=True).loads_gradient(tolerance=1e-8),
                  jounce.load_tyre("test/data/tyres/Sedan_Pac02Tire.tir")]
        for thing in things:
            with self.subTest(kind=type(thing).__name__):
                self.assertGreater(run_notebook.check_html(thing._repr_html_()), 5)
        # texts of files do nothing in a page
        with tempfile.NamedTemporaryFile("w", suffix=".yaml", dir=self.folder) as file:
            file.write('jounce: 1\nname: "<script>"\nbodies: {a: {mass: 1}}\n'
                       "joints: {z: {type: prismatic, child: a, axis: z}}\n")
            file.flush()
            self.assertNotIn("<script>", jounce.load(file.name)._repr_html_())


if __name__ == "__main__":
    unittest.main()
