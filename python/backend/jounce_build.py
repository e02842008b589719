#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Builds the wheel (PEP 517), with nothing but the standard library.

    python3 python/backend/jounce_build.py FOLDER [LIBRARY]
    python3 python/backend/jounce_build.py FOLDER --tree TREE

The wheel holds the package, the models and the shared library: LIBRARY, else what JOUNCE_LIBRARY names, else what
`make build` left in build/. With --tree it is self-contained: library, program, man pages, completion and licences come
from an installation, TREE, and a library that manylinux (PEP 600) does not allow is an error. The tag follows from what
the files need: manylinux_2_N where glibc 2.N is enough, with N at least 31; linux where other libraries are needed. The same files make the
same bytes.
"""
import base64
import hashlib
import os
import re
import subprocess
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


# of the libraries that PEP 600 allows, those of glibc
_ALLOWED = {"libc.so.6", "libm.so.6", "libdl.so.2", "libpthread.so.0", "librt.so.1", "ld-linux-x86-64.so.2"}


def _needs(path):
    """Libraries that a program or library needs, and versions of their symbols; None where objdump cannot tell."""
    try:
        done = subprocess.run(["objdump", "-p", str(path)], capture_output=True, text=True, check=True,
                              env={**os.environ, "LC_ALL": "C"})
    except (OSError, subprocess.CalledProcessError):
        return None
    return re.findall(r"^ +NEEDED +(\S+)", done.stdout, re.M), re.findall(r"0x\w+ 0x\w+ \d+ (\S+)", done.stdout)


def _manylinux(needs):
    """The platform of PEP 600 that what _needs() returned stands for, or None and why there is none."""
    minor = 31  # the oldest glibc that wheels are tried with (tools/wheel/check.sh)
    for libraries, versions in needs:
        others = [n for n in libraries if n not in _ALLOWED]
        if others:
            return None, f"needs {', '.join(others)}"
        for version in versions:
            found = re.fullmatch(r"GLIBC_2\.(\d+)(\.\d+)*", version)
            if not found:
                return None, f"needs symbols of version {version}"
            minor = max(minor, int(found[1]))
    return f"manylinux_2_{minor}_x86_64", None


def _tag(files, must_be_manylinux=False):
    platform = re.sub(r"[-.]", "_", sysconfig.get_platform())
    needs = [_needs(f) for f in files]
    many, why = (None, "objdump cannot read it") if None in needs else _manylinux(needs)
    if must_be_manylinux and not many:
        sys.exit(f"{files[0]} or a file beside it {why}: such a wheel would not be self-contained")
    return "py3-none-" + (many if many and platform == "linux_x86_64" else platform)


def _metadata():
    p = _project()
    lines = ["Metadata-Version: 2.1", f"Name: {p['name']}", f"Version: {_version()}", f"Summary: {p['description']}",
             f"License: {p['license']['text']}", f"Keywords: {','.join(p['keywords'])}",
             f"Requires-Python: {p['requires-python']}"]
    lines += [f"Classifier: {c}" for c in p["classifiers"]] + [f"Requires-Dist: {d}" for d in p["dependencies"]]
    lines += ["Description-Content-Type: text/markdown", "", (ROOT / "docs/python.md").read_text("utf-8")]
    return "\n".join(lines).encode()


def _wheel_file(tag):
    return f"Wheel-Version: 1.0\nGenerator: jounce_build\nRoot-Is-Purelib: false\nTag: {tag}\n".encode()


def _below(folder, to):
    return {f"{to}/{p.relative_to(folder).as_posix()}": p.read_bytes() for p in Path(folder).rglob("*") if p.is_file()}


def _files(library, tree):
    """Folder of the metadata, tag, and name in the wheel and bytes, sorted."""
    base = f"jounce-{_version()}"
    info, data = f"{base}.dist-info", f"{base}.data"
    found = {f"jounce/{p.name}": p.read_bytes() for p in PACKAGE.iterdir() if p.suffix == ".py" or p.name == "py.typed"}
    found.update(_below(ROOT / "models", "jounce/models"))
    name, path = _library(f"{tree}/lib/libjounce.so.{_version().split('.')[0]}" if tree else library)
    found[f"jounce/{name}"] = path.read_bytes()
    elves = [path]
    if tree:
        # installed to PREFIX/bin and PREFIX/share: the program looks for its models there
        elves.append(Path(tree) / "bin/jounce")
        found[f"{data}/scripts/jounce"] = elves[1].read_bytes()
        share = _below(Path(tree) / "share", "share")
        licences = {n: b for n, b in share.items() if n.startswith("share/doc/")}
        found.update({f"{data}/data/{n}": b for n, b in share.items() if n not in licences})
        found.update({f"{info}/licenses/{n.rsplit('/', 1)[1]}": b for n, b in licences.items() if "/licences/" in n})
    tag = _tag(elves, bool(tree))
    found[f"{info}/METADATA"] = _metadata()
    found[f"{info}/WHEEL"] = _wheel_file(tag)
    found[f"{info}/LICENSE"] = (ROOT / "LICENSE").read_bytes()
    return info, tag, sorted(found.items())


def _write(path, info, files):
    record = []
    # beside its name first: a wheel is there whole or not at all
    part = path.with_suffix(".part")
    with zipfile.ZipFile(part, "w", zipfile.ZIP_DEFLATED) as archive:
        def put(name, data):
            entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = (0o100755 if ".so" in name or "/scripts/" in name else 0o100644) << 16
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
    settings = config_settings or {}
    info, tag, files = _files(settings.get("library"), settings.get("tree"))
    name = f"jounce-{_version()}-{tag}.whl"
    _write(Path(wheel_directory) / name, info, files)
    return name


def build_sdist(sdist_directory, config_settings=None):
    raise UnsupportedOperation("the source of Jounce is its repository")


def _main(folder, kind=None, tree=None):
    if (kind == "--tree") != (tree is not None):
        sys.exit(__doc__)
    os.makedirs(folder, exist_ok=True)
    print(Path(folder) / build_wheel(folder, {"tree": tree} if tree else {"library": kind}))


if __name__ == "__main__":
    if not 2 <= len(sys.argv) <= 4:
        sys.exit(__doc__)
    _main(*sys.argv[1:])
