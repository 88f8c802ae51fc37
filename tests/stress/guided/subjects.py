"""The kernels of kernels.cu with small launches and random inputs."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np

import perflint
from perflint.api import Kernels
from perflint.stress.guided import ArrayInput, ScalarInput, Subject

_FILE = Path(__file__).with_name("kernels.cu")


@cache
def kernels() -> Kernels:
    return perflint.load(_FILE)


def subject(name: str, seed: int = 0) -> Subject:
    """A launch of a kernel with random contents."""
    rng = np.random.default_rng(seed)
    ints = lambda n, low=-60, high=60: rng.integers(low, high, n).astype(np.int32)  # noqa: E731
    words = lambda n: rng.integers(0, 1 << 32, n, dtype=np.uint32)  # noqa: E731
    out = np.zeros(256, np.int32)
    flags = ints(64, 0, 2).astype(np.uint8)
    floats = rng.normal(size=64).astype(np.float32)
    launches: dict[str, tuple[tuple[object, ...], int, int]] = {
        "compares": ((ints(64), floats, ints(64, 0, 20).astype(np.uint32), out, 60, 2.0), 2, 32),
        "bits": ((words(32), words(32), out), 1, 32),
        "exchange": ((ints(128),), 2, 64),
        "shuffles": ((ints(32), out), 1, 32),
        "loops": ((ints(64), out, 40), 1, 64),
        "chars": ((flags, ints(64).astype(np.int16), rng.normal(size=64), out), 1, 64),
        "concrete": ((ints(64), np.abs(9 * floats), np.zeros(1, np.int32), out), 1, 32),
        "deep": ((np.abs(floats), out, 300), 1, 32),
        "votes": ((ints(32), out), 1, 32),
        "groups": ((ints(32), out), 1, 32),
        "local_array": ((ints(512), ints(64), out, 3), 1, 64),
        "handed": ((ints(64), ints(192), out), 1, 64),
        "bytes": ((words(64), out), 1, 64),
        "far": ((ints(64), ints(512 * 64 + 2), out), 1, 64),
        "gathers": ((ints(64, 0, 256), ints(256), out), 1, 64),
        "predicated": ((ints(64, -5, 10), ints(64), out), 1, 64),
    }  # fmt: skip
    values, grid, block = launches[name]
    kernel = kernels()[name]
    given = tuple(
        ArrayInput(p.name, v, free=p.name not in ("out", "counter"))
        if isinstance(v, np.ndarray)
        else ScalarInput(p.name, v, free=p.name != "k")  # type: ignore[arg-type]
        for p, v in zip(kernel.parameters, values, strict=True)
    )
    module, entry = kernel.compiled("sm_80")
    return Subject(module, entry, (grid, 1, 1), (block, 1, 1), given)


NAMES = (
    *("compares", "bits", "exchange", "shuffles", "loops", "chars", "concrete", "predicated"),
    *("votes", "local_array", "bytes"),
)
