# threat 29: calls that no procedure needs must not reach the kernel (EINVAL or EFAULT would show it)
numbers = {"bpf": 321, "perf_event_open": 298, "userfaultfd": 323, "kexec_load": 246, "init_module": 175,
           "finit_module": 313, "delete_module": 176, "swapon": 167, "swapoff": 168, "reboot": 169,
           "syslog": 103, "quotactl": 179, "fanotify_init": 300, "acct": 163, "iopl": 172, "ioperm": 173,
           "name_to_handle_at": 303, "open_by_handle_at": 304, "settimeofday": 164, "clock_settime": 227,
           "vhangup": 153, "sethostname": 170, "uselib": 134, "modify_ldt": 154, "kexec_file_load": 320,
           "move_pages": 279, "migrate_pages": 256, "lookup_dcookie": 212, "nfsservctl": 180}
got = {k: call(n, -1, -1, -1, -1, -1, -1) for k, n in numbers.items()}
escaped = {k: name(v) for k, v in got.items() if v not in (errno.EPERM, errno.ENOSYS)}
verdict(bool(escaped), f"reached the kernel: {escaped}")
