"""What flows through the memory that a kernel fills itself, variable by variable."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache

from perflint.analysis.provenance import UNKNOWN, Bases, Scope, address_bases
from perflint.analysis.ssa import StaticSingleAssignment
from perflint.analysis.symbols import ATOMIC, BLOCK, LANES, LOADED, TOLD, Base, Parameter
from perflint.grammar import table
from perflint.grammar.model import Address, Instruction, Module, Symbol, Variable

#: Of what a lane stores in shared memory, what whoever loads it depends on.
_SHARED_BY_ALL = LOADED | ATOMIC | BLOCK


class StoredMemory:
    """A node for each variable that the kernel itself fills, between its stores and its loads."""

    def __init__(
        self,
        scope: Scope,
        ssa: StaticSingleAssignment,
        bases: Sequence[Bases],
        pointers: frozenset[Parameter],
        told: frozenset[int],
        inputs: list[list[int]],
        added: list[int],
        kept: list[int],
    ) -> None:
        self.scope, self.ssa, self.bases, self.pointers = scope, ssa, bases, pointers
        self.told = told  #: pointer parameters behind which is what the program tells
        self.inputs, self.added, self.kept = inputs, added, kept
        self.nodes: dict[str, int] = {}
        self.stores: dict[str, list[int]] = {}
        self.loads: list[tuple[int, str]] = []

    def _where(self, pc: int, access: table.MemoryAccess) -> tuple[str, str]:
        """State space and variable of an access; the variable is "?" if several are possible."""
        found = address_bases(self.scope, self.ssa, self.bases, self.pointers, pc, access.address)
        only = next(iter(found)) if len(found) == 1 else None
        if isinstance(only, Base) and only != UNKNOWN:
            return (only.space if access.space == "generic" else access.space), only.name
        return access.space, "?"

    def _is_told(self, pc: int, access: table.MemoryAccess) -> bool:
        """Whether an access can only be to arrays whose numbers the program tells."""
        if not self.told:
            return False
        found = address_bases(self.scope, self.ssa, self.bases, self.pointers, pc, access.address)
        return bool(found) and all(
            isinstance(base, Parameter) and base.index in self.told and not base.offset
            for base in found
        )

    def loaded(
        self, instruction: Instruction, accesses: Iterable[table.MemoryAccess], node: int
    ) -> None:
        """Says what a load's or an atomic's result depends on."""
        for access in accesses:
            space, name = self._where(instruction.index, access)
            if access.kind == "atomic":
                self.added[node] |= LOADED | LANES
                if space != "shared" and not self._retries(instruction):
                    self.added[node] |= ATOMIC
            elif access.kind == "load" and space in ("shared", "local", "param"):
                self.loads.append((node, f"{space}:{name}"))
            elif access.kind == "load" and self._is_told(instruction.index, access):
                self.added[node] |= TOLD
            elif access.kind == "load":
                variable = self.scope.variables.get(name)
                if not _initialised(variable) or (
                    space != "const" and name not in only_loaded(self.scope.module)
                ):
                    self.added[node] |= LOADED

    def _retries(self, instruction: Instruction) -> bool:
        """A compare-and-swap that only accumulates: what it compares with varies.

        A lock compares with a constant; `old = atomicCAS(p, assumed, f(assumed))` in a loop does
        not, and is no way for blocks to steer each other.
        """
        if "cas" not in instruction.modifiers or len(instruction.operands) < 4:
            return False
        uses = self.ssa.uses[instruction.index]
        for name in table.reads(instruction):
            if name in uses and getattr(instruction.operands[2], "name", None) == name:
                return bool(self.ssa.definitions[uses[name]].phi or self._varies(uses[name]))
        return False

    def _varies(self, definition: int) -> bool:
        """Whether a value comes, over moves and conversions, from a phi or a load."""
        seen: set[int] = set()
        pending = [definition]
        while pending:
            number = pending.pop()
            if number in seen:
                continue
            seen.add(number)
            found = self.ssa.definitions[number]
            if found.phi:
                return True
            if found.pc is not None:
                opcode = self.scope.function.instructions[found.pc].opcode
                if opcode in ("ld", "ldu", "atom"):
                    return True
                if len(seen) < 16:
                    pending.extend(found.inputs)
        return False

    def stored(
        self,
        instruction: Instruction,
        accesses: Iterable[table.MemoryAccess],
        control: int,
    ) -> None:
        """Notes what an instruction stores; `control` is the node of its block."""
        pc = instruction.index
        for access in accesses:
            if access.kind == "load":
                continue
            space, name = self._where(pc, access)
            if space not in ("shared", "local", "param", "generic"):
                continue
            key = f"{'shared' if space == 'generic' else space}:{name}"
            sources = [*self.ssa.uses[pc].values(), control]
            self.stores.setdefault(key, []).extend(sources)
            if instruction.opcode == "cp":
                self.stores[key].append(self._always_loaded())

    def called(self, instruction: Instruction) -> None:
        """Lets a call's results depend on its arguments, and on all else if it may read memory."""
        call = instruction.call
        if call is None:
            return
        depends = 0 if self._computes(call.target) else LOADED | LANES | BLOCK
        arguments = [self._node(f"param:{a.name}") for a in call.arguments if isinstance(a, Symbol)]
        for result in call.results:
            if isinstance(result, Symbol):
                node = self._node(f"param:{result.name}", depends)
                self.inputs[node].extend(arguments)
                self.stores.setdefault(f"param:{result.name}", [])

    def _computes(self, target: object) -> bool:
        """Whether a called function is at hand and only computes on its arguments."""
        name = target.name if isinstance(target, Symbol) else ""
        function = self.scope.module.functions.get(name)
        if function is None or not function.instructions:
            return False
        own = ("param", "local", "const")
        return not any(
            i.call is not None or any(a.space not in own for a in table.accesses(i))
            for i in function.instructions
        )

    def _always_loaded(self) -> int:
        return self._node("loaded", LOADED)

    def _node(self, key: str, added: int = 0, kept: int = ~0) -> int:
        if key not in self.nodes:
            self.nodes[key] = len(self.inputs)
            self.inputs.append([])
            self.added.append(added)
            self.kept.append(kept)
        return self.nodes[key]

    def connect(self) -> None:
        """Draws the edges from stores to loads of the same variable, or of an unknown one."""
        for key, sources in self.stores.items():
            shared = key.startswith("shared")
            self.inputs[self._node(key, kept=_SHARED_BY_ALL if shared else ~0)].extend(sources)
        for node, key in self.loads:
            space, _, name = key.partition(":")
            for stored in self.stores:
                other_space, _, other = stored.partition(":")
                if space == other_space and (name == other or "?" in (name, other)):
                    self.inputs[node].append(self._node(stored))


@lru_cache(maxsize=8)
def only_loaded(module: Module) -> frozenset[str]:
    """The `.global` variables that no code of a module does anything with but load them by name."""
    mentioned: set[str] = set()
    otherwise: set[str] = set()
    for variable in module.variables.values():
        otherwise |= {i.name for i in variable.initialiser or () if isinstance(i, Symbol)}
    for instruction in (i for f in module.functions.values() for i in f.instructions):
        loads = instruction.opcode in ("ld", "ldu")
        for operand in instruction.operands:
            base = operand.base if isinstance(operand, Address) else operand
            if isinstance(base, Symbol):
                (mentioned if loads and base is not operand else otherwise).add(base.name)
        if instruction.call is not None:
            called = (*instruction.call.results, *instruction.call.arguments)
            otherwise |= {each.name for each in called if isinstance(each, Symbol)}
    return frozenset(mentioned - otherwise)


def _initialised(variable: Variable | None) -> bool:
    return variable is not None and variable.initialiser is not None
