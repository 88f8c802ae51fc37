"""What names mean: in the module, in a function, and in the scopes within its body (PTX ISA 5.1).

A function's scopes are flattened. What an inner scope declares under a name that the function has
already used gets a name of its own, `name#2`, which no PTX text can contain.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from perflint.grammar.constants import literal
from perflint.grammar.errors import StatementError
from perflint.grammar.model import (
    Element,
    Operand,
    Register,
    Sink,
    SpecialRegister,
    Symbol,
)
from perflint.grammar.tokens import quote

#: Elements of vectors (PTX ISA 6.4.2), and of video operands bytes, halves or several of them.
_SELECTORS = re.compile(r"[xyzw]|b[0-7]{1,4}|h[0-3]{1,2}")
_COLOURS = str.maketrans("rgba", "xyzw")
_DIMENSIONS = ("tid", "ntid", "ctaid", "nctaid", "clusterid", "nclusterid", "cluster_ctaid",
               "cluster_nctaid")  # fmt: skip
#: Predefined registers (PTX ISA, chapter 10).
_SPECIAL = frozenset(
    [f"%{name}{part}" for name in _DIMENSIONS for part in ("", ".x", ".y", ".z", ".w")]
    + [f"%lanemask_{relation}" for relation in ("eq", "le", "lt", "ge", "gt")]
    + [f"%pm{n}{part}" for n in range(8) for part in ("", "_64")]
    + [f"%envreg{n}" for n in range(32)]
    + [f"%reserved_smem_offset_{what}" for what in ("begin", "end", "cap", "0", "1")]
    + [
        f"%{name}"
        for name in (
            "laneid", "warpid", "nwarpid", "smid", "nsmid", "gridid", "is_explicit_cluster",
            "cluster_ctarank", "cluster_nctarank", "clock", "clock_hi", "clock64", "globaltimer",
            "globaltimer_lo", "globaltimer_hi", "total_smem_size", "aggr_smem_size",
            "dynamic_smem_size", "current_graph_exec",
        )
    ]
)  # fmt: skip


class Flattened:
    """The names that a function's scopes have used up, and the registers that it mentions."""

    def __init__(self) -> None:
        self.taken: set[str] = set()
        self.registers: dict[str, str] = {}
        self.ranged: list[Names] = []
        #: The first of them: mostly the body, and the only one.
        self.first_ranged: Names | None = None
        self.sizes: dict[str, int] = {}
        self._numbers: dict[str, int] = {}

    def unique(self, name: str, scope: Names | None = None) -> str:
        """The name itself, or with a number if it means something else in the function already."""
        if name not in self.taken and not self._in_range_elsewhere(name, scope):
            self.taken.add(name)
            return name
        number = self._numbers[name] = self._numbers.get(name, 1) + 1
        return f"{name}#{number}"

    def _in_range_elsewhere(self, name: str, scope: Names | None) -> bool:
        """Whether `%r5` belongs to a `%r<9>` that an earlier scope declared."""
        for owner in self.ranged:
            if owner is scope:
                return False
            if owner.in_range(name) is not None:
                return True
        return False


