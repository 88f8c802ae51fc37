// Streams and events. Work is done when it is asked for, unless its stream captures a graph.
#define _GNU_SOURCE
#include "device.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define STREAM 0x5354524du
#define EVENT 0x45564e54u
#define NO_TIMING 2
#define NON_BLOCKING 1

static Stream legacy = {.magic = STREAM, .id = 1}, per_thread = {.magic = STREAM, .id = 2};
static Stream *streams;
static u64 next_id = 3;

double pd_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec + now.tv_nsec * 1e-9;
}

Stream *pd_stream(void *handle, Error *error) {
  *error = OK;
  if (!handle || handle == (void *)1) return &legacy;
  if (handle == (void *)2) return &per_thread;
  Stream *stream = 0;
  pd_lock();
  for (Stream *each = streams; each; each = each->next) if (each == handle) stream = each;
  pd_unlock();
  if (!stream) *error = INVALID_HANDLE;
  return stream;
}

Error pd_stream_new(Stream **out, u32 flags, int priority) {
  Error error = pd_start();
  if (error) return error;
  if (!out || flags > NON_BLOCKING) return INVALID_VALUE;
  Stream *stream = calloc(1, sizeof *stream);
  pd_lock();
  *stream = (Stream){.magic = STREAM, .flags = flags, .device = pd_device(), .priority = priority, .id = next_id++, .next = streams};
  streams = stream;
  pd_unlock();
  *out = stream;
  return OK;
}

Error pd_stream_drop(void *handle) {
  pd_lock();
  for (Stream **each = &streams; *each; each = &(*each)->next)
    if (*each == handle) {
      Stream *gone = *each;
      *each = gone->next;
      pd_unlock();
      free(gone->tail);
      free(gone);
      return pd_sync();
    }
  pd_unlock();
  return INVALID_HANDLE;
}

int pd_capturing(void) {
  int found = 0;
  pd_lock();
  for (Stream *each = streams; each; each = each->next) found |= each->capture && each->mode == 0;
  pd_unlock();
  return found;
}

Error pd_answer(const char *name, const char *library, const char *what) {
  if (pd_capturing()) {
    char takes[64];
    snprintf(takes, sizeof takes, "a call of %s in a stream that is captured", library);
    return pd_missing(name, takes);
  }
  Error error = pd_sync();
  if (!error) pd_tell_once(name, what);
  return error;
}

int pd_stream_device(const Stream *stream) {  // the streams that are always there are each device's
  return stream == &legacy || stream == &per_thread ? pd_device() : stream->device;
}

static void set_tail(Stream *stream, Node *const *nodes, int count) {
  Node **copy = malloc((count + 1) * sizeof *copy);
  if (count) memcpy(copy, nodes, count * sizeof *copy);
  free(stream->tail);
  stream->tail = copy, stream->tails = count;
}

Error pd_submit(void *handle, Operation *does) {
  Error error = pd_start();
  if (error) return error;
  Stream *stream = pd_stream(handle, &error);
  if (!stream) return error;
  if (does->type == KERNEL && pd_stream_device(stream) != pd_device()) return INVALID_HANDLE;
  if (!stream->capture) {
    if (stream == &legacy && pd_capturing()) {
      for (Stream *each = streams; each; each = each->next)
        if (each->capture && !(each->flags & NON_BLOCKING)) { each->broken = 1; return CAPTURE_IMPLICIT; }
    }
    return pd_run(does);
  }
  if (stream->broken) return CAPTURE_INVALIDATED;
  Operation kept;
  if ((error = pd_operation_copy(&kept, does))) return error;
  pd_lock();
  Node *node = pd_node_new(stream->capture, stream->tail, stream->tails, &kept);
  set_tail(stream, &node, 1);
  pd_unlock();
  return OK;
}

Error pd_stream_sync(void *handle) {
  Error error;
  Stream *stream = pd_stream(handle, &error);
  if (!stream) return error;
  if (stream->capture) { stream->broken = 1; return CAPTURE_UNSUPPORTED; }
  return pd_sync();
}

// --- events --------------------------------------------------------------------------------------

Error pd_event_new(Event **out, u32 flags) {
  Error error = pd_start();
  if (error) return error;
  if (!out || flags > 7) return INVALID_VALUE;
  *out = calloc(1, sizeof **out);
  (*out)->magic = EVENT, (*out)->flags = flags, (*out)->device = pd_device();
  return OK;
}

