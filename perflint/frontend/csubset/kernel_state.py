"""The state of lowering one kernel: scopes, labels, pointer spaces, places in the source."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import field
from typing import Any

from perflint.base.records import dataclass
from perflint.frontend.csubset.c_parser import Definition, first_token, token_of
from perflint.frontend.csubset.emission import Builder
from perflint.frontend.csubset.stream import OutsideError
from perflint.frontend.csubset.types import Array, Pointer, Struct, Type, alignment_of, leaves
from perflint.frontend.csubset.unit import Unit
from perflint.frontend.csubset.values import Place, Value, Variable, register_class
from perflint.frontend.source.language.tokens import Token

#: Device functions inside device functions; recursion ends here.
INLINE_DEPTH = 64
#: Calls that are inlined into one kernel.
INLINE_LIMIT = 10_000
#: Instructions that one kernel may come to.
LINE_LIMIT = 60_000


@dataclass
class Memory:
    """A variable of the kernel that lives in memory."""

    symbol: str
    space: str
    type: Type
    extern: bool = False


@dataclass
class Function:
    """A function being lowered: the kernel, or one inlined into it."""

    definition: Definition
    key: tuple[object, ...]  #: which call of it this is
    result: Place | None = None
    end: str = ""  #: the label behind it
    addressed: frozenset[str] = frozenset()  #: names whose address is taken
    scopes: list[dict[str, Variable]] = field(default_factory=lambda: [{}])
    breaks: list[str] = field(default_factory=list)
    continues: list[str] = field(default_factory=list)
    labels: dict[str, str] = field(default_factory=dict)  #: the source's own


@dataclass
class Lowering:
    """Everything that lowering one kernel needs and makes."""

    unit: Unit
    library: Unit  #: mathematical functions, in C
    kernel: str  #: the entry's name
    builder: Builder = field(default_factory=Builder)
    functions: list[Function] = field(default_factory=list)
    #: Where each pointer variable points; kept from one attempt to the next.
    spaces: dict[tuple[object, ...], str] = field(default_factory=dict)
    unstable: bool = False  #: a pointer variable turned out to point elsewhere: lower again
    memory: dict[str, Memory] = field(default_factory=dict)
    globals: dict[str, Variable] = field(default_factory=dict)  #: used ones
    inlined: int = 0  #: calls so far
    volatile: bool = False  #: some code of it says `volatile`
    frozen: bool = False  #: inside the library: places stay the call's

    @property
    def function(self) -> Function:
        return self.functions[-1]

    # --- places in the source ----------------------------------------------------------------

    def token(self, node: Any) -> Token | None:
        """The token at which a tree begins."""
        return token_of(self.function.definition.tokens, node)

    def at(self, node: Any) -> None:
        """What follows comes from this statement."""
        token = first_token(self.function.definition.tokens, node)
        if token is not None and not self.frozen:
            self.builder.place = token
        if len(self.builder.lines) > LINE_LIMIT:
            raise OutsideError("code that grows too large", token)

    def outside(self, construct: str, node: Any = None) -> OutsideError:
        """The error for a construct that the subset lacks, at its place."""
        return OutsideError(construct, self.token(node) or self.builder.place)

    # --- names -------------------------------------------------------------------------------

    @contextmanager
    def scope(self) -> Iterator[None]:
        """A block's own names."""
        self.function.scopes.append({})
        try:
            yield
        finally:
            self.function.scopes.pop()

    def local(self, name: str) -> Variable | None:
        """A variable of the present function."""
        for scope in reversed(self.function.scopes):
            if name in scope:
                return scope[name]
        return None

    def declare(self, variable: Variable) -> Variable:
        """A name of the innermost block."""
        self.function.scopes[-1][variable.name] = variable
        return variable

    def in_registers(self, name: str, type: Type, node: Any = None) -> Variable:
        """A new variable in registers, one for each scalar in it."""
        registers = tuple(self.builder.register(register_class(t)) for _, t in leaves(type))
        variable = Variable(
            name, type, Place(type, registers), (*self.function.key, name, _at(node))
        )
        variable.place = Place(type, registers, None, variable)
        return variable

    def in_memory(self, name: str, type: Type, space: str, extern: bool = False) -> Variable:
        """A new variable in shared or local memory."""
        # Dynamic shared memory is one piece, whatever kernel it is named in.
        symbol = f"_Z{len(name)}{name}" if extern else self._symbol(name)
        self.memory[symbol] = Memory(symbol, space, type, extern)
        address = Value(Pointer(type), symbol, None, space)
        return Variable(name, type, Place(type, (), address))

    def _symbol(self, name: str) -> str:
        """A name that says which kernel's variable it is, as the compiler mangles it."""
        kernel, count = self.kernel, 0
        symbol = f"_ZZ{len(kernel)}{kernel}E{len(name)}{name}"
        while symbol in self.memory:
            count += 1
            symbol = f"_ZZ{len(kernel)}{kernel}E{len(name)}{name}_{count - 1}"
        return symbol

    # --- pointer spaces ----------------------------------------------------------------------

    def space_of(self, variable: Variable, leaf: int = 0) -> str:
        """Where a pointer variable points, as far as it is known now."""
        return self.spaces.setdefault((*variable.key, leaf), "global")

    def joined_space(self, variable: Variable, space: str, leaf: int = 0) -> str:
        """The space a pointer variable has once it may also point into `space`."""
        if space == "null":
            return self.spaces.get((*variable.key, leaf), "null")
        key = (*variable.key, leaf)
        known = self.spaces.setdefault(key, space)
        if known not in (space, "generic"):
            self.spaces[key] = "generic"
            self.unstable = True
        return self.spaces[key]


def _at(node: Any) -> int:
    return getattr(getattr(node, "coord", None), "line", 0)


def needs_memory(type: Type) -> bool:
    """Whether a variable of the type cannot live in registers."""
    if isinstance(type, Array):
        return True
    if not isinstance(type, Struct):
        return False
    offsets = [f.offset for f in type.fields]
    overlap = len(set(offsets)) < len(offsets)
    return overlap or any(needs_memory(f.type) for f in type.fields)


def aligned_bytes(memory: Memory) -> str:
    """The declaration of a variable in memory."""
    extent = "" if memory.extern else str(max(1, memory.type.size))
    alignment = max(alignment_of(memory.type), 16 if memory.extern else 1)
    linkage = ".extern " if memory.extern else ""
    return f"{linkage}.{memory.space} .align {alignment} .b8 {memory.symbol}[{extent}];"
