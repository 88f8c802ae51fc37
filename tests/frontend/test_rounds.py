"""How often the compiler is asked: what only the host needs goes before the first time.

Most are data: the folders of `rounds`.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from perflint.frontend import Pool, compile_file
from perflint.frontend.model import Compilation
from perflint.frontend.nvrtc import cuda_file
from perflint.frontend.nvrtc.blank import Cut
from perflint.frontend.nvrtc.host_macros import host_macros, uses
from perflint.frontend.nvrtc.library import Job, Outcome
from perflint.frontend.nvrtc.unneeded import Text, unneeded
from tests.frontend.test_cases import as_marked

ROUNDS = Path(__file__).parent / "rounds"


class Counting(Pool):
    """Counts the calls."""

    calls = 0

    def _compile(self, job: Job) -> Outcome:
        self.calls += 1
        return super()._compile(job)


def compiled(folder: Path, **files: str) -> tuple[Compilation, int]:
    for name, text in files.items():
        (folder / f"{name}.{'cu' if name == 'main' else 'h'}").write_text(text)
    with Counting() as pool:
        return compile_file(folder / "main.cu", root=folder, pool=pool), pool.calls


@pytest.mark.parametrize("folder", sorted(ROUNDS.iterdir()), ids=lambda path: path.name)
def test_a_file_costs_as_many_calls_as_marked(folder: Path) -> None:
    """`// calls: 2` of a `main.cu`, or `at most 2`, beside what `test_cases` reads."""
    path = folder / "main.cu"
    with Counting() as pool:
        found = compile_file(path, root=folder, pool=pool)
    as_marked(path, found)
    if marked := re.search(r"^// calls: (at most )?(\d+)$", path.read_text(), re.MULTILINE):
        assert pool.calls <= int(marked[2]) if marked[1] else pool.calls == int(marked[2])


def test_only_what_no_name_leads_to_is_cut() -> None:
    code = b"struct A { int x; };\nstruct B { A a; };\nstruct C {};\n__device__ B b;\n"
    (cuts,) = unneeded({Path("a.h"): Text(code, (), frozenset(), frozenset())}, ()).values()
    assert [code[c.start : c.end] for c in cuts] == [b"struct C {};"]


def test_what_stands_behind_a_condition_in_a_declaration_is_no_call() -> None:
    alias = b"using both = all<one<T>::value\n || two<T>::value\n#ifdef MORE\n || three<T>::value\n"
    code = b"namespace a {\ntemplate <class T>\n" + alias + b"#endif\n>;\nREGISTER(both);\n}\n"
    text = {Path("a.h"): Text(code, (), frozenset(), frozenset())}
    (cuts,) = unneeded(text, (), frozenset(text)).values()
    assert [code[c.start : c.end] for c in cuts] == [b"REGISTER(both);"]


def test_macros_that_mention_a_kernel_are_not_the_hosts() -> None:
    definitions = {
        b"HOST": b" template void run<T>(T);",
        b"MINE": b" template void k<T>(T *);",
        b"BOTH": b" HOST(int) HOST(float)",
        b"DEVICE": b" __device__ T f() { return 1; }",
        b"CALL": b" f(x)",
    }
    assert host_macros(definitions, frozenset(), ["k"]) == {b"HOST", b"BOTH"}
    text = b"#define A \\\n  HOST(int)\nHOST(a, (b))\n  HOST(int);\nx = HOST(1);\n"
    assert uses(text, frozenset({b"HOST"})) == (Cut(24, 36, ""), Cut(39, 49, ""))


FOR_NVRTC = """#ifdef __CUDACC_RTC__
namespace std {
template <bool b, class T = void> struct enable_if {};
template <class T> struct enable_if<true, T> { typedef T type; };
enum float_round_style { round_to_nearest = 1 };
}
#define EVERYWHERE __host__ __device__
#else
#include <type_traits>
#define EVERYWHERE __host__ __device__
#endif
template <class T>
EVERYWHERE typename std::enable_if<sizeof(T) == 4, T>::type twice(T x) { return x + x; }
__global__ void k(float *p) { p[threadIdx.x] = twice(p[threadIdx.x]); }
"""


@pytest.mark.parametrize("name", ["k.cu", "k.cuh"])
def test_what_is_there_for_nvrtc_alone_may_bring_its_own_library(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(FOR_NVRTC)
    with Counting() as pool:
        found = compile_file(tmp_path / name, root=tmp_path, pool=pool)
    assert [o.kernel for o in found.entries.values()] == ["k"] and not found.lost
    assert pool.calls == 1


def test_sources_of_nvccs_are_compiled_as_nvcc_does(tmp_path: Path) -> None:
    """NVRTC's macro is not defined for them, nor for what they include; it is for CUDA's own."""
    header = """#if defined(__CUDACC_RTC__)
