"""The search: what is tried, in which order, and the worst input found of each place of the kernel.

Random data first, to compare with; then what formulas recommend; then patterns, and mutations of
the best so far, of which one is kept for each objective and place (PerfFuzz, ISSTA 2018); z3 for
what none of these reached. Tries and instructions decide where it ends. The clock only ends it
early, between tries, and the report says where.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from functools import cached_property
from itertools import islice, permutations
from statistics import median
from typing import Protocol

from perflint.analysis.model import AccessSite
from perflint.base.records import dataclass
from perflint.stress import algebra, guards, population, tabulation
from perflint.stress.domains import Domain
from perflint.stress.formulas import Formulas
from perflint.stress.generators import Generator, Sorted
from perflint.stress.merging import EACH, Merged
from perflint.stress.objectives import Figure, Place
from perflint.stress.tabulation import RUNS
from perflint.stress.target import StressError, Target
from perflint.stress.trial import Input, Key, Limits, Outcome

#: Random inputs that others are held against: an odd number, for their median.
RANDOM = 9
#: Inputs that are tried between two looks at the best: independent of each other, for `-j`.
GENERATION = 8
#: Generations of mutations without anything worse, after which it ends.
PATIENCE = 12
#: Instructions issued by all tries together.
MOST_ISSUED = 2_000_000


class Evaluate(Protocol):
    """Tries inputs, in their order, however many processes do it."""

    def __call__(self, inputs: Sequence[Input]) -> list[Outcome]: ...


@dataclass(frozen=True)
class Best:
    """The worst input of a place so far."""

    figure: Figure
    input: Input
    outcome: Outcome
    strategy: str  #: what proposed it
    attempt: int  #: the number of the try

    @property
    def length(self) -> int:
        """How long its generators are: of two inputs as bad, the shorter is kept."""
        return sum(len(each.text) for each in self.input.values())


@dataclass(eq=False)
class Search:
    """A search and what it has found."""

    target: Target
    formulas: Formulas
    domains: Sequence[Domain]
    objectives: Sequence[str]
    evaluate: Evaluate
    broken: Callable[[Input], str]  #: the assumption that an input does not meet; "" for none
    seed: int
    most_tries: int
    deadline: float  #: of `time.monotonic`
    watch: Callable[[int, Outcome], None]  #: told of each try, with its number
    best: dict[Key, Best] = field(default_factory=dict)
    random: list[Outcome] = field(default_factory=list)
    identity: Outcome = field(default_factory=Outcome)
    tries: int = 0
    issued: int = 0
    refused: dict[str, int] = field(default_factory=dict)  #: by what was wrong with inputs
    edges: set[tuple[int, int]] = field(default_factory=set)
    places: set[Place] = field(default_factory=set)  #: of the kernel that some input reached
    unreached: dict[int, str] = field(default_factory=dict)  #: accesses, and what z3 said
    ended: str = ""  #: what ended it before it was done
    phase: str = ""

    def run(self) -> None:
        """Do all of it. Raises StressError where no input of the launch is proper."""
        self._references()
        for name, (strategy, share) in STRATEGIES.items():
            self.phase = name
            most = None if share is None else int(share * self.left)
            if not self.domains or not self._go_on(islice(strategy(self), most)):
                break
        if self.domains:
            self.phase = "simplification"
            self._simplify()

    @cached_property
    def plain(self) -> dict[str, Generator]:
        """Data without a pattern of its own."""
        return {domain.slot.name: domain.plain() for domain in self.domains}

    def randomly(self, number: int) -> dict[str, Generator]:
        """The `number`th random input: of every search with this seed the same."""
        first = self.seed * 1000 + number * len(self.domains)
        return {d.slot.name: d.random(first + at) for at, d in enumerate(self.domains)}

    # --- trying ----------------------------------------------------------------------------------

    def try_all(self, inputs: Iterable[Input]) -> list[Outcome]:
        """Try some inputs and keep the worst. Those that break an assumption are not tried."""
        kept, seen = [], set()
        for each in map(self.mended, inputs):
            why = self.broken(each)
            if why:
                reason = f"breaks `{why}`"
                self.refused[reason] = self.refused.get(reason, 0) + 1
            elif (text := spelt(each)) not in seen:
                seen.add(text)
                kept.append(each)
        outcomes = self.evaluate(kept)
        for each, outcome in zip(kept, outcomes, strict=True):
            self._take(each, outcome)
        return outcomes

    def mended(self, input_: Input) -> Input:
        """See `mended`."""
        return mended(input_, self.broken)

    @cached_property
    def ascending(self) -> tuple[Domain, ...]:
        """The arrays that have to ascend, by what is assumed."""
        found = self.mended(self.randomly(0))
        return tuple(d for d in self.domains if isinstance(found[d.slot.name], Sorted))

    def _take(self, input_: Input, outcome: Outcome) -> None:
        self.tries += 1
        self.issued += outcome.issued
        self.watch(self.tries, outcome)
        self.edges |= outcome.edges
        self.places |= {place for _, place in outcome.figures}
        if outcome.wrong:
            self.refused[outcome.wrong] = self.refused.get(outcome.wrong, 0) + 1
            return
        for key, figure in outcome.figures.items():
            if key[0] in self.objectives:
                found = Best(figure, input_, outcome, self.phase, self.tries)
                known = self.best.get(key)
                if known is None or figure.rank > known.figure.rank:
                    self.best[key] = found
                elif figure.rank == known.figure.rank and found.length < known.length:
                    self.best[key] = replace(known, input=input_, outcome=outcome, figure=figure)

    def _go_on(self, proposals: Iterator[Input]) -> bool:
        """Try a strategy's proposals by generations; False where the search is at its end."""
        seen: set[str] = set()
        while generation := list(islice(proposals, min(GENERATION, self.left))):
            fresh = [each for each in generation if spelt(each) not in seen]
            seen.update(map(spelt, fresh))
            self.try_all(fresh)
            if self._is_over():
                return False
        return not self._is_over()

    def count(self, issued: int) -> None:
        """A run that is no try of its own, but costs as much."""
        self.tries += 1
        self.issued += issued

    @property
    def left(self) -> int:
        """Tries that are left."""
        return max(0, self.most_tries - self.tries)

    def _is_over(self) -> bool:
        if self.tries >= self.most_tries:
            self.ended = f"{self.tries} tries"
        elif self.issued >= MOST_ISSUED:
            self.ended = f"{self.issued:,} instructions issued"
        elif time.monotonic() > self.deadline:
            self.ended = f"--seconds, after {self.tries} tries, in the phase of {self.phase}"
        return bool(self.ended)

    def _references(self) -> None:
        """Random and identity data. Raises StressError where none of it is proper."""
        self.phase = "random data"
        inputs = [self.randomly(number) for number in range(RANDOM if self.domains else 1)]
        self.random = [each for each in self.try_all(inputs) if not each.wrong]
        self.phase = "identity data"
        [*found] = self.try_all([self.plain])
        self.identity = next((each for each in found if not each.wrong), Outcome())
        if not self.best:
            why = next(iter(self.refused), "nothing of it runs")
            raise StressError(
                f"{self.target.subject.path}: kernel {self.target.subject.title}: with random data "
                f"as with identity data {why}; say --launch with arrays that fit"
            )

    def median(self, key: Key) -> float | None:
        """The middle of random data's figures; None where none of it comes to that place."""
        found = [each.figures[key].mean for each in self.random if key in each.figures]
        return median(found) if found else None

    # --- afterwards ------------------------------------------------------------------------------

    def _simplify(self) -> None:
        """Leave out of the worst inputs what does not matter: arrays become plain again."""
        for key in sorted(self.best, key=str):
            for domain in self.domains:
                best, name = self.best[key], domain.slot.name
                if best.outcome.figures == self.identity.figures:
                    break
                for simple in (self.plain[name], domain.random(self.seed * 1000)):
                    if best.input[name].text == simple.text or time.monotonic() > self.deadline:
                        break
                    tried = {**best.input, name: simple}
                    if self.broken(tried):
                        continue
                    [outcome] = self.evaluate([tried])
                    self.issued += outcome.issued
                    figure = outcome.figures.get(key)
                    if not outcome.wrong and figure is not None and figure.rank >= best.figure.rank:
                        self.best[key] = Best(figure, tried, outcome, best.strategy, best.attempt)
                        break


