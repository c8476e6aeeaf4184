#include "calling.h"

typedef uintptr_t word;
typedef void five(word, word, word, word, word);
typedef void eight(word, word, word, word, word, word, word, word);

/* Five arguments travel in registers under every ABI; no operation so far has more, but a family may. */
void call_times(struct kernel_call *call, uint64_t times)
{
    uintptr_t a[8];
    for (int i = 0; i < 8; i++)
        a[i] = call->arguments[i];
    uintptr_t *varying = &a[call->varying];
    uintptr_t first = *varying + (call->turn ? call->window : 0), second = *varying + (call->turn ? 0 : call->window);
    if (!(a[5] | a[6] | a[7])) {
        five *function = (five *)call->function;
        for (uint64_t i = 0; i < times; i++) {
            *varying = i & 1 ? second : first;
            function(a[0], a[1], a[2], a[3], a[4]);
        }
    } else {
        eight *function = (eight *)call->function;
        for (uint64_t i = 0; i < times; i++) {
            *varying = i & 1 ? second : first;
            function(a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7]);
        }
    }
    call->turn ^= times & 1;
}
