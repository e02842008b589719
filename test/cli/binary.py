# SPDX-License-Identifier: Apache-2.0
"""Small readers of binary formats, from their published descriptions: MAT level 5, NetCDF, RPC III, binary glTF."""
import json
import struct


# ---- MAT level 5 ---------------------------------------------------------------------------------

def element(data, at):
    """Type and bytes of the element at `at`, and where the next one begins."""
    kind, size = struct.unpack_from("<II", data, at)
    if kind >> 16:
        return kind & 0xffff, data[at + 4:at + 4 + (kind >> 16)], at + 8
    assert at + 8 + size <= len(data), "an element ends beyond the file"
    return kind, data[at + 8:at + 8 + size], at + 8 + (size + 7) // 8 * 8


def elements(data):
    at, out = 0, []
    while at < len(data):
        kind, content, at = element(data, at)
        out.append((kind, content))
    assert at == len(data)
    return out


def variable(data):
    """Name and value: a list of numbers with its size, a text, a list, or a dictionary."""
    parts = elements(data)
    (k0, flags), (k1, size), (k2, name), rest = *parts[:3], parts[3:]
    assert (k0, k1, k2) == (6, 5, 1)
    kind = flags[0]
    size = struct.unpack(f"<{len(size) // 4}i", size)
    count = 1
    for n in size:
        count *= n
    if kind in (6, 9):
        (part, numbers), = rest
        assert part == {6: 9, 9: 2}[kind]
        value = (size, list(struct.unpack(f"<{count}{'d' if kind == 6 else 'B'}", numbers)))
    elif kind == 4:
        (part, text), = rest
        value = text.decode("utf-16-le")
        assert part == (4 if value.isascii() else 17) and len(text) == 2 * count == 2 * len(value)
    elif kind == 1:
        assert len(rest) == count
        value = [variable(content)[1] for _, content in rest]
    else:
        assert kind == 2 and size == (1, 1)
        width, = struct.unpack("<i", rest[0][1])
        names = [rest[1][1][i:i + width].rstrip(b"\0").decode() for i in range(0, len(rest[1][1]), width)]
        assert len(rest) == 2 + len(names) and len(set(names)) == len(names)
        value = {n: variable(content)[1] for n, (_, content) in zip(names, rest[2:])}
    return name.decode(), value


def read_mat(data):
    assert data[:19] == b"MATLAB 5.0 MAT-file" and data[124:128] == b"\0\1IM"
    assert all(kind == 14 for kind, _ in elements(data[128:]))
    return dict(variable(content) for _, content in elements(data[128:]))


# ---- NetCDF, classic -------------------------------------------------------------------------------

