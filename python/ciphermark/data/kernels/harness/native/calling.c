#include "calling.h"

typedef uintptr_t word;
typedef void five(word, word, word, word, word);
typedef void eight(word, word, word, word, word, word, word, word);

/* Five arguments travel in registers under every ABI; no operation so far has more, but a family may. */
void call_times(const struct kernel_call *call, uint64_t times)
{
    const uintptr_t *a = call->arguments;
    if (!(a[5] | a[6] | a[7])) {
        five *function = (five *)call->function;
        for (uint64_t i = 0; i < times; i++)
            function(a[0], a[1], a[2], a[3], a[4]);
    } else {
        eight *function = (eight *)call->function;
        for (uint64_t i = 0; i < times; i++)
            function(a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7]);
    }
}
