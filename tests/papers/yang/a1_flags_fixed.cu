// Four flags a thread, of four neighbouring values.
__global__ void above(char4 *flag, const float4 *from)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 v = from[i];
    flag[i] = make_char4(v.x > 0.5f, v.y > 0.5f, v.z > 0.5f, v.w > 0.5f);
}

void launch(char4 *flag, const float4 *from) { above<<<1024, 256>>>(flag, from); }
