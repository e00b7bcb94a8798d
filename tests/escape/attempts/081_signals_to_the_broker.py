# threat 81: signalling, limiting and slowing the broker and its kin
import resource
got = {}
for pid in FIXTURES["outside_pids"]:
    for what, attempt in (("kill", lambda: os.kill(pid, 0)),
                          ("prlimit", lambda: resource.prlimit(pid, resource.RLIMIT_NOFILE)),
                          ("affinity", lambda: os.sched_getaffinity(pid)),
                          ("priority", lambda: os.getpriority(os.PRIO_PROCESS, pid)),
                          ("cmdline", lambda: open(f"/proc/{pid}/cmdline").read())):
        try:
            attempt()
            got[f"{what} {pid}"] = "reached"
        except OSError:
            pass
verdict(bool(got), f"{sorted(got)}")
