"""The element types of the arrays that pointer parameters point to, by what is done with them.

Newer compilers load floats as `b32`: then the first typed instruction that uses the value decides.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from perflint.analysis.ssa import StaticSingleAssignment
from perflint.grammar import table
from perflint.grammar.model import Function, Immediate, Instruction, Vector

#: Instructions that hand a value on without looking at it.
_PASSING = {"mov", "selp", "shfl", "prmt"}

#: Moves looked through before giving up.
_REACH = 24


class ElementTypes:
    """Counts how each pointer parameter's elements are used."""

    def __init__(self, function: Function, ssa: StaticSingleAssignment) -> None:
        self.function, self.ssa = function, ssa
        self._users: dict[int, list[int]] | None = None
        self._votes: dict[tuple[int, int], Counter[str]] = {}

    def add(self, parameter: int, offset: int, instruction: Instruction) -> None:
        """Counts one access through the pointer at `offset` of a parameter."""
        named = table.types(instruction)
        if named:
            type = named[0]
            if type in ("b16", "b32", "b64"):
                type = self._inferred(instruction, type)
            elif type[0] == "u" and self._stores_constant(instruction):
                # Compilers store constants of any type as unsigned integers.
                type = f"b{type[1:]}"
            self._votes.setdefault((parameter, offset), Counter())[type] += 1

    def result(self) -> Mapping[tuple[int, int], str]:
        """The type with most accesses; a typed one before a bare `b32`."""
        return {
            key: max(votes, key=lambda t: (not t.startswith("b"), votes[t], t))
            for key, votes in self._votes.items()
        }

    def _stores_constant(self, instruction: Instruction) -> bool:
        pc = instruction.index
        access = table.access(instruction)
        if access is None or access.kind != "store":
            return False
        address = getattr(access.address.base, "name", None)
        sources = [d for name, d in self.ssa.uses[pc].items() if name != address]
        return all(self._is_constant(self.ssa.definitions[d].pc) for d in sources)

    def _is_constant(self, pc: int | None) -> bool:
        if pc is None:
            return False
        instruction = self.function.instructions[pc]
        return instruction.opcode == "mov" and isinstance(instruction.operands[-1], Immediate)

    def _inferred(self, instruction: Instruction, type: str) -> str:
        pc, width = instruction.index, type[1:]
        access = table.access(instruction)
        if access is not None and access.kind == "load":
            found = self._by_use(list(self.ssa.defined[pc].values()), width)
        else:
            stored = instruction.operands[-1]
            names = (
                [getattr(e, "name", "") for e in getattr(stored, "elements", (stored,))]
                if isinstance(stored, Vector)
                else [getattr(stored, "name", "")]
            )
            sources = [self.ssa.uses[pc][n] for n in names if n in self.ssa.uses[pc]]
            found = self._by_origin(sources, width)
        return found or type

    def _user_map(self) -> dict[int, list[int]]:
        if self._users is None:
            self._users = {}
            for definition in self.ssa.definitions:
                for source in definition.inputs:
                    self._users.setdefault(source, []).append(definition.number)
        return self._users

    def _by_use(self, definitions: Sequence[int], width: str) -> str | None:
        """The type that the first instruction with one gives to the value."""
        users, seen, pending = self._user_map(), set(definitions), list(definitions)
        while pending and len(seen) < _REACH:
            for number in users.get(pending.pop(0), ()):
                definition = self.ssa.definitions[number]
                found = self._type_of(definition.pc, width, last=True)
                if found is not None:
                    return found
                if number not in seen and (definition.phi or self._passes(definition.pc)):
                    seen.add(number)
                    pending.append(number)
        return None

    def _by_origin(self, definitions: Sequence[int], width: str) -> str | None:
        seen, pending = set(definitions), list(definitions)
        while pending and len(seen) < _REACH:
            definition = self.ssa.definitions[pending.pop(0)]
            found = self._type_of(definition.pc, width, last=False)
            if found is not None:
                return found
            if definition.phi or self._passes(definition.pc):
                fresh = [n for n in definition.inputs if n not in seen]
                seen.update(fresh)
                pending.extend(fresh)
        return None

    def _passes(self, pc: int | None) -> bool:
        return pc is not None and self.function.instructions[pc].opcode in _PASSING

    def _type_of(self, pc: int | None, width: str, *, last: bool) -> str | None:
        """The operand type (`last`) or result type of an instruction, if it is a telling one."""
        if pc is None:
            return None
        named = table.types(self.function.instructions[pc])
        if not named:
            return None
        type = named[-1] if last else named[0]
        return type if type[0] != "b" and type.endswith((width, f"f{width}")) else None
