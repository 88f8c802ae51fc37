"""From files to findings: the one way through (DESIGN, section 1).

Files are checked in processes beside each other. Whatever goes wrong with one kernel or one file
becomes a line about it and costs nothing else.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from perflint.cache import Kept
from perflint.findings import FileResult, Finding, Result
from perflint.frontend.model import SourceFacts
from perflint.options import CheckOptions
from perflint.parallel import Crash, each
from perflint.rulebook import rules as rulebook
from perflint.suppression import apply as suppress
from perflint.translation_units import Unit, read_facts
from perflint.translation_units import units as units_of

if TYPE_CHECKING:
    from perflint.filecheck import Run

NO_KERNEL = "there is no kernel in it"  #: the front end's remark on a file of host code


def check(paths: Sequence[Path], options: CheckOptions) -> Result:
    """Lint `paths` (files, as discovery found them) and return everything there is to say.

    Raises DatabaseError for a compile command that cannot be read.
    """
    found = units_of(paths, options)
    root = Path(os.path.commonpath([p.resolve().parent for p in paths]))
    results = _kept_or_new(found.units, options, root)
    names = {name for result in results for name in result.names}
    result = _gather(results, options, len(paths))
    remarks = (*_unused_launches(options, names), *found.remarks, *result.remarks)
    archs = tuple(dict.fromkeys(unit.arch for unit in found.units))
    return replace(result, remarks=remarks, archs=archs)


def _kept_or_new(units: Sequence[Unit], options: CheckOptions, root: Path) -> list[FileResult]:
    """What came of each file, in order, now or in a run of the same over the same contents."""
    kept = Kept(options, units, root)
    try:
        known = {unit: found for unit in units if (found := kept.get(unit)) is not None}
        left = [unit for unit in units if unit not in known]
        if left:
            from perflint.filecheck import Run
            from perflint.ruleset import load

            # CU002 lists the kernels that the other rules could not see, so these must have looked
            ruleset = load(rulebook() if "CU002" in options.rules else options.rules)
            run = Run(options, ruleset, _given(units, options), root)
            for unit, result in zip(left, _results(left, run), strict=True):
                known[unit] = result
                kept.put(unit, result)
        return [known[unit] for unit in units]
    finally:
        kept.close()


def _results(units: Sequence[Unit], run: Run) -> Iterator[FileResult]:
    """What came of each file, in order."""
    from perflint.filecheck import check_unit, lost

    progress = run.options.progress
    progress(0, len(units), str(units[0].path))
    with closing(each(lambda i: check_unit(units[i], run), len(units), run.options.jobs)) as all_:
        for done, (unit, result) in enumerate(zip(units, all_, strict=True), 1):
            if done < len(units):
                progress(done, len(units), str(units[done].path))
            yield lost(unit, result.reason, run) if isinstance(result, Crash) else result


def _unused_launches(options: CheckOptions, names: Collection[str]) -> Iterator[str]:
    """A remark on each launch given for a kernel that is in none of the files."""
    for spec in options.launches:
        if spec.kernel.rpartition("::")[2] not in names:
            yield f"--launch names `{spec.kernel}`, and no file has a kernel of that name"


def _given(units: Iterable[Unit], options: CheckOptions) -> dict[Path, SourceFacts]:
    """Source facts of the files given.

    A file whose launches cannot be read by itself is read again with the others in sight: block
    sizes may come from a caller or a header there.
    """
    sources = list({u.path: u for u in units if u.path.suffix != ".ptx"}.values())
    found = dict(_facts(sources, (), options))
    if len(found) < 2:
        return found
    unclear = [u for u in sources if _has_unknown_launch(found.get(u.path))]
    return found | dict(_facts(unclear, tuple(found.values()), options))


def _has_unknown_launch(facts: SourceFacts | None) -> bool:
    return facts is not None and any(site.block.value is None for site in facts.launches)


def _facts(
    units: Sequence[Unit], others: Sequence[SourceFacts], options: CheckOptions
) -> Iterator[tuple[Path, SourceFacts]]:
    with closing(each(lambda i: read_facts(units[i], others), len(units), options.jobs)) as all_:
        for unit, facts in zip(units, all_, strict=True):
            if isinstance(facts, SourceFacts):
                yield unit.path, facts


def _gather(results: Sequence[FileResult], options: CheckOptions, files: int) -> Result:
    found = (finding for result in results for finding in result.findings)
    findings = unique(finding for finding in found if finding.code in options.rules)
    unanalysed = {(u.path, u.kernel): u for result in results for u in result.unanalysed}
    kernels = {(result.path, kernel) for result in results for kernel in result.kernels}
    comments = {path: text for result in results for path, text in result.comments.items()}
    suppressed = suppress(findings, comments, rulebook())
    remarks = [remark for result in results for remark in result.remarks]
    if files > 1:  # of one file it is the answer, of many it is noise
        remarks = [remark for remark in remarks if not remark.endswith(NO_KERNEL)]
    remarks += [f"{path}:{wrong.line}: {wrong.message}" for path, wrong in suppressed.problems]
    return Result(
        findings=suppressed.kept,
        unanalysed=tuple(sorted(unanalysed.values(), key=lambda u: (str(u.path), u.line))),
        kernels=len(kernels),
        files=files,
        remarks=tuple(dict.fromkeys(remarks)),
    )


def unique(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """One finding for each rule, place and architecture, in a fixed order.

    Template instances and files that include the same header find the same again: the worst is
    kept, confirmed before undecided, and the others are named in a note.
    """
    groups: dict[tuple[object, ...], list[Finding]] = {}
    for f in findings:
        key = (f.code, f.place, f.arch, f.identity)
        groups.setdefault(key, []).append(f)
    return tuple(sorted((_merged(group) for group in groups.values()), key=Finding.sort_key))


def _merged(group: Sequence[Finding]) -> Finding:
    def rank(f: Finding) -> tuple[object, ...]:
        return (f.verdict != "confirmed", -f.severity)

    best = min(group, key=rank)
    others = {f.kernel for f in group if f.kernel} - {best.kernel}
    if not others:
        return best
    named = ", ".join(sorted(str(k) for k in others)[:3])
    more = f" and {len(others) - 3} more" if len(others) > 3 else ""
    return replace(best, notes=(*best.notes, f"also in {named}{more}"))
