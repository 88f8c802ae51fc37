// Graphs: built by hand or captured, instantiated, updated, launched.
#include "cudart.h"
#include <stdio.h>

#define GRAPH_OF(g) Graph *graph = pd_graph(g); if (!graph) return rt(INVALID_VALUE)
typedef cudaGraphNode_t N;
static Node *node_of(N n) { return (Node *)n; }

API E cudaGraphCreate(cudaGraph_t *g, unsigned flags) {
  if (!g || flags) return rt(INVALID_VALUE);
  Error error = pd_start();
  if (!error) *g = (cudaGraph_t)pd_graph_new();
  return rt(error);
}
API E cudaGraphDestroy(cudaGraph_t g) { GRAPH_OF(g); pd_graph_drop(graph); return rt(OK); }
API E cudaGraphClone(cudaGraph_t *out, cudaGraph_t g) { GRAPH_OF(g); *out = (cudaGraph_t)pd_graph_clone(graph); return rt(OK); }

static E add(N *out, cudaGraph_t g, const N *before, size_t n, const Operation *does) {
  GRAPH_OF(g);
  if (!out || (n && !before)) return rt(INVALID_VALUE);
  for (size_t i = 0; i < n; i++) if (node_of(before[i])->graph != graph) return rt(INVALID_VALUE);
  *out = (N)pd_node_new(graph, (Node *const *)before, (int)n, does);
  return rt(OK);
}
API E cudaGraphAddEmptyNode(N *out, cudaGraph_t g, const N *b, size_t n) { Operation does = {.type = EMPTY}; return add(out, g, b, n, &does); }
API E cudaGraphAddKernelNode(N *out, cudaGraph_t g, const N *b, size_t n, const struct cudaKernelNodeParams *p) {
  Operation does;
  Error error = rt_kernel(p, &does);
  return error ? rt(error) : add(out, g, b, n, &does);
}
API E cudaGraphAddMemcpyNode(N *out, cudaGraph_t g, const N *b, size_t n, const struct cudaMemcpy3DParms *p) {
  Operation does;
  Error error = rt_copy_3d(p, &does);
  return error ? rt(error) : add(out, g, b, n, &does);
}
API E cudaGraphAddMemcpyNode1D(N *out, cudaGraph_t g, const N *b, size_t n, void *d, const void *s, size_t size, Kind k) {
  Operation does = rt_copy(d, size, s, size, size, 1, k);
  return add(out, g, b, n, &does);
}
static Error at_symbol(const void *symbol, size_t offset, size_t size, char **at) {
  size_t whole = 0;
  Error error = rt_symbol(symbol, at, &whole);
  *at += offset;
  return error ? error : offset + size > whole ? INVALID_VALUE : OK;
}
API E cudaGraphAddMemcpyNodeToSymbol(N *out, cudaGraph_t g, const N *b, size_t n, const void *symbol, const void *s, size_t size, size_t offset, Kind k) {
  char *at = 0;
  Error error = at_symbol(symbol, offset, size, &at);
  Operation does = rt_copy(at, size, s, size, size, 1, k);
  return error ? rt(error) : add(out, g, b, n, &does);
}
API E cudaGraphAddMemcpyNodeFromSymbol(N *out, cudaGraph_t g, const N *b, size_t n, void *d, const void *symbol, size_t size, size_t offset, Kind k) {
  char *at = 0;
  Error error = at_symbol(symbol, offset, size, &at);
  Operation does = rt_copy(d, size, at, size, size, 1, k);
  return error ? rt(error) : add(out, g, b, n, &does);
}
API E cudaGraphAddMemsetNode(N *out, cudaGraph_t g, const N *b, size_t n, const struct cudaMemsetParams *p) {
  Operation does;
  Error error = rt_memset(p, &does);
  return error ? rt(error) : add(out, g, b, n, &does);
}
static Operation host_of(const struct cudaHostNodeParams *p) {
  Operation does = {.type = HOST};
  does.host.function = p->fn, does.host.data = p->userData;
  return does;
}
API E cudaGraphAddHostNode(N *out, cudaGraph_t g, const N *b, size_t n, const struct cudaHostNodeParams *p) {
  if (!p || !p->fn) return rt(INVALID_VALUE);
  Operation does = host_of(p);
  return add(out, g, b, n, &does);
}
API E cudaGraphAddChildGraphNode(N *out, cudaGraph_t g, const N *b, size_t n, cudaGraph_t inner) {
  if (!pd_graph(inner)) return rt(INVALID_VALUE);
  Operation does = {.type = SUBGRAPH};
  does.graph = pd_graph_clone(pd_graph(inner));
  return add(out, g, b, n, &does);
}
static E add_event(N *out, cudaGraph_t g, const N *b, size_t n, int type, cudaEvent_t e) {
  Operation does = {.type = type};
  does.event = pd_event(e);
  return does.event ? add(out, g, b, n, &does) : rt(INVALID_HANDLE);
}
API E cudaGraphAddEventRecordNode(N *out, cudaGraph_t g, const N *b, size_t n, cudaEvent_t e) { return add_event(out, g, b, n, RECORD, e); }
API E cudaGraphAddEventWaitNode(N *out, cudaGraph_t g, const N *b, size_t n, cudaEvent_t e) { return add_event(out, g, b, n, WAIT, e); }
API E cudaGraphAddMemAllocNode(N *out, cudaGraph_t g, const N *b, size_t n, struct cudaMemAllocNodeParams *p) {
  Operation does = {.type = ALLOC};
  Error error = p ? pd_allocate(&does.memory.address, p->bytesize, DEVICE) : INVALID_VALUE;
  if (error) return rt(error);
  does.memory.size = p->bytesize, p->dptr = (void *)does.memory.address;
  return add(out, g, b, n, &does);
}
API E cudaGraphAddMemFreeNode(N *out, cudaGraph_t g, const N *b, size_t n, void *p) {
  Operation does = {.type = FREE};
  does.memory.address = (u64)p;
  return pd_was_given((u64)p) ? add(out, g, b, n, &does) : rt(INVALID_VALUE);
}
static E add_any(N *out, cudaGraph_t g, const N *b, size_t n, struct cudaGraphNodeParams *p) {
  if (!p) return rt(INVALID_VALUE);
  switch (p->type) {
    case cudaGraphNodeTypeKernel: {
      struct cudaKernelNodeParams k = {p->kernel.func, p->kernel.gridDim, p->kernel.blockDim, p->kernel.sharedMemBytes, p->kernel.kernelParams, p->kernel.extra};
      return cudaGraphAddKernelNode(out, g, b, n, &k);
    }
    case cudaGraphNodeTypeMemcpy: return cudaGraphAddMemcpyNode(out, g, b, n, &p->memcpy.copyParams);
    case cudaGraphNodeTypeMemset: {
      struct cudaMemsetParams m = {p->memset.dst, p->memset.pitch, p->memset.value, p->memset.elementSize, p->memset.width, p->memset.height};
      return cudaGraphAddMemsetNode(out, g, b, n, &m);
    }
    case cudaGraphNodeTypeHost: {
      struct cudaHostNodeParams h = {.fn = p->host.fn, .userData = p->host.userData};
      return cudaGraphAddHostNode(out, g, b, n, &h);
    }
    case cudaGraphNodeTypeGraph: return cudaGraphAddChildGraphNode(out, g, b, n, p->graph.graph);
    case cudaGraphNodeTypeEmpty: return cudaGraphAddEmptyNode(out, g, b, n);
    case cudaGraphNodeTypeWaitEvent: return cudaGraphAddEventWaitNode(out, g, b, n, p->eventWait.event);
    case cudaGraphNodeTypeEventRecord: return cudaGraphAddEventRecordNode(out, g, b, n, p->eventRecord.event);
    case cudaGraphNodeTypeMemFree: return cudaGraphAddMemFreeNode(out, g, b, n, p->free.dptr);
    default: return rt(pd_missing("cudaGraphAddNode", "nodes of this type (conditions, semaphores) are not simulated"));
  }
}
API E cudaGraphNodeFindInClone(N *out, N wanted, cudaGraph_t g) {
  GRAPH_OF(g);
  for (Node *each = graph->first; each; each = each->next)
    if (each->source == node_of(wanted)) { *out = (N)each; return rt(OK); }
  return rt(INVALID_VALUE);
}
API E cudaGraphNodeGetType(N n, enum cudaGraphNodeType *type) { *type = (enum cudaGraphNodeType)node_of(n)->does.type; return rt(OK); }
API E cudaGraphDestroyNode(N n) { pd_node_drop(node_of(n)); return rt(OK); }
API E cudaGraphChildGraphNodeGetGraph(N n, cudaGraph_t *g) { *g = (cudaGraph_t)node_of(n)->does.graph; return rt(OK); }
API E cudaGraphEventRecordNodeGetEvent(N n, cudaEvent_t *e) { *e = (cudaEvent_t)node_of(n)->does.event; return rt(OK); }
API E cudaGraphEventWaitNodeGetEvent(N n, cudaEvent_t *e) { *e = (cudaEvent_t)node_of(n)->does.event; return rt(OK); }
API E cudaGraphEventRecordNodeSetEvent(N n, cudaEvent_t e) { node_of(n)->does.event = pd_event(e); return rt(OK); }
API E cudaGraphEventWaitNodeSetEvent(N n, cudaEvent_t e) { node_of(n)->does.event = pd_event(e); return rt(OK); }

