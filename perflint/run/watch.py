"""What is seen of a program's launches while it runs: counts, errors, and the launches to keep."""

from __future__ import annotations

import math
import os
import pickle
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import field, replace
from pathlib import Path
from typing import Any

from perflint.base.records import dataclass
from perflint.grammar.model import Instruction
from perflint.lint.recorded_launches import RecordedLaunch, Records
from perflint.run.errors import KernelError, kind_of
from perflint.run.launches import Job, Outcome
from perflint.run.protocol import Code
from perflint.run.records import recorded
from perflint.run.sources import Sources, short_name
from perflint.run.uninitialised_reads import UninitialisedReads
from perflint.run.unsimulated import Unsimulated
from perflint.sim.tracers.barrier_checker import BarrierChecker
from perflint.sim.tracers.memory_checker import MemoryChecker
from perflint.sim.tracers.memory_race_detector import MemoryRaceDetector
from perflint.sim.violation import Violation

#: The kind of error that CUDA's code is.
_KIND_OF_CODE: dict[int | None, str] = {
    Code.ILLEGAL_ADDRESS: "out-of-bounds",
    Code.MISALIGNED: "misaligned",
}
#: Launches of one kernel and shape that are kept: the first, and the latest of the chosen ones.
KEPT = 3
#: Shapes of one kernel that are kept.
SHAPES = 8
#: Places told at which the threads of an interrupted launch were.
_PLACES = 4
#: Bytes of memory kept of one launch.
MOST_BYTES = 256 << 20


@dataclass(frozen=True)
class WatchOptions:
    """What to watch."""

    program: Path
    keep: bool  #: launches, to judge or record them
    check: bool
    sample: bool  #: check only some launches
    budget: float  #: seconds that the tracers of one launch may take; 0: all of it


@dataclass
class KernelCounts:
    """The launches of one kernel."""

    name: str
    launches: int = 0
    shapes: Counter[tuple[int, ...]] = field(default_factory=Counter)
    thread_instructions: int = 0
    faults: Counter[str] = field(default_factory=Counter)


@dataclass
class Seen:
    """All that one process of the program did."""

    kernels: dict[str, KernelCounts] = field(default_factory=dict)
    errors: list[KernelError] = field(default_factory=list)
    told: list[str] = field(default_factory=list)  #: lines about what is not simulated
    partly: set[str] = field(default_factory=set)  #: kernels that the tracers saw only in part
    skipped: set[str] = field(default_factory=set)  #: what a tracer could not look for, and why
    unlocated: bool = False  #: an error has no line, for want of -lineinfo
    unsimulated: list[Unsimulated] = field(default_factory=list)
    records: Records = field(default_factory=lambda: Records({}, ()))


def chosen(number: int) -> bool:
    """Whether the n-th launch of its kind is looked at: 1, 2, 4, 8 and so on."""
    return number & (number - 1) == 0


