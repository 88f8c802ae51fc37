"""What loops leave in variables: `while (x < n) x *= 2;`, before a launch or in what it calls.

One turn is read as formulas of what the loop's variables hold when it begins (`statements`);
counted turns are then made on paper (`evaluation`). What a turn makes of a variable in a way that
cannot be followed is unknown behind the loop, and so is all that hangs on it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from perflint.base.patterns import pattern
from perflint.base.records import dataclass
from perflint.frontend.source.host.calls.outputs import written_by_calls
from perflint.frontend.source.host.values.host_values import AXES
from perflint.frontend.source.host.values.loop_counters import TURN, turns_tried
from perflint.frontend.source.host.values.roots import CONSUMES
from perflint.frontend.source.host.values.statements import (
    STOPPED,
    State,
    UnfollowedError,
    folded_condition,
    ran,
)
from perflint.frontend.source.language import c_types
from perflint.frontend.source.language.c_types import Value
from perflint.frontend.source.language.constant_folding import select
from perflint.frontend.source.language.declarators import Definition, Region
from perflint.frontend.source.language.evaluation import states_of, value_of
from perflint.frontend.source.language.terms import (
    TERM_LIMIT,
    Constant,
    Repeated,
    Term,
    Turn,
    turns_in,
)
from perflint.frontend.source.language.trees import children_of

if TYPE_CHECKING:
    from tree_sitter import Node

    from perflint.frontend.source.host.values.environment import Environment

_LOOPS = ("for_statement", "while_statement", "do_statement")
_NO = Value(0, c_types.INT)
_CALLED = pattern(r"([\w:]+)\s*\(")


def value_behind(place: Environment, name: str, region: Region) -> Value | None:
    """What a loop before the place leaves in a variable; None where that cannot be told."""
    node = region.node
    if node.type not in _LOOPS:
        return None
    changed = _changed(place, region)
    if name not in changed or _reads_on(place, region):
        return None
    before = place.moved(region.start - 1)
    with place.session.look_up(("loop", node.id, name, before.key)) as allowed:
        turn = _turn(place, region, changed) if allowed else None
    term = None if turn is None else _repeated(name, turn)
    return None if turn is None or term is None else _with_number(term, turn.start[name], place)


def value_in(place: Environment, name: str) -> Value | None:
    """What a variable holds in a turn of the loop around the place, which changes it elsewhere.

    Raises UndecidedError for which turn that is, where it is not chosen yet.
    """
    body = place.body()
    found = None if body is None else body.writing_loop(name, place.at)
    if found is None:
        return None
    region, inside = found
    update = region.node.child_by_field_name("update")
    end = update.end_byte if update is not None else region.start
    if region.node.type == "do_statement" or any(end <= d.start < place.at for d in inside):
        return None
    turns = _turns(place, name, region)
    index = place.session.choose((TURN, region.node.id), len(turns))
    return None if index is None or index >= len(turns) else turns[index]


def _reads_on(place: Environment, region: Region) -> bool:
    """Whether a loop goes on for as long as something is read: nobody knows for how many turns."""
    condition = region.node.child_by_field_name("condition")
    text = place.file.source.text_of(condition) if condition is not None else ""
    return any(CONSUMES.fullmatch(called) for called in _CALLED.findall(text))


def _turns(place: Environment, name: str, region: Region) -> list[Value]:
    """A variable in the first, a middle and the last turn of a loop all of which is known."""
    if _reads_on(place, region):
        return []
    before = place.moved(region.start - 1)
    key = ("turns", region.node.id, name, before.key)
    with place.session.look_up(key) as allowed:
        turn = _turn(place, region, _changed(place, region)) if allowed else None
    value = turn.checked.get(name) if turn is not None else None
    if turn is None or value is None or not (term := _repeated(name, turn)):
        return []
    if term.roots or term.turns:
        return []
    held = states_of(term)
    return [held[turn] for turn in turns_tried(len(held))]


def _changed(place: Environment, region: Region) -> list[str]:
    """The variables from outside a loop that it changes, in ways that can be followed."""
    body = place.body()
    if body is None:
        return []
    found = []
    for name, definitions in body.definitions.items():
        outer = body.visible(name, region.start)
        own = [
            d
            for d in definitions
            if region.start <= d.start < region.end
            and not d.declares
            and body.visible(name, d.start) is outer
        ]
        members = {d.member for d in own}
        if not own or not all(map(_is_followed, own)) or (None in members and len(members) > 1):
            continue
        calls = written_by_calls(place.moved(region.start), name)
        if not any(region.start <= d.start < region.end for d in calls):
            found += sorted(name if member is None else f"{name}.{member}" for member in members)
    return found


def _before(place: Environment, key: str) -> Value | None:
    """What a variable, or a member `a.b` of one, holds before a loop."""
    name, _, member = key.partition(".")
    return place.member(name, member) if member else place.variable(name)


def _is_followed(definition: Definition) -> bool:
    if definition.member is not None and definition.member not in AXES:
        return False
    return definition.value is not None or definition.step is not None


@dataclass(frozen=True)
class _Turn:
    """One turn of a loop, as formulas of what its variables hold before it."""

    node: Node
    start: Mapping[str, Value]  #: before the first turn
    condition: Value
    checked: State  #: when the condition has been computed
    following: State  #: when the turn is over


def _turn(place: Environment, region: Region, changed: Sequence[str]) -> _Turn | None:
    """One turn of the loop before or around the place, read once for all that it changes."""
    before, start = place.moved(region.start - 1), place.moved(region.start)

    def read() -> _Turn | None:
        state: State = {each: _before(before, each) for each in changed}
        try:
            return _read(region.node, state, start)
        except UnfollowedError:
            return None

    key = ("turn", region.node.id, id(place.file), place.frame_key, place.session.mode)
    return place.session.remembered(key, read, place.outer is None)


def _read(node: Node, state: State, place: Environment) -> _Turn:
    """One turn of a loop."""
    state = {**state, STOPPED: _NO}
    if node.type == "do_statement":
        state = _made(node, state, place)
        stopped = state[STOPPED]
        if stopped != _NO or stopped is None or stopped.term is not None:
            raise UnfollowedError
    start = {n: v for n, v in state.items() if v is not None}
    held: State = {n: _begun(node, n, v, start) for n, v in state.items()}
    condition, checked = folded_condition(node.child_by_field_name("condition"), held, place)
    following = _made(node, checked, place)
    before, stopped = held[STOPPED], following[STOPPED]
    if before is None or stopped is None or condition is None:
        raise UnfollowedError
    if stopped.term != before.term:
        condition = select(before, _NO, condition)
    if condition is None:
        raise UnfollowedError
    return _Turn(node, start, condition, checked, following)


def _begun(node: Node, name: str, value: Value | None, start: Mapping[str, Value]) -> Value | None:
    """What a variable holds when a turn begins; its number is that of the first."""
    return None if value is None else replace(value, term=Turn(node.id, list(start).index(name)))


def _made(node: Node, state: State, place: Environment) -> State:
    """The state when a turn's statements and a `for`'s step have run."""
    body, update = node.child_by_field_name("body"), node.child_by_field_name("update")
    if body is None:
        raise UnfollowedError
    state = ran([body], state, place)
    if update is None:
        return state
    stopped = state[STOPPED]
    stepped = ran(children_of(update) if update.type == "comma_expression" else [update], state,
                  place)  # fmt: skip
    if stopped is None or stopped.term is None:
        return stepped
    return {
        n: v if v is state.get(n) or v is None or (own := state.get(n)) is None
        else select(stopped, own, v)
        for n, v in stepped.items()
    }  # fmt: skip


def _repeated(name: str, turn: _Turn) -> Repeated | None:
    """One variable behind the loop, of those variables that it hangs on."""
    result = turn.checked.get(name)
    if result is None or name not in turn.start:
        return None
    key, names = turn.node.id, list(turn.start)
    steps: dict[int, Term] = {}
    waiting = [_term(turn.condition), _term(result)]
    while waiting:
        for used in turns_in(waiting.pop(), key):
            value = turn.following[names[used]]
            if value is None:
                return None
            if used not in steps:
                steps[used] = _term(value)
                waiting.append(steps[used])
    # What nothing hangs on stays as it is, so that each keeps its number.
    unused = Constant(_NO)
    start = tuple(_term(turn.start[n]) if i in steps else unused for i, n in enumerate(names))
    step = tuple(steps.get(i, Turn(key, i)) for i in range(len(names)))
    parts = (*start, *step, _term(turn.condition), _term(result))
    weight = 1 + sum(part.weight for part in parts)
    if weight > TERM_LIMIT:
        return None
    return Repeated(key, start, _term(turn.condition), step, _term(result), weight)


def _with_number(term: Repeated, start: Value, place: Environment) -> Value | None:
    """A loop's result, with its formula where it hangs on roots or on a loop around it."""
    if term.turns:
        return replace(start, term=term)
    invention = place.session.invention
    roots = tuple(invention.roots.values()) if invention is not None else ()
    if not term.roots:
        return value_of(term, (), ())
    value = value_of(term, roots, [root.sample for root in roots])
    return None if value is None else replace(value, term=term)


def _term(value: Value) -> Term:
    return value.term if value.term is not None else Constant(value)