// --- what a graph holds --------------------------------------------------------------------------

static E listed(Node **found, size_t count, N *out, size_t *n) {
  if (!n) return rt(INVALID_VALUE);
  if (out) for (size_t i = 0; i < *n; i++) out[i] = i < count ? (N)found[i] : 0;
  if (!out || count < *n) *n = count;
  return rt(OK);
}
static E nodes(cudaGraph_t g, N *out, size_t *n, int roots) {
  GRAPH_OF(g);
  Node **found = malloc((graph->nodes + 1) * sizeof *found);
  size_t count = 0;
  for (Node *each = graph->first; each; each = each->next) if (!roots || !each->befores) found[count++] = each;
  E e = listed(found, count, out, n);
  free(found);
  return e;
}
API E cudaGraphGetNodes(cudaGraph_t g, N *out, size_t *n) { return nodes(g, out, n, 0); }
API E cudaGraphGetRootNodes(cudaGraph_t g, N *out, size_t *n) { return nodes(g, out, n, 1); }
static E edges_of(cudaGraph_t g, N *from, N *to, size_t *n) {
  GRAPH_OF(g);
  if (!n) return rt(INVALID_VALUE);
  size_t count = 0;
  for (Node *each = graph->first; each; each = each->next)
    for (int i = 0; i < each->befores; i++, count++)
      if (from && to && count < *n) from[count] = (N)each->before[i], to[count] = (N)each;
  if (!from || count < *n) *n = count;
  return rt(OK);
}
static E before_of(N n, N *out, size_t *count) { return listed(node_of(n)->before, node_of(n)->befores, out, count); }
static E behind_of(N n, N *out, size_t *count) {
  Graph *graph = node_of(n)->graph;
  Node **found = malloc((graph->nodes + 1) * sizeof *found);
  size_t k = 0;
  for (Node *each = graph->first; each; each = each->next)
    for (int i = 0; i < each->befores; i++) if (each->before[i] == node_of(n)) found[k++] = each;
  E e = listed(found, k, out, count);
  free(found);
  return e;
}
static E link_all(const N *from, const N *to, size_t n, int on) {
  for (size_t i = 0; i < n; i++) {
    Error error = pd_node_link(node_of(from[i]), node_of(to[i]), on);
    if (error) return rt(error);
  }
  return rt(OK);
}
#if CUDART >= 13
#define WITH_EDGES(name) name
#else
#define WITH_EDGES(name) name##_v2
#define PLAIN(c_name, name, ...) API E c_name(__VA_ARGS__) NAMED(#name); API E c_name(__VA_ARGS__)
PLAIN(edges12, cudaGraphGetEdges, cudaGraph_t g, N *from, N *to, size_t *n) { return edges_of(g, from, to, n); }
PLAIN(before12, cudaGraphNodeGetDependencies, N n, N *out, size_t *count) { return before_of(n, out, count); }
PLAIN(behind12, cudaGraphNodeGetDependentNodes, N n, N *out, size_t *count) { return behind_of(n, out, count); }
PLAIN(link12, cudaGraphAddDependencies, cudaGraph_t g, const N *from, const N *to, size_t n) { return link_all(from, to, n, 1); }
PLAIN(unlink12, cudaGraphRemoveDependencies, cudaGraph_t g, const N *from, const N *to, size_t n) { return link_all(from, to, n, 0); }
PLAIN(any12, cudaGraphAddNode, N *out, cudaGraph_t g, const N *b, size_t n, struct cudaGraphNodeParams *p) { return add_any(out, g, b, n, p); }
#endif
typedef cudaGraphEdgeData Edge;
API E WITH_EDGES(cudaGraphGetEdges)(cudaGraph_t g, N *from, N *to, Edge *e, size_t *n) { return edges_of(g, from, to, n); }
API E WITH_EDGES(cudaGraphNodeGetDependencies)(N n, N *out, Edge *e, size_t *count) { return before_of(n, out, count); }
API E WITH_EDGES(cudaGraphNodeGetDependentNodes)(N n, N *out, Edge *e, size_t *count) { return behind_of(n, out, count); }
API E WITH_EDGES(cudaGraphAddDependencies)(cudaGraph_t g, const N *from, const N *to, const Edge *e, size_t n) { return link_all(from, to, n, 1); }
API E WITH_EDGES(cudaGraphRemoveDependencies)(cudaGraph_t g, const N *from, const N *to, const Edge *e, size_t n) { return link_all(from, to, n, 0); }
API E WITH_EDGES(cudaGraphAddNode)(N *out, cudaGraph_t g, const N *b, const Edge *e, size_t n, struct cudaGraphNodeParams *p) { return add_any(out, g, b, n, p); }

