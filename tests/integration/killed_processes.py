"""kill -9 of broker, fronts, monitors and clients at random instants: executions go on, clients
resume by number, every step of every script happens exactly once, and the record verifies.

RUNBOOKD_KILLS sets how many instants the broker dies at (50).
"""
import os
import random
import signal
import sys
import threading
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import harness  # noqa: E402
from harness import Daemon, wait_until  # noqa: E402

KILLS = int(os.environ.get("RUNBOOKD_KILLS", "50"))
EXECUTIONS = 8
# Each step is one line in a side file of the work folder and one line of output. Only the script's
# own process writes it, so a second start would show as a repeated number.
STEPS = """#!/bin/bash
n=0
until [ -e "$RUNBOOK_WORK/enough" ]; do
  n=$((n + 1))
  echo "$n" >> "$RUNBOOK_WORK/side-{name}"
  echo "{name} $n"
  sleep 0.02
done
echo "{name} done"
"""
ONCE = '#!/bin/bash\necho "$$" >> "$RUNBOOK_WORK/once-{name}"\n'


def long_book(d):
    blocks = ["# Kills\n"]
    for i in range(EXECUTIONS):
        d.write(f"kills/s{i}.sh", STEPS.replace("{name}", f"s{i}"), 0o755)
        blocks.append(f'<Command id="s{i}" path="s{i}.sh" />\n')
    for i in range(KILLS):
        d.write(f"kills/o{i}.sh", ONCE.replace("{name}", f"o{i}"), 0o755)
        blocks.append(f'<Command id="o{i}" path="o{i}.sh" />\n')
    return d.write("kills/runbook.mdx", "\n".join(blocks))


def start_all(d, book):
    d.ok("session", "start", "--as", "tester", "--why", "kills")
    d.ok("open", book)
    ids = []
    for i in range(EXECUTIONS):
        ids.append(d.ok("run", "kills", f"s{i}", "--detach").text().strip())
    return ids


def work_folder(d):
    return next((d.session_folder() / "runs").glob("kills-*")) / "work"


def finish(d):
    mark = work_folder(d) / "enough"
    mark.write_text("")
    harness.give(mark)


def check_steps(d, name, execution):
    side = [int(line) for line in (work_folder(d) / f"side-{name}").read_text().split()]
    assert side == list(range(1, len(side) + 1)), f"{name}: steps are missing or repeated: {side[:50]}"
    output = (d.execution_folder(execution) / "output").read_text().splitlines()
    expected = [f"{name} {n}" for n in side] + [f"{name} done"]
    assert output == expected, f"{name}: output differs from its steps near {first_difference(output, expected)}"
    return expected


def first_difference(a, b):
    return next((i, x, y) for i, (x, y) in enumerate(zip(a + [None], b + [None])) if x != y)


def outcomes(d):
    return {line["execution"]: line["outcome"] for line in d.journal() if line["type"] == "finished"}


def verify(d):
    done = d.ctl("record", "verify", "--json")
    assert done.rc == 0 and done.json()["ok"], repr(done)


def test_broker_killed_at_random_instants():
    seed = random.randrange(1 << 30)
    print("seed", seed)
    chance = random.Random(seed)
    with Daemon("kills") as d:
        book = long_book(d)
        ids = start_all(d, book)
        followers = [d.ctl_popen("attach", ids[i]) for i in (0, 1)]
        taken = [bytearray(), bytearray()]
        readers = [threading.Thread(target=lambda i=i: taken[i].extend(followers[i].stdout.read()))
                   for i in (0, 1)]
        for reader in readers:
            reader.start()
        for i in range(KILLS):
            # A start is under way while the broker dies.
            starter = d.ctl_popen("run", "kills", f"o{i}", "--detach")
            time.sleep(chance.random() * 0.12)
            broker = d.broker_pid()
            if broker:
                harness.kill(broker)
            starter.communicate(timeout=60 * harness.SLOWER)
        d.ok("session", "note", "a broker is needed again")
        finish(d)
        for i, execution in enumerate(ids):
            done = d.ctl("wait", execution, timeout=60)
            assert done.rc == 0, f"{execution}: {done!r}"
            check_steps(d, f"s{i}", execution)
        for i, (follower, reader) in enumerate(zip(followers, readers)):
            assert follower.wait(30 * harness.SLOWER) == 0, follower.stderr.read()
            reader.join()
            expected = "\n".join(check_steps(d, f"s{i}", ids[i])) + "\n"
            assert taken[i].decode() == expected, f"client {i} lost or repeated bytes"
        d.end_sessions()
        started = [line for line in d.journal() if line["type"] == "started"]
        ended = outcomes(d)
        for line in started:
            assert line["execution"] in ended, f"no end line for {line['execution']}"
        blocks = [line["block"] for line in started]
        for i in range(KILLS):
            mark = work_folder(d) / f"once-o{i}"
            times = len(mark.read_text().split()) if mark.exists() else 0
            assert times <= 1, f"o{i} ran {times} times"
            assert times <= blocks.count(f"o{i}"), f"o{i} ran without a start line"
        made = sum(f"o{i}" in blocks for i in range(KILLS))
        assert made > KILLS / 2, f"only {made} of {KILLS} starts were made: the runbook was lost on the way"
        verify(d)


