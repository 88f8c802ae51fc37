"""The fields of structs that a launch passes by value: those that are known, and those read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from perflint.analysis.model import KernelFacts
from perflint.base.records import dataclass
from perflint.frontend.source.language import c_types
from perflint.frontend.source.language.model import HeldValue, StructArgument
from perflint.grammar.model import TYPE_SIZE, Address, Function, Symbol
from perflint.grammar.table import types
from perflint.lint.launch_record import LaunchRecord, bytes_in, value_in
from perflint.lint.world_model import Origin, World


@dataclass(frozen=True)
class FieldValue:
    """What is known of a field of a struct that is passed by value."""

    path: str  #: `size.x`
    offset: int  #: bytes from the struct's start
    origin: Origin
    data: bytes = b""  #: as it lies there; b"" of a pointer
    number: int | float | None = None
    allocation: int | None = None  #: bytes behind a pointer


@dataclass(frozen=True)
class StructValue:
    """What is known of a struct that is passed by value."""

    fields: tuple[FieldValue, ...] = ()
    whole: bool = True  #: no number that the kernel reads of it is missing

    @property
    def exact(self) -> bool:
        """Whether no number of it is invented."""
        return self.whole and all(each.origin.known for each in self.fields if each.data)


def struct_fields(
    facts: KernelFacts, record: LaunchRecord, world: World
) -> Mapping[int, StructValue]:
    """What a world gives the structs that are passed by value, by parameter.

    A struct that is not as large as the kernel's parameter was read wrong, and tells nothing.
    """
    found = {}
    for index, parameter in enumerate(facts.kernel.parameters):
        if not parameter.dimensions and TYPE_SIZE[parameter.type] <= 8:
            continue
        struct = record.arguments[index].struct
        fits = struct is not None and struct.size == parameter.size
        fields = tuple(_fields(struct, record, world)) if fits and struct is not None else ()
        told = {at for f in fields for at in range(f.offset, f.offset + len(f.data))}
        pointers = facts.pointer_fields.get(index, ())
        read = fields_read(facts.kernel, parameter.name)
        whole = all(at in told or at in pointers for at, _ in read)
        found[index] = StructValue(fields, whole)
    return found


def _fields(struct: StructArgument, record: LaunchRecord, world: World) -> Iterator[FieldValue]:
    for each in struct.fields:
        own, kind = each.argument, each.type
        number = value_in(record, own, world)
        value = None if number is None else c_types.convert(c_types.plain(number), kind)
        if value is not None:  # C converts it to the field's type
            held = HeldValue(each.offset, kind.size, value.number, kind.kind == "float")
            origin = world.origin(own.term, record.roots)
            shown = number if value.number == number else value.number  # as it was written
            yield FieldValue(each.path, each.offset, origin, held.data, shown)
        elif kind == c_types.POINTER and (size := bytes_in(record, own, world)):
            origin = world.origin(own.allocation_term, record.roots)
            yield FieldValue(each.path, each.offset, origin, allocation=size)


def fields_read(kernel: Function, parameter: str) -> Iterator[tuple[int, str]]:
    """(byte offset, PTX type) of the scalars that the kernel loads from a parameter."""
    for instruction in kernel.instructions:
        if instruction.opcode != "ld" or "param" not in instruction.modifiers:
            continue
        address = instruction.operands[1]
        if not isinstance(address, Address) or not isinstance(address.base, Symbol):
            continue
        if address.base.name == parameter:
            type_ = types(instruction)[-1]
            width = (
                4 if "v4" in instruction.modifiers else 2 if "v2" in instruction.modifiers else 1
            )
            for k in range(width):
                start = address.base.offset + address.offset
                yield start + k * TYPE_SIZE[type_], type_