# --- strategies -----------------------------------------------------------------------------------


def _by_algebra(search: Search) -> Iterator[Input]:
    """What formulas recommend, among random and plain data, with the way to the access open."""
    found = algebra.proposals(search.formulas, search.domains, search.objectives)
    for number, each in enumerate(found):
        opened = guards.opening(search.formulas, each.site, search.domains)
        for base in (search.plain, search.randomly(number % RANDOM)):
            yield {**base, **opened, each.array: each.generator}


def _by_tabulation(search: Search) -> Iterator[Input]:
    """What runs of random data tell of addresses that are no formulas; each counts as a try."""
    inputs = [search.randomly(RANDOM + number) for number in range(min(RUNS, search.left // 4))]
    fine = [each for each in inputs if not search.broken(each)]
    found = tabulation.proposals(
        search.target, search.formulas, search.domains, fine, Limits(), search.count
    )
    for number, each in enumerate(found):
        yield {**search.plain, each.array: each.generator}
        yield {**search.randomly(number % RANDOM), each.array: each.generator}


def _by_merges(search: Search) -> Iterator[Input]:
    """Lists that have to ascend, as a merge of two of them with so many elements a thread fears."""
    for one, other in permutations(search.ascending, 2):
        pair = (one, other)
        if one.slot.count == other.slot.count and 2 * one.slot.count <= min(d.high for d in pair):
            for each in EACH:
                lists = {d.slot.name: Merged(each, which) for which, d in enumerate(pair)}
                yield {**search.plain, **lists}


def _by_patterns(search: Search) -> Iterator[Input]:
    """Each pattern of each array, the others random; then of all arrays at once."""
    listed = {
        d.slot.name: list(population.patterns(d, search.seed + at))
        for at, d in enumerate(search.domains)
    }
    opened: dict[str, Generator] = {}
    for site in search.target.facts.sites:
        opened |= guards.opening(search.formulas, site, search.domains)
    most = max(map(len, listed.values()))
    for number in range(most):
        for name, generators in listed.items():
            if number < len(generators):
                yield {**search.plain, **opened, name: generators[number]}
                yield {**search.randomly(number % RANDOM), name: generators[number]}


def _by_mutation(search: Search) -> Iterator[Input]:
    """Mutations of the worst input of each place in turn, while something worse is found."""
    chance = random.Random(search.seed)
    stale = 0
    while stale < PATIENCE:
        before = {key: best.figure.rank for key, best in search.best.items()}
        keys = sorted(before, key=str)
        for _ in range(GENERATION):
            parent = search.best[chance.choice(keys)].input
            yield population.mutated(parent, search.domains, chance)
        after = {key: best.figure.rank for key, best in search.best.items()}
        stale = stale + 1 if after == before else 0


def _by_guards(search: Search) -> Iterator[Input]:
    """What z3 says of accesses that nothing reached, and formulas' inputs beside it."""
    for index, site in enumerate(search.target.facts.sites):
        if Place("access", index) in search.places or not is_counted(site):
            continue
        found, answer = guards.solved(search.formulas, site, search.domains)
        search.unreached[index] = answer
        if found is not None:
            yield {**search.plain, **found}
            yield {**search.randomly(0), **found}


def is_counted(site: AccessSite) -> bool:
    """Whether an access has figures once it is reached."""
    return site.may_be_global or site.space == "shared"


#: What proposes inputs, in this order, and the share of the tries left that it may take.
#: Another strategy is another row.
STRATEGIES: Mapping[str, tuple[Callable[[Search], Iterator[Input]], float | None]] = {
    "algebra": (_by_algebra, 0.5),
    "tabulation": (_by_tabulation, 0.5),
    "merges": (_by_merges, 0.5),
    "patterns": (_by_patterns, 0.5),
    "guards": (_by_guards, 0.5),
    "mutation": (_by_mutation, None),
}


def mended(input_: Input, broken: Callable[[Input], str]) -> Input:
    """An input, with those arrays sorted that then meet an assumption that it breaks."""
    found, why = dict(input_), broken(input_)
    for name, each in input_.items():
        tried = {**found, name: Sorted(each)}
        if why and (still := broken(tried)) != why:
            found, why = tried, still
    return input_ if why else found


def spelt(input_: Input) -> str:
    """An input in one line; equal ones have equal texts."""
    return ", ".join(f"{name}={each.text}" for name, each in sorted(input_.items()))
