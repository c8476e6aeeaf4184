"""Files of every kind that a user may hand over, changed at random: whatever comes of them, it is a message.

``make fuzz`` tries for ``CIPHERMARK_FUZZ_SECONDS``, each time with another seed, which it prints;
``CIPHERMARK_FUZZ_SEED`` repeats one. What it finds is kept below ``target/fuzz`` and tried again with
``PYTHONPATH=tests python -m fuzz KIND FILE``.
"""
