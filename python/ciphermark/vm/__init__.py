"""A Linux of our choice on an emulated CPU, to test and count the kernel's own ciphers on any host. QEMU starts a
Debian kernel, fetched as a package into the cache, with an initramfs made here. With ``-icount`` the guest's clock
ticks once per instruction, so that its intervals are numbers of instructions, the same in every run, and never a speed.
The host is not changed."""
