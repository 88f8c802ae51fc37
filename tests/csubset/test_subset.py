"""What the C subset holds, what it does not, and what is said of the rest."""

from __future__ import annotations

from pathlib import Path

import pytest

from perflint.frontend import csubset
from perflint.frontend.model import Compilation
from perflint.grammar import parse
from perflint.grammar.model import Instruction


def lower(folder: Path, text: str, **files: str) -> Compilation:
    """The compilation of a source `k.cu` with other files beside it (`_h` stands for `.h`)."""
    for name, content in files.items():
        folder.joinpath(name.replace("_h", ".h").replace("_cu", ".cu")).write_text(content)
    path = folder / "k.cu"
    path.write_text(text)
    return csubset.compile_file(path)


def instructions(compilation: Compilation, entry: str = "k") -> tuple[Instruction, ...]:
    """The instructions of a lowered kernel."""
    assert compilation.ptx is not None
    module = parse(compilation.ptx)
    return next(k for k in module.kernels if k.name == entry).instructions


OUTSIDE = {
    "template <int N> __global__ void k(int *a) { a[0] = N; }": "template",
    "template <class T> __device__ T f(T x) { return x; }\n"
    "__global__ void k(int *a) { a[0] = f(1); }": "template",
    "__global__ void k(int *a) { auto f = [] (int x) { return x; }; a[0] = f(1); }": "lambda",
    "struct S { int x; __device__ int get() { return x; } };\n"
    "__global__ void k(S *s, int *a) { a[0] = s->get(); }": "C",
    "namespace n { __device__ int f() { return 1; } }\n"
    "__global__ void k(int *a) { a[0] = n::f(); }": "namespace or class",
    "__global__ void k(int *a) { a[0] = missing(3); }": "the function missing",
    "__global__ void k(int *a) { a[0] = MISSING; }": "`MISSING`",
    "__device__ int f(int n) { return n ? n * f(n - 1) : 1; }\n"
    "__global__ void k(int *a) { a[0] = f(a[1]); }": "recursive function f",
    '__global__ void k(int *a) { asm("bar.sync 0;"); }': "inline PTX",
    "__global__ void k(int *a, int n) { int b[n]; a[0] = b[0]; }": "no constant",
    "struct S { int a : 3; };\n__global__ void k(S *s) { s->a = 1; }": "bit-field",
    "__device__ int f(int a) { return a; }\n__device__ int f(float a) { return 2; }\n"
    "__global__ void k(int *a) { a[0] = f(1); }": "overloaded function f",
    "int scale;\n__global__ void k(int *a) { a[0] = scale; }": "a variable of the host",
    "__global__ void k(int *a) { new int[3]; }": "new",
    "texture<float, 1, cudaReadModeElementType> t;\n"
    "__global__ void k(float *a) { a[0] = tex1Dfetch(t, threadIdx.x); }": "the function tex1Dfetch",
    "class C { public: C(); };\n__global__ void k(C c) { }": "C",
}


@pytest.mark.parametrize("text", OUTSIDE)
def test_what_is_outside_is_lost_with_the_construct(tmp_path: Path, text: str) -> None:
    other = "\n__global__ void fine(int *a) { a[threadIdx.x] = 1; }\n"
    found = lower(tmp_path, text + other)
    assert [k.name for k in found.lost] == ["k"]
    assert found.lost[0].reason.startswith("needs a compiler: ")
    assert OUTSIDE[text] in found.lost[0].reason
    assert set(found.entries) == {"fine"}
    assert found.errors == ()


INSIDE = [
    "__global__ void k(int *a) { goto end; a[0] = 1; end: a[1] = 2; }",
    "__global__ void k(int *a) { for (;;) { if (a[0]++ > 3) break; } }",
    "typedef struct { union { int i; float f; }; } U;\n"
    "__global__ void k(U *u) { u[0].f = u[1].i; }",
    "__global__ void k(int *a) { a[threadIdx.x] = int(2.5f) + static_cast<int>(3.5); }",
    "#define LOOP(i, n) for (int i = 0; i < n; i++)\n"
    "__global__ void k(int *a) { LOOP(j, 4) a[j] = std::min(j, 2); }",
    "extern \"C\" {\n__global__ void __launch_bounds__(128, 2) k(int *a) { a[0] = 'x'; }\n}",
    "namespace n { __global__ void k(float2 *a) { a[0].x = a[1].y; } }",
    "__global__ void k(float *a) { a[0] = FLT_MAX * M_PI; assert(a[1] > 0); }",
    "__global__ void k(const int *__restrict__ a, int b[4]) { b[0] = __ldg(a) + __ldg(&a[1]); }",
    "__global__ void k(unsigned *a) { a[0] = __shfl_down_sync(~0u, a[1], 4); }",
    "__global__ void k(unsigned *a) { a[0] = __ballot_sync(-1, a[1]) + __any_sync(~0, 1); }",
    "__global__ void k(dim3 d, int *a) { a[d.x] = d.y * gridDim.z; }",
    "__global__ void k(long double *a) { *a += 1e3L; }",
    "#if __CUDA_ARCH__ >= 600\n__global__ void k(double *a) { atomicAdd(a, 1.0); }\n#endif",
    "__global__ void k(void *p, int n) { ((float *)p)[n] = sizeof(float[3]) + sizeof n; }",
    "__global__ void k(int *a) { int x = 1, *p = &x; *p += 2; a[0] = x, a[1] = *p; }",
    "__global__ void k(int *a, int n) { switch (n) { case 1: case 2: a[0] = 1; } }",
]