// --- nodes' parameters ---------------------------------------------------------------------------

API E cudaGraphKernelNodeGetParams(N n, struct cudaKernelNodeParams *p) {
  Node *node = node_of(n);
  if (node->does.type != KERNEL || !p) return rt(INVALID_VALUE);
  const Shape *s = &node->does.kernel.shape;
  Function *f = node->does.kernel.function;
  void **arguments = malloc((f->info.parameters + 1) * sizeof *arguments);  // the node's, for good
  for (int i = 0; i < f->info.parameters; i++) arguments[i] = node->does.kernel.packed + f->parameters[i].offset;
  *p = (struct cudaKernelNodeParams){(void *)f->host, {s->grid[0], s->grid[1], s->grid[2]},
    {s->block[0], s->block[1], s->block[2]}, s->shared, arguments, 0};
  return rt(OK);
}
static E replace(Node *node, Error error, const Operation *does) {
  if (error) return rt(error);
  if (!node || node->does.type != does->type) return rt(INVALID_VALUE);
  pd_operation_drop(&node->does);
  node->does = *does;
  return rt(OK);
}
// The node of an executable graph that was made from a node of its graph, or from one it was cloned from.
static Node *within(cudaGraphExec_t g, N n) {
  Graph *graph = pd_graph(g);
  for (Node *each = graph ? graph->first : 0; each; each = each->next)
    if (each->source == node_of(n)) return each;
  return 0;
}
#define SETTER(name, parameters, make) \
  static E set_##name(Node *node, parameters p) { Operation does; Error error = make; return replace(node, error, &does); }
