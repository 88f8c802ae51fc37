// Structures that a block copies to shared memory: as words, neighbouring threads neighbouring words.
#define MANY 100
#define THREADS 128

struct Body {
    double mass, x, y, z;
};

__global__ void forces(double *to, const Body *bodies, int tiles)
{
    __shared__ Body tile[MANY];
    double sum = 0;
    int t = threadIdx.x;
    for (int k = 0; k < tiles; k++) {
        const Body *from = bodies + (blockIdx.x * tiles + k) * MANY;
        int i = t;
        while (i < MANY) {
            tile[i] = from[i];  // expect: CU104 "a structure of 32"  // undecided: CU201 (a small share)
            i = i + THREADS;
        }
        __syncthreads();
        for (int j = 0; j < MANY; j++)
            sum += tile[j].mass * (tile[j].x - t) + tile[j].y * tile[j].z;
        __syncthreads();
    }
    to[blockIdx.x * THREADS + t] = sum;
}

// each thread goes on with its own
__global__ void own_first(double *to, const Body *bodies, int tiles)
{
    __shared__ Body tile[THREADS];
    double sum = 0;
    int t = threadIdx.x;
    for (int k = 0; k < tiles; k++) {
        const Body *from = bodies + (blockIdx.x * tiles + k) * THREADS;
        int i = t;
        while (i < THREADS) {
            tile[i] = from[i];  // expect: CU104  // expect: CU201
            i += THREADS;
        }
        sum += tile[t].mass;  // also: CU201
        __syncthreads();
        for (int j = 0; j < THREADS; j++)
            sum += tile[j].x * t + tile[j].y * tile[j].z;
        __syncthreads();
    }
    to[blockIdx.x * THREADS + t] = sum;
}

void launch(double *to, const Body *bodies)
{
    forces<<<640, THREADS>>>(to, bodies, 4);
    own_first<<<640, THREADS>>>(to, bodies, 4);
}
