// The socket to perflint, and the lock that guards everything here.
#define _GNU_SOURCE
#include "device.h"
#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <unistd.h>

#define PROTOCOL 2
#define LOST 97  // the exit status of a program whose simulator is gone

static pthread_mutex_t lock;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static int connection = -1, forked, failed;
static DeviceInfo info;

static void prepare(void) { pd_lock(); }
static void parent(void) { pd_unlock(); }
static void child(void) {
  // As with a real device: a process that was forked off one that uses it cannot use it.
  pthread_mutexattr_t again;
  pthread_mutexattr_init(&again);
  pthread_mutexattr_settype(&again, PTHREAD_MUTEX_RECURSIVE);
  pthread_mutex_init(&lock, &again);
  if (connection >= 0) {
    close(connection);
    connection = -1;
    forked = 1;
  }
}

static void begin(void) {
  pthread_mutexattr_t again;
  pthread_mutexattr_init(&again);
  pthread_mutexattr_settype(&again, PTHREAD_MUTEX_RECURSIVE);
  pthread_mutex_init(&lock, &again);
  pthread_atfork(prepare, parent, child);
}

void pd_lock(void) { pthread_once(&once, begin); pthread_mutex_lock(&lock); }
void pd_unlock(void) { pthread_mutex_unlock(&lock); }

static void lost(void) {
  fflush(stdout);
  fprintf(stderr, "perflint: the simulator has ended; the program ends with it\n");
  _exit(LOST);
}

static void put(const struct iovec *parts, int count) {
  struct iovec left[3];
  memcpy(left, parts, count * sizeof *parts);
  struct iovec *at = left;
  while (count) {
    struct msghdr message = {.msg_iov = at, .msg_iovlen = count};
    ssize_t sent = sendmsg(connection, &message, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0) lost();
    while (count && (size_t)sent >= at->iov_len) sent -= at->iov_len, at++, count--;
    if (count) at->iov_base = (char *)at->iov_base + sent, at->iov_len -= sent;
  }
}

static void get(void *to, size_t size) {
  for (char *at = to; size;) {
    ssize_t got = recv(connection, at, size, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) lost();
    at += got, size -= got;
  }
}

// The answer to HELLO brings the file of the device's memory along.
static int get_file(void *to, size_t size) {
  char space[CMSG_SPACE(sizeof(int))];
  struct iovec part = {to, size};
  struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = space,
                           .msg_controllen = sizeof space};
  ssize_t got;
  while ((got = recvmsg(connection, &message, MSG_CMSG_CLOEXEC)) < 0 && errno == EINTR) {}
  if (got <= 0) lost();
  get((char *)to + got, size - got);
  struct cmsghdr *head = CMSG_FIRSTHDR(&message);
  if (!head || head->cmsg_type != SCM_RIGHTS) lost();
  int file;
  memcpy(&file, CMSG_DATA(head), sizeof file);
  return file;
}

static Error refuse(const char *why) {
  if (!failed) fprintf(stderr, "perflint: %s\n", why);
  failed = 1;
  return NO_DEVICE;
}

static Error connect_now(void) {
  const char *path = getenv("PERFLINT_RUN_SOCKET");
  if (!path) return refuse("there is no simulator here; start the program with: perflint run -- PROGRAM");
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  if (strlen(path) >= sizeof address.sun_path) return refuse("the socket's path is too long");
  strcpy(address.sun_path, path);
  connection = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (connection < 0 || connect(connection, (struct sockaddr *)&address, sizeof address)) {
    if (connection >= 0) close(connection);
    connection = -1;
    return refuse("the simulator does not answer");
  }
  struct { int what; u32 size; int protocol; int process; } hello = {HELLO, 8, PROTOCOL, getpid()};
  put(&(struct iovec){&hello, sizeof hello}, 1);
  struct { u64 memory; DeviceInfo device; } answer;
  int file = get_file(&answer, sizeof answer);
  info = answer.device;
  pd_map_memory(file, answer.memory);
  return OK;
}

Error pd_start(void) {
  if (connection >= 0) return OK;
  pd_lock();
  Error error = connection >= 0 ? OK : forked ? NOT_INITIALIZED : failed ? NO_DEVICE : connect_now();
  pd_unlock();
  return error;
}

static int initialized;
int pd_initialized(void) { return initialized; }
void pd_initialize(void) { initialized = 1; }

const DeviceInfo *pd_info(void) { pd_start(); return &info; }

Reply pd_ask(int what, const void *head, u32 head_size, const void *body, u32 body_size) {
  Reply reply = {0, 0, 0};
  if ((reply.error = pd_start())) return reply;
  pd_lock();
  struct { int what; u32 size; } front = {what, head_size + body_size};
  struct iovec parts[] = {{&front, sizeof front}, {(void *)head, head_size}, {(void *)body, body_size}};
  put(parts, body_size ? 3 : 2);
  struct { int error; u32 size; } back;
  get(&back, sizeof back);
  reply.error = back.error, reply.size = back.size;
  reply.data = malloc(back.size + 1);
  if (!reply.data) lost();
  get(reply.data, back.size);
  reply.data[back.size] = 0;
  pd_unlock();
  return reply;
}

void pd_tell(const char *format, ...) {
  char text[1024];
  va_list values;
  va_start(values, format);
  vsnprintf(text, sizeof text, format, values);
  va_end(values);
  free(pd_ask(TELL, text, strlen(text), 0, 0).data);
}

static int is_new(const char *name) {
  static const char *told[256];
  static int count;
  pd_lock();
  int known = 0;
  for (int i = 0; i < count; i++) known |= !strcmp(told[i], name);
  if (!known && count < 256) told[count++] = name;
  pd_unlock();
  return !known;
}

void pd_tell_once(const char *name, const char *what) {
  if (is_new(name)) pd_tell("%s: %s", name, what);
}

Error pd_missing(const char *name, const char *takes) {
  if (is_new(name)) free(pd_ask(MISSING, name, strlen(name) + 1, takes, strlen(takes)).data);
  return NOT_SUPPORTED;
}
