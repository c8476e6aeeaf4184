/* Runs the job: all known answers, and only if every one holds, the measurements. */

#include "cases.h"
#include "console.h"
#include "platform.h"
#include "report.h"
#include "stack.h"
#include "vector.h"

extern const struct job ciphermark_job;
extern const uint32_t ciphermark_entry_count;

static void print_counts(char kind, uint32_t index, const struct kernel_call *timed)
{
    line_begin(kind);
    line_number(index);
    line_number(timed->instructions);
    line_number(timed->cycles);
}

/*
 * `m index instructions cycles stack digest`, after `l index instructions cycles` for each timed call but the last; a
 * failure here is the kernel's manners, as for known answers. Nothing is printed between calls: that would take their
 * place in caches.
 */
static void run_request(const struct job *job, const struct job_case *c, uint32_t index)
{
    /* Not on the stack, which a kernel may not change (measure.S), but measuring does. */
    static struct kernel_call timed[MOST_CALLS];
    uint32_t last = c->calls ? c->calls - 1 : 0;
    if (last >= MOST_CALLS)
        platform_exit(EXIT_BAD_JOB);
    exercise(job, c, index);

    struct attempt a = begin_attempt(job, c, index, VARIANT_PLAIN, SALT_TIMED);
    paint_kernel_stack();
    int failure = -1;
    for (uint32_t i = 0; i <= last && failure < 0; i++) {
        if (i > 0)
            restart_chain(&a);
        timed[i] = prepare(job, c, c->call, &a.b);
        failure = breach(measure_call(&timed[i]));
    }
    uint32_t stack = kernel_stack_used();
    finish_attempt(&a, failure);

    for (uint32_t i = 0; i < last; i++) {
        print_counts('l', index, &timed[i]);
        line_end();
    }
    print_counts('m', index, &timed[last]);
    line_number(stack);
    print_digest(&a);
    line_end();
}

/* `e instructions cycles`: the first passages through the timed region, of a function that is only `ret`. */
static void calibrate(uint32_t calls)
{
    static struct kernel_call empty;
    empty = (struct kernel_call){.function = (uintptr_t)empty_function, .stack = kernel_stack_end()};
    do
        measure_call(&empty);
    while (calls-- > 1);
    line_begin('e');
    line_number(empty.instructions);
    line_number(empty.cycles);
    line_end();
}

/* Code made for another VLEN need not trap: it may compute something else, or the same in other counts. */
static void check_vlen(uint32_t expected)
{
    if (!expected)
        return;
    uint32_t actual = vector_bits();
    if (actual == expected)
        return;
    line_begin('w');
    line_number(expected);
    line_number(actual);
    line_end();
    platform_exit(EXIT_WRONG_VLEN);
}

int main(void)
{
    const struct job *job = &ciphermark_job;
    console_begin(job->nonce);
    line_begin('h');
    line_number(JOB_VERSION);
    line_number(__riscv_xlen);
    line_number(ciphermark_entry_count);
    line_end();
    if (job->magic != JOB_MAGIC || job->version != JOB_VERSION)
        return EXIT_BAD_JOB;
    check_vlen(job->vlen);
    calibrate(job->empty_calls);

    const struct job_case *c = run_vectors(job);
    for (uint32_t i = 0; i < job->requests; i++, c = next_case(c)) {
        report_phase(PHASE_REQUESTS, i);
        run_request(job, c, i);
    }
    line_begin('q');
    line_number(job->requests);
    line_end_transcript();
    return EXIT_DONE;
}
