"""Files checked in parts: compiled, parsed, some of the kernels checked, what goes wrong told.

A part is the unit of work that processes and machines are given (`perflint.work.parallel`). The
first of a file is all of it; kernels that are left over when others have nothing to do are parts
of their own, and `perflint.work.assembly` makes one result of them.
"""

from __future__ import annotations

import os
import traceback
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from time import process_time

from perflint.base import chance
from perflint.base.real_paths import real_path
from perflint.base.records import dataclass
from perflint.base.span import Span
from perflint.frontend.model import Compilation, CompileError
from perflint.grammar import PtxSyntaxError
from perflint.lint.account import Outline
from perflint.lint.check_kernel import Outcome, check_kernel
from perflint.lint.check_run import Run
from perflint.lint.comments import Comments
from perflint.lint.failures import failed, shown
from perflint.lint.findings import Finding, Unanalysed
from perflint.lint.foreign_rule import RuleFailedError
from perflint.lint.include_lines import include_lines
from perflint.lint.opened import Opened, checked_kernels, opened
from perflint.lint.options import CheckOptions
from perflint.lint.rulebook import rules as rulebook
from perflint.lint.run_budgets import INSTRUCTIONS
from perflint.lint.subject import Subject
from perflint.lint.suppression import scan, speaks
from perflint.lint.translation_units import Unit, compile_unit
from perflint.rules.protocol import Failure
from perflint.work import transport
from perflint.work.parts import Answer, Done, Frame, Part
from perflint.work.task import idle, lease, tell

#: A file's kernels are simulated until they have issued the instructions of so many budgets, the
#: same ones wherever they are; or have used up the seconds, which only a file that is out of hand
#: comes to first.
KERNEL_BUDGETS = 150
#: CPU time of one kernel, beyond which it is out of hand: its budgets count instructions, so that a
#: busy machine must not come near it.
KERNEL_SECONDS = 60.0


@dataclass(frozen=True)
class Checking:
    """What processes do to the parts of some files."""

    units: tuple[Unit, ...]
    run: Run

    def __call__(self, part: Part) -> Answer:
        unit = self.units[part.file]
        tell(str(unit.path))
        return check_part(part, unit, self.run)


#: CPU time that the kernels left over take at least, as those before them tell: another process
#: takes a quarter of a second until it is of use, for it has everything to read and to look up.
LEAST_SECONDS = 1.0

USED_UP = "the kernels before it used up the file's time; a larger --budget gives it more"


def check_part(part: Part, unit: Unit, run: Run) -> Answer:
    """All that is to be said of a part. Never raises: a fault of ours costs this part alone."""
    cuts = chance.cuts()
    try:
        answer = _check(part, unit, run)
    except Exception as error:
        answer = Answer({}, lost(unit, internal(error), run))
    return answer if chance.cuts() == cuts else replace(answer, repeats=False)


def lost(unit: Unit, reason: str, run: Run) -> Frame:
    """What is to be said of a file that could not be checked at all."""
    chance.cut()
    return Frame(unit.path, unanalysed=(Unanalysed(unit.path, None, reason),))


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
    if isinstance(error, RuleFailedError):
        return text
    return f"internal error ({type(error).__name__}: {text}); please report it"


# --- a file ---------------------------------------------------------------------------------------


#: The file that this process had in work last, by what others would read of it.
_last: tuple[bytes, Opened] | None = None


def _check(part: Part, unit: Unit, run: Run) -> Answer:
    if unit.fault:
        return Answer({}, lost(unit, unit.fault, run))
    if part.compiled:
        file = _reopened(part, unit)
    else:
        file = opened(run.compiled.get(unit) or _compile(unit, run), unit)
    there = range(len(file.module.kernels) if file.module else 0)
    done, left, seconds = _kernels(part, there, file, unit, run)
    return Answer(
        done,
        None if part.compiled else _frame(file, unit, run),
        left,
        _packed(file) if left and not part.compiled else None,
        seconds,
    )


def _compile(unit: Unit, run: Run) -> Compilation:
    return compile_unit(unit, run.options, run.root, run.facts.get(unit.path))


def _packed(file: Opened) -> bytes:
    """A compiled file for other processes. Its PTX is parsed faster than pickled."""
    global _last
    data = transport.packed(file.compilation)
    _last = data, file
    return data


def _reopened(part: Part, unit: Unit) -> Opened:
    global _last
    assert part.compiled is not None
    if _last is None or _last[0] != part.compiled:
        _last = part.compiled, opened(transport.unpacked(part.compiled), unit)
    return _last[1]


