"""What the branches around a place of host code say: whether it is reached, and with which values.

Inside `case 512:` of `switch (threads)`, threads is 512. A value that a guard pins holds for the
same definition of the variable everywhere, also where a dim3 was made of it before the branch.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from perflint.frontend.source.host.values.choices import Session, UndecidedError
from perflint.frontend.source.host.values.loop_counters import is_entered
from perflint.frontend.source.language.constant_folding import fold
from perflint.frontend.source.language.declarators import Region
from perflint.frontend.source.language.reaching_definitions import Body
from perflint.frontend.source.language.tokens import Token, bare, spell, split, tokenize
from perflint.frontend.source.language.trees import children_of

if TYPE_CHECKING:
    from tree_sitter import Node

    from perflint.frontend.source.host.values.environment import Environment


def pins_at(environment: Environment) -> None:
    """Enter the values that the branches around the environment's place pin into its session."""
    body, function = environment.body(), environment.function
    if body is None or function is None:
        return
    for region in body.enclosing(environment.at):
        for name, text in _equalities(region, environment):
            if not name.isidentifier():
                continue  # `switch (block.x)`, see `selected`
            if not (body.visible(name, region.start) or name in body.parameters):
                continue
            writes = body.writes(name, body.visible(name, region.start))
            if any(region.start <= d.start < region.end for d in writes):
                continue
            definition = body.reaching(name, region.node.start_byte)
            value = fold(text, environment)
            if definition is not None and value is not None:
                key = (function.node.id, name, definition.start)
                environment.session.pins.setdefault(key, value)


def ways_in(environment: Environment, session: Session) -> list[Environment]:
    """The places that are passed on the way to one, in another session than its own.

    They are the place itself, the use of the macro that it stands in, and the calls that values
    came from.
    """
    place = environment.under(session)
    entered: list[Environment] = []
    for way in environment.session.entered.values():
        if way.call is not None:
            there = place.at_call(way.file, way.call.node.start_byte, way.outer)
            entered += [there] if there.outer is None else [there.outer, there]
    return [*([] if place.outer is None else [place.outer]), place, *entered]


def is_reached(environment: Environment) -> bool:
    """Whether no branch or loop around the place is one that its condition excludes.

    Only what is known without a further choice counts; no value may be pinned yet.
    """
    body = environment.body()
    if body is None:
        return True
    source = environment.file.source
    for region in body.enclosing(environment.at):
        try:
            if region.kind == "case":
                for name, constant in _case(region, environment):
                    there = environment.moved(region.start)
                    value, wanted = fold(name, there), fold(constant, there)
                    if value is not None and wanted is not None and value.number != wanted.number:
                        return False
            elif region.kind in ("then", "else"):
                condition = region.node.child_by_field_name("condition")
                if condition is None:
                    continue
                there = environment.moved(condition.start_byte)
                if there.holds(source.text_of(condition)) is (region.kind != "then"):
                    return False
            elif region.kind == "loop" and not is_entered(environment, region):
                return False
        except UndecidedError:
            continue
    return True


def _equalities(region: Region, environment: Environment) -> list[tuple[str, str]]:
    """(variable, constant) pairs that hold inside a region."""
    source = environment.file.source
    if region.kind == "case":
        return _case(region, environment)
    if region.kind != "then":
        return []
    condition = region.node.child_by_field_name("condition")
    tokens = bare(tokenize(source.text_of(condition))) if condition is not None else []
    result = []
    for part in _conjuncts(tokens):
        sides = split(bare(part), "==")
        if len(sides) == 2:
            for name, constant in (sides, sides[::-1]):
                if len(name) == 1 and name[0].kind == "name":
                    result.append((name[0].text, spell(constant)))
    return result


def _conjuncts(tokens: Sequence[Token]) -> list[list[Token]]:
    """The parts of `a && b`, unless an `||` stands beside them."""
    return [] if len(split(tokens, "||")) > 1 else split(tokens, "&&")


def _case(region: Region, environment: Environment) -> list[tuple[str, str]]:
    """`case 512:` alone, not entered from the case before it."""
    source = environment.file.source
    value = region.node.child_by_field_name("value")
    before: Node | None = region.node.prev_named_sibling
    while before is not None and before.type == "comment":
        before = before.prev_named_sibling
    if value is None or (before is not None and not _falls_out(before, environment)):
        return []
    block = region.node.parent
    switch = block.parent if block is not None else None
    condition = switch.child_by_field_name("condition") if switch is not None else None
    tokens = bare(tokenize(source.text_of(condition))) if condition is not None else []
    return [(spell(tokens), source.text_of(value))] if tokens else []


def selected(region: Region, environment: Environment) -> str:
    """The condition under which a `case` is entered, `(block.x) == (128)`; "" for other regions."""
    pairs = _case(region, environment) if region.kind == "case" else []
    return " == ".join(t if t.isalnum() else f"({t})" for t in pairs[0]) if pairs else ""


def _falls_out(case: Node, environment: Environment) -> bool:
    """Whether control leaves the switch at the end of a case."""
    function = environment.function
    if case.type != "case_statement" or function is None or not children_of(case):
        return False
    body: Body = environment.file.body(function)
    return any(r.kind == "case" and r.start == case.start_byte and r.leaves for r in body.regions)
