// Accesses: `// access: text direction[ array=…][ origin=…][ space=…] | …` in column order.
struct Node { int start; float v[4]; Node *next; };
__constant__ float weights[16];
__device__ float table[64];
__device__ float helper(float *p, int i) {
    return p[i];  // access: p[i] L array=p
}
__global__ void k(float *a, const float *__restrict__ b, int *c, Node *nodes, float **rows, int n) {
    extern __shared__ float dynamic[];
    __shared__ float tile[32][33];
    float local[4];
    int i = threadIdx.x;
    a[i * n + 1] = b[i];  // access: a[i * n + 1] S | b[i] L
    a[i] += 2 * b[c[i]];  // access: a[i] LS | b[c[i]] L | c[i] L
    c[i]++;  // access: c[i] LS
    --c[i + 1];  // access: c[i + 1] LS
    tile[i][0] = tile[0][i];  // access: tile[i][0] S space=shared | tile[0][i] L space=shared
    dynamic[i] = local[i % 4];  // access: dynamic[i] S space=shared | local[i % 4] L space=local
    local[1] = weights[i] + table[i];  // access: local[1] S space=local | weights[i] L space=constant | table[i] L space=global
    *a = *(b + i);  // access: *a S | *(b + i) L
    *(i + a) = 1;  // access: *(i + a) S array=a
    nodes[i].start = nodes->start;  // access: nodes[i].start S array=nodes | nodes->start L array=nodes
    nodes->v[i] = (*nodes).v[2];  // access: nodes->v[i] S array=nodes | (*nodes).v[2] L array=nodes
    rows[i][n] = (*rows)[3];  // access: rows[i][n] S array=rows | (*rows)[3] L array=rows
    reinterpret_cast<float4 *>(a)[i].x = 0;  // access: reinterpret_cast<float4 *>(a)[i].x S array=a
    float4 q = *reinterpret_cast<const float4 *>(&b[4 * i]);  // access: *reinterpret_cast<const float4 *>(&b[4 * i]) L array=b
    ((float2 *)a)[i] = make_float2(b[i], 0);  // access: ((float2 *)a)[i] S array=a | b[i] L
    atomicAdd(&a[i], b[i]);  // access: a[i] A | b[i] L
    atomicMax(c + i, 3);  // access: c + i A array=c
    atomicAdd(c, 3);  // access: c A array=c
    float x = __ldg(&b[i]) + __ldg(b + i);  // access: b[i] L | b + i L array=b
    __stcs(&a[i], x);  // access: a[i] S
    use(&a[i]);  // access:
    float *where = &a[i];  // access:
    n = sizeof(a[0]);  // access:
    float &element = a[i];  // access: a[i] LS
    const float &seen = a[i];  // access: a[i] L
    a[i] = helper(a, c[2]);  // access: a[i] S | c[2] L
    float *row = a + n * i;
    row[i] = 0;  // access: row[i] S array=row origin=a
    const float *walk = row, *end = walk + n;
    while (walk != end) x += *walk++;  // access: *walk++ L array=walk origin=a
    float *either = n ? a : dynamic;
    either[1] = x;  // access: either[1] S array=either
    auto view = reinterpret_cast<float *>(dynamic) + 4;
    view[i] = x;  // access: view[i] S array=view origin=dynamic
    if (a[i] > 0 && c[i] < n) x = (a[1]);  // access: a[i] L | c[i] L | a[1] L
    for (int j = c[0]; j < c[1]; j++) x = b[j] ? b[j] : 0;  // access: c[0] L | c[1] L | b[j] L | b[j] L
    é = "é"; a[i] = 1;  // access: a[i] S
	a[	i] = 1;  // access: a[ i] S
    a[i +  // access: a[i + S
      1] = b[0];  // access: b[0] L
#define STORE(i) a[i] = 1
    STORE(3);  // access: STORE(3) S array=a
}
void host(float *a) { a[0] = 1; }  // access:
#define AT(p, i) (p)[(i) * 4]
#define HIDDEN(i) hidden[(i) * 4]
#define BOTH(i) hidden[shown[i]]
__global__ void behind_macros(float *hidden, int *shown, int i) {
    HIDDEN(i) = HIDDEN(i + 1) + shown[i];  // access: HIDDEN(i) S array=hidden | HIDDEN(i + 1) L array=hidden | shown[i] L array=shown
    HIDDEN(i) += 1;  // access: HIDDEN(i) LS array=hidden
    AT(hidden, i) = 2;  // access: AT(hidden, i) S array=hidden
    float v = BOTH(i);  // access: BOTH(i) L array=hidden | BOTH(i) L array=shown
}
