"""Faults over cache sizes, drawn (Fig. 12 of the paper)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import log2

from perflint.profile.cache_rows import SweepRow
from perflint.profile.drawing import Dot, Drawing, Label, Stroke
from perflint.sim.cache import kilobytes

_WIDTH, _HEIGHT, _LEFT, _TOP = 640, 360, 80, 40
_TITLE = 76  #: letters of a title that have room
_COLORS = ("#1b6ca8", "#c8553d", "#588157", "#8d5a97", "#b08900", "#3d405b")


def sweep_plot(rows: Sequence[SweepRow], title: str) -> Drawing:
    """A line for each architecture, policy and scheduler: interference and own misses together."""
    series: dict[str, dict[int, int]] = {}
    several = {(r.arch, r.conditions.cache.policy, r.conditions.scheduler) for r in rows}
    for row in rows:
        parts = (row.arch, row.conditions.cache.policy.upper(), row.conditions.scheduler)
        name = ", ".join(parts) if len(several) > 1 else "faults"
        count = sum(count for _, count in row.counts)
        series.setdefault(name, {})[row.conditions.cache.size] = count
    title = title if len(title) <= _TITLE else f"{title[:_TITLE]}…"
    return plot(series, title, "faults (mh + m*h + mm)")


def plot(series: Mapping[str, Mapping[int, int]], title: str, what: str) -> Drawing:
    """Counts by cache size in bytes, the sizes doubling from left to right."""
    sizes = sorted({size for counts in series.values() for size in counts})
    top = max((count for counts in series.values() for count in counts.values()), default=0) or 1
    low, high = log2(sizes[0]), log2(sizes[-1])

    def x(size: int) -> float:
        return _LEFT + _WIDTH * ((log2(size) - low) / (high - low) if high > low else 0.5)

    def y(count: float) -> float:
        return _TOP + _HEIGHT * (1 - count / top)

    bottom = _TOP + _HEIGHT
    legend = bottom + 60
    shapes: list[Stroke | Dot | Label] = [
        Label(_LEFT, 22, title, size=14),
        Label(16, _TOP + _HEIGHT / 2, what, "middle", upright=True),
        Label(_LEFT + _WIDTH / 2, bottom + 38, "cache size", "middle"),
    ]
    for step in range(5):
        count = top * step / 4
        shapes.append(Stroke(((_LEFT, y(count)), (_LEFT + _WIDTH, y(count)))))
        shapes.append(Label(_LEFT - 6, y(count) + 4, f"{count:,.0f}", "end"))
    shapes += [Label(x(size), bottom + 18, kilobytes(size), "middle") for size in sizes]
    for at, (name, counts) in enumerate(series.items()):
        color, dashed = _COLORS[at % len(_COLORS)], at >= len(_COLORS)
        points = tuple((x(size), y(counts[size])) for size in sorted(counts))
        row = legend + 18 * at
        sample = ((_LEFT, row - 4), (_LEFT + 24, row - 4))
        shapes += [Stroke(each, color, 2, dashed) for each in (points, sample)]
        shapes += [Dot(*point, color) for point in points]
        shapes.append(Label(_LEFT + 30, row, name))
    return Drawing(_LEFT + _WIDTH + 40, legend + 18 * len(series), tuple(shapes))
