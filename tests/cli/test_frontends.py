"""`--nvcc` and `--frontend`: which program reads CUDA, and what becomes of what it says."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from perflint.frontend.nvrtc import library
from tests.cli.conftest import Outcome, Pipeline

Run = Callable[..., Outcome]

PTX = """
.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 k_param_0)
{
    .reg .b32 %r<2>;
    .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [k_param_0];
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %rd2, %r1, 128;
    add.s64 %rd3, %rd1, %rd2;
    st.global.u32 [%rd3], %r1;
    ret;
}
"""
#: Stands in for nvcc: notes its arguments, then does what a test wants of it.
SCRIPT = """#!{python}
import json, sys, time
arguments = sys.argv[1:]
open({folder!r} + "/arguments.json", "w").write(json.dumps(arguments))
output = arguments[arguments.index("-o") + 1]
open(arguments[arguments.index("-MF") + 1], "w").write("out.ptx : " + arguments[-1])
{body}
"""
SUCCEED = f"open(output, 'w').write({PTX!r})"


@pytest.fixture
def nvcc(project: Path) -> Callable[[str], str]:
    def make(body: str) -> str:
        program = project / "fake" / "nvcc"
        program.parent.mkdir(exist_ok=True)
        program.write_text(
            SCRIPT.format(python=sys.executable, folder=str(program.parent), body=body)
        )
        program.chmod(0o755)
        return str(program)

    return make


def arguments(project: Path) -> list[str]:
    found: list[str] = json.loads((project / "fake" / "arguments.json").read_text())
    return found


def test_nvcc_is_given_the_users_flags(run: Run, nvcc: Callable[[str], str], project: Path) -> None:
    program = nvcc(SUCCEED)
    (project / "inc").mkdir()
    (project / "first.h").write_text("")
    (project / "compile_commands.json").write_text(
        json.dumps(
            [
                {
                    "directory": str(project),
                    "file": "a.cu",
                    "command": "nvcc -DM -std=c++14 -use_fast_math -include first.h -arch=sm_90a",
                }
            ]
        )
    )
    outcome = run(f"--nvcc={program}", "-p", ".", "-DN=f(1,2)", "-Iinc", "a.cu")
    assert outcome.status == 1 and "touches 32 sectors" in outcome.out
    given = arguments(project)
    for option in ("-ptx", "-lineinfo", "-DM", "-std=c++14", "--use_fast_math", "-DN=f(1\\,2)"):
        assert option in given
    assert f"-I{project / 'inc'}" in given
    assert given[given.index("-include") + 1] == str(project / "first.h")
    assert "-arch=compute_90" in given and given[-1] == str(project / "a.cu")


@pytest.mark.parametrize(
    ("body", "code", "place", "message"),
    [
        ("sys.exit('a.cu(3): error: identifier \"a\" is undefined')", "CU001", "a.cu:3:5",
         'identifier "a" is undefined'),
        ("sys.exit('a.cu(2): error #20: expected a \";\"')", "CU001", "a.cu:2:1", "expected a"),
        ("sys.exit('a.cu:1:10: fatal error: no.h: No such file or directory')", "CU002",
         "a.cu:1:1", "no.h: No such file or directory"),
        ("sys.exit('nvcc fatal   : Unsupported gpu architecture')", "CU002", "a.cu:1:1",
         "nvcc: fatal : Unsupported gpu architecture"),
        ("sys.exit(7)", "CU002", "a.cu:1:1", "exit status 7"),
        ("pass", "CU002", "a.cu:1:1", "exit status 0"),
        ("bytearray(8 << 30)", "CU002", "a.cu:1:1", "nvcc: "),
    ],
)  # fmt: skip
def test_what_nvcc_says(
    body: str,
    code: str,
    place: str,
    message: str,
    run: Run,
    nvcc: Callable[[str], str],
    project: Path,
) -> None:
    outcome = run(
        *(f"--nvcc={nvcc(body)}", "--select", "CU001,CU002", "--output-format", "concise", "a.cu")
    )
    level = "warning" if code == "CU001" else "note"
    assert outcome.out.startswith(f"{place}: {level}: {code} ")
    assert message in outcome.out.splitlines()[0]


def test_nvcc_that_hangs(
    run: Run, nvcc: Callable[[str], str], project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("perflint.frontend.nvcc.SECONDS", 1)
    program = nvcc("time.sleep(600)")
    outcome = run("--select", "CU002", f"--nvcc={program}", "a.cu")
    assert "it ran for more than 1 s and was stopped" in outcome.out


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--nvcc=none/nvcc",), "--nvcc: none/nvcc: no such program"),
        (("--nvcc",), "--nvcc: there is no nvcc on the PATH"),
        (("--frontend", "nvcc"), "--nvcc: there is no nvcc on the PATH"),
        (
            ("--nvcc", "--frontend", "source"),
            "nvcc and frontend = 'source' contradict",
        ),
        (("--frontend", "gcc"), "expected one of nvrtc, nvcc, source, not 'gcc'"),
    ],
)
def test_no_such_compiler(
    options: tuple[str, ...],
    message: str,
    run: Run,
    project: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("PATH", "CUDA_PATH", "CUDA_HOME"):
        monkeypatch.setenv(name, "")
    monkeypatch.setattr("perflint.frontend.nvcc.TOOLKIT", "none")
    outcome = run(*options, "a.cu")
    assert (outcome.status, outcome.out, outcome.err.count("\n")) == (2, "", 1)
    assert message in outcome.err


@pytest.mark.parametrize(
    ("text", "options", "frontend"),
    [
        ("", (), "nvrtc"),
        ('frontend = "source"', (), "source"),
        ('frontend = "source"', ("--frontend", "nvrtc"), "nvrtc"),
        ('frontend = "source"', ("--nvcc=NVCC",), "nvcc"),
        ("nvcc = true", (), "nvrtc"),
        ("nvcc = true", ("--allow-nvcc",), "nvcc"),
        ('frontend = "nvcc"', (), "nvrtc"),
        ('frontend = "nvcc"', ("--allow-nvcc",), "nvcc"),
        ("nvcc = true", ("--frontend", "source"), "source"),
        ("nvcc = false", (), "nvrtc"),
        ("", ("--frontend", "nvcc", "--nvcc=NVCC"), "nvcc"),
    ],
)
def test_which_front_end(
    text: str,
    options: tuple[str, ...],
    frontend: str,
    run: Run,
    pipeline: Pipeline,
    nvcc: Callable[[str], str],
    project: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    program = nvcc(SUCCEED)
    monkeypatch.setenv("PATH", str(Path(program).parent), prepend=os.pathsep)
    (project / "perflint.toml").write_text(text)
    run(*(option.replace("NVCC", program) for option in options), "a.cu")
    assert pipeline.options is not None
    assert pipeline.options.frontend == frontend
    assert pipeline.options.nvcc == (Path(program) if frontend == "nvcc" else None)


def test_a_contradiction_in_the_file(run: Run, project: Path) -> None:
    (project / "perflint.toml").write_text('frontend = "source"\nnvcc = true\n')
    outcome = run("a.cu")
    assert outcome.status == 2
    assert "perflint.toml: nvcc and frontend = 'source' contradict each other" in outcome.err


def test_source_only_says_so(run: Run, project: Path) -> None:
    (project / "a.cu").write_text("__global__ void k(int *a) { a[threadIdx.x * 32] = 1; }\n")
    outcome = run("--frontend", "source", "a.cu", "--output-format", "full",
                  "--output-format", "sarif=out.sarif")  # fmt: skip
    assert outcome.status == 1
    assert "\nNo compiler was used (--frontend source): the kernels were read from" in outcome.out
    assert outcome.err.count("no compiler") == 1
    [run_] = json.loads((project / "out.sarif").read_text())["runs"]
    [notification] = run_["invocations"][0]["toolExecutionNotifications"]
    assert notification["message"]["text"].startswith("No compiler was used (--frontend source)")


def test_without_nvrtc_the_source_is_read(
    run: Run, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def missing() -> None:
        raise library.CompilerMissingError("no CUDA compiler: install NVRTC")

    monkeypatch.setattr(library, "find_toolchain", missing)
    (project / "a.cu").write_text("__global__ void k(int *a) { a[threadIdx.x * 32] = 1; }\n")
    outcome = run("a.cu")
    assert outcome.status == 1
    assert "note: no compiler is used: no CUDA compiler: install NVRTC\n" in outcome.err
    assert "\nNo compiler was used (no CUDA compiler: install NVRTC): " in outcome.out
    assert run("--frontend", "nvrtc", "a.cu").status == 2
