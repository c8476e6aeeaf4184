/* aes-main BITS MODE INPUT OUTPUT: one mode after the other. */
#include <unistd.h>

#include "aes-files.h"

int main(int count, char **arguments)
{
    if (count != 5)
        fail("usage", "aes-main 128|192|256 cbc|ctr|cbc+ctr INPUT OUTPUT");
    task tasks[MOST_TASKS];
    size_t modes = plan(tasks, arguments[1], arguments[2], read_file(arguments[3]));
    int output = create_file(arguments[4]);
    for (size_t i = 0; i < modes; i++)
        encipher(&tasks[i]);
    write_ciphertexts(output, tasks, modes);
    for (size_t i = 0; i < modes; i++)
        decipher(&tasks[i]);
    write_decrypted(output, tasks, modes);
    close(output);
    return 0;
}