SETTER(kernel, const struct cudaKernelNodeParams *, rt_kernel(p, &does))
SETTER(copy, const struct cudaMemcpy3DParms *, rt_copy_3d(p, &does))
SETTER(fill, const struct cudaMemsetParams *, rt_memset(p, &does))
SETTER(host, const struct cudaHostNodeParams *, (p && p->fn ? (does = host_of(p), OK) : INVALID_VALUE))
API E cudaGraphKernelNodeSetParams(N n, const struct cudaKernelNodeParams *p) { return set_kernel(node_of(n), p); }
API E cudaGraphExecKernelNodeSetParams(cudaGraphExec_t g, N n, const struct cudaKernelNodeParams *p) { return set_kernel(within(g, n), p); }
API E cudaGraphMemcpyNodeSetParams(N n, const struct cudaMemcpy3DParms *p) { return set_copy(node_of(n), p); }
API E cudaGraphExecMemcpyNodeSetParams(cudaGraphExec_t g, N n, const struct cudaMemcpy3DParms *p) { return set_copy(within(g, n), p); }
API E cudaGraphMemsetNodeSetParams(N n, const struct cudaMemsetParams *p) { return set_fill(node_of(n), p); }
API E cudaGraphExecMemsetNodeSetParams(cudaGraphExec_t g, N n, const struct cudaMemsetParams *p) { return set_fill(within(g, n), p); }
API E cudaGraphHostNodeSetParams(N n, const struct cudaHostNodeParams *p) { return set_host(node_of(n), p); }
API E cudaGraphExecHostNodeSetParams(cudaGraphExec_t g, N n, const struct cudaHostNodeParams *p) { return set_host(within(g, n), p); }
static E set_1d(Node *node, void *d, const void *s, size_t size, Kind k) {
  Operation does = rt_copy(d, size, s, size, size, 1, k);
  return replace(node, OK, &does);
}
API E cudaGraphMemcpyNodeSetParams1D(N n, void *d, const void *s, size_t size, Kind k) { return set_1d(node_of(n), d, s, size, k); }
API E cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t g, N n, void *d, const void *s, size_t size, Kind k) { return set_1d(within(g, n), d, s, size, k); }
static E to_symbol(Node *node, const void *symbol, const void *s, size_t size, size_t offset, Kind k) {
  char *at = 0;
  Error error = at_symbol(symbol, offset, size, &at);
  return error ? rt(error) : set_1d(node, at, s, size, k);
}
static E from_symbol(Node *node, void *d, const void *symbol, size_t size, size_t offset, Kind k) {
  char *at = 0;
  Error error = at_symbol(symbol, offset, size, &at);
  return error ? rt(error) : set_1d(node, d, at, size, k);
}
API E cudaGraphMemcpyNodeSetParamsToSymbol(N n, const void *y, const void *s, size_t size, size_t o, Kind k) { return to_symbol(node_of(n), y, s, size, o, k); }
API E cudaGraphMemcpyNodeSetParamsFromSymbol(N n, void *d, const void *y, size_t size, size_t o, Kind k) { return from_symbol(node_of(n), d, y, size, o, k); }
API E cudaGraphExecMemcpyNodeSetParamsToSymbol(cudaGraphExec_t g, N n, const void *y, const void *s, size_t size, size_t o, Kind k) { return to_symbol(within(g, n), y, s, size, o, k); }
API E cudaGraphExecMemcpyNodeSetParamsFromSymbol(cudaGraphExec_t g, N n, void *d, const void *y, size_t size, size_t o, Kind k) { return from_symbol(within(g, n), d, y, size, o, k); }
API E cudaGraphExecChildGraphNodeSetParams(cudaGraphExec_t g, N n, cudaGraph_t inner) {
  Operation does = {.type = SUBGRAPH};
  if (!pd_graph(inner)) return rt(INVALID_VALUE);
  does.graph = pd_graph_clone(pd_graph(inner));
  return replace(within(g, n), OK, &does);
}
static E set_event(Node *node, cudaEvent_t e) {
  if (!node || !pd_event(e)) return rt(INVALID_VALUE);
  node->does.event = pd_event(e);
  return rt(OK);
}
API E cudaGraphExecEventRecordNodeSetEvent(cudaGraphExec_t g, N n, cudaEvent_t e) { return set_event(within(g, n), e); }
API E cudaGraphExecEventWaitNodeSetEvent(cudaGraphExec_t g, N n, cudaEvent_t e) { return set_event(within(g, n), e); }
static E set_any(Node *node, struct cudaGraphNodeParams *p) {
  if (!p || !node) return rt(INVALID_VALUE);
  if (p->type == cudaGraphNodeTypeKernel) {
    struct cudaKernelNodeParams k = {p->kernel.func, p->kernel.gridDim, p->kernel.blockDim, p->kernel.sharedMemBytes, p->kernel.kernelParams, p->kernel.extra};
    return set_kernel(node, &k);
  }
  if (p->type == cudaGraphNodeTypeMemcpy) return set_copy(node, &p->memcpy.copyParams);
  if (p->type == cudaGraphNodeTypeMemset) {
    struct cudaMemsetParams m = {p->memset.dst, p->memset.pitch, p->memset.value, p->memset.elementSize, p->memset.width, p->memset.height};
    return set_fill(node, &m);
  }
  if (p->type == cudaGraphNodeTypeHost) {
    struct cudaHostNodeParams h = {.fn = p->host.fn, .userData = p->host.userData};
    return set_host(node, &h);
  }
  return rt(pd_missing("cudaGraphNodeSetParams", "nodes of this type are not simulated"));
}
API E cudaGraphNodeSetParams(N n, struct cudaGraphNodeParams *p) { return set_any(node_of(n), p); }
API E cudaGraphExecNodeSetParams(cudaGraphExec_t g, N n, struct cudaGraphNodeParams *p) { return set_any(within(g, n), p); }
#define GETTER(name, type_, kind, from) \
  API E name(N n, type_ *p) { if (!p || node_of(n)->does.type != kind) return rt(INVALID_VALUE); memcpy(p, from, sizeof *p); return rt(OK); }
