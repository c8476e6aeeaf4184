#include "text.h"

#include <stdarg.h>
#include <stdio.h>

#include "../native.h"
#include "../platform.h"
#include "../report.h"

#define LONGEST 512

static void put(const char *text)
{
    for (; *text; text++)
        platform_putc(*text < ' ' || *text > '~' ? ' ' : *text);
}

void text_line(const char *kind, const char *text)
{
    put(kind);
    platform_putc(' ');
    put(text ? text : "");
    platform_putc('\n');
}

void ciphermark_fail(const char *format, ...)
{
    char text[LONGEST];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    text_line("error", text);
    platform_exit(EXIT_BAD_JOB);
}
