// Streams, events, capture.
#include "cudart.h"

API E cudaStreamCreateWithPriority(cudaStream_t *s, unsigned flags, int priority) {
  int clamped = priority < -5 ? -5 : priority > 0 ? 0 : priority;
  return rt(pd_stream_new((Stream **)s, flags, clamped));
}
API E cudaStreamCreate(cudaStream_t *s) { return cudaStreamCreateWithPriority(s, 0, 0); }
API E cudaStreamCreateWithFlags(cudaStream_t *s, unsigned flags) { return cudaStreamCreateWithPriority(s, flags, 0); }
API E cudaStreamDestroy(cudaStream_t s) { return rt(pd_stream_drop(s)); }
API E cudaStreamSynchronize(cudaStream_t s) { return rt(pd_stream_sync(s)); }
API E cudaStreamQuery(cudaStream_t s) { return rt(pd_stream_sync(s)); }
API E cudaStreamWaitEvent(cudaStream_t s, cudaEvent_t e, unsigned flags) { return rt(pd_wait(s, pd_event(e))); }
#define WITH_STREAM(s) Error error; Stream *stream = pd_stream(s, &error); if (!stream) return rt(error)
API E cudaStreamGetPriority(cudaStream_t s, int *p) { WITH_STREAM(s); *p = stream->priority; return rt(OK); }
API E cudaStreamGetFlags(cudaStream_t s, unsigned *f) { WITH_STREAM(s); *f = stream->flags; return rt(OK); }
API E cudaStreamGetId(cudaStream_t s, unsigned long long *id) { WITH_STREAM(s); *id = stream->id; return rt(OK); }
API E cudaStreamGetDevice(cudaStream_t s, int *d) { Error e; Stream *x = pd_stream(s, &e); if (x) *d = pd_stream_device(x); return rt(e); }
API E cudaStreamAttachMemAsync(cudaStream_t s, void *p, size_t n, unsigned f) { WITH_STREAM(s); return rt(pd_host(p, 1) ? OK : INVALID_VALUE); }
API E cudaStreamSetAttribute(cudaStream_t s, cudaStreamAttrID a, const cudaStreamAttrValue *v) {
  WITH_STREAM(s);
  if (a == cudaLaunchAttributePriority) stream->priority = v->priority;
  return rt(OK);
}
API E cudaStreamGetAttribute(cudaStream_t s, cudaStreamAttrID a, cudaStreamAttrValue *v) {
  WITH_STREAM(s);
  memset(v, 0, sizeof *v);
  if (a == cudaLaunchAttributePriority) v->priority = stream->priority;
  return rt(OK);
}
API E cudaStreamCopyAttributes(cudaStream_t to, cudaStream_t from) { WITH_STREAM(from); return rt(OK); }

typedef struct { cudaStreamCallback_t function; cudaStream_t stream; void *data; } Callback;
static void call_back(void *p) {
  Callback *c = p;
  c->function(c->stream, (E)pd_sticky(), c->data);
}
API E cudaStreamAddCallback(cudaStream_t s, cudaStreamCallback_t f, void *data, unsigned flags) {
  WITH_STREAM(s);
  if (flags || !f) return rt(INVALID_VALUE);
  if (stream->capture) return rt(CAPTURE_UNSUPPORTED);
  Callback c = {f, s, data};
  call_back(&c);
  return rt(OK);
}
API E cudaLaunchHostFunc(cudaStream_t s, cudaHostFn_t f, void *data) {
  Operation does = {.type = HOST};
  does.host.function = f, does.host.data = data;
  return rt(f ? pd_submit(s, &does) : INVALID_VALUE);
}

// --- events --------------------------------------------------------------------------------------

API E cudaEventCreateWithFlags(cudaEvent_t *e, unsigned flags) { return rt(pd_event_new((Event **)e, flags)); }
API E cudaEventCreate(cudaEvent_t *e) { return cudaEventCreateWithFlags(e, 0); }
API E cudaEventRecord(cudaEvent_t e, cudaStream_t s) { return rt(pd_record(pd_event(e), s)); }
API E cudaEventRecordWithFlags(cudaEvent_t e, cudaStream_t s, unsigned flags) {
  Event *event = pd_event(e);
  if (!event) return rt(INVALID_HANDLE);
  WITH_STREAM(s);
  if (flags == cudaEventRecordExternal && stream->capture) {
    Operation does = {.type = RECORD};
    does.event = event;
    return rt(pd_submit(s, &does));
  }
  return rt(pd_record(event, s));
}
static E settled(cudaEvent_t e) {
  Event *event = pd_event(e);
  if (!event) return rt(INVALID_HANDLE);
  if (event->graph && event->graph->capturing) return rt(CAPTURE_UNSUPPORTED + 7);
  return rt(pd_sync());
}
API E cudaEventSynchronize(cudaEvent_t e) { return settled(e); }
API E cudaEventQuery(cudaEvent_t e) { return settled(e); }
API E cudaEventDestroy(cudaEvent_t e) {
  Event *event = pd_event(e);
  if (!event) return rt(INVALID_HANDLE);
  event->magic = 0;
  free(event->nodes);
  free(event);
  return rt(OK);
}
API E cudaEventElapsedTime(float *ms, cudaEvent_t a, cudaEvent_t b) { return rt(pd_elapsed(ms, pd_event(a), pd_event(b))); }
#if CUDART == 12
API E cudaEventElapsedTime_v2(float *ms, cudaEvent_t a, cudaEvent_t b) { return cudaEventElapsedTime(ms, a, b); }
#endif

