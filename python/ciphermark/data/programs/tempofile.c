/*
 * tempofile INPUT OUTPUT: the input and output of aes-main in both modes, without a cipher. In the place of each
 * ciphertext are as many letters.
 */
#include <string.h>
#include <unistd.h>

#include "files.h"

int main(int count, char **arguments)
{
    if (count != 3)
        fail("usage", "tempofile INPUT OUTPUT");
    contents file = read_file(arguments[1]);
    uint8_t *letters = take_memory(file.size);
    memset(letters, 'a', file.size);
    int output = create_file(arguments[2]);
    for (int mode = 0; mode < 2; mode++)
        write_all(output, letters, file.size);
    for (int mode = 0; mode < 2; mode++)
        write_all(output, file.bytes, file.size);
    close(output);
    return 0;
}
