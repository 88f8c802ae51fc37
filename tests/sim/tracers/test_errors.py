"""What kernels must not do: bounds, alignment, uninitialised reads, races, barriers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from perflint.sim import SimulationOptions, simulate
from perflint.sim.launch import Buffer, Dim3, Launch, Run
from perflint.sim.tracers.barrier_checker import BarrierChecker
from perflint.sim.tracers.memory_checker import FIRST_ADDRESS, MemoryChecker
from perflint.sim.tracers.memory_race_detector import MemoryRaceDetector
from perflint.sim.violation import Violation
from tests.sim.kernels import kernel

WORDS = 64  #: in each of the two buffers


def run(checker: Any, body: str, block: int = 64, arch: str = "sm_80") -> Run:
    shape: Dim3 = (block, 1, 1)
    arguments = (
        Buffer("in", size=4 * WORDS, data=np.zeros(WORDS, np.int32)),
        Buffer("out", size=4 * WORDS, data=np.zeros(WORDS, np.int32)),
    )
    return simulate(
        kernel(body),
        "k",
        Launch((1, 1, 1), shape, arguments),
        SimulationOptions(arch=arch),
        tracers=(checker,),
    )


def violations(checker: Any, body: str, **options: Any) -> list[Violation]:
    run(checker, body, **options)
    return list(checker.violations)


# --- bounds and alignment -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "thread", "offset"),
    [
        ("st.global.u32 [%mine_out+4], %i;", 63, 4 * WORDS),
        ("st.global.u32 [%mine_out+16], %i;", 60, 4 * WORDS),
        ("ld.global.u32 %r1, [%mine_out+-8];", 0, -8),
        ("ld.global.v2.u32 {%r1, %r2}, [%out+256];", 0, 256),
        ("atom.global.add.u32 %r1, [%out+256], 1;", 0, 256),
    ],
)
def test_out_of_bounds(body: str, thread: int, offset: int) -> None:
    [found] = violations(MemoryChecker(), body)
    assert found.kind == "out-of-bounds"
    assert found.thread == (thread, 0, 0) and found.block == (0, 0, 0)
    assert found.address == FIRST_ADDRESS + 256 + offset  # `out` follows `in`, 256 bytes
    assert "`out`" in found.message
    assert found.instruction is not None


def test_the_last_element_is_in_bounds() -> None:
    assert not violations(MemoryChecker(), "st.global.u32 [%mine_out], %i;")
    assert not violations(MemoryChecker(), "ld.global.v4.u32 {%r1,%r2,%r3,%r4}, [%in+240];")


@pytest.mark.parametrize("address", [0, 0x234, 0x7FFF_1234_5678_9AB0])
def test_an_address_in_no_allocation(address: int) -> None:
    """The example of GPU Ocelot's paper, 7.2: a pointer that was never allocated."""
    body = f"mov.u64 %rd5, {address}; st.global.u32 [%rd5], %i;"
    [found] = violations(MemoryChecker(), body)
    assert found.address == address
    assert f"{address:#x}, outside every allocation; the nearest is" in found.message


def test_addresses_all_over_the_place() -> None:
    body = """
    cvt.u64.u32 %rd5, %i; shl.b64 %rd5, %rd5, 41; add.s64 %rd5, %rd5, 0x400000000100;
    st.global.u32 [%rd5], %i;
"""
    [found] = violations(MemoryChecker(), body)
    assert (found.address, found.thread) == (0x4000_0000_0100, (0, 0, 0))


@pytest.mark.parametrize("size", [2, 4, 8])
def test_misaligned(size: int) -> None:
    [found] = violations(MemoryChecker(), f"ld.global.u{8 * size} %rd1, [%in+{size // 2}];")
    assert (found.kind, found.thread) == ("misaligned", (0, 0, 0))


SHARED = ".shared .align 16 .b8 s[256]; mov.u32 %r9, s; shl.b32 %r8, %i, 2; add.u32 %r8, %r8, %r9;"


