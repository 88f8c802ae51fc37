"""`--cluster`: the same bytes from a Dask cluster whose workers have no sources."""

from __future__ import annotations

import contextlib
import io
import json
import mmap
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from perflint.base import bounds, relocation
from perflint.base.limits import Limits
from perflint.base.span import Span
from perflint.cli.commands import run as command
from perflint.cluster import ClusterError, bundle
from perflint.cluster.foreman import Job, read_frame, write_frame
from perflint.lint.options import CheckOptions
from perflint.lint.ruleset import load
from perflint.lint.translation_units import Unit
from perflint.work import filecheck, transport
from perflint.work.assembly import Assembly, check_unit
from perflint.work.parallel import FORKS, Crash
from perflint.work.task import surrounded
from tests.cli.conftest import PATIENCE, SLOW_TO_COMPILE, Outcome, Pipeline

distributed = pytest.importorskip("distributed")
if os.name != "posix":
    pytest.skip("paths are mapped as POSIX has them", allow_module_level=True)

Run = Callable[..., Outcome]
EXAMPLES = Path(__file__).parents[2] / "examples"
SOME_EXAMPLES = ("transpose.cu", "catalogue/global_memory.cu")


@dataclass
class Started:
    """A cluster started from the command line."""

    address: str
    folder: Path  #: in which its processes run
    processes: list[subprocess.Popen[bytes]]

    def worker(self, name: str) -> subprocess.Popen[bytes]:
        home = self.folder / name
        home.mkdir()
        options = ("--nthreads", "1", "--no-dashboard", "--no-nanny", "--local-directory", ".")
        return self.start(home, "dask_worker", self.address, "--name", name, *options)

    def start(self, home: Path, program: str, *words: str) -> subprocess.Popen[bytes]:
        with (home / f"{program}.log").open("wb") as log:
            process = subprocess.Popen(
                [sys.executable, "-m", f"distributed.cli.{program}", *words],
                cwd=home,
                stdout=log,
                stderr=log,
                env={**os.environ, "TMPDIR": str(home)},
            )
        self.processes.append(process)
        return process


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.fixture(scope="module")
def started(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Started]:
    """A scheduler."""
    folder = tmp_path_factory.mktemp("cluster")
    port = free_port()
    cluster = Started(f"tcp://127.0.0.1:{port}", folder, [])
    cluster.start(folder, "dask_scheduler", "--host", "127.0.0.1", "--port", str(port),
                  "--no-dashboard")  # fmt: skip
    try:
        yield cluster
    finally:
        for process in cluster.processes:
            process.kill()
        for process in cluster.processes:
            process.wait()


@pytest.fixture(scope="module")
def cluster(started: Started) -> Started:
    """A scheduler and two workers, in folders without sources."""
    for name in ("one", "two"):
        started.worker(name)
    with distributed.Client(started.address, timeout=PATIENCE, set_as_default=False) as client:
        client.wait_for_workers(2, timeout=PATIENCE)
    return started


OPTIONS = ("--no-cache", "--isolated", "--select", "ALL", "--show-unconfirmed", "--exit-zero")


def both(run: Run, cluster: Started, *words: str) -> tuple[Outcome, Outcome]:
    """What one process says, and what the cluster does."""
    words = (*OPTIONS, "--output-format", "json", *words)
    return run("-j1", *words), run("--cluster", cluster.address, *words)


