"""perflint's findings on what a page shows, to stand at their lines."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from perflint.base import bounds
from perflint.base.launch_option import LaunchSpec
from perflint.cli.output import progress
from perflint.cli.request import Request
from perflint.lint.findings import Finding
from perflint.lint.options import CheckOptions
from perflint.report.context import number


def found_in(files: Sequence[Path], options: CheckOptions, request: Request) -> tuple[Finding, ...]:
    """What `perflint check` reports of some files, as it is asked for and configured."""
    from perflint.work import pipeline

    with progress(request.settings.quiet) as shown:
        asked = replace(options, progress=shown, cache=request.cache())
        result = pipeline.check(files, asked)
    with bounds.within(request.bound()):
        return request.visible(result)[0].findings


def launch_of(trace: Mapping[str, Any]) -> LaunchSpec:
    """A trace's launch as `perflint check` takes it, without its arrays."""
    grid, block = tuple(trace["grid"]), tuple(trace["block"])
    return LaunchSpec(trace["profile"]["kernel"], grid, block, trace["dynamic_shared"])


def with_findings(trace: Mapping[str, Any], findings: Iterable[Finding]) -> dict[str, Any]:
    """A trace with the findings that are of its kernel and stand in its sources."""
    names = {os.path.realpath(source["name"]): source["name"] for source in trace["sources"]}
    kernel = trace["profile"]["kernel"].partition("<")[0]
    rows = [
        _row(each, names[os.path.realpath(each.place.path)])
        for each in findings
        if os.path.realpath(each.place.path) in names
        and (each.kernel or kernel).partition("<")[0] == kernel
    ]
    return {**trace, "findings": rows}


def _row(finding: Finding, filename: str) -> dict[str, Any]:
    return {
        "code": finding.code,
        "level": finding.level,
        "message": finding.message,
        "filename": filename,
        "row": finding.place.line,
        "evidence": list(_evidence(finding)),
    }


def _evidence(finding: Finding) -> Iterator[str]:
    for each in finding.evidence:
        unit = "" if each.unit in each.metric else f" {each.unit}"
        yield (
            f"{each.metric}: measured {number(each.measured)}{unit}, "
            f"ideal {number(each.golden)}{unit}"
        )
    if finding.witness:
        yield f"worst request: {finding.witness}"
    if finding.launch:
        yield f"launch: {finding.launch.whole}"
    yield from finding.notes
    if finding.help:
        yield f"help: {finding.help}"
    if finding.reason:
        yield f"undecided: {finding.reason}"
