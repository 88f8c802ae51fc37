"""The names of an entry's parameters in the Python function that it was made of.

Triton passes the function's arguments in order, less those that became constants, and behind them
pointers to scratch memory. Numba takes an array apart: two pointers that own it, the number of its
elements, their size, the data, the shape and the strides (numba.cuda's data model of arrays).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from perflint.base.patterns import pattern
from perflint.frontend.mangling import list_end
from perflint.frontend.python.entries import Entry
from perflint.frontend.python.functions import PythonFunction

SCRATCH = ("global_scratch", "profile_scratch")  #: of Triton 3.3 and later
_TTIR = pattern(r"^[^\S\n]*tt\.func\s+public\s+@([\w$.]+)\((.*)$", re.MULTILINE)
_TTIR_ARGUMENT = pattern(r"%([\w.$-]+):\s")
#: What Triton's specialiser looks whether an integer is a multiple of (triton.runtime.jit).
TRITON_DIVISOR = 16
_DIVISIBILITY = pattern(r"tt\.divisibility\s*=\s*([0-9]{1,6})\b")
_NUMBERED = pattern(r"arg\d+")
_DIMENSIONS = pattern(r"Li([0-9])E")
_NUMBER = pattern(r"[0-9]{1,6}")


def triton_names(
    entry: Entry, function: PythonFunction | None, ttir: str
) -> tuple[str, ...] | None:
    """The arguments' names, None where they cannot be told for certain.

    `ttir` is Triton's own text of the kernel, which lists the arguments that are left; without it
    those that the function declares as constants are left out, and all others must be there.
    """
    count = len(entry.parameters)
    left = _left(entry.name, ttir)
    if left is not None:
        extra = count - len(left)
        return (*left, *SCRATCH[:extra]) if 0 <= extra <= len(SCRATCH) else None
    if function is None:
        return None
    names = tuple(n for n in function.parameters if n not in function.constants)
    unread = 0
    for parameter in reversed(entry.parameters):
        if parameter.read or parameter.type != "u64" or unread == len(SCRATCH):
            break
        unread += 1
    return (*names, *SCRATCH[:unread]) if len(names) + unread == count else None


def _left(entry: str, ttir: str) -> tuple[str, ...] | None:
    for match in _TTIR.finditer(ttir):
        if match[1] == entry:
            names = tuple(_TTIR_ARGUMENT.findall(match[2]))
            return None if any(_NUMBERED.fullmatch(n) for n in names) else names
    return None


def triton_divisors(entry: str, ttir: str) -> dict[str, int]:
    """By argument's name: what Triton took its value to be a multiple of, where it took anything.

    `ttir` is Triton's own text of the kernel.
    """
    for match in _TTIR.finditer(ttir):
        if match[1] == entry:
            parts = _TTIR_ARGUMENT.split(match[2])[1:]
            pairs = zip(parts[::2], parts[1::2], strict=True)
            return {n: int(d[1]) for n, text in pairs if (d := _DIVISIBILITY.search(text))}
    return {}


def numba_names(entry: Entry, function: PythonFunction | None) -> tuple[str, ...] | None:
    """The names of the pieces of each argument, None where a type is not known."""
    types = argument_types(entry.name)
    if function is None or types is None or len(types) != len(function.parameters):
        return None
    names = [
        n for name, t in zip(function.parameters, types, strict=True) for n in _pieces(name, t)
    ]
    return tuple(names) if len(names) == len(entry.parameters) else None


def _pieces(name: str, type_: str) -> Iterator[str]:
    if not type_.startswith("5Array"):
        yield name
        return
    found = _DIMENSIONS.search(type_)
    dimensions = int(found[1]) if found else 0
    yield from (f"{name}.{field}" for field in ("meminfo", "parent", "size", "itemsize", "data"))
    yield from (f"{name}.shape[{i}]" for i in range(dimensions))
    yield from (f"{name}.strides[{i}]" for i in range(dimensions))


def argument_types(mangled: str) -> tuple[str, ...] | None:
    """The argument types in a name that Numba mangled: `5ArrayIfLi1E…E`, `i`.

    None for a name that is not understood.
    """
    if not mangled.startswith("_ZN"):
        return None
    at = _nested_end(mangled, 3)
    if at is None:
        return None
    types: list[str] = []
    while at < len(mangled):
        end = _type_end(mangled, at)
        if end is None:
            return None
        types.append(mangled[at:end])
        at = end
    return () if types == ["v"] else tuple(types)


def _nested_end(text: str, at: int) -> int | None:
    """The position behind the `E` that ends a nested name."""
    while at < len(text):
        if text[at] == "E":
            return at + 1
        at += text[at] == "B"  # an ABI tag
        end = _name_end(text, at)
        if end is None:
            return None
        at = end
    return None


def _name_end(text: str, at: int) -> int | None:
    """The position behind a name and the arguments in brackets behind it."""
    number = _NUMBER.match(text, at)
    if number is None:
        return None
    end = number.end() + int(number[0])
    return list_end(text, end) if text[end : end + 1] == "I" else end


def _type_end(text: str, at: int) -> int | None:
    if text[at] in "0123456789":
        return _name_end(text, at)
    if text[at] == "L":  # a literal: `Li2E`
        end = text.find("E", at)
        return end + 1 if end > 0 else None
    while text[at] in "PKR":
        at += 1
        if at == len(text):
            return None
    return at + 1 if text[at] in "vbcahstijlmxynofdegz" else None
