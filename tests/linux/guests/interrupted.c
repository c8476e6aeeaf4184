// Waits for files that the end of a child interrupts, though its files wake the waiting process first.
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ROUNDS = 8 };

static volatile sig_atomic_t heard;

static void count(int signal) {
    (void)signal;
    heard++;
}

static void handle(int flags) {
    struct sigaction action = {.sa_handler = count, .sa_flags = flags};
    sigaction(SIGCHLD, &action, NULL);
}

// Nobody writes into this.
static int empty[2];

static int wait_by_pselect(const sigset_t *mask) {
    fd_set set;
    FD_ZERO(&set);
    FD_SET(empty[0], &set);
    return pselect(empty[0] + 1, &set, NULL, NULL, NULL, mask);
}

static int wait_by_poll(const sigset_t *mask) {
    struct pollfd entry = {.fd = empty[0], .events = POLLIN};
    return ppoll(&entry, 1, NULL, mask);
}

static int wait_by_epoll(const sigset_t *mask) {
    struct epoll_event event = {.events = EPOLLIN};
    int poll = epoll_create1(EPOLL_CLOEXEC);
    epoll_ctl(poll, EPOLL_CTL_ADD, empty[0], &event);
    int ready = epoll_pwait(poll, &event, 1, -1, mask);
    int error = errno;
    close(poll);
    errno = error;
    return ready;
}

// A child that changes a pipe and ends; the parent waits for another meanwhile.
static void round_of(const char *name, int (*wait_for)(const sigset_t *), int flags, int is_masked) {
    sigset_t child, before;
    int interrupted = 0, blocked = 0;
    handle(flags);
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    heard = 0;
    for (int round = 0; round < ROUNDS; round++) {
        int other[2];
        char byte = 'x';
        pipe(other);
        if (is_masked) sigprocmask(SIG_BLOCK, &child, &before);
        pid_t pid = fork();
        if (pid == 0) {
            for (int i = 0; i < 1000 * round; i++) __asm__ volatile("" ::: "memory");
            write(other[1], &byte, 1);
            read(other[0], &byte, 1);
            _exit(0);
        }
        int result = wait_for(is_masked ? &before : NULL);
        interrupted += result == -1 && errno == EINTR;
        sigset_t now;
        sigprocmask(SIG_BLOCK, NULL, &now);
        blocked += sigismember(&now, SIGCHLD);
        if (is_masked) sigprocmask(SIG_SETMASK, &before, NULL);
        waitpid(pid, NULL, 0);
        close(other[0]);
        close(other[1]);
    }
    printf("%s: interrupted %d, heard %d, blocked %d\n", name, interrupted, (int)heard, blocked);
    fflush(stdout);
}

int main(void) {
    pipe(empty);
    for (int restarts = 0; restarts < 2; restarts++) {
        int flags = restarts ? SA_RESTART : 0;
        round_of("pselect", wait_by_pselect, flags, 1);
        round_of("ppoll", wait_by_poll, flags, 1);
        round_of("epoll", wait_by_epoll, flags, 1);
    }
    return 0;
}
