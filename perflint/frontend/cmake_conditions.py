"""What of a CMake script is on: blocks under an option that is off say nothing.

Only conditions of one variable are decided, `if (WITH_MPI)` and `if (NOT WITH_MPI)`.
"""

from __future__ import annotations

from collections.abc import Callable

from perflint.base.patterns import pattern

#: CMake's constants that are false ("if", Constant), and those that are true.
FALSE = frozenset({"", "0", "OFF", "NO", "FALSE", "N", "IGNORE", "NOTFOUND"})
TRUE = frozenset({"1", "ON", "YES", "TRUE", "Y"})
#: Whatever the default is, a file of kernels is compiled where this is on.
OF_CUDA = pattern(
    r"(?:(?:USE|WITH|HAVE|HAS|ENABLE|GPU)_CUDA|(?:USE|WITH|HAVE|HAS|ENABLE)_GPU)\Z"
    r"|\A(?!NO_)[A-Z]+_GPU\Z"
)
_BLOCK = pattern(r"(?im)^[ \t]*(if|elseif|else|endif)[ \t]*\(([^()]*(?:\([^()]*\)[^()]*)*)\)")
_ONE = pattern(r"(?i)\s*(NOT\s+)?(?:\$\{)?(\w+)\}?\s*\Z")
_NOT_A_LINE = pattern(r"[^\n]")


def without_off_blocks(text: str, value: Callable[[str], str | None]) -> str:
    """A script with spaces for the blocks that are off where variables have these values.

    `value` gives None for what is unknown.
    """
    spans: list[tuple[int, int]] = []
    open_ones: list[tuple[int, bool | None]] = []  # where a branch begins, and whether it is on
    for match in _BLOCK.finditer(text):
        word = match[1].lower()
        if word != "if":
            if not open_ones:
                return text  # no CMake, or not all of it
            start, was_on = open_ones.pop()
            if was_on is False:
                spans.append((start, match.start()))
            if word == "else" and was_on is not None:
                open_ones.append((match.end(), not was_on))
            elif word != "endif":
                open_ones.append((match.end(), None))
        else:
            open_ones.append((match.end(), _is_on(match[2], value)))
    for start, end in spans:
        text = text[:start] + _NOT_A_LINE.sub(" ", text[start:end]) + text[end:]
    return text


def _is_on(condition: str, value: Callable[[str], str | None]) -> bool | None:
    match = _ONE.match(condition)
    if match is None:
        return None
    given = "1" if OF_CUDA.search(match[2]) else (value(match[2]) or "?").upper()
    if given not in FALSE | TRUE:
        return None
    return (given in TRUE) != bool(match[1])
