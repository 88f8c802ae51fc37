"""In `[register+offset]` of shared memory the sum wraps at 2^32, in every form of access.

Registers hold addresses from which the offset leads back into the block's memory: `%neg` is
`s - 4 * tid`, below 0 in all lanes but the first, `%far` lies 64 bytes below 0 in all of them.
"""

from __future__ import annotations

import numpy as np
import pytest

from perflint.grammar import parse
from perflint.sim import SimulationOptions, simulate
from perflint.sim.launch import Buffer, Launch

KERNEL = """.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 p_out)
{{
    .reg .pred %p<4>;
    .reg .b32 %r<20>, %lane, %s, %mine, %neg, %far, %out;
    .reg .b64 %rd<20>, %state;
    .shared .align 16 .b8 s[1024];
    ld.param.u64 %rd9, [p_out];
    mov.u32 %lane, %tid.x;
    mul.wide.u32 %rd2, %lane, 4;
    add.s64 %rd3, %rd9, %rd2;
    shl.b32 %r2, %lane, 2;
    mov.u32 %s, s;
    add.s32 %mine, %s, %r2;
    sub.s32 %neg, %s, %r2;
    mov.u32 %far, 4294967232;
    add.u32 %r18, %lane, 100;
    st.shared.u32 [%mine], %r18;
    st.shared.u32 [%mine+128], %r18;
    mov.u32 %out, 7;
    bar.sync 0;
{body}
    st.global.u32 [%rd3], %out;
    ret;
}}
"""
BACK = "bar.sync 0; ld.shared.u32 %out, [%mine];"
LANE = np.arange(32)
MIRRORED = 131 - LANE
#: Makes the lanes' addresses no affine function of the thread, without changing them.
AS_ARRAY = "xor.b32 %r6, %lane, %lane; mul.lo.u32 %r6, %r6, %lane; add.s32 %neg, %neg, %r6;"
#: Row addresses of eight 16-byte rows, from the last to the first.
ROWS = "min.u32 %r5, %lane, 7; shl.b32 %r5, %r5, 4; sub.s32 %r5, %s, %r5;"

CASES = {
    "ld": ("ld.shared.u32 %out, [%neg+124];", MIRRORED),
    "ld of an array": (f"{AS_ARRAY} ld.shared.u32 %out, [%neg+124];", MIRRORED),
    "ld of one address": ("ld.shared.u32 %out, [%far+68];", 0 * LANE + 101),
    "ld with a negative offset": ("add.u32 %r5, %mine, 64; ld.shared.u32 %out, [%r5+-64];", None),
    "ld of a 64-bit base": (
        "cvt.s64.s32 %rd5, %neg; ld.shared.u32 %out, [%rd5+124];", MIRRORED,
    ),
    "ld of a base extended with zeros": (
        "cvt.u64.u32 %rd5, %neg; ld.shared.u32 %out, [%rd5+124];", MIRRORED,
    ),
    "ld.v2": (
        "add.s32 %r5, %neg, %neg; sub.s32 %r5, %r5, %s; ld.shared.v2.u32 {%r9, %out}, [%r5+248];",
        (63 - 2 * LANE) % 32 + 100,
    ),
    "ld.v4": ("ld.shared.v4.u32 {%r9, %r9, %r9, %out}, [%far+64];", 0 * LANE + 103),
    "st": (f"st.shared.u32 [%neg+124], %lane; {BACK}", 31 - LANE),
    "st of an array": (f"{AS_ARRAY} st.shared.u32 [%neg+124], %lane; {BACK}", 31 - LANE),
    "st.v2": (
        "setp.eq.u32 %p1, %lane, 5; @%p1 st.shared.v2.u32 [%far+64], {%lane, %lane};" + BACK,
        np.where(LANE < 2, 5, LANE + 100),
    ),
    "atom": (f"atom.shared.add.u32 %r9, [%neg+124], %lane; {BACK}", LANE + 100 + 31 - LANE),
    "atom, what was there": ("atom.shared.exch.b32 %out, [%neg+124], 0;", MIRRORED),
    "atom.cas": (f"atom.shared.cas.b32 %r9, [%far+64], 100, 9; {BACK}",
                 np.where(LANE == 0, 9, LANE + 100)),
    "red": (f"red.shared.add.u32 [%far+64], 1; {BACK}", LANE + 100 + 32 * (LANE == 0)),
    "cp.async": (
        f"cp.async.ca.shared.global [%neg+124], [%rd3], 4; cp.async.wait_all; {BACK}", 1000 + 31
        - LANE,
    ),
    "ldmatrix": (
        f"{ROWS} ldmatrix.sync.aligned.m8n8.x1.shared.b16 {{%out}}, [%r5+112];",
        100 + 4 * (7 - LANE // 4) + LANE % 4,
    ),
    "stmatrix": (
        f"{ROWS} stmatrix.sync.aligned.m8n8.x1.shared.b16 [%r5+112], {{%lane}}; {BACK}",
        4 * (7 - LANE // 4) + LANE % 4,
    ),
    "wmma.load": (
        "wmma.load.a.sync.aligned.row.m16n16k16.shared.f16 "
        "{%out, %r7, %r8, %r9, %r10, %r11, %r12, %r13}, [%far+64], 16;", "alike",
    ),
    "mbarrier": (
        "mbarrier.init.shared.b64 [%far+576], 32;"
        "mbarrier.arrive.shared.b64 %state, [%far+576];"
        "mbarrier.test_wait.shared.b64 %p1, [%far+576], %state;"
        "ld.shared.u32 %r9, [%s+512]; selp.u32 %out, 1, 0, %p1;", 0 * LANE + 1,
    ),
    "generic": (
        "cvt.u64.u32 %rd5, %s; cvta.shared.u64 %rd6, %rd5; sub.s64 %rd7, %rd6, %rd2;"
        "ld.u32 %out, [%rd7+124];", MIRRORED,
    ),
}  # fmt: skip


def run(body: str, plain: bool) -> np.ndarray:
    data = (1000 + LANE).astype(np.uint32)
    launch = Launch((1, 1, 1), (32, 1, 1), (Buffer("o", size=128, data=data.view(np.uint8)),))
    done = simulate(
        parse(KERNEL.format(body=body)),
        "k",
        launch,
        SimulationOptions(arch="sm_90", reference=plain),
    )
    assert done.stop is None
    assert done.faults == ()
    return done.buffers["o"].view(np.uint32)[:32]


@pytest.mark.parametrize("plain", [False, True])
@pytest.mark.parametrize("name", CASES)
def test_the_sum_wraps(name: str, plain: bool) -> None:
    body, wanted = CASES[name]
    if wanted is None:
        wanted = LANE + 100
    if isinstance(wanted, str):  # as the same access without an offset
        wanted = run(body.replace("%far+64", "%s"), plain)
    np.testing.assert_array_equal(run(body, plain), wanted)


def test_an_overrun_is_still_one() -> None:
    body = "ld.shared.u32 %out, [%neg+-4];"
    launch = Launch((1, 1, 1), (32, 1, 1), (Buffer("o", size=128),))
    for plain in (False, True):
        done = simulate(
            parse(KERNEL.format(body=body)),
            "k",
            launch,
            SimulationOptions(arch="sm_90", reference=plain),
        )
        assert [(fault.kind, fault.count) for fault in done.faults] == [("shared-overrun", 32)]
