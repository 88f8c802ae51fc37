"""From files to findings: the one way through (DESIGN, section 1).

Each file is compiled in a worker process while the one before it is analysed here. Whatever goes
wrong with one kernel or one file becomes a line about it and costs nothing else.
"""

from __future__ import annotations

import os
import traceback
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from perflint import frontend
from perflint.compiling import compile_unit
from perflint.findings import FileResult, Finding, LaunchNote, Place, Related, Result, Unanalysed
from perflint.frontend.launches import launches_of
from perflint.frontend.model import Compilation, CompileError, LostKernel, SourceFacts, Span
from perflint.frontend.source import read as read_source
from perflint.grammar import PtxSyntaxError, parse
from perflint.grammar.model import Module
from perflint.kernels import Outcome, Subject, check_kernel, not_analysed, source_kernel
from perflint.options import CheckOptions
from perflint.rulebook import rules as rulebook
from perflint.rules.protocol import Failure
from perflint.ruleset import Ruleset, load
from perflint.suppression import apply as suppress

NO_KERNEL = "there is no kernel in it"  #: the front end's remark on a file of host code
#: Files compiled ahead of the one in analysis, for each job.
AHEAD = 2


@dataclass(frozen=True, eq=False)
class _Job:
    """What is the same for all files of one run."""

    options: CheckOptions
    arch: str
    rules: Ruleset
    given: Mapping[Path, SourceFacts]  #: of all files given: their launches serve each other
    root: Path  #: the folder that holds all files given: headers are looked for by name below it


def check(paths: Sequence[Path], options: CheckOptions) -> Result:
    """Lint `paths` (files, as discovery found them) and return everything there is to say."""
    # CU002 lists the kernels that the other rules could not see, so these must have looked
    ruleset = load(rulebook() if "CU002" in options.rules else options.rules)
    given = _given(paths, options)
    results: list[FileResult] = []
    texts: dict[Path, str] = {}
    names: set[str] = set()  #: what a --launch may call the kernels
    for arch in options.arch:
        root = Path(os.path.commonpath([p.resolve().parent for p in paths]))
        job = _Job(options, arch, ruleset, given, root)
        for done, (path, compilation) in enumerate(_compiled(paths, job)):
            options.progress(done, len(paths), str(path))
            results.append(_check_file(path, compilation, job))
            names |= {*compilation.entries, *(o.kernel for o in compilation.entries.values())}
            texts |= {shown(f.path, options.root): f.text for f in compilation.facts.values()}
    result = _gather(results, texts, options, len(paths))
    return replace(result, remarks=(*_unused_launches(options, names), *result.remarks))


def _unused_launches(options: CheckOptions, names: Collection[str]) -> Iterator[str]:
    """A remark on each launch given for a kernel that is in none of the files."""
    for spec in options.launches:
        if spec.kernel.rpartition("::")[2] not in names:
            yield f"--launch names `{spec.kernel}`, and no file has a kernel of that name"


def _given(paths: Sequence[Path], options: CheckOptions) -> dict[Path, SourceFacts]:
    """Source facts of the files given.

    A file whose launches cannot be read by itself is read again with the others in sight: block
    sizes may come from a caller or a header there.
    """
    found = {p: facts for p in paths if p.suffix != ".ptx" and (facts := _facts(p, (), options))}
    if len(found) < 2:
        return found
    others = tuple(found.values())
    for path, facts in found.items():
        if any(site.block.value is None for site in facts.launches):
            found[path] = _facts(path, others, options) or facts
    return found


def _facts(path: Path, others: Sequence[SourceFacts], options: CheckOptions) -> SourceFacts | None:
    """The source's facts; None where it cannot be read (the compilation says why)."""
    macros = {name: value or "1" for name, _, value in (d.partition("=") for d in options.define)}
    try:
        return read_source(path, others=others, include=options.include, define=macros)
    except (OSError, ValueError):
        return None


def _gather(
    results: Sequence[FileResult], texts: Mapping[Path, str], options: CheckOptions, files: int
) -> Result:
    found = (finding for result in results for finding in result.findings)
    findings = unique(finding for finding in found if finding.code in options.rules)
    unanalysed = {(u.path, u.kernel): u for result in results for u in result.unanalysed}
    kernels = {(result.path, kernel) for result in results for kernel in result.kernels}
    suppressed = suppress(findings, texts, rulebook())
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


