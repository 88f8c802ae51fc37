// Walks of a tree, with what is left to look at on a stack: no constants index that.
__global__ void walk(float *out, const float *value, const int2 *children, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int stack[32];  // also: CU107
    int top = 0;
    stack[top++] = 0;
    float sum = 0.0f;
    while (top > 0) {
        int node = stack[--top];  // undecided: CU107 (the rule's own) "a stack"
        float v = value[node];
        sum += v;
        if (v * i > 1.0f && top < 30) {
            int2 next = children[node];
            stack[top++] = next.x;
            stack[top++] = next.y;
        }
    }
    out[i] = sum;
}

// The largest values in order: what is new moves the others on.
__global__ void largest(float *out, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float best[16];  // also: CU107
    for (int k = 0; k < 16; k++)
        best[k] = -1e30f;
    for (int j = 0; j < n; j++) {
        float v = in[j * 65536 + i];
        int k = 15;
        while (k > 0 && best[k - 1] < v) {
            best[k] = best[k - 1];
            k--;
        }
        best[k] = v;  // expect: CU107
    }
    float sum = 0.0f;
    for (int k = 0; k < 16; k++)
        sum += best[k] * k;
    out[i] = sum;
}

void launch(float *out, const float *value, const int2 *children)
{
    walk<<<256, 256>>>(out, value, children, 65536);
    largest<<<256, 256>>>(out, value, 100);
}
