"""What a run copies to `__constant__` and `__device__` variables: the bytes that it copies."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from perflint.base.records import dataclass
from perflint.frontend.source.host.execution.run_state import Alias, Reference, Visit
from perflint.frontend.source.host.execution.values import MOST_ELEMENTS, Array, Cells, Record
from perflint.frontend.source.host.objects.struct_fields import laid_out
from perflint.frontend.source.host.values.host_values import AXES
from perflint.frontend.source.language import c_types
from perflint.frontend.source.language.c_types import ELEMENTS, CType
from perflint.frontend.source.language.lookup import type_of_words
from perflint.frontend.source.language.model import HeldValue

if TYPE_CHECKING:
    from perflint.frontend.source.host.values.environment import Environment

#: Copies to a variable by its name: (symbol, source, bytes, offset, kind, stream).
BY_NAME = ("cudaMemcpyToSymbol", "cudaMemcpyToSymbolAsync")
_MOST_COPIES = 64  #: by one call that are kept; of more nothing is told


@dataclass(frozen=True)
class SymbolCopy:
    """What a call copies: where to, how many bytes, and the numbers in them that are known."""

    offset: int | None  #: bytes from the variable's start
    size: int | None  #: None where the run does not know it
    values: tuple[HeldValue, ...] = ()  #: offsets from the first byte, perhaps beyond the size


_UNKNOWN = SymbolCopy(None, None)


class SymbolCopies:
    """The copies of a run, by file and the call's first byte."""

    def __init__(self) -> None:
        #: each with the steps that were left then
        self._made: dict[tuple[str, int], list[tuple[int, SymbolCopy]]] = {}

    def add(self, call: tuple[str, int], left: int, copy: SymbolCopy | None) -> None:
        """Keep one; None: what it copies is not known, or whether it is made."""
        made = self._made.setdefault(call, [])
        if copy is None or len(made) == _MOST_COPIES:
            made[:] = [(left, _UNKNOWN)]
        elif not (made and made[-1][1] in (_UNKNOWN, copy)):
            made.append((left, copy))

    def doubt_since(self, left: int) -> None:
        """Take back what was copied since so many steps were left."""
        for made in self._made.values():
            if any(then <= left for then, _ in made):
                made[:] = [(left, _UNKNOWN)]

    def doubt_before(self, visit: Visit) -> None:
        """Take back what statements copied before they were come to again."""
        for (path, at), made in self._made.items():
            inside = path == visit.path and visit.start <= at < visit.end
            if inside and any(then > visit.left for then, _ in made):
                made[:] = [(visit.left, _UNKNOWN)]

    def of(self, path: str, at: int) -> SymbolCopy | None:
        """What all copies by a call have alike; None where none was seen, or nothing is."""
        copies = [copy for _, copy in self._made.get((path, at), ())]
        if not copies or _UNKNOWN in copies:
            return None
        first, *others = copies
        if any((each.offset, each.size) != (first.offset, first.size) for each in others):
            return None
        alike = set(first.values).intersection(*(each.values for each in others))
        return SymbolCopy(
            first.offset, first.size, tuple(value for value in first.values if value in alike)
        )


def copy_of(values: Sequence[Any], place: Environment) -> SymbolCopy | None:
    """What a call of `BY_NAME` with these arguments copies."""
    size = values[2] if len(values) > 2 else None
    offset = values[3] if len(values) > 3 else 0
    known = size if isinstance(size, int) else None
    if not isinstance(offset, int) or offset < 0:
        return None
    return SymbolCopy(offset, known, tuple(_behind(values[1], place)))


def _behind(source: Any, place: Environment) -> Iterator[HeldValue]:
    """The numbers in the memory that a pointer, or an array, leads to."""
    if isinstance(source, str):
        text = source.encode()[:MOST_ELEMENTS]
        yield from (HeldValue(at, 1, code, False) for at, code in enumerate((*text, 0)))
    elif isinstance(source, Array):
        yield from _of_array(source, 0, 0, place)
    elif isinstance(source, Reference) and isinstance(source.within, Array):
        if isinstance(source.key, int):
            yield from _of_array(source.within, source.key, 0, place)
    elif isinstance(source, Reference):
        within = source.within
        kinds = within.kinds if isinstance(within, (Cells, Record)) else {}
        yield from _held(source.get(), kinds.get(source.key), 0, place)


def _held(value: Any, kind: CType | None, at: int, place: Environment) -> Iterator[HeldValue]:
    """A value's numbers, from some byte on. `kind`: what it is, where a number."""
    while isinstance(value, Alias):
        value = value.get()
    if isinstance(value, Record):
        yield from _of_record(value, at, place)
    elif isinstance(value, Array):
        yield from _of_array(value, 0, at, place)
    elif isinstance(value, (int, float)) and kind is not None:
        found = c_types.convert(c_types.plain(value), kind)
        if found is not None and kind.kind in ("int", "float"):
            yield HeldValue(at, kind.size, found.number, kind.kind == "float")


def _of_array(array: Array, first: int, at: int, place: Environment) -> Iterator[HeldValue]:
    keys, step = array.items_in_order(), _step(array, place)
    for key in keys[first:MOST_ELEMENTS] if keys and step and first >= 0 else ():
        yield from _held(array[key], array.number, at + (key - first) * step, place)


def _step(array: Array, place: Environment) -> int | None:
    """The bytes of an element; None where they are not known."""
    inner = array[0]
    if isinstance(inner, Array):
        step = _step(inner, place)
        return inner.size * step if step and inner.fixed and isinstance(inner.size, int) else None
    if array.number is not None:
        return array.number.size
    found = ELEMENTS.get(array.kind)
    if found is not None:
        return found.size * len(_axes(array.kind))
    kind = type_of_words(array.kind.split(), place)
    return kind.size if kind is not None else None


def _of_record(record: Record, at: int, place: Environment) -> Iterator[HeldValue]:
    """The fields of a struct or a vector, and what lies between fields, as zeros: nobody reads
    that.
    """
    if (element := ELEMENTS.get(record.class_)) is not None:
        for number, axis in enumerate(_axes(record.class_)):
            yield from _held(record[axis], element, at + number * element.size, place)
        return
    layout, end = laid_out(record.class_, place), 0
    for field in layout.fields if layout is not None else ():
        if field.offset > end:
            yield HeldValue(at + end, field.offset - end, 0, False)
        yield from _held(record[field.name], field.type, at + field.offset, place)
        end = field.end
    if layout is not None and layout.size > end:
        yield HeldValue(at + end, layout.size - end, 0, False)


def _axes(vector: str) -> tuple[str, ...]:
    return AXES[: 3 if vector == "dim3" else int(vector[-1])]
