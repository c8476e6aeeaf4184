// Threads with mutexes, condition variables, barriers, keys and time limits.
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { THREADS = 8, ROUNDS = 2000, CAPACITY = 7, ITEMS = 5000 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t not_full = PTHREAD_COND_INITIALIZER, not_empty = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t barrier;
static pthread_key_t key;
static __thread int own;
static long counter;
static int queue[CAPACITY], used, destroyed;

static void destroy(void *value) { destroyed += *(int *)value; }

static void *count(void *argument) {
    own = (int)(long)argument;
    int *mine = malloc(sizeof *mine);
    *mine = own;
    pthread_setspecific(key, mine);
    pthread_barrier_wait(&barrier);
    for (int i = 0; i < ROUNDS; i++) {
        pthread_mutex_lock(&lock);
        counter += own;
        pthread_mutex_unlock(&lock);
    }
    return (void *)(long)(own == *(int *)pthread_getspecific(key));
}

static void *produce(void *argument) {
    for (int i = 1; i <= ITEMS; i++) {
        pthread_mutex_lock(&lock);
        while (used == CAPACITY) pthread_cond_wait(&not_full, &lock);
        queue[used++] = i;
        pthread_cond_signal(&not_empty);
        pthread_mutex_unlock(&lock);
    }
    return argument;
}

static void *consume(void *argument) {
    long sum = 0;
    for (int i = 0; i < ITEMS; i++) {
        pthread_mutex_lock(&lock);
        while (used == 0) pthread_cond_wait(&not_empty, &lock);
        sum += queue[--used];
        pthread_cond_signal(&not_full);
        pthread_mutex_unlock(&lock);
    }
    *(long *)argument = sum;
    return NULL;
}

int main(void) {
    pthread_t thread[THREADS];
    pthread_barrier_init(&barrier, NULL, THREADS);
    pthread_key_create(&key, destroy);
    for (long i = 0; i < THREADS; i++) pthread_create(&thread[i], NULL, count, (void *)(i + 1));
    int kept = 0;
    for (int i = 0; i < THREADS; i++) {
        void *result;
        pthread_join(thread[i], &result);
        kept += (int)(long)result;
    }
    printf("%ld %d %d\n", counter, kept, destroyed);
    long sums[3] = {0};
    pthread_t producer[3], consumer[3];
    for (int i = 0; i < 3; i++) {
        pthread_create(&producer[i], NULL, produce, NULL);
        pthread_create(&consumer[i], NULL, consume, &sums[i]);
    }
    for (int i = 0; i < 3; i++) pthread_join(producer[i], NULL), pthread_join(consumer[i], NULL);
    printf("%ld\n", sums[0] + sums[1] + sums[2]);
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += 20000000;
    if (until.tv_nsec >= 1000000000) until.tv_sec++, until.tv_nsec -= 1000000000;
    pthread_mutex_lock(&lock);
    printf("%d\n", pthread_cond_timedwait(&not_full, &lock, &until) == ETIMEDOUT);
    return 0;
}
