"""Device code sees the macros by which nvcc makes itself known, with nvcc's values."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from perflint.frontend import Pool, compile_file

LIST = json.loads((Path(__file__).parent / "nvcc_macros.json").read_text("utf-8"))
DEFINED = re.compile(r"^#define (__(?:NVCC|CUDACC|CUDA_API|CUDA_ARCH)\w*)(?:\(.*?\))? ?(.*)$", re.M)


def test_the_compiler_defines_them(pool: Pool, tmp_path: Path) -> None:
    text = "".join(
        f"#ifdef {name}\n__global__ void has{name}() {{}}\n#endif\n" for name in LIST["defined"]
    )
    (tmp_path / "a.cu").write_text(text)
    found = compile_file(tmp_path / "a.cu", pool=pool)
    assert {o.kernel for o in found.entries.values()} == {f"has{n}" for n in LIST["defined"]}


def test_they_are_all_of_nvcc(pool: Pool, tmp_path: Path) -> None:
    nvcc = shutil.which("nvcc")
    if nvcc is None:
        pytest.skip("there is no nvcc on this machine")
    (tmp_path / "a.cu").write_text("")
    command = [nvcc, "-E", "-Xcompiler", "-dM", "-arch=sm_80", "a.cu"]
    made = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=False)
    if made.returncode:
        pytest.skip(f"nvcc does not run here: {made.stderr[:200]}")
    values = dict(DEFINED.findall(made.stdout))
    if values["__CUDACC_VER_MAJOR__"] != "13":
        pytest.skip("the list is of CUDA 13")
    assert values.keys() - LIST["not_taken"].keys() == set(LIST["defined"])
    same = ("__CUDA_ARCH__", "__CUDA_ARCH_LIST__", "__NVCC__", "__CUDACC__")
    tests = " && ".join(f"{name} == {values[name]}" for name in same)
    (tmp_path / "b.cu").write_text(f"#if {tests}\n__global__ void alike() {{}}\n#endif\n")
    found = compile_file(tmp_path / "b.cu", pool=pool, arch="sm_80")
    assert [o.kernel for o in found.entries.values()] == ["alike"]
