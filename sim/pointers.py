"""Which allocations a kernel's accesses may lead to, by the pointers that addresses are made of.

Registers are followed by name, whatever the order of the instructions that write them. Different
pointer parameters are different allocations in a simulated launch.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping

from perflint.grammar import table
from perflint.grammar.model import Address, Function, Instruction, Operand, Register, Symbol, Vector

#: Names of allocations and windows, or one of the words below.
Places = frozenset[str]
ANYWHERE = "*"  #: any memory
GLOBAL = "*global"  #: any global memory
SHARED, LOCAL, BODY = "shared", "local", "body"
#: Tensor memory's contents, and which of its columns are allocated: no pointer leads there.
TENSOR, TENSOR_COLUMNS = "tensor", "tensor columns"
_APART = frozenset((TENSOR, TENSOR_COLUMNS))
_WINDOWS = frozenset((SHARED, LOCAL, BODY)) | _APART
#: A number that these make is an index or a distance, no pointer.
_SCALES = frozenset(("mul", "mul24", "shl", "shr", "div", "rem"))


def meet(some: Places, others: Places) -> bool:
    """Whether the two may share a byte."""
    if not some or not others:
        return False
    if not some.isdisjoint(others):
        return True
    if ANYWHERE in some or ANYWHERE in others:
        return bool(some - _APART) and bool(others - _APART)
    return (GLOBAL in some and bool(others - _WINDOWS)) or (
        GLOBAL in others and bool(some - _WINDOWS)
    )


class Pointers:
    """Where the registers of a kernel may point."""

    def __init__(self, kernel: Function, spaces: Mapping[str, str]) -> None:
        """`spaces` are those of the variables that the kernel may name."""
        self._spaces = spaces
        self._parameters = frozenset(v.name for v in kernel.parameters)
        self._of: dict[str, Places] = {}
        flows = [f for each in kernel.instructions if (f := self._flow(each))]
        readers: dict[str, list[int]] = {}
        for number, (read, _, _) in enumerate(flows):
            for name in read:
                readers.setdefault(name, []).append(number)
        pending = deque(range(len(flows)))
        while pending:
            read, own, written = flows[pending.popleft()]
            found = own.union(*(self._of.get(name, ()) for name in read))
            for name in written:
                known = self._of.get(name, frozenset())
                if not found <= known:
                    self._of[name] = known | found
                    pending.extend(readers.get(name, ()))

    def places(self, space: str, address: Address) -> Places:
        """Where an access through an address in a space leads."""
        if space in (SHARED, LOCAL):
            return frozenset((space,))
        base = address.base
        if isinstance(base, Symbol):
            return self._symbol(base.name)
        found = self._of.get(base.name, frozenset()) if isinstance(base, Register) else frozenset()
        if space == "const":
            return found or frozenset(("constants",))
        if not found or ANYWHERE in found:
            return frozenset((ANYWHERE if space == "generic" else GLOBAL,))
        return found

    def _symbol(self, name: str) -> Places:
        if name in self._parameters:
            return frozenset(("parameters",))
        space = self._spaces.get(name, "")
        return frozenset(({"param": BODY}.get(space, space) if space in (SHARED, LOCAL, "param")
                          else f"variable {name}",))  # fmt: skip

    def _flow(self, i: Instruction) -> tuple[tuple[str, ...], Places, tuple[str, ...]] | None:
        """The registers that a result may point by, what it points to by itself, the result."""
        written = table.writes(i)
        if not written:
            return None
        if i.call is not None:
            return (), frozenset((ANYWHERE,)), written
        accesses = table.accesses(i)
        if i.opcode == "ld" and "param" in i.modifiers:
            return (), self._argument(i), written
        if accesses:
            wide = any(m in i.modifiers for m in ("b64", "u64", "s64", "b128"))
            return (), frozenset((ANYWHERE,)) if wide else frozenset(), written
        if i.opcode in _SCALES:
            return None
        operands = i.operands[3:4] if i.opcode in ("mad", "mad24") else i.operands[1:]
        names: list[str] = []
        own: set[str] = set()
        for operand in _leaves(operands):
            if isinstance(operand, Register):
                names.append(operand.name)
            elif isinstance(operand, Symbol):
                own |= self._symbol(operand.name)
        if i.opcode == "cvta":
            own.update(m for m in i.modifiers if m in (SHARED, LOCAL))
        return (tuple(names), frozenset(own), written) if names or own else None

    def _argument(self, i: Instruction) -> Places:
        address = i.operands[1]
        wide = any(m in i.modifiers for m in ("b64", "u64", "s64"))
        if not wide or not isinstance(address, Address):
            return frozenset()
        if not isinstance(address.base, Symbol) or address.base.name not in self._parameters:
            return frozenset((ANYWHERE,))
        return frozenset((f"{address.base.name}+{address.base.offset + address.offset}",))


def _leaves(operands: Iterable[Operand]) -> Iterable[Operand]:
    for operand in operands:
        if isinstance(operand, Vector):
            yield from operand.elements
        else:
            yield operand