def test_shared_memory_has_an_end() -> None:
    [found] = violations(MemoryChecker(), f"{SHARED} st.shared.u32 [%r8+32], %i;")
    assert (found.kind, found.thread, found.address) == ("out-of-bounds", (56, 0, 0), 256)
    assert found.count == 8


# --- uninitialised --------------------------------------------------------------------------------


def test_an_uninitialised_shared_read() -> None:
    body = f"""{SHARED}
    setp.ge.u32 %p1, %i, 40;
    @%p1 bra READ;
    st.shared.u32 [%r8], %i;
READ:
    bar.sync 0;
    ld.shared.u32 %r1, [%r8];
"""
    [found] = violations(MemoryChecker(), body)
    assert (found.kind, found.thread) == ("uninitialised-shared-read", (40, 0, 0))
    assert found.count == 24


@pytest.mark.parametrize(
    "body",
    [
        "st.shared.u32 [%r8], %i; ld.shared.u32 %r1, [%r8];",
        # a vector of which a part was written: padding
        "st.shared.u32 [%r9], %i; ld.shared.v4.u32 {%r1, %r2, %r3, %r4}, [%r9];",
        "st.shared.u32 [%r8], 0; atom.shared.add.u32 %r1, [%r8], 1;",
    ],
)
def test_initialised_shared_reads(body: str) -> None:
    assert not violations(MemoryChecker(), SHARED + body)


# --- races ----------------------------------------------------------------------------------------


def exchange(distance: int, between: str, store: str = "st", load: str = "ld") -> str:
    return f"""{SHARED}
    {store}.shared.u32 [%r8], %i;
    {between}
    xor.b32 %r3, %i, {distance};
    shl.b32 %r3, %r3, 2;
    add.u32 %r3, %r3, %r9;
    {load}.shared.u32 %r4, [%r3];
"""


@pytest.mark.parametrize(
    ("distance", "between", "arch", "races"),
    [
        (32, "", "sm_80", True),
        (32, "bar.sync 0;", "sm_80", False),
        (32, "bar.warp.sync -1;", "sm_80", True),
        (1, "", "sm_80", True),
        (1, "bar.warp.sync -1;", "sm_80", False),
        (1, "bar.sync 0;", "sm_80", False),
        (1, "", "sm_60", False),  # a warp runs in lockstep there
        (32, "", "sm_60", True),
        (0, "", "sm_80", False),
    ],
)
def test_a_read_of_what_another_thread_wrote(
    distance: int, between: str, arch: str, races: bool
) -> None:
    found = violations(MemoryRaceDetector(), exchange(distance, between), arch=arch)
    assert [v.kind for v in found] == ["shared-race"] * races
    if races:
        assert "is read by" in found[0].message and "was written by" in found[0].message
        assert found[0].other is not None and found[0].other.opcode == "st"
        assert ("__syncwarp()" in found[0].message) == (distance < 32)


def test_volatile_accesses_do_not_race() -> None:
    body = exchange(32, "", "st.volatile", "ld.volatile")
    assert not violations(MemoryRaceDetector(), body)
    assert violations(MemoryRaceDetector(), exchange(32, "", "st", "ld.volatile"))


def test_a_write_over_what_another_thread_read() -> None:
    body = f"""{exchange(32, "bar.sync 0;")}
    add.u32 %r4, %r4, 100;
    st.shared.u32 [%r8], %r4;
"""
    [found] = violations(MemoryRaceDetector(), body)
    assert "is written by" in found.message and "was read by" in found.message
    ordered = body.replace("add.u32 %r4,", "bar.sync 0; add.u32 %r4,")
    assert not violations(MemoryRaceDetector(), ordered)


@pytest.mark.parametrize(("value", "races"), [("%i", True), ("7", False)])
def test_writes_of_several_threads(value: str, races: bool) -> None:
    """Threads that write the same value leave the same behind, whoever comes last."""
    body = f"{SHARED} st.shared.u32 [%r9], {value};"
    assert bool(violations(MemoryRaceDetector(), body)) == races


def test_a_value_that_all_wrote_may_be_read() -> None:
    body = f"{SHARED} st.shared.u32 [%r9], 7; ld.shared.u32 %r1, [%r9];"
    assert not violations(MemoryRaceDetector(), body)


