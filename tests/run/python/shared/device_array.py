"""An array of NumPy's on the simulated device, by the runtime's C interface."""

from __future__ import annotations

import ctypes
from ctypes import byref, c_size_t, c_void_p

import numpy as np

RUNTIME = ctypes.CDLL("libcudart.so.13")


def checked(status: int) -> None:
    """Every library's 0 is success."""
    assert status == 0, status


class Array:
    """A copy on the device; `at` is its address."""

    def __init__(self, host: np.ndarray) -> None:
        self.host, self.at = host, c_void_p()
        checked(RUNTIME.cudaMalloc(byref(self.at), c_size_t(host.nbytes)))
        self._copy(self.at, host.ctypes.data_as(c_void_p), 1)

    def _copy(self, to: c_void_p, source: c_void_p, kind: int) -> None:
        checked(RUNTIME.cudaMemcpy(to, source, c_size_t(self.host.nbytes), kind))

    def back(self) -> np.ndarray:
        """What the device has now, as the host's array lies."""
        out = np.empty_like(self.host)
        self._copy(out.ctypes.data_as(c_void_p), self.at, 2)
        return out
