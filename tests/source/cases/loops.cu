// Counters of host loops: the first, a middle and the last of the values that they really take.
__global__ void k(int n, float *a) {}
__global__ void two(int n, int m) {}
int more();
void loops(float *a, int n, int count) {
    for (int s = 1; s < 1024; s *= 2)
        k<<<s, 32>>>(s, a);  // launch: k grid=(1,1,1) block=(32,1,1) n=1 | k grid=(32,1,1) block=(32,1,1) n=32 | k grid=(512,1,1) block=(32,1,1) n=512
    for (int i = 0; i < 1000000; i += 3)
        k<<<1, 32>>>(i, a);  // launch: k grid=(1,1,1) block=(32,1,1) n=0 | k grid=(1,1,1) block=(32,1,1) n=499998 | k grid=(1,1,1) block=(32,1,1) n=999999
    for (int i = 100; i > 0; i--)
        k<<<1, 32>>>(i, a);  // launch: k grid=(1,1,1) block=(32,1,1) n=100 | k grid=(1,1,1) block=(32,1,1) n=51 | k grid=(1,1,1) block=(32,1,1) n=1
    for (unsigned size = 2; size <= 4; size <<= 1)
        for (unsigned j = size >> 1; j > 0; j = j >> 1)
            two<<<1, 1>>>(size, j);  // launch: two grid=(1,1,1) block=(1,1,1) n=2 m=1 | two grid=(1,1,1) block=(1,1,1) n=4 m=2 | two grid=(1,1,1) block=(1,1,1) n=4 m=1
    for (int i = 4; i < n; i++)  // no more than the start is known
        k<<<1, 32>>>(i, a);  // launch: k grid=(1,1,1) block=(32,1,1) n=4 | k grid=(1,1,1) block=(32,1,1) n=5 if `i < n` | k grid=(1,1,1) block=(32,1,1) n=9 if `i < n`
    for (int i = n; i < 9; i++) k<<<1, 32>>>(i, a);  // launch: k grid=(1,1,1) block=(32,1,1) n=?
    for (int i = 0; i < 1; i++) k<<<1, 32>>>(i, a);  // launch: k grid=(1,1,1) block=(32,1,1) n=0
    for (int i = 9; i < 9; i++) k<<<1, 32>>>(i, a);  // launch: k grid=(1,1,1) block=(32,1,1) n=?
    for (int i = 1; i < 9; i++) {
        k<<<1, 32>>>(i, a);  // launch: k grid=(1,1,1) block=(32,1,1) n=?
        i += more();
    }
    for (int i = 1, j = 5; i < 4; i++, j += 2)
        two<<<1, 32>>>(j, i);  // launch: two grid=(1,1,1) block=(32,1,1) n=5 m=1 | two grid=(1,1,1) block=(32,1,1) n=7 m=2 | two grid=(1,1,1) block=(32,1,1) n=9 m=3
    int stop = 0;
    for (int i = 1; i < 4 && !stop; i++) {
        stop = more();
        k<<<1, 32>>>(i, a);  // launch: k grid=(1,1,1) block=(32,1,1) n=?
    }
    int t = 512;
    while (t > 100) {
        t /= 2;
        k<<<1, t>>>(1, a);  // launch: k grid=(1,1,1) block=(256,1,1) | k grid=(1,1,1) block=(128,1,1) | k grid=(1,1,1) block=(64,1,1)
    }
    k<<<1, t>>>(1, a);  // launch: k grid=(1,1,1) block=(64,1,1)
    int next = 0;
    while (next < 3) {
        int current = next;
        next = (current + 1) % 5;
        k<<<1, 32>>>(current, a);  // launch: k grid=(1,1,1) block=(32,1,1) n=0 | k grid=(1,1,1) block=(32,1,1) n=1 | k grid=(1,1,1) block=(32,1,1) n=2
    }
    for (int i = 1; i < 5; i = i * i) k<<<1, 32>>>(i, a);  // launch: k grid=(1,1,1) block=(32,1,1) n=1
}
