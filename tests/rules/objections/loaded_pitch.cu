// How far apart the rows are is loaded data: one element, perhaps, and then these are packed.
struct Body {
    float x, y, z, vx, vy, vz, mass, charge;
};

__global__ void bodies(float *out, const Body *all, const int *pitch)
{
    const Body *own = (const Body *)((const float *)all + threadIdx.y * pitch[1]) + threadIdx.x;
    out[threadIdx.y * 2 + threadIdx.x] = own->mass * own->charge + own->x;  // undecided: CU104 (loaded address)
}

void launch(float *out, const Body *all, const int *pitch)
{
    bodies<<<64, dim3(2, 64)>>>(out, all, pitch);
}
