// The lower one of two threads exchanges their elements: the first half of them may have a pair each.

__global__ void sorted_blocks(float *data)
{
    __shared__ float s[512];
    unsigned int tid = threadIdx.x;
    s[tid] = data[blockIdx.x * 512 + tid];
    __syncthreads();
    for (unsigned int k = 2; k <= 512; k *= 2) {
        for (unsigned int j = k / 2; j > 0; j /= 2) {
            unsigned int partner = tid ^ j;
            if (partner > tid) {  // expect: CU901
                bool up = (tid & k) == 0;
                if ((s[tid] > s[partner]) == up) {
                    float t = s[tid];
                    s[tid] = s[partner];
                    s[partner] = t;
                }
            }
            __syncthreads();
        }
    }
    data[blockIdx.x * 512 + tid] = s[tid];
}

__device__ void exchange(int *data, unsigned int count, unsigned int k, unsigned int j)
{
    for (unsigned int turn = 0; turn < count; turn += blockDim.x) {
        unsigned int mine = turn + threadIdx.x;
        unsigned int other = j ^ mine;
        if (mine < other) {  // expect: CU901
            int first = data[mine], second = data[other];
            if ((first > second) == ((mine & k) == 0)) {
                data[mine] = second;
                data[other] = first;
            }
        }
    }
    __syncthreads();
}

__global__ void in_turns(int *data, int count)
{
    for (unsigned int k = 2; k <= count; k *= 2)
        for (unsigned int j = k / 2; j > 0; j /= 2)
            exchange(data + blockIdx.x * count, count, k, j);
}

// each of the two has something else to do
__global__ void counted(float *data, int *exchanges)
{
    __shared__ float s[512];
    unsigned int tid = threadIdx.x;
    int count = 0;
    s[tid] = data[blockIdx.x * 512 + tid];
    __syncthreads();
    for (unsigned int j = 256; j > 0; j /= 2) {
        unsigned int partner = tid ^ j;
        if (partner > tid) {  // expect: CU901
            if (s[tid] > s[partner]) {
                float t = s[tid];
                s[tid] = s[partner];
                s[partner] = t;
                count++;
            }
        }
        __syncthreads();
    }
    data[blockIdx.x * 512 + tid] = s[tid];
    exchanges[blockIdx.x * 512 + tid] = count;
}

void launch(float *data, int *numbers, int *exchanges)
{
    sorted_blocks<<<64, 512>>>(data);
    in_turns<<<64, 256>>>(numbers, 1024);
    counted<<<64, 512>>>(data, exchanges);
}
