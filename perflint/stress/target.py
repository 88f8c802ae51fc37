"""The kernel and the launch whose worst input is looked for: which arrays are free to change.

An array is free where what is loaded of it decides an address, a branch or a barrier, and nobody
said what it holds: the user by anything but `random:`, or a file.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from perflint.analysis.model import KernelFacts, Pointer
from perflint.base.records import dataclass
from perflint.base.user_error import UserError
from perflint.lint.launch_text import spell_dim3
from perflint.lint.run_budgets import first_blocks
from perflint.lint.subject import Subject
from perflint.sim.launch import (
    Aggregate,
    Argument,
    Buffer,
    Dim3,
    Launch,
    Scalar,
)
from perflint.stress import generators
from perflint.stress.generators import Generator, Kept

#: Threads that are simulated of a launch: those of its first blocks.
MOST_THREADS = 1 << 16
_LONGEST = 80  #: characters of a generator that people read
#: Bytes of the arrays of one input, and seconds after which a run is out of hand.
MEMORY, SECONDS = 1 << 30, 120.0


class StressError(UserError):
    """Something that the user can put right."""


@dataclass(frozen=True, eq=False)
class Slot:
    """An array of the launch."""

    name: str
    pointer: Pointer  #: the parameter, and where in a struct its pointer stands
    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    free: bool
    data: np.ndarray  #: what it holds where it is not free
    fill: str  #: … as `--launch` writes it; "" where that cannot

    @property
    def count(self) -> int:
        return int(np.prod(self.shape))

    @property
    def type(self) -> str:
        """As `--launch` writes it: `f32`."""
        kind = {"f": "f", "i": "s", "u": "u"}[self.dtype.kind]
        return f"{kind}{8 * self.dtype.itemsize}"

    def spelt(self, generator: Generator | None, folder: str | None) -> str:
        """The array as an argument of `--launch`."""
        text = self.fill if generator is None else generator.text
        if isinstance(generator, Kept):
            return f"{folder}/{text}" if folder else text
        if folder is not None and len(text) > _LONGEST:
            return f"{folder}/{file_name(self.name)}.npy" if folder else f"{self.name}.npy"
        return f"{text}:{self.type}[{','.join(map(str, self.shape))}]"


@dataclass(frozen=True, eq=False)
class Target:
    """What is launched. Its arrays are filled for each input anew."""

    subject: Subject
    facts: KernelFacts
    launch: Launch
    slots: tuple[Slot, ...]
    said: str = ""  #: where the launch comes from, for people
    threads: int = MOST_THREADS  #: that are simulated at most

    @property
    def free(self) -> tuple[Slot, ...]:
        """The arrays whose contents are looked for."""
        return tuple(slot for slot in self.slots if slot.free)

    @property
    def blocks(self) -> tuple[Dim3, ...]:
        """The blocks that are simulated."""
        return first_blocks(self.launch.grid, max(1, self.threads // self.launch.threads_per_block))

    @property
    def is_whole(self) -> bool:
        return len(self.blocks) == self.launch.block_count

    def arrays(self, input_: Mapping[str, Generator]) -> dict[str, np.ndarray]:
        """Every array of the launch, by name. Raises GeneratorError."""
        return {
            slot.name: generators.array(input_[slot.name], slot.dtype, slot.count)
            if slot.name in input_
            else slot.data
            for slot in self.slots
        }

    def with_arrays(self, arrays: Mapping[str, np.ndarray]) -> Launch:
        """The launch with these arrays."""
        arguments = tuple(_filled(each, arrays) for each in self.launch.arguments)
        return replace(self.launch, arguments=arguments)

    def spelt(self, input_: Mapping[str, Generator], folder: str | None = None) -> str:
        """The launch in one line, as `perflint profile --launch` takes it.

        With a folder, what is long to write is the file that holds it there.
        """
        shared = f", {self.launch.dynamic_shared}" if self.launch.dynamic_shared else ""
        slots = {slot.name: slot for slot in self.slots}
        pairs = zip(self.subject.parameters, self.launch.arguments, strict=True)
        given = ", ".join(f"{n}={_spelt(a, slots, input_, folder)}" for n, a in pairs)
        grid, block = spell_dim3(self.launch.grid), spell_dim3(self.launch.block)
        return f"{self.subject.title}<<<{grid}, {block}{shared}>>>({given})"


def _filled(argument: Argument, arrays: Mapping[str, np.ndarray]) -> Argument:
    if isinstance(argument, Aggregate):
        pairs = ((at, _filled(each, arrays)) for at, each in argument.buffers)
        kept = tuple((at, e) for at, e in pairs if not isinstance(e, Aggregate | Scalar))
        return replace(argument, buffers=kept)
    if isinstance(argument, Buffer):
        data = arrays[argument.name]
        return replace(argument, data=data.reshape(-1).view(np.uint8), size=data.nbytes)
    return argument


def _spelt(
    argument: Argument,
    slots: Mapping[str, Slot],
    input_: Mapping[str, Generator],
    folder: str | None,
) -> str:
    if isinstance(argument, Buffer):
        return slots[argument.name].spelt(input_.get(argument.name), folder)
    return str(argument.value) if isinstance(argument, Scalar) else "…"


def file_name(name: str) -> str:
    """An array's name as part of a file's."""
    return re.sub(r"[^\w.-]", "_", name)


def relative(file: Path, folder: Path) -> str:
    """A file as seen from a folder, with forward slashes."""
    return Path(os.path.relpath(file.resolve(), folder.resolve())).as_posix()
