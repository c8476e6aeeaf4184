"""The harness as Python sees it, whatever runs it: the job it reads, its transcript, and what verifies an
implementation."""
