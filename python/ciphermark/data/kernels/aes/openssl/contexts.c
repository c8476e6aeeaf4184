/* Keys and the contexts that have them; see contexts.h. */
#include "contexts.h"

#include <stdio.h>
#include <string.h>

/* More schedules than any caller uses by turns; a power of two. */
#define PLACES 8

static struct context contexts[PLACES][MODES];

void hold_key(void *schedule, const uint8_t *key, uint32_t bits, uint32_t encrypt)
{
    static uint64_t tickets;
    struct held_key held = {.ticket = ++tickets, .bits = bits, .encrypt = encrypt};

    memcpy(held.key, key, bits / 8);
    memcpy(schedule, &held, sizeof held);
}

struct context *context_for(const struct held_key *key, enum mode mode)
{
    static const char *const mode_names[MODES] = {"ECB", "CBC", "CTR"};
    struct context *context = &contexts[key->ticket % PLACES][mode];

    if (context->ticket == key->ticket)
        return context;
    if (!context->evp || context->bits != key->bits) {
        char name[16];

        snprintf(name, sizeof name, "AES-%u-%s", (unsigned)key->bits, mode_names[mode]);
        if (context->evp)
            libcrypto.EVP_CIPHER_CTX_free(context->evp);
        context->evp = libcrypto_context(name);
        context->bits = key->bits;
    }
    libcrypto_set(context->evp, key->key, NULL, (int)key->encrypt);
    context->continues = 0;
    context->ticket = key->ticket;
    return context;
}
