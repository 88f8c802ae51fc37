"""One result of what came of many files: each finding once, and the sources' comments heeded."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path

from perflint.base.evidence import Edit, Fix
from perflint.base.patterns import pattern
from perflint.base.span import Span
from perflint.lint.comments import Comments, Suppression
from perflint.lint.failures import failed, shown
from perflint.lint.findings import (
    LEVELS,
    SAME,
    FileResult,
    Finding,
    Related,
    Result,
    Silenced,
    Unanalysed,
)
from perflint.lint.options import CheckOptions
from perflint.lint.rulebook import rules as rulebook
from perflint.lint.ruleset import load
from perflint.lint.source_text import read_source
from perflint.lint.suppression import Suppressed, place_of, scan, speaks
from perflint.lint.suppression import apply as suppress
from perflint.rules.protocol import Failure
from perflint.work.own_places import in_own_places

_ON_FAILURES = "CU0"  #: how the codes of rules on failures begin: these import nothing heavy
_FIGURE = pattern(r"\d[\d.,]*")
NO_KERNEL = "there is no kernel in it"  #: the front end's remark on a file of host code


def gather(results: Sequence[FileResult], options: CheckOptions, paths: Sequence[Path]) -> Result:
    """What came of all files given (`paths`): each finding once, comments heeded."""
    found = (finding for result in results for finding in result.findings)
    findings = unique(finding for finding in found if finding.code in options.rules)
    unanalysed = {(u.path, u.kernel): u for result in results for u in result.unanalysed}
    kernels = {(result.path, kernel) for result in results for kernel in result.kernels}
    said = {path: text for result in results for path, text in result.comments.items()}
    suppressed = _heeded(findings, said, options, _of_ptx(results))
    incomplete = {result.path for result in results if not result.complete}
    inputs = {shown(path, options.root) for path in paths if path not in incomplete}
    unused = [(p, s) for p, s in suppressed.unused if p in inputs and s.code in options.rules]
    again = suppress(tuple(_unused(unused, options)), said)
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
        accounts=tuple(dict.fromkeys(a for result in results for a in result.accounts)),
        outlines=tuple(dict.fromkeys(o for result in results for o in result.outlines)),
    )


def _of_ptx(results: Sequence[FileResult]) -> frozenset[Path]:
    """The files that PTX names as its sources."""
    return frozenset(
        f.place.path for result in results if result.path.suffix == ".ptx" for f in result.findings
    )


def _heeded(
    findings: Sequence[Finding],
    said: Mapping[Path, Comments],
    options: CheckOptions,
    kept: frozenset[Path],
) -> Suppressed:
    """The sources' comments heeded, where a finding is and where it is shown."""
    first = suppress(findings, said)
    shown = in_own_places(first.kept, options, kept)
    if shown == first.kept:
        return first
    then = suppress(shown, said)
    unused = tuple(each for each in first.unused if each in set(then.unused))
    return replace(then, dropped=(*first.dropped, *then.dropped), unused=unused)


def finished(
    findings: Iterable[Finding],
    unanalysed: Sequence[Unanalysed],
    kernels: int,
    files: int,
    root: Path,
) -> Result:
    """Findings that are not of files given but of launches seen: joined, and comments heeded."""
    found = unique(findings)
    texts = {path: read_source(path) or "" for path in {f.place.path for f in found}}
    said = {
        path: scan(text, rulebook(), python=path.suffix == ".py")
        for path, text in texts.items()
        if speaks(text)
    }
    suppressed = suppress(found, said)
    return Result(
        findings=suppressed.kept,
        unanalysed=tuple(replace(u, path=shown(u.path, root)) for u in unanalysed),
        kernels=kernels,
        files=files,
        remarks=tuple(f"{p}:{wrong.line}: {wrong.message}" for p, wrong in suppressed.problems),
        silenced=tuple(Silenced(f, comment.reason) for f, comment in suppressed.dropped),
    )


