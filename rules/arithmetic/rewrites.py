"""Arithmetic that another way of writing it makes cheaper: the golden execution is that edit.

A rule finds the statement and the edit; what is measured, and what is said of it, is the same for
all of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import field, replace

from perflint.base.constructs import Constructs, Fragment, LoopSource, contains, within
from perflint.base.records import dataclass
from perflint.base.span import Span
from perflint.rules.case import Case, Decision, Figure
from perflint.rules.instruction_cost import BESIDE_MEMORY, Saving, saving
from perflint.rules.measure import figure
from perflint.rules.open_loops import BESIDE, once_beside_loops
from perflint.rules.protocol import (
    Edit,
    Evidence,
    Fix,
    Kernel,
    Results,
    SourceEdit,
    Suspicion,
    Told,
    Trial,
    Trials,
    Variant,
)
from perflint.rules.source_lines import pcs_at

WAITS = "memory brings what the kernel touches in the meantime: it takes as long with the edit"


@dataclass(frozen=True)
class Rewrite:
    """A statement, and another way of writing it."""

    span: Span  #: of the statement: its lines are what is counted
    place: Span  #: what to point at
    edits: tuple[Edit, ...]
    what: str  #: as written: `pow(x, 2)`
    instead: str  #: what would do: `x * x`
    why: str  #: what makes it dear: `takes a general power function`
    fault: str = ""  #: what several statements have in common
    keeps: bool = False  #: whether there is a way that is as precise, or nearly
    together: tuple[Edit, ...] = ()  #: those of all rewrites of the kernel: one variant


def suspicions(kernel: Kernel, rewrites: Iterable[Rewrite]) -> Iterator[Suspicion]:
    """One suspicion for each statement that is better written another way.

    All edits of a kernel are made at once, so that it is compiled once more and not once for each;
    one that overlaps another is left out.
    """
    chosen: list[Rewrite] = []
    together: dict[Edit, None] = {}
    for rewrite in rewrites:
        if not any(overlap(a, b) for a in rewrite.edits for b in together if a != b):
            chosen.append(rewrite)
            together.update(dict.fromkeys(rewrite.edits))
    for rewrite in chosen:
        pcs = pcs_at(kernel.facts, kernel, rewrite.span)
        about = replace(rewrite, together=tuple(together))
        yield Suspicion(rewrite.what, kernel, pcs, span=rewrite.place, about=about)


def overlap(a: Edit, b: Edit) -> bool:
    """Whether two edits cannot both be made. Insertions at one place can."""
    one, other = sorted((a.span, b.span))
    return one.path == other.path and (other.line, other.column) < (one.end_line, one.end_column)


def variants(suspicion: Suspicion, original: Trials) -> tuple[Variant, ...]:
    """The source with the edit."""
    assert isinstance(suspicion.about, Rewrite)
    return (SourceEdit(suspicion.about.together),)


def measure(suspicion: Suspicion, original: Trials, results: Results) -> Case:
    """What the edit saves of the kernel's issue slots, in each trial."""
    rewrite, kernel = suspicion.about, suspicion.kernel
    assert isinstance(rewrite, Rewrite) and kernel is not None
    [golden] = results
    unknown = Figure(original[0], 1.0, 0.0, True, counted=False)
    pairs = [(trial, beside) for trial in original if (beside := golden.beside(trial))]
    if not pairs:
        return Case(suspicion, (unknown,), doubt=golden.error)
    places = (rewrite.span, *(edit.span for edit in rewrite.edits))
    ended = [(trial, beside) for trial, beside in pairs if trial.complete and beside.complete]
    found = [(t, s) for t, b in ended or pairs if (s := saving(kernel, t, b, places))]
    if not found:
        cut = "the run was cut short, so that what it saves is not known"
        return Case(suspicion, (unknown,), cut=cut)
    found.sort(key=lambda each: -each[1].share)
    once = once_beside_loops(kernel, found[0][0], pcs_at(kernel.facts, kernel, rewrite.span))
    figures = tuple(_figure(t, s) for t, s in found)
    waits = any(saved.share < saved.issued for _, saved in found)
    case = Case(suspicion, figures, data=BESIDE if once else "")
    return replace(case, small=BESIDE_MEMORY) if waits else case


def _figure(trial: Trial, found: Saving) -> Figure:
    """What was issued, and what would do: an edit that costs more is no ideal."""
    bad = found.share > 0 and found.golden < found.measured
    fine = ""
    if found.golden > found.measured:
        dearer = (
            f"{found.golden:,.0f} machine instructions per warp instead of {found.measured:,.0f}"
        )
        fine = f"written the other way it takes more in these runs: {dearer}"
    ideal = min(found.golden, found.measured)
    return Figure(trial, found.measured, ideal, bad, share=found.share, fine=fine, detail=found)


