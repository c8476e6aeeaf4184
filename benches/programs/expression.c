/*
 * A parser: tokens, recursive descent and evaluation of a generated program of assignments such as
 *
 *     b = (17 * a - 4) % (c + 9) << 2; # a comment
 *
 * Nearly every branch depends on the text, which is long enough (64 KiB) that a predictor cannot learn it. No library
 * is used, so that it runs on a bare machine as well.
 *
 *     program    = { letter "=" expression ";" }
 *     expression = term { ("+" | "-" | "&" | "|" | "^") term }
 *     term       = factor { ("*" | "/" | "%" | "<<" | ">>") factor }
 *     factor     = number | "0x" digits | letter | "-" factor | "~" factor | "(" expression ")"
 */
#include "expression_text.h"
#include "work.h"

static OWN uint64_t variables[26];

enum token { END, NUMBER, NAME, SHIFT_LEFT, SHIFT_RIGHT, PUNCTUATION };

static OWN const char *at;
static OWN enum token token;
static OWN char sign;      /* of PUNCTUATION */
static OWN uint64_t value; /* of NUMBER and NAME */

static void advance(void)
{
    for (;;) {
        if (*at == ' ' || *at == '\n') {
            at++;
        } else if (*at == '#') {
            while (*at && *at != '\n')
                at++;
        } else {
            break;
        }
    }
    sign = *at;
    value = 0;
    if (*at == 0) {
        token = END;
    } else if (at[0] == '0' && at[1] == 'x') {
        token = NUMBER;
        for (at += 2;; at++) {
            if (*at >= '0' && *at <= '9')
                value = value << 4 | (uint64_t)(*at - '0');
            else if (*at >= 'a' && *at <= 'f')
                value = value << 4 | (uint64_t)(*at - 'a' + 10);
            else
                break;
        }
    } else if (*at >= '0' && *at <= '9') {
        token = NUMBER;
        for (; *at >= '0' && *at <= '9'; at++)
            value = value * 10 + (uint64_t)(*at - '0');
    } else if (*at >= 'a' && *at <= 'z') {
        token = NAME;
        value = (uint64_t)(*at++ - 'a');
    } else if ((*at == '<' || *at == '>') && at[1] == *at) {
        token = *at == '<' ? SHIFT_LEFT : SHIFT_RIGHT;
        at += 2;
    } else {
        token = PUNCTUATION;
        at++;
    }
}

static uint64_t expression(void);

static uint64_t factor(void)
{
    uint64_t result = value;
    enum token first = token;
    char first_sign = sign;

    advance();
    if (first == NUMBER)
        return result;
    if (first == NAME)
        return variables[result];
    switch (first_sign) {
    case '-': return -factor();
    case '~': return ~factor();
    case '(': result = expression(); advance(); return result;
    default: return 0;
    }
}

static uint64_t term(void)
{
    uint64_t left = factor();

    for (;;) {
        enum token operator = token;
        char operator_sign = sign;
        if (operator != SHIFT_LEFT && operator != SHIFT_RIGHT
            && !(operator == PUNCTUATION && (sign == '*' || sign == '/' || sign == '%')))
            return left;
        advance();
        uint64_t right = factor();
        if (operator == SHIFT_LEFT)
            left <<= right & 63;
        else if (operator == SHIFT_RIGHT)
            left >>= right & 63;
        else if (operator_sign == '*')
            left *= right;
        else if (right == 0)
            left = 0;
        else
            left = operator_sign == '/' ? left / right : left % right;
    }
}

static uint64_t expression(void)
{
    uint64_t left = term();

    while (token == PUNCTUATION) {
        char operator = sign;
        if (operator == ')' || operator == ';')
            break;
        advance();
        uint64_t right = term();
        switch (operator) {
        case '+': left += right; break;
        case '-': left -= right; break;
        case '&': left &= right; break;
        case '|': left |= right; break;
        default: left ^= right; break;
        }
    }
    return left;
}

uint32_t work(uint64_t rounds)
{
    uint32_t sum = CHECKSUM_START;

    generate_text();
    for (; rounds--;) {
        at = text;
        advance();
        while (token == NAME) {
            uint64_t target = value;
            advance();
            advance(); /* the equals sign */
            variables[target] = expression();
            advance(); /* the semicolon */
        }
        sum = checksum(sum, variables, sizeof variables);
    }
    return sum;
}
