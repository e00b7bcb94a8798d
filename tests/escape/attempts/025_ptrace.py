# threat 25: reading the memory of other processes, PID 1 and an own child among them
pid = os.fork()
if pid == 0:
    signal.pause()
local = ctypes.create_string_buffer(8)
vector = struct.pack("<2Q", ctypes.addressof(local), 8)
remote = struct.pack("<2Q", ctypes.addressof(local), 8)
got = {"ptrace": call(101, 16, pid, 0, 0),
       "process_vm_readv": call(310, pid, ctypes.create_string_buffer(vector, 16), 1,
                                ctypes.create_string_buffer(remote, 16), 1, 0)}
os.kill(pid, signal.SIGKILL)
got["pidfd_getfd"] = call(438, -1, 0, 0)
got["kcmp"] = call(312, os.getpid(), os.getpid(), 0, 0, 0)
escaped = [k for k, v in got.items() if v not in (errno.EPERM, errno.ENOSYS, errno.ESRCH)]
verdict(bool(escaped), ", ".join(f"{k} {name(v)}" for k, v in got.items()))
