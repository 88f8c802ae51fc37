// What constructors alone launch is done once, before what methods do again and again.
__global__ void table_of_corners(float *table, const float *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    table[i] = in[i * 64];  // undecided: CU101 (hardly launched) "constructors alone launch it"
}

// ok to tell: a method does so
__global__ void detect(float *out, const float *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i * 64];  // expect: CU101
}

// ok to tell: a constructor's loop does so
__global__ void relax(float *out, const float *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i * 64];  // expect: CU101
}

void make_table(float *table, const float *in)
{
    table_of_corners<<<64, 256>>>(table, in);
}

class Detector {
public:
    Detector(float *table, float *out, const float *in, int turns);
    void operate();

private:
    float *out_;
    const float *in_;
};

Detector::Detector(float *table, float *out, const float *in, int turns) : out_(out), in_(in)
{
    make_table(table, in);
    for (int turn = 0; turn < turns; turn++)
        relax<<<512, 256>>>(out, in);
}

void Detector::operate()
{
    detect<<<512, 256>>>(out_, in_);
}
