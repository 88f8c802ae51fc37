"""Which argument of a call is which parameter, where some are unpacked: `k[grid](x, *x.stride())`.

How many values an unpacked shape or strides give is the tensor's number of dimensions: the names of
the parameters tell it.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache

RANKS = range(1, 6)  #: dimensions that a tensor may have
_STRIDES = re.compile(r"stride", re.IGNORECASE)
_EXTENTS = re.compile(r"(shape|size|extent|dim)|^[a-z]$", re.IGNORECASE)


@dataclass(frozen=True)
class Given:
    """What a call gives one parameter."""

    parameter: str
    value: ast.expr  #: an unpacked one: what is unpacked
    rank: int = 0  #: values that were unpacked in all; 0: it is given as it is


def given(call: ast.Call, names: Sequence[str], required: Sequence[str]) -> list[Given]:
    """The parameters that a call gives values, in the order in which they are given.

    `names` are the parameters' that may be given by position, `required` those that must be given.
    """
    keywords = [Given(k.arg, k.value) for k in call.keywords if k.arg]
    by_name = {each.parameter for each in keywords}
    if not any(isinstance(each, ast.Starred) for each in call.args):
        plain = zip(names, call.args, strict=False)
        return [*(Given(name, value) for name, value in plain), *keywords]
    places = tuple(n for n in names if n not in by_name)
    kinds = tuple((_kind(each), _possible(each)) for each in call.args)
    counts = _counts(kinds, places, frozenset(required))
    return [*_spread(call.args, counts, places), *keywords]


def _spread(
    arguments: Sequence[ast.expr], counts: Sequence[int], places: Sequence[str]
) -> Iterator[Given]:
    at = 0
    for value, count in zip(arguments, counts, strict=False):
        starred = isinstance(value, ast.Starred)
        for place in places[at : at + count]:
            if isinstance(value, ast.Starred):
                yield Given(place, value.value, count)
            else:
                yield Given(place, value)
        at += count if starred else 1


def _kind(value: ast.expr) -> str:
    """What an argument is for the counting: `stride x`, `shape x`, or a name."""
    inner = value.value if isinstance(value, ast.Starred) else value
    if isinstance(inner, ast.IfExp):
        branches = [
            e for e in (inner.body, inner.orelse) if not isinstance(e, (ast.Tuple, ast.List))
        ]
        inner = branches[0] if branches else inner.body
    called = inner.func if isinstance(inner, ast.Call) else inner
    called = called.value if isinstance(called, ast.Subscript) else called
    attribute = called.attr if isinstance(called, ast.Attribute) else ""
    if isinstance(called, ast.Attribute) and attribute in ("stride", "shape", "size"):
        owner = called.value.id if isinstance(called.value, ast.Name) else ""
        return f"{'stride' if attribute == 'stride' else 'shape'} {owner}"
    return called.id if isinstance(called, ast.Name) else ""


def _possible(value: ast.expr) -> tuple[int, ...]:
    """How many values an argument may give: one, those of a tuple, or as many as dimensions."""
    if not isinstance(value, ast.Starred):
        return (1,)
    choice = value.value
    branches = [choice.body, choice.orelse] if isinstance(choice, ast.IfExp) else [choice]
    known = [len(e.elts) for e in branches if isinstance(e, (ast.Tuple, ast.List))]
    return tuple(known[:1]) or tuple(RANKS)


@lru_cache(maxsize=256)
def _counts(
    given: tuple[tuple[str, tuple[int, ...]], ...],
    places: tuple[str, ...],
    required: frozenset[str],
) -> tuple[int, ...]:
    """How many parameters each argument takes, so that their names suit best."""
    kinds, counted = zip(*given, strict=True)

    @cache
    def best(number: int, at: int) -> tuple[float, tuple[int, ...]]:
        if number == len(kinds):
            return -2.0 * sum(p in required for p in places[at:]), ()
        kind = kinds[number]
        found = (-1e9, (1,) * (len(kinds) - number))
        for count in counted[number]:
            if at + count > len(places):
                break
            score = sum(_suits(kind, place) for place in places[at : at + count])
            rest, counts = best(number + 1, at + count)
            found = max(found, (score + rest, (count, *counts)))
        return found

    return best(0, 0)[1]


def _suits(kind: str, place: str) -> float:
    """How well an argument suits a parameter's name."""
    what, _, owner = kind.lower().rpartition(" ")
    strides = bool(_STRIDES.search(place))
    own = _STRIDES.sub("", place.lower()).lstrip("_")
    if what == "stride":
        return (1.0 if strides else -1.0) + 0.5 * bool(owner and own.startswith(owner))
    if strides:
        return -1.0
    if what == "shape":
        return 0.5 if _EXTENTS.search(place) else 0.0
    return 1.0 if owner and own.removesuffix("_ptr") == owner else 0.0
