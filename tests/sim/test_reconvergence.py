"""The two reconvergence mechanisms: the same memory in the end, other lanes together on the way."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perflint.sim.simulation_options import RECONVERGENCE, Reconvergence
from perflint.sim.tracers.branch import Branch
from perflint.sim.tracers.instruction import Instruction
from tests.sim.kernels import kernel, launch, result

both = pytest.mark.parametrize("mechanism", RECONVERGENCE)

# --- the example of Diamos et al., MICRO 2011, Figure 1 ------------------------------------------

#: `if ((c1 || c2) && (c3 || c4)) body;` with one bit of a thread's word for each condition. Each
#: block multiplies by a prime of its own, so that the product tells the path.
SHORT_CIRCUIT = """
    ld.global.u32 %r1, [%mine_in];
    mov.u32 %r9, 2;
    and.b32 %r2, %r1, 1;
    setp.ne.u32 %p1, %r2, 0;
    @%p1 bra BB3;
BB2:
    mul.lo.u32 %r9, %r9, 3;
    and.b32 %r2, %r1, 2;
    setp.eq.u32 %p1, %r2, 0;
    @%p1 bra EXIT;
BB3:
    mul.lo.u32 %r9, %r9, 5;
    and.b32 %r2, %r1, 4;
    setp.ne.u32 %p1, %r2, 0;
    @%p1 bra BB5;
BB4:
    mul.lo.u32 %r9, %r9, 7;
    and.b32 %r2, %r1, 8;
    setp.eq.u32 %p1, %r2, 0;
    @%p1 bra EXIT;
BB5:
    mul.lo.u32 %r9, %r9, 11;
EXIT:
    st.global.u32 [%mine_out], %r9;
"""
#: Threads 0 to 3 go 1-3-4, 1-2, 1-2-3-5 and 1-2-3-4-5.
PATHS = {0b0001: 2 * 5 * 7, 0b0000: 2 * 3, 0b0110: 2 * 3 * 5 * 11, 0b1010: 2 * 3 * 5 * 7 * 11}
#: How often the warp runs blocks 2 to 5, counted by hand from the paper's figure: with a stack the
#: first thread's visits of 3 and 4 are its own, and so are the others' of 5.
VISITS = {"thread-frontiers": [1, 1, 1, 1], "ipdom": [1, 2, 2, 2]}


@both
def test_short_circuits_meet_early_at_thread_frontiers_only(mechanism: Reconvergence) -> None:
    words = np.array([*PATHS], np.uint32)
    counts, branch = Instruction(), Branch()
    module = kernel(SHORT_CIRCUIT)
    run = launch(
        module, words, out=np.zeros(4, np.uint32), block=(4, 1, 1),
        tracers=[counts, branch], reconvergence=mechanism,
    )  # fmt: skip
    assert result(run, "u4").tolist() == [*PATHS.values()]
    products = [
        at for at, each in enumerate(module.kernels[0].instructions)
        if each.opcode == "mul" and "lo" in each.modifiers
    ]  # fmt: skip
    sums = counts.sums()
    assert [sums[at]["warp_instructions"] for at in products] == VISITS[mechanism]
    assert [sums[at]["thread_instructions"] for at in products] == [3, 3, 2, 2]


def test_thread_frontiers_keep_more_lanes_active() -> None:
    found = {}
    for mechanism in RECONVERGENCE:
        branch = Branch()
        launch(
            kernel(SHORT_CIRCUIT), np.array([*PATHS] * 64, np.uint32),
            out=np.zeros(256, np.uint32), block=(256, 1, 1), tracers=[branch],
            reconvergence=mechanism,
        )  # fmt: skip
        found[mechanism] = branch.activity_factor
    assert found["ipdom"] < found["thread-frontiers"] < 1


# --- any control flow ----------------------------------------------------------------------------

_TURNS = 24  #: branches that a lane makes at most
_THREADS = 70  #: of a block: two whole warps and a part of one
LEAVE = -1


@dataclass(frozen=True)
class Flow:
    """A block's way on: `taken` where a bit of the lane's mixed state is set, else `other`."""

    taken: int
    other: int
    bit: int


@st.composite
def flows(draw: st.DrawFn) -> tuple[Flow, ...]:
    count = draw(st.integers(2, 9))
    target = st.integers(LEAVE, count - 1)
    flow = st.builds(Flow, target, target, st.integers(0, 7))
    return tuple(draw(st.lists(flow, min_size=count, max_size=count)))


def ptx_of(blocks: tuple[Flow, ...], name: str) -> list[str]:
    """Each block mixes its number into the lane's state, and spends one of the lane's turns."""
    out = [f"mov.u32 %r8, {_TURNS};"]
    leave = f"{name}_LEAVE"
    for number, block in enumerate(blocks):
        taken, other = (f"{name}{n}" if n != LEAVE else leave for n in (block.taken, block.other))
        out += [
            f"{name}{number}:",
            f"mad.lo.u32 %r9, %r9, 1664525, {1013904223 + number};",
            "sub.u32 %r8, %r8, 1;",
            "setp.eq.u32 %p2, %r8, 0;",
            f"@%p2 bra {leave};",
            f"shr.u32 %r7, %r9, {20 + block.bit};",
            "and.b32 %r7, %r7, 1;",
            "setp.ne.u32 %p1, %r7, 0;",
            f"@%p1 bra {taken};",
            f"bra {other};",
        ]
    return [*out, f"{leave}:"]


#: Each thread takes the state of the next one of its block.
EXCHANGE = f"""
    .shared .b32 states[{_THREADS}];
    mov.u32 %r1, states;
    shl.b32 %r2, %i, 2;
    add.u32 %r3, %r1, %r2;
    st.shared.u32 [%r3], %r9;
    bar.sync 0;
    add.u32 %r2, %i, 1;
    rem.u32 %r2, %r2, {_THREADS};
    shl.b32 %r2, %r2, 2;
    add.u32 %r3, %r1, %r2;
    ld.shared.u32 %r9, [%r3];
