"""Rules that compile edits of the source, on the launches of a run.

The edited kernel is compiled by NVRTC; so the one beside it must be, not the program's own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from perflint.base import bounds
from perflint.cli.discovery import discover
from perflint.lint.findings import Finding
from perflint.lint.options import CheckOptions
from perflint.lint.recorded_launches import Records
from perflint.lint.ruleset import Ruleset
from perflint.run.sources import short_name
from perflint.work import pipeline


def of_sources(
    paths: Sequence[Path],
    records: Records,
    rules: Ruleset,
    options: CheckOptions,
    counts: Mapping[str, str],
) -> Iterator[Finding]:
    """What such rules find in the sources below `paths`, of kernels that were launched.

    `counts` says of each kernel's entry how often it was launched.
    """
    editing = frozenset(each.RULE.code for each in rules.kernel if hasattr(each, "variants"))
    if not editing or not records.launches:
        return
    files = discover(paths, exclude=[], force_exclude=False).files
    wanted = replace(
        options,
        rules=options.rules & editing,
        recorded=records,
        launches=(),
        bound=bounds.around(paths),
        given=(),
    )
    told = {short_name(entry): text for entry, text in counts.items()}
    for finding in pipeline.check(files, wanted).findings:
        name = (finding.kernel or "").partition("<")[0].rpartition("::")[2]
        if finding.code in editing and name in told:
            yield replace(finding, notes=(*finding.notes, told[name]))


def with_edited(judged: Sequence[Finding], edited: Sequence[Finding]) -> tuple[Finding, ...]:
    """Both; of two at one place the confirmed one, else the one of the program's own code."""
    sure = {_key(f) for f in judged if f.verdict == "confirmed"}
    better = {_key(f): f for f in edited if f.verdict == "confirmed" and _key(f) not in sure}
    kept = [f for f in judged if _key(f) not in better]
    there = {_key(f) for f in judged}
    return (*kept, *better.values(), *(f for f in edited if _key(f) not in there | better.keys()))


def _key(finding: Finding) -> tuple[object, ...]:
    return finding.code, finding.place.path, finding.place.line
