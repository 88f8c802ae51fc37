"""Which files an `#include` may reach, and which it must not."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from perflint.frontend import Limits, Pool, compile_file
from perflint.frontend.directives import includes, rewrite
from perflint.frontend.finder import Finder, project_root

KERNEL = "__global__ void k(float *p) { p[threadIdx.x] = half_of(p[0]); }\n"
HEADER = "#pragma once\n__device__ inline float half_of(float x) { return x / 2; }\n"


def write(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


@pytest.mark.parametrize(
    ("main", "header", "include"),
    [
        ("a.cu", "half.cuh", '"half.cuh"'),
        ("a.cu", "deep/half.cuh", '"deep/half.cuh"'),
        ("src/a.cu", "half.cuh", '"../half.cuh"'),
        ("src/a.cu", "include/half.cuh", '"half.cuh"'),
        ("src/a.cu", "include/half.cuh", "<half.cuh>"),
        ("src/a.cu", "somewhere/else/half.cuh", '"half.cuh"'),
        ("src/a.cu", "lib/math/half.cuh", '"math/half.cuh"'),
    ],
)
def test_headers_are_found(
    tmp_path: Path, pool: Pool, main: str, header: str, include: str
) -> None:
    write(tmp_path, {main: f"#include {include}\n{KERNEL}", header: HEADER})
    found = compile_file(tmp_path / main, root=tmp_path, pool=pool)
    assert [o.kernel for o in found.entries.values()] == ["k"], found
    assert not found.lost and not found.errors
    assert (tmp_path / header).resolve() in found.facts


def test_kernels_are_read_where_macros_of_another_header_make_them_such(
    tmp_path: Path, pool: Pool
) -> None:
    files = {
        "gpu/a.cu": '#include "../inc/made.h"\n',
        "inc/made.h": '#include "kernel.h"\ntemplate GLOBAL void k<2>(float *RESTRICT, int);\n',
        "inc/kernel.h": '#include "global.h"\n'
        "template <int N> GLOBAL void k(float *RESTRICT out, int n)"
        "{ out[threadIdx.x * N] = n; }\n",
        "inc/global.h": "#define GLOBAL __global__\n#define RESTRICT __restrict__\n",
    }
    write(tmp_path, files)
    found = compile_file(tmp_path / "gpu/a.cu", root=tmp_path, pool=pool)
    assert not found.lost and not found.errors
    kernels = found.facts[(tmp_path / "inc/kernel.h").resolve()].kernels
    assert [(k.name, [p.name for p in k.parameters]) for k in kernels] == [("k", ["out", "n"])]


MAIN = "int main() { return 0; }\n"
ELSE = HEADER.replace("/ 2", "/ 3")


@pytest.mark.parametrize(
    ("files", "taken", "why"),
    [
        ({"lib/half.cuh": HEADER}, "lib/half.cuh", ""),
        ({"one/half.cuh": HEADER, "two/half.cuh": HEADER}, "one/half.cuh", ""),
        (
            {"one/half.cuh": HEADER, "two/half.cuh": ELSE},
            "",
            "several files have that name (one/half.cuh, two/half.cuh); -I DIR",
        ),
        ({"src/half.cuh": HEADER, "two/half.cuh": ELSE}, "src/half.cuh", ""),
        ({"src/in/half.cuh": HEADER, "two/half.cuh": ELSE}, "src/in/half.cuh", ""),
        (
            {"src/in/half.cuh": HEADER, "src/on/half.cuh": ELSE},
            "",
            "several files have that name (src/in/half.cuh, src/on/half.cuh); -I DIR",
        ),
        (
            {
                "src/Makefile": "k: a.cu\n\tnvcc -I../two a.cu\n",
                "one/half.cuh": HEADER,
                "two/half.cuh": ELSE,
            },
            "two/half.cuh",
            "",
        ),
        (
            {"other/half.cuh": HEADER, "other/main.cu": MAIN},
            "",
            "that is a file of another program (other/half.cuh); -I DIR",
        ),
        (
            {"other/lib/half.cuh": HEADER, "other/x.cpp": "#include <x>\n" + MAIN},
            "",
            "that is a file of another program (other/lib/half.cuh); -I DIR",
        ),
        (
            {
                "other/half.cuh": HEADER,
                "other/main.cu": MAIN,
                "other/CMakeLists.txt": "add_library( other SHARED half.cu )\n",
            },
            "other/half.cuh",
            "",
        ),
        (
            {"other/half.cuh": ELSE, "other/main.cu": MAIN, "lib/half.cuh": HEADER},
            "lib/half.cuh",
            "",
        ),
        ({"lib/half.cuh": HEADER, "src/main.cu": MAIN, "main.cu": MAIN}, "lib/half.cuh", ""),
        ({"lib/half.cuh": HEADER, "lib/b.cu": "// main() is elsewhere\n"}, "lib/half.cuh", ""),
    ],
)
def test_no_header_is_guessed(
    tmp_path: Path, pool: Pool, files: dict[str, str], taken: str, why: str
) -> None:
    """Sizes of another program's `config.h` would give findings on what nobody compiles."""
    write(tmp_path, {"src/a.cu": f'#include "half.cuh"\n{KERNEL}', **files})
    found = compile_file(tmp_path / "src/a.cu", root=tmp_path, pool=pool)
    headers = [path.relative_to(tmp_path).as_posix() for path in found.aliases.values()]
    assert headers[1:] == [taken] * bool(taken)
    told = [r.partition("half.cuh ")[2] for r in found.remarks if "is left out" in r]
    assert [text[: len(f"is left out: {why}")] for text in told] == [f"is left out: {why}"] * bool(
        why
    )
    assert [k.name for k in found.lost] == ["k"] * (not taken)


