"""Results kept from earlier runs: the same, and never those of something else."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from perflint import cache, filecheck, pipeline
from perflint.findings import Result
from perflint.options import CheckOptions

SOURCE = """#include "size.h"
__global__ void column(float *a) { a[(blockIdx.x * blockDim.x + threadIdx.x) * STRIDE] = 1.0f; }
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    root.mkdir()
    (root / ".git").mkdir()
    (root / "column.cu").write_text(SOURCE)
    (root / "size.h").write_text("#define STRIDE 32\n")
    return root


@pytest.fixture
def checked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The files that are really checked."""
    files: list[str] = []
    real = filecheck.check_unit

    def count(unit: Any, run: Any) -> Any:
        files.append(unit.path.name)
        return real(unit, run)

    monkeypatch.setattr(filecheck, "check_unit", count)
    return files


def run(root: Path, store: Path, **options: Any) -> Result:
    given = CheckOptions(rules=frozenset({"CU101"}), root=root, cache=store)
    return pipeline.check(sorted(root.glob("*.cu")), replace(given, **options))


def test_the_same_again_is_found(project: Path, tmp_path: Path, checked: list[str]) -> None:
    first = run(project, tmp_path / "store")
    assert [f.code for f in first.findings] == ["CU101"]
    assert run(project, tmp_path / "store") == first
    assert checked == ["column.cu"]


def test_what_changed_is_checked_again(project: Path, tmp_path: Path, checked: list[str]) -> None:
    store = tmp_path / "store"
    run(project, store)
    (project / "size.h").write_text("#define STRIDE 1\n")  # a header
    assert not run(project, store).findings
    run(project, store, arch=("sm_90",))  # the GPU
    run(project, store, define=("UNUSED",))  # a flag
    (project / "new.h").write_text("")  # a file that a search may find
    run(project, store)
    assert checked == ["column.cu"] * 5
    (project / "new.h").unlink()
    run(project, store)  # as it was before
    assert checked == ["column.cu"] * 5


def test_a_damaged_store_costs_nothing_but_time(project: Path, tmp_path: Path) -> None:
    store = tmp_path / "store"
    first = run(project, store)
    for path in store.rglob("*"):
        if path.is_file():
            path.write_bytes(b"not a store")
    assert run(project, store) == first
    (tmp_path / "file").write_text("")
    assert run(project, tmp_path / "file") == first  # where no folder can be


def test_cleaning_forgets(project: Path, tmp_path: Path, checked: list[str]) -> None:
    store = tmp_path / "store"
    run(project, store)
    assert cache.clean(store) == 1
    assert cache.clean(tmp_path / "nothing") == 0
    run(project, store)
    assert checked == ["column.cu"] * 2


def test_results_of_chance_are_not_kept(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("once")

    with monkeypatch.context() as patched:
        patched.setattr(filecheck, "check_kernel", fail)
        assert not run(project, tmp_path / "store").findings
    assert run(project, tmp_path / "store").findings


def test_the_directory_may_be_given(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PERFLINT_CACHE_DIR", str(tmp_path))
    assert cache.directory() == tmp_path
    monkeypatch.delenv("PERFLINT_CACHE_DIR")
    assert cache.directory().name == "perflint"
