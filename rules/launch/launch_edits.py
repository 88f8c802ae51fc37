"""Edits that give a launch another block, and rescale its grid by what the host code computes."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from perflint.base.constructs import Fragment, LaunchSource
from perflint.base.patterns import pattern
from perflint.rules.protocol import Edit

_TOKEN = pattern(r"[A-Za-z_][\w.]*|\d+")
_PLAIN = pattern(r"\w+|\w+\([^()]*\)")
_AXES = "xyz"

Shape = Sequence[int]


def where_written(
    launch: LaunchSource, now: Shape, then: Shape, edited: Collection[str]
) -> tuple[Edit, ...]:
    """Each extent edited where it is written; () where one is not written at one place.

    `edited` are the names of constants that change along: what is computed of these changes by
    itself, and so what is computed of the variable that holds the block.
    """
    found: list[Edit] = []
    for axis, (old, new) in enumerate(zip(now, then, strict=True)):
        if old == new:
            continue
        if axis >= len(launch.block):
            return ()
        if launch.block[axis].text not in edited:
            found.append(Edit(launch.block[axis].span, str(new)))
        if axis < len(launch.grid) and not _follows(launch, axis, edited):
            text = _rescaled(launch, axis, old, new)
            if text is None:
                return ()
            found.append(Edit(launch.grid[axis].span, text))
    return tuple(found)


def in_the_launch(
    launch: LaunchSource, now: Shape, then: Shape, edited: Collection[str]
) -> tuple[Edit, ...]:
    """Grid and block written out in the launch, for variables that are other launches', too."""
    if not launch.block_name or not launch.block or not launch.grid:
        return ()
    block = [extent.text for extent in launch.block]
    grid = [extent.text for extent in launch.grid]
    for axis, (old, new) in enumerate(zip(now, then, strict=True)):
        if old == new:
            continue
        if axis >= len(block):  # a `dim3` that somebody passes
            return ()
        if block[axis] in edited:
            continue
        text = _rescaled(launch, axis, old, new) if axis < len(grid) else None
        if text is None:
            return ()
        block[axis], grid[axis] = str(new), text
    places = launch.configuration
    return (
        Edit(places[0].span, f"dim3({', '.join(grid)})"),
        Edit(places[1].span, f"dim3({', '.join(block)})"),
    )


def of_passed(
    launch: LaunchSource, now: Shape, then: Shape, edited: Collection[str]
) -> tuple[Edit, ...]:
    """Grid and block written out in the launch, for two `dim3` that somebody passes.

    The grid is what was passed, rescaled: rounded up where blocks become wider.
    """
    places = launch.configuration
    names = [place.text for place in places[:2]]
    if edited or len(launch.block) > 1 or not all(map(str.isidentifier, names)):
        return ()
    grid = []
    for axis, (old, new) in enumerate(zip(now, then, strict=True)):
        extent = f"{names[0]}.{_AXES[axis]}"
        if old % new and new % old:
            return ()
        if new > old:
            extent = f"({extent} + {new // old - 1}) / {new // old}"
        elif new < old:
            extent = f"{extent} * {old // new}"
        grid.append(extent)
    return (
        Edit(places[0].span, f"dim3({', '.join(grid)}, {names[0]}.z)"),
        Edit(places[1].span, f"dim3({', '.join(map(str, then))})"),
    )


def _follows(launch: LaunchSource, axis: int, edited: Collection[str]) -> bool:
    """Whether a number of blocks changes by itself."""
    words = set(_TOKEN.findall(launch.grid[axis].text))
    number = {launch.block_name} if launch.block[axis].text in edited else set()
    return bool(words & {*edited, *number, f"{launch.block_name}.{_AXES[axis]}"})


def _rescaled(launch: LaunchSource, axis: int, old: int, new: int) -> str | None:
    """The number of blocks along an axis for blocks of another extent; None where that is none."""
    blocks: Fragment = launch.grid[axis]
    block, text = launch.block[axis].text, blocks.text
    if text.isdecimal():
        return str(int(text) * old // new) if int(text) * old % new == 0 else None
    names = (block, str(old), launch.block_name, f"{launch.block_name}.{_AXES[axis]}")
    of = dict.fromkeys(filter(None, names), str(new))
    if of.keys() & set(_TOKEN.findall(text)):
        # `(n + 15) / 16`, `(n + BLOCK - 1) / BLOCK`
        of[str(old - 1)] = str(new - 1)
        return _TOKEN.sub(lambda m: of.get(m[0], m[0]), text)
    if new < old:
        return f"{text if _PLAIN.fullmatch(text) else f'({text})'} * {old // new}"
    return f"({text} + {new // old - 1}) / {new // old}"  # a number of blocks that may be odd