def test_a_header_may_be_called_by_its_path(tmp_path: Path, pool: Pool) -> None:
    """From a folder around the includer: `lib/core/half.cuh`, beside which a test has a `main`."""
    name = "deep/of/all/lib/a.cu"
    header = "deep/of/all/lib/core/half.cuh"
    write(tmp_path, {name: f'#include "lib/core/half.cuh"\n{KERNEL}', header: HEADER})
    far = "of/other/lib/core/half.cuh"
    write(tmp_path, {far: ELSE, "of/other/lib/core/test.cu": MAIN})
    main = tmp_path / "of/one/two/three/four/five/a.cu"
    main.parent.mkdir(parents=True)
    main.write_text(f'#include "of/other/lib/core/half.cuh"\n{KERNEL}')
    for path, taken in ((tmp_path / name, header), (main, far)):
        found = compile_file(path, root=tmp_path, pool=pool)
        assert [o.kernel for o in found.entries.values()] == ["k"], found
        assert (tmp_path / taken).resolve() in found.aliases.values()


def test_pytorch_as_a_build_gives_it(tmp_path: Path, pool: Pool) -> None:
    """Its headers want a host's standard library, which NVRTC has not."""
    write(
        tmp_path,
        {
            "src/a.cu": "#include <torch/extension.h>\n#include <ATen/ATen.h>\n"
            "__global__ void k(at::Half *p) { p[threadIdx.x] = at::Half(2.0f); }\n",
            "given/torch/extension.h": "#error this is PyTorch's\n",
        },
    )
    main, given = tmp_path / "src" / "a.cu", tmp_path / "given"
    found = compile_file(main, include=[given], pool=pool)
    assert [o.kernel for o in found.entries.values()] == ["k"], found
    assert ["NVRTC cannot compile" in remark for remark in found.remarks] == [True]
    assert not compile_file(main, pool=pool).remarks


def test_given_folders_come_first(tmp_path: Path, pool: Pool) -> None:
    write(
        tmp_path,
        {
            "a.cu": "#include <half.cuh>\n#if HALF != 7 || OTHER != 1\n#error\n#endif\n" + KERNEL,
            "given/half.cuh": "#define HALF 7\n" + HEADER,
            "include/half.cuh": "#define HALF 8\n" + HEADER,
        },
    )
    found = compile_file(
        tmp_path / "a.cu", include=[tmp_path / "given"], define=["OTHER"], pool=pool
    )
    assert [o.kernel for o in found.entries.values()] == ["k"], found


