// The host's vector types, of which classes shared with device code have members; nothing of device
// code computes with them (Intel Intrinsics Guide, "Data Types").
#pragma once
struct alignas(16) __m128 { float lanes[4]; };
struct alignas(16) __m128d { double lanes[2]; };
struct alignas(16) __m128i { long long lanes[2]; };
struct alignas(32) __m256 { float lanes[8]; };
struct alignas(32) __m256d { double lanes[4]; };
struct alignas(32) __m256i { long long lanes[4]; };
