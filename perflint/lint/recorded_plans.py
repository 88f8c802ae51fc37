"""Recorded launches as the rule loop tries launches, and what others of them may have written."""

from __future__ import annotations

import struct
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from functools import lru_cache

from perflint.frontend.mangling import origin_of
from perflint.frontend.source.language.model import SourceFacts
from perflint.grammar import PtxSyntaxError, parse
from perflint.grammar.model import TYPE_SIZE, Function, Module, Variable
from perflint.lint.experiment import Condition, Plan
from perflint.lint.other_writers import may_write
from perflint.lint.recorded_launches import RecordedLaunch, Records, allocations_of
from perflint.lint.subject import source_kernel
from perflint.rules.protocol import KnownLaunch
from perflint.sim.launch import Aggregate, Argument, Buffer, Fill, Launch, Scalar
from perflint.sim.layout import frame
from perflint.sim.memory import REGION_SHIFT


def plans(kernel: Function, recorded: Sequence[RecordedLaunch]) -> tuple[Plan, ...]:
    """Recorded launches of a kernel as the rule loop tries them.

    Of launches of one shape some were kept. Each stands for those nearest to it in their order.
    """
    return tuple(
        replace(plan(kernel, each), stands_for=count)
        for each, count in zip(recorded, shared_out(recorded), strict=True)
    )


def shared_out(recorded: Sequence[RecordedLaunch]) -> list[int]:
    """How many launches each stands for; those of one shape are in their order."""
    shapes: dict[tuple[object, ...], list[int]] = {}
    for at, each in enumerate(recorded):
        shapes.setdefault((each.module, each.grid, each.block, each.shared), []).append(at)
    out = [0] * len(recorded)
    for members in shapes.values():
        first = 1
        for at, after in zip(members, (*members[1:], None), strict=True):
            each = recorded[at]
            follows = None if after is None else recorded[after].number
            if follows is None or follows <= each.number:  # the last of its process
                last, begins = each.alike, 1
            else:
                last = (each.number + follows) // 2
                begins = last + 1
            out[at] = max(1, last - first + 1)
            first = begins
    return out


def plan(kernel: Function, recorded: RecordedLaunch) -> Plan:
    """A recorded launch as the rule loop tries launches: nothing of it is assumed."""
    image = recorded.image
    assert image is not None
    placed = frame(kernel.parameters)
    layout = [(placed.offsets[v.name], v.size) for v in kernel.parameters]
    allocations = allocations_of(layout, image)
    arguments: list[Argument] = []
    values: dict[int, int | float] = {}
    for number, (variable, (offset, size)) in enumerate(
        zip(kernel.parameters, layout, strict=True)
    ):
        raw = recorded.parameters[offset : offset + size]
        region = allocations.get(number)
        if region is not None:
            arguments.append(Buffer(region.name, size=len(region.data)))
        elif size in (1, 2, 4, 8):
            values[number] = number_of(variable, raw)
            arguments.append(Scalar(values[number]))
        else:
            arguments.append(Aggregate(raw))
    launch = Launch(recorded.grid, recorded.block, tuple(arguments), recorded.shared, image)
    shape = KnownLaunch(
        grid=recorded.grid,
        block=recorded.block,
        shared=recorded.shared,
        values=values,
        allocations={number: len(r.data) for number, r in allocations.items()},
        argument_texts=_arrays(layout, recorded.parameters),
    )
    name = f"launch {recorded.number} of {recorded.alike}"
    return Plan(shape, (Condition(name, launch, Fill.ZERO, shape, size=0),))


def fits(kernel: Function, recorded: RecordedLaunch, records: Records) -> bool:
    """Whether a recorded launch's arguments are what the kernel, as it is now, takes.

    A mangled name has the parameters' types in it. The others' are compared with the record's PTX.
    """
    if len(recorded.parameters) != frame(kernel.parameters).size:
        return False
    if kernel.name.startswith("_Z"):
        return True
    was = _parameters(records.modules.get(recorded.module, ()), kernel.name)
    return was is None or was == [(v.type, v.size) for v in kernel.parameters]


@lru_cache(maxsize=256)
def _parameters(texts: tuple[str, ...], name: str) -> list[tuple[str, int]] | None:
    """Types and sizes of a kernel's parameters in a record's PTX; None where it cannot be read."""
    for text in texts:
        try:
            found = parse(text).functions.get(name)
        except PtxSyntaxError:
            continue
        if found is not None:
            return [(v.type, v.size) for v in found.parameters]
    return None


def _arrays(layout: Sequence[tuple[int, int]], parameters: bytes) -> tuple[str, ...]:
    """What stands for a launch's arguments as written: pointers into one allocation are alike.

    A number of eight bytes has such a name, too; nobody takes it for an array.
    """
    words = (parameters[at : at + size] if size == 8 else b"" for at, size in layout)
    return tuple(
        f"allocation_{int.from_bytes(word, 'little') >> REGION_SHIFT}" if word else ""
        for word in words
    )


def written_by_others(
    kernel: str,
    launches: Iterable[RecordedLaunch],
    module: Module,
    facts: Collection[SourceFacts],
) -> frozenset[str]:
    """The arrays that recorded launches of other kernels may write, as `plan` names them.

    Through a pointer to `const` nothing is written; where the source is not at hand, any may be.
    """
    written: set[str] = set()
    for each in launches:
        if each.kernel == kernel:
            continue
        other, source = module.functions.get(each.kernel), None
        layout = [(at, 8) for at in range(0, len(each.parameters) - 7, 8)]
        if other is not None:
            placed = frame(other.parameters)
            layout = [(placed.offsets[v.name], v.size) for v in other.parameters]
            source = source_kernel(facts, origin_of(each.kernel), len(other.parameters))
        for number, text in enumerate(_arrays(layout, each.parameters)):
            if source is None or may_write(source.parameters[number]):
                written.add(text)
    return frozenset(written - {""})


def number_of(variable: Variable, raw: bytes) -> int | float:
    """A scalar argument's value: a float where the parameter is one."""
    codes = {"f16": "<e", "f32": "<f", "f64": "<d"}
    if variable.type in codes and TYPE_SIZE[variable.type] == len(raw):
        return float(struct.unpack(codes[variable.type], raw)[0])
    return int.from_bytes(raw, "little", signed=variable.type.startswith("s"))
