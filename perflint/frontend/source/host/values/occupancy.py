"""What the CUDA runtime's occupancy calculator answers: `cudaOccupancyMaxPotentialBlockSize(…)`.

No GPU is asked, and registers are not known where host code is read. The answers are those of an
A100 for a kernel of at most 32 registers, within the kernel's launch bounds.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from perflint.base.patterns import pattern
from perflint.frontend.source.host.values.device_properties import PROPERTIES, is_address
from perflint.frontend.source.language.constant_folding import fold
from perflint.frontend.source.language.declarations import Call, Function

if TYPE_CHECKING:
    from perflint.frontend.source.host.values.environment import Environment

WHY = "as an A100 answers for a kernel of 32 registers"
SIZE, BLOCKS = "cudaOccupancyMaxPotentialBlockSize", "cudaOccupancyMaxActiveBlocksPerMultiprocessor"
_CALL = pattern(rf"({SIZE}|{BLOCKS})(?:WithFlags)?")
#: Shared memory that the system takes of each block (CUDA C++ Programming Guide, compute
#: capability 8.x).
_RESERVED = 1024
_KERNEL = pattern(r"\b(\w+)(?:<.*>)?\)*$")  #: behind casts and namespaces
_BOUNDS = pattern(r"__launch_bounds__\s*\(([^,)]+)")


def is_asked(text: str) -> bool:
    """Whether an expression or a reason speaks of the occupancy calculator."""
    return _CALL.search(text) is not None


def occupancy_of(place: Environment, name: str) -> int | None:
    """What the last such call before the place has written to a variable; None if none has."""
    body = place.body()
    for call in reversed(body.named_calls if body is not None else ()):
        if call.node.end_byte > place.at or not _CALL.fullmatch(call.name):
            continue
        texts = ["".join(place.file.source.text_of(a).split()) for a in call.arguments]
        for position, text in enumerate(texts[:2]):
            if is_address(text, name):
                return _answer(call, texts, position, place.moved(call.node.start_byte))
    return None


def _answer(call: Call, texts: Sequence[str], position: int, there: Environment) -> int | None:
    if call.name.startswith(SIZE) and len(texts) > 2:
        most = _bound(there, texts[2])
        if (limit := _number(there, texts, 4)) is not None and 0 < limit < most:
            most = limit
        block, blocks = _largest(most, _number(there, texts, 3) or 0)
        return block if position else blocks * PROPERTIES["multiProcessorCount"]
    block = _number(there, texts, 2) or 0
    return None if block < 1 or position else _resident(block, _number(there, texts, 3) or 0)


def _number(place: Environment, texts: Sequence[str], position: int) -> int | None:
    value = fold(texts[position], place) if position < len(texts) else None
    return None if value is None else int(value.number)


def _largest(most: int, shared: int) -> tuple[int, int]:
    """The largest block of those that keep a multiprocessor fullest, and how many it holds."""
    warp = PROPERTIES["warpSize"]
    sizes = range(max(warp, most // warp * warp), 0, -warp)
    return max(((size, _resident(size, shared)) for size in sizes), key=lambda p: p[0] * p[1])


def _resident(block: int, shared: int) -> int:
    """How many blocks of a size a multiprocessor holds."""
    warp = PROPERTIES["warpSize"]
    threads = PROPERTIES["maxThreadsPerMultiProcessor"] // (-(-block // warp) * warp)
    memory = PROPERTIES["sharedMemPerMultiprocessor"] // (max(0, shared) + _RESERVED)
    return min(PROPERTIES["maxBlocksPerMultiProcessor"], threads, memory)


def _bound(place: Environment, text: str) -> int:
    """The kernel's launch bounds."""
    most = PROPERTIES["maxThreadsPerBlock"]
    named = _KERNEL.search(text)
    kernels = place.session.project.kernels(named[1], place.file) if named is not None else ()
    bounds = [b for kernel in kernels if (b := _launch_bounds(kernel, place)) is not None]
    return min([most, *bounds])


def _launch_bounds(kernel: Function, place: Environment) -> int | None:
    head = kernel.source.slice(kernel.node.start_byte, kernel.name_node.start_byte)
    found = _BOUNDS.search(head)
    value = fold(found[1], place) if found else None
    return None if value is None or value.number < 1 else int(value.number)
