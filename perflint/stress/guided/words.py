"""Conditions in words: `mask[32w+i] != 0 for all lanes`."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise

from perflint.base.patterns import pattern
from perflint.symbolic.conjuncts import Conjunct
from perflint.symbolic.terms import Terms
from perflint.symbolic.transfer import width

_INFIX = {"add": "+", "sub": "-", "mul": "*", "div": "/", "div_s": "/", "div_u": "/", "rem_s": "%",
          "rem_u": "%", "and": "&", "or": "|", "xor": "^", "shl": "<<", "shr_u": ">>",
          "shr_s": ">>", "eq": "==", "ne": "!=", "lt": "<", "le": "<=", "lt_s": "<",
          "le_s": "<=", "lt_u": "<", "le_u": "<="}  # fmt: skip
_OPPOSITE = {"==": "!=", "!=": "==", "<": ">=", "<=": ">", ">": "<=", ">=": "<"}
_TURNED = {"<": ">", "<=": ">=", "==": "==", "!=": "!="}
_LONGEST = 120


def conjunct_text(
    terms: Terms, conjunct: Conjunct, names: dict[str, str], negated: bool = False
) -> str:
    """One condition of a warp; alike conditions of lanes are one with a free `i`."""
    found: dict[str, list[int | None]] = {}
    for literal in conjunct.literals:
        text, index = _text(terms, literal, names)
        found.setdefault(text, []).append(index)
    parts = []
    for text, indices in sorted(_tightest(found).items()):
        known = sorted(i for i in indices if i is not None)
        parts.append(_lanes(text, known))
    many = " and ".join(parts)
    if negated:
        return f"not ({many})" if len(many) <= _LONGEST else f"not ({many[:_LONGEST]}…)"
    return many if len(many) <= _LONGEST else f"{many[:_LONGEST]}…"


_BOUND = pattern(r"(.*) (<|<=|>|>=) (-?\d+)")


def _tightest(found: dict[str, list[int | None]]) -> dict[str, list[int | None]]:
    """Of bounds of one scalar the one that says most: `n > 31` of `n > 0`, `n > 1`, …"""
    best: dict[tuple[str, str], int] = {}
    for text, indices in found.items():
        bound = _BOUND.fullmatch(text)
        if bound is not None and indices == [None] * len(indices):
            key, value = (bound[1], bound[2]), int(bound[3])
            pick = max if bound[2][0] == ">" else min
            best[key] = pick(best.get(key, value), value)
    return {
        text: indices
        for text, indices in found.items()
        if (bound := _BOUND.fullmatch(text)) is None
        or (bound[1], bound[2]) not in best
        or best[bound[1], bound[2]] == int(bound[3])
    }


def _lanes(text: str, indices: Sequence[int]) -> str:
    """A condition of elements `@` for some indices."""
    if not indices:
        return text
    if len(indices) == 1:
        return text.replace("@", str(indices[0]))
    steps = {b - a for a, b in pairwise(indices)}
    first = indices[0]
    if len(steps) == 1:
        step = steps.pop()
        index = ("i" if step == 1 else f"{step}*i") + (f"+{first}" if first else "")
        return f"{text.replace('@', index)} for i < {len(indices)}"
    return f"{text.replace('@', 'i')} for {len(indices)} i from {first} to {indices[-1]}"


def _text(terms: Terms, literal: int, names: dict[str, str]) -> tuple[str, int | None]:
    """A literal as C writes it; where it is about one element of an index, `@` stands for that."""
    elements = {v for v in terms.variables(literal) if terms.all[v][0] == "element"}
    indices = {terms.all[v][3] for v in elements}
    index = next(iter(indices)) if len(indices) == 1 else None
    return _written(terms, literal, names, index), index


def _written(terms: Terms, number: int, names: dict[str, str], index: int | None) -> str:
    term = terms.all[number]
    op = term[0]
    if op == "const":
        return _number(term[1], term[2])
    if op == "scalar":
        return names.get(str(term[2]), str(term[2]))
    if op == "element":
        return f"{term[2]}[{'@' if term[3] == index else term[3]}]"
    if op == "under":
        return _written(terms, term[2], names, index)
    parts = [_written(terms, p, names, index) for p in terms.parts(number)]
    if op == "not" and term[1] == "p":
        inner = terms.all[term[2]]
        if inner[0] == "not":
            return _written(terms, inner[2], names, index)
        if _INFIX.get(inner[0], "") in _OPPOSITE:
            a, sign, b = _sides(terms, term[2], names, index)
            return f"{a} {_OPPOSITE[sign]} {b}"
        return f"!({parts[0]})"
    if _INFIX.get(op, "") in _OPPOSITE:
        return " ".join(_sides(terms, number, names, index))
    if op in _INFIX:
        sides = [p if " " not in p else f"({p})" for p in parts]
        return f"{sides[0]} {_INFIX[op]} {sides[1]}"
    if op == "ite":
        return f"({parts[0]} ? {parts[1]} : {parts[2]})"
    if op in ("zext", "sext", "cut", "real", "real_s", "real_u", "truncated"):
        return parts[0]
    return f"{'-' if op == 'neg' else op}({', '.join(parts)})"


def _sides(
    terms: Terms, number: int, names: dict[str, str], index: int | None
) -> tuple[str, str, str]:
    """A comparison, a number on the right of it."""
    term = terms.all[number]
    sign = _INFIX[term[0]]
    sides = [_written(terms, p, names, index) for p in terms.parts(number)]
    sides = [side if " " not in side else f"({side})" for side in sides]
    if terms.all[term[2]][0] == "const":
        return sides[1], _TURNED[sign], sides[0]
    return sides[0], sign, sides[1]


def _number(sort: str, value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, Fraction):
        return f"{float(value):g}"
    assert isinstance(value, int)
    bits = width(sort)
    return str(value - (1 << bits) if bits > 8 and value >> (bits - 1) else value)
