"""`perflint run` and `perflint build`: their options. Nothing heavy is imported until they run."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import click

from perflint.base.user_error import UserError
from perflint.cli.settings import Source
from perflint.cli.table_options import LINE, given, shared


def _size(ctx: Any, param: Any, value: str) -> int:
    """`8G`, `512M`, bytes."""
    match = re.fullmatch(r"(\d{1,15})([KMGT]?)i?B?", value.strip(), re.IGNORECASE)
    if match is None or not int(match[1]):
        raise click.BadParameter(f"{value!r} is no size; write 8G or 512M", ctx, param)
    return int(match[1]) << {"": 0, "K": 10, "M": 20, "G": 30, "T": 40}[match[2].upper()]


#: What stands behind the program's name is the program's, `-o` and `--help` too.
_OWN_FIRST = {"allow_interspersed_args": False}
_EPILOG = """\b
Line numbers make it tell where:
  NVCC_APPEND_FLAGS=-lineinfo make        or: perflint build make
  perflint run -- ./app --size 512
  perflint run --check -- ctest
  perflint run -- python program.py

\b
Exit status: 2 if kernels of the program could not be simulated, wrong use, or an error of
perflint's own; else the program's own where that is not 0; else 1 if there are findings, 0 if not.
"""


@shared(
    "arch",
    "budget",
    "min-waste",
    "select",
    "ignore",
    "preview",
    "show-unconfirmed",
    "output-format",
    "output-file",
    "fail-on",
    "exit-zero",
    "config",
    "isolated",
    "quiet",
    arch={"help": "The GPU to simulate."},
    budget={"help": "Time to judge one kernel afterwards."},
)
@click.command(name="run", epilog=_EPILOG, context_settings=_OWN_FIRST)
@click.argument("command", nargs=-1, required=True, type=click.UNPROCESSED)
@click.option(
    "--check",
    is_flag=True,
    help="Find errors of the kernels: accesses out of bounds,"
    " misaligned or uninitialised, races on shared memory, barriers that not all reach.",
)
@click.option("--profile", is_flag=True, help="Print figures of each kernel and source line.")
@click.option(
    "--record",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Keep launches with their memory, for perflint check --launches FILE.",
)
@click.option(
    "--sample", is_flag=True, help="Check the first and a spread of a kernel's launches, not all."
)
@click.option(
    "--allow-unsimulated",
    is_flag=True,
    help="Let kernels pass that could not be simulated; without it the exit status is 2.",
)
@click.option(
    "--src",
    multiple=True,
    type=click.Path(exists=True, path_type=Path),
    metavar="PATH",
    help="Where the program's sources are: rules that compile edits of them (CU401, CU503, CU601,"
    " CU7xx) then work on its launches. May be given again.",
)
@click.option("--no-findings", is_flag=True, help="Only run the program; look for nothing.")
@click.option(
    "--sms",
    type=click.IntRange(1, 1024),
    default=4,
    metavar="N",
    help="Multiprocessors that the program is told of.  [default: 4]",
)
@click.option(
    "--devices",
    type=click.IntRange(1, 8),
    default=1,
    metavar="N",
    help="GPUs that the program sees, alike; they work one after the other.  [default: 1]",
)
@click.option(
    "--device-memory",
    callback=_size,
    default="8G",
    metavar="SIZE",
    help="Memory of each device.  [default: 8G]",
)
@click.option(
    "--trace-budget",
    type=click.FloatRange(0, 1e6),
    default=0.0,
    metavar="SECONDS",
    help="Check each launch for so long at most; the rest of it just runs.  [default: no limit]",
)
def run_command(
    command: tuple[str, ...],
    check: bool,
    profile: bool,
    record: Path | None,
    sample: bool,
    allow_unsimulated: bool,
    src: tuple[Path, ...],
    no_findings: bool,
    sms: int,
    devices: int,
    device_memory: int,
    trace_budget: float,
    **values: Any,
) -> int:
    """Run a CUDA program on the simulator, without a GPU, and lint what it launches.

    The program's kernels run on perflint's emulator with its own sizes and data. Then the rules
    judge the launches that really happened.
    """
    from perflint.run.command import Request, RunError, run

    request = Request(
        command=command,
        check=check,
        profile=profile,
        record=record,
        sample=sample,
        trace_budget=trace_budget,
        sms=sms,
        devices=devices,
        device_memory=device_memory,
        no_findings=no_findings,
        allow_unsimulated=allow_unsimulated,
        src=src,
        line=Source(LINE, given(values)),
    )
    try:
        return run(request)
    except RunError as error:
        raise UserError(" ".join(str(error).split())) from error


@click.command(name="build", context_settings=_OWN_FIRST)
@click.argument("command", nargs=-1, required=True, type=click.UNPROCESSED)
def build_command(command: tuple[str, ...]) -> int:
    """Run a build so that what it makes can be run by perflint run.

    nvcc then links the shared runtime and keeps line numbers: NVCC_APPEND_FLAGS is set for COMMAND.
    """
    from perflint.run.build import BuildError, build

    try:
        return build(command)
    except BuildError as error:
        raise UserError(str(error)) from error
