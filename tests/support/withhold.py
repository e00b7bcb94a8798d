"""withhold.py LAYER PROGRAM ARGUMENT... — the program on a machine without that layer: a filter that
every process of it inherits answers the layer's system calls as a kernel without it would.   [tests]
With landlock-N a supervisor says that the kernel's Landlock is of ABI N, for as long as the filter lives.
"""
import ctypes
import errno
import fcntl
import os
import select
import socket
import struct
import sys

LOAD, EQUAL, ANY_BIT, RETURN = 0x20, 0x15, 0x45, 0x06
ALLOW, FAIL, NOTIFY = 0x7FFF0000, 0x00050000, 0x7FC00000
RECEIVE, ANSWER = 0xC0502100, 0xC0182101  # SECCOMP_IOCTL_NOTIF_RECV and _SEND
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


# landlock_create_ruleset(…, LANDLOCK_CREATE_RULESET_VERSION)
VERSION_ASKED = (step(LOAD, 0) + step(EQUAL, 444, 0, 3) + step(LOAD, 32) + step(EQUAL, 1, 0, 1)
                 + step(RETURN, NOTIFY) + step(RETURN, ALLOW))


def answer_version(link, abi):
    """Until nobody has the filter any more."""
    _, (listener,), _, _ = socket.recv_fds(link, 1, 1)
    link.close()
    wait = select.poll()
    wait.register(listener, select.POLLIN)
    while wait.poll()[0][1] & select.POLLIN:
        asked = bytearray(80)
        try:
            fcntl.ioctl(listener, RECEIVE, asked)
            fcntl.ioctl(listener, ANSWER, struct.pack("<QqiI", struct.unpack_from("<Q", asked)[0], abi, 0, 0))
        except OSError:
            pass  # who asked is gone


def start_supervisor(abi):
    """The link that it gets the listener by. It holds none of the program's streams and isn't its child."""
    ours, theirs = socket.socketpair()
    if os.fork() == 0:
        if os.fork() == 0:
            ours.close()
            os.setsid()
            empty = os.open("/dev/null", os.O_RDWR)
            for stream in (0, 1, 2):
                os.dup2(empty, stream)
            answer_version(theirs, abi)
        os._exit(0)
    os.wait()
    return ours


def main():
    layer, _, abi = sys.argv[1].partition("-")
    link = start_supervisor(int(abi)) if layer == "landlock" and abi else None
    code = VERSION_ASKED if link else program(LAYERS[sys.argv[1]])
    buffer = ctypes.create_string_buffer(code, len(code))
    filter_ = ctypes.create_string_buffer(struct.pack("<HxxxxxxQ", len(code) // 8, ctypes.addressof(buffer)), 16)
    libc = ctypes.CDLL(None, use_errno=True)
    listener = -1
    if libc.prctl(38, 1, 0, 0, 0) == 0:
        listener = libc.syscall(317, 1, 8 if link else 0, filter_)  # SECCOMP_FILTER_FLAG_NEW_LISTENER
    if listener < 0:
        sys.exit(f"withhold.py: {os.strerror(ctypes.get_errno())}")
    if link:
        socket.send_fds(link, [b"x"], [listener])
        os.close(listener)
        link.close()
    os.execvp(sys.argv[2], sys.argv[2:])


if __name__ == "__main__":
    main()
