"""Misses of the L1 by what they are due to: what CU301, CU302 and CU303 have in common.

The blocks that one multiprocessor holds at a time are run once. What they asked of memory is then
replayed through its L1, beside private caches of all threads (GRAB's golden trace), under three
schedulers, two replacement policies and three placements of the arrays.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from perflint.analysis.symbols import Loop
from perflint.base.records import dataclass
from perflint.rules.case import Case, Decision, Figure
from perflint.rules.measure import figure
from perflint.rules.open_loops import is_open
from perflint.rules.protocol import (
    Evidence,
    Kernel,
    Results,
    Suspicion,
    Told,
    Trial,
    Trials,
)
from perflint.rules.registers import most_registers
from perflint.sim.architecture import load as architecture
from perflint.sim.cache import Cache, kilobytes, l1_of, shaped
from perflint.sim.cache_trace import CacheTrace
from perflint.sim.interference import Kind, Matrix, Measured, Robust, misses_at
from perflint.sim.remedies import Remedy, remedies
from perflint.sim.replay import Conditions
from perflint.sim.residency import blocks_per_sm, share_of_sm, shared_taken
from perflint.sim.tracers.cache_recorder import CacheRecorder
from perflint.sim.unique_values import unique_values

#: Share of an access's sectors that must be lost, under all conditions, to be worth a word.
MINIMUM_SHARE = 0.10
#: Sectors of a trace that are replayed; of a longer one what each warp does at first.
LONGEST_TRACE = 60_000
#: A working set is larger than any cache, if it is only made large enough.
GROWS = "what the cache must hold depends on sizes that are made up"


# --- what a trial shows --------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _Shown:
    """What one trial says of a suspicion."""

    trial: Trial
    reason: str = ""  #: why it cannot decide
    matrix: Matrix | None = None
    robust: Robust | None = None  #: None: not so under all conditions
    here: int = 0  #: misses under the first condition
    accesses: int = 0
    reached: bool = True  #: whether some warp came to it
    own_sets: bool = False  #: most of the thread's own misses are due to its lines' sharing sets


def measure(kind: Kind, suspicion: Suspicion, original: Trials, results: Results) -> Case:
    """What the replays of each trial lose, under all conditions."""
    kernel = suspicion.kernel
    assert kernel is not None
    shown = [_show(kernel, suspicion, trial, kind) for trial in original]
    shown.sort(key=lambda each: -each.here / max(1, each.accesses))
    reason = next((each.reason for each in shown if each.reason), "")
    if suspicion.site.data_dependent:
        reason = "how often it is reached depends on data that is not known"
    if kernel.made_up or (kind != "conflict" and _grows_with_invented(kernel, suspicion, shown)):
        reason = GROWS
    return Case(
        suspicion,
        tuple(map(_figure, shown)),
        data=reason,
        small="it is {share:.1%} of the sectors that the kernel asks L1 for",
    )


def _grows_with_invented(kernel: Kernel, suspicion: Suspicion, shown: Sequence[_Shown]) -> bool:
    """Whether each run loses it, and a loop walks on through the array, as far as nothing tells."""
    trial = shown[0].trial
    if any(each.robust is None for each in shown if each.reached):
        return False
    symbols = (s for a in suspicion.site.addresses if a is not None for s in a.symbols)
    walked = {each.header for each in symbols if isinstance(each, Loop)}
    loops = (loop for loop in trial.facts.loops if loop.header in walked)
    return any(is_open(kernel, trial, loop) for loop in loops)


def _figure(shown: _Shown) -> Figure:
    total = sum(s.accesses for s in shown.matrix.first.sites.values()) if shown.matrix else 0
    share = shown.here / max(1, total)
    bad = shown.robust is not None  # or so under some schedulers, policies or placements only
    return Figure(shown.trial, shown.here, 0.0, bad, share=share, detail=shown)


def _show(kernel: Kernel, suspicion: Suspicion, trial: Trial, kind: Kind) -> _Shown:
    trace = _head(trial)
    if not any(pc in suspicion.pcs for pc in unique_values(trace.pc).tolist()):
        return _Shown(trial, reached=False)
    if trial.run.schedule_dependent:
        return _Shown(trial, "what it reads depends on the order of atomics")
    cache = cache_of(kernel, trial)
    if cache is None:
        return _Shown(trial)
    matrix = _matrix(trial, Conditions(cache, resident=_resident(kernel, trial)))
    if not (matrix.evicts and matrix.can_lose(suspicion.pcs, kind, MINIMUM_SHARE)):
        return _Shown(trial)
    here, accesses = misses_at(matrix.first.sites, suspicion.pcs, kind)
    robust = matrix.robust(suspicion.pcs, kind, MINIMUM_SHARE) if here else None
    fewer = _by_registers(kernel, trial) if robust is not None else matrix.conditions[0].resident
    if fewer < matrix.conditions[0].resident:
        matrix = _matrix(trial, replace(matrix.conditions[0], resident=fewer))
        here, accesses = misses_at(matrix.first.sites, suspicion.pcs, kind)
        robust = matrix.robust(suspicion.pcs, kind, MINIMUM_SHARE) if here else None
    sites = (matrix.first.sites.get(pc) for pc in suspicion.pcs)
    own_sets = kind == "intra" and 2 * sum(s.own_sets for s in sites if s) > here
    if robust is not None and cache.assumed and (kind == "conflict" or own_sets):
        robust = _whatever_the_sets(trial, matrix, suspicion, kind, robust)
    return _Shown(trial, "", matrix, robust, here, accesses, own_sets=own_sets)


def _head(trial: Trial) -> CacheTrace:
    """What is replayed of a trial's trace; kept with it, for the other rules and places."""
    recorder = trial.tracer(CacheRecorder)
    if "head" not in recorder.kept:
        recorder.kept["head"] = recorder.trace.head(LONGEST_TRACE)
    found = recorder.kept["head"]
    assert isinstance(found, CacheTrace)
    return found


