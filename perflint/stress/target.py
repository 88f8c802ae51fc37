"""The kernel and the launch whose worst input is looked for: which arrays are free to change.

An array is free where what is loaded of it decides an address, a branch or a barrier, and nobody
said what it holds: the user by anything but `random:`, or a file.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from perflint.analysis import analyse
from perflint.analysis.model import AnalysisError, KernelFacts, Pointer
from perflint.argument_encoding import ArgumentError, Parameter, encode
from perflint.base.user_error import UserError
from perflint.frontend.model import Compilation
from perflint.grammar import PtxSyntaxError
from perflint.grammar import parse as parse_ptx
from perflint.grammar.model import TYPE_SIZE, Module
from perflint.lint.check_kernel import tried_launches
from perflint.lint.check_run import Run as CheckRun
from perflint.lint.launch_text import spell_dim3
from perflint.lint.options import CheckOptions
from perflint.lint.ruleset import load as load_rules
from perflint.lint.subject import Subject
from perflint.lint.subjects import subjects
from perflint.lint.translation_units import Unit, compile_unit, read_facts, units
from perflint.lint.trials import first_blocks
from perflint.profile.arguments import ArgumentSpecError, ArraySpec, ProfileLaunch, made
from perflint.sim import LaunchError, SimulationOptions, simulate
from perflint.sim.launch import (
    Aggregate,
    Argument,
    Buffer,
    Dim3,
    Fill,
    Launch,
    Scalar,
    UnsupportedInstructionError,
    whole,
)
from perflint.sim.program import build
from perflint.sim.slice import Part
from perflint.stress import generators
from perflint.stress.generators import Generator
from perflint.stress.variables import invented

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


# --- the kernel -----------------------------------------------------------------------------------


def kernels_of(file: Path, options: CheckOptions) -> tuple[list[Subject], list[str]]:
    """The kernels of a file, and why others are none. Raises StressError where there is none."""
    root = file.resolve().parent
    todo = units([file], options).units
    if not todo:
        raise StressError(f"{file}: no kernel is compiled of it")
    unit = todo[0]
    facts = read_facts(unit, root)
    run = CheckRun(options, load_rules(()), {} if facts is None else {unit.path: facts}, root)
    compilation = compile_unit(unit, options, root, facts)
    module = _module(unit, compilation)
    found = [make() for _, make in subjects(unit, module, compilation, run, dict, None)]
    lost = [f"{e.span.path}:{e.span.line}: {e.reason}" for e in compilation.lost]
    if not found:
        raise StressError(lost[0] if lost else f"{file}: there is no kernel in it")
    return found, lost


def _module(unit: Unit, compilation: Compilation) -> Module:
    if compilation.ptx is None:
        why = [f"{e.path}:{e.line}: {e.message}" for e in compilation.errors]
        why += [f"{e.span.path}:{e.span.line}: {e.reason}" for e in compilation.lost]
        raise StressError(why[0] if why else f"{unit.path}: there is no kernel in it")
    try:
        return parse_ptx(compilation.ptx, str(unit.path))
    except PtxSyntaxError as error:
        raise StressError(f"{unit.path}:{error.line}: {error.message}") from error


def chosen(found: Sequence[Subject], name: str | None) -> Subject:
    """The kernel of a name, or the only one. Raises StressError."""
    names = ", ".join(each.title for each in found)
    if name is None:
        if len(found) > 1:
            raise StressError(f"there are several kernels: say --kernel with one of {names}")
        return found[0]
    wanted = "".join(name.split())
    mine = [
        each
        for each in found
        if wanted
        in ("".join(n.split()) for n in (each.title, each.origin.kernel, each.kernel.name))
    ]
    if not mine:
        raise StressError(f"there is no kernel {name}; there is {names}")
    if len(mine) > 1:
        raise StressError(f"{name} may be any of {', '.join(e.title for e in mine)}")
    return mine[0]


def analysed(subject: Subject) -> tuple[Subject, KernelFacts]:
    """A kernel with its calls written out, and its facts. Raises StressError."""
    try:
        facts = analyse(subject.module, subject.kernel)
    except AnalysisError as error:
        raise StressError(f"{subject.path}: kernel {subject.title}: {error}") from error
    return replace(subject, kernel=facts.kernel), facts


def target_of(subject: Subject, given: ProfileLaunch | None) -> Target:
    """A kernel with the launch that is given, or that its host code makes. Raises StressError."""
    subject, facts = analysed(subject)
    try:
        found = _given(subject, facts, given) if given else _read(subject, facts)
    except (ArgumentError, ArgumentSpecError, LaunchError) as error:
        raise StressError(f"{subject.path}: kernel {subject.title}: {error}") from error
    except UnsupportedInstructionError as error:
        place = f"{subject.path}:{error.line}" if error.line else str(subject.path)
        raise StressError(f"{place}: kernel {subject.title}: {error}") from error
    size = sum(slot.data.nbytes for slot in found.slots)
    if size > MEMORY:
        raise StressError(
            f"the arrays of {subject.title} have {size >> 20:,} MiB: say --launch with at most "
            f"{MEMORY >> 20:,} MiB"
        )
    # what the host code tells comes later, and stays
    symbols = (*invented(facts), *found.launch.symbols)
    return replace(found, launch=replace(found.launch, symbols=symbols))


def deciding(facts: KernelFacts) -> frozenset[Pointer]:
    """The pointers of whose arrays a loaded value decides addresses, branches or barriers."""
    program = build(facts.kernel, facts.module, slice_only=True)
    return frozenset(
        (site.array.parameter, site.array.offset or 0)
        for site in facts.sites
        if site.array.parameter is not None and site.kind == "load"
        for pc in site.pcs
        if program.part(pc) is Part.WHOLE
    )


# --- a launch that is given -----------------------------------------------------------------------


def _given(subject: Subject, facts: KernelFacts, launch: ProfileLaunch) -> Target:
    told = dict(launch.arguments)
    names = subject.parameters
    takes = ", ".join(names) or "nothing"
    for name in told.keys() - set(names):
        raise StressError(f"{subject.title} has no parameter {name!r}; it takes {takes}")
    if missing := [name for name in names if name not in told]:
        raise StressError(f"--launch gives no {', '.join(missing)}; {subject.title} takes {takes}")
    values = [made(name, told[name], seed) for seed, name in enumerate(names)]
    encoded = encode(subject.title, _parameters(subject), values)
    decides = deciding(facts)
    slots = []
    for index, argument in enumerate(encoded.arguments):
        if isinstance(argument, Buffer):
            spec, data = told[names[index]], values[index]
            free = isinstance(spec, ArraySpec) and spec.fill == "random" and (index, 0) in decides
            fill = str(spec.fill) if isinstance(spec, ArraySpec) else ""
            slots.append(Slot(argument.name, (index, 0), data.dtype, data.shape, free, data, fill))
    made_ = Launch(launch.grid, launch.block, encoded.arguments, launch.shared)
    return Target(subject, facts, made_, tuple(slots))


def _parameters(subject: Subject) -> tuple[Parameter, ...]:
    written = subject.source.parameters if subject.source else ()
    return tuple(
        Parameter(name, written[i].type, written[i].pointer, variable)
        if i < len(written)
        else Parameter(name, f".{variable.type}", None, variable)
        for i, (name, variable) in enumerate(
            zip(subject.parameters, subject.kernel.parameters, strict=True)
        )
    )


# --- a launch of the host code --------------------------------------------------------------------


def _read(subject: Subject, facts: KernelFacts) -> Target:
    plans, _ = tried_launches(subject, facts)
    if not plans:
        raise StressError(f"no launch of {subject.title} can be read: say --launch")
    plan = plans[0]
    usual = [c for c in plan.conditions if not c.identity and not c.unit_stride]
    # the smaller of its worlds: what is bad about data shows there too, and more inputs are tried
    condition = min(usual, key=lambda c: c.launch.block_count * c.launch.threads_per_block)
    launch = condition.launch
    decides, extents = deciding(facts), _touched(subject, facts, launch)
    slots = tuple(
        _slot(subject, facts, *each, decides, extents) for each in _buffers(launch.arguments)
    )
    supposing = f", read supposing {plan.shape.supposing[0]}" if plan.shape.supposing else ""
    place = plan.shape.span
    at = f"line {place.line} of {place.path.name}" if place else "no launch was found"
    return Target(subject, facts, launch, slots, f"{at}{supposing}")


def _buffers(arguments: Sequence[Argument]) -> Iterator[tuple[Pointer, Buffer]]:
    for index, argument in enumerate(arguments):
        if isinstance(argument, Buffer):
            yield (index, 0), argument
        elif isinstance(argument, Aggregate):
            for offset, each in argument.buffers:
                if isinstance(each, Buffer):
                    yield (index, offset), each


def _touched(subject: Subject, facts: KernelFacts, launch: Launch) -> dict[str, int]:
    """How many bytes a run touches of the arrays of which the host code does not tell the size."""
    open_ = [b.name for _, b in _buffers(launch.arguments) if b.size is None]
    if not open_:
        return {}
    found = dict.fromkeys(open_, 0)
    for fill in (Fill.RANDOM, Fill.IDENTITY):
        run = simulate(
            subject.module,
            facts.kernel,
            launch,
            SimulationOptions(
                arch=subject.arch, fill=fill, budget=whole(SECONDS, MEMORY), slice_only=False,
                blocks=first_blocks(launch.grid, max(1, MOST_THREADS // launch.threads_per_block)),
            ),
        )  # fmt: skip
        for name in open_:
            if name in run.buffers:
                found[name] = max(found[name], run.buffers.images[name].size)
    return found


def _slot(
    subject: Subject,
    facts: KernelFacts,
    pointer: Pointer,
    buffer: Buffer,
    decides: frozenset[Pointer],
    extents: Mapping[str, int],
) -> Slot:
    element = buffer.element or facts.element_types.get(pointer) or "b32"
    width = TYPE_SIZE[element]
    kind = "f" if element in ("f16", "f32", "f64") else "i" if _signed(subject, pointer) else "u"
    dtype = np.dtype(f"{kind}{min(8, width)}")
    size = buffer.size if buffer.size is not None else extents.get(buffer.name, 0)
    count = max(1, size // dtype.itemsize)
    read = pointer[0] not in facts.written_parameters
    text = "ones" if read and kind == "f" else "zeros"
    data = np.full(count, int(text == "ones"), dtype)
    return Slot(buffer.name, pointer, dtype, (count,), pointer in decides, data, text)


#: Types of the source whose values may be negative.
_SIGNED = re.compile(r"(?<!unsigned )\b(?:int|short|long|char|int\d+_t|ptrdiff_t)\d?\b")


def _signed(subject: Subject, pointer: Pointer) -> bool:
    written = subject.source.parameters if subject.source else ()
    known = pointer[0] < len(written) and not pointer[1]
    return known and bool(_SIGNED.search(written[pointer[0]].type))


def file_name(name: str) -> str:
    """An array's name as part of a file's."""
    return re.sub(r"[^\w.-]", "_", name)


def relative(file: Path, folder: Path) -> str:
    """A file as seen from a folder, with forward slashes."""
    return Path(os.path.relpath(file.resolve(), folder.resolve())).as_posix()
