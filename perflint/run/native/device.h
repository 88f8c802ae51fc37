// What libcudart and libcuda share: the devices of a process, whose kernels perflint runs.
//
// The process holds a socket to perflint and the device's memory, a file in memory that both map.
// Device memory is sparse: every allocation has pages of its own and a number; its address is
// (number << 40) + 2^39, which is what the simulator calls it too. Copies are made here, in the
// program; only modules, textures and launches go over the socket.
#ifndef PERFLINT_DEVICE_H
#define PERFLINT_DEVICE_H
#include <stddef.h>
#include <stdint.h>

typedef uint64_t u64;
typedef uint32_t u32;
typedef int Error;  // CUDA's numbers, which are the same in both libraries

enum {
  OK = 0, INVALID_VALUE = 1, OUT_OF_MEMORY = 2, NOT_INITIALIZED = 3, INVALID_CONFIGURATION = 9,
  INVALID_PITCH = 12, INVALID_SYMBOL = 13, INVALID_DEVICE_POINTER = 17, INVALID_DIRECTION = 21,
  INVALID_FUNCTION = 98, NO_DEVICE = 100, INVALID_DEVICE = 101, INVALID_IMAGE = 200,
  INVALID_CONTEXT = 201, NO_BINARY = 209, INVALID_PTX = 218, INVALID_SOURCE = 300,
  FILE_NOT_FOUND = 301, INVALID_HANDLE = 400, NOT_FOUND = 500, NOT_READY = 600,
  ILLEGAL_ADDRESS = 700, OUT_OF_RESOURCES = 701, PEER_ENABLED = 704, PEER_NOT_ENABLED = 705,
  ALREADY_REGISTERED = 712, NOT_REGISTERED = 713, LAUNCH_FAILED = 719, NOT_SUPPORTED = 801,
  CAPTURE_UNSUPPORTED = 900, CAPTURE_INVALIDATED = 901, CAPTURE_UNMATCHED = 903,
  CAPTURE_UNJOINED = 904, CAPTURE_IMPLICIT = 906, UPDATE_FAILED = 910,
  CLUSTER_SIZE = 912,
};

// --- the connection (connection.c) ---------------------------------------------------------------

enum { HELLO = 1, LOAD_MODULE, UNLOAD_MODULE, GET_FUNCTION, GET_VARIABLE, LAUNCH, BIND_TEXTURE,
       DROP_TEXTURE, TELL, SET_LIMIT, NOT_LAUNCHED, OTHER_RUNTIME, MISSING };

// What perflint says of the simulated GPU, at the start.
typedef struct {
  int protocol, major, minor, sms, threads_per_sm, blocks_per_sm, registers_per_sm;
  int registers_per_block, threads_per_block, shared_per_block, shared_optin, shared_per_sm;
  int shared_reserved, l2_bytes, constant_bytes, checked, devices, unused;
  u64 memory;
  char name[64];
} DeviceInfo;

typedef struct { int error; u32 size; char *data; } Reply;  // `data` is malloc'd, and ends with a 0

Error pd_start(void);  // connect; NOT_INITIALIZED in a child of a process that has connected
const DeviceInfo *pd_info(void);
Reply pd_ask(int what, const void *head, u32 head_size, const void *body, u32 body_size);
Error pd_missing(const char *name, const char *takes);  // tell it once, as not done; NOT_SUPPORTED
void pd_tell_once(const char *name, const char *what);
// Before a library's work that the CPU does: whether it can be done now, and a word, once, that it is.
Error pd_answer(const char *name, const char *library, const char *what);  // NOT_SUPPORTED: captured
void pd_tell(const char *format, ...) __attribute__((format(printf, 1, 2)));
void pd_other_runtime(const void *caller);  // NVIDIA's own runtime asks for its driver's insides
// The driver's state, which the runtime shares: with it the primary context becomes current.
int pd_initialized(void);
void pd_initialize(void);
void pd_lock(void);  // the one lock of all tables; may be taken again by its owner
void pd_unlock(void);

// --- devices (devices.c) -------------------------------------------------------------------------

