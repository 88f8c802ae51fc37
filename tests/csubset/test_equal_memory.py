"""Kernels of the C subset do to memory what the compiler's do: both are run, and compared."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

import numpy as np
import pytest

from perflint import frontend
from perflint.frontend import csubset
from perflint.frontend.model import Compilation
from perflint.frontend.source.language.model import SourceKernel, SourceParameter
from perflint.grammar import parse
from perflint.sim import simulate
from perflint.sim.launch import Argument, Buffer, Launch, Run, Scalar

KERNELS = Path(__file__).parent / "kernels"
SIZE = 1 << 16  #: bytes of every buffer
_ELEMENTS = {
    "float": np.float32,
    "double": np.float64,
    "int": np.int32,
    "unsigned": np.uint32,
    "word": np.uint32,
    "real": np.float32,
    "long long": np.int64,
    "unsigned char": np.uint8,
    "signed char": np.int8,
    "short": np.int16,
    "unsigned short": np.uint16,
}
#: Relative to the numbers' size; `mathematics.cu` differs in the last digits, by its methods.
_EXACT = {np.float32: 2e-6, np.float64: 1e-14}
_NEAR = {np.float32: 3e-5, np.float64: 1e-12}


@lru_cache(maxsize=1)
def _pool() -> frontend.Pool:
    return frontend.Pool()


@lru_cache(maxsize=16)
def _both(path: Path) -> tuple[Compilation, Compilation]:
    return frontend.compile_file(path, pool=_pool()), csubset.compile_file(path)


def _kernels() -> list[tuple[str, str]]:
    return [
        (path.name, line.split("void ")[1].split("(")[0])
        for path in sorted(KERNELS.glob("*.cu"))
        for line in path.read_text("utf-8").splitlines()
        if line.startswith("__global__ void ")
    ]


def _element(parameter: SourceParameter) -> type[np.generic]:
    words = parameter.type.replace("const", "").replace("*", "").split()
    return _ELEMENTS.get(" ".join(words), np.float32)


def _argument(parameter: SourceParameter, seed: int) -> Argument:
    if not parameter.pointer:
        return Scalar(37)
    element = _element(parameter)
    random = np.random.default_rng(seed)
    count = SIZE // np.dtype(element).itemsize
    if np.issubdtype(element, np.floating):
        data = random.uniform(-2, 2, count).astype(element)
    else:
        data = random.integers(0, 100, count).astype(element)
    return Buffer(parameter.name, size=SIZE, data=data.view(np.uint8))


def _run(compilation: Compilation, kernel: SourceKernel) -> Run:
    assert compilation.ptx is not None
    name = next(n for n, o in compilation.entries.items() if o.kernel == kernel.name)
    arguments = tuple(_argument(p, i) for i, p in enumerate(kernel.parameters))
    launch = Launch((2, 1, 1), (64, 1, 1), arguments, dynamic_shared=512)
    return simulate(parse(compilation.ptx), name, launch)


@pytest.mark.parametrize(("file", "name"), _kernels())
def test_memory_is_the_compilers(file: str, name: str) -> None:
    """Every byte that a kernel leaves behind, or nearly every digit of it."""
    theirs, ours = _both(KERNELS / file)
    assert not ours.lost and not ours.errors
    kernel = next(k for f in theirs.facts.values() for k in f.kernels if k.name == name)
    expected, found = _run(theirs, kernel), _run(ours, kernel)
    assert found.stop is None and found.faults == expected.faults
    tolerances = _NEAR if file == "mathematics.cu" else _EXACT
    for parameter in kernel.parameters:
        if not parameter.pointer:
            continue
        element = _element(parameter)
        left = expected.buffers[parameter.name].view(element)
        right = found.buffers[parameter.name].view(element)
        if np.issubdtype(element, np.floating):
            np.testing.assert_allclose(
                right, left, rtol=tolerances[element], atol=tolerances[element]
            )
        else:
            np.testing.assert_array_equal(right, left)
