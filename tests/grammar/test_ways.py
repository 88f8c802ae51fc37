"""Both ways of parsing lead to the same: on what compilers write, and on text that is broken."""

from __future__ import annotations

import importlib.util
import random
import string
import subprocess
import sys
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perflint.grammar import PtxSyntaxError, parse, reader, terminals
from perflint.grammar.model import Module
from perflint.grammar.quick import QuickReader, UncutError
from tests.grammar.printer import body
from tests.grammar.test_locations import TEXT as DEBUG

CASES = sorted(Path(__file__).parent.joinpath("cases").glob("*.ptx"))
TEXTS = [*(case.read_text(encoding="utf-8") for case in CASES), DEBUG]
#: A declaration without `;` and a label `call:` are left to the plain way.
UNCUT = [text for text in TEXTS if "outside" in text]


def plain(value: Any) -> Any:
    """A module as data that can be compared."""
    if isinstance(value, Module):
        return {each.name: plain(getattr(value, each.name)) for each in fields(value)} | {
            "functions": [
                {each.name: plain(getattr(function, each.name)) for each in fields(function)}
                for function in value.functions.values()
            ]
        }
    return list(value.items()) if hasattr(value, "items") else value


def outcome(text: str, cache: bool) -> Any:
    try:
        return plain(parse(text, cache=cache))
    except PtxSyntaxError as error:
        assert error.line >= 1
        assert error.column >= 1
        return str(error)


def is_quick(text: str) -> bool:
    """Whether the quick way alone reads the text."""
    tokens = terminals.lexicon().tokenise(text, "<ptx>")
    try:
        QuickReader(tokens, reader._begun(tokens)).read()
    except UncutError:
        return False
    return True


@pytest.mark.parametrize("text", TEXTS, ids=[*(case.stem for case in CASES), "debug"])
def test_cached_equals_uncached(text: str) -> None:
    first = outcome(text, cache=True)
    assert isinstance(first, dict)
    assert first == outcome(text, cache=False)
    assert first == outcome(text, cache=True)  # by shapes that are known by now
    assert is_quick(text) or text in UNCUT


CUDA = r"""
struct S { int a[4]; double d; };
__device__ S table = {{1, 2, 3, 4}, 2.5};
__device__ const char *text = "abc";
__constant__ float coefficients[4] = {1.f, 2.f, 0.5f, 3.f};
__device__ __noinline__ float slow(float a, S s) { return a * s.a[1] + sinf(a) + s.d; }
__device__ float fast(float a, S s) { return a + s.a[0]; }
typedef float (*Function)(float, S);
__device__ Function functions[2] = {slow, fast};
__device__ int at(int i) { return i * 3; }
__device__ int twice(int i) { return at(i) + at(i + 1); }
extern "C" __global__ void __launch_bounds__(128, 2)
kernel(float *out, const float *in, S s, int n, cudaTextureObject_t image) {
    extern __shared__ float dynamic[];
    __shared__ float tile[32][33];
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane;
    tile[threadIdx.x / 32][threadIdx.x % 32] = in[twice(i)];
    asm volatile("{ .reg .pred p; setp.lt.s32 p, %1, 4; @p mov.u32 %0, %%laneid; "
                 "@!p mov.u32 %0, 0; }" : "=r"(lane) : "r"(n));
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::
                 "r"((unsigned)__cvta_generic_to_shared(&dynamic[threadIdx.x])), "l"(in + i));
    asm volatile("cp.async.wait_all;");
    __syncthreads();
    float x = functions[n & 1](tile[threadIdx.x % 32][threadIdx.x / 32], s) + dynamic[i & 31];
    switch (n) { case 0: x += 1; break; case 1: x *= in[1]; break; case 2: x -= out[3]; break;
                 case 3: x /= 3; break; case 4: x = sqrtf(x); break; case 5: x = in[9]; break; }
    x += __shfl_xor_sync(~0u, x, 3) + coefficients[n & 3] + text[n & 1] + table.a[n & 3];
    atomicAdd(out + lane, tex2D<float>(image, x, n));
    out[i] = x;
}
"""


@pytest.mark.skipif(
    sys.platform == "darwin" or importlib.util.find_spec("nvidia") is None,
    reason="needs the NVRTC wheels",
)
@pytest.mark.parametrize("options", [["-lineinfo"], ["-G"], []], ids=str)
def test_cached_equals_uncached_on_compiled_code(options: list[str]) -> None:
    """NVRTC runs in a process of its own: a library of half a gigabyte stays out of the tests."""
    made = subprocess.run(
        [sys.executable, "-m", "tests.grammar.nvrtc", *options],
        input=CUDA,
        capture_output=True,
        text=True,
        cwd=Path(__file__).parent.parent.parent,
        timeout=120,
    )
    assert made.returncode == 0, made.stderr
    module = outcome(made.stdout, cache=True)
    assert isinstance(module, dict), module
    assert module == outcome(made.stdout, cache=False)
    assert is_quick(made.stdout)


BITS = ["{", "}", ";", "(", ")", "[", "]", ",", ":", "@", "!", "|", "+", "<", "=", "?", "%", "//",
        "/*", '"', ".", "\n", ".loc 1 1 1\n", ".reg", "%r1", "0", "ret;", "call", "generic", "_",
        ".b8 1,2", ".section", "\0", "\xa0", "9" * 30, "L:", ".entry", ".func f;"]  # fmt: skip


