/*
 * The same packets by io_uring: one io_uring_enter a tick sends all and takes all that came. Raw system calls; sockets
 * are registered, receiving is one multishot recvmsg a socket into a ring of provided buffers.
 *   uring        all completions are handled within the tick's enter (DEFER_TASKRUN)
 *   uring-coop   completions are handled whenever the thread is in the kernel anyway (COOP_TASKRUN)
 *   uring-event  what comes in is taken as it arrives
 *   uring-zc     sends from registered buffers without copying (SEND_ZC)
 *   uring-send   sends only; received with recvmmsg on every socket
 */
#include "sockets.h"
#include <linux/io_uring.h>
#include <linux/time_types.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#define ENTRIES 4096
#define BUFFERS 4096
#define BUFFER_GROUP 1
#define SEND_TAG 0xffffffffu

static struct job job;
static int *fds;
static struct sockaddr_in *peers;
static struct counts counts;

static int ring_fd;
static unsigned *sq_tail, *sq_array, sq_mask, *cq_head, *cq_tail, cq_mask;
static struct io_uring_sqe *sqes;
static struct io_uring_cqe *cqes;
static unsigned pending;

static struct io_uring_buf_ring *buffers;
static uint8_t *buffer_memory;
static uint16_t buffer_tail;
static struct msghdr receive_header = {.msg_namelen = sizeof(struct sockaddr_in)};
static uint8_t *packets;

static bool mode_is(const char *mode) { return strcmp(job.mode, mode) == 0; }

static void ring_register(unsigned what, void *argument, unsigned count) {
  if (syscall(__NR_io_uring_register, ring_fd, what, argument, count) < 0) die("io_uring_register");
}

static void open_ring(void) {
  struct io_uring_params params = {.flags = IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_CQSIZE};
  params.flags |= mode_is("uring-coop") ? IORING_SETUP_COOP_TASKRUN : IORING_SETUP_DEFER_TASKRUN;
  params.cq_entries = ENTRIES * 4;
  ring_fd = (int)syscall(__NR_io_uring_setup, ENTRIES, &params);
  if (ring_fd < 0) die("io_uring_setup");
  /* One mapping holds both rings; the array of the submissions comes last. */
  size_t bytes = params.sq_off.array + params.sq_entries * sizeof(unsigned);
  uint8_t *ring = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, ring_fd, IORING_OFF_SQ_RING);
  sqes = mmap(NULL, params.sq_entries * sizeof *sqes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, ring_fd,
              IORING_OFF_SQES);
  if (ring == MAP_FAILED || sqes == MAP_FAILED) die("mmap");
  sq_tail = (unsigned *)(ring + params.sq_off.tail);
  sq_array = (unsigned *)(ring + params.sq_off.array);
  sq_mask = *(unsigned *)(ring + params.sq_off.ring_mask);
  cq_head = (unsigned *)(ring + params.cq_off.head);
  cq_tail = (unsigned *)(ring + params.cq_off.tail);
  cq_mask = *(unsigned *)(ring + params.cq_off.ring_mask);
  cqes = (struct io_uring_cqe *)(ring + params.cq_off.cqes);
  ring_register(IORING_REGISTER_FILES, fds, (unsigned)job.sockets);
}

static void return_buffer(uint16_t id) {
  struct io_uring_buf *buffer = &buffers->bufs[buffer_tail & (BUFFERS - 1)];
  buffer->addr = (uint64_t)(uintptr_t)(buffer_memory + (size_t)id * ROOM_BYTES);
  buffer->len = ROOM_BYTES;
  buffer->bid = id;
  __atomic_store_n(&buffers->tail, ++buffer_tail, __ATOMIC_RELEASE);
}

static void provide_buffers(void) {
  buffer_memory = aligned_alloc(4096, (size_t)BUFFERS * ROOM_BYTES);
  buffers = mmap(NULL, BUFFERS * sizeof(struct io_uring_buf), PROT_READ | PROT_WRITE, MAP_ANONYMOUS | MAP_PRIVATE, -1, 0);
  struct io_uring_buf_reg registration = {
      .ring_addr = (uint64_t)(uintptr_t)buffers, .ring_entries = BUFFERS, .bgid = BUFFER_GROUP};
  ring_register(IORING_REGISTER_PBUF_RING, &registration, 1);
  for (int i = 0; i < BUFFERS; i++) return_buffer((uint16_t)i);
}

/* Room for each packet, as the engine would have it in one block: registered once. */
static void register_packets(void) {
  packets = aligned_alloc(4096, (size_t)job.sockets * 4096);
  struct iovec vector = {packets, (size_t)job.sockets * 4096};
  if (mode_is("uring-zc")) ring_register(IORING_REGISTER_BUFFERS, &vector, 1);
}

static struct io_uring_sqe *next_sqe(void) {
  unsigned tail = *sq_tail;
  unsigned slot = tail & sq_mask;
  sq_array[slot] = slot;
  memset(&sqes[slot], 0, sizeof sqes[slot]);
  __atomic_store_n(sq_tail, tail + 1, __ATOMIC_RELEASE);
  pending++;
  return &sqes[slot];
}

