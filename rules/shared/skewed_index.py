"""Edits that skew the index of a shared array that has no rows: `s[i + (i >> 5)]` for `s[i]`.

All uses of the array change alike, also those in device functions that it is passed to, and so all
arrays that these functions are given. Only plain uses: a subscript, or the name as an argument. All
else is left: a pointer into the array, a cast, a macro, an index that calls or changes something.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from perflint.analysis.model import AccessSite
from perflint.analysis.variable_names import variable_name
from perflint.base.constructs import (
    Constructs,
    Fragment,
    FunctionSource,
    LaunchSource,
    within,
)
from perflint.base.edits import plain_index
from perflint.base.patterns import pattern
from perflint.base.records import dataclass
from perflint.rules.array_uses import declared_in, is_parameter, uses_of
from perflint.rules.protocol import Edit, Kernel, OtherLaunch
from perflint.rules.shared_declarations import element_size

_WORDS = pattern(r"[A-Za-z_]\w*")
_PLAIN = pattern(r"[\w.]+")
#: What makes an index that cannot be written twice: a call, a change, a choice between values.
_LIVELY = pattern(r"\w\s*\(|\+\+|--|(?<![=!<>])=(?!=)|,")

Holder = tuple[FunctionSource, str]  #: a function, and what it calls the array


@dataclass(frozen=True)
class Skewed:
    """An array with another index, everywhere."""

    edits: tuple[Edit, ...]
    others: frozenset[str]  #: other kernels whose code changes
    shared: OtherLaunch  #: how the launch's shared bytes grow, where it says how large the array is


def skewed(
    kernel: Kernel, site: AccessSite, per: int, factor: int, *, whole: bool, pointer: str = ""
) -> Skewed | None:
    """The edits that give each use of an array another index; None where they are more than that.

    With a `pointer` only its uses: the array is parted among several.

    `per` elements fill all banks. The index is `i + (i >> 5)`, or with a factor
    `i ^ ((i >> 5) * factor & 31)`, which needs a `whole` number of rows.
    """
    function, constructs = kernel.function, kernel.own_constructs
    name = pointer or variable_name(site.array.name)
    if function is None or constructs is None or name is None:
        return None
    holders = [(function, name)] if pointer else _holders(constructs, function, name)
    if holders is None:
        return None
    edits: list[Edit] = []
    others = set()
    grows = OtherLaunch()
    for holder, called in holders:
        uses = uses_of(constructs, holder, called, {each for each, _ in holders})
        declared = declared_in(constructs, holder, called)
        indices = [_another_index(use, called, per, factor) for use in uses or ()]
        if uses is None or None in indices:
            return None
        edits += [each for each in indices if each is not None]
        if holder.kernel and holder is not function:
            others.add(holder.name)
        if declared is None and not pointer:
            continue
        if declared is not None and element_size(declared.type) not in (0, site.size):
            return None  # a vector is loaded: another index for each element would part it
        if declared is not None and declared.extents and declared.extents[0].text:
            extent = declared.extents[0]
            if not factor:
                edits.append(Edit(extent.span, _longer(extent.text, per)))
            elif not whole:
                return None
            continue
        launches = _launches(kernel) if holder is function and not grows.more else None
        rest = (per - 1) * 128 // per if factor else 0
        sizes = [_longer_launch(each, 0 if factor else per, rest) for each in launches or ()]
        if not sizes or None in sizes:
            return None
        edits += [each for each in sizes if each is not None]
        grows = OtherLaunch(spread=0 if factor else per, more=rest)
    ordered = tuple(sorted(dict.fromkeys(edits), key=lambda e: (str(e.span.path), e.span)))
    return Skewed(ordered, frozenset(others), grows) if ordered else None


def _holders(
    constructs: Constructs, function: FunctionSource, name: str
) -> Sequence[Holder] | None:
    """All functions that have the array, or another one that shares code with it."""
    found: list[Holder] = []
    waiting = [(function, name)]
    while waiting:
        holder = waiting.pop()
        if holder in found:
            continue
        found.append(holder)
        more = _passed_on(constructs, *holder)
        if more is None or (is_parameter(*holder) == holder[0].kernel):
            return None  # a kernel's parameter is no shared array, a function declares none
        waiting += more
        if not holder[0].kernel:
            callers = _given_by(constructs, *holder)
            if callers is None:
                return None
            waiting += callers
    return found


def _passed_on(constructs: Constructs, function: FunctionSource, name: str) -> list[Holder] | None:
    """The functions that one passes the array to; None where one is not in sight."""
    out: list[Holder] = []
    for call in within(constructs.calls, function.body):
        for index, argument in enumerate(call.arguments):
            if argument.text != name:
                continue
            callee = _only(constructs, call.name)
            if callee is None or index >= len(callee.parameters) or callee.kernel:
                return None
            out.append((callee, callee.parameters[index].name))
    return out


def _given_by(constructs: Constructs, function: FunctionSource, name: str) -> list[Holder] | None:
    """The functions that give one its array, and what they call it; None if it is no plain name."""
    position = [p.name for p in function.parameters].index(name)
    out: list[Holder] = []
    for call in constructs.calls:
        if call.name != function.name:
            continue
        caller = constructs.function_at(call.span.line, call.span.column)
        if caller is None or position >= len(call.arguments):
            return None
        text = call.arguments[position].text
        if not _WORDS.fullmatch(text):
            return None
        if not is_parameter(caller, text) and declared_in(constructs, caller, text) is None:
            return None
        out.append((caller, text))
    return out


def _only(constructs: Constructs, name: str) -> FunctionSource | None:
    """The file's function of that name; None if there are none or several."""
    found = [f for f in constructs.functions if f.name == name]
    return found[0] if len(found) == 1 else None


