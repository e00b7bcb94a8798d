"""withhold.py LAYER PROGRAM ARGUMENT... — the program on a machine without that layer: a filter that
every process of it inherits answers the layer's system calls as a kernel without it would.   [tests]
"""
import ctypes
import errno
import os
import struct
import sys

LOAD, EQUAL, ANY_BIT, RETURN = 0x20, 0x15, 0x45, 0x06
ALLOW, FAIL = 0x7FFF0000, 0x00050000
NEW_USER = 0x10000000
# (number on x86-64, errno, bits of the first argument that it takes or 0)
LAYERS = {
    "nothing": [],
    "landlock": [(444, errno.ENOSYS, 0), (445, errno.ENOSYS, 0), (446, errno.ENOSYS, 0)],
    "namespaces": [(272, errno.EPERM, NEW_USER), (56, errno.EPERM, NEW_USER), (435, errno.ENOSYS, 0)],
    "seccomp": [(317, errno.ENOSYS, 0)],
    "openat2": [(437, errno.ENOSYS, 0)],
    "new-mounts": [(428, errno.ENOSYS, 0), (429, errno.ENOSYS, 0), (430, errno.ENOSYS, 0), (442, errno.ENOSYS, 0)],
}


def step(code, value, yes=0, no=0):
    return struct.pack("<HBBI", code, yes, no, value)


def program(rules):
    out = b""
    for number, failure, bits in rules:
        refuse = step(RETURN, FAIL | failure)
        if bits:
            out += step(LOAD, 0) + step(EQUAL, number, 0, 3) + step(LOAD, 16) + step(ANY_BIT, bits, 0, 1) + refuse
        else:
            out += step(LOAD, 0) + step(EQUAL, number, 0, 1) + refuse
    return out + step(RETURN, ALLOW)


def main():
    code = program(LAYERS[sys.argv[1]])
    buffer = ctypes.create_string_buffer(code, len(code))
    filter_ = ctypes.create_string_buffer(struct.pack("<HxxxxxxQ", len(code) // 8, ctypes.addressof(buffer)), 16)
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(38, 1, 0, 0, 0) < 0 or libc.prctl(22, 2, filter_, 0, 0) < 0:
        sys.exit(f"withhold.py: {os.strerror(ctypes.get_errno())}")
    os.execvp(sys.argv[2], sys.argv[2:])


if __name__ == "__main__":
    main()
