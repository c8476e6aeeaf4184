/* Two threads that share nothing, "together" or one "after" the other; prints the cycles of each. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum { WORDS = 300 };

static struct { unsigned long words[WORDS]; char rest[4096]; } own[2];

static unsigned long cycles(void) {
  unsigned long now;
  __asm__ volatile("rdcycle %0" : "=r"(now) : : "memory");
  return now;
}

static unsigned long work(int number) {
  unsigned long x = number + 1, begin = cycles();
  for (int round = 0; round < 40; round++)
    for (int i = 0; i < WORDS; i++) {
      x = x * 6364136223846793005 + 1442695040888963407;
      own[number].words[x % WORDS] += x / (i + 1);
    }
  return cycles() - begin;
}

static void *party(void *argument) {
  int number = argument != 0;
  work(number);
  return (void *)work(number);
}

int main(int count, char **arguments) {
  pthread_t threads[2];
  void *took[2];
  int together = count > 1 && !strcmp(arguments[1], "together");
  for (int i = 0; i < 2; i++) {
    if (pthread_create(&threads[i], 0, party, i ? (void *)1 : 0)) return 1;
    if (!together) pthread_join(threads[i], &took[i]);
  }
  for (int i = 0; together && i < 2; i++) pthread_join(threads[i], &took[i]);
  printf("%lu %lu\n", (unsigned long)took[0], (unsigned long)took[1]);
  return 0;
}