def describe(suspicion: Suspicion, decision: Decision) -> Told:
    """The statement, and what the other way of writing it costs."""
    rewrite, shown = suspicion.about, decision.shown
    assert isinstance(rewrite, Rewrite)
    help_ = f"write {rewrite.instead}"
    if not isinstance(shown.detail, Saving):
        return Told(f"{rewrite.what} {rewrite.why}", help=help_)
    return Told(
        f"{rewrite.what} {rewrite.why}: {figure(shown.measured)} machine instructions per warp "
        f"where {figure(shown.ideal)} would do",
        label=f"{shown.detail.issued:.0%} of what the kernel's warps issue",
        evidence=(
            Evidence("machine instructions per warp", shown.measured, shown.ideal, "instructions"),
        ),
        notes=(*difference_notes(shown.detail.difference, rewrite), *_waiting(decision)),
        help=help_,
        fault=rewrite.fault,
        level="note" if _waiting(decision) else None,
        severity=shown.share,
        fix=Fix(help_, rewrite.edits, safe=False),
    )


def _waiting(decision: Decision) -> tuple[str, ...]:
    """That the kernel takes as long with the edit, for what memory brings it; () where it gains."""
    kernel, saved = decision.case.suspicion.kernel, decision.shown.detail
    assert kernel is not None and isinstance(saved, Saving)
    return () if saved.gained >= kernel.min_waste else (WAITS,)


def difference_notes(difference: float | None, rewrite: Rewrite) -> tuple[str, ...]:
    """What the edit does to the results."""
    alone = set(rewrite.together) == set(rewrite.edits)
    so = "" if alone else "with all such statements of the kernel so "
    if difference is None:
        return ("the results could not be compared",)
    if difference == 0.0:
        return (f"{so}the results are the same bits in the runs made",)
    return (f"{so}the results differ by a relative {difference:.1e} at most in the runs made",)


# --- reading the source ---------------------------------------------------------------------------


def changes_in(constructs: Constructs, region: Span, expression: Span) -> bool:
    """Whether an expression may have another value each time a region of the source is run."""
    names = {name.text for name in within(constructs.names, expression)}
    changed = {change.text for change in within(constructs.changes, region)}
    declared = {d.name for d in within(constructs.declarations, region)}
    calls = any(within(constructs.calls, expression))
    return calls or not names.isdisjoint(changed | declared)


def loops_around(constructs: Constructs, span: Span) -> list[LoopSource]:
    """The loops around a place, innermost first."""
    around = [loop for loop in constructs.loops if contains(loop.span, span)]
    return sorted(around, key=lambda loop: (loop.span.line, loop.span.column), reverse=True)


def outermost_invariant(constructs: Constructs, expression: Span) -> LoopSource | None:
    """The outermost loop before which an expression can be computed instead of in it."""
    found = None
    for loop in loops_around(constructs, expression):
        if changes_in(constructs, loop.span, expression):
            break
        if loop.in_block:
            found = loop
    return found


def operand(text: str) -> str:
    """An expression as it stands beside an operator: a name needs no parentheses."""
    return text if text.isidentifier() else f"({text})"


def before(span: Span, text: str) -> Edit:
    """An insertion before a place."""
    return Edit(replace(span, end_line=span.line, end_column=span.column), text)


def behind(span: Span, text: str) -> Edit:
    """An insertion behind a place."""
    return Edit(span.behind, text)


@dataclass
class NewNames:
    """Names for values that a rewrite keeps, which nothing else in a file has."""

    constructs: Constructs
    _given: dict[str, tuple[str, Span]] = field(default_factory=dict)

    def name(self, base: str, expression: Fragment, loop: LoopSource) -> str:
        """The name for an expression's value before a loop: the same for the same value."""
        known = {name.text for name in self.constructs.names}
        plain = expression.text.isidentifier()
        wanted = f"{base}_{expression.text}" if plain else base
        value = expression.text, loop.span
        for name in (wanted, *(f"{wanted}{n}" for n in range(2, 1000))):
            if name not in known and self._given.setdefault(name, value) == value:
                return name
        return wanted


def reached_statements(
    constructs: Constructs, lines: frozenset[int], spans: Iterator[Span]
) -> dict[Span, list[Span]]:
    """Places that a kernel's code comes from, by their statements."""
    out: dict[Span, list[Span]] = {}
    for span in spans:
        statement = constructs.statement_of(span)
        if any(line in lines for line in range(statement.line, statement.end_line + 1)):
            out.setdefault(statement, []).append(span)
    return out