def test_fronts_killed_while_clients_follow():
    chance = random.Random(7)
    with Daemon("fronts") as d:
        book = long_book(d)
        ids = start_all(d, book)
        follower = d.ctl_popen("attach", ids[0])
        taken = bytearray()
        reader = threading.Thread(target=lambda: taken.extend(follower.stdout.read()))
        reader.start()
        for _ in range(20):
            time.sleep(chance.random() * 0.15)
            for pid in d.front_pids():
                harness.kill(pid)
            assert d.broker_pid() is not None
        finish(d)
        for i, execution in enumerate(ids):
            assert d.ctl("wait", execution, timeout=60).rc == 0
            check_steps(d, f"s{i}", execution)
        assert follower.wait(30 * harness.SLOWER) == 0, follower.stderr.read()
        reader.join()
        assert taken.decode() == "\n".join(check_steps(d, "s0", ids[0])) + "\n"
        d.end_sessions()
        assert set(outcomes(d).values()) == {"passed"}
        verify(d)


def test_clients_killed_change_nothing():
    with Daemon("clients") as d:
        book = long_book(d)
        ids = start_all(d, book)
        for _ in range(15):
            client = d.ctl_popen("attach", ids[0])
            time.sleep(0.05)
            client.send_signal(signal.SIGKILL)
            client.communicate()
        finish(d)
        for i, execution in enumerate(ids):
            assert d.ctl("wait", execution, timeout=60).rc == 0
            check_steps(d, f"s{i}", execution)
        d.end_sessions()
        verify(d)


def test_monitor_killed_takes_its_tree_along_and_is_interrupted():
    with Daemon("monitor") as d:
        book = d.book('#!/bin/bash\n(setsid sleep 4711 &)\nsleep 4711\n')
        execution = d.ok("run", book, "a", "--detach").text().strip()
        wait_until(lambda: len(d.pids("sleep")) == 2, 10, "the script's processes")
        monitors = [p.pid for p in d.ours("runbook-monitor")
                    if any(c.comm == "sleep" for c in harness.descendants(p.pid))]
        assert monitors, "no monitor above the script"
        for pid in monitors:
            harness.kill(pid)
        wait_until(lambda: not d.pids("sleep"), 2, "the tree gone with its monitor")
        done = d.ctl("wait", execution)
        assert done.rc == 125, repr(done)
        assert outcomes(d)[execution] == "interrupted"
        d.end_sessions()
        verify(d)


def test_broker_killed_before_go_executes_nothing_without_a_start_line():
    """The instant between a built sandbox and `go` is short: many tries, each judged by both sides."""
    chance = random.Random(11)
    with Daemon("go") as d:
        book = d.book('#!/bin/bash\necho x >> "$RUNBOOK_WORK/ran"\n')
        d.ok("session", "start", "--as", "tester", "--why", "go")
        d.ok("open", book)
        for _ in range(25):
            starter = d.ctl_popen("run", "book", "a", "--detach")
            time.sleep(0.005 + chance.random() * 0.02)
            broker = d.broker_pid()
            if broker:
                harness.kill(broker)
            starter.communicate(timeout=60 * harness.SLOWER)
        d.ok("session", "note", "a broker is needed again")
        def over():
            starts = {line["execution"] for line in d.journal() if line["type"] == "started"}
            return starts <= set(outcomes(d))
        wait_until(over, 20, "every execution over")
        d.end_sessions()
        starts = sum(line["type"] == "started" for line in d.journal())
        ran = sum(len(f.read_text().split()) for f in (d.session_folder() / "runs").glob("*/work/ran"))
        assert ran <= starts, f"{ran} executions, {starts} start lines"
        assert starts > 12, f"only {starts} of 25 starts were made: the runbook was lost on the way"
        verify(d)


if __name__ == "__main__":
    harness.main(globals())
