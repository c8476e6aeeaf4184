/* The job, read from a file into memory that has room for its buffers behind it. */
#ifndef CIPHERMARK_JOB_FILE_H
#define CIPHERMARK_JOB_FILE_H

#include "../job.h"

/* Ends the run if the file cannot be read or is no job. */
const struct job *load_job(const char *path);

#endif