def _unused(
    comments: Sequence[tuple[Path, Suppression]], options: CheckOptions
) -> Iterator[Finding]:
    """CU003 for comments that silence nothing, with the comment's end as its fix."""
    if not comments:
        return
    rules = load([code for code in options.rules if code.startswith(_ON_FAILURES)])
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
    """One finding for each rule and place, in a fixed order.

    Template instances and files that include the same header find the same again, and so do other
    GPUs: the worst is kept, confirmed before undecided, and the others are named in notes.
    """
    groups: dict[tuple[object, ...], list[Finding]] = {}
    found = tuple(findings)
    told = {
        (f.code, f.kernel, f.arch, other.place)
        for f in found
        if f.verdict == "confirmed"
        for other in f.related
        if other.message.startswith(SAME)
    }
    for f in found:
        if f.verdict != "confirmed" and (f.code, f.kernel, f.arch, f.place) in told:
            continue  # a copy of what is told with another place of its fault
        key = (f.code, f.place, f.identity, f.arch)
        groups.setdefault(key, []).append(f)
    alike: dict[tuple[object, ...], list[list[Finding]]] = {}
    for (code, place, _, arch), group in groups.items():
        alike.setdefault((code, place, _words(group[0]), arch), []).append(group)
    by_place: dict[tuple[object, ...], list[Finding]] = {}
    for (code, place, *_), several in alike.items():
        for group in _of_one_function(several):
            by_place.setdefault((code, place, group[0].identity), []).append(_merged(group))
    return tuple(sorted(map(_on_all_gpus, by_place.values()), key=Finding.sort_key))


def _words(finding: Finding) -> str:
    """What a finding says, but for its figures."""
    return _FIGURE.sub("0", finding.message)


def _of_one_function(groups: list[list[Finding]]) -> list[list[Finding]]:
    """Groups of a place that say the same of different kernels as one.

    A function that several kernels call stands in each with arrays and counts of its own. Two
    groups of one kernel stay two: these are its two accesses.
    """
    kernels = Counter(kernel for group in groups for kernel in {f.kernel for f in group})
    if len(groups) == 1 or max(kernels.values()) > 1:
        return groups
    return [list(chain.from_iterable(groups))]


def _on_all_gpus(group: Sequence[Finding]) -> Finding:
    """One finding of several GPUs', the first of the worst, with what the others' say else."""
    best = min(group, key=lambda f: (f.verdict != "confirmed", -LEVELS.index(f.level)))
    others = [f for f in group if f is not best and f.arch is not None]
    if not others:
        return best
    return replace(
        best,
        archs=tuple(f.arch for f in group if f.arch is not None and f.verdict == best.verdict),
        notes=(*best.notes, *_beside(best, others)),
    )


def _beside(best: Finding, others: Sequence[Finding]) -> Iterator[str]:
    """What the findings of other GPUs say else."""
    alike = [f for f in others if (f.verdict, f.message) == (best.verdict, best.message)]
    if alike:
        yield f"the same on {', '.join(str(f.arch) for f in alike)}"
    for other in others:
        if other.verdict != best.verdict:
            yield f"on {other.arch} that is not settled: {other.reason}"
        elif other not in alike:
            yield f"on {other.arch}: {other.message}"


def _merged(group: Sequence[Finding]) -> Finding:
    def rank(f: Finding) -> tuple[object, ...]:
        return (f.verdict != "confirmed", -f.severity)

    best = min(group, key=rank)
    others = {f.kernel for f in group if f.kernel} - {best.kernel}
    if not others:
        return best
    named = ", ".join(sorted(str(k) for k in others)[:3])
    more = f" and {len(others) - 3} more" if len(others) > 3 else ""
    return replace(
        best, notes=(*best.notes, f"also in {named}{more}"), related=_related(best, group)
    )


def _related(best: Finding, group: Sequence[Finding]) -> tuple[Related, ...]:
    """The other places of a fault, those of instances that have more of them, too."""
    alike = [each for f in group if f.verdict == best.verdict for each in f.related]
    known = {each.place for each in best.related}
    more = {each.place: each for each in alike if each.place not in known}
    return (*best.related, *sorted(more.values(), key=lambda each: each.place))
