"""What the host puts into an array that no kernel writes: one number, or numbers in progression.

Read where all that is done with the array is plain (`host_array_uses`): it is set once, by memset,
by an assignment in a loop over its elements or from another such array, before it is passed. The
numbers come from the program's own expressions, folded at some of the loop's turns.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from math import prod
from typing import TYPE_CHECKING

from perflint.base.records import dataclass
from perflint.frontend.source.host.calls.frames import texts_of
from perflint.frontend.source.host.calls.results import enter, text_left
from perflint.frontend.source.host.objects.containers import element_type
from perflint.frontend.source.host.objects.origins import called_as
from perflint.frontend.source.host.values.allocations import without_casts
from perflint.frontend.source.host.values.counters import counted_from_zero
from perflint.frontend.source.language import c_types
from perflint.frontend.source.language.body_writes import operator_of
from perflint.frontend.source.language.c_types import Value
from perflint.frontend.source.language.constant_folding import fold
from perflint.frontend.source.language.declarators import Region
from perflint.frontend.source.language.lookup import type_of_words
from perflint.frontend.source.language.model import HostData
from perflint.frontend.source.language.reaching_definitions import PARAMETER
from perflint.frontend.source.language.tokens import Token, bare, spell, split, tokenize
from perflint.frontend.source.language.trees import children_of
from perflint.frontend.source.launches.host_array_uses import Use, uses

if TYPE_CHECKING:
    from perflint.frontend.source.host.values.environment import Environment
    from perflint.frontend.source.language.declarations import Function

_DEPTH = 6  #: copies of copies, functions that functions call
#: The turns of a loop whose values tell a progression from anything else, `i % 4` and `i & 31` too.
_TURNS = (0, 1, 2, 3, 5, 8, 31, 32, 33, 100, 255, 256, 1000, 4095, 4096)
_INNER = (0, 1, 2, 3, 5, 31, 32)  #: … of the inner one of two
_ZEROED = "calloc"
_ALLOCATES = ("malloc", "realloc", "aligned_alloc", "new", "NULL", "nullptr", "0")


def host_data(
    text: str, place: Environment, depth: int = 0, returned: bool = False
) -> HostData | None:
    """What the array behind a pointer expression holds; None where that cannot be read.

    An array that its function returns has other names in its callers: those are looked at who ask
    with `returned`.
    """
    tokens = _pointer(tokenize(text))
    if len(tokens) != 1 or tokens[0].kind != "name" or depth > _DEPTH:
        return None
    name = tokens[0].text
    while place.outer is not None and not place.is_local(name):
        place = place.outer
    function, body = place.function, place.body()
    if function is None or body is None or not place.is_local(name):
        return None
    found = uses(function, name)
    settings = None if found is None else _settings(found, place, returned=returned)
    if settings is None:
        return None
    if body.reaching(name, place.at) is PARAMETER and name in body.parameters:
        passed = place.argument(function, function.position(name))
        return None if settings or passed is None else host_data(*passed, depth + 1)
    if not settings or any(each.at >= place.at for each in settings):
        return None
    *before, last = settings
    if any(each.use.kind not in ("fill", "declared", "allocated") for each in before):
        return None
    data = _set_by(last, place, depth)
    if data is not None and before and last.use.kind == "element" and data.count is None:
        return None  # the loop may leave what was there before
    return data if data is None or data.size else replace(data, size=_of_elements(name, place))


@dataclass(frozen=True, eq=False)
class _Setting:
    """A use that sets an array, perhaps in a function that is called."""

    use: Use
    place: Environment  #: whose names it is read with
    at: int  #: where the function that has the array does it, or calls the one that does

    @property
    def is_called(self) -> bool:
        return self.at != self.use.node.start_byte


def _pointer(tokens: list[Token]) -> list[Token]:
    """`a` of `(int *)a`, `&a[0]`, `a.data()`."""
    tokens = without_casts(tokens)
    words = [t.text for t in tokens]
    if words[:1] == ["&"] and words[2:] == ["[", "0", "]"]:
        return tokens[1:2]
    return tokens[:1] if words[1:] == [".", "data", "(", ")"] else tokens


def _settings(
    found: Sequence[Use], place: Environment, depth: int = 0, returned: bool = False
) -> list[_Setting] | None:
    """The uses that set an array; None where one cannot be followed, or a kernel may write it."""
    settings: list[_Setting] = []
    for use in found:
        if use.kind == "returned":
            if not returned:
                return None
            continue
        at = use.node.start_byte
        there = place.moved(at)
        if use.kind == "given":
            inside = _inside(use, there, depth)
            if inside is None:
                return None
            settings += [replace(each, at=at) for each in inside]
            continue
        by = _allocator(there.file.source.text_of(use.node)) if use.kind == "allocated" else ""
        if by not in _ALLOCATES:
            settings.append(_Setting(use, there, at))
    return settings


def _allocator(text: str) -> str:
    """`malloc` of `(int *)malloc(n)`: the first word of what a pointer is set to."""
    tokens = without_casts(tokenize(text))
    return tokens[0].text if tokens else ""


def _inside(use: Use, there: Environment, depth: int) -> list[_Setting] | None:
    """What a function that gets an array sets of it; None where that cannot be told."""
    assert use.call is not None
    if use.launch:
        kernels = there.session.project.kernels(use.call.name, there.file)
        return None if not kernels or any(_writes(k, use.position) for k in kernels) else []
    if depth > _DEPTH:
        return None
    entered = enter(there, use.call.name, texts_of(use.call, there.file))
    function = entered.function if entered is not None else None
    if entered is None or function is None or use.position >= len(function.parameters):
        return None
    if not _writes(function, use.position):
        return []
    parameter = function.parameters[use.position]
    found = uses(function, parameter.name)
    return None if found is None else _settings(found, entered, depth + 1)


def _writes(function: Function, position: int) -> bool:
    """Whether a function may write the array that it gets for a parameter, as far as is seen."""
    if position >= len(function.parameters) or function.body is None:
        return True
    parameter = function.parameters[position]
    constant = "const" in parameter.written.partition("*")[0].split()
    if constant and (parameter.pointers == 1 or "&" in parameter.written):
        return False
    return uses(function, parameter.name) != ()


def _of_elements(name: str, place: Environment) -> int | None:
    """The bytes of an element of an array; None where its type is not in sight."""
    words, depth = place.declared_words(name)
    inner = element_type(words) if not depth else words if depth == 1 else ""
    kind = type_of_words(inner.split(), place) if inner else None
    return None if kind is None else kind.size


def _set_by(last: _Setting, place: Environment, depth: int) -> HostData | None:
    """What a setting leaves in its array, as it is found at a place."""
    use, there = last.use, last.place
    body = there.body()
    loops = None if body is None else _around(last, place)
    if loops is None or (loops and use.kind != "element"):
        return None
    if use.kind == "element":
        return _by_turns(use, there, loops)
    if use.kind == "allocated":
        text = there.file.source.text_of(use.node)
        return HostData(0) if _allocator(text) == _ZEROED else _returned(text, there, depth)
    if use.kind == "declared":
        return _declared(use, there)
    assert use.call is not None
    given = [there.file.source.text_of(argument) for argument in use.call.arguments]
    if use.kind == "copy":
        return host_data(given[1], there, depth + 1) if len(given) > 1 else None
    if use.kind == "fill":
        value = _plain(fold(given[1], there)) if len(given) > 1 else None
        return HostData(value) if value == 0 else None  # other bytes make other numbers
    value = _plain(fold(given[2], there))
    if value is None:
        return None
    return HostData(value) if use.kind == "same" else HostData(value, 1)


def _returned(text: str, there: Environment, depth: int) -> HostData | None:
    """What is in the array that a function makes and returns: `upload(h)`."""
    called = called_as(without_casts(tokenize(text)))
    entered = enter(there, *called) if called is not None else None
    left = text_left(entered) if entered is not None else None
    body = left[1].body() if left is not None else None
    if left is None or body is None or left[0] in body.parameters:
        return None
    return host_data(*left, depth + 1, returned=True)


def _around(last: _Setting, place: Environment) -> list[Region] | None:
    """The loops around a setting that are not around a place; None where it may not be made."""
    outer, inner = place.body(), last.place.body()
    if outer is None or inner is None:
        return None
    common = outer.enclosing(place.at)
    found = [r for r in outer.enclosing(last.at) if r not in common]
    if last.is_called:  # once, and in loops of its own
        if found:
            return None
        found = inner.enclosing(last.use.node.start_byte)
    return found if all(r.kind == "loop" for r in found) else None


def _plain(value: Value | None) -> int | float | None:
    """A number that hangs on nothing that is not in sight."""
    return None if value is None or value.term is not None else value.number


def _declared(use: Use, there: Environment) -> HostData | None:
    """`std::vector<int> a(n, 1)`, `int a[64] = {0}`."""
    value = use.node.child_by_field_name("value")
    name = use.node.child_by_field_name("declarator")
    behind = there.moved(use.node.end_byte)
    words, depth = behind.declared_words(there.file.source.text_of(name)) if name else ("", 0)
    if not depth and not element_type(words):
        return None  # an object of some class
    items = [there.file.source.text_of(item) for item in children_of(value)]
    if value is not None and value.type == "argument_list":
        last = _plain(fold(items[1], there)) if len(items) == 2 else 0 if len(items) == 1 else None
        return None if last is None else HostData(last)
    return HostData(0) if items in ([], ["0"]) else None


# --- an assignment in a loop ----------------------------------------------------------------------


def _by_turns(use: Use, there: Environment, loops: Sequence[Region]) -> HostData | None:
    """`a[i] = 2 * i`, or `a[i * n + j] = …`, in loops over i and j from 0."""
    body, source = there.body(), there.file.source
    left, right = (use.node.child_by_field_name(f) for f in ("left", "right"))
    if body is None or left is None or right is None or operator_of(use.node) != "=" or not loops:
        return None
    counters = [counted_from_zero(region, there) for region in loops]
    counted = {name for name, _ in filter(None, counters)}
    names = {t.text for t in tokenize(source.text_of(right)) if t.kind == "name"} - counted
    written = (d for n in names & body.definitions.keys() for d in body.definitions[n])
    if any(loops[0].start <= d.start < loops[0].end for d in written):
        return None  # `a[i] = sum`, which the loop changes
    index = list(bare(tokenize(source.text_of(left).partition("[")[2].rpartition("]")[0])))
    turns = _turns(index, counters, there)
    found = [(k, _at(source.text_of(right), use, there, counted)) for counted, k in turns]
    data = _progression(found)
    bounds = [_plain(fold(each[1], there)) for each in counters if each is not None]
    whole = [b for b in bounds if isinstance(b, int)]
    return replace(data, count=prod(whole) if whole == bounds else None) if data else None


def _turns(
    index: list[Token], counters: Sequence[tuple[str, str] | None], there: Environment
) -> list[tuple[dict[str, int], int]]:
    """Some turns of one loop, or of two, with the indices that they set; () where others are."""
    known = [each for each in counters if each is not None]
    if len(known) != len(counters):
        return []
    if len(known) == 1 and spell(index) == known[0][0]:
        bound = _plain(fold(known[0][1], there))
        last = (bound // 2, bound - 1) if isinstance(bound, int) and bound > _TURNS[-1] else ()
        return [({known[0][0]: i}, i) for i in (*_TURNS, *last)]
    return _nested(index, known, there) if len(known) == 2 else []


def _nested(
    index: list[Token], counters: Sequence[tuple[str, str]], there: Environment
) -> list[tuple[dict[str, int], int]]:
    """Turns of two loops with the indices that they set, if `i * n + j` counts all elements."""
    (outer, _), (inner, bound) = counters
    parts = {spell(bare(part)) for part in split(index, "+")}
    width = _plain(fold(bound, there))
    rows = {f"{outer} * {bound}", f"{bound} * {outer}"}
    if inner not in parts or not parts & rows or len(parts) != 2 or not isinstance(width, int):
        return []
    turns = [(i, j) for i in _TURNS for j in _INNER if j < width]
    return [({outer: i, inner: j}, i * width + j) for i, j in turns]


def _at(text: str, use: Use, there: Environment, counted: dict[str, int]) -> int | float | None:
    """The value that an assignment gives in one turn."""
    bound = {name: Value(number, c_types.INT) for name, number in counted.items()}
    return _plain(fold(text, there.knowing(use.node.start_byte, bound)))


def _progression(found: Sequence[tuple[int, int | float | None]]) -> HostData | None:
    """The progression that values at some indices are of; floats only if all are the same."""
    known = sorted((k, value) for k, value in found if value is not None)
    if len(known) < len(found) or len(known) < 2:
        return None
    first = known[0][1]
    if all(value == first for _, value in known):
        return HostData(first)
    steps = {(b - a) / (j - i) for (i, a), (j, b) in pairwise(known) if j != i}
    step = steps.pop()
    whole = all(isinstance(value, int) for _, value in known) and step == int(step)
    return HostData(first, int(step)) if not steps and whole and known[0][0] == 0 else None
