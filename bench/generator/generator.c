/*
 * Telephones and agents by the thousand in one thread. Lines on standard input order, lines of JSON on standard output
 * answer; the end of the input is the end of the program. `bench/generator/README.md` lists the orders.
 */
#define _GNU_SOURCE
#include "agent.h"
#include "phone.h"
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/timerfd.h>
#include <unistd.h>

/* 20 ms in 40 turns: member i of either kind sends in turn i % 40, so that no two neighbours come together. */
enum { MAX_MEMBERS = 16384, TURNS = 40, EVENTS = 512, LINE_BYTES = 4096 };
static const double TURN_MS = 0.5;
/* If it is later than this, frames are skipped; otherwise it would only try to catch up. */
static const double MAX_BEHIND_MS = 500;

enum source { FROM_INPUT, FROM_TIMER, FROM_PHONE, FROM_AGENT };

static struct probe probe;
static struct agent_frames frames;
/* What phones opened from now on say; NULL: they speak PCMU. */
static struct song *song;
static struct phone *phones[MAX_MEMBERS];
static struct agent *agents[MAX_MEMBERS];
static int phone_count, agent_count, agents_told;
static struct parties phone_parties, agent_parties;
static int poller;
static double began_ms;
/* Turns that were not taken. */
static uint64_t left_out;

static void control(int operation, int descriptor, uint32_t events, enum source source, int index) {
  struct epoll_event event = {.events = events, .data.u64 = (uint64_t)source << 32 | (uint32_t)index};
  epoll_ctl(poller, operation, descriptor, &event);
}

static void watch(int descriptor, uint32_t events, enum source source, int index) {
  control(EPOLL_CTL_ADD, descriptor, events, source, index);
}

static void fail(const char *why) {
  printf("{\"event\":\"failed\",\"why\":\"%s\"}\n", why);
  fflush(stdout);
}

static void open_phones(int count) {
  printf("{\"event\":\"phones\",\"ports\":[");
  for (int i = 0; i < count && phone_count < MAX_MEMBERS; i++) {
    struct phone *phone = calloc(1, sizeof *phone);
    if (phone == NULL || !phone_open(phone, song)) break;
    watch(phone->socket, EPOLLIN, FROM_PHONE, phone_count);
    phones[phone_count++] = phone;
    printf("%s%d", i > 0 ? "," : "", phone->port);
  }
  printf("]}\n");
  fflush(stdout);
}

static void open_agent(int port, const char *key, const char *path) {
  struct agent *agent = agent_count < MAX_MEMBERS ? calloc(1, sizeof *agent) : NULL;
  if (agent == NULL || !agent_open(agent, port, path, key)) return fail("no socket for an agent");
  watch(agent->socket, EPOLLIN | EPOLLOUT, FROM_AGENT, agent_count);
  agents[agent_count++] = agent;
}

static void open_song(int payload_type, int complexity, int bits_a_second, const char *file) {
  song = calloc(1, sizeof *song);
  const char *why = song == NULL ? "no memory" : song_open(song, file, payload_type, complexity, bits_a_second);
  if (why != NULL) return fail(why);
  agent_prepare_song(&frames, song);
  printf("{\"event\":\"song\",\"frames\":%d}\n", song->frames);
  fflush(stdout);
}

/* The agent of this phone's call, in the place of the one before. */
static void open_agent_of(int phone, int port, const char *key, const char *path) {
  if (phone < 0 || phone >= phone_count) return fail("no such phone");
  for (; agent_count <= phone; agent_count++) {
    agents[agent_count] = calloc(1, sizeof(struct agent));
    if (agents[agent_count] == NULL) return fail("no memory for an agent");
    agents[agent_count]->state = AGENT_GONE;
  }
  agent_close(agents[phone]);
  if (!agent_open(agents[phone], port, path, key)) return fail("no socket for an agent");
  watch(agents[phone]->socket, EPOLLIN | EPOLLOUT, FROM_AGENT, phone);
}

static void print_left(const char *who, const struct party *party, double at_ms) {
  double silent_ms = party->received > 0 ? at_ms - party->last_ms : at_ms - party->began_ms;
  double due = party->received > 0 ? (party->last_ms - party->origin_ms) / 20 + 1 : 0;
  printf("\"%s\":{\"received\":%lu,\"due\":%.1f,\"breaks\":%lu,\"silentMs\":%.0f}", who, party->received, due,
         party->listener.breaks, silent_ms);
}

