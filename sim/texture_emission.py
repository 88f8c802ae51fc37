"""How texture and surface instructions are compiled, and which parameters they go through."""

from __future__ import annotations

from perflint.grammar import table
from perflint.grammar.model import Address, Function, Instruction, Register, Symbol
from perflint.sim.emission import elements, handles
from perflint.sim.emitter import Emitter, NoMeaningError
from perflint.sim.launch import Aggregate, Launch, Texture, UnsupportedInstructionError
from perflint.sim.textures import GEOMETRIES, QUERIES, Fetch, Query, SurfaceAccess
from perflint.sim.values import DTYPE

_RESULTS = ("f32", "s32", "u32")
_OPCODES = ("tex", "tld4", "txq", "suld", "sust", "suq")


def geometry(i: Instruction) -> str | None:
    """The modifier that says how many coordinates there are; None where there is none."""
    return next((modifier for modifier in i.modifiers if modifier in GEOMETRIES), None)


def _geometry(i: Instruction) -> str:
    found = geometry(i)
    if found is None:
        raise NoMeaningError
    return found


def _handle(e: Emitter, address: object) -> str:
    """The handle in `[a, {x, y}]`."""
    if not isinstance(address, Address) or not isinstance(address.base, Register):
        raise NoMeaningError
    return e.use(address.base, "u64")


def _coordinates(e: Emitter, address: Address, geometry: str, kind: str) -> str:
    """The coordinates that count, the layer first and as a number."""
    count, layered = GEOMETRIES[geometry]
    given = [part for each in address.index for part in elements(each)]
    if len(given) < count + layered:
        raise NoMeaningError
    names = [e.use(given[0], "u32")] if layered else []
    names += [e.use(part, kind) for part in given[layered : count + layered]]
    return ", ".join(names)


@handles("tex", "tld4")
def _tex(e: Emitter, i: Instruction) -> None:
    """Textures have one level: `.level` and `.grad` fetch from it, as `.base` does."""
    destination, address = i.operands[:2]
    geometry, types = _geometry(i), table.types(i)
    handle = _handle(e, address)
    assert isinstance(address, Address)
    levels = {"level", "grad", "base"} & set(i.modifiers)
    if len(i.operands) > 2 + {"level": 1, "grad": 2}.get(next(iter(levels), ""), 0):
        raise NoMeaningError  # offsets, or a depth to compare with
    if len(types) != 2 or types[0] not in _RESULTS or types[1] not in ("f32", "s32"):
        raise NoMeaningError
    parts = elements(destination)
    if len(parts) != 4 or table.vector(i) != 4:
        raise NoMeaningError
    channel = "rgba".find(i.modifiers[0]) if i.opcode == "tld4" else None
    if channel == -1 or (channel is not None and geometry != "2d"):
        raise NoMeaningError
    fetch = Fetch(i.index, geometry, types[0], types[1] == "s32", channel)
    given = _coordinates(e, address, geometry, types[1])
    names = [e.fresh() for _ in parts]
    e.line(f"{', '.join(names)} = {e.refer(fetch)}(m.device, a, {handle}, {given})")
    for part, name in zip(parts, names, strict=True):
        e.write(part, name, types[0])


@handles("suld", "sust")
def _surface(e: Emitter, i: Instruction) -> None:
    vector, address = i.operands[:2] if i.opcode == "suld" else i.operands[1::-1]
    geometry, (element,) = _geometry(i), table.types(i)
    outside = next((m for m in i.modifiers if m in ("trap", "clamp", "zero")), None)
    parts = elements(vector)
    handle = _handle(e, address)
    assert isinstance(address, Address)
    if i.modifiers[0] != "b" or outside is None or len(parts) != table.vector(i):
        raise NoMeaningError
    access = SurfaceAccess(i.index, geometry, element, len(parts), outside)
    given = _coordinates(e, address, geometry, "u32")
    if i.opcode == "suld":
        names = [e.fresh() for _ in parts]
        e.line(f"{', '.join(names)}, = {e.refer(access)}.load(m.device, a, {handle}, {given})")
        for part, name in zip(parts, names, strict=True):
            e.write(part, name, f"b{8 * DTYPE[element].itemsize}")
        return
    values = "".join(e.use(part, element) + ", " for part in parts)
    e.line(f"{e.refer(access)}.store(m.device, a, {handle}, ({given},), ({values}))")


@handles("txq", "suq")
def _query(e: Emitter, i: Instruction) -> None:
    what = next((m for m in i.modifiers if m in QUERIES), None)
    handle = _handle(e, i.operands[1])
    if what is None or len(i.operands) != 2:
        raise NoMeaningError
    call = f"{e.refer(Query(i.index, what))}(m.device, a, {handle})"
    e.write(i.operands[0], e.assign(call), "u32")


def through(function: Function) -> list[tuple[Instruction, str | None, int]]:
    """(texture or surface instruction, where its handle comes from, byte offset in it).

    That is a parameter that holds it, or a variable of the module whose address it is, as a
    texture reference's; None where it comes straight from neither.
    """
    if not any(each.opcode in _OPCODES for each in function.instructions):
        return []
    written: dict[str, list[Instruction]] = {}
    for each in function.instructions:
        for name in table.writes(each):
            written.setdefault(name, []).append(each)
    out = []
    for each in function.instructions:
        if each.opcode in _OPCODES:
            address = next(o for o in each.operands if isinstance(o, Address))
            base = address.base
            name = base.name if isinstance(base, Register) else ""
            out.append((each, *_origin(written, name, 8)))
    return out


def _origin(
    written: dict[str, list[Instruction]], register: str, steps: int
) -> tuple[str | None, int]:
    """The parameter and offset that a register was loaded from, or whose address it is."""
    sources = written.get(register, [])
    if len(sources) != 1 or not steps:
        return None, 0
    (source,) = sources
    operand = source.operands[1] if len(source.operands) > 1 else None
    if source.opcode in ("mov", "cvta") and isinstance(operand, Register):
        return _origin(written, operand.name, steps - 1)
    if source.opcode in ("mov", "cvta") and isinstance(operand, Symbol) and not operand.offset:
        return operand.name, 0
    if source.opcode == "ld" and "param" in source.modifiers and isinstance(operand, Address):
        base = operand.base
        if isinstance(base, Symbol):
            return base.name, base.offset + operand.offset
    return None, 0


def check_bound(kernel: Function, launch: Launch) -> None:
    """Raise UnsupportedInstructionError for a fetch from an object that nothing binds."""
    given = {v.name: a for v, a in zip(kernel.parameters, launch.arguments, strict=False)}
    bound = given | dict(launch.textures)
    for instruction, parameter, offset in through(kernel):
        argument = bound.get(parameter or "")
        if isinstance(argument, Aggregate):
            argument = dict(argument.buffers).get(offset)
        if isinstance(argument, Texture):
            continue
        location = instruction.location
        line = location.chain()[-1].line if location is not None else None
        what = "surface" if instruction.opcode.startswith("su") else "texture"
        place = list(given).index(parameter) + 1 if parameter in given else None
        where = f"parameter {place}" if place else "an object that is no parameter"
        raise UnsupportedInstructionError(
            instruction.name, line, instruction.line, f"no {what} is bound to {where}"
        )
