# attack on the outcome: PID 1 of the sandbox is starved by limits, and its end taken for ours
# control: self
import resource
pid = os.fork() if CONTROL else 1
if pid == 0:
    signal.pause()
got = {}
for what, limit in (("files", resource.RLIMIT_NOFILE), ("processor time", resource.RLIMIT_CPU)):
    try:
        resource.prlimit(pid, limit, (1, 1))
        got[what] = "limited"
    except OSError as why:
        if why.errno != errno.EPERM:
            got[what] = errno.errorcode[why.errno]
if CONTROL:
    os.kill(pid, signal.SIGKILL)
resource.prlimit(0, resource.RLIMIT_CORE, (0, 0))  # one's own limits are one's own
verdict(bool(got), f"limits of PID {pid}: {got}")
