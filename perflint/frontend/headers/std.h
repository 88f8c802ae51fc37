// What pre.h does not have of C++'s library is libcu++'s, where its headers are included.
#pragma once
namespace cuda {
namespace std {}
}  // namespace cuda
namespace std {
using namespace ::cuda::std;
}  // namespace std
