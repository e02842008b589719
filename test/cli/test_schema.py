#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The schemas of model and study files: the files in docs/ are what the program writes, all models of the tree are
valid, and the reader reads every key that they name and no other."""
import copy
import json
import re
import subprocess
import sys
import unittest
from pathlib import Path

from case import Case
from program import jounce

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "test/attack"))
import tree  # noqa: E402

SCHEMA = json.loads((ROOT / "docs/jounce.schema.json").read_text(encoding="utf-8"))
WRONG = {"zz": [[]]}  # no value of any key


# ---- what of JSON schemas the program writes ----------------------------------------------------------

def resolve(schema, node):
    while "$ref" in node and len(node.keys() - {"description"}) == 1:
        found = schema
        for key in node["$ref"].split("/")[1:]:
            found = found[key]
        node = found
    return node


def reads_as(value):
    """The types of JSON as which a text of YAML may be meant."""
    if isinstance(value, dict):
        return {"object"}
    if isinstance(value, list):
        return {"array"}
    if value in (None, "null", "~"):
        return {"null"}
    types = {"string"}
    if tree.is_number(value):
        types = {"number", "integer"} if re.fullmatch(r"[-+]?\d+", value) else {"number"}
    if value in ("true", "false"):
        types = {"boolean"}
    return types


def is_valid(schema, node, value):
    node = resolve(schema, node)
    if "$ref" in node and not is_valid(schema, {"$ref": node["$ref"]}, value):
        return False
    types = node.get("type", [])
    if types and not reads_as(value) & set([types] if isinstance(types, str) else types):
        return False
    if "anyOf" in node and not any(is_valid(schema, n, value) for n in node["anyOf"]):
        return False
    if "oneOf" in node and sum(is_valid(schema, n, value) for n in node["oneOf"]) != 1:
        return False
    if "enum" in node and value not in [str(word) for word in node["enum"]]:
        return False
    if isinstance(value, str):
        below, above = node.get("minimum"), node.get("maximum")
        return (("pattern" not in node or re.search(node["pattern"], value) is not None)
                and (below is None or float(value) >= below) and (above is None or float(value) <= above))
    if isinstance(value, list):
        return (node.get("minItems", 0) <= len(value) <= node.get("maxItems", len(value))
                and all(is_valid(schema, node.get("items", {}), v) for v in value))
    return value is None or is_valid_map(schema, node, value)


def is_valid_map(schema, node, value):
    if not node.get("minProperties", 0) <= len(value) <= node.get("maxProperties", len(value)):
        return False
    known, others = node.get("properties", {}), node.get("additionalProperties", {})
    names = node.get("propertyNames", {})
    for key, v in value.items():
        if not is_valid(schema, names, key) or (key not in known and others is False):
            return False
        if not is_valid(schema, known.get(key, others or {}), v):
            return False
    return all(key in value for key in node.get("required", []))


def maps_of(schema, node, value, path=()):
    """Maps with keys of their own that a value has: path, schema."""
    node = resolve(schema, node)
    for n in node.get("anyOf", []):
        if is_valid(schema, n, value):
            yield from maps_of(schema, n, value, path)
    if not isinstance(value, dict):
        return
    if "properties" in node:
        yield path, node
    for key, v in value.items():
        inside = node.get("properties", {}).get(key, node.get("additionalProperties"))
        if inside:
            yield from maps_of(schema, inside, v, path + (key,))


def all_maps(node):
    """Every map with keys of its own in a schema."""
    if isinstance(node, dict):
        if "properties" in node:
            yield node
        for value in node.values():
            yield from all_maps(value)
    elif isinstance(node, list):
        for value in node:
            yield from all_maps(value)


# ---- a model file with a line for every key ------------------------------------------------------------

def write(value, path=(), depth=0):
    """Lines of the block style, each with the path of its key."""
    for key, v in value.items():
        head = "  " * depth + tree.scalar(key) + ":"
        if isinstance(v, dict) and v and v is not WRONG:
            yield path + (key,), head
            yield from write(v, path + (key,), depth + 1)
        else:
            yield path + (key,), f"{head} {tree._inline(v)}"


class Files(Case):
    def test_are_what_the_program_writes(self):
        for of, name in (("model", "jounce.schema.json"), ("study", "jounce-study.schema.json")):
            path = self.path(name)
            jounce("schema", of, "-o", path)
            self.assertEqual(Path(path).read_text(encoding="utf-8"), (ROOT / "docs" / name).read_text(encoding="utf-8"),
                             f"docs/{name} differs from what the program reads; run 'make schema'")

    def test_of_the_command(self):
        jounce("schema", "models", "-o", self.path("a.json"), code=2)
        jounce("schema", "model", code=2)
        jounce("schema", "model", "-o", self.path("a.yaml"), code=2)
        jounce("schema", "model", "-o", "/dev/null/a.json", code=1)

    def test_accept_the_models_of_the_tree(self):
        listed = subprocess.run(["find", "models", "test/models", "examples", "-name", "*.yaml"], cwd=ROOT, text=True,
                                capture_output=True, check=True).stdout.split()
        count = 0
        for name in listed:
            if name == "test/models/long_tree_hub.yaml":  # takes a key away by leaving it empty
                continue
            try:
                value = tree.read((ROOT / name).read_text(encoding="utf-8"))
            except (ValueError, IndexError):  # studies: lists of maps, which the small reader of YAML does not know
                continue
            if "jounce" in value:
                count += 1
                self.assertTrue(is_valid(SCHEMA, SCHEMA, value), name)
        self.assertGreater(count, 150)


class Keys(Case):
    """Each key of the schema in a model that has something of every kind."""

    def setUp(self):
        super().setUp()
        self.model = tree.read((ROOT / "test/cli/every_key.yaml").read_text(encoding="utf-8"))
        self.path("table.csv", "a,b\n0,0\n1,2\n")
        self.path("road.csv", "x,left,right\n" + "".join(f"{i},0.1,0.2\n" for i in range(8)))
        self.path("road.crg", "$ROAD_CRG\nREFERENCE_LINE_INCREMENT = 1\nlong_section_v_right = -1\n"
                              "long_section_v_increment = 2\n$\n$KD_Definition\n#:LRFI\nU:reference line u,m,0,1\n"
                              "D:long section 1,m\nD:long section 2,m\n$\n" + "$" * 72 + "\n"
                              + 4*" 0.0000000 0.0000000\n")
        self.path("tyre.tir", (ROOT / "models/library/tyres/Sedan_Pac02Tire.tir").read_text(encoding="utf-8"))
        self.maps = list(maps_of(SCHEMA, SCHEMA, self.model))

    def complaints(self, model, path):
        """What the reader says of the line of a key."""
        lines = list(write(model))
        file = self.path("m.yaml", "\n".join(text for _, text in lines) + "\n")
        done = jounce("check", "--syntax-only", file, code=None)
        self.assertIn(done.returncode, (0, 1), done.stderr)
        line = [p for p, _ in lines].index(path) + 1 if path else 0
        return [said for said in done.stderr.splitlines() if said.startswith(f"{file}:{line}:" if path else file)]

    def changed(self, path, value):
        model = copy.deepcopy(self.model)
        tree.put(model, path, value)
        return model

    def test_the_model_is_valid(self):
        self.assertTrue(is_valid(SCHEMA, SCHEMA, self.model))
        self.assertEqual(self.complaints(self.model, ()), [])

    def test_the_model_has_something_of_every_kind(self):
        reached = {json.dumps(node) for _, node in self.maps}
        for node in all_maps(SCHEMA):
            self.assertTrue(json.dumps(node) in reached,
                            f"no map with keys {', '.join(node['properties'])} in every_key.yaml")

    def keys(self):
        """Every key but descriptions, which nobody reads, and sections of templates, which are those of the model."""
        for path, node in self.maps:
            for key, value in node["properties"].items():
                if key != "description" and not value.get("$ref", "").startswith("#/properties/"):
                    yield path + (key,), node, key

    def test_the_reader_reads_them_all(self):
        read = {}
        for path, node, key in self.keys():
            self.assertFalse(is_valid(SCHEMA, node["properties"][key], WRONG), path)
            said = self.complaints(self.changed(path, WRONG), ())
            is_read = any(f"unknown key '{key}'" not in s for s in said)
            name = path[0], json.dumps(node), key
            read[name] = read.get(name, False) or is_read
        unread = {(section, key) for (section, _, key), is_read in read.items() if not is_read}
        for_people = {("tables", "unit")}  # as descriptions
        self.assertEqual(unread, for_people, "keys that the schema names and the reader does not read")

    def test_the_reader_rejects_others(self):
        for path, _ in self.maps:
            said = self.complaints(self.changed(path + ("zzz",), "1"), path + ("zzz",))
            self.assertTrue(any("unknown key 'zzz'" in s for s in said), path)

    def test_needed_ones_are_needed(self):
        for path, node in self.maps:
            for key in node.get("required", []):
                model = copy.deepcopy(self.model)
                tree.drop(model, path + (key,))
                self.assertTrue(any(f"'{key}" in s for s in self.complaints(model, ())), path + (key,))

    def test_words_are_those_of_the_reader(self):
        for path, node, key in self.keys():
            words = [str(word) for word in resolve(SCHEMA, node["properties"][key]).get("enum", [])]
            for word in words:
                said = self.complaints(self.changed(path, word), path)
                self.assertFalse(any("must be" in s and f"'{word}'" in s for s in said), (path, said))
            if words:
                self.assertTrue(self.complaints(self.changed(path, "zzz"), path), path)


if __name__ == "__main__":
    unittest.main()
