#!/usr/bin/env python3
# Written in front of each attempt: what it needs to try a system call and to say how it went.
import ctypes
import errno
import os
import platform
import signal
import socket
import struct
import sys

FIXTURES = {}    # filled in by the runner
CONTROL = False  # true in an attempt's own control: it must then say "escaped"

assert platform.machine() == "x86_64", "numbers below are x86-64's"
libc = ctypes.CDLL(None, use_errno=True)
libc.syscall.restype = ctypes.c_long


def call(number, *arguments):
    """errno of a raw system call, 0 where it succeeded; `call.value` has what it returned."""
    ctypes.set_errno(0)
    words = [ctypes.c_long(a) if isinstance(a, int) else a for a in arguments]
    call.value = libc.syscall(ctypes.c_long(number), *words)
    return ctypes.get_errno() if call.value < 0 else 0


def name(number):
    return "success" if number == 0 else errno.errorcode.get(number, str(number))


def in_child(work):
    """Runs work() in a fork; its exit status, or minus the signal that killed it."""
    pid = os.fork()
    if pid == 0:
        try:
            os._exit(work() or 0)
        except BaseException:
            os._exit(99)
    _, status = os.waitpid(pid, 0)
    return os.waitstatus_to_exitcode(status)


def verdict(escaped, detail):
    print(("escaped: " if escaped else "held: ") + detail, flush=True)
    sys.exit(0 if escaped else 3)
