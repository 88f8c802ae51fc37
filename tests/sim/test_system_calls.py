"""What kernels call of the device's run-time system: printf, assert, malloc, free."""

from __future__ import annotations

import numpy as np
import pytest

from perflint.grammar import parse
from perflint.sim import simulate
from perflint.sim.launch import Buffer, Fill, Launch, Run, Scalar
from perflint.sim.memory import Accounting, Region
from perflint.sim.system_calls import Heap, _pieces
from perflint.sim.tracers.memory_checker import MemoryChecker

_MODULE = """
.version 7.0
.target sm_80
.address_size 64
.extern .func (.param .b64 r) malloc (.param .b64 n);
.extern .func free (.param .b64 p);
.extern .func __assertfail (.param .b64 a, .param .b64 b, .param .b32 c, .param .b64 d,
  .param .b64 e);
.global .align 1 .b8 text[8] = {116, 32, 60, 32, 110, 0, 0, 0};
.visible .entry k(.param .u64 out, .param .u32 n)
{
  .reg .pred %p<4>; .reg .b32 %r<8>; .reg .b64 %d<16>;
  ld.param.u64 %d1, [out]; ld.param.u32 %r1, [n];
  mov.u32 %r2, %tid.x;
  mul.wide.u32 %d2, %r2, 8;
  add.u64 %d3, %d1, %d2;
  BODY
  ret;
}
"""
_MALLOC = """
  { .param .b64 size; .param .b64 got;
  cvt.u64.u32 %d4, %r1; st.param.b64 [size], %d4;
  call.uni (got), malloc, (size);
  ld.param.b64 %d5, [got]; }
  st.global.u64 [%d3], %d5;
"""


def _run(body: str, n: int, threads: int = 32, tracers: tuple[MemoryChecker, ...] = ()) -> Run:
    module = parse(_MODULE.replace("BODY", body))
    launch = Launch((1, 1, 1), (threads, 1, 1), (Buffer("out", size=8 * threads), Scalar(n)))
    return simulate(module, "k", launch, tracers=tracers)


def _addresses(run: Run) -> np.ndarray:
    return run.buffers["out"][:256].view(np.uint64)


@pytest.mark.parametrize("n", [1, 16, 17, 1000])
def test_malloc_gives_each_lane_memory_of_its_own(n: int) -> None:
    found = _addresses(_run(_MALLOC, n))
    assert (found != 0).all()
    assert (found % 16 == 0).all()
    assert (np.diff(np.sort(found)) >= n).all()


def test_malloc_gives_nothing_where_there_is_no_room() -> None:
    assert (_addresses(_run(_MALLOC, 0)) == 0).all()
    found = _addresses(_run(_MALLOC, 1 << 20))  # 8 MB in all
    assert np.count_nonzero(found) == 8


def test_memory_of_the_heap_is_an_allocation() -> None:
    checker = MemoryChecker()
    _run(_MALLOC + "st.global.u32 [%d5], %r2;", 64, tracers=(checker,))
    assert checker.violations == []
    assert checker.checked == 64


def test_what_was_freed_is_given_again() -> None:
    heap = Heap(Region(1, "heap", Fill.ZERO, 1024, Accounting(1 << 30)), 1 << 16)
    sizes = np.full(32, 1024)
    for _ in range(10):
        taken = heap.take(sizes)
        assert (taken != 0).all()
        heap.give(taken)
        heap.give(np.zeros(32, np.uint64))  # free(NULL)


def test_a_failed_assertion_says_what_failed() -> None:
    body = """
  setp.lt.u32 %p1, %r2, %r1;
  @%p1 bra fine;
  { .param .b64 a; .param .b64 b; .param .b32 c; .param .b64 d; .param .b64 e;
  mov.u64 %d6, text; cvta.global.u64 %d7, %d6;
  st.param.b64 [a], %d7; st.param.b64 [b], %d7; st.param.b32 [c], 42; st.param.b64 [d], %d7;
  st.param.b64 [e], 1;
  call.uni __assertfail, (a, b, c, d, e); }
fine:
"""
    assert _run(body, 32).stop is None
    run = _run(body, 30)
    assert run.stop is not None
    assert run.stop.reason == "trap"
    assert run.stop.detail == "an assertion failed: t < n:42: t < n: Assertion `t < n` failed."
    assert [(f.kind, f.count) for f in run.faults] == [("assert", 2)]


@pytest.mark.parametrize(
    ("template", "sizes"),
    [
        (b"plain 100%%\n", []),
        (b"%d %u %x %c", [4, 4, 4, 4]),
        (b"%lld %lu %zu %hd %hhx", [8, 8, 8, 4, 4]),
        (b"%f %e %s %p", [8, 8, 8, 8]),
        (b"%*d %-8.*f", [4, 4, 4, 8]),
    ],
)
def test_arguments_of_printf_are_as_wide_as_c_passes_them(
    template: bytes, sizes: list[int]
) -> None:
    assert [size for piece in _pieces(template) for size in piece.sizes] == sizes
