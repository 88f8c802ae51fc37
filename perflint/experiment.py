"""The launches and arguments a kernel is tried with (DESIGN, section 6).

A *plan* is one launch, read from the source, given by the user or assumed, and the runs that its
open questions need: sizes that nothing fixes are tried as 1024 and as 64, addresses that hold
loaded data with random and with identity data, a bare parameter used as a stride also as 1.
"""

from __future__ import annotations

import struct
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from operator import itemgetter

from perflint import textures
from perflint.analysis.model import KernelFacts
from perflint.data_values import buffer_of
from perflint.frontend.source.model import LaunchSite, SourceKernel
from perflint.grammar.model import TYPE_SIZE, Address, Function, Symbol, Variable
from perflint.grammar.table import types
from perflint.launch_option import LaunchSpec
from perflint.like_launches import alike
from perflint.sim.dependence import steered_by_integers
from perflint.sim.launch import Aggregate, Argument, Dim3, Fill, Launch, Scalar, Texture
from perflint.span import Span
from perflint.symbol_values import Symbols, launch_symbols

#: Together these reach 87 % of the lines of 625 real kernels (experiment.md); a verdict must hold
#: for both. Odd sizes would misalign rows, which is CU105's matter.
SIZES = (1024, 64)
FLOAT = 1.5
FIXED = "the arguments of the launch"  #: the name of a condition that leaves no size open
#: 1-D kernels: 64, 128 and 256 threads are interchangeable (experiment.md). 2-D: shared-memory
#: verdicts differ between these two for 18.8 % of the lines, so both are tried.
BLOCK_1D: tuple[Dim3, ...] = ((256, 1, 1),)
BLOCK_2D: tuple[Dim3, ...] = ((32, 8, 1), (16, 16, 1))
#: Dynamic shared bytes where nothing tells: all that a kernel gets without opting in for more.
SHARED_LIMIT = 49152
MAX_LAUNCH_SITES = 8
#: Of a range of which nothing fixes either end, the lower one: small, and a multiple of a sector.
LOWER_BOUND = 32

second = itemgetter(1)


@dataclass(frozen=True)
class Shape:
    """A launch as far as it is known."""

    grid: tuple[int | None, int | None, int | None]
    block: Dim3
    shared: int | None
    values: Mapping[int, int | float]  #: scalar arguments that are known, by parameter
    allocations: Mapping[int, int]  #: bytes of pointer arguments, by parameter
    place: Span | None = None  #: the launch site
    assumed: str = ""  #: what was assumed, for people; "" if the block was read
    template_arguments: tuple[str, ...] | None = None
    supposing: tuple[str, ...] = ()  #: conditions of the host code that were taken to hold
    block_text: str = ""  #: the block as written
    argument_texts: tuple[str, ...] = ()
    #: what the host code copies to the module's variables, by their names
    symbols: Symbols = field(default_factory=dict, repr=False)


@dataclass(frozen=True, eq=False)
class Condition:
    """One run to make."""

    name: str
    launch: Launch
    fill: Fill
    shape: Shape
    size: int  #: what integers are that nothing fixes
    unit_stride: tuple[str, ...] = ()
    identity: bool = False

    @property
    def values(self) -> dict[int, int | float]:
        """The scalar arguments, by parameter."""
        given = enumerate(self.launch.arguments)
        return {i: argument.value for i, argument in given if isinstance(argument, Scalar)}

    @property
    def exact(self) -> bool:
        """Whether the launch gives every scalar argument: no size was invented."""
        told = all(symbol.told for symbol in self.launch.symbols)
        return not self.shape.assumed and told and self.values.keys() <= self.shape.values.keys()


@dataclass(frozen=True, eq=False)
class Plan:
    """One launch and the runs that its open questions need, the primary one first."""

    shape: Shape
    conditions: tuple[Condition, ...]


