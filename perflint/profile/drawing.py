"""Lines, dots and words, and the formats they are written in.

SVG needs nothing. PNG, PDF and EPS are matplotlib's, where it is installed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib.util import find_spec
from io import BytesIO
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal
from xml.sax.saxutils import escape

from perflint.base.records import dataclass

_DPI = 144  #: dots an inch of a PNG; a drawing's unit is a point of a page, 1/72 inch


class DrawingError(Exception):
    """A file that cannot be drawn; the message says why."""


@dataclass(frozen=True)
class Stroke:
    """A line through some points."""

    points: tuple[tuple[float, float], ...]
    color: str = "#dddddd"
    width: float = 1
    dashed: bool = False


@dataclass(frozen=True)
class Dot:
    """A filled circle."""

    x: float
    y: float
    color: str
    radius: float = 3


@dataclass(frozen=True)
class Label:
    """Words; `y` is that of their base line."""

    x: float
    y: float
    text: str
    anchor: Literal["start", "middle", "end"] = "start"
    size: float = 12
    upright: bool = False  #: turned, to be read from below to above


@dataclass(frozen=True)
class Drawing:
    """Shapes on a white page, from its upper left corner."""

    width: float
    height: float
    shapes: tuple[Stroke | Dot | Label, ...]


def check_format(path: Path) -> None:
    """Raise DrawingError for a name that names no format, or none that can be written here."""
    suffix = path.suffix.lower()
    if suffix not in FORMATS:
        known = ", ".join(FORMATS)
        raise DrawingError(f"{path}: its name must end in {known} to say what to write")
    if suffix != ".svg" and find_spec("matplotlib") is None:
        raise DrawingError(
            f"{path}: {suffix} needs matplotlib: install perflint with its extra plot"
        )


def written(drawing: Drawing, path: Path) -> bytes:
    """A drawing in the format that the name of a file says. Raises DrawingError."""
    check_format(path)
    return FORMATS[path.suffix.lower()](drawing)


# --- SVG -----------------------------------------------------------------------------------------


def svg(drawing: Drawing) -> str:
    """A drawing as SVG."""
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{drawing.width:g}" '
        f'height="{drawing.height:g}" font-family="sans-serif" font-size="12">',
        '<rect width="100%" height="100%" fill="white"/>',
        *map(_svg_shape, drawing.shapes),
    ]
    return "\n".join([*out, "</svg>"]) + "\n"


def _svg_shape(shape: Stroke | Dot | Label) -> str:
    if isinstance(shape, Dot):
        return (
            f'<circle cx="{shape.x:.1f}" cy="{shape.y:.1f}" r="{shape.radius:g}" '
            f'fill="{shape.color}"/>'
        )
    if isinstance(shape, Stroke):
        points = " ".join(f"{x:.1f},{y:.1f}" for x, y in shape.points)
        dashes = ' stroke-dasharray="5 3"' if shape.dashed else ""
        return (
            f'<polyline points="{points}" fill="none" stroke="{shape.color}" '
            f'stroke-width="{shape.width:g}"{dashes}/>'
        )
    turned = f' transform="rotate(-90 {shape.x:.1f} {shape.y:.1f})"' if shape.upright else ""
    return (
        f'<text x="{shape.x:.1f}" y="{shape.y:.1f}" font-size="{shape.size:g}" '
        f'text-anchor="{shape.anchor}"{turned}>{escape(shape.text)}</text>'
    )


# --- matplotlib's formats ------------------------------------------------------------------------

_ALIGNED = {"start": "left", "middle": "center", "end": "right"}


def _by_matplotlib(kind: str) -> Callable[[Drawing], bytes]:
    def write(drawing: Drawing) -> bytes:
        from matplotlib.figure import Figure

        figure = Figure(figsize=(drawing.width / 72, drawing.height / 72), facecolor="white")
        axes = figure.add_axes((0, 0, 1, 1))
        axes.set_axis_off()
        axes.set_xlim(0, drawing.width)
        axes.set_ylim(drawing.height, 0)  # from the top
        for shape in drawing.shapes:
            _draw(axes, shape)
        out = BytesIO()
        # the same bytes at any time: these would hold the date
        dated = {"pdf": {"CreationDate": None}, "eps": {}, "png": {}}[kind]
        figure.savefig(out, format=kind, dpi=_DPI, metadata=dated or None)
        return out.getvalue()

    return write


def _draw(axes: Any, shape: Stroke | Dot | Label) -> None:
    if isinstance(shape, Dot):
        axes.plot([shape.x], [shape.y], "o", color=shape.color, markersize=2 * shape.radius, mew=0)
    elif isinstance(shape, Stroke):
        dashes = (0, (5 / shape.width, 3 / shape.width)) if shape.dashed else "-"
        x, y = zip(*shape.points, strict=True)
        axes.plot(x, y, color=shape.color, linewidth=shape.width, linestyle=dashes)
    else:
        axes.text(
            shape.x, shape.y, shape.text, fontsize=shape.size, ha=_ALIGNED[shape.anchor],
            va="baseline", rotation=90 if shape.upright else 0, rotation_mode="anchor",
            parse_math=False,
        )  # fmt: skip


#: By suffix, what writes a drawing.
FORMATS: Mapping[str, Callable[[Drawing], bytes]] = MappingProxyType(
    {
        ".svg": lambda drawing: svg(drawing).encode(),
        ".png": _by_matplotlib("png"),
        ".pdf": _by_matplotlib("pdf"),
        ".eps": _by_matplotlib("eps"),
    }
)
