"""The static address of every access is the one that the simulator sees.

Random kernels of integer arithmetic, choices and nested loops, and the compiled cases: each site's
address polynomial is evaluated for all lanes and loop turns and held against the trace.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perflint.analysis import analyse
from perflint.analysis.model import AccessSite
from perflint.analysis.symbols import Base, Loop, Opaque, Parameter, Special, Symbol
from perflint.grammar import parse
from perflint.grammar.model import Function, Module
from perflint.sim import simulate
from perflint.sim.launch import Argument, Buffer, Dim3, Launch, Scalar
from perflint.sim.trace import BarrierBatch, MemoryBatch, Setting

DATA = Path(__file__).parent / "data"


@dataclass
class Recorder:
    """Keeps the batches of a run."""

    batches: list[MemoryBatch] = field(default_factory=list)

    def begin(self, setting: Setting) -> None:
        self.batches.clear()

    def memory(self, batch: MemoryBatch) -> None:
        self.batches.append(batch)

    def barrier(self, batch: BarrierBatch) -> None: ...

    def finish(self) -> None: ...


def thread_indices(warp: int, block: Dim3) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """%tid of a warp's 32 lanes (CUDA programming guide, thread hierarchy: x runs fastest)."""
    linear = warp * 32 + np.arange(32)
    return linear % block[0], linear // block[0] % block[1], linear // (block[0] * block[1])


def launch_values(launch: Launch, block: Dim3, warp: int) -> dict[Symbol, Any]:
    """What the symbols of a launch stand for in one warp; buffers and variables begin at 0."""
    values: dict[Symbol, Any] = {Special("%laneid"): np.arange(32)}
    threads = thread_indices(warp, launch.block)
    for at, axis in enumerate("xyz"):
        values[Special(f"%tid.{axis}")] = threads[at]
        values[Special(f"%ctaid.{axis}")] = block[at]
        values[Special(f"%ntid.{axis}")] = launch.block[at]
        values[Special(f"%nctaid.{axis}")] = launch.grid[at]
    for index, argument in enumerate(launch.arguments):
        if isinstance(argument, Buffer):
            values[Parameter(index)] = 0
        elif isinstance(argument, Scalar):
            values[Parameter(index)] = argument.value
    return values


def check(
    module: Module,
    kernel: Function,
    launch: Launch,
    sites: Mapping[int, AccessSite],
    turns: Callable[[int, int], Mapping[Symbol, int]],
) -> int:
    """Compares; `turns(pc, n)` are the loop counters when a warp executes `pc` for the nth time."""
    recorder = Recorder()
    run = simulate(module, kernel, launch, tracers=(recorder,))
    assert run.stop is None
    assert not run.faults
    times: dict[tuple[int, int, int], int] = defaultdict(int)
    compared = 0
    for batch in sorted(recorder.batches, key=lambda b: b.order):
        site = sites.get(batch.pc)
        for row in range(len(batch.block)):
            block, warp = int(batch.block[row]), int(batch.warp[row])
            turn = times[batch.pc, block, warp]
            times[batch.pc, block, warp] += 1
            if site is None or site.address is None or site.kind != batch.kind:
                continue
            values = launch_values(launch, run.blocks.indices[block], warp)
            values |= {a: 0 for a in site.address.atoms if isinstance(a, Base)}
            expected = site.address.evaluate({**values, **turns(batch.pc, turn)})
            lanes = batch.mask[row]
            np.testing.assert_array_equal(
                np.broadcast_to(expected, 32)[lanes], batch.offset[row][lanes]
            )
            compared += 1
    return compared


# --- random kernels

HEAD = """
.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 k_param_0, .param .u32 k_param_1)
{
	.reg .pred %p<2>;
	.reg .b32 %r<64>;
	.reg .b64 %rd<8>;
	ld.param.u64 %rd1, [k_param_0];
	cvta.to.global.u64 %rd2, %rd1;
	ld.param.u32 %r0, [k_param_1];
	mov.u32 %r1, %tid.x;
	mov.u32 %r2, %ctaid.x;
	mov.u32 %r3, %tid.y;
	mov.u32 %r4, %ntid.x;
	mov.u32 %r5, 3;
"""

