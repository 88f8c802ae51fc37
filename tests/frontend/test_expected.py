"""What the sources say before the first call: libraries, the build's switches, a fragment's own."""

from __future__ import annotations

from pathlib import Path

import pytest

from perflint.frontend import Pool, compile_file
from perflint.frontend.closure import SourceFile
from perflint.frontend.model import Compilation
from perflint.frontend.nvrtc.library import Job, Outcome
from perflint.frontend.nvrtc.needed_macros import wanted_by_device_code


class Keeping(Pool):
    """Keeps the jobs."""

    def __init__(self) -> None:
        super().__init__()
        self.jobs: list[Job] = []

    def _compile(self, job: Job) -> Outcome:
        self.jobs.append(job)
        return super()._compile(job)


def compiled(folder: Path, main: str = "main.cu", **files: str) -> tuple[Compilation, list[Job]]:
    """Compile a file of a project: `pair_h` is `pair.h`."""
    for name, text in files.items():
        (folder / name.replace("_", ".")).write_text(text)
    with Keeping() as pool:
        return compile_file(folder / main, root=folder, pool=pool), pool.jobs


STARTED = "#include <cub/cub.cuh>\n#include <thrust/device_vector.h>\n"
SUM = """  typedef {}BlockReduce<int, 128> Reduce;
  __shared__ typename Reduce::TempStorage storage;
  const int sum = Reduce(storage).Sum(in[threadIdx.x]);
  if (threadIdx.x == 0) out[blockIdx.x] = sum;
"""
SUMS = "__global__ void k(const int *in, int *out) {{\n" + SUM + "}}\n"
NAMED = {
    "a block's sum": SUMS.format("cub::"),
    "by its namespace": "using namespace cub;\n" + SUMS.format(""),
    "what old CUB had": "__global__ void k(int *p) {\n"
    "  p[cub::LaneId()] = __popc(cub::LaneMaskLt());\n}\n",
    "in a launch": "template <class F> __global__ void k(F f, int *p) { *p = f(p[1], p[2]); }\n"
    "void run(int *p) { k<thrust::plus<int>><<<1, 32>>>(thrust::plus<int>(), p); }\n",
    "containers of a class": "struct Bag {\n  thrust::device_vector<int> kept;\n"
    "  thrust::host_vector<int> copied;\n  int *p;\n"
    "  void take(const thrust::host_vector<int> &v) { kept = v; }\n"
    "  __device__ int at(int i) const { return p[i]; }\n};\n"
    'static_assert(sizeof(Bag) == 72, "as on the host");\n'
    "__global__ void k(Bag *b, int *p) { *p = b->at(threadIdx.x); }\n",
}


@pytest.mark.parametrize("case", NAMED)
def test_what_is_named_of_a_library_is_there_at_once(case: str, tmp_path: Path) -> None:
    found, jobs = compiled(tmp_path, main_cu=STARTED + NAMED[case])
    assert [o.kernel for o in found.entries.values()] == ["k"] and not found.lost
    assert len(jobs) == 1


HOSTS = {
    "host code": "void run(int *p, int n) {\n"
    "  cub::DeviceScan::Scan(p, n);\n  thrust::sort(p, p + n);\n}\n",
    "a macro": "#define REDUCE(T) cub::BlockReduce<T, 32>\n",
    "a namespace for the host": "using namespace cub;\nusing namespace thrust;\n"
    "void run(int *p, int n) { DeviceScan::Scan(p, n); }\n",
    "a comment": "// as cub::BlockReduce does\n",
}


@pytest.mark.parametrize("case", HOSTS)
def test_what_only_the_host_names_of_a_library_is_not(case: str, tmp_path: Path) -> None:
    """Each of its headers takes the compiler longer than most files."""
    kernel = "__global__ void k(int *p) { p[threadIdx.x] = 1; }\n"
    found, (job,) = compiled(tmp_path, main_cu=STARTED + HOSTS[case] + kernel)
    assert [o.kernel for o in found.entries.values()] == ["k"] and not found.lost
    assert not any("cub" in o or "thrust" in o for o in job.options)


def test_a_namespace_of_that_name_that_the_sources_have_is_used(tmp_path: Path) -> None:
    text = "namespace cub { __device__ int one() { return 1; } }\nusing namespace cub;\n"
    found, jobs = compiled(tmp_path, main_cu=text + "__global__ void k(int *p) { *p = one(); }\n")
    assert [o.kernel for o in found.entries.values()] == ["k"] and len(jobs) == 1


