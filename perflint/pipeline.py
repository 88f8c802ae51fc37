"""From files to findings: the one way through (DESIGN, section 1).

Files are checked in processes beside each other. Whatever goes wrong with one kernel or one file
becomes a line about it and costs nothing else.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path

from perflint import bounds
from perflint.evidence import Edit, Fix
from perflint.filecheck import LIMITS, Run, check_unit, failed, lost, shown
from perflint.findings import FileResult, Finding, Result, Silenced
from perflint.frontend.model import SourceFacts
from perflint.options import CheckOptions
from perflint.parallel import Crash, each
from perflint.rulebook import rules as rulebook
from perflint.rules.protocol import Failure
from perflint.ruleset import Ruleset, load
from perflint.span import Span
from perflint.suppression import Suppression, place_of
from perflint.suppression import apply as suppress
from perflint.translation_units import Unit, read_facts
from perflint.translation_units import units as units_of

NO_KERNEL = "there is no kernel in it"  #: the front end's remark on a file of host code


def check(paths: Sequence[Path], options: CheckOptions) -> Result:
    """Lint `paths` (files, as discovery found them) and return everything there is to say.

    Raises ProcessError where no process can be started to check them in.
    """
    with bounds.within(options.bound):
        return _check(paths, options)


def _check(paths: Sequence[Path], options: CheckOptions) -> Result:
    found = units_of(paths, options)
    # CU002 lists the kernels that the other rules could not see, so these must have looked
    ruleset = load(rulebook() if "CU002" in options.rules else options.rules)
    root = Path(os.path.commonpath([p.resolve().parent for p in paths]))
    read, faults = _read(found.units, options, root)
    units = [replace(u, fault=faults.get(u.path, u.fault)) for u in found.units]
    results = list(_results(units, Run(options, ruleset, read, root)))
    names = {name for result in results for name in result.names}
    result = _gather(results, options, ruleset, paths)
    remarks = (*_unused_launches(options, names), *found.remarks, *result.remarks)
    archs = tuple(dict.fromkeys(unit.arch for unit in found.units))
    return replace(result, remarks=remarks, archs=archs)


def _results(units: Sequence[Unit], run: Run) -> Iterator[FileResult]:
    """What came of each file, in order."""
    progress = run.options.progress
    progress(0, len(units), str(units[0].path))
    results = each(lambda i: check_unit(units[i], run), len(units), run.options.jobs, LIMITS)
    with closing(results) as all_:
        for done, (unit, result) in enumerate(zip(units, all_, strict=True), 1):
            if done < len(units):
                progress(done, len(units), str(units[done].path))
            yield lost(unit, result.reason, run) if isinstance(result, Crash) else result


def _unused_launches(options: CheckOptions, names: Collection[str]) -> Iterator[str]:
    """A remark on each launch given for a kernel that is in none of the files."""
    for spec in options.launches:
        if spec.kernel.partition("<")[0].rpartition("::")[2] not in names:
            yield f"--launch names `{spec.kernel}`, and no file has a kernel of that name"


Facts = Mapping[Path, SourceFacts]


def _read(
    units: Iterable[Unit], options: CheckOptions, root: Path
) -> tuple[dict[Path, Facts], dict[Path, str]]:
    """Source facts of the files given and of their headers, by the file given; and why those of
    others cost more than a file may.


    A file whose launches cannot be read by itself is read again with the others in sight: block
    sizes may come from a caller or a header there.
    """
    sources = list({u.path: u for u in units if u.path.suffix != ".ptx"}.values())
    first = dict(_facts(sources, None, options, root))
    found = {p: f for p, f in first.items() if f is not None and not isinstance(f, Crash)}
    faults = {path: crash.reason for path, crash in first.items() if isinstance(crash, Crash)}
    if len(found) < 2:
        return found, faults
    unclear = [u for u in sources if u.path in found and _has_unknown_launch(found[u.path])]
    mains = (next(iter(facts.values())) for facts in found.values())
    texts = {main.path: main.text for main in mains}
    again = _facts(unclear, texts, options, root)
    known = {p: f for p, f in again if f is not None and not isinstance(f, Crash)}
    return found | known, faults


def _has_unknown_launch(facts: Facts) -> bool:
    return any(s.block.value is None for s in next(iter(facts.values())).launches)


def _facts(
    units: Sequence[Unit], others: Mapping[Path, str] | None, options: CheckOptions, root: Path
) -> Iterator[tuple[Path, Facts | Crash | None]]:
    read = each(lambda i: read_facts(units[i], root, others), len(units), options.jobs, LIMITS)
    with closing(read) as all_:
        yield from zip((unit.path for unit in units), all_, strict=True)


def _gather(
    results: Sequence[FileResult], options: CheckOptions, rules: Ruleset, paths: Sequence[Path]
) -> Result:
    found = (finding for result in results for finding in result.findings)
    findings = unique(finding for finding in found if finding.code in options.rules)
    unanalysed = {(u.path, u.kernel): u for result in results for u in result.unanalysed}
    kernels = {(result.path, kernel) for result in results for kernel in result.kernels}
    said = {path: text for result in results for path, text in result.comments.items()}
    suppressed = suppress(findings, said)
    incomplete = {result.path for result in results if not result.complete}
    inputs = {shown(path, options.root) for path in paths if path not in incomplete}
    unused = [(p, s) for p, s in suppressed.unused if p in inputs and s.code in options.rules]
    again = suppress(tuple(_unused(unused, rules)), said)
    dropped = (*suppressed.dropped, *again.dropped)
    remarks = [remark for result in results for remark in result.remarks]
    if len(paths) > 1:  # of one file it is the answer, of many it is noise
        remarks = [remark for remark in remarks if not remark.endswith(NO_KERNEL)]
    remarks += [f"{path}:{wrong.line}: {wrong.message}" for path, wrong in suppressed.problems]
    return Result(
        findings=tuple(sorted((*suppressed.kept, *again.kept), key=Finding.sort_key)),
        unanalysed=tuple(sorted(unanalysed.values(), key=lambda u: (str(u.path), u.line))),
        kernels=len(kernels),
        files=len(paths),
        remarks=tuple(dict.fromkeys(remarks)),
        silenced=tuple(Silenced(finding, comment.reason) for finding, comment in dropped),
    )


def _unused(comments: Iterable[tuple[Path, Suppression]], rules: Ruleset) -> Iterator[Finding]:
    """CU003 for comments that silence nothing, with the comment's end as its fix."""
    for path, comment in comments:
        place = place_of(path, comment)
        found = failed(Failure("unused", comment.written), place, rules)
        if found is not None:
            yield replace(found, identity=comment.written, fix=_taken_out(place, comment))


def _taken_out(place: Span, comment: Suppression) -> Fix | None:
    """The comment gone, if it says nothing else; with its line, if nothing else stands there."""
    if not comment.only or place.line != place.end_line:
        return None
    if comment.alone:
        place = Span(place.path, place.line, 1, place.line + 1, 1)
    return Fix("take the comment out", (Edit(place, ""),), safe=True)


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
