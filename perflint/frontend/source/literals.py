"""The values and types of C literals."""

from __future__ import annotations

from perflint.frontend.source import c_types
from perflint.frontend.source.c_types import DOUBLE, FLOAT, Value


def literal(kind: str, text: str) -> Value | None:
    """A literal's value and type (C17 6.4.4)."""
    if kind in ("float", "double", "long double"):
        digits = text.rstrip("fFlL")
        number = float.fromhex(digits) if digits[:2].lower() == "0x" else float(digits)
        return c_types.convert(Value(number, DOUBLE), FLOAT if text[-1] in "fF" else DOUBLE)
    if kind == "char":
        body = text[1:-1]
        simple = {"\\n": 10, "\\t": 9, "\\0": 0, "\\r": 13, "\\\\": 92, "\\'": 39}
        number_of = simple.get(body, ord(body) if len(body) == 1 else None)
        return None if number_of is None or number_of > 127 else Value(number_of, c_types.CHAR)
    if "int" not in kind or not text[0].isdigit():
        return None
    digits, suffix = text.rstrip("uUlL").lower(), text[len(text.rstrip("uUlL")) :].lower()
    if digits.startswith("0x"):
        base = 16
    elif digits.startswith("0b"):
        base = 2
    else:
        base = 8 if digits.startswith("0") and len(digits) > 1 else 10
    number = int(digits, base)
    longs = suffix.count("l")
    signed = (c_types.INT, c_types.LONG, c_types.LLONG)[min(longs, 2) :]
    unsigned = (c_types.UINT, c_types.ULONG, c_types.ULLONG)[min(longs, 2) :]
    if "u" in suffix:
        candidates = unsigned
    elif base == 10:
        candidates = signed
    else:
        candidates = tuple(t for pair in zip(signed, unsigned, strict=True) for t in pair)
    for candidate in candidates:
        bits = 8 * candidate.size - (1 if candidate.signed else 0)
        if number < 1 << bits:
            return Value(number, candidate)
    return None
