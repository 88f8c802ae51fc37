"""The cache options of `perflint profile`: reading them imports nothing heavy."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from perflint.lint.options import read_size

Command = TypeVar("Command", bound=Callable[..., Any])

#: Kept here as the modules that mean them take NumPy to import; a test holds them together.
POLICIES = ("lru", "fifo", "plru")
SCHEDULERS = ("gto", "lrr", "two-level")
PLACEMENTS = ("packed", "paged", "staggered")


def _size(text: str, ctx: Any, param: Any) -> int:
    try:
        return read_size(text)
    except ValueError as error:
        raise click.BadParameter(str(error), ctx, param) from error


def _sizes(ctx: Any, param: Any, values: tuple[str, ...]) -> tuple[int, ...]:
    return tuple(_size(each, ctx, param) for value in values for each in value.split(","))


def _one_size(ctx: Any, param: Any, value: str | None) -> int | None:
    return None if value is None else _size(value, ctx, param)


def _several(known: tuple[str, ...]) -> Callable[[Any, Any, tuple[str, ...]], tuple[str, ...]]:
    def read(ctx: Any, param: Any, values: tuple[str, ...]) -> tuple[str, ...]:
        chosen = tuple(part.strip() for value in values for part in value.split(","))
        for each in chosen:
            if each not in known:
                raise click.BadParameter(f"{each!r} is none of {', '.join(known)}", ctx, param)
        return tuple(dict.fromkeys(chosen))

    return read


_OPTIONS = (
    click.option(
        "--cache-report",
        is_flag=True,
        help="Replay the launch through a cache, and report interference by its root causes.",
    ),
    click.option(
        "--cache-size",
        "sizes",
        multiple=True,
        callback=_sizes,
        metavar="SIZES",
        help="1K,2K,64K: caches to replay it through.  [default: the GPU's own L1]",
    ),
    click.option(
        "--cache-ways",
        "ways",
        type=click.IntRange(1, 1 << 16),
        metavar="N",
        help="Lines of a set, of a cache of a given size.  [default: 4]",
    ),
    click.option(
        "--policy",
        "policies",
        multiple=True,
        callback=_several(POLICIES),
        metavar="NAMES",
        help=f"Replacement: {', '.join(POLICIES)}.  [default: lru]",
    ),
    click.option(
        "--scheduler",
        "schedulers",
        multiple=True,
        callback=_several(SCHEDULERS),
        metavar="NAMES",
        help=f"Warps in turn: {', '.join(SCHEDULERS)}.  [default: gto]",
    ),
    click.option(
        "--placement",
        type=click.Choice(PLACEMENTS),
        help="How arrays lie in memory.  [default: packed]",
    ),
    click.option(
        "--stores",
        is_flag=True,
        help="Let stores allocate lines and count their faults, as GRAB's Algorithm 1 does.",
    ),
    click.option(
        "--resident",
        type=click.IntRange(1, 1 << 20),
        metavar="N",
        help="Blocks that a multiprocessor holds at a time.  [default: as the GPU's limits allow]",
    ),
    click.option(
        "--l2",
        callback=lambda c, p, v: None if v is None else _size(v, c, p),
        metavar="SIZE",
        help="An L2 behind the cache.",
    ),
    click.option(
        "--plot",
        type=click.Path(dir_okay=False, path_type=Path),
        metavar="FILE",
        help="Draw the faults over the sizes of --cache-size, in the format that the name says: "
        ".svg, and with the extra plot .png, .pdf or .eps.",
    ),
)
_NAMES = (
    "sizes",
    "ways",
    "policies",
    "schedulers",
    "placement",
    "stores",
    "resident",
    "l2",
    "plot",
)


def cache_options(command: Command) -> Command:
    """Give a command the options."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def taken(values: dict[str, Any]) -> dict[str, Any] | None:
    """Take the cache options out of a command's values: those that were given, or None without
    `--cache-report`. Raises UsageError for one that means nothing without it.
    """
    report = values.pop("cache_report")
    given = {name: value for name in _NAMES if (value := values.pop(name))}
    if given and not report:
        raise click.UsageError("cache options need --cache-report")
    if "plot" in given and len(given.get("sizes", ())) < 2:
        raise click.UsageError("--plot needs several sizes in --cache-size")
    return given if report else None
