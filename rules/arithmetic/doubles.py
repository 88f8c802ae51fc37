"""Whose a statement with double arithmetic is: one fault is one finding.

A power with a small exponent is CU704's whatever its type. Floats that constants and functions make
double are CU701's. What is left is double because it is meant: a division is CU702's, a product
with a loop's counter CU703's.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

from perflint.analysis.precision import DoubleUse
from perflint.base.constructs import (
    Call,
    Constructs,
    Fragment,
    MacroSource,
    Operation,
    contains,
    within,
)
from perflint.base.patterns import pattern
from perflint.base.records import dataclass
from perflint.base.span import Span
from perflint.rules.protocol import (
    Edit,
    Kernel,
)
from perflint.rules.source_lines import pcs_at

#: Double functions that have a float twin of the same name with an `f` behind it.
FUNCTIONS = frozenset(
    {
        *("acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "cbrt", "ceil", "copysign"),
        *("cos", "cosh", "cospi", "erf", "erfc", "exp", "exp10", "exp2", "expm1", "fabs", "fdim"),
        *("floor", "fma", "fmax", "fmin", "fmod", "hypot", "lgamma", "log", "log10", "log1p"),
        *("log2", "pow", "rint", "round", "rsqrt", "sin", "sinh", "sinpi", "sqrt", "tan", "tanh"),
        *("tgamma", "trunc"),
    }
)
_HEXADECIMAL = pattern(r"0[xX]")
_DOUBLE = pattern(r"-?((\d+\.\d*|\.\d+)([eE][-+]?\d+)?|\d+[eE][-+]?\d+)")
#: Words of types that are no doubles; of others (`real`, `DATA_TYPE`) the name does not tell.
_NO_DOUBLE = frozenset(
    {
        *("int", "unsigned", "signed", "long", "short", "char", "bool", "float", "const", "size_t"),
        *("uint", "ushort", "uchar", "ulong", "volatile", "__restrict__", "__shared__"),
        *(f"{u}int{n}_t" for u in ("", "u") for n in (8, 16, 32, 64)),
    }
)
_WHOLE = _NO_DOUBLE - {"float"}
#: Constants of <math.h>.
_MATH = frozenset(
    {
        *("M_E", "M_LOG2E", "M_LOG10E", "M_LN2", "M_LN10", "M_PI", "M_PI_2", "M_PI_4", "M_1_PI"),
        *("M_2_PI", "M_2_SQRTPI", "M_SQRT2", "M_SQRT1_2"),
    }
)
_POWERS = frozenset({"pow", "powf", "std::pow", "::pow", "::powf"})
#: A power in a macro: of a parameter, to a number.
_POWER_OF = pattern(r"\bpowf?\(\s*\(?\s*(\w+)\s*\)?\s*,\s*([-\w.]+)\s*\)")
#: Multiplications and additions in a row that only a function of the library has: `exp` has 14.
LONG_POLYNOMIAL = 10
#: Exponents up to which a product is what anyone would write: Lennard and Jones have 6 and 12.
MOST = 12
HALF = 0.5  #: the exponent of a square root


@dataclass(frozen=True)
class Power:
    """`pow(x, 2)`, or the call of a macro that holds it."""

    call: Call
    exponent: float
    base: str  #: what is multiplied, or whose square root is taken
    place: Span  #: of the power itself
    text: str  #: as written


def is_simple(constructs: Constructs, expression: Span) -> bool:
    """Whether evaluating an expression twice is the same as once: it calls and changes nothing."""
    return not any(within(constructs.calls, expression)) and not any(
        within(constructs.changes, expression)
    )


def powers(constructs: Constructs, span: Span | None = None) -> Iterator[Power]:
    """Powers of what can be repeated, of a file or of a part of it, and square roots.

    With a small whole exponent other than 0 and 1, or one half. A product of integers would be an
    integer, and might overflow.
    """
    macros = {m.name: m for m in constructs.function_macros if _POWER_OF.search(m.body)}
    for call in within(constructs.calls, span) if span else constructs.calls:
        if call.name in macros:
            yield from _through(constructs, call, macros[call.name])
        if call.name not in _POWERS or len(call.arguments) != 2:
            continue
        exponent = _small(call.arguments[1].text)
        first = call.arguments[0]
        repeated = exponent != HALF
        if repeated and not is_simple(constructs, first.span):
            continue
        if exponent and not is_whole(constructs, first.span):
            base = first.text
            yield Power(call, exponent, base, call.span, f"{call.name}({base}, {exponent:g})")


def _small(text: str) -> float:
    """A small whole exponent other than 1, or one half; 0 for any other."""
    plain = text.strip("() ").rstrip("fF")
    if re.fullmatch(r"0*\.50*", plain):
        return HALF
    exponent = int(float(plain)) if re.fullmatch(r"-?\d+(\.0*)?", plain) else 0
    return exponent if 2 <= abs(exponent) <= MOST or exponent == -1 else 0


def _through(constructs: Constructs, call: Call, macro: MacroSource) -> Iterator[Power]:
    """The power of one of its parameters that a macro takes."""
    found = _POWER_OF.search(macro.body)
    arguments = dict(zip(macro.parameters, call.arguments, strict=False))
    argument = arguments.get(found[1]) if found else None
    if found is None or argument is None or not is_simple(constructs, argument.span):
        return
    if is_whole(constructs, argument.span):
        return
    if exponent := _small(found[2]):
        first = macro.span.column
        place = replace(macro.span, column=first + found.start(), end_column=first + found.end())
        yield Power(call, exponent, f"({found[1]})", place, found[0])


@dataclass(frozen=True)
class DoubleWords:
    """What makes an expression double, and what would make it float."""

    edits: tuple[Edit, ...] = ()
    names: tuple[str, ...] = ()  #: as written: `0.1`, `exp`


def double_words(span: Span, constructs: Constructs, leave: tuple[Span, ...] = ()) -> DoubleWords:
    """The double constants and functions of a stretch of the source, but those in `leave`."""
    macros: Mapping[str, str] = {m.name: m.body for m in constructs.macros}
    edits: list[Edit] = []
    names: list[str] = []

    def left(place: Span) -> bool:
        return any(contains(each, place) for each in leave)

    for literal in within(constructs.literals, span):
        if literal.is_double and not left(literal.span):
            edits.append(Edit(literal.span, _as_float(literal.text)))
            names.append(literal.text)
    for name in within(constructs.names, span):
        body = macros.get(name.text, "").strip("() ")
        double = _DOUBLE.fullmatch(body) or (name.text in _MATH and not body)
        if double and not left(name.span):
            edits.append(Edit(name.span, f"(float){name.text}"))
            names.append(name.text)
    doubles = [*(e.span for e in edits), *_said_double(constructs, span)]
    for call in within(constructs.calls, span):
        plain = call.name.removeprefix("::")
        # C++ chooses the float function for a float: only a double argument makes it double.
        double = not doubles or any(contains(call.span, each) for each in doubles)
        if plain in FUNCTIONS and double and not left(call.span):
            edits.append(Edit(call.name_span, f"{plain}f"))
            names.append(plain)
    edits.sort(key=lambda e: e.span)
    return DoubleWords(tuple(edits), tuple(dict.fromkeys(names)))


def _as_float(literal: str) -> str:
    """`0.1` is `0.1f`; a hexadecimal one has its suffix too."""
    return literal + ("F" if _HEXADECIMAL.match(literal) else "f")


@lru_cache(maxsize=4)
def uses_by_line(kernel: Kernel) -> Mapping[tuple[Path, int], tuple[DoubleUse, ...]]:
    """A kernel's double arithmetic by the line it comes from."""
    out: dict[tuple[Path, int], list[DoubleUse]] = {}
    for use in kernel.facts.doubles:
        span = kernel.statement(kernel.facts.kernel.instructions[use.pc].location)
        if span is not None:
            out.setdefault((span.path, span.line), []).append(use)
    return {line: tuple(found) for line, found in out.items()}


