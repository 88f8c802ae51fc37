"""CUDA's built-in functions: barriers, votes, bit functions, atomics, mathematics.

Mathematical functions are instructions, or written in C in `library.c`.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from perflint.frontend.csubset.conversions import convert, in_register, truth
from perflint.frontend.csubset.functions import chosen, inline
from perflint.frontend.csubset.kernel_state import Lowering
from perflint.frontend.csubset.lower_expressions import jump, value, values
from perflint.frontend.csubset.memory import load, operand
from perflint.frontend.csubset.stream import read_stream
from perflint.frontend.csubset.types import (
    DOUBLE,
    FLOAT,
    INT,
    LLONG,
    UINT,
    ULLONG,
    VOID,
    Pointer,
    Struct,
    Type,
    common,
    is_float,
    is_integer,
    vector,
)
from perflint.frontend.csubset.values import Place, Value, number, register_class, suffix
from perflint.frontend.source.language.c_types import CType
from perflint.frontend.source.language.tokens import Token

#: By C's name of the double function: the instruction, for double and for float.
_ONE = {
    **{"sqrt": ("sqrt.rn.f64", "sqrt.rn.f32"), "fabs": ("abs.f64", "abs.f32")},
    **{"floor": ("cvt.rmi.f64.f64", "cvt.rmi.f32.f32")},
    **{"ceil": ("cvt.rpi.f64.f64", "cvt.rpi.f32.f32")},
    **{"trunc": ("cvt.rzi.f64.f64", "cvt.rzi.f32.f32")},
    **{"rint": ("cvt.rni.f64.f64", "cvt.rni.f32.f32")},
    **{"nearbyint": ("cvt.rni.f64.f64", "cvt.rni.f32.f32")},
    "rsqrt": ("", "rsqrt.approx.f32"),
}
_ABSOLUTES = {"abs", "labs", "llabs"}
_EXTREMES = {"min": "min", "max": "max", "fmin": "min", "fmax": "max"}


def _mathematics(x: Lowering, name: str, node: Any) -> Value | None:
    """The value of a mathematical function's call; None if it is none."""
    base, single = _base(name)
    if not _is_known(x, name, base):
        return None
    held = values(x, node)
    if name in _ABSOLUTES:
        return _absolute(x, held, node)
    if base in _EXTREMES:
        return _extreme(x, base, single, held, node)
    type_ = FLOAT if single or (held and all(v.type == FLOAT for v in held)) else DOUBLE
    if base == "fma":
        return _instruction(x, f"fma.rn.{suffix(type_)}", held, type_)
    opcode = _ONE.get(base, ("", ""))[type_ == FLOAT]
    if opcode:
        return _instruction(x, opcode, held, type_)
    if base in _library_names() and type_ == FLOAT:
        name = f"{base}f"
    definition = chosen(x, x.library, name, len(held), node)
    return None if definition is None else inline(x, definition, x.library, held, node)


def _is_known(x: Lowering, name: str, base: str) -> bool:
    return name in _ABSOLUTES or name in x.library.functions or base in (*_ONE, *_EXTREMES, "fma")


def _base(name: str) -> tuple[str, bool]:
    """C's name of the double function, and whether this is the float one."""
    single = name.endswith("f") and name[:-1] in (*_ONE, *_EXTREMES, "fma", *_library_names())
    return (name[:-1], True) if single else (name, False)


def _instruction(x: Lowering, opcode: str, held: Sequence[Value], type_: CType) -> Value:
    b = x.builder
    operands = [in_register(b, convert(b, v, type_)) for v in held]
    return Value(type_, b.emit(opcode, register_class(type_), *operands))


def _extreme(x: Lowering, base: str, single: bool, held: Sequence[Value], node: Any) -> Value:
    types = [v.type for v in held if isinstance(v.type, CType)]
    if len(held) != 2 or len(types) != 2:
        raise x.outside(f"call of {base} with these arguments", node)
    type_ = FLOAT if single else common(*types)
    if base[0] == "f" and not is_float(type_):
        type_ = DOUBLE
    b = x.builder
    known = [v.number for v in held if v.number is not None]
    if len(known) == 2:
        return convert(b, number((min if _EXTREMES[base] == "min" else max)(known), type_), type_)
    return _instruction(x, f"{_EXTREMES[base]}.{suffix(type_)}", held, type_)


def _absolute(x: Lowering, held: Sequence[Value], node: Any) -> Value:
    """`abs`: of an int, or by C++'s overloads of a floating-point number."""
    type_ = held[0].type if len(held) == 1 else None
    if not isinstance(type_, CType):
        raise x.outside("abs of what is no number", node)
    if is_integer(type_):
        type_ = LLONG if type_.size == 8 else INT
    return _instruction(x, f"abs.{suffix(type_)}", held, type_)


