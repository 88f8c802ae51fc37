"""Loads whose value is known: what was just loaded from or stored to the same address.

A compiler removes them, and a count of loads that do not happen would be false. Value numbering
over extended basic blocks (Cooper and Torczon, Engineering a Compiler, 8.4 and 8.5): what is known
is forgotten where control may come from elsewhere.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import field, replace

from perflint.base.patterns import pattern
from perflint.base.records import dataclass
from perflint.frontend.csubset.emission import Builder, Line, class_of, copy_opcode

#: Known values at one time; a store looks at all of them.
_MOST = 300
_ADDRESS = pattern(r"\[([%$\w]+)(?:\+(-?\d+))?\]")
_MEMORY = pattern(r"(ld|st)(?:\.(global|shared|local|const))?\.([usbf]\d+)")
_SYMBOL = pattern(r"_ZZ\w+")
#: What may write any memory, or lets other threads do so.
_CLOBBERS = ("st", "bar", "membar", "atom", "vote", "shfl", "call")


@dataclass(frozen=True)
class Key:
    """What a memory access touches: where, and as what."""

    space: str
    base: int  #: the number of the address's value
    symbols: frozenset[str]  #: the variables in memory that the address is computed from
    offset: int
    type: str  #: `u32`, `f64`, `s8`; integers that fill a register unsigned

    @property
    def size(self) -> int:
        return int(self.type[1:]) // 8


def without_redundant_loads(builder: Builder, lines: Sequence[Line]) -> list[Line]:
    """The same lines with loads of known values made moves."""
    numbers = _Numbers(builder.variables)
    known: dict[Key, tuple[str, int]] = {}  # the register that holds a value, and its number
    out: list[Line] = []
    for line in lines:
        key = _key(line, numbers)
        register, number = known.get(key, ("", 0)) if key is not None else ("", 0)
        if line.opcode.startswith("ld") and register and numbers.of(register) == number:
            target = line.results[0]
            opcode = copy_opcode(class_of(target))
            line, key = replace(line, opcode=opcode, operands=(target, register), keep=False), None
        out.append(line)
        numbers.write(line)
        if not line.opcode:
            known.clear()
        elif line.opcode.startswith(_CLOBBERS):
            known = {k: v for k, v in known.items() if not _may_write(line, key, k)}
        # A narrow store cuts its value; the register does not hold what a load would give.
        if key is not None and (line.results or key.size >= 4) and len(known) < _MOST:
            register = line.results[0] if line.results else line.operands[1]
            known[key] = register, numbers.of(register)
    return out


@dataclass
class _Numbers:
    """Equal numbers for what is surely equal."""

    variables: Collection[str]  #: registers that are written more than once
    temporaries: dict[str, int] = field(default_factory=dict)
    assigned: dict[str, int] = field(default_factory=dict)  #: of variables, since the last label
    expressions: dict[tuple[object, ...], int] = field(default_factory=dict)
    symbols: dict[int, frozenset[str]] = field(default_factory=dict)
    count: int = 0

    def of(self, operand: str) -> int:
        """The number of an operand's value."""
        if operand in self.variables and operand not in self.assigned:
            self.assigned[operand] = self._new()
        known = self.assigned.get(operand) or self.temporaries.get(operand)
        return known or self._number(("operand", operand), frozenset(_SYMBOL.findall(operand)))

    def write(self, line: Line) -> None:
        """What a line does to registers. A label may be reached with other values in variables."""
        if not line.opcode:
            self.assigned.clear()
        pure = not line.keep and len(line.results) == 1
        if pure and line.opcode.startswith("mov") and "%" in line.operands[1]:
            number = self.of(line.operands[1])
        elif pure and (line.opcode.startswith("ld.param") or not line.opcode.startswith("ld")):
            operands = tuple(map(self.of, line.operands[1:]))
            symbols = frozenset().union(*(self.symbols.get(n, frozenset()) for n in operands))
            number = self._number((line.opcode, *operands), symbols)
        else:
            number = self._new()
        for register in line.results:
            table = self.assigned if register in self.variables else self.temporaries
            table[register] = number if pure else self._new()

    def _new(self) -> int:
        self.count += 1
        return self.count

    def _number(self, expression: tuple[object, ...], symbols: frozenset[str]) -> int:
        if expression not in self.expressions:
            self.expressions[expression] = self._new()
            self.symbols[self.count] = symbols
        return self.expressions[expression]


def _key(line: Line, numbers: _Numbers) -> Key | None:
    """What a scalar load or store touches."""
    match = _MEMORY.fullmatch(line.opcode)
    if match is None or line.guard:
        return None
    address = _ADDRESS.fullmatch(line.operands[1 if match[1] == "ld" else 0])
    if address is None:
        return None
    base = numbers.of(address[1])
    kind = match[3]
    if kind[1:] in ("32", "64"):  # a narrower one is extended by its sign
        kind = re.sub("[sb]", "u", kind)
    symbols = numbers.symbols.get(base, frozenset())
    return Key(match[2] or "generic", base, symbols, int(address[2] or 0), kind)


def _may_write(line: Line, store: Key | None, other: Key) -> bool:
    """Whether a line may change what is known; `store` is what it stores to, if that is plain."""
    if store is None or other.space == "const":
        return other.space != "const"
    if store.space != other.space:
        return "generic" in (store.space, other.space)
    if store.base == other.base:
        apart = store.offset + store.size <= other.offset
        return not (apart or other.offset + other.size <= store.offset)
    # Different variables in memory are apart.
    return not (len(store.symbols) == len(other.symbols) == 1 and store.symbols != other.symbols)
