"""The user's machine: native builds, fresh processes, samples and their statistics. It knows nothing of studies."""

from ciphermark.host.verify import verify

__all__ = ["verify"]
