"""What a build's files say of macros, read as text."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from perflint.frontend import Pool, compile_file
from perflint.frontend.build_files import build_macros


def write(folder: Path, files: Mapping[str, str]) -> None:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


KERNEL = "__global__ void k(float *p) { p[threadIdx.x * STRIDE] = 0; }\n"


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("Makefile", "CFLAGS = -O3 -DSTRIDE=3 -DOTHER\n", "3"),
        ("Makefile", "N := 5\nall:\n\tnvcc -D STRIDE=$(N) a.cu\n", "5"),
        ("Makefile", "# -DSTRIDE=3\nall:\n\tnvcc -DSTRIDE=${UNSET} a.cu\n", None),
        ("Makefile", "\tnvcc -DSTRIDE=7 a.cu\n\tnvcc -DSTRIDE=8 a.cu\n", "7"),
        ("Makefile", 'F = -DSTRIDE="system()"\nF2 = -DSTRIDE=\\"text\\"\n', "system()"),
        ("CMakeLists.txt", "target_compile_definitions(app PRIVATE STRIDE=4 DEBUG)\n", "4"),
        ("CMakeLists.txt", "set(S 6)\nadd_definitions(-DSTRIDE=${S})\n", "6"),
        ("CMakeLists.txt", "add_compile_definitions(STRIDE)\n", "1"),
        (
            "CMakeLists.txt",
            'set(KIND KIND_CUDA)\nset(S ${KIND})\nstring(REGEX REPLACE "^KIND_" "" S ${S})\n'
            'string(TOLOWER "${S}" S)\nadd_definitions(-DSTRIDE=${S})\n',
            "cuda",
        ),
        ("setup.py", "Extension('a', ['a.cu'], define_macros=[('STRIDE', '2')])\n", "2"),
        ("run.py", "S = 768\nload(flags=['-O3', f'-DSTRIDE={S}', f'-DB={unset}'])\n", "768"),
        (
            "run.py",
            "if check:\n    S = 2\nelif speed:\n    S = 64\nelif more:\n    S = 64\n"
            "load(flags=[f'-DSTRIDE={S}'])\n",
            "64",
        ),
        ("run.py", "if check:\n    S = 2\nelse:\n    S = 64\nload(flags=[f'-DSTRIDE={S}'])\n", "2"),
        ("README.md", "nvcc -DSTRIDE=3 a.cu\n", None),
    ],
)
def test_macros_are_read(tmp_path: Path, name: str, text: str, value: str | None) -> None:
    (tmp_path / name).write_text(text)
    (tmp_path / "src").mkdir()
    found = build_macros(tmp_path / "src" / "a.cu", tmp_path)
    assert (found["STRIDE"].value if "STRIDE" in found else None) == value
    assert not build_macros(tmp_path / "src" / "a.cu", tmp_path / "src")


@pytest.mark.parametrize(
    ("makefile", "value"),
    [
        ("TYPE ?= hydro\ninclude builds/make.type.$(TYPE)\n", "2"),
        ("-include builds/make.type.hydro missing.mk\n", "2"),
        ("include builds/make.type.$(TYPE)\n", None),
        ("include ../make.type.hydro\n", None),
        ("# include builds/make.type.hydro\n", None),
    ],
)
def test_what_a_makefile_includes_is_read(tmp_path: Path, makefile: str, value: str | None) -> None:
    files = {"p/Makefile": makefile, "p/builds/make.type.hydro": "F += -DSTRIDE=2\n"}
    write(tmp_path, {**files, "make.type.hydro": "F += -DSTRIDE=3\n"})
    found = build_macros(tmp_path / "p" / "src" / "a.cu", tmp_path / "p")
    assert (found["STRIDE"].value if "STRIDE" in found else None) == value


def test_the_projects_own_build_file_counts_however_deep_a_source_lies(tmp_path: Path) -> None:
    files = {"CMakeLists.txt": "add_definitions(-DA=1)\n", "a/Makefile": "F = -DB=2\n"}
    write(tmp_path, {**files, "a/b/c/Makefile": "F = -DC=3\n"})
    found = build_macros(tmp_path / "a/b/c/d/e/f/k.cu", tmp_path)
    assert {name: macro.value for name, macro in found.items()} == {"A": "1", "C": "3"}


def test_only_what_is_missed_is_taken(tmp_path: Path, pool: Pool) -> None:
    (tmp_path / "Makefile").write_text("CFLAGS = -DSTRIDE=3 -DDEBUG -DKIND -DTHREADS=64\n")
    (tmp_path / "a.cu").write_text(
        "#ifdef DEBUG\n#error no\n#endif\n#if defined(OTHER)\n#elif defined KIND\ntypedef int kind;"
        "\n#else\n#error one of OTHER, KIND\n#endif\n"
        "#ifdef EXTRA\n__global__ void off() {}\n#endif\n"
        "__global__ void k(kind *p) { p[threadIdx.x * STRIDE] = 0; }\n"
        "void host(kind *p) { k<<<1, THREADS>>>(p); }\n"
    )
    found = compile_file(tmp_path / "a.cu", root=tmp_path, pool=pool)
    assert [o.kernel for o in found.entries.values()] == ["k"]
    assert [lost.name for lost in found.lost] == ["off"]
    said = [r for r in found.remarks if "as " in r]
    assert [r.split(": ")[1].split(",")[0] for r in sorted(said)] == [
        "KIND is taken to be 1",
        "STRIDE is taken to be 3",
        "THREADS is taken to be 64",
    ]
    assert all("Makefile:1 says" in r for r in said)
    (site,) = found.facts[(tmp_path / "a.cu").resolve()].launches
    assert site.block.value == (64, 1, 1)


def test_a_macro_that_is_given_or_defined_counts_before(tmp_path: Path, pool: Pool) -> None:
    (tmp_path / "Makefile").write_text("CFLAGS = -DSTRIDE=3\n")
    (tmp_path / "a.cu").write_text(KERNEL)
    found = compile_file(tmp_path / "a.cu", root=tmp_path, define=["STRIDE=2"], pool=pool)
    assert [o.kernel for o in found.entries.values()] == ["k"] and not found.remarks
    (tmp_path / "a.cu").write_text("#define STRIDE 2\n" + KERNEL)
    found = compile_file(tmp_path / "a.cu", root=tmp_path, pool=pool)
    assert [o.kernel for o in found.entries.values()] == ["k"] and not found.remarks


@pytest.mark.parametrize(
    ("name", "text", "fast"),
    [
        ("Makefile", "NVCCFLAGS = -O3 --use_fast_math\n", True),
        ("CMakeLists.txt", "set(CUDA_NVCC_FLAGS -use_fast_math)\n", True),
        ("Makefile", "# NVCCFLAGS = --use_fast_math\n", False),
        ("Makefile", "CXXFLAGS = -O3 -ffast-math\n", False),
    ],
)
def test_a_build_with_fast_math_is_compiled_so(
    name: str, text: str, fast: bool, tmp_path: Path, pool: Pool
) -> None:
    """`sinf` is the approximation then, and there is nothing to advise."""
    source = tmp_path / "wave.cu"
    source.write_text("__global__ void wave(float *a) { a[threadIdx.x] = sinf(a[threadIdx.x]); }\n")
    (tmp_path / name).write_text(text)
    found = compile_file(source, root=tmp_path, pool=pool)
    assert found.ptx is not None
    assert ("sin.approx" in found.ptx) == fast
    assert any(f"{name}:1 says" in remark for remark in found.remarks) == fast
    told = compile_file(source, root=tmp_path, options=(), pool=pool)
    assert told.ptx is not None and "sin.approx" not in told.ptx


@pytest.mark.parametrize("suffix", ["in", "cmake.in", "cmakein", "cmake"])
def test_a_header_that_cmake_writes_is_read_from_its_template(
    suffix: str, tmp_path: Path, pool: Pool
) -> None:
    write(
        tmp_path,
        {
            "CMakeLists.txt": 'set(WIDTH 64)\noption(USE_FAST "" ON)\noption(USE_SLOW "" OFF)\n',
            f"cmake/settings.h.{suffix}": (
                "#define WIDTH @WIDTH@\n#cmakedefine USE_FAST\n#cmakedefine USE_SLOW\n"
                "#cmakedefine01 USE_SLOW_TOO\n#cmakedefine WITH_CUDA\n@MORE_CODE@\n"
                "#cmakedefine01 MY_GPU_CUDA\n#cmakedefine01 MY_GPU\n#cmakedefine01 NO_GPU\n"
                "#define FAST() @USE_FAST@\n#define UNSET() @UNSET@\n"
            ),
            "src/k.cu": (
                "#include <project/settings.h>\n"
                "#if !defined USE_FAST || defined USE_SLOW || USE_SLOW_TOO\n#error wrong\n#endif\n"
                "#if !defined WITH_CUDA || !MY_GPU_CUDA || !MY_GPU\n#error wrong\n#endif\n"
                "#if NO_GPU\n#error wrong\n#endif\n"
                "#if !FAST() || UNSET() || WIDTH != 64\n#error wrong\n#endif\n"
                "__global__ void k(float *a) { a[threadIdx.x] = WIDTH; }\n"
            ),
        },
    )
    found = compile_file(tmp_path / "src/k.cu", root=tmp_path, pool=pool)
    assert [o.kernel for o in found.entries.values()] == ["k"]
    assert any(f"settings.h.{suffix}" in remark for remark in found.remarks)


def test_what_cmake_sets_under_an_option_that_is_off_is_not_set(tmp_path: Path, pool: Pool) -> None:
    write(
        tmp_path,
        {
            "CMakeLists.txt": (
                'option(ENABLE_SHMEM "" OFF)\noption(ENABLE_FAST "" ON)\noption(WITH_CUDA "" OFF)\n'
                "if (ENABLE_SHMEM)\n  if (UNIX)\n    set(HAVE_SHMEM TRUE)\n  endif()\nendif()\n"
                "if (ENABLE_FAST)\n  set(HAVE_FAST TRUE)\nelse ()\n  set(HAVE_SLOW TRUE)\nendif()\n"
                "if (NOT ENABLE_FAST)\n  set(HAVE_SLOW TRUE)\nendif()\n"
                "if (WITH_CUDA)\n  set(HAVE_DEVICE TRUE)\nendif()\n"
            ),
            "settings.h.in": (
                "#cmakedefine HAVE_SHMEM @HAVE_SHMEM@\n#cmakedefine HAVE_FAST\n"
                "#cmakedefine HAVE_SLOW\n#cmakedefine HAVE_DEVICE\n"
            ),
            "k.cu": (
                '#include "settings.h"\n#ifdef HAVE_SHMEM\n#include <shmem.h>\n#endif\n'
                "#if defined HAVE_SHMEM || defined HAVE_SLOW\n#error wrong\n#endif\n"
                "#if !defined HAVE_FAST || !defined HAVE_DEVICE\n#error wrong\n#endif\n"
                "__global__ void k(float *a) { a[threadIdx.x] = 1; }\n"
            ),
        },
    )
    found = compile_file(tmp_path / "k.cu", root=tmp_path, pool=pool)
    assert [o.kernel for o in found.entries.values()] == ["k"]


def test_a_macro_may_be_a_variable_that_a_folder_above_sets(tmp_path: Path, pool: Pool) -> None:
    write(
        tmp_path,
        {
            "CMakeLists.txt": 'set(REAL_SIZE "64" CACHE STRING "bits")\n',
            "src/CMakeLists.txt": "target_compile_definitions(p PUBLIC REAL_SIZE=${REAL_SIZE})\n",
            "src/real.h": (
                "#if REAL_SIZE == 32\ntypedef float real;\n#elif REAL_SIZE == 64\n"
                "typedef double real;\n#else\n#error REAL_SIZE must be 32 or 64.\n#endif\n"
            ),
            "src/k.cu": '#include "real.h"\n__global__ void k(real *a) { a[threadIdx.x] = 1; }\n',
        },
    )
    found = compile_file(tmp_path / "src/k.cu", root=tmp_path, pool=pool)
    assert [o.kernel for o in found.entries.values()] == ["k"]
    assert any("REAL_SIZE is taken to be 64" in remark for remark in found.remarks)
