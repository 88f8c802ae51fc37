"""What a kernel does that it must not, with the thread that does it."""

from __future__ import annotations

from perflint.base.records import dataclass
from perflint.grammar.model import Instruction
from perflint.sim.launch import Dim3


@dataclass(frozen=True, eq=False)
class Violation:
    """One error of a kernel. `message` names everything but the source line."""

    #: `out-of-bounds`, `misaligned`, `uninitialised-shared-read`, `shared-race`,
    #: `divergent-barrier`, `deadlock`, `trap`
    kind: str
    message: str
    instruction: Instruction | None  #: which does it
    other: Instruction | None = None  #: where the message ends, whose place is to be added
    block: Dim3 | None = None
    thread: Dim3 | None = None
    address: int | None = None
    count: int = 1  #: lanes that did it until the run ended


def thread_index(thread: int, block: Dim3) -> Dim3:
    """`threadIdx` of a thread by its number in the block (x runs fastest)."""
    return thread % block[0], thread // block[0] % block[1], thread // (block[0] * block[1])


def who(block: Dim3, thread: Dim3) -> str:
    """`thread (3, 0, 0) of block (1, 0, 0)`."""
    return f"thread {thread} of block {block}"