class Words:
    """Big-endian words, one after the other; texts fill words of four bytes."""

    def __init__(self, data, at):
        self.data, self.at = data, at

    def take(self, code):
        value, = struct.unpack_from(">" + code, self.data, self.at)
        self.at += struct.calcsize(code)
        return value

    def text(self):
        n = self.take("I")
        text = self.data[self.at:self.at + n]
        assert len(text) == n and set(self.data[self.at + n:self.at + (n + 3) // 4 * 4]) <= {0}
        self.at += (n + 3) // 4 * 4
        return text.decode()

    def list(self, tag, read):
        kind, n = self.take("I"), self.take("I")
        assert kind == (tag if n else 0)
        return [read() for _ in range(n)]

    def attribute(self):
        name, kind = self.text(), self.take("I")
        if kind == 2:
            return name, self.text()
        assert kind == 6 and self.take("I") == 1
        return name, self.take("d")

    def attributes(self):
        found = self.list(12, self.attribute)
        assert len(dict(found)) == len(found)
        return dict(found)


def read_netcdf(data):
    """Notes, dimensions, and variables: names of their dimensions, attributes, numbers or texts."""
    assert data[:4] == b"CDF\2"
    w = Words(data, 4)
    assert w.take("I") == 0
    sizes = w.list(10, lambda: (w.text(), w.take("I")))
    notes, end = w.attributes(), []

    def variable():
        name, dims = w.text(), [sizes[w.take("I")] for _ in range(w.take("I"))]
        about, kind, size, begin = w.attributes(), w.take("I"), w.take("I"), w.take("Q")
        count = 1
        for _, n in dims:
            count *= n
        assert size == (count * {2: 1, 6: 8}[kind] + 3) // 4 * 4 and begin == (end[-1] if end else begin)
        end.append(begin + size)
        bytes_ = data[begin:begin + size]
        values = list(struct.unpack_from(f">{count}d", bytes_)) if kind == 6 else \
            [bytes_[k:k + dims[1][1]].rstrip(b"\0").decode() for k in range(0, count, dims[1][1])]
        return name, ([n for n, _ in dims], about, values)

    variables = w.list(11, variable)
    assert variables[0][1] and end[-1] == len(data) and len(dict(variables)) == len(variables)
    return notes, dict(sizes), dict(variables)


# ---- RPC III -------------------------------------------------------------------------------------

def read_rpc(data):
    """Parameters by keyword, and a list of samples per channel."""
    def field(at):
        return tuple(part.split(b"\0")[0].decode("ascii") for part in (data[at:at + 32], data[at + 32:at + 128]))
    first = dict(field(128 * i) for i in range(3))
    assert list(first) == ["FORMAT", "NUM_HEADER_BLOCKS", "NUM_PARAMS"]
    head = dict(field(128 * i) for i in range(int(first["NUM_PARAMS"])))
    assert len(head) == int(first["NUM_PARAMS"]) and head["DATA_TYPE"] == "SHORT_INTEGER"
    n, frames = int(head["CHANNELS"]), int(head["FRAMES"])
    frame, group = int(head["PTS_PER_FRAME"]), int(head["PTS_PER_GROUP"])
    begin = 512 * int(first["NUM_HEADER_BLOCKS"])
    assert group == frame and len(data) == begin + 2 * n * frames * frame
    channels = [[] for _ in range(n)]
    for f in range(frames):
        for k in range(n):
            scale = float(head[f"SCALE.CHAN_{k + 1}"])
            samples = struct.unpack_from(f"<{frame}h", data, begin + 2 * frame * (f * n + k))
            channels[k] += [scale * v for v in samples]
    return head, channels


# ---- binary glTF ---------------------------------------------------------------------------------

def read_glb(data):
    """The scene as JSON, and its buffer."""
    magic, version, length = struct.unpack_from("<4sII", data)
    assert (magic, version, length) == (b"glTF", 2, len(data)) and length % 4 == 0
    size, kind = struct.unpack_from("<I4s", data, 12)
    assert kind == b"JSON" and size % 4 == 0
    text = data[20:20 + size]
    rest, what = struct.unpack_from("<I4s", data, 20 + size)
    assert what == b"BIN\0" and rest % 4 == 0 and 28 + size + rest == length
    return json.loads(text), data[28 + size:]


def accessor(scene, buffer, i):
    """Items of an accessor, as tuples; what it says of itself is checked."""
    a = scene["accessors"][i]
    view = scene["bufferViews"][a["bufferView"]]
    width = {"SCALAR": 1, "VEC3": 3, "VEC4": 4}[a["type"]]
    letter, size = {5126: ("f", 4), 5125: ("I", 4), 5121: ("B", 1)}[a["componentType"]]
    begin = view.get("byteOffset", 0) + a.get("byteOffset", 0)
    bytes_ = width * size * a["count"]
    assert begin % size == 0 and a["count"] > 0
    assert a.get("byteOffset", 0) + bytes_ <= view["byteLength"]
    assert view["byteOffset"] + view["byteLength"] <= len(buffer)
    numbers = struct.unpack_from(f"<{width * a['count']}{letter}", buffer, begin)
    items = [numbers[k:k + width] for k in range(0, len(numbers), width)]
    for name, choose in (("min", min), ("max", max)):
        if name in a:
            assert list(a[name]) == [choose(c) for c in zip(*items)], name
    return items
