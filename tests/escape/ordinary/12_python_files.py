#!/usr/bin/env python3
# needs: python3
"""What tools do to files and ask the kernel for."""
import ctypes
import errno
import fcntl
import mmap
import os
import select
import shutil
import signal
import tempfile
import threading

with tempfile.TemporaryDirectory() as folder, tempfile.NamedTemporaryFile(dir=folder) as file:
    file.write(b"x" * 5000)
    file.flush()
    print(os.path.dirname(folder), oct(os.stat(folder).st_mode), oct(os.stat(file.name).st_mode))
here = os.open(".", os.O_RDONLY)
unnamed = os.open(".", os.O_TMPFILE | os.O_RDWR, 0o640)
os.write(unnamed, b"named later")
os.link(f"/proc/self/fd/{unnamed}", "linked", src_dir_fd=here, follow_symlinks=True)
with open("a", "wb+") as file:
    file.write(b"0123456789")
    file.flush()
    os.posix_fallocate(file.fileno(), 0, 8192)
    fcntl.lockf(file, fcntl.LOCK_EX)
    fcntl.flock(file, fcntl.LOCK_EX)
    with mmap.mmap(file.fileno(), 4096) as view:
        view[0:2] = b"ab"
    os.fsync(file.fileno())
    with open("b", "wb") as target:
        copied = os.copy_file_range(file.fileno(), target.fileno(), 10, 0)
        print(copied, os.sendfile(target.fileno(), file.fileno(), 0, 4))
try:
    os.setxattr("a", "user.note", b"v")
    print(os.getxattr("a", "user.note"), os.listxattr("a"))
except OSError as why:
    print(errno.errorcode[why.errno])
shutil.copytree(".", "copy")
os.utime("a", ns=(10**18, 10**18))
print(os.stat("a").st_mtime_ns)
libc = ctypes.CDLL(None, use_errno=True)
watch = libc.inotify_init1(0)
libc.inotify_add_watch(watch, b".", 0x100)
os.mkdir("made")
print(len(os.read(watch, 4096)))
memory = os.memfd_create("m")
print(os.write(memory, b"abc"))
waiting = select.epoll()
ours, theirs = os.pipe()
waiting.register(ours, select.EPOLLIN)
os.write(theirs, b"x")
print(len(waiting.poll(1)))
child = os.fork()
if child == 0:
    signal.pause()
pidfd = os.pidfd_open(child)
signal.pidfd_send_signal(pidfd, signal.SIGTERM)
print(os.waitid(os.P_PIDFD, pidfd, os.WEXITED).si_status)
print(signal.sigtimedwait([signal.SIGUSR1], 0.01), threading.active_count(), len(os.sched_getaffinity(0)))
print([sig.name for sig in signal.Signals if signal.getsignal(sig) == signal.SIG_IGN], signal.pthread_sigmask(0, []))