def test_constants_are_each_in_their_types_header(tmp_path: Path) -> None:
    text = "__global__ void k(float *p) {\n  p[0] = CUDART_3PIO4_F;\n"
    text += "  p[1] = __half2float(CUDART_MAX_NORMAL_FP16);\n"
    text += "  p[2] = __bfloat162float(CUDART_ONE_BF16);\n}\n"
    found, _ = compiled(tmp_path, main_cu=text)
    assert [o.kernel for o in found.entries.values()] == ["k"]
    assert not found.lost and not found.remarks


def test_no_constant_of_cudas_is_guessed(tmp_path: Path) -> None:
    """As a size it was 16."""
    text = "__global__ void k(float *p) { p[0] = CUDART_NO_SUCH; }\n"
    found, _ = compiled(tmp_path, main_cu=text)
    assert not found.entries and not found.remarks


SWITCH = "#ifdef WITH_CUDA\n{}#endif\n"


def test_a_switch_around_device_code_is_on_at_once(tmp_path: Path) -> None:
    header = SWITCH.format("__device__ inline int one() { return 1; }\n")
    main = '#include "one.h"\n__global__ void k(int *p) { *p = one(); }\n'
    found, jobs = compiled(tmp_path, main_cu=main, one_h=header)
    assert [o.kernel for o in found.entries.values()] == ["k"] and len(jobs) == 1
    assert any("WITH_CUDA is taken to be 1" in r for r in found.remarks)


@pytest.mark.parametrize("mark", ["__device__ ", ""])
def test_a_switch_around_a_header_is_on_for_its_device_code(mark: str, tmp_path: Path) -> None:
    main = SWITCH.format('#include "one.h"\n') + "__global__ void k(int *p) { *p = 1; }\n"
    header = f"{mark}inline int one() {{ return 1; }}\n"
    found, (job,) = compiled(tmp_path, main_cu=main, one_h=header)
    assert [o.kernel for o in found.entries.values()] == ["k"]
    assert any("WITH_CUDA" in o for o in job.options) == bool(mark)


def test_a_switch_around_host_code_says_nothing(tmp_path: Path) -> None:
    header = SWITCH.format("inline int one() { return 1; }\n")
    main = '#include "one.h"\n__global__ void k(int *p) { *p = 1; }\n'
    found, (job,) = compiled(tmp_path, main_cu=main, one_h=header)
    assert [o.kernel for o in found.entries.values()] == ["k"] and not found.remarks
    assert not any("WITH_CUDA" in o for o in job.options)


#: A program for two makers' GPUs, which says nothing else of either.
TWO_MAKERS = """#if defined(SIM_ROCM)
#include <hip/hip_complex.h>
#endif
#if defined({})
#include <cuda_runtime.h>
#endif
#if defined({}) || defined(SIM_ROCM)
template <class T> struct pair_of {{ T x, y; }};
#endif
"""


@pytest.mark.parametrize(("name", "on"), [("SIM_CUDA", True), ("NO_CUDA", False)])
def test_what_cudas_headers_stand_under_is_on(name: str, on: bool, tmp_path: Path) -> None:
    main = '#include "one.h"\n__global__ void k(pair_of<int> *p) { p->x = p->y; }\n'
    found, jobs = compiled(tmp_path, main_cu=main, one_h=TWO_MAKERS.format(name, name))
    assert bool(found.entries) == on and (len(jobs) == 1 or not on)
    assert any(f"-D{name}=1" in job.options for job in jobs) == on


SWITCHES = {
    "#ifdef A\n__device__ int f();\n#endif\n": {"A"},
    "#if defined(A)\n#if B\n__global__ void k();\n#endif\n#endif\n": {"A", "B"},
    "#ifdef A\n#define HD __host__ __device__\n#else\n#define HD\n#endif\n": {"A"},
    "#define HD __host__ __device__\n#ifdef A\nHD int f();\n#endif\n": {"A"},
    "#define HOST inline\n#ifdef A\nHOST int f();\n#endif\n": set(),
    "#ifdef A\nint f();\n#else\n__device__ int f();\n#endif\n": set(),
    "#ifndef A\n__device__ int f();\n#endif\n": set(),
    "#if defined(A) && B > 2\n__device__ int f();\n#endif\n": set(),
    "#ifdef A\nint f();\n#endif\n__device__ int g();\n": set(),
    "#ifdef C\n__device__ int f();\n#endif\n": set(),
    "#ifdef A\n#include <cuda_runtime.h>\n#endif\n": {"A"},
    "#ifdef A\n#include <vector>\n#endif\n": set(),
}


@pytest.mark.parametrize("code", SWITCHES)
def test_which_switches_device_code_stands_under(code: str) -> None:
    path = Path("a.cu")
    file = SourceFile(path, "a.cu", code, code.encode(), {})
    assert wanted_by_device_code([file], {"A", "B"}) == SWITCHES[code]


