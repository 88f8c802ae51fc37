"""Names, messages, templates, PTX input."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from perflint.frontend import Pool, compile_file, origin_of, read_ptx
from perflint.frontend.mangling import nested_name
from perflint.frontend.nvrtc.diagnostics import parse
from perflint.frontend.nvrtc.enclosing_declaration import enclosing
from perflint.frontend.nvrtc.templates import Templates, instances
from perflint.frontend.source.facts import read


@pytest.mark.parametrize(
    ("mangled", "name"),
    [
        ("_Z1kPf", ("k",)),
        ("plain", ("plain",)),
        ("_ZN5outer5inner4deepEPi", ("outer", "inner", "deep")),
        ("_Z3addIdLi128EEvPT_PKS0_", ("add",)),
        ("_ZN2ns3addIfEEvPT_", ("ns", "add")),
        ("_ZN3BoxIiE3runEv", ("Box", "run")),
        ("_ZL5fixedPi", ("fixed",)),
        ("_Z11with_digit1Pf", ("with_digit1",)),
        ("_ZN5outer44_GLOBAL__N__00000000_13_perflint_0_cu__Z2sqf2kkEPf", ("outer", "kk")),
        ("_ZN25_INTERNAL_00000000_4_a_cu27_GLOBAL__N__00000000_4_a_cu2acE", ("ac",)),
        ("_Z", ("_Z",)),
        ("_ZN", ("_ZN",)),
        ("_Z99short", ("short",)),
    ],
)
def test_names(mangled: str, name: tuple[str, ...]) -> None:
    assert nested_name(mangled) == name
    assert origin_of(mangled).kernel == name[-1]


LOG = """perflint-0.cu(2): error: identifier "idxx" is undefined
  \t  p[0]=idxx+1;
  \t       ^

perflint-1.h(7): catastrophic error: cannot open source file "nope.h"
  #include "nope.h"
                   ^

perflint-0.cu(1): error: expression must have class type but it has type "float"
  template<class T> __device__ T f(T a){ return a.z; }
                                                ^
          detected during instantiation of "T f(T) [with T=float]" at line 4

