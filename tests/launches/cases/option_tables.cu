// A table of options with the addresses of what they set: nobody sets it but who runs the program.
#include <cstdlib>
#include <cstring>
__global__ void plain(float *a, int n) { a[threadIdx.x] += n; }

struct Options {
    int n = 8192;
    int given = 512;
};
void ask(int *number);

static bool read(int argc, char **argv, Options &o)
{
    struct { const char *name; int *to; } table[] = {{"-n", &o.n}};
    for (int i = 1; i + 1 < argc; i += 2)
        for (auto &each : table)
            if (!strcmp(argv[i], each.name)) *each.to = atoi(argv[i + 1]);
    ask(&o.given);
    return o.n > 0;
}

int main(int argc, char **argv)
{
    Options o;
    if (!read(argc, argv, o)) return 1;
    float *a;
    cudaMalloc(&a, 4096);
    plain<<<o.n / 128, 128>>>(a, o.n);  // tried: plain<<<64, 128>>>(n=8192)
    plain<<<4, 64>>>(a, o.given);  // tried: plain<<<4, 64>>>(n=1152) | plain<<<4, 64>>>(n=160)
}
