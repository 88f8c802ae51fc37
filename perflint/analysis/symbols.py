"""The atoms of symbolic expressions, and what each depends on."""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import blake2b
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from perflint.analysis.polynomial import Polynomial

# What a value depends on, as bits.
TID_X, TID_Y, TID_Z, LANE = 1, 2, 4, 8
BLOCK = 16  #: %ctaid: differs from block to block, the same in a warp
LOADED = 32  #: memory that the host or another thread filled
ATOMIC = 64  #: the result of a global atomic: the order of blocks
#: LOADED, by way of floats that differ among lanes and were made integers, or compared
ROUNDED = 128
SCALED = 256  #: a thread's index likewise, whatever else the floats were made of
TOLD = 512  #: memory that the host filled with what the program tells: the same in every run
SHIFTED = 1024  #: something shifted to the right …
MIXED = 2048  #: … and an exclusive or with it: `x ^ x >> 16`
SPREAD = 4096  #: something times a large odd number
HASHED = MIXED | SPREAD  #: both, as of a hash: neighbours' values have nothing in common
#: Dependence on any of these may make the lanes of a warp differ.
LANES = TID_X | TID_Y | TID_Z | LANE

_SPECIAL_DEPENDENCE = {
    "%tid.x": TID_X,
    "%tid.y": TID_Y,
    "%tid.z": TID_Z,
    "%laneid": LANE,
    "%ctaid.x": BLOCK,
    "%ctaid.y": BLOCK,
    "%ctaid.z": BLOCK,
    "%clusterid.x": BLOCK,
    "%cluster_ctarank": BLOCK,
    # Time is like memory that others write: no run shows the value another would have.
    "%clock": LOADED,
    "%clock_hi": LOADED,
    "%clock64": LOADED,
    "%globaltimer": LOADED,
}

#: CUDA C++ names of the special registers.
SOURCE_NAMES = {
    f"%{ptx}.{d}": f"{cuda}.{d}"
    for ptx, cuda in (
        ("tid", "threadIdx"), ("ctaid", "blockIdx"), ("ntid", "blockDim"), ("nctaid", "gridDim"),
    )
    for d in "xyz"
}  # fmt: skip


#: Longer texts of operations are replaced by a digest: equal operations still have equal texts.
_LONGEST_TEXT = 200


def operation_text(name: str, arguments: Iterable[str]) -> str:
    """The text of an operation, or a digest of it: it would double along a chain of them."""
    text = f"{name}({'; '.join(arguments)})"
    if len(text) <= _LONGEST_TEXT:
        return text
    return f"{name}({blake2b(text.encode(), digest_size=12).hexdigest()})"


class Symbol:
    """An atom of a polynomial. Symbols are equal if their canonical texts are."""

    __slots__ = ("depends", "text")

    text: str
    depends: int  #: what it depends on: TID_X, …

    def __init__(self, text: str, depends: int = 0) -> None:
        self.text = text
        self.depends = depends

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Symbol) and self.text == other.text

    def __hash__(self) -> int:
        return hash(self.text)

    def __repr__(self) -> str:
        return self.text


class Special(Symbol):
    """A special register: `%tid.x`, `%ntid.y`, `%laneid`."""

    __slots__ = ("limit",)

    def __init__(self, name: str, limit: int | None = None) -> None:
        """`limit`: it is no less than 0, and no more than this."""
        self.limit = limit
        lane_mask = LANE if name.startswith("%lanemask") else 0
        super().__init__(name, _SPECIAL_DEPENDENCE.get(name, lane_mask))


class Parameter(Symbol):
    """A kernel parameter's value, or that of a field of a struct passed by value."""

    __slots__ = ("index", "offset", "type")

    def __init__(self, index: int, offset: int = 0, type: str = "u64") -> None:
        super().__init__(f"param({index}, {offset})")
        self.index, self.offset, self.type = index, offset, type


class Base(Symbol):
    """The address of a variable."""

    __slots__ = ("name", "space")

    def __init__(self, space: str, name: str) -> None:
        super().__init__(f"&{name}")
        self.space, self.name = space, name


class Loop(Symbol):
    """How often a loop's back edge was taken: 0, 1, 2, … inside; after the loop, its last value."""

    __slots__ = ("depth", "header")

    def __init__(self, header: int, depth: int) -> None:
        super().__init__(f"loop({header}, {depth})")
        #: `header` is the index of the header's first instruction.
        self.header, self.depth = header, depth


class Opaque(Symbol):
    """A value that no formula is known of."""

    __slots__ = ("array", "chosen", "kind", "limit", "pc", "register", "wide")

    def __init__(
        self,
        kind: str,
        pc: int,
        register: str,
        depends: int,
        array: str | None = None,
        chosen: bool = False,
        wide: bool = False,
        limit: int | None = None,
    ) -> None:
        """`kind`: `loaded`, `merge` (of several definitions), `sum` (of varying steps),
        `recurrence`, `result` or `undefined`.

        `pc` is where it is defined; `array` names what a loaded value was read from, if known.
        `chosen`: every value it may have is the same in all threads; which it is may differ.
        `wide`: it has 64 bits, of which the upper ones may matter. `limit`: it is no less than 0,
        and no more than this.
        """
        super().__init__(f"{kind}({pc}, {register})", depends)
        self.kind, self.pc, self.register, self.array = kind, pc, register, array
        self.chosen, self.wide, self.limit = chosen, wide, limit

    @property
    def is_loaded(self) -> bool:
        """Whether it was read from memory."""
        return self.kind == "loaded"


class Op(Symbol):
    """An operation over polynomials that is none itself: `and.b32`, `rem.s32`, `selp`."""

    __slots__ = ("arguments", "name", "size")

    def __init__(self, name: str, arguments: tuple[Polynomial, ...]) -> None:
        depends = 0
        for each in arguments:
            depends |= each.depends
        text = operation_text(name, (a.text for a in arguments))
        super().__init__(text, depends)
        self.name, self.arguments = name, arguments
        #: Symbols in it, those of shared parts counted as often as they occur.
        self.size: int = 1 + sum(a.size for a in arguments)
