# SPDX-License-Identifier: Apache-2.0
"""The wheel: what is in it, that it installs, and how the library is found."""
import base64
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
import zipfile

from case import BOUNCE, LIBRARY, PROGRAM, ROOT, Case

BACKEND = ROOT / "python/backend/jounce_build.py"


def python(code, path, **environment):
    """Run code far from the repository, with the package at `path`."""
    plain = {k: v for k, v in os.environ.items() if not k.startswith(("JOUNCE_LIBRARY", "PYTHON", "LD_LIBRARY"))}
    return subprocess.run([sys.executable, "-B", "-c", code], capture_output=True, text=True, check=False, cwd="/",
                          env={**plain, "PYTHONPATH": path, **environment})


class Wheel(Case):
    @classmethod
    def setUpClass(cls):
        cls.room = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.room.cleanup)
        done = subprocess.run([sys.executable, "-B", str(BACKEND), cls.room.name, LIBRARY], capture_output=True,
                              text=True, check=True)
        cls.wheel = done.stdout.strip()
        cls.unpacked = os.path.join(cls.room.name, "unpacked")
        with zipfile.ZipFile(cls.wheel) as archive:
            archive.extractall(cls.unpacked)
            cls.names = archive.namelist()

    def copy(self):
        """The package without its library, to be changed."""
        place = self.path("copy")
        shutil.copytree(os.path.join(self.unpacked, "jounce"), os.path.join(place, "jounce"),
                        ignore=shutil.ignore_patterns("*.so*"))
        return place

    def test_what_is_in_it(self):
        self.assertRegex(os.path.basename(self.wheel), r"^jounce-\d+\.\d+\.\d+-py3-none-linux_\w+\.whl$")
        self.assertIn("jounce/libjounce.so.0", self.names)
        self.assertIn("jounce/py.typed", self.names)
        self.assertIn("jounce/models/buggy/step_descent.yaml", self.names)
        self.assertEqual({n for n in self.names if n.endswith(".py") and not n.startswith("jounce/models/")},
                         {f"jounce/{p.name}" for p in (ROOT / "python/jounce").glob("*.py")})
        record = next(n for n in self.names if n.endswith("RECORD"))
        with open(os.path.join(self.unpacked, record), encoding="utf-8") as file:
            rows = [line.split(",") for line in file.read().split()]
        self.assertEqual({r[0] for r in rows}, set(self.names))
        for name, digest, size in rows:
            if not digest:
                continue
            with open(os.path.join(self.unpacked, name), "rb") as file:
                data = file.read()
            found = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            self.assertEqual((digest, int(size)), ("sha256=" + found, len(data)))

    def test_a_tree_that_needs_other_libraries_is_rejected(self):
        # the library of an ordinary build needs those of the system
        for part, file in (("lib", "libjounce.so.0"), ("bin", "jounce")):
            os.makedirs(self.path(part))
            shutil.copy(LIBRARY if part == "lib" else PROGRAM, self.path(f"{part}/{file}"))
        done = subprocess.run([sys.executable, "-B", str(BACKEND), self.path("out"), "--tree", self.folder],
                              capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, r"needs .*libfyaml\.so.*: such a wheel would not be self-contained")

    def test_the_models_are_those_of_the_package(self):
        done = python("import jounce; print(jounce.models_path)", self.unpacked, JOUNCE_LIBRARY=LIBRARY)
        self.assertEqual(done.stdout.strip(), f"{self.unpacked}/jounce/models")

    def test_the_same_files_make_the_same_bytes(self):
        # a small stand-in for the library: how it is packed is the same
        with open(self.path("libjounce.so"), "wb") as file:
            file.write(bytes(range(256)) * 64)
        made = []
        for folder in (self.path("a"), self.path("b")):
            done = subprocess.run([sys.executable, "-B", str(BACKEND), folder, self.path("libjounce.so")],
                                  capture_output=True, text=True, check=True)
            with open(done.stdout.strip(), "rb") as file:
                made.append(file.read())
        self.assertEqual(*made)

    def test_it_installs_and_runs_with_its_own_library(self):
        place = self.unpacked
        pip = [sys.executable, "-m", "pip", "install", "--no-index", "--no-deps", "--quiet",
               "--disable-pip-version-check", "--root-user-action=ignore", "--no-compile", "--target"]
        if python("import pip", "").returncode == 0:
            place = self.path("site")
            done = subprocess.run([*pip, place, self.wheel], capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 0, done.stderr)
        # the one in the package comes before others
        code = (f"import jounce; r = jounce.load({str(ROOT / BOUNCE)!r}).run(interpreter=True)\n"
                "print(jounce.library_path, r.statistics.is_complete)")
        done = python(code, place, JOUNCE_LIBRARY="/nowhere/libjounce.so")
        self.assertEqual((done.stdout.split(), done.stderr), ([f"{place}/jounce/libjounce.so.0", "True"], ""))

    def test_a_library_that_is_not_there_is_told(self):
        place = self.copy()
        done = python("import jounce", place, JOUNCE_LIBRARY="/nowhere/libjounce.so")
        self.assertEqual(done.returncode, 1)
        for words in ("libjounce was not found", "/nowhere/libjounce.so (named by JOUNCE_LIBRARY)", "hint: "):
            self.assertIn(words, done.stderr)
        done = python("import jounce; print(jounce.library_path)", place, JOUNCE_LIBRARY=LIBRARY)
        self.assertEqual(done.stdout.strip(), LIBRARY)

    def test_a_library_of_another_version_is_refused(self):
        place = self.copy()
        path = os.path.join(place, "jounce/_abi.py")
        with open(path, encoding="utf-8") as file:
            text = file.read()
        with open(path, "w", encoding="utf-8") as file:
            file.write(text.replace('JO_VERSION_STRING = "', 'JO_VERSION_STRING = "0.9'))
        done = python("import jounce", place, JOUNCE_LIBRARY=LIBRARY)
        self.assertRegex(done.stderr, r"is Jounce [\d.]+, this package is for 0\.9")


if __name__ == "__main__":
    unittest.main()
