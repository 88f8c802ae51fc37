// Random-forest inference on tabular data with vote counting and accuracy.
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CK(x) do { cudaError_t e = (x); if (e != cudaSuccess) { fprintf(stderr, "%d: %s\n", __LINE__, cudaGetErrorString(e)); exit(1); } } while (0)

constexpr int kFeatures = 32;
constexpr int kClasses = 8;
constexpr int kDepth = 8;
constexpr int kNodes = (1 << (kDepth + 1)) - 1;

struct Node {
    int feature;
    float threshold;
    int leaf_class;
    int pad;
};

__global__ void standardise(float* __restrict__ x, const float* __restrict__ mean, const float* __restrict__ inv_std, int total)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= total) return;
    int f = i % kFeatures;
    x[i] = (x[i] - mean[f]) * inv_std[f];
}

__global__ void forest_predict(const Node* __restrict__ trees, const float* __restrict__ x, unsigned char* __restrict__ pred, int n, int ntrees)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int votes[kClasses] = {0};
    for (int t = 0; t < ntrees; ++t) {
        const Node* tree = trees + t * kNodes;
        int k = 0;
        while (tree[k].leaf_class < 0) {
            float v = x[(size_t)i * kFeatures + tree[k].feature];
            k = 2 * k + (v > tree[k].threshold ? 2 : 1);
        }
        votes[tree[k].leaf_class]++;
    }
    int best = 0;
#pragma unroll
    for (int c = 1; c < kClasses; ++c)
        if (votes[c] > votes[best]) best = c;
    pred[i] = (unsigned char)best;
}

__global__ void confusion(const unsigned char* __restrict__ pred, const unsigned char* __restrict__ truth, int* __restrict__ mat, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        atomicAdd(&mat[truth[i] * kClasses + pred[i]], 1);
}

__global__ void summarise(const int* __restrict__ mat, float* __restrict__ acc)
{
    int hit = 0, all = 0;
    for (int c = threadIdx.x; c < kClasses * kClasses; c += 32) {
        int v = mat[c];
        all += v;
        if (c % (kClasses + 1) == 0) hit += v;
    }
    for (int o = 16; o; o >>= 1) {
        hit += __shfl_down_sync(~0u, hit, o);
        all += __shfl_down_sync(~0u, all, o);
    }
    if (threadIdx.x == 0) *acc = float(hit) / all;
}

int main(int argc, char** argv)
{
    const int n = argc > 1 ? atoi(argv[1]) : 131072;
    const int ntrees = argc > 2 ? atoi(argv[2]) : 64;
    unsigned s = 17;
    auto rnd = [&s]() { s = s * 1664525u + 1013904223u; return s >> 8; };
    std::vector<Node> trees((size_t)ntrees * kNodes);
    for (int t = 0; t < ntrees; ++t)
        for (int k = 0; k < kNodes; ++k) {
            bool leaf = k >= kNodes / 2;
            trees[(size_t)t * kNodes + k] = Node{int(rnd() % kFeatures), float(rnd() % 2001) / 1000.f - 1.f, leaf ? int(rnd() % kClasses) : -1, 0};
        }
    std::vector<float> x((size_t)n * kFeatures), mean(kFeatures, 0.5f), istd(kFeatures, 3.4641f);
    for (auto& v : x) v = rnd() / 16777216.f;
    std::vector<unsigned char> truth(n);
    for (int i = 0; i < n; ++i) {
        int votes[kClasses] = {0};
        for (int t = 0; t < ntrees; t += 4) {
            const Node* tr = &trees[(size_t)t * kNodes];
            int k = 0;
            while (tr[k].leaf_class < 0)
                k = 2 * k + ((x[(size_t)i * kFeatures + tr[k].feature] - 0.5f) * 3.4641f > tr[k].threshold ? 2 : 1);
            votes[tr[k].leaf_class]++;
        }
        int b = 0;
        for (int c = 1; c < kClasses; ++c) if (votes[c] > votes[b]) b = c;
        truth[i] = (unsigned char)b;
    }
    Node* d_trees; float *d_x, *d_mean, *d_istd, *d_acc; unsigned char *d_pred, *d_truth; int* d_mat;
    CK(cudaMalloc(&d_trees, trees.size() * sizeof(Node)));
    CK(cudaMalloc(&d_x, x.size() * sizeof(float)));
    CK(cudaMalloc(&d_mean, kFeatures * sizeof(float)));
    CK(cudaMalloc(&d_istd, kFeatures * sizeof(float)));
    CK(cudaMallocManaged(&d_acc, sizeof(float)));
    CK(cudaMalloc(&d_pred, n));
    CK(cudaMalloc(&d_truth, n));
    CK(cudaMalloc(&d_mat, kClasses * kClasses * sizeof(int)));
    CK(cudaMemset(d_mat, 0, kClasses * kClasses * sizeof(int)));
    CK(cudaMemcpy(d_trees, trees.data(), trees.size() * sizeof(Node), cudaMemcpyHostToDevice));
    CK(cudaMemcpy(d_x, x.data(), x.size() * sizeof(float), cudaMemcpyHostToDevice));
    CK(cudaMemcpy(d_mean, mean.data(), kFeatures * sizeof(float), cudaMemcpyHostToDevice));
    CK(cudaMemcpy(d_istd, istd.data(), kFeatures * sizeof(float), cudaMemcpyHostToDevice));
    CK(cudaMemcpy(d_truth, truth.data(), n, cudaMemcpyHostToDevice));

    const int total = n * kFeatures;
    standardise<<<(total + 255) / 256, 256>>>(d_x, d_mean, d_istd, total);
    forest_predict<<<(n + 127) / 128, 128>>>(d_trees, d_x, d_pred, n, ntrees);
    confusion<<<(n + 255) / 256, 256>>>(d_pred, d_truth, d_mat, n);
    summarise<<<1, 32>>>(d_mat, d_acc);
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());
    float acc = *d_acc;
    printf("agreement with the thinned forest %.3f %s\n", acc, acc > 0.2f ? "OK" : "FAIL");
    for (void* p : {(void*)d_trees, (void*)d_x, (void*)d_mean, (void*)d_istd, (void*)d_acc, (void*)d_pred, (void*)d_truth, (void*)d_mat}) cudaFree(p);
    return acc > 0.2f ? 0 : 1;
}