# --- compiling ------------------------------------------------------------------------------------


def _compiled(paths: Sequence[Path], job: _Job) -> Iterator[tuple[Path, Compilation]]:
    """Each file's compilation, in order; the next ones are compiled meanwhile."""
    workers = max(1, job.options.jobs)
    with frontend.Pool() as pool, ThreadPoolExecutor(workers) as executor:
        futures: list[Future[Compilation]] = []
        try:
            for i, path in enumerate(paths):
                while len(futures) < min(len(paths), i + 1 + AHEAD * workers):
                    ahead = paths[len(futures)]
                    futures.append(executor.submit(_compile, ahead, job, pool))
                yield path, _outcome(path, futures[i], job)
        except BaseException:  # Ctrl-C: end the compilers, or leaving would wait for them
            executor.shutdown(wait=False, cancel_futures=True)
            pool.close()
            raise


def _outcome(path: Path, future: Future[Compilation], job: _Job) -> Compilation:
    try:
        return future.result()
    except Exception as error:  # a fault of ours must not cost the other files
        lost = LostKernel("", Span(path, 1, 1, 1, 2), internal(error))
        return Compilation(path, None, {}, {}, lost=(lost,), arch=job.arch)


def _compile(path: Path, job: _Job, pool: frontend.Pool) -> Compilation:
    return compile_unit(path, arch=job.arch, options=job.options, root=job.root, pool=pool)


def internal(error: Exception) -> str:
    """A reason for people, for an error that should not be. PERFLINT_TRACEBACK=1 shows more."""
    if os.environ.get("PERFLINT_TRACEBACK"):
        traceback.print_exception(error)
    text = " ".join(str(error).split())
    return f"internal error ({type(error).__name__}: {text}); please report it"


# --- one file -------------------------------------------------------------------------------------


def _check_file(path: Path, compilation: Compilation, job: _Job) -> FileResult:
    root = job.options.root
    findings = [_failed(error, job) for error in compilation.errors if error.genuine]
    unanalysed = [
        Unanalysed(shown(error.path, root), None, error.message, max(1, error.line))
        for error in compilation.errors
        if not error.genuine
    ]
    unanalysed += [
        Unanalysed(shown(lost.span.path, root), lost.name or None, lost.reason, lost.span.line)
        for lost in compilation.lost
    ]
    partial: list[Unanalysed] = []
    kernels: list[str] = []
    if compilation.ptx is not None:
        try:
            module = parse(compilation.ptx, str(path))
        except PtxSyntaxError as error:
            findings.append(_refused(path, error, job))
        else:
            for subject in _subjects(path, module, compilation, job):
                try:
                    outcome = check_kernel(subject, job.rules.kernel)
                except Exception as error:  # a fault of ours must not cost the other kernels
                    outcome = Outcome(unanalysed=not_analysed(subject, internal(error)))
                findings += outcome.findings
                if outcome.partial:
                    partial.append(outcome.partial)
                if outcome.unanalysed:
                    unanalysed.append(outcome.unanalysed)
                else:
                    kernels.append(subject.title)
    findings += [f for u in unanalysed for f in _listed(u, "analysis", job)]
    findings += [f for u in partial for f in _listed(u, "partial", job)]
    return FileResult(
        path=path,
        findings=tuple(_relative(f, root) for f in findings if f is not None),
        unanalysed=tuple(replace(u, path=shown(u.path, root)) for u in unanalysed),
        kernels=tuple(kernels),
        remarks=tuple(_without_root(remark, root) for remark in compilation.remarks),
    )


def _subjects(path: Path, module: Module, compilation: Compilation, job: _Job) -> Iterator[Subject]:
    """The module's kernels with what the sources say of them."""
    facts = _by_real_path(compilation.facts.values())
    others = [f for f in _by_real_path(job.given.values()).values() if f not in facts.values()]
    for kernel in module.kernels:
        origin = compilation.entries.get(kernel.name) or frontend.origin_of(kernel.name)
        sources = [*facts.values(), *others]
        yield Subject(
            module=module,
            kernel=kernel,
            path=path,
            facts=facts,
            origin=origin,
            source=source_kernel(facts.values(), origin, len(kernel.parameters)),
            launches=launches_of(origin.kernel, origin.template_arguments, sources),
            specs=tuple(
                spec
                for spec in job.options.launches
                if spec.kernel in (kernel.name, origin.kernel)
                or spec.kernel.endswith(f"::{origin.kernel}")
            ),
            arch=job.arch,
            budget=job.options.budget,
        )


