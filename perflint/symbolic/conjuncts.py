"""Path conditions of warps: Algorithm 2 of GUPT (Merge), and how a warp is turned another way.

The branches of a warp's threads are aligned by their place in the threads' traces: the conditions
of the threads whose k-th branch is b become one condition, the conjunct (b, k).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from perflint.base.records import dataclass
from perflint.symbolic.followed import Condition
from perflint.symbolic.solver import SAT, UNKNOWN, UNSAT, Clause, Conjunction, Witness
from perflint.symbolic.terms import Terms


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
    holds: tuple[bool, ...] = ()  #: of each literal: the predicate's value


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
        literals = {term if holds else terms.op("not", "p", term): holds for term, holds, _ in some}
        out.append(
            Conjunct(
                position,
                turn,
                tuple(sorted(literals)),
                tuple(sorted({p for term, _, _ in some for p in terms.premises(term)})),
                tuple(sorted({r for term, _, _ in some for r in terms.reasons(term)})),
                tuple(sorted({holds for _, holds, _ in some})),
                tuple(sorted(slot for _, _, slot in some)),
                tuple(literals[each] for each in sorted(literals)),
            )
        )
    return tuple(out)


def opposite(terms: Terms, literal: int) -> int:
    term = terms.all[literal]
    return int(term[2]) if term[0] == "not" else terms.op("not", "p", literal)


def held(before: Sequence[Clause], last: Conjunct) -> list[Clause]:
    """What held in a run of a conjunct, but for its own literals: what was before, its premises."""
    return [*before, *((p,) for p in last.premises)]


#: Questions about single threads that the solver may leave open before a conjunct counts as such.
_OPEN = 2


def turned(
    terms: Terms,
    omega: Conjunction,
    before: Sequence[Clause],
    last: Conjunct,
    witness: Witness | None = None,
    most: int | None = None,
    toward: bool | None = None,
) -> tuple[str, Conjunction]:
    """Ω with a conjunct's opposite, and whether that can be: of all its threads, else of the first.

    What was `before` it stays. With `toward`, a value of the predicate, those that have it keep it,
    where that can be, and only the others are turned. Of more than `most` threads so many are asked
    about, from the first to the last; if none can, and others were not asked about, it is unknown.
    """
    tried = omega.copy()
    status = tried.joined(held(before, last), witness)
    if status != SAT:
        return status, omega
    wanted = [(opposite(terms, literal),) for literal in last.literals]
    if toward is not None and toward in last.holds and not all(h == toward for h in last.holds):
        one_way = [
            (literal if held_so == toward else opposite(terms, literal),)
            for literal, held_so in zip(last.literals, last.holds, strict=True)
        ]
        if tried.joined(one_way) == SAT:
            return SAT, tried
    found = [tried.joined(wanted)]
    asked = wanted if most is None else wanted[:: -(-len(wanted) // most)]
    for one in asked:
        if SAT in found:
            return SAT, tried
        if found[1:].count(UNKNOWN) == _OPEN:
            break  # alike questions, each as dear as the last
        found.append(tried.joined([one]))
    if SAT in found:
        return SAT, tried
    left = len(asked) < len(wanted)
    return UNKNOWN if left or UNKNOWN in found[1:] else UNSAT, omega
