// Structures as long as a row of a tile: what lies between two lanes' words are other fields.
struct Cell { int index; float3 at; float3 speed; float density; };
struct Body { float x, y, z, w, vx, vy, vz, mass; };

__global__ void densities(float *out, const float *x, const float *y, const float *z)
{
    extern __shared__ Cell cells[];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    cells[t].at.x = x[i];  // expect: CU201 "keep each field of `cells`"
    cells[t].at.y = y[i];  // also: CU201
    cells[t].at.z = z[i];  // also: CU201
    cells[t].density = 0.0f;  // also: CU201
    __syncthreads();  // also: CU201
    for (int k = 0; k < 100; k++) {
        float dx = cells[t].at.x - cells[k].at.x, dy = cells[t].at.y - cells[k].at.y;
        cells[t].density += dx * dy * (cells[t].at.z - cells[k].at.z);  // also: CU201
    }
    out[i] = cells[t].density;
}

__global__ void pulls(float *out, const float *x, const float *mass)
{
    __shared__ Body bodies[128];
    int t = threadIdx.x, i = blockIdx.x * 128 + t;
    bodies[t].x = x[i];  // expect: CU201 "keep each field of `bodies`"
    bodies[t].mass = mass[i];  // also: CU201
    __syncthreads();
    float pull = 0.0f;
    for (int k = 0; k < 100; k++) {
        pull += bodies[(t + k) & 127].mass * (bodies[(t + k) & 127].x - x[i]);  // also: CU201
    }
    out[i] = pull;
}

void launch(float *out, const float *x, const float *y, const float *z)
{
    densities<<<1000, 128, 128 * sizeof(Cell)>>>(out, x, y, z);
    pulls<<<1000, 128>>>(out, x, y);
}
