#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Man pages and completion: they say what --help says, and shells understand them."""
import json
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

from program import jounce

ROOM = tempfile.TemporaryDirectory()
FOLDER = Path(ROOM.name) / "manual"
WRITTEN = json.loads(jounce("manual", "-o", str(FOLDER), "--json").stdout)["files"]


def commands():
    """Names and arguments, as the program lists them: summaries begin in one column. A name of two words
    stands behind a command of the first."""
    lines = jounce("--help").stdout.split("commands\n")[1].split("\n\n")[0].splitlines()
    column = next(i for i in range(3, 99) if all(line[i - 1] == " " != line[i] for line in lines))
    found = {}
    for first, *rest in (line[:column].split() for line in lines):
        name = " ".join([first, rest.pop(0)]) if first in found else first
        found[name] = " ".join(rest)
    return found


def help_options(command):
    lines = jounce(*command.split(), "--help").stdout.split("options\n")[1].splitlines()
    return [line.split()[0] for line in lines]


def plain(text):
    """A man page without what groff reads."""
    text = re.sub(r"\\f[BIR]|\\&", "", text)
    for escape, character in ((r"\-", "-"), (r"\(ha", "^"), (r"\(ti", "~"), (r"\(aq", "'"), (r"\e", "\\")):
        text = text.replace(escape, character)
    return text


class Bash:
    """A real bash with the completion loaded; one process for all questions."""

    def __init__(self):
        self.questions = []

    def ask(self, *words):
        self.questions.append(words)

    def answers(self, cwd):
        script = f"source '{FOLDER}/jounce'\n"
        for words in self.questions:
            quoted = " ".join("'" + word + "'" for word in words)
            script += (f"COMP_WORDS=({quoted}); COMP_CWORD={len(words) - 1}; _jounce\n"
                       "printf '%s\\n' \"${COMPREPLY[@]}\" --end--\n")
        done = subprocess.run(["bash", "--norc", "-u", "-c", script], capture_output=True, text=True,
                              check=True, cwd=cwd)
        assert done.stderr == "", done.stderr
        return [[word for word in part.split("\n") if word] for part in done.stdout.split("--end--\n")[:-1]]


def complete(*questions, cwd=None):
    bash = Bash()
    for words in questions:
        bash.ask("jounce", *words)
    return bash.answers(cwd)


class Files(unittest.TestCase):
    def test_there_is_a_page_for_every_command_and_a_file_for_every_shell(self):
        pages = {f"jounce-{name.replace(' ', '-')}.1" for name in commands()}
        wanted = pages | {"jounce.1", "jounce", "_jounce", "jounce.fish"}
        self.assertEqual({path.name for path in FOLDER.iterdir()}, wanted)
        self.assertEqual({Path(path).name for path in WRITTEN}, wanted)

    def test_the_same_program_writes_the_same_bytes(self):
        with tempfile.TemporaryDirectory() as other:
            jounce("manual", "-o", other)
            for path in FOLDER.iterdir():
                self.assertEqual(path.read_bytes(), (Path(other) / path.name).read_bytes(), path.name)
                self.assertNotIn(str(Path.cwd()), path.read_text(encoding="utf-8"))

    def test_a_format_is_written_alone(self):
        with tempfile.TemporaryDirectory() as other:
            jounce("manual", "-o", other, "--format", "fish")
            self.assertEqual([path.name for path in Path(other).iterdir()], ["jounce.fish"])

    def test_mistakes(self):
        self.assertIn("-o DIR is missing", jounce("manual", code=2).stderr)
        self.assertIn("man, bash, zsh or fish", jounce("manual", "-o", ROOM.name, "--format", "csh", code=2).stderr)
        with tempfile.NamedTemporaryFile() as f:
            self.assertIn(f.name, jounce("manual", "-o", f.name, code=1).stderr)
            self.assertIn("cannot be made", jounce("manual", "-o", f.name + "/x", code=1).stderr)


class Pages(unittest.TestCase):
    def test_a_page_has_the_options_of_the_help_and_no_others(self):
        for name in commands():
            page = plain((FOLDER / f"jounce-{name.replace(' ', '-')}.1").read_text(encoding="utf-8"))
            told = [line.split()[0] for line in re.findall(r"^\.TP\n(-.*)$", page, re.M)]
            self.assertEqual(told, help_options(name), name)
            self.assertIn(f"jounce {jounce('--version').stdout.split()[1]}", page.splitlines()[0])

    def test_the_first_page_lists_the_commands(self):
        page = plain((FOLDER / "jounce.1").read_text(encoding="utf-8"))
        part = page.split(".SH COMMANDS\n")[1].split(".SH")[0]
        told = [line.strip() for line in re.findall(r"^\.TP\n(.*)$", part, re.M)]
        self.assertEqual(told, [f"{name} {arguments}".strip() for name, arguments in commands().items()])

    def test_the_first_page_lists_the_environment(self):
        page = (FOLDER / "jounce.1").read_text(encoding="utf-8")
        part = page.split(".SH ENVIRONMENT\n")[1].split(".SH")[0]
        told = set(re.findall(r"^\.TP\n\\fB(\w+)", part, re.M))
        read = set()
        for path in [*Path("src").rglob("*.c"), *Path("cli").glob("*.c")]:
            read |= set(re.findall(r'get(?:env|_variable)\("(\w+)"\)', path.read_text(encoding="utf-8")))
        self.assertEqual(told, read)

    def test_formatters_have_nothing_to_say(self):
        pages = sorted(str(path) for path in FOLDER.glob("*.1"))
        for command in (["mandoc", "-T", "lint", "-W", "warning"], ["groff", "-man", "-ww", "-z", "-K", "utf8"]):
            if not shutil.which(command[0]):
                continue
            done = subprocess.run([*command, *pages], capture_output=True, text=True, check=False)
            said = [line for line in (done.stdout + done.stderr).splitlines() if "missing date" not in line]
            self.assertEqual(said, [], command[0])