def test_cudas_own_cub_stands_in_for_a_copy_of_an_old_one(tmp_path: Path, pool: Pool) -> None:
    """The copies want a host compiler; what is no copy and lies in such a folder is read."""
    kernel = (
        "__global__ void k(float *p) { using Sum = cub::BlockReduce<float, 128>;\n"
        "__shared__ typename Sum::TempStorage t; p[0] = Sum(t).Sum(p[threadIdx.x]); }\n"
    )
    names = ("cub.cuh", "block/block_reduce.cuh", "block/block_scan.cuh", "util_type.cuh")
    files = {f"lib/cub/{name}": "namespace cub { typename absent<int>::x y; }\n" for name in names}
    files["src/a.cu"] = '#include "../lib/cub/cub.cuh"\n' + kernel
    files["src/b.cu"] = '#include "../lib/cub/block/block_reduce.cuh"\n' + kernel
    files["src/cub/cub.cuh"] = HEADER
    files["src/c.cu"] = '#include "cub/cub.cuh"\n' + KERNEL
    write(tmp_path, files)
    for name in ("a", "b", "c"):
        found = compile_file(tmp_path / f"src/{name}.cu", root=tmp_path, pool=pool)
        assert [o.kernel for o in found.entries.values()] == ["k"], found
        assert not found.lost and not found.errors


def test_the_git_repository_is_the_project(tmp_path: Path) -> None:
    write(tmp_path, {"repo/.git/HEAD": "", "repo/src/a.cu": "", "repo/x/b.h": "", "c.h": ""})
    main = tmp_path / "repo/src/a.cu"
    root, bounded = project_root(main)
    assert (root, bounded) == (tmp_path / "repo", True)
    finder = Finder(main, root, bounded, ())
    assert finder.resolve("b.h", True, main).path == tmp_path / "repo/x/b.h"
    assert finder.resolve("../../c.h", True, main).kind == "refused"
    assert finder.resolve("stdio.h", False, main).kind == "host"
    assert finder.resolve("cuda_fp16.h", False, main).kind == "cuda"
    assert finder.resolve("nowhere.h", False, main).kind == "missing"


@pytest.mark.parametrize(
    "include",
    [
        '"/etc/passwd"',
        "</etc/passwd>",
        '"../../../../../../../../../../etc/passwd"',
        "<../../../../../../../../../../../etc/passwd>",
        '"/dev/zero"',
        '"link.h"',
        '"zero.h"',
        '"pipe.h"',
        "TARGET",
    ],
)
def test_files_that_are_none_of_ours_are_not_read(tmp_path: Path, pool: Pool, include: str) -> None:
    (tmp_path / "link.h").symlink_to("/etc/passwd")
    (tmp_path / "zero.h").symlink_to("/dev/zero")
    os.mkfifo(tmp_path / "pipe.h")
    path = tmp_path / "a.cu"
    path.write_text(
        f'#define TARGET "/etc/passwd"\n#include {include}\n'
        "__global__ void k(float *p) { p[0] = 1; }\n"
    )
    found = compile_file(path, pool=pool)
    assert [o.kernel for o in found.entries.values()] == ["k"]
    (error,) = found.errors
    assert (error.line, error.genuine) == (2, False)
    assert "is not read" in error.message and "root:" not in str(found)


@pytest.mark.parametrize(
    "directive",
    [
        '#include "/etc/passwd"',
        '  #  include"/etc/passwd"',
        '#inc\\\nlude "/etc/passwd"',
        '#include \\\n  "/etc/passwd"',
        '/* a comment\n that ends here */ #include "/etc/passwd"',
        '#/* */include/* */"/etc/passwd"',
        '%:include "/etc/passwd"',
        '#import "/etc/passwd"',
        '#include_next "/etc/passwd"',
        '#embed "/etc/passwd"',
    ],
)
def test_every_spelling_of_an_include_is_seen(directive: str) -> None:
    text = f"int a;\n{directive}\nint b;\n".encode()
    (include,) = includes(text)
    assert include.name == "/etc/passwd"
    gone = rewrite(text, lambda _: None)
    assert b"passwd" not in gone and gone.count(b"\n") == text.count(b"\n")


@pytest.mark.parametrize("text", [b'// #include "a.h"\n', b'/*\n#include "a.h"\n*/\n', b""])
def test_what_is_no_include(text: bytes) -> None:
    assert includes(text) == ()


