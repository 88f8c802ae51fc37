"""What variables of a run hold besides numbers and text: structures, arrays, tables, pointers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from perflint.base.records import dataclass
from perflint.frontend.source.host.execution.run_state import Backwards, Frame, Object, Reference
from perflint.frontend.source.host.execution.text_functions import UNKNOWN, operated
from perflint.frontend.source.language.c_types import CType, convert, plain
from perflint.frontend.source.language.streams import Stream

if TYPE_CHECKING:
    from perflint.frontend.source.host.values.environment import Environment
    from perflint.frontend.source.project.files import File

#: Elements of one array that are kept; of larger ones only the size.
MOST_ELEMENTS = 4096
MOST_COPIED = 16_384  #: structures and containers of one copy


class Record(Object):
    """An object of a class that is in sight: its members, by name."""

    def __init__(self, class_: str, file: File | None) -> None:
        super().__init__()
        self.class_, self.file = class_, file
        self.kinds: dict[str, CType] = {}  #: of members that are numbers
        self.constants: frozenset[str] = frozenset()  #: members that nothing may write to
        self.bound: dict[str, Any] = {}  #: what its template's parameters are, where numbers

    def __setitem__(self, member: str, value: Any) -> None:
        super().__setitem__(member, as_kind(value, self.kinds.get(member)))

    def __missing__(self, member: str) -> Any:
        return UNKNOWN


class Array(Object):
    """A container or an array of a known or unknown number of elements."""

    def __init__(
        self, size: Any, default: Any = UNKNOWN, kind: str = "", fixed: bool = False
    ) -> None:
        super().__init__()
        self.size, self.default, self.kind = size, default, kind
        self.fixed = fixed  #: whether it keeps its size: an array, no container
        self.number: CType | None = None  #: what its elements are, where numbers
        self.decays = False  #: whether it is one of C's: its value is a pointer to its first

    def __missing__(self, key: Any) -> Any:
        return self.default

    def __setitem__(self, key: Any, value: Any) -> None:
        if not self.is_large and (len(self) < MOST_ELEMENTS or key in self):
            super().__setitem__(key, as_kind(value, self.number))
        else:  # one that nobody keeps: no element is known any more
            self.forget()

    @property
    def is_large(self) -> bool:
        """Whether no element of it is kept."""
        return isinstance(self.size, int) and self.size > MOST_ELEMENTS

    def forget(self) -> None:
        self.clear()
        self.default = UNKNOWN

    def items_in_order(self) -> list[Any] | None:
        """The elements' keys; None where their number is not known, or too large."""
        known = isinstance(self.size, int) and 0 <= self.size <= MOST_ELEMENTS
        return list(range(self.size)) if known else None


class Table(Object):
    """A map: what keys that are known lead to."""

    def __init__(self) -> None:
        super().__init__()
        self.lost = False  #: whether it may hold other keys, too
        self.fresh: Any = UNKNOWN  #: what a key gets that `[…]` asks for first

    def __missing__(self, key: Any) -> Any:
        return UNKNOWN


@dataclass(frozen=True, eq=False)
class Callee:
    """A function as a value."""

    name: str
    place: Environment  #: where it is named


class Cells(dict[Any, Any]):
    """Variables by name, each of which holds numbers as its type has them."""

    def __init__(self) -> None:
        super().__init__()
        self.kinds: dict[Any, CType] = {}
        self.constants: set[Any] = set()  #: variables that nothing may write to

    def __setitem__(self, name: Any, value: Any) -> None:
        super().__setitem__(name, as_kind(value, self.kinds.get(name)))

    def declare(self, name: Any, kind: CType | None, value: Any, constant: bool = False) -> None:
        """A new variable of a type, whatever had its name."""
        self.kinds.pop(name, None)
        (self.constants.add if constant else self.constants.discard)(name)
        if kind is not None:
            self.kinds[name] = kind
        self[name] = value


@dataclass(frozen=True, eq=False)
class Call(Frame):
    """The variables of one call of a function or method."""

    this: Record | None = None


def pointer_to(value: Any) -> Reference:
    """A pointer to something new."""
    return Reference({"*": value}, "*")


def decayed(value: Any) -> Any:
    """What a pointer gets of a value: where an array of C's begins, else the value."""
    return Reference(value, 0) if isinstance(value, Array) and value.decays else value


