// Mathematical functions: nearly the same numbers as CUDA's.
__global__ void singles(float *out, const float *x, const float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float a = x[i], b = fabsf(y[i]) + 0.5f;
    float *o = out + 24 * i;
    o[0] = sqrtf(b);
    o[1] = expf(a);
    o[2] = logf(b);
    o[3] = sinf(a * 3);
    o[4] = cosf(a * 3);
    o[5] = powf(b, a);
    o[6] = tanhf(a);
    o[7] = atan2f(a, b);
    o[8] = fminf(a, b) + fmaxf(a, 0.25f);
    o[9] = floorf(a) + 10 * ceilf(b);
    o[10] = rsqrtf(b);
    o[11] = fmodf(a * 10, b);
    o[12] = roundf(a * 3);
    o[13] = exp2f(a) + log2f(b);
    o[14] = sqrt(b) + exp(a) + fabs(a);
    o[15] = tanf(a);
    o[16] = asinf(a * 0.4f);
    o[17] = acosf(a * 0.4f);
    o[18] = __expf(a);
    o[19] = min(a, b) + max(2.0f, a);
    o[20] = fmaf(a, b, 1.0f);
    o[21] = truncf(a * 5) + rintf(b * 5);
    o[22] = log10f(b) + cbrtf(b) + pow(b, 2.0f);
    o[23] = __fdividef(a, b) + hypotf(a, b);
}

__global__ void doubles(double *out, const double *x, const float *y, const int *k)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    double a = x[i], b = fabs(x[i + 1]) + 0.5;
    double *o = out + 20 * i;
    o[0] = sqrt(b);
    o[1] = exp(a);
    o[2] = log(b);
    o[3] = sin(a * 3);
    o[4] = cos(a * 3);
    o[5] = pow(b, a);
    o[6] = tanh(a);
    o[7] = atan2(a, b);
    o[8] = fmin(a, b) + fmax(a, 0.25);
    o[9] = floor(a) + 10 * ceil(b);
    o[10] = rsqrt(b);
    o[11] = fmod(a * 10, b);
    o[12] = round(a * 3);
    o[13] = exp2(a) + log2(b) + log10(b);
    o[14] = sqrt((double)k[i]) + abs(k[i] - 20);
    o[15] = tan(a) + atan(a);
    o[16] = asin(a * 0.4) + acos(a * 0.4);
    o[17] = sinh(a) + cosh(a);
    o[18] = fma(a, b, 1.0) + copysign(b, a);
    o[19] = pow(b, 2.0) + (y[i] < k[i]) + isnan(a);
}
