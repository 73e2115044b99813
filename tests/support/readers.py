"""Readers of others, which ./test.sh --clients installs from PyPI: for each test in a folder of its
own under TACTUS_CLIENTS."""

import os
import sys


def add_readers(test):
    """Lets this test, and programs that it starts, import its readers. Returns whether they were
    installed: then an import that fails is a failure of the test."""
    folder = os.path.join(os.environ.get("TACTUS_CLIENTS", "/nonexistent"), test)
    if not os.path.isdir(folder):
        return False
    sys.path.insert(0, folder)
    os.environ["PYTHONPATH"] = folder
    return True