#: `%r5` to `%r9` are the variables; the last three registers of a step are filled in.
STEPS = (
    "add.s32 {d}, {a}, {b};",
    "sub.s32 {d}, {a}, {b};",
    "mul.lo.s32 {d}, {a}, {small};",
    "mad.lo.s32 {d}, {a}, {small}, {b};",
    "shl.b32 {d}, {a}, 1;",
    "or.b32 {d}, {a}, {small};",
    "and.b32 {d}, {a}, 60;",
    "xor.b32 {d}, {a}, {b};",
    "shr.u32 {d}, {a}, {small};",
    "shr.s32 {d}, {a}, 1;",
    "min.s32 {d}, {a}, {b};",
    "max.s32 {d}, {a}, {b};",
    "div.s32 {d}, {a}, {small};",
    # A compiler's division by 3: the upper half of a product.
    "and.b32 {d}, {a}, 1023;\n mul.wide.u32 %rd5, {d}, -1431655765;\n shr.u64 %rd6, %rd5, 33;\n"
    "cvt.u32.u64 {d}, %rd6;",
    "and.b32 {d}, {a}, 1023;\n mul.hi.u32 {d}, {d}, 2863311531;",
    "rem.s32 {d}, {a}, {small};",
    "neg.s32 {d}, {a};",
    "setp.lt.s32 %p0, {a}, {b};\n selp.b32 {d}, {b}, {small}, %p0;",
    "setp.ge.s32 %p0, {a}, {b};\n @%p0 mov.u32 {d}, {a};",
    "bfe.u32 {d}, {a}, 2, 4;",
    "bfi.b32 {d}, {a}, {b}, 4, 3;",
)
RECURRENCES = (
    "add.s32 {d}, {d}, {small};",
    "add.s32 {d}, {d}, %r0;",
    "add.s32 {d}, {d}, %r1;",
    "sub.s32 {d}, {d}, %r4;",
)
VARIABLES = tuple(f"%r{n}" for n in range(5, 10))

operands = st.fixed_dictionaries(
    {
        "d": st.sampled_from(VARIABLES),
        "a": st.sampled_from(("%r0", "%r1", "%r2", "%r3", "%r4", *VARIABLES)),
        "b": st.sampled_from(("%r0", "%r1", "%r2", *VARIABLES)),
        "small": st.integers(1, 4),
    }
)
plain = st.one_of(
    st.tuples(st.just("step"), st.sampled_from(STEPS), operands),
    st.tuples(st.just("store"), st.sampled_from(VARIABLES)),
)
bodies = st.recursive(
    st.lists(plain, min_size=1, max_size=4),
    lambda inner: st.lists(
        plain
        | st.tuples(
            st.just("loop"),
            st.integers(1, 3),
            st.lists(st.tuples(st.sampled_from(RECURRENCES), operands), max_size=2),
            inner,
        ),
        min_size=1,
        max_size=4,
    ),
    max_leaves=5,
)


@dataclass
class Writer:
    """Writes a random body as PTX and remembers the loops around each store."""

    lines: list[str] = field(default_factory=list)
    around: list[tuple[int, ...]] = field(default_factory=list)  #: by store, outermost first
    trips: list[int] = field(default_factory=list)  #: by loop
    depths: list[int] = field(default_factory=list)  #: by loop, 1 for an outermost one

    def body(self, statements: list[Any], loops: tuple[int, ...] = ()) -> None:
        for kind, *rest in statements:
            if kind == "step":
                self.lines.append(rest[0].format(**rest[1]))
            elif kind == "store":
                self.lines.append(
                    f"and.b32 %r10, {rest[0]}, 65535;\n mul.wide.s32 %rd3, %r10, 4;\n"
                    "add.s64 %rd4, %rd2, %rd3;\n st.global.u32 [%rd4+8], %r0;"
                )
                self.around.append(loops)
            else:
                self.loop(*rest, loops=loops)

    def loop(
        self, trips: int, recurrences: list[Any], inner: list[Any], loops: tuple[int, ...]
    ) -> None:
        number = len(self.trips)
        self.trips.append(trips)
        self.depths.append(len(loops) + 1)
        counter = f"%r{20 + number}"
        self.lines.append(f"mov.u32 {counter}, 0;\nTOP_{number}:")
        self.body(inner, (*loops, number))
        self.lines.extend(step.format(**names) for step, names in recurrences)
        self.lines.append(
            f"add.s32 {counter}, {counter}, 1;\n setp.lt.s32 %p1, {counter}, {trips};\n"
            f"@%p1 bra TOP_{number};"
        )

    def turns(self, loops: tuple[int, ...], n: int) -> dict[int, int]:
        """The loops' counters at the nth execution of a store; of loops left, the last."""
        out = {number: trips - 1 for number, trips in enumerate(self.trips)}
        for number in reversed(loops):
            n, out[number] = divmod(n, self.trips[number])
        return out


