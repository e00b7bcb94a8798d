# threat 20: the newer mount calls, forgotten in a filter
got = {
    "open_tree": call(428, -100, b"/", 0),
    "fsopen": call(430, b"tmpfs", 0),
    "move_mount": call(429, -1, b"", -1, b"", 0),
    "mount_setattr": call(442, -1, b"", 0, None, 0),
    "pivot_root": call(155, b"/", b"/"),
    "umount2": call(166, b"/", 2),
    "setns": call(308, -1, 0),
    "chroot": call(161, b"/"),
}
escaped = [k for k, v in got.items() if v not in (errno.EPERM, errno.ENOSYS)]
verdict(bool(escaped), ", ".join(f"{k} {name(v)}" for k, v in got.items()))
