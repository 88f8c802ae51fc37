"""CuPy: ufuncs, reductions, its own kernels of all kinds, modules, streams."""

import cupy
import numpy as np

a = cupy.arange(100, dtype=cupy.float32)
assert cupy.cuda.runtime.getDeviceCount() == 1
assert (cupy.asnumpy(a * 2 + 1) == np.arange(100) * 2 + 1).all()
assert float(a.sum()) == 4950 and float(a.max()) == 99 and int(cupy.argmax(a)) == 99
table = np.arange(24).reshape(4, 6)
assert (cupy.asnumpy(cupy.sum(cupy.asarray(table), axis=0)) == table.sum(0)).all()

fill = cupy.RawKernel(
    'extern "C" __global__ void fill(float *x, int n) '
    "{ int i = threadIdx.x; if (i < n) x[i] = 3 * i; }",
    "fill",
)
fill((1,), (128,), (a, np.int32(100)))
assert (cupy.asnumpy(a) == 3 * np.arange(100)).all()
module = cupy.RawModule(
    code="template <class T> __global__ void axpy(T a, const T *x, T *y, int n) "
    "{ int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) y[i] += a * x[i]; }",
    name_expressions=["axpy<float>", "axpy<double>"],
    options=("-std=c++17",),
)
x, y = cupy.ones(1000), cupy.zeros(1000)
module.get_function("axpy<double>")((8,), (128,), (np.float64(3), x, y, np.int32(1000)))
assert (cupy.asnumpy(y) == 3).all()

scaled = cupy.ElementwiseKernel("T a, T b", "T c", "c = a * b + 1", "scaled")
assert (cupy.asnumpy(scaled(a, a)) == np.square(3.0 * np.arange(100)) + 1).all()
norm = cupy.ReductionKernel("T x", "T y", "x * x", "a + b", "y = sqrt(a)", "0", "length")
assert np.isclose(float(norm(a)), np.linalg.norm(3.0 * np.arange(100)))
with cupy.cuda.Stream() as stream:
    b = cupy.where(a > 30, a, -a)
    stream.synchronize()
expected = 3 * np.arange(100)
assert (cupy.asnumpy(b) == np.where(expected > 30, expected, -expected)).all()


@cupy.fuse
def together(p, q):
    return p * q + p


assert (cupy.asnumpy(together(a, b)) == expected * cupy.asnumpy(b) + expected).all()