def _matrix(trial: Trial, conditions: Conditions) -> Matrix:
    """A trial's trace under these conditions and their like; kept with it."""
    kept = trial.tracer(CacheRecorder).kept
    if conditions not in kept:
        kept[conditions] = Matrix(_head(trial), conditions)
    found = kept[conditions]
    assert isinstance(found, Matrix)
    return found


def cache_of(kernel: Kernel, trial: Trial) -> Cache | None:
    """The L1 that a rule assumes: of the size that the user says, else the architecture's own."""
    arch = architecture(trial.run.arch)
    shared = trial.tracer(CacheRecorder).trace.shared_bytes
    own = l1_of(arch, shared_taken(arch, _resident(kernel, trial), shared))
    if kernel.cache_size is None:
        return own
    if own is None:
        return shaped(kernel.cache_size)
    return shaped(kernel.cache_size, line=own.line, sector=own.sector, write=own.write)


def _resident(kernel: Kernel, trial: Trial) -> int:
    """Blocks that the multiprocessor holds: of those that ran, as many as its limits allow."""
    arch, launch = architecture(trial.run.arch), trial.run.launch
    shared = trial.tracer(CacheRecorder).trace.shared_bytes
    most = blocks_per_sm(arch, launch.threads_per_block, shared)
    return min(len(trial.run.blocks.indices), most, share_of_sm(arch, launch.block_count))


