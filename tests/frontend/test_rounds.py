"""How often the compiler is asked: what only the host needs goes before the first time."""

from __future__ import annotations

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


KERNEL = "__global__ void k(Pair *p) { p[threadIdx.x].first = N; }\n"

HOST = {
    "classes": "#include <vector>\nstruct Log : Unknown { std::vector<int> lines; Absent more; };\n"
    "Log the_log = Absent();\nusing Lines = Unknown::lines;\ntypedef Absent *Pointer;\n",
    "through others": "using Lines = Unknown::lines;\nstruct Log { Lines lines; };\n"
    "template <class T> struct Logged { T value; Log log; };\nextern Logged<int> last;\n",
    "specialised": "template <class T> struct name;\n"
    "template <> struct name<Pair> { static Absent of(); };\n",
    "instantiated by a macro": "struct Log { template <class T> void add(T, Absent); };\n"
    "#define ADD(T) \\\n  template void Log::add<T>(T, Absent);\n  ADD(int)\n  ADD(float)\n",
    "specialised by a macro": "template <class T> struct kind;\n"
    "#define KIND(T, E) \\\n  template <> struct kind<T> { static const Absent v = E; }\n"
    "KIND(int, Absent::INT);\nKIND(Pair, Absent::PAIR);\n",
    "functions by a macro": "#define RUN(T, NAME) \\\n  void run_##NAME(T *x) { Absent::run(x); }\n"
    "RUN(float, f)\nRUN(int, i)\n",
    "constexpr": "constexpr Absent twice(Absent x) { return x + x; }\n"
    "constexpr Log operator+(Log a, Log b) { return a.plus(b); }\n",
    "assertions": 'static_assert(sizeof(Absent) == 4 && Absent::value, "no");\n',
    "a device lambda": "void run(Absent a) {\n  auto f = [=] __device__(int i) { return a[i]; };\n"
    "  absent::each(f);\n}\nstruct Log : Absent {};\n",
    "instantiated elsewhere": "template <class T> void run(T x) { absent::run(x); }\n"
    "template <class T> struct Log { void add(T); Absent more; };\n",
    "concepts": "template <class T> concept Logs = requires(T x) { Absent::log(x); };\n",
    "GCC's extension": "struct Wide { __extension__ union { int a; float b; }; };\n",
    "a macro for constexpr": "#define EXPR constexpr\n"
    "struct Log { EXPR Log(Absent a); Absent a; };\n",
}


@pytest.mark.parametrize("case", HOST)
def test_the_host_costs_no_call(case: str, tmp_path: Path) -> None:
    text = "struct Pair { int first; Pair *next; };\nenum { N = 3 };\n"
    last = "template void run<float>(float);\ntemplate class Log<float>;\n"
    last = last if case == "instantiated elsewhere" else ""
    main = f'{text}#include "host.h"\n{KERNEL}{last}'
    found, calls = compiled(tmp_path, main=main, host=HOST[case])
    assert [o.kernel for o in found.entries.values()] == ["k"] and not found.lost
    assert calls == 1


def test_headers_of_the_hosts_are_narrowed_at_once(tmp_path: Path) -> None:
    """A name that a kernel has of its own wants nothing of theirs, however long the chain."""
    files = {
        f"part{i}": f"template <class T> struct row{i} : row{i - 1}<T> {{}};\n" for i in range(1, 9)
    }
    files = {"part0": "template <class T> struct row0 : absent::base<T> {};\n"} | files
    text = "".join(f'#include "{n}.h"\n' for n in files)
    kernel = "__global__ void k(float *p, int n) { int row8 = n; p[row8] = threadIdx.x; }\n"
    found, calls = compiled(tmp_path, main=text + kernel, **files)
    assert [o.kernel for o in found.entries.values()] == ["k"] and not found.lost
    assert calls == 2


def test_what_narrowing_leaves_of_refused_headers_costs_no_call(tmp_path: Path) -> None:
    """What names no declaration stays where it is, and would be refused a second time."""
    header = (
        "namespace lib { namespace in = absent::in; using absent::x; using namespace absent; }\n"
    )
    kernel = '#include "host.h"\n__global__ void k(float *p) { p[threadIdx.x] = 1; }\n'
    found, calls = compiled(tmp_path, main=kernel, host=header)
    assert [o.kernel for o in found.entries.values()] == ["k"] and not found.lost
    assert calls == 2


