"""A compiler that crashes at name expressions costs the instances that it crashes at, none else."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from perflint.frontend import Pool, compile_file
from perflint.frontend.model import Compilation
from perflint.frontend.nvrtc.library import Job, Outcome
from perflint.frontend.nvrtc.pool import CrashError, WorkerError

#: Seven kernels, of which each is launched with two types.
KERNELS = "".join(
    f"template <class T> __global__ void k{i}(T *p) {{ p[threadIdx.x] = {i}; }}\n"
    f"void run{i}(float *p, int *q) {{ k{i}<float><<<1, 32>>>(p); k{i}<int><<<1, 32>>>(q); }}\n"
    for i in range(7)
)


class Crashing(Pool):
    """Crashes as the compiler does: at some name expressions, or at any beside an error."""

    def __init__(self, crashes: Callable[[Job], bool]) -> None:
        super().__init__(remember=0)
        self.crashes = crashes
        self.calls: list[tuple[int, bool]] = []

    def _compile(self, job: Job) -> Outcome:
        self.calls.append((len(job.expressions), self.crashes(job)))
        if self.crashes(job):
            raise CrashError("the compiler crashed (signal 11)")
        return super()._compile(job)


def compiled(path: Path, text: str, crashes: Callable[[Job], bool]) -> tuple[Compilation, Crashing]:
    path.write_text(text)
    with Crashing(crashes) as pool:
        return compile_file(path, pool=pool), pool


def instances(compilation: Compilation) -> set[str]:
    return {
        f"{o.kernel}<{', '.join(o.template_arguments or ())}>" for o in compilation.entries.values()
    }


def test_those_that_crash_are_given_up(tmp_path: Path) -> None:
    def crashes(job: Job) -> bool:
        return any(e.startswith("k2<") or e == "k5<int>" for e in job.expressions)

    found, pool = compiled(tmp_path / "a.cu", KERNELS, crashes)
    every = {f"k{i}<{t}>" for i in range(7) for t in ("float", "int")}
    assert instances(found) == every - {"k2<float>", "k2<int>", "k5<int>"}
    (lost,) = found.lost
    assert lost.name == "k2" and "crashed (signal 11)" in lost.reason
    assert not found.errors and len(pool.calls) < 40


def test_errors_are_mended_before_instances_are_tried(tmp_path: Path) -> None:
    """A crash beside errors costs one call, and no instance."""
    text = KERNELS + "UNKNOWN_TO_ALL(a)\nstruct later { unknown_to_all x; __device__ int y(); };\n"
    found, pool = compiled(
        tmp_path / "a.cu",
        text,
        lambda job: bool(job.expressions) and "unknown_to_all x" in job.source,
    )
    assert len(instances(found)) == 14 and not found.lost
    assert sum(crash for _, crash in pool.calls) == 1


@pytest.mark.parametrize("text", [KERNELS, KERNELS[: KERNELS.index("template", 1)]])
def test_all_that_crash_end(tmp_path: Path, text: str) -> None:
    found, pool = compiled(tmp_path / "a.cu", text, lambda job: bool(job.expressions))
    assert not found.entries and found.lost
    assert len(pool.calls) < 100


#: Seven kernels that are compiled without being asked for, and a template beside them.
PLAIN = KERNELS[: KERNELS.index("template", 1)] + "".join(
    f'extern "C" __global__ void plain{i}(int *p) {{ p[threadIdx.x] = {i}; }}\n' for i in range(7)
)


class Failing(Crashing):
    """Ends with an error of the compiler's back end, which names no place, where it would crash."""

    def _compile(self, job: Job) -> Outcome:
        try:
            return super()._compile(job)
        except CrashError:
            log = "error: Copy one register into another with a different width\n"
            return Outcome(6, log, "")


@pytest.mark.parametrize(
    ("pool_class", "why"),
    [(Crashing, "crashed (signal 11)"), (Failing, "back end: Copy one register into another")],
)
def test_plain_kernels_that_crash_are_lost_alone(
    tmp_path: Path, pool_class: type[Crashing], why: str
) -> None:
    (tmp_path / "a.cu").write_text(PLAIN)
    with pool_class(lambda job: "plain2(" in job.source or "plain5(" in job.source) as pool:
        found = compile_file(tmp_path / "a.cu", pool=pool)
    kept = {o.kernel for o in found.entries.values()}
    assert kept == {"k0", "plain0", "plain1", "plain3", "plain4", "plain6"}
    assert {k.name for k in found.lost} == {"plain2", "plain5"}
    assert all(why in k.reason for k in found.lost)
    assert not found.errors and len(pool.calls) < 20


def test_what_crashes_without_kernels_costs_one_call_more(tmp_path: Path) -> None:
    found, pool = compiled(tmp_path / "a.cu", PLAIN, lambda job: True)
    assert not found.entries and len(found.lost) == 8
    assert all("crashed (signal 11)" in k.reason for k in found.lost)
    assert len(pool.calls) <= 4


class Slow(Crashing):
    """Takes longer than it may at what the others crash at."""

    def _compile(self, job: Job) -> Outcome:
        try:
            return super()._compile(job)
        except CrashError:
            text = "the compiler used more CPU time than it may"
            raise WorkerError(text, job.seconds or 30.0) from None


def test_what_takes_too_long_is_lost_alone(tmp_path: Path) -> None:
    (tmp_path / "a.cu").write_text(PLAIN + KERNELS[KERNELS.index("template", 1) :])
    with Slow(lambda job: "plain2(" in job.source or "k5<int>" in job.expressions) as pool:
        found = compile_file(tmp_path / "a.cu", pool=pool)
    kept = {o.kernel for o in found.entries.values()}
    assert {"k0", "plain0", "plain1", "plain3", "plain6", "k5"} <= kept
    assert {k.name for k in found.lost} == {"plain2"}
    assert all("more CPU time" in k.reason for k in found.lost)
    assert len(pool.calls) < 20
