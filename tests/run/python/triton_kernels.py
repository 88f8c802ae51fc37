"""Triton by its own launcher, without PyTorch: arrays are objects with an address and a type."""

import ctypes

import numpy as np
import triton
import triton.language as tl

DRIVER = ctypes.CDLL("libcuda.so.1")


class Array:
    """An array on the device, as Triton's launcher takes it."""

    def __init__(self, host: np.ndarray) -> None:
        self.host, self.dtype, self.address = host, host.dtype, ctypes.c_uint64()
        assert DRIVER.cuMemAlloc_v2(ctypes.byref(self.address), ctypes.c_size_t(host.nbytes)) == 0
        data = host.ctypes.data_as(ctypes.c_void_p)
        assert DRIVER.cuMemcpyHtoD_v2(self.address, data, ctypes.c_size_t(host.nbytes)) == 0

    def data_ptr(self) -> int:
        return self.address.value

    def back(self) -> np.ndarray:
        out = np.empty_like(self.host)
        data = out.ctypes.data_as(ctypes.c_void_p)
        assert DRIVER.cuMemcpyDtoH_v2(data, self.address, ctypes.c_size_t(out.nbytes)) == 0
        return out


@triton.jit
def add(a, b, out, n, block: tl.constexpr):
    at = tl.program_id(0) * block + tl.arange(0, block)
    inside = at < n
    total = tl.load(a + at, mask=inside) + tl.load(b + at, mask=inside)
    tl.store(out + at, total, mask=inside)


@triton.jit
def softmax(x, out, columns, block: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, block)
    inside = at < columns
    values = tl.load(x + row * columns + at, mask=inside, other=-float("inf"))
    powers = tl.exp(values - tl.max(values, axis=0))
    tl.store(out + row * columns + at, powers / tl.sum(powers, axis=0), mask=inside)


triton.runtime.driver.active.get_current_device()  # makes the device's context current
draw = np.random.default_rng(5)
a, b = draw.random(1000, np.float32), draw.random(1000, np.float32)
out = Array(np.zeros_like(a))
add[(triton.cdiv(1000, 256),)](Array(a), Array(b), out, 1000, block=256)
assert (out.back() == a + b).all()

x = draw.random((12, 100), np.float32)
out = Array(np.zeros_like(x))
softmax[(12,)](Array(x), out, 100, block=128)
expected = np.exp(x - x.max(1, keepdims=True))
assert np.allclose(out.back(), expected / expected.sum(1, keepdims=True))
