/*
 * The first process of a machine that exists to run a few programs: a static Linux program, /init of an initramfs.
 *
 * It loads modules, runs programs one after the other, tells on the console what became of them and powers off. The
 * lists are text, one item a line:
 *   /modules   files to load, in this order (`/lib/af_alg.ko.xz`)
 *   /runs      a deadline in seconds of the machine's clock, then a program and its arguments, separated by blanks
 *
 * The console is the kernel's too, so that every line here is a frame: `#cm number crc32 words`. What a message of the
 * kernel cuts in two fails its checksum, and a missing number shows that it did. Words:
 *   kernel RELEASE MACHINE
 *   module FILE ERRNO          0 if it was loaded
 *   settled MILLISECONDS       how long the kernel was busy with itself before the first program; -1: it still is
 *   begin RUN
 *   text RUN TEXT              a line that the program wrote, its output and errors in one
 *   end RUN exit|signal|deadline NUMBER
 *   cpuinfo TEXT               a line of /proc/cpuinfo
 *   crypto TEXT                a line of /proc/crypto
 *   done
 * A line longer than a frame is several, all but the last with `-part` behind the first word. TEXT is ASCII; other
 * bytes, and the backslash, are a backslash and two hexadecimal digits.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#define FRAME_BYTES 512
#define LINE_BYTES 4096
#define ARGUMENTS 32
#define OUTPUT "/output"
#define OUTPUT_LIMIT (64u << 20)
#define MODULE_INIT_COMPRESSED_FILE 4
#define PAUSE_MS 100
#define IDLE_PERCENT 95
#define LONGEST_UNREST_MS 30000

static uint32_t crc32(const char *bytes, size_t count)
{
    uint32_t crc = 0xffffffffu;
    for (size_t i = 0; i < count; i++) {
        crc ^= (uint8_t)bytes[i];
        for (int bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ (0xedb88320u & -(crc & 1));
    }
    return ~crc;
}

static void frame(const char *words)
{
    static unsigned number;
    char body[FRAME_BYTES];
    int bytes = snprintf(body, sizeof body, "%x %s", number++, words);
    printf("#cm %08x %s\n", crc32(body, (size_t)bytes), body);
    fflush(stdout);
}

/* A line that others wrote, in as many frames as it needs. */
static void quote(const char *kind, const char *of, const char *text, size_t bytes)
{
    char words[FRAME_BYTES - 16];
    do {
        char quoted[FRAME_BYTES - 64];
        size_t used = 0;
        while (bytes && used + 3 < sizeof quoted) {
            uint8_t byte = (uint8_t)*text++;
            bytes--;
            used += (size_t)sprintf(quoted + used, byte < ' ' || byte > '~' || byte == '\\' ? "\\%02x" : "%c", byte);
        }
        quoted[used] = 0;
        snprintf(words, sizeof words, "%s%s %s%s", kind, bytes ? "-part" : "", of, quoted);
        frame(words);
    } while (bytes);
}

/* `of`: what follows the kind, empty or with a blank behind it. */
static void quote_file(const char *kind, const char *of, const char *path)
{
    char *line = NULL;
    size_t room = 0;
    ssize_t bytes;
    FILE *file = fopen(path, "r");
    if (!file)
        return;
    while ((bytes = getline(&line, &room, file)) > 0)
        quote(kind, of, line, (size_t)(line[bytes - 1] == '\n' ? bytes - 1 : bytes));
    free(line);
    fclose(file);
}

static void mount_kernel_filesystems(void)
{
    static const char *const types[][2] = {{"proc", "/proc"}, {"sysfs", "/sys"}, {"devtmpfs", "/dev"}};
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        mkdir(types[i][1], 0755);
        mount(types[i][0], types[i][1], types[i][0], 0, NULL);
    }
}

/* From here on the kernel writes to the console only what ends it. */
static void silence_kernel(void)
{
    int fd = open("/proc/sys/kernel/printk", O_WRONLY | O_CLOEXEC);
    if (fd >= 0) {
        if (write(fd, "1\n", 2) < 0)
            errno = 0;
        close(fd);
    }
}

static void load_module(const char *path)
{
    char words[FRAME_BYTES - 16];
    size_t length = strlen(path);
    int compressed = length > 3 && strcmp(path + length - 3, ".ko") != 0;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    int error = 0;
    if (fd < 0 || syscall(SYS_finit_module, fd, "", compressed ? MODULE_INIT_COMPRESSED_FILE : 0) != 0)
        error = errno;
    if (fd >= 0)
        close(fd);
    snprintf(words, sizeof words, "module %s %d", path, error);
    frame(words);
}