/* The phone leaves its call, and so does its agent: what they heard of it. */
static void hang_up(int phone) {
  static const struct party nobody;
  if (phone < 0 || phone >= phone_count) return fail("no such phone");
  double at_ms = now_ms();
  printf("{\"event\":\"left\",\"phone\":%d,\"lost\":%lu,", phone, phones[phone]->lost);
  print_left("telephone", &phones[phone]->party, at_ms);
  printf(",");
  print_left("agent", phone < agent_count ? &agents[phone]->party : &nobody, at_ms);
  printf(",\"agentErrors\":%lu,\"agentLostMs\":%lu,\"agentBlocked\":%lu}\n",
         phone < agent_count ? agents[phone]->errors : 0, phone < agent_count ? agents[phone]->lost_ms : 0,
         phone < agent_count ? agents[phone]->blocked : 0);
  fflush(stdout);
  phones[phone]->calling = 0;
  if (phone < agent_count) agent_close(agents[phone]);
}

static void begin(void) {
  began_ms = now_ms();
  for (int i = 0; i < phone_count; i++) {
    party_begin(&phones[i]->party, began_ms);
    phones[i]->lost = 0;
  }
  for (int i = 0; i < agent_count; i++) {
    party_begin(&agents[i]->party, began_ms);
    agents[i]->errors = agents[i]->blocked = 0;
  }
  lateness_reset(&phone_parties.arrival), lateness_reset(&phone_parties.sending);
  lateness_reset(&agent_parties.arrival), lateness_reset(&agent_parties.sending);
  left_out = 0;
  phone_parties.counting = agent_parties.counting = 1;
  printf("{\"event\":\"began\"}\n");
  fflush(stdout);
}

/* The generator's own lateness since the last query. */
static void tell_lateness(void) {
  printf("{\"event\":\"lateness\",\"leftOutMs\":%.1f,\"sending\":", (double)left_out * TURN_MS);
  lateness_print(&phone_parties.sending, stdout);
  printf("}\n");
  fflush(stdout);
  lateness_reset(&phone_parties.sending), lateness_reset(&agent_parties.sending);
  left_out = 0;
}

struct sums {
  uint64_t sent, received, breaks, silent;
  double worst;
};

static void add(struct sums *sums, const struct party *party, double at_ms) {
  double off = fabs(party_deviation(party, at_ms));
  sums->sent += party->sent;
  sums->received += party->received;
  sums->breaks += party->listener.breaks;
  sums->silent += party->listener.silent;
  if (off > sums->worst) sums->worst = off;
}

static void print_sums(const struct sums *sums, const struct parties *all) {
  printf("\"sent\":%lu,\"received\":%lu,\"breaks\":%lu,\"silent\":%lu,\"worstDeviationFrames\":%.3f,\"arrival\":",
         sums->sent, sums->received, sums->breaks, sums->silent, sums->worst);
  lateness_print(&all->arrival, stdout);
  printf(",\"sending\":");
  lateness_print(&all->sending, stdout);
}

static void end(void) {
  double at_ms = now_ms();
  struct sums of_phones = {0}, of_agents = {0};
  uint64_t lost = 0, errors = 0, blocked = 0;
  int calling = 0, gone = 0;
  for (int i = 0; i < phone_count; i++) {
    if (!phones[i]->calling) continue;
    calling++;
    add(&of_phones, &phones[i]->party, at_ms);
    lost += phones[i]->lost;
  }
  for (int i = 0; i < agent_count; i++) {
    add(&of_agents, &agents[i]->party, at_ms);
    errors += agents[i]->errors;
    blocked += agents[i]->blocked;
    gone += agents[i]->state != AGENT_TALKING;
  }
  phone_parties.counting = agent_parties.counting = 0;
  printf("{\"event\":\"report\",\"seconds\":%.3f,\"leftOutMs\":%.1f,\"phones\":{\"count\":%d,\"lost\":%lu,",
         (at_ms - began_ms) / 1e3, (double)left_out * TURN_MS, calling, lost);
  print_sums(&of_phones, &phone_parties);
  printf("},\"agents\":{\"count\":%d,\"gone\":%d,\"errors\":%lu,\"blocked\":%lu,", agent_count, gone, errors, blocked);
  print_sums(&of_agents, &agent_parties);
  printf("}}\n");
  fflush(stdout);
}

static void order(char *line) {
  int index, count, port, payload_type, complexity, bits_a_second;
  char host[64], key[512], path[2048];
  if (sscanf(line, "phones %d", &count) == 1) return open_phones(count);
  if (sscanf(line, "song %d %d %d %2047s", &payload_type, &complexity, &bits_a_second, path) == 4)
    return open_song(payload_type, complexity, bits_a_second, path);
  if (sscanf(line, "call %d %63s %d", &index, host, &port) == 3) {
    if (index < 0 || index >= phone_count || !phone_call(phones[index], host, port)) fail("no such phone or address");
  } else if (sscanf(line, "agent %d %511s %2047s", &port, key, path) == 3) {
    open_agent(port, key, path);
  } else if (sscanf(line, "join %d %d %511s %2047s", &index, &port, key, path) == 4) {
    open_agent_of(index, port, key, path);
  } else if (sscanf(line, "hangup %d", &index) == 1) {
    hang_up(index);
  } else if (strcmp(line, "lateness") == 0) {
    tell_lateness();
  } else if (strcmp(line, "begin") == 0) {
    begin();
  } else if (strcmp(line, "end") == 0) {
    end();
  } else {
    fail("not understood");
  }
}