def moved(value: Any, by: Any, sign: str) -> Reference | None:
    """A pointer to another element of the array that a pointer leads into, or an array is."""
    at = Reference(value, 0) if isinstance(value, Array) else value
    is_inside = isinstance(at, Reference) and isinstance(at.within, Array)
    if sign not in ("+", "-") or not isinstance(by, int) or not is_inside:
        return None
    if not isinstance(at.key, int):
        return None
    ahead = (sign == "+") != isinstance(at, Backwards)
    return type(at)(at.within, at.key + (by if ahead else -by))


def compared(sign: str, one: Reference, other: Reference) -> Any:
    """What an operator makes of two pointers, or iterators: known for those into one array."""
    keys = [one.key, other.key]
    if one.within is not other.within or not all(isinstance(key, int) for key in keys):
        return UNKNOWN
    if isinstance(one, Backwards):
        keys = [-key for key in keys]
    is_known = sign in ("==", "!=", "<", ">", "<=", ">=", "-")
    return operated(sign, *keys) if is_known else UNKNOWN


def as_kind(value: Any, kind: CType | None) -> Any:
    """A number as a variable of a type holds it."""
    if kind is None or not isinstance(value, (int, float)) or kind.kind == "opaque":
        return value
    if isinstance(value, int) and kind.kind == "int" and value.bit_length() == 64 and value > 0:
        value -= 1 << 64  # `std::string::npos`: modulo 2**64 it is the same
    found = convert(plain(value), kind) if abs(value) < 1 << 63 else None
    return UNKNOWN if found is None else found.number


def copied(value: Any, left: Iterator[int] | None = None) -> Any:
    """A value as a copy has it: structures and containers anew, what pointers lead to is shared.

    Of more than MOST_COPIED of these, what `left` has not is not known.
    """
    left = iter(range(MOST_COPIED)) if left is None else left
    if isinstance(value, (Record, Array, Table)) and next(left, None) is None:
        return UNKNOWN
    if isinstance(value, Record):
        made = Record(value.class_, value.file)
        made.kinds, made.bound = value.kinds, value.bound
        made.constants = value.constants
        for member, held in value.items():
            dict.__setitem__(made, member, copied(held, left))
        return made
    if isinstance(value, Array):
        array = Array(value.size, value.default, value.kind, value.fixed)
        array.number, array.decays = value.number, value.decays
        for key, held in value.items():
            dict.__setitem__(array, key, copied(held, left))
        return array
    if isinstance(value, Table):
        table = Table()
        table.lost, table.fresh = value.lost, value.fresh
        for key, held in value.items():
            dict.__setitem__(table, key, copied(held, left))
        return table
    return value


def is_constant(place: Reference) -> bool:
    """Whether a place is one that nothing may write to: a constant variable or member."""
    within = place.within
    return isinstance(within, (Record, Cells)) and place.key in within.constants


def lose(values: Iterable[Any]) -> None:
    """Forget all that may be written through some values: pointers, and objects themselves."""
    waiting, seen = list(values), set[int]()
    while waiting:
        value = waiting.pop()
        if id(value) in seen:
            continue
        seen.add(id(value))
        if isinstance(value, Reference):
            held = value.get()
            if isinstance(held, (dict, Reference, Stream)):
                waiting.append(held)
            elif isinstance(value.within, dict) and not is_constant(value):
                dict.__setitem__(value.within, value.key, UNKNOWN)
            if isinstance(value.within, Array):  # its elements; it is no container to write to
                waiting += [v for v in value.within.values() if isinstance(v, (dict, Reference))]
                value.within.forget()
        elif isinstance(value, Array):
            waiting += [v for v in value.values() if isinstance(v, (dict, Reference))]
            value.forget()
            value.size = value.size if value.fixed else UNKNOWN
        elif isinstance(value, list):
            value.clear()
        elif isinstance(value, Stream):
            value.lose()
        elif isinstance(value, dict):
            if isinstance(value, Table):
                value.lost = True
            for key, held in value.items():
                if isinstance(held, (dict, Reference, list, Stream)):
                    waiting.append(held)
                elif not is_constant(Reference(value, key)):
                    dict.__setitem__(value, key, UNKNOWN)


def mix(one: Reference, other: Reference) -> None:
    """Forget which of two places holds which of their values: what both have alike stays."""
    first, second = one.get(), other.get()
    if isinstance(first, Record) and isinstance(second, Record) and first is not second:
        for member in {*first, *second}:
            mix(Reference(first, member), Reference(second, member))
        return
    alike = type(first) is type(second) and isinstance(first, (int, float, str, type(None)))
    for place, value in ((one, first), (other, second)):
        if isinstance(value, (Record, Array, Table)):
            lose([value])
        elif isinstance(place.within, dict) and not (alike and first == second):
            dict.__setitem__(place.within, place.key, UNKNOWN)
