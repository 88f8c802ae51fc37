"""`perflint triton` and `perflint numba`: their options. They import nothing heavy."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from perflint.base.user_error import UserError
from perflint.cli.settings import Source
from perflint.cli.table_options import LINE, given, shared

_FORMATS = {
    "triton": "kernel=*fp32,*fp32,i32,constexpr:1024",
    "numba": "kernel=float32[::1],float32[:,::1],int32",
}
_HELP = {
    "triton": """Check the Triton kernels of Python modules, compiled without a GPU.

    This RUNS the module's code, as `python FILE.py` would, in a process of its own; launches are
    compiled and noted, not made. A library's modules, and those of a folder, are imported, and
    functions that launch kernels are called with made-up tensors. Kernels that this does not reach
    need --signature. The kernels are then simulated with the arguments of their launches.
    """,
    "numba": """Check the Numba CUDA kernels of Python modules, compiled without a GPU.

    This RUNS the module's code, as `python FILE.py` would, in a process of its own; launches are
    compiled and noted, not made. Kernels that the module neither launches nor declares with types
    need --signature. The kernels are then simulated with the arguments of their launches.
    """,
}
_EPILOG = """\b
Examples:
  perflint {0} kernels.py
  perflint {0} src/kernels/
  perflint {0} --signature '{1}' kernels.py
  perflint {0} --arch sm_90 --output-format sarif kernels.py

\b
Exit status: 0 nothing found, 1 findings, 2 wrong use or an error of perflint's own.
"""


def _signature(ctx: Any, param: Any, values: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    pairs = []
    for value in values:
        kernel, equals, types = value.partition("=")
        named = all(part.isidentifier() for part in kernel.strip().split("."))
        if not (named and equals and types.strip()):
            shape = _FORMATS[ctx.command.name]
            raise click.BadParameter(f"{value!r} is no signature; write {shape!r}", ctx, param)
        pairs.append((kernel.strip(), types.strip()))
    return tuple(pairs)


def _command(compiler: str) -> click.Command:
    def callback(
        files: tuple[Path, ...],
        signature: tuple[tuple[str, str], ...],
        timeout: float,
        **values: Any,
    ) -> int:
        from perflint.python_kernels.command import run
        from perflint.python_kernels.modules import ModuleError, Request

        request = Request(compiler, files, signature, timeout, Source(LINE, given(values)))
        try:
            return run(request)
        except ModuleError as error:
            raise UserError(" ".join(str(error).split())) from error

    file = click.Path(exists=True, path_type=Path)
    command = click.Command(
        compiler,
        callback=callback,
        params=[
            click.Argument(["files"], nargs=-1, required=True, type=file),
            click.Option(
                ["--signature"],
                multiple=True,
                callback=_signature,
                metavar="SIGNATURE",
                help=f"The types of a kernel's arguments: '{_FORMATS[compiler]}'.",
            ),
            click.Option(
                ["--timeout"],
                type=click.FloatRange(1, 1e5),
                default=300.0,
                metavar="SECONDS",
                help="Time that a module may take to run.  [default: 300]",
            ),
        ],
        help=_HELP[compiler],
        epilog=_EPILOG.format(compiler, _FORMATS[compiler]),
    )
    add: Callable[[click.Command], click.Command] = shared(
        "arch", "launch", "budget", "select", "ignore", "extend-select", "preview",
        "show-unconfirmed", "output-format", "output-file", "statistics", "fail-on", "exit-zero",
        "config", "isolated", "jobs", "verbose", "quiet",
    )  # fmt: skip
    return add(command)


triton_command = _command("triton")
numba_command = _command("numba")
