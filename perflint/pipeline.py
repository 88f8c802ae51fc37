"""From files to findings: the one way through (DESIGN, section 1).

Files are checked in processes beside each other. Whatever goes wrong with one kernel or one file
becomes a line about it and costs nothing else.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TypeVar

from perflint import bounds, cache, chance
from perflint.evidence import Edit, Fix
from perflint.failures import failed, shown
from perflint.findings import FileResult, Finding, Result, Silenced, Unanalysed
from perflint.frontend.model import Compilation, SourceFacts
from perflint.options import CheckOptions, Progress, silent
from perflint.parallel import Crash, Workers, ending, in_order, lease, tell, workers
from perflint.report.context import read_source
from perflint.rulebook import rules as rulebook
from perflint.rules.protocol import Failure
from perflint.ruleset import load
from perflint.span import Span
from perflint.suppression import Suppression, place_of, scan, speaks
from perflint.suppression import apply as suppress
from perflint.translation_units import LIMITS, Unit, compile_unit, make_ready, read_facts
from perflint.translation_units import units as units_of

if TYPE_CHECKING:
    from perflint.filecheck import Run

S = TypeVar("S")
T = TypeVar("T")

_ON_FAILURES = "CU0"  #: how the codes of rules on failures begin: these import nothing heavy
NO_KERNEL = "there is no kernel in it"  #: the front end's remark on a file of host code


def check(paths: Sequence[Path], options: CheckOptions) -> Result:
    """Lint `paths` (files, as discovery found them) and return everything there is to say.

    Raises ProcessError where no process can be started to check them in.
    """
    with bounds.within(options.bound):
        return _check(paths, options)


def _check(paths: Sequence[Path], options: CheckOptions) -> Result:
    found = units_of(paths, options)
    root = Path(os.path.commonpath([p.resolve().parent for p in paths]))
    with closing(cache.opened(found.units, options, root)) as kept:
        results = _kept_or_new(found.units, options, root, kept)
    names = {name for result in results for name in result.names}
    result = _gather(results, options, paths)
    remarks = (*_unused_launches(options, names), *found.remarks, *result.remarks)
    archs = tuple(dict.fromkeys(unit.arch for unit in found.units))
    return replace(result, remarks=remarks, archs=archs)


def _kept_or_new(
    units: Sequence[Unit], options: CheckOptions, root: Path, kept: cache.Kept
) -> list[FileResult]:
    """What came of each file, in order: what is kept of earlier runs, and the others checked now.

    Everything that is needed only to check a file is imported only if one must be.
    """
    known = {unit: result for unit in units if (result := kept.get(unit)) is not None}
    left = [unit for unit in units if unit not in known]
    if left:
        mine = replace(options, progress=silent, cache=None, database=None)
        with _staff(units, options, root) as staff:
            read = _read(units, options, root, staff)
            from perflint.filecheck import Run

            todo = [replace(unit, fault=read.faults.get(unit.path, unit.fault)) for unit in left]
            run = Run(mine, load(_wanted(options)), read.facts, root, read.compiled)
            known |= zip(left, _results(todo, run, kept, staff, options.progress), strict=True)
    return [known[unit] for unit in units]


class Staff(Protocol):
    """Finds workers for a function that pickles, here or on other machines."""

    def __call__(
        self, function: Callable[[S], T], *, heard: Callable[[str], None]
    ) -> Workers[S, T]: ...


@contextmanager
def _staff(units: Sequence[Unit], options: CheckOptions, root: Path) -> Iterator[Staff]:
    """Who is to do the work. Raises ProcessError."""
    if options.cluster is None:
        yield partial(workers, jobs=options.jobs, limits=LIMITS)
        return
    from perflint.cluster.client import connected

    with connected(options.cluster, units, options, root) as cluster:
        yield partial(cluster.workers, limits=LIMITS)


def _wanted(options: CheckOptions) -> Collection[str]:
    """The rules that must look at the files."""
    # CU002 lists the kernels that the other rules could not see, so these must have looked
    return rulebook() if "CU002" in options.rules else options.rules


def _results(
    units: Sequence[Unit], run: Run, kept: cache.Kept, staff: Staff, progress: Progress
) -> list[FileResult]:
    """What came of each file, in order; kept as soon as it is there."""
    from perflint.assembly import Assembly
    from perflint.filecheck import Checking

    results: dict[int, FileResult] = {}
    files = [Assembly(number, unit, run) for number, unit in enumerate(units)]
    crew = staff(
        Checking(tuple(units), run),
        heard=lambda what: progress(len(results), len(units), what),
    )
    with ending(crew):
        for number in largest_first(units):
            crew.submit(files[number].first())
        for part, answer in crew.completed():
            number = part.file
            for more in files[number].took(part, answer, crew.idle):
                crew.submit(more, soon=True)
            if (result := files[number].result) is not None:
                results[number] = result
                kept.put(units[number], result)
    return [results[number] for number in range(len(units))]


def largest_first(units: Sequence[Unit]) -> list[int]:
    """The files by size, which is the best that is known of how long they take."""

    def size(number: int) -> int:
        try:
            return units[number].path.stat().st_size
        except OSError:
            return 0

    return sorted(range(len(units)), key=size, reverse=True)


def _unused_launches(options: CheckOptions, names: Collection[str]) -> Iterator[str]:
    """A remark on each launch given for a kernel that is in none of the files."""
    for spec in options.launches:
        if spec.kernel.partition("<")[0].rpartition("::")[2] not in names:
            yield f"--launch names `{spec.kernel}`, and no file has a kernel of that name"


Facts = Mapping[Path, SourceFacts]


@dataclass(frozen=True)
class _Found:
    """What a process finds in a source file."""

    facts: Facts | None
    compiled: Compilation | None = None
    whole: bool = True  #: no clock and no shortage of memory had a part in it


@dataclass(frozen=True)
class _Reading:
    """What processes do to find the facts of some files; and to compile them, with `ahead`."""

    units: tuple[Unit, ...]
    root: Path
    others: Mapping[Path, str] | None
    ahead: CheckOptions | None = None

    def __call__(self, number: int) -> _Found:
        unit = self.units[number]
        tell(str(unit.path))
        cuts = chance.cuts()
        if self.ahead is not None:
            make_ready(self.ahead)
        facts, compiled = read_facts(unit, self.root, self.others), None
        if self.ahead is not None:
            lease(LIMITS.cpu_seconds)
            with contextlib.suppress(Exception):  # checking compiles again, and tells
                compiled = compile_unit(unit, self.ahead, self.root, facts)
        return _Found(facts, compiled, chance.cuts() == cuts)


@dataclass(frozen=True)
class _Read:
    """What is known of the files before any is checked."""

    facts: Mapping[Path, Facts]  #: of the files given and of their headers, by the file given
    faults: Mapping[Path, str]  #: why those of others cost more than a file may
    compiled: Mapping[Unit, Compilation]  #: what was compiled already


def _read(units: Sequence[Unit], options: CheckOptions, root: Path, staff: Staff) -> _Read:
    """Read the source files.

    A file whose launches cannot be read by itself is read again with the others in sight: block
    sizes may come from a caller or a header there. One by itself is compiled too, while this
    process imports what checking takes.
    """
    sources = list({u.path: u for u in units if u.path.suffix != ".ptx"}.values())
    ahead = options if len(units) == len(sources) == 1 and options.cluster is None else None
    if sources:  # processes need it, and so does this one
        import_module("perflint.frontend.nvrtc.cuda_file")
    first = dict(_facts(sources, None, ahead, options, root, staff))
    found = {
        p: f.facts for p, f in first.items() if not isinstance(f, Crash) and f.facts is not None
    }
    faults = {path: crash.reason for path, crash in first.items() if isinstance(crash, Crash)}
    compiled = {
        unit: f.compiled
        for unit in sources
        if isinstance(f := first[unit.path], _Found) and f.compiled is not None
    }
    if len(found) < 2:
        return _Read(found, faults, compiled)
    unclear = [u for u in sources if u.path in found and _has_unknown_launch(found[u.path])]
    mains = (next(iter(facts.values())) for facts in found.values())
    texts = {main.path: main.text for main in mains}
    again = _facts(unclear, texts, None, options, root, staff)
    known = {p: f.facts for p, f in again if not isinstance(f, Crash) and f.facts is not None}
    return _Read(found | known, faults, compiled)


def _import_all(options: CheckOptions) -> None:
    """Import what checking takes: forked processes then have it."""
    import_module("perflint.assembly")
    load(_wanted(options))


def _has_unknown_launch(facts: Facts) -> bool:
    return any(s.block.value is None for s in next(iter(facts.values())).launches)


def _facts(
    units: Sequence[Unit],
    others: Mapping[Path, str] | None,
    ahead: CheckOptions | None,
    options: CheckOptions,
    root: Path,
    staff: Staff,
) -> Iterator[tuple[Path, _Found | Crash]]:
    progress = options.progress
    crew = staff(
        _Reading(tuple(units), root, others, ahead),
        heard=lambda what: progress(0, len(units), what and f"reading {what}"),
    )
    with ending(crew):
        for number in largest_first(units):
            crew.submit(number)
        _import_all(options)
        for unit, found in zip(units, in_order(crew), strict=True):
            if isinstance(found, Crash) or not found.whole:
                chance.spoil()  # the facts of one file serve the others
            yield unit.path, found


def _gather(results: Sequence[FileResult], options: CheckOptions, paths: Sequence[Path]) -> Result:
    found = (finding for result in results for finding in result.findings)
    findings = unique(finding for finding in found if finding.code in options.rules)
    unanalysed = {(u.path, u.kernel): u for result in results for u in result.unanalysed}
    kernels = {(result.path, kernel) for result in results for kernel in result.kernels}
    said = {path: text for result in results for path, text in result.comments.items()}
    suppressed = suppress(findings, said)
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
    )


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
    rules = load([code for code in _wanted(options) if code.startswith(_ON_FAILURES)])
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
