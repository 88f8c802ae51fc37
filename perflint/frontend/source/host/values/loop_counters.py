"""What counters of loops hold: `for (int s = 1; s < n; s *= 2) k<<<g, s>>>(s)`.

Each value really happens, so the first, a middle and the last one are alternatives. The loop is
run on paper: where its start is not known nothing is. Where only its end is not known, a few
early turns are, and for all but the first it is said that the condition was taken to hold. (The
first turn alone would mislead: `t = 0` is aligned where `t = 1` is not.)
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING

from perflint.base.patterns import pattern
from perflint.base.records import dataclass
from perflint.frontend.source.language import c_types
from perflint.frontend.source.language.c_types import Value
from perflint.frontend.source.language.constant_folding import fold
from perflint.frontend.source.language.declarators import Region
from perflint.frontend.source.language.lookup import type_of_words
from perflint.frontend.source.language.reaching_definitions import Body
from perflint.frontend.source.language.tokens import bare, spell, tokenize
from perflint.frontend.source.language.trees import children_of

if TYPE_CHECKING:
    from tree_sitter import Node

    from perflint.frontend.source.host.values.environment import Environment

#: Turns run one by one: `s *= 2` leaves no integer in as many. Longer loops must be regular.
TURN_LIMIT = 64
#: Turns that stand for a loop whose end is not known: 1, 2 and 32 of `s *= 2`.
EARLY = (0, 1, 5)
TURN = "loop"  #: what begins the key of a choice of a loop's turn
_ORDERED = pattern(r"[^<>=!&|?]*(?<![<>])[<>]=?(?![<>=])[^<>=!&|?]*")

Step = Callable[[Value], Value | None]


def turns_tried(count: int) -> list[int]:
    """The turns that stand for all `count` of a loop, counted from 0: first, middle and last."""
    middle = count // 2 if count <= TURN_LIMIT else (count - 1) // 2
    return sorted({0, middle, count - 1}) if count else []


def counter_value(place: Environment, name: str) -> Value | None:
    """The value of a variable that only the step of a loop around the place changes.

    Raises UndecidedError for which of its turns the loop is in, where that is not chosen yet.
    """
    counted = _counted_by(place, name)
    return None if counted is None else _turn(place, counted)


def is_entered(place: Environment, region: Region) -> bool:
    """Whether a loop around the place makes a turn, in the turns of those around it.

    `for (j = k / 2; j > 1024; j /= 2)` makes none where k is 2. A loop that hangs on no other one's
    turn makes one.
    """
    condition = region.node.child_by_field_name("condition")
    words = tokenize(place.file.source.text_of(condition)) if condition is not None else ()
    for name in {t.text for t in words if t.kind == "name"}:
        counted = _counted_by(place, name)
        if counted is None or counted.region is not region:
            continue
        seen = len(place.session.notes)
        first = place.moved(region.start - 1).variable(name)
        turns = (key for kind, key, _ in place.session.notes[seen:] if kind == "choice")
        if first is not None and any(isinstance(key, tuple) and key[0] == TURN for key in turns):
            return _holds(place, counted, first) is not False
    return True


@dataclass(frozen=True, eq=False)
class _Counted:
    """A loop around a place, and the one counter that it steps and asks of."""

    name: str
    region: Region
    step: Node
    condition: Node


def _counted_by(place: Environment, name: str) -> _Counted | None:
    body = place.body()
    found = None if body is None else body.writing_loop(name, place.at)
    if body is None or found is None:
        return None
    region, inside = found
    step = _step(body, region, name, inside[0].start) if len(inside) == 1 else None
    condition = region.node.child_by_field_name("condition")
    if step is None or condition is None:
        return None
    if not _is_its_own(place, body, name, region, (step, condition)):
        return None
    return _Counted(name, region, step, condition)


def _asked(place: Environment, counted: _Counted) -> str:
    return spell(bare(tokenize(place.file.source.text_of(counted.condition))))


def _holds(place: Environment, counted: _Counted, value: Value) -> bool | None:
    """Whether the loop goes on with a value of its counter; None: not known."""
    at = counted.condition.start_byte
    there = place.elsewhere(place.file, at, {counted.name: value})
    found = fold(_asked(place, counted), there)
    return None if found is None else bool(found.number)


def _step(body: Body, region: Region, name: str, start: int) -> Node | None:
    """The expression that advances a counter once in each turn; None for any other write."""
    update = region.node.child_by_field_name("update")
    inner = region.node.child_by_field_name("body")
    parts = [update] if update is not None else []
    if update is None or not update.start_byte <= start < update.end_byte:
        parts = [c for c in children_of(inner) if c.type == "expression_statement"]
    spans = [(p.start_byte, p.end_byte) for p in parts]
    steps = [
        n for n in body.steps if n.start_byte == start and any(a <= start < b for a, b in spans)
    ]
    if len(steps) != 1 or any(region.start <= at < region.end for at in body.labels):
        return None
    return steps[0]


def _is_its_own(
    place: Environment, body: Body, name: str, region: Region, nodes: Iterable[Node]
) -> bool:
    """Whether a counter's step and condition hang on it and on nothing else that the loop changes.

    The condition must be about the counter: one loop has one.
    """
    for node in nodes:
        used = {t.text for t in tokenize(place.file.source.text_of(node)) if t.kind == "name"}
        if name not in used:
            return False
        for other in used - {name}:
            writes = body.writes(other, body.visible(other, node.start_byte))
            if any(region.start <= d.start < region.end for d in writes):
                return False
    return True


def _turn(place: Environment, counted: _Counted) -> Value | None:
    """The counter's value at the place, in the turn that the session chooses."""
    name, region, step = counted.name, counted.region, counted.step
    first = place.moved(region.start - 1).variable(name)
    kind = type_of_words(place.declared_type(name).split(), place)
    if first is None or kind is None:
        return None
    text = _asked(place, counted)
    holds = partial(_holds, place, counted)
    advance = _advance(place, name, step, kind)
    ordered = _ORDERED.fullmatch(text) is not None
    entered = holds(first)
    if entered is None:
        turns = _early(first, advance)
    else:
        bounded = ordered and _is_bounded(text, name) and _is_constant(place, name, step)
        turns = (bounded and _regular(first, holds, advance)) or _turns(
            first, holds, advance, ordered
        )
    index = place.session.choose((TURN, region.node.id), len(turns))
    if index is None:
        return None
    if entered is None and index:
        place.session.note("stated", text, True)
    update = region.node.child_by_field_name("update")
    in_head = update is not None and update.start_byte <= step.start_byte < update.end_byte
    late = not in_head and step.end_byte <= place.at
    return advance(turns[index]) if late else turns[index]


