"""cuda.core: a program compiled to machine code and to PTX, a launch, memory, a stream."""

import ctypes

import numpy as np
from cuda.core import Device, LaunchConfig, Program, ProgramOptions, launch

CODE = """
extern "C" __global__ void scale(float *x, float by, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] *= by;
}
"""
device = Device()
device.set_current()
assert tuple(device.compute_capability) == (8, 0)
stream = device.create_stream()
for kind in "cubin", "ptx":
    program = Program(CODE, "c++", ProgramOptions(arch="sm_80"))
    kernel = program.compile(kind).get_kernel("scale")
    buffer = device.memory_resource.allocate(4 * 100, stream=stream)
    host = np.arange(100, dtype=np.float32)
    from cuda.bindings import driver

    at = int(buffer.handle)
    (error,) = driver.cuMemcpyHtoD(at, host.ctypes.data, host.nbytes)
    assert error == 0
    config = LaunchConfig(grid=4, block=32)
    launch(stream, config, kernel, buffer, ctypes.c_float(2.5), ctypes.c_int(100))
    stream.sync()
    back = np.empty_like(host)
    (error,) = driver.cuMemcpyDtoH(back.ctypes.data, at, back.nbytes)
    assert error == 0 and (back == 2.5 * host).all()
