// What stands in for std::numeric_limits.
#include <limits>

template <typename T> __device__ void tell(double *out, T *bits)
{
    typedef std::numeric_limits<T> Limits;
    double all[] = {Limits::digits10,    Limits::max_digits10,   Limits::radix,
                    Limits::max_exponent, Limits::max_exponent10, Limits::min_exponent,
                    Limits::min_exponent10, Limits::is_modulo, (double)Limits::round_error()};
    for (int i = 0; i < 9; i++) out[i] = all[i];
    bits[0] = Limits::denorm_min();
    bits[1] = Limits::signaling_NaN();
}

extern "C" __global__ void of_float(double *out, float *bits) { tell(out, bits); }
extern "C" __global__ void of_double(double *out, double *bits) { tell(out, bits); }
extern "C" __global__ void of_short(double *out, short *bits) { tell(out, bits); }
extern "C" __global__ void of_unsigned(double *out, unsigned *bits) { tell(out, bits); }
extern "C" __global__ void of_long(double *out, long long *bits) { tell(out, bits); }
