"""What the source of kernels and of their launches says of arguments."""

from __future__ import annotations

import ast
from types import SimpleNamespace
from typing import Any

import pytest

from perflint.python_kernels.aligned import given
from perflint.python_kernels.kernel_syntax import inner_of, integers_of, pointers_of

pytestmark = pytest.mark.quick
tl: Any = None  # the kernels below are read, not run


def _gathering(x_ptr, slots, lens, packed_ptr, scales_ptr, mask, out, n, block):  # type: ignore[no-untyped-def]
    cols = tl.arange(0, block)
    slot = tl.load(slots + tl.program_id(0))
    length = tl.load(lens + tl.program_id(0))
    ptr = scales_ptr + cols
    scale = tl.load(ptr)
    ptr = packed_ptr + cols
    packed = tl.load(ptr)
    packed = (packed >> 4) * scale
    x_ptrs = x_ptr + slot * n + cols
    for _ in range(0, length, block):
        x = tl.load(x_ptrs, where=tl.load(mask + cols) > 0)
        x_ptrs += block
        tl.store(out + cols, x * packed)


def test_tables_of_indices_are_those_that_lead_to_addresses() -> None:
    """Neither a scale that is multiplied by what was shifted is one, nor what is compared."""
    assert integers_of(_gathering) == {"slots", "lens", "packed_ptr"}
    assert pointers_of(_gathering) == {
        "x_ptr",
        "slots",
        "lens",
        "packed_ptr",
        "scales_ptr",
        "mask",
        "out",
    }


def _ranks(call: str, *names: str) -> dict[str, int]:
    node = ast.parse(call, mode="eval").body
    assert isinstance(node, ast.Call)
    return {ast.unparse(g.value): g.rank for g in given(node, names, names) if g.rank}


def test_unpacked_strides_have_as_many_as_there_are_parameters() -> None:
    names = ("q_ptr", "k_ptr", "stride_qb", "stride_qh", "stride_qm", "stride_kb", "stride_kn", "n")
    call = "k[g](q, k, *q.stride(), *k.stride(), n)"
    assert _ranks(call, *names) == {"q.stride()": 3, "k.stride()": 2}
    call = "k[g](q, k, *q.stride(), *(k.stride() if k is not None else (0, 0)), n)"
    assert _ranks(call, *names)["q.stride()"] == 3
    assert _ranks("k[g](q, *q.shape, BLOCK=64)", "q", "m", "n", "BLOCK") == {"q.shape": 2}


def test_arguments_after_unpacked_ones_are_known() -> None:
    node = ast.parse("k[g](x, *x.stride(), out, N=n)", mode="eval").body
    assert isinstance(node, ast.Call)
    found = given(node, ("x", "stride_a", "stride_b", "out", "N"), ("x", "out"))
    assert {g.parameter: ast.unparse(g.value) for g in found if not g.rank} == {
        "x": "x", "out": "out", "N": "n",
    }  # fmt: skip


def test_what_a_library_puts_around_a_kernel_is_seen_through() -> None:
    wrapper = SimpleNamespace(fn=_gathering)
    assert inner_of(wrapper) is _gathering
    assert inner_of(SimpleNamespace) is None and inner_of(3) is None
