// What a thread walks through again and again is as long as somebody says.
__global__ void open_length(double *out, const double *in, size_t n, size_t rows, size_t columns)
{
    size_t i = blockIdx.x * blockDim.x + threadIdx.x;
    for (size_t r = 0; r < rows; r++) {
        double sum = 0;
        for (size_t c = 0; c < columns; c++)
            sum += in[c * n + i] * (0.5 + r);  // undecided: CU302 (invented data decides) "sizes that are made up"
        out[r * n + i] = sum;
    }
}

__global__ void known_length(double *out, const double *in, const double *weight, size_t n, size_t rows, size_t columns)
{
    size_t i = blockIdx.x * blockDim.x + threadIdx.x;
    for (size_t r = 0; r < rows; r++) {
        double sum = 0;
        for (size_t c = 0; c < columns; c++)
            sum += in[c * n + i] * weight[r * columns + c];  // expect: CU302 "re-read more than 192 KB"; CU501
        out[r * n + i] = sum;
    }
}

void run(double *out, const double *in, size_t n, size_t rows, size_t columns)
{
    open_length<<<n / 128, 128>>>(out, in, n, rows, columns);
}

void known(double *out, const double *in, const double *weight)
{
    known_length<<<216, 128>>>(out, in, weight, 27648, 8, 256);
}
