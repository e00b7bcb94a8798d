# threats 36 and 37: PID 1 is a copy of ours; its executable and root must not be had
# control: self
pid = "self" if CONTROL else "1"
got = {}
for link in ("exe", "root", "cwd", "mem", "environ", "maps", "fd/0"):
    try:
        fd = os.open(f"/proc/{pid}/{link}", os.O_RDONLY)
        if link == "mem" or os.read(fd, 1):
            got[link] = "readable"
    except IsADirectoryError:
        got[link] = "openable"
    except OSError:
        pass
if os.getpid() == 1:
    got["pid"] = "the script itself is PID 1"
verdict(bool(got), f"/proc/{pid}: {got}")
