"""`perflint compare`: its options. Nothing heavy is imported until it runs."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from perflint.base.user_error import UserError

if TYPE_CHECKING:
    from perflint.compare.pairing import Comparison, MetricPair

_EPILOG = """\b
Runs are saved by `perflint profile … --save-metrics DB` or DB:NAME, many to a file. A place is
  DB         of each kernel, launch and GPU the last run
  DB:NAME    likewise, of the runs of a name: a commit's, for example
  DB:7       run 7
In place of AFTER, --ncu names what Nsight Compute wrote with `ncu -o REPORT …`: counts, floors (of
runs saved with --floors) and lines stand beside what a GPU counted. It needs ncu-report.

\b
Exit status: 0 compared, 1 with --fail-on-worse something is worse, 2 wrong use, or a file that is
no database of metrics.
"""


@click.command(name="compare", epilog=_EPILOG)
@click.argument("before", metavar="BEFORE")
@click.argument("after", metavar="AFTER", required=False)
@click.option(
    "--ncu",
    "report",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="REPORT",
    help="Hold BEFORE against a report of Nsight Compute, REPORT.ncu-rep.",
)
@click.option(
    "--fail-on-worse",
    "percent",
    type=click.FloatRange(min=0),
    metavar="PERCENT",
    help="Exit with 1 where a figure of a launch is worse by more than this.",
)
@click.option(
    "--metric",
    "names",
    multiple=True,
    metavar="NAME",
    help="Only these metrics of the launch: sectors, or 'activity factor'.",
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
def compare_command(
    before: str,
    after: str | None,
    report: Path | None,
    percent: float | None,
    names: tuple[str, ...],
    output_format: str,
    output_file: Path | None,
) -> int:
    """Compare the metrics of profiled runs: of two commits, kernels, launches or GPUs.

    Says what differs in the whole launch, and line by line: lines are matched by their text where
    their numbers moved.
    """
    if (after is None) == (report is None):
        raise UserError("compare with AFTER, or with the report of --ncu")
    if after is None and (percent is not None or names):
        raise UserError("--fail-on-worse and --metric are for two runs, not for --ncu")
    json_wanted = output_format == "json"
    if report is not None:
        _write(output_file, _beside_report(before, report, json_wanted))
        return 0
    found = _compared(before, str(after), names)
    _write(output_file, _printed(found, json_wanted))
    worse = _worse(found, percent) if percent is not None else []
    for each in worse:
        click.echo(f"worse: {each}", err=True)
    return 1 if worse else 0


def _write(output_file: Path | None, text: str) -> None:
    from perflint.cli import output

    if output_file:
        output.write(output_file, text)
    else:
        sys.stdout.write(text)


def _beside_report(before: str, report: Path, json_wanted: bool) -> str:
    """What a report of Nsight Compute has of the saved runs, as text or JSON."""
    from perflint.compare import beside_ncu, ncu_file
    from perflint.compare.schema import MetricsError, place
    from perflint.compare.store import load

    try:
        pairs = beside_ncu.beside(load(place(before)), ncu_file.read(report))
    except MetricsError as error:
        raise UserError(str(error)) from error
    if not pairs:
        raise UserError(f"{report} has no launch of the kernels, grids and blocks in {before}")
    return beside_ncu.as_json(pairs) if json_wanted else beside_ncu.as_text(pairs)


def _compared(before: str, after: str, names: tuple[str, ...]) -> Comparison:
    from perflint.compare.pairing import compared
    from perflint.compare.schema import MetricsError, place
    from perflint.compare.store import load

    try:
        found = compared(load(place(before)), load(place(after)))
    except MetricsError as error:
        raise UserError(str(error)) from error
    if not found.pairs:
        raise UserError(f"{before} and {after} have no kernel in common, of which each has one run")
    return _only(found, names) if names else found


def _printed(found: Comparison, json_wanted: bool) -> str:
    from perflint.compare.report import as_json, as_text

    return as_json(found) if json_wanted else as_text(found)


def _only(found: Comparison, names: tuple[str, ...]) -> Comparison:
    """The comparison with some of the metrics. Raises UserError for a name that there is not."""
    from dataclasses import replace

    known = {each.name for pair in found.pairs for each in pair.metrics}
    for name in names:
        if name not in known:
            there = ", ".join(f"'{each}'" for each in sorted(known))
            raise UserError(f"there is no metric {name!r}; there is {there}")
    pairs = tuple(
        replace(pair, metrics=tuple(each for each in pair.metrics if each.name in names))
        for pair in found.pairs
    )
    return replace(found, pairs=pairs)


def _worse(found: Comparison, percent: float) -> list[str]:
    """What is worse by more than so many percent, a line each."""

    def told(kernel: str, each: MetricPair) -> str:
        change = abs(each.change or 0)
        by = f"by {change:.1f}%" if change != float("inf") else "from 0"
        return f"{kernel}: {each.name} {by}, {each.before} before, {each.after} after"

    return [
        told(pair.after.kernel, each)
        for pair in found.pairs
        for each in pair.metrics
        if each.verdict == "worse" and abs(each.change or 0) > percent
    ]
