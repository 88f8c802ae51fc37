"""One request as plain SVG, without script: lanes at the left, what serves them at the right.

Global memory: each transaction is a column, its used pieces filled and joined to their lanes; boxes
go on where addresses do, and begin anew, in another colour, behind a jump. Shared memory: banks are
rows and wavefronts columns; a star is a word that several lanes get at once. After Rosen's
operation view (A Visual Approach to Investigating Shared and Global Memory Behavior of CUDA
Kernels, 5.2.2). The colours are Okabe and Ito's, which colour-blind people tell apart.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from itertools import pairwise

from perflint.base.plain_text import clean
from perflint.base.records import dataclass
from perflint.view.one_request import Request, Transaction, Wavefront, transactions, wavefronts

COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")
INK, PAPER, FAINT = "#1f2328", "#ffffff", "#8c959f"


@dataclass(frozen=True)
class Scale:
    """Sizes of a picture's parts, in pixels."""

    row: float = 14.0  #: between lanes, where nothing needs more room
    left: float = 52.0  #: where the lanes' boxes begin
    top: float = 30.0
    box: float = 9.0
    columns: float = 132.0  #: where the columns begin
    across: float = 640.0  #: that columns share
    step: tuple[float, float] = (12.0, 64.0)  #: from column to column, at least and at most
    gap: float = 4.0  #: between columns
    widest: float = 30.0  #: transaction
    least: float = 18.0  #: of a transaction's height
    jump: float = 10.0  #: between boxes whose addresses do not follow one another
    few: int = 8  #: columns that have room for a label
    width: float = 320.0  #: of the picture, at least
    banks: float = 90.0  #: from where the columns begin to the banks' numbers, at least
    stroke: float = 1.0  #: of what frames the columns
    every: int = 1  #: of how many lanes and banks one has its number
    told: bool = True  #: whether boxes say what they are to a pointer


_STAR = 8.0  #: pixels that a star takes

PAGE = Scale()
#: As an image of an editor, which no pointer reaches and which has little room.
SMALL = Scale(
    row=7.5, left=26.0, top=20.0, box=5.0, columns=66.0, across=140.0, step=(4.2, 24.0), gap=1.2,
    widest=14.0, least=5.0, jump=2.5, few=0, width=216.0, banks=36.0,
    stroke=0.4, every=4, told=False,
)  # fmt: skip


@dataclass(frozen=True)
class Placed:
    """A transaction's place in the picture."""

    of: Transaction
    x: float
    y: float
    width: float
    height: float
    colour: str


def request_svg(
    request: Request,
    rule: str,
    *,
    label: str,
    array: str = "",
    standalone: bool = True,
    scale: Scale = PAGE,
) -> str:
    """The picture of a request under an architecture's coalescing or shared-memory rule.

    `label` says what it shows, for people who do not see it; `array` is what addresses count from.
    With `standalone` it is a document of its own with a white ground, else a part of a page, which
    takes the page's colour for text. Raises KeyError for an unknown rule.
    """
    label, array = clean(label), clean(array)
    if request.space == "global":
        parts, width, height = _global(request, transactions(request, rule), array, scale)
    else:
        parts, width, height = _shared(request, wavefronts(request, rule), rule, scale)
    space = ' xmlns="http://www.w3.org/2000/svg"' if standalone else ""
    ink = f' color="{INK}"' if standalone else ""
    ground = f'<rect width="100%" height="100%" fill="{PAPER}"/>' if standalone else ""
    return (
        f'<svg{space} width="{width:.0f}" height="{height:.0f}" viewBox="0 0 {width:.0f} '
        f'{height:.0f}" role="img" aria-label="{escape(label)}" font-family="system-ui, sans-serif"'
        f' font-size="10" fill="currentColor"{ink}>{ground}{"".join(parts)}</svg>'
    )


# --- global memory --------------------------------------------------------------------------------


