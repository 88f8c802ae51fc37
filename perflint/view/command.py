"""`perflint view`: its options. Nothing heavy is imported until it runs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from perflint.cli.settings import Source, line_options
from perflint.cli.table_options import LINE, given, parameter

#: The options of `perflint check` that say how files are read and what is simulated.
_SHARED = {"arch", "define", "include", "compile_commands", "frontend", "nvcc", "jobs", "cache"}
_SHARED |= {"cache_size", "config", "isolated", "quiet"}

_EPILOG = """\b
Examples:
  perflint view transpose.cu                      the launches that the file shows
  perflint view transpose.cu --launch 'naive<<<(16,16),(32,8)>>>(w=512, h=512)' -o naive.html
  perflint view k.cu --launch '<<<64,256>>>(in=random:f32[16384], out=zeros:f32[64], n=16384)'
  perflint view before.cu after.cu --compare      two runs side by side
  perflint view --run -- ./app --size 512         what a program launches
  perflint view trace.json                        of perflint profile --output-format trace

\b
Exit status: 0 the page is written, 2 wrong use, or nothing that could be shown.
"""


def _launches(ctx: Any, param: Any, values: tuple[str, ...]) -> tuple[Any, ...]:
    from perflint.profile.arguments import ArgumentSpecError, parse

    try:
        return tuple(parse(value) for value in values)
    except ArgumentSpecError as error:
        raise click.BadParameter(str(error), ctx, param) from error


def _view(
    words: tuple[str, ...],
    launch: tuple[Any, ...],
    kernel: str | None,
    compare: bool,
    run: bool,
    findings: bool,
    cache_report: bool,
    seconds: float,
    output_file: Path | None,
    **values: Any,
) -> int:
    """Show what a kernel does to memory, from the grid to one request, as an HTML page.

    FILE is CUDA or PTX, or a trace. Its launches are those of --launch, else those that the file
    shows, as perflint check reads them. The page is one file: it needs no server and no network.
    """
    from perflint.view.run import Request, view

    request = Request(
        words=words,
        launches=launch,
        kernel=kernel,
        compare=compare,
        run=run,
        findings=findings,
        cache_report=cache_report,
        seconds=seconds,
        output_file=output_file,
        line=Source(LINE, given(values)),
    )
    return view(request)


view_command = click.Command(
    "view",
    params=[
        click.Argument(["words"], nargs=-1, required=True, metavar="FILE…"),
        click.Option(
            ["--launch"],
            multiple=True,
            callback=_launches,
            metavar="LAUNCH",
            help="'k<<<64,256>>>(n=16384)', with arrays as perflint profile takes them or without. "
            "May be given several times.",
        ),
        click.Option(["--kernel"], metavar="NAME", help="Only this kernel."),
        click.Option(["--compare"], is_flag=True, help="The first two launches side by side."),
        click.Option(["--run"], is_flag=True, help="FILE… is a command: show what it launches."),
        click.Option(
            ["--findings/--no-findings"],
            default=True,
            help="Whether perflint check's findings stand at their lines.  [default: they do]",
        ),
        click.Option(
            ["--cache-report"],
            is_flag=True,
            help="Replay launches through the GPU's L1, and show what evicts what.",
        ),
        click.Option(
            ["--budget", "seconds"],
            type=click.FloatRange(0.1, 1e6),
            default=60.0,
            metavar="SECONDS",
            help="Time for the simulation of one launch.  [default: 60]",
        ),
        click.Option(
            ["-o", "--output-file"],
            type=click.Path(dir_okay=False, path_type=Path),
            metavar="FILE",
            help="Where to write the page.  [default: KERNEL.html]",
        ),
        *(parameter(option) for option in line_options() if option.field in _SHARED),
    ],
    callback=_view,
    help=_view.__doc__,
    epilog=_EPILOG,
)
