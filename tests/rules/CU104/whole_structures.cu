// Structures of which each thread moves all, a field at a time.

struct Box {
    float lower[3], upper[3];
};

__global__ void bounds(Box *boxes, const float *__restrict__ x, const float *__restrict__ y,
                       const float *__restrict__ z, const float *__restrict__ r)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    boxes[i].lower[0] = x[i] - r[i];  // expect: CU104 "declare it `__align__(8)`, so that it goes in vectors of 8 bytes"
    boxes[i].lower[1] = y[i] - r[i];  // also: CU104
    boxes[i].lower[2] = z[i] - r[i];  // also: CU104
    boxes[i].upper[0] = x[i] + r[i];  // also: CU104
    boxes[i].upper[1] = y[i] + r[i];  // also: CU104
    boxes[i].upper[2] = z[i] + r[i];  // also: CU104
}

// Of 28 bytes a thread wants 12.
struct Part {
    float x, y, z, u, v, w, mass;
};

__global__ void move_parts(Part *parts, float step)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    parts[i].x += step * parts[i].u / parts[i].mass;  // expect: CU104 "a structure of arrays"
}

int main()
{
    Box *boxes;
    Part *parts;
    float *x;
    cudaMalloc(&boxes, (1 << 20) * sizeof(Box));
    cudaMalloc(&parts, (1 << 20) * sizeof(Part));
    cudaMalloc(&x, (1 << 22) * sizeof(float));
    bounds<<<4096, 256>>>(boxes, x, x + (1 << 20), x + (2 << 20), x + (3 << 20));
    move_parts<<<4096, 256>>>(parts, 0.5f);
}
