// Processes: what each part prints is the same on every kernel.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;
static const char *self;
static volatile sig_atomic_t heard, last;

static void count(int signal) {
    heard++;
    last = signal;
}

static siginfo_t told;

static void note(int signal, siginfo_t *information, void *context) {
    (void)signal, (void)context;
    told = *information;
}

static void handle(int signal, int flags) {
    struct sigaction action = {.sa_handler = count, .sa_flags = flags};
    sigaction(signal, &action, NULL);
}

static void nap(long milliseconds) {
    struct timespec time = {milliseconds / 1000, milliseconds % 1000 * 1000000};
    while (nanosleep(&time, &time) != 0) {}
}

// One side waits until the other has let go of the gate.
static int gate[2];

static void pass(void) {
    char none;
    close(gate[1]);
    read(gate[0], &none, 1);
    close(gate[0]);
}

static void let_go(void) {
    close(gate[0]);
    close(gate[1]);
}

static int status_of(pid_t child) {
    int status = -1;
    if (waitpid(child, &status, 0) != child) return -errno;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

static void forks(void) {
    int value = 1;
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        value = 42;
        printf("child sees %d, is itself: %d\n", value, getppid() != getpid());
        fflush(stdout);
        _exit(value);
    }
    int status = status_of(child);
    printf("parent sees %d, status %d\n", value, status);
    printf("nobody is left: %d %d\n", waitpid(-1, NULL, 0), errno == ECHILD);
}

static void pipes(void) {
    int first[2], second[2];
    pipe(first);
    pipe(second);
    fflush(stdout);
    pid_t writer = fork();
    if (writer == 0) {
        close(first[0]); close(second[0]); close(second[1]);
        FILE *out = fdopen(first[1], "w");
        for (int i = 0; i < 20000; i++) fprintf(out, "line %d\n", i);
        fclose(out);
        _exit(0);
    }
    pid_t filter = fork();
    if (filter == 0) {
        close(first[1]); close(second[0]);
        FILE *in = fdopen(first[0], "r"), *out = fdopen(second[1], "w");
        char line[64];
        while (fgets(line, sizeof line, in)) if (strstr(line, "77")) fputs(line, out);
        fclose(out);
        _exit(3);
    }
    close(first[0]); close(first[1]); close(second[1]);
    FILE *in = fdopen(second[0], "r");
    char line[64];
    long lines = 0, sum = 0;
    while (fgets(line, sizeof line, in)) lines++, sum += atoi(line + 5);
    fclose(in);
    printf("%ld lines, sum %ld, statuses %d", lines, sum, status_of(writer));
    printf(" %d\n", status_of(filter));
}

static void runs(void) {
    volatile int value = 1;
    fflush(stdout);
    pid_t child = vfork();
    if (child == 0) {
        value = 7;
        execl(self, self, "say", "from vfork", (char *)NULL);
        _exit(99);
    }
    int status = status_of(child);
    printf("the child wrote %d, status %d\n", value, status);
    child = vfork();
    if (child == 0) {
        execl("/not/there", "x", (char *)NULL);
        _exit(errno == ENOENT ? 5 : 6);
    }
    printf("not there: %d\n", status_of(child));
    char *arguments[] = {(char *)self, "say", "from spawn", NULL};
    fflush(stdout);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 9, "/dev/null", O_RDONLY, 0);
    int failed = posix_spawn(&child, self, &actions, NULL, arguments, environ);
    printf("spawned: %d, status %d\n", failed, failed ? 0 : status_of(child));
    failed = posix_spawn(&child, "/not/there", NULL, NULL, arguments, environ);
    printf("spawned: %d\n", failed == ENOENT);
    int kept = open("/dev/null", O_RDONLY), closed = open("/dev/null", O_RDONLY | O_CLOEXEC);
    char first[16], second[16];
    snprintf(first, sizeof first, "%d", kept);
    snprintf(second, sizeof second, "%d", closed);
    fflush(stdout);
    if ((child = fork()) == 0) {
        signal(SIGUSR1, SIG_IGN);
        handle(SIGUSR2, 0);
        setenv("NAME", "value", 1);
        execl(self, self, "inherited", first, second, (char *)NULL);
        _exit(99);
    }
    printf("inherited: %d\n", status_of(child));
}