def _by_real_path(facts: Iterable[SourceFacts]) -> dict[Path, SourceFacts]:
    return {Path(os.path.realpath(f.path)): f for f in facts}


# --- failures -------------------------------------------------------------------------------------


def _failed(error: CompileError, job: _Job) -> Finding | None:
    """A compiler's message as the rules see it, with what it points at underlined."""
    failure = Failure("compile", error.message, genuine=error.genuine)
    line, column = max(1, error.line), max(1, error.column)
    return _failure(failure, Place(error.path, line, column, line, column + 1), job)


def _refused(path: Path, error: PtxSyntaxError, job: _Job) -> Finding | None:
    failure = Failure("compile", error.message)
    place = Place(path, error.line, error.column, error.line, error.column + 1)
    return _failure(failure, place, job)


def _listed(item: Unanalysed, kind: Literal["analysis", "partial"], job: _Job) -> Iterator[Finding]:
    failure = Failure(kind, item.reason, kernel=item.kernel, genuine=False)
    place = Place(item.path, item.line, 1, item.line, 2)
    if finding := _failure(failure, place, job):
        yield replace(finding, kernel=item.kernel)


def _failure(failure: Failure, place: Place, job: _Job) -> Finding | None:
    for rule in job.rules.failure:
        for suspicion in rule.suspect(failure):
            judgement = rule.judge(suspicion, (), ())
            return Finding(
                code=rule.RULE.code,
                name=rule.RULE.name,
                level=rule.RULE.level,
                verdict="confirmed",
                message=judgement.message,
                place=place,
                help=judgement.help,
            )
    return None


# --- all files ------------------------------------------------------------------------------------


def unique(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """One finding for each rule, place and architecture, in a fixed order.

    Template instances and files that include the same header find the same again: the worst is
    kept, confirmed before undecided, and the others are named in a note.
    """
    groups: dict[tuple[object, ...], list[Finding]] = {}
    for f in findings:
        key = (f.code, f.place, f.arch, f.message if f.code.startswith("CU0") else _subject(f))
        groups.setdefault(key, []).append(f)
    return tuple(sorted((_merged(group) for group in groups.values()), key=Finding.sort_key))


def _subject(finding: Finding) -> str:
    """What a message is about, without its figures: `store to `out``."""
    return " ".join(finding.message.split()[:3])


def _merged(group: Sequence[Finding]) -> Finding:
    def rank(f: Finding) -> tuple[object, ...]:
        worst = max((e.measured / max(e.golden, 1e-9) for e in f.evidence), default=0.0)
        return (f.verdict != "confirmed", -worst)

    best = min(group, key=rank)
    others = {f.kernel for f in group if f.kernel} - {best.kernel}
    if not others:
        return best
    named = ", ".join(sorted(str(k) for k in others)[:3])
    more = f" and {len(others) - 3} more" if len(others) > 3 else ""
    return replace(best, notes=(*best.notes, f"also in {named}{more}"))


def shown(path: Path, root: Path) -> Path:
    """A path as reports have it: relative to the working directory where it lies below it."""
    absolute = Path(os.path.realpath(path))
    try:
        return absolute.relative_to(os.path.realpath(root))
    except ValueError:
        return absolute


def _without_root(text: str, root: Path) -> str:
    """A remark with the paths below the working directory made relative to it."""
    return text.replace(f"{os.path.realpath(root)}{os.sep}", "")


def _relative(finding: Finding, root: Path) -> Finding:
    def place(p: Place) -> Place:
        return replace(p, path=shown(p.path, root))

    launch: LaunchNote | None = finding.launch
    if launch and launch.place:
        launch = replace(launch, place=place(launch.place))
    return replace(
        finding,
        place=place(finding.place),
        launch=launch,
        related=tuple(Related(place(r.place), r.message) for r in finding.related),
    )
