"""How a row of the instruction table is written and what it means.

A row is one line of the PTX manual's syntax box, such as `fma{.rnd}{.ftz}{.sat}.type d, a, b, c`.
Braces mark what may be missing. The roles of the operands follow from their names, as the manual
uses them:

- `d`, `p`, `q` (also `d1`, `d2`) are written, `d|p` are two results in one operand;
- `[a]` is an address: its registers are read, whatever the instruction does to the memory;
- `target` is a label or a function;
- everything else is read. An operand that is both read and written is named in `updates`.

What an instruction does to memory is said by `loads`, `stores` and `atomic`: the name of the
address operand, with the state space after a colon where the opcode has more than one.
"""

from __future__ import annotations

import re
from typing import Literal

from perflint.base.records import dataclass
from perflint.grammar.words import Words, words_of

AccessKind = Literal["load", "store", "atomic"]
Control = Literal["branch", "indirect-branch", "call", "return", "exit", "trap", "barrier"]

#: What an instruction occupies. The rows of the CUDA C++ programming guide's table of arithmetic
#: throughput, and the memory and synchronisation instructions beside them. `arithmetic` stands
#: for `integer`, `half`, `single` or `double`, whichever the instruction's types say.
Cost = Literal[
    "arithmetic",
    "integer",
    "half",
    "single",
    "double",
    "division",
    "special",
    "conversion",
    "compare",
    "logic",
    "move",
    "shuffle",
    "vote",
    "load",
    "store",
    "atomic",
    "copy",
    "texture",
    "surface",
    "matrix",
    "video",
    "control",
    "barrier",
    "fence",
    "other",
]

_WRITTEN = re.compile(r"[dpq]\d*\Z")
_NAME = re.compile(r"[A-Za-z_][\w-]*")


@dataclass(frozen=True, slots=True)
class Role:
    """One operand of a row."""

    name: str  #: as in the notation; of `d|p` the first
    written: bool
    read: bool
    address: bool
    optional: bool


@dataclass(frozen=True, slots=True)
class RowAccess:
    """A memory access of a row: which address operand, and the space if the row fixes it."""

    kind: AccessKind
    operand: str
    space: str | None


@dataclass(frozen=True, slots=True)
class Row:
    """One instruction of the PTX ISA."""

    name: str  #: what its opcode begins with: `add`, `mbarrier.try_wait`
    notation: str  #: the manual's syntax
    section: str  #: of the PTX ISA manual 9.0 to 9.2; several, where floats have their own
    cost: Cost
    operands: tuple[Role, ...]
    accesses: tuple[RowAccess, ...]
    bytes: str | int | None  #: per lane: an operand's name, a number, or (None) type × vector
    control: Control | None
    words: Words  #: the modifiers it takes

    @property
    def required(self) -> int:
        """How many operands it has at least."""
        return sum(not role.optional for role in self.operands)


def row(
    name: str,
    notation: str,
    section: str,
    *,
    cost: Cost,
    loads: str | None = None,
    stores: str | None = None,
    atomic: str | None = None,
    updates: tuple[str, ...] = (),
    bytes: str | int | None = None,
    control: Control | None = None,
) -> Row:
    """A row of the table; see the module's docstring for the notation.

    `bytes` overrides what a lane moves: a number, the name of the operand that holds it, or 0
    where the instruction moves a tile of the warp's and no lane has a share of its own.
    """
    named: tuple[tuple[AccessKind, str | None], ...] = (
        ("load", loads),
        ("store", stores),
        ("atomic", atomic),
    )
    accesses = []
    for kind, where in named:
        if where is not None:
            operand, _, space = where.partition(":")
            accesses.append(RowAccess(kind, operand, space or None))
    operands = _operands(notation.partition(" ")[2], updates)
    words = words_of(name, notation)
    return Row(name, notation, section, cost, operands, tuple(accesses), bytes, control, words)


def _operands(text: str, updates: tuple[str, ...]) -> tuple[Role, ...]:
    """The roles in `d{|p}, [a]{, cache-policy}`."""
    roles = []
    for part, optional in _split(text):
        address = "[" in part
        found = _NAME.search(part)
        if found is None:
            raise ValueError(f"no operand name in {part!r} of {text!r}")
        name = found.group()
        written = not address and _WRITTEN.match(name) is not None
        roles.append(Role(name, written, not written or name in updates, address, optional))
    return tuple(roles)


def _split(text: str) -> list[tuple[str, bool]]:
    """Cut at the commas outside brackets; says of each part whether it stands in braces."""
    parts: list[tuple[str, bool]] = []
    current, braces, brackets, optional = "", 0, 0, False
    for char in text:
        if char == "," and not brackets:
            if current.strip("{}! "):
                parts.append((current, optional))
            current, optional = "", braces > 0
            continue
        braces += (char == "{") - (char == "}")
        brackets += (char == "[") - (char == "]")
        if not current.strip("{}! "):
            optional = braces > 0
        current += char
    if current.strip("{}! "):
        parts.append((current, optional))
    return parts
