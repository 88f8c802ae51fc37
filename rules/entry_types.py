"""What an entry's mangled name says of its parameters' types, whatever the source calls them."""

from __future__ import annotations

from perflint.base.patterns import pattern

_LENGTH = pattern(r"\d+")
#: Numbers of C's own, and CUDA's halves.
_NUMBER = r"(?:[bcahstijlmxyfd]|6__half|13__nv_bfloat16)"
#: Numbers, pointers to them, types that stood before and those that a template is given; no class,
#: and of templates those of numbers alone (Itanium C++ ABI, section 5.1).
_PLAIN = pattern(
    rf"(?:I(?:L[a-z]n?\d+E|{_NUMBER})+EE?v|E)?(?:[PKR]*(?:{_NUMBER}|S[0-9A-Z]*_|T\d*_))+"
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
