"""ptxas is asked for a kernel's registers only where their number can decide."""

from __future__ import annotations

from pathlib import Path

import pytest

from perflint import frontend
from perflint.frontend.model import Compilation
from perflint.lint.options import CheckOptions
from perflint.work.pipeline import check

KERNEL = """
__global__ void iterate(float *data, int turns)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = data[i];
    for (int k = 0; k < turns; k++)
        x = x * 0.999f + 0.5f;
    data[i] = x;
}

void launch(float *data) { iterate<<<%s>>>(data, 8000); }
"""


@pytest.mark.parametrize(
    ("launch", "asked"),
    [
        pytest.param("900, 256", True, id="two waves, the last one short"),
        pytest.param("864001, 256", False, id="a thousand waves of whatever size"),
        pytest.param("100, 256", False, id="less than a wave of whatever size"),
    ],
)
def test_waves_ask_for_registers_where_these_decide(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, launch: str, asked: bool
) -> None:
    calls = []
    real = frontend.resources

    def resources(compilation: Compilation):  # type: ignore[no-untyped-def]
        calls.append(compilation.path)
        return real(compilation)

    monkeypatch.setattr(frontend, "resources", resources)
    monkeypatch.setattr("perflint.work.parallel.FORKS", False)
    path = tmp_path / "waves.cu"
    path.write_text(KERNEL % launch)
    result = check([path], CheckOptions(rules=frozenset({"CU406"}), jobs=1))
    assert bool(calls) == asked
    assert bool(result.findings) == asked
