"""Mathematical functions: those that are instructions, and those written in C in `library.c`."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from perflint.frontend.csubset.conversions import convert, in_register
from perflint.frontend.csubset.functions import chosen, inline
from perflint.frontend.csubset.lower_expressions import values
from perflint.frontend.csubset.lowering import Lowering
from perflint.frontend.csubset.stream import read_stream
from perflint.frontend.csubset.types import (
    DOUBLE,
    FLOAT,
    INT,
    LLONG,
    common,
    is_float,
    is_integer,
)
from perflint.frontend.csubset.values import Value, number, register_class, suffix
from perflint.frontend.source.c_types import CType
from perflint.frontend.source.tokens import Token

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


def call(x: Lowering, name: str, node: Any) -> Value | None:
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