def uses_at(kernel: Kernel, span: Span) -> tuple[DoubleUse, ...]:
    """The double arithmetic that comes from the lines of a place."""
    by_line = uses_by_line(kernel)
    lines = range(span.line, span.end_line + 1)
    return tuple(use for line in lines for use in by_line.get((span.path, line), ()))


def may_be_double(constructs: Constructs, span: Span) -> bool:
    """Whether an expression names a double: a constant, or a variable of a type that may be one."""
    if any(each.is_double for each in within(constructs.literals, span)):
        return True
    return any(not _NO_DOUBLE.issuperset(each) for each in _types(constructs, span))


def is_meant(constructs: Constructs, statement: Span) -> bool:
    """Whether a statement says `double`: nobody forgot an `f`.

    It names a variable that is declared as one, or casts to it.
    """
    declared = (d.type.split() for d in within(constructs.declarations, statement))
    return any("double" in words for words in declared) or any(
        True for _ in _said_double(constructs, statement)
    )


def is_wanted(kernel: Kernel, constructs: Constructs, statement: Span) -> bool:
    """Whether a statement says `double`, and is to be left as it is.

    It is not where a function such as `exp` is computed in double of floats, and only floats and
    comparisons come of it: that is long work, and a declaration says little of it.
    """
    if not is_meant(constructs, statement):
        return False
    uses = uses_at(kernel, statement)
    instructions = kernel.facts.kernel.instructions
    long = sum(instructions[use.pc].opcode == "fma" for use in uses) > LONG_POLYNOMIAL
    return not long or not all(use.implicit for use in uses)