@settings(max_examples=150, deadline=None)
@given(
    text=st.sampled_from(TEXTS),
    edits=st.lists(
        st.tuples(st.floats(0, 1), st.integers(0, 40), st.sampled_from(["", *BITS])),
        min_size=1,
        max_size=4,
    ),
)
def test_broken_text_is_refused_alike(text: str, edits: list[tuple[float, int, str]]) -> None:
    for where, length, new in edits:
        start = int(where * len(text))
        text = text[:start] + new + text[start + length :]
    assert outcome(text, cache=True) == outcome(text, cache=False)


@settings(max_examples=150, deadline=None)
@given(st.one_of(st.text(), st.text(alphabet=string.printable), st.lists(st.sampled_from(BITS))))
def test_any_text_is_a_module_or_a_syntax_error(text: str | list[str]) -> None:
    text = text if isinstance(text, str) else " ".join(text)
    assert outcome(text, cache=True) == outcome(text, cache=False)


HEAD = ".version 8.0\n.target sm_80\n.address_size 64\n"
OPEN = HEAD + ".entry k()\n{\n"
MANY = 20_000


@pytest.mark.parametrize(
    "text",
    [
        "/*" * MANY,
        '"' * MANY,
        HEAD + '"\\' * MANY,
        HEAD + "1" * MANY + "x",
        OPEN + "mov.u32 x, 0x" + "f" * MANY + "g;}",
        "$" * MANY,
        "a." * MANY,
        ";" * MANY,
        ".section" * MANY,
        OPEN + "{" * MANY,
        OPEN + "{" * MANY + "}" * MANY + "}",
        OPEN + "L:" * MANY + "}",
        OPEN + "{L: .reg .b32 t; mov.b32 t, 1;}" * MANY + "}",
        OPEN + "mov.u32 x, " + "(" * MANY + ";}",
        OPEN + "mov.u32 x, " + "-" * MANY + "1;}",
        OPEN + "mov.u32 x, " + "1+" * MANY + "1;}",
        OPEN + "mov.u32 x, " + "1?1:" * MANY + "1;}",
        OPEN + "mov.u32 x, 1<<(1<<62);}",
        OPEN + ".reg .b32 %r<999999999999>; mov.u32 %r99999999999, 1;}",
        HEAD + ".global .b32 x[] = " + "{" * MANY + "}" * MANY + ";",
        HEAD + ".global .b32 x[99999999][99999999] = {{1}, {2}};",
        HEAD + ".global .b32 x[" + "9" * MANY + "];",
        HEAD + ".entry k() {" * MANY,
    ],
    ids=lambda text: text.removeprefix(OPEN).removeprefix(HEAD)[:24],
)
def test_hostile_text_ends(text: str) -> None:
    """Each takes well under a second; a quadratic step somewhere would make it minutes."""
    first = outcome(text, cache=True)
    assert isinstance(first, dict | str)


def random_kernel(seed: int) -> str:
    """A kernel of instructions with all kinds of operands."""
    chosen = random.Random(seed)
    register = [f"%r{n}" for n in range(9)]
    operands = [*register, "7", "-3", "%tid.x", "0f3F800000", "table", "table+8", "v.x"]
    address = ["[%rd1]", "[%rd1+4]", "[%rd2-8]", "[table]", "[table+12]", "[64]"]
    lines = []
    for n in range(chosen.randrange(40)):
        guard = chosen.choice(["", "", "@%p1 ", "@!%p2 "])
        a, b = chosen.choice(operands), chosen.choice(operands)
        d = chosen.choice([*register, "v.y"])
        lines.append(
            guard
            + chosen.choice(
                [
                    f"add.s32 {d}, {a}, {b};",
                    f"setp.lt.s32 %p1|_, {a}, {b};",
                    f"setp.lt.and.s32 %p1|%p2, {a}, {b}, !%p3;",
                    f"ld.global.v2.u32 {{{d}, _}}, {chosen.choice(address)};",
                    f"st.global.u32 {chosen.choice(address)}, {a};",
                    "bra L0;",
                    f"call ({d}), callee, ({a}, {b});",
                    "ret;",
                ]
            )
        )
        if chosen.random() < 0.2:
            lines.append(f"M{n}:")
    declared = ".reg .b32 %r<9>; .reg .b64 %rd<3>; .reg .pred %p<4>; .reg .v4 .b32 v;"
    return "\n".join([declared, *lines, "L0:"])


@settings(max_examples=100, deadline=None)
@given(st.integers())
def test_printed_instructions_parse_to_themselves(seed: int) -> None:
    around = (
        HEAD + ".global .b32 table[4];\n.func (.reg .b32 r) callee(.reg .b32 a, .reg .b32 b);\n"
    )
    first = parse(f"{around}.entry k() {{\n{random_kernel(seed)}\n}}").kernels[0]
    again = parse(f"{around}.entry k() {{\n{printed(first)}\n}}").kernels[0]
    assert printed(again) == printed(first)
    assert [(i.name, i.guard, i.operands, i.call) for i in again.instructions] == [
        (i.name, i.guard, i.operands, i.call) for i in first.instructions
    ]
    assert dict(again.labels) == dict(first.labels)
    assert dict(again.registers) == dict(first.registers)


def printed(function: Any) -> str:
    text = body(function)
    return text.replace(".reg .v4.b32", ".reg .v4 .b32")


def test_the_model_needs_no_parser() -> None:
    code = "import sys, perflint.grammar.model, perflint.grammar; assert 'lark' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


@pytest.mark.parametrize("wrong", ["1" * MANY + "x", "0x" + "f" * MANY + "g", '"\\' * MANY])
def test_what_begins_no_token_is_looked_through_once(wrong: str) -> None:
    assert terminals.lexicon().pattern.findall(f"{wrong}\n;") == [wrong, "\n", ";"]