class BashCompletion(unittest.TestCase):
    def test_commands(self):
        names = [name for name in commands() if " " not in name]
        answers = complete([""], ["s"], ["loads", "rec"])
        self.assertEqual(answers[0], [*names, "--help", "--version"])
        self.assertEqual(answers[1], [name for name in names if name.startswith("s")])
        self.assertEqual(answers[2], ["reconstruct"])

    def test_options_are_those_of_the_help(self):
        names = list(commands())
        for name, told in zip(names, complete(*([*name.split(), "-"] for name in names))):
            self.assertEqual(told, help_options(name), name)

    def test_choices(self):
        methods = re.split(", | or ", re.search("--method NAME +(.*)", jounce("run", "--help").stdout).group(1))
        ways = [["run", "--method", ""], ["run", "--method", "="], ["run", "--method", "=", ""],
                ["run", "x.yaml", "--json", "--set", "a", "=", "1", "--method", ""]]
        for told in complete(*ways):
            self.assertEqual(told, methods)
        self.assertEqual(complete(["run", "--method", "=", "dop"])[0], ["dopri5"])
        self.assertEqual(complete(["benchmark", ""])[0], ["buggy"])

    def test_files_by_their_endings(self):
        with tempfile.TemporaryDirectory() as folder:
            for name in ("a.yaml", "b c.yml", "d.csv", "e.h5", "f.tir", "g.events", "notes"):
                (Path(folder) / name).touch()
            (Path(folder) / "models").mkdir()
            cases = [(["run", ""], ["a.yaml", "b c.yml", "models"]),
                     (["run", "--json", ""], ["a.yaml", "b c.yml", "models"]),
                     (["run", "-o", ""], ["d.csv", "e.h5", "models"]),
                     (["run", "a.yaml", "-o", "d"], ["d.csv"]),
                     (["run", "no"], ["notes"]),  # none ends so
                     (["tyre", ""], ["f.tir", "models"]),
                     (["loads", "reconstruct", ""], ["g.events", "models"]),
                     (["generate", "a.yaml", "-o", ""], ["models"]),
                     (["run", "--", "a"], ["a.yaml"]),
                     (["run", "a.yaml", ""], []),  # no second argument
                     (["run", "--end", ""], []),
                     (["nonsense", ""], [])]
            answers = complete(*(words for words, _ in cases), cwd=folder)
            for (words, wanted), told in zip(cases, answers):
                self.assertEqual(sorted(told), sorted(wanted), words)


class OtherShells(unittest.TestCase):
    """Where they are installed."""

    @unittest.skipUnless(shutil.which("zsh"), "no zsh")
    def test_zsh_reads_it(self):
        subprocess.run(["zsh", "-n", str(FOLDER / "_jounce")], check=True)

    def test_zsh_is_told_every_option(self):
        text = (FOLDER / "_jounce").read_text(encoding="utf-8")
        for name in commands():
            part = text.split(f"\n    '{name}')\n")[1].split(";;")[0]
            self.assertEqual(re.findall(r"^ +'\*?(--?[a-z-]+)", part, re.M), help_options(name), name)

    @unittest.skipUnless(shutil.which("fish"), "no fish")
    def test_fish_completes(self):
        script = f"source {FOLDER}/jounce.fish\n"
        names = list(commands())
        for name in names:
            script += f"complete -C 'jounce {name} --'; echo END\n"
        done = subprocess.run(["fish", "--no-config", "-c", script], capture_output=True, text=True, check=True)
        for name, part in zip(names, done.stdout.split("END\n")):
            told = {line.split("\t")[0] for line in part.splitlines()}
            self.assertEqual(told, {o for o in help_options(name) if o.startswith("--")}, name)

    def test_fish_is_told_every_option(self):
        text = (FOLDER / "jounce.fish").read_text(encoding="utf-8")
        for name in commands():
            told = re.findall(rf"'__jounce_is {name}' -([ls]) (\S+)", text)
            self.assertEqual([("--" if kind == "l" else "-") + word for kind, word in told], help_options(name), name)


if __name__ == "__main__":
    unittest.main()
