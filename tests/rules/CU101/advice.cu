// What is advised must help with the block and the data at hand.

// Rows of four threads are 16 bytes: exchanged axes alone leave half a sector to each.
__global__ void narrow(float *out, const float *in, int n)
{
    int x = blockIdx.x * 4 + threadIdx.x, y = blockIdx.y * 4 + threadIdx.y;
    out[y * n + x] = in[x * n + y] * 2.0f;  // expect: CU101 "load from `in`" "4 sectors per request where 2" "in blocks 32 threads wide in x"; CU101 "store to `out`" "make the block at least 32 threads wide in x"
}

// Rows of 16 threads fill two sectors each.
__global__ void wide(float *out, const float *in, int n)
{
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    out[y * n + x] = in[x * n + y] * 2.0f;  // expect: CU101 "load from `in`" "`in` and `out` lie across each other"
}

// Sorted indices still pick elements of rows that are a pitch apart.
__global__ void column(float *out, const float *in, const int *place, int pitch)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[place[i] * pitch];  // expect: CU101 "load from `in`" "4096 bytes apart, so that no order of the work packs it"
}

// Two of four floats of an element.
struct Point {
    float x, y, u, v;
};

__global__ void placed(Point *points, const float *x, const float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    points[i].x = x[i];  // expect: CU101 "each thread writes 8 of the 16 bytes"
    points[i].y = y[i];  // also: CU101
}

// Three of four channels behind an index that is held within the image.
__global__ void blurred(float *out, const float *pixels, int w, int h)
{
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    float red = 0.0f, green = 0.0f, blue = 0.0f;
    for (int d = -2; d <= 2; d++) {
        int at = (y * w + min(max(x + d, 0), w - 1)) * 4;
        red += pixels[at];  // expect: CU101 "read the 16 bytes that hold them with one aligned access"
        green += pixels[at + 1];  // also: CU101
        blue += pixels[at + 2];  // also: CU101
    }
    out[y * w + x] = red * green * blue;
}

// A column of a triangle, whose rows grow.
__global__ void triangle(float *out, const float *in, int column)
{
    int k = column + 1 + blockIdx.x * blockDim.x + threadIdx.x;
    out[k] = in[k * (k - 1) / 2 + column];  // expect: CU101 "as if it were transposed"
}

// A wave front: i + j + k is the same in all threads. No exchange of axes makes them neighbours.
__global__ void front(float *next, const float *u, int sum, int nx, int ny)
{
    int k = blockIdx.x + 1, j = threadIdx.x + 1, i = sum - j - k;
    if (i < 1 || i >= nx) return;
    next[(k * ny + j) * nx + i] = 0.5f * u[(k * ny + j) * nx + i];  // expect: CU101 "keep each diagonal as a row"  // also: CU101
}

// Each thread has a square of the field, along whose rows it walks.
__global__ void squares(float *out, const float *field, int side, int pitch)
{
    int row = threadIdx.y * side, column = threadIdx.x * side;
    float sum = 0.0f;
    for (int i = 0; i < side; i++)
        for (int j = 0; j < side; j++)
            sum += field[(row + i) * pitch + column + j];  // expect: CU101 "each going on by as many as there are threads in x"  // also: CU404
    out[threadIdx.y * 32 + threadIdx.x] = sum;
}

void launch(float *out, const float *in, const int *place)
{
    placed<<<4096, 256>>>((Point *)out, in, in + (1 << 20));
    triangle<<<64, 256>>>(out, in, 1000);
    front<<<64, 256>>>(out, in, 700, 1024, 512);
    blurred<<<dim3(64, 64), dim3(16, 16)>>>(out, in, 1024, 1024);
    squares<<<1, dim3(32, 32)>>>(out, in, 40, 1280);  // expect: CU404
    narrow<<<dim3(256, 256), dim3(4, 4)>>>(out, in, 1024);  // expect: CU403; CU405
    wide<<<dim3(64, 64), dim3(16, 16)>>>(out, in, 1024);
    column<<<64, 256>>>(out, in, place, 1024);
}