def test_what_was_narrowed_away_comes_back(tmp_path: Path) -> None:
    """A name that a kernel has both for its own and from a header."""
    header = (
        "struct sum { float all; };\nstruct Log : absent::base { Absent sum; };\nAbsent::x y;\n"
    )
    text = (
        '#include "host.h"\n__global__ void k(float *p) { '
        "struct sum *one = (struct sum *)p; float sum = one->all; p[0] = sum; }\n"
    )
    found, _ = compiled(tmp_path, main=text, host=header)
    assert [o.kernel for o in found.entries.values()] == ["k"] and not found.lost


HEADS = {
    "an alignment": "typedef struct __align__(8)\n{\n  int first, second;\n}\nPair;\n",
    "a condition among parameters": """template <class T
#if defined(WIDE) && !defined(NARROW)
, bool a = (Size<T>::n < Size<T>::m)
, bool b = (Size<T>::m < Size<T>::n)
#endif
>
struct Two { T first; __device__ Two() {} };
using Pair = Two<int>;
""",
    "a function's behind macros": """struct Pair { int first; };
#define SAME(op) __device__ inline bool operator op(Pair a, Pair b) { return a.first op b.first; }
SAME(==)
SAME(!=)
SAME(<)
SAME(>)
template <class T>
inline T same(T x) noexcept
{
  return T{x};
}
""",
    "a macro of classes": "#define OF(x) __attribute__((x))\n#define LOCKED(x) OF(guarded(x))\n"
    'class LOCKED("pair") Pair {\n public:\n  int first;\n};\n',
    "a macro with a string": """#define SAYS(c, text) typedef int says[(c) ? 1 : -1]
template <int n
#if defined(WIDE) && !defined(NARROW)
, bool a = (Size<n>::n < Size<n>::m)
#endif
>
struct Two {
  int first;
  template <int k> struct In {
    enum { m = k };
    SAYS((m % 2 == 0), "In must be even, or so");

    // Another
    typedef int T;
    struct Inner : Absent<T> {
    };
  };
};
using Pair = Two<2>;
""",
}


@pytest.mark.parametrize("case", HEADS)
def test_what_the_parser_does_not_understand_is_whole_or_gone(case: str, tmp_path: Path) -> None:
    """Beside a header of the host's that is refused, all is cut as closely as can be."""
    host = "struct Log : absent::base { std::vector<Absent> lines; };\nextern Log *Pair_log(Log);\n"
    host += "inline Absent first(Log x) { return x.first; }\nLog last;\nabsent::Any b = absent();\n"
    text = '#include "host.h"\n#include "pair.h"\n__device__ void log(Log *);\nenum { N = 3 };\n'
    text += KERNEL
    pair = f"namespace pairs {{\n{HEADS[case]}}}\nusing namespace pairs;\n"
    found, _ = compiled(tmp_path, main=text, host=host, pair=pair)
    assert [o.kernel for o in found.entries.values()] == ["k"] and not found.lost


def test_of_what_was_narrowed_away_only_what_is_missed_comes_back(tmp_path: Path) -> None:
    """All of it at once would bring the classes back that no compiler takes."""
    header = (
        "struct sum { float all; };\n"
        "struct Log : absent::base { Absent sum; };\nAbsent::x y;\n"
        + "".join(f"struct Log{i} : absent::base {{ Absent k; }};\n" for i in range(60))
    )
    text = (
        '#include "host.h"\n__global__ void k(float *p) { '
        "struct sum *one = (struct sum *)p; float sum = one->all; p[0] = sum; }\n"
    )
    found, calls = compiled(tmp_path, main=text, host=header)
    assert [o.kernel for o in found.entries.values()] == ["k"] and not found.lost
    assert calls <= 3


ASSUMED = {
    "a template": "template <class T> __global__ void k(T *p) { p[threadIdx.x] = 1; }\n",
    "a launch that says nothing": "template <class T> __global__ void k(T *p) { p[0] = 1; }\n"
    "void run(void *p) { k<<<1, 32>>>(absent(p)); }\n",
}


@pytest.mark.parametrize("case", ASSUMED)
def test_assumed_arguments_cost_no_call_of_their_own(case: str, tmp_path: Path) -> None:
    found, calls = compiled(tmp_path, main=ASSUMED[case])
    assert [(o.title, o.assumed) for o in found.entries.values()] == [("k<float>", True)]
    assert calls == 1


