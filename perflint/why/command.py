"""The command `perflint why`."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from perflint.cli.settings import Source, line_options
from perflint.cli.table_options import LINE, given, parameter

#: The options of `perflint check` that bear on what is suspected and tried, and how.
_SHARED = {"select", "extend_select", "ignore", "preview", "arch", "launch", "define", "include"}
_SHARED |= {"compile_commands", "frontend", "nvcc", "budget", "min_waste", "cache_size", "jobs"}
_SHARED |= {"cache", "config", "isolated", "quiet", "verbose"}


def _why(place: str, paths: tuple[Path, ...], output_format: str, **values: Any) -> int:
    """Say why something was reported at a line, or nothing was.

    PLACE is FILE:LINE, FILE:KERNEL or FILE. Tells what was suspected there, with which launches and
    values it was tried, what was measured, which objection decided, and what kept a rule from
    suspecting anything. PATHS are further files, whose launches are seen too. Takes options as
    `perflint check` does.
    """
    from perflint.cli.output import progress, say
    from perflint.report.context import Context
    from perflint.why import data, text
    from perflint.why.answer import answered
    from perflint.why.target import parse

    line = Source(LINE, given(values))
    target = parse(place)
    with progress(bool(values.get("quiet"))) as shown:
        reply, bound = answered(target, paths, line, lambda o: replace(o, progress=shown), say)
    context = Context(root=Path.cwd())
    from perflint.base import bounds

    with bounds.within(bound):
        if output_format == "json":
            page = data.render(reply, context)
        else:
            page = text.render(reply, context, verbose=bool(values.get("verbose")))
    click.echo(page, nl=False)
    return 0


why_command = click.Command(
    "why",
    params=[
        click.Argument(["place"]),
        click.Argument(["paths"], nargs=-1, type=click.Path(path_type=Path)),
        click.Option(
            ["--output-format"],
            type=click.Choice(["text", "json"]),
            default="text",
            help="How to print.  [default: text]",
        ),
        *(parameter(option) for option in line_options() if option.field in _SHARED),
    ],
    callback=_why,
    help=_why.__doc__,
)
