// How large an array is must be read: a size that only the program's arguments tell may be any.
#include <cstdlib>

__global__ void of_any_length(float *out, const float *in, const float *factor, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = in[i];
    for (int k = 0; k < n; k++)
        x = x * factor[k];  // undecided: CU501 (invented data decides) "how large it is"
    out[i] = x;
}

__global__ void of_a_known_length(float *out, const float *in, const float *factor, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = in[i];
    for (int k = 0; k < n; k++)
        x = x * factor[k];  // expect: CU501
    out[i] = x;
}

int main(int argc, char **argv)
{
    int n = atoi(argv[1]), rows = atoi(argv[2]);
    float *out, *in, *any, *some;
    cudaMalloc(&out, rows * 256 * sizeof(float));
    cudaMalloc(&in, rows * 256 * sizeof(float));
    cudaMalloc(&any, n * sizeof(float));
    cudaMalloc(&some, 100 * sizeof(float));
    of_any_length<<<rows, 256>>>(out, in, any, n);
    of_a_known_length<<<rows, 256>>>(out, in, some, 100);
}