@lru_cache(maxsize=1)
def library_tokens() -> tuple[Token, ...]:
    """The library's source."""
    text = files("perflint.frontend.csubset").joinpath("library.c").read_text("utf-8")
    return tuple(read_stream(Path("library.c"), text, lambda *_: None, {}, "sm_80"))


@lru_cache(maxsize=1)
def _library_names() -> frozenset[str]:
    """The library's functions of double that have one of float, too."""
    tokens = library_tokens()
    names = {t.text for t, after in itertools.pairwise(tokens) if after.text == "("}
    return frozenset(n for n in names if f"{n}f" in names)


# --- barriers, votes, bit functions ---------------------------------------------------------------

_NOTHING = Value(VOID)
_FENCES = {
    "__threadfence": "membar.gl",
    "__threadfence_block": "membar.cta",
    "__threadfence_system": "membar.sys",
}
_FULL = "0xffffffff"
#: name → (opcode, argument types, result type)
_PLAIN: dict[str, tuple[str, tuple[Type, ...], Type]] = {
    "__popc": ("popc.b32", (UINT,), INT),
    "__popcll": ("popc.b64", (ULLONG,), INT),
    "__clz": ("clz.b32", (INT,), INT),
    "__clzll": ("clz.b64", (LLONG,), INT),
    "__brev": ("brev.b32", (UINT,), UINT),
    "__mulhi": ("mul.hi.s32", (INT, INT), INT),
    "__umulhi": ("mul.hi.u32", (UINT, UINT), UINT),
    "__mul24": ("mul24.lo.s32", (INT, INT), INT),
    "__umul24": ("mul24.lo.u32", (UINT, UINT), UINT),
    "__float_as_int": ("mov.b32", (FLOAT,), INT),
    "__float_as_uint": ("mov.b32", (FLOAT,), UINT),
    "__int_as_float": ("mov.b32", (INT,), FLOAT),
    "__uint_as_float": ("mov.b32", (UINT,), FLOAT),
    "__longlong_as_double": ("mov.b64", (LLONG,), DOUBLE),
    "__double_as_longlong": ("mov.b64", (DOUBLE,), LLONG),
    "__float2int_rn": ("cvt.rni.s32.f32", (FLOAT,), INT),
    "__float2int_rz": ("cvt.rzi.s32.f32", (FLOAT,), INT),
    "__float2int_rd": ("cvt.rmi.s32.f32", (FLOAT,), INT),
    "__float2int_ru": ("cvt.rpi.s32.f32", (FLOAT,), INT),
    "__float2uint_rn": ("cvt.rni.u32.f32", (FLOAT,), UINT),
    "__float2uint_rz": ("cvt.rzi.u32.f32", (FLOAT,), UINT),
    "__int2float_rn": ("cvt.rn.f32.s32", (INT,), FLOAT),
    "__uint2float_rn": ("cvt.rn.f32.u32", (UINT,), FLOAT),
    "__sinf": ("sin.approx.f32", (FLOAT,), FLOAT),
    "__cosf": ("cos.approx.f32", (FLOAT,), FLOAT),
    "__log2f": ("lg2.approx.f32", (FLOAT,), FLOAT),
    "__exp2_approximate": ("ex2.approx.f32", (FLOAT,), FLOAT),
    "__frcp_rn": ("rcp.rn.f32", (FLOAT,), FLOAT),
    "__frcp_approximate": ("rcp.approx.f32", (FLOAT,), FLOAT),
    "__fsqrt_rn": ("sqrt.rn.f32", (FLOAT,), FLOAT),
    "__fsqrt_approximate": ("sqrt.approx.f32", (FLOAT,), FLOAT),
    "__frsqrt_rn": ("rsqrt.approx.f32", (FLOAT,), FLOAT),
    "__saturatef": ("cvt.sat.f32.f32", (FLOAT,), FLOAT),
    "__fadd_rn": ("add.rn.f32", (FLOAT, FLOAT), FLOAT),
    "__fsub_rn": ("sub.rn.f32", (FLOAT, FLOAT), FLOAT),
    "__fmul_rn": ("mul.rn.f32", (FLOAT, FLOAT), FLOAT),
    "__fdiv_rn": ("div.rn.f32", (FLOAT, FLOAT), FLOAT),
    "__fdividef": ("div.approx.f32", (FLOAT, FLOAT), FLOAT),
    "__dadd_rn": ("add.rn.f64", (DOUBLE, DOUBLE), DOUBLE),
    "__dsub_rn": ("sub.rn.f64", (DOUBLE, DOUBLE), DOUBLE),
    "__dmul_rn": ("mul.rn.f64", (DOUBLE, DOUBLE), DOUBLE),
    "__ddiv_rn": ("div.rn.f64", (DOUBLE, DOUBLE), DOUBLE),
}