#include "made/as_it_runs.h"
#else
#include <cuda/std/type_traits>
#define STEP 2
#endif
"""
    main = """#include "host.h"
__global__ void k(
#ifndef __CUDACC_RTC__
    const float *from,
#endif
    float *p) { p[threadIdx.x] = STEP * from[threadIdx.x]; }
"""
    found, calls = compiled(tmp_path, main=main, host=header)
    (entry,) = found.entries.values()
    assert entry.kernel == "k" and not found.lost and calls == 1
    assert len(found.facts[tmp_path / "main.cu"].kernels[0].parameters) == 2


def test_what_a_header_refuses_costs_one_call(tmp_path: Path) -> None:
    """As does a specifier that is defined where the compiler does not see it."""
    refuses = "#if defined(OS_ONE)\ntypedef int *Handle;\n#else\n#error no such system\n#endif\n"
    main = '#include "host.h"\n__global__ void k(float *p) { p[threadIdx.x] = 1; }\n'
    found, calls = compiled(tmp_path, main=main, host=refuses)
    assert [o.kernel for o in found.entries.values()] == ["k"] and calls == 2
    specifier = (
        "#ifdef _MSC_VER\n#define ALWAYS inline\n#endif\n"
        "template <class T> ALWAYS __device__ T twice(T x) { return x + x; }\n"
        "__global__ void k(float *p) { p[threadIdx.x] = twice(p[threadIdx.x]); }\n"
    )
    found, calls = compiled(tmp_path, main=specifier, host="")
    assert [o.kernel for o in found.entries.values()] == ["k"] and calls == 2
    assert any("ALWAYS" in remark for remark in found.remarks)


def test_a_file_that_its_header_includes_is_compiled_once(tmp_path: Path) -> None:
    text = "template <class T> __global__ void k(T *p) { p[threadIdx.x] = twice(p[0]); }\n"
    header = "#pragma once\n__device__ inline float twice(float x) { return x + x; }\n"
    main = f'#include "host.h"\n{text}template __global__ void k<float>(float *);\n'
    found, calls = compiled(tmp_path, main=main, host=f'{header}#include "main.cu"\n')
    assert [o.kernel for o in found.entries.values()] == ["k"] and not found.lost
    assert calls == 2
    # One that includes itself for each of its types is what it says.
    each = (
        "#ifndef T\n#define T float\n#define NAME first\n#include __FILE__\n#undef T\n#undef NAME\n"
        "#define T int\n#define NAME second\n#endif\n"
        "__global__ void NAME(T *p) { p[threadIdx.x] = 1; }\n"
    ).replace("__FILE__", '"main.cu"')
    found, _ = compiled(tmp_path, main=each)
    assert sorted(found.entries) == ["_Z5firstPf", "_Z6secondPi"]


def test_no_number_is_tried_for_a_class_with_members_of_its_own(tmp_path: Path) -> None:
    plain = "__global__ void plain(float *p) { p[threadIdx.x] = 1; }\n"
    asks = "template <class C> __global__ void k(C *c, float *p) { p[0] = c->cost(p[1]); }\n"
    found, calls = compiled(tmp_path, main=plain + asks)
    assert [o.kernel for o in found.entries.values()] == ["plain"]
    assert [k.name for k in found.lost] == ["k"] and "class" in found.lost[0].reason
    assert calls == 2
    # What a vector has, a vector is tried for.
    asks = asks.replace("c->cost(p[1])", "c->y")
    found, _ = compiled(tmp_path, main=plain + asks)
    assert sorted(o.kernel for o in found.entries.values()) == ["k", "plain"]


OLD_HABIT = """template <class T> struct packed { using type = T; };
template <class T> __device__ packed<T>::type of(T x) { return x; }
__global__ void k(int *p) { p[threadIdx.x] = of(p[0]); }
"""


@pytest.mark.parametrize(
    ("name", "text", "calls"),
    [
        ("CMakeLists.txt", "set(CMAKE_CUDA_STANDARD 20)\n", 1),
        ("CMakeLists.txt", "set_target_properties(a PROPERTIES CUDA_STANDARD 20)\n", 1),
        ("CMakeLists.txt", "target_compile_features(a PUBLIC cuda_std_20)\n", 1),
        ("Makefile", "NVCCFLAGS = -O3 -std=c++20\n", 1),
        ("setup.py", "flags = {'nvcc': ['-O3',\n  '-std=c++20']}\n", 1),
        ("setup.py", "flags = {'cxx': ['-std=c++20'], 'nvcc': ['-std=c++17']}\n", 2),
        ("CMakeLists.txt", "set(CMAKE_CXX_STANDARD 20)\nset(CMAKE_CUDA_STANDARD 17)\n", 2),
        ("Makefile", "# NVCCFLAGS = -std=c++20\nCXXFLAGS = -std=c++20\n", 2),
    ],
)
def test_the_dialect_is_the_builds(tmp_path: Path, name: str, text: str, calls: int) -> None:
    (tmp_path / name).write_text(text)
    found, made = compiled(tmp_path, main=OLD_HABIT)
    assert [o.kernel for o in found.entries.values()] == ["k"] and made == calls


def test_through_an_includer_only_a_fragments_own_kernels_are_guessed_at(tmp_path: Path) -> None:
    files = {
        "main": '#include "other.h"\nstruct Scale { float by; };\n#include "part.h"\n'
        "void go(Absent a) { other<Absent::kind><<<1, 32>>>(a.p); }\n",
        # of all that there is to try, no argument will do
        "other": "template <class T> __global__ void other(T *a) { *a = a->rate[T::SIZE]; }\n",
        "part": "__global__ void part(float *a, Scale s) { a[threadIdx.x] *= s.by; }\n",
    }
    for name, text in files.items():
        (tmp_path / f"{name}.{'cu' if name == 'main' else 'h'}").write_text(text)
    with Counting() as pool:
        found = compile_file(tmp_path / "part.h", root=tmp_path, pool=pool)
    assert [o.kernel for o in found.entries.values()] == ["part"]
    assert not found.lost
    assert pool.calls == 2  # by itself, and through its includer


LIBRARY = """#pragma once
#if defined(__CUDACC_RTC__)
#include <cuda/std/type_traits>
#define OF_STD cuda::std
#define STEP 2
#else
#include <immintrin.h>
#include <type_traits>
#define OF_STD std
#define STEP 3
namespace cutlass { struct Log : absent::base { std::ostream &to(); }; }
#endif
#define ANYWHERE __forceinline__ __host__ __device__
namespace cutlass {
template <class T, bool On = OF_STD::is_same<T, float>::value> struct Stepped;
template <class T> struct Stepped<T, true> {
  using Type = T;
  ANYWHERE static T of(T x) { return STEP * x; }
};
#include "cutlass/more.h"
}
"""
USES_LIBRARY = (
    '#include "cutlass/stepped.h"\n'
    "__global__ void k(float *p) { p[threadIdx.x] = cutlass::Twice::of(p[threadIdx.x]); }\n"
)


@pytest.mark.parametrize("is_copy", [True, False])
def test_a_copy_of_cutlass_is_given_to_the_compiler_as_it_is(tmp_path: Path, is_copy: bool) -> None:
    """It is made for NVRTC, however large it is; a folder that only has its name is the user's."""
    folder = tmp_path / "third/include/cutlass"
    folder.mkdir(parents=True)
    (folder / "stepped.h").write_text(LIBRARY)
    filler = "// by hand\n" * 30_000
    (folder / "more.h").write_text(f"{filler}struct Twice : Stepped<float> {{}};\n")
    if is_copy:
        (folder / "cutlass.h").write_text("#pragma once\n")
    found, calls = compiled(tmp_path, main=USES_LIBRARY)
    names = [o.kernel for o in found.entries.values()]
    assert (names, calls) == (["k"], 1) if is_copy else names == []


