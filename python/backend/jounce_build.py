#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Builds the wheel (PEP 517), with nothing but the standard library.

    python3 python/backend/jounce_build.py FOLDER [LIBRARY]

The wheel holds the package and the shared library: LIBRARY, else what JOUNCE_LIBRARY names, else what `make build`
left in build/. Its tag says linux, not manylinux: the library needs others of the system (docs/python.md). The same
files make the same bytes.
"""
import base64
import hashlib
import os
import re
import sys
import sysconfig
import tomllib
import zipfile
from pathlib import Path

HERE = Path(__file__).resolve().parent.parent
ROOT = HERE.parent
PACKAGE = HERE / "jounce"


class UnsupportedOperation(Exception):
    """What PEP 517 wants a backend to raise that makes no source archives."""


def _project():
    with open(HERE / "pyproject.toml", "rb") as file:
        return tomllib.load(file)["project"]


def _version():
    return re.search(r'^JO_VERSION_STRING = "([^"]+)"', (PACKAGE / "_abi.py").read_text("utf-8"), re.M)[1]


def _library(given=None):
    name = f"libjounce.so.{_version().split('.')[0]}"
    path = Path(given or os.environ.get("JOUNCE_LIBRARY") or ROOT / "build/src" / name)
    if not path.exists():
        sys.exit(f"{path}: there is no shared library to put into the wheel; hint: make wheel, or JOUNCE_LIBRARY=FILE")
    return name, path.resolve()


def _tag():
    return "py3-none-" + re.sub(r"[-.]", "_", sysconfig.get_platform())


def _metadata():
    p = _project()
    lines = ["Metadata-Version: 2.1", f"Name: {p['name']}", f"Version: {_version()}", f"Summary: {p['description']}",
             f"License: {p['license']['text']}", f"Keywords: {','.join(p['keywords'])}",
             f"Requires-Python: {p['requires-python']}"]
    lines += [f"Classifier: {c}" for c in p["classifiers"]] + [f"Requires-Dist: {d}" for d in p["dependencies"]]
    lines += ["Description-Content-Type: text/markdown", "", (ROOT / "docs/python.md").read_text("utf-8")]
    return "\n".join(lines).encode()


def _wheel_file():
    return f"Wheel-Version: 1.0\nGenerator: jounce_build\nRoot-Is-Purelib: false\nTag: {_tag()}\n".encode()


def _files(library):
    """Name in the wheel and bytes, sorted."""
    info = f"jounce-{_version()}.dist-info"
    found = {f"jounce/{p.name}": p.read_bytes() for p in PACKAGE.iterdir() if p.suffix == ".py" or p.name == "py.typed"}
    name, path = _library(library)
    found[f"jounce/{name}"] = path.read_bytes()
    found[f"{info}/METADATA"] = _metadata()
    found[f"{info}/WHEEL"] = _wheel_file()
    found[f"{info}/LICENSE"] = (ROOT / "LICENSE").read_bytes()
    return info, sorted(found.items())


def _write(path, info, files):
    record = []
    # beside its name first: a wheel is there whole or not at all
    part = path.with_suffix(".part")
    with zipfile.ZipFile(part, "w", zipfile.ZIP_DEFLATED) as archive:
        def put(name, data):
            entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = (0o755 if ".so" in name else 0o644) << 16
            archive.writestr(entry, data)
        for name, data in files:
            put(name, data)
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            record.append(f"{name},sha256={digest},{len(data)}\n")
        put(f"{info}/RECORD", "".join(record) + f"{info}/RECORD,,\n")
    part.replace(path)


# ---- PEP 517 -------------------------------------------------------------------------------------

def get_requires_for_build_wheel(config_settings=None):
    return []


def get_requires_for_build_sdist(config_settings=None):
    return []


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    info, files = _files((config_settings or {}).get("library"))
    name = f"jounce-{_version()}-{_tag()}.whl"
    _write(Path(wheel_directory) / name, info, files)
    return name


def build_sdist(sdist_directory, config_settings=None):
    raise UnsupportedOperation("the source of Jounce is its repository")


if __name__ == "__main__":
    if not 2 <= len(sys.argv) <= 3:
        sys.exit(__doc__)
    os.makedirs(sys.argv[1], exist_ok=True)
    print(Path(sys.argv[1]) / build_wheel(sys.argv[1], {"library": sys.argv[2] if len(sys.argv) > 2 else None}))
