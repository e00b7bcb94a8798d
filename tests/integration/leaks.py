"""Five hundred launches of every fate, half of them ended against their will: afterwards the daemon
holds what it held before. Set-up that fails at each of its stages: tests/unit/monitor/fault_test.cpp.
"""
import os
import sys
import threading
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import harness  # noqa: E402
from harness import Daemon, wait_until  # noqa: E402

LAUNCHES = 500
AT_ONCE = 4
# What a block does, and the exit status that runbookctl has for it.
FATES = {
    "passes": ("echo fine", 0),
    "fails": ("exit 3", 3),
    "killed": ("kill -KILL $$", 137),
    "leaves": ("sleep 4711 & nohup sleep 4711 >/dev/null 2>&1 & setsid sleep 4711 & exit 0", 0),
    "files": ("for i in $(seq 50); do mktemp; done >/dev/null; mkfifo /tmp/f /dev/shm/f; exit 5", 5),
    "slow": ("sleep 4711", 124),
}


def open_files(pid):
    """What a process has open, by kind: numbers of sockets and pipes differ from time to time."""
    out = {}
    for fd in Path(f"/proc/{pid}/fd").iterdir():
        try:
            kind = os.readlink(fd).split(":[")[0]
        except OSError:
            continue
        out[kind] = out.get(kind, 0) + 1
    return out


def held(d):
    """Processes by name, and for whom root may look what the broker and the fronts have open."""
    names = sorted(process.comm for process in d.ours())
    files = [open_files(pid) for pid in (d.broker_pid(), *sorted(d.front_pids()))] if os.geteuid() == 0 else []
    return names, files, sorted(p.name for p in (d.runtime / "monitors").iterdir())


def grew(before, after):
    return [f"{kind}: {one.get(kind, 0)} to {two[kind]}"
            for one, two in zip(before, after) for kind in two if two[kind] > one.get(kind, 0) + 2
            and not kind.startswith("/")]


def test_five_hundred_launches_leave_nothing():
    with Daemon("leaks") as d:
        blocks = ["# Fates\n"]
        for name, (script, _) in FATES.items():
            d.write(f"fates/{name}.sh", f"#!/bin/bash\n{script}\n", 0o755)
            blocks.append(f'<Command id="{name}" path="{name}.sh" />\n')
        # An interpreter that is there when it is looked for, and not within the sandbox: set-up fails.
        ghost = d.folder / "ghost"
        ghost.symlink_to("/bin/bash")
        d.write("fates/ghost.sh", f"#!{ghost}\necho never\n", 0o755)
        blocks.append('<Command id="ghost" path="ghost.sh" />\n')
        d.write("fates/runbook.mdx", "\n".join(blocks))
        d.ok("session", "start", "--as", "tester", "--why", "leaks")
        d.ok("open", d.books / "fates")
        fates = [*((name, rc) for name, (_, rc) in FATES.items()), ("ghost", None)]
        wrong = []

        def launch(number):
            name, rc = fates[number % len(fates)]
            profile = "host" if number % 11 == 10 and name != "ghost" else "workspace"
            words = ("--timeout", "100ms") if name == "slow" else ()
            done = d.ctl("run", "fates", name, "--profile", profile, *words, timeout=120)
            good = done.rc == rc if rc is not None else done.rc >= 125 and b"never" not in done.out
            if not good:
                wrong.append((number, name, profile, done))

        def launches(numbers):
            for number in numbers:
                launch(number)

        def at_rest():
            """A launch of the ordinary kind, then what waits for the next one and nothing else."""
            launch(0)
            wait_until(lambda: held(d)[0].count("runbook-monitor") == 3, 10, f"a spare monitor: {held(d)[0]}")
            return held(d)

        launches(range(len(fates)))
        before = at_rest()
        workers = [threading.Thread(target=launches, args=(range(i, LAUNCHES, AT_ONCE),)) for i in range(AT_ONCE)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        assert not wrong, wrong[:3]
        after = at_rest()
        assert after[0] == before[0] and after[2] == before[2], (before, after)
        assert not grew(before[1], after[1]), grew(before[1], after[1])
        d.end_sessions()


if __name__ == "__main__":
    harness.main(globals())
