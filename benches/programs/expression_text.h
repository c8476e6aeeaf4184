#ifndef CIPHERMARK_BENCH_EXPRESSION_TEXT_H
#define CIPHERMARK_BENCH_EXPRESSION_TEXT_H

#include "work.h"

#define TEXT_BYTES 65536
/* Depth bounds it; spaces are random, but few. */
#define LONGEST_STATEMENT 512

extern OWN char text[TEXT_BYTES + LONGEST_STATEMENT];

/* Fills `text` with statements of the grammar in expression.c, and a final zero. */
void generate_text(void);

#endif
