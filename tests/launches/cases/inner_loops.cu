// Loops that turn in some turns only of those around them: a launch is made in no other.
__global__ void stage(float *a, int j, int k) { a[(threadIdx.x ^ j) + k] = 1; }
__global__ void tail(float *a, int k) { a[threadIdx.x + k] = 1; }
void sorted(float *a) {
    const int n = 1 << 20;
    for (int k = 2; k <= n; k <<= 1) {
        for (int j = k >> 1; j > 1024; j >>= 1) {
            stage<<<n / 256, 256>>>(a, j, k); // tried: stage<<<4096, 256>>>(j=524288, k=1048576) ; stage<<<4096, 256>>>(j=32768, k=1048576) ; stage<<<4096, 256>>>(j=2048, k=1048576)
        }
        tail<<<n / 256, 256>>>(a, k); // tried: tail<<<4096, 256>>>(k=2) ; tail<<<4096, 256>>>(k=2048) ; tail<<<4096, 256>>>(k=1048576)
    }
}
// What turns in none, hanging on no other loop, is read as before: nobody knows why.
void none(float *a) {
    int n = 0;
    for (int k = 0; k < n; k++) tail<<<8, 256>>>(a, k); // tried: tail<<<8, 256>>>(k=1280) | tail<<<8, 256>>>(k=96) contradicts
}