class Names(dict[str, Operand]):
    """Token text → operand, of one scope; filled as texts are met.

    Literals are in it too, so that an operand of one token is one look-up. A name that nobody has
    declared yet is a symbol, kept in `unknown` until the module's end; one with a `%` is an error.
    The module's scope has no parent, and nothing in it is renamed.
    """

    __slots__ = ("_declared", "_flattened", "_ranges", "_sizes", "parent", "unknown")

    def __init__(
        self,
        parent: Names | None,
        flattened: Flattened | None,
        labels: Iterable[str] = (),
    ) -> None:
        super().__init__()
        self.parent = parent
        self._flattened = flattened
        self._ranges: dict[str, tuple[int, str]] = {}
        self._declared: set[str] = set()
        self._sizes: dict[str, int] = {} if parent is None else parent._sizes
        self.unknown: list[str] = [] if parent is None else parent.unknown
        if flattened is not None:
            for label in dict.fromkeys(labels):
                self[label] = Symbol(flattened.unique(label))

    def __missing__(self, text: str) -> Operand:
        """Raises StatementError for an undeclared register and for an impossible literal."""
        # The common case first: a register of a range of this scope, first met.
        base = text.rstrip("0123456789")
        found = self._ranges.get(base)
        if found is not None and _below(text[len(base) :], found[0]):
            operand: Operand = self._register(text, found[1])
        else:
            operand = self._resolve(text)
        self[text] = operand
        return operand

    def _resolve(self, text: str) -> Operand:
        type_ = self.in_range(text) if self._ranges else None
        if type_ is not None:
            return self._register(text, type_)
        if "." in text and text[0] != "." and not text[0].isdigit():
            return self._part(text)
        if self.parent is not None:
            return self.parent[text]
        return self._predefined(text)

    def _register(self, name: str, type_: str) -> Register:
        flattened = self._flattened
        assert flattened is not None
        if flattened.first_ranged is not self or name in flattened.taken:
            name = flattened.unique(name, self)
        else:  # as nearly always: nothing but the body's own scope has ranges
            flattened.taken.add(name)
        flattened.registers[name] = type_
        return Register(name)

    def _part(self, text: str) -> Operand:
        """`%tid.x`, `%v.x`, `%r1.b0`."""
        base, _, selector = text.rpartition(".")
        if len(selector) == 1:
            selector = selector.translate(_COLOURS)
        if f"{base}.{selector}" in _SPECIAL:
            return SpecialRegister(f"{base}.{selector}")
        register = self[base]
        if not isinstance(register, Register) or not _SELECTORS.fullmatch(selector):
            raise StatementError(f"{quote(text)} is not declared", text)
        return Element(register, selector)

    def _predefined(self, text: str) -> Operand:
        if text[0].isdigit() or text[0] == ".":
            return literal(text)
        if text == "_":
            return Sink()
        if text in _SPECIAL or text == "WARP_SZ":
            return SpecialRegister(text)
        if text[0] == "%":
            raise StatementError(f"register {quote(text)} is not declared", text)
        self.unknown.append(text)
        return Symbol(text)

    def _once(self, name: str) -> None:
        if name in self._declared:
            raise StatementError(f"`{name.rstrip('<')}` is declared twice", name.rstrip("<"))
        self._declared.add(name)

    def add_register(self, name: str, type_: str) -> None:
        """`.reg .b32 name;` Raises StatementError if the scope has it already."""
        self._once(name)
        self[name] = self._register(name, type_)

    def add_range(self, prefix: str, count: int, type_: str) -> None:
        """`.reg .b32 prefix<count>;`: each register exists from its first mention on."""
        self._once(f"{prefix}<")
        assert self._flattened is not None
        if not self._ranges:
            self._flattened.ranged.append(self)
            self._flattened.first_ranged = self._flattened.ranged[0]
        self._ranges[prefix] = count, type_
        # What an outer scope calls by these names, this scope does so no longer.
        stale = [
            text for text in self if text.startswith(prefix) and self.in_range(text) is not None
        ]
        for text in stale:
            if text not in self._declared:
                del self[text]

    def in_range(self, text: str) -> str | None:
        """The type of a register of this scope's ranges: `%r7` is one of `%r<8>`."""
        cut = len(text.rstrip("0123456789"))
        if not cut or cut == len(text):  # a number; a name without one
            return None
        while cut < len(text):
            found = self._ranges.get(text[:cut])
            if found is not None and _below(text[cut:], found[0]):
                return found[1]
            cut += 1  # of `%r1<20>`, `%r15` is the sixth
        return None

    def add_variable(self, name: str, element_size: int) -> str:
        """Declare a variable and return the name it has in the function."""
        if self._flattened is None:
            self._sizes[name] = element_size
            self[name] = Symbol(name)
            return name
        self._once(name)
        unique = self._flattened.unique(name)
        self._flattened.sizes[unique] = element_size
        self[name] = Symbol(unique)
        return unique

    def element_size(self, name: str) -> int:
        """Bytes of an element of a variable. Raises StatementError if it is none that is known."""
        own = None if self._flattened is None else self._flattened.sizes.get(name)
        size = own or self._sizes.get(name)
        if size is None:
            raise StatementError(f"`{name}` is no variable declared before", name)
        return size

    def add_label(self, name: str) -> str:
        """A label of this scope, known since its beginning; returns its name in the function."""
        self._once(name)
        symbol = self[name]
        if not isinstance(symbol, Symbol):
            raise StatementError(f"label `{name}` has the name of a register", name)
        return symbol.name


def _below(number: str, count: int) -> bool:
    """`%r<8>` has no `%r07` and no `%r`. Ten digits exceed any count worth declaring."""
    if len(number) == 1 or (number[:1] > "0" and len(number) <= 10):
        return int(number) < count
    return False
