// What wraps declarations or stands in classes' heads, where nothing that is on defines it.
// kernels: scale
// remark: the macro GONE(...) is defined nowhere: taken to be __VA_ARGS__
// remark: the macro SHOWN is defined nowhere: taken to be empty
// remark: the macro HAVE(...) is defined nowhere: taken to be 0
#ifdef _MSC_VER
#define GONE(declaration) __declspec(deprecated) declaration
#endif

struct SHOWN Scaling {
    enum Mode { Plain, Double };
    GONE(void set_factor(float by));
    float factor;
};

#if HAVE(DOUBLED)
#error not here
#endif

__global__ void scale(float *out, Scaling by, Scaling::Mode mode) {
    out[threadIdx.x] *= mode == Scaling::Double ? 2 * by.factor : by.factor;
}
