"""The harness as Python sees it: the job it reads, the transcript it writes, and what verifies an implementation.

On bare metal and as a process it is the same: nothing here knows what runs it.
"""
