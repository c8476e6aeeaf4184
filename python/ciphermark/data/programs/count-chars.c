/* count-chars INPUT: prints how many bytes it has, which it reads one by one. */
#include "files.h"

#define MOST_DIGITS 24

int main(int count, char **arguments)
{
    if (count != 2)
        fail("usage", "count-chars INPUT");
    contents file = read_file(arguments[1]);
    size_t found = 0;
    for (const volatile uint8_t *byte = file.bytes; byte != file.bytes + file.size; byte++) {
        (void)*byte;
        found++;
    }
    uint8_t line[MOST_DIGITS];
    size_t first = MOST_DIGITS;
    line[--first] = '\n';
    do {
        line[--first] = (uint8_t)('0' + found % 10);
        found /= 10;
    } while (found != 0);
    write_all(1, line + first, MOST_DIGITS - first);
    return 0;
}