"""


def alone(blocks: tuple[Flow, ...], state: np.ndarray) -> np.ndarray:
    """What each thread's state becomes, whoever runs beside it."""
    at = np.zeros(len(state), np.int64)
    taken, other, bit = (
        np.array([getattr(b, f) for b in blocks]) for f in ("taken", "other", "bit")
    )
    for _ in range(_TURNS):
        here = at != LEAVE
        mixed = state * np.uint32(1664525) + (1013904223 + at).astype(np.uint32)
        state = np.where(here, mixed, state)
        jumps = (state >> (20 + bit[at]).astype(np.uint32)) & 1
        at = np.where(here, np.where(jumps, taken[at], other[at]), LEAVE)
    return state


@settings(max_examples=60, deadline=None)
@given(flows(), flows(), st.booleans())
def test_memory_is_the_same_whatever_the_control_flow(
    first: tuple[Flow, ...], second: tuple[Flow, ...], reference: bool
) -> None:
    """Any control flow, an exchange between threads behind a barrier, and any control flow."""
    body = ["mov.u32 %r9, %t;", *ptx_of(first, "A"), EXCHANGE, *ptx_of(second, "B")]
    module = kernel("\n".join([*body, "st.global.u32 [%mine_out], %r9;"]))
    middle = alone(first, np.arange(2 * _THREADS, dtype=np.uint32)).reshape(2, _THREADS)
    wanted = alone(second, np.roll(middle, -1, axis=1).reshape(-1))
    for mechanism in RECONVERGENCE:
        run = launch(
            module, out=np.zeros(2 * _THREADS, np.uint32), grid=(2, 1, 1),
            block=(_THREADS, 1, 1), reconvergence=mechanism, reference=reference,
        )  # fmt: skip
        assert np.array_equal(result(run, "u4"), wanted), mechanism


# --- structured control flow ---------------------------------------------------------------------