GETTER(cudaGraphMemcpyNodeGetParams, struct cudaMemcpy3DParms, MEMCPY, node_of(n)->does.copy.parameters)
GETTER(cudaGraphMemsetNodeGetParams, struct cudaMemsetParams, MEMSET, node_of(n)->does.fill.parameters)
API E cudaGraphHostNodeGetParams(N n, struct cudaHostNodeParams *p) {
  if (!p || node_of(n)->does.type != HOST) return rt(INVALID_VALUE);
  memset(p, 0, sizeof *p);
  p->fn = node_of(n)->does.host.function, p->userData = node_of(n)->does.host.data;
  return rt(OK);
}
API E cudaGraphMemAllocNodeGetParams(N n, struct cudaMemAllocNodeParams *p) {
  if (!p || node_of(n)->does.type != ALLOC) return rt(INVALID_VALUE);
  memset(p, 0, sizeof *p);
  p->bytesize = node_of(n)->does.memory.size, p->dptr = (void *)node_of(n)->does.memory.address;
  return rt(OK);
}
API E cudaGraphMemFreeNodeGetParams(N n, void *p) {
  if (!p || node_of(n)->does.type != FREE) return rt(INVALID_VALUE);
  *(void **)p = (void *)node_of(n)->does.memory.address;
  return rt(OK);
}
API E cudaGraphNodeSetEnabled(cudaGraphExec_t g, N n, unsigned on) {
  Node *node = within(g, n);
  if (node) node->on = on != 0;
  return rt(node ? OK : INVALID_VALUE);
}
API E cudaGraphNodeGetEnabled(cudaGraphExec_t g, N n, unsigned *on) {
  Node *node = within(g, n);
  if (node) *on = node->on;
  return rt(node ? OK : INVALID_VALUE);
}
API E cudaGraphKernelNodeSetAttribute(N n, cudaKernelNodeAttrID a, const cudaKernelNodeAttrValue *v) {
  if (a == cudaLaunchAttributeCooperative) node_of(n)->does.kernel.shape.cooperative = v->cooperative;
  if (a == cudaLaunchAttributePriority) node_of(n)->does.kernel.priority = v->priority;
  return rt(OK);
}
API E cudaGraphKernelNodeGetAttribute(N n, cudaKernelNodeAttrID a, cudaKernelNodeAttrValue *v) {
  memset(v, 0, sizeof *v);
  if (a == cudaLaunchAttributeCooperative) v->cooperative = node_of(n)->does.kernel.shape.cooperative;
  if (a == cudaLaunchAttributePriority) v->priority = node_of(n)->does.kernel.priority;
  return rt(OK);
}
API E cudaGraphKernelNodeCopyAttributes(N a, N b) { return rt(OK); }

