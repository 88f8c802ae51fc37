"""One file: compiled, parsed, every kernel of it checked, whatever goes wrong told."""

from __future__ import annotations

import os
import traceback
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path
from time import process_time
from typing import TYPE_CHECKING, Literal

from perflint import chance, frontend
from perflint.check_kernel import Outcome, check_kernel
from perflint.constructs import Constructs
from perflint.edits import apply_edits, by_file
from perflint.evidence import Edit
from perflint.experiment import Plan
from perflint.failures import failed, shown
from perflint.findings import FileResult, Finding, LaunchNote, Related, Unanalysed
from perflint.frontend.model import Compilation, CompileError
from perflint.frontend.source.constructs import constructs_of
from perflint.frontend.source.launch_sites import launches_of
from perflint.frontend.source.model import SourceFacts
from perflint.frontend.source.reading import UnreadableError, read_text, standing_in_for
from perflint.grammar import PtxSyntaxError, parse
from perflint.grammar.model import Function, Module
from perflint.options import CheckOptions
from perflint.parallel import lease, tell
from perflint.resources import Resources
from perflint.rulebook import rules as rulebook
from perflint.rules.protocol import Failure
from perflint.ruleset import Ruleset
from perflint.span import Span
from perflint.subject import RecompileError, Subject, source_kernel
from perflint.suppression import Comments, scan, speaks
from perflint.translation_units import Unit, compile_unit

if TYPE_CHECKING:
    from perflint.run.records import Records

#: A file's kernels are simulated until they have used up the budgets of so many.
KERNEL_BUDGETS = 30
#: CPU time of one kernel, beyond which it is out of hand: its budgets count instructions, so that a
#: busy machine must not come near it.
KERNEL_SECONDS = 60.0
#: The share of the budget that instances of one template get, from the first to the one named: they
#: have the same lines, and mostly the same faults.
SHARES = ((1, 1.0), (6, 0.25), (1 << 30, 0.0625))


@dataclass(frozen=True, eq=False)
class Run:
    """What is the same for all files of one run."""

    options: CheckOptions
    rules: Ruleset
    #: by each file given, the facts of it and of its headers: their launches serve each other
    facts: Mapping[Path, Mapping[Path, SourceFacts]]
    root: Path  #: the folder that holds all files given: headers are looked for by name below it


_USED_UP = "the kernels before it used up the file's time; a larger --budget gives it more"


def check_unit(unit: Unit, run: Run) -> FileResult:
    """All that is to be said of one file. Never raises: a fault of ours costs this file alone."""
    if unit.fault:
        return lost(unit, unit.fault, run)
    cuts = chance.cuts()
    try:
        result = _check(unit, _compile(unit, run), run)
    except Exception as error:
        return lost(unit, internal(error), run)
    return result if chance.cuts() == cuts else replace(result, repeats=False)


def _compile(unit: Unit, run: Run) -> Compilation:
    return compile_unit(unit, run.options, run.root, run.facts.get(unit.path))


def lost(unit: Unit, reason: str, run: Run) -> FileResult:
    """The result of a file that could not be checked at all."""
    item = Unanalysed(shown(unit.path, run.options.root), None, reason)
    findings = tuple(f for f in _listed(item, "analysis", run) if f)
    return FileResult(unit.path, findings, (item,), (), repeats=False)


def internal(error: Exception) -> str:
    """A reason for people, for an error that should not be. PERFLINT_TRACEBACK=1 shows more."""
    chance.cut()
    if os.environ.get("PERFLINT_TRACEBACK"):
        traceback.print_exception(error)
    if isinstance(error, MemoryError):
        return "it takes too much memory"
    if isinstance(error, RecursionError):
        return "its expressions or statements are nested too deeply"
    text = " ".join(str(error).split())
    return f"internal error ({type(error).__name__}: {text}); please report it"


