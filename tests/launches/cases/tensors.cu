// Sizes of tensors: those that they are made with, and those of the tensors that they are like.
#include <torch/extension.h>

__global__ void rows(const float *in, float *out, long rows, long all, long columns) {
    long i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < all) out[i] = in[i * columns % rows];
}

torch::Tensor listed(torch::Tensor in, int r, int c) {
    auto out = torch::empty({r, c}, in.options());
    const auto b = out.size(0);
    rows<<<(r * c + 255) / 256, 256>>>(in.data_ptr<float>(), out.data_ptr<float>(), b, out.numel(), out.size(1));  // tried: rows<<<5760, 256>>>(rows=1280, all=1474560, columns=1152) | rows<<<60, 256>>>(rows=96, all=15360, columns=160)
    return out;
}

torch::Tensor like(torch::Tensor in) {
    auto out = torch::zeros_like(in.contiguous());
    rows<<<(in.size(0) * in.size(1) + 127) / 128, 128>>>(in.data_ptr<float>(), out.data_ptr<float>(), out.size(0), out.numel(), out.stride(0));  // tried: rows<<<11520, 128>>>(rows=1280, all=1474560, columns=1152) | rows<<<120, 128>>>(rows=96, all=15360, columns=160)
    return out;
}

void of_three(torch::Tensor x) {
    TORCH_CHECK(x.dim() == 3, "a batch of matrices");
    auto input = x.contiguous();
    const auto sizes = input.sizes();
    rows<<<(sizes[0] * x.sizes()[1] * x.size(-1) + 63) / 64, 64>>>(x.data_ptr<float>(), nullptr, input.size(0), x.numel(), input.stride(0));  // tried: rows<<<430080, 64>>>(rows=320, all=27525120, columns=86016) | rows<<<53760, 64>>>(rows=96, all=3440640, columns=35840)
}

static void launch(const at::Tensor &t, at::Tensor o) {
    rows<<<t.size(0) / 32, 32>>>(t.data_ptr<float>(), o.data_ptr<float>(), o.size(0), t.numel(), o.size(1));  // tried: rows<<<40, 32>>>(rows=1280, all=1474560, columns=2304) | rows<<<3, 32>>>(rows=96, all=15360, columns=320)
}

void handed_on(at::Tensor in) {
    auto out = at::empty({in.size(0), 2 * in.size(1)}, in.options());
    launch(in, out);
}
__global__ void pointed(const float4 *a, float *b, int inner, int outer) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < outer) b[i * inner] = a[i].x;
}
// Pointers are no sizes: each one that was taken for such made two sizes equal in the end.
void pointers(torch::Tensor x, torch::Tensor y, torch::Tensor z) {
    auto a = reinterpret_cast<float4 *>(x.data_ptr<float>());
    auto b = reinterpret_cast<float *>(y.data_ptr<float>());
    auto c = y.data_ptr<float>();
    auto d = &c;
    pointed<<<x.size(0) / 32, 32>>>(a, b, x.size(1), z.size(0));  // tried: pointed<<<40, 32>>>(inner=1152, outer=1408) | pointed<<<3, 32>>>(inner=160, outer=224)
}
