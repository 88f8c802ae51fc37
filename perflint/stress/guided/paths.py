"""Path conditions of warps: Algorithm 2 of GUPT (Merge), and the states that negating them makes.

The branches of a warp's threads are aligned by their place in the threads' traces: the conditions
of the threads whose k-th branch is b become one condition, the conjunct (b, k).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from perflint.stress.guided.solver import Clause
from perflint.stress.guided.subject import Values
from perflint.stress.guided.symbolic_trace import Condition
from perflint.stress.guided.terms import Terms


@dataclass(frozen=True)
class Conjunct:
    """The condition of a warp's threads at their k-th branch, where that is the same one."""

    position: int  #: of the branch, or of the guarded instruction
    turn: int  #: k: branches before it
    literals: tuple[int, ...]  #: truth values that all hold, ascending
    premises: tuple[int, ...]  #: what holds of values that were concretised in them
    reasons: tuple[str, ...]  #: why they were
    ways: tuple[bool, ...]  #: the predicates' values among the threads
    threads: tuple[int, ...]  #: slots of those whose condition hangs on the input


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


def merge(
    terms: Terms, conditions: Sequence[Condition]
) -> tuple[dict[int, tuple[Conjunct, ...]], Counter[str]]:
    """Algorithm 2 for all warps: the conjuncts of each in the order of their places.

    Beside them, conditions of which nothing can be asked, by reason.
    """
    found: dict[int, list[tuple[int, int, int, bool, int]]] = {}
    dropped: Counter[str] = Counter()
    known: dict[int, np.ndarray] = {}
    for each in conditions:
        numbers = terms.of(each.node, each.slots, known)
        asked = np.array(
            [bool(terms.variables(t)) or bool(terms.reasons(t)) for t in numbers.tolist()]
        )
        rows = zip(
            each.slots[asked].tolist(), each.turn[asked].tolist(), numbers[asked].tolist(),
            each.holds[asked].tolist(), strict=True,
        )  # fmt: skip
        for slot, turn, term, holds in rows:
            if "not a number" in terms.reasons(term):
                dropped["not a number"] += 1
            elif not terms.variables(term) and not terms.premises(term):
                dropped.update(terms.reasons(term))
            else:
                found.setdefault(slot >> 5, []).append((turn, each.position, term, holds, slot))
    return {warp: _merged(terms, rows) for warp, rows in sorted(found.items())}, dropped


def _merged(terms: Terms, rows: list[tuple[int, int, int, bool, int]]) -> tuple[Conjunct, ...]:
    groups: dict[tuple[int, int], list[tuple[int, bool, int]]] = {}
    for turn, position, term, holds, slot in rows:
        groups.setdefault((turn, position), []).append((term, holds, slot))
    out = []
    for (turn, position), some in sorted(groups.items()):
        literals = {term if holds else terms.op("not", "p", term) for term, holds, _ in some}
        out.append(
            Conjunct(
                position,
                turn,
                tuple(sorted(literals)),
                tuple(sorted({p for term, _, _ in some for p in terms.premises(term)})),
                tuple(sorted({r for term, _, _ in some for r in terms.reasons(term)})),
                tuple(sorted({holds for _, holds, _ in some})),
                tuple(sorted(slot for _, _, slot in some)),
            )
        )
    return tuple(out)


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


def opposite(terms: Terms, literal: int) -> int:
    term = terms.all[literal]
    return int(term[2]) if term[0] == "not" else terms.op("not", "p", literal)
