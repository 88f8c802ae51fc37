"""Names of what has internal linkage, as any process's compilations write them.

What stands in an anonymous namespace is named after its compilation: by NVRTC with a random number
and that of the process (`42_GLOBAL__N__00000000_4_a_cu_2daad092_11925`). Another compilation of the
same source, in another process, would call the same kernel otherwise.
"""

from __future__ import annotations

from perflint.base.patterns import pattern

_BEGINS = pattern(r"(\d{2,})(?=_(?:GLOBAL__N_|INTERNAL)_[0-9a-f]{8}_\d)")
_NAME = pattern(r"(_(?:GLOBAL__N_|INTERNAL)_[0-9a-f]{8}_\d+_\w+)_[0-9a-f]{8}_\d+")
_MARKS = ("_GLOBAL__N_", "_INTERNAL_")


def stable_names(text: str) -> str:
    """A text with mangled names, without what each process has of its own in them."""
    if not any(mark in text for mark in _MARKS):
        return text
    found: dict[str, str] = {}
    for match in _BEGINS.finditer(text):
        # the end of another name may stand before the number of characters
        for digits in (match[1][-2:], match[1][-3:]):
            named = _NAME.fullmatch(text[match.end() : match.end() + int(digits)])
            if named is not None:
                found[digits + named[0]] = f"{len(named[1])}{named[1]}"
                break
    for written in sorted(found, key=len, reverse=True):
        text = text.replace(written, found[written])
    return text
