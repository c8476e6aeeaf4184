/*
 * A file under AES, in CBC and in CTR mode, by whichever implementation of the family the program is linked with.
 *
 * Keys, initial vector and first counter are those of NIST SP 800-38A, appendix F, so that its examples are examples of
 * these programs as well. The key schedule is expanded for each direction, as part of the run. In CBC the last block is
 * filled with zeros; what is decrypted is written without them.
 */
#ifndef CIPHERMARK_PROGRAMS_AES_FILES_H
#define CIPHERMARK_PROGRAMS_AES_FILES_H

#include "files.h"

/* What a mode does to a file. */
typedef struct {
    const struct cipher *cipher;
    int is_counter;
    const uint8_t *text;
    size_t size;
    uint8_t *ciphertext;
    size_t ciphertext_size;
    uint8_t *decrypted;
} task;

#define MOST_TASKS 2

/* The tasks that a mode stands for, `cbc`, `ctr` or `cbc+ctr` in this order; returns how many. */
size_t plan(task tasks[MOST_TASKS], const char *bits, const char *mode, contents file);
void encipher(task *task);
void decipher(task *task);
/* All ciphertexts, or all that was decrypted. */
void write_ciphertexts(int file, const task *tasks, size_t count);
void write_decrypted(int file, const task *tasks, size_t count);

#endif
