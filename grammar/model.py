"""The PTX model: what a parsed module is made of. Plain frozen data, no behaviour beyond look-ups.

Names follow the PTX ISA manual. Scopes (`{ … }`) are flattened by the parser: registers, variables
and labels of an inner scope are renamed where they would collide, so that within a function a name
means one thing.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from dataclasses import field
from functools import cached_property
from typing import Any, Literal

from perflint.base.records import dataclass

#: Bytes of a fundamental type (PTX ISA 5.2.1); a predicate occupies one byte in our memory images.
TYPE_SIZE: Mapping[str, int] = {
    **{f"{kind}{bits}": bits // 8 for kind in "bus" for bits in (8, 16, 32, 64)},
    "b128": 16,
    "f16": 2, "bf16": 2, "f32": 4, "tf32": 4, "f64": 8,
    "f16x2": 4, "bf16x2": 4, "u16x2": 4, "s16x2": 4,
    "e4m3": 1, "e5m2": 1, "e4m3x2": 2, "e5m2x2": 2,
    "pred": 1,
    "texref": 8, "samplerref": 8, "surfref": 8,
}  # fmt: skip

STATE_SPACES = ("reg", "sreg", "const", "global", "local", "param", "shared", "tex")


@dataclass(frozen=True, slots=True)
class Location:
    """A source position of a `.loc` directive; `inlined_at` is the call it was inlined at."""

    file: str  #: the path as the `.file` directive has it
    line: int
    column: int
    function: str | None = None  #: the inlined function's (linkage) name, when the chain has one
    inlined_at: Location | None = None

    def chain(self) -> tuple[Location, ...]:
        """This location and the calls it was inlined at, innermost first."""
        out: list[Location] = []
        at: Location | None = self
        while at is not None and len(out) < 64:
            out.append(at)
            at = at.inlined_at
        return tuple(out)


# --- operands -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Register:
    """A declared register, by its name with the `%` (`%rd4`)."""

    name: str


@dataclass(frozen=True, slots=True)
class SpecialRegister:
    """A predefined register: `%tid.x`, `%laneid`, `%clock64`, `WARP_SZ`."""

    name: str


@dataclass(frozen=True, slots=True)
class Immediate:
    """A constant. Floats are kept as their bits, so that equal means identical."""

    bits: int  #: the integer's value, or the IEEE bits of a float
    kind: Literal["int", "f32", "f64"] = "int"

    @property
    def value(self) -> int | float:
        if self.kind == "f32":
            return float(struct.unpack("<f", struct.pack("<I", self.bits))[0])
        if self.kind == "f64":
            return float(struct.unpack("<d", struct.pack("<Q", self.bits))[0])
        return self.bits


@dataclass(frozen=True, slots=True)
class Symbol:
    """A variable, label or function by name, with a constant byte offset (`table+8`).

    In an initialiser `mask` picks one byte of the address: `0xff00(table)`.
    """

    name: str
    offset: int = 0
    mask: int | None = None


@dataclass(frozen=True, slots=True)
class Element:
    """One element of a vector register or one part of a word: `%v.x`, `%r1.b0`, `%r1.h1`."""

    register: Register
    selector: str


@dataclass(frozen=True, slots=True)
class Vector:
    """`{a, b, c, d}`; `_` elements are `Sink`."""

    elements: tuple[Operand, ...]


@dataclass(frozen=True, slots=True)
class Sink:
    """`_`: a result nobody wants."""


@dataclass(frozen=True, slots=True)
class Pair:
    """`%r|%p`: two results of one instruction; the first of `tex` is a vector."""

    first: Register | Sink | Vector
    second: Register | Sink


@dataclass(frozen=True, slots=True)
class Not:
    """`!%p`: a negated predicate operand; of `vmad`, `-%r`: a negated factor or summand."""

    register: Register


@dataclass(frozen=True, slots=True)
class Address:
    """`[base + offset]`; of a texture also coordinates: `[tex, {x, y}]`, `[tex, smp, {x, y}]`."""

    base: Register | Symbol | Immediate
    offset: int = 0
    index: tuple[Operand, ...] = ()


Operand = (
    Register | SpecialRegister | Immediate | Symbol | Element | Vector | Sink | Pair | Not | Address
)


@dataclass(frozen=True, slots=True)
class Guard:
    """`@%p` or `@!%p` before an instruction."""

    register: Register
    negated: bool = False


# --- instructions and declarations ----------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Call:
    """The operands of `call`: `call (results), target, (arguments), prototype;`."""

    results: tuple[Operand, ...]
    target: Operand  #: a Symbol (direct) or a Register (indirect)
    arguments: tuple[Operand, ...]
    prototype: str | None = None  #: label of a .callprototype or .calltargets


@dataclass(frozen=True, slots=True)
class Instruction:
    """One instruction. `index` is its position in the function's body (the "pc" of a trace)."""

    opcode: str  #: `ld`
    modifiers: tuple[str, ...]  #: `("global", "nc", "v4", "f32")`; `shared::cta` keeps its colons
    operands: tuple[Operand, ...]  #: in written order; of a `call` see `call`
    index: int
    line: int  #: in the PTX text, 1-based
    guard: Guard | None = None
    location: Location | None = None  #: what the `.loc` in force says
    call: Call | None = None
    #: what `grammar.table` found out about it, by what was asked
    known: dict[str, Any] = field(default_factory=dict, init=False, repr=False, compare=False)

    @property
    def name(self) -> str:
        """The full mnemonic: `ld.global.nc.v4.f32`."""
        return ".".join((self.opcode, *self.modifiers))