def _check(unit: Unit, compilation: Compilation, run: Run) -> FileResult:
    path, root = unit.path, run.options.root
    findings = [_failed(error, run) for error in compilation.errors if error.genuine]
    unanalysed = [
        Unanalysed(shown(error.path, root), None, error.message, max(1, error.line))
        for error in compilation.errors
        if not error.genuine
    ]
    unanalysed += [
        Unanalysed(shown(lost.span.path, root), lost.name or None, lost.reason, lost.span.line)
        for lost in compilation.lost
    ]
    remarks = list(compilation.remarks)
    partial: list[Unanalysed] = []
    kernels: list[str] = []
    parsed = True
    if compilation.ptx is not None:
        try:
            module = parse(compilation.ptx, str(path))
        except PtxSyntaxError as error:
            findings.append(_refused(path, error, run))
            parsed = False
        else:
            begun = process_time()
            for subject in subjects(unit, module, compilation, run):
                remarks += _unknown_arguments(subject)
                if process_time() - begun > KERNEL_BUDGETS * run.options.budget:
                    chance.cut()
                    unanalysed.append(subject.not_analysed(_USED_UP))
                    continue
                lease(KERNEL_SECONDS + run.options.budget)
                tell(f"{path}: {subject.title}")
                try:
                    outcome = check_kernel(subject, run.rules.kernel)
                except Exception as error:  # a fault of ours must not cost the other kernels
                    outcome = Outcome(unanalysed=subject.not_analysed(internal(error)))
                findings += outcome.findings
                remarks += outcome.remarks
                if outcome.partial:
                    partial.append(outcome.partial)
                if outcome.unanalysed:
                    unanalysed.append(outcome.unanalysed)
                else:
                    kernels.append(subject.title)
    findings += [f for u in unanalysed for f in _listed(u, "analysis", run)]
    findings += [f for u in partial for f in _listed(u, "partial", run)]
    return FileResult(
        path=path,
        findings=tuple(relative(f, root) for f in findings if f is not None),
        unanalysed=tuple(replace(u, path=shown(u.path, root)) for u in unanalysed),
        kernels=tuple(kernels),
        remarks=tuple(_without_root(remark, root) for remark in remarks),
        names=frozenset(
            {*compilation.entries, *(origin.kernel for origin in compilation.entries.values())}
        ),
        complete=parsed and not (unanalysed or partial or compilation.errors),
        comments=_comments(compilation, findings, root),
    )


def _comments(
    compilation: Compilation, findings: Iterable[Finding | None], root: Path
) -> dict[Path, Comments]:
    """What the files that findings may lie in say to perflint."""
    texts = {facts.path: facts.text for facts in compilation.facts.values()}
    if compilation.path.suffix == ".ptx":
        texts[compilation.path] = compilation.ptx or ""
    for finding in findings:  # PTX made by Triton names its Python source
        path = finding.place.path if finding else compilation.path
        if path.suffix == ".py" and path not in texts:
            with suppress(UnreadableError):
                texts[path] = read_text(path)
    said = {
        shown(path, root): scan(text, rulebook(), python=path.suffix == ".py")
        for path, text in texts.items()
        if speaks(text)
    }
    return {path: comments for path, comments in said.items() if comments != Comments()}


def _unknown_arguments(subject: Subject) -> Iterator[str]:
    """A remark on each argument of a launch given that is no parameter of the kernel."""
    names = subject.parameters
    for spec in subject.specs:
        for name, _ in spec.arguments:
            if name not in names:
                has = f"it has {', '.join(names)}" if names else "it has none"
                yield f"--launch {spec.kernel}: `{name}` is no parameter of the kernel; {has}"


def subjects(unit: Unit, module: Module, compilation: Compilation, run: Run) -> Iterator[Subject]:
    """The module's kernels with what the sources say of them."""
    facts = _by_real_path(compilation.facts.values())
    mains = (next(iter(found.values())) for found in run.facts.values())
    others = [f for path, f in _by_real_path(mains).items() if path not in facts]
    figures = cache(partial(frontend.resources, compilation))
    instances: Counter[str] = Counter()
    for kernel in module.kernels:
        origin = compilation.entries.get(kernel.name) or frontend.origin_of(kernel.name)
        sources = [*facts.values(), *others]
        instances[origin.kernel] += bool(origin.template_arguments)
        share = next(s for last, s in SHARES if instances[origin.kernel] <= last)
        yield Subject(
            module=module,
            kernel=kernel,
            path=unit.path,
            facts=facts,
            origin=origin,
            source=source_kernel(facts.values(), origin, len(kernel.parameters)),
            launches=launches_of(origin.kernel, origin.template_arguments, sources),
            specs=tuple(
                spec
                for spec in (
                    *run.options.launches,
                    *run.options.file_launches.get(unit.path, ()),
                )
                if spec.kernel in (kernel.name, origin.kernel, origin.title)
                or spec.kernel.endswith(f"::{origin.kernel}")
            ),
            arch=unit.arch,
            targets=run.options.arch or (unit.arch,),
            budget=share * run.options.budget,
            cache_size=run.options.cache_size,
            min_waste=run.options.min_waste,
            constructs=lambda path: _constructs(facts, path),
            recorded=recorded_plans(kernel, run.options.recorded),
            written=_recorded_writes(kernel, run.options.recorded, module, facts.values()),
            resources=partial(_resources, figures, kernel.name),
            recompile=None if unit.path.suffix == ".ptx" else partial(_recompile, unit, run),
        )


