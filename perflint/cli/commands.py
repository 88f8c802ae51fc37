"""The commands and their options. Nothing heavy is imported until a command needs it."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import click

from perflint import __version__
from perflint.base.plain_text import one_line
from perflint.base.user_error import UserError
from perflint.cli.argument_names import refuse_names
from perflint.cli.check_command import check
from perflint.cli.completion import SHELLS, VARIABLE, complete
from perflint.cli.config import ConfigError
from perflint.cli.discovery import PathError
from perflint.cli.selection import UnknownSelectorError
from perflint.cli.settings import Source, line_options
from perflint.cli.table_options import LINE, given, parameter
from perflint.cli.wrong_use import misplaced_command, wrong_use
from perflint.work.parallel import ProcessError

_EPILOG = """\b
Examples:
  perflint src/                              every CUDA and PTX file under src
  perflint kernel.ptx --arch sm_90           PTX from nvcc -ptx -lineinfo
  perflint --select CU1 a.cu                 only the rules on global memory
  perflint --launch 'k=<<<64,256>>>(n=1000000)' a.cu
  perflint --output-format sarif -o out.sarif src/
  perflint rule CU101                        what a rule means and how it is confirmed
  perflint why k.cu:42                       why something is said of a line, or nothing
  perflint profile k.cu --launch '<<<8,256>>>(x=ones:f32[2048])'     one launch, measured
  perflint stress k.cu                       the data that hurt a kernel most
  perflint view k.cu -o k.html               what its kernels do to memory, as pictures

\b
Exit status: 0 nothing found, 1 findings, 2 wrong use or an error of perflint's own.
"""


def _format_help() -> str:
    from perflint.report import formats

    listed = "; ".join(f"{name}: {text}" for name, text in formats().items())
    return f"How to print, to a file with =FILE; may be given several times. {listed}."


class _Check(click.Command):
    """The check command; its list of formats is read only for --help."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """`--nvcc` and its like take a value behind `=` only: what follows is a file to check."""
        bare = {f"--{option.name}" for option in line_options() if option.kind.optional}
        end = args.index("--") if "--" in args else len(args)
        args = [f"{a}=" if a in bare else a for a in args[:end]] + args[end:]
        return super().parse_args(ctx, args)

    def format_help(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        for each in self.params:
            if isinstance(each, click.Option) and each.name == "output_format":
                each.help = _format_help()
        super().format_help(ctx, formatter)


#: Commands by where they are: imported only if they are asked for.
_COMMANDS = {
    "build": "perflint.run.options",
    "cache": "perflint.cache.command",
    "compare": "perflint.compare.command",
    "dev": "perflint.dev.command",
    "launches": "perflint.launches.command",
    "numba": "perflint.python_kernels.options",
    "profile": "perflint.profile.command",
    "run": "perflint.run.options",
    "stress": "perflint.stress.command",
    "triton": "perflint.python_kernels.options",
    "view": "perflint.view.command",
    "why": "perflint.why.command",
}


class _Group(click.Group):
    def list_commands(self, ctx: click.Context | None = None) -> list[str]:
        return sorted({*self.commands, *_COMMANDS})

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _COMMANDS:
            return super().get_command(ctx, cmd_name)
        command = getattr(import_module(_COMMANDS[cmd_name]), f"{cmd_name}_command")
        assert isinstance(command, click.Command)
        return command

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


_SETTINGS: dict[str, Any] = {"help_option_names": ["-h", "--help"], "max_content_width": 100}


@click.group(cls=_Group, context_settings=_SETTINGS, epilog=_EPILOG)
@click.version_option(__version__, "-V", "--version", message="perflint %(version)s")
def cli() -> None:
    """Find performance bugs in CUDA and PTX without a GPU.

    `perflint PATH…` is `perflint check PATH…`: each suspect kernel is run for a moment in a
    simulator, and only what the run bears out is reported.
    """


def _check(paths: tuple[Path, ...], **values: Any) -> int:
    """Check CUDA and PTX files, or directories of them (the current one by default).

    .gitignore is honoured. Configuration: [tool.perflint] in the nearest pyproject.toml, or
    perflint.toml; `perflint config` shows what is in force. Silence a finding with
    // perflint: ignore[CU101] -- reason.
    """
    return check(paths or (Path(),), Source(LINE, given(values)))


_PATHS = click.Argument(["paths"], nargs=-1, type=click.Path(path_type=Path))
cli.add_command(
    _Check(
        "check",
        params=[_PATHS, *map(parameter, line_options())],
        callback=_check,
        help=_check.__doc__,
        epilog=_EPILOG,
    )
)


def _config(paths: tuple[Path, ...], as_json: bool, **values: Any) -> int:
    """Show what is in force for some paths, and which file or option says so.

    Takes the paths and options of `perflint check`.
    """
    from perflint.cli import config_page
    from perflint.cli.check_command import sources
    from perflint.cli.output import say
    from perflint.cli.request import Request
    from perflint.cli.settings import merged

    line = Source(LINE, given(values))
    paths = paths or (Path(),)
    request = Request(paths, (*sources(paths, merged([line]), say), line))
    request.options()  # what cannot be is told here too
    click.echo((config_page.data if as_json else config_page.text)(request), nl=False)
    return 0


cli.add_command(
    _Check(
        "config",
        params=[
            _PATHS,
            click.Option(["--json", "as_json"], is_flag=True, help="As JSON."),
            *map(parameter, line_options()),
        ],
        callback=_config,
        help=_config.__doc__,
    )
)


@cli.command(name="init")
@click.option("--repository", metavar="ADDRESS", help="Where git finds perflint.")
@click.option("--revision", metavar="REV", help="Which commit or tag of it.")
def init_command(repository: str | None, revision: str | None) -> int:
    """Set a repository up: a configuration, a hook, a file for its CI, a baseline.

    Nothing that is there is overwritten; what would stand in it is shown.
    """
    from perflint.cli.init import init

    return init(repository, revision)


@cli.command(name="completion", epilog='In bash: eval "$(perflint completion bash)"')
@click.argument("shell", type=click.Choice(SHELLS))
def completion_command(shell: str) -> int:
    """Print what a shell is to evaluate so that it completes perflint's words."""
    from perflint.cli.completion import script

    click.echo(script(cli, shell))
    return 0


