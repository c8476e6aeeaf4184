/* Keys and the contexts that have them; see contexts.h. */
#include "contexts.h"

#include <stdio.h>

static struct context contexts[KEY_PLACES][MODES];

struct context *context_for(const struct held_key *key, enum mode mode)
{
    static const char *const mode_names[MODES] = {"ECB", "CBC", "CTR"};
    struct context *context = &contexts[key->ticket % KEY_PLACES][mode];

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
    libcrypto_set(context->evp, key->key, NULL, (int)key->encrypts);
    context->continues = 0;
    context->ticket = key->ticket;
    return context;
}
