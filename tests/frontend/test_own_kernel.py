"""A variant of a kernel is compiled without what the file's other kernels do."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from perflint.base.edits import apply_edits
from perflint.base.evidence import Edit
from perflint.frontend import compile_file
from perflint.frontend.source.constructs import constructs_of
from perflint.grammar import parse
from perflint.grammar.model import Function, Module
from perflint.lint.own_kernel import emptied, same_variables
from tests.frontend.test_again import edit

MAIN = """\
static __device__ int limit = 7, other = 5;
__device__ int table[4];
__global__ void sets(int n) { limit = n;
    table[1] = n; }
namespace inner {
template <class T> __global__ void any(T *a) { a[0] = other; }
}
__global__ void switched(int *a)
{
#if 1
    a[0] = 1;
#endif
}
extern "C" __global__ void own(int *a, int n) { a[threadIdx.x] = LIMIT / n; }
"""
LEFT = """\
static __device__ int limit = 7, other = 5;
__device__ int table[4];
__global__ void sets(int n) {
}
namespace inner {
template <class T> __global__ void any(T *a) {}
}
__global__ void switched(int *a)
{
#if 1
    a[0] = 1;
#endif
}
extern "C" __global__ void own(int *a, int n) { a[threadIdx.x] = LIMIT / n; }
"""


def emptied_of(path: Path, edits: tuple[Edit, ...], opcode: str = "div") -> tuple[Edit, ...]:
    text = path.read_text()
    constructs = constructs_of(path, text)
    own = next(f for f in constructs.functions if f.name == "own")
    subject: Any = SimpleNamespace(
        kernel=SimpleNamespace(instructions=[SimpleNamespace(opcode=opcode)]),
        facts={path: SimpleNamespace(lines=text.splitlines())},
        constructs=lambda asked: constructs if asked == path else None,
    )
    return emptied(subject, own, edits)


@pytest.fixture
def main(tmp_path: Path) -> Path:
    path = (tmp_path / "main.cu").resolve()
    path.write_text(MAIN.replace("LIMIT", "limit"))
    return path


def test_other_kernels_are_left_empty_at_their_lines(main: Path) -> None:
    edits = emptied_of(main, (edit(main, 14, "n; }", "3; }"),))
    assert apply_edits(main.read_text(), edits) == LEFT.replace("LIMIT", "limit")


def test_what_is_edited_stays(main: Path) -> None:
    edits = emptied_of(main, (edit(main, 4, "n; }", "3; }"),))
    assert [each.span.line for each in edits] == [6]


def test_a_kernel_that_calls_is_compiled_with_all_callers(main: Path) -> None:
    assert emptied_of(main, (), opcode="call") == ()


@pytest.mark.parametrize(("read", "same"), [("limit", True), ("7", False), ("table[n]", False)])
def test_an_edited_kernel_with_other_variables_is_compiled_with_all(
    main: Path, read: str, same: bool
) -> None:
    def compiled(text: str) -> tuple[Module, Function]:
        main.write_text(text)
        ptx = compile_file(main).ptx
        assert ptx is not None
        module = parse(ptx, "main.ptx")
        return module, module.functions["own"]

    edits = emptied_of(main, (edit(main, 14, "limit", read),))
    alone = apply_edits(main.read_text(), edits).replace("= limit /", f"= {read} /")
    assert same_variables(*compiled(main.read_text()), *compiled(alone)) is same