def _said_double(constructs: Constructs, span: Span) -> Iterator[Span]:
    """The variables in an expression that are declared double, and what is cast to it."""
    for cast in within(constructs.casts, span):
        if "double" in cast.type.split():
            yield cast.span
    names = list(within(constructs.names, span))
    for name, words in _typed(constructs, names):
        if "double" in words:
            yield name.span


def is_whole(constructs: Constructs, span: Span) -> bool:
    """Whether all that an expression names is an integer, or made of integers."""
    types = _types(constructs, span)
    return bool(types) and all(_WHOLE.issuperset(each) for each in types)


def _types(constructs: Constructs, span: Span) -> list[list[str]]:
    """The words of the types of the variables that an expression names."""
    return _types_of(constructs, list(within(constructs.names, span)))


def _types_of(constructs: Constructs, names: Sequence[Fragment]) -> list[list[str]]:
    """The words of the types of those names that are variables; all stand in one function."""
    return [words for _, words in _typed(constructs, names)]


def _typed(
    constructs: Constructs, names: Sequence[Fragment]
) -> Iterator[tuple[Fragment, list[str]]]:
    """Those names that are variables, each with the words of its type."""
    at = names[0].span if names else None
    inside = None if at is None else constructs.function_at(at.line, at.column)
    if inside is None:
        return
    types = {d.name: d.type for d in within(constructs.declarations, inside.span)}
    types |= {p.name: p.type for p in inside.parameters}
    for name in names:
        if name.text in types:
            yield name, types[name.text].replace("*", " ").replace("&", " ").split()


def own_type(constructs: Constructs, span: Span) -> str:
    """The template's type of what an expression computes with: the `T` that is float here.

    "" without one, and beside what may be a float whatever it is: a structure's field, say. What
    stands in a subscript is an index: `I(0.5)` would be 0.
    """
    inside = constructs.function_at(span.line, span.column)
    subscripts = [each.span for each in within(constructs.subscripts, span)]
    computed = [
        name
        for name in within(constructs.names, span)
        if not any(contains(s, name.span) and not _begin_alike(s, name.span) for s in subscripts)
    ]
    words = {word for each in _types_of(constructs, computed) for word in each} - _WHOLE
    is_one = inside is not None and len(words) == 1 and words <= inside.types
    return min(words) if is_one else ""


def _begin_alike(one: Span, other: Span) -> bool:
    return (one.line, one.column) == (other.line, other.column)


def divisions(constructs: Constructs, span: Span | None = None) -> Iterator[Operation]:
    """`a / b` and `a /= b` of a file or a part of it, outer ones before those inside."""
    found = within(constructs.operations, span) if span else iter(constructs.operations)
    return (o for o in found if o.operator in ("/", "/="))


def calls_power(kernel: Kernel, span: Span) -> bool:
    """Whether the compiled statement holds a general power function.

    It has polynomials for a logarithm and an exponential, or a loop over the exponent's bits:
    products that the compiler made of a power have neither.
    """
    instructions = kernel.facts.kernel.instructions
    here = [instructions[pc] for pc in pcs_at(kernel.facts, kernel, span)]
    branches = any(i.opcode in ("bra", "call") for i in here)
    return branches or sum(i.opcode == "fma" for i in here) > LONG_POLYNOMIAL


def owner(kernel: Kernel, constructs: Constructs, span: Span) -> str | None:
    """The rule whose business a statement's double arithmetic is; None where there is none."""
    statement = constructs.statement_of(span)
    if any(powers(constructs, statement)) and calls_power(kernel, statement):
        return "CU704"
    uses = uses_at(kernel, statement)
    if not uses:
        return None
    implicit = any(use.implicit for use in uses)
    wanted = is_wanted(kernel, constructs, statement)
    if implicit and not wanted and double_words(statement, constructs).edits:
        return "CU701"
    divided = any(kernel.facts.kernel.instructions[use.pc].opcode == "div" for use in uses)
    if divided and any(divisions(constructs, statement)):
        return "CU702"
    return "CU703"
