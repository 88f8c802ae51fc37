"""What kernels ask to be done when they have ended: grids of their own, copies, memory to be set.

A kernel that launches another gets a buffer, writes the arguments there, and hands it over (the
device runtime's `cudaGetParameterBufferV2` and `cudaLaunchDeviceV2`). Since CUDA 12 nothing in a
kernel can wait for its children, so that they may all run once its own grid has ended (CUDA C++
Programming Guide, "CUDA Dynamic Parallelism"). Who runs the launch takes them from `works`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field

import numpy as np

from perflint.base.records import dataclass
from perflint.grammar.model import Function, Instruction, Symbol
from perflint.sim.launch import Dim3, Fill
from perflint.sim.memory import Accounting, Region, base_address

#: The region that arguments are written to. What kernels do there is the system's, and not traced.
ARGUMENTS = 0x3FFFFD
TAIL = 3  #: cudaStreamTailLaunch: when the grid and all that it launched have ended
_ALIGNMENT = 64
_ROOM = 32764  #: bytes of arguments that a kernel may have
_SUCCESS, _INVALID_VALUE = 0, 1

#: Calls of `sim/device_runtime.ptx`: what each takes and gives, by PTX type.
SIGNATURES: dict[str, tuple[tuple[str, ...], str | None]] = {
    # kernel, grid, block, dynamic shared bytes: an address, 0 where it cannot be launched so
    "__perflint_argument_buffer": (("b64", *["b32"] * 7), "b64"),
    "__perflint_launch": (("b64", "b64"), "b32"),  # buffer, stream
    "__perflint_copy": (("b64", "b64", "b64", "b64"), "b32"),  # to, from, bytes, stream
    "__perflint_set": (("b64", "b32", "b64", "b64"), "b32"),  # to, value, bytes, stream
    "__perflint_error": (("b32", "b32"), "b32"),  # the new one, or 0; whether to forget it
}


@dataclass(frozen=True)
class ChildLaunch:
    """A grid that a thread launched."""

    kernel: int  #: its address
    grid: Dim3
    block: Dim3
    shared: int  #: dynamic, bytes
    arguments: bytes
    tail: bool


@dataclass(frozen=True)
class Transfer:
    """Bytes to be copied, or all set to one value."""

    to: int
    count: int
    source: int  #: an address; of memory that is to be set, the value
    sets: bool
    tail: bool


Work = ChildLaunch | Transfer


def _any(child: ChildLaunch) -> tuple[int, int]:
    return _SUCCESS, _ROOM


@dataclass(eq=False)
class ChildLaunches:
    """What the threads of one grid ask for, in their order.

    `about` says of a launch whether it is allowed (0, or CUDA's error) and how many bytes of
    arguments the kernel has.
    """

    region: Region
    about: Callable[[ChildLaunch], tuple[int, int]] = _any
    works: list[Work] = field(default_factory=list)
    _ready: dict[int, tuple[ChildLaunch, int]] = field(default_factory=dict)  #: by buffer
    _errors: dict[int, int] = field(default_factory=dict)  #: of each thread the last one
    _top: int = 0

    @classmethod
    def made(cls, accounting: Accounting) -> ChildLaunches:
        return cls(Region(ARGUMENTS, "arguments", Fill.ZERO, 1024, accounting))

    def call(self, name: str, threads: np.ndarray, columns: list[np.ndarray]) -> np.ndarray:
        """Do what a function of `SIGNATURES` does for some threads, one after the other."""
        calls: dict[str, Callable[..., int]] = {
            "__perflint_argument_buffer": self._buffer,
            "__perflint_launch": self._launch,
            "__perflint_copy": self._copy,
            "__perflint_set": self._set,
            "__perflint_error": self._error,
        }
        does = calls[name]
        rows = zip(threads.tolist(), *(c.tolist() for c in columns), strict=True)
        found = [does(thread, *values) for thread, *values in rows]
        return np.array(found, np.uint64 if SIGNATURES[name][1] == "b64" else np.uint32)

    def _failed(self, thread: int, error: int) -> int:
        if error:
            self._errors[thread] = error
        return error

    def _error(self, thread: int, new: int, forget: int) -> int:
        last = new or self._errors.get(thread, _SUCCESS)
        self._errors[thread] = _SUCCESS if forget else last
        return last

    def _buffer(self, thread: int, kernel: int, *sizes: int) -> int:
        x, y, z, i, j, k, shared = sizes
        child = ChildLaunch(kernel, (x, y, z), (i, j, k), shared, b"", tail=False)
        error, size = self.about(child)
        if self._failed(thread, error):
            return 0
        start, self._top = self._top, self._top + -(-max(size, 1) // _ALIGNMENT) * _ALIGNMENT
        address = base_address(self.region.number) + start
        self._ready[address] = child, size
        return address

    def _launch(self, thread: int, buffer: int, stream: int) -> int:
        if buffer not in self._ready:
            return self._failed(thread, _INVALID_VALUE)
        child, size = self._ready.pop(buffer)
        at = np.arange(size) + (buffer - base_address(self.region.number))
        given = self._bytes(at) if size else b""
        self.works.append(
            ChildLaunch(child.kernel, child.grid, child.block, child.shared, given, stream == TAIL)
        )
        return _SUCCESS

    def _bytes(self, at: np.ndarray) -> bytes:
        element = np.dtype(np.uint8)
        return self.region.load(at, int(at[0]), int(at[-1]), element, "b8", 1)[0].tobytes()

    def _copy(self, thread: int, to: int, source: int, count: int, stream: int) -> int:
        self.works.append(Transfer(to, count, source, sets=False, tail=stream == TAIL))
        return _SUCCESS

    def _set(self, thread: int, to: int, value: int, count: int, stream: int) -> int:
        self.works.append(Transfer(to, count, value & 0xFF, sets=True, tail=stream == TAIL))
        return _SUCCESS


def asks(instruction: Instruction) -> bool:
    """Whether it is a call of `SIGNATURES`."""
    target = instruction.call.target if instruction.call is not None else None
    return isinstance(target, Symbol) and target.name in SIGNATURES


def launches(kernel: Function) -> bool:
    """Whether a kernel may launch others."""
    return any(map(asks, kernel.instructions))
