/* What /proc/self/exe is: its link, its file, and executing it. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char LINK[] = "/proc/self/exe";

int main(int count, char **arguments) {
    if (count > 1 && strcmp(arguments[1], "executed") == 0) {
        char *more[] = {arguments[0], "last", NULL};
        printf("executed as %s\n", arguments[0]);
        fflush(stdout);
        execv(LINK, more);
        perror("execv");
        return 1;
    }
    if (count > 1 && strcmp(arguments[1], "last") == 0) {
        printf("executed again\n");
        return 0;
    }
    char path[256] = "";
    struct stat file, link;
    ssize_t length = readlink(LINK, path, sizeof path);
    printf("link %.*s\n", (int)length, path);
    printf("stat %d, regular %d, executable %d\n", stat(LINK, &file), S_ISREG(file.st_mode), access(LINK, X_OK) == 0);
    printf("lstat %d, link %d\n", lstat(LINK, &link), S_ISLNK(link.st_mode));

    int number = open(LINK, O_RDONLY);
    unsigned char start[4] = {0};
    ssize_t bytes = read(number, start, sizeof start);
    printf("read %zd: %d %c%c%c, size %d\n", bytes, start[0], start[1], start[2], start[3],
           lseek(number, 0, SEEK_END) == file.st_size);
    int written = open(LINK, O_WRONLY);
    printf("to write: %d\n", written < 0);
    /* Busy boxes execute themselves under other names. */
    char *more[] = {"another-name", "executed", NULL};
    fflush(stdout);
    execv(LINK, more);
    perror("execv");
    return 1;
}
