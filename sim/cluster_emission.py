"""How instructions of clusters are compiled: other blocks' shared memory, and who has arrived.

An address in a cluster's shared memory (PTX ISA, 5.1.8) is one of a block's own with the other
block's rank plus 1 in bits 24 to 31, whether it is generic or not; 0 there is the block itself.
"""

from __future__ import annotations

import numpy as np

from perflint.grammar.model import Instruction, SpecialRegister
from perflint.sim.emission import handles
from perflint.sim.emitter import Emitter, NoMeaningError
from perflint.sim.memory import RANK, RANK_SHIFT
from perflint.sim.values import Value

_OWN = SpecialRegister("%cluster_ctarank")


def mapped(address: Value, rank: Value, own: Value) -> Value:
    """`mapa`: where the block of a rank has what the executing one has at an address."""
    kind = address.dtype.type
    bits = (rank.astype(address.dtype) + kind(1)) << kind(RANK_SHIFT)
    return (address & ~kind(RANK)) | np.where(rank == own, kind(0), bits & kind(RANK))


def rank_of(address: Value, own: Value) -> Value:
    """`getctarank`: whose shared memory an address is in, uint32."""
    kind = address.dtype.type
    bits = ((address & kind(RANK)) >> kind(RANK_SHIFT)).astype(np.uint32)
    return np.where(bits == 0, own, bits - np.uint32(1))


@handles("mapa")
def _mapa(e: Emitter, i: Instruction) -> None:
    ptx_type = _type(i)
    address, rank = e.use(i.operands[1], ptx_type), e.use(i.operands[2], "u32")
    call = f"{e.refer(mapped)}({address}, {rank}, {e.use(_OWN, 'u32')})"
    e.write(i.operands[0], e.assign(call), ptx_type)


@handles("getctarank")
def _getctarank(e: Emitter, i: Instruction) -> None:
    address = e.use(i.operands[1], _type(i))
    e.write(i.operands[0], e.assign(f"{e.refer(rank_of)}({address}, {e.use(_OWN, 'u32')})"), "u32")


def _type(i: Instruction) -> str:
    if not i.modifiers or i.modifiers[-1] not in ("u32", "u64"):
        raise NoMeaningError
    return i.modifiers[-1]
