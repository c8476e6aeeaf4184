// Files and directories below the root.
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static int by_name(const void *left, const void *right) { return strcmp(*(char *const *)left, *(char *const *)right); }

static void list(const char *path) {
    DIR *directory = opendir(path);
    char *names[64];
    int count = 0;
    for (struct dirent *entry; (entry = readdir(directory));) names[count++] = strdup(entry->d_name);
    closedir(directory);
    qsort(names, (size_t)count, sizeof *names, by_name);
    printf("%s:", path);
    for (int i = 0; i < count; i++) printf(" %s", names[i]);
    putchar('\n');
}

static void told(const char *what, long result) {
    printf("%s: %ld%s%s\n", what, result, result < 0 ? " " : "", result < 0 ? strerror(errno) : "");
}

int main(int argc, char **argv) {
    if (argc > 1 && chdir(argv[1])) return perror(argv[1]), 1;
    told("mkdir", mkdir("folder", 0755));
    told("mkdir again", mkdir("folder", 0755));
    FILE *file = fopen("folder/text", "w+");
    for (int i = 0; i < 20000; i++) fprintf(file, "line %d\n", i);
    fflush(file);
    told("tell", ftell(file));
    fseek(file, -11, SEEK_END);
    char line[64];
    while (fgets(line, sizeof line, file)) fputs(line, stdout);
    int number = fileno(file);
    char buffer[16] = {0};
    told("pread", pread(number, buffer, 6, 5));
    puts(buffer);
    told("pwrite", pwrite(number, "HELLO", 5, 0));
    told("ftruncate", ftruncate(number, 100));
    told("lseek", lseek(number, 0, SEEK_END));
    struct stat status;
    told("fstat", fstat(number, &status));
    printf("%lld %o\n", (long long)status.st_size, status.st_mode & S_IFMT);
    char *mapped = mmap(NULL, 100, PROT_READ, MAP_PRIVATE, number, 0);
    printf("%.12s\n", mapped);
    munmap(mapped, 100);
    fclose(file);
    told("rename", rename("folder/text", "folder/renamed"));
    told("symlink", symlink("renamed", "folder/link"));
    told("link", link("folder/renamed", "folder/hard"));
    told("readlink", readlink("folder/link", buffer, sizeof buffer));
    told("stat link", stat("folder/link", &status));
    printf("%lld %ld\n", (long long)status.st_size, (long)status.st_nlink);
    told("lstat link", lstat("folder/link", &status));
    printf("%d\n", S_ISLNK(status.st_mode));
    list("folder");
    list(".");
    told("open missing", open("folder/missing", O_RDONLY));
    told("open exclusively", open("folder/hard", O_RDWR | O_CREAT | O_EXCL, 0600));
    told("rmdir full", rmdir("folder"));
    told("unlink directory", unlink("folder"));
    told("opendir file", opendir("folder/hard") ? 0 : -1);
    told("open below file", open("folder/hard/x", O_RDONLY));
    told("unlink", unlink("folder/renamed"));
    told("stat dangling", stat("folder/link", &status));
    told("unlink", unlink("folder/link"));
    told("truncate", truncate("folder/hard", 7));
    told("access", access("folder/hard", R_OK | W_OK));
    int appending = open("folder/hard", O_WRONLY | O_APPEND);
    told("append", write(appending, "more", 4));
    told("at end", lseek(appending, 0, SEEK_CUR));
    int copy = dup(appending);
    close(appending);
    told("write copy", write(copy, "!", 1));
    told("read it", read(copy, buffer, 1));
    told("close twice", close(copy) + close(copy));
    told("unlink", unlink("folder/hard"));
    told("rmdir", rmdir("folder"));
    list(".");
    return 0;
}