WIDTHS = """#if WIDTH == 32
typedef float real;
#elif (WIDTH == 64)
typedef double real;
#else
#error WIDTH must be 32 or 64
#endif
#ifndef LANES
#error "LANES is not defined"
#endif
"""
WIDE = "__global__ void k(real *p) { p[threadIdx.x] = LANES; }\n"


def test_what_sources_insist_on_is_taken_at_once(tmp_path: Path) -> None:
    """Each `#error` ends a compilation, so that one more macro would be asked for in each."""
    (tmp_path / "CMakeLists.txt").write_text("add_definitions(-DWIDTH=64 -DLANES=7)\n")
    guarded = f"#ifndef HOST_H\n#define HOST_H\n{WIDTHS}#endif\n"
    found, calls = compiled(tmp_path, main=f'#include "host.h"\n{WIDE}', host=guarded)
    assert [o.kernel for o in found.entries.values()] == ["k"] and calls == 1
    assert list(found.entries) == ["_Z1kPd"]
    # Under a condition of its own it may be another program's.
    within = f"#ifdef OTHER\n{WIDTHS}#else\ntypedef float real;\n#define MORE 1\n#endif\n"
    text = f'#include "host.h"\n{WIDE.replace("LANES", "MORE")}'
    found, calls = compiled(tmp_path, main=text, host=within)
    assert [o.kernel for o in found.entries.values()] == ["k"] and calls == 1
    assert not any("WIDTH" in remark for remark in found.remarks)


FAKE = "#define __global__\n#define __device__\nusing cudaStream_t = int *;\n"


