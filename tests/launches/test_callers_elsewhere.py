"""Launches whose numbers come from sources of the program that lie in other folders."""

from __future__ import annotations

from pathlib import Path

import pytest

from perflint.lint.options import CheckOptions
from perflint.work.pipeline import check
from tests.launches.test_worlds import listed

KERNEL = '#include "blur.h"\n__global__ void blur(float *a, int n) { a[2 * threadIdx.x] += n; }\n'
LAUNCHER = "void run_blur(float *a, int n, int block) { blur<<<n / block, block>>>(a, n); }\n"
HEADER = "void run_blur(float *a, int n, int block);\n"
MAIN = '#include "{header}"\nint main() {{ {call} }}\n'
#: A class between `main` and the launcher.
FILTER = {
    "image/filter.h": "struct Filter { explicit Filter(int n); void apply(int block); int n; };\n",
    "image/filter.cpp": (
        '#include "filter.h"\n#include "blur.h"\nFilter::Filter(int n) : n(n) {}\n'
        "void Filter::apply(int block) { run_blur(nullptr, n, block); }\n"
    ),
}
READ = "blur<<<10, 96>>>(n=960)"

#: What lies beside gpu/blur.cu and include/blur.h, and the launch; "": nobody can tell.
PROGRAMS: dict[str, tuple[dict[str, str], str]] = {
    "main in another folder": (
        {"app/main.cpp": MAIN.format(header="blur.h", call="run_blur(0, 960, 96);")},
        READ,
    ),
    "main far away, which names the header by its path": (
        {"a/b/c/main.cpp": MAIN.format(header="include/blur.h", call="run_blur(0, 960, 96);")},
        READ,
    ),
    "variables that another file defines": (
        {
            "app/main.cpp": (
                '#include "blur.h"\nextern int sizes[2];\nvoid set();\n'
                "int main() { set(); run_blur(0, sizes[0], sizes[1]); }\n"
            ),
            "gpu/set.cpp": "int sizes[2];\nvoid set() { sizes[0] = 960; sizes[1] = 96; }\n",
        },
        READ,
    ),
    "a class in between": (
        FILTER | {"app/main.cc": MAIN.format(header="filter.h", call="Filter(960).apply(96);")},
        READ,
    ),
    "a class that includes the header in its own": (
        {
            "app/manager.h": '#include "blur.h"\nstruct Manager { void run(); };\n',
            "app/manager.cpp": (
                '#include "manager.h"\nvoid Manager::run() { run_blur(nullptr, 960, 96); }\n'
            ),
            "app/main.cpp": '#include "manager.h"\nint main() { Manager m; m.run(); }\n',
        },
        READ,
    ),
    "a header that main alone includes": (
        {
            "app/main.cpp": (
                '#include "blur.h"\n#include "timer.h"\nint main() { Timer t(960); t.time(96); }\n'
            ),
            "tools/timer.h": (
                "struct Timer {\n  explicit Timer(int n) : n(n) {}\n"
                "  void time(int block) { run_blur(nullptr, n, block); }\n  int n;\n};\n"
            ),
        },
        READ,
    ),
    "main that includes and does not call": (
        {"app/main.cpp": MAIN.format(header="blur.h", call="return 96;")},
        "",
    ),
    "two programs": (
        {
            "app/one.cpp": MAIN.format(header="blur.h", call="run_blur(0, 960, 96);"),
            "app/two.cpp": MAIN.format(header="blur.h", call="run_blur(0, 640, 64);"),
        },
        "",
    ),
    "a program and a test": (
        {
            "app/main.cpp": MAIN.format(header="blur.h", call="run_blur(0, 960, 96);"),
            "tests/main.cpp": MAIN.format(header="blur.h", call="run_blur(0, 2, 1);"),
        },
        READ,
    ),
    "two programs and a test of a framework": (
        {
            "app/one.cpp": MAIN.format(header="blur.h", call="run_blur(0, 960, 96);"),
            "app/two.cpp": MAIN.format(header="blur.h", call="run_blur(0, 640, 64);"),
            "app/blur_cases.cpp": (
                '#include <gtest/gtest.h>\n#include "blur.h"\n'
                "void some_case() { run_blur(0, 2, 1); }\n"
            ),
        },
        "",
    ),
    "two programs and a test beside the file": (
        {
            "gpu/blur_test.cpp": '#include "blur.h"\nvoid some_case() { run_blur(0, 2, 1); }\n',
            "gpu/one.cpp": MAIN.format(header="blur.h", call="run_blur(0, 960, 96);"),
            "gpu/two.cpp": MAIN.format(header="blur.h", call="return 96;"),
        },
        READ,
    ),
    "the only caller is a test": (
        {"tests/test_blur.cpp": MAIN.format(header="blur.h", call="run_blur(0, 960, 96);")},
        READ,
    ),
    "a test beside a library's function that nobody calls": (
        {
            "lib/soft.cpp": '#include "blur.h"\nvoid soft(int n) { run_blur(0, n, 32); }\n',
            "tests/test_blur.cpp": MAIN.format(header="blur.h", call="run_blur(0, 960, 96);"),
        },
        READ,
    ),
    "a name that ends like a test's": (
        {"app/latest.cpp": MAIN.format(header="blur.h", call="run_blur(0, 960, 96);")},
        READ,
    ),
    "a library that many use": (
        {
            f"users/u{i}.cpp": f'#include "blur.h"\nvoid use{i}() {{ run_blur(0, 960, 96); }}\n'
            for i in range(20)
        },
        "",
    ),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_program_around_a_file(name: str, tmp_path: Path) -> None:
    others, wanted = PROGRAMS[name]
    files = {"gpu/blur.cu": KERNEL + LAUNCHER, "include/blur.h": HEADER} | others
    (tmp_path / ".git").mkdir()
    for path, text in files.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    (kernel,) = listed(tmp_path / "gpu" / "blur.cu")
    (launch,) = kernel.launches
    read = {q.name: q.origin for q in launch.quantities}["block"] == "read"
    assert (launch.worlds[0] if read else "") == wanted


def test_a_header_whose_brackets_a_formatter_took_apart(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "kernel.cuh").write_text(KERNEL.replace('#include "blur.h"\n', "#pragma once\n"))
    (tmp_path / "filter.cuh").write_text(
        '#pragma once\n#include "kernel.cuh"\nstruct Filter {\n'
        "    Filter(float *a, int n) { blur << <10, 96 >> > (a, n); }\n};\n"
    )
    (tmp_path / "main.cu").write_text('#include "filter.cuh"\nint main() { Filter f(0, 960); }\n')
    (kernel,) = listed(tmp_path / "main.cu")
    (launch,) = kernel.launches
    assert launch.worlds[0] == READ


#: A launch of a matrix's own size, and three programs: two come to it, one only makes a matrix.
SEVERAL = {
    "matrix.h": "struct Matrix { int rows, cols; float *data; Matrix(int rows, int cols); };\n",
    "matrix.cpp": ('#include "matrix.h"\nMatrix::Matrix(int r, int c) { rows = r; cols = c; }\n'),
    "scale.cu": (
        '#include "matrix.h"\n'
        "__global__ void scale(float *a, int n) { a[threadIdx.x] *= n; }\n"
        "void run(Matrix *m, int block) {\n"
        "    int n = m->rows * m->cols;\n"
        "    scale<<<(n + block - 1) / block, block>>>(m->data, n);\n"
        "}\n"
    ),
    "large.cpp": (
        '#include "matrix.h"\nvoid run(Matrix *m, int block);\n'
        "int main() { Matrix *m = new Matrix(1024, 32); run(m, 256); }\n"
    ),
    "small.cpp": (
        '#include "matrix.h"\nvoid run(Matrix *m, int block);\n'
        "int main() { Matrix *m = new Matrix(10, 8); run(m, 64); }\n"
    ),
    "print.cpp": '#include "matrix.h"\nint main() { Matrix *m = new Matrix(3, 4); }\n',
}


def test_each_program_that_comes_to_a_launch_has_numbers_of_its_own(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    for name, text in SEVERAL.items():
        (tmp_path / name).write_text(text)
    (kernel,) = listed(tmp_path / "scale.cu")
    assert {launch.worlds[0] for launch in kernel.launches} == {
        "scale<<<128, 256>>>(n=32768)",
        "scale<<<2, 64>>>(n=80)",
    }


#: Two programs of one library, each with a launch of its own.
APART = {
    "steps.h": "void scale(float *a, int n);\nvoid relax(float *a, int n);\n",
    "steps.cu": (
        '#include "steps.h"\n'
        "__global__ void scaled(float *a, int n) {\n"
        "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
        "  if (i < n) a[i * 33] += 1.0f;\n}\n"
        "__global__ void relaxed(float *a, int n) {\n"
        "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
        "  float s = a[i];\n"
        "  for (int k = 0; k < 4096; ++k) s = s * 1.5f + sqrtf(s);\n"
        "  a[i] = s;\n}\n"
        "void scale(float *a, int n) { scaled<<<n / 256, 256>>>(a, n); }\n"
        "void relax(float *a, int n) { relaxed<<<n / 256, 256>>>(a, n); }\n"
    ),
    "one.cpp": (
        '#include "steps.h"\n#include <cuda_runtime.h>\nint main() { float *a;\n'
        "cudaMalloc(&a, 65536 * 33 * sizeof(float)); scale(a, 65536); {more} }\n"
    ),
    "other.cpp": (
        '#include "steps.h"\n#include <cuda_runtime.h>\nint main() { float *a;\n'
        "cudaMalloc(&a, 4194304 * sizeof(float)); relax(a, 4194304); }\n"
    ),
}


@pytest.mark.parametrize(("files", "level"), [(4, "warning"), (3, "note")])
def test_kernels_of_different_programs_are_not_held_against_each_other(
    files: int, level: str, tmp_path: Path
) -> None:
    """Only where one program launches both is the one little of what the other does."""
    (tmp_path / ".git").mkdir()
    more = "" if files == 4 else "relax(a, 2097152);"
    for name, text in [*APART.items()][:files]:
        (tmp_path / name).write_text(text.replace("{more}", more))
    options = CheckOptions(rules=frozenset({"CU101"}), root=tmp_path, jobs=1)
    (finding,) = check([tmp_path / "steps.cu"], options).findings
    assert finding.level == level