static void children(void) {
    pid_t ids[3];
    fflush(stdout);
    for (int i = 0; i < 3; i++) if ((ids[i] = fork()) == 0) _exit(10 + i);
    siginfo_t information;
    for (int i = 0; i < 3; i++) waitid(P_PID, ids[i], &information, WEXITED | WNOWAIT);
    printf("any: %d\n", waitpid(ids[1], NULL, WNOHANG) == ids[1]);
    memset(&information, 0, sizeof information);
    printf("looked: %d, ", waitid(P_PID, ids[2], &information, WEXITED | WNOWAIT));
    printf("%d %d %d %d\n", information.si_pid == ids[2], information.si_status, information.si_code == CLD_EXITED,
           information.si_signo == SIGCHLD);
    printf("still there: %d, signalled: %d\n", kill(ids[2], 0), kill(ids[0], SIGTERM));
    printf("others: %d", status_of(ids[0]));
    printf(" %d, none: %d\n", status_of(ids[2]), waitpid(-1, NULL, WNOHANG));
    printf("gone: %d\n", kill(ids[2], 0) == -1 && errno == ESRCH);
    // Children of those who do not care leave nothing.
    signal(SIGCHLD, SIG_IGN);
    if (fork() == 0) _exit(1);
    printf("ignored: %d %d\n", waitpid(-1, NULL, 0), errno == ECHILD);
    signal(SIGCHLD, SIG_DFL);
}

static void orphans(void) {
    int channel[2];
    pipe(channel);
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        pid_t parent = getpid();
        if (fork() == 0) {
            while (getppid() == parent) nap(1);
            write(channel[1], "orphan", 6);
            _exit(0);
        }
        _exit(4);
    }
    close(channel[1]);
    printf("parent: %d, ", status_of(child));
    char text[16] = "";
    long bytes = read(channel[0], text, sizeof text);
    printf("%ld %s, then %ld\n", bytes, text, (long)read(channel[0], text, sizeof text));
    printf("not ours: %d %d\n", waitpid(-1, NULL, 0), errno == ECHILD);
}

static void signals(void) {
    handle(SIGCHLD, SA_RESTART);
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) { nap(5); _exit(9); }
    int status = status_of(child);
    printf("waited: %d, heard %d, %d\n", status, heard, last == SIGCHLD);
    // One that comes with a child's end does not interrupt waiting for it.
    handle(SIGCHLD, 0);
    heard = 0;
    if ((child = fork()) == 0) { nap(50); _exit(8); }
    status = status_of(child);
    printf("waited: %d, heard %d\n", status, heard);
    sigset_t set, old;
    sigemptyset(&set);
    sigaddset(&set, SIGCHLD);
    sigprocmask(SIG_BLOCK, &set, &old);
    heard = 0;
    if ((child = fork()) == 0) _exit(7);
    sigsuspend(&old);
    sigprocmask(SIG_SETMASK, &old, NULL);
    printf("suspended: heard %d, %d\n", heard, status_of(child));
    struct sigaction action = {.sa_sigaction = note, .sa_flags = SA_SIGINFO};
    sigaction(SIGCHLD, &action, NULL);
    if ((child = fork()) == 0) _exit(6);
    printf("told: %d", status_of(child));
    printf(" %d %d %d\n", told.si_pid == child, told.si_status, told.si_code == CLD_EXITED);
    sigprocmask(SIG_BLOCK, &set, NULL);
    if ((child = fork()) == 0) raise(SIGKILL);
    printf("waited for: %d", sigwaitinfo(&set, &told) == SIGCHLD);
    printf(" %d %d %d, %d\n", told.si_pid == child, told.si_status, told.si_code == CLD_KILLED, status_of(child));
    sigprocmask(SIG_SETMASK, &old, NULL);
    signal(SIGCHLD, SIG_DFL);
    if ((child = fork()) == 0) { for (;;) pause(); }
    kill(child, SIGKILL);
    printf("killed: %d\n", status_of(child));
    if ((child = fork()) == 0) { for (volatile int i = 0;; i++) {} }
    nap(5);
    kill(child, SIGTERM);
    printf("terminated: %d\n", status_of(child));
    handle(SIGUSR1, 0);
    heard = 0;
    if ((child = fork()) == 0) { kill(getppid(), SIGUSR1); _exit(0); }
    while (!heard) nap(1);
    printf("from a child: %d %d\n", last == SIGUSR1, status_of(child));
    if ((child = fork()) == 0) { *(volatile int *)8 = 1; _exit(0); }
    printf("fault: %d\n", status_of(child));
    if ((child = fork()) == 0) abort();
    printf("abort: %d\n", status_of(child));
}