def test_files_that_include_themselves(tmp_path: Path, pool: Pool) -> None:
    write(tmp_path, {"a.cu": '#include "a.cu"\n__global__ void k(int *p) { p[0] = 1; }\n'})
    found = compile_file(tmp_path / "a.cu", pool=pool)
    assert [o.kernel for o in found.entries.values()] == ["k"]
    assert any("a.cu:1: left out" in r for r in found.remarks)


def test_header_giants_of_the_host_are_left_out_but_for_macros(tmp_path: Path, pool: Pool) -> None:
    write(
        tmp_path,
        {
            "a.cu": '#include "giant.h"\n__global__ void BOUNDS k(int *p) { p[0] = ONE; }\n',
            "giant.h": '#include "one.h"\n#define BOUNDS __launch_bounds__(64)\n'
            + "int image(int);\n" * 40_000,
            "one.h": "#define ONE 1\n",
        },
    )
    found = compile_file(tmp_path / "a.cu", pool=pool)
    assert [o.kernel for o in found.entries.values()] == ["k"]
    assert ".maxntid 64" in found.ptx and not found.errors
    assert any("giant.h" in r and "left out" in r for r in found.remarks)


def test_a_fragment_is_compiled_through_its_includer(tmp_path: Path, pool: Pool) -> None:
    write(
        tmp_path,
        {
            "kernel.cu": "__global__ void k(real *p) { p[threadIdx.x] = scale(p[0]); }\n",
            "main.cu": "typedef double real;\n__device__ real scale(real x) { return x * 3; }\n"
            '#include "kernel.cu"\nint main() { k<<<1, 2>>>(0); }\n',
        },
    )
    found = compile_file(tmp_path / "kernel.cu", pool=pool)
    assert [o.kernel for o in found.entries.values()] == ["k"]
    assert not found.errors and not found.lost
    assert any("compiled through" in r for r in found.remarks)
    assert (
        found.path == tmp_path / "kernel.cu" and (tmp_path / "kernel.cu").resolve() in found.facts
    )


def test_a_fragment_takes_its_template_arguments_from_its_includer(
    tmp_path: Path, pool: Pool
) -> None:
    write(
        tmp_path,
        {
            "kernel.cu": "template <class T> __global__ void k(T *p) { p[threadIdx.x] += 1; }\n"
            "template <class T> void run(T *p) { k<<<1, 64>>>(p); }\n",
            "main.cu": 'typedef double real;\n#include "kernel.cu"\n'
            "int main() { real *p; run(p); }\n",
        },
    )
    found = compile_file(tmp_path / "kernel.cu", pool=pool)
    assert [o.title for o in found.entries.values()] == ["k<real>"]
    assert not any("was assumed" in r for r in found.remarks)


BAD = {
    "missing.cu": (None, "No such file"),
    "binary.cu": (b"\x7fELF\0\0\0\0\0", "binary"),
    "folder.cu": ("folder", "is a directory"),
    "pipe.cu": ("pipe", "not a regular file"),
    "huge.cu": ("huge", "MB are read"),
}


@pytest.mark.parametrize("name", BAD)
def test_files_that_cannot_be_read(tmp_path: Path, pool: Pool, name: str) -> None:
    content, message = BAD[name]
    path = tmp_path / name
    if content == "folder":
        path.mkdir()
    elif content == "pipe":
        os.mkfifo(path)
    elif content == "huge":
        with path.open("wb") as file:
            file.truncate(1 << 33)
    elif isinstance(content, bytes):
        path.write_bytes(content)
    found = compile_file(path, pool=pool)
    assert found.ptx is None
    (error,) = found.errors
    assert message in error.message and not error.genuine


@pytest.mark.parametrize("text", ["", "\n\n", "int main() { return 0; }\n", "// __host__ only\n"])
def test_files_without_kernels(tmp_path: Path, pool: Pool, text: str) -> None:
    path = tmp_path / "host.cu"
    path.write_text(text)
    found = compile_file(path, pool=pool)
    assert (found.ptx, found.errors, found.lost) == (None, (), ())
    assert any("no kernel" in r for r in found.remarks)


