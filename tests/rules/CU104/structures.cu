// Arrays of structures above 16 bytes: Yang, Xiang, Mantor, Zhou, section V.A.1.
struct Body {
    float x, y, z, vx, vy, vz, mass, charge;
};

struct Element {
    float a, b, c, d, e;
};

struct Quad {
    double v, x, y, z;
};

__global__ void drift(Body *bodies, float dt, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        bodies[i].x += dt * bodies[i].vx;  // expect: CU104 "structure of 32" "32 sectors" "structure of arrays"
        bodies[i].y += dt * bodies[i].vy;  // also: CU104
        bodies[i].z += dt * bodies[i].vz;  // also: CU104
    }
}

__global__ void copy(Element *out, const Element *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i];  // expect: CU104 "structure of 20" "store to `out`"; CU104 "load from `in`"
}

__global__ void energy(double *out, const Quad *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i].v + in[i].x * in[i].x + in[i].y * in[i].y;  // expect: CU104 "8 bytes of a structure of 32"
}

__global__ void through_local_pointer(float *out, const Body *bodies)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    const Body *body = bodies + i;
    out[i] = body->mass *  // expect: CU104 "load from `body`"
             body->charge;  // also: CU104
}

__global__ void two_dimensions(float *out, const Element *in, int w)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    const Element &e = in[y * w + x];
    out[y * w + x] = e.a * e.c;  // expect: CU104 "structure of 20"
}

// --- what looks alike

struct Bodies {
    float *x, *y, *z, *vx, *vy, *vz;
};

__global__ void structure_of_arrays(Bodies bodies, float dt, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        bodies.x[i] += dt * bodies.vx[i];  // ok
        bodies.y[i] += dt * bodies.vy[i];  // ok
        bodies.z[i] += dt * bodies.vz[i];  // ok
    }
}

__global__ void one_for_all(float *out, const Body *bodies, int which)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = bodies[which].x * bodies[which].mass;  // ok: the same for every thread
}

__global__ void row(float *out, const float *in, int width)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i * 8] + in[i * 8 + 1];  // expect: CU101 "32 bytes apart"
}

__global__ void staged(float *out, const Body *bodies)
{
    __shared__ Body mine[128];
    const float *words = (const float *)(bodies + blockIdx.x * 128);
    for (int k = threadIdx.x; k < 128 * 8; k += 128)
        ((float *)mine)[k] = words[k];  // ok
    __syncthreads();
    out[blockIdx.x * 128 + threadIdx.x] =
        mine[threadIdx.x].mass * mine[threadIdx.x].charge;  // expect: CU201
}

__global__ void whole(float4 *out, const float4 *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i];  // ok: 16 bytes are one access
}

// Each thread's own run of bytes, walked backwards: no structure.
typedef unsigned char symbol;
__global__ void runs(int *out, const symbol *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, last = 0;
    for (int k = i * 64 + 63; k >= i * 64; k--)
        last = last * 31 ^ in[k];  // expect: CU101 "walks along a row of `in`"
    out[i] = last;
}

void launch(Body *b, Element *e, Quad *q, float *f, double *d, Bodies s)
{
    drift<<<64, 256>>>(b, 0.1f, 16384);
    copy<<<64, 256>>>(e, e);
    energy<<<64, 256>>>(d, q);
    through_local_pointer<<<64, 256>>>(f, b);
    two_dimensions<<<dim3(32, 128), dim3(32, 8)>>>(f, e, 1024);
    structure_of_arrays<<<64, 256>>>(s, 0.1f, 16384);
    one_for_all<<<64, 256>>>(f, b, 3);
    row<<<64, 256>>>(f, f, 8);
    staged<<<128, 128>>>(f, b);
    whole<<<64, 256>>>((float4 *)f, (float4 *)f);
    runs<<<64, 256>>>((int *)f, (const symbol *)f);
}
