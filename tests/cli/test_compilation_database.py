"""`-p`: what is taken from a build's compile_commands.json, and how it meets other options."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from perflint.frontend.compilation_database import DatabaseError, Flags
from perflint.lint.options import CheckOptions
from perflint.lint.translation_units import compile_unit, units
from perflint.work.database import load
from tests.cli.conftest import Outcome

Run = Callable[..., Outcome]


def database(folder: Path, *commands: str | list[str], file: str = "a.cu") -> Path:
    """A database in `folder` with an entry for each command."""
    entries: list[dict[str, Any]] = [
        {"directory": str(folder), "file": file}
        | ({"command": c} if isinstance(c, str) else {"arguments": c})
        for c in commands
    ]
    path = folder / "compile_commands.json"
    path.write_text(json.dumps(entries))
    return path


NVCC = "nvcc "
CLANG = "/usr/bin/clang++-18 -x cuda "


@pytest.mark.parametrize(
    ("command", "define"),
    [
        (NVCC + "-DN=4 -D M -D=L=2 --define-macro=K --define-macro J=1 a.cu", "N=4 M L=2 K J=1"),
        (NVCC + "-DN=1,M=2 -c a.cu", "N=1 M=2"),
        (CLANG + "-DN=f(1,2) a.cu", "N=f(1,2)"),
        (NVCC + "-DN=1 -DN=2 a.cu", "N=2"),
        (NVCC + "-DN=1 -DM -UN a.cu", "M"),
        (NVCC + "-DN=1 --undefine-macro=N a.cu", ""),
        (NVCC + "-Xcompiler -DHOST -o -Dx -DN a.cu", "N"),
        (NVCC + "--compiler-options=-DHOST -DN a.cu", "N"),
        (NVCC + '-DNAME=\\"x\\" a.cu', 'NAME="x"'),
        (NVCC + "-DN= a.cu", "N="),
        (["nvcc", "-DA=1 ", "-D", "B", "a.cu"], "A=1  B"),
        (["nvcc", "-D"], ""),
        ([], ""),
    ],
)
def test_macros(command: str | list[str], define: str, tmp_path: Path) -> None:
    flags = load(database(tmp_path, command)).flags(tmp_path / "a.cu")
    assert flags is not None
    assert " ".join(flags.define) == define


@pytest.mark.parametrize(
    ("command", "include"),
    [
        (NVCC + "-Iinc -I ../up -I=eq --include-path=long a.cu", "inc ../up eq long"),
        (NVCC + "-isystem sys -Iinc -isystem=other --system-include=far a.cu", "inc sys other far"),
        (NVCC + "-isystemglued -Ia,b a.cu", "a b glued"),
        (CLANG + "-Ia,b -iquote q -idirafter last a.cu", "a,b q last"),
        (NVCC + "-Iinc -Iinc -I/abs/x/../y a.cu", "inc /abs/y"),
    ],
)
def test_folders_are_relative_to_the_entry(command: str, include: str, tmp_path: Path) -> None:
    flags = load(database(tmp_path, command)).flags(tmp_path / "a.cu")
    assert flags is not None
    wanted = [Path(tmp_path / name) for name in include.split()]
    assert [p.resolve() for p in flags.include] == [p.resolve() for p in wanted]


@pytest.mark.parametrize(
    ("command", "arch"),
    [
        (NVCC + "a.cu", None),
        (NVCC + "-arch=sm_90 a.cu", "sm_90"),
        (NVCC + "-arch sm_90a a.cu", "sm_90"),
        (NVCC + "--gpu-architecture=compute_75 a.cu", "sm_75"),
        (NVCC + "--gpu-architecture compute_75 --gpu-code=sm_86,sm_75 a.cu", "sm_86"),
        (
            NVCC + "-gencode arch=compute_70,code=sm_70 -gencode=arch=compute_80,code=sm_80 a.cu",
            "sm_80",
        ),
        (NVCC + '"--generate-code=arch=compute_90,code=[compute_90,sm_90]" a.cu', "sm_90"),
        (NVCC + "--generate-code arch=compute_120f,code=sm_120f a.cu", "sm_120"),
        (NVCC + "-arch=native a.cu", None),
        (CLANG + "--cuda-gpu-arch=sm_70 --cuda-gpu-arch=sm_80 a.cu", "sm_80"),
        (CLANG + "--offload-arch=sm_80,sm_90a a.cu", "sm_90"),
    ],
)
def test_architecture(command: str, arch: str | None, tmp_path: Path) -> None:
    flags = load(database(tmp_path, command)).flags(tmp_path / "a.cu")
    assert flags is not None
    assert flags.arch == arch


@pytest.mark.parametrize(
    ("command", "std", "codegen"),
    [
        (NVCC + "-std=c++20 a.cu", "c++20", ()),
        (NVCC + "-std c++14 -use_fast_math a.cu", "c++14", ("--use_fast_math",)),
        (NVCC + "--std=gnu++17 --use_fast_math --fmad=false a.cu", "c++17",
         ("--use_fast_math", "--fmad=false")),
        (CLANG + "-ffast-math -O3 a.cu", None, ("--use_fast_math",)),
        (NVCC + "-ftz=true -prec-div=maybe a.cu", None, ("--ftz=true",)),
    ],
)  # fmt: skip
def test_what_changes_code(
    command: str, std: str | None, codegen: tuple[str, ...], tmp_path: Path
) -> None:
    flags = load(database(tmp_path, command)).flags(tmp_path / "a.cu")
    assert flags is not None
    assert (flags.std, flags.codegen) == (std, codegen)


def test_a_header_included_first(tmp_path: Path) -> None:
    (tmp_path / "inc").mkdir()
    (tmp_path / "inc" / "config.h").write_text("")
    command = NVCC + "-include config.h --pre-include=gone.h -Iinc a.cu"
    flags = load(database(tmp_path, command)).flags(tmp_path / "a.cu")
    assert flags is not None
    assert flags.before == (tmp_path / "inc" / "config.h", tmp_path / "gone.h")


@pytest.mark.parametrize("option", ["--options-file flags.rsp", "-optf=flags.rsp", "@flags.rsp"])
def test_response_files(option: str, tmp_path: Path) -> None:
    (tmp_path / "flags.rsp").write_text('-DN=1 "-Iwith space" @more.rsp\n')
    (tmp_path / "more.rsp").write_text("-DM\n")
    flags = load(database(tmp_path, f"nvcc {option} -DL a.cu")).flags(tmp_path / "a.cu")
    assert flags == Flags(define=("N=1", "M", "L"), include=(tmp_path / "with space",))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "Expecting value"),
        ("[1,\n}", ":2:1: Expecting value"),
        ("{}", "expected a list of compile commands"),
        ("[1]", "entry 1 is no object"),
        ('[{"file": "a.cu"}]', "entry 1 has no 'directory' that is a text"),
        ('[{"directory": "."}]', "entry 1 has no 'file' that is a text"),
        ('[{"directory": ".", "file": "a\\u0000"}]', "entry 1 has no 'file' that is a text"),
        ('[{"directory": ".", "file": "a.cu"}]', "entry 1 has neither 'arguments'"),
        ('[{"directory": ".", "file": "a.cu", "arguments": [1]}]', "entry 1 has neither"),
        ("[" * 100_000, "compile_commands.json"),
    ],
)
def test_a_wrong_database_is_one_line_and_status_2(
    text: str, message: str, run: Run, project: Path
) -> None:
    (project / "compile_commands.json").write_text(text)
    outcome = run("-p", ".", "a.cu")
    assert (outcome.status, outcome.out, outcome.err.count("\n")) == (2, "", 1)
    assert outcome.err.startswith("perflint: ")
    assert "compile_commands.json" in outcome.err and message in outcome.err


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ('nvcc "a.cu', "No closing quotation"),
        ("nvcc @no.rsp", "response file no.rsp: No such file"),
        ("nvcc @me.rsp", "nested too deeply"),
        ("nvcc @wide.rsp", "response files have more than 256 KB"),
        ("nvcc @fifo", "response file fifo: is not a regular file"),
        ("nvcc @zero", "response file zero: is outside the project"),
        ("nvcc -include x\0y", "an option holds a NUL"),
        ("nvcc " + "-DN " * 600_000, "it has more than 2 MB"),
    ],
)
def test_a_wrong_command_costs_its_file(
    command: str, message: str, run: Run, project: Path
) -> None:
    (project / "me.rsp").write_text("@me.rsp")
    (project / "wide.rsp").write_text("@narrow.rsp " * 2000)
    (project / "narrow.rsp").write_text("-DN " * 100)
    os.mkfifo(project / "fifo")
    (project / "zero").symlink_to("/dev/zero")
    (project / "b.cu").write_text((project / "a.cu").read_text())
    entries = [
        {"directory": ".", "file": "a.cu", "command": command},
        {"directory": ".", "file": "b.cu", "command": "nvcc b.cu"},
    ]
    (project / "compile_commands.json").write_text(json.dumps(entries))
    outcome = run("-p", ".", "--select", "CU002", "--output-format", "concise", "a.cu", "b.cu")
    assert outcome.out.startswith("a.cu:1:1: note: CU002 ") and message in outcome.out
    assert "1 file was not analysed" in outcome.out and "in 1 kernel of 2 files" in outcome.out


def test_a_missing_database_says_how_to_make_one(run: Run, project: Path) -> None:
    for name in (".", "nowhere", "nowhere.json"):
        outcome = run("-p", name, "a.cu")
        assert (outcome.status, outcome.out, outcome.err.count("\n")) == (2, "", 1)
        assert "No such file or directory; a build makes it with -DCMAKE" in outcome.err
    (project / "perflint.toml").write_text('compile-commands = "build"')
    outcome = run("a.cu")
    assert outcome.status == 2
    assert "perflint.toml: compile-commands: " in outcome.err


def test_the_command_line_comes_before_the_build(tmp_path: Path) -> None:
    loaded = load(database(tmp_path, "nvcc -DN=1 -DM=1 -Ibuilt -arch=sm_90 a.cu"))
    source = tmp_path / "a.cu"
    given = CheckOptions(
        frozenset(), define=("N=2",), include=(Path("mine"),), database=loaded, arch=("sm_70",)
    )
    [unit] = units([source], given).units
    assert set(unit.define) == {"N=2", "M=1"}
    assert unit.include == (Path("mine"), tmp_path / "built")
    assert unit.arch == "sm_70"
    [unit] = units([source], CheckOptions(frozenset(), database=loaded)).units
    assert unit.arch == "sm_90"


@pytest.mark.parametrize(
    ("built", "simulated"),
    [("sm_80", "sm_80"), ("sm_87", "sm_86"), ("sm_103a", "sm_100"), ("sm_999", "sm_120")],
)
def test_a_gpu_that_is_not_simulated(built: str, simulated: str, tmp_path: Path) -> None:
    loaded = load(database(tmp_path, f"nvcc -arch={built} a.cu"))
    found = units([tmp_path / "a.cu"], CheckOptions(frozenset(), database=loaded))
    assert [unit.arch for unit in found.units] == [simulated]
    said = any(f"simulated as {simulated}" in remark for remark in found.remarks)
    assert said is (not built.startswith(simulated))


def test_a_file_that_the_build_does_not_compile(tmp_path: Path) -> None:
    loaded = load(database(tmp_path, "nvcc -DN a.cu"))
    files = [tmp_path / name for name in ("b.cu", "a.cuh", "c.ptx")]
    found = units(files, CheckOptions(frozenset(), database=loaded))
    assert [unit.define for unit in found.units] == [(), ("N",), ()]
    [remark] = found.remarks
    assert remark.startswith("1 file not in ") and remark.endswith("flags: " + str(files[0]))


def test_flags_do_what_they_say(run: Run, project: Path) -> None:
    """NVRTC and the source reader both see them: neither kernel nor launch works without."""
    (project / "inc").mkdir()
    (project / "inc" / "types.h").write_text("typedef float real;\n")
    (project / "src").mkdir()
    (project / "src" / "a.cu").write_text(
        '#include "types.h"\n'
        "__global__ void k(real *a, int n) { a[threadIdx.x * STRIDE] = n; }\n"
        "void host(real *a) { k<<<8, BLOCK>>>(a, 5); }\n"
    )
    build = project / "build"
    build.mkdir()
    database(build, "nvcc -DSTRIDE=32 -DBLOCK=128 -I../inc ../src/a.cu", file="../src/a.cu")
    outcome = run("-p", "build", "src/a.cu")
    assert outcome.status == 1
    assert "k<<<8, 128>>>(n=5)" in outcome.out
    clean = run("-p", "build", "-DSTRIDE=1", "src/a.cu")
    assert (clean.status, clean.out) == (0, "No findings in 1 kernel of 1 file.\n")


def test_a_header_included_first_is_read_first(run: Run, project: Path) -> None:
    (project / "config.h").write_text("#define STEP 32\n#define BLOCK 64\ntypedef int word;\n")
    (project / "a.cu").write_text(
        "__global__ void k(word *a) { a[threadIdx.x * STEP] = 1; }\n"
        "void host(word *a) { k<<<8, BLOCK>>>(a); }\n"
    )
    database(project, "nvcc -include config.h -use_fast_math a.cu")
    outcome = run("-p", ".", "a.cu")
    assert outcome.status == 1
    assert "--> a.cu:1:30" in outcome.out and "k<<<8, 64>>>()" in outcome.out


def test_fast_math_reaches_nvrtc(project: Path) -> None:
    source = project / "a.cu"
    source.write_text("__global__ void k(float *a) { a[0] = sinf(a[1]); }\n")
    for option, fast in (("-use_fast_math", True), ("-O3", False)):
        loaded = load(database(project, f"nvcc {option} a.cu"))
        options = CheckOptions(frozenset(), database=loaded)
        [unit] = units([source], options).units
        ptx = compile_unit(unit, options, project).ptx
        assert ptx is not None and ("sin.approx.ftz.f32" in ptx) is fast


def test_every_form_of_the_entry_means_the_same(tmp_path: Path) -> None:
    loaded = load(database(tmp_path, "nvcc -DN a.cu", file=str(tmp_path / "x" / ".." / "a.cu")))
    assert loaded.flags(tmp_path / "a.cu") == Flags(define=("N",))
    with pytest.raises(DatabaseError, match="No such file"):
        load(tmp_path / "none")
