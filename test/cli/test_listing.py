# SPDX-License-Identifier: Apache-2.0
"""jounce generate --assembly: the listing of the machine code, at every level that this machine has."""
import json
import os
import platform
import re
import shutil
import subprocess
import unittest
from pathlib import Path

from case import Case
from program import PROGRAM, jounce

STEP = "models/buggy/step_descent.yaml"
LEVELS = ["x86-64-v2", "x86-64-v3", "x86-64-v4", "aarch64"]
LINE = re.compile(r"  ([0-9a-f]{6,})  ((?:[0-9a-f]{2} )+) +([^;]*[^; ])(?: +; (.*))?")
MACHINE = {"x86_64": ["-m", "i386:x86-64", "-M", "intel"], "aarch64": ["-m", "aarch64"]}.get(platform.machine())
# instructions of aarch64 that disassemblers show by other names
ALIAS = {"movz": "mov", "orr": "mov", "not": "mvn", "dup": "mov", "ins": "mov", "add": "mov"}


def read(text):
    """Instructions (offset, bytes, text, comment) of the functions by their names, and their first lines."""
    functions, heads, head = {}, {}, []
    for line in text.splitlines():
        found = LINE.fullmatch(line)
        if found:
            functions[name].append((int(found[1], 16), bytes.fromhex(found[2]), found[3], found[4]))
        elif line.endswith(":") and not line.startswith(";"):
            name = line[:-1]
            functions[name], heads[name] = [], " ".join(head[-2:])
        elif line and not line.startswith(";"):
            raise AssertionError(line)
        else:
            head.append(line)
    return functions, heads


def disassemble(path):
    """(bytes, mnemonic, operands) of every instruction, as objdump has them."""
    done = subprocess.run(["objdump", "-D", "-b", "binary", *MACHINE, "--insn-width=16", path], capture_output=True,
                          text=True, check=True)
    for line in done.stdout.splitlines():
        found = re.match(r" *[0-9a-f]+:\t([0-9a-f ]+?) *\t(?:\{\w+\} )?(\S+) *(.*)", line)
        if found:
            # newer versions name the encoding before instructions that have two
            yield found[1].replace(" ", ""), found[2], re.sub(r"^\w*\{evex\} ", "", found[3])


def plain(operands):
    """Operands in one way of writing."""
    operands = re.sub(r"\b[XYZ]?MM?WORD (PTR|BCST) |\b[DQ]WORD (PTR|BCST) |[ #].*$", "", operands.replace(", ", ","))
    return re.sub(r"\{1to\d\}|\+0x0\b", "", operands.replace(" ", ""))


@unittest.skipUnless(MACHINE, "no machine code for this processor")
class Listing(Case):
    def list(self, level, *options, model=STEP):
        """The listing at a level; None where this machine does not have it."""
        done = subprocess.run([PROGRAM, "generate", model, "--assembly", *options], capture_output=True, text=True,
                              check=False, env={**os.environ, "JOUNCE_CPU": level})
        if done.returncode == 0:
            return done.stdout
        self.assertIn(f"JOUNCE_CPU is '{level}', which this processor does not have", done.stderr)
        return None

    def listings(self):
        found = [(level, text) for level in LEVELS for text in [self.list(level)] if text]
        self.assertTrue(found)
        return found

    def test_functions_follow_one_another(self):
        for level, text in self.listings():
            functions, heads = read(text)
            self.assertIn("rhs", functions)
            self.assertIn("project", functions)
            for name, lines in functions.items():
                numbers = dict((k, int(n)) for k, n in re.findall(r"(code|instructions|spills|frame|constants) (\d+)",
                                                                  heads[name]))
                self.assertIn(f"; {name}: {level}, lanes 1, packs of up to", heads[name])
                self.assertEqual(numbers["instructions"], len(lines))
                self.assertEqual(numbers["code"], sum(len(code) for _, code, _, _ in lines))
                spilled = [note for _, _, _, note in lines if note and note.endswith(", spilled")]
                self.assertEqual(numbers["spills"], len(spilled))
                self.assertEqual(lines[-1][2], "ret")
                at = lines[0][0]
                for offset, code, _, _ in lines:
                    self.assertEqual(offset, at)
                    at += len(code)

    def test_inputs_outputs_and_constants_have_names(self):
        for _, text in self.listings():
            functions, _ = read(text)
            told = [note for _, _, _, note in functions["rhs"] if note]
            for pattern in (r"y\[\d+\]", r"ydot\[\d+\]", r"-?\d+\.\d+"):
                self.assertTrue(any(re.fullmatch(pattern, note) for note in told), pattern)
            self.assertRegex(text, r"\n; v\d+ = mul")
            self.assertRegex(text, r"\n; store\S* ydot\[")

    def test_addresses_do_not_show(self):
        for level, text in self.listings():
            self.assertEqual(text, self.list(level))
            functions, _ = read(text)
            calls = [(code, what) for lines in functions.values() for _, code, what, _ in lines
                     if what.startswith("movabs")]
            for code, what in calls:
                self.assertEqual(code[2:], bytes(8))
                self.assertRegex(what, r"movabs \w+, [a-z_0-9.]+$")
            self.assertTrue(calls or level == "aarch64")

    @unittest.skipUnless(shutil.which("objdump"), "no objdump")
    def test_instructions_are_those_of_a_disassembler(self):
        for level, text in self.listings():
            functions, _ = read(text)
            lines = [line for function in functions.values() for line in function]
            Path(self.path("code")).write_bytes(b"".join(code for _, code, _, _ in lines))
            other = list(disassemble(self.path("code")))
            self.assertEqual(len(lines), len(other))
            for (_, code, what, _), (their_code, name, operands) in zip(lines, other):
                mine, _, mine_operands = what.partition(" ")
                if level == "aarch64":
                    self.assertIn(name, (mine, ALIAS.get(mine), "cmp"), (what, name, operands))
                    continue
                self.assertEqual((code.hex(), mine), (their_code, name), what)
                if "rip" not in what and "narrow" not in what and mine != "movabs":
                    self.assertEqual(plain(mine_operands), plain(operands), what)

    def test_other_equations(self):
        """Tables, tyres and a road."""
        for model in ("models/sedan/cornering.yaml", "test/models/sweep_quarter_car.yaml"):
            self.assertIn("\nrhs:\n", jounce("generate", model, "--assembly").stdout)

    def test_file_and_json(self):
        text = jounce("generate", STEP, "--assembly").stdout
        path = self.path("step.s")
        done = jounce("generate", STEP, "--assembly", "-o", path)
        self.assertEqual(Path(path).read_text(encoding="utf-8"), text)
        self.assertRegex(done.stdout, r"^\d+ functions, \d+ instructions, \d+ bytes of code listed in ")
        functions, _ = read(text)
        told = json.loads(jounce("generate", STEP, "--assembly", "-o", path, "--json").stdout)
        self.assertEqual(told["file"], path)
        self.assertEqual(told["functions"], len(functions))
        self.assertEqual(told["instructions"], sum(len(lines) for lines in functions.values()))
        self.assertEqual(json.loads(jounce("generate", STEP, "--assembly", "--json").stdout)["listing"], text)

    def test_mistakes(self):
        for option in ("--interpreter", "--compiler"):
            self.assertIn("exclude each other", jounce("generate", STEP, "--assembly", option, code=2).stderr)
        self.assertIn("-o DIR is missing", jounce("generate", STEP, code=2).stderr)
        self.assertIn("/proc/x", jounce("generate", STEP, "--assembly", "-o", "/proc/x/y.s", code=1).stderr)


if __name__ == "__main__":
    unittest.main()
