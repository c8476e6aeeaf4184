// Nothing but system calls, for ever.
#include <sys/syscall.h>
#include <unistd.h>

int main(void) {
    for (;;) syscall(SYS_getppid);
}
