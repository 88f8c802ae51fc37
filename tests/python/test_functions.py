"""Kernels in Python source, and the names of what their compilers pass."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perflint.frontend.python.entries import entries
from perflint.frontend.python.functions import functions
from perflint.frontend.python.parameters import argument_types, triton_divisors

SOURCE = """\
@triton.jit
def kernel(a_ptr, b_ptr, n, BLOCK: tl.constexpr):
    π, offsets = 3, tl.arange(0, BLOCK)
    p = a_ptr + offsets
    block = tl.make_block_ptr(base=b_ptr, shape=(n,))
    x = tl.load(p, mask=offsets < n)
    y = tl.load(offsets + block); é = 1; z = tl.load(tl.advance(block, (1,)))
    tl.atomic_add(b_ptr + offsets, x)
    tl.store(
        p + n,
        x,
    )
"""


def test_accesses_are_traced_to_parameters() -> None:
    (found,) = functions(Path("k.py"), SOURCE)
    assert found.parameters == ("a_ptr", "b_ptr", "n", "BLOCK")
    assert found.constants == {"BLOCK"}
    assert (found.line, found.name_span.column) == (2, 5)
    seen = sorted(
        (s.span.line, s.array, "l" * s.load + "s" * s.store + "a" * s.atomic)
        for s in found.subscripts
    )
    assert seen == [
        (6, "a_ptr", "l"), (7, "b_ptr", "l"), (7, "b_ptr", "l"), (8, "b_ptr", "a"),
        (9, "a_ptr", "s"),
    ]  # fmt: skip


def test_names_that_are_made_of_each_other_end() -> None:
    lines = "".join(f"    a{i} = a{i - 1} + a{i + 1} + a{i}\n" for i in range(1, 200))
    text = f"def k(p):\n    a0 = a1 + a2\n{lines}    tl.load(a0)\n    a200 = p\n"
    (found,) = functions(Path("k.py"), text)
    assert [s.array for s in found.subscripts] == ["p"]


def test_columns_count_code_points() -> None:
    (found,) = functions(Path("k.py"), SOURCE)
    line = SOURCE.splitlines()[6]
    spans = [s.span for s in found.subscripts if s.span.line == 7]
    assert {line[s.column - 1 : s.end_column - 1] for s in spans} == {
        "tl.load(offsets + block)", "tl.load(tl.advance(block, (1,)))",
    }  # fmt: skip


@pytest.mark.parametrize("text", ["def f(:", "\0", "(" * 5000, "x = " + "-" * 100_000 + "1", ""])
def test_what_is_no_python_has_no_functions(text: str) -> None:
    assert functions(Path("k.py"), text) == ()


@given(st.text())
def test_any_text_can_be_read(text: str) -> None:
    functions(Path("k.py"), text)
    list(entries(text))
    argument_types(text)
    argument_types(f"_ZN{text}")


@pytest.mark.parametrize(
    ("mangled", "types"),
    [
        ("_ZN2nb7stridedB2v1E5ArrayIfLi1E1C7mutable7alignedEi",
         ("5ArrayIfLi1E1C7mutable7alignedE", "i")),
        ("_ZN6cudapy8__main__5k$241E5ArrayI8complex64Li2E1A7mutable7alignedExd",
         ("5ArrayI8complex64Li2E1A7mutable7alignedE", "x", "d")),
        ("_ZN2nb1kEv", ()),
        ("_ZN2nb1kE8UniTupleIxLi2EE", ("8UniTupleIxLi2EE",)),
        ("kernel", None),
        ("_ZN2nb1kE?", None),
    ],
)  # fmt: skip
def test_numba_names_say_the_types(mangled: str, types: tuple[str, ...] | None) -> None:
    assert argument_types(mangled) == types


def test_entries_say_their_parameters_and_line() -> None:
    ptx = """
.visible .entry k(
	.param .u64 .ptr .global .align 1 k_param_0,
	.param .u32 k_param_1,
	.param .align 8 .b8 k_param_2[16],
	.param .u64 k_param_3
)
.reqntid 128
{
	.loc 1 7 0
	ld.param.b64 %rd1, [k_param_0];
	ld.param.b32 %r1, [k_param_2+8];
}
	.file	1 "a \\"b\\".py"
"""
    (entry,) = entries(ptx)
    assert (entry.name, entry.file, entry.line) == ("k", 'a "b".py', 7)
    assert [(p.type, p.pointer, p.read) for p in entry.parameters] == [
        ("u64", True, True), ("u32", False, False), ("b8", False, True), ("u64", False, False),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("decorator", "kept"),
    [
        ("@triton.jit", set()),
        ("@triton.jit()", set()),
        ('@triton.jit(do_not_specialize=["n"])', {"n"}),
        ("@triton.jit(do_not_specialize=(1, 2))", {"n", "step"}),
        ('@jit(do_not_specialize=["n", 2], debug=True)', {"n", "step"}),
        ("@triton.autotune(configs, key=[])\n@triton.jit(do_not_specialize=[2])", {"step"}),
        ("@triton.jit(do_not_specialize=NAMES)", None),
        ("@triton.jit(do_not_specialize=[9])", None),
        ("@triton.jit(**options)", None),
    ],
)
def test_what_is_not_to_be_specialised(decorator: str, kept: set[str] | None) -> None:
    (found,) = functions(Path("k.py"), f"{decorator}\ndef k(a_ptr, n, step):\n    pass\n")
    assert found.unspecialised == kept


def test_divisors_stand_in_tritons_own_text() -> None:
    arguments = (
        '%a: !tt.ptr<f32> {tt.divisibility = 16 : i32} loc("a"(#loc)), %n: i32 loc("n"(#loc)), '
        '%step: i32 {tt.divisibility = 8 : i32} loc("step"(#loc))'
    )
    ttir = f"module {{\n  tt.func public @k({arguments}) attributes {{}} {{\n"
    assert triton_divisors("k", ttir) == {"a": 16, "step": 8}
    assert triton_divisors("other", ttir) == {}
