# SPDX-License-Identifier: Apache-2.0
"""Results as tables: columns with names and units, as the library has them."""
from __future__ import annotations

import dataclasses
from ctypes import pointer
from typing import Any, Dict, Iterator, List, Mapping, Optional, Tuple, Type, TypeVar, Union

import numpy as np

from . import _abi, _html
from ._core import Floats, Handle, Path, Quantity, call, file_name, find, text, view
from ._lib import lib

T = TypeVar("T")
_ROWS = 60  # that notebooks show


class Table(Mapping[str, Union[Floats, Tuple[str, ...]]]):
    """A table of a result: a mapping of names of columns to arrays, without copies, or to texts.

        t["frequency"], t.units["frequency"]
        np.asarray(t)                           rows x columns of numbers
        pandas.DataFrame(dict(t))
        t.save("modes.csv")                     .h5, .mat and whatever else results can be saved as
    """

    def __init__(self, found: Any, owner: Handle) -> None:
        self._pointer, self._owner, t = found, owner, found.contents
        columns = t.column[:t.ncolumn] if t.ncolumn else []
        self.name: str = text(t.name)
        self.title: str = text(t.title)
        self.rows: int = t.nrow
        self.columns: Tuple[str, ...] = tuple(text(c.name) for c in columns)
        # names may come twice
        self.column_units: Tuple[str, ...] = tuple(text(c.unit) for c in columns)
        self.column_descriptions: Tuple[str, ...] = tuple(text(c.description) for c in columns)
        self.notes: Dict[str, Union[str, float]] = {
            text(n.name): n.value if n.text is None else text(n.text) for n in (t.note[:t.nnote] if t.nnote else [])}

    @property
    def units(self) -> Dict[str, str]:
        """Units by name of a column."""
        return dict(zip(self.columns, self.column_units))

    @property
    def descriptions(self) -> Dict[str, str]:
        """Descriptions by name of a column."""
        return dict(zip(self.columns, self.column_descriptions))

    def matrix(self) -> Floats:
        """Rows x columns, without a copy: of tables whose numbers lie row by row, as those of histories."""
        shape = (self.rows, len(self))
        return view(self._pointer.contents.column[0].value if len(self) else None, shape, self._owner)

    def _column(self, i: int) -> Union[Floats, Tuple[str, ...]]:
        c = self._pointer.contents.column[i]
        if not c.value:
            return tuple(text(c.text[k]) for k in range(self.rows))
        return view(c.value, (self.rows,), self._owner, (8 * c.stride,))

    def __getitem__(self, name: str) -> Union[Floats, Tuple[str, ...]]:
        return self._column(find("column", name, self.columns))

    def __iter__(self) -> Iterator[str]:
        return iter(self.columns)

    def __len__(self) -> int:
        return len(self.columns)

    def __array__(self, dtype: Any = None, copy: Optional[bool] = None) -> Any:
        numbers = [c for c in map(self._column, range(len(self))) if not isinstance(c, tuple)]
        return np.asarray(np.stack(numbers, 1) if numbers else np.empty((self.rows, 0)), dtype)

    def save(self, path: Path) -> None:
        """Write it in the format the name ends in."""
        call(lib.jo_table_save, self._pointer, file_name(path))

    def __str__(self) -> str:
        said: List[bytes] = []
        kind = _abi.FUNCTIONS["jo_table_print"][1][2]
        write = kind(lambda _, words, n: said.append(words[:n]))
        lib.jo_table_print(self._pointer, 100, write, None)
        return b"".join(said).decode()

    def __repr__(self) -> str:
        return f"<Table {self.name}: {self.rows} rows, {', '.join(self.columns)}>"

    def _repr_html_(self) -> str:
        head = [f"{n} [{u}]" if u else n for n, u in zip(self.columns, self.column_units)]
        cells = [[v if isinstance(v, str) else _html.number(v) for v in self._column(i)[:_ROWS]]
                 for i in range(len(self))]
        return _html.block(self.title or self.name, f"{self.rows} rows", _html.table(head, list(zip(*cells))))


def tables(found: Any, owner: Handle) -> Dict[str, Table]:
    """The tables of a result by name."""
    made = [Table(pointer(found.contents.table[i]), owner) for i in range(found.contents.ntable)]
    return {t.name: t for t in made}


def records(kind: Type[T], table: Optional[Table]) -> List[T]:
    """Rows as dataclasses, whose members are columns."""
    if table is None:
        return []
    plain = {"bool": bool, "int": int, "float": float}
    cells = [list(map(plain.get(str(f.type), str), table[f.name]))
             for f in dataclasses.fields(kind)]  # type: ignore[arg-type]
    return [kind(*row) for row in zip(*cells)]


def quantities(table: Table) -> Dict[str, Quantity]:
    """Rows of a table of names, values and units, by name."""
    names, none = table[table.columns[0]], ("",) * table.rows
    rest = (table["unit"], table.get("description", none))
    return {str(n): Quantity(float(v), str(n), str(u), str(d)) for n, v, u, d in zip(names, table["value"], *rest)}


__all__ = ["Table"]
