# SPDX-License-Identifier: Apache-2.0
"""What notebooks show: tables, plots as SVG, pages in frames. No scripts, no other files."""
from __future__ import annotations

import html
import math
from typing import Any, Iterable, List, Mapping, Sequence, Tuple

import numpy as np

# whether results show their replay, which runs the manoeuvre again; jounce.show(replay=False) turns it off
replay: bool = True

_COLOURS = ("#1f6fb2", "#c8501e", "#3d8f4f", "#8a4fa3", "#a0801a", "#4b4b4b")
_CELL = "padding:1px 10px 1px 0;text-align:{0};border:0;background:none;white-space:{1}"
_POINTS = 600  # of a curve: more than a plot has pixels shows nothing

escape = html.escape


def number(value: float, digits: int = 6) -> str:
    """A number for people; arrays have all digits."""
    value = float(value)
    if math.isnan(value):
        return "–"
    return f"{value:.{digits}g}".replace("-", "−") if math.isfinite(value) else ("∞" if value > 0 else "−∞")


def _is_number(cell: str) -> bool:
    return bool(cell) and cell[0] in "0123456789−–±∞"


def table(head: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    """Numbers to the right, texts to the left."""
    if not rows:
        return ""
    cells = [[str(c) for c in row] for row in rows]
    right = [all(_is_number(row[i]) for row in cells) for i in range(len(head))]
    # sentences may wrap, names and numbers stay in one line
    wide = [max(len(row[i]) for row in cells) > 40 for i in range(len(head))]

    def line(tag: str, row: Sequence[str]) -> str:
        parts = []
        for c, r, w in zip(row, right, wide):
            style = _CELL.format("right" if r else "left", "normal" if w else "nowrap")
            parts.append(f'<{tag} style="{style}">{escape(c)}</{tag}>')
        return "<tr>" + "".join(parts) + "</tr>"

    body = "".join(line("td", row) for row in cells)
    return f'<table style="border-collapse:collapse;margin:6px 0;font-size:13px">{line("th", head)}{body}</table>'


def facts(pairs: Iterable[Tuple[str, Any]]) -> str:
    """Short facts in a line."""
    return '<p style="margin:4px 0;color:#666">' + " · ".join(
        f"{escape(str(k))} {escape(str(v))}" for k, v in pairs) + "</p>"


def block(title: str, about: str, *parts: str) -> str:
    """All of it."""
    head = f'<b>{escape(title)}</b> <span style="color:#666">{escape(about)}</span>'
    # white, whatever the notebook's colours are: plots are drawn for it
    style = "font-size:13px;max-width:1000px;background:#fff;color:#222;padding:6px"
    return f'<div class="jounce" style="{style}">{head}{"".join(parts)}</div>'


def row(parts: Iterable[str]) -> str:
    """Side by side, as far as there is room."""
    inside = "".join(f"<div>{p}</div>" for p in parts if p)
    return f'<div style="display:flex;flex-wrap:wrap;gap:6px 18px;align-items:flex-start">{inside}</div>'


def fold(title: str, inside: str) -> str:
    """Shown on demand."""
    return f'<details><summary style="cursor:pointer">{escape(title)}</summary>{inside}</details>'


def frame(page: str, height: int) -> str:
    """A whole page, apart from the notebook."""
    return (f'<iframe sandbox="allow-scripts" srcdoc="{escape(page)}" loading="lazy" '
            f'style="width:100%;height:{height}px;border:1px solid #ccc"></iframe>')


# ---- plots ---------------------------------------------------------------------------------------

def ticks(low: float, high: float, count: int = 5) -> List[float]:
    """Round numbers from low to high."""
    span = high - low
    if not (span > 0 and math.isfinite(span)):
        return [low]
    rough = span / count
    size = 10.0 ** math.floor(math.log10(rough))
    step = next((m * size for m in (1, 2, 2.5, 5, 10) if m * size >= rough), 10 * size)
    first = math.ceil(low / step - 1e-9)
    return [k * step for k in range(first, first + 20) if k * step <= high + 1e-9 * span]


def _thin(x: Any, y: Any) -> Tuple[Any, Any]:
    """Fewer points that look the same: least and largest of each stretch."""
    if len(x) <= _POINTS:
        return x, y
    edges = np.linspace(0, len(x), _POINTS // 2 + 1).astype(int)
    keep = sorted({k for a, b in zip(edges, edges[1:]) if b > a
                   for k in (a + int(np.argmin(y[a:b])), a + int(np.argmax(y[a:b])))} | {0, len(x) - 1})
    return x[keep], y[keep]


def _range(values: Any) -> Tuple[float, float]:
    low, high = float(np.min(values)), float(np.max(values))
    # a curve of rounding is a line
    least = 1e-9 * max(abs(low), abs(high))
    if high - low <= least:
        pad = 0.05 * abs(low) or 1.0
        return low - pad, high + pad
    return low, high


def plot(x: Any, curves: Mapping[str, Any], x_label: str, y_label: str, dots: bool = False, width: int = 310,
         height: int = 190) -> str:
    """Curves over x, or points where the order of x means nothing."""
    known = [(n, np.asarray(y, float), np.asarray(x, float)) for n, y in curves.items()]
    known = [(n, y[ok], u[ok]) for n, y, u in known for ok in (np.isfinite(y) & np.isfinite(u),) if ok.any()]
    if not known:
        return ""
    x0, x1 = _range(np.concatenate([u for _, _, u in known]))
    y0, y1 = _range(np.concatenate([y for _, y, _ in known]))
    left, right, top, bottom = 58, width - 18, 22, height - 34

    def at(u: float, v: float) -> Tuple[float, float]:
        return (left + (u - x0) / (x1 - x0) * (right - left), bottom - (v - y0) / (y1 - y0) * (bottom - top))

    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
           f'viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="10" fill="#444">',
           f'<rect x="{left}" y="{top}" width="{right - left}" height="{bottom - top}" fill="#fff" stroke="#bbb"/>']
    for t in ticks(x0, x1):
        u = at(t, y0)[0]
        out.append(f'<path d="M{u:.1f} {top}V{bottom}" stroke="#eee"/>'
                   f'<text x="{u:.1f}" y="{bottom + 12}" text-anchor="middle">{number(t)}</text>')
    for t in ticks(y0, y1):
        v = at(x0, t)[1]
        out.append(f'<path d="M{left} {v:.1f}H{right}" stroke="#eee"/>'
                   f'<text x="{left - 4}" y="{v + 3:.1f}" text-anchor="end">{number(t)}</text>')
    for (_, y, u), colour in zip(known, _COLOURS * 9):
        if dots:
            out += [f'<circle cx="{a:.1f}" cy="{b:.1f}" r="2" fill="{colour}"/>'
                    for a, b in (at(p, q) for p, q in zip(u[:3000], y[:3000]))]
            continue
        path = "L".join(f"{a:.1f} {b:.1f}" for a, b in (at(p, q) for p, q in zip(*_thin(u, y))))
        out.append(f'<path d="M{path}" fill="none" stroke="{colour}" stroke-width="1.3"/>')
    middle = (left + right) / 2
    out.append(f'<text x="{left}" y="{top - 7}" font-size="11" fill="#000">{escape(y_label)}</text>'
               f'<text x="{middle:.0f}" y="{height - 6}" text-anchor="middle">{escape(x_label)}</text></svg>')
    return "".join(out)


def surface(x: Any, y: Any, z: Any, x_label: str, y_label: str, title: str, width: int = 310,
            height: int = 190) -> str:
    """Colours over a grid: z by x (rows) and y (columns), from the least (light) to the largest (dark)."""
    low, high = float(np.nanmin(z)), float(np.nanmax(z))
    left, right, top, bottom = 58, width - 18, 22, height - 34
    w, h = (right - left) / len(x), (bottom - top) / len(y)
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
           f'viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="10" fill="#444">']
    for i in range(len(x)):
        for j in range(len(y)):
            part = (float(z[i, j]) - low) / ((high - low) or 1.0)
            shade = "#fff" if math.isnan(part) else f"hsl(208,65%,{92 - 62 * part:.0f}%)"
            out.append(f'<rect x="{left + i * w:.1f}" y="{bottom - (j + 1) * h:.1f}" width="{w + 0.3:.1f}" '
                       f'height="{h + 0.3:.1f}" fill="{shade}"/>')
    for i, anchor, u, v in ((0, "start", left, bottom), (-1, "end", right, top + 8)):
        out.append(f'<text x="{u}" y="{bottom + 12}" text-anchor="{anchor}">{number(x[i])}</text>'
                   f'<text x="{left - 4}" y="{v}" text-anchor="end">{number(y[i])}</text>')
    words = f"{title}: {number(low)} … {number(high)}"
    out.append(f'<text x="{left}" y="{top - 7}" font-size="11" fill="#000">{escape(words)}</text>'
               f'<text x="{(left + right) / 2:.0f}" y="{height - 6}" text-anchor="middle">{escape(x_label)}</text>'
               f'<text x="{left - 4}" y="{(top + bottom) / 2:.0f}" text-anchor="end">{escape(y_label)}</text></svg>')
    return "".join(out)


