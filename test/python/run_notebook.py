#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the code of a notebook, cell by cell, with the standard library alone.

    run_notebook.py FILE.ipynb

The last expression of a cell is shown as a notebook would: what has an HTML form must give one. Where a cell fails it
ends with exit status 1 and the number of the cell.
"""
import ast
import contextlib
import html.parser
import io
import json
import os
import sys
import traceback

VOID = {"meta", "br", "hr", "img", "input", "link", "path", "rect", "circle", "line"}


class Balance(html.parser.HTMLParser):
    """Every element that begins also ends."""

    def __init__(self):
        super().__init__()
        self.open, self.count, self.wrong = [], 0, None

    def handle_starttag(self, tag, attrs):
        self.count += 1
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        if tag in VOID:
            return
        if not self.open or self.open.pop() != tag:
            self.wrong = self.wrong or tag


def check_html(text):
    """How many elements; ValueError where the text is not whole."""
    parser = Balance()
    parser.feed(text)
    parser.close()
    if parser.wrong or parser.open:
        raise ValueError(f"HTML is not whole: {parser.wrong or parser.open[-1]}")
    if not parser.count:
        raise ValueError("HTML without any element")
    return parser.count


def show(value, shown):
    if value is None:
        return
    form = getattr(value, "_repr_html_", None)
    if form is not None:
        shown.append((type(value).__name__, check_html(form())))
    else:
        shown.append((type(value).__name__, 0))
        print(repr(value))


def run_cell(source, names, shown):
    """Run a cell; the value of its last expression is shown."""
    tree = ast.parse(source)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, "<cell>", "exec"), names)
    if last is not None:
        show(eval(compile(ast.Expression(last.value), "<cell>", "eval"), names), shown)


def run(path):
    """Run all code cells in order, in the folder of the notebook: what was shown, as (type, elements of HTML), and
    what was printed."""
    with open(path, encoding="utf-8") as file:
        book = json.load(file)
    shown, printed, before = [], io.StringIO(), os.getcwd()

    def display(*values):
        for value in values:
            show(value, shown)

    names = {"__name__": "__main__", "display": display}
    os.chdir(os.path.dirname(os.path.abspath(path)))
    try:
        with contextlib.redirect_stdout(printed):
            for i, cell in enumerate(book["cells"]):
                if cell["cell_type"] != "code":
                    continue
                try:
                    run_cell("".join(cell["source"]), names, shown)
                except Exception as error:
                    raise RuntimeError(f"{path}: cell {i + 1}: {error}") from error
    finally:
        os.chdir(before)
    return shown, printed.getvalue()


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    try:
        shown, printed = run(sys.argv[1])
    except RuntimeError:
        traceback.print_exc()
        return 1
    print(printed, end="")
    print("\n".join(f"shown: {kind}, {count} elements of HTML" for kind, count in shown))
    return 0


if __name__ == "__main__":
    sys.exit(main())
