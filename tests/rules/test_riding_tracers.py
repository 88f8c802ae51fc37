"""What rules see of whole blocks in a run for accesses is what they see in a run of their own."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from perflint.lint.experiment import Condition
from perflint.lint.riding_tracers import RidingTracers
from tests.rules.answers import answers
from tests.rules.test_rules import SOURCES, run

EVERY = 12


@pytest.mark.parametrize("path", SOURCES[::EVERY], ids=str)
def test_it_changes_nothing(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("perflint.work.parallel.FORKS", False)
    together = run(path)
    monkeypatch.setattr(RidingTracers, "seen", lambda *_: None)
    assert run(path) == together


LOOP = "for (int k = 0; k < n; k++) sum += in[k];"
SHORT = '_Pragma("unroll 1") for (int k = 0; k < 5; k++) sum += in[2 * (i + k)];'


@pytest.mark.parametrize(
    ("work", "rides"), [("sum += in[2 * i];", True), (SHORT, True), (LOOP, False)]
)
def test_who_rides(work: str, rides: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.cu").write_text(
        f"""
        __global__ void work(float *out, const float *in, int n)
        {{
            int i = blockIdx.x * blockDim.x + threadIdx.x;
            float sum = 0;
            {work}
            if (i < n) out[33 * i] = sum / 3.1;
        }}
        void host(float *out, float *in, int n) {{ work<<<64, 256>>>(out, in, n); }}
        """
    )
    seen = answers(monkeypatch, RidingTracers, "seen", tmp_path / "a.cu")
    assert seen
    assert any(each is not None for each in seen) is rides


@pytest.mark.parametrize(("blocks", "rides"), [(1, True), (64, False)])
def test_what_a_multiprocessor_holds_rides_where_that_is_the_grid(
    blocks: int, rides: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And never with data that are their own index, which say nothing of whole blocks."""
    (tmp_path / "a.cu").write_text(
        f"""
        __global__ void work(float *out, const int *in, int n)
        {{
            int i = blockIdx.x * blockDim.x + threadIdx.x;
            if (i < n) out[i] = out[in[i]] + out[2 * in[i]] / 3.1;
        }}
        void host(float *out, int *in, int n) {{ work<<<{blocks}, 256>>>(out, in, n); }}
        """
    )
    carried = []

    def beside(self: RidingTracers, condition: Condition, *given: Any) -> set[str]:
        names = real(self, condition, *given)
        carried.append((condition.identity, names))
        return names

    real = RidingTracers.beside
    monkeypatch.setattr(RidingTracers, "beside", beside)
    answers(monkeypatch, RidingTracers, "seen", tmp_path / "a.cu")
    assert any("CacheRecorder" in names for _, names in carried) is rides
    assert {identity for identity, _ in carried} == {False, True}
    assert not any(names for identity, names in carried if identity)