@settings(max_examples=120, deadline=None)
@given(bodies)
def test_random_kernels(body: list[Any]) -> None:
    writer = Writer()
    writer.body(body)
    text = HEAD + "".join(f"\tmov.u32 {v}, {n};\n" for n, v in enumerate(VARIABLES[1:]))
    module = parse(text + "\n".join(writer.lines) + "\n\tret;\n}\n", "k.ptx")
    kernel = module.kernels[0]
    stores = [i.index for i in kernel.instructions if i.opcode == "st"]
    loops = dict(zip(stores, writer.around, strict=True))
    # Left without a formula: what is merged from several definitions, and sums of varying steps.
    sites = {
        s.pcs[0]: s
        for s in analyse(module, kernel).sites
        if s.address and not any(isinstance(a, Opaque) for a in s.address.atoms)
    }

    def turns(pc: int, n: int) -> dict[Symbol, int]:
        return {
            Loop(kernel.labels[f"TOP_{number}"], writer.depths[number]): turn
            for number, turn in writer.turns(loops[pc], n).items()
        }

    launch = Launch((3, 1, 1), (16, 4, 1), (Buffer("a"), Scalar(5)))
    check(module, kernel, launch, sites, turns)


def opaque_kinds(site: AccessSite) -> set[str]:
    assert site.address is not None
    return {atom.kind for atom in site.address.atoms if isinstance(atom, Opaque)}


def test_the_random_kernels_are_mostly_solved() -> None:
    """One of their kind, written out: pointer recurrences in two loops and a use behind them."""
    body = [
        ("loop", 3, [(RECURRENCES[1], {"d": "%r6", "small": 1})], [
            ("loop", 2, [(RECURRENCES[2], {"d": "%r7", "small": 1})], [("store", "%r7")]),
            ("store", "%r6"),
        ]),
        ("store", "%r6"),
    ]  # fmt: skip
    writer = Writer()
    writer.body(body)
    text = HEAD + "mov.u32 %r6, 0;\n mov.u32 %r7, 1;\n"
    module = parse(text + "\n".join(writer.lines) + "\n\tret;\n}\n", "k.ptx")
    facts = analyse(module, module.kernels[0])
    kinds = [opaque_kinds(site) for site in facts.sites]
    # The inner pointer goes on where it was left: its outer step varies with the inner loop.
    assert kinds == [{"sum"}, set(), set()]


# --- compiled kernels

CASES = parse((DATA / "cases.ptx").read_text(), "cases.ptx")


@pytest.mark.parametrize(
    ("kernel", "block", "arguments"),
    [
        ("one_line", (16, 16, 1), "bbb 48 64"),
        ("matrix_product", (32, 8, 1), "bbb 96 20"),
        ("row_per_thread", (64, 1, 1), "bb 12"),
        ("transpose_tile", (32, 32, 1), "bb 64 96"),
        ("odd_bits", (96, 1, 1), "b"),
        ("modulo", (64, 1, 1), "b 7"),
        ("vectors", (64, 1, 1), "bb"),
        ("triangle", (32, 1, 1), "b 40"),
        ("same_array_chosen", (32, 1, 1), "b 40 0"),
    ],
)
def test_compiled_kernels(kernel: str, block: Dim3, arguments: str) -> None:
    buffers, *numbers = arguments.split()
    given_arguments: list[Argument] = [Buffer(f"{n}{b}") for n, b in enumerate(buffers)]
    given_arguments += [Scalar(int(n)) for n in numbers]
    function = CASES.functions[kernel]
    launch = Launch((2, 2, 1), block, tuple(given_arguments))
    sites = {
        s.pcs[0]: s
        for s in analyse(CASES, function).sites
        if s.address and not any(isinstance(a, Opaque) for a in s.address.atoms)
    }

    def turns(pc: int, n: int) -> dict[Symbol, int]:
        address = sites[pc].address
        assert address is not None
        return {atom: n for atom in address.atoms if isinstance(atom, Loop)}

    assert check(CASES, function, launch, sites, turns) > 0
