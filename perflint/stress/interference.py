"""`--objective interference`: the input and order of warps for which others cost a warp most.

What is explored is the search's target: the same launch, the same free arrays and what they may
hold. Offsets of rows stay as they are, for an exploration knows nothing of ascending numbers, and
so do arrays behind pointers in structs.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import replace
from functools import cached_property
from statistics import median

import numpy as np

from perflint.analysis.model import AnalysisError
from perflint.base.records import dataclass
from perflint.sim import LaunchError
from perflint.sim.launch import Buffer, Scalar, UnsupportedInstructionError
from perflint.stress import guided
from perflint.stress.assumptions import Assumption
from perflint.stress.crew import Away, asking
from perflint.stress.domains import Domain
from perflint.stress.findings import WORSE
from perflint.stress.generators import Kept
from perflint.stress.guided.assumptions import Template
from perflint.stress.guided.inputs import Space
from perflint.stress.guided.subject import Given
from perflint.stress.objectives import INTERFERENCE, Figure, Place
from perflint.stress.search import RANDOM, Search
from perflint.stress.target import StressError, Target
from perflint.stress.trial import Input, Key, Limits, tried
from perflint.symbolic.terms import Terms

#: What of a kernel or the user's words an exploration cannot do.
_TOLD = (AnalysisError, LaunchError, UnsupportedInstructionError, guided.AssumptionError)
KEY: Key = (INTERFERENCE.name, Place("kernel"))
#: Runs of each of both explorations at most: with `run_instructions` of each, all of them fit into
#: an exploration's instructions, so that none is cut short by those before it.
MOST_RUNS = 64


@dataclass(frozen=True, eq=False)
class Interfering:
    """What two explorations found, the guided one and one at random on the same budget."""

    target: Target
    first: Input  #: the launch's own input
    given: Mapping[str, np.ndarray]  #: the arrays of it for which others were tried
    explored: guided.Exploration
    worst: guided.Explored
    strategy: str  #: of the exploration that came upon the worst
    random: tuple[float, ...]  #: O/E of random inputs under random schedules
    refused: int  #: states of which the input breaks an assumption

    @property
    def median(self) -> float:
        return median(self.random)

    @property
    def is_worse(self) -> bool:
        """Whether the worst is worse than random inputs are."""
        return self.worst.interference.share > WORSE * self.median

    @property
    def figure(self) -> Figure:
        return figure_of(self.worst.interference)

    @property
    def schedule(self) -> np.ndarray:
        """The warps in the order of their turns."""
        return np.array([turn.warp for turn in self.worst.schedule], np.int32)

    @cached_property
    def input(self) -> Input:
        return _input(self.worst, self.first, self.given)


def figure_of(found: guided.Interference) -> Figure:
    """O in E; the lines that were fetched, and what the execution takes without interference."""
    return Figure(found.overhead, found.execution, found.misses, found.unperturbed)


def interfering(
    search: Search, assumed: Sequence[Assumption], jobs: int = 1, away: Away | None = None
) -> Interfering:
    """Explore a search's target, in so many processes or elsewhere.

    Raises StressError and ProcessError.
    """
    target = search.target
    first = first_input(search)
    direct = {each.name for each in target.launch.arguments if isinstance(each, Buffer)}
    free = {d.slot.name: d for d in search.domains if d.kind != "offsets" and d.slot.name in direct}
    arrays = target.arrays(first)
    subject = subject_of(target, arrays, free)
    options = guided.Options(
        seed=search.seed,
        states=min(search.most_tries, MOST_RUNS),
        most_warps=min(guided.Options.most_warps, len(target.blocks) * _warps(target)),
        assumptions=tuple(_solvable(subject, assumed)),
    )
    given = {name: arrays[name] for name in free}
    with _told(target):
        explored, other = (
            _explored(subject, replace(options, strategy=strategy), jobs, away)
            for strategy in ("guided", "random")
        )
    states = {
        strategy: [s for s in each.states if not search.broken(_input(s, first, given))]
        for strategy, each in (("guided", explored), ("random", other))
    }
    every = [(strategy, state) for strategy, mine in states.items() for state in mine]
    strategy, worst = max(every, key=lambda e: (e[1].interference.share, -e[1].number))
    refused = len(explored.states) + len(other.states) - len(every)
    shares = tuple(state.interference.share for state in states["random"])
    return Interfering(target, first, given, explored, worst, strategy, shares, refused)


def _explored(
    subject: guided.Subject, options: guided.Options, jobs: int, away: Away | None
) -> guided.Exploration:
    """One exploration. Raises what `explore` raises."""
    steps = guided.prepared(subject, options)
    with asking(steps, jobs, away) as ask:
        return guided.searched(steps, ask)


def again(
    target: Target,
    arrays: Mapping[str, np.ndarray],
    given: Mapping[str, np.ndarray],
    schedule: Sequence[int],
) -> Figure:
    """The figure of an input under a schedule. Raises StressError and ScheduleError."""
    subject = subject_of(target, {**arrays, **given}, dict.fromkeys(given))
    values = guided.Values(
        {name: arrays[name] for name in subject.arrays},
        {name: each.value for name, each in subject.scalars.items()},
    )
    options = guided.Options(most_warps=len(target.blocks) * _warps(target))
    with _told(target):
        return figure_of(guided.replayed(subject, values, schedule, options))


@contextmanager
def _told(target: Target) -> Iterator[None]:
    """What cannot be explored, as something that the user can put right."""
    try:
        yield
    except guided.AssumptionError as error:
        raise StressError(f"--assume: {error}") from error
    except _TOLD as error:
        subject = target.subject
        raise StressError(f"{subject.path}: kernel {subject.title}: {error}") from error


# --- the launch's own input -----------------------------------------------------------------------


def first_input(search: Search) -> Input:
    """A random input that the kernel runs on. Raises StressError where there is none."""
    why = ""
    for number in range(RANDOM):
        found = search.mended(search.randomly(number))
        broken = search.broken(found)
        why = f"breaks `{broken}`" if broken else tried(search.target, found, Limits()).wrong
        if not why:
            return found
    raise StressError(
        f"{search.target.subject.path}: kernel {search.target.subject.title}: with random data "
        f"{why}; say --launch with arrays that fit"
    )


def _input(state: guided.Explored, first: Input, free: Mapping[str, object]) -> Input:
    return {**first, **{name: Kept(name, state.values.arrays[name]) for name in free}}


def _warps(target: Target) -> int:
    return target.launch.warps_per_block


def subject_of(
    target: Target, arrays: Mapping[str, np.ndarray], free: Mapping[str, Domain | None]
) -> guided.Subject:
    """What is explored: a target with these arrays, of which some are free within their domains."""
    launch = target.with_arrays(arrays)
    given: list[Given] = []
    for name, argument in zip(target.subject.parameters, launch.arguments, strict=True):
        match argument:
            case Buffer(name=array):
                given.append(_array(array, arrays[array], array in free, free.get(array)))
            case Scalar(value=value):
                given.append(guided.ScalarInput(name, value, free=False))
            case _:
                given.append(argument)
    return guided.Subject(
        target.subject.module, target.facts.kernel, launch.grid, launch.block, tuple(given),
        launch.dynamic_shared, target.subject.arch, symbols=launch.symbols,
    )  # fmt: skip


def _array(name: str, data: np.ndarray, free: bool, domain: Domain | None) -> guided.ArrayInput:
    if domain is None or domain.kind == "fraction":
        return guided.ArrayInput(name, data, free=free)
    return guided.ArrayInput(name, data, domain.low, domain.high - 1, free)


# --- assumptions ----------------------------------------------------------------------------------


def _solvable(subject: guided.Subject, assumed: Sequence[Assumption]) -> Iterator[str]:
    """The assumptions that the solver is told; all of them are held against what it finds.

    It reads one of elements with the same number, by comparisons, sums and products.
    """
    space = Space(subject, Terms())
    for each in assumed:
        if any(far for _, far in each.elements(subject.arrays)):
            continue
        text = ast.unparse(_Indexed(subject.arrays).visit(deepcopy(each.tree)))
        try:
            Template(space.terms, space.variable, text)
        except guided.AssumptionError:
            continue
        yield text


class _Indexed(ast.NodeTransformer):
    """Writes `idx` as `idx[i]`."""

    def __init__(self, arrays: Mapping[str, object]) -> None:
        self._arrays = arrays

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        return node

    def visit_Name(self, node: ast.Name) -> ast.AST:
        if node.id not in self._arrays:
            return node
        return ast.Subscript(node, ast.Name("i", ast.Load()), ast.Load())