def test_what_a_macro_instantiates_is_not_assumed_as_well(tmp_path: Path) -> None:
    text = (
        "template <class T> __global__ void k(T *p) { p[threadIdx.x] = 1; }\n"
        "#define OF(T) template __global__ void k<T>(T *);\nOF(int)\n"
    )
    found, calls = compiled(tmp_path, main=text)
    assert [o.assumed for o in found.entries.values()] == [False]
    assert calls == 1


def test_errors_are_mended_before_arguments_are_assumed(tmp_path: Path) -> None:
    """A float is refused by the one kernel; the other needs a header."""
    text = (
        "template <class T> __global__ void k(T *p) { p[threadIdx.x] = p->absent; }\n"
        "template <class T> __global__ void l(T *p) { p[threadIdx.x] = 1; }\n"
        "__global__ void m(__half *p) { p[threadIdx.x] = 1; }\n"
    )
    found, _ = compiled(tmp_path, main=text)
    assert {o.title for o in found.entries.values()} == {"l<float>", "m"}
    assert [k.name for k in found.lost] == ["k"] and not found.errors


NEEDED = {
    "a type": "struct Pair { int first; };\nenum { N = 3 };\n",
    "through an alias": "struct A { int first; };\nusing Pair = A;\nstatic const int N = 3;\n",
    "of a base": "struct B { int first; };\nstruct Pair : B {};\nconst int M = 3;\n#define N M\n",
    "a specialisation": "template <class T> struct V { enum { n = 1 }; };\n"
    "template <> struct V<int> { enum { n = 3 }; };\nstruct Pair { int first; };\n"
    "#define N V<int>::n\n",
    "by a macro": "#define PAIR(NAME) struct NAME { int first; };\nPAIR(Pair)\nenum { N = 3 };\n",
    "a function's value": "struct Pair { int first; };\nconstexpr int three() { return 3; }\n"
    "constexpr int N = three();\n",
    "an operator": "struct Pair { int first; };\nenum class E { a = 1, b = 2 };\n"
    "constexpr int operator|(E a, E b) { return (int)a | (int)b; }\n#define N (E::a | E::b)\n",
    "marked by two macros": "#define CUDA __host__ __device__\n#define INLINE __forceinline__\n"
    "#define QUALIFIER CUDA INLINE\n#define EXPR constexpr\n"
    "template <class T> struct made { QUALIFIER EXPR static T of(T x) { return x; } };\n"
    "struct Pair { int first; };\n#define N made<int>::of(3)\n",
    "styles of rounding": "template <std::float_round_style R> struct Rounded { int first; };\n"
    "using Pair = Rounded<std::round_to_nearest>;\nenum { N = 3 };\n"
    "template <class C, class T>\n"
    "std::basic_ostream<C, T> &operator<<(std::basic_ostream<C, T> &, const Pair &);\n",
    "C": 'extern "C" { struct Pair { int first; }; }\nextern "C" const int N = 3;\n',
}


@pytest.mark.parametrize("case", NEEDED)
def test_what_device_code_names_stays(case: str, tmp_path: Path) -> None:
    found, calls = compiled(tmp_path, main=f'#include "host.h"\n{KERNEL}', host=NEEDED[case])
    assert [o.kernel for o in found.entries.values()] == ["k"] and not found.lost
    assert calls == 1 and found.ptx is not None
    assert ", 3;" in found.ptx or "3;" in found.ptx.partition("st.global")[2]


def test_only_what_no_name_leads_to_is_cut() -> None:
    code = b"struct A { int x; };\nstruct B { A a; };\nstruct C {};\n__device__ B b;\n"
    (cuts,) = unneeded({Path("a.h"): Text(code, (), frozenset(), frozenset())}, ()).values()
    assert [code[c.start : c.end] for c in cuts] == [b"struct C {};"]


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


CALLS = {
    "of one type": "REGISTER(float);\nREGISTER(double);\n",
    "of more": "REGISTER(kGpu, float);\nREGISTER(kGpu, int);\n",
    "without a semicolon": "REGISTER(float)\nREGISTER(half_of_it)\nREGISTER(int)\n",
}


