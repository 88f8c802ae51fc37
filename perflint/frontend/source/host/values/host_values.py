"""What host expressions are worth where a look-up does not tell.

Counters of loops, elements of constant tables, calls of small functions, the members of dim3s.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from perflint.base.patterns import pattern
from perflint.frontend.source.host.objects.structs import is_number
from perflint.frontend.source.language import c_types
from perflint.frontend.source.language.c_types import ELEMENTS, UINT, Value
from perflint.frontend.source.language.constant_folding import fold
from perflint.frontend.source.language.declarators import Definition, Region
from perflint.frontend.source.language.lookup import type_of_words
from perflint.frontend.source.language.macros import ExpansionError, expand
from perflint.frontend.source.language.reaching_definitions import Body
from perflint.frontend.source.language.tokens import Token, bare, closing, spell, split, tokenize
from perflint.frontend.source.language.trees import argument_texts, children_of

if TYPE_CHECKING:
    from tree_sitter import Node

    from perflint.frontend.source.host.values.environment import Environment

# --- counters of loops ----------------------------------------------------------------------------
#
# `for (int s = 1; s < n; s *= 2) k<<<g, s>>>(s)`.
#
# Each value really happens, so the first, a middle and the last one are alternatives. The loop is
# run on paper: where its start is not known nothing is. Where only its end is not known, a few
# early turns are, and for all but the first it is said that the condition was taken to hold. (The
# first turn alone would mislead: `t = 0` is aligned where `t = 1` is not.)

#: Turns run one by one: `s *= 2` leaves no integer in as many. Longer loops must be regular.
TURN_LIMIT = 64
#: Turns that stand for a loop whose end is not known: 1, 2 and 32 of `s *= 2`.
EARLY = (0, 1, 5)
_ORDERED = pattern(r"[^<>=!&|?]*(?<![<>])[<>]=?(?![<>=])[^<>=!&|?]*")

Step = Callable[[Value], Value | None]


_NAMED = pattern(r"(?:\w+::)*[A-Za-z_]\w*")


def turns_tried(count: int) -> list[int]:
    """The turns that stand for all `count` of a loop, counted from 0: first, middle and last."""
    middle = count // 2 if count <= TURN_LIMIT else (count - 1) // 2
    return sorted({0, middle, count - 1}) if count else []


def counter_value(place: Environment, name: str) -> Value | None:
    """The value of a variable that only the step of a loop around the place changes.

    Raises UndecidedError for which of its turns the loop is in, where that is not chosen yet.
    """
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
    return _turn(place, name, region, step, condition)


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


def _turn(
    place: Environment, name: str, region: Region, step: Node, condition: Node
) -> Value | None:
    """The counter's value at the place, in the turn that the session chooses."""
    before = place.moved(region.start - 1)
    first = before.variable(name)
    kind = type_of_words(place.declared_type(name).split(), place)
    if first is None or kind is None:
        return None
    source = place.file.source
    text = spell(bare(tokenize(source.text_of(condition))))

    def holds(value: Value) -> bool | None:
        there = place.elsewhere(place.file, condition.start_byte, {name: value})
        found = fold(text, there)
        return None if found is None else bool(found.number)

    advance = _advance(place, name, step, kind)
    ordered = _ORDERED.fullmatch(text) is not None
    entered = holds(first)
    if entered is None:
        turns = _early(first, advance)
    else:
        bounded = ordered and _is_bounded(text, name) and _is_constant(place, name, step)
        turns = (bounded and _counted(first, holds, advance)) or _turns(
            first, holds, advance, ordered
        )
    index = place.session.choose(("loop", region.node.id), len(turns))
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