def call(x: Lowering, name: str, node: Any) -> Value | None:
    """The value of a built-in function's call; None if the name is none of them."""
    special = _SPECIAL.get(name)
    if special is not None:
        return special(x, node)
    if name in _FENCES:
        x.builder.put(_FENCES[name])
        return _NOTHING
    plain = _PLAIN.get(name)
    if plain is not None:
        opcode, parameters, result = plain
        held = _arguments(x, node, parameters)
        return Value(result, x.builder.emit(opcode, register_class(result), *held))
    if name.startswith("make_"):
        return _vector(x, name.removeprefix("make_"), node)
    if name.startswith("__shfl"):
        return _shuffle(x, name, node)
    return _atomic(x, name, node) or _mathematics(x, name, node)


def _arguments(x: Lowering, node: Any, types: Sequence[Type]) -> list[str]:
    """The operands of a call's arguments, converted. Raises OutsideError if there are too many."""
    held = values(x, node)
    if len(held) != len(types):
        raise x.outside(f"call of {node.name.name} with {len(held)} arguments", node)
    b = x.builder
    return [in_register(b, convert(b, v, t)) for v, t in zip(held, types, strict=True)]


def _vector(x: Lowering, name: str, node: Any) -> Value | None:
    """`make_float4(…)`."""
    struct = vector(name)
    if struct is None or name == "dim3":
        return None
    held = values(x, node)
    members = [f.type for f in struct.fields]
    if len(held) != len(members):
        raise x.outside(f"call of make_{name} with {len(held)} arguments", node)
    b = x.builder
    parts = []
    for v, t in zip(held, members, strict=True):
        converted = convert(b, v, t)
        parts.append(Value(t, in_register(b, converted), converted.number))
    return Value(struct, parts=tuple(parts))


def _barrier(x: Lowering, node: Any) -> Value:
    values(x, node)
    x.builder.put("bar.sync", "0")
    return _NOTHING


def _counting_barrier(operation: str) -> Callable[[Lowering, Any], Value]:
    def lower(x: Lowering, node: Any) -> Value:
        b = x.builder
        (held,) = values(x, node) or (Value(INT, "0", 0),)
        test = _predicate(x, held)
        if operation == "popc":
            result = b.register("r")
            b.put("bar.red.popc.u32", "0", test, result=result)
            return Value(INT, result)
        result = b.register("p")
        b.put(f"bar.red.{operation}.pred", "0", test, result=result)
        return Value(INT, result)

    return lower


def _predicate(x: Lowering, held: Value) -> str:
    """A value's truth in a predicate register, constants too."""
    found = truth(x.builder, held)
    if found.number is None:
        return found.text
    return x.builder.emit("setp.ne.s32", "p", str(int(found.number)), "0")


def _warp_barrier(x: Lowering, node: Any) -> Value:
    held = values(x, node)
    mask = in_register(x.builder, convert(x.builder, held[0], UINT)) if held else _FULL
    x.builder.put("bar.warp.sync", mask)
    return _NOTHING


def _vote(mode: str, masked: bool) -> Callable[[Lowering, Any], Value]:
    def lower(x: Lowering, node: Any) -> Value:
        b, held = x.builder, values(x, node)
        if len(held) != 1 + masked:
            raise x.outside(f"call of {node.name.name} with {len(held)} arguments", node)
        mask = in_register(b, convert(b, held[0], UINT)) if masked else _FULL
        test = _predicate(x, held[-1])
        result = b.register("r" if mode == "ballot" else "p")
        kind = "b32" if mode == "ballot" else "pred"
        b.put(f"vote.sync.{mode}.{kind}", test, mask, result=result)
        return Value(UINT if mode == "ballot" else INT, result)

    return lower


def _active_mask(x: Lowering, node: Any) -> Value:
    result = x.builder.register("r")
    x.builder.put("activemask.b32", result=result)
    return Value(UINT, result)


_SHUFFLES = {"": "idx", "_up": "up", "_down": "down", "_xor": "bfly"}


def _shuffle(x: Lowering, name: str, node: Any) -> Value | None:
    """`__shfl_sync` and its kin (PTX ISA, shfl.sync: the clamp of `up` is 0, of the rest 31)."""
    rest = name.removeprefix("__shfl")
    masked = rest.endswith("_sync")
    mode = _SHUFFLES.get(rest.removesuffix("_sync"))
    held = values(x, node)
    if mode is None or len(held) not in (2 + masked, 3 + masked):
        return None
    b = x.builder
    mask = in_register(b, convert(b, held[0], UINT)) if masked else _FULL
    subject, lane = held[masked], convert(b, held[masked + 1], UINT)
    width = held[masked + 2].number if len(held) == 3 + masked else 32
    if not isinstance(width, int) or not 0 < width <= 32 or isinstance(subject.type, Pointer):
        raise x.outside("shuffle of a width that is not known", node)
    if subject.is_predicate or subject.type.size < 4:
        subject = convert(b, subject, INT)
    clamp = str(((32 - width) << 8) | (0 if mode == "up" else 31))
    if subject.type.size != 4 or isinstance(subject.type, Struct):
        raise x.outside("shuffle of 64 bits", node)
    kind = "f" if subject.type == FLOAT else "r"
    result = b.register(kind)
    b.put(
        f"shfl.sync.{mode}.b32",
        in_register(b, subject),
        in_register(b, lane),
        clamp,
        mask,
        result=result,
    )
    return Value(subject.type, result)


