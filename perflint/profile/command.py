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

#: Kept here as the module that means them takes NumPy to import; a test holds them together.
RECONVERGENCE = ("thread-frontiers", "ipdom")


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


def _metrics_place(ctx: Any, param: Any, value: str | None) -> Any:
    """`DB` or `DB:NAME`."""
    from perflint.compare.schema import place

    return None if value is None else place(value)


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


def _quantity(units: dict[str, float], example: str) -> Any:
    """A callback for a positive number with one of `units`: `1.2ms`."""

    def read(ctx: Any, param: Any, value: str | None) -> float | None:
        if value is None:
            return None
        match = re.fullmatch(r"(\d{1,15}(?:\.\d{1,15})?) ?([A-Za-zµ]{1,3})", value.strip())
        if match is None or match[2] not in units or not float(match[1]):
            known = ", ".join(units)
            raise click.BadParameter(f"{value!r} is not like {example}, in {known}", ctx, param)
        return float(match[1]) * units[match[2]]

    return read


_TIME = _quantity({"s": 1.0, "ms": 1e-3, "us": 1e-6, "µs": 1e-6, "ns": 1e-9}, "1.2ms")
_CLOCK = _quantity({"Hz": 1.0, "kHz": 1e3, "MHz": 1e6, "GHz": 1e9}, "1410MHz")

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
    "--reconvergence",
    type=click.Choice(RECONVERGENCE),
    help="Where lanes of a warp that diverged meet again: at thread frontiers, or at the immediate "
    "post-dominator only. The other mechanism's activity factor stands beside.  "
    "[default: thread-frontiers, alone]",
)
@click.option(
    "--save",
    multiple=True,
    callback=_saves,
    metavar="NAME=FILE.npy",
    help="Keep an array as the kernel left it.",
)
@click.option(
    "--save-metrics",
    callback=_metrics_place,
    metavar="DB[:NAME]",
    help="Add the figures to a database of many runs, for `perflint compare`.",
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
    type=click.Choice(["text", "json", "trace", "chrome-trace"]),
    default="text",
    help="How to print; trace is the document that `perflint view` shows, chrome-trace what "
    "Perfetto and Chrome's trace viewer read.  [default: text]",
)
@click.option(
    "-o",
    "--output-file",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Print to a file instead of standard output.",
)
@click.option(
    "--floors",
    is_flag=True,
    help="Cycles that no schedule of this work can beat: of each unit, and of each line.",
)
@click.option(
    "--machine-code",
    is_flag=True,
    help="With --floors: of what ptxas makes of the kernel too; needs nvdisasm.",
)
@click.option(
    "--measured",
    callback=_TIME,
    metavar="TIME",
    help="With --floors: what the launch took on a GPU, 1.2ms for example.",
)
@click.option(
    "--clock",
    callback=_CLOCK,
    metavar="FREQUENCY",
    help="With --measured: the multiprocessors' clock then, 1410MHz for example.",
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
    if (values["measured"] is None) != (values["clock"] is None):
        raise click.UsageError("--measured and --clock are of use together")
    if values["machine_code"] and not values["floors"]:
        raise click.UsageError("--machine-code needs --floors")
    if values["measured"] is not None and not values["floors"]:
        raise click.UsageError("--measured needs --floors")
    values["budget"] = values["budget"] or 60.0
    try:
        return profile(Request(**values))
    except ProfileError as error:
        raise UserError(" ".join(str(error).split())) from error
