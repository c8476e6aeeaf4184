/* Threads that take turns at a mutex, while one waits for the end. */
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
int passed;

static void *pass(void *name)
{
    for (int turn = 0; turn < 3; turn++) {
        pthread_mutex_lock(&gate);
        passed += *(int *)name;
        pthread_mutex_unlock(&gate);
    }
    return name;
}

int main(void)
{
    pthread_t threads[2];
    int names[2] = {1, 10};

    for (int index = 0; index < 2; index++)
        pthread_create(&threads[index], NULL, pass, &names[index]);
    for (int index = 0; index < 2; index++)
        pthread_join(threads[index], NULL);
    printf("%d\n", passed);
    return 0;
}
