// In place of DirectXMath's header: the storage types, which vertices in shared buffers are made of.
#pragma once
namespace DirectX {
struct XMFLOAT2 {
  float x, y;
};
struct XMFLOAT3 {
  float x, y, z;
};
struct XMFLOAT4 {
  float x, y, z, w;
};
struct XMFLOAT4X4 {
  float m[4][4];
};
}  // namespace DirectX