class Writer:
    """Statements as PTX; each mixes a number of its own into the lane's state."""

    def __init__(self) -> None:
        self.lines = ["mov.u32 %r9, %t;", f"mov.u32 %r8, {_TURNS};"]
        self.count = 0

    def mix(self) -> int:
        self.count += 1
        self.lines.append(f"mad.lo.u32 %r9, %r9, 1664525, {1013904223 + self.count};")
        return self.count

    def test(self, bit: int, label: str, wanted: int) -> None:
        self.lines += [
            f"shr.u32 %r7, %r9, {20 + bit};",
            "and.b32 %r7, %r7, 1;",
            f"setp.eq.u32 %p1, %r7, {wanted};",
            f"@%p1 bra {label};",
        ]

    def write(self, statement: object) -> None:
        """A tree: `None`, ("seq", a, b), ("if", bit, a, b) or ("while", bit, a)."""
        number = self.mix()
        if not isinstance(statement, tuple):
            return
        kind, *parts = statement
        if kind == "seq":
            for part in parts:
                self.write(part)
        elif kind == "if":
            self.test(parts[0], f"ELSE{number}", 0)
            self.write(parts[1])
            self.lines += [f"bra END{number};", f"ELSE{number}:"]
            self.write(parts[2])
            self.lines.append(f"END{number}:")
        else:
            self.lines.append(f"LOOP{number}:")
            self.mix()
            self.lines += ["setp.eq.u32 %p2, %r8, 0;", f"@%p2 bra END{number};"]
            self.test(parts[0], f"END{number}", 0)
            self.lines.append("sub.u32 %r8, %r8, 1;")
            self.write(parts[1])
            self.lines += [f"bra LOOP{number};", f"END{number}:"]


bits = st.integers(0, 7)
statements = st.recursive(
    st.none(),
    lambda inner: st.one_of(
        st.tuples(st.just("seq"), inner, inner),
        st.tuples(st.just("if"), bits, inner, inner),
        st.tuples(st.just("while"), bits, inner),
    ),
    max_leaves=6,
)


@settings(max_examples=60, deadline=None)
@given(statements)
def test_structured_code_meets_at_the_post_dominator_either_way(statement: object) -> None:
    writer = Writer()
    writer.write(statement)
    module = kernel("\n".join([*writer.lines, "st.global.u32 [%mine_out], %r9;"]))
    found = []
    for mechanism in RECONVERGENCE:
        counts = Instruction()
        run = launch(
            module, out=np.zeros(2 * _THREADS, np.uint32), grid=(2, 1, 1),
            block=(_THREADS, 1, 1), tracers=[counts], reconvergence=mechanism,
        )  # fmt: skip
        found.append((result(run, "u4").tolist(), counts.sums()))
    assert found[0] == found[1]


# --- lanes that wait for each other --------------------------------------------------------------

LOCK = """
AGAIN:
    atom.global.cas.b32 %r1, [%in], 0, 1;
    setp.ne.u32 %p1, %r1, 0;
    @%p1 bra AGAIN;
    ld.volatile.global.u32 %r2, [%out];
    add.u32 %r2, %r2, 1;
    st.volatile.global.u32 [%out], %r2;
    membar.gl;
    atom.global.exch.b32 %r1, [%in], 0;
"""
#: Half of a warp comes to a barrier that the other half comes to elsewhere.
TWO_BARRIERS = """
    and.b32 %r1, %i, 1;
    setp.eq.u32 %p1, %r1, 0;
    @%p1 bra EVEN;
    bar.sync 0;
    mov.u32 %r2, 1;
    bra DONE;
EVEN:
    bar.sync 0;
    mov.u32 %r2, 2;
DONE:
    st.global.u32 [%mine_out], %r2;
"""
#: One lane waits at a barrier for lanes that wait for it to meet them.
ONE_BEFORE = """
    setp.ne.u32 %p1, %i, 3;
    @%p1 bra MEET;
    bar.sync 0;
MEET:
    mov.u32 %r2, 7;
    @%p1 bar.sync 0;
    st.global.u32 [%mine_out], %r2;
"""


@both
def test_who_holds_a_lock_does_not_wait_for_who_wants_it(mechanism: Reconvergence) -> None:
    """A bare stack would wait for ever: Volta and later let each lane progress."""
    run = launch(
        kernel(LOCK), np.zeros(1, np.int32), out=np.zeros(1, np.int32), grid=(2, 1, 1),
        block=(64, 1, 1), reconvergence=mechanism,
    )  # fmt: skip
    assert result(run)[0] == 128


@both
@pytest.mark.parametrize("body", [TWO_BARRIERS, ONE_BEFORE])
def test_lanes_that_wait_at_a_barrier_let_others_come(body: str, mechanism: Reconvergence) -> None:
    run = launch(
        kernel(body), out=np.zeros(64, np.int32), block=(64, 1, 1), reconvergence=mechanism
    )
    assert set(result(run).tolist()) <= {1, 2, 7}
