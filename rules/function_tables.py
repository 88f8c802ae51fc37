"""Kernels whose threads call what a table of functions has for them.

Lanes that call different functions take turns, however they are dealt to warps and wherever the
table lies.
"""

from __future__ import annotations

from perflint.grammar.model import Register
from perflint.rules.protocol import Kernel

TURNS = "its lanes call the functions that a table has for them, and take turns in these anyway"


def calls_by_table(kernel: Kernel) -> bool:
    """Whether a kernel calls a function whose address it has computed or loaded."""
    calls = (i.call for i in kernel.facts.kernel.instructions)
    return any(call is not None and isinstance(call.target, Register) for call in calls)
