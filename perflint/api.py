"""Kernels from Python: `perflint.load("reduce.cu")["reduce"].launch(grid=64, block=256, …)`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from pathlib import Path
from typing import Any

from perflint import frontend
from perflint.argument_encoding import ArgumentError, Parameter, copy_back, dim3, encode
from perflint.base.records import dataclass
from perflint.debug_lines import Lines
from perflint.frontend.model import Compilation, EntryOrigin
from perflint.grammar import PtxSyntaxError, parse
from perflint.grammar.model import Function, Instruction, Module
from perflint.lint.subject import parameter_names, source_kernel
from perflint.sim import architecture
from perflint.sim.emulator import simulate
from perflint.sim.launch import Budget, Dim3, Launch, Run, whole
from perflint.sim.simulation_options import Reconvergence, SimulationOptions
from perflint.sim.trace import Setting, Tracer, Tracing
from perflint.sim.tracers.barrier_checker import BarrierChecker
from perflint.sim.tracers.memory_checker import MemoryChecker
from perflint.sim.tracers.memory_race_detector import MemoryRaceDetector
from perflint.sim.violation import Violation

__all__ = ["ArgumentError", "Kernel", "KernelFaultError", "Kernels", "LoadError", "Run", "load"]


class LoadError(Exception):
    """A file or kernel that cannot be simulated; the message says where and why."""


class KernelFaultError(Exception):
    """The kernel did what it must not: the message is the report, one fault a line."""

    def __init__(self, message: str, violations: tuple[Violation, ...], run: Run) -> None:
        super().__init__(message)
        self.violations, self.run = violations, run


@dataclass(eq=False)
class _File:
    """A file and its compilations by architecture."""

    path: Path
    define: tuple[str, ...]
    include: tuple[Path, ...]
    compiled: dict[str, tuple[Compilation, Module]] = field(default_factory=dict)

    def for_arch(self, arch: str) -> tuple[Compilation, Module]:
        """What the compiler makes of the file. Raises LoadError, UnknownArchitectureError."""
        arch = architecture.load(arch).name
        if arch not in self.compiled:
            self.compiled[arch] = self._compile(arch)
        return self.compiled[arch]

    def _compile(self, arch: str) -> tuple[Compilation, Module]:
        if not self.path.is_file():
            raise LoadError(f"{self.path}: there is no such file")
        if self.path.suffix == ".ptx":
            found = frontend.read_ptx(self.path, arch=arch)
        else:
            found = frontend.compile_file(
                self.path, arch=arch, define=self.define, include=self.include
            )
        if found.ptx is None:
            raise LoadError(_why_not(self.path, found))
        try:
            return found, parse(found.ptx, str(self.path))
        except PtxSyntaxError as error:
            raise LoadError(f"{self.path}:{error.line}: {error.message}") from error


def _why_not(path: Path, found: Compilation) -> str:
    for error in found.errors:
        return f"{error.path}:{error.line}: {error.message}"
    for lost in found.lost:
        return f"{lost.span.path}:{lost.span.line}: kernel {lost.name}: {lost.reason}"
    return f"{path}: there is no kernel in it"


@dataclass(frozen=True, eq=False)
class Kernel:
    """A kernel that can be launched."""

    name: str  #: as in the source, with the template arguments: `scan<float>`
    entry: str  #: the name of its PTX entry
    qualified: str  #: with namespaces, as far as the source says
    parameters: tuple[Parameter, ...]
    _file: _File = field(repr=False)

    def launch(
        self,
        grid: int | Sequence[int],
        block: int | Sequence[int],
        args: Sequence[Any] = (),
        *,
        arch: str = "sm_80",
        shared: int = 0,
        tracers: Sequence[Tracer] = (),
        check: bool = True,
        seconds: float = 60.0,
        memory: int = 2 << 30,
        reconvergence: Reconvergence = "thread-frontiers",
    ) -> Run:
        """Simulate all blocks of a launch; NumPy arrays among `args` are updated in place.

        `args` are one value a parameter: an array for a pointer, a number, None for a null
        pointer, bytes or an array of as many bytes for a struct. `shared` is dynamic shared
        memory in bytes. `tracers` see the run and hold what they found afterwards.

        With `check` the run ends at an access outside every allocation, a misaligned one, a race
        or an uninitialised read in shared memory, or a barrier that cannot be passed, and
        KernelFaultError is raised. `Run.stop` says whether a budget (`seconds`, `memory` in
        bytes) ended it, and how far it came. `reconvergence` says where lanes of a warp that
        diverged meet: at `thread-frontiers` or at the immediate post-dominator, `ipdom`.

        Raises ArgumentError, LaunchError and UnknownArchitectureError for a launch that does not
        fit, LoadError and UnsupportedInstructionError for a kernel that cannot be simulated.
        """
        encoded = encode(self.name, self.parameters, args)
        launch = Launch(dim3(grid, "grid"), dim3(block, "block"), encoded.arguments, shared)
        budget = whole(seconds=seconds, memory=memory)
        outcome = run_checked(
            self, launch, arch, tracers, budget, check=check, reconvergence=reconvergence
        )
        copy_back(encoded, outcome.run.buffers)
        if outcome.violations:
            lines = self.lines(arch)
            told = [lines.told(v) for v in outcome.violations]
            raise KernelFaultError("\n".join(told), outcome.violations, outcome.run)
        return outcome.run

    def compiled(self, arch: str) -> tuple[Module, Function]:
        """The module and the entry for an architecture. Raises LoadError."""
        module = self._file.for_arch(arch)[1]
        found = module.functions.get(self.entry)
        if found is None:
            raise LoadError(f"{self._file.path}: no kernel {self.name} for {arch}")
        return module, found

    def ptx(self, arch: str) -> str:
        """The PTX that the kernel stands in, for an architecture. Raises LoadError."""
        return self._file.for_arch(arch)[0].ptx or ""

    def image(self, arch: str) -> bytes:
        """The cubin that NVRTC makes of the kernel's file; b"" of PTX. Raises LoadError."""
        return frontend.image(self._file.for_arch(arch)[0])

    def lines(self, arch: str) -> Lines:
        """Where the kernel's instructions stand in the source."""
        compilation, _ = self._file.for_arch(arch)
        return Lines.of(self._file.path, self.compiled(arch)[1], compilation.facts.values())