Event *pd_event(void *handle) {
  Event *event = handle;
  return event && event->magic == EVENT ? event : 0;
}

Error pd_record(Event *event, void *handle) {
  Error error;
  Stream *stream = pd_stream(handle, &error);
  if (!stream) return error;
  if (!event || event->device != pd_stream_device(stream)) return INVALID_HANDLE;
  pd_lock();
  free(event->nodes);
  event->nodes = 0, event->count = 0, event->graph = stream->capture;
  if (stream->capture) {
    event->nodes = malloc((stream->tails + 1) * sizeof *event->nodes);
    memcpy(event->nodes, stream->tail, stream->tails * sizeof *event->nodes);
    event->count = stream->tails;
  } else {
    event->recorded = 1, event->at = pd_now();
  }
  pd_unlock();
  return pd_sticky();
}

Error pd_wait(void *handle, Event *event) {
  Error error;
  Stream *stream = pd_stream(handle, &error);
  if (!stream) return error;
  if (!event) return INVALID_HANDLE;
  if (!event->graph) return stream->capture ? CAPTURE_UNJOINED + 1 : pd_sticky();
  if (stream->capture && stream->capture != event->graph) return CAPTURE_UNMATCHED - 1;
  pd_lock();
  if (!stream->capture) stream->capture = event->graph, stream->origin = 0, stream->broken = 0;
  Node **all = malloc((stream->tails + event->count + 1) * sizeof *all);
  int count = 0;
  for (int i = 0; i < stream->tails; i++) all[count++] = stream->tail[i];
  for (int i = 0; i < event->count; i++) {
    int known = 0;
    for (int k = 0; k < count; k++) known |= all[k] == event->nodes[i];
    if (!known) all[count++] = event->nodes[i];
  }
  free(stream->tail);
  stream->tail = all, stream->tails = count;
  pd_unlock();
  return OK;
}

Error pd_elapsed(float *ms, Event *first, Event *last) {
  if (!ms) return INVALID_VALUE;
  if (!first || !last || !first->recorded || !last->recorded) return INVALID_HANDLE;
  if ((first->flags | last->flags) & NO_TIMING || first->device != last->device) return INVALID_HANDLE;
  *ms = (float)((last->at - first->at) * 1e3);
  return pd_sticky();
}

// --- capture -------------------------------------------------------------------------------------

Error pd_capture_begin(void *handle, Graph *into, Node *const *after, int count, int mode) {
  Error error;
  Stream *stream = pd_stream(handle, &error);
  if (!stream) return error;
  if (stream == &legacy) return CAPTURE_UNSUPPORTED;
  if (stream->capture) return INVALID_VALUE;
  pd_lock();
  stream->capture = into ? into : pd_graph_new();
  stream->capture->capturing = 1;
  stream->mode = mode, stream->origin = 1, stream->broken = 0;
  set_tail(stream, after, count);
  pd_unlock();
  return OK;
}

static int reaches(Node *node, Node *wanted) {
  if (node == wanted) return 1;
  for (int i = 0; i < node->befores; i++) if (reaches(node->before[i], wanted)) return 1;
  return 0;
}

Error pd_capture_end(void *handle, Graph **out) {
  Error error;
  *out = 0;
  Stream *stream = pd_stream(handle, &error);
  if (!stream) return error;
  if (!stream->capture) return INVALID_VALUE;
  if (!stream->origin) return CAPTURE_UNMATCHED;
  pd_lock();
  Graph *graph = stream->capture;
  error = stream->broken ? CAPTURE_INVALIDATED : OK;
  for (Stream *each = streams; each; each = each->next) {
    if (each->capture != graph) continue;
    for (int i = 0; each != stream && i < each->tails && !error; i++) {
      int joined = 0;
      for (int k = 0; k < stream->tails; k++) joined |= reaches(stream->tail[k], each->tail[i]);
      if (!joined) error = CAPTURE_UNJOINED;
    }
    if (each != stream) {
      each->capture = 0;
      set_tail(each, 0, 0);
    }
  }
  stream->capture = 0;
  set_tail(stream, 0, 0);
  graph->capturing = 0;
  pd_unlock();
  if (error) pd_graph_drop(graph);
  else *out = graph;
  return error;
}
