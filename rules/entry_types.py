"""What an entry's mangled name says of its parameters' types, whatever the source calls them."""

from __future__ import annotations

from perflint.base.patterns import pattern

_LENGTH = pattern(r"\d+")
#: Numbers of C's own, pointers to them, and types that stood before; no class, and of templates
#: those of numbers alone.
_PLAIN = pattern(
    r"(?:I(?:L[a-z]n?\d+E|[bcahstijlmxyfd])+Ev)?E?(?:[PKR]*(?:[bcahstijlmxyfd]|S[0-9A-Z]*_))+"
)


def takes_numbers(entry: str) -> bool:
    """Whether all that an entry takes is numbers and pointers to numbers: `_Z4kernPfS_i`.

    So it is where a `typedef` or a macro stands for `float`; of what is not mangled, nothing is
    known.
    """
    if not entry.startswith("_Z"):
        return False
    nested = entry.startswith("_ZN")
    at = 3 if nested or entry.startswith("_ZL") else 2
    while number := _LENGTH.match(entry, at):
        at = number.end() + int(number[0])
        if not nested:
            break
    return _PLAIN.fullmatch(entry, at) is not None
