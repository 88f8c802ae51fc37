"""What an access stands in: the branch conditions that guard it, and the loops with their ends."""

from __future__ import annotations

from typing import Protocol

from perflint.analysis.cfg import ControlFlow
from perflint.analysis.model import LoopAround
from perflint.analysis.polynomial import Polynomial
from perflint.analysis.simplify import build
from perflint.analysis.symbols import Loop, Op


class Values(Protocol):
    """What is needed of the address domain."""

    flow: ControlFlow

    def condition(self, block: int) -> Polynomial | None: ...
    def loop_counter(self, header: int) -> Loop: ...
    def variant(self, value: Polynomial, header: int) -> bool: ...


def guards(values: Values) -> list[tuple[Polynomial, ...]]:
    """By block: predicates that hold in every lane that runs it, those of dominating branches."""
    flow = values.flow
    out: list[tuple[Polynomial, ...]] = [()] * len(flow.blocks)
    for block in range(1, len(flow.blocks)):
        above = flow.immediate_dominator[block]
        own: tuple[Polynomial, ...] = ()
        if flow.predecessors[block] == (above,) and len(flow.successors[above]) == 2:
            condition = values.condition(above)
            if condition is not None:
                taken = flow.successors[above][1] == block  # the first falls through
                own = (condition if taken else build("not.pred", (condition,)),)
        out[block] = (*out[above], *own)
    return out


def loops_around(values: Values, block: int) -> tuple[LoopAround, ...]:
    """The loops around a block, outermost first."""
    inner_first = [
        LoopAround(
            values.loop_counter(loop.header),
            last_turn(values, loop.header),
            _stays(values, loop.header),
        )
        for loop in values.flow.loops_around(block)
    ]
    return tuple(reversed(inner_first))


def last_turn(values: Values, header: int) -> Polynomial | None:
    """The counter's value in the last turn, of a loop that only a counted test leaves."""
    stays = _stays(values, header)
    return None if stays is None else _turns(values, header, stays.symbol)


def _stays(values: Values, header: int) -> Polynomial | None:
    """The predicate under which a loop goes on, of a loop that only one test leaves."""
    flow, loop = values.flow, values.flow.loops[header]
    if len(loop.exits) != 1 or not loop.reducible:
        return None
    [leaving] = loop.exits
    ways = flow.successors[leaving]
    if len(ways) != 2 or not all(flow.dominates(leaving, latch) for latch in loop.latches):
        return None
    condition = values.condition(leaving)
    if condition is None:
        return None
    return condition if ways[1] in loop.body else build("not.pred", (condition,))


_OPPOSITE = {"lt": "ge", "ge": "lt", "gt": "le", "le": "gt", "eq": "ne", "ne": "eq"}


def _turns(values: Values, header: int, stays: object) -> Polynomial | None:
    """How often a loop goes on: the least counter for which `stays` does not hold."""
    holds = True
    while isinstance(stays, Op) and stays.name == "not.pred":
        holds = not holds
        stays = stays.arguments[0].symbol
    if not isinstance(stays, Op) or not stays.name.startswith("setp."):
        return None
    comparison = stays.name.split(".")[1]
    if comparison not in _OPPOSITE:
        return None
    comparison = comparison if holds else _OPPOSITE[comparison]
    # left - right = slope * counter + start
    counter = values.loop_counter(header)
    difference = stays.arguments[0] - stays.arguments[1]
    slope = difference.coefficient_of(counter).constant
    if not slope:
        return None
    start = difference - Polynomial.of(counter) * slope
    if values.variant(start, header):
        return None
    if comparison == "ne":
        return build("div.s64", (-start if slope > 0 else start, Polynomial(abs(slope))))
    if comparison == "eq":
        return None
    if comparison in ("gt", "ge"):
        slope, start = -slope, -start
    if slope < 0:
        return None  # it never ends, or only by overflow
    # It goes on while slope * k + start < 0, or <= 0.
    missing = -start + (1 if comparison in ("le", "ge") else 0)
    turns = build("div.s64", (missing + (slope - 1), Polynomial(slope)))
    return build("max.s64", (turns, Polynomial()))
