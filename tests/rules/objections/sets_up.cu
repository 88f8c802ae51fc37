// A library's kernel that sets up what others work on is run once before them, as its name says.

__global__ void initSpread(float *out, const float *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i * 64];  // undecided: CU101 (hardly launched) "no loop launches it"
}

// ok: in a loop, it is no set-up
__global__ void initialize_turn(float *out, const float *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i * 64];  // expect: CU101
}

__global__ void step(float *out, const float *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i * 64];  // expect: CU101
}

// What is only initial is what it works on.
__global__ void initials(float *out, const float *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i * 64];  // expect: CU101
}

void prepare(float *out, const float *in)
{
    initSpread<<<512, 256>>>(out, in);
    initials<<<512, 256>>>(out, in);
}

void run(float *out, const float *in, int turns)
{
    for (int turn = 0; turn < turns; turn++) {
        initialize_turn<<<512, 256>>>(out, in);
        step<<<512, 256>>>(out, in);
    }
}

// Only the constructor of what runs the others launches it, whatever its name.
__global__ void scatter(float *out, const float *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i * 64];  // undecided: CU101 (hardly launched) "constructors alone launch it"
}

__global__ void moved(float *out, const float *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = 0.5f * in[i * 64];  // expect: CU101
}

// ok: a method launches it, too
__global__ void shuffled(float *out, const float *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i * 64] + 1.0f;  // expect: CU101
}

class Swarm {
public:
    Swarm(float *out, const float *in) : out(out), in(in)
    {
        scatter<<<512, 256>>>(out, in);
        shuffled<<<512, 256>>>(out, in);
    }

    void turn()
    {
        moved<<<512, 256>>>(out, in);
        shuffled<<<512, 256>>>(out, in);
    }

private:
    float *out;
    const float *in;
};
