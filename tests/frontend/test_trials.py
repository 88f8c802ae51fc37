"""Which guesses at template arguments messages refuse, and what is not asked for again."""

from __future__ import annotations

from pathlib import Path

import pytest

from perflint.frontend import compile_file
from perflint.frontend.nvrtc.diagnostics import Diagnostic
from perflint.frontend.nvrtc.templates import Instance
from perflint.frontend.nvrtc.trials import messages_of, refused
from tests.frontend.test_rounds import Counting


def tried(*arguments: str, expression: str, names: tuple[str, ...] = ()) -> Instance:
    return Instance("k", expression, arguments, assumed=True, names=names, qualified="a::k")


#: `float4` is told by the alias that stands for it outside of the namespace, `two` by its value.
NAMED = "namespace a { using perflint_1 = float4; }"
OF_TYPES = [
    tried("float", "16", expression="a::k<float, 16>"),
    tried("float4", "16", expression="a::k<a::perflint_1, 16>", names=(NAMED,)),
]
VALUED = "namespace a { constexpr auto perflint_2 = two; }"
OF_VALUES = [
    tried("float", "two", expression="a::k<float, a::perflint_2>", names=(VALUED,)),
    tried("float", "one", expression="a::k<float, a::perflint_3>", names=(VALUED,)),
]


def about(arguments: str) -> Diagnostic:
    context = f'instantiation of "void a::k<T, n>(T *) [with {arguments}]" at line 3 of a.cu'
    return Diagnostic("a.cu", 2, 1, 'no operator "%" matches', context=context)


@pytest.mark.parametrize(
    ("instances", "told", "bad"),
    [
        (OF_TYPES, "T=float, n=16", [0]),
        (OF_TYPES, "T=a::perflint_1, n=16", [1]),
        (OF_TYPES, "T=int, n=16", []),
        (OF_VALUES, "T=float, n=2", []),
    ],
)
def test_what_a_message_refuses(instances: list[Instance], told: str, bad: list[int]) -> None:
    assert refused(instances, [about(told)]) == [instances[i] for i in bad]


def test_messages_about_others_are_not_an_instances() -> None:
    mine = about("T=float, n=16")
    other = Diagnostic("a.cu", 9, 1, 'identifier "x" is undefined', context='"void a::m<T>(T *)"')
    assert messages_of(OF_TYPES[0], [other, mine]) == [mine]
    assert messages_of(OF_TYPES[0], [other]) == [other]


FRAGMENT = "template <class T> __global__ void k(T *p) { p[threadIdx.x] = 1; }\n"
INCLUDER = '#include "part.cuh"\n__global__ void own(float *p) { *p = 0; }\n'


@pytest.mark.parametrize(
    ("launches", "arguments", "calls"),
    [
        ("template <class F> void run(F *p) { k<F><<<1, 32>>>(p); }\n", ("float",), 1),
        ("void run(double *p) { k<<<1, 32>>>(p); }\n", ("double",), 2),
        ("template __global__ void k<int>(int *);\n", ("int",), 2),
    ],
    ids=["says nothing", "launches it", "instantiates it"],
)
def test_an_includer_is_compiled_for_the_arguments_that_it_tells(
    tmp_path: Path, launches: str, arguments: tuple[str, ...], calls: int
) -> None:
    (tmp_path / "part.cuh").write_text(FRAGMENT)
    (tmp_path / "main.cu").write_text(INCLUDER + launches)
    with Counting() as pool:
        found = compile_file(tmp_path / "part.cuh", root=tmp_path, pool=pool)
        made = pool.calls
    assert [o.template_arguments for o in found.entries.values() if o.kernel == "k"] == [arguments]
    assert made == calls