def plans(
    facts: KernelFacts,
    names: Sequence[str],
    *,
    source: SourceKernel | None = None,
    sites: Iterable[LaunchSite] = (),
    specs: Iterable[LaunchSpec] = (),
    symbols: Symbols | None = None,
    max_threads: int = 1024,
) -> tuple[tuple[Plan, ...], int]:
    """The launches to try a kernel with: given, else read from the source, else assumed.

    `names` are the parameters' source names. Launch sites whose block size could not be folded
    contribute nothing. At most MAX_LAUNCH_SITES different launches are tried, of every block shape
    if there are not more; the second value is how many were left out.
    """
    if source and len(source.parameters) == len(facts.kernel.parameters):
        written = {i for i, p in enumerate(source.parameters) if p.pointer}
        facts = replace(facts, pointer_parameters=facts.pointer_parameters | written)
        never = {i for i, p in enumerate(source.parameters) if not p.may_be_one}
        facts = replace(facts, bare_strides=facts.bare_strides - never)
    given = [_from_spec(spec, names) for spec in specs]
    sites = tuple(sites)
    read = [s for site in sites if (s := _from_site(site)) is not None]
    distinct = [s for s in _distinct(given or read) if _threads(s.block) <= max_threads]
    shapes = [[s] for s in _most_varied(distinct)] or [_assumed(facts, source, sites)]
    shapes = [[replace(s, symbols=symbols or {}) for s in group] for group in shapes]
    steered = steered_by_integers(facts.kernel)
    found = tuple(
        Plan(group[0], tuple(_conditions(facts, names, group, steered))) for group in shapes
    )
    return found, max(0, len(distinct) - MAX_LAUNCH_SITES)


def _most_varied(shapes: Sequence[Shape]) -> list[Shape]:
    """At most MAX_LAUNCH_SITES launches, the first of each block shape before any second one."""
    seen: Counter[Dim3] = Counter()
    turn: list[tuple[int, int]] = []
    for number, shape in enumerate(shapes):
        turn.append((seen[shape.block], number))
        seen[shape.block] += 1
    return [shapes[number] for _, number in sorted(sorted(turn)[:MAX_LAUNCH_SITES], key=second)]


def _threads(block: Dim3) -> int:
    return block[0] * block[1] * block[2]


def _distinct(shapes: Sequence[Shape]) -> list[Shape]:
    seen: dict[object, Shape] = {}
    for s in shapes:
        key = (s.grid, s.block, s.shared, tuple(sorted(s.values.items())))
        seen.setdefault(key, s)
    return list(seen.values())


def _from_spec(spec: LaunchSpec, names: Sequence[str]) -> Shape:
    values = {names.index(n): v for n, v in spec.arguments if n in names}
    return Shape(spec.grid, spec.block, spec.shared, values, {})


def _from_site(site: LaunchSite) -> Shape | None:
    block = site.block.value
    if block is None:
        return None
    grid = tuple(
        e.value if isinstance(e.value, int) and e.value >= 1 else None
        for e in (site.grid.x, site.grid.y, site.grid.z)
    )
    shared = site.shared.value
    return Shape(
        grid=grid,  # type: ignore[arg-type]
        block=block,
        shared=shared if isinstance(shared, int) and shared >= 0 else None,
        values={i: a.value for i, a in enumerate(site.arguments) if a.value is not None},
        allocations={i: a.allocation for i, a in enumerate(site.arguments) if a.allocation},
        place=site.span,
        template_arguments=site.template_arguments,
        supposing=site.supposing,
        block_text=site.block.text,
        argument_texts=tuple(a.text for a in site.arguments),
    )


def _assumed(
    facts: KernelFacts, source: SourceKernel | None, sites: Sequence[LaunchSite]
) -> list[Shape]:
    """`.reqntid`, else launch bounds (`.maxntid`), else 256 threads or both 2-D shapes."""
    kernel = facts.kernel
    two_dimensional = "%tid.y" in facts.reads
    if required := kernel.directives.get("reqntid"):
        block = (*required, 1, 1)[:3]
        blocks: tuple[Dim3, ...] = ((block[0], block[1], block[2]),)
        why = "the kernel's .reqntid"
    else:
        blocks = BLOCK_2D if two_dimensional else BLOCK_1D
        why = _unread(sites)
        limit = _product(kernel.directives.get("maxntid", (256,)))
        if limit < 256 or not two_dimensional:
            blocks = _bounded(blocks, limit)
        if "maxntid" in kernel.directives and blocks not in (BLOCK_1D, BLOCK_2D):
            why = "its launch bounds"
    text = " and ".join("×".join(str(n) for n in b[: 2 if b[2] == 1 else 3]) for b in blocks)
    shared = source.shared if source else None
    return [
        Shape((None, None, None), b, shared, {}, {}, assumed=f"{text} threads assumed: {why}")
        for b in blocks
    ]


