"""Two sets of runs held against each other: which run, metric and line belongs to which."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Literal

from perflint.base.records import dataclass
from perflint.cli.line_diff import matches
from perflint.compare.directions import direction
from perflint.compare.store import StoredRun
from perflint.profile.figures import LineRow
from perflint.sim.trace import Metric

Verdict = Literal["better", "worse", "equal", "other"]


@dataclass(frozen=True)
class MetricPair:
    """A metric of two runs; None where a run has none of the name."""

    tracer: str
    name: str
    before: Metric | None
    after: Metric | None

    @property
    def change(self) -> float | None:
        """By how many percent it changed; infinite from 0, None for what is no number."""
        if not isinstance(self.before, int | float) or not isinstance(self.after, int | float):
            return None
        if self.before == self.after:
            return 0.0
        more = self.after - self.before
        return 100 * more / abs(self.before) if self.before else math.copysign(math.inf, more)

    @property
    def verdict(self) -> Verdict:
        """Whether the change is for the better; `other` for what is not judged."""
        if self.before == self.after:
            return "equal"
        wanted = direction(self.tracer, self.name)
        if wanted == "neither" or self.change is None:
            return "other"
        return "better" if (self.change < 0) == (wanted == "lower") else "worse"


@dataclass(frozen=True)
class LinePair:
    """A source line of two runs; None where it is in one of them only."""

    before: LineRow | None
    after: LineRow | None

    @property
    def equal(self) -> bool:
        """Whether it did the same in both."""
        if self.before is None or self.after is None:
            return False
        return dict(self.before.sums) == dict(self.after.sums)

    @property
    def edited(self) -> bool:
        """Whether its text differs."""
        if self.before is None or self.after is None:
            return False
        return _plain(self.before.source) != _plain(self.after.source)


@dataclass(frozen=True)
class RunPair:
    """Two runs, and what belongs together in them."""

    before: StoredRun
    after: StoredRun
    metrics: tuple[MetricPair, ...]
    lines: tuple[LinePair, ...]


@dataclass(frozen=True)
class Comparison:
    """All pairs, and the runs that have no partner."""

    pairs: tuple[RunPair, ...]
    only_before: tuple[StoredRun, ...]
    only_after: tuple[StoredRun, ...]


def compared(before: Sequence[StoredRun], after: Sequence[StoredRun]) -> Comparison:
    """Hold runs against each other.

    One run on each side are a pair, whatever they are of. Of several, those of the same kernel,
    launch and GPU are; then those that agree in two of these and are alone in that; then those of
    the same kernel.
    """
    if len(before) == len(after) == 1:
        return Comparison((_pair(before[0], after[0]),), (), ())
    keys: tuple[Callable[[StoredRun], object], ...] = (
        lambda run: (run.kernel, "".join(run.launch.split()), run.arch),
        lambda run: (run.kernel, "".join(run.launch.split())),
        lambda run: (run.kernel, run.arch),
        lambda run: run.kernel,
    )
    left, right, pairs = list(before), list(after), []
    for key in keys:
        theirs = _by(right, key)
        for one, mine in _by(left, key).items():
            if len(mine) == len(theirs.get(one, ())) == 1:
                pairs.append((mine[0], theirs[one][0]))
                left.remove(mine[0])
                right.remove(theirs[one][0])
    pairs.sort(key=lambda pair: pair[0].number)
    return Comparison(tuple(_pair(*pair) for pair in pairs), tuple(left), tuple(right))


def _by(
    runs: Sequence[StoredRun], key: Callable[[StoredRun], object]
) -> Mapping[object, list[StoredRun]]:
    out: dict[object, list[StoredRun]] = defaultdict(list)
    for run in runs:
        out[key(run)].append(run)
    return out


def _pair(before: StoredRun, after: StoredRun) -> RunPair:
    ours, theirs = _extended(before.metrics), _extended(after.metrics)
    metrics = (MetricPair(*key, ours.get(key), theirs.get(key)) for key in _merged(ours, theirs))
    return RunPair(before, after, tuple(metrics), tuple(_lines(before, after)))


def _extended(metrics: Mapping[tuple[str, str], Metric]) -> dict[tuple[str, str], Metric]:
    """With the wavefronts beyond the ideal: all of them grow where shared memory is first used."""
    out = dict(metrics)
    taken, ideal = (out.get(("Memory", n)) for n in ("wavefronts", "ideal wavefronts"))
    if isinstance(taken, int) and isinstance(ideal, int):
        out["Memory", "excessive wavefronts"] = max(0, taken - ideal)
    return out


def _merged(
    ours: Mapping[tuple[str, str], Metric], theirs: Mapping[tuple[str, str], Metric]
) -> list[tuple[str, str]]:
    """All names, those of a tracer together, in the order of the first run."""
    tracers = dict.fromkeys(tracer for tracer, _ in (*ours, *theirs))
    names = dict.fromkeys((*ours, *theirs))
    return [key for tracer in tracers for key in names if key[0] == tracer]


# --- lines ---------------------------------------------------------------------------------------


def _lines(before: StoredRun, after: StoredRun) -> Iterator[LinePair]:
    """The lines of both runs, file by file; the kernels' own files belong together."""
    ours, theirs = _by_file(before), _by_file(after)
    for file in sorted({*ours, *theirs}):
        yield from _of_file(ours.get(file, []), theirs.get(file, []))


def _by_file(run: StoredRun) -> dict[str, list[LineRow]]:
    out: dict[str, list[LineRow]] = defaultdict(list)
    for line in run.lines:
        out["" if line.place.path == run.file else str(line.place.path)].append(line)
    return out


def _of_file(ours: Sequence[LineRow], theirs: Sequence[LineRow]) -> Iterator[LinePair]:
    """Lines with the same text in the same order; between these, as many on both sides in their
    order, as lines that were edited; then lines whose text moved elsewhere.
    """
    a, b = [_plain(line.source) for line in ours], [_plain(line.source) for line in theirs]
    partner = dict(matches(a, b))
    last = (-1, -1)
    for i, j in (*sorted(partner.items()), (len(a), len(b))):
        gap = range(last[0] + 1, i), range(last[1] + 1, j)
        if len(gap[0]) == len(gap[1]):
            partner |= dict(zip(*gap, strict=True))
        last = i, j
    free = dict.fromkeys(sorted({*range(len(b))} - {*partner.values()}))
    moved: dict[str, list[int]] = defaultdict(list)
    for j in reversed(free):
        moved[b[j]].append(j)
    for i in range(len(a)):
        if i not in partner and moved.get(a[i]):
            partner[i] = moved[a[i]].pop()
            del free[partner[i]]
    placed = [(j, LinePair(ours[i], theirs[j])) for i, j in partner.items()]
    placed += [(j, LinePair(None, theirs[j])) for j in free]
    yield from (pair for _, pair in sorted(placed, key=lambda each: each[0]))
    yield from (LinePair(line, None) for i, line in enumerate(ours) if i not in partner)


def _plain(source: str) -> str:
    return " ".join(source.split())
