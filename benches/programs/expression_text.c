/* The text that expression.c reads: fixed, and without a pattern that a branch predictor could learn. */
#include "expression_text.h"
#include "work.h"

#define DEEPEST 6

OWN char text[TEXT_BYTES + LONGEST_STATEMENT];

static char *put_number(char *to, uint32_t *random)
{
    uint32_t value = next_random(random) >> (next_random(random) % 31);
    char digits[10];
    unsigned count = 0;

    if (next_random(random) % 4 == 0) {
        *to++ = '0';
        *to++ = 'x';
        do
            digits[count++] = "0123456789abcdef"[value & 15];
        while ((value >>= 4) != 0);
    } else {
        do
            digits[count++] = (char)('0' + value % 10);
        while ((value /= 10) != 0);
    }
    while (count)
        *to++ = digits[--count];
    return to;
}

static char *put_space(char *to, uint32_t *random)
{
    while (next_random(random) % 3 == 0)
        *to++ = next_random(random) % 5 ? ' ' : '\n';
    return to;
}

static char *put_expression(char *to, uint32_t *random, unsigned depth)
{
    static const char *const operators[] = {"+", "-", "&", "|", "^", "*", "/", "%", "<<", ">>"};

    to = put_space(to, random);
    switch (next_random(random) % (depth < DEEPEST ? 7 : 2)) {
    case 0: return put_number(to, random);
    case 1: *to++ = (char)('a' + next_random(random) % 26); return to;
    case 2: *to++ = '-'; return put_expression(to, random, depth + 1);
    case 3: *to++ = '~'; return put_expression(to, random, depth + 1);
    case 4:
        *to++ = '(';
        to = put_expression(to, random, depth + 1);
        to = put_space(to, random);
        *to++ = ')';
        return to;
    default:
        to = put_expression(to, random, depth + 2);
        to = put_space(to, random);
        for (const char *sign = operators[next_random(random) % 10]; *sign; sign++)
            *to++ = *sign;
        return put_expression(to, random, depth + 2);
    }
}

/* As many statements as begin in TEXT_BYTES. */
void generate_text(void)
{
    uint32_t random = 2463534242u;
    char *to = text;

    while (to < text + TEXT_BYTES) {
        to = put_space(to, &random);
        *to++ = (char)('a' + next_random(&random) % 26);
        to = put_space(to, &random);
        *to++ = '=';
        to = put_expression(to, &random, 0);
        *to++ = ';';
        if (next_random(&random) % 6 == 0) {
            for (const char *comment = " # noted\n"; *comment; comment++)
                *to++ = *comment;
        }
    }
    *to = 0;
}
