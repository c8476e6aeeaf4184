"""A Linux of our choice on an emulated CPU: where the kernel's own ciphers can be tested and counted on any host.

A Debian kernel, fetched as a package into the cache, is started by QEMU with an initramfs made here. QEMU's ``-icount``
lets the machine's clock tick once an instruction, so that every interval the guest times is a number of instructions,
the same in every run. Nothing of the host is changed and nothing here is a speed.
"""