@pytest.mark.parametrize("text", INSIDE)
def test_the_subset_is_lowered(tmp_path: Path, text: str) -> None:
    found = lower(tmp_path, text)
    assert not found.lost
    assert set(found.entries) == {"k"}
    assert instructions(found)


def test_a_syntax_error_is_the_users_only_if_both_parsers_see_it(tmp_path: Path) -> None:
    wrong = "__global__ void k(int *a)\n{\n    a[0] = ;\n}\n"
    found = lower(tmp_path, wrong)
    assert [(e.line, e.genuine) for e in found.errors] == [(3, True)]
    assert "syntax error" in found.errors[0].message
    assert not found.lost
    # What C does not have, and C++ may, is no error of the user's.
    odd = lower(tmp_path, "__global__ void k(int *a) { int &b = a[0]; b = 1; }\n")
    assert not odd.errors
    assert [k.name for k in odd.lost] == ["k"]


def test_the_output_says_that_there_was_no_compiler(tmp_path: Path) -> None:
    found = lower(tmp_path, "__global__ void k(int *a) { a[0] = 1; }\n")
    assert sum("no compiler was used" in remark for remark in found.remarks) == 1


def test_headers_and_fragments(tmp_path: Path) -> None:
    header = "#ifndef H\n#define H\n#define WIDTH 8\ntypedef float real;\n#endif\n"
    fragment = "__global__ void k(real *a) { a[threadIdx.x * WIDTH] = 0; }\n"
    lower(tmp_path, fragment, main_cu='#include "h.h"\n#include "k.cu"\n', h_h=header)
    direct = csubset.compile_file(tmp_path / "main.cu", root=tmp_path)
    through = csubset.compile_file(tmp_path / "k.cu", root=tmp_path)
    for found in (direct, through):
        assert set(found.entries) == {"k"}
        assert not found.lost
    assert any("read through" in remark for remark in through.remarks)


def test_definitions_from_the_command_line(tmp_path: Path) -> None:
    path = tmp_path / "k.cu"
    path.write_text("__global__ void k(int *a) { a[0] = N; }\n")
    found = csubset.compile_file(path, define=["N=41"])
    assert found.ptx is not None and "41" in found.ptx
    assert csubset.compile_file(path).lost


LOCATED = """\
__device__ float twice(float x)
{
    return x + x;
}

__global__ void k(float *a, int n)
{
    for (int i = 0; i < n; i++)
        a[i] = twice(
            a[i + 1]);
    if (n > 3) { a[0] = 1; a[1] = 2; }
}
"""


def test_locations_are_the_statements(tmp_path: Path) -> None:
    found = instructions(lower(tmp_path, LOCATED))
    places = {
        (i.opcode, i.location.line, i.location.column) for i in found if i.location is not None
    }
    assert ("ld", 9, 9) in places
    assert ("st", 9, 9) in places
    assert {("st", 11, 18), ("st", 11, 28)} <= places
    added = next(i for i in found if i.location is not None and i.location.line == 3)
    assert added.location is not None
    assert [(at.line, at.column) for at in added.location.chain()] == [(3, 5), (9, 9)]


def test_pointers_know_their_memory(tmp_path: Path) -> None:
    text = """\
__global__ void k(float *a, float **table)
{
    __shared__ float tile[32];
    float *p = a, *q = tile;
    for (int i = 0; i < 4; i++) { p += 2; q++; *q = *p; }
    float *either = a[0] > 0 ? a : tile;
    *either = 1;
    table[0][1] = 2;
}
"""
    accesses = [
        (i.opcode, i.modifiers[0])
        for i in instructions(lower(tmp_path, text))
        if i.opcode in ("ld", "st") and i.modifiers[0] != "param"
    ]
    assert ("ld", "global") in accesses
    assert ("st", "shared") in accesses
    assert [m for _, m in accesses if m not in ("global", "shared")] == ["f32"]  # generic


def test_volatile_accesses_all_stay(tmp_path: Path) -> None:
    plain = "__global__ void k({} int *a, int *b) {{ b[0] = a[1] + a[1] + a[1]; }}\n"

    def loads(qualifier: str) -> int:
        found = instructions(lower(tmp_path, plain.format(qualifier)))
        return sum(i.opcode == "ld" and "global" in i.modifiers for i in found)

    assert loads("") == 1
    assert loads("volatile") == 3