def _advance(place: Environment, name: str, step: Node, kind: c_types.CType) -> Step:
    """What one step makes of a value."""
    operator = step.child_by_field_name("operator")
    sign = operator.type if operator is not None else ""
    right = step.child_by_field_name("right")
    written = place.file.source.text_of(right) if right is not None else "1"
    text = written if sign == "=" else f"({name}) {sign[:-1]} ({written})"

    def advance(value: Value) -> Value | None:
        there = place.elsewhere(place.file, step.start_byte, {name: value})
        return c_types.convert(fold(text, there), kind)

    return advance


def _is_bounded(condition: str, name: str) -> bool:
    """Whether a comparison has a counter by itself on one side: `i < n * n`."""
    sides = [side.strip() for side in re.split(r"[<>]=?", condition)]
    return sides.count(name) == 1 and not any(
        re.search(rf"\b{name}\b", side) for side in sides if side != name
    )


def _is_constant(place: Environment, name: str, step: Node) -> bool:
    """Whether each step adds the same: `i++`, `i -= n`."""
    operator = step.child_by_field_name("operator")
    right = step.child_by_field_name("right")
    words = tokenize(place.file.source.text_of(right)) if right is not None else ()
    known = operator is not None and operator.type in ("++", "--", "+=", "-=")
    return known and name not in {t.text for t in words}


def _early(first: Value, advance: Step) -> list[Value]:
    """The counter in some early turns of a loop whose end is not known."""
    values: list[Value] = [first]
    for _ in range(max(EARLY)):
        following = advance(values[-1])
        if following is None or following in values:
            return [first]
        values.append(following)
    return [values[turn] for turn in EARLY]


def _regular(
    first: Value, holds: Callable[[Value], bool | None], advance: Step
) -> list[Value] | None:
    """As `_turns`, of a counter that goes to a bound by equal steps; None if it wraps around."""
    following = advance(first)
    if following is None or not holds(first) or not holds(following):
        return None
    stride = following.number - first.number
    if not isinstance(stride, int) or not stride:
        return None

    def at(turn: int) -> Value:
        return Value(first.number + turn * stride, first.type)

    def fits(turn: int) -> bool:
        return c_types.convert(at(turn), first.type) == at(turn)

    if at(1) != following:
        return None
    last = _last(lambda turn: fits(turn) and bool(holds(at(turn))), 1, 2)
    if not fits(last + 1) or holds(at(last + 1)) is not False:
        return None
    return [at(turn) for turn in turns_tried(last + 1)]


def _turns(
    first: Value, holds: Callable[[Value], bool | None], advance: Step, ordered: bool
) -> list[Value]:
    """The counter in the first, a middle and the last turn; the first alone if no more is known."""
    if not holds(first):
        return []
    values = [first]
    while len(values) <= TURN_LIMIT:
        following = advance(values[-1])
        if following is None or following in values:
            return [first]
        if not holds(following):
            return [values[turn] for turn in turns_tried(len(values))]
        values.append(following)
    stride = values[1].number - values[0].number
    regular = all(b.number - a.number == stride for a, b in pairwise(values))
    if not regular or not ordered or not isinstance(stride, int):
        return [first]

    def at(turn: int) -> Value:
        return Value(first.number + turn * stride, first.type)

    def is_made(turn: int) -> bool:
        return c_types.convert(at(turn), first.type) == at(turn) and bool(holds(at(turn)))

    last = _last(is_made, len(values) - 1, 2 * len(values))
    return [at(turn) for turn in turns_tried(last + 1)]


def _last(is_made: Callable[[int], bool], known: int, beyond: int) -> int:
    """The last turn that is made, where all before it are; looked for from two numbers on."""
    while beyond < 1 << 40 and is_made(beyond):
        known, beyond = beyond, 2 * beyond
    while beyond - known > 1:
        middle = (known + beyond) // 2
        known, beyond = (middle, beyond) if is_made(middle) else (known, middle)
    return known
