"""Python programs: they check their own results, and everything of them is simulated."""

from __future__ import annotations

import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.run.conftest import perflint_run

FOLDER = Path(__file__).parent / "python"
EXAMPLES = Path(__file__).parents[2] / "examples"
#: The package that a program needs, by how its name begins.
_NEEDS = {
    "numba": "numba_cuda",
    "cupy": "cupy",
    "core": "cuda.core",
    "triton": "triton",
    "blas": "numpy",
    "fft": "numpy",
    "random": "numpy",
}

#: What the CPU answers in a program, and a function that it calls and that nobody answers.
_ANSWERED = {
    "blas_products": ("cublasSgemm", "cublasCherk_v2: the CPU answers products"),
    "fft_transforms": ("cufftExecC2C", "cufftXtSetCallback: one GPU and no callbacks"),
    "random_numbers": ("curandGenerateUniform", "curandSetQuasiRandomGeneratorDimensions: the CPU"),
}


def _needed(program: str) -> None:
    package = _NEEDS[program.partition("_")[0]]
    top, _, rest = package.partition(".")
    if find_spec(top) is None or (rest and find_spec(package) is None):
        pytest.skip(f"{package} is not installed")


@pytest.mark.parametrize("program", sorted(path.stem for path in FOLDER.glob("*.py")))
def test_a_program(program: str, libraries: Path) -> None:
    _needed(program)
    done = perflint_run("--no-findings", "--", sys.executable, str(FOLDER / f"{program}.py"))
    if program in _ANSWERED:
        function, missing = _ANSWERED[program]
        assert f"{function}: answered on the CPU" in done.err
        assert done.status == 2, "one of its functions is not answered"
        assert f"perflint: not simulated: {missing}" in done.err
        assert f"not simulated: {function}" not in done.err
    else:
        assert done.status == 0, done.err
        assert "not simulated" not in done.err
        assert "thread instructions" in done.err


def test_the_example(libraries: Path) -> None:
    _needed("numba")
    program = EXAMPLES / "numba_matmul.py"
    options = "--check", "--preview", "--output-format", "concise"
    done = perflint_run(*options, sys.executable, str(program))
    assert "right: " in done.out and "RT0" not in done.out, done
    assert "numba_matmul.py:25:24: warning: CU105" in done.out, done.out
    assert "from `b`" in done.out