def _read_only(x: Lowering, node: Any) -> Value:
    """`__ldg(p)`."""
    (pointer,) = values(x, node)
    if not isinstance(pointer.type, Pointer):
        raise x.outside("__ldg of what is no pointer", node)
    return load(x, Place(pointer.type.target, (), pointer))


def _print(x: Lowering, node: Any) -> Value:
    """`printf(…)`: what is printed is read, and nothing is printed."""
    b = x.builder
    for argument in node.args.exprs[1:] if node.args else ():
        before = len(b.lines)
        value(x, argument)
        for line in b.lines[before:]:
            line.keep = line.keep or line.opcode.startswith("ld")
    return Value(INT, "0", 0)


def _assert(x: Lowering, node: Any) -> Value:
    fine = x.builder.label()
    for argument in node.args.exprs if node.args else ():
        jump(x, argument, fine, when=True)
    x.builder.put("trap")
    x.builder.set_label(fine)
    return _NOTHING


def _clock(x: Lowering, node: Any) -> Value:
    wide = node.name.name == "clock64"
    result = x.builder.register("rd" if wide else "r")
    x.builder.put(f"mov.u{64 if wide else 32}", f"%{node.name.name}", result=result)
    return Value(LLONG if wide else INT, result)


_SPECIAL: dict[str, Callable[[Lowering, Any], Value]] = {
    "__syncthreads": _barrier,
    "__syncthreads_count": _counting_barrier("popc"),
    "__syncthreads_and": _counting_barrier("and"),
    "__syncthreads_or": _counting_barrier("or"),
    "__syncwarp": _warp_barrier,
    "__ballot_sync": _vote("ballot", True),
    "__any_sync": _vote("any", True),
    "__all_sync": _vote("all", True),
    "__ballot": _vote("ballot", False),
    "__any": _vote("any", False),
    "__all": _vote("all", False),
    "__activemask": _active_mask,
    "__ldg": _read_only,
    "printf": _print,
    "assert": _assert,
    "clock": _clock,
    "clock64": _clock,
}


# --- atomics --------------------------------------------------------------------------------------

_OPERATIONS = {
    **{"atomicAdd": "add", "atomicSub": "add", "atomicMin": "min", "atomicMax": "max"},
    **{"atomicAnd": "and", "atomicOr": "or", "atomicXor": "xor", "atomicExch": "exch"},
    **{"atomicInc": "inc", "atomicDec": "dec", "atomicCAS": "cas"},
}


def _atomic(x: Lowering, name: str, node: Any) -> Value | None:
    """An atomic function's call, relaxed as CUDA's are; None if the name is no such function."""
    base = name.removesuffix("_block").removesuffix("_system")
    operation = _OPERATIONS.get(base)
    if operation is None:
        return None
    held = values(x, node)
    count = 3 if operation == "cas" else 2
    pointer = held[0].type if held else None
    if len(held) != count or not isinstance(pointer, Pointer):
        raise x.outside(f"atomic_call of {name} with these arguments", node)
    type_ = pointer.target
    if not isinstance(type_, CType) or type_.size not in (4, 8):
        raise x.outside(f"{name} on this type", node)
    b = x.builder
    operands = [in_register(b, convert(b, v, type_)) for v in held[1:]]
    if base == "atomicSub":
        operands = [b.emit(f"neg.s{8 * type_.size}", register_class(type_), *operands)]
    kind = _atomic_type(operation, type_)
    space = held[0].space
    where = f".{space}" if space in ("global", "shared") else ""
    result = b.register(register_class(type_))
    b.put(f"atom{where}.{operation}.{kind}", operand(held[0]), *operands, result=result)
    return Value(type_, result)


def _atomic_type(operation: str, type_: CType) -> str:
    """The instruction type (PTX ISA, atom): adds and subtractions of integers are unsigned."""
    if operation in ("and", "or", "xor", "exch", "cas"):
        return f"b{8 * type_.size}"
    name = suffix(type_)
    return name.replace("s", "u") if operation in ("add", "inc", "dec") and name[0] == "s" else name
