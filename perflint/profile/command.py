"""`perflint profile`: its options. Nothing heavy is imported until it runs."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import click

from perflint.base.user_error import UserError
from perflint.cli.table_options import shared
from perflint.lint.options import DEFAULT_ARCH
from perflint.profile.cache_options import cache_options, taken


def _names(ctx: Any, param: Any, values: tuple[str, ...]) -> tuple[str, ...]:
    """`Branch,Memory` and repeated options alike."""
    parts = tuple(part for value in values for part in value.replace(",", " ").split())
    if values and not parts:
        raise click.BadParameter(f"{values[-1]!r} names nothing", ctx, param)
    return parts


def _profile_launch(ctx: Any, param: Any, value: str) -> Any:
    from perflint.profile.arguments import ArgumentSpecError, parse

    try:
        return parse(value)
    except ArgumentSpecError as error:
        raise click.BadParameter(str(error), ctx, param) from error


def _saves(ctx: Any, param: Any, values: tuple[str, ...]) -> tuple[tuple[str, Path], ...]:
    """`out=file.npy`."""
    out = []
    for value in values:
        name, equals, path = value.partition("=")
        if not equals or not name or not path:
            raise click.BadParameter(f"{value!r} is not NAME=FILE.npy", ctx, param)
        out.append((name.strip(), Path(path.strip())))
    return tuple(out)


def _watches(
    ctx: Any, param: Any, values: tuple[str, ...]
) -> tuple[tuple[str, int, int | None], ...]:
    """`out`, or bytes of it: `out[0:16]`."""
    out = []
    for value in values:
        match = re.fullmatch(r"([\w$]+)(?:\[(\d{1,15}):(\d{1,15})\])?", value)
        if match is None or (match[2] and int(match[3]) <= int(match[2])):
            raise click.BadParameter(f"{value!r} is not NAME or NAME[FIRST:END]", ctx, param)
        first = int(match[2] or 0)
        out.append((match[1], first, int(match[3]) - first if match[3] else None))
    return tuple(out)


_PROFILE_EPILOG = """\b
Arguments, by the names of the kernel's parameters:
  n=16384, alpha=1.5      numbers
  in=random:f32[64,64]    arrays FILL:TYPE[SHAPE]: random, zeros, ones, iota or a number;
                          f16 f32 f64 s8 … u64, C's names, float4
  in=matrix.npy           an array, or the bytes of a struct
  mask=null               a null pointer

\b
Exit status: 0 the launch ran, 2 the kernel did what it must not (an access outside every
allocation, a race or an uninitialised read in shared memory, a barrier that cannot be passed), or
wrong use.
"""


@shared("define", "include", "budget", budget={"help": "Time for the simulation.", "default": 60.0})
@click.command(name="profile", epilog=_PROFILE_EPILOG)
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--kernel", metavar="NAME", help="The kernel; not needed where there is only one.")
@click.option(
    "--launch",
    required=True,
    metavar="LAUNCH",
    callback=_profile_launch,
    help="'<<<64,256>>>(in=random:f32[16384], out=zeros:f32[64], n=16384)'.",
)
@click.option(
    "--arch",
    default=DEFAULT_ARCH,
    metavar="ARCH",
    help=f"The GPU to simulate; with --cache-report several.  [default: {DEFAULT_ARCH}]",
)
@click.option(
    "--save",
    multiple=True,
    callback=_saves,
    metavar="NAME=FILE.npy",
    help="Keep an array as the kernel left it.",
)
@click.option(
    "--tracer",
    multiple=True,
    callback=_names,
    metavar="NAMES",
    help="Only these tracers, Branch or Memory for example.  [default: all]",
)
@click.option(
    "--watch",
    multiple=True,
    callback=_watches,
    metavar="NAME[FIRST:END]",
    help="Record reads and writes of an array's bytes, or of `shared` memory's.",
)
@click.option(
    "--output-format",
    type=click.Choice(["text", "json", "trace"]),
    default="text",
    help="How to print; trace is the document that `perflint view` shows.  [default: text]",
)
@click.option(
    "-o",
    "--output-file",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Print to a file instead of standard output.",
)
@cache_options
def profile_command(**values: Any) -> int:
    """Run one launch of a kernel in the simulator and measure it.

    Counts instructions by class, divergence, sectors and wavefronts, the working set, parallelism
    and data flow among threads: of the whole launch and of each source line.
    """
    cache = taken(values)
    from perflint.profile.run import ProfileError, Request, profile

    values["arch"] = tuple(part.strip() for part in values["arch"].split(","))
    values["cache"] = cache
    if len(values["arch"]) > 1 and cache is None:
        raise click.UsageError("several architectures need --cache-report")
    values["budget"] = values["budget"] or 60.0
    try:
        return profile(Request(**values))
    except ProfileError as error:
        raise UserError(" ".join(str(error).split())) from error
