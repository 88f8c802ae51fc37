"""The commands and their options. Nothing heavy is imported until a command needs it."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, get_args

import click

from perflint import __version__
from perflint.checking import Request, check
from perflint.config import ConfigError, check_define
from perflint.discovery import PathError
from perflint.findings import LEVELS
from perflint.launch_option import LaunchSpec, LaunchSpecError
from perflint.launch_option import parse as parse_launch
from perflint.options import DEFAULT_ARCH, DEFAULT_BUDGET, Frontend
from perflint.profile.cache_options import cache_options, one_size, taken
from perflint.selection import UnknownSelectorError

_EPILOG = """\b
Examples:
  perflint src/                              every CUDA and PTX file under src
  perflint kernel.ptx --arch sm_90           PTX from nvcc -ptx -lineinfo
  perflint --select CU1 a.cu                 only the rules on global memory
  perflint --launch 'k=<<<64,256>>>(n=1000000)' a.cu
  perflint --output-format sarif -o out.sarif src/
  perflint rule CU101                        what a rule means and how it is confirmed
  perflint profile k.cu --launch '<<<8,256>>>(x=ones:f32[2048])'     one launch, measured

\b
Exit status: 0 nothing found, 1 findings, 2 wrong use or an error of perflint's own.
"""


class UserError(click.ClickException):
    """Something the user can put right: one line on stderr, exit 2."""

    exit_code = 2

    def show(self, file: Any = None) -> None:
        click.echo(f"perflint: {self.format_message()}", err=True)


class _Launch(click.ParamType[LaunchSpec]):
    name = "LAUNCH"

    def convert(self, value: Any, param: Any, ctx: Any) -> LaunchSpec:
        try:
            return parse_launch(value)
        except LaunchSpecError as error:
            self.fail(str(error), param, ctx)


class _Output(click.ParamType[tuple[str, Path | None]]):
    name = "FORMAT[=FILE]"

    def convert(self, value: Any, param: Any, ctx: Any) -> tuple[str, Path | None]:
        from perflint.report import formats

        name, equals, file = value.partition("=")
        known = formats()
        if name not in known:
            self.fail(f"there is no format {name!r}; choose from {', '.join(known)}", param, ctx)
        if equals and not file:
            self.fail(f"{value!r} names no file behind '='", param, ctx)
        return name, Path(file) if file else None


class _Define(click.ParamType[str]):
    name = "NAME[=VALUE]"

    def convert(self, value: Any, param: Any, ctx: Any) -> str:
        try:
            return check_define(value)
        except ValueError as error:
            self.fail(str(error), param, ctx)


def _split(ctx: Any, param: Any, values: tuple[str, ...]) -> tuple[str, ...]:
    """`CU101,CU2` and repeated options alike."""
    parts = tuple(part for value in values for part in value.replace(",", " ").split())
    if values and not parts:
        raise click.BadParameter(f"{values[-1]!r} names nothing", ctx, param)
    return parts


def _format_help() -> str:
    from perflint.report import formats

    listed = "; ".join(f"{name}: {text}" for name, text in formats().items())
    return f"How to print, to a file with =FILE; may be given several times. {listed}."


class _Check(click.Command):
    """The check command; its list of formats is read only for --help."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """`--nvcc` takes a value behind `=` only: what follows it is a file to check."""
        end = args.index("--") if "--" in args else len(args)
        args = ["--nvcc=" if a == "--nvcc" else a for a in args[:end]] + args[end:]
        return super().parse_args(ctx, args)

    def format_help(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        for parameter in self.params:
            if isinstance(parameter, click.Option) and parameter.name == "output_format":
                parameter.help = _format_help()
        super().format_help(ctx, formatter)


class _Group(click.Group):
    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        super().format_commands(ctx, formatter)
        with formatter.section("Common options of check"):
            formatter.write_dl(
                [
                    ("--select, --ignore RULES", "Codes, names, prefixes (CU1), or ALL."),
                    ("--arch ARCH", "The GPU to simulate, sm_80 by default."),
                    ("--launch LAUNCH", "A launch that the source does not show."),
                    ("--output-format FORMAT", "Text, JSON or SARIF: see perflint check --help."),
                    ("--show-unconfirmed", "Also what no simulation could decide."),
                ]
            )


#: Options that `check` and `profile` share.
_INCLUDE = click.option(
    "-I",
    "--include",
    multiple=True,
    metavar="DIR",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Search a directory for headers.",
)
_DEFINE = click.option(
    "-D",
    "--define",
    multiple=True,
    type=_Define(),
    help="Define a macro, as for the compiler.",
)

_SETTINGS: dict[str, Any] = {"help_option_names": ["-h", "--help"], "max_content_width": 100}


@click.group(cls=_Group, context_settings=_SETTINGS, epilog=_EPILOG)
@click.version_option(__version__, "-V", "--version", message="perflint %(version)s")
def cli() -> None:
    """Find performance bugs in CUDA and PTX without a GPU.

    `perflint PATH…` is `perflint check PATH…`: each suspect kernel is run for a moment in a
    simulator, and only what the run bears out is reported.
    """


@cli.command(name="check", cls=_Check, epilog=_EPILOG)
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path))
@click.option(
    "--select",
    multiple=True,
    callback=_split,
    metavar="RULES",
    help="Run only these rules: codes, names, prefixes (CU1), or ALL.",
)
@click.option(
    "--extend-select", multiple=True, callback=_split, metavar="RULES", help="Run these rules too."
)
@click.option(
    "--ignore", multiple=True, callback=_split, metavar="RULES", help="Do not run these rules."
)
@click.option(
    "--arch",
    multiple=True,
    callback=_split,
    metavar="ARCH",
    help=f"The GPU to simulate; may be given several times.  [default: {DEFAULT_ARCH}]",
)
@click.option(
    "--launch",
    multiple=True,
    type=_Launch(),
    help="How a kernel is launched: 'k=<<<(64,64),(16,16)>>>(n=1024)'.",
)
@_DEFINE
@_INCLUDE
@click.option(
    "-p",
    "--compile-commands",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Take each file's -D, -I, -std and GPU from the build: the compile_commands.json in a"
    " directory, or the file itself.",
)
@click.option(
    "--frontend",
    type=click.Choice(get_args(Frontend)),
    help="What reads CUDA: NVRTC, your nvcc, or no compiler at all, which understands kernels in"
    " the C subset.  [default: nvrtc]",
)
@click.option(
    "--nvcc",
    metavar="[=PATH]",
    help="Compile with nvcc, as the build does: the one on the PATH, or the one given.",
)
@click.option(
    "--budget",
    type=click.FloatRange(0, 1e6, min_open=True),
    metavar="SECONDS",
    help=f"Time for the simulation of one kernel.  [default: {DEFAULT_BUDGET:g}]",
)
@click.option(
    "--cache-size",
    callback=one_size,
    metavar="SIZE",
    help="The L1 to assume, 16K for example.  [default: the GPU's own]",
)
@click.option(
    "--show-unconfirmed",
    is_flag=True,
    default=None,
    help="Also show what was suspected but could not be decided.",
)
@click.option("--output-format", multiple=True, type=_Output(), help="How to print.")
@click.option(
    "-o",
    "--output-file",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Print to a file instead of standard output.",
)
@click.option("--statistics", is_flag=True, help="Count the findings by rule instead.")
@click.option(
    "--fail-on",
    type=click.Choice(LEVELS),
    help="The least level that makes the exit status 1.  [default: warning]",
)
@click.option("--exit-zero", is_flag=True, help="Exit with 0 though there are findings.")
@click.option(
    "--stdin-filename",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="The name of what is read from standard input, for which the path is -.",
)
@click.option(
    "--force-exclude",
    is_flag=True,
    help="Apply the configuration's `exclude` to paths given here too.",
)
@click.option(
    "-j",
    "--jobs",
    type=click.IntRange(1, 1024),
    metavar="N",
    help="Check N files at once.  [default: the number of usable CPUs]",
)
@click.option(
    "--config",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="The configuration file, instead of the nearest one.",
)
@click.option("--isolated", is_flag=True, help="Read no configuration file.")
@click.option(
    "--color",
    type=click.Choice(["auto", "always", "never"]),
    default="auto",
    help="Colours; auto heeds NO_COLOR and FORCE_COLOR.  [default: auto]",
)
@click.option("-q", "--quiet", is_flag=True, help="Print the findings and errors, nothing else.")
@click.option("-v", "--verbose", is_flag=True, help="Say what is read and done.")
def check_command(**values: Any) -> int:
    """Check CUDA and PTX files, or directories of them (the current one by default).

    .gitignore is honoured. Configuration: [tool.perflint] in the nearest pyproject.toml, or
    perflint.toml. Silence a finding with // perflint: ignore[CU101] -- reason.
    """
    values["paths"] = values["paths"] or (Path(),)
    values["select"] = values["select"] or None
    try:
        return check(Request(**values))
    except (PathError, ConfigError, UnknownSelectorError) as error:
        raise UserError(" ".join(str(error).split())) from error


@cli.command(name="rule")
@click.argument("names", nargs=-1, metavar="[CODE|NAME]…")
@click.option("--all", "every", is_flag=True, help="All rules.")
@click.option(
    "--output-format",
    type=click.Choice(["text", "json", "md"]),
    default="text",
    help="The page as text or Markdown, or everything as JSON.  [default: text]",
)
def rule_command(names: tuple[str, ...], every: bool, output_format: str) -> int:
    """Explain a rule; without an argument, list them."""
    from perflint import pages
    from perflint.rulebook import rules
    from perflint.selection import expand

    book = rules()
    try:
        codes = sorted({code for name in names for code in expand(name, book)[0]})
    except UnknownSelectorError as error:
        raise UserError(str(error)) from error
    if not names and not every and output_format == "text":
        click.echo(pages.listing(book.values()), nl=False)
        return 0
    chosen = [book[code] for code in codes] if names and not every else list(book.values())
    click.echo(pages.WRITERS[output_format](chosen), nl=False)
    return 0


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


@cli.command(name="profile", epilog=_PROFILE_EPILOG)
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
@_DEFINE
@_INCLUDE
@click.option(
    "--budget",
    type=click.FloatRange(0, 1e6, min_open=True),
    default=60.0,
    metavar="SECONDS",
    help="Time for the simulation.  [default: 60]",
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
    callback=_split,
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
    type=click.Choice(["text", "json"]),
    default="text",
    help="How to print.  [default: text]",
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
    try:
        return profile(Request(**values))
    except ProfileError as error:
        raise UserError(" ".join(str(error).split())) from error


def run(arguments: Sequence[str]) -> int:
    """Run one command line and return its exit status; errors of use are told on stderr."""
    _tolerate_odd_names()
    known = {*cli.commands, "-h", "--help", "-V", "--version"}
    arguments = list(arguments)
    if arguments and arguments[0] not in known:
        arguments.insert(0, "check")
    if not arguments:
        click.echo(cli.get_help(click.Context(cli, info_name="perflint", **_SETTINGS)))
        return 2
    try:
        # not cli.main, which makes a closed pipe an exit status of 1
        with cli.make_context("perflint", arguments) as context:
            status = cli.invoke(context)
    except click.exceptions.Exit as end:  # --help, --version
        return end.exit_code
    except click.UsageError as error:
        return _usage(error)
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except click.Abort:
        raise KeyboardInterrupt from None
    return status if isinstance(status, int) else 0


def _usage(error: click.UsageError) -> int:
    command = error.ctx.command_path if error.ctx else "perflint"
    message = " ".join(error.format_message().split())
    click.echo(f"perflint: {message} (see {command} --help)", err=True)
    return 2


def _tolerate_odd_names() -> None:
    """Let file names that are not UTF-8, and ASCII terminals, print as escapes."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure:
            reconfigure(errors="backslashreplace")
