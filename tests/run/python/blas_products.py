"""cuBLAS around a program's own kernels: products and vectors, by its C interface."""

import ctypes
from ctypes import byref, c_double, c_float, c_int, c_longlong, c_void_p

import numpy as np
from shared import device_array
from shared.device_array import checked

BLAS = ctypes.CDLL("libcublas.so.13")
NOT_SUPPORTED = 15
handle = c_void_p()
assert BLAS.cublasCreate_v2(byref(handle)) == 0


class Array(device_array.Array):
    """By columns, as cuBLAS has them."""

    def __init__(self, host: np.ndarray) -> None:
        super().__init__(np.asfortranarray(host))


draw = np.random.default_rng(7)
for letter, scalar, type_ in ("S", c_float, np.float32), ("D", c_double, np.float64):
    close = 1e-5 if letter == "S" else 1e-12

    def of(name: str, letter: str = letter):
        return getattr(BLAS, f"cublas{letter}{name}_v2")

    a, b, c = (draw.random(shape).astype(type_) for shape in ((7, 5), (5, 6), (7, 6)))
    on = [Array(a), Array(b), Array(c)]
    two, half = scalar(2), scalar(0.5)
    checked(of("gemm")(handle, 0, 0, 7, 6, 5, byref(two), on[0].at, 7, on[1].at, 5, byref(half),
                       on[2].at, 7))  # fmt: skip
    assert np.allclose(on[2].back(), 2 * a @ b + 0.5 * c, rtol=close)
    # the first by its transpose, into a new array: what was there does not matter
    none, new = scalar(0), Array(np.full((5, 5), np.nan, type_))
    checked(of("gemm")(handle, 1, 0, 5, 5, 7, byref(two), on[0].at, 7, on[0].at, 7, byref(none),
                       new.at, 5))  # fmt: skip
    assert np.allclose(new.back(), 2 * a.T @ a, rtol=close)

    geam = getattr(BLAS, f"cublas{letter}geam")
    sums, unread = Array(np.full((5, 7), np.nan, type_)), c_void_p()
    checked(geam(handle, 1, 1, 5, 7, byref(two), on[0].at, 7, byref(half), on[0].at, 7, sums.at, 5))
    assert np.allclose(sums.back(), 2.5 * a.T, rtol=close)
    checked(geam(handle, 0, 0, 7, 5, byref(two), on[0].at, 7, byref(none), unread, 7, on[0].at, 7))
    assert np.allclose(on[0].back(), 2 * a, rtol=close)  # in place
    on[0] = Array(a)

    x, y = draw.random(5).astype(type_), draw.random(7).astype(type_)
    vx, vy = Array(x), Array(y)
    checked(of("gemv")(handle, 0, 7, 5, byref(two), on[0].at, 7, vx.at, 1, byref(half), vy.at, 1))
    assert np.allclose(vy.back(), 2 * a @ x + 0.5 * y, rtol=close)
    vy = Array(y)
    checked(of("axpy")(handle, 5, byref(two), vx.at, 1, vy.at, 1))
    assert np.allclose(vy.back()[:5], 2 * x + y[:5], rtol=close)
    found = scalar()
    checked(of("dot")(handle, 5, vx.at, 1, vx.at, -1, byref(found)))
    assert np.isclose(found.value, x @ x[::-1], rtol=close)
    checked(of("nrm2")(handle, 5, vx.at, 1, byref(found)))
    assert np.isclose(found.value, np.linalg.norm(x), rtol=close)
    where = c_int()
    checked(getattr(BLAS, f"cublasI{letter.lower()}amax_v2")(handle, 5, vx.at, 1, byref(where)))
    assert where.value == np.abs(x).argmax() + 1

# half precision, summed in float; a batch by strides
a, b = (draw.random((4, 8, 8)).astype(np.float16) for _ in range(2))
on = [
    Array(a.transpose(2, 1, 0)),
    Array(b.transpose(2, 1, 0)),
    Array(np.zeros((8, 8, 4), np.float16)),
]
one, none, apart = c_float(1), c_float(0), c_longlong(64)
checked(BLAS.cublasGemmStridedBatchedEx(handle, 0, 0, 8, 8, 8, byref(one), on[0].at, 2, 8, apart,
                                        on[1].at, 2, 8, apart, byref(none), on[2].at, 2, 8, apart,
                                        4, 68, -1))  # fmt: skip
expected = b.astype(np.float32) @ a.astype(np.float32)  # by columns it is the other way round
assert np.array_equal(on[2].back().transpose(2, 1, 0), expected.astype(np.float16))

# complex numbers: as they are, turned, conjugated; by strides, by pointers, with a vector
for letter, type_ in ("C", np.complex64), ("Z", np.complex128):
    close = 1e-5 if letter == "C" else 1e-12

    def drawn(*shape: int, of: type = type_) -> np.ndarray:
        return (draw.random(shape) + 1j * draw.random(shape)).astype(of)

    a, b, c = drawn(7, 5), drawn(6, 7), drawn(5, 6)
    on = [Array(a), Array(b), Array(c)]
    by, plus = np.array([2 - 1j], type_), np.array([0.5j], type_)
    at_by, at_plus = (c_void_p(each.ctypes.data) for each in (by, plus))
    gemm, gemv = (getattr(BLAS, f"cublas{letter}{name}_v2") for name in ("gemm", "gemv"))
    checked(gemm(handle, 2, 1, 5, 6, 7, at_by, on[0].at, 7, on[1].at, 6, at_plus, on[2].at, 5))
    assert np.allclose(on[2].back(), by * (a.conj().T @ b.T) + plus * c, rtol=close)
    x, y = drawn(7), drawn(5)
    vx, vy = Array(x), Array(y)
    checked(gemv(handle, 2, 7, 5, at_by, on[0].at, 7, vx.at, 1, at_plus, vy.at, -1))
    assert np.allclose(vy.back()[::-1], by * (a.conj().T @ x) + plus * y[::-1], rtol=close)

    left, right = drawn(3, 4, 4), drawn(3, 4, 4)  # a batch of three, each by columns
    sets = [Array(each.transpose(2, 1, 0)) for each in (left, right, np.zeros_like(left))]
    none, apart = np.zeros(1, type_), c_longlong(16)
    at_none = c_void_p(none.ctypes.data)
    checked(getattr(BLAS, f"cublas{letter}gemmStridedBatched")(
        handle, 0, 0, 4, 4, 4, at_by, sets[0].at, 4, apart, sets[1].at, 4, apart, at_none,
        sets[2].at, 4, apart, 3))  # fmt: skip
    expected = by * (right @ left)  # by columns it is the other way round
    assert np.allclose(sets[2].back().transpose(2, 1, 0), expected, rtol=close)
    pointers = [
        Array(np.array([each.at.value + 16 * n * left.itemsize for n in range(3)], np.uint64))
        for each in sets
    ]
    checked(getattr(BLAS, f"cublas{letter}gemmBatched")(
        handle, 0, 0, 4, 4, 4, at_by, pointers[0].at, 4, pointers[1].at, 4, at_none,
        pointers[2].at, 4, 3))  # fmt: skip
    assert np.allclose(sets[2].back().transpose(2, 1, 0), expected, rtol=close)

assert BLAS.cublasCherk_v2(handle, 0, 0, 1, 1) == NOT_SUPPORTED
assert BLAS.cublasSgemm_v2(c_void_p()) == 1  # no handle
checked(BLAS.cublasDestroy_v2(handle))
