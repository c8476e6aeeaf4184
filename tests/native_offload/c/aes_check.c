/*
 * Compares an implementation of aes.h with the byte-wise one (kernels/aes/sbox, without its entry points): every key
 * size, mode and direction, lengths around blocks, pages and the pieces that a transport makes, alignments, in place,
 * chained calls, and more schedules by turns than an implementation is likely to hold open.
 *
 * `aes_check [largest bytes]` prints "ok CALLS", or one line that names the first difference, and exits 1.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "check.h"
#include "modes.h"
#include "native.h"

#define SCHEDULES 20
#define SLACK 64

typedef void expand_function(void *rk, const uint8_t *key);
typedef void ecb_function(uint8_t *out, const uint8_t *in, size_t bytes, const void *rk);
typedef void iv_function(uint8_t *out, const uint8_t *in, size_t bytes, uint8_t *iv, const void *rk);

static const struct key_size {
    unsigned bits, rounds;
    expand_function *expand, *expand_decrypt;
    ecb_function *ecb[2];
    iv_function *cbc[2], *ctr;
    void (*block[2])(uint8_t *out, const uint8_t *in, const void *rk);
} key_sizes[] = {
#define KEY_SIZE(N, ROUNDS) \
    {N, ROUNDS, aes_##N##_expand_key, aes_##N##_expand_key_decrypt, {aes_##N##_ecb_encrypt, aes_##N##_ecb_decrypt}, \
     {aes_##N##_cbc_encrypt, aes_##N##_cbc_decrypt}, aes_##N##_ctr_encrypt, \
     {aes_##N##_block, aes_##N##_block_decrypt}}
    KEY_SIZE(128, 10), KEY_SIZE(192, 12), KEY_SIZE(256, 14)};

struct schedule {
    _Alignas(64) uint8_t bytes[AES_SCHEDULE_BYTES];
};

static size_t largest = 300000;
static uint8_t *in_area, *out_area, *wanted, *source;
static unsigned long calls;

enum { ECB, CBC, CTR };
static const char *const mode_names[] = {"ecb", "cbc", "ctr"};

/* One message, handed over in parts of `part` bytes; the reference takes it whole. */
static void check(const struct key_size *k, int mode, int decrypt, const struct schedule *rk, const uint8_t *round_keys,
                  size_t bytes, size_t part, unsigned align, int in_place)
{
    uint8_t iv[16], chain[16];
    uint8_t *out = out_area + align % 5 * 3;
    uint8_t *in = in_place ? out : in_area + align;

    draw(source, bytes);
    draw(iv, 16);
    if (align & 1)
        memset(iv + 5, 0xff, 11);
    memcpy(chain, iv, 16);
    memset(out_area, 0xa5, bytes + SLACK);
    memcpy(in, source, bytes);
    switch (mode * 2 + decrypt) {
    case ECB * 2: ecb_encrypt(wanted, source, bytes, round_keys, k->rounds); break;
    case ECB * 2 + 1: ecb_decrypt(wanted, source, bytes, round_keys, k->rounds); break;
    case CBC * 2: cbc_encrypt(wanted, source, bytes, chain, round_keys, k->rounds); break;
    case CBC * 2 + 1: cbc_decrypt(wanted, source, bytes, chain, round_keys, k->rounds); break;
    default: ctr_encrypt(wanted, source, bytes, chain, round_keys, k->rounds); break;
    }
    size_t done = 0;
    do {
        size_t now = bytes - done < part ? bytes - done : part;
        if (mode == ECB)
            k->ecb[decrypt](out + done, in + done, now, rk);
        else
            (mode == CTR ? k->ctr : k->cbc[decrypt])(out + done, in + done, now, iv, rk);
        done += now;
        calls++;
    } while (done < bytes);

    const char *what = memcmp(out, wanted, bytes)                          ? "output"
                       : memcmp(iv, chain, 16)                             ? "iv left behind"
                       : !in_place && memcmp(in, source, bytes)            ? "input changed"
                       : out[bytes] != 0xa5 || (out > out_area && out[-1] != 0xa5) ? "written outside"
                                                                           : NULL;
    if (what)
        different("%s: aes-%u-%s %s, %zu bytes in parts of %zu, alignment %u%s", what, k->bits, mode_names[mode],
                  decrypt ? "decrypt" : "encrypt", bytes, part, align, in_place ? ", in place" : "");
}

static void check_blocks(const struct key_size *k, const struct schedule *rk, const uint8_t *round_keys, int decrypt)
{
    uint8_t in[19], out[19], expected[16];

    draw(in, sizeof in);
    (decrypt ? InvCipher : Cipher)(expected, in + 3, round_keys, k->rounds);
    k->block[decrypt](out + 1, in + 3, rk);
    k->block[decrypt](in + 3, in + 3, rk);
    calls += 2;
    if (memcmp(out + 1, expected, 16) || memcmp(in + 3, expected, 16))
        different("aes-%u block%s", k->bits, decrypt ? "-decrypt" : "");
}

static uint8_t *pages(size_t bytes)
{
    void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return p == MAP_FAILED ? (perror("mmap"), exit(2), NULL) : p;
}

int main(int argc, char **argv)
{
    static struct schedule schedules[SCHEDULES][2];
    static uint8_t round_keys[SCHEDULES][240];

    describe_or_leave();
    if (argc > 1)
        largest = strtoul(argv[1], NULL, 0);
    in_area = pages(largest + 2 * SLACK);
    out_area = pages(largest + 2 * SLACK);
    wanted = pages(largest + SLACK);
    source = pages(largest + SLACK);

    for (int i = 0; i < SCHEDULES; i++) {
        const struct key_size *k = &key_sizes[i % 3];
        uint8_t key[33];
        draw(key, sizeof key);
        KeyExpansion(round_keys[i], key + 1, k->bits / 32);
        k->expand(&schedules[i][0], key + 1);
        k->expand_decrypt(&schedules[i][1], key + 1);
    }
    const size_t sizes[] = {0, 1, 15, 16, 17, 32, 48, 64, 100, 256, 1024, 4096, 4097, 8192, 65536, 131072, 131087,
                            196608 + 16, largest};
    /* Pages, blocks, nothing. */
    const unsigned alignments[6] = {0, 48, 7, 0, 13, 16};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        for (int i = 0; i < (sizes[s] < 2000 ? 2 * SCHEDULES : 4); i++) {
            const struct key_size *k = &key_sizes[i % SCHEDULES % 3];
            for (int decrypt = 0; decrypt < 2; decrypt++) {
                const struct schedule *rk = &schedules[i % SCHEDULES][decrypt];
                check_blocks(k, rk, round_keys[i % SCHEDULES], decrypt);
                for (int mode = 0; mode < (decrypt ? CTR : CTR + 1); mode++) {
                    size_t bytes = sizes[s] > largest ? largest : sizes[s];
                    bytes &= mode == CTR ? ~(size_t)0 : ~(size_t)15;
                    unsigned align = alignments[i % 6];
                    check(k, mode, decrypt, rk, round_keys[i % SCHEDULES], bytes, i % 2 ? 4096 : largest, align,
                          i / 2 % 2);
                }
            }
        }
    }
    printf("ok %lu\n", calls);
    return 0;
}
