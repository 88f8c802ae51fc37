"""The command `perflint launches`."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from perflint.cli.settings import Source, line_options
from perflint.cli.table_options import LINE, given, parameter

#: The options of `perflint check` that say which files, and how they are read.
_SHARED = {"exclude", "force_exclude", "arch", "launch", "define", "include", "compile_commands"}
_SHARED |= {"frontend", "nvcc", "jobs", "config", "isolated", "quiet"}


def _launches(paths: tuple[Path, ...], output_format: str, **values: Any) -> int:
    """List every kernel with the launches that are read for it, and what it is tried with.

    Grid, block, shared bytes and arguments, each with where it comes from: read, computed from
    what, or assumed. What `--launch` is copied from, and the first thing to look at when a finding
    surprises. Takes paths and options as `perflint check` does.
    """
    from perflint.cli.check_command import files_of, sources
    from perflint.cli.output import progress, say
    from perflint.cli.request import Request
    from perflint.cli.settings import merged
    from perflint.launches import pages
    from perflint.work.pipeline import listing

    line = Source(LINE, given(values))
    own = merged([line])
    paths = paths or (Path(),)
    request = Request(paths, (*sources(paths, own, say), line))
    found_files = files_of(request, (b"__global__", b"<<<", b"<< <"))
    for warning in found_files.warnings:
        say(f"warning: {warning}")
    with progress(own.quiet) as shown:
        found = listing(found_files.files, replace(request.options(), progress=shown))
    page = pages.data if output_format == "json" else pages.text
    click.echo(page(found, Path.cwd()), nl=False)
    return 0


launches_command = click.Command(
    "launches",
    params=[
        click.Argument(["paths"], nargs=-1, type=click.Path(path_type=Path)),
        click.Option(
            ["--output-format"],
            type=click.Choice(["text", "json"]),
            default="text",
            help="How to print.  [default: text]",
        ),
        *(parameter(option) for option in line_options() if option.field in _SHARED),
    ],
    callback=_launches,
    help=_launches.__doc__,
)
