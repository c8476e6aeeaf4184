/* Threads that each work on their own, and count in a mutex and by atomics. Arguments: threads, rounds. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST = 64, WORK = 200 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static long locked;
static atomic_long counted;
static int rounds;
static unsigned char scratch[MOST][4096];

static void *work(void *argument) {
  long number = (long)argument;
  unsigned x = number + 1;
  for (int i = 0; i < rounds; i++) {
    for (int k = 0; k < WORK; k++) {
      x = x * 1664525 + 1013904223;
      scratch[number][x >> 20] ^= x;
    }
    pthread_mutex_lock(&mutex);
    locked++;
    pthread_mutex_unlock(&mutex);
    atomic_fetch_add(&counted, 1);
  }
  return (void *)(long)x;
}

int main(int count, char **arguments) {
  int threads = count > 1 ? atoi(arguments[1]) : 2;
  rounds = count > 2 ? atoi(arguments[2]) : 100;
  pthread_t each[MOST];
  unsigned long sum = 0;
  for (long i = 0; i < threads; i++)
    if (pthread_create(&each[i], 0, work, (void *)i)) return 1;
  for (int i = 0; i < threads; i++) {
    void *result;
    pthread_join(each[i], &result);
    sum += (unsigned long)result;
  }
  printf("%ld %ld %lx\n", locked, atomic_load(&counted), sum);
  return 0;
}
