"""One result of a file's parts, whichever processes checked them, and whatever became of these.

It is the result that one process would have come to by itself.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import groupby
from pathlib import Path
from typing import Literal

from perflint.base.endings import NOT_REACHED
from perflint.base.span import Span
from perflint.frontend.source.project.user_files import UnreadableError, read_text
from perflint.lint.check_kernel import Outcome
from perflint.lint.check_run import Run
from perflint.lint.comments import Comments
from perflint.lint.failures import failed, shown
from perflint.lint.findings import FileResult, Finding, LaunchNote, Related, Unanalysed
from perflint.lint.program_share import weighed_in_program
from perflint.lint.rulebook import rules as rulebook
from perflint.lint.suppression import scan, speaks
from perflint.lint.translation_units import Unit
from perflint.rules.protocol import Failure
from perflint.work.crew import Crash
from perflint.work.filecheck import USED_UP, check_part, lost, most_issued
from perflint.work.parts import Answer, Done, Frame, Part
from perflint.work.task import surrounded

#: Kernels of one file that processes die of before the others are given up.
MOST_CRASHES = 3
_GIVEN_UP = "processes that checked other kernels of the file died of them"


class Assembly:
    """The parts of one file: which are to be done, and what came of them."""

    def __init__(self, file: int, unit: Unit, run: Run) -> None:
        self._file, self._unit, self._run = file, unit, run
        self._frame: Frame | None = None
        self._compiled: bytes | None = None
        self._done: dict[int, Done | None] = {}
        self._elsewhere: frozenset[Span] = frozenset()
        self._crashes: dict[int, str] = {}  #: why processes died, by the kernel
        self._out = 0
        self._seconds = 0.0
        self._repeats = True
        self.result: FileResult | None = None  #: once every part is there

    def first(self, elsewhere: frozenset[Span] = frozenset()) -> Part:
        """The part to begin with; without the kernels that other files are checked for."""
        self._out += 1
        self._elsewhere = elsewhere
        return self._part()

    def _part(self, kernels: range | None = None) -> Part:
        return Part(self._file, self._compiled, kernels, elsewhere=self._elsewhere)

    def took(self, part: Part, answer: Answer | Crash, idle: int) -> Sequence[Part]:
        """Take what came of a part, and return the parts to be done next.

        `idle` is how many processes have nothing to do, the one that did this among them.
        """
        self._out -= 1
        if isinstance(answer, Crash):
            more = list(self._after(part, answer))
        else:
            self._frame = answer.frame or self._frame
            self._compiled = answer.compiled or self._compiled
            self._done.update(answer.done)
            self._seconds += answer.seconds
            self._repeats = self._repeats and answer.repeats
            more = list(self._parts(answer.left, idle))
        self._out += len(more)
        if not self._out:
            assert self._frame is not None
            done = [self._done[place] for place in range(self._frame.kernels)]
            result = assembled(self._frame, [each for each in done if each], self._run)
            self.result = replace(result, repeats=self._repeats)
            self._compiled = None
        return more

    def ended(self) -> FileResult:
        """What there is to say of a file that is not finished and will not be."""
        done = [each for each in self._done.values() if each]
        frame = self._frame or Frame(self._unit.path)
        known = self._run.facts.get(self._unit.path)
        kernels = next(iter(known.values())).kernels if known else ()
        seen = {each.source for each in done} | self._elsewhere
        left = [
            Unanalysed(self._unit.path, kernel.name, NOT_REACHED, kernel.span.line)
            for kernel in kernels
            if kernel.active and kernel.name_span not in seen
        ]
        if not known:
            left = [Unanalysed(self._unit.path, None, NOT_REACHED)]
        frame = replace(frame, unanalysed=(*frame.unanalysed, *left), complete=False)
        return replace(assembled(frame, done, self._run), complete=False, repeats=False)

    def _parts(self, kernels: range, idle: int) -> Iterator[Part]:
        """Parts for some kernels: of those that processes died of it is only told."""
        given_up = _GIVEN_UP if len(self._crashes) > MOST_CRASHES else ""
        fates = (self._crashes.get(place, given_up) for place in kernels)
        start = kernels.start
        for fate, group in groupby(fates):
            stop = start + len(list(group))
            if fate:
                yield replace(self._part(range(start, stop)), fate=fate)
            else:
                yield from self._shared(range(start, stop), idle)
            start = stop

    def _shared(self, kernels: range, idle: int) -> Iterator[Part]:
        """The kernels in as many parts as there are processes for them."""
        shares = min(len(kernels), max(1, idle))
        for share in range(shares):
            some = kernels[len(kernels) * share // shares : len(kernels) * (share + 1) // shares]
            issued = sum(d.outcome.issued for at, d in self._done.items() if d and at < some.start)
            yield replace(self._part(some), issued=issued, seconds=self._seconds)

    def _after(self, part: Part, crash: Crash) -> Iterator[Part]:
        """What is left of a part that a process died of: all but the kernel that it was at.

        If that was the file's first part, the file is begun once more, only to be compiled. A
        process that dies of that costs the file.
        """
        self._repeats = False
        if crash.step is not None:
            self._crashes[crash.step] = crash.reason
        if part.compiled is not None and part.kernels is not None:
            if crash.step is None:  # on its way to the kernels
                self._crashes |= dict.fromkeys(part.kernels, crash.reason)
            yield from self._parts(part.kernels, 0)
        elif crash.step is None:
            self._frame = lost(self._unit, crash.reason, self._run)
        else:
            yield self._part(range(0))


def check_unit(unit: Unit, run: Run) -> FileResult:
    """All that is to be said of one file, from this process. Never raises."""
    file = Assembly(0, unit, run)
    part = file.first()
    with surrounded(idle=lambda: 0):  # nobody takes anything over
        file.took(part, check_part(part, unit, run), 0)
    assert file.result is not None
    return file.result


def assembled(frame: Frame, kernels: Sequence[Done], run: Run) -> FileResult:
    """What there is to say of a file with all its kernels."""
    root = run.options.root
    findings, unanalysed = [*frame.findings], [*frame.unanalysed]
    partial: list[Unanalysed] = []
    names: list[str] = []
    remarks = [*frame.remarks]
    outcomes = _outcomes(kernels, run)
    for done, outcome in zip(kernels, outcomes, strict=True):
        findings += outcome.findings
        remarks += (*done.remarks, *outcome.remarks)
        if outcome.partial:
            partial.append(outcome.partial)
        if outcome.unanalysed:
            unanalysed.append(outcome.unanalysed)
        else:
            names.append(done.title)
    comments = {**frame.comments, **_comments_in_python(findings, root)}
    findings += _listed(unanalysed, "analysis", run)
    findings += _listed(partial, "partial", run)
    return FileResult(
        path=frame.path,
        findings=tuple(
            relative(replace(f, brought=frame.brought.get(f.place.path)), root) for f in findings
        ),
        unanalysed=tuple(replace(u, path=shown(u.path, root)) for u in unanalysed),
        kernels=tuple(names),
        remarks=tuple(_without_root(remark, root) for remark in remarks),
        names=frame.names,
        complete=frame.complete and not (unanalysed or partial),
        comments=comments,
        sources=frozenset(done.source for done in kernels if done.source),
        accounts=tuple(each.account for each in outcomes if each.account),
        outlines=frame.outlines,
    )


def _outcomes(kernels: Sequence[Done], run: Run) -> list[Outcome]:
    """What came of the kernels of a file, each weighed against what the others take."""
    out: list[Outcome] = []
    issued = 0
    for done in kernels:
        outcome = done.outcome
        if issued > most_issued(run.options):  # some process may not have known
            outcome = Outcome(unanalysed=replace(done.line, reason=USED_UP))
        issued += outcome.issued
        out.append(outcome)
    rules = {module.RULE.code: module.RULE for module in run.rules.kernel}
    return weighed_in_program(out, rules, run.options.min_waste)


def _comments_in_python(findings: Iterable[Finding], root: Path) -> Mapping[Path, Comments]:
    """What sources in Python say to perflint: PTX made by Triton names them."""
    texts: dict[Path, str] = {}
    for path in {finding.place.path for finding in findings if finding.place.path.suffix == ".py"}:
        with suppress(UnreadableError):
            texts[path] = read_text(path)
    said = {
        shown(path, root): scan(text, rulebook(), python=True)
        for path, text in texts.items()
        if speaks(text)
    }
    return {path: comments for path, comments in said.items() if comments != Comments()}


def _listed(
    items: Iterable[Unanalysed], kind: Literal["analysis", "partial"], run: Run
) -> Iterator[Finding]:
    for item in items:
        failure = Failure(kind, item.reason, kernel=item.kernel, genuine=False)
        place = Span(item.path, item.line, 1, item.line, 2)
        if finding := failed(failure, place, run.rules):
            yield replace(finding, kernel=item.kernel)


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
        brought=place(finding.brought) if finding.brought else None,
    )
