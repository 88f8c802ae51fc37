"""Faults over cache sizes as an SVG (Fig. 12 of the paper)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import log2
from xml.sax.saxutils import escape

from perflint.profile.cache_figures import SweepRow
from perflint.sim.cache import kilobytes

_WIDTH, _HEIGHT, _LEFT, _TOP = 640, 360, 80, 40
_COLORS = ("#1b6ca8", "#c8553d", "#588157", "#8d5a97", "#b08900", "#3d405b")


def sweep_plot(rows: Sequence[SweepRow], title: str) -> str:
    """A line for each architecture, policy and scheduler: interference and own misses together."""
    series: dict[str, dict[int, int]] = {}
    several = {(r.arch, r.conditions.cache.policy, r.conditions.scheduler) for r in rows}
    for row in rows:
        parts = (row.arch, row.conditions.cache.policy.upper(), row.conditions.scheduler)
        name = ", ".join(parts) if len(several) > 1 else "faults"
        count = sum(count for _, count in row.counts)
        series.setdefault(name, {})[row.conditions.cache.size] = count
    return plot(series, title, "faults (mh + m*h + mm)")


def plot(series: Mapping[str, Mapping[int, int]], title: str, what: str) -> str:
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
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_LEFT + _WIDTH + 40}" '
        f'height="{legend + 18 * len(series)}" font-family="sans-serif" font-size="12">',
        '<rect width="100%" height="100%" fill="white"/>',
        f'<text x="{_LEFT}" y="22" font-size="14">{escape(title)}</text>',
        f'<text x="16" y="{_TOP + _HEIGHT / 2:.0f}" text-anchor="middle" '
        f'transform="rotate(-90 16 {_TOP + _HEIGHT / 2:.0f})">{escape(what)}</text>',
    ]
    for step in range(5):
        count = top * step / 4
        out += [
            f'<line x1="{_LEFT}" x2="{_LEFT + _WIDTH}" y1="{y(count):.1f}" y2="{y(count):.1f}" '
            'stroke="#dddddd"/>',
            f'<text x="{_LEFT - 6}" y="{y(count) + 4:.1f}" text-anchor="end">{count:,.0f}</text>',
        ]
    out += [
        f'<text x="{x(size):.1f}" y="{bottom + 18}" text-anchor="middle">{kilobytes(size)}</text>'
        for size in sizes
    ]
    out.append(
        f'<text x="{_LEFT + _WIDTH / 2:.0f}" y="{bottom + 38}" text-anchor="middle">'
        "cache size</text>"
    )
    for at, (name, counts) in enumerate(series.items()):
        color = _COLORS[at % len(_COLORS)]
        dashes = "" if at < len(_COLORS) else ' stroke-dasharray="5 3"'
        points = " ".join(f"{x(s):.1f},{y(counts[s]):.1f}" for s in sorted(counts))
        out.append(
            f'<polyline points="{points}" fill="none" stroke="{color}" stroke-width="2"{dashes}/>'
        )
        out += [
            f'<circle cx="{x(s):.1f}" cy="{y(n):.1f}" r="3" fill="{color}"/>'
            for s, n in sorted(counts.items())
        ]
        row = legend + 18 * at
        out += [
            f'<line x1="{_LEFT}" x2="{_LEFT + 24}" y1="{row - 4}" y2="{row - 4}" '
            f'stroke="{color}" stroke-width="2"{dashes}/>',
            f'<text x="{_LEFT + 30}" y="{row}">{escape(name)}</text>',
        ]
    return "\n".join([*out, "</svg>"]) + "\n"