enum { DEVICES = 8 };  // at most
int pd_devices(void);
int pd_is_device(int device);
int pd_device(void);  // the calling thread's
void pd_set_device(int device);
int *pd_contexts(void);  // how many are on the calling thread's stack
Error pd_push_context(int device);
u32 pd_reachable(int device);  // bit n: its kernels may access what device n holds
int pd_may_be_peers(int from, int to);
Error pd_enable_peer(int to, int on);  // for the calling thread's device
Error pd_peer_attribute(int *value, int which, int from, int to);

// --- memory (memory.c) ---------------------------------------------------------------------------

enum { DEVICE = 'd', MANAGED = 'm', PINNED = 'h', REGISTERED = 'r', SPANS = 's' };

typedef struct { u64 address, size; char *host; int kind, device; } Allocation;

void pd_map_memory(int file, u64 size);
Error pd_allocate(u64 *address, size_t size, int kind);
// Device memory at an address where it was before, unless it still is.
Error pd_allocate_again(u64 address, size_t size);
int pd_was_given(u64 address);  // whether memory is or was there
// kind: DEVICE for what cudaFree takes, PINNED. `caller`: an address in the code that frees it.
Error pd_free(u64 address, int kind, const void *caller);
#define CALLER __builtin_return_address(0)
Error pd_register(void *at, size_t size);
Error pd_unregister(void *at);
int pd_find(u64 address, Allocation *found);  // the allocation that an address lies in
char *pd_host(const void *pointer, size_t size);  // where the bytes are; NULL: beyond an allocation
size_t pd_used(int device);
void pd_share(u64 address, u32 devices);  // an allocation that these may access too
void pd_written(const void *host, size_t size);  // these bytes of the device's memory are known

typedef struct {  // `depth` slices of `height` rows of `width` bytes
  char *to; const char *from;  // as the program says them, device or host addresses
  size_t to_pitch, to_slice, from_pitch, from_slice, width, height, depth;
  int kind;  // cudaMemcpyKind
} Copy;
typedef struct { char *to; size_t pitch, slice, width, height, depth; u32 value, unit; } Fill;

Error pd_copy(const Copy *copy);
Error pd_fill(const Fill *fill);

// --- modules and launches (modules.c) ------------------------------------------------------------

typedef struct Module Module;
typedef struct {
  int id, shared, local, constant, max_threads, registers, ptx_version, arch, parameters, bytes;
} FunctionInfo;
typedef struct { int offset, size; } Parameter;
typedef struct Function {
  const void *host;  // the key that the program launches by
  Module *module;
  const char *name;
  int ready, max_dynamic, carveout, cluster_ok;  // `ready` after its first use
  int ids[DEVICES];  // perflint's, one more than it is; 0 before its first use there
  FunctionInfo info;
  Parameter *parameters;
} Function;
typedef struct {
  const void *host;
  Module *module;
  const char *name;
  size_t size;
  void **managed;  // where the program keeps the address of a __managed__ variable
  u64 address[DEVICES];
} Variable;
typedef struct { u32 grid[3], block[3], cluster[3], shared, cooperative; } Shape;

// Copies nothing. `near` is an address in the file that brings the image: the program, a library.
Module *pd_new_module(const void *image, size_t size, const void *near);
Error pd_load_module(Module *module);
void pd_drop_module(Module *module);
Function *pd_new_function(Module *module, const void *host, const char *name);
Variable *pd_new_variable(Module *m, const void *host, const char *name, size_t size, void **managed);
Function *pd_function(const void *host);  // by the program's key, or the Function itself
Variable *pd_variable(const void *host);
Error pd_function_ready(Function *function);
Error pd_launchable(Function *function);  // as pd_function_ready, and a refusal is told as a launch
Error pd_variable_ready(Variable *variable);
Error pd_check_launch(Function *function, const Shape *shape);
int pd_largest_cluster(const Function *f);  // blocks
Error pd_active_clusters(int *n, Function *f, const Shape *shape);
Error pd_pack(Function *function, void **arguments, void **extra, char *packed);
Error pd_launch(Function *function, const Shape *shape, const void *packed);
Error pd_sync(void);  // what launches left: printed text, and the error that stays
Error pd_sticky(void);
void pd_reset(void);
size_t pd_image_size(const void *image);
int pd_occupancy(Function *function, int block, size_t dynamic);
size_t pd_limit(int which, size_t value, int set);

// --- streams, events, graphs (streams.c, graphs.c) -----------------------------------------------

typedef struct Graph Graph;
typedef struct Node Node;
typedef struct Event Event;
typedef struct Stream Stream;

