// Named pipes in the folder that is given: what is printed is the same on every kernel.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *name;

static pid_t start(void) {
    fflush(stdout);
    return fork();
}

static void wait_for_all(void) {
    while (wait(NULL) > 0) {}
}

static int open_it(int flags) {
    int file = open(name, flags);
    if (file < 0) printf("open %#o: %s\n", flags, strerror(errno));
    return file;
}

static void read_all(int file) {
    char text[64];
    ssize_t got;
    while ((got = read(file, text, sizeof text)) > 0) printf("read %.*s\n", (int)got, text);
    printf("read %zd%s\n", got, got < 0 && errno == EAGAIN ? ", nothing yet" : "");
}

static int ready(int file) {
    struct pollfd one = {.fd = file, .events = POLLIN | POLLOUT};
    poll(&one, 1, 0);
    return one.revents;
}

static void nothing(int signal) { (void)signal; }

int main(int count, char **arguments) {
    if (count < 2 || chdir(arguments[1]) != 0) return 2;
    name = "pipe";
    signal(SIGPIPE, SIG_IGN);
    printf("made %d, again %d\n", mkfifo(name, 0600), mkfifo(name, 0600) < 0 && errno == EEXIST);
    struct stat known;
    stat(name, &known);
    printf("a pipe %d, rights %o, size %d\n", S_ISFIFO(known.st_mode), known.st_mode & 0777, (int)known.st_size);

    // Each side waits for the other.
    for (int round = 0; round < 2; round++) {
        if (start() == 0) {
            if (round) usleep(20000);
            int file = open_it(O_WRONLY);
            write(file, "from a child", 12);
            _exit(0);
        }
        if (!round) usleep(20000);
        int file = open_it(O_RDONLY);
        read_all(file);
        close(file);
        wait_for_all();
    }

    // Several writers, one after the other, while it stays open.
    int reader = open_it(O_RDONLY | O_NONBLOCK);
    printf("alone: %#x\n", ready(reader));
    read_all(reader);
    for (int n = 0; n < 2; n++) {
        int writer = open_it(O_WRONLY);
        printf("writable: %#x\n", ready(writer));
        write(writer, "more", 4);
        printf("readable: %#x\n", ready(reader));
        close(writer);
        printf("left: %#x\n", ready(reader));
        read_all(reader);
    }
    int writer = open_it(O_WRONLY);
    read_all(reader);
    close(reader);
    printf("nobody reads: %d\n", write(writer, "x", 1) < 0 && errno == EPIPE);
    close(writer);
    open_it(O_WRONLY | O_NONBLOCK);

    // One who opens it for both waits for nobody.
    int both = open_it(O_RDWR);
    write(both, "to myself", 9);
    char text[16] = "";
    printf("read %zd %s\n", read(both, text, sizeof text), text);
    write(both, "forgotten", 9);
    close(both);
    reader = open_it(O_RDONLY | O_NONBLOCK);
    read_all(reader);

    // It outlives its name.
    writer = open_it(O_WRONLY);
    unlink(name);
    write(writer, "unnamed", 7);
    close(writer);
    read_all(reader);
    close(reader);
    open_it(O_RDONLY);

    // A signal ends the wait.
    mkfifo(name, 0600);
    struct sigaction action = {.sa_handler = nothing};
    sigaction(SIGALRM, &action, NULL);
    alarm(1);
    open_it(O_RDONLY);
    open_it(O_WRONLY | O_NONBLOCK);

    // A child that is killed while it waits does not read.
    pid_t child = start();
    if (child == 0) {
        open_it(O_RDONLY);
        _exit(0);
    }
    usleep(20000);
    kill(child, SIGKILL);
    wait_for_all();
    open_it(O_WRONLY | O_NONBLOCK);
    printf("other nodes: %d %d\n", mknod("file", S_IFREG | 0600, 0), stat("file", &known));
    printf("a file %d\n", S_ISREG(known.st_mode));
    return 0;
}
