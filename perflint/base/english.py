"""Words put together as people write them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from perflint.base.patterns import pattern

#: Blanks that nobody writes: around `.`, inside of brackets, before those of a call, behind `!`.
_TIGHT = pattern(
    r"""("(?:\\.|[^"\\])*") | \ (\.|->|::)[ ]
    | (?<=[(\[!~])\  | \ (?=[)\],;]) | (?<=\w)\ (?=[(\[])""",
    re.VERBOSE,
)
#: What is denied twice: `not `!f(x)``.
_TWICE = pattern(r"not `!((?:[\w.:]|->)+(?:\((?:\"[^\"]*\"|[^()`\"])*\))?)`")
_DENIED = pattern(r"^not (`[^`]*`)$")


def listed(words: Sequence[str]) -> str:
    """`a, b and c`."""
    return " and ".join(filter(None, (", ".join(words[:-1]), *words[-1:])))


def readable(code: str) -> str:
    """Conditions whose tokens stand apart, as people write them: `f(a.b)` for `f ( a . b )`.

    One that does not hold is false: "`n > 4` is false" for "not `n > 4`".
    """
    if not code.startswith(("`", "not `")):
        return code
    text = _TIGHT.sub(lambda m: m[1] or m[2] or "", code)
    return _DENIED.sub(r"\1 is false", _TWICE.sub(r"`\1`", text))
