"""How instructions that are more than arithmetic are compiled: memory, warps, control, addresses.

Each handler writes the lines of one instruction into an `Emitter`. The names `m` and `a` in those
lines are the machine and the lanes that run.
"""

from __future__ import annotations

from collections.abc import Callable

from perflint.grammar import table
from perflint.grammar.model import (
    Address,
    Immediate,
    Instruction,
    Not,
    Operand,
    Pair,
    Register,
    Sink,
    Symbol,
    Vector,
)
from perflint.sim import atomics, warpwide
from perflint.sim.emitter import Emitter, NoMeaningError
from perflint.sim.memory import (
    LOCAL_WINDOW,
    PARAM_WINDOW,
    RANK_SHIFT,
    SHARED_WINDOW,
    base_address,
)
from perflint.sim.system_calls import SIGNATURES
from perflint.sim.values import DTYPE

Handler = Callable[[Emitter, Instruction], None]
HANDLERS: dict[str, Handler] = {}

_WINDOWS = {"shared": SHARED_WINDOW, "local": LOCAL_WINDOW, "param": PARAM_WINDOW}


def handles(*opcodes: str) -> Callable[[Handler], Handler]:
    def register(handler: Handler) -> Handler:
        for opcode in opcodes:
            HANDLERS[opcode] = handler
        return handler

    return register


def elements(operand: Operand) -> tuple[Operand, ...]:
    """A vector's elements, or the operand itself. Raises NoMeaningError for a vector of none."""
    found = operand.elements if isinstance(operand, Vector) else (operand,)
    if not found:
        raise NoMeaningError
    return found


# --- moves and addresses --------------------------------------------------------------------------


@handles("mov")
def _mov(e: Emitter, i: Instruction) -> None:
    destination, source = i.operands
    types = table.types(i)
    if len(types) != 1 or types[0] not in DTYPE:
        raise NoMeaningError
    ptx_type = types[0]
    if table.vector(i) > 1:
        targets, values = elements(destination), elements(source)
        if not len(targets) == len(values) == table.vector(i):
            raise NoMeaningError
        moved = [e.assign(e.use(value, ptx_type)) for value in values]
        for target, variable in zip(targets, moved, strict=True):
            e.write(target, variable, ptx_type)
        return
    if isinstance(destination, Vector) or isinstance(source, Vector):
        _mov_vector(e, destination, source, ptx_type)
        return
    e.write(destination, e.assign(e.use(source, ptx_type)), ptx_type)


def _mov_vector(e: Emitter, destination: Operand, source: Operand, ptx_type: str) -> None:
    """`mov.b64 {a, b}, c` and `mov.b64 c, {a, b}`: the first element is the lowest bits."""
    width = 8 * DTYPE[ptx_type].itemsize
    whole = f"b{width}"
    parts = elements(destination) if isinstance(destination, Vector) else elements(source)
    piece = width // len(parts)
    if piece not in (8, 16, 32) or (isinstance(destination, Vector) and isinstance(source, Vector)):
        raise NoMeaningError
    narrow, wide = e.dtype(DTYPE[f"b{piece}"]), e.dtype(DTYPE[whole])
    if isinstance(destination, Vector):
        value = e.use(source, whole)
        shifts = [e.number(piece * k, "int", DTYPE[whole]) for k in range(len(parts))]
        pieces = [e.assign(f"({value} >> {shift}).astype({narrow})") for shift in shifts]
        for part, variable in zip(parts, pieces, strict=True):
            e.write(part, variable, f"b{piece}")
        return
    terms = []
    for k, part in enumerate(parts):
        value = f"{e.use(part, f'b{piece}')}.astype({wide})"
        terms.append(f"({value} << {e.number(piece * k, 'int', DTYPE[whole])})" if k else value)
    e.write(destination, e.assign(" | ".join(terms)), whole)