static void broken(void) {
    int channel[2];
    pipe(channel);
    pipe(gate);
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        close(channel[0]);
        pass();
        for (int i = 0; i < 100; i++) if (write(channel[1], "x", 1) != 1) _exit(1);
        _exit(0);
    }
    close(channel[0]);
    close(channel[1]);
    let_go();
    printf("broken pipe: %d\n", status_of(child));
    pipe(channel);
    pipe(gate);
    if ((child = fork()) == 0) {
        signal(SIGPIPE, SIG_IGN);
        close(channel[0]);
        pass();
        _exit(write(channel[1], "x", 1) == -1 && errno == EPIPE ? 3 : 4);
    }
    close(channel[0]);
    close(channel[1]);
    let_go();
    printf("ignored: %d\n", status_of(child));
    pipe(channel);
    struct pollfd watched = {channel[0], POLLIN, 0};
    if ((child = fork()) == 0) { nap(5); write(channel[1], "abc", 3); _exit(0); }
    close(channel[1]);
    printf("polled: %d %d", poll(&watched, 1, -1), (watched.revents & POLLIN) != 0);
    char text[8];
    printf(", read %ld, status %d\n", (long)read(channel[0], text, sizeof text), status_of(child));
    printf("hung up: %d %d\n", poll(&watched, 1, -1), watched.revents == POLLHUP);
}

static void offsets(const char *path) {
    int file = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
    write(file, "0123456789", 10);
    lseek(file, 2, SEEK_SET);
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        char digit;
        read(file, &digit, 1);
        dup2(file, 50);
        lseek(50, 3, SEEK_CUR);
        fcntl(50, F_SETFL, O_APPEND);
        _exit(digit);
    }
    int digit = status_of(child);
    printf("offset: %c %ld, append %d\n", digit, (long)lseek(file, 0, SEEK_CUR), fcntl(file, F_GETFL) & O_APPEND);
    printf("closed: %d\n", write(50, "x", 1) == -1 && errno == EBADF);
    int copy = fcntl(file, F_DUPFD_CLOEXEC, 20);
    printf("copy: %d %d\n", copy, fcntl(copy, F_GETFD));
    unlink(path);
}

static void groups(void) {
    fflush(stdout);
    pid_t own = getpgrp();
    pipe(gate);
    pid_t child = fork();
    if (child == 0) {
        int same = getpgrp() == own;
        setpgid(0, 0);
        printf("groups: %d %d, session %d\n", same, getpgrp() == getpid(), getsid(0) == getsid(getppid()));
        fflush(stdout);
        let_go();
        for (;;) pause();
    }
    pass();
    kill(-child, SIGINT);
    int status;
    printf("by group: %d %d\n", waitpid(-child, &status, 0) == child, WTERMSIG(status));
    if ((child = fork()) == 0) _exit(setsid() == getpid() && getsid(0) == getpid() && getpgrp() == getpid());
    printf("session: %d\n", status_of(child));
    printf("no such: %d %d\n", kill(999999, 0) == -1 && errno == ESRCH, setpgid(999999, 0) == -1 && errno == ESRCH);
}

static void shell(void) {
    printf("system: %d\n", WEXITSTATUS(system("echo from a shell; exit 6")));
    FILE *out = popen("cat | upper", "w");
    if (out == NULL) {
        printf("no shell\n");
        return;
    }
    fprintf(out, "into a pipe\n");
    printf("popen: %d\n", pclose(out));
    FILE *in = popen("echo 42; exit 2", "r");
    char line[32] = "";
    fgets(line, sizeof line, in);
    printf("read %s", line);
    printf("popen: %d\n", WEXITSTATUS(pclose(in)));
}

