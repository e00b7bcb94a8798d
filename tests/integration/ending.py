"""When an execution is over its whole tree is gone, whatever the script did; and how it ended is said."""
import signal
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import harness  # noqa: E402
from harness import Daemon, wait_until  # noqa: E402

# What scripts do to outlive their end. "4711" marks the processes; each must be gone within a second.
SURVIVORS = {
    "ampersand": "sleep 4711 &",
    "nohup": "nohup sleep 4711 >/dev/null 2>&1 &",
    "setsid": "setsid sleep 4711 &",
    "double-fork": "(setsid bash -c 'sleep 4711 & disown' &) ; sleep 0.1",
    "holds-the-pipe": "(exec -a holder sleep 4711) &",
    "ignores-term": "bash -c 'trap \"\" TERM HUP INT; while :; do sleep 4711; done' &",
    "stopped": "sleep 4711 & kill -STOP $!",
    "many": "for i in $(seq 200); do sleep 4711 & done",
    "disowned-daemon": "python3 -c 'import os,time\nif os.fork()==0:\n os.setsid()\n if os.fork()==0: time.sleep(4711)'",
}


def left(d):
    return [p for p in d.ours() if p.comm in ("sleep", "holder", "python3", "bash")]


def check_survivors(profile):
    with Daemon("tree") as d:
        blocks = ["# Trees\n"]
        for name, what in SURVIVORS.items():
            d.write(f"trees/{name}.sh", f"#!/bin/bash\n{what}\necho over\n", 0o755)
            blocks.append(f'<Command id="{name}" path="{name}.sh" />\n')
        d.write("trees/runbook.mdx", "\n".join(blocks))
        d.ok("session", "start", "--as", "tester", "--why", "trees")
        d.ok("open", d.books / "trees")
        for name in SURVIVORS:
            done = d.ctl("run", "trees", name, "--profile", profile, timeout=60)
            assert done.rc == 0 and done.out == b"over\n", f"{name}: {done!r}"
            wait_until(lambda: not left(d), 1, f"{name} in {profile}: nothing left of {left(d)}")
        d.end_sessions()


def test_nothing_survives_in_workspace():
    check_survivors("workspace")


def test_nothing_survives_in_host():
    check_survivors("host")


def test_the_status_comes_at_once_though_a_grandchild_holds_the_pipe():
    with Daemon("pipe") as d:
        book = d.book("#!/bin/bash\nsleep 4711 &\necho done\nexit 7\n")
        began = time.monotonic()
        done = d.ctl("run", book, "a")
        assert done.rc == 7 and done.out == b"done\n", repr(done)
        assert time.monotonic() - began < 5 * harness.SLOWER, "the end waited for the grandchild"
        d.end_sessions()


def test_output_of_a_process_substitution_is_drained():
    with Daemon("drain") as d:
        book = d.book("#!/bin/bash\nexec > >(sleep 0.1; tee)\nseq 1 20000\n")
        done = d.ctl("run", book, "a")
        assert done.rc == 0 and done.out == "".join(f"{i}\n" for i in range(1, 20001)).encode(), done.out[-200:]
        d.end_sessions()


ENDINGS = {
    "zero": ("exit 0", 0, "passed"), "three": ("exit 3", 3, "failed"), "126": ("exit 126", 126, "failed"),
    "127": ("no-such-program-at-all", 127, "failed"), "255": ("exit 255", 255, "failed"),
    "term": ("kill -TERM $$", 128 + signal.SIGTERM, "failed"), "kill": ("kill -KILL $$", 128 + signal.SIGKILL, "failed"),
    "segv": ("kill -SEGV $$", 128 + signal.SIGSEGV, "failed"),
}