// --- running -------------------------------------------------------------------------------------

static E instantiate(cudaGraphExec_t *out, cudaGraph_t g) {
  GRAPH_OF(g);
  if (!out) return rt(INVALID_VALUE);
  Node **order = malloc((graph->nodes + 1) * sizeof *order);
  Error error = pd_graph_order(graph, order);
  free(order);
  if (error) return rt(error);
  *out = (cudaGraphExec_t)pd_graph_clone(graph);
  return rt(OK);
}
// CUDA 11 passed a place for the node at fault and a log; CUDA 12 and 13 pass flags.
API E cudaGraphInstantiate(cudaGraphExec_t *out, cudaGraph_t g, unsigned long long flags) { return instantiate(out, g); }
API E cudaGraphInstantiateWithFlags(cudaGraphExec_t *out, cudaGraph_t g, unsigned long long flags) { return instantiate(out, g); }
API E cudaGraphInstantiateWithParams(cudaGraphExec_t *out, cudaGraph_t g, cudaGraphInstantiateParams *p) {
  E e = instantiate(out, g);
  if (p) p->result_out = e ? cudaGraphInstantiateError : cudaGraphInstantiateSuccess, p->errNode_out = 0;
  return e;
}
API E cudaGraphExecGetFlags(cudaGraphExec_t g, unsigned long long *flags) { *flags = 0; return rt(OK); }
API E cudaGraphExecDestroy(cudaGraphExec_t g) { GRAPH_OF(g); pd_graph_drop(graph); return rt(OK); }
API E cudaGraphUpload(cudaGraphExec_t g, cudaStream_t s) { GRAPH_OF(g); return rt(OK); }
API E cudaGraphLaunch(cudaGraphExec_t g, cudaStream_t s) {
  GRAPH_OF(g);
  Operation does = {.type = SUBGRAPH};
  does.graph = graph;
  return rt(pd_submit(s, &does));
}
API E cudaGraphExecUpdate(cudaGraphExec_t g, cudaGraph_t from, cudaGraphExecUpdateResultInfo *info) {
  Graph *graph = pd_graph(g), *new = pd_graph(from);
  if (!graph || !new) return rt(INVALID_VALUE);
  int same = graph->nodes == new->nodes;
  Node *a = graph->first, *b = new->first;
  for (; same && a && b; a = a->next, b = b->next) same = a->does.type == b->does.type && a->befores == b->befores;
  if (info) {
    memset(info, 0, sizeof *info);
    info->result = same ? cudaGraphExecUpdateSuccess : cudaGraphExecUpdateErrorTopologyChanged;
  }
  if (!same) return rt(UPDATE_FAILED);
  for (a = graph->first, b = new->first; a && b; a = a->next, b = b->next) {
    pd_operation_drop(&a->does);
    pd_operation_copy(&a->does, &b->does);
    a->source = b;
  }
  return rt(OK);
}
API E cudaGraphDebugDotPrint(cudaGraph_t g, const char *path, unsigned flags) {
  GRAPH_OF(g);
  FILE *file = path ? fopen(path, "w") : 0;
  if (!file) return rt(INVALID_VALUE);
  fprintf(file, "digraph dot {\n");
  for (Node *each = graph->first; each; each = each->next) {
    const char *label = each->does.type == KERNEL ? each->does.kernel.function->name : "";
    fprintf(file, "  \"%p\" [label=\"%d %s\"];\n", (void *)each, each->does.type, label);
    for (int i = 0; i < each->befores; i++) fprintf(file, "  \"%p\" -> \"%p\";\n", (void *)each->before[i], (void *)each);
  }
  fprintf(file, "}\n");
  fclose(file);
  return rt(OK);
}
API E cudaDeviceGraphMemTrim(int d) { return rt(pd_is_device(d) ? OK : INVALID_DEVICE); }
API E cudaDeviceGetGraphMemAttribute(int d, enum cudaGraphMemAttributeType a, void *v) { *(u64 *)v = 0; return rt(pd_is_device(d) ? OK : INVALID_DEVICE); }
API E cudaDeviceSetGraphMemAttribute(int d, enum cudaGraphMemAttributeType a, void *v) { return rt(pd_is_device(d) ? OK : INVALID_DEVICE); }

