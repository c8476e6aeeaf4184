/* aes-thread BITS MODE INPUT OUTPUT: what aes-main does, each mode in a thread of its own. */
#include <pthread.h>
#include <unistd.h>

#include "aes-files.h"

static void *both_ways(void *given)
{
    encipher(given);
    decipher(given);
    return NULL;
}

int main(int count, char **arguments)
{
    if (count != 5)
        fail("usage", "aes-thread 128|192|256 cbc|ctr|cbc+ctr INPUT OUTPUT");
    task tasks[MOST_TASKS];
    pthread_t threads[MOST_TASKS];
    size_t modes = plan(tasks, arguments[1], arguments[2], read_file(arguments[3]));
    int output = create_file(arguments[4]);
    for (size_t i = 0; i < modes; i++)
        if (pthread_create(&threads[i], NULL, both_ways, &tasks[i]) != 0)
            fail("thread", "cannot be started");
    for (size_t i = 0; i < modes; i++)
        if (pthread_join(threads[i], NULL) != 0)
            fail("thread", "cannot be waited for");
    write_ciphertexts(output, tasks, modes);
    write_decrypted(output, tasks, modes);
    close(output);
    return 0;
}
