"""Stores that the source makes as vectors and the compiler in parts: `*(uint4 *)p = v`, four words.

So it may go where the parts are computed one by one. An intrinsic function's store stays one.
"""

from __future__ import annotations

from perflint.analysis.model import AccessSite
from perflint.base.constructs import within
from perflint.base.patterns import pattern
from perflint.rules.protocol import Kernel

_VECTOR = r"(?:u?(?:char|short|int|long|longlong)|float|double)[24]"
_CAST = pattern(rf"reinterpret_cast\s*<\s*{_VECTOR}\s*\*\s*>|\(\s*{_VECTOR}\s*\*\s*\)")
_PART = pattern(r"(?:\.|->)\s*[xyzw]\s*")


def is_whole(target: str) -> bool:
    """Whether what is assigned to is a vector, by a cast, and no part of one."""
    part = _PART.search(target)
    return _CAST.search(target) is not None and (part is None or part.end() < len(target))


def stored_whole(kernel: Kernel, site: AccessSite) -> bool:
    """Whether the statement of a store assigns to a vector as a whole."""
    at = kernel.statement(site.location)
    constructs = kernel.constructs(str(at.path)) if at is not None else None
    if at is None or constructs is None or site.kind != "store":
        return False
    assigned = (o.left.text for o in within(constructs.operations, at) if o.operator == "=")
    return any(map(is_whole, assigned))


def kept_together(array: str, size: int) -> str:
    """How the parts of a vector are stored as one, which the compiler has parted."""
    return (
        f"the source writes {size} bytes of {array} as a vector, which the compiler stores in "
        "parts: `__stwb(pointer, vector)` in the place of the assignment stays one store"
    )
