#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The description of the binary interface: the library keeps to it, and a change of the headers is seen and judged.

  test_abi.py SOURCE LIBRARY
"""
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

LIBRARY = sys.argv.pop(2)
SOURCE = Path(sys.argv.pop(1))


def check(*arguments):
    done = subprocess.run([sys.executable, SOURCE / "tools/check_abi.py", *arguments], capture_output=True, text=True,
                          check=False)
    return done.returncode, done.stdout + done.stderr


class Library(unittest.TestCase):
    def test_headers_and_library_are_as_described(self):
        code, said = check("--library", LIBRARY)
        self.assertEqual(code, 0, said)

    def test_symbols_that_no_header_declares_are_told(self):
        with tempfile.TemporaryDirectory() as room:
            path = f"{room}/libjounce.so"
            unit = "int jo_secret(void) { return 1; }\n"
            subprocess.run(["cc", "-shared", "-fPIC", "-x", "c", "-", "-o", path, "-Wl,-soname,libjounce.so.77"],
                           input=unit, text=True, check=True)
            code, said = check("--library", path)
        self.assertEqual(code, 1)
        self.assertIn("jo_secret is seen, but no header declares it", said)
        self.assertIn("jo_version is declared, but not there", said)
        self.assertIn("its SONAME is libjounce.so.77, not libjounce.so.", said)


class Changes(unittest.TestCase):
    """Of a copy of the headers."""

    def setUp(self):
        room = tempfile.TemporaryDirectory()
        self.addCleanup(room.cleanup)
        self.root = Path(room.name)
        for path in ("include", "tools/abi", "debian"):
            shutil.copytree(SOURCE / path, self.root / path)
        shutil.copy(SOURCE / "CHANGELOG.md", self.root)
        self.version = re.search(r'JO_VERSION_STRING "([\d.]+)"', self.base.read_text(encoding="utf-8"))[1]

    @property
    def base(self):
        return self.root / "include/jounce/base.h"

    def change(self, old, new, path=None):
        path = path or self.base
        text = path.read_text(encoding="utf-8")
        self.assertIn(old, text)
        path.write_text(text.replace(old, new, 1), encoding="utf-8")

    def release(self):
        self.change("## [Unreleased]", f"## [Unreleased]\n\n## [{self.version}]", self.root / "CHANGELOG.md")

    def judge(self, *arguments, code=1):
        got, said = check("--root", self.root, *arguments)
        self.assertEqual(got, code, said)
        return said

    def test_a_member_more_moves_the_others(self):
        self.change("  void* user;\n} jo_allocator;", "  int more;\n  void* user;\n} jo_allocator;")
        said = self.judge()
        self.assertIn("struct jo_allocator was size 24, alignment 8; 16: void* user, 8 bytes, and is size 32", said)
        self.assertIn("--update", said)
        self.judge("--update", code=0)  # nothing is released yet that it could break
        self.judge(code=0)

    def test_after_a_release_nothing_may_change_without_a_new_name(self):
        self.release()
        self.judge(code=0)
        self.change("JO_API const char* jo_version(void);", "JO_API const char* jo_version(int how);")
        said = self.judge("--update")
        self.assertIn("function jo_version was const char* (void), and is const char* (int)", said)
        self.assertIn("raise JO_VERSION_MAJOR, which is the SONAME", said)

    def test_after_a_release_new_things_need_a_new_version(self):
        self.release()
        self.change("JO_API const char* jo_version(void);", "JO_API const char* jo_version(void);\nJO_API int jo_more(void);")
        self.assertIn("function jo_more is new", self.judge())
        self.assertIn("raise JO_VERSION_MINOR", self.judge("--update"))
        major, minor, _ = self.version.split(".")
        raised = f"{major}.{int(minor) + 1}.0"
        self.change(f"JO_VERSION_MINOR  {minor}", f"JO_VERSION_MINOR  {int(minor) + 1}")
        self.assertIn("the numbers are", self.judge("--update"))
        self.change(f'JO_VERSION_STRING "{self.version}"', f'JO_VERSION_STRING "{raised}"')
        self.assertIn("debian/changelog has version", self.judge("--update"))
        self.change(f"jounce ({self.version})", f"jounce ({raised})", self.root / "debian/changelog")
        self.judge("--update", code=0)
        symbols = next((self.root / "debian").glob("*.symbols")).read_text(encoding="utf-8")
        self.assertIn(f" jo_more@Base {raised}\n", symbols)
        self.assertIn(f" jo_version@Base {self.version}\n", symbols)

    def test_values_may_come_but_not_go(self):
        self.change('X(JO_ERR_LIMIT, -10, "a size or a step count exceeds its limit")',
                    'X(JO_ERR_LIMIT, -10, "a size") X(JO_ERR_MORE, -11, "more")')
        self.assertIn("enum jo_status has more: JO_ERR_MORE = -11", self.judge())
        self.change("JO_ERR_LIMIT, -10", "JO_ERR_LIMIT, -12")
        self.assertIn("enum jo_status was JO_ERR_LIMIT = -10, and is JO_ERR_LIMIT = -12", self.judge())

    def test_functions_that_are_not_exported_are_told(self):
        self.change("JO_API const char* jo_version(void);", "const char* jo_version(void);")
        self.assertIn("a declaration without JO_API", self.judge())


if __name__ == "__main__":
    unittest.main()
