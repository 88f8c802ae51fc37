"""A worker that dies or hangs costs one job."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from perflint.frontend.nvrtc.library import (
    CompilerMissingError,
    Job,
    compute_capability,
    find_toolchain,
)
from perflint.frontend.nvrtc.pool import Limits, Pool, WorkerError

KERNEL = Job("__global__ void k(float *p) { p[threadIdx.x] = 1; }\n", "k.cu")
#: Four million statements, by macros.
HEAVY = Job(
    "#define M0 p[threadIdx.x] += p[1];\n"
    + "".join(f"#define M{i + 1} M{i} M{i}\n" for i in range(22))
    + "__global__ void k(float *p) { M22 }\n",
    "heavy.cu",
)


def gone(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return False


def eventually(condition: Callable[[], bool]) -> bool:
    for _ in range(200):
        if condition():
            return True
        time.sleep(0.02)
    return False


def test_a_worker_stays_warm(pool: Pool) -> None:
    pool.compile(KERNEL)
    first = pool.workers()
    outcome = pool.compile(KERNEL)
    assert outcome.code == 0 and ".entry _Z1kPf" in outcome.ptx
    assert pool.workers() == first and len(first) == 1
    assert pool.peak_bytes > 0


def test_the_same_job_is_compiled_once() -> None:
    with Pool(remember=1) as pool:
        first = pool.compile(KERNEL)
        assert pool.compile(KERNEL) is first
        pool.compile(replace(KERNEL, name="other.cu"))
        again = pool.compile(KERNEL)
        assert again == first and again is not first


def test_a_killed_worker_is_replaced() -> None:
    with Pool(remember=0) as pool:
        pool.compile(KERNEL)
        (pid,) = pool.workers()
        os.kill(pid, signal.SIGKILL)
        # dead with all its threads: what `ps` calls a zombie may still have some
        over = os.WEXITED | os.WNOHANG | os.WNOWAIT
        assert eventually(lambda: os.waitid(os.P_PID, pid, over) is not None)
        assert pool.compile(KERNEL).code == 0
        assert pid not in pool.workers() and gone(pid)


def test_a_hanging_worker_is_stopped() -> None:
    with Pool(Limits(wall_seconds=2.0), remember=0) as pool:
        pool.compile(KERNEL)
        (pid,) = pool.workers()
        os.kill(pid, signal.SIGSTOP)
        with pytest.raises(WorkerError, match="more than 2 s"):
            pool.compile(KERNEL)
        assert gone(pid)
        assert pool.compile(KERNEL).code == 0


def test_a_compile_that_takes_too_long_is_stopped() -> None:
    with Pool(Limits(wall_seconds=1.5, cpu_seconds=60), remember=0) as pool:
        pool.compile(KERNEL)
        with pytest.raises(WorkerError):
            pool.compile(HEAVY)
        assert pool.compile(KERNEL).code == 0


def test_a_crash_is_told_apart() -> None:
    with Pool(remember=0) as pool:
        pool.compile(KERNEL)
        (pid,) = pool.workers()
        threading.Timer(0.3, os.kill, (pid, signal.SIGSEGV)).start()
        with pytest.raises(WorkerError, match="crashed") as crash:
            pool.compile(HEAVY)
        assert 0.0 < crash.value.seconds < 60.0


def test_threads_get_workers_of_their_own() -> None:
    with Pool(remember=0) as pool:
        codes: list[int] = []
        threads = [
            threading.Thread(target=lambda: codes.append(pool.compile(KERNEL).code))
            for _ in range(2)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert codes == [0, 0] and 1 <= len(pool.workers()) <= 2


def test_closing_leaves_no_process() -> None:
    pool = Pool(remember=0)
    pool.compile(KERNEL)
    pids = pool.workers()
    pool.close()
    assert pids and all(gone(pid) for pid in pids)
    assert pool.compile(KERNEL).code == 0
    pool.close()


SCRIPT = """
import sys, time
from perflint.frontend.nvrtc.library import Job
from perflint.frontend.nvrtc.pool import shared_pool
if "ready" in sys.argv: shared_pool().make_ready()
shared_pool().compile(Job("__global__ void k() {}", "k.cu"))
print(shared_pool().workers()[0], flush=True)
if sys.argv[1] == "wait": time.sleep(60)
"""


@pytest.mark.parametrize("begun", ["", "ready"])
@pytest.mark.parametrize("how", ["exit", "interrupt", "kill"])
def test_no_worker_outlives_its_owner(tmp_path: Path, how: str, begun: str) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", SCRIPT, "exit" if how == "exit" else "wait", begun],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        cwd=tmp_path,
    ) as process:
        assert process.stdout is not None
        pid = int(process.stdout.readline())
        if how == "interrupt":
            process.send_signal(signal.SIGINT)
        elif how == "kill":
            process.kill()
        process.wait(timeout=20)
    assert eventually(lambda: gone(pid))


def test_python_files_of_the_working_directory_are_not_run(tmp_path: Path) -> None:
    for name in ("json.py", "ctypes.py", "struct.py", "perflint.py"):
        (tmp_path / name).write_text("raise SystemExit(3)\n")
    result = subprocess.run(
        [sys.executable, "-P", "-c", SCRIPT, "exit"], cwd=tmp_path, capture_output=True, check=False
    )
    assert result.returncode == 0, result.stderr


def test_no_compiler(tmp_path: Path) -> None:
    with pytest.raises(CompilerMissingError, match="install"):
        find_toolchain([tmp_path])


@pytest.mark.parametrize(
    ("library", "include"),
    [
        ("cu13/lib/libnvrtc.so.13", "cu13/include"),
        ("cuda_nvrtc/lib/libnvrtc.so.12", "cuda_runtime/include"),
    ],
)
def test_wheel_layouts(tmp_path: Path, library: str, include: str) -> None:
    path = tmp_path / library
    path.parent.mkdir(parents=True)
    path.touch()
    (path.parent / "libnvrtc-builtins.so.13.0").touch()
    (path.parent / "libnvrtc.alt.so.13").touch()
    (tmp_path / include).mkdir(parents=True)
    found = find_toolchain([tmp_path])
    assert (found.library, found.includes) == (path, (tmp_path / include,))


def test_a_toolkit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "lib64").mkdir()
    (tmp_path / "lib64/libnvrtc.so.13").touch()
    monkeypatch.setenv("CUDA_PATH", str(tmp_path))
    monkeypatch.setattr("perflint.frontend.nvrtc.library._wheel_roots", list)
    assert find_toolchain().library == tmp_path / "lib64/libnvrtc.so.13"


@pytest.mark.parametrize(("arch", "number"), [("sm_80", 80), ("compute_90", 90), ("sm_90a", 90)])
def test_architectures(arch: str, number: int) -> None:
    assert compute_capability(arch) == number


@pytest.mark.parametrize("arch", ["", "sm_", "sm_8", "volta", "sm_80 -I/"])
def test_what_is_no_architecture(arch: str) -> None:
    with pytest.raises(ValueError, match="unknown architecture"):
        compute_capability(arch)


def test_an_architecture_too_old_for_the_compiler(pool: Pool) -> None:
    outcome = pool.compile(Job(KERNEL.source, "k.cu", architecture=50))
    assert outcome.code == 0 and outcome.architecture > 50


def test_one_worker_is_made_ready_however_often_it_is_asked_for() -> None:
    with Pool(remember=0) as pool:
        for _ in range(3):
            pool.make_ready()
            assert pool.compile(KERNEL).ptx
        pool.make_ready()
        pool.make_ready()
        assert len(pool.workers()) == 1


READY = """
import os, sys, threading, time
from pathlib import Path
from perflint.frontend.nvrtc.library import Job
from perflint.frontend.nvrtc.pool import shared_pool