def test_bytes_of_one_word_do_not_race() -> None:
    body = """.shared .align 4 .b8 s[64]; mov.u32 %r9, s; add.u32 %r8, %r9, %i;
    st.shared.u8 [%r8], %i; ld.shared.u8 %r1, [%r8];"""
    assert not violations(MemoryRaceDetector(), body)


def test_atomics_do_not_race_with_one_another() -> None:
    def found(first: str, second: str) -> list[Violation]:
        body = f"""{SHARED}
        st.shared.u32 [%r8], 0;
        {first}
        atom.shared.add.u32 %r1, [%r9], 1;
        {second}
        ld.shared.u32 %r2, [%r9];
"""
        return violations(MemoryRaceDetector(), body)

    assert not found("bar.sync 0;", "bar.sync 0;")
    assert found("", "bar.sync 0;")
    assert found("bar.sync 0;", "")


def test_blocks_have_shared_memory_of_their_own() -> None:
    checker = MemoryRaceDetector()
    module = kernel(f"{SHARED} setp.ne.u32 %p1, %i, 0; @%p1 bra D; st.shared.u32 [%r9], %t;\nD:")
    arguments = (Buffer("in"), Buffer("out"))
    simulate(module, "k", Launch((4, 1, 1), (64, 1, 1), arguments), tracers=(checker,))
    assert not checker.violations and not checker.skipped


@pytest.mark.parametrize(
    "instruction",
    ["bar.sync 1, 64;", "bar.arrive 1, 64;", "membar.cta; atom.shared.add.u32 %r7, [%r9], 0;"],
)
def test_nothing_is_claimed_where_threads_are_ordered_otherwise(instruction: str) -> None:
    checker = MemoryRaceDetector()
    assert not violations(checker, exchange(32, f"{instruction} bar.sync 0;"))
    assert checker.skipped
    assert "not looked for" in str(checker.metrics()["shared memory races"])


# --- barriers -------------------------------------------------------------------------------------

APART = """
    setp.lt.u32 %p1, %i, {bound};
    @%p1 bra SKIP;
    bar.sync 0;
    bra DONE;
SKIP:
    {other}
DONE:
"""


def test_a_warp_at_different_barriers() -> None:
    body = APART.format(bound=16, other="bar.sync 0;")
    found = violations(BarrierChecker(), body)
    assert [v.kind for v in found] == ["divergent-barrier"]
    assert found[0].instruction is not found[0].other


def test_warps_may_come_to_a_barrier_in_different_places() -> None:
    assert not violations(BarrierChecker(), APART.format(bound=32, other="bar.sync 0;"))


def test_a_deadlock_says_who_waits_where() -> None:
    checker = BarrierChecker()
    stop = run(checker, APART.format(bound=32, other="bar.sync 1;")).stop
    assert stop is not None and stop.reason == "deadlock"
    found = checker.deadlock(stop)
    assert "32 of the 64 threads of block (0, 0, 0) wait at this barrier" in found.message
    assert found.instruction is not None and found.other is not None


@pytest.mark.parametrize(("arch", "wrong"), [("sm_80", False), ("sm_60", True)])
def test_threads_that_left_the_kernel(arch: str, wrong: bool) -> None:
    """Since compute capability 7.0 a barrier waits for those only that have not left."""
    body = "setp.lt.u32 %p1, %i, 40; @%p1 ret; bar.sync 0;"
    found = violations(BarrierChecker(), body, arch=arch)
    assert [v.kind for v in found] == ["divergent-barrier"] * wrong
    if wrong:
        assert "24 of the 64 threads" in found[0].message


def test_all_threads_reach_a_barrier_in_a_loop() -> None:
    body = """
    mov.u32 %r1, 0;
LOOP:
    bar.sync 0;
    add.s32 %r1, %r1, 1;
    setp.lt.u32 %p1, %r1, 5;
    @%p1 bra LOOP;
"""
    checker = BarrierChecker()
    assert not violations(checker, body, arch="sm_60")
    assert checker.passed == 10
