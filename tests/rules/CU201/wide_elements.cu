// Elements of 32 bytes in two halves: an index is of elements, whatever the halves would like.
struct __align__(16) Field { uint4 low, high; };

template <typename T>
__global__ void stages(T *data, int first)
{
    extern __shared__ T line[];
    int t = threadIdx.x;
    line[t] = data[blockIdx.x * 512 + t];  // expect: CU201 "2-way"
    line[t + 256] = data[blockIdx.x * 512 + 256 + t];  // also: CU201
    for (int s = first; s < 8; s++) {
        int stride = 1 << s, l = (t / stride) * stride * 2 + t % stride;
        __syncthreads();
        T a = line[l], b = line[l + stride];  // expect: CU201 "16-way" "let neighbouring lanes use neighbouring elements of `line`"
        line[l].low.x = a.low.x + b.low.x;  // also: CU201
        line[l + stride] = a;  // also: CU201
    }
    __syncthreads();
    data[blockIdx.x * 512 + t] = line[t];  // also: CU201
    data[blockIdx.x * 512 + 256 + t] = line[t + 256];  // also: CU201
}

void launch(Field *data) { stages<Field><<<256, 256, 16384>>>(data, 0); }
