"""Headers that are given with the files that include them: each kernel is checked once."""

from __future__ import annotations

import json
from pathlib import Path

from tests.endtoend.test_bad_input import perflint

HEADER = """\
template <int N> __global__ void rows(float *out)
{
    out[(blockIdx.x * blockDim.x + threadIdx.x) * 32 + N] = 1.0f;
}
"""
LAUNCH = "    rows<{n}><<<64, 256>>>(out);\n"
MAIN = '#include "rows.cuh"\nvoid run(float *out)\n{{\n{launches}}}\n'
ALONE = """\
__global__ void columns(float *out)
{
    out[(blockIdx.x * blockDim.x + threadIdx.x) * 32] = 1.0f;
}
"""


#: Of another build of the same program.
OTHERS = """\
#ifndef LESS
void launch(float *out) { columns<<<64, 256>>>(out); }
#endif
"""


def main_of(*arguments: int) -> str:
    return MAIN.format(launches="".join(LAUNCH.format(n=n) for n in arguments))


def check(folder: Path, *options: str) -> tuple[list[str], str, str]:
    """Findings, the summary, and what stands on standard error."""
    words = ("--isolated", "--no-cache", "--select", "ALL", "--output-format", "concise")
    run = perflint(*words, *options, ".", cwd=folder)
    *findings, summary = run.stdout.splitlines()
    return findings, summary, run.stderr


def test_a_header_is_checked_through_what_includes_it(tmp_path: Path) -> None:
    (tmp_path / "rows.cuh").write_text(HEADER)
    (tmp_path / "main.cu").write_text(main_of(3))
    findings, summary, notes = check(tmp_path)
    assert [f.split(": ")[0] for f in findings if "CU101" in f] == ["rows.cuh:3:5"]
    assert "in 1 kernel of 2 files" in summary
    assert "compiled through" not in notes  # nothing to say: it was not compiled by itself


def test_a_kernel_that_no_file_brings_is_checked_all_the_same(tmp_path: Path) -> None:
    (tmp_path / "rows.cuh").write_text(f"{HEADER}#ifndef LESS\n{ALONE}#endif\n")
    (tmp_path / "main.cu").write_text(f"#define LESS\n{main_of(3)}{OTHERS}")
    findings, summary, _ = check(tmp_path)
    assert [f.split(": ")[0] for f in findings if "CU101" in f] == ["rows.cuh:3:5", "rows.cuh:8:5"]
    assert any("in 2 kernels of 2 files" in line for line in (summary, *findings))


def test_instances_of_several_files(tmp_path: Path) -> None:
    (tmp_path / "rows.cuh").write_text(HEADER)
    (tmp_path / "a.cu").write_text(main_of(1, 2))
    (tmp_path / "b.cu").write_text(main_of(3))
    assert "in 3 kernels of 3 files" in check(tmp_path)[1]


def test_what_a_file_defines_before_it_includes(tmp_path: Path) -> None:
    """Its kernel is another one each time."""
    (tmp_path / "impl.cuh").write_text(ALONE.replace("* 32]", "* PITCH]"))
    for name, pitch in (("a", 32), ("b", 64)):
        (tmp_path / f"{name}.cu").write_text(f'#define PITCH {pitch}\n#include "impl.cuh"\n')
    findings, summary, _ = check(tmp_path)
    assert "in 2 kernels of 3 files" in summary
    assert [f.split(": ")[0] for f in findings if "CU101" in f] == ["impl.cuh:3:5"]


def test_files_that_include_each_other(tmp_path: Path) -> None:
    (tmp_path / "a.cuh").write_text(f'#pragma once\n#include "b.cuh"\n{ALONE}')
    (tmp_path / "b.cuh").write_text(
        f'#pragma once\n#include "a.cuh"\n{ALONE.replace("columns", "more")}'
    )
    findings, _, _ = check(tmp_path)
    assert [f.split(": ")[0] for f in findings if "CU101" in f] == ["a.cuh:5:5", "b.cuh:5:5"]


def test_a_comment_in_a_header_is_heeded(tmp_path: Path) -> None:
    silent = HEADER.replace("1.0f;", "1.0f;  // perflint: ignore[CU101]")
    (tmp_path / "rows.cuh").write_text(silent)
    (tmp_path / "main.cu").write_text(main_of(3))
    findings, _, _ = check(tmp_path)
    assert not [f for f in findings if "CU101" in f or "CU003" in f]
    needless = silent.replace("* 32 + N", "+ 32 + N")
    (tmp_path / "rows.cuh").write_text(needless)
    assert [f.split(": ")[0] for f in check(tmp_path)[0] if "CU003" in f] == ["rows.cuh:3:68"]


def test_any_number_of_processes_and_kept_results_say_the_same(tmp_path: Path) -> None:
    (tmp_path / "rows.cuh").write_text(HEADER)
    for name, numbers in (("a", (1, 2)), ("b", (3,)), ("c", (4, 5))):
        (tmp_path / f"{name}.cu").write_text(main_of(*numbers))
    alone = check(tmp_path, "-j1")
    assert check(tmp_path, "-j3") == alone
    words = ("--isolated", "--select", "ALL", "--output-format", "json", ".")
    new, again = (perflint(*words, cwd=tmp_path).stdout for _ in range(2))
    assert new == again and json.loads(new)


def test_a_fragment_is_not_checked_for_the_kernels_of_what_includes_it(tmp_path: Path) -> None:
    """It is compiled through that file, and its own kernels are those that were asked for."""
    (tmp_path / "part.cu").write_text(ALONE.replace("32", "PITCH"))
    other = ALONE.replace("columns", "more")
    main = f'#define PITCH 32\n{other}#include "part.cu"\n'
    (tmp_path / "main.cu").write_text(main + f"{other}\n".replace("more", "last"))
    words = ("--isolated", "--no-cache", "--select", "ALL", "--output-format", "concise")
    run = perflint(*words, "part.cu", cwd=tmp_path)
    *findings, summary = run.stdout.splitlines()
    assert {f.split(":")[0] for f in findings} == {"part.cu"}
    assert "in 1 kernel of 1 file" in summary
    assert "compiled through main.cu" in run.stderr
