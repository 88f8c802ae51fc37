"""Numba's arithmetic on floats that a number of Python's makes double, statement by statement."""

from __future__ import annotations

from collections.abc import Iterator

from perflint.analysis.precision import DOUBLE, INTEGER, SMALL
from perflint.base.constructs import PythonNumber
from perflint.base.records import dataclass
from perflint.base.span import Span
from perflint.rules.case import Figure
from perflint.rules.measure import counted, listed
from perflint.rules.protocol import Evidence, Kernel, Suspicion, Told

MEASURES = "f64 instructions per thread"


@dataclass(frozen=True)
class PythonDoubles:
    """A statement with double arithmetic, and the numbers that make it double."""

    span: Span
    numbers: tuple[PythonNumber, ...]


def suspect(kernel: Kernel) -> Iterator[Suspicion]:
    """Statements into which only floats and numbers go.

    What an integer goes into is double whatever the numbers are: Numba has no float32 of an int64.
    """
    found: dict[PythonDoubles, list[int]] = {}
    others = set()
    for use in kernel.facts.doubles:
        span = kernel.statement(kernel.facts.kernel.instructions[use.pc].location)
        constructs = kernel.constructs(str(span.path)) if span is not None else None
        if span is None or constructs is None:
            continue
        numbers = tuple(n for n in constructs.numbers if any(_at(s, span) for s in n.statements))
        statement = next((s for n in numbers for s in n.statements if _at(s, span)), None)
        if statement is None:
            continue
        doubles = PythonDoubles(statement, numbers)
        if use.origin & (DOUBLE | INTEGER | SMALL):
            others.add(doubles)
        elif use.implicit:
            found.setdefault(doubles, []).append(use.pc)
    for each, pcs in found.items():
        if each not in others:
            place = each.numbers[0].span if len(each.numbers) == 1 else each.span
            names = ", ".join(n.text for n in each.numbers)
            yield Suspicion(f"double {names}", kernel, tuple(pcs), span=place, about=each)


def _at(statement: Span, span: Span) -> bool:
    return statement.path == span.path and statement.line <= span.line <= statement.end_line


def describe(found: PythonDoubles, shown: Figure, units: str) -> Told:
    """What it says: the numbers, and how each is written as a float."""
    what = listed(list(dict.fromkeys(f"`{_written(n, n.text)}`" for n in found.numbers)))
    what += " makes" if len(found.numbers) == 1 else " make"
    floats = dict.fromkeys(f"`{_written(n, f'np.float32({n.text})')}`" for n in found.numbers)
    help_ = f"write {', '.join(list(floats)[:4])}"
    if not shown.counted:
        return Told(f"{what} float arithmetic double", help=help_)
    least = "" if shown.complete else "at least "  # a run that was cut short goes on so
    return Told(
        f"{what} the float arithmetic of line {found.span.line} double: "
        f"{least}{counted(shown.measured, 'f64 instruction')} per thread where 0 would do",
        label="a number of 64 bits for Numba" if len(found.numbers) == 1 else "double",
        evidence=(Evidence(MEASURES, shown.measured, 0.0, "instructions"),),
        notes=(units, "the results in float were not compared: Python is not compiled again"),
        help=help_,
        severity=shown.share,
    )


def _written(number: PythonNumber, value: str) -> str:
    return f"{number.name} = {value}" if number.name else value
