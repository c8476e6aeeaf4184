/* What the process may use, and what it says when it is stopped. */
#ifndef CIPHERMARK_CONFINEMENT_H
#define CIPHERMARK_CONFINEMENT_H

struct confinement {
    long cpu;        /* to stay on; -1: any */
    long deadline_s; /* of wall and of processor time; 0: none */
    long memory_mib; /* of address space, beyond what the job needs; 0: any */
};

/*
 * Applies them. A signal that would end the process (a fault of the implementation, the deadline) is first reported as
 * `t signal code address phase index`. The process dies with its parent.
 */
void confine(const struct confinement *confinement);

/* `r kib`: the most memory that was resident; `-` where the system does not say. */
void report_memory(void);

#endif