@handles("cvta")
def _cvta(e: Emitter, i: Instruction) -> None:
    """Between an address in a space and a generic one: windows lie at fixed places."""
    spaces = table.spaces(i)
    destination, source = i.operands
    if not spaces or i.modifiers[-1] not in ("u64",):
        raise NoMeaningError
    value = e.use(source, "b64")
    window = _WINDOWS.get(spaces[0])
    if window is not None:
        base = e.number(base_address(window), "int", DTYPE["b64"])
        value = f"({value} {'-' if 'to' in i.modifiers else '+'} {base})"
    e.write(destination, e.assign(value), "b64")


@handles("isspacep")
def _isspacep(e: Emitter, i: Instruction) -> None:
    spaces = table.spaces(i)
    if not spaces:
        raise NoMeaningError
    number = f"({e.use(i.operands[1], 'b64')} >> {e.number(40, 'int', DTYPE['b64'])})"
    if spaces[0] == "shared" and "shared::cluster" not in i.modifiers:  # the block's own
        own = f"{e.use(i.operands[1], 'b64')} >> {e.number(RANK_SHIFT, 'int', DTYPE['b64'])}"
        window = base_address(SHARED_WINDOW) >> RANK_SHIFT
        test = f"({own}) == {e.number(window, 'int', DTYPE['b64'])}"
    elif spaces[0] in _WINDOWS:
        test = f"{number} == {e.number(_WINDOWS[spaces[0]], 'int', DTYPE['b64'])}"
    elif spaces[0] == "global":
        test = f"{number} < {e.number(SHARED_WINDOW, 'int', DTYPE['b64'])}"
    else:
        raise NoMeaningError
    e.write(i.operands[0], e.assign(test), "pred")


# --- memory ---------------------------------------------------------------------------------------


def space_of(e: Emitter, i: Instruction, address: Address) -> str:
    """The space that an address is in: of a variable's name, the variable's."""
    space = table.space(i) or "generic"
    if isinstance(address.base, Symbol):
        if space == "param":
            return "body" if address.base.name in e.local_symbols else "param"
        declared = e.program.spaces.get(address.base.name)
        if space == "generic" and declared in ("shared", "local"):
            return declared
    return space


def _plain_type(i: Instruction) -> str:
    types = table.types(i)
    if not types or types[-1] not in DTYPE:
        raise NoMeaningError
    return types[-1]


def _vector_width(i: Instruction, parts: tuple[Operand, ...]) -> int:
    if table.vector(i) != len(parts):
        raise NoMeaningError
    return len(parts)


@handles("ld", "ldu")
def _ld(e: Emitter, i: Instruction) -> None:
    destination, address = i.operands[:2]
    if not isinstance(address, Address):
        raise NoMeaningError
    parts, ptx_type = elements(destination), _plain_type(i)
    ptx_type = e.inferred_type(parts[0], ptx_type)
    space = space_of(e, i, address)
    site = e.site(i, space, "load", ptx_type, _vector_width(i, parts))
    if e.touches:
        return e.line(f"m.touch(a, {site}, {e.address(address, space)})")
    values = [e.fresh() for _ in parts]
    e.line(f"{', '.join(values)}, = m.load(a, {site}, {e.address(address, space)})")
    for part, value in zip(parts, values, strict=True):
        e.write(part, value, ptx_type)


@handles("st")
def _st(e: Emitter, i: Instruction) -> None:
    address, value = i.operands[:2]
    if not isinstance(address, Address) or "bulk" in i.modifiers or "async" in i.modifiers:
        raise NoMeaningError
    parts, ptx_type = elements(value), _plain_type(i)
    space = space_of(e, i, address)
    site = e.site(i, space, "store", ptx_type, _vector_width(i, parts))
    if e.touches:
        return e.line(f"m.touch(a, {site}, {e.address(address, space)})")
    values = "".join(e.use(part, ptx_type) + ", " for part in parts)
    e.line(f"m.store(a, {site}, {e.address(address, space)}, ({values}))")


_ATOMS = frozenset(["add", "exch", "min", "max", "and", "or", "xor", "inc", "dec", "cas"])


