"""A reader's time is processor time: on a busy machine it reads slowly and is believed; one that spins
is ended by the kernel, and one that hangs by the broker's clock.
"""
import os
import signal
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import harness  # noqa: E402
from harness import Daemon, wait_until  # noqa: E402

BOOK = '# Readers\n\n<Command id="a" command="echo read" />\n'


def daemon_with_reader(d, script):
    """A broker whose runbook-reader is this script; `$REAL` in it is the real one."""
    folder = d.folder / "libexec"
    folder.mkdir()
    for program in d.bin.iterdir():
        if program.is_file() and program.name != "runbook-reader":
            (folder / program.name).symlink_to(program)
    reader = folder / "runbook-reader"
    reader.write_text("#!/bin/sh\n" + script.replace("$REAL", str(d.bin / "runbook-reader")))
    reader.chmod(0o755)
    d.start_broker("--libexec", folder)


def test_a_reader_that_is_stopped_for_a_while_reads_on():
    """Eight seconds without a processor: more than any reader may use of one."""
    with Daemon("slow") as d:
        daemon_with_reader(d, '[ "$1" = view ] || sleep 8\nexec $REAL "$1"\n')
        began = time.monotonic()
        done = d.ctl("run", d.write("r/runbook.mdx", BOOK), timeout=120)
        assert done.rc == 0 and done.out == b"read\n", repr(done)
        assert time.monotonic() - began > 15, "nothing was slow: this shows nothing"
        d.end_sessions()


def reader_at_work(d):
    """The process of a reader that reads: PID 1 of a namespace of its own, its time limited."""
    for process in d.ours("runbook-reader"):
        if not Path(f"/proc/{process.pid}/limits").exists():
            continue
        status = Path(f"/proc/{process.pid}/status").read_text()
        line = next(line for line in status.splitlines() if line.startswith("NSpid:"))
        limits = Path(f"/proc/{process.pid}/limits").read_text().splitlines()
        cpu = next(line for line in limits if line.startswith("Max cpu time")).split()[3:5]
        if line.split()[-1] == "1" and cpu == ["5", "6"]:
            return process.pid
    return None


def test_a_reader_that_spins_is_ended_by_its_processor_time():
    with Daemon("spins") as d:
        # It waits for its request on descriptor 3: hold the broker's other end back by stopping it.
        daemon_with_reader(d, "exec $REAL \"$1\"\n")
        broker = d.broker_pid()
        d.ok("session", "start", "--as", "tester", "--why", "readers")
        # A folder of many files keeps a loader busy long enough to be caught.
        book = d.write("r/runbook.mdx", BOOK)
        for i in range(4000):
            (d.books / "r" / f"f{i}").write_bytes(b"x" * 4096)
            harness.give(d.books / "r" / f"f{i}")
        for _ in range(20):
            opener = d.ctl_popen("open", book)
            until = time.monotonic() + 5
            pid = None
            while pid is None and opener.poll() is None and time.monotonic() < until:
                pid = reader_at_work(d)
            if pid is not None:
                harness.kill(pid, signal.SIGXCPU)  # as the kernel does after five seconds
            out, err = opener.communicate(timeout=60)
            if opener.returncode != 0:  # else it had answered already, and was on its way out
                break
        assert opener.returncode in (125, 126), (opener.returncode, out, err)
        assert b"5 s of processor time" in err, err
        assert d.broker_pid() == broker
        wait_until(lambda: not d.reader_pids(), 5, "readers gone")
        assert d.ctl("run", book).rc == 0
        d.end_sessions()


def test_a_reader_that_hangs_is_ended_by_the_clock():
    with Daemon("hangs") as d:
        daemon_with_reader(d, '[ "$1" = load ] && exec sleep 1000\nexec $REAL "$1"\n')
        d.ok("session", "start", "--as", "tester", "--why", "readers")
        began = time.monotonic()
        done = d.ctl("open", d.write("r/runbook.mdx", BOOK), timeout=120)
        took = time.monotonic() - began
        assert done.rc in (125, 126) and "too long" in done.err, repr(done)
        assert 55 < took < 90, took
        wait_until(lambda: not d.pids("sleep"), 5, "the reader gone")
        d.end_sessions()


def test_many_blocks_that_name_one_large_file_are_refused_and_cost_the_broker_nothing():
    with Daemon("many") as d:
        d.write("m/big.sh", "#!/bin/bash\n" + "# filler\n" * 100_000, 0o755)
        blocks = "".join(f'<Command id="b{i}" path="big.sh" />\n\n' for i in range(60))
        book = d.write("m/runbook.mdx", "# Many\n\n" + blocks)
        small = d.write("s/runbook.mdx", BOOK)
        d.ok("open", small)
        broker = d.broker_pid()
        before = resident_kib(broker)
        done = d.ctl("open", book)
        assert done.rc in (125, 126) and "4 MiB" in done.err, repr(done)
        assert d.broker_pid() == broker
        assert resident_kib(broker) - before < 32 * 1024, (before, resident_kib(broker))
        assert d.ctl("run", small).rc == 0
        d.end_sessions()


def resident_kib(pid):
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return int(next(line for line in lines if line.startswith("VmHWM")).split()[1])


if __name__ == "__main__":
    harness.main(globals())