def told(pid, name):
    return Path(f"/proc/{pid}/{name}").read_bytes()

sys.path.insert(0, os.getcwd())
ours = open(os.devnull)
if sys.argv[1] == "several":
    threading.Thread(target=time.sleep, args=(20,), daemon=True).start()
pool = shared_pool()
pool.make_ready()
print(pool.compile(Job("__global__ void k() {}", "k.cu")).code)
(pid,) = pool.workers()
print(told(pid, "cmdline") == told(os.getpid(), "cmdline"))
print(os.readlink(f"/proc/{pid}/cwd"))
print(len(list(Path(f"/proc/{pid}/fd").iterdir())))
os.kill(pid, 9)
os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
print(pool.compile(Job("__global__ void other() {}", "k.cu")).code)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="processes are forked on Linux")
@pytest.mark.parametrize(("threads", "is_fork"), [("one", True), ("several", False)])
def test_a_process_of_one_thread_forks_the_first_worker(
    tmp_path: Path, threads: str, is_fork: bool
) -> None:
    """It has none of its owner's files, is in no tree, and takes no library from one."""
    library = tmp_path / "nvidia/cu13/lib/libnvrtc.so.1"
    library.parent.mkdir(parents=True)
    library.write_text("of the tree")
    (tmp_path / "ctypes.py").write_text("raise SystemExit(3)\n")
    result = subprocess.run(
        [sys.executable, "-P", "-c", READY, threads],
        cwd=tmp_path,
        capture_output=True,
        check=False,
        text=True,
    )
    assert result.returncode == 0, result.stderr
    compiled, same, folder, files, again = result.stdout.split()
    assert (compiled, same, again) == ("0", str(is_fork), "0")
    assert folder == "/" and int(files) <= 5


INTERRUPTED = """
import os, signal, sys
from perflint.base import processes

fork = processes.fork

def at_once():
    child = fork()
    if not child:
        os.kill(os.getpid(), signal.SIGINT)
    return child

processes.fork = at_once
try:
    print(processes.Branch(lambda reads, writes: None).wait(), flush=True)
except KeyboardInterrupt:
    print("went on as its owner", flush=True)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="processes are forked on Linux")
def test_a_fork_that_is_interrupted_at_once_only_ends() -> None:
    command = [sys.executable, "-P", "-c", INTERRUPTED]
    said = subprocess.run(command, capture_output=True, text=True, check=True)
    assert said.stdout.split("\n") == [str(-signal.SIGINT), ""]
