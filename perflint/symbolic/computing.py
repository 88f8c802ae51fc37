"""The meaning of instructions that compute of registers alone, with what guards them."""

from __future__ import annotations

import numpy as np

from perflint.grammar import table
from perflint.grammar.model import Instruction, Operand, Pair, Register, Vector
from perflint.sim.meaning import meanings_of
from perflint.symbolic import transfer
from perflint.symbolic.expressions import Expressions, Node
from perflint.symbolic.operands import Operands
from perflint.symbolic.registers import bits_of
from perflint.symbolic.transfer import InexpressibleError


def computed(at: Operands, instruction: Instruction, slots: np.ndarray) -> list[Node | None]:
    """The expressions of what an instruction writes. Raises InexpressibleError, TooDeepError."""
    first, *sources = instruction.operands
    if instruction.opcode in transfer.MOVES and instruction.opcode != "selp":
        return _moved(at, instruction, slots)
    if instruction.opcode == "lop3":
        sources = [*sources[:3], *sources[4:]]
    found = meanings_of(instruction)
    if not found:
        raise InexpressibleError(instruction.opcode)
    types = found[0].sources[: len(sources)]
    if instruction.opcode == "selp":
        raw = [at.raw(s, slots, t) for s, t in zip(sources, types, strict=True)]
        args = _alike(at.expressions, raw, types)
    else:
        args = [at.typed(s, slots, t) for s, t in zip(sources, types, strict=True)]
    node = transfer.result(at.expressions, instruction, types, args)
    node = at.extended(node, _name(first), found[0].results[0])
    node = guarded(at, instruction, first, node, slots)
    if isinstance(first, Pair) and len(table.writes(instruction)) == 2:
        if instruction.opcode != "setp" or len(args) > 2:
            raise InexpressibleError(f"{instruction.opcode} of two results")
        return [node, transfer.negated(at.expressions, node)]
    return [node]


def guarded(at: Operands, i: Instruction, target: Operand, node: Node, slots: np.ndarray) -> Node:
    """What a guarded instruction that is carried out by all leaves in its register."""
    if i.guard is None or not isinstance(target, Register):
        return node
    e = at.expressions
    old = at.raw(target, slots, node.sort if node.sort != "p" else "pred")
    guard = at.typed(i.guard.register, slots, "pred")
    if i.guard.negated:
        guard = transfer.negated(e, guard)
    if old.sort != node.sort:
        raise InexpressibleError("the bits of a float")
    return e.op("ite", node.sort, guard, node, old)


def _name(target: Operand) -> str:
    """The register that a result stands in."""
    if isinstance(target, Pair) and isinstance(target.first, Register):
        return target.first.name
    return target.name if isinstance(target, Register) else ""


def _moved(at: Operands, instruction: Instruction, slots: np.ndarray) -> list[Node | None]:
    target, source = instruction.operands
    if isinstance(target, Vector) and isinstance(source, Vector):
        raise InexpressibleError("a vector")
    if isinstance(target, Vector):
        return _taken_apart(at, target, source, slots)
    if isinstance(source, Vector):
        return [_put_together(at, source, slots)]
    return [at.raw(source, slots, table.types(instruction)[-1])]


def _taken_apart(
    at: Operands, target: Vector, source: Operand, slots: np.ndarray
) -> list[Node | None]:
    """`mov.b64 {a, b}, c`."""
    e = at.expressions
    parts = [t for t in target.elements if isinstance(t, Register)]
    if len(parts) != len(target.elements):
        raise InexpressibleError("a vector")
    whole = at.raw(source, slots, "b64")
    if whole.sort[0] != "b":
        raise InexpressibleError("the bits of a float")
    piece = transfer.width(whole.sort) // len(parts)
    amounts = (e.const(k * piece, whole.sort) for k in range(len(parts)))
    return [e.op("cut", f"b{piece}", e.op("shr_u", whole.sort, whole, each)) for each in amounts]


def _put_together(at: Operands, source: Vector, slots: np.ndarray) -> Node:
    """`mov.b64 c, {a, b}`."""
    e = at.expressions
    bits = 64 // len(source.elements)
    pieces = [at.typed(s, slots, f"b{bits}") for s in source.elements]
    sort = f"b{bits * len(pieces)}"
    total = e.op("zext", sort, pieces[0])
    for k, each in enumerate(pieces[1:], 1):
        high = e.op("shl", sort, e.op("zext", sort, each), e.const(k * bits, sort))
        total = e.op("or", sort, total, high)
    return total


def _alike(e: Expressions, raw: list[Node], types: tuple[str, ...]) -> list[Node]:
    """The operands of a selection: both as floats where one is."""
    real = next((n.sort for n in raw[:2] if transfer.is_real(n)), None)
    out: list[Node] = []
    for node, ptx_type in zip(raw, types, strict=True):
        if real is not None and len(out) < 2 and node.op == "const" and node.sort != real:
            bits = np.asarray(node.data, f"u{transfer.width(node.sort) // 8}")
            out.append(e.const(_one(bits_of(bits, real)), real))
        elif real is not None and len(out) < 2:
            out.append(node)
        else:
            out.append(transfer.coerced(e, node, ptx_type))
    return out


def _one(numbers: np.ndarray) -> object:
    return numbers.reshape(-1)[0] if numbers.ndim == 0 else numbers
