# threat 28: a set-user-id file of the operator is left for others
folder = os.environ.get("RUNBOOK_WORK", ".")
target = os.path.join(folder if os.access(folder, os.W_OK) else "/tmp", "suid-test")
fd = os.open(target, os.O_CREAT | os.O_RDWR, 0o755)
os.write(fd, b"#!/bin/sh\n")
got = {
    "chmod": call(90, target.encode(), 0o4755),
    "fchmod": call(91, fd, 0o2755),
    "fchmodat": call(268, -100, target.encode(), 0o6755),
    "fchmodat2": call(452, -100, target.encode(), 0o4755, 0),
    "open": call(2, target.encode() + b"2", os.O_CREAT | os.O_WRONLY, 0o4755),
    "openat": call(257, -100, target.encode() + b"3", os.O_CREAT | os.O_WRONLY, 0o4755),
    "creat": call(85, target.encode() + b"4", 0o4755),
    "mknod": call(133, target.encode() + b"5", 0o104755, 0),
}
left = [f for f in (target, target + "2", target + "3", target + "4", target + "5")
        if os.path.exists(f) and os.stat(f).st_mode & 0o6000]
for f in (target, target + "2", target + "3", target + "4", target + "5"):
    if os.path.exists(f):
        os.unlink(f)
verdict(bool(left), f"files with such a mode: {left}; " + ", ".join(f"{k} {name(v)}" for k, v in got.items()))