// --- user objects: released with the last reference ----------------------------------------------

typedef struct { cudaHostFn_t destroy; void *data; unsigned count; } UserObject;
static void release(UserObject *o, unsigned n) {
  if (o->count > n) { o->count -= n; return; }
  o->destroy(o->data);
  free(o);
}
API E cudaUserObjectCreate(cudaUserObject_t *out, void *data, cudaHostFn_t destroy, unsigned n, unsigned flags) {
  if (!out || !destroy || !n) return rt(INVALID_VALUE);
  UserObject *o = malloc(sizeof *o);
  *o = (UserObject){destroy, data, n};
  *out = (cudaUserObject_t)o;
  return rt(OK);
}
API E cudaUserObjectRetain(cudaUserObject_t o, unsigned n) { ((UserObject *)o)->count += n; return rt(OK); }
API E cudaUserObjectRelease(cudaUserObject_t o, unsigned n) { release((UserObject *)o, n); return rt(OK); }
API E cudaGraphRetainUserObject(cudaGraph_t g, cudaUserObject_t o, unsigned n, unsigned flags) {
  if (flags != cudaGraphUserObjectMove) ((UserObject *)o)->count += n;
  return rt(OK);
}
API E cudaGraphReleaseUserObject(cudaGraph_t g, cudaUserObject_t o, unsigned n) { release((UserObject *)o, n); return rt(OK); }
