// A shell that knows ; and | and four commands: enough for system() and popen().
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int run(char *text) {
    char *words[16];
    int count = 0;
    for (char *word = strtok(text, " "); word && count < 15; word = strtok(NULL, " ")) words[count++] = word;
    if (count == 0) return 0;
    if (!strcmp(words[0], "exit")) exit(atoi(words[1]));
    if (!strcmp(words[0], "echo")) {
        for (int i = 1; i < count; i++) printf("%s%s", words[i], i + 1 < count ? " " : "\n");
        fflush(stdout);
        return 0;
    }
    int upper = !strcmp(words[0], "upper");
    if (upper || !strcmp(words[0], "cat")) {
        for (int c; (c = getchar()) != EOF;) putchar(upper ? toupper(c) : c);
        fflush(stdout);
        return 0;
    }
    return 127;
}

static int pipeline(char *text) {
    char *bar = strchr(text, '|');
    if (bar == NULL) return run(text);
    *bar = 0;
    int ends[2];
    if (pipe(ends) != 0) return 126;
    if (fork() == 0) {
        dup2(ends[1], 1);
        close(ends[0]);
        close(ends[1]);
        exit(run(text));
    }
    pid_t last = fork();
    if (last == 0) {
        dup2(ends[0], 0);
        close(ends[0]);
        close(ends[1]);
        exit(pipeline(bar + 1));
    }
    close(ends[0]);
    close(ends[1]);
    int status = 0;
    waitpid(last, &status, 0);
    while (wait(NULL) > 0) {}
    return WEXITSTATUS(status);
}

int main(int count, char **arguments) {
    if (count < 3 || strcmp(arguments[1], "-c") != 0) return 125;
    // The C library may put -- before the command.
    char *text = arguments[strcmp(arguments[2], "--") == 0 ? 3 : 2];
    int status = 0;
    for (char *next; text != NULL; text = next) {
        next = strchr(text, ';');
        if (next != NULL) *next++ = 0;
        status = pipeline(text);
    }
    return status;
}