enum { KERNEL, MEMCPY, MEMSET, HOST, SUBGRAPH, EMPTY, WAIT, RECORD, ALLOC = 10, FREE = 11 };

typedef struct {
  int type;
  union {
    struct { Function *function; Shape shape; char *packed; int priority; } kernel;
    struct { Copy copy; char parameters[192]; } copy;  // `parameters`: what a getter returns
    struct { Fill fill; char parameters[64]; } fill;
    struct { void (*function)(void *); void *data; } host;
    Graph *graph;
    Event *event;
    struct { u64 address; size_t size; } memory;
  };
} Operation;

struct Event { u32 magic, flags; int device, recorded; double at; Graph *graph; Node **nodes; int count; };
struct Stream {
  u32 magic, flags; int device, priority; u64 id;
  Graph *capture; int mode, origin, broken; Node **tail; int tails;  // while it captures
  Stream *next;
};
struct Node {
  Graph *graph; Operation does; int device; Node **before; int befores; int on; Node *source;
  struct Node *next;
};
struct Graph { u32 magic; Node *first, *last; int nodes, capturing; u64 id; Graph *owner; };

Stream *pd_stream(void *handle, Error *error);  // the default stream too
int pd_stream_device(const Stream *stream);
Error pd_stream_new(Stream **out, u32 flags, int priority);
Error pd_stream_drop(void *handle);
Error pd_submit(void *stream, Operation *does);  // run it, or keep it where the stream captures
Error pd_run(Operation *does);
Error pd_stream_sync(void *handle);
Error pd_event_new(Event **out, u32 flags);
Event *pd_event(void *handle);
Error pd_record(Event *event, void *stream);
Error pd_wait(void *stream, Event *event);
Error pd_elapsed(float *ms, Event *first, Event *last);
Error pd_capture_begin(void *stream, Graph *into, Node *const *after, int count, int mode);
Error pd_capture_end(void *stream, Graph **out);
int pd_capturing(void);  // whether any stream captures
double pd_now(void);

Graph *pd_graph_new(void);
Graph *pd_graph(void *handle);
void pd_graph_drop(Graph *graph);
Node *pd_node_new(Graph *graph, Node *const *before, int count, const Operation *does);
void pd_node_drop(Node *node);
Graph *pd_graph_clone(Graph *graph);
Error pd_graph_order(Graph *graph, Node **out);  // every node behind those before it
Error pd_graph_run(Graph *graph);
Error pd_operation_copy(Operation *to, const Operation *from);
void pd_operation_drop(Operation *does);
Error pd_node_link(Node *from, Node *to, int on);

// --- pools (pools.c) -----------------------------------------------------------------------------

typedef struct Pool Pool;
Pool *pd_pool(void *handle);  // 0: it is none
Pool *pd_pool_standard(int device);
Pool *pd_pool_current(int device);
void pd_pool_set(int device, Pool *pool);
Pool *pd_pool_new(int device);
Error pd_pool_share(void *handle, int device, int on);
int pd_pool_reaches(Pool *pool, int device);
Pool *pd_pool_of(void *stream);  // of its device
Error pd_pool_drop(void *handle);
Error pd_pool_allocate(u64 *address, size_t size, void *pool, void *stream);
Error pd_pool_free(u64 address, void *stream, const void *caller);
Error pd_pool_set_attribute(void *pool, int which, const void *value);
Error pd_pool_get_attribute(void *pool, int which, void *value);

// --- arrays (arrays.c) ---------------------------------------------------------------------------

typedef struct {  // what cudaArray_t and CUarray point to
  u32 magic, flags;  // cudaArrayLayered 1, Surface 2, Cubemap 4
  int bits[4], format;  // of the channels; 0 signed, 1 unsigned, 2 float
  size_t width, height, depth, texel;
  u64 address;
} Array;
typedef struct {
  u64 address, pitch, width, height, depth;
  u32 flags, bits, channels, format, mode[3], linear, normalized, as_float, srgb;
  float border[4];
} Texture;

Error pd_array_new(Array **out, const int bits[4], int format, size_t w, size_t h, size_t d, u32 flags);
Array *pd_array(const void *handle);
Error pd_array_drop(Array *array, const void *caller);
Error pd_bind(u64 *handle, const Texture *texture);
Error pd_unbind(u64 handle);
#endif
