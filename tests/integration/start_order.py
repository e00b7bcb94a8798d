"""start_order.py — nothing is executed before its start is on disk, as the kernel sees it.   [tests]

The whole daemon runs under strace: the order of the system calls is the order of DESIGN §8. Root
alone may look into processes that nobody may read.
"""
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import harness  # noqa: E402
from harness import Daemon, account, need_program, need_root  # noqa: E402

CALLS = "trace=write,pwrite64,fdatasync,execve"
BOOK = """# Order

<Command id="a" command="echo out of the script" />
"""


def traced_run():
    """[(pid, call and arguments, result)] in the order in which the calls ended."""
    with Daemon("order") as d:
        trace = d.folder / "state" / "trace"
        d.start_broker(within=30, under=["strace", "-f", "-u", account().name, "-qq", "-s", "400", "-e", CALLS,
                                         "-o", str(trace)])
        d.ok("session", "start", "--as", "anna", "--why", "order")
        done = d.ok("run", d.write("order/runbook.mdx", BOOK), timeout=120)
        assert b"out of the script" in done.out, done
        d.end_sessions()
        return list(whole_calls(trace.read_text(errors="replace")))


def whole_calls(text):
    begun = {}
    for line in text.splitlines():
        pid, _, call = line.partition(" ")
        call = call.strip()
        if call.endswith("<unfinished ...>"):
            begun[pid] = call[:-len("<unfinished ...>")]
            if call.startswith("execve("):  # what counts of an execve is when it was asked for
                yield pid, begun[pid], ""
            continue
        resumed = re.match(r"<\.\.\. \w+ resumed>(.*)", call)
        if resumed:
            call = begun.pop(pid, "") + resumed[1]
        what, _, result = call.rpartition(" = ")
        yield pid, re.sub(r"\s*\)\s*$", ")", what), result


def index_of(calls, start, what, *parts):
    for at in range(start, len(calls)):
        if all(part in calls[at][1] for part in parts):
            return at
    raise AssertionError(f"no {what} after call {start} of {len(calls)}")


def synced_after(calls, at):
    """Where the file that call `at` wrote to was synced next, by the same process."""
    pid, call, _ = calls[at]
    number = re.match(r"\w+\((\d+),", call)[1]
    for later in range(at + 1, len(calls)):
        if calls[later][0] == pid and calls[later][1] == f"fdatasync({number})":
            assert calls[later][2] == "0", calls[later]
            return later
    raise AssertionError(f"never synced: {call}")


def test_the_start_line_is_synced_before_the_interpreter_is_executed():
    need_root()
    need_program("strace")
    calls = traced_run()
    line = index_of(calls, 0, "start line", "write(", '\\"type\\":\\"started\\"')
    executed = index_of(calls, 0, "exec of the interpreter", "execve(", '"/usr/bin/bash"')
    assert line < synced_after(calls, line) < executed
    # And at the end: output, outcome, end line.
    output = index_of(calls, executed, "output", "write(", "out of the script", '", 18')
    output = next(at for at in range(output, len(calls))  # the monitor's, not the script's
                  if calls[at][0] != calls[output][0] and "out of the script" in calls[at][1])
    outcome = index_of(calls, output, "outcome", "pwrite64(", "RBOUT1")
    end = index_of(calls, outcome, "end line", "write(", '\\"type\\":\\"finished\\"')
    assert output < synced_after(calls, output) < outcome < synced_after(calls, outcome) < end


if __name__ == "__main__":
    harness.main(globals())