@pytest.mark.parametrize("case", CALLS)
def test_what_registers_host_classes_wants_no_header(case: str, tmp_path: Path) -> None:
    """The classes' bases are wide: each round the compiler found the headers of some of them."""
    files = {
        f"base{i}": f"#include <vector>\nstruct base{i} : base{i - 1} {{ std::vector<int> a; }};\n"
        for i in range(1, 7)
    }
    files = {"base0": "struct base0 : absent::base { std::vector<int> a; };\n"} | files
    text = "".join(f'#include "{n}.h"\n' for n in files)
    text += "template <class T> struct Runner : base6 { T value; };\n"
    text += '#define REGISTER(...) registry::add("k").with<Runner<__VA_ARGS__>>();\n'
    text += "template <class T> __global__ void k(T *p) { p[threadIdx.x] = 1; }\n"
    text += "void run(float *p) { k<float><<<1, 32>>>(p); }\n"
    found, calls = compiled(tmp_path, main=text + CALLS[case], **files)
    assert [o.kernel for o in found.entries.values()] == ["k"] and not found.lost
    assert calls == 2


def test_a_member_of_that_name_brings_no_header_back(tmp_path: Path) -> None:
    """`entry` is no type in sight. It was taken to be in the header of whose class it is one.

    That header does come back for what `f` names, which costs calls, too.
    """
    row = "struct log{}  : absent::base {{ using entry = int; std::vector<absent::x> a; }};\n"
    host = f"#include <vector>\nnamespace plain {{\n{''.join(map(row.format, range(6)))}}}\n"
    text = '#include "host.h"\n__global__ void k(float *p) { p[threadIdx.x] = 1; }\n'
    text += "__global__ void lost(entry *p) { p[threadIdx.x] = 1; }\n__device__ void f("
    text += ", ".join(f"plain::log{i} *p{i}" for i in range(6)) + ");\n"
    found, calls = compiled(tmp_path, main=text, host=host)
    assert [o.kernel for o in found.entries.values()] == ["k"]
    assert [k.name for k in found.lost] == ["lost"] and calls == 6


def test_no_other_number_is_tried_where_a_class_is_wanted(tmp_path: Path) -> None:
    """`float` is refused; `int` and `__half`, which came next, would be, too."""
    text = "template <class T> __global__ void k(T *a, float *p) { *p = a[threadIdx.x].w; }\n"
    found, calls = compiled(tmp_path, main=text)
    (origin,) = found.entries.values()
    assert origin.template_arguments == ("float4",) and calls == 2


def test_what_asks_for_thrusts_version_is_told_it(tmp_path: Path) -> None:
    text = "#include <thrust/version.h>\n#if THRUST_VERSION < 100500\n#error old\n#endif\n"
    found, calls = compiled(tmp_path, main=text + "__global__ void k(int *p) { *p = 1; }\n")
    assert [o.kernel for o in found.entries.values()] == ["k"] and calls == 1