def test_every_way_to_end_is_told_apart():
    with Daemon("ends") as d:
        blocks = ["# Ends\n"]
        for name, (what, _, _) in ENDINGS.items():
            d.write(f"ends/{name}.sh", f"#!/bin/bash\n{what}\n", 0o755)
            blocks.append(f'<Command id="e-{name}" path="{name}.sh" />\n')
        book = d.write("ends/runbook.mdx", "\n".join(blocks))
        for profile in ("workspace", "host"):
            for name, (_, rc, outcome) in ENDINGS.items():
                done = d.ctl("run", book, f"e-{name}", "--profile", profile, "--json")
                assert done.rc == rc, f"{name} in {profile}: {done!r}"
                last = [line for line in done.lines() if line["event"] == "finished"][-1]
                assert last["outcome"] == outcome, last
        d.end_sessions()


def test_a_time_limit_ends_the_tree_with_124():
    with Daemon("limit") as d:
        book = d.book("#!/bin/bash\ntrap '' TERM\nsleep 4711 &\nsleep 4711\n")
        began = time.monotonic()
        done = d.ctl("run", book, "a", "--timeout", "1s")
        assert done.rc == 124, repr(done)
        assert time.monotonic() - began < 12 * harness.SLOWER
        wait_until(lambda: not left(d), 1, "nothing left")
        d.end_sessions()


def test_stop_by_somebody_else_is_143_and_by_ctrl_c_130():
    with Daemon("stop") as d:
        book = d.book("#!/bin/bash\necho up\nsleep 4711\n")
        for how, rc in (("verb", 143), ("signal", 130)):
            client = d.ctl_popen("run", book, "a")
            assert client.stdout.readline() == b"up\n"
            if how == "verb":
                d.ok("stop", "-l")
            else:
                client.send_signal(signal.SIGINT)
            client.communicate(timeout=30)
            assert client.returncode == rc, f"{how}: {client.returncode}"
            wait_until(lambda: not left(d), 2, "nothing left")
        assert [l["outcome"] for l in d.journal() if l["type"] == "finished"] == ["stopped", "stopped"]
        d.end_sessions()


def test_the_end_of_a_session_ends_what_runs_in_it():
    with Daemon("end") as d:
        blocks = "".join(f'<Command id="b{i}" command="sleep 4711" />\n\n' for i in range(3))
        book = d.write("end/runbook.mdx", "# End\n\n" + blocks)
        for i in range(3):  # a block runs once at a time, so three of them
            d.ok("run", book, f"b{i}", "--detach")
        wait_until(lambda: len(d.pids("sleep")) == 3, 10, "three executions")
        d.ok("session", "end", timeout=30)
        wait_until(lambda: not d.pids("sleep"), 2, "nothing left")
        assert {l["outcome"] for l in d.journal() if l["type"] == "finished"} == {"stopped"}


BOMB = """#!/bin/bash
ulimit -u 300
bomb() { bomb | bomb & }
echo up
bomb
sleep 4711
"""


def test_two_fork_bombs_at_once_leave_the_daemon_answering():
    with Daemon("bombs") as d:
        books = [d.book(BOMB, name) for name in ("one", "two")]
        clients = [d.ctl_popen("run", book, "a") for book in books]
        for client in clients:
            assert client.stdout.readline() == b"up\n"
        wait_until(lambda: len(d.pids("bash")) > 200, 20, "bombs at work")
        for _ in range(5):
            began = time.monotonic()
            listed = d.ctl("ps", "--json")
            took = time.monotonic() - began
            assert listed.rc == 0, repr(listed)
            assert {e["state"] for e in listed.json()["executions"]} == {"running"}, listed.json()
            assert took < 5 * harness.SLOWER, f"an answer took {took:.1f} s"
        d.ok("session", "end", timeout=60)
        wait_until(lambda: not left(d), 5, "nothing left of two bombs")
        for client in clients:
            client.communicate(timeout=30)
        assert {l["outcome"] for l in d.journal() if l["type"] == "finished"} == {"stopped"}


if __name__ == "__main__":
    harness.main(globals())
