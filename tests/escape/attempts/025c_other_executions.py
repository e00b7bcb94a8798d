# threat 25: the processes of another execution, which runs at this moment
marker = FIXTURES["other_marker"].encode()
seen = []
for pid in (p for p in os.listdir("/proc") if p.isdigit()):
    try:
        if marker in open(f"/proc/{pid}/cmdline", "rb").read() and int(pid) != os.getpid():
            seen.append(int(pid))
    except OSError:
        pass
for pid in range(2, 400):
    if pid != os.getpid() and call(62, pid, 0) == 0 and pid not in seen:
        seen.append(pid)
verdict(bool(seen), f"processes that aren't this script's: {seen[:5]}")
