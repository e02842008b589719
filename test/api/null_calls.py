#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes C that calls every function of the public headers with each pointer argument NULL in turn, with
each index where there is no item, and with each count below zero, of arguments and of options.

The functions come from the headers: a new one is called without being named here, and one with a type
that no value is known for stops the build. What a NULL must give follows from the type that is returned.
"""
import re
import sys
from pathlib import Path

# arguments that may be NULL, as the headers say; all others must not be
OPTIONAL = {
    ("jo_context_create", "allocator"), ("jo_context_diagnostic", "severity"),
    ("jo_generate", "out"), ("jo_report_write", "bytes"),
    ("jo_export_fmu", "out"),
    ("jo_sens_rank", "increment"), ("jo_sens_check", "user"), ("jo_sens_check", "progress"),
    ("jo_sens_judge", "worst"),
    ("jo_load_events_reconstruct", "out"),
}
OPTIONAL_NAMES = {"opt"}
NEEDED = {("jo_sweep_create", "opt"), ("jo_batch_create", "opt")}
TAKES_NULL = {"jo_context_message", "jo_context_diagnostic_count", "jo_context_diagnostic",
              "jo_context_clear", "jo_context_set_caller"}

# a valid value: by function and name, by name, by type; f is the subject of test_null.c
VALUES = {
    ("jo_load_events_open", "path"): "f->events_path", ("jo_report_write", "path"): "f->page",
    ("jo_export_fmu", "path"): "f->page", ("jo_export_fmu", "opt"): "&f->fmu_options",
    ("jo_schema_write", "of"): "\"model\"", ("jo_schema_write", "path"): "f->page",
    ("jo_output_check", "path"): "f->page", ("jo_output_write", "path"): "f->page",
    ("jo_output_write", "data"): "f->text",
    ("jo_text_character", "s"): "f->text",
    ("jo_load_events_open", "set"): "&f->setting", ("jo_sweep_create", "opt"): "&f->sweep_options",
    ("jo_batch_create", "opt"): "&f->batch_options", "jo_batch*": "f->batch", ("jo_batch_run", "x"): "f->number",
    ("jo_batch_run_on", "x"): "f->number", ("jo_batch_run_on", "road"): "(const int[]){-1}",
    ("jo_import", "path"): "f->import_path", "jo_imported*": "f->imported", "jo_listing*": "f->listing",
    ("jo_tyre_load", "path"): "f->tyre_path", ("jo_tyre_load", "set"): "&f->tyre_setting",
    ("jo_road_write", "path"): "f->page",
    ("jo_tyre_plot", "path"): "f->page", "inputs": "f->cases_path",
    "jo_tyre*": "f->tyre", "jo_tyre_function*": "f->tyre_function", "jo_tyre_table*": "f->tyre_table",
    ("jo_kinematics_sheet", "path"): "f->page", ("jo_kinematics_sheet", "model"): "f->axle_model",
    "path": "f->model_path", "dir": "f->base->dir", "text": "f->text", "length": "f->length",
    "name": "f->names[0]", "increment": "f->number", "progress": "NULL", "user": "NULL",
    "const char* const*": "f->names", "const char**": "&f->word",
    "jo_caller": "JO_CALLER_C", "jo_severity*": "&f->severity", "const jo_allocator*": "NULL", "const jo_setting*": "&f->setting",
    "jo_context*": "f->ctx", "jo_model*": "f->model", "jo_system*": "f->system",
    "jo_result*": "f->result", "jo_run*": "f->run", ("jo_system_set", "value"): "f->number",
    ("jo_run_advance", "t_s"): "0.0", "jo_static*": "f->at_rest", "jo_modes*": "f->modes",
    "jo_loads_result*": "f->loads_result", "jo_tables*": "jo_static_tables(f->at_rest)",
    "jo_table*": "jo_static_tables(f->at_rest)->table", ("jo_table_number", "column"): "f->names[0]",
    "write": "ignore_text",
    "jo_load_events*": "f->load_events", "jo_loads_sens*": "f->loads_sens",
    "jo_kinematics*": "f->kinematics", ("jo_kinematics_create", "model"): "f->axle_model",
    "jo_study*": "f->study", ("jo_study_load", "path"): "f->study_path",
    ("jo_study_save", "path"): "f->page", ("jo_study_figure_save", "path"): "f->page",
    "jo_sens_result*": "f->sens_result", "jo_sweep*": "f->sweep", "const jo_loads_plot*": "&f->plot",
    "int": "0", "double": "0.0", "size_t": "0",
}
OPAQUE = {t for t in VALUES if isinstance(t, str) and t.startswith("jo_") and t.endswith("*")}


class Parameter:
    def __init__(self, function, text):
        if "(*" in text:
            self.type, self.name = "function", re.search(r"\(\*(\w+)\)", text).group(1)
        else:
            self.type, self.name = re.fullmatch(r"(.*?)\s*(\w+)", text).groups()
        self.function = function
        self.is_pointer = self.type == "function" or self.type.endswith("*")
        self.makes = re.fullmatch(r"(jo_\w+)\*\*", self.type)

    def value(self):
        plain = self.type.removeprefix("const ")
        if self.name in OPTIONAL_NAMES and self.may_be_null() and (self.function, self.name) not in VALUES:
            return "NULL"
        if self.name == "path" and self.function.endswith("_save") and (self.function, "path") not in VALUES:
            return "f->page"  # whatever is accepted by mistake writes no file of the repository
        for key in ((self.function, self.name), self.name, self.type):
            if key in VALUES and not (key == "name" and self.type != "const char*"):
                return VALUES[key]
        if self.makes:
            return "&made"
        if plain in OPAQUE:
            return VALUES[plain]
        if self.type == "int" or self.type in ("jo_role", "jo_status", "jo_sens_method", "jo_counting"):
            return "0"
        if self.is_pointer and re.fullmatch(r"(jo_\w+|double|int64_t|int)\*", plain):
            return f"({plain[:-1]}[64]){{0}}"
        sys.exit(f"{self.function}: no value is known for '{self.type} {self.name}': add one to {__file__}")

    def may_be_null(self):
        key = (self.function, self.name)
        return key in OPTIONAL or (self.name in OPTIONAL_NAMES and key not in NEEDED)


def functions(folder):
    for path in sorted(Path(folder).glob("*.h")):
        text = re.sub(r"//[^\n]*", "", path.read_text(encoding="utf-8"))
        for result, name, inside in re.findall(r"JO_API\s+([\w\s*]+?)\s*\b(jo_\w+)\(([^;]*)\);", text):
            inside = re.sub(r"\s+", " ", inside)
            # commas of function pointers do not separate
            parts, depth, word = [], 0, ""
            for c in inside + ",":
                depth += (c == "(") - (c == ")")
                if c == "," and depth == 0:
                    parts.append(word.strip())
                    word = ""
                else:
                    word += c
            parts = [] if parts == ["void"] else parts
            yield " ".join(result.split()), name, [Parameter(name, p) for p in parts]


def count_value(p):
    # a list that is NULL must be one that should have items
    return "1" if p.type == "int" and re.fullmatch(r"n|n[a-z]+", p.name) else p.value()


def calls_of(result, name, parameters):
    """One block of C per pointer argument, and how many."""
    for null in (p for p in parameters if p.is_pointer):
        arguments = ["NULL" if p is null else count_value(p) for p in parameters]
        call = f"{name}({', '.join(arguments)})"
        allowed = null.may_be_null() or name.endswith("_destroy") or name in TAKES_NULL
        made = next((p for p in parameters if p.makes), None)
        lines = [f"  f->now = \"{name}: {null.name} NULL\";", "  jo_context_clear(f->ctx);"]
        if made and made is not null:
            lines.append(f"  {made.makes.group(1)}* made = (void*)f;")
        if result == "void":
            lines.append(f"  {call};")
        elif result == "jo_status":
            told = allowed or null.type == "jo_context*" or parameters[0].type != "jo_context*"
            told = "NULL" if told else f'"{name}: argument \'{null.name}\'"'
            lines.append(f"  check_status(f, {call}, {'true' if allowed else 'false'}, {told});")
        elif result == "double":
            lines.append(f"  assert_true(isnan({call}));")
        elif result == "int":
            lines.append(f"  assert_true({call} <= 0);")
        elif result == "const char*":
            lines.append(f"  check_text({call});")
        elif result == "jo_method":
            lines.append(f"  assert_int_equal({call}, JO_METHOD_OF_MODEL);")
        elif result.endswith("*"):
            lines.append(f"  assert_null({call});")
        else:
            lines.append(f"  {result} got = {call};")
            lines.append("  check_zero(&got, sizeof got);")
        if made and made is not null:
            lines.append("  assert_non_null(made);" if allowed else "  assert_null(made);")
            lines.append(f"  {made.makes.group(1)}_destroy(made);")
        yield "\n".join(["  {"] + ["  " + line for line in lines] + ["  }"])


INDICES = {"i", "k", "objective", "parameter", "event", "element"}


def calls_beyond(result, name, parameters):
    """One block of C per index and value: nothing is there."""
    for index in (p for p in parameters if p.type == "int" and p.name in INDICES):
        for value in ("-1", "INT_MAX"):
            arguments = [value if p is index else count_value(p) for p in parameters]
            call = f"{name}({', '.join(arguments)})"
            lines = [f"  f->now = \"{name}: {index.name} {value}\";", "  jo_context_clear(f->ctx);"]
            if result == "jo_status":
                lines.append(f"  check_status(f, {call}, false, NULL);")
            elif result == "double":
                lines.append(f"  assert_true(isnan({call}));")
            elif result == "const char*":
                lines.append(f"  check_text({call});")
            else:
                lines.append(f"  assert_null({call});")
            yield "\n".join(["  {"] + ["  " + line for line in lines] + ["  }"])


def is_count(kind, name):
    return kind == "int" and re.fullmatch(r"n|n[a-z]+", name) is not None


def lines_of_failure(result, call):
    """What a call must give that cannot do anything."""
    return {"jo_status": f"  check_status(f, {call}, false, NULL);", "double": f"  assert_true(isnan({call}));",
            "int": f"  assert_true({call} <= 0);", "const char*": f"  check_text({call});"}.get(
                result, f"  assert_null({call});")


def block(now, lines):
    return "\n".join(["  {", f"    f->now = \"{now}\";", "    jo_context_clear(f->ctx);"]
                     + ["  " + line for line in lines] + ["  }"])


def calls_of_negative_counts(result, name, parameters):
    """One block of C per count and value: less than nothing."""
    made = next((p for p in parameters if p.makes), None)
    before = [f"  {made.makes.group(1)}* made = NULL;"] if made else []
    for count in (p for p in parameters if is_count(p.type, p.name)):
        for value in ("-1", "INT_MIN"):
            call = f"{name}({', '.join(value if p is count else p.value() for p in parameters)})"
            yield block(f"{name}: {count.name} {value}", before + [lines_of_failure(result, call)])


def counts_of_structs(folder):
    """struct → names of its members that count the items of a list beside them"""
    found = {}
    for path in sorted(Path(folder).glob("*.h")):
        text = re.sub(r"//[^\n]*", "", path.read_text(encoding="utf-8"))
        for inside, name in re.findall(r"typedef struct \w+ \{([^}]*)\}\s*(\w+);", text):
            found[name] = [n for n in re.findall(r"\bint (n[a-z]*);", inside) if n != "nodes"]
    return found


def calls_of_negative_members(result, name, parameters, counts):
    """The same of counts in options."""
    made = next((p for p in parameters if p.makes), None)
    for p in parameters:
        struct = re.fullmatch(r"const (jo_\w+)\*", p.type)
        members = counts.get(struct.group(1), []) if struct and p.name == "opt" else []
        known = VALUES.get((name, p.name))
        base = f"*({known})" if known else f"{struct.group(1)}_default()" if members else ""
        for member in members:
            lines = [f"  {made.makes.group(1)}* made = NULL;"] if made else []
            lines += [f"  {struct.group(1)} options = {base};", f"  options.{member} = -1;"]
            call = f"{name}({', '.join('&options' if q is p else q.value() for q in parameters)})"
            yield block(f"{name}: {p.name}.{member} -1", lines + [lines_of_failure(result, call)])


# by two indices, each of them counted by a function of its own
BY_TWO = {"jo_modes_derivative_at"}


def calls_at_the_end(name, parameters, known):
    """One block of C for jo_..._at(): its jo_..._count() says where items end."""
    if not name.endswith("_at") or name in BY_TWO:
        return
    count = name.removesuffix("_at") + "_count"
    if count not in known:
        sys.exit(f"{name} has no {count}")
    *before, _, out = parameters
    arguments = [p.value() for p in before]
    call = f"{name}({', '.join([*arguments, '%s', out.value()])})"
    yield block(f"{name}: the last and the next", [
        f"  int n = {count}({', '.join(arguments)});",
        f"  if (n > 0) check_ok(f->ctx, {call % 'n - 1'}, f->now, __FILE__, __LINE__);",
        f"  check_status(f, {call % 'n'}, false, NULL);"])


def main():
    found = list(functions(sys.argv[1]))
    known = {name for _, name, _ in found}
    counts = counts_of_structs(sys.argv[1])
    names = {(name, p.name) for _, name, parameters in found for p in parameters}
    for key in (OPTIONAL | NEEDED) - names:
        sys.exit(f"{key[0]} has no argument '{key[1]}': remove it from {__file__}")
    out, called, n = [], [], 0
    for result, name, parameters in found:
        blocks = [*calls_of(result, name, parameters), *calls_at_the_end(name, parameters, known), *calls_beyond(result, name, parameters),
                  *calls_of_negative_counts(result, name, parameters),
                  *calls_of_negative_members(result, name, parameters, counts)]
        if not blocks:
            continue
        n += len(blocks)
        out.append(f"static void call_{name}(subject* f) {{\n" + "\n".join(blocks) + "\n}\n")
        called.append(f"  call_{name}(f);\n")
    calls = "".join(called)
    Path(sys.argv[2]).write_text(
        "// written by null_calls.py from the public headers\n" + "\n".join(out) +
        f"\nenum {{ NFUNCTION = {len(found)}, NCALL = {n} }};\n"
        f"\nstatic void call_all(subject* f) {{\n{calls}}}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
