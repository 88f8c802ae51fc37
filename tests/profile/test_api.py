"""Kernels from Python, on NumPy arrays."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

import perflint

pytestmark = pytest.mark.skipif(sys.platform == "darwin", reason="NVRTC has no wheels for macOS")

ROOT = Path(__file__).parents[2]
ERRORS = Path(__file__).parent / "kernels" / "errors.cu"


@pytest.fixture(scope="module")
def kernels() -> perflint.Kernels:
    return perflint.load(ERRORS)


@pytest.fixture(scope="module")
def reduce() -> perflint.Kernel:
    return perflint.load(ROOT / "examples/reduce.cu")["reduce"]


@pytest.mark.parametrize("arch", ["sm_80", "sm_90"])
def test_arrays_are_updated_in_place(reduce: perflint.Kernel, arch: str) -> None:
    """Sums of integers below 2^24 are exact in f32, in any order."""
    x = np.random.default_rng(1).integers(0, 100, 16000).astype(np.float32)
    out = np.full(64, -1, np.float32)
    branch = perflint.tracers.Branch()
    run = reduce.launch(grid=64, block=256, args=[out, x, len(x)], arch=arch, tracers=[branch])
    assert run.stop is None and run.arch == arch
    assert np.array_equal(out[:62], x[: 62 * 256].reshape(62, 256).sum(axis=1))
    assert out[62] == x[62 * 256 :].sum() and out[63] == 0
    assert 0.9 < branch.activity_factor < 1


def test_arrays_of_any_layout(kernels: perflint.Kernels) -> None:
    whole = np.arange(256, dtype=np.float32).reshape(16, 16)
    part = whole[::2, ::2]  # neither contiguous nor one allocation of its own
    kernels["scale<float>"].launch(1, 64, [part, 2.0])
    expected = np.arange(256, dtype=np.float32).reshape(16, 16)
    expected[::2, ::2] *= 2
    assert np.array_equal(whole, expected)


def test_read_only_arrays_stay(reduce: perflint.Kernel) -> None:
    x = np.ones(256, np.float32)
    x.flags.writeable = False
    out = np.zeros(1, np.float32)
    reduce.launch(1, 256, [out, x, 256])
    assert out[0] == 256 and x.sum() == 256


def test_structs_and_null_pointers(kernels: perflint.Kernels) -> None:
    kernel = kernels["takes_struct"]
    out = np.zeros(32, np.int32)
    kernel.launch(1, 32, [out, np.array([3, 4], np.int32).tobytes(), None])
    assert (out == 7).all()
    kernel.launch(1, 32, [out, np.array([3, 4], np.int32), np.array([10], np.int32)])
    assert (out == 17).all()


def test_names(kernels: perflint.Kernels) -> None:
    assert "races" in list(kernels) and "scale<double>" in list(kernels)
    assert kernels["scale< double >"].entry != kernels["scale<float>"].entry
    assert kernels[kernels["races"].entry] is kernels["races"]
    with pytest.raises(KeyError, match="scale may be any of scale<"):
        kernels["scale"]
    with pytest.raises(KeyError, match="there is no kernel nothing; there is races"):
        kernels["nothing"]


@pytest.mark.parametrize(
    ("args", "told"),
    [
        ([], r"takes 3 arguments \(float \*out, const float \*in, int n\), not 0"),
        ([np.zeros(1, np.float32), 5, 1], r"`const float \*in` is a pointer and needs an array"),
        ([np.zeros(1), np.zeros(1), np.zeros(3)], "`int n` is no pointer"),
        ([np.zeros(1), np.zeros(1), 1.5], "`int n` is an integer, not 1.5"),
        ([np.zeros(1), np.zeros(1), 1 << 40], "`int n` has 32 bits"),
        ([np.zeros(1), np.zeros(1), "x"], "must be a number or a NumPy array, not str"),
        ([np.zeros(1), np.array([{}, 1], object), 1], "Python objects"),
    ],
)
def test_arguments_that_do_not_fit(reduce: perflint.Kernel, args: list[object], told: str) -> None:
    with pytest.raises(perflint.ArgumentError, match=told):
        reduce.launch(1, 32, args)


def test_launches_that_do_not_fit(reduce: perflint.Kernel) -> None:
    args = [np.zeros(1, np.float32), np.zeros(1, np.float32), 1]
    with pytest.raises(perflint.LaunchError, match="allows 1024"):
        reduce.launch(1, 2048, args)
    with pytest.raises(perflint.ArgumentError, match="one to three integers"):
        reduce.launch((1, 2, 3, 4), 32, args)
    with pytest.raises(perflint.LaunchError, match="must have three extents of at least 1"):
        reduce.launch(0, 32, args)


EXPECTED = {
    words[0]: (line, words[1])
    for line, text in enumerate(ERRORS.read_text(encoding="utf-8").splitlines(), 1)
    if len(words := text.partition("// error:")[2].split()) == 2
}


@pytest.mark.parametrize("name", EXPECTED)
def test_errors_are_told_at_their_line(kernels: perflint.Kernels, name: str) -> None:
    line, kind = EXPECTED[name]
    out = np.zeros(64, np.int32)
    with pytest.raises(perflint.KernelFaultError) as error:
        kernels[name].launch(1, 64, [out])
    [found] = error.value.violations
    assert found.kind == kind
    # a deadlock is at two barriers: the message has both lines
    assert f"{ERRORS}:{line}" in str(error.value)


def test_without_checks_a_kernel_runs_on(kernels: perflint.Kernels) -> None:
    out = np.zeros(64, np.int32)
    assert kernels["races"].launch(1, 64, [out], check=False).stop is None
    assert (out == 63 - np.arange(64)).all()


def test_a_budget_ends_a_run(kernels: perflint.Kernels) -> None:
    run = kernels["spins"].launch(1, 32, [np.zeros(2, np.int32)], seconds=0.2)
    assert run.stop is not None and run.stop.reason == "time budget"
    assert run.warp_instructions > 0


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        ("none.cu", None, "there is no such file"),
        ("host.cu", "int main() { return 0; }", "there is no kernel in it"),
        ("bad.cu", "__global__ void k(int *p) { p[0] = ; }", "bad.cu:1: "),
        ("bad.ptx", "nonsense", "bad.ptx:1: "),
    ],
)
def test_files_that_cannot_be_loaded(tmp_path: Path, name: str, text: str, told: str) -> None:
    if text is not None:
        (tmp_path / name).write_text(text, encoding="utf-8")
    with pytest.raises(perflint.LoadError, match=told):
        perflint.load(tmp_path / name)
