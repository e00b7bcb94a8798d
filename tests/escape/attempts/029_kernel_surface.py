# threat 29: calls that no procedure needs must not reach the kernel (EINVAL or EFAULT would show it)
numbers = {"bpf": 321, "perf_event_open": 298, "userfaultfd": 323, "kexec_load": 246, "init_module": 175,
           "finit_module": 313, "delete_module": 176, "swapon": 167, "swapoff": 168, "reboot": 169,
           "syslog": 103, "quotactl": 179, "fanotify_init": 300, "acct": 163, "iopl": 172, "ioperm": 173,
           "name_to_handle_at": 303, "open_by_handle_at": 304, "settimeofday": 164, "clock_settime": 227,
           "vhangup": 153, "sethostname": 170, "uselib": 134, "modify_ldt": 154, "kexec_file_load": 320,
           "move_pages": 279, "migrate_pages": 256, "lookup_dcookie": 212, "nfsservctl": 180,
           "mbind": 237, "set_mempolicy": 238, "set_mempolicy_home_node": 450, "adjtimex": 159,
           "clock_adjtime": 305, "setdomainname": 171, "fanotify_mark": 301, "quotactl_fd": 443,
           "process_madvise": 440, "process_vm_writev": 311, "process_mrelease": 448, "memfd_secret": 447,
           "io_uring_enter": 426, "io_uring_register": 427, "fsconfig": 431, "fsmount": 432, "fspick": 433,
           "open_tree_attr": 467, "statmount": 457, "listmount": 458, "create_module": 174,
           "get_kernel_syms": 177, "query_module": 178, "_sysctl": 156, "afs_syscall": 183, "security": 185,
           "lsm_set_self_attr": 460, "get_thread_area": 211, "set_thread_area": 205, "unknown": 599,
           "tuxcall": 184, "vserver": 236, "epoll_ctl_old": 214, "getpmsg": 181, "putpmsg": 182, "sysfs": 139,
           "a number yet to come": 999}
assert len(numbers) >= 60
got = {k: call(n, -1, -1, -1, -1, -1, -1) for k, n in numbers.items()}
escaped = {k: name(v) for k, v in got.items() if v not in (errno.EPERM, errno.ENOSYS)}
verdict(bool(escaped), f"reached the kernel: {escaped}")
