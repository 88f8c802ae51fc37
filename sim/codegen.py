"""Compiles a kernel's basic blocks to Python functions of NumPy values.

A block becomes one function `f(m, a, *inputs) -> (outputs, end)`: `m` is the machine, `a` the lanes
that run, inputs and outputs are register values, `end` is what the block's ending needs (the
predicate of a branch, the index of an indirect one, the operands of a barrier). Functions are
generated for the whole kernel, which finds what is unsupported, and compiled when first run.
"""

from __future__ import annotations

from typing import Any

from perflint.grammar import table
from perflint.grammar.model import Instruction, Register
from perflint.sim.computation import inlineable
from perflint.sim.emitter import Emitter, NoMeaningError
from perflint.sim.handlers import HANDLERS
from perflint.sim.launch import UnsupportedInstructionError
from perflint.sim.program import Program
from perflint.sim.slice import Part
from perflint.sim.values import DTYPE, register_dtype


class CompiledBlock:
    """A block's generated source and, once it has run, its function."""

    def __init__(self, source: str, names: dict[str, Any]) -> None:
        self.source, self.names = source, names

    def compile(self) -> Any:
        namespace = dict(self.names)
        exec(compile(self.source, "<basic block>", "exec"), namespace)
        return namespace["block"]


def generate(program: Program, results: bool = False) -> tuple[CompiledBlock, ...]:
    """Source for every block, with calls that tell tracers which instructions run.

    Of a program that is cut, only what its slice holds is written; all of it counts as issued.
    With `results` tracers are told what each instruction computes.

    Raises UnsupportedInstructionError at the first instruction it cannot do.
    """
    body_params = frozenset(v.name for v in program.kernel.variables if v.space == "param")
    out = []
    for block in program.blocks:
        emitter = Emitter(program, block, body_params)
        if block.count:
            emitter.line(f"m.recorder.issue(a, {block.first}, {block.last})")
        for at in range(block.first, block.last):
            emitter.step = at - block.first
            part = program.part(at)
            if part is Part.NOTHING:
                continue
            emitter.touches = part is Part.ADDRESS
            _emit(emitter, program.kernel.instructions[at], at == block.last - 1)
            if results:
                _tell(emitter, program.kernel.instructions[at], at)
        if block.guard is not None:
            assert isinstance(block.guard, Register)
            predicate = emitter.read(block.guard.name, DTYPE["pred"])
            emitter.end = f"~{predicate}" if block.negated else predicate
        if block.count and block.ending in ("branch", "indirect"):
            emitter.line(f"m.recorder.fork(a, {block.last - 1}, {emitter.step}, {emitter.end})")
        if results and not block.count and block.ending == "branch":
            line = f"m.recorder.computed(a, {block.first}, {emitter.step}, (), {emitter.end})"
            emitter.line(line)
        out.append(CompiledBlock(emitter.finish(), emitter.names))
    return tuple(out)


def _tell(emitter: Emitter, instruction: Instruction, position: int) -> None:
    """Tell tracers what an instruction computed. What the machine writes itself is not told."""
    slots = [emitter.program.slots[name] for name in table.writes(instruction)]
    types = emitter.program.types
    if (
        not slots
        or emitter.block.reduction is not None
        or any(types[s] not in DTYPE for s in slots)
    ):
        return
    values = "".join(emitter.read_slot(s, register_dtype(types[s])) + ", " for s in slots)
    emitter.line(f"m.recorder.computed(a, {position}, {emitter.step}, ({values}))")


def _emit(emitter: Emitter, instruction: Instruction, last: bool) -> None:
    try:
        if last and emitter.block.ending in ("branch", "fall", "exit", "trap"):
            control = table.control(instruction)
            if control in ("branch", "return", "exit", "trap"):
                return
        row = table.row(instruction)
        if instruction.call is None and not (
            row.required <= len(instruction.operands) <= len(row.operands)
        ):
            raise NoMeaningError
        handler = HANDLERS.get(instruction.opcode)
        if handler is None or (instruction.guard is not None and inlineable(instruction)):
            emitter.pure(instruction)
        else:
            handler(emitter, instruction)
    except NoMeaningError as error:
        location = instruction.location
        line = location.chain()[-1].line if location is not None else None
        raise UnsupportedInstructionError(
            instruction.name, line, instruction.line, str(error)
        ) from error
