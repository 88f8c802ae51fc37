"""Blanking takes host code out and moves nothing."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perflint.frontend.directives import defined_macros
from perflint.frontend.nvrtc.blank import (
    Cut,
    blank,
    device_macros,
    fill,
    host_cuts,
    with_constants,
    with_pragmas,
)
from perflint.frontend.nvrtc.specifiers import specifier_macros

CASES = sorted((Path(__file__).parent / "cases").glob("*.cu"))

PIECES = st.sampled_from(
    """
    int|main|(|)|{|}|;|__global__|__device__|void|k|float|*|p|=|1|<<<|>>>|,|template|<|typename|T|>
    class|struct|A|:|::|//|/*|*/|"|'|\\|#if 0|#endif|#define X|#include "a.h"|extern "C"|namespace|n
    return|if|[|]|std::string|const|constexpr|#else
    """.replace("\n", "|").split("|")
)
SEPARATORS = st.sampled_from([" ", "\n", "\r\n", "\n  ", ""])
SOURCES = st.lists(st.tuples(PIECES, SEPARATORS), max_size=60).map(
    lambda parts: "".join(a.strip() + b for a, b in parts).encode()
)


def shape(text: bytes) -> list[int]:
    return [len(line) for line in text.split(b"\n")]


def blanked(text: bytes) -> bytes:
    return blank(text, host_cuts(text, device_macros(defined_macros([text]))))


@given(SOURCES)
@settings(max_examples=150, deadline=None)
def test_every_line_keeps_its_length(text: bytes) -> None:
    assert shape(blanked(text)) == shape(text)
    assert shape(fill(text)) == shape(text)


@given(st.binary(max_size=200))
@settings(max_examples=100, deadline=None)
def test_any_bytes_keep_their_lines(text: bytes) -> None:
    assert shape(blanked(text)) == shape(text)
    carriage_returns = [i for i, b in enumerate(text) if b == 13]
    assert [i for i, b in enumerate(fill(text)) if b == 13] == carriage_returns


@pytest.mark.parametrize("path", CASES, ids=lambda p: p.stem)
def test_what_stays_is_where_it_was(path: Path) -> None:
    text = path.read_bytes()
    result = blanked(text)
    assert shape(result) == shape(text)
    assert all(b in (a, 32, ord(";")) for a, b in zip(text, result, strict=True))


@pytest.mark.parametrize(
    ("source", "kept", "gone"),
    [
        ("__global__ void k() {}\nint main() { return 0; }", ["void k() {}"], ["main", "return"]),
        ("int f(int);\n__device__ int g(int);", ["g(int)"], ["f(int)"]),
        ("struct A { void h() { puts(0); } int x; };", ["void h() ;", "int x;"], ["puts"]),
        ("struct A { A(int n) : n(n) {} int n; };", ["A(int n) ;"], [": n(n)"]),
        ("constexpr int f() { return 3; }", ["return 3"], []),
        ("int table[] = {1, 2};", ["{1, 2}"], []),
        ("struct __align__(8) P { float x; };", ["float x;"], []),
        ('extern "C" void f() { }', [], ["extern", "void"]),
        ('extern "C" { void f() { } __global__ void k() {} }', ["void k()"], ["void f"]),
        ("namespace n { int f() { return 1; } }", ["namespace n {"], ["return"]),
        ("template <class T> T f(T t) { return t; }", [], ["template", "return"]),
        ("void f() {\n#define N 3\n#if N\n#endif\n#pragma omp\n}", ["#define N 3"], ["omp"]),
        ('void f() {\n#include "x.inc"\n}', [], ["x.inc"]),
        ("void f() { auto l = [=] __device__(int i) { return i; }; }", [], ["return"]),
        ("std::vector<int> v;\nint n;", ["int n;"], ["vector"]),
        ("void f() { /* \n#if 0\n */ g(); }", [], ["#if"]),
    ],
)
def test_what_goes(source: str, kept: list[str], gone: list[str]) -> None:
    result = blanked(source.encode()).decode()
    assert all(text in result for text in kept), result
    assert not any(text in result for text in gone), result


def test_functions_that_device_code_calls_can_stay() -> None:
    source = b"int f() { return 1; }\nint g() { return 2; }"
    result = blank(source, host_cuts(source, keep=frozenset({"f"})))
    assert b"return 1" in result and b"return 2" not in result


def test_macros_of_macros_are_device_macros() -> None:
    text = b"#define A __device__\n#define B A inline\n#define C 3\n#define D(x) k<<<1, x>>>(B)\n"
    assert device_macros(defined_macros([text])) == {b"A", b"B"}


def test_constants_outside_functions_become_constexpr() -> None:
    text = b"const float a = 1;\nconst int b = 2;\nnamespace n { static const double c = a; }\n"
    text += b"__device__ void f(float x) { const float y = x; }\n"
    assert with_constants(text).count(b"constexpr") == 2
    assert b"const float y" in with_constants(text)


@pytest.mark.parametrize("attribute", ["__cluster_dims__(2, (N / 4), 1)", "__maxnreg__(64)"])
@pytest.mark.parametrize("head", ["__global__ void {} k", "{} __global__ void k"])
def test_attributes_of_kernels_are_no_functions(attribute: str, head: str) -> None:
    """The parser's grammar does not know them, and made the kernel's name a host function."""
    text = f"{head.format(attribute)}(float *a) {{ a[threadIdx.x] = 1; }}\n".encode()
    assert host_cuts(text, specifiers=specifier_macros([text])) == ()


def test_macros_of_specifier_macros_say_nothing_of_a_declarations_shape() -> None:
    text = b"#define OF(x) __attribute__((x))\n#define LOCKED(x) OF(guarded_by(x))\n"
    text += b"#define MADE(x) OF(x) int x\n#define CALLED(x) f(x)\n"
    assert specifier_macros([text]) == {b"OF", b"LOCKED"}


def test_a_conditional_stays_though_a_cut_begins_with_it() -> None:
    """What no parser understands may reach to the `#endif`, which would be left alone."""
    text = b"#ifdef A\nint a = ;\n#define B\n#endif\n"
    assert blank(text, (Cut(0, 19, ""),)) == b"#ifdef A\n         \n#define B\n#endif\n"
    assert blank(b"#define B 1\n", (Cut(0, 11, ""),)).strip() == b""


def test_an_if_that_loses_its_condition_is_off() -> None:
    text = b"#if HAVE(A)\nint a;\n#elif HAVE(B)\nint b;\n#endif\n"
    cuts = (Cut(4, 11, ""), Cut(25, 32, ""))
    assert blank(text, cuts) == b"#if 0      \nint a;\n#elif 0      \nint b;\n#endif\n"


def test_a_macro_of_a_directive_becomes_the_operator() -> None:
    text = b"#define UNROLL #pragma unroll\r\n#define TEXT(x) #x\n#define N 3 // #pragma once\n"
    expected = text.replace(b"#pragma unroll", b'_Pragma("unroll")')
    assert with_pragmas(text) == expected
    assert b"UNROLL" in specifier_macros([text])


def test_a_declaration_that_the_parser_takes_apart_goes_whole() -> None:
    # An open brace before it, as a condition may leave one, makes it a member.
    words = frozenset((b"SUPERSEDED_AT", b"C_PROTOTYPE", b"LIBRARY_CORE_API1"))
    begun = b"class SUPERSEDED_AT ParticleOfClothPreProcessor\n{\n"
    code = begun + (
        b"SUPERSEDED_AT C_PROTOTYPE LIBRARY_CORE_API1 cloth::ParticleOfClothPreProcessor* "
        b"CALLED_CONV CreateParticleOfClothPreProcessor(cloth::OwnCudaContextManager* manager);\n"
    )
    cuts = host_cuts(code, frozenset(), frozenset(), words)
    assert blank(code, cuts).strip() == begun.strip()
    # What another declaration ends with is not its begin.
    code = b"struct made; int make(int n);\n"
    assert blank(code, host_cuts(code)).split() == [b"struct", b"made;"]
