"""Kernels, their parameters, places and conditions; constants; error lines."""

from __future__ import annotations

from pathlib import Path

from perflint.frontend.source.facts import read
from perflint.frontend.source.language.model import SourceFacts


def _read(text: str) -> SourceFacts:
    return read(Path("memory.cu"), text)


def test_a_plain_kernel() -> None:
    facts = _read(
        "int x;\n"
        'extern "C" __global__ void __launch_bounds__(4 * 64, 2)\n'
        "scale(const float *__restrict__ a, unsigned int n, float3 (*rows)[32], int k = 3) {\n"
        "}\n"
    )
    (kernel,) = facts.kernels
    assert (kernel.name, kernel.qualified, kernel.launch_bounds) == ("scale", "scale", (256, 2))
    assert (kernel.span.line, kernel.span.end_line, kernel.span.end_column) == (2, 4, 2)
    assert (kernel.name_span.line, kernel.name_span.column, kernel.name_span.end_column) == (
        3,
        1,
        6,
    )
    described = [(p.name, p.type, p.pointer, p.default) for p in kernel.parameters]
    assert described == [
        ("a", "const float *", True, None),
        ("n", "unsigned int", False, None),
        ("rows", "float3 (*)[32]", True, None),
        ("k", "int", False, "3"),
    ]
    assert kernel.template_parameters == ()
    assert kernel.active


def test_templates_namespaces_and_classes() -> None:
    facts = _read(
        "namespace a { namespace b {\n"
        "template <typename T, int B = 4>\n"
        "__global__ static void k(T *p) {}\n"
        "struct C { static __global__ void m(int) {} };\n"
        "}}\n"
        "template <> __global__ void a::b::k<float, 4>(float *p) {}\n"
        "__global__ void declared_only(int n);\n"
        "__device__ void helper() {}\n"
    )
    assert [(k.name, k.qualified) for k in facts.kernels] == [
        ("k", "a::b::k"),
        ("m", "a::b::C::m"),
        ("k", "a::b::k"),
    ]
    first = facts.kernels[0]
    described = [(p.name, p.written, p.kind, p.type, p.default) for p in first.template_parameters]
    assert described == [
        ("T", "typename T", "type", "", None),
        ("B", "int B = 4", "value", "int", "4"),
    ]
    assert (first.span.line, first.span.column) == (2, 1)
    assert first.parameters[0].type == "T *"


def test_kernels_declared_through_macros() -> None:
    facts = _read(
        '#define KERNEL extern "C" __global__\n'
        "#define ENTRY __global__ void\n"
        "#define INLINE __forceinline__\n"
        "KERNEL void one(int *a) { a[0] = 1; }\n"
        "ENTRY two(int *a) { a[0] = 2; }\n"
        "INLINE __device__ int three(int *a) { return a[0]; }\n"
    )
    assert [k.name for k in facts.kernels] == ["one", "two"]
    assert [s.function for s in facts.subscripts] == ["one", "two", "three"]
    assert facts.error_lines == ()


def test_kernels_under_a_false_condition_are_inactive() -> None:
    facts = _read(
        "#if 0\n__global__ void off() {}\n#else\n__global__ void on() {}\n#endif\n"
        "#ifdef __CUDA_ARCH__\n__global__ void perhaps() {}\n#endif\n"
    )
    assert [(k.name, k.active) for k in facts.kernels] == [
        ("off", False),
        ("on", True),
        ("perhaps", True),
    ]


def test_conditions_that_split_braces() -> None:
    facts = _read(
        "__global__ void k(int *a\n#ifdef MORE\n, int b) {\n#else\n) {\n#endif\n"
        "#if 1\n  if (a[0]) {\n#else\n  {\n#endif\n    a[1] = 2;\n  }\n}\n"
        "__global__ void next(int *b) { b[0] = 1; }\n"
    )
    assert facts.error_lines == ()
    assert [(k.name, k.span.line, len(k.parameters)) for k in facts.kernels] == [
        ("k", 1, 1),
        ("next", 15, 1),
    ]


def test_attributes_do_not_disturb() -> None:
    facts = _read(
        "struct __align__(16) X { int x; };\n"
        "struct alignas(8) Y { int y; };\n"
        "__global__ void k(const __grid_constant__ X x, int *a) { a[x.x] = 1; }\n"
        "__global__ void __cluster_dims__(2, 1, 1) l(int *a) { a[0] = 1; }\n"
        "void CUDART_CB callback(void *data) {}\n"
    )
    assert facts.error_lines == ()
    assert [k.name for k in facts.kernels] == ["k", "l"]


def test_constants_reach_the_launch() -> None:
    names = ("N", "AREA", "PI", "ROWS", "BIG", "A", "B", "C", "E::X", "S::INNER", "LIMIT", "WORD")
    facts = _read(
        "#define N 16\n#define AREA (N * N)\n#define F(x) x\n#define WORD hello\n#define PI 3.5f\n"
        "const int ROWS = AREA / 2;\nstatic constexpr unsigned long BIG = 1ull << 40;\n"
        "enum { A, B = 5, C };\nenum class E { X = N };\nint variable = 4;\n"
        "struct S { static const int INNER = 3; };\nconst float LIMIT = ROWS / 3;\n"
        f"void f() {{ k<<<1, 1>>>({', '.join(names)}); }}\n"
    )
    (site,) = facts.launches
    values = [argument.value for argument in site.arguments]
    assert values == [16, 256, 3.5, 128, 1 << 40, 0, 5, 6, 16, 3, 42.0, None]


def test_conditions_around_kernels_are_told() -> None:
    facts = _read(
        "#ifndef GUARD_H\n#define GUARD_H\n#if defined(FAST) && 1\n__global__ void a() {}\n"
        "#else\n__global__ void b() {}\n#endif\n__global__ void c() {}\n#endif\n"
    )
    assert [(k.name, k.active, k.condition, k.condition_line) for k in facts.kernels] == [
        ("a", False, "#if defined(FAST) && 1", 3),
        ("b", True, "#else", 5),
        ("c", True, "", 0),
    ]


def test_a_kernel_whose_head_is_a_macro() -> None:
    facts = _read("#define HEAD(NAME) __global__ void NAME\nHEAD(named)(float *a) { a[0] = 1; }\n")
    assert [(k.name, k.qualified, len(k.parameters)) for k in facts.kernels] == [
        ("named", "named", 1)
    ]


def test_error_lines() -> None:
    assert _read("__global__ void k(int *a) {\n  a[0] = = 3;\n}\n").error_lines == (2,)
    assert _read("__global__ void k(int *a) {\n  a[0] = 3\n}\n").error_lines == (3,)
    assert _read("").error_lines == ()