def _global(
    request: Request, found: Sequence[Transaction], array: str, scale: Scale
) -> tuple[list[str], float, float]:
    placed = place(found, scale)
    height = max(32 * scale.row, max((p.y + p.height for p in placed), default=0.0))
    pitch = height / 32
    middle = {lane: scale.top + (lane + 0.5) * pitch for lane in range(32)}
    parts = [*_headed(heading(found), scale), *_lanes(request, middle, scale)]
    for p in placed:
        box_y = scale.top + p.y
        where = "" if p.of.start is None else f"{_at(array, p.of.start)}, "
        title = f"{where}{p.of.length} bytes, {p.of.used} used"
        parts.append(
            f'<rect x="{p.x:.1f}" y="{box_y:.1f}" width="{p.width:.1f}" height="{p.height:.1f}" '
            f'fill="{FAINT}" fill-opacity="0.12" {_stroke(scale)}>{_said(title, scale)}</rect>'
        )
        pixels = p.height / p.of.length
        for (first, last), lanes in _shared_pieces(p.of).items():
            top, tall = box_y + first * pixels, max(1.5, (last - first) * pixels)
            at = _at(array, (p.of.start or 0) + first)
            what = f"{_named(lanes)}: {last - first} bytes at {at}"
            parts += [_join(middle[lane], p.x, top + tall / 2, p.colour, scale) for lane in lanes]
            parts.append(
                f'<rect x="{p.x:.1f}" y="{top:.1f}" width="{p.width:.1f}" height="{tall:.1f}" '
                f'fill="{p.colour}">{_said(what, scale)}</rect>'
            )
        if len(placed) <= scale.few and p.of.start is not None:
            parts.append(_text(p.x + p.width + 4, box_y + p.height / 2 + 3, f"+{p.of.start:,}"))
    right = max((p.x + p.width for p in placed), default=scale.columns)
    room = 70.0 if 0 < len(placed) <= scale.few else 12.0
    return parts, max(right + room, scale.width), scale.top + height + 12


def _shared_pieces(of: Transaction) -> dict[tuple[int, int], list[int]]:
    """The lanes that use just the same bytes, by these."""
    found: dict[tuple[int, int], list[int]] = {}
    for lane, first, last in of.uses:
        found.setdefault((first, last), []).append(lane)
    return found


def heading(found: Sequence[Transaction]) -> str:
    """`4 × 32 bytes, 128 used`."""
    sizes = {t.length for t in found}
    used = f"{sum(t.used for t in found):,} used"
    if len(sizes) == 1:
        return f"{len(found)} × {min(sizes)} bytes, {used}"
    moved = sum(t.length for t in found)
    return f"{len(found)} transactions of {moved:,} bytes, {used}"


def place(found: Sequence[Transaction], scale: Scale = PAGE) -> list[Placed]:
    """Where transactions lie: one behind the other, lower where their addresses are higher."""
    order = sorted(found, key=lambda t: (t.start is None, t.start or 0))
    jumps = sum(_jumps(a, b) for a, b in pairwise(order))
    moved = sum(t.length for t in order) or 1
    smallest = min((t.length for t in order), default=1)
    pixels = max(scale.least / smallest, (32 * scale.row - scale.jump * jumps) / moved)
    step = _between(*scale.step, scale.across / max(1, len(order)))
    out: list[Placed] = []
    y, colour = 0.0, 0
    for number, each in enumerate(order):
        before = order[number - 1] if number else each
        if number and _jumps(before, each):
            y += scale.jump
            colour += 1
        height = each.length * pixels
        x = scale.columns + number * step
        fill = COLOURS[colour % len(COLOURS)]
        out.append(Placed(each, x, y, min(scale.widest, step - scale.gap), height - 2, fill))
        y += height
    return out


def _jumps(a: Transaction, b: Transaction) -> bool:
    """Whether addresses do not go on from one transaction to the next."""
    return a.start is None or b.start is None or b.start > a.start + a.length


def _at(array: str, offset: int) -> str:
    return f"{array or 'byte'} + {offset:,}" if array else f"byte {offset:,}"


# --- shared memory --------------------------------------------------------------------------------


