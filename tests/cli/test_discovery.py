"""Which files the paths of the command line mean."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

import pytest

from perflint.cli.discovery import Found, PathError, discover

KERNEL = "__global__ void k() {}\n"


def make(root: Path, files: Mapping[str, str]) -> None:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def names(found: Found) -> list[str]:
    return [path.as_posix() for path in found.files]


@pytest.mark.parametrize(
    ("files", "paths", "expected"),
    [
        pytest.param(
            {"b.cu": "", "a.ptx": "", "c.txt": "", "d.h": KERNEL, "sub/E.CU": ""},
            ["."],
            ["a.ptx", "b.cu", "sub/E.CU"],
            id="suffixes",
        ),
        pytest.param(
            {
                "a.cpp": '// shared with "quotes\n' + KERNEL,
                "b.cc": "template <int N>\n__global__ void\nk(int *a, int (*f)(int))\n{\n}\n",
                "both.cpp": "#include <cuda_runtime.h>\n#include <hip/hip_runtime.h>\n" + KERNEL,
                "sub/E.CXX": "__global__ __launch_bounds__(256) void k(int n) {}\n",
            },
            ["."],
            ["a.cpp", "b.cc", "both.cpp", "sub/E.CXX"],
            id="kernels in C++ sources",
        ),
        pytest.param(
            {
                "comment.cpp": "// " + KERNEL + "/*\n" + KERNEL + "*/ int x;\n",
                "declared.cpp": "__global__ void k(int n);\nvoid f() {}\n",
                "host.cpp": "int main() {}\n",
                "header.h": KERNEL,
                "plain.c": KERNEL,
                "rocm.cpp": '#include "hip/hip_runtime.h"\n' + KERNEL,
                "calls.cpp": KERNEL + "void f() { hipMalloc(0, 4); }\n",
                "stub.cpp": "#define __global__\n" + KERNEL,
                "text.cpp": 'const char *a = "__global__ void k() {}";\n',
                "rows.cpp": 'const char *a = "x \\\n__global__ void k() {}\\n";\n',
                "raw.cpp": 'const char *a = R"q(\n" ' + KERNEL + ')q";\n',
                "a.cu": "",
            },
            ["."],
            ["a.cu"],
            id="C++ sources without a kernel of CUDA",
        ),
        pytest.param(
            {"with.cuh": KERNEL, "without.cuh": "int x;\n"}, ["."], ["with.cuh"], id="headers"
        ),
        pytest.param({"without.cuh": ""}, ["without.cuh"], ["without.cuh"], id="header by name"),
        pytest.param(
            {"a.cu": "", "sub/b.cu": ""},
            ["sub/b.cu", "a.cu", ".", "sub", "./a.cu", "sub/../a.cu"],
            ["a.cu", "sub/b.cu"],
            id="each once",
        ),
        pytest.param(
            {
                ".gitignore": "build/\n*.gen.cu\n!keep.gen.cu\n/top.cu\n",
                "a.cu": "",
                "x.gen.cu": "",
                "keep.gen.cu": "",
                "top.cu": "",
                "sub/top.cu": "",
                "build/b.cu": "",
                "sub/build/c.cu": "",
            },
            ["."],
            ["a.cu", "keep.gen.cu", "sub/top.cu"],
            id="gitignore",
        ),
        pytest.param(
            {
                ".git/HEAD": "",
                ".gitignore": "*.ptx\n",
                "sub/.gitignore": "!*.ptx\nx.cu\n",
                "a.ptx": "",
                "sub/a.ptx": "",
                "sub/x.cu": "",
                "x.cu": "",
            },
            ["."],
            ["sub/a.ptx", "x.cu"],
            id="nested gitignore decides",
        ),
        pytest.param(
            {".git/HEAD": "", ".gitignore": "x.cu\n", "sub/x.cu": "", "sub/y.cu": ""},
            ["sub"],
            ["sub/y.cu"],
            id="gitignore above",
        ),
        pytest.param(
            {".gitignore": "x.cu\n", "sub/x.cu": ""},
            ["sub"],
            ["sub/x.cu"],
            id="no gitignore above without a repository",
        ),
        pytest.param(
            {".git/info/exclude": "x.cu\n", "x.cu": "", "y.cu": ""}, ["."], ["y.cu"], id="exclude"
        ),
        pytest.param(
            {".git/HEAD": "", ".gitignore": "build/\nx.cu\n", "build/x.cu": "", "build/y.cu": ""},
            ["build", "build/x.cu"],
            ["build/x.cu", "build/y.cu"],
            id="ignored but named",
        ),
        pytest.param(
            {
                ".git/x.cu": "",
                "node_modules/x.cu": "",
                "env/pyvenv.cfg": "",
                "env/lib/x.cu": "",
                "a.cu": "",
            },
            ["."],
            ["a.cu"],
            id="never searched",
        ),
    ],
)
def test_files(files: Mapping[str, str], paths: list[str], expected: list[str], root: Path) -> None:
    make(root, files)
    found = discover([Path(path) for path in paths])
    assert sorted(os.path.normpath(name) for name in names(found)) == expected
    assert names(found) == sorted(names(found))
    assert found.warnings == ()


def test_absolute_paths_stay_absolute(root: Path) -> None:
    make(root, {"sub/a.cu": ""})
    assert discover([root]).files == (root / "sub/a.cu",)


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("gone.cu", "gone.cu: no such file or directory"),
        ("gone/dir", "gone/dir: no such file or directory"),
        ("pipe.cu", "pipe.cu: not a regular file"),
        ("loop.cu", "loop.cu: "),
        ("a\0.cu", "null"),
    ],
)
def test_paths_that_cannot_be_checked(path: str, message: str, root: Path) -> None:
    os.mkfifo(root / "pipe.cu")
    (root / "loop.cu").symlink_to("loop.cu")
    with pytest.raises(PathError) as caught:
        discover([Path(path)])
    assert message in str(caught.value)


def test_files_with_other_suffixes_cost_no_other_file(root: Path) -> None:
    """One of C++'s is checked if it is named and has a kernel."""
    make(root, {"a.cu": "", "k.hpp": KERNEL, "k.hip": KERNEL, "no.cpp": "", "k.txt": KERNEL})
    found = discover([Path(n) for n in ("no.cpp", "k.txt", "k.hpp", "a.cu", "k.hip")])
    assert names(found) == ["a.cu", "k.hip", "k.hpp"]
    assert found.refused == (
        "no.cpp: not a .cu, .cuh or .ptx file, and has no kernel",
        "k.txt: not a .cu, .cuh or .ptx file",
    )


