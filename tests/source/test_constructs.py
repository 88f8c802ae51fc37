"""Loops and changes of variables, as rules see them."""

from __future__ import annotations

from pathlib import Path

from perflint.base.constructs import Constructs
from perflint.frontend.source.constructs import constructs_of

TEXT = """__global__ void k(float *y, const double *x, int n) {
  int i = threadIdx.x; double a, b = x[i];
  for (int k = 0; k < n; k++) { a = b * k; y[k] += a; }
  if (n) for (i = 1; i < n; i += 3) foo(&b);
  while (n > 0) --n;
  do { p->q[3] = 1; } while (n < 3);
  for (;;) break;
}
void host() { for (int q = 0; q < 3; q++) r = q; }
"""


def read() -> Constructs:
    return constructs_of(Path("k.cu"), TEXT)


def test_loops() -> None:
    found = sorted(
        (loop.span.line, loop.keyword, loop.in_block, *(
            part.text if part else None for part in (loop.initial, loop.condition, loop.update)
        ))
        for loop in read().loops
    )  # fmt: skip
    assert found == [
        (3, "for", True, "int k = 0", "k < n", "k++"),
        (4, "for", False, "i = 1", "i < n", "i += 3"),
        (5, "while", True, None, "(n > 0)", None),
        (6, "do", True, None, "(n < 3)", None),
        (7, "for", True, None, None, None),
    ]


def test_header_and_body_have_spans() -> None:
    (loop,) = (each for each in read().loops if each.span.line == 3)
    line = TEXT.splitlines()[2]
    assert loop.initial is not None and loop.update is not None
    for part, text in [(loop.initial.span, "int k = 0"), (loop.update.span, "k++")]:
        assert line[part.column - 1 : part.end_column - 1] == text
    assert line[loop.body.column - 1] == "{"


def test_changes_name_the_variable() -> None:
    changes = sorted((c.span.line, c.text) for c in read().changes)
    assert changes == [
        (3, "a"), (3, "k"), (3, "y"), (4, "b"), (4, "i"), (4, "i"), (5, "n"), (6, "p"),
    ]  # fmt: skip


def test_constants_of_one_declaration() -> None:
    text = "const int W = 16, H = 8;\nconstexpr unsigned N = 4;\n  const int inner = 3;\n"
    found = constructs_of(Path("k.cu"), text).constants
    places = [(c.name, c.body, c.span.line, c.span.column) for c in found]
    assert places == [("W", "16", 1, 15), ("H", "8", 1, 23), ("N", "4", 2, 24)]


def test_constant_memory_stands_anywhere_in_a_line() -> None:
    text = "\n".join(
        (
            'extern "C" __constant__ float first[3];',
            "namespace tables { __constant__ int second; }",
            "  static __device__ __constant__ const unsigned int third[2][2] = {{1, 2}, {3, 4}};",
            "// __constant__ float comment[4];",
            "__constant__",
            "    float4 fourth[N + 1];",
            "__constant__ __align__(16) short fifth[8];",
            "__constant__ float one[3], other[3];",
        )
    )
    found = constructs_of(Path("a.cu"), text).constant_memory
    assert [(each.text, each.span.line, each.span.column) for each in found] == [
        ("first", 1, 12),
        ("second", 2, 20),
        ("third", 3, 21),
        ("fourth", 5, 1),
        ("fifth", 7, 1),
    ]


def test_casts_of_all_three_spellings() -> None:
    text = "__device__ int f(float x) { return (int)x + static_cast<int>(x) + int(x) + g<int>(x); }"
    found = constructs_of(Path("k.cu"), text).casts
    assert [(cast.type, cast.operand.text) for cast in found] == [("int", "x")] * 3