class Kernels(Mapping[str, Kernel]):
    """The kernels of a file by name.

    A kernel is found by its name in the source (`reduce`, with namespaces or without), an instance
    of a template by `scan<float>` too, and every one by the name of its PTX entry.
    """

    def __init__(self, path: Path, kernels: Sequence[Kernel], lost: Mapping[str, str]) -> None:
        self.path, self._kernels, self._lost = path, tuple(kernels), lost

    def __getitem__(self, name: str) -> Kernel:
        wanted = "".join(name.split())
        for key in (lambda k: k.entry, lambda k: k.name, lambda k: k.qualified, _plain):
            found = [k for k in self._kernels if "".join(key(k).split()) == wanted]
            if len(found) == 1:
                return found[0]
            if found:
                names = ", ".join(k.name if k.name != name else k.entry for k in found)
                raise KernelNameError(f"{self.path}: {name} may be any of {names}")
        if name in self._lost:
            raise KernelNameError(f"{self.path}: kernel {name}: {self._lost[name]}")
        known = ", ".join(self) or "none"
        raise KernelNameError(f"{self.path}: there is no kernel {name}; there is {known}")

    def __iter__(self) -> Iterator[str]:
        return iter(dict.fromkeys(k.name for k in self._kernels))

    def __len__(self) -> int:
        return len(list(iter(self)))


class KernelNameError(KeyError):
    """No kernel of that name, or several."""

    def __str__(self) -> str:
        return str(self.args[0])


