// A float whose name says a share (an overlap, a probability) is between 0 and 1; others are as ever.
__global__ void suppressed(float *a, float nms_overlap_thresh, float factor) {
    a[threadIdx.x] = a[threadIdx.x] > nms_overlap_thresh ? factor : 0;
}
__global__ void dropped(float *a, float p, float overlapping) { a[threadIdx.x] *= p + overlapping; }
void run(float *a, float thresh, float factor, double dropout_prob, float overlapping) {
    // What the kernel calls it counts, too.
    suppressed<<<4, 64>>>(a, thresh, factor); // tried: suppressed<<<4, 64>>>(nms_overlap_thresh=0.5, factor=1.75) | suppressed<<<4, 64>>>(nms_overlap_thresh=0.25, factor=1.75)
    dropped<<<4, 64>>>(a, dropout_prob, overlapping); // tried: dropped<<<4, 64>>>(p=0.5, overlapping=1.75) | dropped<<<4, 64>>>(p=0.25, overlapping=1.75)
}
