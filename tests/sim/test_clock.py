"""One clock numbers all that happens; loads know how soon their results are needed."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
import pytest

from perflint.grammar import parse, table
from perflint.grammar.model import Module
from perflint.sim import SimulationOptions, simulate
from perflint.sim.affine_trace import AffineBatch
from perflint.sim.launch import Buffer, Dim3, Launch
from perflint.sim.trace import (
    BarrierBatch,
    BranchBatch,
    ColumnBatch,
    InstructionBatch,
    MemoryBatch,
    Setting,
    Tracing,
)
from tests.sim.kernels import HEADER, kernel

LOOP = """
    mov.u32 %r1, 0;
    .shared .align 4 .b8 tile[512];
    mov.u32 %r5, tile;
    shl.b32 %r6, %i, 2;
    add.u32 %r5, %r5, %r6;
TURN:
    ld.global.u32 %r2, [%mine_in];
    ld.global.u32 %r3, [%mine_in+4];
    st.shared.u32 [%r5], %r3;
    cp.async.ca.shared.global [%r5+4], [%mine_in], 4;
    bar.sync 0;
    add.u32 %r4, %r2, %r3;
    bar.warp.sync 0xffffffff;
    setp.lt.u32 %p1, %i, 40;
    @%p1 atom.global.add.u32 %r7, [%out], %r4;
    @%p1 bra SKIP;
    ld.shared.u32 %r8, [%r5];
    add.u32 %r4, %r4, 1;
    st.global.u32 [%mine_out], %r8;
SKIP:
    add.u32 %r1, %r1, 1;
    setp.lt.u32 %p2, %r1, %i;
    bar.sync 1;
    setp.lt.u32 %p2, %r1, 3;
    @%p2 bra TURN;
"""


class Everything(Tracing):
    """Keeps what it is told, in the order of telling."""

    def begin(self, setting: Setting) -> None:
        self.setting = setting
        self.issued: list[InstructionBatch] = []
        self.events: list[tuple[int, object]] = []  # (position, batch)

    def instructions(self, batch: InstructionBatch) -> None:
        self.issued.append(batch)

    def memory(self, batch: MemoryBatch) -> None:
        self.events.append((self.setting.position[batch.pc], batch))

    def barrier(self, batch: BarrierBatch) -> None:
        self.events.append((self.setting.position[batch.pc], batch))

    def warp_barrier(self, batch: BarrierBatch) -> None:
        self.events.append((self.setting.position[batch.pc], batch))

    def branch(self, batch: BranchBatch) -> None:
        self.events.append((batch.position, batch))


def run(module: Module, block: Dim3 = (96, 1, 1), plain: bool = False) -> Everything:
    seen = Everything()
    arguments = (Buffer("in"), Buffer("out"))
    launch = Launch((2, 1, 1), block, arguments[: len(module.kernels[0].parameters)])
    done = simulate(module, "k", launch, SimulationOptions(reference=plain), tracers=(seen,))
    assert done.stop is None
    return seen


@pytest.mark.parametrize("plain", [False, True])
def test_every_event_has_the_number_of_its_instruction(plain: bool) -> None:
    seen = run(kernel(LOOP), plain=plain)
    position_at: dict[int, int] = {}
    before = 0
    for batch in seen.issued:
        assert batch.order >= before
        before = batch.order + batch.count
        for at in range(batch.count):
            assert batch.order + at not in position_at
            position_at[batch.order + at] = batch.first + at
    kinds = set()
    for position, event in seen.events:
        order = event.order  # type: ignore[attr-defined]
        assert position_at[order] == position
        kinds.add(type(event))
    assert len(kinds) >= 3
    orders = [event.order for _, event in seen.events]  # type: ignore[attr-defined]
    assert orders == sorted(orders)


def test_the_parts_of_one_instruction_share_a_number() -> None:
    seen = run(kernel(LOOP))
    by_order = defaultdict(list)
    for position, event in seen.events:
        if isinstance(event, (ColumnBatch, AffineBatch)):
            by_order[event.order].append((position, event.space, event.kind))
    copies = [found for found in by_order.values() if len(found) > 1]
    assert len(copies) == 3  # one turn each
    for found in copies:
        assert {(space, kind) for _, space, kind in found} == {
            ("global", "load"), ("shared", "store"),
        }  # fmt: skip
        assert len({position for position, _, _ in found}) == 1


def dynamic_distances(seen: Everything) -> dict[int, int]:
    """The least distance to the first use that any warp saw, by pc."""
    instructions = seen.setting.instructions
    path: dict[tuple[int, int], list[int]] = defaultdict(list)
    for batch in seen.issued:
        for block, warp in zip(batch.block.tolist(), batch.warp.tolist(), strict=True):
            path[block, warp].extend(range(batch.first, batch.last))
    out: dict[int, int] = {}
    for positions in path.values():
        for at, position in enumerate(positions):
            each = instructions[position]
            if not table.accesses(each) or each.opcode in ("st", "cp"):
                continue
            for name in table.writes(each):
                for later in range(at + 1, len(positions)):
                    if name in table.reads(instructions[positions[later]]):
                        known = out.get(each.index, 1 << 30)
                        out[each.index] = min(known, later - at)
                        break
                    if name in table.writes(instructions[positions[later]]):
                        break
    return out


def test_first_uses_are_what_warps_saw() -> None:
    # Blocks of one warp: all its lanes take each branch together, so that its path is one way.
    seen = run(kernel(LOOP.replace("%i, 40", "%t, 32")), block=(32, 1, 1))
    found = seen.setting.first_uses
    assert dynamic_distances(seen) == {
        pc: distance for pc, distance in found.items() if seen.setting.position[pc] in
        {at for batch in seen.issued for at in range(batch.first, batch.last)}
    }  # fmt: skip
    distances = [found.get(i.index) for i in seen.setting.kernel.instructions if i.opcode == "ld"]
    assert distances == [2, 2, 5, 1, 2]  # parameters too
    atom = next(i for i in seen.setting.kernel.instructions if i.opcode == "atom")
    assert atom.index not in found


def test_the_nearest_way_counts_and_an_overwritten_register_is_no_use() -> None:
    module = parse(
        HEADER
        + """.visible .entry k(.param .u64 p)
{
    .reg .pred %p1; .reg .b32 %r<6>; .reg .b64 %rd<2>;
    ld.param.u64 %rd1, [p];
    mov.u32 %r1, %tid.x;
    ld.global.u32 %r2, [%rd1];
    ld.global.u32 %r3, [%rd1+4];
    setp.gt.u32 %p1, %r1, 3;
    @%p1 bra NEAR;
    add.u32 %r1, %r1, 1;
    add.u32 %r1, %r1, 2;
    mov.u32 %r3, 7;
NEAR:
    st.global.u32 [%rd1+8], %r2;
    @%p1 bra END;
    st.global.u32 [%rd1+12], %r3;
END:
    ret;
}
"""
    )
    seen = run(module, block=(32, 1, 1))
    loads = {i.operands[0]: i.index for i in module.kernels[0].instructions if i.opcode == "ld"}
    first = np.array([seen.setting.first_uses.get(pc, 0) for pc in loads.values()])
    assert first.tolist() == [2, 4, 5]