@dataclass(frozen=True, slots=True)
class Variable:
    """A declared variable, parameter or return value."""

    name: str
    space: str  #: one of STATE_SPACES
    type: str  #: element type, `b8`; of a vector its element's type
    align: int  #: bytes; the type's own where none is written
    dimensions: tuple[int, ...] = ()  #: `[16][4]`; a missing extent (`[]`) is 0
    vector: int = 1  #: 2 or 4 for .v2 and .v4
    initialiser: tuple[Immediate | Symbol, ...] | None = None  #: flat, as far as written
    linkage: Literal["", "extern", "visible", "weak", "common"] = ""
    pointer: bool = False  #: `.ptr` attribute of a kernel parameter
    pointer_space: str | None = None  #: `.ptr .global`
    pointer_align: int | None = None  #: `.ptr … .align 16`

    @property
    def size(self) -> int:
        """Bytes; 0 for an unsized array (`extern __shared__ float s[]`)."""
        size = TYPE_SIZE[self.type] * self.vector
        for extent in self.dimensions:
            size *= extent
        return size


@dataclass(frozen=True, eq=False)
class Function:
    """An `.entry` (kernel) or a `.func`. A declaration without a body has no instructions."""

    name: str  #: mangled, as in the PTX
    kind: Literal["entry", "func"]
    parameters: tuple[Variable, ...]
    results: tuple[Variable, ...]
    instructions: tuple[Instruction, ...]
    labels: Mapping[str, int]  #: label → index of the instruction it precedes (may be the end)
    registers: Mapping[str, str]  #: register → type (`pred`, `b32`, `v4.f32`); of `%r<9>` the used
    variables: tuple[Variable, ...]  #: .local, .shared, .param … declared in the body
    branch_targets: Mapping[str, tuple[str, ...]]  #: .branchtargets / .calltargets label → names
    directives: Mapping[str, tuple[int, ...]]  #: maxntid, reqntid, minnctapersm, maxnreg, …
    pragmas: tuple[str, ...] = ()
    linkage: str = ""
    declaration: bool = False
    line: int = 0  #: in the PTX text

    @cached_property
    def parameter_index(self) -> Mapping[str, int]:
        return {p.name: i for i, p in enumerate(self.parameters)}


@dataclass(frozen=True, eq=False)
class Module:
    """One PTX file."""

    version: tuple[int, int]
    target: tuple[str, ...]
    address_size: int
    files: Mapping[int, str]
    variables: Mapping[str, Variable]  #: module scope
    functions: Mapping[str, Function]  #: kernels and functions, in written order
    pragmas: tuple[str, ...] = field(default=())

    @property
    def kernels(self) -> tuple[Function, ...]:
        return tuple(f for f in self.functions.values() if f.kind == "entry" and not f.declaration)
