// One thread turns angles into a matrix: the loops over a table of large angles are the functions'.
__global__ void rotation(double *m, const double *angles)
{
    double phi = 1e9 * angles[0], theta = 1e9 * angles[1], psi = 1e9 * angles[2];
    if (threadIdx.x == 0) {
        double ct = cos(theta), st = sin(theta), cp = cos(phi), sp = sin(phi);
        double cs = cos(psi), ss = sin(psi);
        m[0] = cs * cp - ct * sp * ss;
        m[1] = -ss * cp - ct * sp * cs;
        m[2] = st * sp;
        m[3] = cs * sp + ct * cp * ss;
    }
}

// One thread adds up a row that it loads.
__global__ void sum(double *m, const double *row)
{
    if (threadIdx.x == 0) {  // expect: CU901 "one thread of each block does this alone"
        double all = 0.0;
        for (int i = 0; i < 1024; i++)  // also: CU901
            all += row[blockIdx.x * 1024 + i];  // also: CU901
        m[blockIdx.x] = all;
    }
}

void launch(double *m, const double *row)
{
    rotation<<<1, 256>>>(m, row);
    sum<<<512, 256>>>(m, row);
}