@handles("atom", "red")
def _atom(e: Emitter, i: Instruction) -> None:
    operands = i.operands if i.opcode == "atom" else (Sink(), *i.operands)
    operation = next((m for m in i.modifiers if m in _ATOMS), None)
    ptx_type = _plain_type(i)
    address = operands[1]
    if operation is None or not isinstance(address, Address) or table.vector(i) != 1:
        raise NoMeaningError
    if len(operands) < (4 if operation == "cas" else 3):
        raise NoMeaningError
    space = space_of(e, i, address)
    site = e.site(i, space, "atomic", ptx_type)
    if e.touches:
        return e.line(f"m.touch_atomic(a, {site}, {e.address(address, space)})")
    b = e.use(operands[2], ptx_type)
    where = e.address(address, space)
    if operation == "cas":
        call = f"m.atomic(a, {site}, None, {where}, {b}, {e.use(operands[3], ptx_type)})"
    else:
        function = atomics.function_of(operation, ptx_type)
        if function is None:
            raise NoMeaningError
        call = f"m.atomic(a, {site}, {e.refer(function)}, {where}, {b})"
    e.write(operands[0], e.assign(call), ptx_type)


@handles("prefetch", "prefetchu", "membar", "fence", "nanosleep", "discard", "applypriority",
         "pmevent", "brkpt", "griddepcontrol", "setmaxnreg")  # fmt: skip
def _nothing(e: Emitter, i: Instruction) -> None:
    """No effect on what is computed: memory is always consistent here."""


@handles("createpolicy")
def _createpolicy(e: Emitter, i: Instruction) -> None:
    e.write(i.operands[0], e.number(0, "int", DTYPE["b64"]), "b64")


# --- warps ----------------------------------------------------------------------------------------


def _pair(operand: Operand) -> tuple[Operand, Operand]:
    return (operand.first, operand.second) if isinstance(operand, Pair) else (operand, Sink())


def _members(e: Emitter, i: Instruction, at: int) -> str:
    """The member mask; all lanes where the instruction is of the old kind without one."""
    if len(i.operands) > at:
        return e.use(i.operands[at], "u32")
    return e.number(0xFFFFFFFF, "int", DTYPE["u32"])


def _two(e: Emitter, call: str, destination: Operand, first: str, second: str) -> None:
    one, other = e.fresh(), e.fresh()
    e.line(f"{one}, {other} = {call}")
    targets = _pair(destination)
    e.write(targets[0], one, first)
    e.write(targets[1], other, second)


@handles("shfl")
def _shfl(e: Emitter, i: Instruction) -> None:
    mode = next((m for m in i.modifiers if m in ("up", "down", "bfly", "idx")), None)
    if mode is None:
        raise NoMeaningError
    values = [e.use(operand, "u32") for operand in i.operands[1:4]]
    call = f"{e.refer(warpwide.shuffle)}(a, {mode!r}, {', '.join(values)}, {_members(e, i, 4)})"
    _two(e, call, i.operands[0], "u32", "pred")


@handles("vote")
def _vote(e: Emitter, i: Instruction) -> None:
    mode = next((m for m in i.modifiers if m in ("all", "any", "uni", "ballot")), None)
    if mode is None:
        raise NoMeaningError
    predicate = e.use(i.operands[1], "pred")
    call = f"{e.refer(warpwide.vote)}(a, {mode!r}, {predicate}, {_members(e, i, 2)})"
    e.write(i.operands[0], e.assign(call), "u32" if mode == "ballot" else "pred")


@handles("activemask")
def _activemask(e: Emitter, i: Instruction) -> None:
    e.write(i.operands[0], e.assign(f"{e.refer(warpwide.active_mask)}(a)"), "u32")


@handles("match")
def _match(e: Emitter, i: Instruction) -> None:
    ptx_type = _plain_type(i)
    value = e.use(i.operands[1], ptx_type)
    everyone = "all" in i.modifiers
    call = f"{e.refer(warpwide.match)}(a, {everyone}, {value}, {_members(e, i, 2)})"
    _two(e, call, i.operands[0], "u32", "pred")


