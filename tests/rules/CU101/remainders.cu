// Who goes round as many elements as nobody says may go round three.
struct Box { float low[3], high[3]; };

__global__ void hits(bool *hit, const float *at, const Box *boxes, int rays, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= rays * n)
        return;
    int ray = i / n, box = i % n;  // undecided: CU705 (the rule's own)
    bool in = true;
    for (int k = 0; k < 3; k++)
        in &= at[ray] >= boxes[box].low[k] && at[ray] <= boxes[box].high[k];  // undecided: CU101 (the rule's own) "goes round"
    hit[i] = in;
}

// ok: whatever rows are long, neighbours read down a column
__global__ void turned(float *out, const float *in, int w, int h)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < w * h)
        out[i] = in[i % w * h + i / w];  // expect: CU101  // undecided: CU705 (the rule's own)
}

void launch(bool *hit, float *out, const float *in, const Box *boxes, int rays, int n, int w, int h)
{
    hits<<<(rays * n + 255) / 256, 256>>>(hit, in, boxes, rays, n);
    turned<<<(w * h + 255) / 256, 256>>>(out, in, w, h);
}