@cli.command(name="lsp")
def lsp_command() -> int:
    """Serve an editor: findings as one types, quick fixes, the evidence under the cursor.

    Speaks the Language Server Protocol on standard input and output. Needs the extra lsp.
    """
    try:
        from perflint.cli.language_server import serve
    except ImportError as error:
        raise UserError(f"{error}; install perflint with its extra lsp") from error
    serve()
    return 0


@cli.command(name="mcp")
@click.argument("roots", nargs=-1, type=click.Path(exists=True, file_okay=False, path_type=Path))
def mcp_command(roots: tuple[Path, ...]) -> int:
    """Serve a Model Context Protocol client: findings, profiles and rules as JSON.

    Speaks on standard input and output. Only files below ROOTS are looked at (the working directory
    by default), and of these only what lies below the roots that the client names. Needs the extra
    mcp.
    """
    try:
        from perflint.cli.model_context import serve
    except ImportError as error:
        raise UserError(f"{error}; install perflint with its extra mcp") from error
    serve(roots or (Path(),), cli.list_commands())
    return 0


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
    from perflint.cli import pages
    from perflint.cli.selection import expand
    from perflint.lint.rulebook import rules

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


def run(arguments: Sequence[str]) -> int:
    """Run one command line and return its exit status; errors of use are told on stderr."""
    _tolerate_odd_names()
    if VARIABLE in os.environ and (answered := complete(cli, os.environ)) is not None:
        return answered
    known = {*cli.list_commands(), "-h", "--help", "-V", "--version"}
    arguments = list(arguments)
    misplaced = ""
    if arguments and arguments[0] not in known:
        misplaced = misplaced_command(arguments, cli.list_commands())
        arguments.insert(0, "check")
    if not arguments:
        click.echo(cli.get_help(click.Context(cli, info_name="perflint", **_SETTINGS)))
        return 2
    try:
        refuse_names(arguments)
        # not cli.main, which makes a closed pipe an exit status of 1
        with cli.make_context("perflint", arguments) as context:
            status = cli.invoke(context)
    except click.exceptions.Exit as end:  # --help, --version
        return end.exit_code
    except click.UsageError as error:
        click.echo(wrong_use(error, misplaced), err=True)
        return 2
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except (PathError, ConfigError, UnknownSelectorError, ProcessError) as error:
        hint = misplaced if isinstance(error, PathError) else ""
        click.echo(f"perflint: {one_line(str(error))}{hint}", err=True)
        return UserError.exit_code
    except click.Abort:
        raise KeyboardInterrupt from None
    return status if isinstance(status, int) else 0


def _tolerate_odd_names() -> None:
    """Let file names that are not UTF-8, and ASCII terminals, print as escapes."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure:
            reconfigure(errors="backslashreplace")
