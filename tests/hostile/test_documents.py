"""What perflint wrote once and a stranger may have changed: suites, traces, their sources."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import Outcome
from tests.hostile.conftest import SECRET

Run = Callable[..., Outcome]

SOURCE = """\
__global__ void gather(float *out, const int *index)
{
    __shared__ float tile[1024];
    int i = threadIdx.x;
    tile[i] = i;
    __syncthreads();
    out[i] = tile[index[i] & 1023];
}
"""
LAUNCH = "<<<1, 256>>>(out=zeros:f32[256], index=random:s32[256])"
OUTSIDE = "is outside the project"


@pytest.fixture
def suite(run: Run, tree: Path) -> Path:
    """A suite in the tree, of a kernel there."""
    (tree / "a.cu").write_text(SOURCE)
    searched = run("stress", "a.cu", "--launch", LAUNCH, "--tries", "12")
    assert searched.status == 0 and (tree / "suite" / "case-1").is_dir()
    return tree / "suite"


def changed(suite: Path, **fields: object) -> None:
    for file in suite.glob("*/case.json"):
        file.write_text(json.dumps(json.loads(file.read_text()) | fields))


def test_a_suite_reads_no_header_outside(suite: Path, run: Run, tree: Path) -> None:
    """It names the folders of headers, and what the compiler says of a header is told."""
    (tree / "a.cu").write_text('#include "secret.h"\n' + SOURCE)
    changed(suite, include=[str(tree.parent)])
    replayed = run("stress", "--replay", "suite")
    assert SECRET not in replayed.out + replayed.err


def test_a_suite_reads_no_source_outside(suite: Path, run: Run, tree: Path) -> None:
    shutil.copy("a.cu", tree.parent / "b.cu")
    changed(suite, filename="../../../b.cu")
    refused = run("stress", "--replay", "suite")
    assert refused.status == 2 and OUTSIDE in refused.err
    assert run("stress", "--replay", "suite", "-I", str(tree.parent)).status == 0


@pytest.mark.parametrize("name", ["case.json", "index.npy"])
def test_a_suite_waits_for_no_pipe(name: str, suite: Path, run: Run) -> None:
    file = suite / "case-1" / name
    file.unlink()
    os.mkfifo(file)
    refused = run("stress", "--replay", "suite")
    assert refused.status == 2 and f"{name}: is not a regular file" in refused.err


def test_a_case_that_is_a_link_stays(suite: Path, run: Run, tree: Path) -> None:
    """A new suite takes the place of the old one, and removes nothing elsewhere."""
    outside = tree.parent / "theirs"
    (suite / "case-1").rename(outside)
    (suite / "case-1").symlink_to(outside)
    refused = run("stress", "a.cu", "--launch", LAUNCH, "--tries", "12")
    assert refused.status == 2 and "case-1: is a link; remove it" in refused.err
    assert (outside / "case.json").is_file()


def test_a_trace_waits_for_no_pipe(run: Run, tree: Path) -> None:
    os.mkfifo(tree / "trace.json")
    refused = run("view", "trace.json", "-o", "page.html")
    assert refused.status == 2 and "trace.json: is not a regular file" in refused.err


@pytest.mark.parametrize("name", ["{}/secret.h", "../secret.h"])
def test_a_profiled_file_reads_nothing_outside(name: str, run: Run, tree: Path) -> None:
    (tree / "a.cu").write_text(f'#include "{name.format(tree.parent)}"\n{SOURCE}')
    profiled = run("profile", "a.cu", "--launch", LAUNCH)
    assert SECRET not in profiled.out + profiled.err


def test_why_names_what_is_no_file(run: Run, tree: Path) -> None:
    os.mkfifo(tree / "b.cu")
    refused = run("why", "b.cu:3")
    assert (refused.status, refused.err) == (2, "perflint: b.cu: not a regular file\n")
