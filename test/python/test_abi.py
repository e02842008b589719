# SPDX-License-Identifier: Apache-2.0
"""python/jounce/_abi.py is what the headers say, and what the compiler makes of them."""
import ctypes
import subprocess
import sys
import unittest

from case import ROOT, Case

from jounce import _abi, _lib


def compile_and_run(folder, lines):
    source, program = f"{folder}/abi.c", f"{folder}/abi"
    with open(source, "w", encoding="utf-8") as file:
        file.write('#include <jounce/jounce.h>\n#include <stddef.h>\n#include <stdio.h>\nint main(void) {\n' +
                   "\n".join(lines) + "\n  return 0;\n}\n")
    subprocess.run(["cc", "-std=c17", "-Wall", "-Werror", "-Wfloat-conversion", "-Wno-enum-conversion", f"-I{ROOT}/include", source, "-o", program], check=True)
    return subprocess.run([program], capture_output=True, text=True, check=True).stdout.split()


class Abi(Case):
    def test_the_file_is_not_stale(self):
        done = subprocess.run([sys.executable, str(ROOT / "tools/python_abi.py"), "--check"], check=False,
                              capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_structs_and_enums_are_those_of_the_compiler(self):
        lines, expected = [], []

        def ask(expression, value):
            lines.append(f'  printf("%lld\\n", (long long)({expression}));')
            expected.append((expression, value))

        for s in _abi.STRUCTS:
            name = s.__name__
            ask(f"sizeof({name})", ctypes.sizeof(s))
            for field, _ in s._fields_:
                ask(f"offsetof({name}, {field})", getattr(s, field).offset)
                ask(f"sizeof((({name}*)0)->{field})", getattr(s, field).size)
        enums = [v for v in vars(_abi).values()
                 if isinstance(v, type) and issubclass(v, _abi.IntEnum) and v is not _abi.IntEnum]
        for enum in enums:
            ask(f"sizeof({enum.__name__})", ctypes.sizeof(ctypes.c_int))
            for item in enum:
                ask(item.name, item.value)
        for name in ("JO_SENS_MAX_BOTH", "JO_TYRE_INPUTS", "JO_DOUBT_COUPLING"):
            ask(name, getattr(_abi, name))
        got = compile_and_run(self.folder, lines)
        wrong = [(e, v, g) for (e, v), g in zip(expected, got) if str(v) != g]
        self.assertEqual(wrong, [])
        self.assertEqual(len(got), len(expected))
        self.assertGreater(len(_abi.STRUCTS), 50)
        self.assertGreater(len(enums), 10)

    def test_prototypes_are_those_of_the_compiler(self):
        # calls with the types we believe in, never made: other numbers of arguments, pointers for numbers and
        # structs for others do not compile; what comes back is compared by its type or size
        words = {ctypes.c_int: "int", ctypes.c_uint: "unsigned", ctypes.c_double: "double", ctypes.c_bool: "bool",
                 ctypes.c_size_t: "size_t", ctypes.c_int64: "int64_t"}
        lines = ["  static int v_int; static unsigned v_unsigned; static double v_double; static void* v_pointer;",
                 "  static size_t v_size_t; static int64_t v_int64_t; static _Bool v_bool;",
                 "  (void)v_unsigned, (void)v_int64_t, (void)v_bool;"]
        for name, (result, arguments) in _abi.FUNCTIONS.items():
            given = ", ".join(f"v_{words.get(a, 'pointer')}" for a in arguments)
            call = f"{name}({given})"
            if result is None:
                lines.append(f"  if (0) {call};")
            elif result is ctypes.c_double or issubclass(result, ctypes.Structure):
                kind = words.get(result, result.__name__)
                lines.append(f'  _Static_assert(__builtin_types_compatible_p(__typeof__({call}), {kind}), "{name}");')
            elif result in words:
                lines.append(f'  _Static_assert(sizeof({call}) == sizeof({words[result]}), "{name}");')
                lines.append(f"  if (0) (void)(1 & (int)({call}));")
            else:
                lines.append(f"  if (0) (void)(const char*)({call});")
        compile_and_run(self.folder, lines)

    def test_every_function_of_the_library_is_there(self):
        seen = subprocess.run(["nm", "-D", "--defined-only", _lib.PATH], capture_output=True, text=True, check=True)
        exported = {w for w in seen.stdout.split() if w.startswith("jo_")}
        self.assertEqual(exported, set(_abi.FUNCTIONS))

    def test_structs_are_returned_by_value(self):
        opt = _lib.lib.jo_simulate_options_default()
        self.assertNotEqual(opt.t_end_s, opt.t_end_s)
        self.assertEqual(opt.method, _abi.jo_method.JO_METHOD_OF_MODEL)
        self.assertFalse(opt.progress)
        axle = _lib.lib.jo_kinematics_options_default()
        self.assertIs(axle.opposed, False)
        self.assertEqual(axle.n, 17)
        # of NULL: a struct of zeros
        self.assertEqual(_lib.lib.jo_system_inspect(None).states, 0)


if __name__ == "__main__":
    unittest.main()
