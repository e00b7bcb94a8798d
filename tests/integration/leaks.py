"""Five hundred launches of every fate; half of them are made to fail while they are set up, at each stage in
turn. Afterwards the daemon and the machine hold what they held before: processes, descriptors, mounts, control
groups, files. Each stage by its name: tests/unit/monitor/fault_test.cpp.
"""
import os
import re
import shutil
import sys
import threading
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import harness  # noqa: E402
from harness import Daemon, wait_until  # noqa: E402

LAUNCHES = 500
AT_ONCE = 4
STAGES = 108  # of a set-up, a few more than there are: those fail nowhere
FAULTY = harness.BUILD / "tests/unit/monitor/runbook-monitor-faulty"
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
    """Processes by name, and for whom root may look what the broker and the fronts have open; what lies in the
    runtime folder; mounts; control groups of ours."""
    names = sorted(process.comm for process in d.ours())
    files = [open_files(pid) for pid in (d.broker_pid(), *sorted(d.front_pids()))] if os.geteuid() == 0 else []
    places = sorted(str(path) for path in d.runtime.rglob("*"))
    mounts = sorted(line.split(" ", 3)[3] for line in Path("/proc/self/mountinfo").read_text().splitlines()
                    if str(d.folder) in line)
    groups = sorted(str(path) for path in Path("/sys/fs/cgroup").glob("**/*runbook*/*") if path.is_dir()
                    and d.sessions() and any(session in path.name for session in d.sessions()))
    return names, files, places, mounts, groups


def with_faulty_monitor(d):
    """The daemon's own copy of the programs, with a monitor that fails by turns."""
    programs = d.folder / "faulty"
    programs.mkdir()
    for program in harness.PROGRAMS:
        shutil.copy2(FAULTY if program == "runbook-monitor" else harness.BUILD / "bin" / program, programs / program)
        (programs / program).chmod(0o755)
    turns = programs / "runbook-monitor.turns"
    turns.write_text("0 0\n")
    harness.give(turns)
    d.bin = programs
    return turns


def grew(before, after):
    return [f"{kind}: {one.get(kind, 0)} to {two[kind]}"
            for one, two in zip(before, after) for kind in two if two[kind] > one.get(kind, 0) + 2
            and not kind.startswith("/")]


def test_five_hundred_launches_leave_nothing():
    with Daemon("leaks") as d:
        turns = with_faulty_monitor(d)
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
        wrong, failed_at = [], []

        def launch(number):
            name, rc = fates[number % len(fates)]
            profile = "host" if number % 11 == 10 and name != "ghost" else "workspace"
            words = ("--timeout", "100ms") if name == "slow" else ()
            done = d.ctl("run", "fates", name, "--profile", profile, *words, timeout=120)
            planned = re.search(r"error  \((.+?): .*Input/output error", done.err)
            if planned and done.rc == 125 and not done.out:
                failed_at.append(planned.group(1))
            elif done.rc != rc if rc is not None else done.rc < 125 or b"never" in done.out:
                wrong.append((number, name, profile, done))

        def launches(numbers):
            for number in numbers:
                launch(number)

        def at_rest():
            """Launches of the ordinary kind, then what waits for the next one and nothing else."""
            launch(0)
            turns.write_text("0 0\n")  # no stage fails
            for _ in range(3):
                launch(0)
            wait_until(lambda: held(d)[0].count("runbook-monitor") == 3, 10, f"a spare monitor: {held(d)[0]}")
            return held(d)

        launches(range(len(fates)))
        before = at_rest()
        turns.write_text(f"0 {STAGES}\n")
        workers = [threading.Thread(target=launches, args=(range(i, LAUNCHES, AT_ONCE),)) for i in range(AT_ONCE)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        assert not wrong, wrong[:3]
        print(f"{len(failed_at)} set-ups failed at {len(set(failed_at))} stages")
        assert len(failed_at) > LAUNCHES / 3 and len(set(failed_at)) > 35, sorted(set(failed_at))
        stages = set(failed_at)  # each by its name: fault_test.cpp
        assert {"make mounts private", "enter the root", "leave the old root"} <= stages, sorted(stages)
        assert len({"limits", "descriptors", "privileges", "landlock", "seccomp"} & stages) >= 3, sorted(stages)
        after = at_rest()
        assert after[0] == before[0] and after[2:] == before[2:], (before, after)
        assert not grew(before[1], after[1]), grew(before[1], after[1])
        d.end_sessions()


if __name__ == "__main__":
    harness.main(globals())