def _by_registers(kernel: Kernel, trial: Trial) -> int:
    """Blocks that the registers leave room for, where the compiler's figure can be had."""
    arch = architecture(trial.run.arch)
    threads = -(-trial.run.launch.threads_per_block // arch.warp_size) * arch.warp_size
    held = arch.registers_per_sm // (most_registers(kernel) * threads)
    if held >= _resident(kernel, trial):
        return held
    resources = kernel.resources()
    if resources is None or not resources.registers:
        return trial.run.launch.block_count
    return max(1, arch.registers_per_sm // (resources.registers * threads))


#: Numbers of sets to try where an L1's is not published.
_SETS = (4, 16, 64)


def _other_sets(trial: Trial, matrix: Matrix) -> Iterator[Matrix]:
    """The same with other numbers of sets, where the cache's own is not published."""
    conditions = matrix.conditions[0]
    cache = conditions.cache
    for sets in _SETS if cache.assumed else ():
        if sets != cache.sets and not cache.lines % sets:
            other = replace(cache, sets=sets, ways=cache.lines // sets)
            yield _matrix(trial, replace(conditions, cache=other))


def _whatever_the_sets(
    trial: Trial, matrix: Matrix, suspicion: Suspicion, kind: Kind, found: Robust
) -> Robust | None:
    """A conflict is one only if it is there with other numbers of sets too."""
    for other in _other_sets(trial, matrix):
        misses, accesses = misses_at(other.first.sites, suspicion.pcs, kind)
        if misses < max(1, MINIMUM_SHARE * accesses):
            return None
        weakest = other.conditions[0] if misses < found.least else found.weakest
        found = Robust(
            min(found.least, misses), max(found.most, misses), found.conditions + 1, weakest
        )
    return found


# --- what is said --------------------------------------------------------------------------------

_WHY: dict[Kind, str] = {
    "conflict": "because others map to the same sets; a fully associative cache of {size} would "
    "have kept them",
    "capacity": "because the threads of the multiprocessor together re-read more than {size}; a "
    "thread alone would have kept them",
    "intra": "to the thread's own accesses: it reads more than {size} before it comes back",
}
#: … where a fully associative cache would keep them.
_OWN_SETS = (
    "to the thread's own accesses: the lines that it reads in between map to the same sets of "
    "{size}"
)
_GENERAL: dict[Kind, str] = {
    "conflict": "spread the array over the sets: pad its rows, or shift its start",
    "capacity": "let the threads of a multiprocessor re-read less at a time: smaller tiles, or "
    "fewer resident blocks",
    "intra": "use each value while it is still cached: one pass instead of two, or smaller tiles",
}
#: … and what does it that was replayed: what threads do not share, shared memory does not keep.
_REMEDIES: dict[tuple[Kind, str], str] = {
    ("capacity", "shared memory"): "load what threads of a block have in common of {} into shared "
    "memory",
    ("capacity", "fewer blocks"): "let fewer blocks be resident at a time",
    ("capacity", "register"): "each thread re-reads elements of its own: use one of {} for several "
    "results while a register holds it (exchange the loops, or take several results a turn)",
}
_WANTED: dict[Kind, tuple[str, ...]] = {
    "conflict": ("padded", "moved"),
    "capacity": ("shared memory", "fewer blocks", "register"),
    "intra": ("register",),
}


def describe(kind: Kind, suspicion: Suspicion, decision: Decision) -> Told:
    """What is lost, to whom, and what would keep it.

    Of invented sizes, where nothing that was replayed keeps it, it is a note.
    """
    shown = decision.shown.detail
    assert suspicion.kernel is not None and isinstance(shown, _Shown) and shown.matrix is not None
    measured = shown.matrix.first
    conditions = measured.conditions
    array = suspicion.kernel.names.array(suspicion.site)
    best = _best(shown, kind) if decision.confirmed else None
    why = (_OWN_SETS if shown.own_sets else _WHY[kind]).format(
        size=kilobytes(conditions.cache.size)
    )
    misses = sum(
        s.accesses - s.hits for pc in suspicion.pcs if (s := measured.sites.get(pc)) is not None
    )
    notes = [_conditions(shown)] + ([conditions.cache.assumed] if conditions.cache.assumed else [])
    whole = shown.trial.tracer(CacheRecorder).trace
    if shown.trial.run.stop is not None or shown.matrix.trace is not whole:
        notes.append("the figures are of the first accesses of each warp")
    return Told(
        f"load from {array} loses {shown.here:,} of {shown.accesses:,} sectors in L1 {why}",
        label=_culprit(suspicion, measured, kind),
        evidence=(Evidence("L1 misses", misses, misses - shown.here, "sectors"),),
        notes=tuple(notes),
        help=_advice(shown, best, kind) if decision.confirmed else "",
        fault=f"{kind} in L1",
        severity=shown.here,
        level="note" if best is None and not shown.trial.exact else None,
    )


def _conditions(shown: _Shown) -> str:
    """Cache, policy, scheduler and placement, and what the others have at least."""
    assert shown.matrix is not None and shown.robust is not None
    first = shown.matrix.conditions[0]
    blocks = "1 block" if first.resident == 1 else f"{first.resident} blocks"
    said = f"with {first}; {blocks} at a time"
    return (
        f"{said}; at least {shown.robust.least:,} under all {shown.robust.conditions} combinations "
        "of schedulers, policies, placements and caches tried"
    )


def _culprit(suspicion: Suspicion, measured: Measured, kind: Kind) -> str:
    """What evicts its lines, most of the time."""
    run, faults, kernel = measured.run, measured.faults, suspicion.kernel
    interference = faults.interference
    masks = {
        "conflict": measured.conflict,
        "capacity": interference & ~measured.conflict,
        "intra": faults.intra,
    }
    roots = run.root[masks[kind] & np.isin(run.pc, suspicion.pcs)]
    pcs, counts = np.unique(run.pc[roots[roots >= 0]], return_counts=True)
    if not len(pcs) or kernel is None:
        return "lost before it is read again"
    root = int(pcs[counts.argmax()])
    site = next((s for s in kernel.facts.sites if root in s.pcs), None)
    if site is None:
        return "lost before it is read again"
    if root in suspicion.pcs:
        return "evicted by other reads of the same array"
    span = kernel.statement(site.location)
    line = f" at line {span.line}" if span is not None else ""
    return f"evicted by the {site.kind} of {kernel.names.array(site)}{line}"


def _best(shown: _Shown, kind: Kind) -> Remedy | None:
    """Of what the paper's Table 2 suggests what leaves fewest, if that is half as many or less."""
    assert shown.matrix is not None
    measured = shown.matrix.first
    before = measured.total.of(kind)
    wanted = ("padded",) if shown.own_sets else _WANTED[kind]
    found = _remedies(shown.trial, shown.matrix, wanted)
    better = sorted(
        (r for r in found if 2 * r.left.of(kind) <= before), key=lambda r: r.left.of(kind)
    )
    return next((r for r in better if _helps_whatever_the_sets(shown, r, kind)), None)


def _remedies(trial: Trial, matrix: Matrix, wanted: tuple[str, ...]) -> tuple[Remedy, ...]:
    """What changes of a trial's trace leave, replayed under the first conditions; kept with it."""
    kept, key = trial.tracer(CacheRecorder).kept, (matrix.conditions[0], wanted)
    if key not in kept:
        kept[key] = tuple(remedies(matrix.trace, matrix.first, wanted))
    found = kept[key]
    assert isinstance(found, tuple)
    return found


def _helps_whatever_the_sets(shown: _Shown, remedy: Remedy, kind: Kind) -> bool:
    """Whether padded rows leave half of the misses or less with other numbers of sets too."""
    assert shown.matrix is not None
    if remedy.kind != "padded":
        return True
    for other in _other_sets(shown.trial, shown.matrix):
        before = other.first.total.of(kind)
        again = _remedies(shown.trial, other, ("padded",))
        left = [r.left.of(kind) for r in again if r.region == remedy.region]
        if before and not any(2 * each <= before for each in left):
            return False
    return True


def _advice(shown: _Shown, best: Remedy | None, kind: Kind) -> str:
    """What keeps the lines, with what that leaves."""
    assert shown.matrix is not None
    general = _GENERAL["conflict" if shown.own_sets else kind]
    if best is None:
        return general
    array = _told_array(best, shown.matrix.trace)
    does = _REMEDIES.get((kind, best.kind), general) if not shown.own_sets else general
    left = figure(best.left.of(kind))
    return f"{does.format(array)}; replayed {_told_remedy(best, array)}, {left} are left"


def _told_array(remedy: Remedy, trace: CacheTrace) -> str:
    name = trace.names.get(remedy.region or 0)
    return f"`{name}`" if name else "the array"


def _told_remedy(remedy: Remedy, array: str) -> str:
    return {
        "padded": f"with rows of {remedy.pitch:,} bytes padded by {remedy.amount}",
        "moved": f"with {array} moved by {remedy.amount} bytes",
        "shared memory": f"with each block loading what it needs of {array} once",
        "fewer blocks": f"with {remedy.amount} block{'s' if remedy.amount > 1 else ''} at a time",
        "register": f"with repeated reads of {array} kept in registers",
    }[remedy.kind]
