// CCCL's class of the host's, which classes and functions shared with device code name.
#pragma once
namespace cuda {
class stream_ref {
  cudaStream_t stream = 0;

public:
  using value_type = cudaStream_t;
  stream_ref() = default;
  constexpr stream_ref(cudaStream_t of) noexcept : stream(of) {}
  constexpr cudaStream_t get() const noexcept { return stream; }
};
}  // namespace cuda
