"""Threat 53: a script that may reach the operator's socket commands nothing there."""
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import harness  # noqa: E402
from harness import Daemon, wait_until  # noqa: E402

# As itself, and from a process whose parents are gone.
ASKS = """#!/bin/bash
( (sleep 0.1; {ctl} session note mine; echo orphan $?) & )
{ctl} ps
echo itself $?
sleep 3
"""


def test_a_script_in_host_is_turned_away_from_the_daemon_that_runs_it():
    with Daemon("own") as d:
        d.ok("session", "start", "--as", "tester", "--why", "own socket")
        d.ok("session", "note", "from outside")
        book = d.book(ASKS.format(ctl=d.bin / "runbookctl"))
        done = d.ctl("run", book, "a", "--profile", "host")
        assert done.rc == 0, repr(done)
        assert b"itself 125\n" in done.out and b"orphan 125\n" in done.out, repr(done)
        notes = [line["text"] for line in d.journal() if line["type"] == "note"]
        assert notes == ["from outside"], notes
        wait_until(lambda: "it comes from inside an execution" in (d.state / "broker.log").read_text(), 5, "said in the log")
        d.end_sessions()


def test_doctor_says_that_no_group_is_delegated_where_none_was_given():
    with Daemon("group") as d:
        d.ok("session", "start", "--as", "tester", "--why", "group")
        host = next(p for p in d.ok("doctor", "--json").json()["profiles"] if p["name"] == "host")
        assert host["usable"] and "may leave processes, no control group" in host["why"], host
        d.end_sessions()


if __name__ == "__main__":
    harness.main(globals())
