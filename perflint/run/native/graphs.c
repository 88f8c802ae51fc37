// Graphs: operations and what each waits for. An executable graph is a copy of one.
#define _GNU_SOURCE
#include "device.h"
#include <stdlib.h>
#include <string.h>

#define GRAPH 0x47524148u

static u64 next_graph = 1;

Error pd_run(Operation *does) {
  switch (does->type) {
    case KERNEL: return pd_launch(does->kernel.function, &does->kernel.shape, does->kernel.packed);
    case MEMCPY: {
      Error error = pd_sync();
      return error ? error : pd_copy(&does->copy.copy);
    }
    case MEMSET: return pd_fill(&does->fill.fill);
    case HOST: pd_sync(); does->host.function(does->host.data); return OK;
    case SUBGRAPH: return pd_graph_run(does->graph);
    case RECORD: return pd_record(does->event, 0);
    case ALLOC: return pd_allocate_again(does->memory.address, does->memory.size);
    case FREE: return pd_free(does->memory.address, DEVICE, 0);
    default: return OK;
  }
}

Error pd_operation_copy(Operation *to, const Operation *from) {
  *to = *from;
  if (from->type == KERNEL) {
    size_t size = from->kernel.function->info.bytes;
    to->kernel.packed = malloc(size + 1);
    memcpy(to->kernel.packed, from->kernel.packed, size);
  }
  if (from->type == SUBGRAPH) to->graph = pd_graph_clone(from->graph);
  return OK;
}

void pd_operation_drop(Operation *does) {
  if (does->type == KERNEL) free(does->kernel.packed);
  if (does->type == SUBGRAPH) pd_graph_drop(does->graph);
}

Graph *pd_graph_new(void) {
  Graph *graph = calloc(1, sizeof *graph);
  graph->magic = GRAPH, graph->id = next_graph++;
  return graph;
}

Graph *pd_graph(void *handle) {
  Graph *graph = handle;
  return graph && graph->magic == GRAPH ? graph : 0;
}

void pd_graph_drop(Graph *graph) {
  while (graph->first) pd_node_drop(graph->first);
  graph->magic = 0;
  free(graph);
}

Node *pd_node_new(Graph *graph, Node *const *before, int count, const Operation *does) {
  Node *node = calloc(1, sizeof *node);
  node->graph = graph, node->does = *does, node->on = 1, node->device = pd_device();
  node->before = malloc((count + 1) * sizeof *node->before);
  if (count) memcpy(node->before, before, count * sizeof *node->before);
  node->befores = count;
  if (graph->last) graph->last->next = node;
  else graph->first = node;
  graph->last = node;
  graph->nodes++;
  return node;
}

Error pd_node_link(Node *from, Node *to, int on) {
  int at = 0;
  while (at < to->befores && to->before[at] != from) at++;
  if (on && at < to->befores) return INVALID_VALUE;
  if (!on && at == to->befores) return INVALID_VALUE;
  if (on) {
    to->before = realloc(to->before, (to->befores + 2) * sizeof *to->before);
    to->before[to->befores++] = from;
  } else {
    to->before[at] = to->before[--to->befores];
  }
  return OK;
}

void pd_node_drop(Node *node) {
  Graph *graph = node->graph;
  for (Node *each = graph->first; each; each = each->next) pd_node_link(node, each, 0);
  Node *before = 0;
  for (Node *each = graph->first; each && each != node; each = each->next) before = each;
  if (before) before->next = node->next;
  else graph->first = node->next;
  if (graph->last == node) graph->last = before;
  graph->nodes--;
  pd_operation_drop(&node->does);
  free(node->before);
  free(node);
}

Graph *pd_graph_clone(Graph *graph) {
  Graph *copy = pd_graph_new();
  Node **of = malloc((graph->nodes + 1) * sizeof *of);
  int count = 0;
  for (Node *node = graph->first; node; node = node->next) {
    Operation does;
    pd_operation_copy(&does, &node->does);
    Node *made = pd_node_new(copy, 0, 0, &does);
    made->on = node->on, made->source = node, made->device = node->device;
    of[count++] = made;
  }
  Node *made = copy->first;
  for (Node *node = graph->first; node; node = node->next, made = made->next)
    for (int i = 0; i < node->befores; i++)
      for (int k = 0; k < count; k++)
        if (of[k]->source == node->before[i]) pd_node_link(of[k], made, 1);
  free(of);
  return copy;
}

Error pd_graph_order(Graph *graph, Node **out) {
  int done = 0, before = -1;
  while (done < graph->nodes && done != before) {
    before = done;
    for (Node *node = graph->first; node; node = node->next) {
      int ready = 1;
      for (int k = 0; k < done; k++) ready &= out[k] != node;
      for (int i = 0; i < node->befores && ready; i++) {
        int met = 0;
        for (int k = 0; k < done; k++) met |= out[k] == node->before[i];
        ready = met;
      }
      if (ready) out[done++] = node;
    }
  }
  return done == graph->nodes ? OK : INVALID_VALUE;  // a cycle
}

Error pd_graph_run(Graph *graph) {
  Node **order = malloc((graph->nodes + 1) * sizeof *order);
  Error error = pd_graph_order(graph, order);
  int here = pd_device();
  for (int i = 0; i < graph->nodes && !error; i++) {
    pd_set_device(order[i]->device);
    if (order[i]->on) error = pd_run(&order[i]->does);
  }
  pd_set_device(here);
  free(order);
  return error;
}
