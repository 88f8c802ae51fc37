"""The PTX module of a translation unit's kernels."""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from perflint.frontend.csubset.kernel import Entry, entry_text
from perflint.frontend.csubset.kernel_state import aligned_bytes
from perflint.frontend.csubset.stream import OutsideError
from perflint.frontend.csubset.types import Array, Pointer, Struct, Type, alignment_of
from perflint.frontend.csubset.unit import Unit
from perflint.frontend.csubset.values import Variable
from perflint.frontend.source.language.c_types import CType

#: Bytes of the largest variable whose initial value is written out.
_LARGEST_INITIAL = 1 << 20


def module_text(
    entries: Sequence[Entry], unit: Unit, arch: str, bounds: Mapping[str, Sequence[int]]
) -> str:
    """PTX text; `bounds` are the launch bounds of kernels by name."""
    files: dict[str, int] = {}
    names: dict[str, int] = {}
    for entry in entries:
        files.setdefault(str(entry.place.path), len(files) + 1)
        for line in entry.lines:
            if line.place is not None:
                files.setdefault(str(line.place.path), len(files) + 1)
            for call, name in line.chain:
                files.setdefault(str(call.path), len(files) + 1)
                names.setdefault(name, len(names))
    lines = ["// Lowered from the source by perflint: no compiler was used", ".version 8.8"]
    lines += [f".target {arch}", ".address_size 64", ""]
    lines += _variables(entries, unit)
    for entry in entries:
        lines += ["", *entry_text(entry, files, names, bounds.get(entry.item.name, ()))]
    for path, index in files.items():
        escaped = path.replace("\\", "\\\\").replace('"', '\\"')
        lines.append(f'\t.file\t{index} "{escaped}"')
    lines += _strings(names)
    return "\n".join(lines) + "\n"


def _strings(names: Mapping[str, int]) -> Iterator[str]:
    if not names:
        return
    yield "\t.section\t.debug_str"
    yield "\t{"
    for name, index in names.items():
        yield f"$L__info_string{index}:"
        yield ".b8 " + ", ".join(str(byte) for byte in (*name.encode(), 0))
    yield "\t}"


def _variables(entries: Sequence[Entry], unit: Unit) -> Iterator[str]:
    found: dict[str, Variable] = {}
    for entry in entries:
        for name, variable in entry.globals.items():
            found.setdefault(name, variable)
    externs = {m.symbol: m for entry in entries for m in entry.memory if m.extern}
    yield from (aligned_bytes(memory) for memory in externs.values())
    for name, variable in found.items():
        assert variable.place.address is not None
        space, type_ = variable.place.address.space, variable.type
        declared = unit.variable(name)
        data = None if declared is None else _initial(declared.node.init, type_, unit)
        value = "" if data is None else " = {" + ", ".join(str(byte) for byte in data) + "}"
        extern = ".extern " if isinstance(type_, Array) and not type_.count else ""
        extent = "" if extern else str(max(1, type_.size))
        yield f"{extern}.{space} .align {alignment_of(type_)} .b8 {name}[{extent}]{value};"


def _initial(node: Any, type_: Type, unit: Unit) -> bytes | None:
    """The bytes of an initial value; None if there is none, or it is not known."""
    if node is None or type_.size > _LARGEST_INITIAL:
        return None
    data = bytearray(type_.size)
    try:
        _fill(data, 0, node, type_, unit)
    except OutsideError:
        return None
    return bytes(data)


def _fill(data: bytearray, at: int, node: Any, type_: Type, unit: Unit) -> None:
    if isinstance(type_, (Array, Struct)):
        parts: Sequence[Any] = getattr(node, "exprs", None) or ()
        for index, part in enumerate(parts):
            if isinstance(type_, Array):
                _fill(data, at + index * type_.element.size, part, type_.element, unit)
            else:
                field = type_.fields[index]
                _fill(data, at + field.offset, part, field.type, unit)
        return
    value = unit.fold(node)
    if value is None or not isinstance(type_, CType) or isinstance(type_, Pointer):
        raise OutsideError("initial value")
    if type_.kind == "float":
        data[at : at + type_.size] = struct.pack("<f" if type_.size == 4 else "<d", value)
    else:
        wrapped = int(value) & ((1 << 8 * type_.size) - 1)
        data[at : at + type_.size] = wrapped.to_bytes(type_.size, "little")
