#include "aes-files.h"

#include <string.h>

#include "aes.h"

/* NIST SP 800-38A, F.2 and F.5. */
static const uint8_t key_128[] = {
    0x2b, 0x7e, 0x15, 0x16, 0x28, 0xae, 0xd2, 0xa6, 0xab, 0xf7, 0x15, 0x88, 0x09, 0xcf, 0x4f, 0x3c,
};
static const uint8_t key_192[] = {
    0x8e, 0x73, 0xb0, 0xf7, 0xda, 0x0e, 0x64, 0x52, 0xc8, 0x10, 0xf3, 0x2b,
    0x80, 0x90, 0x79, 0xe5, 0x62, 0xf8, 0xea, 0xd2, 0x52, 0x2c, 0x6b, 0x7b,
};
static const uint8_t key_256[] = {
    0x60, 0x3d, 0xeb, 0x10, 0x15, 0xca, 0x71, 0xbe, 0x2b, 0x73, 0xae, 0xf0, 0x85, 0x7d, 0x77, 0x81,
    0x1f, 0x35, 0x2c, 0x07, 0x3b, 0x61, 0x08, 0xd7, 0x2d, 0x98, 0x10, 0xa3, 0x09, 0x14, 0xdf, 0xf4,
};

struct cipher {
    const char *bits;
    const uint8_t *key;
    void (*expand_key)(void *schedule, const uint8_t *key);
    void (*expand_key_decrypt)(void *schedule, const uint8_t *key);
    void (*cbc_encrypt)(uint8_t *out, const uint8_t *in, size_t bytes, uint8_t *iv, const void *schedule);
    void (*cbc_decrypt)(uint8_t *out, const uint8_t *in, size_t bytes, uint8_t *iv, const void *schedule);
    void (*ctr_encrypt)(uint8_t *out, const uint8_t *in, size_t bytes, uint8_t *counter, const void *schedule);
};

#define CIPHER(N) { \
    #N, key_##N, aes_##N##_expand_key, aes_##N##_expand_key_decrypt, \
    aes_##N##_cbc_encrypt, aes_##N##_cbc_decrypt, aes_##N##_ctr_encrypt, \
}

static const struct cipher ciphers[] = {CIPHER(128), CIPHER(192), CIPHER(256)};

typedef struct {
    _Alignas(64) uint8_t bytes[AES_SCHEDULE_BYTES];
} schedule;

static void start(uint8_t block[AES_BLOCK_BYTES], int is_counter)
{
    for (unsigned i = 0; i < AES_BLOCK_BYTES; i++)
        block[i] = (uint8_t)(is_counter ? 0xf0 + i : i);
}

static const struct cipher *find(const char *bits)
{
    for (size_t i = 0; i < sizeof ciphers / sizeof *ciphers; i++)
        if (strcmp(ciphers[i].bits, bits) == 0)
            return &ciphers[i];
    fail(bits, "is not the length of a key: it is 128, 192 or 256");
}

static task prepare(const struct cipher *cipher, int is_counter, contents file)
{
    size_t whole = (file.size + AES_BLOCK_BYTES - 1) / AES_BLOCK_BYTES * AES_BLOCK_BYTES;
    return (task){
        .cipher = cipher,
        .is_counter = is_counter,
        .text = file.bytes,
        .size = file.size,
        .ciphertext = take_memory(whole),
        .ciphertext_size = is_counter ? file.size : whole,
        .decrypted = take_memory(whole),
    };
}

size_t plan(task tasks[MOST_TASKS], const char *bits, const char *mode, contents file)
{
    const struct cipher *cipher = find(bits);
    int both = strcmp(mode, "cbc+ctr") == 0, cbc = both || strcmp(mode, "cbc") == 0;
    size_t count = 0;
    if (!cbc && strcmp(mode, "ctr") != 0)
        fail(mode, "is not a mode: it is cbc, ctr or cbc+ctr");
    if (cbc)
        tasks[count++] = prepare(cipher, 0, file);
    if (both || !cbc)
        tasks[count++] = prepare(cipher, 1, file);
    return count;
}

void encipher(task *task)
{
    schedule schedule;
    uint8_t chained[AES_BLOCK_BYTES];
    start(chained, task->is_counter);
    task->cipher->expand_key(schedule.bytes, task->cipher->key);
    if (task->is_counter) {
        task->cipher->ctr_encrypt(task->ciphertext, task->text, task->size, chained, schedule.bytes);
        return;
    }
    size_t whole = task->size / AES_BLOCK_BYTES * AES_BLOCK_BYTES;
    task->cipher->cbc_encrypt(task->ciphertext, task->text, whole, chained, schedule.bytes);
    if (whole != task->size) {
        uint8_t last[AES_BLOCK_BYTES] = {0};
        memcpy(last, task->text + whole, task->size - whole);
        task->cipher->cbc_encrypt(task->ciphertext + whole, last, sizeof last, chained, schedule.bytes);
    }
}

void decipher(task *task)
{
    schedule schedule;
    uint8_t chained[AES_BLOCK_BYTES];
    start(chained, task->is_counter);
    if (task->is_counter) {
        task->cipher->expand_key(schedule.bytes, task->cipher->key);
        task->cipher->ctr_encrypt(task->decrypted, task->ciphertext, task->size, chained, schedule.bytes);
    } else {
        task->cipher->expand_key_decrypt(schedule.bytes, task->cipher->key);
        task->cipher->cbc_decrypt(
            task->decrypted, task->ciphertext, task->ciphertext_size, chained, schedule.bytes);
    }
}

void write_ciphertexts(int file, const task *tasks, size_t count)
{
    for (size_t i = 0; i < count; i++)
        write_all(file, tasks[i].ciphertext, tasks[i].ciphertext_size);
}

void write_decrypted(int file, const task *tasks, size_t count)
{
    for (size_t i = 0; i < count; i++)
        write_all(file, tasks[i].decrypted, tasks[i].size);
}
