// Timers, alternate stacks, masks, jumps out of handlers, floating point in handlers.
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

static volatile sig_atomic_t alarms, users;
static sigjmp_buf back;
static char stack[64 * 1024];

static void alarmed(int signal) { alarms += signal == SIGALRM; }
static void user(int signal) { users += signal == SIGUSR1; }

static void fault(int signal, siginfo_t *information, void *context) {
    char here;
    (void)context;
    int on_stack = &here >= stack && &here < stack + sizeof stack;
    printf("signal %d at %p, on the alternate stack: %d\n", signal, information->si_addr, on_stack);
    siglongjmp(back, 1);
}

static volatile double sink;

static void clobber(int signal) {
    double x = signal;
    for (int i = 0; i < 50; i++) x = x * 1.0001 + 0.5;
    sink = x;
}

static int deep(volatile char *above) {
    volatile char room[4096];
    room[0] = above[0];
    return deep(room) + room[0];
}

int main(int argc, char **argv) {
    (void)argv;
    struct sigaction action = {.sa_handler = alarmed};
    sigaction(SIGALRM, &action, NULL);
    struct itimerval timer = {{0, 2000}, {0, 2000}};
    setitimer(ITIMER_REAL, &timer, NULL);
    while (alarms < 5) pause();
    memset(&timer, 0, sizeof timer);
    setitimer(ITIMER_REAL, &timer, NULL);
    printf("alarms %d\n", alarms >= 5);

    sigset_t blocked, before;
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGUSR1);
    sigprocmask(SIG_BLOCK, &blocked, &before);
    action.sa_handler = user;
    sigaction(SIGUSR1, &action, NULL);
    raise(SIGUSR1);
    printf("before %d", users);
    int interrupted = sigsuspend(&before);
    printf(" after %d %d %d\n", users, interrupted, errno == EINTR);
    raise(SIGUSR1);
    int number;
    printf("waited %d %d\n", sigwait(&blocked, &number), number == SIGUSR1);
    sigprocmask(SIG_SETMASK, &before, NULL);

    stack_t alternate = {.ss_sp = stack, .ss_size = sizeof stack};
    sigaltstack(&alternate, NULL);
    memset(&action, 0, sizeof action);
    action.sa_sigaction = fault;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigaction(SIGSEGV, &action, NULL);
    if (!sigsetjmp(back, 1)) *(volatile int *)0x10 = 1;
    memset(&action, 0, sizeof action);
    action.sa_handler = clobber;
    sigaction(SIGUSR2, &action, NULL);
    double x = 1.25;
    for (int i = 0; i < 5; i++) {
        x = x * 1.5 + 0.125;
        raise(SIGUSR2);
    }
    printf("%.17g %.17g\n", x, sink);
    action.sa_handler = SIG_DFL;
    sigaction(SIGSEGV, &action, NULL);
    fflush(stdout);
    if (argc > 2) return deep(stack);
    if (argc > 1) abort();
    raise(SIGTERM);
    return 0;
}
