"""A run that asked no byte of memory stands for those with other fills, and changes nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from perflint.lint.blind_runs import BlindRuns
from tests.rules.answers import answers
from tests.rules.test_rules import SOURCES, run

EVERY = 12


@pytest.mark.parametrize("path", SOURCES[5::EVERY], ids=str)
def test_it_changes_nothing(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("perflint.work.parallel.FORKS", False)
    together = run(path)
    monkeypatch.setattr(BlindRuns, "like", lambda *_: None)
    assert run(path) == together


@pytest.mark.parametrize(
    ("index", "blind"),
    [("i < 1 << 14 ? 2 * i : table[i]", True), ("table[i]", False)],
)
def test_what_decides_an_address_is_asked(
    index: str, blind: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.cu").write_text(
        f"""
        __global__ void work(float *out, const float *in, const int *table)
        {{
            int i = blockIdx.x * blockDim.x + threadIdx.x;
            out[33 * i] = in[{index}] / 3.1;
        }}
        void host()
        {{
            float *out, *in;
            int *table;
            cudaMalloc(&out, 33 << 16);
            cudaMalloc(&in, 2 << 16);
            cudaMalloc(&table, 1 << 16);
            work<<<64, 256>>>(out, in, table);
        }}
        """
    )
    seen = answers(monkeypatch, BlindRuns, "like", tmp_path / "a.cu")
    assert seen
    assert any(each is not None for each in seen) is blind


@pytest.mark.parametrize(
    ("index", "blind"), [("i < 1 << 14 ? 2 * i : a.table[i]", True), ("a.table[i]", False)]
)
def test_pointers_in_a_struct_point_to_the_same(
    index: str, blind: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.cu").write_text(
        f"""
        struct Arrays {{ float *out; const float *in; const int *table; }};
        __global__ void work(Arrays a)
        {{
            int i = blockIdx.x * blockDim.x + threadIdx.x;
            a.out[33 * i] = a.in[{index}] / 3.1;
        }}
        void host(Arrays a) {{ work<<<64, 256>>>(a); }}
        """
    )
    seen = answers(monkeypatch, BlindRuns, "like", tmp_path / "a.cu")
    assert seen
    assert any(each is not None for each in seen) is blind