At end of source: error: expected a "}"
perflint-0.cu(1): note #3196-D: to match this "{"
  __global__ void k(int*p){ p[0]=1;
                          ^

4 errors detected in the compilation of "perflint-0.cu".
"""


def test_messages() -> None:
    first, header, template, end = parse(LOG)
    assert (first.file, first.line, first.column) == ("perflint-0.cu", 2, 9)
    assert first.undefined == first.absent == "idxx" and not first.syntax
    assert header.header == "nope.h"
    assert "[with T=float]" in template.context and template.column == 47
    assert (end.line, end.column, end.syntax) == (1, 25, True)
    assert parse("") == () == parse("nvrtc: error: invalid value")


def test_the_declaration_around_a_position() -> None:
    code = (
        b"struct S {\n  int field;\n  void method();\n  __device__ void f() {\n    x;\n  }\n};\n"
        b"int global = 3;\n#define M 1\n__global__ void k() {\n  y;\n}\ntypedef int T;\n"
    )
    expected = {2: "type", 3: "host", 5: "device", 8: "host", 9: "directive", 11: "kernel"}
    for line, kind in (expected | {13: "type"}).items():
        found = enclosing(code, line, 3)
        assert found is not None and found.kind == kind, (line, found)
    kernel = enclosing(code, 11, 3)
    assert kernel is not None and (kernel.name, kernel.line, kernel.end_line) == ("k", 10, 12)
    assert enclosing(code, 99, 1) is None


TEMPLATES = """
namespace ns {
template <typename T, int N = 4> __global__ void a(T *p, T v) {}
}
template <bool B, unsigned N, typename... Ts> __global__ void b() {}
template <template <class> class C> __global__ void c() {}
template <typename T> void launch(T *p, T v) { ns::a<T><<<1, 1>>>(p, v); }
template void launch<long>(long *p, long v);
void host(double *d, float f) {
  launch<int>(0, 1);
  launch<short>(0, 1);
  ns::a<<<1, 1>>>(d, 3.0);
  b<true, 8u><<<1, 1>>>();
  cudaLaunchKernel((void *)ns::a<char, 9>, 1, 1, 0, 0, 0);
}
"""


def test_instances() -> None:
    facts = read(Path("memory.cu"), TEMPLATES)
    kernels = facts.kernels
    found = {i.expression for i in instances([facts], Templates(kernels))[0]}
    assert found == {
        "ns::a<int>",
        "ns::a<short>",
        "ns::a<long>",
        "ns::a<double>",
        "ns::a<char, 9>",
        "b<true, 8>",
    }
    tried = [[i.expression for i in Templates(kernels).assumed(k)] for k in kernels]
    assert [each[:3] for each in tried] == [
        ["ns::a<float>", "ns::a<__half>", "ns::a<int>"],
        ["b<true, 16>", "b<true, 4>", "b<true, 1>"],
        [],
    ]
    known = [i.expression for i in Templates(kernels).assumed(kernels[1], (None, "3"))]
    assert known == ["b<true, 3>"]


def test_types_that_a_dispatch_gives_later_are_spare() -> None:
    text = """
template <typename T> __global__ void k(T *p) {}
void f(at::Tensor x) {
  AT_DISPATCH_ALL_TYPES_AND(at::ScalarType::Half, x.scalar_type(), "k", [&] {
    k<scalar_t><<<1, 1>>>(x.data_ptr<scalar_t>());
  });
  AT_DISPATCH_INDEX_TYPES(x.scalar_type(), "k", [&] { k<<<1, 1>>>(x.data_ptr<index_t>()); });
}
"""
    facts = read(Path("memory.cu"), text)
    first, spare = instances([facts], Templates(facts.kernels))
    assert [i.expression for i in first] == ["k<float>", "k<int64_t>"]
    assert [i.expression for i in spare["k"]][:2] == ["k<at::Half>", "k<double>"]


def test_ptx_input_finds_its_sources(tmp_path: Path, pool: Pool) -> None:
    source = tmp_path / "k.cu"
    source.write_text(
        "__global__ void k(float *p) { p[threadIdx.x] = 1; }\n"
        "int main() { k<<<dim3(4), dim3(32, 8)>>>(0); }\n"
    )
    ptx = compile_file(source, pool=pool).ptx
    assert ptx is not None
    path = tmp_path / "k.ptx"
    path.write_text(ptx)
    found = read_ptx(path)
    assert found.ptx == ptx
    assert {n: o.kernel for n, o in found.entries.items()} == {"_Z1kPf": "k"}
    (facts,) = found.facts.values()
    assert facts.launches[0].block.value == (32, 8, 1)
    source.unlink()
    assert read_ptx(path).facts == {}


@pytest.mark.parametrize(
    ("data", "message"), [(b"", "empty"), (b"\n \n", "empty"), (b"\0\1", "binary")]
)
def test_ptx_that_is_none(tmp_path: Path, data: bytes, message: str) -> None:
    path = tmp_path / "a.ptx"
    path.write_bytes(data)
    found = read_ptx(path)
    assert found.ptx is None and message in found.errors[0].message


def test_the_same_input_gives_the_same_compilation(tmp_path: Path, pool: Pool) -> None:
    path = tmp_path / "a.cu"
    path.write_text("template <class T> __global__ void k(T *p) { p[0] = 1; }\n")
    assert compile_file(path, pool=pool) == compile_file(path, pool=pool)


def test_importing_the_front_end_is_light() -> None:
    code = "import sys, perflint.frontend; print([m for m in sys.modules if m.split('.')[0] in"
    code += " ('ctypes', 'tree_sitter', 'pycparser', 'numpy', 'subprocess')])"
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert result.stdout.strip() == "[]"


def test_what_a_gpu_does_not_have_another_may() -> None:
    text = "__cluster_dims__ is not supported for this GPU architecture"
    (found,) = parse(f"a.cu(3): error: {text}\n  __global__ void k();\n  ^\n")
    assert found.text == f"{text}; --arch names another"