def test_what_hides_kernels_is_for_other_compilers(tmp_path: Path) -> None:
    """The build's macro without which a stand-in for CUDA is included is there at once."""
    (tmp_path / "CMakeLists.txt").write_text("add_definitions(-DWITH_CUDA -DWIDE)\n")
    main = '#ifndef WITH_CUDA\n#include "host.h"\n#endif\n#ifdef WIDE\n#define STEP 4\n#else\n'
    main += "#define STEP 5\n#endif\n__global__ void k(int *p) { p[threadIdx.x] = STEP; }\n"
    found, calls = compiled(tmp_path, main=main, host=FAKE)
    assert [o.kernel for o in found.entries.values()] == ["k"] and calls == 1
    assert any("WITH_CUDA" in remark for remark in found.remarks)
    assert found.ptx is not None and ", 5;" in found.ptx  # nobody missed WIDE


def test_kernels_that_are_all_off_ask_for_the_builds_macro_at_once(tmp_path: Path) -> None:
    (tmp_path / "Makefile").write_text("FLAGS = -DWITH_MPI\n")
    on = "#ifdef WITH_MPI\n__global__ void k(int *p) { p[threadIdx.x] = 1; }\n#endif\n"
    found, calls = compiled(tmp_path, main=on)
    assert [o.kernel for o in found.entries.values()] == ["k"] and calls == 1
    # Where another is on without it, that is compiled first.
    found, calls = compiled(tmp_path, main=f"{on}__global__ void l(int *p) {{ p[0] = 1; }}\n")
    assert {o.kernel for o in found.entries.values()} == {"k", "l"} and calls == 2


RAYS = """#pragma once
#include <geo/all.h>
using point = geo::point;
struct Ray { point from; };
__device__ float x_of(Ray r) { return r.from.x; }
__global__ void rays(Ray *r, float *a) { a[threadIdx.x] = x_of(r[threadIdx.x]); }
"""


def test_what_includes_a_file_says_what_switches_it_on(tmp_path: Path) -> None:
    fragment = (
        "#ifdef SCALE\n__global__ void scale(float *a) { a[threadIdx.x] *= SCALE; }\n#endif\n"
    )
    (tmp_path / "scale.cuh").write_text(fragment)
    (tmp_path / "a.cu").write_text('#define SCALE 3\n#include "scale.cuh"\n')
    found = compile_file(tmp_path / "scale.cuh", root=tmp_path)
    assert [o.kernel for o in found.entries.values()] == ["scale"]
    assert not any("taken to be defined" in remark for remark in found.remarks)


@pytest.mark.parametrize("is_there", [False, True])
def test_what_a_fragment_lacks_is_not_looked_for_where_it_lacks_too(
    tmp_path: Path, is_there: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib/rays.cuh").write_text(RAYS)
    (tmp_path / "app").mkdir()
    (tmp_path / "app/a.cu").write_text('#include "../lib/rays.cuh"\n')
    if is_there:
        (tmp_path / "app/geo").mkdir()
        (tmp_path / "app/geo/all.h").write_text("namespace geo { struct point { float x; }; }\n")
    read: list[object] = []
    facts_of = cuda_file.facts_of

    def counting(*arguments: Any) -> Any:
        read.append(arguments)
        return facts_of(*arguments)

    monkeypatch.setattr(cuda_file, "facts_of", counting)
    with Counting() as pool:
        found = compile_file(tmp_path / "lib/rays.cuh", root=tmp_path, pool=pool)
    assert [o.kernel for o in found.entries.values()] == (["rays"] if is_there else [])
    assert is_there or (len(read), pool.calls) == (1, 0)


def test_what_a_file_refuses_by_itself_is_not_tried_through_its_includers(tmp_path: Path) -> None:
    fragment = (
        "#pragma once\n__device__ void put(uint2 *p, uint2 v) { *p = v; }\n"
        "template <class T> __global__ void k(T *p) { put(p, p[threadIdx.x]); }\n"
    )
    (tmp_path / "k.cuh").write_text(fragment)
    for name in ("a", "b", "c"):
        text = f'#include <absent/{name}.h>\n#include "k.cuh"\n'
        text += "__global__ void own(int *p) { *p = 1; }\n"
        (tmp_path / f"{name}.cu").write_text(text)
    with Counting() as pool:
        found = compile_file(tmp_path / "k.cuh", root=tmp_path, pool=pool)
    assert [k.name for k in found.lost] == ["k"]
    assert pool.calls <= 7
    # One that launches it with what it takes is compiled.
    launch = "void run(uint2 *p) { k<uint2><<<1, 32>>>(p); }\n"
    (tmp_path / "c.cu").write_text(f'#include "k.cuh"\n{launch}')
    with Counting() as pool:
        found = compile_file(tmp_path / "k.cuh", root=tmp_path, pool=pool)
    assert [o.title for o in found.entries.values()] == ["k<uint2>"] and not found.lost