def _frame(file: Opened, unit: Unit, run: Run) -> Frame:
    compilation = file.compilation
    findings = [_failed(error, run) for error in compilation.errors if error.genuine]
    theirs = unit.path.suffix.lower() == ".ptx"
    if file.fault and theirs:
        findings.append(_refused(unit.path, file.fault, run))
    unanalysed = [
        Unanalysed(error.path, None, error.message, max(1, error.line))
        for error in compilation.errors
        if not error.genuine
    ]
    if file.fault and not theirs:  # inline PTX that what links or loads the file knows, perhaps
        reason = f"its PTX could not be read: {file.fault.message}"
        unanalysed.append(Unanalysed(unit.path, None, reason, 1))
    unanalysed += [
        Unanalysed(lost.span.path, lost.name or None, lost.reason, lost.span.line)
        for lost in compilation.lost
    ]
    return Frame(
        path=unit.path,
        findings=tuple(f for f in findings if f is not None),
        unanalysed=tuple(unanalysed),
        remarks=compilation.remarks,
        names=frozenset(
            {*compilation.entries, *(origin.kernel for origin in compilation.entries.values())}
        ),
        kernels=len(file.module.kernels) if file.module else 0,
        complete=not (file.fault or unanalysed or compilation.errors),
        comments=_comments(compilation, run.options.root),
        brought=_brought(compilation),
        outlines=_outlines(compilation) if run.options.explain else (),
    )


def _outlines(compilation: Compilation) -> tuple[Outline, ...]:
    """The kernels in the file and its headers, compiled or not."""
    kernels = (kernel for facts in compilation.facts.values() for kernel in facts.kernels)
    return tuple(Outline(k.name, k.name_span, k.span.line, k.span.end_line) for k in kernels)


def _brought(compilation: Compilation) -> Mapping[Path, Span]:
    """By which line of the file each of its headers came in."""
    main = next((path for path in (compilation.path, real_path(compilation.path))
                 if path in compilation.facts), None)  # fmt: skip
    if main is None or main.suffix == ".ptx":
        return {}
    return include_lines(main, {*compilation.facts, *compilation.aliases.values()})


def _comments(compilation: Compilation, root: Path) -> dict[Path, Comments]:
    """What the file and its headers say to perflint."""
    texts = {facts.path: facts.text for facts in compilation.facts.values()}
    if compilation.path.suffix == ".ptx":
        texts[compilation.path] = compilation.ptx or ""
    said = {
        shown(path, root): scan(text, rulebook(), python=path.suffix == ".py")
        for path, text in texts.items()
        if speaks(text)
    }
    return {path: comments for path, comments in said.items() if comments != Comments()}


# --- its kernels ----------------------------------------------------------------------------------


def most_issued(options: CheckOptions) -> int:
    """How many instructions the kernels of a file may issue before the next one is left out."""
    return int(KERNEL_BUDGETS * INSTRUCTIONS * options.budget)


def _kernels(
    part: Part, there: range, file: Opened, unit: Unit, run: Run
) -> tuple[dict[int, Done | None], range, float]:
    """What came of a part's kernels, those that are left over, and the CPU time it took."""
    wanted = there if part.kernels is None else part.kernels
    done: dict[int, Done | None] = {}
    if not wanted:
        return done, there if part.kernels is not None else wanted, 0.0
    issued, begun = part.issued, process_time()
    for place, (source, make) in enumerate(checked_kernels(file, unit, run)):
        if place not in wanted:
            continue
        seconds = process_time() - begun
        if source in part.elsewhere or _is_unwanted(source, file.compilation):
            done[place] = None
            continue
        left = len(wanted) - len(done)
        if done and left > 1 and seconds / len(done) * left > LEAST_SECONDS and idle():
            return done, range(place, wanted.stop), seconds
        reason = part.fate
        if issued > most_issued(run.options):
            reason = USED_UP
        elif part.seconds + seconds > KERNEL_BUDGETS * run.options.budget:
            chance.cut()
            reason = USED_UP
        subject = make()
        if reason:
            outcome = Outcome(unanalysed=subject.not_analysed(reason))
        else:
            outcome = _kernel(place, subject, run)
        issued += outcome.issued
        done[place] = Done(
            subject.title,
            subject.not_analysed(""),
            outcome,
            tuple(_unknown_arguments(subject)),
            source,
        )
    return done, range(0), process_time() - begun


def _is_unwanted(source: Span | None, compilation: Compilation) -> bool:
    """Whether a kernel came along with a file that was compiled for another file's sake."""
    wanted = compilation.wanted
    return wanted is not None and source is not None and source.path not in wanted


def _kernel(place: int, subject: Subject, run: Run) -> Outcome:
    lease(KERNEL_SECONDS + run.options.budget)
    tell(f"{subject.path}: {subject.title}", place)
    try:
        return check_kernel(subject, run.rules.kernel)
    except Exception as error:  # a fault of ours must not cost the other kernels
        return Outcome(unanalysed=subject.not_analysed(internal(error)))


def _unknown_arguments(subject: Subject) -> Iterator[str]:
    """A remark on each argument of a launch given that is no parameter of the kernel."""
    names = subject.parameters
    for spec in subject.specs:
        for name, _ in spec.arguments:
            if name not in names:
                has = f"it has {', '.join(names)}" if names else "it has none"
                yield f"--launch {spec.kernel}: `{name}` is no parameter of the kernel; {has}"


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


def _failure(failure: Failure, place: Span, run: Run) -> Finding | None:
    return failed(failure, place, run.rules)