def test_links_pipes_and_loops_are_left_alone(root: Path) -> None:
    make(root, {"a.cu": "", "other/b.cu": ""})
    (root / "sub").mkdir()
    (root / "sub" / "up").symlink_to("..")
    (root / "loop.cu").symlink_to("loop.cu")
    (root / "dangling.cu").symlink_to("nowhere")
    (root / "z.cu").symlink_to("a.cu")
    os.mkfifo(root / "pipe.cu")
    (root / "dir.cu").mkdir()
    found = discover([Path()])
    assert names(found) == ["a.cu", "other/b.cu"]
    assert found.warnings == ()


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_what_may_not_be_read(root: Path) -> None:
    make(root, {"a.cu": "", "sub/b.cu": ""})
    (root / "sub").chmod(0)
    try:
        found = discover([Path()])
    finally:
        (root / "sub").chmod(0o755)
    assert names(found) == ["a.cu"]
    assert found.warnings == ("cannot read the directory sub: Permission denied",)


def test_an_unreadable_directory_is_told(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make(root, {"a.cu": "", "sub/b.cu": ""})
    real = os.scandir

    def scandir(path: Path) -> object:
        if Path(path).name == "sub":
            raise PermissionError(13, "Permission denied")
        return real(path)

    monkeypatch.setattr(os, "scandir", scandir)
    found = discover([Path()])
    assert names(found) == ["a.cu"]
    assert found.warnings == ("cannot read the directory sub: Permission denied",)


def test_a_directory_without_cuda_is_told_once(root: Path) -> None:
    make(root, {"sub/a.cu": "", "docs/x.txt": ""})
    assert discover([Path("docs"), Path("sub")]).warnings == (
        "no CUDA or PTX files found under docs",
    )
    assert discover([Path("sub/a.cu"), Path("sub")]).warnings == ()


@pytest.mark.parametrize(
    ("paths", "force", "expected"),
    [
        (["."], False, ["src/a.cu"]),
        (["third_party/b.cu"], False, ["third_party/b.cu"]),
        (["third_party/b.cu", "src/a.cu"], True, ["src/a.cu"]),
        (["third_party"], True, []),
    ],
)
def test_exclude(paths: list[str], force: bool, expected: list[str], root: Path) -> None:
    make(root, {"src/a.cu": "", "third_party/b.cu": ""})
    found = discover(
        [Path(p) for p in paths],
        exclude=[(root, "/third_party/")],
        force_exclude=force,
    )
    assert names(found) == expected
