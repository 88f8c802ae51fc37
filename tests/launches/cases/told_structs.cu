// A function that reads the program's arguments returns what it gives where nobody says otherwise.
#include <cstdlib>
#include <cstring>
#include <string>
__global__ void plain(float *a, int n, float by) { a[threadIdx.x] += n * by; }
struct Settings { int width, height; const char *name; float by; };
static Settings parse(int count, char *given[]) {
    Settings s = {640, 480, "out", 0.5f};
    for (int i = 1; i < count; ++i) {
        std::string word = given[i];
        if (word == "-w" && i + 1 < count) s.width = atoi(given[++i]);
        else if (word.rfind("by=", 0) == 0) s.by = std::stof(word.substr(3));
    }
    return s;
}
static Settings fitted(int most) {
    int best = 1;
    for (int x = 1; x < most; x += x)
        for (int y = x; y < most; y += 3)
            if (x * y % 7 > best % 7) best = x * y;
    return {best, best, "out", 1.f};
}
bool load(const char *path, int *size);
int main(int argc, char **argv) {
    float *a = nullptr;
    Settings s = parse(argc, argv);
    plain<<<s.height, 64>>>(a, s.width, s.by); // tried: plain<<<480, 64>>>(n=640, by=0.5)
    int size = 3000, other = 200;
    const char *path = NULL;
    if (argc > 1) path = argv[1];
    if (path) load(path, &size);
    plain<<<1, 96>>>(a, size, 2.f); // tried: plain<<<1, 96>>>(n=3000, by=2.0)
    Settings f = fitted(1000);
    plain<<<2, 64>>>(a, f.width, 3.f); // tried: plain<<<2, 64>>>(n=1280, by=3.0) | plain<<<2, 64>>>(n=96, by=3.0)
    load("fixed", &other);
    plain<<<1, 128>>>(a, other, 2.f); // tried: plain<<<1, 128>>>(n=1280, by=2.0) | plain<<<1, 128>>>(n=96, by=2.0)
}
