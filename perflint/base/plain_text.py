"""Text of others as it may be printed: nothing in it steers a terminal or a CI's runner."""

from __future__ import annotations

from perflint.base.patterns import pattern
from perflint.base.streams import without_brackets

#: Control characters, and those that reorder or hide text (Unicode TR 36: overrides, tags).
_UNPRINTABLE = pattern(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u180e\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff"
    "\ufff9-\ufffb\ufffe\uffff\U000e0000-\U000e007f]"
)


def clean(text: str) -> str:
    """Text without what could steer a terminal or a runner: such characters become U+FFFD."""
    return without_brackets(_UNPRINTABLE.sub("\N{REPLACEMENT CHARACTER}", text))


def one_line(text: str) -> str:
    """`clean` text with every run of white space a single blank."""
    return clean(" ".join(text.split()))
