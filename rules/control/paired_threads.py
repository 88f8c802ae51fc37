"""The edit that gives each pair of an exchange to a thread: no lane is left out for its partner.

`other = i ^ distance; if (other > i)` lets the lower one of two threads exchange their elements,
and the other wait: half the lanes of each warp, where `distance` is below a warp's lanes. The first
half of the threads can have a pair each: the lower element's index is the thread's number with a 0
put in at the distance's bit, `2 * i - (i & (distance - 1))`. Only where the elements are those of a
block, or counted by blocks in a loop. That the distance is a power of two is for the user to say.
"""

from __future__ import annotations

import re

from perflint.base.constructs import (
    Constructs,
    FunctionSource,
    LoopSource,
    StatementSource,
    contains,
    within,
)
from perflint.base.patterns import pattern
from perflint.base.span import Span
from perflint.rules.control.sequential_threads import braces_behind
from perflint.rules.protocol import Edit, Kernel

NAME = "lower"
_GREATER = pattern(r"\(\s*\(?\s*(\w+)\s*([<>])\s*(\w+)\s*\)?\s*\)")
_OF_A_TURN = pattern(r"threadIdx\.x\s*\+\s*(\w+)|(\w+)\s*\+\s*threadIdx\.x")
_BEGINS = pattern(r"(?:[\w\s]+?\s)?(?P<index>\w+)\s*=\s*0[uU]?")
_BELOW = pattern(r"(?P<index>\w+)\s*<\s*(?P<bound>\w+)")


def paired_threads(kernel: Kernel, span: Span | None) -> tuple[Edit, ...]:
    """The edits of the branch at a place; none where it is another one."""
    constructs = kernel.constructs(str(span.path)) if span is not None else None
    if span is None or constructs is None:
        return ()
    function = constructs.function_at(span.line, span.column)
    if function is None:
        return ()
    statements = [*within(constructs.statements, function.body)]
    here = [n for n, s in enumerate(statements) if s.block is None and contains(span, s.span)]
    asked = _GREATER.fullmatch(statements[here[0]].text.strip()) if len(here) == 1 else None
    names = {name.text for name in within(constructs.names, function.span)}
    if asked is None or here[0] + 1 >= len(statements) or NAME in names:
        return ()
    condition, first = statements[here[0]], statements[here[0] + 1]
    body = braces_behind(statements, condition) or first.span
    other, index = (asked[1], asked[3]) if asked[2] == ">" else (asked[3], asked[1])
    partner = _declaration(constructs, function, other, condition.span)
    counted = _declaration(constructs, function, index, condition.span)
    found = re.fullmatch(
        rf"{index}\s*\^\s*(\w+)|(\w+)\s*\^\s*{index}", partner[1] if partner else ""
    )
    if partner is None or counted is None or found is None:
        return ()
    places = (counted[0].span, partner[0].span, condition.span, body)
    scope = counted[0].block or function.body
    used = [n for n in within(constructs.names, scope) if n.text in (index, other)]
    alone = all(any(contains(each, n.span) for each in places) for n in used)
    halved = _halved(constructs, function, counted, alone)
    if halved is None:
        return ()
    bound, more = halved
    distance = found[1] or found[2]
    head = partner[0].text[: partner[0].text.index("=")].removesuffix(" ").removesuffix(other)
    number = f"2 * {index} - ({index} & ({distance} - 1))"
    return (
        *more,
        Edit(partner[0].span, f"{head}{NAME} = {number}, {other} = {NAME} ^ {distance};"),
        Edit(condition.span, f"({index} < {bound} / 2)"),
        *(Edit(n.span, NAME) for n in used if n.text == index and contains(body, n.span)),
    )


def _halved(
    constructs: Constructs,
    function: FunctionSource,
    index: tuple[StatementSource, str],
    alone: bool,
) -> tuple[str, tuple[Edit, ...]] | None:
    """How many elements there are, and the edits of a loop over them that takes half as many.

    None where that is not known, or the loop does something else with them.
    """
    statement, number = index
    if number == "threadIdx.x":
        return "blockDim.x", ()
    turn = _OF_A_TURN.fullmatch(number)
    loop = _loop(constructs, function, statement, turn[1] or turn[2]) if turn else None
    condition = loop.condition if loop is not None else None
    below = _BELOW.fullmatch(condition.text.strip("() ")) if condition is not None else None
    if condition is None or below is None or not alone:
        return None
    half = re.sub(r"\b\w+(\W*)$", rf"{below['bound']} / 2\1", condition.text)
    return below["bound"], (Edit(condition.span, half),)


def _declaration(
    constructs: Constructs, function: FunctionSource, name: str, at: Span
) -> tuple[StatementSource, str] | None:
    """Where a name of a place is declared, alone, and as what; None where it changes later."""
    found = [
        (each, match[1].strip())
        for each in within(constructs.statements, function.body)
        if each.block is not None
        and contains(each.block, at)
        and (match := re.fullmatch(rf"[\w\s]+?\b{name}\s*=\s*([^,;]+);", each.text))
    ]
    if len(found) != 1 or found[0][0].block is None:
        return None
    changes = within(constructs.changes, found[0][0].block)
    return None if any(c.text == name for c in changes) else found[0]


def _loop(
    constructs: Constructs, function: FunctionSource, statement: StatementSource, turn: str
) -> LoopSource | None:
    """The loop by whole blocks that counts a turn, of which nothing else is used."""
    for loop in within(constructs.loops, function.body):
        if not contains(loop.body, statement.span) or loop.initial is None or loop.update is None:
            continue
        begins = _BEGINS.fullmatch(loop.initial.text)
        step = re.fullmatch(rf"{turn}\s*\+=\s*blockDim\.x", loop.update.text)
        if begins is None or begins["index"] != turn or step is None:
            continue
        used = [n for n in within(constructs.names, loop.body) if n.text == turn]
        return loop if all(contains(statement.span, n.span) for n in used) else None
    return None
