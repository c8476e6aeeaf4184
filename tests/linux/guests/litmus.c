/* Litmus tests of RVWMO (Unprivileged ISA, "RVWMO"), each many times over, in two to
 * four threads that start together. Prints a line for each: its name, outcomes that are forbidden, and whether others
 * than the one of taking turns as a whole were seen. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>

enum { TIMES = 400, THREADS = 4 };

/* Each variable in a line of its own. */
static struct { volatile long value; char rest[120]; } x[TIMES], y[TIMES];
static long seen[THREADS][2][TIMES];
static atomic_int arrived, round_number;
static pthread_t threads[THREADS];

typedef void body(int thread, int time);

static void meet(int threads) {
  int now = atomic_load(&round_number);
  if (atomic_fetch_add(&arrived, 1) == threads - 1) {
    atomic_store(&arrived, 0);
    atomic_fetch_add(&round_number, 1);
  } else
    while (atomic_load(&round_number) == now)
      ;
}

#define STORE(to, v) __asm__ volatile("sd %1, 0(%0)" : : "r"(&(to).value), "r"((long)(v)) : "memory")
#define LOAD(into, from) __asm__ volatile("ld %0, 0(%1)" : "=r"(into) : "r"(&(from).value) : "memory")
#define FENCE() __asm__ volatile("fence rw, rw" : : : "memory")
/* Threads meet at different moments of each other. */
static void stagger(int thread, int time) {
  for (volatile int i = (thread * 37 + time * 11) % 23; i > 0; i--)
    ;
}

static void message_passing(int thread, int time) {
  if (thread == 0) {
    STORE(x[time], 1);
    FENCE();
    STORE(y[time], 1);
  } else {
    LOAD(seen[1][0][time], y[time]);
    FENCE();
    LOAD(seen[1][1][time], x[time]);
  }
}

static void store_buffering(int thread, int time) {
  if (thread == 0) {
    STORE(x[time], 1);
    FENCE();
    LOAD(seen[0][0][time], y[time]);
  } else {
    STORE(y[time], 1);
    FENCE();
    LOAD(seen[1][0][time], x[time]);
  }
}

static void load_buffering(int thread, int time) {
  if (thread == 0) {
    LOAD(seen[0][0][time], x[time]);
    FENCE();
    STORE(y[time], 1);
  } else {
    LOAD(seen[1][0][time], y[time]);
    FENCE();
    STORE(x[time], 1);
  }
}

static void independent_reads(int thread, int time) {
  switch (thread) {
    case 0: STORE(x[time], 1); break;
    case 1: STORE(y[time], 1); break;
    case 2:
      LOAD(seen[2][0][time], x[time]);
      FENCE();
      LOAD(seen[2][1][time], y[time]);
      break;
    default:
      LOAD(seen[3][0][time], y[time]);
      FENCE();
      LOAD(seen[3][1][time], x[time]);
  }
}

static void same_address(int thread, int time) {
  if (thread == 0) {
    STORE(x[time], 1);
    STORE(x[time], 2);
  } else {
    LOAD(seen[1][0][time], x[time]);
    LOAD(seen[1][1][time], x[time]);
  }
}

/* Nothing may come between a reserved load and its conditional store that succeeds. */
static void reservation(int thread, int time) {
  long old, failed;
  (void)thread;
  do {
    __asm__ volatile("lr.d.aqrl %0, (%2)\n\taddi %0, %0, 1\n\tsc.d.rl %1, %0, (%2)"
                     : "=&r"(old), "=&r"(failed) : "r"(&x[time].value) : "memory");
  } while (failed);
}

static void addition(int thread, int time) {
  (void)thread;
  __asm__ volatile("amoadd.d zero, %1, (%0)" : : "r"(&x[time].value), "r"(1L) : "memory");
}

static body *running;
static int parties;

static void *party(void *number) {
  int thread = (int)(intptr_t)number;
  for (int time = 0; time < TIMES; time++) {
    meet(parties);
    stagger(thread, time);
    running(thread, time);
  }
  return 0;
}

static void run(body *test, int threads_of_it) {
  for (int time = 0; time < TIMES; time++) x[time].value = y[time].value = 0;
  running = test;
  parties = threads_of_it;
  for (intptr_t i = 0; i < parties; i++) pthread_create(&threads[i], 0, party, (void *)i);
  for (int i = 0; i < parties; i++) pthread_join(threads[i], 0);
}

#define COUNT(condition) ({ int n = 0; for (int t = 0; t < TIMES; t++) n += (condition); n; })
#define S(thread, number) seen[thread][number][t]

int main(void) {
  run(message_passing, 2);
  printf("MP %d %d\n", COUNT(S(1, 0) == 1 && S(1, 1) == 0), COUNT(S(1, 0) == 0 && S(1, 1) == 1) > 0);
  run(store_buffering, 2);
  printf("SB %d %d\n", COUNT(S(0, 0) == 0 && S(1, 0) == 0), COUNT(S(0, 0) == 1 && S(1, 0) == 1) > 0);
  run(load_buffering, 2);
  printf("LB %d %d\n", COUNT(S(0, 0) == 1 && S(1, 0) == 1), COUNT(S(0, 0) == 0 && S(1, 0) == 0) > 0);
  run(independent_reads, 4);
  printf("IRIW %d %d\n", COUNT(S(2, 0) == 1 && S(2, 1) == 0 && S(3, 0) == 1 && S(3, 1) == 0),
         COUNT(S(2, 0) != S(2, 1) || S(3, 0) != S(3, 1)) > 0);
  run(same_address, 2);
  printf("CoRR %d %d\n", COUNT(S(1, 0) > S(1, 1)), COUNT(S(1, 0) != 2) > 0);
  run(reservation, 4);
  printf("LR/SC %d 1\n", COUNT(x[t].value != 4));
  run(addition, 4);
  printf("AMO %d 1\n", COUNT(x[t].value != 4));
  return 0;
}
