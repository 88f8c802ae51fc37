#define OF_CUDA(x) x
using Texture = unsigned long long;
