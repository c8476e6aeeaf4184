"""The machine in front of the user: native builds, fresh processes, samples and their statistics.

Nothing here knows of studies; execution/ hands it programs and gets records back.
"""

from ciphermark.host.verify import verify

__all__ = ["verify"]