static _Noreturn void become(char *const arguments[])
{
    sigset_t none;
    const struct rlimit limit = {OUTPUT_LIMIT, OUTPUT_LIMIT};
    int input = open("/dev/null", O_RDONLY);
    int output = open(OUTPUT, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    setsid();
    setrlimit(RLIMIT_FSIZE, &limit);
    dup2(input, 0);
    dup2(output, 1);
    dup2(output, 2);
    execv(arguments[0], arguments);
    dprintf(2, "error cannot start %s: %s\n", arguments[0], strerror(errno));
    _exit(127);
}

/* Wait for `child`; -1 if it had to be killed because it was late. */
static int wait_until(pid_t child, long deadline_s)
{
    struct timespec end, now;
    sigset_t ended;
    int status;
    sigemptyset(&ended);
    sigaddset(&ended, SIGCHLD);
    clock_gettime(CLOCK_MONOTONIC, &end);
    end.tv_sec += deadline_s;
    for (;;) {
        if (waitpid(child, &status, WNOHANG) == child)
            return status;
        clock_gettime(CLOCK_MONOTONIC, &now);
        if (now.tv_sec >= end.tv_sec)
            break;
        sigtimedwait(&ended, NULL, &(struct timespec){.tv_sec = end.tv_sec - now.tv_sec});
    }
    kill(-child, SIGKILL);
    waitpid(child, &status, 0);
    return -1;
}

/*
 * The output goes to a file and is quoted when the program has ended: nobody is woken up by it, and no interrupt of
 * the console falls into what the program times.
 */
static void run(unsigned index, long deadline_s, char *const arguments[])
{
    char words[FRAME_BYTES - 16], of[16];
    snprintf(words, sizeof words, "begin %u", index);
    frame(words);
    tcdrain(1);
    unlink(OUTPUT);
    pid_t child = fork();
    if (child == 0)
        become(arguments);
    int status = child > 0 ? wait_until(child, deadline_s) : 127 << 8;
    /* What it left behind must not run beside the next program. */
    if (child > 0)
        kill(-child, SIGKILL);
    while (waitpid(-1, NULL, WNOHANG) > 0)
        continue;
    snprintf(of, sizeof of, "%u ", index);
    quote_file("text", of, OUTPUT);
    if (status == -1)
        snprintf(words, sizeof words, "end %u deadline %ld", index, deadline_s);
    else if (WIFSIGNALED(status))
        snprintf(words, sizeof words, "end %u signal %d", index, WTERMSIG(status));
    else
        snprintf(words, sizeof words, "end %u exit %d", index, WEXITSTATUS(status));
    frame(words);
}

static void load_modules(void)
{
    char path[LINE_BYTES];
    FILE *file = fopen("/modules", "r");
    while (file && fgets(path, sizeof path, file)) {
        path[strcspn(path, "\n")] = 0;
        load_module(path);
    }
    if (file)
        fclose(file);
}

/* Share of `PAUSE_MS` that the machine slept through, in percent. */
static int idle_percent(void)
{
    double up[2] = {0, 0}, idle[2] = {0, 0};
    for (int i = 0; i < 2; i++) {
        FILE *file = fopen("/proc/uptime", "r");
        if (!file || fscanf(file, "%lf %lf", &up[i], &idle[i]) != 2)
            idle[i] = 0;
        if (file)
            fclose(file);
        if (i == 0)
            nanosleep(&(struct timespec){.tv_nsec = PAUSE_MS * 1000000L}, NULL);
    }
    return up[1] > up[0] ? (int)(100 * (idle[1] - idle[0]) / (up[1] - up[0])) : 0;
}

/* The kernel tests a driver that was just loaded in a thread of its own, which would run between the timed calls. */
static void settle(void)
{
    char words[64];
    int waited = 0;
    while (idle_percent() < IDLE_PERCENT && waited >= 0)
        waited = waited < LONGEST_UNREST_MS ? waited + PAUSE_MS : -1;
    snprintf(words, sizeof words, "settled %d", waited);
    frame(words);
}

static void run_all(void)
{
    char line[LINE_BYTES];
    unsigned index = 0;
    FILE *file = fopen("/runs", "re");
    while (file && fgets(line, sizeof line, file)) {
        char *arguments[ARGUMENTS + 1];
        int count = 0;
        const char *deadline = strtok(line, " \n");
        if (!deadline)
            continue;
        while (count < ARGUMENTS && (arguments[count] = strtok(NULL, " \n")))
            count++;
        arguments[count] = NULL;
        if (count)
            run(index++, atol(deadline), arguments);
    }
    if (file)
        fclose(file);
}

int main(void)
{
    char words[FRAME_BYTES - 16];
    struct utsname name;
    sigset_t ended;
    sigemptyset(&ended);
    sigaddset(&ended, SIGCHLD);
    sigprocmask(SIG_BLOCK, &ended, NULL);
    mount_kernel_filesystems();
    silence_kernel();
    uname(&name);
    snprintf(words, sizeof words, "kernel %s %s", name.release, name.machine);
    frame(words);
    load_modules();
    settle();
    run_all();
    quote_file("cpuinfo", "", "/proc/cpuinfo");
    quote_file("crypto", "", "/proc/crypto");
    frame("done");
    tcdrain(1);
    sync();
    reboot(RB_POWER_OFF);
    for (;;)
        pause();
}
