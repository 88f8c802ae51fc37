// A template's block by what the input asks for: small sizes are some of many.
template <int THREADS>
__global__ void combine(float *data, int n)
{
    int i = blockIdx.x * THREADS + threadIdx.x;
    if (i < n)
        data[i] = 2.0f * data[i];
}

template <int THREADS>
__global__ void split(float *data, int n)
{
    int i = blockIdx.x * THREADS + threadIdx.x;
    if (i < n)
        data[i] = 2.0f + data[i];
}

template <int THREADS>
void launch(float *data, int n)
{
    combine<THREADS><<<n / THREADS, THREADS>>>(data, n);  // undecided: CU403 (the rule's own) "the input says which"
}

// None of its sizes is whole.
template <int THREADS>
void launch_small(float *data, int n)
{
    split<THREADS><<<n / THREADS, THREADS>>>(data, n);  // expect: CU403
}

void run(float *data, int n, int log)
{
    if (log == 3) launch<8>(data, n);
    else if (log == 4) launch<16>(data, n);
    else if (log == 5) launch<32>(data, n);
    else if (log == 8) launch<256>(data, n);
    if (log == 3) launch_small<8>(data, n);
    else launch_small<16>(data, n);
}