def _plain(kernel: Kernel) -> str:
    return kernel.name.partition("<")[0]


def load(
    path: str | Path,
    *,
    arch: str = "sm_80",
    define: Sequence[str] = (),
    include: Sequence[str | Path] = (),
) -> Kernels:
    """The kernels of a `.cu`, `.cuh` or `.ptx` file, compiled for `arch` (others on launch).

    `define` and `include` are a compiler's -D (`NAME` or `NAME=VALUE`) and -I. Raises LoadError
    where there is nothing to launch.
    """
    file = _File(Path(path), tuple(define), tuple(Path(each) for each in include))
    compilation, module = file.for_arch(arch)
    kernels = [_kernel(file, compilation, entry) for entry in module.kernels]
    lost = {each.name: each.reason for each in compilation.lost}
    if not kernels:
        raise LoadError(_why_not(file.path, compilation))
    return Kernels(file.path, kernels, lost)


def _kernel(file: _File, compilation: Compilation, entry: Function) -> Kernel:
    origin: EntryOrigin = compilation.entries.get(entry.name) or frontend.origin_of(entry.name)
    source = source_kernel(compilation.facts.values(), origin, len(entry.parameters))
    names = parameter_names(entry, source)
    written = source.parameters if source else ()
    parameters = tuple(
        Parameter(name, w.type, w.pointer, variable)
        if (w := written[i] if i < len(written) else None)
        else Parameter(name, f".{variable.type}", None, variable)
        for i, (name, variable) in enumerate(zip(names, entry.parameters, strict=True))
    )
    arguments = origin.template_arguments
    title = origin.kernel + (f"<{', '.join(arguments)}>" if arguments else "")
    qualified = source.qualified if source else origin.kernel
    return Kernel(title, entry.name, qualified, parameters, file)


CHECKERS = (MemoryChecker, MemoryRaceDetector, BarrierChecker)  #: tracers that end a run


# --- running --------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Outcome:
    """A run of all blocks and what it did wrong."""

    run: Run
    violations: tuple[Violation, ...]
    checkers: tuple[Tracing, ...]
    instructions: tuple[Instruction, ...]  #: what ran, as tracers count positions


def every_block(grid: Dim3) -> tuple[Dim3, ...]:
    """All indices of a grid, x fastest."""
    return tuple((x, y, z) for z in range(grid[2]) for y in range(grid[1]) for x in range(grid[0]))


def run_checked(
    kernel: Kernel,
    launch: Launch,
    arch: str,
    tracers: Sequence[Tracer],
    budget: Budget,
    *,
    check: bool = True,
    reconvergence: Reconvergence = "thread-frontiers",
) -> Outcome:
    """Run all blocks; with `check`, until something is wrong."""
    module, entry = kernel.compiled(arch)
    memory, races, barriers = MemoryChecker(), MemoryRaceDetector(), BarrierChecker()
    checkers = (memory, races, barriers) if check else ()
    listener = Listener()
    run = simulate(
        module,
        entry,
        launch,
        SimulationOptions(
            arch=arch,
            blocks=every_block(launch.grid),
            budget=budget,
            stop_when=(lambda: any(c.violations for c in checkers)) if checkers else None,
            reconvergence=reconvergence,
        ),
        tracers=(*tracers, *checkers, listener),
    )
    found = [v for c in checkers for v in c.violations]
    stop = run.stop
    if check and stop is not None and stop.reason == "deadlock":
        found.append(barriers.deadlock(stop))
    elif check and stop is not None and stop.reason == "trap":
        at = listener.setting.position.get(-1 if stop.pc is None else stop.pc)
        instruction = None if at is None else listener.setting.instructions[at]
        found.append(Violation("trap", f"the kernel ends itself: {stop.detail}", instruction))
    return Outcome(run, tuple(found), checkers, listener.setting.instructions)


class Listener(Tracing):
    """Keeps what a run was about."""

    def begin(self, setting: Setting) -> None:
        self.setting = setting
