"""The arguments that a kernel is tried with, of a launch's numbers."""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence

from perflint.analysis.extents import comparisons
from perflint.analysis.model import KernelFacts
from perflint.analysis.polynomial import Polynomial
from perflint.analysis.symbols import Parameter
from perflint.frontend.source.language.model import HostData
from perflint.grammar.model import TYPE_SIZE, Variable
from perflint.lint import textures
from perflint.lint.data_values import buffer_of
from perflint.lint.field_values import StructValue, fields_read
from perflint.lint.launch_numbers import Numbers
from perflint.lint.worlds import DATA, FLOATS, LARGE, SMALL
from perflint.sim.launch import Aggregate, Argument, Scalar, Texture


def launch_arguments(
    facts: KernelFacts,
    names: Sequence[str],
    found: Numbers,
    size: int,
    told: Mapping[int, HostData],
) -> tuple[Argument, ...]:
    """An argument for each parameter; integers in arrays are below `size` where nothing tells.

    `told` is what the program puts into arrays, by parameter.
    """
    bound = textures.assumed(facts.kernel, size)
    return tuple(
        _argument(facts, i, parameter, names[i], found, size, bound, told.get(i))
        for i, parameter in enumerate(facts.kernel.parameters)
    )


def _argument(
    facts: KernelFacts,
    index: int,
    parameter: Variable,
    name: str,
    found: Numbers,
    size: int,
    bound: Mapping[tuple[str, int], Texture],
    told: HostData | None,
) -> Argument:
    if parameter.dimensions or TYPE_SIZE[parameter.type] > 8:
        return _aggregate(facts, index, parameter, name, found, size, bound)
    if texture := bound.get((parameter.name, 0)):
        return texture
    if index in facts.pointer_parameters and found.values.get(index) == 0 and _asks(facts, index):
        return Scalar(0)
    if index in facts.pointer_parameters:
        pointer = (index, 0)
        return buffer_of(facts, pointer, name, size, found.allocated, found.numbers, told)
    value = found.values.get(index)
    if value is None:
        return Scalar(_default(parameter.type, size, 0))
    # C converts the argument to the parameter's type.
    return Scalar(int(value) if parameter.type[0] in "us" else value)


def _asks(facts: KernelFacts, index: int) -> bool:
    """Whether a kernel goes through a pointer only where it has seen that it is not null.

    Any other null pointer stands in the source for an array that nobody bothered to allocate.
    """
    mine = [s for s in facts.sites if (s.array.kind, s.array.parameter) == ("parameter", index)]
    pointer = Polynomial.of(Parameter(index))
    return bool(mine) and all(
        any(
            c.test == "ne" and c.left - c.right in (pointer, Polynomial(0) - pointer)
            for guard in site.guards
            for c in comparisons(guard.symbol)
        )
        for site in mine
    )


def _default(type_: str, size: int, number: int) -> int | float:
    """The `number`-th value of its type that nothing tells."""
    if type_ in ("f32", "f64"):
        return FLOATS[number % len(FLOATS)]
    if TYPE_SIZE[type_] == 1:
        return 1  # bool, char: a flag
    if type_ in ("f16", "bf16"):
        return 1
    ladder = SMALL if size == DATA[1] else LARGE
    value = ladder[number % len(ladder)]
    return min(value, 1024) if TYPE_SIZE[type_] == 2 else value


_PACK = {"f32": "<f", "f64": "<d"}


def _aggregate(
    facts: KernelFacts,
    index: int,
    parameter: Variable,
    name: str,
    found: Numbers,
    size: int,
    bound: Mapping[tuple[str, int], Texture],
) -> Aggregate:
    """A struct by value: fields that the kernel reads and nothing tells get distinct values.

    As roots have.
    """
    known = found.origins.structs.get(index, StructValue()).fields
    data = bytearray(struct.pack("<I", size) * (parameter.size // 4 + 1))[: parameter.size]
    pointers = facts.pointer_fields.get(index, ())
    for number, (offset, type_) in enumerate(
        sorted(set(fields_read(facts.kernel, parameter.name)))
    ):
        width = TYPE_SIZE[type_]
        if offset in pointers or offset + width > len(data):
            continue
        value = _default(type_, size, number)
        if type_ in _PACK:
            data[offset : offset + width] = struct.pack(_PACK[type_], value)
        else:
            data[offset : offset + width] = int(value).to_bytes(width, "little")
    for each in known:
        data[each.offset : each.offset + len(each.data)] = each.data
    paths = {each.offset: f"{name}.{each.path}" for each in known}
    buffers = tuple(
        (o, buffer_of(facts, (index, o), path, size, found.allocated, found.numbers))
        for o, path in ((o, paths.get(o, f"{name}+{o}")) for o in pointers)
    )
    fetched = tuple((o, each) for (at, o), each in bound.items() if at == parameter.name)
    return Aggregate(bytes(data), (*buffers, *fetched))