static int bomb(void) {
    int depth = 0;
    for (;;) {
        pid_t child = fork();
        if (child == -1) {
            printf("depth %d: %s\n", depth, strerror(errno));
            return 0;
        }
        if (child > 0) return status_of(child);
        depth++;
    }
}

static int many(void) {
    int children = 0;
    for (;;) {
        pid_t child = fork();
        if (child == -1) break;
        if (child == 0) _exit(0);
        children++;
    }
    printf("%d children: %s\n", children, strerror(errno));
    int waited = 0;
    while (wait(NULL) > 0) waited++;
    printf("waited for %d, another: %d\n", waited, fork() == 0 ? 0 : 1);
    return 0;
}

static int fat(long megabytes) {
    char *block = malloc(megabytes << 20);
    if (block == NULL) return 1;
    memset(block, 1, megabytes << 20);
    pid_t child = fork();
    if (child == -1) {
        printf("fork: %s\n", strerror(errno));
        return 0;
    }
    if (child == 0) _exit(block[5]);
    printf("child: %d\n", status_of(child));
    return 0;
}

static void race(void) {
    // Turns end in the middle of things: the order is what matters.
    int channel[2];
    pipe(channel);
    for (int i = 0; i < 4; i++) {
        if (fork() == 0) {
            unsigned x = i;
            for (int round = 0; round < 40; round++) {
                for (int k = 0; k < 20000 + 1000 * i; k++) x = x * 1664525 + 1013904223;
                char text[2] = {(char)('a' + i), (char)('A' + (x >> 28))};
                write(channel[1], text, 2);
            }
            _exit(0);
        }
    }
    close(channel[1]);
    char text[512];
    for (long bytes; (bytes = read(channel[0], text, sizeof text)) > 0;) fwrite(text, 1, (size_t)bytes, stdout);
    while (wait(NULL) > 0) {}
    printf("\n");
}

int main(int count, char **arguments) {
    const char *part = count > 1 ? arguments[1] : "";
    self = count > 2 ? arguments[2] : arguments[0];
    if (!strcmp(part, "say")) { printf("%s, %d\n", arguments[2], count); return count; }
    if (!strcmp(part, "inherited")) {
        struct sigaction one, other;
        sigaction(SIGUSR1, NULL, &one);
        sigaction(SIGUSR2, NULL, &other);
        printf("open: %d %d, signals: %d %d, environment: %s\n", fcntl(atoi(arguments[2]), F_GETFD),
               fcntl(atoi(arguments[3]), F_GETFD), one.sa_handler == SIG_IGN, other.sa_handler == SIG_DFL,
               getenv("NAME"));
        return 11;
    }
    if (!strcmp(part, "script")) {
        for (int i = 3; i < count; i++) printf("%d: %s\n", i, arguments[i]);
        execl(self, "own name", "one", "two", (char *)NULL);
        printf("%s\n", strerror(errno));
        return 1;
    }
    if (!strcmp(part, "arguments")) {
        for (int i = 1; i < count; i++) printf("%d: %s\n", i, arguments[i]);
        return 0;
    }
    if (!strcmp(part, "forks")) forks();
    if (!strcmp(part, "pipes")) pipes();
    if (!strcmp(part, "runs")) runs();
    if (!strcmp(part, "children")) children();
    if (!strcmp(part, "orphans")) orphans();
    if (!strcmp(part, "signals")) signals();
    if (!strcmp(part, "broken")) broken();
    if (!strcmp(part, "offsets")) offsets(self);
    if (!strcmp(part, "groups")) groups();
    if (!strcmp(part, "shell")) shell();
    if (!strcmp(part, "race")) race();
    if (!strcmp(part, "bomb")) return bomb();
    if (!strcmp(part, "many")) return many();
    if (!strcmp(part, "fat")) return fat(atol(self));
    return 0;
}
