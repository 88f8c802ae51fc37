// Structures of which each thread uses all: L1 has what the first field brought, so that arithmetic
// which takes longer than the lines of its requests leaves nothing to gain.
struct Pose {
    double x, y, z, u, v, w;
};

__global__ void turned(double *out, const Pose *poses, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    const Pose &p = poses[i];  // expect: CU104
    double a = p.x, b = p.y, c = p.z, d = p.u, e = p.v, f = p.w;
#pragma unroll
    for (int k = 0; k < 40; k++) {
        a = a * b + c; b = b * c + d; c = c * d + e; d = d * e + f; e = e * f + a; f = f * a + b;
    }
    out[i] = a + b + c + d + e + f;
}

// Of these a sixth is used.
__global__ void one_field(double *out, const Pose *poses, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    double a = poses[i].x, b = poses[i].z, c = 0.5 * a;  // expect: CU104
#pragma unroll
    for (int k = 0; k < 40; k++) {
        a = a * b + c; b = b * c + a; c = c * a + b;
    }
    out[i] = a + b + c;
}

// A structure of bytes goes byte by byte.
struct Marks {
    unsigned char byte[32];
};

__global__ void marked(Marks *out, const unsigned *ids, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    Marks own;
    for (int k = 0; k < 32; k++)
        own.byte[k] = ids[i] >> k & 1 ? 255 : k;
    out[i] = own;  // expect: CU104 "takes 1 byte of" "align it (`__align__(16)`)"
}

void launch(double *out, const Pose *poses, Marks *marks, const unsigned *ids, int n)
{
    marked<<<(n + 255) / 256, 256>>>(marks, ids, n);
    turned<<<(n + 255) / 256, 256>>>(out, poses, n);
    one_field<<<(n + 255) / 256, 256>>>(out, poses, n);
}
