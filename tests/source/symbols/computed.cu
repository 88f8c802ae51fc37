// What the host computes and copies is what a run of the program says, from `main` on.
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

struct Step { int from; float rate; int change[2]; };

__constant__ int squares[4];
__constant__ Step steps[2], listed[2], pushed[2];
__constant__ float weights[4], partly[2];
__constant__ char pattern[4];
__constant__ int drawn[2], answered[2], frame[2], rows[4], perhaps, back[2];

__global__ void k(int *out) { out[threadIdx.x] = squares[threadIdx.x & 3]; }

static void set(const float *values, int n)
{
    cudaMemcpyToSymbol(weights, values, n * sizeof(float)); // holds: weights 0=0.5 4=0.25 8=0.125 12=0.0625
}

int main(int argc, char **argv)
{
    int table[4];
    for (int i = 0; i < 4; i++)
        table[i] = i * i;
    cudaMemcpyToSymbol(squares, table, sizeof table); // holds: squares 0=0 4=1 8=4 12=9

    Step made[2] = {{0, 1.5f, {1, -1}}, {1, 2.0f, {0, 7}}};
    cudaMemcpyToSymbol(steps, made, sizeof made); // holds: steps 0=0 4=1.5 8=1 12=-1 16=1 20=2 24=0 28=7

    std::vector<Step> given(2);
    for (int i = 0; i < 2; i++)
        given[i] = {i + 3, 0.5f * i, {i, i}};
    cudaMemcpyToSymbol(listed, given.data(), given.size() * sizeof(Step)); // holds: listed 0=3 4=0 8=0 12=0 16=4 20=0.5 24=1 28=1

    std::vector<Step> more;
    for (int i = 0; i < 2; i++)
        more.push_back({i, 1.0f, {2, 3}});
    cudaMemcpyToSymbol(pushed, &more[0], 2 * sizeof(Step)); // holds: pushed 0=0 4=1 8=2 12=3 16=1 20=1 24=2 28=3

    std::vector<float> halves(4);
    for (int i = 0; i < 4; i++)
        halves[i] = 0.5f / (1 << i);
    set(halves.data(), 4);

    std::string word = "abc";
    cudaMemcpyToSymbol(pattern, word.c_str(), word.size()); // holds: pattern 0=97 1=98 2=99

    float one[2];
    one[1] = 3.0f; // the other element is what lay there
    cudaMemcpyToSymbol(partly, one, sizeof one); // holds: partly 4=3

    int random[2];
    for (int i = 0; i < 2; i++)
        random[i] = rand();
    cudaMemcpyToSymbol(drawn, random, sizeof random); // holds: drawn ?

    int asked[2] = {1, 2};
    if (scanf("%d", &asked[0]) == 1)
        asked[1] = 5;
    cudaMemcpyToSymbol(answered, asked, sizeof asked); // holds: answered 4=2 | answered 4=5

    int *device, held[2] = {0, 0};
    cudaMalloc(&device, sizeof held);
    cudaMemcpy(held, device, sizeof held, cudaMemcpyDeviceToHost);
    cudaMemcpyToSymbol(back, held, sizeof held); // holds: back ?

    for (int f = 0; f < 3; f++) {
        int now[2] = {7, f};
        cudaMemcpyToSymbol(frame, now, sizeof now); // holds: frame 0=7 4=0 | frame 0=7 4=1 | frame 0=7 4=2
    }
    for (int r = 0; r < 4; r++) {
        int row = 10 * r;
        cudaMemcpyToSymbol(rows, &row, sizeof row, r * sizeof(int)); // holds: rows 0=0 | rows 8=20 | rows 12=30
    }
    if (rand() > 7) {
        int sum = 0;
        for (int i = 0; i < 3; i++)
            sum += i;
        cudaMemcpyToSymbol(perhaps, &sum, sizeof sum); // holds: perhaps 0=3
    }
    k<<<1, 32>>>(device);
    return 0;
}
