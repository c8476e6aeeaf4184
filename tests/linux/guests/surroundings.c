// Arguments, environment, input, output without and with newline, status.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern char **environ;

int main(int argc, char **argv) {
    for (int i = 1; i < argc; i++) printf("[%s]", argv[i]);
    putchar('\n');
    for (char **variable = environ; *variable; variable++) puts(*variable);
    printf("%s\n", getenv("NAME") ? getenv("NAME") : "unset");
    setenv("NAME", "changed", 1);
    puts(getenv("NAME"));
    char line[256];
    int lines = 0;
    size_t bytes = 0;
    while (fgets(line, sizeof line, stdin)) lines++, bytes += strlen(line);
    printf("%d %zu %d\n", lines, bytes, isatty(0));
    fprintf(stderr, "to standard error\n");
    printf("no newline");
    return argc;
}
