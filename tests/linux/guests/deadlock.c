// Two threads, each of which holds what the other wants.
#include <pthread.h>
#include <sched.h>

static pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER, second = PTHREAD_MUTEX_INITIALIZER;

static void *other(void *argument) {
    pthread_mutex_lock(&second);
    sched_yield();
    pthread_mutex_lock(&first);
    return argument;
}

int main(void) {
    pthread_t thread;
    pthread_mutex_lock(&first);
    pthread_create(&thread, NULL, other, 0);
    sched_yield();
    pthread_mutex_lock(&second);
    return 0;
}
