"""What a stranger's repository may try: to run code, show what is not its own, hang, die."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from time import process_time

import pytest

from perflint.base import bounds
from perflint.base.limits import Limits
from perflint.lint.findings import Result
from perflint.work import crew, filecheck, parallel
from perflint.work.parallel import FORKS, Crash, each, lease
from tests.cli.conftest import Outcome, Pipeline, finding
from tests.hostile.conftest import KERNEL, SECRET

Run = Callable[..., Outcome]
PTX = """\
.version 8.0
.target sm_80
.address_size 64
.file 1 "NAME"
.visible .entry k(.param .u64 p)
{
    .reg .b64 %rd<4>;
    .reg .b32 %r<4>;
    .loc 1 1 1
    ld.param.u64 %rd1, [p];
    cvta.to.global.u64 %rd2, %rd1;
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %rd3, %r1, 128;
    add.s64 %rd2, %rd2, %rd3;
    st.global.u32 [%rd2], %r1;
    ret;
}
"""
FORMATS = ("full", "concise", "json", "sarif")
EVIL = '#!/bin/sh\ntouch "$(dirname "$0")/ran"\nexit 1\n'


def everything(run: Run, *arguments: str) -> str:
    """All that is printed of the files, in every format."""
    formats = [f"--output-format={name}=../out.{name}" for name in FORMATS]
    outcome = run("--exit-zero", "--show-unconfirmed", "--select", "ALL", *formats, *arguments)
    assert outcome.status < 2, outcome
    texts = [Path(f"../out.{name}").read_text() for name in FORMATS]
    return outcome.err + "".join(texts)


# --- code -----------------------------------------------------------------------------------------


def evil(folder: Path) -> None:
    script = folder / "evil.sh"
    script.write_text(EVIL)
    script.chmod(0o755)


@pytest.mark.parametrize("name", ["perflint.toml", ".perflint.toml", "pyproject.toml"])
def test_a_tree_names_no_program(name: str, run: Run, tree: Path) -> None:
    evil(tree)
    head = "[tool.perflint]\n" if name == "pyproject.toml" else ""
    (tree / name).write_text(f'{head}nvcc = "./evil.sh"\n')
    outcome = run("a.cu")
    assert outcome.status == 2 and "a program's path comes from the command line" in outcome.err
    assert not (tree / "ran").exists()


def test_configuration_above_the_repository_is_not_read(run: Run, tree: Path) -> None:
    evil(tree.parent)
    (tree.parent / "perflint.toml").write_text(f'nvcc = "{tree.parent}/evil.sh"\nnonsense = 1\n')
    assert run("a.cu").status == 1
    assert not (tree / "ran").exists()


def test_configuration_in_the_folder_for_temporary_files_is_not_read(
    run: Run, tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tree / ".git").rmdir()
    (tree.parent / "perflint.toml").write_text("nonsense = 1\n")
    assert run("a.cu").status == 2
    monkeypatch.setattr("tempfile.tempdir", str(tree.parent))
    assert run("a.cu").status == 1
    monkeypatch.undo()
    os.chdir(tree)
    tree.parent.chmod(0o777)
    assert run("a.cu").status == 1


def test_the_users_own_file_may_name_a_program(run: Run, tree: Path) -> None:
    folder = tree.parent / ".config" / "perflint"
    folder.mkdir(parents=True)
    evil(tree)
    (folder / "perflint.toml").write_text(f'nvcc = "{tree}/evil.sh"\n')
    run("a.cu")
    assert (tree / "ran").exists()


# --- secrets --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name", ["../secret.h", "/proc/self/environ", ".git/config", ".env", "s.h"]
)
def test_ptx_cannot_have_a_file_shown(
    name: str, run: Run, tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOKEN", SECRET)
    (tree / ".git" / "config").write_text(SECRET)
    (tree / ".env").write_text(SECRET)
    (tree / "s.h").symlink_to(tree.parent / "secret.h")
    (tree / "a.ptx").write_text(PTX.replace("NAME", name))
    printed = everything(run, "a.ptx")
    assert "touches 32 sectors" in printed
    assert SECRET not in printed and "primaryLocationLineHash" not in printed


def test_ptx_has_its_own_source_shown(run: Run, tree: Path) -> None:
    (tree / "s.cu").write_text("// the line of the tree\n")
    (tree / "a.ptx").write_text(PTX.replace("NAME", "s.cu"))
    assert "the line of the tree" in everything(run, "a.ptx")


OUTSIDE = [
    '#include "../secret.h"',
    '#include "link.h"',
    '#include "../../../../../../../../proc/self/environ"',
    '#define H "../secret.h"\n#include H',
]


@pytest.mark.parametrize("include", OUTSIDE)
def test_includes_stay_in_the_project(include: str, run: Run, tree: Path) -> None:
    (tree / "link.h").symlink_to(tree.parent / "secret.h")
    (tree / "a.cu").write_text(f"{include}\n{KERNEL}void h(float *a) {{ k<<<8, SIZE>>>(a); }}\n")
    printed = everything(run, "a.cu")
    assert "k<<<" in printed
    assert SECRET not in printed and "931" not in printed


def test_a_link_to_a_source_outside_is_not_read(run: Run, tree: Path) -> None:
    (tree.parent / "other.cu").write_text(f"{KERNEL}// {SECRET}\n")
    (tree / "link.cu").symlink_to("../other.cu")
    printed = everything(run, ".") + everything(run, "link.cu")
    assert SECRET not in printed and printed.count("is outside the project") >= 8  # of two runs


def test_a_database_includes_nothing_from_outside(run: Run, tree: Path) -> None:
    command = f"nvcc -include {tree.parent}/secret.h -I{tree.parent} a.cu"
    entry = {"directory": str(tree), "file": "a.cu", "command": command}
    (tree / "compile_commands.json").write_text(json.dumps([entry]))
    (tree / "a.cu").write_text(
        f"#include <secret.h>\n{KERNEL}void h(float *a) {{ k<<<8, SIZE>>>(a); }}\n"
    )
    printed = everything(run, "-p", ".", "a.cu")
    assert "k<<<" in printed and SECRET not in printed and "931" not in printed
    asked = everything(run, "-p", ".", f"-I{tree.parent}", "a.cu")
    assert "k<<<8, 931>>>" in asked  # the command line may


@pytest.mark.parametrize(
    "question",
    [
        '#if __has_include("{0}")',
        "#if __has_include(<{0}>)",
        '#define H __has_include\n#if H("{0}")',
        '#define P "{0}"\n#if __has_include(P)',
        "#define P <{0}>\n#if __has_include P",
        '#define C(a, b) a##b\n#if C(__has_, include)("{0}")',
        '#if __has_\\\ninclude("{0}")',
        '#if __has_include("../secret.h")',
    ],
)
def test_nothing_tells_what_is_on_the_machine(question: str, run: Run, tree: Path) -> None:
    secret = tree.parent / "secret.h"
    (tree / "a.cu").write_text(
        question.format(secret) + "\n#define STEP 1\n#else\n#define STEP 32\n#endif\n"
        "__global__ void k(float *a) { a[threadIdx.x * STEP] = 1; }\n"
    )
    before = run("a.cu").out
    secret.unlink()
    assert run("a.cu").out == before


@pytest.mark.parametrize("include", OUTSIDE[:3])
def test_a_refusal_does_not_tell_either(include: str, run: Run, tree: Path) -> None:
    (tree / "link.h").symlink_to(tree.parent / "secret.h")
    (tree / "a.cu").write_text(f"{include}\n{KERNEL}")
    before = everything(run, "a.cu")
    (tree.parent / "secret.h").unlink()
    assert everything(run, "a.cu") == before


def test_the_bound(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for folder in ("repo/.git", "repo/src", "repo/.hidden", "repo-2", "given"):
        (tmp_path / folder).mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    bound = bounds.around([Path("repo/src")], [Path("given")])
    assert bound.given == (tmp_path.resolve() / "repo/src",)
    for name in ("repo/x.h", "repo/src/x.h", "given/x.h", "repo/new/../x.h"):
        assert bound.allows(Path(name)), name
    for name in ("x.h", "repo/.hidden/x.h", "repo/.git/config", "repo-2/x.h", "repo/../x.h", "a\0"):
        assert not bound.allows(Path(name)), name
    assert bounds.around([Path("repo/.hidden")]).allows(Path("repo/.hidden/x.h"))


# --- hanging --------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["fifo", "zero", "sparse", "directory"])
@pytest.mark.parametrize(
    "name", [".gitignore", ".git/info/exclude", "perflint.toml", "b.cuh", "beside.h", "b.cu"]
)
def test_what_is_no_plain_file_is_not_read(kind: str, name: str, run: Run, tree: Path) -> None:
    path = tree / name
    path.parent.mkdir(exist_ok=True)
    if kind == "fifo":
        os.mkfifo(path)
    elif kind == "zero":
        path.symlink_to("/dev/zero")
    elif kind == "directory":
        path.mkdir()
    else:
        with path.open("wb") as file:
            file.truncate(5 << 30)
    (tree / "a.cu").write_text(f'#include "beside.h"\n{KERNEL}')
    outcome = run("--output-format", "concise", ".")  # hangs, or takes all memory
    if name == "perflint.toml":
        assert outcome.status == 2 and outcome.err.count("\n") == 1
    else:
        assert outcome.out.startswith("a.cu:2:31: warning: CU101 "), outcome


def loops(item: int) -> int:
    while item == 1:
        pass
    return item


def grows(item: int) -> int:
    return len(bytearray(4 << 30)) if item == 1 else item


needs_fork = pytest.mark.skipif(not FORKS, reason="processes cannot be forked here")
TIGHT = Limits(cpu_seconds=0.2, wall_seconds=600.0, memory_bytes=256 << 20)


@needs_fork
@pytest.mark.parametrize("jobs", [1, 3])
@pytest.mark.parametrize(("function", "reason"), [(loops, "CPU time"), (grows, "memory")])
def test_an_item_beyond_its_limits_costs_itself(
    function: Callable[[int], int], reason: str, jobs: int
) -> None:
    results = list(each(function, 4, jobs, TIGHT))
    assert [results[0], *results[2:]] == [0, 2, 3]
    assert isinstance(results[1], Crash) and reason in results[1].reason


@needs_fork
def test_an_item_that_only_waits_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(crew, "_TICK_SECONDS", 0.01)
    limits = Limits(cpu_seconds=5, wall_seconds=0.05, memory_bytes=1 << 30)
    [result] = each(lambda _: os.read(os.pipe()[0], 1), 1, 1, limits)
    assert isinstance(result, Crash) and "too long" in result.reason


@needs_fork
def test_each_step_has_time_of_its_own() -> None:
    def steps(_: int) -> int:
        for _ in range(4):
            lease(1.0)
            begin = process_time()
            while process_time() < begin + 0.6:
                pass
        return 4

    assert list(each(steps, 1, 1, Limits(1.0, 600.0, 1 << 30))) == [4]


@needs_fork
def test_a_file_beyond_its_limits_is_told(
    run: Run, tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    compile_unit = filecheck.compile_unit

    def stuck(unit: object, *rest: object) -> object:
        while unit.path.name == "b.cu":  # type: ignore[attr-defined]
            pass
        return compile_unit(unit, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(filecheck, "compile_unit", stuck)
    monkeypatch.setattr("perflint.work.pipeline.LIMITS", Limits(2.0, 600.0, 1 << 30))
    (tree / "b.cu").write_text(KERNEL)
    outcome = run("--select", "CU002,CU101", "--output-format", "concise", "-j2", ".")
    assert outcome.out.startswith("a.cu:1:31: warning: CU101 ")
    assert (
        "\nb.cu:1:1: note: CU002 the file was not analysed: it took too much CPU time"
        in outcome.out
    )


@pytest.mark.parametrize(
    "text",
    [
        "int x = " + "a<" * 16_000 + "1;\n",
        "int x = " + "(" * 100_000 + "1" + ")" * 100_000 + ";\n",
    ],
    ids=["comparisons", "parentheses"],
)
def test_readers_give_up_in_time(text: str, run: Run, tree: Path) -> None:
    (tree / "b.cu").write_text(text + KERNEL)
    outcome = run("--select", "CU002,CU101", "--output-format", "concise", ".")
    assert outcome.out.startswith("a.cu:1:31: warning: CU101 ")
    assert "CPU time" not in outcome.out


# --- dying ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("x = " + "[" * 500 + "]" * 500, ""),
        ("x = " + "[" * 50_000, ""),
        ("x = " + "1" * 500_000, ""),
        (".".join("a" * 100_000) + " = 1", ""),
        ("a = 1\n" * 200_000, ""),
        ("\x00", ""),
    ],
    ids=["nested", "brackets", "digits", "dotted", "long", "nul"],
)
def test_toml_of_any_shape_is_one_line(text: str, reason: str, run: Run, tree: Path) -> None:
    (tree / "perflint.toml").write_text(text)
    outcome = run("a.cu")
    assert (outcome.status, outcome.out, outcome.err.count("\n")) == (2, "", 1)
    assert "perflint.toml: " in outcome.err and len(outcome.err) < 1000
    assert "internal error" not in outcome.err


def test_processes_are_bounded(run: Run, tree: Path, pipeline: Pipeline) -> None:
    (tree / "perflint.toml").write_text("jobs = 1000000\n")
    assert run("a.cu").status == 0
    pids = set(each(lambda _: os.getpid(), 500, 1_000_000))
    assert len(pids) <= parallel.JOBS_PER_CPU * parallel.usable_cpus()


@needs_fork
@pytest.mark.parametrize("files", [32, 24])
def test_few_open_files(files: int, tree: Path) -> None:
    for name in "bcdef":
        (tree / f"{name}.cu").write_text(KERNEL)
    process = subprocess.run(
        [sys.executable, "-m", "perflint", "-j20", "--output-format", "concise", "."],
        capture_output=True,
        text=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (files, files)),
    )
    assert process.returncode == 1, process.stderr
    assert process.stdout.count(" CU101 store") == 6


def test_an_instruction_without_its_type_is_an_error_of_syntax(run: Run, tree: Path) -> None:
    (tree / "a.ptx").write_text(PTX.replace("mul.wide.u32 %rd3", "setp.ge %r3"))
    outcome = run("--output-format", "concise", "a.ptx")
    assert outcome.out.startswith("a.ptx:13:5: warning: CU001 `setp.ge` names no type")


def test_a_global_of_128_bits(run: Run, tree: Path) -> None:
    variable = ".global .align 16 .b128 g = {1};\n"
    text = PTX.replace(".version 8.0", ".version 8.3").replace(".file 1", f"{variable}.file 1")
    (tree / "a.ptx").write_text(text)
    assert "touches 32 sectors" in run("a.ptx").out


# --- output ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["::error file=README.md,line=1::x.cu", "##[add-path]x.cu"])
def test_no_line_commands_the_runner(name: str, run: Run, tree: Path, pipeline: Pipeline) -> None:
    (tree / name).write_text(KERNEL)
    pipeline.result = Result((finding(path=name),), (), 1, 1)
    for out in (run("--output-format", name, ".").out for name in ("concise", "full")):
        assert out and not [
            line for line in out.splitlines() if line.strip().startswith(("::", "##["))
        ]


def test_a_report_is_whole_or_not_there(
    run: Run, tree: Path, pipeline: Pipeline, monkeypatch: pytest.MonkeyPatch
) -> None:
    report = tree / "out.json"
    report.write_text("old")
    report.chmod(0o640)
    pipeline.result = Result((finding(),), (), 1, 1)

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr("perflint.cli.output.os.fdopen", full)
        outcome = run("--output-format", "json=out.json", "a.cu")
    assert (outcome.status, report.read_text()) == (2, "old")
    assert "out.json: No space left on device" in outcome.err
    run("--output-format", "json=out.json", "a.cu")
    assert '"CU101"' in report.read_text() and report.stat().st_mode & 0o777 == 0o640
    assert sorted(p.name for p in tree.iterdir()) == [".git", "a.cu", "out.json"]
    assert run("--output-format", "json=/dev/stdout", "a.cu").status == 1


def test_a_fault_on_several_gpus_has_one_fingerprint(run: Run, tree: Path) -> None:
    """No two results of a log have the same: GitHub would show one of them."""
    log = json.loads(run("--arch", "sm_80,sm_90", "--output-format", "sarif", "a.cu").out)
    [result] = log["runs"][0]["results"]
    assert result["partialFingerprints"]["perflint/v1"]
    assert "(sm_80, sm_90)" in result["message"]["text"]
