"""The states of warps that negating conjuncts of a path makes: lines 19 and 20 of Algorithm 1."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field

from perflint.base.records import dataclass
from perflint.stress.guided.subject import Values
from perflint.symbolic.conjuncts import Conjunct, opposite
from perflint.symbolic.solver import Clause
from perflint.symbolic.terms import Terms


@dataclass(frozen=True)
class State:
    """A symbolic state of a warp: conjuncts that hold, and maybe a last one that does not."""

    warp: int
    prefix: tuple[Conjunct, ...]
    negated: Conjunct | None = None
    values: Values | None = field(default=None, compare=False)  #: of the run that it comes from

    @property
    def key(self) -> tuple[object, ...]:
        """Equal states have equal ones."""
        last = None if self.negated is None else _key(self.negated)
        return (self.warp, tuple(_key(c) for c in self.prefix), last)


def _key(conjunct: Conjunct) -> tuple[object, ...]:
    return conjunct.position, conjunct.turn, conjunct.literals


def negations(
    warp: int, conjuncts: Sequence[Conjunct], most: int, values: Values | None = None
) -> list[State]:
    """Lines 19 and 20 of Algorithm 1: the first `most` prefixes, their last conjunct negated."""
    return [
        State(warp, tuple(conjuncts[:i]), conjuncts[i], values)
        for i in range(min(most, len(conjuncts)))
    ]


def clauses(terms: Terms, state: State, everyone: bool = False) -> list[Clause]:
    """What a state asks of the input.

    A conjunct fails where one of its threads goes the other way; with `everyone` all of them do.
    """
    out: dict[Clause, None] = {}
    for conjunct in state.prefix:
        out.update(dict.fromkeys((p,) for p in conjunct.premises))
        out.update(dict.fromkeys((t,) for t in conjunct.literals))
    if state.negated is not None:
        out.update(dict.fromkeys((p,) for p in state.negated.premises))
        flipped = tuple(opposite(terms, t) for t in state.negated.literals)
        out.update(dict.fromkeys([(t,) for t in flipped] if everyone else [flipped]))
    return list(out)
