"""Where a launch's variables lie: shared window, local frame, parameters, module variables."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Mapping, Sequence, Set
from functools import lru_cache

import numpy as np

from perflint.base.records import dataclass
from perflint.grammar.model import (
    TYPE_SIZE,
    Address,
    Function,
    Immediate,
    Instruction,
    Module,
    Operand,
    Symbol,
    Variable,
    Vector,
)
from perflint.sim.call_stack import address_of
from perflint.sim.launch import (
    Aggregate,
    Argument,
    Buffer,
    Fill,
    Launch,
    Scalar,
    SymbolBytes,
    Texture,
)
from perflint.sim.memory import Accounting, Region, base_address
from perflint.sim.textures import Bound
from perflint.sim.values import DTYPE


class LaunchError(ValueError):
    """A launch that the kernel or the architecture does not allow."""


@dataclass(frozen=True)
class Frame:
    """Variables of one state space, packed by their alignment."""

    offsets: Mapping[str, int]
    size: int  #: bytes, without what is unsized


def frame(variables: Iterable[Variable]) -> Frame:
    """Sized variables in declared order; unsized ones (`extern __shared__`) all at the end."""
    offsets: dict[str, int] = {}
    end = 0
    unsized = []
    for each in variables:
        if each.size == 0:
            unsized.append(each)
            continue
        end = -(-end // each.align) * each.align
        offsets[each.name] = end
        end += each.size
    for each in unsized:
        align = max(16, each.align)
        end = -(-end // align) * align
    for each in unsized:
        offsets[each.name] = end
    return Frame(offsets, end)


@lru_cache(maxsize=32)
def mentioned(kernel: Function) -> frozenset[str]:
    """Names of all symbols in a kernel's instructions."""
    names: set[str] = set()
    for instruction in kernel.instructions:
        for operand in _operands(instruction):
            if isinstance(operand, Vector):
                names.update(e.name for e in operand.elements if isinstance(e, Symbol))
            base = operand.base if isinstance(operand, Address) else operand
            if isinstance(base, Symbol):
                names.add(base.name)
    return frozenset(names)


def _operands(instruction: Instruction) -> tuple[Operand, ...]:
    if instruction.call is None:
        return instruction.operands
    return (*instruction.call.results, *instruction.call.arguments)


def shared_frame(module: Module, kernel: Function, names: Set[str]) -> Frame:
    """The block's shared window: static variables, then the dynamic ones."""
    outer = [v for v in module.variables.values() if v.space == "shared" and v.name in names]
    return frame([*(v for v in kernel.variables if v.space == "shared"), *outer])


def shared_bounds(
    module: Module, kernel: Function, shared: Frame, arrays: Mapping[int, str]
) -> dict[int, tuple[int, int]]:
    """Where in the block's window the sized variables lie that instructions access: [low, high)."""
    sizes = {v.name: v.size for v in (*module.variables.values(), *kernel.variables)}
    found = ((pc, shared.offsets.get(name), sizes.get(name)) for pc, name in arrays.items())
    return {pc: (at, at + size) for pc, at, size in found if at is not None and size}


def local_frame(kernel: Function) -> Frame:
    """A thread's local variables; `.param` variables of calls live there too."""
    return frame(v for v in kernel.variables if v.space in ("local", "param"))


@dataclass(frozen=True, eq=False)
class Parameters:
    """A kernel's arguments as bytes."""

    offsets: Mapping[str, int]
    image: np.ndarray  #: uint8
    textures: Mapping[int, Bound]  #: by region number, which a handle holds


def parameters(
    kernel: Function, launch: Launch, regions: list[Region], fill: Fill, accounting: Accounting
) -> Parameters:
    """Encode the arguments; every distinct Buffer becomes a region behind `regions`.

    Raises LaunchError where an argument does not fit its parameter.
    """
    if len(launch.arguments) != len(kernel.parameters):
        raise LaunchError(
            f"kernel {kernel.name} has {len(kernel.parameters)} parameters, "
            f"the launch has {len(launch.arguments)} arguments"
        )
    placed = frame(kernel.parameters)
    image = np.zeros(placed.size + 16, np.uint8)
    known: dict[int, Region] = {}
    textures: dict[int, Bound] = {}

    def pointer(buffer: Buffer | Texture) -> int:
        region = known.get(id(buffer))
        if region is None:
            number = len(regions) + 1
            if isinstance(buffer, Texture):
                region = Region.of_texture(number, buffer, fill, accounting)
                textures[number] = Bound(buffer, region)
            else:
                region = Region.of_buffer(number, buffer, fill, accounting)
            regions.append(region)
            known[id(buffer)] = region
        return base_address(region.number)

    for number, (variable, argument) in enumerate(
        zip(kernel.parameters, launch.arguments, strict=True)
    ):
        encoded = bytearray(_encode(variable, number, argument))
        if isinstance(argument, Buffer | Texture):
            encoded[:] = struct.pack("<Q", pointer(argument))
        elif isinstance(argument, Aggregate):
            for at, buffer in argument.buffers:
                if at < 0 or at + 8 > variable.size:
                    raise LaunchError(
                        f"argument {number}: a pointer at byte {at} of {variable.size}"
                    )
                encoded[at : at + 8] = struct.pack("<Q", pointer(buffer))
        start = placed.offsets.get(variable.name, 0)
        image[start : start + len(encoded)] = np.frombuffer(bytes(encoded), np.uint8)
    return Parameters(placed.offsets, image, textures)