def bars(names: Sequence[str], values: Sequence[float], title: str, width: int = 360) -> str:
    """Bars about zero, one below the other."""
    shown = [(n, float(v)) for n, v in zip(names, values) if math.isfinite(v)]
    if not shown:
        return ""
    most = max(abs(v) for _, v in shown) or 1.0
    name_width = min(170, 8 + 6.2 * max(len(n) for n, _ in shown))
    middle, half = name_width + (width - name_width) / 2, (width - name_width) / 2 - 52
    height = 24 + 16 * len(shown)
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
           f'viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="10" fill="#444">',
           f'<text x="0" y="11" font-size="11" fill="#000">{escape(title)}</text>',
           f'<path d="M{middle:.1f} 18V{height}" stroke="#bbb"/>']
    for i, (n, v) in enumerate(shown):
        y, size = 20 + 16 * i, half * abs(v) / most
        x = middle if v >= 0 else middle - size
        anchor, end = ("start", middle + size + 4) if v >= 0 else ("end", middle - size - 4)
        out.append(f'<rect x="{x:.1f}" y="{y}" width="{size:.1f}" height="11" '
                   f'fill="{_COLOURS[0] if v >= 0 else _COLOURS[1]}"/>'
                   f'<text x="0" y="{y + 9}">{escape(n[:28])}</text>'
                   f'<text x="{end:.1f}" y="{y + 9}" text-anchor="{anchor}">{number(v, 3)}</text>')
    return "".join(out) + "</svg>"
