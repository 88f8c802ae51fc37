"""Numba: the device, copies, streams, events, pinned, mapped and managed memory, slices."""

import numpy as np
from numba import cuda


@cuda.jit
def add(a, b, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = a[i] + b[i]


assert cuda.is_available() and len(cuda.gpus) == 1
device = cuda.get_current_device()
assert device.compute_capability == (8, 0) and device.WARP_SIZE == 32 and device.name
assert device.MULTIPROCESSOR_COUNT == 4 and device.MAX_THREADS_PER_BLOCK == 1024
free, total = cuda.current_context().get_memory_info()
assert 0 < free <= total

n = 1000
a, b = np.arange(n, dtype=np.float32), np.full(n, 2, np.float32)
on_a, on_b = cuda.to_device(a), cuda.to_device(b)
out = cuda.device_array(n, np.float32)
add[8, 128](on_a, on_b, out)
assert (out.copy_to_host() == a + 2).all()
add[8, 128](a, b, b)  # arrays of the host are copied there and back
assert (b == a + 2).all()

stream = cuda.stream()
start, end = cuda.event(), cuda.event()
with stream.auto_synchronize():
    start.record(stream)
    there = cuda.to_device(a, stream=stream)
    add[8, 128, stream](there, there, out)
    end.record(stream)
    back = out.copy_to_host(stream=stream)
assert (back == 2 * a).all() and cuda.event_elapsed_time(start, end) >= 0

pinned = cuda.pinned_array(n, np.float32)
pinned[:] = 1
cuda.to_device(pinned, to=out)
assert (out.copy_to_host() == 1).all()
mapped = cuda.mapped_array(n, np.float32)
mapped[:] = 3
add[8, 128](mapped, mapped, mapped)
cuda.synchronize()
assert (mapped == 6).all()
managed = cuda.managed_array(n, np.float32)
managed[:] = 4
add[8, 128](managed, managed, managed)
cuda.synchronize()
assert (managed == 8).all()

square = cuda.to_device(np.arange(24, dtype=np.int64).reshape(4, 6))
assert (square[1:3].copy_to_host() == np.arange(6, 18).reshape(2, 6)).all()
out[10:20] = on_a[:10]
assert (out[10:20].copy_to_host() == a[:10]).all()