FIRST = {
    "of namespace std": """#include <array>
#include <type_traits>
using namespace std;
template <class T> __device__ enable_if_t<is_same<T, float>::value, T> twice(T x) { return x + x; }
__global__ void k(const std::array<float *, 2> p) { p[0][threadIdx.x] = twice(p[1][threadIdx.x]); }
""",
    "of pairs and what a pair is of": """#include <utility>
__device__ std::pair<int, float> both(int i) { return std::make_pair(i, float(i)); }
__global__ void k(float *p) { p[threadIdx.x] = both(threadIdx.x).second; }
""",
    "a template's deduced arguments": """struct Field {
  template <class T> static __device__ T add(T a, T b) { return a + b; }
  template <class T> __device__ T operator()(T a) const { return -a; }
};
template <class F> __device__ float sum(F f, float a) {
  return F::template add(a, a) + f.template operator()<float>(a);
}
__global__ void k(float *p) { p[threadIdx.x] = sum(Field(), p[threadIdx.x]); }
""",
    "constants that GNU has": """#include <cstdio>
inline void show(std::FILE *to, float *p) { fprintf(to, "%f", p[0]); }
__device__ inline float turned(float a) { return a > M_PIf32 ? a - M_PIf : a; }
__global__ void k(float *p) { p[threadIdx.x] = turned(p[0]); }
""",
    "what C++14 had": """#include <functional>
template <class T> struct less : std::binary_function<T, T, bool> {
  __device__ bool operator()(T a, T b) { return a < b; }
};
__global__ void k(float *p) { less<float> f; p[threadIdx.x] = f(p[0], less<float>::result_type()); }
""",
    "functions asked for their types": """#include <tuple>
template <class... T> struct list {};
namespace of {
template <class... A, class... B> list<A..., B...> joined(list<A...>, list<B...>);
template <int n, class T, class... A> T taken(list<T, A...>);
}
using both = decltype(of::joined(list<float>{}, list<int>{}));
using one = decltype(of::taken<0>(both{}));
__global__ void k(one *p) { p[threadIdx.x] = 1; }
""",
    "allocators of other types": """#include <memory>
template <class T> struct pool { using value_type = T; pool() = default; };
template <class T> struct heap {
  using value_type = T;
  template <class U> struct rebind { typedef heap<U> other; };
};
template <class A> struct Table {
  using of_flags = typename std::allocator_traits<A>::rebind_alloc<bool>;
  using of_sizes = typename std::allocator_traits<A>::template rebind_alloc<long>;
  using size_type = typename std::allocator_traits<A>::size_type;
  of_flags flags;
  of_sizes sizes;
  std::shared_ptr<bool> built;
  float *p;
  __device__ float at(size_type i) const { return p[i]; }
};
__global__ void k(Table<pool<float>> a, Table<heap<int>> b, float *p) {
  typename Table<pool<float>>::of_flags::value_type is = true;
  typename Table<heap<int>>::of_sizes::value_type at = 1;
  p[threadIdx.x] = is ? a.at(at) : b.at(threadIdx.x);
}
""",
    "a specifier that nothing defines before a class": """#include <lib/export.hpp>
struct LIB_VISIBLE error_type {
  int value;
  error_type(int e) : value(e) {}
  const char *name() const { return cudaGetErrorName(cudaError_t(value)); }
};
enum class LIB_VISIBLE kind : int { one, two };
__global__ void k(float *p) { p[threadIdx.x] = float(kind::two); }
""",
    "members that only the host uses": """#include <memory>
#include <random>
#include <string_view>
struct Model {
  float *p;
  std::string_view name = "none";
  std::shared_ptr<int> log = nullptr;
  std::normal_distribution<double> noise;
  std::uniform_int_distribution<> dice;
  __device__ float at(int i) const { return p[i]; }
};
static_assert(sizeof(Model) == 8 + 16 + 16 + 32 + 8, "as on the host");
__global__ void k(Model m) { m.p[threadIdx.x] = 2 * m.at(threadIdx.x); }
""",
}


@pytest.mark.parametrize("case", FIRST)
def test_one_call_is_enough_for(case: str, tmp_path: Path) -> None:
    found, calls = compiled(tmp_path, main=FIRST[case])
    assert [o.kernel for o in found.entries.values()] == ["k"] and not found.lost
    assert calls == 1


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


#: Templates, and the instance that each is analysed as: the first guesses are refused.
LATE = {
    "a number": (
        "template <class T, int N> __global__ void k(T *p) {\n"
        '  static_assert(N == 2, "only two");\n  p[threadIdx.x] = N;\n}\n',
        {"k<float, 2>"},
    ),
    "a type": (
        "template <class T> struct named;\ntemplate <> struct named<float4> { enum { N = 4 }; };\n"
        "namespace a { template <class T, bool B, unsigned N> __global__ void k(T *p) {\n"
        "  p[threadIdx.x] = T(); static_assert(named<T>::N == 4 && (N == 128 || N == 16)); } }\n",
        {"k<float4, true, 16>"},
    ),
    "a pointer that tells it": (
        "#include <cuda_fp16.h>\ntemplate <class T> struct named;\n"
        "template <> struct named<int> { enum { N = 4 }; };\n"
        "template <class T> __global__ void k(T *p) { p[threadIdx.x] = named<T>::N; }\n",
        {"k<int>"},
    ),
    "two kernels": (
        "template <int N> __global__ void k(int *p) { static_assert(N == 256); p[0] = N; }\n"
        "template <int N> __global__ void l(int *p) { static_assert(N == 128); p[0] = N; }\n"
        "template <int N> __global__ void m(int *p) { static_assert(N <= 16); p[0] = N; }\n",
        {"k<256>", "l<128>", "m<16>"},
    ),
    "none": (
        "template <class T, int N> __global__ void k(T *p) { static_assert(N == 7); p[0] = N; }\n"
        "__global__ void l(int *p) { p[0] = 1; }\n",
        {"l"},
    ),
    "a function behind it": (
        "template <int N> struct of;\ntemplate <> struct of<128> {};\n"
        "template <> struct of<32> {};\n"
        "template <int N> __device__ int in() { return sizeof(of<N>) + N; }\n"
        "template <int N> __global__ void k(int *p) { p[0] = in<N>(); }\n",
        {"k<32>"},
    ),
}


