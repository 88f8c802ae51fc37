// A method is entered on the object that its caller declares: sizes of others, on which it is never
// called, are not its own. And what one caller excludes is not asked of it for each of them again.
class Board {
    int columns, lines;
    int *marks;
  public:
    Board(int c, int l);
    void turn(int side);
    void turn_fast(int side);
};

__global__ void turns(int *marks, int columns, int lines) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < columns && y < lines) marks[y * columns + x] ^= 1;
}
__global__ void turns_fast(int *marks, int columns, int lines) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < columns && y < lines) marks[y * columns + x] ^= 3;
}

void turn_all(int side, int columns, int lines, int *marks, bool fast) {
    dim3 block(side, side), grid((columns + side - 1) / side, (lines + side - 1) / side);
    if (fast)
        turns_fast<<<grid, block>>>(marks, columns, lines); // tried: turns_fast<<<(32, 16), (8, 8)>>>(columns=256, lines=128)
        // passed: marks=131072, columns=256, lines=128
    else
        turns<<<grid, block>>>(marks, columns, lines); // tried: turns<<<(24, 12), (4, 4)>>>(columns=96, lines=48)
        // passed: marks=18432, columns=96, lines=48
}

Board::Board(int c, int l) {
    columns = c;
    lines = l;
    cudaMalloc(&marks, columns * lines * sizeof(int));
}
void Board::turn(int side) { turn_all(side, columns, lines, marks, false); }
void Board::turn_fast(int side) { turn_all(side, columns, lines, marks, true); }

void shows() {
    Board one(3, 5), two(7, 11);
    Board *three = new Board(13, 17), *four = new Board(19, 23), *five = new Board(29, 31);
    Board six(37, 41), seven(43, 47), eight(53, 59), nine(61, 67), ten(71, 73), eleven(79, 83);
    Board twelve(10, 11), thirteen(12, 13), fourteen(14, 15), fifteen(16, 17), sixteen(18, 19);
    Board a(20, 21), b(22, 23), c(24, 25), d(26, 27), e(28, 29), f(30, 31), g(32, 33), h(34, 35);
}
void slow() {
    Board board(96, 48);
    board.turn(4);
}
void fast() {
    Board *board = new Board(256, 128);
    board->turn_fast(8);
}