// --- capture -------------------------------------------------------------------------------------

API E cudaStreamBeginCapture(cudaStream_t s, enum cudaStreamCaptureMode mode) { return rt(pd_capture_begin(s, 0, 0, 0, mode)); }
API E cudaStreamBeginCaptureToGraph(cudaStream_t s, cudaGraph_t g, const cudaGraphNode_t *after,
    const cudaGraphEdgeData *edges, size_t n, enum cudaStreamCaptureMode mode) {
  Graph *graph = pd_graph(g);
  return rt(graph ? pd_capture_begin(s, graph, (Node *const *)after, (int)n, mode) : INVALID_HANDLE);
}
API E cudaStreamEndCapture(cudaStream_t s, cudaGraph_t *g) { return rt(g ? pd_capture_end(s, (Graph **)g) : INVALID_VALUE); }
API E cudaStreamIsCapturing(cudaStream_t s, enum cudaStreamCaptureStatus *c) {
  WITH_STREAM(s);
  *c = !stream->capture ? cudaStreamCaptureStatusNone : stream->broken ? cudaStreamCaptureStatusInvalidated : cudaStreamCaptureStatusActive;
  return rt(OK);
}
static E info(cudaStream_t s, enum cudaStreamCaptureStatus *c, unsigned long long *id, cudaGraph_t *g,
    const cudaGraphNode_t **nodes, const cudaGraphEdgeData **edges, size_t *n) {
  WITH_STREAM(s);
  E e = cudaStreamIsCapturing(s, c);
  if (!stream->capture) return e;
  if (id) *id = stream->capture->id;
  if (g) *g = (cudaGraph_t)stream->capture;
  if (nodes) *nodes = (const cudaGraphNode_t *)stream->tail;
  if (edges) *edges = 0;
  if (n) *n = stream->tails;
  return e;
}
static E update(cudaStream_t s, cudaGraphNode_t *nodes, size_t n, unsigned flags) {
  WITH_STREAM(s);
  if (!stream->capture) return rt(INVALID_VALUE + 400);
  size_t kept = flags == cudaStreamSetCaptureDependencies ? 0 : stream->tails;
  Node **all = malloc((kept + n + 1) * sizeof *all);
  memcpy(all, stream->tail, kept * sizeof *all);
  memcpy(all + kept, nodes, n * sizeof *all);
  free(stream->tail);
  stream->tail = all, stream->tails = (int)(kept + n);
  return rt(OK);
}
#if CUDART >= 13
API E cudaStreamGetCaptureInfo(cudaStream_t s, enum cudaStreamCaptureStatus *c, unsigned long long *id, cudaGraph_t *g,
    const cudaGraphNode_t **nodes, const cudaGraphEdgeData **edges, size_t *n) { return info(s, c, id, g, nodes, edges, n); }
API E cudaStreamUpdateCaptureDependencies(cudaStream_t s, cudaGraphNode_t *nodes, const cudaGraphEdgeData *e, size_t n, unsigned flags) { return update(s, nodes, n, flags); }
#else
API E info12(cudaStream_t s, enum cudaStreamCaptureStatus *c, unsigned long long *id) NAMED("cudaStreamGetCaptureInfo");
API E info12(cudaStream_t s, enum cudaStreamCaptureStatus *c, unsigned long long *id) { return info(s, c, id, 0, 0, 0, 0); }
API E cudaStreamGetCaptureInfo_v2(cudaStream_t s, enum cudaStreamCaptureStatus *c, unsigned long long *id, cudaGraph_t *g,
    const cudaGraphNode_t **nodes, size_t *n) { return info(s, c, id, g, nodes, 0, n); }
API E cudaStreamGetCaptureInfo_v3(cudaStream_t s, enum cudaStreamCaptureStatus *c, unsigned long long *id, cudaGraph_t *g,
    const cudaGraphNode_t **nodes, const cudaGraphEdgeData **edges, size_t *n) { return info(s, c, id, g, nodes, edges, n); }
API E update12(cudaStream_t s, cudaGraphNode_t *nodes, size_t n, unsigned flags) NAMED("cudaStreamUpdateCaptureDependencies");
API E update12(cudaStream_t s, cudaGraphNode_t *nodes, size_t n, unsigned flags) { return update(s, nodes, n, flags); }
API E cudaStreamUpdateCaptureDependencies_v2(cudaStream_t s, cudaGraphNode_t *nodes, const cudaGraphEdgeData *e, size_t n, unsigned flags) { return update(s, nodes, n, flags); }
#endif
API E cudaThreadExchangeStreamCaptureMode(enum cudaStreamCaptureMode *mode) {
  static __thread enum cudaStreamCaptureMode current;
  enum cudaStreamCaptureMode before = current;
  current = *mode, *mode = before;
  return rt(OK);
}