@pytest.mark.parametrize("case", LATE)
def test_guesses_that_are_left_are_tried_together(case: str, tmp_path: Path) -> None:
    text, titles = LATE[case]
    found, calls = compiled(tmp_path, main=text)
    assert {o.title for o in found.entries.values()} == titles
    assert calls <= 4, calls


ABSENT = (
    "#include <geo/all.h>\nusing point = geo::point;\nstruct Ray { point from; };\n"
    "__device__ float x_of(Ray r) { return r.from.x; }\n"
)
RAYS = "__global__ void rays(Ray *r, float *a) { a[threadIdx.x] = x_of(r[threadIdx.x]); }\n"
FLOATS = "__global__ void floats(float *a) { a[threadIdx.x] = 1; }\n"


@pytest.mark.parametrize(
    ("kernels", "got", "calls"),
    [(FLOATS + RAYS, {"floats"}, 1), (RAYS, set(), 0)],
    ids=["one needs it", "all do"],
)
def test_what_an_absent_library_would_declare_goes_at_once(
    tmp_path: Path, kernels: str, got: set[str], calls: int
) -> None:
    found, made = compiled(tmp_path, main=ABSENT + kernels)
    assert {o.kernel for o in found.entries.values()} == got
    assert [k.name for k in found.lost] == ["rays"]
    assert "geo/all.h" in found.lost[0].reason
    assert made == calls


def test_what_a_class_of_the_hosts_has_of_the_library_is_had(tmp_path: Path) -> None:
    counted = (
        "#include <atomic>\nclass Counted {\n public:\n  float *p;\n  std::atomic<int> *uses;\n};\n"
    )
    kernel = '#include "counted.h"\n__global__ void k(Counted *c) { c[threadIdx.x].p[0] = 1; }\n'
    found, calls = compiled(tmp_path, main=kernel, counted=counted)
    assert [o.kernel for o in found.entries.values()] == ["k"] and calls == 2


@pytest.mark.parametrize(
    "declared",
    [
        "namespace lab::geo { struct point { float x; }; }\n"
        "namespace lab { using p = geo::point; }\n",
        "namespace geo::detail {}\nnamespace geo { struct point { float x; }; }\n"
        "using namespace geo;\nnamespace lab { using p = geo::point; }\n",
    ],
    ids=["nested", "with another inside"],
)
def test_a_namespace_in_sight_is_none_of_an_absent_library(tmp_path: Path, declared: str) -> None:
    kernel = "__global__ void k(lab::p *x) { x[threadIdx.x].x = 1; }\n"
    found, calls = compiled(tmp_path, main="#include <geo/config.h>\n" + declared + kernel)
    assert [o.kernel for o in found.entries.values()] == ["k"] and calls == 1


@pytest.mark.parametrize(
    "text",
    [
        "template <typename T>\nconcept Small = sizeof(T) <= 4;\n"
        "template <Small T> __device__ T of(T x) { return x; }\n",
        "template <typename T>\n  requires(sizeof(T) <= 4)\n__device__ T of(T x) { return x; }\n",
        "#if __cplusplus < 202002L\n#error This needs C++20.\n#endif\n"
        "__device__ int of(int x) { return x; }\n",
        "struct row { int x; auto operator<=>(const row &) const = default; };\n"
        "template <class T> __device__ T of(T x) { return x; }\n",
    ],
)
def test_what_is_written_in_a_newer_dialect_is_compiled_so_at_once(
    tmp_path: Path, text: str
) -> None:
    kernel = "__global__ void k(int *p) { p[threadIdx.x] = of(p[0]); }\n"
    found, calls = compiled(tmp_path, main=text + kernel)
    assert [o.kernel for o in found.entries.values()] == ["k"] and calls == 1


OLD_HABIT = """template <class T> struct packed { using type = T; };
template <class T> __device__ packed<T>::type of(T x) { return x; }
__global__ void k(int *p) { p[threadIdx.x] = of(p[0]); }
"""


def test_a_type_without_its_word_is_of_the_newer_dialect(tmp_path: Path) -> None:
    found, calls = compiled(tmp_path, main=OLD_HABIT)
    assert [o.kernel for o in found.entries.values()] == ["k"] and calls == 2


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


def test_what_does_without_concepts_is_compiled_as_before(tmp_path: Path) -> None:
    text = (
        "#if __cplusplus >= 202002L\ntemplate <typename T>\nconcept Any = true;\n"
        "__global__ void newer(int *p) {}\n#else\n__global__ void older(int *p) {}\n#endif\n"
    )
    found, calls = compiled(tmp_path, main=text)
    assert [o.kernel for o in found.entries.values()] == ["older"] and calls == 1


