// A kernel that counts threads along two axes, under a block whose shape nothing tells.
#include <map>
#include <string>
#include <tuple>
#include <vector>

std::map<std::string, dim3> &tuned();
template <class F, class... A> dim3 tune(const char *, F, A...);

// one thread along x, and the lanes lie along columns
__global__ void along_either(double *out, const double *in, int columns, int layers)
{
    int layer = blockIdx.x * blockDim.x + threadIdx.x;
    int column = blockIdx.y * blockDim.y + threadIdx.y;
    if (column < columns && layer < layers)
        out[layer * columns + column] = 2 * in[layer * columns + column];  // undecided: CU101 (fine with other values) "1×256"; CU101 (fine with other values)
}

// neither axis is that of neighbouring elements
__global__ void along_neither(double *out, const double *in, int columns, int layers, int parts)
{
    int layer = blockIdx.x * blockDim.x + threadIdx.x;
    int column = blockIdx.y * blockDim.y + threadIdx.y;
    if (column < columns && layer < layers) {
        double sum = 0;
        for (int k = 0; k < parts; k++)
            sum += in[(layer * columns + column) * parts + k];  // expect: CU101
        out[layer * columns + column] = sum;  // undecided: CU101 (fine with other values)
    }
}

// as many rows as the host says, and threads along x for what is left of 256
__global__ void borders(double *data, int width, int rows, int last)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int j = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < width && j < rows)
        data[j * width + i] = data[(last - rows + j) * width + i];  // undecided: CU101 (fine with other values) "32×8"; CU101 (fine with other values)
}

// the same where only numbers that are chosen for it lead
__global__ void only_line(double *data, int width, int rows, int first, int last)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int j = blockIdx.y * blockDim.y + threadIdx.y;
    if (last - first == 1)
        if (i < width && j < rows)
            data[(last + j) * width + i] = 1;  // undecided: CU101 (fine with other values) "32×8"
}

// the block is one of rows, as the source says
__global__ void lines(double *data, int width, int rows, int last)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int j = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < width && j < rows)
        data[j * width + i] = data[(last - rows + j) * width + i];  // also: CU101
}

void run(double *out, const double *in, int columns, int layers, int parts)
{
    dim3 block;
    if (tuned().count("either") == 0)
        tuned()["either"] = tune("either", along_either, out, in, columns, layers);
    block = tuned()["either"];
    dim3 grid((layers + block.x - 1) / block.x, (columns + block.y - 1) / block.y);
    along_either<<<grid, block>>>(out, in, columns, layers);
    dim3 other = tuned()["neither"];
    along_neither<<<dim3(layers, columns), other>>>(out, in, columns, layers, parts);
}

void border(double *data, int width, int rows, int first, int last)
{
    dim3 block(256 / rows + (256 % rows > 0), rows);
    borders<<<dim3(width / block.x + 1, 1), block>>>(data, width, rows, last);
    only_line<<<dim3(width / block.x + 1, 1), block>>>(data, width, rows, first, last);
    lines<<<dim3(width, rows / 256), dim3(1, 256)>>>(data, width, rows, last);  // expect: CU402
}

// what a tuner goes through, for both kinds of kernels
__global__ void tried_either(double *out, const double *in, int columns, int layers)
{
    int layer = blockIdx.x * blockDim.x + threadIdx.x;  // also: CU101
    int column = blockIdx.y * blockDim.y + threadIdx.y;
    if (column < columns && layer < layers)
        out[layer * columns + column] = 2 * in[layer * columns + column];  // undecided: CU101 (fine with other values) "1×256"; CU101 (fine with other values)
}

__global__ void tried_neither(double *out, const double *in, int columns, int layers)
{
    int layer = blockIdx.x * blockDim.x + threadIdx.x;  // also: CU101
    int column = blockIdx.y * blockDim.y + threadIdx.y;
    if (column < columns && layer < layers)
        out[layer * columns + column] = in[(layer * columns + column) * 16];  // expect: CU101 // undecided: CU101 (fine with other values)
}

// a shape that a caller gives has its rows along x
__global__ void given_either(double *out, const double *in, int columns, int layers)
{
    int layer = blockIdx.x * blockDim.x + threadIdx.x;  // also: CU101
    int column = blockIdx.y * blockDim.y + threadIdx.y;
    if (column < columns && layer < layers)
        out[layer * columns + column] = 2 * in[layer * columns + column];  // expect: CU101
}

void fastest(const std::vector<unsigned> &widths, const std::vector<unsigned> &heights, double *out, const double *in, int columns, int layers)
{
    for (unsigned x : widths)
        for (unsigned y : heights) {
            dim3 block{x, y, 1}, grid{(layers + x - 1) / x, (columns + y - 1) / y, 1};
            tried_either<<<grid, block>>>(out, in, columns, layers);
            tried_neither<<<grid, block>>>(out, in, columns, layers);
        }
}

void given(unsigned x, unsigned y, double *out, const double *in, int columns, int layers)
{
    dim3 block(x, y), grid((layers + x - 1) / x, (columns + y - 1) / y);
    given_either<<<grid, block>>>(out, in, columns, layers);
}
