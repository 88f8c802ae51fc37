"""cuRAND by its C interface: how its numbers are distributed, and when they are the same."""

import ctypes
from ctypes import byref, c_double, c_float, c_size_t, c_uint, c_ulonglong, c_void_p

import numpy as np
from shared.device_array import Array, checked

RANDOM = ctypes.CDLL("libcurand.so.10")
XORWOW, PHILOX, SOBOL = 101, 161, 201
NO_GENERATOR, TYPE_ERROR, OUT_OF_RANGE, ODD_LENGTH, UNSUPPORTED = 101, 103, 104, 105, 204
COUNT = 40_000


def generator(seed: int, kind: int = XORWOW) -> c_void_p:
    made = c_void_p()
    checked(RANDOM.curandCreateGenerator(byref(made), kind))
    checked(RANDOM.curandSetPseudoRandomGeneratorSeed(made, c_ulonglong(seed)))
    return made


def drawn(by: c_void_p, name: str, dtype: type, *more: object, count: int = COUNT) -> np.ndarray:
    on = Array(np.empty(count, dtype))
    checked(getattr(RANDOM, f"curandGenerate{name}")(by, on.at, c_size_t(count), *more))
    return on.back()


# Philox4x32-10's published first block, of counter and key 0 (Random123, kat_vectors).
assert drawn(generator(0, PHILOX), "", np.uint32, count=4).tolist() == [
    0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8
]  # fmt: skip

# The same seed gives the same numbers, another one others; an offset goes on from there.
first, again, other = generator(7), generator(7), generator(8)
words = drawn(first, "", np.uint32)
assert np.array_equal(words, drawn(again, "", np.uint32, count=COUNT))
assert not np.array_equal(words, drawn(other, "", np.uint32))
checked(RANDOM.curandSetGeneratorOffset(again, c_ulonglong(1001)))
assert np.array_equal(drawn(again, "", np.uint32, count=99), words[1001:1100])
halves = drawn(generator(7), "LongLong", np.uint64, count=COUNT // 2)
assert np.array_equal(halves.view(np.uint32), words)


def alike(found: np.ndarray, mean: float, deviation: float) -> None:
    """Within six standard errors, which chance exceeds once in 500 million draws."""
    assert abs(found.mean() - mean) < 6 * deviation / len(found) ** 0.5
    assert abs(found.std() / deviation - 1) < 0.05


for name, dtype, number in ("", np.float32, c_float), ("Double", np.float64, c_double):
    uniform = drawn(first, f"Uniform{name}", dtype)
    assert uniform.min() > 0 and uniform.max() <= 1
    alike(uniform, 0.5, 12**-0.5)
    assert np.abs(np.histogram(uniform, 10, (0, 1))[0] - COUNT / 10).max() < 6 * (COUNT / 10) ** 0.5
    normal = drawn(first, f"Normal{name}", dtype, number(3), number(2))
    alike(normal, 3, 2)
    assert abs(np.mean(np.abs(normal - 3) < 2) - 0.6827) < 0.015
    assert abs(np.corrcoef(normal[::2], normal[1::2])[0, 1]) < 0.05
    alike(np.log(drawn(first, f"LogNormal{name}", dtype, number(1), number(0.5))), 1, 0.5)
for mean in 0.5, 7.0, 100.0:
    alike(drawn(first, "Poisson", np.uint32, c_double(mean)).astype(float), mean, mean**0.5)

# On the host, too; and what is refused.
host, values = c_void_p(), np.zeros(8, np.float32)
checked(RANDOM.curandCreateGeneratorHost(byref(host), PHILOX))
checked(RANDOM.curandGenerateUniform(host, values.ctypes.data_as(c_void_p), c_size_t(8)))
assert values.all()
on = Array(np.zeros(16, np.float32)).at
three, one = c_size_t(3), c_float(1)
assert RANDOM.curandGenerateNormal(first, on, three, one, one) == ODD_LENGTH
assert RANDOM.curandGeneratePoisson(first, on, three, c_double(-1)) == OUT_OF_RANGE
checked(RANDOM.curandDestroyGenerator(other))
assert RANDOM.curandSetStream(c_void_p(), c_void_p()) == NO_GENERATOR
assert RANDOM.curandCreateGenerator(byref(host), 7) == TYPE_ERROR
assert RANDOM.curandSetQuasiRandomGeneratorDimensions(first, c_uint(2)) == UNSUPPORTED
