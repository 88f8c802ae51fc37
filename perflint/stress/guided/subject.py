"""What is explored, how far, and what comes out: plain frozen data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from perflint.analysis import analyse
from perflint.base.records import dataclass
from perflint.grammar.model import Function, Module
from perflint.sim.cache_trace import CacheTrace
from perflint.sim.launch import Argument, Buffer, Dim3, Launch, Scalar, SymbolBytes
from perflint.sim.placement import Placement
from perflint.stress.guided.monitor import Interference
from perflint.stress.guided.timeline import Machine, Requests, Turn

if TYPE_CHECKING:
    from perflint.analysis.model import KernelFacts

Number = int | float


@dataclass(frozen=True, eq=False)
class ArrayInput:
    """An array that a pointer argument leads to: its extent and what is in it at first."""

    name: str
    data: np.ndarray
    low: Number | None = None  #: of the elements that may be tried; None: see `inputs`
    high: Number | None = None
    free: bool = True  #: whether other contents may be tried


@dataclass(frozen=True)
class ScalarInput:
    """A scalar argument."""

    name: str
    value: Number
    low: Number | None = None  #: of an integer: 0, or the value where that is less
    high: Number | None = (
        None  #: of an integer: the value, so that nothing gets larger than arrays are
    )
    free: bool = True


Given = ArrayInput | ScalarInput | Argument


@dataclass(frozen=True, eq=False)
class Subject:
    """A kernel and a launch of it. One argument for each of the kernel's parameters, in order."""

    module: Module
    kernel: Function
    grid: Dim3
    block: Dim3
    arguments: tuple[Given, ...]
    shared: int = 0  #: dynamic shared bytes
    arch: str = "sm_80"
    machine: Machine = field(default_factory=Machine)  #: cache, banks, latencies
    symbols: tuple[SymbolBytes, ...] = ()  #: what the module's variables hold
    placement: Placement = field(default_factory=Placement)  #: where the arrays lie
    locked: Mapping[str, int] = field(default_factory=dict)  #: first bytes of arrays kept in cache

    @cached_property
    def facts(self) -> KernelFacts:
        """Raises AnalysisError."""
        return analyse(self.module, self.kernel)

    @cached_property
    def arrays(self) -> dict[str, ArrayInput]:
        return {a.name: a for a in self.arguments if isinstance(a, ArrayInput)}

    @cached_property
    def scalars(self) -> dict[str, ScalarInput]:
        """By PTX name of the parameter."""
        parameters = self.kernel.parameters
        return {
            p.name: a
            for p, a in zip(parameters, self.arguments, strict=True)
            if isinstance(a, ScalarInput)
        }

    def requests(self, trace: CacheTrace) -> Requests:
        """What a trace asks of the cache and the memory."""
        bases, size = self.placement.bases(trace), self.machine.cache.line
        first = {name: int(bases[region]) for region, name in trace.names.items()}
        locked = frozenset(
            line
            for name, count in self.locked.items()
            for line in range(first[name] // size, (first[name] + count - 1) // size + 1)
        )
        return Requests(trace, self.machine, self.placement, locked)

    def launch(self, given: Values) -> Launch:
        """The launch with the values of an input."""
        arguments: list[Argument] = []
        for parameter, each in zip(self.kernel.parameters, self.arguments, strict=True):
            if isinstance(each, ArrayInput):
                data = given.arrays[each.name]
                arguments.append(Buffer(each.name, size=data.nbytes, data=data))
            elif isinstance(each, ScalarInput):
                arguments.append(Scalar(given.scalars[parameter.name]))
            else:
                arguments.append(each)
        return Launch(self.grid, self.block, tuple(arguments), self.shared, symbols=self.symbols)


@dataclass(frozen=True, eq=False)
class Values:
    """An input: arrays by name, scalars by PTX name of the parameter."""

    arrays: Mapping[str, np.ndarray]
    scalars: Mapping[str, Number]


#: How inputs and schedules are chosen: by GUPT's summary; states and schedules at random, as in its
#: "symbolic random testing"; and inputs at random too, "pure random testing".
STRATEGIES = ("guided", "symbolic", "random")


@dataclass(frozen=True)
class Options:
    """How far to go. Nothing here is a time."""

    seed: int = 0
    warp_instructions: int = 20_000_000  #: of all runs together
    run_instructions: int = 200_000  #: warp instructions of one run
    #: z3's resource units for a question: of bit-vectors about 50 ms
    rlimit: int = 150_000
    states: int = 64  #: runs at most
    assumptions: tuple[str, ...] = ()  #: of arguments and elements: `n > 0`, `mask[i] <= 1`
    strategy: str = "guided"
    prefixes: int = 24  #: conjuncts of a warp that are negated, the first ones
    tries: int = 8  #: states of a warp that are asked of the solver for one input
    most_warps: int = 128  #: blocks from the first one on, as many as these are


@dataclass(frozen=True, eq=False)
class Explored:
    """One execution: ⟨Ω, SH, ξ⟩ and the input."""

    number: int
    conditions: Mapping[int, tuple[str, ...]]  #: Ω by warp, in words; the last one is new
    omega: str  #: Ω, joined
    values: Values
    schedule: tuple[Turn, ...]
    interference: Interference
    warp_instructions: int

    def graph(self) -> Any:
        """SH as a networkx graph."""
        from perflint.stress.guided.graphs import schedule_graph

        return schedule_graph(self.schedule)


@dataclass(frozen=True)
class Coverage:
    """How much was explored, of what may be, and why not the rest."""

    explored: int
    potential: int
    why: Mapping[str, int]  #: what is not explored, by reason

    @property
    def share(self) -> float:
        return self.explored / self.potential if self.potential else 1.0


@dataclass(frozen=True, eq=False)
class Exploration:
    """What the search found."""

    states: tuple[Explored, ...]  #: in the order in which they were run
    references: Coverage  #: (thread, memory reference) that are not AH without conflict
    edges: Coverage  #: ways of branches
    concretised: Mapping[str, int]  #: conjuncts in which a value was concretised, by reason
    values_concretised: Mapping[str, int]  #: instructions, by reason
    questions: Mapping[str, int]  #: to the solver, by answer
    #: of the states that were run: whether the warp left the way of the state that it negates
    led: Mapping[str, int]
    discarded: Mapping[str, int]  #: inputs that made the kernel do what it must not, by fault
    warp_instructions: int
    stopped: str  #: `all states`, `instructions`, `runs`
    blocks: tuple[int, int]  #: that were run, of how many

    @property
    def ranked(self) -> tuple[Explored, ...]:
        """The states by the interference that they show, most first."""
        return tuple(sorted(self.states, key=lambda s: (-s.interference.overhead, s.number)))


class AssumptionError(ValueError):
    """Assumptions that cannot be read, or contradict each other."""