@handles("redux")
def _redux(e: Emitter, i: Instruction) -> None:
    ptx_type = _plain_type(i)
    operation = next((m for m in i.modifiers if m in ("add", "min", "max", "and", "or", "xor")), "")
    if not operation or (ptx_type != "f32" and DTYPE[ptx_type].kind not in "iu"):
        raise NoMeaningError
    if ptx_type == "f32":
        if operation not in ("min", "max"):
            raise NoMeaningError
        operation += "".join(f".{m}" for m in ("abs", "NaN") if m in i.modifiers)
    value = e.use(i.operands[1], ptx_type)
    call = f"{e.refer(warpwide.reduce)}(a, {operation!r}, {value}, {_members(e, i, 2)})"
    e.write(i.operands[0], e.assign(call), ptx_type)


@handles("elect")
def _elect(e: Emitter, i: Instruction) -> None:
    _two(e, f"{e.refer(warpwide.elect)}(a, {_members(e, i, 1)})", i.operands[0], "u32", "pred")


# --- control --------------------------------------------------------------------------------------


@handles("bar", "barrier")
def _barrier(e: Emitter, i: Instruction) -> None:
    """`bar.sync`, `bar.red` and `bar.arrive`; the block that ends here says which barrier."""
    modifiers = tuple(m for m in i.modifiers if m not in ("cta", "aligned"))
    if modifiers[:1] == ("warp",):
        e.line(f"m.recorder.warp_barrier(a, {i.index}, {e.step})")
        e.end = f"({i.index}, {e.use(i.operands[0], 'u32')})"
        return
    if modifiers[:2] == ("cluster", "arrive"):
        e.line("m.arrive_in_cluster(a)")
        return
    if modifiers[:2] == ("cluster", "wait"):
        e.end = f"{i.index}"
        return
    operands = list(i.operands)
    predicate = "None"
    if modifiers[:1] == ("red",):
        operands = operands[1:]
        source = operands.pop()
        if not isinstance(source, (Register, Not, Immediate)):
            raise NoMeaningError
        predicate = e.use(source, "pred")
        destination = i.operands[0]
        if not isinstance(destination, Register):
            raise NoMeaningError
        e.block.reduction = (e.slot(destination.name), modifiers[1])
        e.block.outputs = tuple(s for s in e.block.outputs if s != e.block.reduction[0])
    number = e.use(operands[0], "u32")
    count = e.use(operands[1], "u32") if len(operands) > 1 else "None"
    if modifiers[:1] == ("arrive",):
        e.line(f"m.arrive(a, {number}, {count})")
        return
    e.end = f"({i.index}, {number}, {count}, {predicate})"


@handles("brx")
def _brx(e: Emitter, i: Instruction) -> None:
    e.end = e.use(i.operands[0], "u32")


@handles("bra", "ret", "exit", "trap")
def _jump(e: Emitter, i: Instruction) -> None:
    """The block's ending says where it goes."""


@handles("call")
def _call(e: Emitter, i: Instruction) -> None:
    """Calls of the device's run-time system, whose arguments are `.param` variables."""
    call = i.call
    name = call.target.name if call is not None and isinstance(call.target, Symbol) else ""
    signature = SIGNATURES.get(name)
    if call is None or signature is None:
        raise NoMeaningError(_why_not_called(name))
    takes, gives = signature
    if len(call.arguments) != len(takes) or len(call.results) > 1:
        raise NoMeaningError
    values = []
    for argument, ptx_type in zip(call.arguments, takes, strict=True):
        value = e.fresh()
        e.line(f"{value}, = m.load(a, {e.site(i, 'body', 'load', ptx_type)}, {_place(argument)})")
        values.append(value)
    result = e.assign(
        f"m.system_call(a, {i.index}, {name!r}, ({''.join(v + ', ' for v in values)}))"
    )
    if gives is not None and call.results:
        site, place = e.site(i, "body", "store", gives), _place(call.results[0])
        e.line(f"m.store(a, {site}, {place}, ({result},))")


def _place(variable: Operand) -> str:
    if not isinstance(variable, Symbol):
        raise NoMeaningError
    return f"m.symbol({variable.name!r}, {variable.offset})"


def _why_not_called(name: str) -> str:
    if name.startswith(("cudaLaunchDevice", "cudaGetParameterBuffer")):
        return f"{name}: kernels launch kernels as CUDA 12 has it, not as it was before"
    return f"the body of {name} is not in this module" if name else "an indirect call"
