"""What OpenCV's matrices say of themselves, as expressions of their rows and columns.

`img.total()` is `img.rows * img.cols`, and a row of `img.step` bytes holds its columns. Numbers
that were invented for each by itself would not fit together.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from perflint.base.patterns import pattern
from perflint.frontend.source.language.c_types import Value
from perflint.frontend.source.language.constant_folding import fold

if TYPE_CHECKING:
    from perflint.frontend.source.host.values.environment import Environment

_TYPES = ("Mat", "GpuMat", "HostMem")
_ASKED = pattern(
    r"(\w+(?:(?:\.|->)\w+)*?)(\.|->)"
    r"(total\(\)|elemSize\(\)|elemSize1\(\)|step1\(\)|step(?:\[0\])?|channels\(\)|size\(\)\.\w+(?:\(\))?)"
)
#: Of a matrix `@`; elements are taken for bytes, of which a pixel in colour has three.
_MEANT = {
    "total()": "(@rows * @cols)",
    "elemSize()": "@channels()",
    "elemSize1()": "1",
    "step": "(@cols * @channels())",
    "step[0]": "(@cols * @channels())",
    "step1()": "(@cols * @channels())",
    "size().width": "@cols",
    "size().height": "@rows",
    "size().area()": "(@rows * @cols)",
}
CHANNELS, WHY = 3, "as an image in colour has"


def of_matrix(place: Environment, text: str) -> Value | None:
    """The value of what is asked of a matrix; None for all else."""
    asked = _ASKED.fullmatch("".join(text.split()))
    meant = _MEANT.get(asked[3]) if asked is not None else None
    if asked is None or meant is None or not _is_matrix(place, asked[1]):
        return None
    with place.session.look_up(("matrix", text, place.key)) as allowed:
        return fold(meant.replace("@", f"{asked[1]}{asked[2]}"), place) if allowed else None


def channels_of(place: Environment, text: str) -> int | None:
    """How many numbers a pixel of a matrix has, where `text` asks for it; else None."""
    asked = _ASKED.fullmatch("".join(text.split()))
    is_count = asked is not None and asked[3] == "channels()"
    return CHANNELS if asked and is_count and _is_matrix(place, asked[1]) else None


def _is_matrix(place: Environment, name: str) -> bool:
    words = place.declared_words(name)[0] if name.isidentifier() else ""
    return words.rsplit("::", 1)[-1].strip() in _TYPES
