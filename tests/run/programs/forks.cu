#include "check.h"
#include <sys/wait.h>
#include <unistd.h>
__global__ void fill(int *p, int v) { p[threadIdx.x] = v; }
static int use(int v) {
  int *p, host[32];
  OK(cudaMalloc(&p, 128));
  fill<<<1, 32>>>(p, v);
  OK(cudaMemcpy(host, p, 128, cudaMemcpyDeviceToHost));
  return host[31];
}
static int status_of(int child) { int status; waitpid(child, &status, 0); return WIFEXITED(status) ? WEXITSTATUS(status) : -1; }
int main() {
  int a = fork();
  if (!a) _exit(use(11) == 11 ? 0 : 1);
  int b = fork();
  if (!b) _exit(use(22) == 22 ? 0 : 1);
  EXPECT(status_of(a) == 0 && status_of(b) == 0);
  EXPECT(use(33) == 33);
  int c = fork();  // a process forked off one that uses the device cannot use it
  if (!c) { void *p; _exit(cudaMalloc(&p, 4) == cudaErrorInitializationError ? 0 : 1); }
  EXPECT(status_of(c) == 0);
  EXPECT(use(44) == 44);
  return 0;
}
