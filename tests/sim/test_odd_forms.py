"""Instructions with operands or modifiers that they do not take are refused by name.

What a handler cannot take is told by itself; its own slips are no instructions without support.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from perflint.grammar import table
from perflint.grammar.model import (
    Address,
    Element,
    Function,
    Immediate,
    Instruction,
    Not,
    Operand,
    Pair,
    Register,
    Sink,
    SpecialRegister,
    Symbol,
    Vector,
)
from perflint.sim import handlers
from perflint.sim.codegen import generate
from perflint.sim.launch import UnsupportedInstructionError
from perflint.sim.program import build
from tests.sim.kernels import kernel, launch
from tests.sim.test_forms import forms, module

R, L, P = Register("%r1"), Register("%l1"), Register("%p1")
OPERANDS: tuple[Operand, ...] = (
    R, L, P, Immediate(3), Immediate(0, "f32"), Address(L, 4), Vector((R, R)), Symbol("nothing"),
    Sink(), Pair(R, P), Not(P), Element(R, "b0"), SpecialRegister("%tid.x"), Vector(()),
)  # fmt: skip
MODIFIERS = ("f32", "u32", "pred", "f16x2", "x4", "v4", "shared", "ftz", "red", "warp")


def odd(i: Instruction) -> Iterator[Instruction]:
    """The instruction with an operand or a modifier less, more, or another."""
    yield replace(i, operands=())
    yield replace(i, modifiers=())
    yield replace(i, operands=(*i.operands, R))
    for at in range(len(i.operands)):
        before, behind = i.operands[:at], i.operands[at + 1 :]
        yield replace(i, operands=(*before, *behind))
        for other in OPERANDS:
            yield replace(i, operands=(*before, other, *behind))
    for at in range(len(i.modifiers)):
        first, last = i.modifiers[:at], i.modifiers[at + 1 :]
        yield replace(i, modifiers=(*first, *last))
        for word in MODIFIERS:
            yield replace(i, modifiers=(*first, word, *last))


def refused(function: Function) -> bool:
    try:
        generate(build(function))
    except (UnsupportedInstructionError, table.UnknownInstructionError):
        return True
    return False


def test_odd_instructions_are_taken_or_refused_by_name() -> None:
    by_opcode: dict[tuple[str, int], Function] = {}
    for each in module(forms()).kernels:
        first = each.instructions[0]
        by_opcode.setdefault((first.opcode, len(first.operands)), each)
    tried = refusals = 0
    for function in by_opcode.values():
        first, *rest = function.instructions
        for instruction in odd(first):
            tried += 1
            refusals += refused(replace(function, instructions=(instruction, *rest)))
    assert tried > 3000
    assert refusals > tried / 2


@pytest.mark.parametrize("error", [IndexError, ValueError, AttributeError, KeyError])
def test_a_handlers_own_fault_is_not_the_instructions(
    error: type[Exception], monkeypatch: pytest.MonkeyPatch
) -> None:
    def slip(emitter: object, instruction: object) -> None:
        raise error("a slip")

    monkeypatch.setitem(handlers.HANDLERS, "activemask", slip)
    with pytest.raises(error, match="a slip"):
        launch(kernel("activemask.b32 %r1;"))