/* False: the input has ended. */
static int take_orders(void) {
  static char buffer[65536];
  static size_t held;
  ssize_t count = read(STDIN_FILENO, buffer + held, sizeof buffer - held);
  if (count <= 0) return 0;
  held += (size_t)count;
  char *from = buffer, *end_of_line;
  while ((end_of_line = memchr(from, '\n', held - (size_t)(from - buffer))) != NULL) {
    *end_of_line = 0;
    order(from);
    from = end_of_line + 1;
  }
  held -= (size_t)(from - buffer);
  memmove(buffer, from, held);
  return held < sizeof buffer;
}

/* Reports connected and closed agents, `{"event":"agents","talking":…,"gone":…}`, when a number has changed. */
static void tell_agents(void) {
  int talking = 0, gone = 0;
  for (int i = 0; i < agent_count; i++) {
    talking += agents[i]->state == AGENT_TALKING;
    gone += agents[i]->state == AGENT_GONE;
  }
  if (talking + gone * MAX_MEMBERS == agents_told) return;
  agents_told = talking + gone * MAX_MEMBERS;
  printf("{\"event\":\"agents\",\"talking\":%d,\"gone\":%d}\n", talking, gone);
  fflush(stdout);
}

/* Everything that is due by now, by deadlines that never move: what comes late does not delay what follows. */
static void send_due(void) {
  static double origin_ms;
  static uint64_t done;
  double at_ms = now_ms();
  if (done == 0) origin_ms = at_ms;
  double behind_ms = at_ms - origin_ms - (double)done * TURN_MS;
  if (behind_ms > MAX_BEHIND_MS) {
    uint64_t turns = (uint64_t)(behind_ms / TURN_MS);
    left_out += turns;
    done += turns;
  }
  for (; origin_ms + (double)done * TURN_MS <= at_ms; done++) {
    double late_ms = now_ms() - origin_ms - (double)done * TURN_MS;
    if (phone_parties.counting) lateness_add(&phone_parties.sending, late_ms);
    if (agent_parties.counting) lateness_add(&agent_parties.sending, late_ms);
    int turn = (int)(done % TURNS);
    for (int i = turn; i < phone_count; i += TURNS) phone_send(phones[i], &probe, phone_parties.counting);
    for (int i = (turn + TURNS / 2) % TURNS; i < agent_count; i += TURNS)
      agent_send(agents[i], &frames, agent_parties.counting);
    if (done % 200 == 0) tell_agents();
  }
}

static void receive(const struct epoll_event *event, double at_ms) {
  int index = (int)(event->data.u64 & 0xffffffff);
  if (event->data.u64 >> 32 == FROM_PHONE) return phone_receive(phones[index], &phone_parties, at_ms);
  if (event->events & EPOLLOUT) {
    agent_writable(agents[index]);
    control(EPOLL_CTL_MOD, agents[index]->socket, EPOLLIN, FROM_AGENT, index);
  }
  if (event->events & (EPOLLIN | EPOLLHUP | EPOLLERR)) agent_receive(agents[index], &frames, &agent_parties, at_ms);
}

int main(void) {
  struct rlimit files;
  getrlimit(RLIMIT_NOFILE, &files);
  files.rlim_cur = files.rlim_max;
  setrlimit(RLIMIT_NOFILE, &files);
  probe_init(&probe);
  agent_prepare(&frames, &probe);
  poller = epoll_create1(0);
  int timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK);
  struct itimerspec every = {.it_interval.tv_nsec = 500000, .it_value.tv_nsec = 500000};
  timerfd_settime(timer, 0, &every, NULL);
  watch(timer, EPOLLIN, FROM_TIMER, 0);
  watch(STDIN_FILENO, EPOLLIN, FROM_INPUT, 0);
  uint64_t expiries;
  for (;;) {
    struct epoll_event events[EVENTS];
    /* A core that sleeps wakes up late on many machines: while it counts, the generator does not sleep. */
    int count = epoll_wait(poller, events, EVENTS, phone_parties.counting ? 0 : -1);
    double at_ms = now_ms();
    for (int i = 0; i < count; i++) {
      uint64_t source = events[i].data.u64 >> 32;
      if (source == FROM_INPUT && !take_orders()) return 0;
      /* Linux sets an interval timer again when it is read. */
      if (source == FROM_TIMER && read(timer, &expiries, sizeof expiries) < 0) continue;
      if (source == FROM_PHONE || source == FROM_AGENT) receive(&events[i], at_ms);
    }
    send_due();
  }
}
