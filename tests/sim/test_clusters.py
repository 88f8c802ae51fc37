"""Clusters: each other's shared memory, ranks, barriers (PTX ISA 9.7.9.23, 9.7.9.24, 9.7.13.3)."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perflint.sim.launch import Dim3, Run
from tests.sim.kernels import kernel, launch, result

WORDS = ".shared .align 4 .b32 words[64];\n"

#: Each thread writes 1000 * rank + its number, and reads the word that it has in the block of
#: rank `rank + HOPS`, by a shared address or a generic one.
EXCHANGE = """
    mov.u32 %r1, %cluster_ctarank;
    mad.lo.u32 %r2, %r1, 1000, %i;
    mov.u32 %r3, words;
    mad.lo.u32 %r3, %i, 4, %r3;
    st.shared.u32 [%r3], %r2;
    barrier.cluster.arrive;
    barrier.cluster.wait;
    mov.u32 %r4, %cluster_nctarank;
    add.u32 %r5, %r1, HOPS;
    rem.u32 %r5, %r5, %r4;
"""
BY_SHARED = """
    mapa.shared::cluster.u32 %r6, %r3, %r5;
    ld.shared::cluster.u32 %r7, [%r6];
    getctarank.shared::cluster.u32 %r8, %r6;
"""
BY_GENERIC = """
    cvt.u64.u32 %rd1, %r3;
    cvta.shared.u64 %rd1, %rd1;
    mapa.u64 %rd2, %rd1, %r5;
    ld.u32 %r7, [%rd2];
    getctarank.u64 %r8, %rd2;
"""
#: The word, and in the upper bits whose it was said to be, by the thread's number in the grid.
OUT = """
    shl.b32 %r8, %r8, 20;
    or.b32 %r7, %r7, %r8;
    mov.u32 %r9, %ctaid.z;
    mov.u32 %r10, %nctaid.y;
    mov.u32 %r11, %ctaid.y;
    mad.lo.u32 %r9, %r9, %r10, %r11;
    mov.u32 %r10, %nctaid.x;
    mov.u32 %r11, %ctaid.x;
    mad.lo.u32 %r9, %r9, %r10, %r11;
    mad.lo.u32 %r9, %r9, 64, %i;
    mul.wide.u32 %rd3, %r9, 4;
    add.s64 %rd3, %out, %rd3;
    st.global.u32 [%rd3], %r7;
"""
EXTENTS = st.sampled_from([(1, 1, 1), (2, 1, 1), (4, 1, 1), (2, 2, 1), (1, 2, 2), (3, 1, 2)])


def _run(body: str, cluster: Dim3, grid: Dim3, blocks: tuple[Dim3, ...] | None = None) -> Run:
    module = kernel(body, WORDS, f".reqnctapercluster {', '.join(map(str, cluster))}\n")
    out = np.full(grid[0] * grid[1] * grid[2] * 64, -1, np.int32)
    some = {} if blocks is None else {"blocks": blocks}
    return launch(module, grid=grid, block=(64, 1, 1), out=out, **some)


@settings(max_examples=25, deadline=None)
@given(cluster=EXTENTS, hops=st.integers(0, 5), generic=st.booleans())
def test_blocks_read_each_others_shared_memory(cluster: Dim3, hops: int, generic: bool) -> None:
    """Held against ranks worked out by NumPy: x is fastest (PTX ISA 10, `%cluster_ctarank`)."""
    grid = (2 * cluster[0], cluster[1], 2 * cluster[2])
    body = EXCHANGE.replace("HOPS", str(hops)) + (BY_GENERIC if generic else BY_SHARED) + OUT
    found = result(_run(body, cluster, grid)).reshape(*reversed(grid), 64)
    z, y, x = np.indices(found.shape[:3]) % np.reshape(cluster[::-1], (3, 1, 1, 1))
    owner = ((z * cluster[1] + y) * cluster[0] + x + hops) % np.prod(cluster)
    expected = (owner << 20)[..., None] | (1000 * owner[..., None] + np.arange(64))
    np.testing.assert_array_equal(found, expected)


def test_whole_clusters_are_simulated() -> None:
    run = _run(OUT, (2, 1, 1), (8, 1, 1), ((3, 0, 0), (6, 0, 0)))
    assert run.blocks.indices == ((2, 0, 0), (3, 0, 0), (6, 0, 0), (7, 0, 0))


def test_blocks_stand_alone_where_the_grid_is_no_number_of_clusters() -> None:
    body = "mov.u32 %r7, %cluster_nctarank;\nst.global.u32 [%mine_out], %r7;"
    run = _run(body, (2, 1, 1), (3, 1, 1))
    assert (result(run).reshape(-1, 64) == 1).all()


@pytest.mark.parametrize("late", ["", "@%p1 bra OUT;"], ids=["all", "without the first warp"])
def test_a_barrier_waits_for_all_that_are_left(late: str) -> None:
    """The last warp arrives after a loop; a warp that has gone is not waited for."""
    body = f"""
    setp.lt.u32 %p1, %i, 32;
    {late}
    @%p1 bra ARRIVE;
    mov.u32 %r9, 0;
LOOP:
    add.u32 %r9, %r9, 1;
    setp.lt.u32 %p2, %r9, 50;
    @%p2 bra LOOP;
    mov.u32 %r1, words;
    st.shared.u32 [%r1], %r9;
ARRIVE:
    barrier.cluster.arrive.release;
    barrier.cluster.wait.acquire;
    mov.u32 %r2, %cluster_ctarank;
    xor.b32 %r2, %r2, 1;
    mov.u32 %r1, words;
    mapa.shared::cluster.u32 %r3, %r1, %r2;
    ld.shared::cluster.u32 %r7, [%r3];
    st.global.u32 [%mine_out], %r7;
OUT:
"""
    run = _run(body, (2, 1, 1), (2, 1, 1))
    assert run.stop is None
    found = result(run).reshape(2, 64)
    assert (found[:, 32:] == 50).all()
    assert (found[:, :32] == (-1 if late else 50)).all()


def test_a_rank_beyond_the_cluster_is_a_fault() -> None:
    body = """
    mov.u32 %r1, words;
    mapa.shared::cluster.u32 %r3, %r1, 7;
    ld.shared::cluster.u32 %r7, [%r3];
    st.global.u32 [%mine_out], %r7;
"""
    run = _run(body, (2, 1, 1), (2, 1, 1))
    assert [fault.kind for fault in run.faults] == ["shared-overrun"]