def _counted(
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


# --- elements of constant arrays ------------------------------------------------------------------


def table_element(
    place: Environment, name: str, index: Value | None, variable: str
) -> Value | None:
    """`name[index]` of an array that nothing writes to; `variable` is an index that is one.

    Raises UndecidedError where the index is not known: each element is an alternative, and the
    same variable means the same alternative in every array.
    """
    if index is not None:
        element = place.member(name, f"[{int(index.number)}]")
        if element is not None:
            return element
    found = _table(place, name)
    if found is None:
        return None
    count = len(children_of(found[0].value))
    if index is None:
        position = place.session.choose(_chosen_by(place, found, variable), count)
    else:
        position = int(index.number)
    return None if position is None else _at(found, position)


def chosen_element(place: Environment, name: str, variable: str) -> Value | None:
    """As `table_element`, of an index that hangs on roots, if an element is chosen."""
    found = _table(place, name)
    if found is None:
        return None
    key = _chosen_by(place, found, variable)
    position = place.session.choices.get(key)
    place.session.note("choice", key, position)
    return None if position is None else _at(found, position)


def element_by_turn(place: Environment, name: str, index: Value) -> Value | None:
    """As `table_element`, of an index that is another in each turn of a loop, as a formula."""
    found = _table(place, name)
    if found is None:
        return None
    items = [_at(found, k) for k in range(len(children_of(found[0].value)))]
    known = [item for item in items if item is not None]
    return None if len(known) < len(items) else c_types.element(index, known)


def _chosen_by(place: Environment, table: tuple[Definition, Environment], variable: str) -> object:
    own = (id(table[1].file), table[0].start)
    return ("element", place.identity(variable) if variable else own)


def _at(table: tuple[Definition, Environment], position: int) -> Value | None:
    definition, there = table
    items = children_of(definition.value)
    if not 0 <= position < len(items):
        return None
    value = fold(there.file.source.text_of(items[position]), there)
    target = type_of_words(definition.type.split(), there)
    return None if target is None else c_types.convert(value, target)


def _table(place: Environment, name: str) -> tuple[Definition, Environment] | None:
    """The initialised array that a name stands for, if nothing writes to it."""
    body = place.body()
    local = body.visible(name, place.at) if body is not None else None
    if body is not None and (local is not None or name in body.parameters):
        if local is None or (not local.constant and _may_change(place, body, local)):
            return None
        definition, there = local, place.moved(local.start)
    elif place.outer is not None:
        return _table(place.outer, name)
    else:
        found = place.session.project.global_variable(name, place.file, place.place)
        if found is None:
            return None
        definition, there = found[1], place.elsewhere(found[0], found[1].start)
    value = definition.value
    is_list = value is not None and value.type == "initializer_list"
    if not is_list or len(definition.extents) != 1 or definition.pointers:
        return None
    return definition, there


def _may_change(place: Environment, body: Body, declaration: Definition) -> bool:
    if len(body.writes(declaration.name, declaration)) > 1:
        return True
    source = place.file.source
    arguments = (a for c in body.calls for a in children_of(c.child_by_field_name("arguments")))
    return any(a.type == "identifier" and source.text_of(a) == declaration.name for a in arguments)


# --- members of dim3s -----------------------------------------------------------------------------

AXES = ("x", "y", "z", "w")
MAKERS = {
    "dim3",
    *(f"make_{kind}{n}" for kind in ("int", "uint", "float", "double") for n in (2, 3, 4)),
}


def components(
    place: Environment, text: str, kind: str = "dim3"
) -> list[tuple[str, Value | None]] | None:
    """The members of an expression, each as written and folded; None if it has none.

    `kind` is the type wanted. A single number is a dim3's x. Missing members are 1, as dim3's
    constructor has it (CUDA C++ Programming Guide, dim3).
    """
    try:
        tokens = expand(tokenize(text), place.macros)
    except ExpansionError:
        return None
    while len(tokens) > 2 and tokens[0].text == "(" and closing(tokens, 0) == len(tokens) - 1:
        if len(split(tokens[1:-1])) > 1:
            break
        tokens = tokens[1:-1]
    if (arm := _arm(place, tokens)) is not None:
        return components(place, spell(arm), kind)
    written = spell(tokens)
    head = tokens[0].text if tokens else ""
    arguments = None
    if head in MAKERS and len(tokens) > 2 and closing(tokens, 1) == len(tokens) - 1:
        arguments = argument_texts(spell(tokens[1:]))
    elif head in ("(", "{"):
        arguments = argument_texts(written)
    if arguments is not None:
        copied = components(place, arguments[0], "") if len(arguments) == 1 else None
        if copied is not None:
            return copied
        missing = "1" if "dim3" in (kind, head) else "0"
        texts = [*arguments, *[missing] * (3 - len(arguments))]
        return [(t, fold(t, place)) for t in texts]
    named = "".join(t.text for t in tokens)
    if _NAMED.fullmatch(named) and place.is_aggregate(named):
        parts = [(f"{named}.{axis}", place.member(named, axis)) for axis in AXES[:3]]
        if place.declared_type(named) or any(value is not None for _, value in parts):
            return parts
    of_path = len(tokens) > 2 and tokens[-2].text in (".", "->") and tokens[-1].text not in AXES
    if of_path or (tokens and tokens[-1].text == "]" and place.is_aggregate(tokens[0].text)):
        parts = [(f"{written}.{axis}", place.path(f"{written}.{axis}")) for axis in AXES[:3]]
        if any(value is not None for _, value in parts):
            return parts
    if (made := _made_elsewhere(place, tokens, written)) is not None:
        return made
    if kind == "dim3" and tokens:
        return [(written, fold(written, place)), *[("1", Value(1, UINT))] * 2]
    return None


def _arm(place: Environment, tokens: Sequence[Token]) -> Sequence[Token] | None:
    """The arm that `n > 8 ? dim3(n, 2) : dim3(n, 4)` takes; None for anything else."""
    parts = split(tokens, "?")
    arms = split(parts[1], ":") if len(parts) == 2 else []
    if len(arms) != 2 or not all(any(t.text in MAKERS for t in arm) for arm in arms):
        return None
    holds = place.holds(spell(parts[0]))
    return None if holds is None else arms[0] if holds else arms[1]


def _made_elsewhere(
    place: Environment, tokens: Sequence[Token], written: str
) -> list[tuple[str, Value | None]] | None:
    """As `components`, for a dim3 that a call returns or a member is set from."""
    from perflint.frontend.source.host.objects.origins import traced  # it looks components up here

    if not tokens or tokens[0].kind != "name" or tokens[0].text in ELEMENTS:
        return None
    if is_number(place.declared_words(written)[0], place):
        return None
    with place.session.look_up(("made", written, place.key)) as allowed:
        found = traced(written, place) if allowed else None
        if found is None or found.path or (found.text == written and found.place is place):
            return None
        if is_number(found.kind, found.place):
            return None
        parts = components(found.place, found.text, found.kind or "dim3")
    return parts
