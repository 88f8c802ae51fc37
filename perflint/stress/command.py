"""`perflint stress`: its options. Nothing heavy is imported until it runs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from perflint.cli.settings import Source, line_options
from perflint.cli.table_options import LINE, given, parameter

#: The options of `perflint check` that say how files are read and in how many processes.
_SHARED = {"arch", "define", "include", "compile_commands", "frontend", "nvcc", "jobs", "cluster"}
_SHARED |= {"config", "isolated"}
#: As in `perflint.stress.objectives`, which imports the simulator.
OBJECTIVES = ("sectors", "conflicts", "divergence", "atomics", "instructions", "interference")

_EPILOG = """\b
Objectives, all but the last one by default:
  sectors       32-byte sectors per request to global memory
  conflicts     wavefronts per request to shared memory
  divergence    branches that split warps
  atomics       lanes of a warp at one address
  instructions  instructions that warps issue
  interference  what warps wait for others, by input and order of warps; only if asked
                for, as it is slow: --tries runs, 64 at most, and as many at random

\b
Examples:
  perflint stress bfs.cu                          as the host code launches it
  perflint stress k.cu --kernel gather --objective conflicts \\
      --launch '<<<4,256>>>(idx=random:s32[1024], in=ones:f32[1024], out=zeros:f32[1024], n=1024)'
  perflint stress --replay suite                  every case again

\b
Arrays given as random: are looked for, all others stay as they are.
Exit status: 0 it was searched, 1 with --replay a figure is another one now, 2 wrong use.
"""


def _objectives(ctx: Any, param: Any, values: tuple[str, ...]) -> tuple[str, ...]:
    names = [name.strip() for value in values for name in value.split(",")]
    for name in names:
        if name not in OBJECTIVES:
            known = ", ".join(OBJECTIVES)
            raise click.BadParameter(
                f"there is no objective {name!r}; choose from {known}", ctx, param
            )
    return tuple(name for name in OBJECTIVES if name in names)


def _launch(ctx: Any, param: Any, value: str | None) -> Any:
    from perflint.profile.arguments import ArgumentSpecError, parse

    try:
        return None if value is None else parse(value)
    except ArgumentSpecError as error:
        raise click.BadParameter(str(error), ctx, param) from error


def _stress(
    file: Path | None, replay: Path | None, no_suite: bool, output: Path, **values: Any
) -> int:
    """Look for the input that hurts a kernel most.

    Tells for each access and branch the worst contents of the arrays that were found, beside random
    and identity data, and keeps them as a suite of cases that run again. What it finds is about
    some data, no bug: its findings are notes.
    """
    if (file is None) == (replay is None):
        raise click.UsageError("give a FILE to search, or --replay with a suite")
    own = {"kernel", "launch", "objectives", "seconds", "seed", "tries", "assume"}
    own |= {"output_format", "output_file"}
    taken = {name: values.pop(name) for name in own}
    if replay is not None:
        from perflint.stress.replay import replay as run_again

        if taken["output_format"] == "sarif":
            raise click.UsageError("--replay prints text or json")
        include = tuple(given(values).get("include", ()))
        return run_again(replay, include, as_json=taken["output_format"] == "json")
    from perflint.stress.run import Request, stress

    assert file is not None
    line = Source(LINE, given(values))
    return stress(Request(file=file, output=None if no_suite else output, line=line, **taken))


stress_command = click.Command(
    "stress",
    params=[
        click.Argument(["file"], required=False, type=click.Path(path_type=Path), metavar="FILE"),
        click.Option(["--kernel"], metavar="NAME", help="The kernel; not needed for the only one."),
        click.Option(
            ["--launch"],
            callback=_launch,
            metavar="LAUNCH",
            help="A launch as perflint profile takes it.  [default: as the host code launches it]",
        ),
        click.Option(
            ["--objective", "objectives"],
            multiple=True,
            callback=_objectives,
            metavar="NAMES",
            help="What to make worse; see below.  [default: all but interference]",
        ),
        click.Option(
            ["--assume"],
            multiple=True,
            metavar="CONDITION",
            help="What holds of the input: 'idx < n', 'row[i] <= row[i + 1]'. An array's name "
            "stands for each element. May be given several times.",
        ),
        click.Option(
            ["--tries"],
            type=click.IntRange(1, 10**6),
            default=400,
            metavar="N",
            help="Inputs to try at most.  [default: 400]",
        ),
        click.Option(
            ["--seconds"],
            type=click.FloatRange(0.1, 1e6),
            default=600.0,
            metavar="N",
            help="End the search then, wherever it is.  [default: 600]",
        ),
        click.Option(
            ["--seed"],
            type=click.IntRange(0, 10**6),
            default=0,
            metavar="N",
            help="Of all that is random: the same seed finds the same.  [default: 0]",
        ),
        click.Option(
            ["-o", "--output"],
            type=click.Path(file_okay=False, path_type=Path),
            default=Path("suite"),
            metavar="FOLDER",
            help="Where to write the suite.  [default: suite]",
        ),
        click.Option(["--no-suite"], is_flag=True, help="Write no suite."),
        click.Option(
            ["--replay"],
            type=click.Path(path_type=Path),
            metavar="FOLDER",
            help="Run a suite's cases again, and tell figures that are other ones now. Sources "
            "outside the suite's project are read below the folders of -I.",
        ),
        click.Option(
            ["--output-format"],
            type=click.Choice(["text", "json", "sarif"]),
            default="text",
            help="How to print.  [default: text]",
        ),
        click.Option(
            ["--output-file"],
            type=click.Path(dir_okay=False, path_type=Path),
            metavar="FILE",
            help="Print to a file instead of standard output.",
        ),
        *(parameter(option) for option in line_options() if option.field in _SHARED),
    ],
    callback=_stress,
    help=_stress.__doc__,
    epilog=_EPILOG,
)
