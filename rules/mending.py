"""Edits that may mend a finding: run beside the original, and offered if every run bears them out.

A rule says which edits there are and what they must make less of. Whether they may be offered is
the same for all: compiled, run to the end in every world that bears the finding out, with the same
bytes in memory, at less cost.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from perflint.analysis.polynomial import Polynomial
from perflint.analysis.symbols import Parameter
from perflint.base.records import dataclass
from perflint.rules.case import Decision
from perflint.rules.protocol import (
    Edit,
    Fix,
    OtherLaunch,
    SourceEdit,
    Trial,
    Variant,
    VariantResult,
)
from perflint.rules.source_lines import same_bytes

#: What an argument that ends a loop is taken to be where the loop is too long for a trial, and what
#: it keeps: tiles and vectors divide it as they divided the real one.
SHORT, KEPT = 64, 32

#: What integers in memory are below where data end a loop that is too long for a trial.
FEW = (8, 2)

#: Arguments of which larger values are tried, by how much, and the largest that is.
MOST_SIZES, LARGER, LARGEST = 3, (16, 256), 1 << 16
#: Blocks along each axis of a whole grid that is run.
REGION = 8

#: What an edit must make less of in a run.
Cost = Callable[[Trial], float]
#: The original and the edited kernel, with the same launch.
Pair = tuple[VariantResult, VariantResult]

#: No change of a launch.
SAME = OtherLaunch()

NO_END = "its run has no end that a trial reaches, so that results cannot be compared"


@dataclass(frozen=True)
class Mended:
    """What became of the edits that were tried."""

    fix: Fix | None = None
    unfixed: str = ""  #: why there is none, where one was tried
    costs: tuple[float, float] | None = None  #: before and after, in the world that is shown
    everywhere: bool = True  #: the same bytes are left in each world whose runs come to their end


def tries(
    decision: Decision,
    *ways: Sequence[Edit],
    shared: OtherLaunch = SAME,
    dealt: bool = False,
    also: Sequence[OtherLaunch] = (),
    costly: bool = False,
) -> tuple[Variant, ...]:
    """The variants for some ways to edit: the original to its end, and so each of them.

    Where the launch's loops may be too long for that, with arguments and data that end them sooner,
    too.
    `shared`: how the edited launch's dynamic shared memory grows, and what is copied for it.
    `dealt`: the edits deal the work out to other blocks, so that a whole grid is run, a small one.
    `also`: launches that `mended` is to hold the edits against, too. `costly`: only where fixes are
    asked for.
    """
    edits = [tuple(way) for way in ways if way]
    own = OtherLaunch(scope="blocks")
    if dealt:
        x, y, z = decision.shown.trial.run.launch.grid
        own = OtherLaunch(grid=(min(REGION, x), min(REGION, y), min(REGION, z)), scope="launch")
    short = replace(own, values=shorter(decision.shown.trial, bounds=dealt))
    few = [replace(short, limit=limit) for limit in FEW if _ended_by_data(decision.shown.trial)]
    launches = (*dict.fromkeys((own, short, *few)), *also)
    edited = [
        SourceEdit(
            each,
            replace(
                launch,
                spread=shared.spread,
                more=shared.more,
                copied=shared.copied,
                parted=shared.parted,
            ),
            against=launch if shared != SAME else None,
            costly=costly,
        )
        for each in edits
        for launch in launches
    ]
    return (*launches, *edited) if edits else ()


def mended(
    decision: Decision,
    message: str | Callable[[tuple[Edit, ...]], str],
    cost: Cost,
    *,
    safe: bool = True,
    beside: Cost = lambda trial: 0.0,
    also: Sequence[OtherLaunch] = (),
    undefined: Callable[[Trial], bool] = lambda trial: False,
) -> Mended:
    """The first of the `tries` that every run bears out as a fix; else why the first is none.

    `beside` is what an edit may add elsewhere, in units of the cost: together they must be less,
    and no more in the launches that there are `also`, as far as these come to their end.
    `undefined` tells of a run of the original whether made-up data leave its results to chance.
    Other bytes say nothing there, but somewhere they must be the same, and the fix is unsafe.
    """
    originals = {r.variant: r for r in decision.cures if isinstance(r.variant, OtherLaunch)}
    ways: dict[tuple[Edit, ...], list[Pair]] = {}
    for result in decision.cures:
        if isinstance(result.variant, SourceEdit):
            pair = originals[result.variant.against or result.variant.launch], result
            ways.setdefault(result.variant.edits, []).append(pair)
    reasons = []
    for edits, pairs in ways.items():
        held = [pair for pair in pairs if pair[0].variant in also]
        found = _compared(decision, [p for p in pairs if p not in held], cost, beside, undefined)
        if not found.unfixed and any(_costs_more(decision, p, cost, beside) for p in held):
            found = Mended(unfixed="with other sizes the edited kernel costs more")
        if not found.unfixed:
            text = message if isinstance(message, str) else message(edits)
            return replace(found, fix=Fix(text, edits, safe and found.everywhere))
        reasons.append(found)
    return reasons[0] if reasons else Mended()


def _compared(
    decision: Decision,
    pairs: Sequence[Pair],
    cost: Cost,
    beside: Cost,
    undefined: Callable[[Trial], bool],
) -> Mended:
    """What speaks against an edit, if anything does, and its costs.

    Worlds whose runs have no end say nothing; the one that is shown must have one.
    """
    shown, costs = decision.shown.trial, None
    doubted = ""  #: other bytes where the original's results are left to chance
    same = False
    # blocks are not run to their end on data that are their own index, or with strides of 1
    worlds = [t for t in (f.trial for f in decision.case.figures) if not _is_extra(t)]
    for trial in worlds:
        pair = _comparable(pairs, trial)
        if pair is None:
            continue
        before, after = (result.beside(trial) for result in pair)
        if before is None or after is None:
            return Mended(unfixed=pair[1].error)
        if why := _difference(before, after):
            if not (after.complete and undefined(before)):
                return Mended(unfixed=why)
            doubted = doubted or why
        else:
            same = True
        now, then = cost(before), cost(after)
        if then >= now:
            return Mended(unfixed="the edited kernel costs no less")
        if then + beside(after) >= now + beside(before):
            return Mended(unfixed="what the edit saves is spent on computing the index")
        if trial is shown or costs is None:
            costs = now, then
    if costs is None:
        return Mended(unfixed=NO_END if worlds else "no run that can be compared came to it")
    return Mended(costs=costs, everywhere=not doubted) if same else Mended(unfixed=doubted)


def _comparable(pairs: Sequence[Pair], trial: Trial) -> Pair | None:
    """The first pair whose original comes to its end in a world; the rest is not run.

    What an edit makes longer may not come to its end where the original hardly does: rather one
    whose edited run is not cut short.
    """
    first = None
    for pair in pairs:
        if _ends(pair[0].beside(trial)):
            if not _is_cut(pair[1].beside(trial)):
                return pair
            first = first or pair
    return first


def _costs_more(decision: Decision, pair: Pair, cost: Cost, beside: Cost) -> bool:
    """Whether an edit costs in another launch, where the original ends without a fault."""
    before, after = (result.beside(decision.shown.trial) for result in pair)
    if before is None or after is None or not before.complete or before.run.faults:
        return False
    return not after.complete or cost(after) + beside(after) > cost(before) + beside(before)


def _is_extra(trial: Trial) -> bool:
    return trial.identity or bool(trial.unit_stride)


def _ended_by_data(trial: Trial) -> bool:
    return any(loop.data_dependent for loop in trial.facts.loops)


def _ends(trial: Trial | None) -> bool:
    """Whether a run comes to its end, and so does the longer one that computes all it leaves."""
    return trial is not None and trial.complete and trial.outputs is not None


def _is_cut(trial: Trial | None) -> bool:
    """Whether a run was given no more instructions."""
    stop = trial.run.stop if trial is not None else None
    return stop is not None and stop.reason == "instruction budget"


def _difference(before: Trial, after: Trial) -> str:
    """What is wrong with an edited kernel beside its original, in one world."""
    if not after.complete:
        return "the edited kernel does not come to its end"
    if before.outputs is None or after.outputs is None:
        return "what it leaves in memory could not be computed"
    return "" if same_bytes(before, after) else "the edited kernel leaves other bytes in memory"


def other_sizes(trial: Trial) -> tuple[OtherLaunch, ...]:
    """The launch with one integer argument at a time larger, and much larger."""
    sizes = [(p, int(v)) for p, v in trial.values.items() if isinstance(v, int) and v > 1]
    return tuple(
        OtherLaunch(scope="blocks", values=((p, larger * v),))
        for p, v in sizes[:MOST_SIZES]
        for larger in LARGER
        if larger * v < LARGEST
    )


def shorter(trial: Trial, *, bounds: bool = False) -> tuple[tuple[int, int], ...]:
    """Smaller values for the arguments that end long loops, and for those equal to them.

    With `bounds` also for those that a thread's index is compared with.
    """
    ended = [(loop, _parameters(loop.last)) for loop in trial.facts.loops if loop.last is not None]
    deciding = {p for _, parameters in ended for p in parameters}
    if bounds:
        deciding |= trial.facts.roles.bounds.keys()
    long = {v for p in deciding if isinstance(v := trial.values.get(p), int) and v > 2 * SHORT}
    # what ends a loop in a loop as well ends both sooner
    nested = {
        trial.values.get(p)
        for inner, parameters in ended
        for p in parameters
        if any(p in more and set(inner.pcs) < set(outer.pcs) for outer, more in ended)
    }
    return tuple(
        (p, (KEPT if v in nested else SHORT) + int(v) % KEPT)
        for p, v in trial.values.items()
        if v in long
    )


def _parameters(end: Polynomial) -> set[int]:
    return {atom.index for atom in end.atoms if isinstance(atom, Parameter)}
