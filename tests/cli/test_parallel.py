"""`-j`: files shared out among processes, and how those end."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from perflint.base.limits import Limits
from perflint.work.parallel import FORKS, Crash, each, tell, usable_cpus
from tests.cli.conftest import PATIENCE, SLOW_TO_COMPILE, Outcome

Run = Callable[..., Outcome]
needs_fork = pytest.mark.skipif(not FORKS, reason="processes cannot be forked here")


def square(item: int) -> int:
    return item * item


def dies(item: int) -> int:
    if item == 2:
        os.kill(os.getpid(), signal.SIGKILL)
    if item == 3:
        os._exit(7)
    return item


@pytest.mark.parametrize("jobs", [1, 2, 5, 100])
@pytest.mark.parametrize("count", [0, 1, 7])
def test_results_come_in_order(jobs: int, count: int) -> None:
    assert list(each(square, count, jobs)) == [i * i for i in range(count)]


@needs_fork
@pytest.mark.parametrize("jobs", [2, 6])
def test_a_crash_costs_one_item(jobs: int) -> None:
    results = list(each(dies, 6, jobs))
    assert [r for r in results if not isinstance(r, Crash)] == [0, 1, 4, 5]
    assert isinstance(results[2], Crash) and "SIGKILL" in results[2].reason
    assert isinstance(results[3], Crash) and "exit status 7" in results[3].reason


@needs_fork
def test_a_result_that_cannot_be_sent_costs_one_item() -> None:
    results = list(each(lambda i: (lambda: i) if i == 1 else i, 4, 2))
    assert isinstance(results[1], Crash)
    assert [results[0], *results[2:]] == [0, 2, 3]


@needs_fork
def test_a_process_that_holds_much_is_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("perflint.work.crew.KEEP_BYTES", 0)
    assert len(set(each(lambda _: os.getpid(), 8, 2))) == 8
    monkeypatch.undo()
    assert len(set(each(lambda _: os.getpid(), 8, 2))) <= 2


@needs_fork
def test_closing_ends_the_processes() -> None:
    results = each(lambda i: os.getpid() if i < 2 else time.sleep(600), 6, 3)
    pid = next(results)
    assert isinstance(pid, int) and is_alive(pid)
    results.close()
    assert not is_alive(pid)


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    try:  # a zombie is one that nobody has waited for
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return not Path("/proc").is_dir()


def test_usable_cpus() -> None:
    assert 1 <= usable_cpus() <= (os.cpu_count() or 1)


def test_output_does_not_depend_on_it(run: Run, project: Path) -> None:
    (project / "broken.cu").write_text("__global__ void k(float *a) { a[0] = ; }\n")
    (project / "host.cu").write_text("void launch(float *a) { k<<<8, 64>>>(a); }\n")
    for i in (1, 2, 32):
        text = f"__global__ void k{i}(float *a) {{ a[threadIdx.x * {i}] = 1; }}\n"
        (project / f"s{i}.cu").write_text(text)
    options = ("--select", "ALL", "--show-unconfirmed", "--output-format", "json")
    one, three = (run("-j", str(n), *options, ".") for n in (1, 3))
    assert one.out.count('"CU101"') == 2 and '"CU001"' in one.out
    assert (one.status, one.out, one.err) == (three.status, three.out, three.err)


@needs_fork
def test_a_file_whose_check_crashes_is_told(
    run: Run, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from perflint.work import filecheck

    compile_unit = filecheck.compile_unit

    def crash(unit: object, *rest: object) -> object:
        if unit.path.name == "b.cu":  # type: ignore[attr-defined]
            os.kill(os.getpid(), signal.SIGKILL)
        return compile_unit(unit, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(filecheck, "compile_unit", crash)
    for name in "bc":
        (project / f"{name}.cu").write_text((project / "a.cu").read_text())
    outcome = run("-j2", "--select", "CU002", "--output-format", "concise", ".")
    assert outcome.out.startswith("b.cu:1:1: note: CU002 ")
    assert "SIGKILL" in outcome.out
    assert "1 file was not analysed" in outcome.out and "in 2 kernels of 3 files" in outcome.out


def children(pid: int) -> set[int]:
    """The process's descendants."""
    found: set[int] = set()
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[1]) == pid:
            found |= {int(stat.parent.name)} | children(int(stat.parent.name))
    return found


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.parametrize(
    ("sent", "status", "message"),
    [
        (signal.SIGINT, 130, "perflint: interrupted\n"),
        (signal.SIGTERM, 143, "perflint: terminated\n"),
        (signal.SIGKILL, -9, ""),
    ],
)
def test_signals_leave_no_process(
    sent: signal.Signals, status: int, message: str, project: Path
) -> None:
    for name in "abc":
        (project / f"{name}.cu").write_text(SLOW_TO_COMPILE)
    process = subprocess.Popen(
        [sys.executable, "-m", "perflint", "-j2", "."],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )
    deadline = time.monotonic() + PATIENCE
    started: set[int] = set()
    while len(started) < 4 and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.05)  # two that check, each with a compiler
        started = children(process.pid)
    assert len(started) >= 2, process.communicate()
    process.send_signal(sent)
    out, err = process.communicate(timeout=PATIENCE)
    assert (process.returncode, err) == (status, message)
    assert ("before its end: " in out) is bool(message)
    deadline = time.monotonic() + PATIENCE
    while any(map(is_alive, started)) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not [pid for pid in started if is_alive(pid)]


@pytest.mark.parametrize("jobs", [1, 3])
def test_items_are_begun_in_another_order_and_come_in_theirs(jobs: int) -> None:
    heard: list[str] = []

    def begun(item: int) -> int:
        tell(str(item))
        return item

    order = [3, 1, 4, 0, 2]
    limits = Limits(20.0, 60.0, 1 << 30)
    came: list[int] = []
    results = each(
        begun,
        5,
        jobs,
        limits,
        order=order,
        heard=heard.append,
        finished=lambda i, _: came.append(i),
    )
    assert list(results) == [0, 1, 2, 3, 4] and sorted(came) == [0, 1, 2, 3, 4]
    said = [text for text in heard if text]
    assert sorted(said) == list("01234")
    if jobs == 1 and FORKS:
        assert said == list("31402") and came == order


@needs_fork
def test_who_says_something_may_still_die() -> None:
    def dies_speaking(item: int) -> int:
        tell("about to")
        return dies(item)

    results = list(each(dies_speaking, 4, 2, order=[3, 2, 1, 0]))
    assert [r for r in results if not isinstance(r, Crash)] == [0, 1]
    tell("nobody listens")


def test_the_largest_file_is_first(tmp_path: Path) -> None:
    from perflint.lint.translation_units import Unit
    from perflint.work.pipeline import largest_first

    for name, size in (("a", 10), ("b", 30), ("c", 10)):
        (tmp_path / name).write_bytes(b" " * size)
    assert largest_first([Unit(tmp_path / n, "sm_80") for n in ("gone", *"abc")]) == [2, 1, 3, 0]
