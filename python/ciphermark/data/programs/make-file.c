/* make-file BYTES OUTPUT: a file of that size, the alphabet over and over. */
#include <unistd.h>

#include "files.h"

#define LETTERS 26

int main(int count, char **arguments)
{
    if (count != 3)
        fail("usage", "make-file BYTES OUTPUT");
    size_t size = parse_number("BYTES", arguments[1]);
    uint8_t *bytes = take_memory(size);
    for (size_t i = 0; i < size; i++)
        bytes[i] = (uint8_t)('a' + i % LETTERS);
    int output = create_file(arguments[2]);
    write_all(output, bytes, size);
    close(output);
    return 0;
}