def _encode(variable: Variable, number: int, argument: Argument) -> bytes:
    size = variable.size
    what = f"argument {number} ({variable.name}, .{variable.type}, {size} bytes)"
    if isinstance(argument, Buffer | Texture):
        if size != 8:
            raise LaunchError(f"{what} cannot hold a pointer")
        return bytes(8)
    if isinstance(argument, Aggregate):
        if len(argument.data) > size:
            raise LaunchError(f"{what} was given {len(argument.data)} bytes")
        return argument.data.ljust(size, b"\0")
    return _encode_scalar(variable, argument, what)


def _encode_scalar(variable: Variable, scalar: Scalar, what: str) -> bytes:
    size, value = variable.size, scalar.value
    if size not in (1, 2, 4, 8):
        raise LaunchError(f"{what} is a struct; it needs an Aggregate, not {value!r}")
    codes = {"f16": "<e", "f32": "<f", "f64": "<d"}
    try:
        if variable.type in codes:
            return struct.pack(codes[variable.type], float(value))
        if isinstance(value, float) and not value.is_integer():
            if size in (4, 8):  # an untyped parameter that was given a float
                return struct.pack("<f" if size == 4 else "<d", value)
            raise LaunchError(f"{what} is an integer, not {value!r}")
        return (int(value) & ((1 << (8 * size)) - 1)).to_bytes(size, "little")
    except (OverflowError, struct.error) as error:
        raise LaunchError(f"{what} cannot hold {value!r}: {error}") from error


def _element(ptx_type: str) -> str | None:
    """What a variable's memory is filled as; None, whatever it is first read as, of mere bytes."""
    return ptx_type if ptx_type in DTYPE and ptx_type != "b8" else None


def module_regions(
    module: Module,
    names: Set[str],
    fill: Fill,
    accounting: Accounting,
    symbols: Sequence[SymbolBytes] = (),
) -> dict[str, Region]:
    """Regions of the `.global` and `.const` variables that a kernel mentions, numbered from 1.

    A variable without initialiser holds the fill; a single `.global` number holds 0, as CUDA
    defines and counters rely on. `symbols` are what a launch finds in them instead.
    """
    wanted = _closure(module, names)
    regions: dict[str, Region] = {}
    for name in wanted:
        variable = module.variables[name]
        zero = variable.space == "global" and variable.size <= 8
        regions[name] = Region(
            number=len(regions) + 1,
            name=name,
            fill=Fill.ZERO if zero else fill,
            limit=1024,
            accounting=accounting,
            element=_element(variable.type),
            size=variable.size or None,
            constant=variable.space == "const",
            initialised=variable.initialiser is not None or variable.space != "const",
        )
    for name, region in regions.items():
        region.data = initial_bytes(module.variables[name], regions, address_of(module))
        region.hold([each for each in symbols if each.variable == name])
    return regions


def _closure(module: Module, names: Set[str]) -> list[str]:
    """Module variables that are mentioned, and those that their initialisers point to."""
    out: list[str] = []
    queue = sorted(names)
    while queue:
        name = queue.pop(0)
        variable = module.variables.get(name)
        if variable is None or name in out or variable.space not in ("global", "const"):
            continue
        out.append(name)
        queue.extend(v.name for v in variable.initialiser or () if isinstance(v, Symbol))
    return out


def initial_bytes(
    variable: Variable, regions: Mapping[str, Region], functions: Mapping[str, int]
) -> np.ndarray | None:
    """What a variable's initialiser says, uint8; None where it has none.

    Addresses in it are those of `regions` and `functions`.
    """
    if variable.initialiser is None:
        return None
    size = TYPE_SIZE[variable.type]
    out = bytearray()
    for item in variable.initialiser:
        if isinstance(item, Immediate):
            out += _initial_item(item, variable.type, size)
        else:
            region = regions.get(item.name)
            base = functions.get(item.name, 0) if region is None else base_address(region.number)
            address = base + item.offset if base else 0
            out += (address & ((1 << (8 * size)) - 1)).to_bytes(size, "little")
    return np.frombuffer(bytes(out).ljust(variable.size, b"\0"), np.uint8)


def _initial_item(item: Immediate, ptx_type: str, size: int) -> bytes:
    codes = {"f16": "<e", "f32": "<f", "f64": "<d"}
    if ptx_type in codes and (item.kind == "int" or ptx_type != item.kind):
        return struct.pack(codes[ptx_type], float(item.value))
    return (item.bits & ((1 << (8 * size)) - 1)).to_bytes(size, "little")
