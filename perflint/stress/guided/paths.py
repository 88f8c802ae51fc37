"""The states of warps that negating conjuncts of a path makes: lines 19 and 20 of Algorithm 1."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, replace

from perflint.base.records import dataclass
from perflint.symbolic.conjuncts import Conjunct, opposite
from perflint.symbolic.solver import Clause
from perflint.symbolic.terms import Terms


@dataclass(frozen=True)
class State:
    """A symbolic state of a warp: conjuncts that hold, and maybe a last one that does not."""

    warp: int
    prefix: tuple[Conjunct, ...]
    negated: Conjunct | None = None
    run: int = field(default=-1, compare=False)  #: the number of the run that it comes from
    #: the predicate's value to which threads are to be turned; None for whichever each had not
    toward: bool | None = field(default=None, compare=False)

    @property
    def key(self) -> tuple[object, ...]:
        """Equal states have equal ones."""
        last = None if self.negated is None else _key(self.negated)
        return (self.warp, tuple(_key(c) for c in self.prefix), last)

    @property
    def terms(self) -> Iterator[int]:
        """All terms that its conjuncts are about."""
        for each in (*self.prefix, *((self.negated,) if self.negated else ())):
            yield from each.literals
            yield from each.premises


@dataclass(eq=False)
class Renumbered:
    """Conjuncts in the numbers of other terms; each once, for states share them."""

    numbers: Mapping[int, int]
    _known: dict[int, tuple[Conjunct, Conjunct]] = field(default_factory=dict)

    def conjunct(self, each: Conjunct) -> Conjunct:
        known = self._known.get(id(each))
        if known is None:
            pairs = zip(each.literals, each.holds, strict=True)
            new_pairs = sorted((self.numbers[t], holds) for t, holds in pairs)
            new = replace(
                each,
                literals=tuple(literal for literal, _ in new_pairs),
                holds=tuple(holds for _, holds in new_pairs),
                premises=tuple(sorted(self.numbers[t] for t in each.premises)),
            )
            known = self._known[id(each)] = (each, new)  # the old one is kept, so is its id
        return known[1]

    def path(self, path: Sequence[Conjunct]) -> tuple[Conjunct, ...]:
        return tuple(map(self.conjunct, path))

    def state(self, state: State) -> State:
        last = None if state.negated is None else self.conjunct(state.negated)
        return State(state.warp, self.path(state.prefix), last, state.run, state.toward)


def _key(conjunct: Conjunct) -> tuple[object, ...]:
    return conjunct.position, conjunct.turn, conjunct.literals


def negations(warp: int, conjuncts: Sequence[Conjunct], most: int, run: int = -1) -> list[State]:
    """Lines 19 and 20 of Algorithm 1: the first `most` prefixes, their last conjunct negated."""
    return [
        State(warp, tuple(conjuncts[:i]), conjuncts[i], run)
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