def _shared(
    request: Request, found: Sequence[Wavefront], rule: str, scale: Scale
) -> tuple[list[str], float, float]:
    banks = 16 if rule == "cc1" else 32
    height = 32 * scale.row
    middle = {lane: scale.top + (lane + 0.5) * scale.row for lane in range(32)}
    pitch = height / banks
    step = _between(scale.step[0] + 1, 0.75 * scale.step[1], scale.across / max(1, len(found)))
    width = step - 0.75 * scale.gap
    noun = "wavefront" if len(found) == 1 else "wavefronts"
    parts = [*_headed(f"{len(found)} {noun}", scale), *_lanes(request, middle, scale)]
    right = max(scale.columns + len(found) * step, scale.columns + scale.banks)
    for bank in range(banks):
        y = scale.top + (bank + 0.5) * pitch
        if bank % scale.every == 0:
            parts.append(_text(right + 6, y + 3, str(bank)))
    parts.append(_text(right + 6, 14, "bank"))
    for number in range(len(found)):
        x = scale.columns + number * step
        tops = [scale.top + bank * pitch for bank in range(banks)]
        frame = "".join(_cell(x, top, width, pitch) for top in tops)
        if not scale.told:
            frame = f"M{x:.1f} {scale.top:.1f}h{width:.1f}v{height:.1f}h{-width:.1f}z"
        parts.append(
            f'<path d="{frame}" fill="{FAINT}" fill-opacity="0.12" {_stroke(scale)} '
            f'stroke-opacity="0.6"/>'
        )
    for turn, wave in enumerate(found):
        x = scale.columns + turn * step
        colour = COLOURS[turn % len(COLOURS)]
        in_bank = [bank for bank, _, _ in wave.cells]
        for number, (bank, word, lanes) in enumerate(wave.cells):
            wide = width / in_bank.count(bank)  # two words of one line, on Kepler
            left = x + wide * in_bank[:number].count(bank)
            y = scale.top + bank * pitch
            title = f"bank {bank}, word {word:,}: {_named(lanes)}"
            parts += [_join(middle[lane], left, y + pitch / 2, colour, scale) for lane in lanes]
            parts.append(
                f'<path d="{_cell(left, y, wide, pitch)}" fill="{colour}">'
                f"{_said(title, scale)}</path>"
            )
            if len(lanes) > 1 and wide >= _STAR:
                parts.append(_star(left + wide / 2, y + pitch / 2))
    return parts, max(right + 40, scale.width), scale.top + height + 12


def _cell(x: float, y: float, width: float, pitch: float) -> str:
    return f"M{x:.1f} {y + 1:.1f}h{width:.1f}v{pitch - 2:.1f}h{-width:.1f}z"


def _star(x: float, y: float) -> str:
    """Five points: a word that several lanes get at once."""
    points = "0,-4.5 1.1,-1.5 4.3,-1.4 1.8,0.6 2.6,3.6 0,1.9 -2.6,3.6 -1.8,0.6 -4.3,-1.4 -1.1,-1.5"
    return f'<polygon points="{points}" transform="translate({x:.1f} {y:.1f})" fill="{PAPER}"/>'


def _join(lane_y: float, x: float, y: float, colour: str, scale: Scale) -> str:
    return (
        f'<path d="M{scale.left + scale.box:.1f} {lane_y:.1f}L{x:.1f} {y:.1f}" fill="none" '
        f'stroke="{colour}" stroke-opacity="0.55"/>'
    )


def _named(lanes: Sequence[int]) -> str:
    noun = "lane" if len(lanes) == 1 else "lanes"
    return f"{noun} {', '.join(map(str, lanes))}"


# --- both -----------------------------------------------------------------------------------------


def _lanes(request: Request, middle: dict[int, float], scale: Scale) -> Iterator[str]:
    yield _text(14, 14, "lane")
    active = set(request.lanes)
    for lane, y in middle.items():
        if lane % scale.every == 0:
            yield _text(scale.left - 8, y + 3, str(lane), end=True)
        fill = "currentColor" if lane in active else "none"
        yield (
            f'<rect x="{scale.left:.1f}" y="{y - scale.box / 2:.1f}" width="{scale.box}" '
            f'height="{scale.box}" fill="{fill}" stroke="{FAINT}"/>'
        )


def _headed(what: str, scale: Scale) -> Iterator[str]:
    """What stands above the columns; a small picture has it elsewhere."""
    if scale.told:
        yield _text(scale.columns, 14, what)


def _stroke(scale: Scale) -> str:
    wide = "" if scale.stroke == 1 else f' stroke-width="{scale.stroke}"'
    return f'stroke="{FAINT}"{wide}'


def _said(what: str, scale: Scale) -> str:
    """What a pointer is told of a box."""
    return f"<title>{escape(what)}</title>" if scale.told else ""


def _between(least: float, most: float, value: float) -> float:
    return max(least, min(most, value))


def _text(x: float, y: float, text: str, end: bool = False) -> str:
    anchor = ' text-anchor="end"' if end else ""
    return f'<text x="{x:.1f}" y="{y:.1f}"{anchor}>{escape(text)}</text>'