@pytest.mark.parametrize(
    "text",
    [
        "__global__",
        "__global__ void k(",
        "__global__ void k(int *p) { p[0] = 1;",
        "}}}}}} __global__ void k(int *p) { p[0] = 1; } {{{{",
        "#if 1\n__global__ void k(int *p) { p[0] = 1; }",
        "#error __global__\n",
        '__global__ void k(int *p) { asm("nonsense;"); }',
        "template <class T> __global__ void k(T t) { k<T*><<<1, 1>>>(&t); }",
        "#define __global__\n__global__ void k() {}",
        '__global__ void k(int *p) { R"x(\n#if 0\n)x"; }',
    ],
)
def test_nonsense_ends_well(tmp_path: Path, pool: Pool, text: str) -> None:
    path = tmp_path / "odd.cu"
    path.write_text(text)
    found = compile_file(path, pool=pool)
    assert found.path == path


def test_a_compile_without_end_costs_one_file(tmp_path: Path) -> None:
    path = tmp_path / "endless.cu"
    path.write_text(
        "template <int N> struct F { static const int v = F<N - 1>::v + F<N - 2>::v; };\n"
        "constexpr long spin(long n) { long s = 0; for (long i = 0; i < n; ++i) s += i; return s; }"
        "\n__global__ void k(int *p) { constexpr long v = spin(1L << 60); p[0] = v; }\n"
        "".join(f"__device__ int f{i}();\n" for i in range(3))
    )
    with Pool(Limits(wall_seconds=5.0)) as workers:
        found = compile_file(path, pool=workers)
        assert found.lost or found.errors or found.entries
        path.write_text("__global__ void k(int *p) { p[0] = 1; }\n")
        assert compile_file(path, pool=workers).entries


def test_a_header_of_the_hosts_is_left_out_whole(tmp_path: Path, pool: Pool) -> None:
    bad = "".join(
        f"template <class T> void f{n}(T x) {{}} int g{n} = missing{n};\n" for n in range(9)
    )
    text = '#include "host.h"\n#include "types.h"\n#include "half.cuh"\n' + KERNEL.replace(
        "half_of", "SCALE * sizeof(Row) + half_of"
    )
    files = {
        "a.cu": text,
        "half.cuh": HEADER,
        "host.h": "#define SCALE 2\n" + bad,
        "types.h": "struct Row { int a; };\n" + bad,
    }
    write(tmp_path, files)
    found = compile_file(tmp_path / "a.cu", pool=pool)
    assert [o.kernel for o in found.entries.values()] == ["k"], found
    assert not found.lost and not found.errors


def test_what_only_a_header_of_the_hosts_needs_stays_left_out(tmp_path: Path, pool: Pool) -> None:
    bad = "".join(
        f"template <class T> void f{n}(T x) {{}} int g{n} = missing{n};\n" for n in range(9)
    )
    users = {
        f"h{n}.h": f'#include "h0.h"\nstruct H{n} {{ H0 one; H{n}() {{}} }};\n' for n in range(1, 9)
    }
    files = {
        "a.cu": "".join(f'#include "{name}"\n' for name in users)
        + "__global__ void k(int *p) { p[0] = 1; }\n",
        "h0.h": f"#pragma once\nstruct H0 {{ H0() {{}} }};\n{bad}",
        **users,
    }
    write(tmp_path, files)
    found = compile_file(tmp_path / "a.cu", pool=pool)
    assert [o.kernel for o in found.entries.values()] == ["k"], found
    assert not found.remarks  # that a constructor is taken for device code, say


def test_a_header_taken_for_another_is_told_of_once(tmp_path: Path) -> None:
    folder = tmp_path / "include" / "lib"
    folder.mkdir(parents=True)
    (folder / "config.cuh.in").write_text("#pragma once\n#define N 3\n")
    for name in "ab":
        (folder / f"{name}.cuh").write_text("#include <lib/config.cuh>\n")
    path = tmp_path / "main.cu"
    path.write_text(
        "#include <lib/a.cuh>\n#include <lib/b.cuh>\n"
        "__global__ void k(int *p) { p[threadIdx.x] = N; }\n"
    )
    found = compile_file(path, root=tmp_path)
    assert [o.kernel for o in found.entries.values()] == ["k"]
    taken = [r for r in found.remarks if "was taken to be" in r]
    assert taken == [f"lib/config.cuh was taken to be {folder / 'config.cuh.in'}"]
