"""Text of others as it may be printed: nothing in it steers a terminal or a CI's runner."""

from __future__ import annotations

import re

from perflint.streams import without_brackets

#: Control characters, and those that reorder text on a terminal (Unicode TR 36, bidi overrides).
_UNPRINTABLE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]"
)


def clean(text: str) -> str:
    """Text without what could steer a terminal or a runner: such characters become U+FFFD."""
    return without_brackets(_UNPRINTABLE.sub("\N{REPLACEMENT CHARACTER}", text))


def one_line(text: str) -> str:
    """`clean` text with every run of white space a single blank."""
    return clean(" ".join(text.split()))
