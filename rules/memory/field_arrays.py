"""The edits that make an array of structures an array for each field: kernel and host.

Only where all uses are in sight: a kernel that reads fields of its elements, and a function of the
host that allocates the array, fills it once, passes it to that kernel and frees it. Each field is
copied to its array with a pitch of the structure's size.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from perflint.base.constructs import (
    Constructs,
    Fragment,
    FunctionSource,
    HostCopy,
    LaunchSource,
    RecordSource,
    contains,
    within,
)
from perflint.base.patterns import pattern
from perflint.base.records import dataclass
from perflint.base.span import Span
from perflint.rules.protocol import Edit, Fields, Kernel, OtherLaunch

_TYPE = pattern(r"(?:const\s+)?(\w+)(?:\s+const)?\s*\*\s*(?:__restrict__|__restrict|restrict)?")
_WORD = pattern(r"[A-Za-z_]\w*")
_SIZES = {"float": ("f32", 4), "double": ("f64", 8)}


@dataclass(frozen=True)
class _Uses:
    """All that is done with an array of structures."""

    array: str  #: what the kernel calls it
    record: RecordSource
    of: str  #: the structure's name
    fields: tuple[str, ...]  #: that are read, in the structure's order
    parts: tuple[Fragment, ...]  #: `b[i].x`
    copy: HostCopy
    launches: tuple[LaunchSource, ...]


def field_arrays(kernel: Kernel, index: int | None) -> tuple[tuple[Edit, ...], OtherLaunch]:
    """The edits, and what the launch finds then; () where not all uses are in sight."""
    constructs, function = kernel.own_constructs, kernel.function
    if constructs is None or function is None or function.template or index is None:
        return (), OtherLaunch()
    if index in kernel.facts.written_parameters:
        return (), OtherLaunch()
    uses = _uses(kernel, constructs, function, index)
    if uses is None:
        return (), OtherLaunch()
    element, size = _SIZES[uses.record.type]
    places = tuple((uses.record.fields.index(name) * size, size) for name in uses.fields)
    fields = Fields(index, len(uses.record.fields) * size, element, places)
    edits = (*_device(function, index, uses), *_host(uses, index))
    return edits, OtherLaunch(parted=fields)


def _uses(
    kernel: Kernel, constructs: Constructs, function: FunctionSource, index: int
) -> _Uses | None:
    parameter = function.parameters[index]
    kind = _TYPE.fullmatch(parameter.type.strip())
    records = [r for r in constructs.records if kind is not None and kind[1] in r.names]
    if kind is None or len(records) != 1 or not records[0].type or records[0].aligned:
        return None
    name = parameter.name
    plain = pattern(rf"{name}\[((?:(?!\b{name}\b).)+)\]\s*\.\s*(\w+)")
    parts = [p for p in within(constructs.parts, function.body) if plain.fullmatch(p.text)]
    used = sum(n.text == name for n in within(constructs.names, function.body))
    words = {n.text for n in constructs.names} | {
        word for r in constructs.records for word in r.names
    }
    read = {p.text.rpartition(".")[2].strip() for p in parts}
    fields = tuple(each for each in records[0].fields if each in read)
    launches = _launches(kernel, constructs, function, index)
    array = launches[0].arguments[index].text if launches else ""
    copies = [c for c in constructs.copies if c.array == array]
    if used != len(parts) or len(fields) != len(read) or len(copies) != 1 or not launches:
        return None
    [copy] = copies
    mentioned = [
        x for x in constructs.launches if _mentions(x, array) and contains(copy.inside, x.span)
    ]
    in_sight = len(copy.made) == 1 and {x.span for x in mentioned} == {x.span for x in launches}
    if not in_sight or f"{kind[1]}Fields" in words:
        return None
    return _Uses(name, records[0], kind[1], fields, tuple(parts), copy, tuple(launches))


def _mentions(launch: LaunchSource, array: str) -> bool:
    return any(array in _WORD.findall(argument.text) for argument in launch.arguments)


def _launches(
    kernel: Kernel, constructs: Constructs, function: FunctionSource, index: int
) -> list[LaunchSource]:
    """The kernel's launches, which all pass the same array; [] where one is not in sight."""
    known = {launch.span for launch in kernel.launches}
    found = [launch for launch in constructs.launches if launch.span in known]
    arrays = {x.arguments[index].text if index < len(x.arguments) else "" for x in found}
    once = all(_mentions(x, next(iter(arrays))) for x in found) if len(arrays) == 1 else False
    alone = len(found) == len(known) and function.mentions == 1 + len(found)
    return found if once and alone else []


def _device(function: FunctionSource, index: int, uses: _Uses) -> Iterator[Edit]:
    pointers = ", ".join(f"*{name}" for name in uses.fields)
    text = f"struct {uses.of}Fields {{\n    const {uses.record.type} {pointers};\n}};\n\n"
    yield Edit(
        replace(function.span, end_line=function.span.line, end_column=function.span.column), text
    )
    yield Edit(function.parameters[index].span, f"{uses.of}Fields {uses.array}")
    for part in uses.parts:
        of, _, name = part.text.rpartition(".")
        at = of.strip()[len(uses.array) :]
        yield Edit(part.span, f"{uses.array}.{name.strip()}{at}")


def _host(uses: _Uses, index: int) -> Iterator[Edit]:
    copy, kind = uses.copy, uses.record.type
    whole, [made] = f"{copy.array}_fields", copy.made
    room = f"{_count(made.text.partition(',')[2].rpartition(')')[0], uses.of)} * sizeof({kind})"
    allocated = [f"cudaMalloc((void **)&{whole}.{name}, {room});" for name in uses.fields]
    yield _lines(made.span, [f"{uses.of}Fields {whole};", *allocated])
    source = copy.source if copy.source.isidentifier() else f"({copy.source})"
    filled = [
        f"cudaMemcpy2D((void *){whole}.{name}, sizeof({kind}), &{source}->{name}, "
        f"sizeof({uses.of}), sizeof({kind}), {_count(copy.size, uses.of)}, cudaMemcpyHostToDevice);"
        for name in uses.fields
    ]
    yield _lines(copy.statement, filled)
    for each in copy.freed:
        yield _lines(each.span, [f"cudaFree((void *){whole}.{name});" for name in uses.fields])
    for launch in uses.launches:
        yield Edit(launch.arguments[index].span, whole)


def _lines(span: Span, lines: Sequence[str]) -> Edit:
    """Statements in the place of one."""
    return Edit(span, f"\n{' ' * (span.column - 1)}".join(lines))


def _count(size: str, of: str) -> str:
    """How many structures there are in so many bytes, as text."""
    factors = [part.strip() for part in size.split("*")]
    one = f"sizeof({of})"
    if factors.count(one) == 1 and all(re.fullmatch(r"[\w.]+", f) for f in factors if f != one):
        return " * ".join(f for f in factors if f != one) or "1"
    return f"({size.strip()}) / {one}"
