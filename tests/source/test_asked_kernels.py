"""A source that is read for the launches of some kernels: what it launches besides is left out."""

from __future__ import annotations

from pathlib import Path

from perflint.frontend.source.language.model import SourceFacts
from perflint.frontend.source.launches import launch_sites
from perflint.frontend.source.launches.asked_kernels import AskedKernels
from perflint.frontend.translation_unit import read_facts
from perflint.lint.never_launched import never_launched

KERNELS = """
#define MAKE(name) __global__ void name(float *a) { a[threadIdx.x] = 2; }
__global__ void mine(float *a) { a[threadIdx.x] = 1; }
MAKE(made)
"""
OTHERS = """
#include "kernels.cuh"
__global__ void other(float *a) { a[threadIdx.x] = 1; }
"""


def _read(folder: Path, host: str) -> tuple[SourceFacts, SourceFacts]:
    """The facts of a source of `host` code: whole, and for the kernels of a header of it."""
    header, source = folder / "kernels.cuh", folder / "main.cu"
    header.write_text(KERNELS, encoding="utf-8")
    source.write_text(OTHERS + host, encoding="utf-8")
    asked = AskedKernels.of([read_facts(header, root=folder)])
    found = read_facts(source, root=folder, asked=asked)
    return read_facts(source, root=folder)[source], found[source]


def test_launches_of_other_kernels_are_not_read(tmp_path: Path) -> None:
    whole, asked = _read(
        tmp_path, "void run(float *a) { other<<<8, 64>>>(a); mine<<<8, 32>>>(a); }"
    )
    assert [site.kernel for site in whole.launches] == ["other", "mine"]
    assert (asked.launches, asked.left) == (whole.launches[1:], 1)


def test_what_may_be_one_of_them_is_read(tmp_path: Path) -> None:
    host = """
    void on(void (*kernel)(float *), float *a) { kernel<<<8, 64>>>(a); }
    void run(float *a, int n) {
        on(other, a);
        on(mine, a);
        made<<<8, 32>>>(a);
        elsewhere<<<8, 96>>>(a);
    }
    """
    whole, asked = _read(tmp_path, host)
    assert {site.kernel for site in whole.launches} == {"other", "mine", "made", "elsewhere"}
    assert (asked.launches, asked.left) == (whole.launches, 0)


def test_another_kernel_costs_no_evaluation(tmp_path: Path, monkeypatch) -> None:
    evaluated: list[str] = []
    real = launch_sites._alternatives

    def counted(project, launch, *rest):
        evaluated.append(launch.callee)
        return real(project, launch, *rest)

    (tmp_path / "kernels.cuh").write_text(KERNELS, encoding="utf-8")
    path = tmp_path / "main.cu"
    path.write_text(OTHERS + "void run(float *a) { other<<<8, 64>>>(a); }", encoding="utf-8")
    monkeypatch.setattr(launch_sites, "_alternatives", counted)
    read_facts(path, root=tmp_path, asked=AskedKernels(frozenset({"mine"}), frozenset()))
    assert evaluated == []


def test_a_program_that_launches_others_is_one(tmp_path: Path) -> None:
    whole, asked = _read(tmp_path, "void run(float *a) { other<<<8, 64>>>(a); }")
    header = read_facts(tmp_path / "kernels.cuh", root=tmp_path)[tmp_path / "kernels.cuh"]
    mine = next(kernel for kernel in header.kernels if kernel.name == "mine")
    assert asked.launches == ()
    assert never_launched(mine, [header], [whole]) and never_launched(mine, [header], [asked])
