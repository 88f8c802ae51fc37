"""A program's modules: their PTX, where their variables lie, their kernels ready to run."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import field
from functools import cached_property

import numpy as np

from perflint.base.records import dataclass
from perflint.grammar import PtxSyntaxError, parse
from perflint.grammar.model import Function, Module
from perflint.run.fatbin import DeviceCodeError, parts, ptx_of
from perflint.run.memory import HostRegion, SharedMemory
from perflint.sim import emulator
from perflint.sim.call_stack import address_of
from perflint.sim.codegen import CompiledBlock
from perflint.sim.device_runtime import linked
from perflint.sim.layout import Frame, frame, initial_bytes, local_frame, mentioned, shared_frame
from perflint.sim.memory import GUARD, base_address
from perflint.sim.program import Program

_CONSTANT_BANK = 65536


@dataclass(frozen=True, eq=False)
class ReadyKernel:
    """A kernel, compiled for the simulator."""

    function: Function  #: as the module has it
    program: Program
    code: tuple[CompiledBlock, ...]
    shared: Frame
    local: Frame
    parameters: Frame

    @property
    def running(self) -> Function:
        """The kernel with its calls written out."""
        return self.program.kernel

    @cached_property
    def most_threads(self) -> int:
        """Threads that a block may have."""
        bound = self.function.directives.get("maxntid") or self.function.directives.get("reqntid")
        return int(np.prod(bound)) if bound else 1024

    @cached_property
    def layout(self) -> list[tuple[int, int]]:
        """Offset and size of each parameter in the launch's bytes."""
        return [(self.parameters.offsets[v.name], v.size) for v in self.function.parameters]


@dataclass(eq=False)
class LoadedModule:
    """One image that the program registered or loaded."""

    number: int
    module: Module
    texts: tuple[str, ...]  #: its PTX, of each object of it
    variables: dict[str, HostRegion]
    managed: dict[str, int] = field(default_factory=dict)  #: addresses that the program gave
    kernels: dict[str, ReadyKernel] = field(default_factory=dict)
    left_out: str = ""  #: why some of its objects cannot be simulated, where that is so
    _kernels_by_address: dict[int, str] = field(default_factory=dict)

    @cached_property
    def digest(self) -> str:
        """The same for equal PTX."""
        return hashlib.sha256("\0".join(self.texts).encode()).hexdigest()[:16]

    def symbols(self) -> Mapping[str, int]:
        """Addresses of the module's variables."""
        out = {name: base_address(region.number) for name, region in self.variables.items()}
        return {**address_of(self.module), **out, **self.managed}

    def kernel_at(self, address: int) -> str:
        """The kernel that an address in device code is of; "" where it is none."""
        if not self._kernels_by_address:
            self._kernels_by_address = {
                at: name
                for name, at in address_of(self.module).items()
                if self.module.functions[name].kind == "entry"
            }
        return self._kernels_by_address.get(address, "")

    def ready(self, name: str) -> ReadyKernel:
        """A kernel, compiled when it is first asked for.

        Raises KeyError, and what the emulator raises of instructions it does not know.
        """
        found = self.kernels.get(name)
        if found is None:
            function = self.module.functions[name]
            program, code, _ = emulator.compiled.__wrapped__(self.module, function)
            kernel = program.kernel
            found = self.kernels[name] = ReadyKernel(
                function,
                program,
                code,
                shared_frame(self.module, kernel, mentioned(kernel)),
                local_frame(kernel),
                frame(function.parameters),
            )
        return found

    def constant_bytes(self) -> int:
        """Size of the module's constant bank."""
        sizes = (v.size for v in self.module.variables.values() if v.space == "const")
        return min(sum(sizes), _CONSTANT_BANK)

    def give_place(self, name: str, address: int, target: HostRegion, first: bool) -> None:
        """A `__managed__` variable lies where the program put it, for all devices.

        The first one to have it there gives it its value.
        """
        region = self.variables.pop(name)
        size = region.size or 0
        if first:
            target.window(0, size)[:] = region.window(0, size)
        self.managed[name] = address


def load_module(
    number: int, image: bytes, arch: int, memory: SharedMemory, device: int = 0
) -> LoadedModule:
    """Read an image and give its variables their memory, on a device. Raises DeviceCodeError."""
    texts, left_out = _texts(image, arch)
    try:
        module = parsed(texts, f"module {number}")
    except PtxSyntaxError as error:
        raise DeviceCodeError(f"PTX line {error.line}: {error.message}") from error
    variables = {
        name: memory.allocate(max(v.size, 1), name, device)
        for name, v in module.variables.items()
        if v.space in ("global", "const")
    }
    for name, region in variables.items():
        variable = module.variables[name]
        region.constant = variable.space == "const"
        data = initial_bytes(variable, variables, address_of(module))
        if data is not None:
            region._bytes[GUARD : GUARD + len(data)] = data
    return LoadedModule(number, module, tuple(texts), variables, left_out=left_out)


def _texts(image: bytes, arch: int) -> tuple[list[str], str]:
    """The PTX of each object in an image, and why some have none.

    NVIDIA's own device runtime is linked to every program of several objects, for GPUs of its own
    choice; what of it fits none is left out.
    """
    out: list[str] = []
    problem: DeviceCodeError | None = None
    for part in parts(image):
        try:
            out.append(ptx_of(part, arch))
        except DeviceCodeError as error:
            problem = problem or error
    if problem is not None and not out:
        raise problem
    return out, str(problem or "")


def parsed(texts: Sequence[str], name: str) -> Module:
    """Several objects as one module: what one declares, another defines (nvcc's -rdc=true).

    Raises PtxSyntaxError.
    """
    return linked(*(parse(text, name) for text in texts))