def test_a_variable_may_be_called_as_its_type(tmp_path: Path) -> None:
    """Beside a header that is refused, only what is named stays; a parameter's name is one."""
    host = "struct Log : absent::base { std::vector<Absent> lines; };\nextern Log last;\n"
    main = '#include "log.h"\nnamespace of {\ntemplate <class T> struct pair { T a, b; };\n'
    main += "template <class T> struct Sum {\n"
    main += "  static __device__ T of(pair<T> &pair) { return pair.a + pair.b; }\n};\n}\n"
    main += "__global__ void k(of::pair<int> *p, int *q) { *q = of::Sum<int>::of(*p); }\n"
    main += "__device__ void log(Log *);\n"
    found, _ = compiled(tmp_path, main_cu=main, log_h=host)
    assert [o.kernel for o in found.entries.values()] == ["k"] and not found.lost


RUNS = """struct Pair { int first; };
#include "part.cuh"
void run(Pair *p) { set<<<1, 1>>>(p); }
"""
PART = """__global__ void set(Pair *p) { p->first = 1; }
template <class T> __global__ void clear(T *p) { p[threadIdx.x] = 0; }
"""


def test_a_fragments_kernels_are_compiled_though_nobody_launches_them(tmp_path: Path) -> None:
    found, _ = compiled(tmp_path, "part.cuh", main_cu=RUNS, part_cuh=PART)
    assert {o.title for o in found.entries.values()} == {"set", "clear<float>"} and not found.lost


def test_other_headers_kernels_are_compiled_where_launched_only(tmp_path: Path) -> None:
    main = "struct Pair { int first; };\n"
    main += '#include "part.cuh"\n__global__ void k(Pair *p) { p->first = 2; }\n'
    found, _ = compiled(tmp_path, main_cu=main, part_cuh=PART)
    assert {o.title for o in found.entries.values()} == {"set", "k"} and not found.lost


def test_an_includer_begins_with_what_the_fragment_found(tmp_path: Path) -> None:
    part = "__global__ void set(Pair *p, __half *q) { p->first = 1; q[0] = 1; }\n"
    found, jobs = compiled(tmp_path, "part.cuh", main_cu=RUNS, part_cuh=part)
    assert [o.kernel for o in found.entries.values()] == ["set"]
    assert len(jobs) == 3 and any("cuda_fp16.h" in o for o in jobs[2].options)


def test_what_ends_a_list_is_no_macro(tmp_path: Path) -> None:
    main = 'namespace of {\nenum { ZERO,\n#include "list.inc"\n};\n}\n'
    main += "__global__ void k(int *p) { *p = of::LAST_ONE; }\n"
    found, jobs = compiled(tmp_path, main_cu=main, list_inc="FIRST,\nLAST_ONE\n")
    assert [o.kernel for o in found.entries.values()] == ["k"]
    assert len(jobs) == 1 and not found.remarks


def test_what_the_sources_define_is_not_taken_to_be_empty(tmp_path: Path) -> None:
    main = '#include "opens.h"\nOPENS\nnamespace of {\n__global__ void k(int *p) { *p = 1; }\n}\n'
    main += "CLOSES\n"
    opens = "#define OPENS namespace library {\n#define CLOSES }\n"
    found, jobs = compiled(tmp_path, main_cu=main, opens_h=opens)
    assert [o.kernel for o in found.entries.values()] == ["k"]
    assert len(jobs) == 1 and not found.remarks


def test_templates_that_ask_for_classes_are_not_compiled_again_without(tmp_path: Path) -> None:
    """What the build's macros had to do with them was to no avail; so is to be without."""
    header = SWITCH.format("__device__ inline int one() { return 1; }\n")
    main = '#include "one.h"\ntemplate <class P> __global__ void k(int *p) '
    main += "{ *p = P::of(one()); typename P::Kind kind; }\n"
    found, jobs = compiled(tmp_path, main_cu=main, one_h=header)
    assert not found.entries and [k.name for k in found.lost] == ["k"] and len(jobs) == 1


def test_a_function_that_is_lost_is_not_its_template(tmp_path: Path) -> None:
    main = "template <class T> __device__ int size_of(T x) { return 1; }\n"
    main += "template <> __device__ int size_of(int x) { Unknown y; return 4; }\n"
    main += "__global__ void k(int *p) { *p = size_of(p[1]); }\n"
    found, _ = compiled(tmp_path, main_cu=main)
    assert not found.entries and "it needs `size_of`, which did not" in found.lost[0].reason
    assert any("was left out" in r for r in found.remarks)