def test_stress_tries_the_same_inputs(
    cluster: Started, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "k.cu"
    file.write_text(
        "__global__ void add(const int *at, int *bins) { atomicAdd(&bins[at[threadIdx.x]], 1); }"
    )
    launch = "<<<1,64>>>(at=random:s32[64], bins=zeros:s32[32])"
    words = ["stress", str(file), "--launch", launch, "--tries", "24", "--no-suite"]
    said = []
    for who in (("-j1",), ("-j2",), ("--cluster", cluster.address)):
        assert command([*words, *who, "--output-format", "json"]) == 0
        said.append(capsys.readouterr().out)
    assert said[0] == said[1] == said[2] and '"tries": 24' in said[0]


def test_stress_explores_the_same_states(
    cluster: Started, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Interference: rounds of states, on the cluster as in processes of this machine."""
    file = tmp_path / "k.cu"
    file.write_text(
        "__global__ void k(const int *a, const int *t, int *out) {"
        " int i = threadIdx.x; if (a[i] > 40) out[i] = t[64 * (a[i] & 63)];"
        " if (a[i] % 5 == 2) out[i] += t[4 * i]; }"
    )
    launch = "<<<1,128>>>(a=random:s32[128], t=ones:s32[4096], out=zeros:s32[128])"
    words = ["stress", str(file), "--launch", launch, "--tries", "10", "--no-suite"]
    words += ["--objective", "interference", "--output-format", "json"]
    said = []
    for who in (("-j1",), ("-j2",), ("--cluster", cluster.address)):
        assert command([*words, *who]) == 0
        said.append(capsys.readouterr().out)
    assert said[0] == said[1] == said[2]
    assert json.loads(said[0])["interference"]["explored"] > 4


def test_the_same_bytes(
    run: Run, cluster: Started, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = tmp_path / "project"
    (project / "include").mkdir(parents=True)
    for name in SOME_EXAMPLES:
        shutil.copy(EXAMPLES / name, project)
    (project / "include" / "stride.h").write_text("#define STRIDE 32\n")
    (project / "real").mkdir()
    (project / "real" / "linked.cu").write_text(
        '#include "stride.h"\n#include "../fragment.def"\n'
        "__global__ void k(float *a) { a[threadIdx.x * STRIDE] = VALUE; }\n"
    )
    (project / "fragment.def").write_text("#define VALUE 1.0f\n")
    (project / "link").symlink_to("real")
    (project / "broken.cu").write_text("__global__ void k(float *a) { a[0] = ; }\n")
    (project / "missing.cu").write_text('#include "nowhere.h"\n__global__ void k(gone *a) {}\n')
    (project / "absolute.cu").write_text(
        f'#include "{project}/include/stride.h"\n'
        "__global__ void k(float *a) { a[threadIdx.x * STRIDE] = 1; }\n"
    )
    monkeypatch.chdir(project)
    alone, shared = both(run, cluster, "-Iinclude", "link/linked.cu", ".")
    assert alone == shared
    assert alone.out.count('"CU101"') > 3 and '"CU001"' in alone.out
    found = [line for line in alone.out.splitlines() if "linked.cu" in line or "absolute" in line]
    assert found, alone.out
    for home in (cluster.folder / "one", cluster.folder / "two"):
        left = [path for path in home.rglob("*") if path.suffix in (".cu", ".h", ".def")]
        assert not left  # nothing is kept there


def test_ptx_that_names_its_source(
    run: Run, cluster: Started, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    source = "__global__ void k(float *a) { a[threadIdx.x * 32] = 1.0f; }\n"
    (tmp_path / "k.cu").write_text(source)
    from perflint.frontend import compile_file

    ptx = compile_file(tmp_path / "k.cu").ptx
    if ptx is None:
        pytest.skip("there is no compiler")
    assert re.search(rf'\.file\s+\d+\s+"{re.escape(str(tmp_path))}/k.cu"', ptx)
    (tmp_path / "k.ptx").write_text(ptx)
    alone, shared = both(run, cluster, "k.ptx")
    assert alone == shared and '"k.cu"' in alone.out


#: Memory of the process's own that the system refuses with an OSError.
MAPPED = partial(mmap.mmap, -1, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
LIMITS = Limits(cpu_seconds=20.0, wall_seconds=600.0, memory_bytes=256 << 20)


@pytest.mark.skipif(not FORKS, reason="processes cannot be forked here")
@pytest.mark.parametrize(
    ("function", "task", "limits", "reason"),
    [
        (os._exit, 7, LIMITS, "exit status 7"),
        (bytearray, 4 << 30, LIMITS, "too much memory"),
        (MAPPED, 4 << 30, LIMITS, "too much memory"),
        (time.sleep, 600, replace(LIMITS, wall_seconds=0.5), "too long"),
    ],
)
def test_limits_hold_on_workers(
    function: Callable[[int], object], task: int, limits: Limits, reason: str, tmp_path: Path
) -> None:
    """What dies costs itself: the next task is done."""
    job = Job(function, limits, tmp_path, None, (), spoiled=False)
    frames = io.BytesIO()
    for data in (b"", transport.packed(job), transport.packed(task), transport.packed(0)):
        write_frame(frames, data)
    done = subprocess.run(
        [sys.executable, "-P", "-m", "perflint.cluster.foreman"],
        input=frames.getvalue(),
        stdout=subprocess.PIPE,
        check=True,
    )
    results = io.BytesIO(done.stdout)
    crash = transport.unpacked(read_frame(results) or b"")
    assert isinstance(crash, Crash) and reason in crash.reason
    after = transport.unpacked(read_frame(results) or b"")
    dies = function in (os._exit, MAPPED)
    assert isinstance(after, Crash) if dies else after == function(0)


def test_a_worker_that_is_lost_costs_a_retry(
    run: Run, cluster: Started, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for i in range(8):
        (tmp_path / f"f{i}.cu").write_text(
            f"__global__ void k{i}(float *a) {{ a[threadIdx.x * 32] = {i}; }}\n"
        )
    words = (*OPTIONS, "--output-format", "json", ".")
    alone = run("-j1", *words)
    third = cluster.worker("three")
    with distributed.Client(cluster.address, timeout=PATIENCE, set_as_default=False) as client:
        client.wait_for_workers(3, timeout=PATIENCE)
    killed = threading.Event()

    def kill_at_work() -> None:
        """Kill the third worker as soon as it has unpacked the sources to work on them."""
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            if list((cluster.folder / "three").glob("perflint-*")):
                third.send_signal(signal.SIGKILL)
                killed.set()
                return
            time.sleep(0.01)

    thread = threading.Thread(target=kill_at_work)
    thread.start()
    shared = run("--cluster", cluster.address, *words)
    thread.join()
    assert killed.is_set()
    assert alone == shared and alone.out.count('"CU101"') == 8


# --- what cannot be -------------------------------------------------------------------------------


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_an_interrupt_ends_the_work_on_the_workers(cluster: Started, tmp_path: Path) -> None:
    (tmp_path / "a.cu").write_text(SLOW_TO_COMPILE)
    process = subprocess.Popen(
        [sys.executable, "-m", "perflint", "--no-cache", "--cluster", cluster.address, "."],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    deadline = time.monotonic() + PATIENCE
    while not foremen(cluster) and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.02)
    assert foremen(cluster), process.communicate()
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=PATIENCE)
    assert (process.returncode, err) == (130, "perflint: interrupted\n")
    assert out.startswith("The run was interrupted before its end: ")
    while foremen(cluster) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert not foremen(cluster)
    assert not [f for name in ("one", "two") for f in (cluster.folder / name).glob("perflint-*")]


def foremen(cluster: Started) -> list[int]:
    """The processes that do the workers' work."""
    pids = {process.pid for process in cluster.processes}
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            state, parent = stat.read_text().rpartition(")")[2].split()[:2]
            if int(parent) in pids and state != "Z":
                command = (stat.parent / "cmdline").read_bytes()
                found += [int(stat.parent.name)] if b"perflint.cluster.foreman" in command else []
    return found


@pytest.mark.parametrize("killed", [True, False])
def test_a_file_that_costs_workers_their_lives(killed: bool) -> None:
    """It is given up; the other files' results stand."""
    from perflint.cluster.client import _Remote
    from perflint.cluster.worker import ForemanError

    lost: Any = _Remote.__new__(_Remote)
    future = Future[bytes]()
    lost_worker = distributed.KilledWorker("task", "worker", 4)
    future.set_exception(lost_worker if killed else ForemanError("ended"))
    crash = lost._result(future)
    assert isinstance(crash, Crash) and "the workers that checked it were lost" in crash.reason


def test_a_scheduler_that_is_lost() -> None:
    from perflint.cluster.client import Cluster, _Remote

    lost: Any = _Remote.__new__(_Remote)
    lost._cluster = Cluster.__new__(Cluster)
    lost._cluster._address = "127.0.0.1:1"
    future = Future[bytes]()
    future.cancel()
    with pytest.raises(ClusterError, match="the connection to the scheduler is lost"):
        lost._result(future)


def refused(outcome: Outcome) -> str:
    assert (outcome.status, outcome.out, outcome.err.count("\n")) == (2, "", 1)
    return outcome.err


@pytest.fixture
def source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.cu").write_text("__global__ void k(float *a) { a[0] = 1; }\n")
    return tmp_path


def test_another_version_is_refused(
    run: Run, cluster: Started, source: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from perflint.cluster import worker

    mine = ("perflint 0.0.0 (another)", worker.identity()[1])
    monkeypatch.setattr("perflint.cluster.client.identity", lambda: mine)
    told = refused(run("--no-cache", "--cluster", cluster.address, "a.cu"))
    assert "a worker has perflint " in told and "instead of perflint 0.0.0 (another)" in told


@pytest.mark.parametrize("address", ["nonsense", "file:///etc", "tcp://:1", "host:port", "a b:1"])
def test_a_malformed_address(address: str, run: Run, source: Path) -> None:
    assert "is no scheduler's address" in refused(run("--cluster", address, "a.cu"))


def test_nobody_answers(run: Run, source: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("perflint.cluster.client.WAIT_SECONDS", 0.5)
    told = refused(run("--no-cache", "--cluster", f"127.0.0.1:{free_port()}", "a.cu"))
    assert "no scheduler answers" in told


def test_nobody_works(
    run: Run,
    source: Path,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    folder, port = tmp_path_factory.mktemp("empty"), free_port()
    empty = Started(f"tcp://127.0.0.1:{port}", folder, [])
    process = empty.start(folder, "dask_scheduler", "--host", "127.0.0.1", "--port", str(port),
                          "--no-dashboard")  # fmt: skip
    try:
        distributed.Client(empty.address, timeout=PATIENCE, set_as_default=False).close()
        monkeypatch.setattr("perflint.cluster.client.WORKER_SECONDS", 0.2)
        told = refused(run("--no-cache", "--cluster", empty.address, "a.cu"))
        assert "the scheduler has no worker" in told
    finally:
        process.kill()
        process.wait()


def test_without_distributed(run: Run, source: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    told = refused(run("--no-cache", "--cluster", "127.0.0.1:8786", "a.cu"))
    assert "install perflint with its extra cluster" in told


def test_a_project_names_no_cluster(run: Run, source: Path, pipeline: Pipeline) -> None:
    """Its sources, and the user's other files, would be sent to a stranger."""
    (source / "perflint.toml").write_text('cluster = "127.0.0.1:8786"\n')
    assert "comes from the command line" in refused(run("a.cu"))


# --- on the way -----------------------------------------------------------------------------------


@pytest.fixture
def elsewhere() -> Iterator[Callable[[str], None]]:
    yield relocation.stand_below
    relocation.stand_below("")


def test_paths_hold_at_both_ends(elsewhere: Callable[[str], None]) -> None:
    sent = (Span(Path("/home/me/a.cu"), 1, 1, 1, 2), Path("b.cu"), {"/x": frozenset({1})})
    data = transport.packed(sent)
    assert transport.unpacked(data) == sent
    elsewhere("/var/sandbox")
    there = transport.unpacked(data)
    assert there[0].path == Path("/var/sandbox/home/me/a.cu") and there[1:] == sent[1:]
    answer = transport.packed((there[0], "/var/sandbox/home/me/a.cu: bad", Path("/var/sandboxes")))
    elsewhere("/other")
    assert transport.unpacked(answer)[1] == "/other/home/me/a.cu: bad"
    elsewhere("")
    assert transport.unpacked(answer) == (
        sent[0], "/home/me/a.cu: bad", Path("/var/sandboxes")
    )  # fmt: skip


def test_one_file_on_many_machines(
    tmp_path: Path, elsewhere: Callable[[str], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each part of it below another folder; what was compiled goes from one to the other."""
    monkeypatch.setattr(filecheck, "LEAST_SECONDS", -1.0)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    project = tmp_path / "project"
    project.mkdir()
    (project / "size.h").write_text("#define STRIDE 32\n")
    (project / "many.cu").write_text(
        '#include "size.h"\n'
        + "".join(
            f"__global__ void k{i}(float *a) {{ a[threadIdx.x * STRIDE] = {i}; }}\n"
            for i in range(4)
        )
    )
    unit = Unit(project / "many.cu", "sm_80")
    options = CheckOptions(rules=frozenset({"CU101"}), root=project, bound=bounds.around([project]))
    run = filecheck.Run(options, load({"CU101"}), {}, project)
    whole = check_unit(unit, run)
    assert len(whole.findings) == 4
    sources, sent = bundle.packed([unit], options, project), transport.packed((unit, run))
    file = Assembly(0, unit, run)
    waiting = [transport.packed(file.first())]
    folders = set()
    while waiting:
        task = waiting.pop()
        folder = bundle.unpack(sources)
        folders.add(folder)
        elsewhere(folder)
        monkeypatch.setattr(filecheck, "_last", None)
        part, (there, run_there) = transport.unpacked(task), transport.unpacked(sent)
        with bounds.within(run_there.options.bound), surrounded(idle=lambda: 1):
            answer = transport.packed(filecheck.check_part(part, there, run_there))
        elsewhere("")
        more = file.took(transport.unpacked(task), transport.unpacked(answer), 2)
        waiting += map(transport.packed, more)
    assert len(folders) == 3 and file.result == whole


def test_errors_of_clusters_are_told_as_those_of_processes() -> None:
    from perflint.work.parallel import ProcessError

    assert issubclass(ClusterError, ProcessError)
