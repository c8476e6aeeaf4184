#include "files.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Bytes that one system call reads or writes, as C libraries' own buffers are of this order. */
#define PIECE 4096

static void say(const char *text)
{
    size_t size = strlen(text);
    while (size != 0) {
        ssize_t done = write(2, text, size);
        if (done <= 0)
            return;
        text += done;
        size -= (size_t)done;
    }
}

_Noreturn void fail(const char *what, const char *why)
{
    say(what);
    say(": ");
    say(why);
    say("\n");
    exit(2);
}

uint8_t *take_memory(size_t bytes)
{
    uint8_t *memory = calloc(bytes != 0 ? bytes : 1, 1);
    if (memory == NULL)
        fail("memory", "there is not enough");
    return memory;
}

contents read_file(const char *path)
{
    int file = open(path, O_RDONLY);
    if (file < 0)
        fail(path, "cannot be opened");
    off_t end = lseek(file, 0, SEEK_END);
    if (end < 0 || lseek(file, 0, SEEK_SET) != 0)
        fail(path, "has no size");
    contents found = {take_memory((size_t)end), (size_t)end};
    for (size_t done = 0; done < found.size;) {
        size_t left = found.size - done;
        ssize_t got = read(file, found.bytes + done, left < PIECE ? left : PIECE);
        if (got <= 0)
            fail(path, "cannot be read to its end");
        done += (size_t)got;
    }
    close(file);
    return found;
}

int create_file(const char *path)
{
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
    if (file < 0)
        fail(path, "cannot be written");
    return file;
}

void write_all(int file, const uint8_t *bytes, size_t size)
{
    while (size != 0) {
        ssize_t done = write(file, bytes, size < PIECE ? size : PIECE);
        if (done <= 0)
            fail("output", "cannot be written to its end");
        bytes += done;
        size -= (size_t)done;
    }
}

size_t parse_number(const char *what, const char *text)
{
    size_t value = 0;
    if (*text == '\0')
        fail(what, "is not a number");
    for (; *text != '\0'; text++) {
        if (*text < '0' || *text > '9' || value > ((size_t)1 << 40))
            fail(what, "is not a number, or too large");
        value = 10 * value + (size_t)(*text - '0');
    }
    return value;
}