def _another_index(use: Fragment, name: str, per: int, factor: int) -> Edit | None:
    """A subscript with the other index; None where the index cannot be written twice."""
    found = plain_index(use.text)
    if len(found) != 1 or _LIVELY.search(found[0]) or name in _WORDS.findall(found[0]):
        return None
    index = found[0]
    if index.isdecimal():
        at = int(index)
        moved = at ^ at // per * factor % per if factor else at + at // per
        return Edit(use.span, f"{name}[{moved}]")
    one = index if _PLAIN.fullmatch(index) else f"({index})"
    return Edit(use.span, f"{name}[{index_text(one, per, factor)}]")


def index_text(index: str, per: int, factor: int, unit: int = 1) -> str:
    """The other index, as text, of elements of which a thread moves `unit` at a time."""
    row = f"({index} >> {(per * unit).bit_length() - 1})"
    by = f"{row} * {factor}" if factor > 1 else row
    by = f"({by} & {per - 1})" if factor else row
    if unit > 1:
        by = f"({by} << {unit.bit_length() - 1})"
    return f"{index} {'^' if factor else '+'} {by}"


def growth(used: int, size: int, per: int, factor: int, element: int, unit: int = 1) -> str:
    """What an array needs besides for the other index, in words; "" where it has the room.

    `used`: bytes from its beginning to the last that is used. `size`: those that it is declared
    with; 0: the launch gives them. `element`: bytes that a thread moves at a time, `unit` elements.
    """
    row = per * element
    if factor:
        needed, more = -(-used // row) * row, f"to whole rows of {per * unit} elements"
    else:
        last = max(0, used - 1) // element
        needed = (last + last // per + 1) * element
        one = "an element" if unit == 1 else f"{unit} elements"
        more = f"by {one} for every {per * unit}"
    if needed <= size:
        return ""
    return f"; the array grows {more}" if size else f"; the launch's bytes for it grow {more}"


def _longer(text: str, per: int) -> str:
    """An extent with one more element, or byte, for every `per`."""
    if text.isdecimal():
        return str(int(text) + int(text) // per)
    one = text if _PLAIN.fullmatch(text) else f"({text})"
    return f"{text} + {one} / {per}"


def _launches(kernel: Kernel) -> Iterator[LaunchSource] | None:
    """The kernel's launches as written; None if one is not in sight."""
    found: list[LaunchSource] = []
    for span in {launch.span for launch in kernel.launches}:
        constructs = kernel.constructs(str(span.path)) if span is not None else None
        written = [x for x in (constructs.launches if constructs else ()) if x.span == span]
        if len(written) != 1:
            return None
        found += written
    return iter(found)


def _longer_launch(launch: LaunchSource, per: int, more: int) -> Edit | None:
    """A launch with more bytes of shared memory: one for every `per`, or so many."""
    if len(launch.configuration) < 3:
        return None
    size = launch.configuration[2]
    if size.text == "0":
        return None
    return Edit(size.span, _longer(size.text, per) if per else f"{size.text} + {more}")