class Watcher:
    """Runs launches for a session, and keeps what is to be known of them."""

    def __init__(self, options: WatchOptions, tell: Callable[[str], None]) -> None:
        self.options, self.tell = options, tell
        self.seen = Seen()
        self._kept: dict[tuple[str, str, tuple[int, ...]], list[RecordedLaunch]] = {}
        self._modules: dict[str, tuple[str, ...]] = {}
        self._sources: dict[str, Sources] = {}

    def run(self, job: Job) -> Outcome:
        """Run one launch."""
        name = short_name(job.kernel)
        counts = self.seen.kernels.setdefault(job.kernel, KernelCounts(name))
        counts.launches += 1
        shape = job.key[2]
        counts.shapes[shape] += 1
        number = counts.shapes[shape]
        wanted = chosen(number)
        keep = self.options.keep and wanted and self._has_room(job)
        if keep:
            job.regions.keep(MOST_BYTES)
        ended = None
        if self.options.check and (wanted or not self.options.sample):
            outcome, ended = self._checked(job, name)
        else:
            outcome = job.run()
            if self.options.check:
                self._all_known(job)
        if keep:
            self._keep(job, number)
        counts.faults.update({f.kind: f.count for f in outcome.faults})
        if outcome.progress is not None:
            counts.thread_instructions += outcome.progress.thread_instructions
        if outcome.unsupported and outcome.pc >= 0:
            place = self._line(job, self._at(job, outcome.pc))
            outcome = replace(outcome, text=f"{place}: {outcome.text}")
        if outcome.interrupted:
            self._interrupted(job, outcome, name)
        if outcome.error:
            self._failed(job, outcome, ended, name)
        return outcome

    def _has_room(self, job: Job) -> bool:
        """Whether a launch may be kept: of a shape that is, of one of the first, or of a larger."""
        mine = self._shapes_of(job)
        return job.key in mine or len(mine) < SHAPES or _threads(job.key) > _threads(mine[0])

    def _shapes_of(self, job: Job) -> list[tuple[str, str, tuple[int, ...]]]:
        """The shapes of a kernel that are kept, the smallest first."""
        mine = [key for key in self._kept if key[:2] == job.key[:2]]
        return sorted(mine, key=_threads)

    def _keep(self, job: Job, number: int) -> None:
        if job.key not in self._kept and len(mine := self._shapes_of(job)) >= SHAPES:
            del self._kept[mine[0]]
        kept = self._kept.setdefault(job.key, [])
        kept.append(recorded(job, number))
        if len(kept) > KEPT:
            del kept[1]
        self._modules[job.loaded.digest] = job.loaded.texts

    def finish(self) -> Seen:
        """All that was seen."""
        launches = tuple(
            replace(each, alike=self.seen.kernels[key[1]].shapes[key[2]])
            for key, group in self._kept.items()
            for each in group
        )
        self.seen.records = Records(self._modules, launches)
        return self.seen

    # --- errors ----------------------------------------------------------------------------------

    def _checked(self, job: Job, name: str) -> tuple[Outcome, Violation | None]:
        """Run a launch under the checkers; what came of it, and the error that ended it."""
        memory, race, barriers = MemoryChecker(), MemoryRaceDetector(), BarrierChecker()
        tracers: list[Any] = [memory, race, barriers, UninitialisedReads(job.regions)]
        named = replace(job, parameters=self._parameters(job))
        outcome = named.run(tracers, self.options.budget)
        if outcome.partly:
            self.seen.partly.add(name)
            self._all_known(job)
        if race.skipped:
            self.seen.skipped.add(f"{name}: {race.skipped}")
        ended = _ending(outcome, memory, barriers)
        for violation in (v for tracer in tracers for v in tracer.violations):
            if ended is None or violation.message != ended.message:
                self._violation(job, violation, name)
        return outcome, ended

    def _all_known(self, job: Job) -> None:
        """Stores that no tracer saw may have written anything that the launch touched."""
        for region in job.regions.touched_now():
            job.regions.memory.known(region.host, region.size or 0)[:] = 1

    def _parameters(self, job: Job) -> tuple[str, ...]:
        return self._source(job).parameters(job.loaded.module.functions[job.kernel])

    def _violation(self, job: Job, violation: Violation, name: str, *, ended: bool = False) -> None:
        message = violation.message
        if violation.other is not None:
            message += f" at {self._line(job, violation.other)}"
        self._error(job, kind_of(violation.kind), violation.instruction, message, name, ended=ended)

    def _failed(self, job: Job, outcome: Outcome, ended: Violation | None, name: str) -> None:
        if outcome.unsupported:
            self.tell(f"kernel {name} was not simulated: {outcome.text}")
            return
        instruction = self._at(job, outcome.pc)
        place = self._line(job, instruction)
        self.tell(f"{place}: kernel {self._launch(job, name)}: {outcome.text}")
        if ended is not None:
            self._violation(job, ended, name, ended=True)
        else:
            kind = _KIND_OF_CODE.get(outcome.error, "kernel-error")
            if outcome.stop is not None and outcome.stop.reason == "deadlock":
                kind = "divergent-barrier"
            self._error(job, kind, instruction, outcome.text, name, ended=True)

    def _interrupted(self, job: Job, outcome: Outcome, name: str) -> None:
        """Tell how far a launch came that was ended from outside, and where its threads stood."""
        progress, launch = outcome.progress, job.launch
        if progress is None:
            return
        told = f"{progress.blocks_done} of {launch.block_count} blocks done"
        for pc, threads, waits in progress.standing[:_PLACES]:
            does = "waited at the barrier" if waits else "were"
            told += f"; {threads:,} threads {does} at {self._line(job, self._at(job, pc))}"
        self.tell(f"kernel {self._launch(job, name)} was interrupted: {told}")

    def _at(self, job: Job, pc: int) -> Instruction | None:
        own = job.loaded.module.functions[job.kernel].instructions
        return own[pc] if 0 <= pc < len(own) else None

    def _error(
        self,
        job: Job,
        kind: str,
        instruction: Instruction | None,
        message: str,
        name: str,
        *,
        ended: bool,
    ) -> None:
        ready = job.loaded.ready(job.kernel)
        place = self._source(job).place(
            job.loaded.module, ready.function, ready.running, instruction
        )
        if instruction is not None and instruction.location is None:
            self.seen.unlocated = True
        self.seen.errors.append(
            KernelError(
                kind,
                place.path,
                place.line,
                message,
                name,
                self._launch(job, name),
                place.column,
                (place.end_line, place.end_column),
                frozenset({(os.getpid(), job.regions.turn)}),
                ended,
            )
        )

    def _launch(self, job: Job, name: str) -> str:
        r = job.request
        shared = f", {r.shared}" if r.shared else ""
        return f"{name}<<<{_extents(r.grid)}, {_extents(r.block)}{shared}>>>"

    def _line(self, job: Job, instruction: Instruction | None) -> Any:
        return self._source(job).line(job.loaded.ready(job.kernel).running, instruction)

    def _source(self, job: Job) -> Sources:
        digest = job.loaded.digest
        if digest not in self._sources:
            self._sources[digest] = Sources(job.loaded.texts, self.options.program)
        return self._sources[digest]


def _threads(key: tuple[str, str, tuple[int, ...]]) -> int:
    """Threads of a launch of this shape."""
    return math.prod(key[2][:6])


def _ending(outcome: Outcome, memory: MemoryChecker, barriers: BarrierChecker) -> Violation | None:
    """The error that ended a launch, where a checker saw it."""
    if outcome.stop is not None and outcome.stop.reason == "deadlock":
        return barriers.deadlock(outcome.stop)
    if outcome.error not in _KIND_OF_CODE:
        return None
    found = memory.latest()
    at = found.instruction if found is not None else None
    return found if at is not None and at.index == outcome.pc else None


def _extents(dim: Sequence[int]) -> str:
    """`(32, 8)`: trailing ones left out."""
    shown = list(dim)
    while len(shown) > 1 and shown[-1] == 1:
        shown.pop()
    return str(shown[0]) if len(shown) == 1 else f"({', '.join(map(str, shown))})"


def save(seen: Seen, path: Path) -> None:
    """Hand what a process saw to the one that started it."""
    with path.open("wb") as file:
        pickle.dump(seen, file, pickle.HIGHEST_PROTOCOL)


def restore(path: Path) -> Seen:
    """What `save` wrote; perflint's own file."""
    with path.open("rb") as file:
        found = pickle.load(file)
    assert isinstance(found, Seen)
    return found