def recorded_plans(kernel: Function, records: Records | None) -> tuple[Plan, ...]:
    """The recorded launches of a kernel, by the name of its entry."""
    if records is None:
        return ()
    from perflint.run.judge import plan

    mine = [r for r in records.launches if r.kernel == kernel.name and r.image is not None]
    return tuple(plan(kernel, each) for each in mine)


def _recorded_writes(
    kernel: Function, records: Records | None, module: Module, facts: Collection[SourceFacts]
) -> frozenset[str]:
    """The arrays that recorded launches of other kernels may have written."""
    if records is None:
        return frozenset()
    from perflint.run.judge import written_by_others

    return written_by_others(kernel.name, records.launches, module, facts)


def _resources(figures: Callable[[], Mapping[str, Resources]], kernel: str) -> Resources | None:
    return figures().get(kernel)


def _constructs(facts: Mapping[Path, SourceFacts], path: Path) -> Constructs | None:
    known = facts.get(path) if path.suffix != ".py" else None
    return constructs_of(known.path, known.text) if known else None


def _recompile(unit: Unit, run: Run, edits: Sequence[Edit]) -> Module:
    """The module of a file with edits in it or in what it includes. Raises RecompileError."""
    try:
        edited = {
            path: apply_edits(read_text(path), changes) for path, changes in by_file(edits).items()
        }
        with standing_in_for(edited):
            compilation = _compile(unit, run)
        if compilation.ptx is None:
            reasons = [error.message for error in compilation.errors]
            raise RecompileError(f"the edited source does not compile: {'; '.join(reasons[:1])}")
        return parse(compilation.ptx, str(unit.path))
    except (PtxSyntaxError, ValueError) as error:
        raise RecompileError(f"the edited source: {error}") from error


def _by_real_path(facts: Iterable[SourceFacts]) -> dict[Path, SourceFacts]:
    return {Path(os.path.realpath(f.path)): f for f in facts}


# --- failures -------------------------------------------------------------------------------------


def _failed(error: CompileError, run: Run) -> Finding | None:
    """A compiler's message as the rules see it, with what it points at underlined."""
    failure = Failure("compile", error.message, genuine=error.genuine)
    line, column = max(1, error.line), max(1, error.column)
    return _failure(failure, Span(error.path, line, column, line, column + 1), run)


def _refused(path: Path, error: PtxSyntaxError, run: Run) -> Finding | None:
    failure = Failure("compile", error.message)
    place = Span(path, error.line, error.column, error.line, error.column + 1)
    return _failure(failure, place, run)


def _listed(item: Unanalysed, kind: Literal["analysis", "partial"], run: Run) -> Iterator[Finding]:
    failure = Failure(kind, item.reason, kernel=item.kernel, genuine=False)
    place = Span(item.path, item.line, 1, item.line, 2)
    if finding := _failure(failure, place, run):
        yield replace(finding, kernel=item.kernel)


def _failure(failure: Failure, place: Span, run: Run) -> Finding | None:
    return failed(failure, place, run.rules)


def _without_root(text: str, root: Path) -> str:
    """A remark with the paths below the working directory made relative to it."""
    return text.replace(f"{os.path.realpath(root)}{os.sep}", "")


def relative(finding: Finding, root: Path) -> Finding:
    """A finding with its paths as reports have them."""

    def place(p: Span) -> Span:
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
