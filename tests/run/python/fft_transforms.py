"""cuFFT around a program's own kernels, by its C interface, held against NumPy's transforms."""

import ctypes
from ctypes import byref, c_int, c_size_t

import numpy as np
from shared.device_array import Array, checked

FFT = ctypes.CDLL("libcufft.so.12")
R2C, C2R, C2C, D2Z, Z2D, Z2Z = 0x2A, 0x2C, 0x29, 0x6A, 0x6C, 0x69
FORWARD, INVERSE = -1, 1
INVALID_PLAN, INVALID_TYPE, BAD_VALUE, INVALID_SIZE, NOT_SUPPORTED = 1, 3, 4, 8, 16


def planned(make: str, *arguments: object) -> c_int:
    plan = c_int()
    checked(getattr(FFT, make)(byref(plan), *arguments))
    return plan


def ints(*values: int) -> ctypes.Array[c_int]:
    return (c_int * len(values))(*values)


def near(found: np.ndarray, expected: np.ndarray) -> None:
    single = found.dtype in (np.complex64, np.float32)
    scale = np.abs(expected).max()
    np.testing.assert_allclose(found, expected, atol=scale * (2e-6 if single else 1e-12), rtol=0)


draw = np.random.default_rng(7)


def numbers(shape: tuple[int, ...], kind: type) -> np.ndarray:
    real = draw.standard_normal(shape)
    both = (
        real + 1j * draw.standard_normal(shape) if np.issubdtype(kind, np.complexfloating) else real
    )
    return both.astype(kind)


# Lengths: powers of two, products of small primes, primes, one.
for n in 1, 2, 8, 12, 97, 1000, 1024, 4093:
    for kind, type_, execute in (
        (np.complex64, C2C, FFT.cufftExecC2C),
        (np.complex128, Z2Z, FFT.cufftExecZ2Z),
    ):
        x = numbers((3, n), kind)
        plan, on, out = planned("cufftPlan1d", n, type_, 3), Array(x), Array(np.zeros_like(x))
        checked(execute(plan, on.at, out.at, FORWARD))
        near(out.back(), np.fft.fft(x))
        checked(execute(plan, out.at, out.at, INVERSE))  # in place, and not divided by n
        near(out.back(), x * n)
        checked(FFT.cufftDestroy(plan))
        assert execute(plan, on.at, out.at, FORWARD) == INVALID_PLAN

# Two and three dimensions, of complex and of real numbers; real rows in place are padded.
for shape in (6, 10), (16, 8), (5, 4, 6), (3, 8, 7):
    make = f"cufftPlan{len(shape)}d"
    axes = tuple(range(len(shape)))
    x = numbers(shape, np.complex128)
    on = Array(x)
    checked(FFT.cufftExecZ2Z(planned(make, *shape, Z2Z), on.at, on.at, FORWARD))
    near(on.back(), np.fft.fftn(x))
    for real, complex_, there, back, forward, inverse in (
        (np.float32, np.complex64, R2C, C2R, FFT.cufftExecR2C, FFT.cufftExecC2R),
        (np.float64, np.complex128, D2Z, Z2D, FFT.cufftExecD2Z, FFT.cufftExecZ2D),
    ):
        x = numbers(shape, real)
        halved = np.fft.rfftn(x)
        on, half = Array(x), Array(np.zeros(halved.shape, complex_))
        checked(forward(planned(make, *shape, there), on.at, half.at))
        near(half.back(), halved)
        checked(inverse(planned(make, *shape, back), half.at, on.at))
        near(on.back(), x * x.size)
        # What is no real array's transform: NumPy leaves the same parts out.
        odd = numbers(halved.shape, complex_)
        half = Array(odd)
        checked(inverse(planned(make, *shape, back), half.at, on.at))
        near(on.back(), np.fft.irfftn(odd, shape, axes) * x.size)
        rows = np.zeros((*shape[:-1], 2 * halved.shape[-1]), real)
        rows[..., : shape[-1]] = x
        on = Array(rows)
        checked(forward(planned(make, *shape, there), on.at, on.at))
        near(on.back().view(complex_), halved)

# Every second element of rows that are longer, two batches side by side.
x = numbers((6, 9, 2, 2), np.complex64)
on, out = Array(x), Array(np.zeros((2, 6, 8), np.complex64))
plan = planned("cufftPlanMany", 2, ints(6, 8), ints(6, 9), 4, 1, ints(6, 8), 1, 48, C2C, 2)
checked(FFT.cufftExecC2C(plan, on.at, out.at, FORWARD))
near(out.back(), np.fft.fft2(x[:, :8, 0, :].transpose(2, 0, 1)))

plan, work = c_int(), c_size_t()
checked(FFT.cufftCreate(byref(plan)))
checked(FFT.cufftMakePlan1d(plan, 64, C2C, 1, byref(work)))
assert work.value > 0
assert FFT.cufftMakePlan1d(plan, 64, C2C, 1, byref(work)) == INVALID_PLAN  # it is made
short = Array(np.zeros(63, np.complex64))
assert FFT.cufftExecC2C(plan, short.at, short.at, FORWARD) == BAD_VALUE  # beyond the allocation
assert FFT.cufftExecZ2Z(plan, short.at, short.at, FORWARD) == INVALID_PLAN
assert FFT.cufftPlan1d(byref(plan), 0, C2C, 1) == INVALID_SIZE
assert FFT.cufftPlan1d(byref(plan), 8, 7, 1) == INVALID_TYPE
assert FFT.cufftXtSetCallback() == NOT_SUPPORTED
