"""The launch that a search begins with: given by the user, or as the host code makes it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from perflint.analysis.model import KernelFacts, Pointer
from perflint.argument_encoding import ArgumentError, Parameter, encode
from perflint.base.patterns import pattern
from perflint.grammar.model import TYPE_SIZE
from perflint.lint.check_kernel import tried_launches
from perflint.lint.free_inputs import buffers
from perflint.lint.run_budgets import first_blocks
from perflint.lint.subject import Subject
from perflint.profile.arguments import ArgumentSpecError, ArraySpec, ProfileLaunch, made
from perflint.sim import LaunchError, SimulationOptions, simulate
from perflint.sim.launch import (
    Buffer,
    Fill,
    Launch,
    UnsupportedInstructionError,
    whole,
)
from perflint.sim.program import build
from perflint.sim.slice import Part
from perflint.stress.kernels import analysed
from perflint.stress.target import MEMORY, MOST_THREADS, SECONDS, Slot, StressError, Target
from perflint.stress.variables import invented


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
        _slot(subject, facts, *each, decides, extents) for each in buffers(launch.arguments)
    )
    supposing = f", read supposing {plan.shape.supposing[0]}" if plan.shape.supposing else ""
    place = plan.shape.span
    at = f"line {place.line} of {place.path.name}" if place else "no launch was found"
    return Target(subject, facts, launch, slots, f"{at}{supposing}")


def _touched(subject: Subject, facts: KernelFacts, launch: Launch) -> dict[str, int]:
    """How many bytes a run touches of the arrays of which the host code does not tell the size."""
    open_ = [b.name for _, b in buffers(launch.arguments) if b.size is None]
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
_SIGNED = pattern(r"(?<!unsigned )\b(?:int|short|long|char|int\d+_t|ptrdiff_t)\d?\b")


def _signed(subject: Subject, pointer: Pointer) -> bool:
    written = subject.source.parameters if subject.source else ()
    known = pointer[0] < len(written) and not pointer[1]
    return known and bool(_SIGNED.search(written[pointer[0]].type))