def _unread(sites: Sequence[LaunchSite]) -> str:
    """Why no launch of the source is used: there is none, or none could be read."""
    if not sites:
        return "no launch was found"
    line = min(site.span.line for site in sites)
    size = "is larger than the GPU allows" if sites[0].block.value else "could not be read"
    return f"the launch at line {line} has a block size that {size}"


def _product(numbers: Iterable[int]) -> int:
    out = 1
    for n in numbers:
        out *= n
    return out


def _bounded(blocks: tuple[Dim3, ...], limit: int) -> tuple[Dim3, ...]:
    if blocks == BLOCK_1D:
        return ((limit, 1, 1),)
    return tuple((b[0], max(1, limit // b[0]), 1) for b in blocks if b[0] <= limit) or (
        (limit, 1, 1),
    )


# --- conditions -----------------------------------------------------------------------------------


def _conditions(
    facts: KernelFacts, names: Sequence[str], shapes: Sequence[Shape], steered: bool
) -> Iterator[Condition]:
    for shape in shapes:
        for size, name, launch in _sized(facts, names, shape, steered):
            label = name if len(shapes) == 1 else f"{name}, block {shape.block[0]}×{shape.block[1]}"
            yield Condition(label, launch, Fill.RANDOM, shape, size)
        if any(site.loaded_address or site.data_dependent for site in facts.sites):
            size, name = _sizes(facts.kernel, shape)[0]
            launch = make_launch(facts, names, shape, size)
            yield Condition("identity data", launch, Fill.IDENTITY, shape, size, identity=True)
        if strides := tuple(sorted(facts.free_strides - shape.values.keys())):
            ones = replace(shape, values={**shape.values, **dict.fromkeys(strides, 1)})
            size, name = _sizes(facts.kernel, shape)[0]
            launch = make_launch(facts, names, ones, size)
            tried = tuple(names[i] for i in strides)
            yield Condition("unit stride", launch, Fill.RANDOM, shape, size, unit_stride=tried)


def _sized(
    facts: KernelFacts, names: Sequence[str], shape: Shape, steered: bool
) -> Iterator[tuple[int, str, Launch]]:
    """The launches for the sizes to try, named; those that make equal runs once."""
    sizes = _sizes(facts.kernel, shape)
    launches = [(size, name, make_launch(facts, names, shape, size)) for size, name in sizes]
    size, name, first = launches[0]
    others = [each for each in launches[1:] if not alike(first, each[2], steered)]
    fixed = not others and not shape.assumed and None not in shape.grid
    yield size, FIXED if fixed else name, first
    yield from others


def _sizes(kernel: Function, shape: Shape) -> list[tuple[int, str]]:
    """The values to try for integers that nothing fixes, and their names; at least one entry."""
    unknown = [
        i
        for i, p in enumerate(kernel.parameters)
        if (p.type[0] in "usb" or p.dimensions) and i not in shape.values
    ]
    if not unknown and None not in shape.grid:
        return [(SIZES[0], FIXED)]
    sizes = dict.fromkeys((*(_implied(shape) or SIZES[:1]), SIZES[-1]))
    return [(s, f"integers {s}") for s in sizes]


def _implied(shape: Shape) -> tuple[int, ...]:
    """The extent that grid × block imply, where it is one number."""
    if None in shape.grid:
        return ()
    extents = {g * b for g, b in zip(shape.grid, shape.block, strict=True) if g and g * b > 1}
    return tuple(extents) if len(extents) == 1 else ()


def make_launch(facts: KernelFacts, names: Sequence[str], shape: Shape, size: int) -> Launch:
    """A launch in which every integer that nothing fixes is `size`."""
    kernel = facts.kernel
    bound = textures.assumed(kernel, size)
    grid = tuple(
        known or _grid_extent(facts, shape.block[d], size, "xyz"[d])
        for d, known in enumerate(shape.grid)
    )
    arguments = tuple(
        _argument(facts, i, parameter, names[i], shape, size, bound)
        for i, parameter in enumerate(kernel.parameters)
    )
    return Launch(
        grid=(grid[0], grid[1], grid[2]),
        block=shape.block,
        arguments=arguments,
        dynamic_shared=_dynamic_shared(facts, shape),
        symbols=launch_symbols(facts, shape.symbols, size),
    )


def _grid_extent(facts: KernelFacts, block: int, size: int, axis: str) -> int:
    """Blocks that cover `size` along an axis the kernel looks at; a third axis is kept short."""
    if f"%ctaid.{axis}" not in facts.reads:
        return 1
    if axis == "z":
        return 4
    return max(1, -(-size // block))


def _dynamic_shared(facts: KernelFacts, shape: Shape) -> int:
    if shape.shared is not None:
        return shape.shared
    unsized = {
        v.name for v in facts.module.variables.values() if v.space == "shared" and v.size == 0
    }
    named = {
        operand.name
        for instruction in facts.kernel.instructions
        for operand in (o.base if isinstance(o, Address) else o for o in instruction.operands)
        if isinstance(operand, Symbol)
    }
    return SHARED_LIMIT - 1024 if unsized & named else 0


def _argument(
    facts: KernelFacts,
    index: int,
    parameter: Variable,
    name: str,
    shape: Shape,
    size: int,
    bound: Mapping[tuple[str, int], Texture],
) -> Argument:
    if parameter.dimensions or TYPE_SIZE[parameter.type] > 8:
        return _aggregate(facts, index, parameter, name, size, bound)
    if texture := bound.get((parameter.name, 0)):
        return texture
    if index in facts.pointer_parameters:
        return buffer_of(facts, (index, 0), name, size, shape.allocations, shape.values)
    known = shape.values.get(index)
    if known is not None:
        # C converts the argument to the parameter's type.
        return Scalar(int(known) if parameter.type[0] in "us" else known)
    if index in facts.shift_counts and parameter.type[0] in "us":
        return Scalar(size.bit_length() - 1)  # its power of two is the size
    if index in facts.range_starts and parameter.type[0] in "us":
        return Scalar(min(LOWER_BOUND, size // 4))
    return Scalar(_default(parameter.type, size))


def _default(type_: str, size: int) -> int | float:
    if type_ in ("f32", "f64"):
        return FLOAT
    if TYPE_SIZE[type_] == 1:
        return 1  # bool, char: a flag
    if type_ in ("f16", "bf16"):
        return 1
    return min(size, 1024) if TYPE_SIZE[type_] == 2 else size


_PACK = {"f32": "<f", "f64": "<d"}


def _aggregate(
    facts: KernelFacts,
    index: int,
    parameter: Variable,
    name: str,
    size: int,
    bound: Mapping[tuple[str, int], Texture],
) -> Aggregate:
    """A struct by value: each field that the kernel reads gets the value its type has elsewhere."""
    data = bytearray(struct.pack("<I", size) * (parameter.size // 4 + 1))[: parameter.size]
    pointers = facts.pointer_fields.get(index, ())
    for offset, type_ in _fields(facts.kernel, parameter.name):
        width = TYPE_SIZE[type_]
        if offset in pointers or offset + width > len(data):
            continue
        value = _default(type_, size)
        if type_ in _PACK:
            data[offset : offset + width] = struct.pack(_PACK[type_], value)
        else:
            data[offset : offset + width] = int(value).to_bytes(width, "little")
    buffers = tuple(
        (o, buffer_of(facts, (index, o), f"{name}+{o}", size, {}, {})) for o in pointers
    )
    fetched = tuple((o, each) for (at, o), each in bound.items() if at == parameter.name)
    return Aggregate(bytes(data), (*buffers, *fetched))


def _fields(kernel: Function, parameter: str) -> Iterator[tuple[int, str]]:
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
