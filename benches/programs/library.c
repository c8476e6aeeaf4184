/*
 * A program that lives in its C library: each round sorts with qsort, allocates and frees, copies and measures strings,
 * prints and reads numbers, and counts words in a hash table. Nothing that is summed depends on an address.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "work.h"

static uint32_t random_state;

static uint32_t random_below(uint32_t limit)
{
    return (uint32_t)((uint64_t)next_random(&random_state) * limit >> 32);
}

static void *allocate(size_t bytes)
{
    void *block = malloc(bytes);
    if (block == NULL)
        abort();
    return block;
}

/* ---- qsort, by a comparison that it calls ---- */

#define RECORDS 1000

struct record {
    uint32_t key;
    char name[12];
};

static int by_name(const void *left, const void *right)
{
    return strcmp(((const struct record *)left)->name, ((const struct record *)right)->name);
}

static int by_key(const void *left, const void *right)
{
    uint32_t a = ((const struct record *)left)->key, b = ((const struct record *)right)->key;
    return (a > b) - (a < b);
}

static uint32_t sort(uint32_t sum)
{
    static struct record records[RECORDS];

    for (int i = 0; i < RECORDS; i++) {
        records[i].key = next_random(&random_state);
        snprintf(records[i].name, sizeof records[i].name, "%x", (unsigned)next_random(&random_state));
    }
    qsort(records, RECORDS, sizeof *records, by_name);
    sum = checksum(sum, records, sizeof records);
    qsort(records, RECORDS, sizeof *records, by_key);
    return checksum(sum, records, sizeof records);
}

/* ---- malloc and free: blocks of many sizes, freed in another order than allocated ---- */

#define SLOTS 256
#define ALLOCATIONS 2000

static uint32_t churn(uint32_t sum)
{
    static char *slots[SLOTS];

    for (int i = 0; i < ALLOCATIONS; i++) {
        char **slot = &slots[random_below(SLOTS)];
        size_t bytes = 1 + random_below(1u << (4 + random_below(8)));
        if (*slot != NULL)
            sum = checksum(sum, *slot, 1);
        free(*slot);
        *slot = allocate(bytes);
        memset(*slot, i, bytes);
    }
    for (int i = 0; i < SLOTS; i++) {
        free(slots[i]);
        slots[i] = NULL;
    }
    return sum;
}

/* ---- strings: lengths, copies, concatenation, search ---- */

#define STRINGS 300

static uint32_t strings(uint32_t sum)
{
    static char text[8192], copy[8192];

    text[0] = 0;
    for (int i = 0; i < STRINGS; i++) {
        char word[24];
        size_t bytes = 1 + random_below(sizeof word - 2);
        for (size_t k = 0; k < bytes; k++)
            word[k] = (char)('a' + random_below(26));
        word[bytes] = 0;
        size_t length = strlen(text);
        if (length + bytes + 2 > sizeof text)
            break;
        memcpy(text + length, word, bytes + 1);
        strcat(text + length, " ");
    }
    for (size_t shift = 0; shift < 64; shift++) {
        memcpy(copy, text + shift, sizeof copy - shift);
        memmove(copy + 3, copy, sizeof copy - 3);
        sum += (uint32_t)strlen(copy) + (memcmp(copy, text, 256) > 0);
    }
    for (char *word = strtok(text, " "); word != NULL; word = strtok(NULL, " "))
        sum += strchr(word, 'q') != NULL || strstr(word, "th") != NULL;
    return sum;
}

/* ---- numbers to text and back; correctly rounded, so the same everywhere ---- */

#define NUMBERS 200

static uint32_t numbers(uint32_t sum)
{
    for (int i = 0; i < NUMBERS; i++) {
        char text[64];
        double value = (double)(int32_t)next_random(&random_state) / (1 + random_below(100000));
        snprintf(text, sizeof text, "%.*g %08x %-12d|", 1 + (int)random_below(17), value, random_state, i);
        sum = checksum(sum, text, strlen(text));
        char *end;
        double back = strtod(text, &end) + (double)strtoul(end, NULL, 16);
        sum = checksum(sum, &back, sizeof back);
    }
    return sum;
}

/* ---- a hash table with chains, of words that are strings of their own ---- */

#define BUCKETS 512
#define WORDS 2000

struct entry {
    struct entry *next;
    char *word;
    uint32_t count;
};

static uint32_t count_words(uint32_t sum)
{
    static struct entry *buckets[BUCKETS];

    for (int i = 0; i < WORDS; i++) {
        char word[16];
        uint32_t hash = 5381;
        snprintf(word, sizeof word, "w%u", (unsigned)random_below(1 + random_below(1500)));
        for (const char *c = word; *c; c++)
            hash = hash * 33 ^ (uint8_t)*c;
        struct entry **place = &buckets[hash % BUCKETS];
        while (*place != NULL && strcmp((*place)->word, word) != 0)
            place = &(*place)->next;
        if (*place == NULL) {
            *place = allocate(sizeof **place);
            **place = (struct entry){.word = strcpy(allocate(strlen(word) + 1), word)};
        }
        (*place)->count++;
    }
    for (int i = 0; i < BUCKETS; i++) {
        while (buckets[i] != NULL) {
            struct entry *entry = buckets[i];
            sum = checksum(sum ^ entry->count, entry->word, strlen(entry->word));
            buckets[i] = entry->next;
            free(entry->word);
            free(entry);
        }
    }
    return sum;
}

uint32_t work(uint64_t rounds)
{
    uint32_t sum = CHECKSUM_START;

    random_state = 2463534242u;
    for (; rounds--;)
        sum = count_words(numbers(strings(churn(sort(sum)))));
    return sum;
}
