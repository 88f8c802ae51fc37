"""`-j`: the kernels of one file shared out among processes, and what they die of."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from perflint.work import filecheck, pipeline
from perflint.work.parallel import FORKS
from tests.cli.conftest import Outcome

pytestmark = pytest.mark.skipif(not FORKS, reason="processes cannot be forked here")
Run = Callable[..., Outcome]
KERNELS = 6


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """One file, whose kernels are handed over as soon as another process is idle."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(filecheck, "LEAST_SECONDS", -1.0)
    (tmp_path / "many.cu").write_text(
        "".join(
            f"__global__ void k{i}(float *a) {{ a[threadIdx.x * {32 - i}] = {i}; }}\n"
            for i in range(KERNELS)
        )
        + "void host(float *a) {\n"
        + "".join(f"  k{i}<<<8, 256>>>(a);\n" for i in range(KERNELS))
        + "}\n"
    )
    return tmp_path


def spied(monkeypatch: pytest.MonkeyPatch, notes: Path, **fates: Callable[[], None]) -> None:
    """Let each kernel's process be noted, and something happen to some of them."""
    real = filecheck.check_kernel

    def check(subject: Any, rules: Any) -> Any:
        with notes.open("a") as file:
            file.write(f"{os.getpid()} {subject.title}\n")
        fates.get(subject.title, lambda: None)()
        return real(subject, rules)

    monkeypatch.setattr(filecheck, "check_kernel", check)


def json_of(run: Run, jobs: int, *more: str) -> tuple[int, str, str]:
    options = ("--no-cache", "--select", "ALL", "--show-unconfirmed", "--output-format", "json")
    outcome = run(f"-j{jobs}", *options, *more, "many.cu")
    return outcome.status, outcome.out, outcome.err


def test_one_file_keeps_every_process_busy(
    run: Run, tree: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    alone = json_of(run, 1)
    assert alone[1].count('"CU101"') == KERNELS
    notes = tmp_path_factory.mktemp("notes") / "kernels"
    spied(monkeypatch, notes)
    for jobs in (2, 3):
        notes.write_text("")
        assert json_of(run, jobs) == alone
        pids, kernels = zip(*(line.split() for line in notes.read_text().splitlines()), strict=True)
        assert sorted(kernels) == [f"k{i}" for i in range(KERNELS)]  # each once
        assert len(set(pids)) == jobs


def test_a_small_file_stays_in_one_process(
    run: Run, tree: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(filecheck, "LEAST_SECONDS", 1e9)
    notes = tmp_path_factory.mktemp("notes") / "kernels"
    spied(monkeypatch, notes)
    json_of(run, 3)
    assert len({line.split()[0] for line in notes.read_text().splitlines()}) == 1


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


@pytest.mark.parametrize("which", ["k0", "k4"])
def test_a_crash_costs_one_kernel(
    which: str,
    run: Run,
    tree: Path,
    tmp_path_factory: pytest.TempPathFactory,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    spied(monkeypatch, tmp_path_factory.mktemp("notes") / "kernels", **{which: die})
    alone, three = json_of(run, 1), json_of(run, 3)
    assert alone == three
    assert alone[1].count('"CU101"') == KERNELS - 1
    assert alone[1].count('"CU002"') == 1 and "SIGKILL" in alone[1]


def test_a_file_whose_kernels_all_crash_is_given_up(
    run: Run, tree: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    notes = tmp_path_factory.mktemp("notes") / "kernels"
    spied(monkeypatch, notes, **{f"k{i}": die for i in range(KERNELS)})
    _, out, _ = json_of(run, 1)
    assert out.count('"CU002"') == KERNELS and '"CU101"' not in out
    assert out.count("processes that checked other kernels of the file died") == KERNELS - 4
    assert len(notes.read_text().splitlines()) == 1 + 4  # once in the one process that does all


@pytest.mark.parametrize(("jobs", "alone"), [(1, True), (2, False)])
def test_who_compiles_one_file_by_one_job_checks_it(
    jobs: int, alone: bool, run: Run, tree: Path, tmp_path_factory: pytest.TempPathFactory,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    notes, compilers = (tmp_path_factory.mktemp("notes") / name for name in ("kernels", "who"))
    real = pipeline.compile_unit

    def compile_unit(*args: Any) -> Any:
        compilers.write_text(str(os.getpid()))
        return real(*args)

    monkeypatch.setattr(pipeline, "compile_unit", compile_unit)
    spied(monkeypatch, notes)
    json_of(run, jobs)
    checkers = {line.split()[0] for line in notes.read_text().splitlines()}
    assert (checkers == {compilers.read_text()}) is alone


@pytest.mark.parametrize("most", [0, 30])
def test_a_file_ends_by_its_instructions(
    most: int, run: Run, tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same kernels are left out, however many processes there are."""
    monkeypatch.setattr(filecheck, "most_issued", lambda options: most)
    monkeypatch.setattr("perflint.work.assembly.most_issued", lambda options: most)
    outcomes = [json_of(run, jobs) for jobs in (1, 2, 3)]
    assert outcomes[0] == outcomes[1] == outcomes[2]
    left_out = outcomes[0][1].count("used up the file's time")
    assert 0 < left_out < KERNELS
    assert outcomes[0][1].count('"CU101"') == KERNELS - left_out
