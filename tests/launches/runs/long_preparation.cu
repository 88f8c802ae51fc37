// Loops that launch nothing leave the steps to those that do; what they may have changed is open.
#include <cmath>
#include <cstdlib>
#include <vector>
#define MANY 3000
__global__ void k(double *a, int n, int m) {
    int i = threadIdx.x;
    if (i < n) a[i] *= m;
}
double table[MANY][60];
void prepare(double by) {
    for (int i = 0; i < MANY; i++)
        for (int j = 0; j < 60; j++) {
            double up = 1.0;
            if (i == 0) up = 2.0; else if (j == 59) up = 3.0;
            for (int t = 0; t < 3; t++) table[i][j] = up * sin(by * t);
        }
    for (int i = 0; i < MANY; i++)
        for (int j = 0; j < 60; j++) {
            double up = 1.0;
            if (i == 1) up = 2.0; else if (j == 59) up = 3.0;
            for (int t = 0; t < 3; t++) table[i][j] = up * sin(by * t);
        }
    for (int i = 0; i < MANY; i++)
        for (int j = 0; j < 60; j++) {
            double up = 1.0;
            if (i == 2) up = 2.0; else if (j == 59) up = 3.0;
            for (int t = 0; t < 3; t++) table[i][j] = up * sin(by * t);
        }
    for (int i = 0; i < MANY; i++)
        for (int j = 0; j < 60; j++) {
            double up = 1.0;
            if (i == 3) up = 2.0; else if (j == 59) up = 3.0;
            for (int t = 0; t < 3; t++) table[i][j] = up * sin(by * t);
        }
    for (int i = 0; i < MANY; i++)
        for (int j = 0; j < 60; j++) {
            double up = 1.0;
            if (i == 4) up = 2.0; else if (j == 59) up = 3.0;
            for (int t = 0; t < 3; t++) table[i][j] = up * sin(by * t);
        }
    for (int i = 0; i < MANY; i++)
        for (int j = 0; j < 60; j++) {
            double up = 1.0;
            if (i == 5) up = 2.0; else if (j == 59) up = 3.0;
            for (int t = 0; t < 3; t++) table[i][j] = up * sin(by * t);
        }
    for (int i = 0; i < MANY; i++)
        for (int j = 0; j < 60; j++) {
            double up = 1.0;
            if (i == 6) up = 2.0; else if (j == 59) up = 3.0;
            for (int t = 0; t < 3; t++) table[i][j] = up * sin(by * t);
        }
}
int counted(int most) {
    int found = 0;
    for (int i = 0; i < MANY * 1000; i++) {
        if (i == 0) found = 1;
        else found += 2;
        if (found > most) break;
    }
    return found;
}
int main() {
    double *a;
    cudaMalloc(&a, 1 << 20);
    prepare(0.5);
    std::vector<int> squares;
    for (int i = 0; i < 5; i++) squares.push_back(i * i);
    int odd = counted(60) + squares[3], open = 0;
    for (int i = 0; i < MANY * 1000; i++) {
        if (i == 0) open = 1;
        else open += 2;
    }
    k<<<1, 32>>>(a, 500, odd);  // told: n=500 m=70
    k<<<2, 32>>>(a, 500, open);  // told: n=500; open: m
}