static void enter(unsigned wait_for, int64_t timeout_ns) {
  struct __kernel_timespec timeout = {0, timeout_ns};
  struct io_uring_getevents_arg argument = {.ts = (uint64_t)(uintptr_t)&timeout};
  unsigned flags = IORING_ENTER_GETEVENTS | IORING_ENTER_EXT_ARG;
  long done = syscall(__NR_io_uring_enter, ring_fd, pending, wait_for, flags, &argument, sizeof argument);
  if (done >= 0) pending -= (unsigned)done;
  else if (errno == ETIME) pending = 0;
  else if (errno != EINTR) die("io_uring_enter");
}

static void receive_from(int socket) {
  struct io_uring_sqe *sqe = next_sqe();
  sqe->opcode = IORING_OP_RECVMSG;
  sqe->fd = socket;
  sqe->flags = IOSQE_FIXED_FILE | IOSQE_BUFFER_SELECT;
  sqe->ioprio = IORING_RECV_MULTISHOT;
  sqe->addr = (uint64_t)(uintptr_t)&receive_header;
  sqe->len = 1;
  sqe->buf_group = BUFFER_GROUP;
  sqe->user_data = (uint64_t)socket;
}

static void take_completion(const struct io_uring_cqe *cqe) {
  if (cqe->user_data == SEND_TAG) {
    if (cqe->res < 0 && !(cqe->flags & IORING_CQE_F_NOTIF)) counts.sent--;
    return;
  }
  if (cqe->flags & IORING_CQE_F_BUFFER) {
    uint16_t id = (uint16_t)(cqe->flags >> IORING_CQE_BUFFER_SHIFT);
    struct io_uring_recvmsg_out *out = (void *)(buffer_memory + (size_t)id * ROOM_BYTES);
    count_packet(&counts, (uint8_t *)(out + 1) + receive_header.msg_namelen, out->payloadlen);
    return_buffer(id);
  }
  if (!(cqe->flags & IORING_CQE_F_MORE)) receive_from((int)cqe->user_data);
}

static unsigned take_completions(void) {
  unsigned head = *cq_head;
  unsigned tail = __atomic_load_n(cq_tail, __ATOMIC_ACQUIRE);
  unsigned count = tail - head;
  for (; head != tail; head++) take_completion(&cqes[head & cq_mask]);
  __atomic_store_n(cq_head, head, __ATOMIC_RELEASE);
  return count;
}

/* Submits what is pending and takes everything that has arrived, about twenty packets per call. */
static void exchange(void) {
  do enter(0, 0);
  while (take_completions() > 0 || pending > 0);
}

static void send_each(uint16_t sequence) {
  bool zero_copy = mode_is("uring-zc");
  for (int i = 0; i < job.sockets; i++) {
    uint8_t *packet = packets + (size_t)i * (zero_copy ? 4096 : 256);
    write_packet(packet, sequence);
    struct io_uring_sqe *sqe = next_sqe();
    sqe->opcode = zero_copy ? IORING_OP_SEND_ZC : IORING_OP_SEND;
    sqe->fd = i;
    sqe->flags = IOSQE_FIXED_FILE | (zero_copy ? 0 : IOSQE_CQE_SKIP_SUCCESS);
    sqe->ioprio = zero_copy ? IORING_RECVSEND_FIXED_BUF : 0;
    sqe->addr = (uint64_t)(uintptr_t)packet;
    sqe->len = PACKET_BYTES;
    sqe->addr2 = (uint64_t)(uintptr_t)&peers[i];
    sqe->addr_len = sizeof peers[i];
    sqe->user_data = SEND_TAG;
    counts.sent++;
  }
}

static void receive_batches(void) {
  static uint8_t rooms[4][ROOM_BYTES];
  static struct sockaddr_in sources[4];
  struct mmsghdr headers[4];
  struct iovec vectors[4];
  for (int i = 0; i < job.sockets; i++) {
    for (int k = 0; k < 4; k++) {
      vectors[k] = (struct iovec){rooms[k], ROOM_BYTES};
      headers[k].msg_hdr = (struct msghdr){
          .msg_name = &sources[k], .msg_namelen = sizeof sources[k], .msg_iov = &vectors[k], .msg_iovlen = 1};
    }
    int got = recvmmsg(fds[i], headers, 4, MSG_DONTWAIT, NULL);
    for (int k = 0; k < got; k++) count_packet(&counts, rooms[k], headers[k].msg_len);
  }
}

static void receive_until(int64_t due_ns) {
  for (int64_t left; (left = due_ns - now_ns()) > 0;) {
    enter(1, left);
    take_completions();
  }
}

int main(int argc, char **argv) {
  job = job_of(argc, argv);
  fds = open_sockets(job.sockets, job.port);
  peers = malloc(sizeof *peers * (size_t)job.sockets);
  for (int i = 0; i < job.sockets; i++) peers[i] = loopback(job.peer_port + 2 * i);
  open_ring();
  provide_buffers();
  register_packets();
  bool sends_only = mode_is("uring-send");
  for (int i = 0; i < job.sockets && !sends_only; i++) receive_from(i);
  enter(0, 0);
  int64_t start_cpu = cpu_us();
  int64_t origin = now_ns();
  for (int tick = 1; tick <= job.ticks; tick++) {
    int64_t due = origin + tick * TICK_NS;
    if (mode_is("uring-event")) receive_until(due);
    else sleep_until(due);
    if (sends_only) receive_batches();
    send_each((uint16_t)tick);
    exchange();
  }
  report(&counts, cpu_us() - start_cpu);
  return 0;
}