def test_what_the_librarys_concepts_constrain_is_of_the_newer_dialect(tmp_path: Path) -> None:
    text = (
        "#include <concepts>\n"
        "template <int N, std::integral T> __device__ T by(T x) { return N * x; }\n"
        "__device__ int of(std::integral auto x) { return by<2>(x); }\n"
    )
    kernel = "__global__ void k(int *p) { p[threadIdx.x] = of(p[0]); }\n"
    found, _ = compiled(tmp_path, main=text + kernel)
    assert [o.kernel for o in found.entries.values()] == ["k"]


def test_a_size_of_the_library_is_no_concept_of_it(tmp_path: Path) -> None:
    text = "#include <cstddef>\ntemplate <std::size_t N> __device__ int of() { return N; }\n"
    kernel = "__global__ void k(int *p) { int consteval = of<2>(); *p = consteval; }\n"
    found, calls = compiled(tmp_path, main=text + kernel)
    assert [o.kernel for o in found.entries.values()] == ["k"] and calls == 1


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


def test_names_of_std_that_a_host_header_misses_come_together(tmp_path: Path) -> None:
    part = """#include <type_traits>
    template <class T> using kept = decltype(std::declval<T &>().x);
    template <class T> using pair_of = std::pair<T, std::integral_constant<int, 2>>;
    template <class T> using held = std::optional<T>;
    """
    main = '#include "part.h"\nstruct A { int x; };\n'
    kernel = "__global__ void k(kept<A> *a, held<int> b, pair_of<int> c) { *a = *b + c.first; }\n"
    found, calls = compiled(tmp_path, part=part, main=main + kernel)
    assert list(found.entries) and not found.lost
    assert calls == 2


def test_a_macro_of_types_declares_the_names_that_it_joins(tmp_path: Path) -> None:
    part = """template <class T, class = void> struct always { typedef void type; };
    #define ASKS(member) \\
        template <class T, class = void> struct has_##member { enum { value = 0 }; }; \\
        template <class T> struct has_##member<T, typename always<decltype(T::member)>::type> { \\
            enum { value = 1 }; \\
        }
    ASKS(x);
    ASKS(y);
    """
    kernel = "struct A { int x; };\n__global__ void k(int *a) { *a = has_x<A>::value; }\n"
    found, calls = compiled(tmp_path, part=part, main='#include "part.h"\n' + kernel)
    assert list(found.entries) and not found.lost
    assert calls == 1


def test_what_is_assumed_waits_for_no_message_about_others(tmp_path: Path) -> None:
    """Templates are asked for beside what is still to be mended of other things."""
    main = "#define ONLY_HOST __host__\ntemplate <class T> struct kind;\n"
    main += "template <> struct kind<int64_t> {};\ntemplate <> struct kind<long long> {};\n"
    main += "struct Log { int level; ONLY_HOST void set(int); };\n__constant__ Log logs;\n"
    main += "template <class T> __global__ void k(T *p) { *p += sizeof(kind<int64_t>); }\n"
    found, calls = compiled(tmp_path, main=main)
    assert [o.kernel for o in found.entries.values()] == ["k"] and calls == 2


def test_no_number_is_tried_where_a_functor_is_asked(tmp_path: Path) -> None:
    main = "template <class T, class F> __global__ void k(T *p, F f) { *p = f(*p); }\n"
    main += "template <class D> __global__ void l(D d) { typename D::type x; d.put(x); }\n"
    main += "__global__ void m(int *p) { *p = 1; }\n"
    found, calls = compiled(tmp_path, main=main)
    assert [o.kernel for o in found.entries.values()] == ["m"] and calls == 1


def test_a_specialisation_of_what_is_absent_costs_no_call(tmp_path: Path) -> None:
    main = "#include <formats/format.h>\nnamespace own { enum Kind { A, B }; }\n"
    main += "template <> struct formats::formatter<own::Kind> : formatter<int> {\n"
    main += "  auto format(own::Kind kind) const { return 0; }\n};\n"
    main += "__global__ void k(own::Kind *p) { *p = own::B; }\n"
    found, calls = compiled(tmp_path, main=main)
    assert [o.kernel for o in found.entries.values()] == ["k"] and calls == 1


