"""What comes from other lanes: shuffles, votes, and the order in which atomics were served."""

from __future__ import annotations

import numpy as np

from perflint.grammar import table
from perflint.grammar.model import Immediate, Instruction, Not, Operand, Register
from perflint.sim import warpwide
from perflint.sim.lanes import Lanes
from perflint.sim.trace import ResultBatch
from perflint.symbolic import transfer
from perflint.symbolic.computing import guarded
from perflint.symbolic.expressions import Node
from perflint.symbolic.operands import Operands
from perflint.symbolic.registers import bits_of
from perflint.symbolic.transfer import InexpressibleError

#: What the values of all lanes of the warp that take part decide together.
JOINING = frozenset({"match", "redux", "vote", "shfl"})
_EVERYBODY = np.uint32(0xFFFFFFFF)


def shuffled(
    at: Operands, instruction: Instruction, batch: ResultBatch, slots: np.ndarray
) -> list[Node | None]:
    """`shfl`: the source thread of each thread is what the shuffle makes of their numbers."""
    operands = instruction.operands
    node = None
    if isinstance(operands[1], Register) and at.registers.symbolic(operands[1].name):
        node = at.registers.node(operands[1].name, slots)
    if node is None:
        _refuse_symbolic(at, instruction, "a shuffle from a symbolic lane")
        return []
    lanes = batch.lanes
    mode = next(m for m in instruction.modifiers if m in ("up", "down", "bfly", "idx"))
    words = [_plain(at, o, lanes, "a shuffle from a symbolic lane") for o in operands[2:]]
    members = words[2] if len(words) > 2 else _EVERYBODY
    source, _ = warpwide.shuffle(lanes, mode, lanes.slots, words[0], words[1], members)
    whole = np.arange(at.followed.threads)
    whole[lanes.slots] = source
    found: list[Node | None] = [at.expressions.gather(node, whole)]
    return [*found, None][: len(table.writes(instruction))]


def voted(
    at: Operands, instruction: Instruction, batch: ResultBatch, slots: np.ndarray
) -> list[Node | None]:
    """`vote`: the predicates of all lanes that take part, joined in five exchanges of neighbours.

    Who takes part is as in the run.
    """
    mode = next((m for m in instruction.modifiers if m in _VOTES), "")
    if not at.is_symbolic(instruction):
        return []
    target, predicate, *rest = instruction.operands
    members = _plain(at, rest[0], batch.lanes, "a vote of symbolic lanes") if rest else _EVERYBODY
    named = np.broadcast_to(members, slots.shape)
    here = np.zeros(at.followed.threads, bool)
    here[slots] = (named >> (slots & 31).astype(np.uint32)) & 1 == 1
    if mode not in _VOTES or not isinstance(predicate, Register | Not) or (named != named[0]).any():
        raise InexpressibleError("a vote of groups")
    mine = at.typed(predicate, slots, "pred")
    e = at.expressions
    if mode == "ballot":
        bits = e.const(np.uint32(1) << (np.arange(len(here)) & 31).astype(np.uint32), "b32")
        one = e.op("ite", "b32", mine, bits, e.const(0, "b32"))
        node = _joined(at, one, here, "or", 0)
    elif mode == "uni":
        every, some = (_joined(at, mine, here, *_VOTES[m]) for m in ("all", "any"))
        node = e.op("or", "p", every, transfer.negated(e, some))
    else:
        node = _joined(at, mine, here, *_VOTES[mode])
    return [guarded(at, instruction, target, node, slots)]


#: By mode: how two lanes' values are joined, and what changes nothing.
_VOTES: dict[str, tuple[str, bool]] = {
    "all": ("and", True),
    "any": ("or", False),
    "uni": ("or", False),
    "ballot": ("or", False),
}


def _joined(at: Operands, node: Node, here: np.ndarray, how: str, neutral: int) -> Node:
    """A value of all lanes of the warp that are `here`, (n,) bool, in each of them."""
    e, everyone = at.expressions, np.arange(len(here))
    if not here.all():
        node = e.pick((~here).astype(np.int16), [node, e.const(neutral, node.sort)])
    for step in (1, 2, 4, 8, 16):
        node = e.op(how, node.sort, node, e.gather(node, everyone ^ step))
    return node


def everybody(threads: int, slots: np.ndarray) -> list[np.ndarray]:
    """By lane of a warp: each thread's neighbour there, (n,); itself where that takes no part."""
    here, itself = np.zeros(threads, bool), np.arange(threads)
    here[slots] = True
    neighbours = ((itself & ~31) | lane for lane in range(32))
    return [np.where(here[each], each, itself) for each in neighbours]


def ordered(
    at: Operands, instruction: Instruction, batch: ResultBatch, slots: np.ndarray
) -> list[Node | None]:
    """An atomic's result hangs on the order of the threads: it is what the run has."""
    if not table.writes(instruction):
        return []
    known = at.as_run(batch.lanes, batch.values[0], at.held(table.writes(instruction)[0]))
    return [at.expressions.under(known, (), (), "an atomic's result")]


def _plain(at: Operands, operand: Operand, lanes: Lanes, otherwise: str) -> np.ndarray:
    if isinstance(operand, Immediate):
        return np.array(operand.bits & 0xFFFFFFFF, np.uint32)
    if isinstance(operand, Register) and not at.registers.symbolic(operand.name):
        numbers = at.registers.numbers(operand.name)
        if numbers is not None:
            return bits_of(numbers[lanes.slots], "b32")
    raise InexpressibleError(otherwise)


def _refuse_symbolic(at: Operands, instruction: Instruction, reason: str) -> None:
    if at.is_symbolic(instruction):
        raise InexpressibleError(reason)
