// Open files by name: /dev/fd/3, /proc/self/fd/3, /dev/stdin.
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void show(const char *what, const char *path) {
    char text[16] = "";
    struct stat status;
    int known = stat(path, &status);
    int file = open(path, O_RDONLY);
    int error = errno;
    long bytes = file < 0 ? -error : read(file, text, 8);
    printf("%s: %s, %ld bytes, %s\n", what,
           known < 0 ? "unknown" : S_ISFIFO(status.st_mode) ? "pipe" : S_ISREG(status.st_mode) ? "file" : "other", bytes,
           text);
    fflush(stdout);
    if (file >= 0) close(file);
}

int main(int count, char **arguments) {
    int channel[2];
    char path[40];
    if (count < 2 || pipe(channel) != 0) return 1;
    for (int name = 0; name < 2; name++) {
        write(channel[1], "in pipe", 8);
        snprintf(path, sizeof path, name ? "/proc/self/fd/%d" : "/dev/fd/%d", channel[0]);
        show(name ? "proc" : "dev", path);
    }
    // What is written by name comes out of the pipe.
    snprintf(path, sizeof path, "/dev/fd/%d", channel[1]);
    int writer = open(path, O_WRONLY);
    printf("written %ld\n", (long)write(writer, "by name", 8));
    close(writer);
    dup2(channel[0], 0);
    show("standard input", "/dev/stdin");
    // A file begins anew.
    char some[4];
    int file = open(arguments[1], O_RDONLY);
    read(file, some, sizeof some);
    snprintf(path, sizeof path, "/dev/fd/%d", file);
    show("file", path);
    show("again", path);
    close(file);
    show("closed", path);
    printf("access %d\n", access("/dev/fd/0", R_OK));
    return 0;
}