def test_a_flag_that_the_sources_insist_on_costs_no_call(tmp_path: Path) -> None:
    main = '#if !defined(__CUDACC_EXTENDED_LAMBDA__)\n#error "give --extended-lambda"\n#endif\n'
    main += "__global__ void k(int *p) { *p = 1; }\n"
    found, calls = compiled(tmp_path, main=main)
    assert [o.kernel for o in found.entries.values()] == ["k"] and calls == 1


def test_names_that_are_used_of_the_library_cost_no_call(tmp_path: Path) -> None:
    """`using std::vector;` in a namespace, and classes with such members."""
    header = "#include <vector>\nnamespace core { using std::vector; using std::cout;\n"
    header += "struct Shape { vector<int> sizes; int rank; __device__ int n() { return rank; }\n"
    header += "  friend bool operator==(Shape &a, Shape &b) { return a.sizes == b.sizes; }\n"
    header += "}; }\n"
    main = '#include "core.h"\n__global__ void k(core::Shape s, int *p) { *p = s.n(); }\n'
    found, calls = compiled(tmp_path, main=main, core=header)
    assert [o.kernel for o in found.entries.values()] == ["k"] and calls == 1


def test_an_unknown_specifier_before_auto_costs_one_call(tmp_path: Path) -> None:
    main = "#include <layouts/layout.h>\nstruct Tiles {\n"
    main += "".join(
        f"  static LAYOUT_DEVICE constexpr auto tile{n}() {{ return {n}; }}\n" for n in range(4)
    )
    main += "};\n__global__ void k(int *p) { *p = Tiles::tile3(); }\n"
    found, calls = compiled(tmp_path, main=main)
    assert [o.kernel for o in found.entries.values()] == ["k"] and calls == 2


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


@pytest.mark.parametrize("is_there", [False, True])
def test_what_a_fragment_lacks_is_not_looked_for_where_it_lacks_too(
    tmp_path: Path, is_there: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "lib").mkdir()
    fragment = f"#pragma once\n{ABSENT}{RAYS}"
    (tmp_path / "lib/rays.cuh").write_text(fragment)
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


def test_aliases_that_a_macro_declares_stay_where_device_code_names_them(tmp_path: Path) -> None:
    """Beside a header that is refused: `NAMED(vec, float)` was taken for a registration."""
    host = "struct Log : absent::base { std::vector<Absent> lines; };\nextern Log *Pair_log(Log);\n"
    host += "inline Absent first(Log x) { return x.first; }\nLog last;\nabsent::Any b = absent();\n"
    vectors = """namespace v {
template <class T, unsigned N> struct tvec { T first, second; };
#define ANYWHERE __host__ __device__
#define NAMED(name, T) \\
template <unsigned N> using name = tvec<T, N>; \\
template <unsigned N> using a##name = tvec<T, N>; \\
using name##1 = name<1>; \\
using name##2 = name<2>;

NAMED(bvec, bool)
NAMED(vec, float)
NAMED(lvec, Absent)
#if defined(__CUDACC__)
NAMED(hvec, int)
#endif

#if defined(__CUDACC__)
inline ANYWHERE float first(const vec2 &x) { return x.first; }
#endif
}
"""
    main = """#include "host.h"
#include "vectors.h"
__device__ void log(Log *);
__global__ void k(v::vec2 *p, v::hvec1 *q) { p[threadIdx.x].second = first(p[0]) + q->first; }
"""
    found, _ = compiled(tmp_path, main=main, host=host, vectors=vectors)
    assert [o.kernel for o in found.entries.values()] == ["k"] and not found.lost


def test_what_else_a_macro_with_an_alias_declares_is_left_out(tmp_path: Path) -> None:
    """As above, for a registration that names its type: nothing that device code has use for."""
    host = "struct Log : absent::base { std::vector<Absent> lines; };\nextern Log *Pair_log(Log);\n"
    vectors = """template <class T> struct tvec { T first, second; };
#define ENTER(name, T) \\
using name##_log = absent::log<T>; \\
static const bool name##_known = absent::enter<name##_log>(#name);
#define NAMED(name, T) using name = tvec<T>;

NAMED(vec, float)
ENTER(vec, float)
ENTER(ivec, int)
"""
    main = """#include "host.h"
#include "vectors.h"
__global__ void k(vec *p) { p[threadIdx.x].second = p[0].first; }
"""
    found, calls = compiled(tmp_path, main=main, host=host, vectors=vectors)
    assert [o.kernel for o in found.entries.values()] == ["k"] and not found.lost
    assert calls <= 3
