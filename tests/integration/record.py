"""The record as a user meets it: list, show and verify without a daemon, what tampering looks like,
and what a killed broker leaves.
"""
import json
import shutil
import sys
import threading
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import harness  # noqa: E402
from harness import Daemon, wait_until  # noqa: E402

BOOK = """# Record

<Command id="hello" command="echo hello; seq 1 20" />

<Check id="look" command="echo looked" />

<Command id="fails" command="printf 'caf\\351 \\033]0;title\\007'; exit 3" />
"""


def book(d, name="record"):
    return str(Path(d.write(f"{name}/runbook.mdx", BOOK)).parent)


def ended_session(d, who="anna", name="record"):
    """One session with one run, ended."""
    d.ok("session", "start", "--as", who, "--why", "record it")
    done = d.ctl("run", book(d, name), "--keep-going")
    assert done.rc == 3, repr(done)
    d.ok("session", "end")


def stop_daemon(d):
    if d.broker_pid():
        d.kill_broker()
        wait_until(lambda: not d.ours(), 10, "every process gone")


def verify(d, *args):
    done = d.ctl("record", "verify", "--json", *args)
    verdict = done.json()
    assert done.rc == (0 if verdict["ok"] else 1), repr(done)
    return verdict


def bad(d, *args):
    verdict = verify(d, *args)
    assert not verdict["ok"], verdict
    return verdict["first_bad"]


def head_of(d):
    return verify(d)["head"]


def change(path, at=-2):
    """Another bit in one byte; gives a function that puts it back."""
    mode = path.stat().st_mode
    path.chmod(0o600)
    before = path.read_bytes()
    after = bytearray(before)
    after[at] ^= 0x04
    path.write_bytes(after)

    def restore():
        path.write_bytes(before)
        path.chmod(mode)
    return restore


def test_an_empty_record_is_right_and_starts_no_daemon():
    with Daemon("record") as d:
        assert verify(d)["records"] == 0
        assert d.ctl("record", "list").rc == 0
        done = d.ctl("record", "show")
        assert done.rc == 127 and "nothing is recorded" in done.err, repr(done)
        assert d.broker_pid() is None


def test_a_session_verifies_lists_and_shows_with_and_without_a_daemon():
    with Daemon("record") as d:
        ended_session(d)
        with_daemon = verify(d)
        assert with_daemon["ok"] and with_daemon["executions"] == 3, with_daemon
        lines = len(d.journal())
        assert with_daemon["records"] == lines, (with_daemon, lines)
        stop_daemon(d)
        assert verify(d) == with_daemon
        sessions = d.ctl("record", "list", "--json").json()["sessions"]
        assert [s["session"] for s in sessions] == d.sessions()
        assert sessions[0]["who"] == "anna" and sessions[0]["status"] == "ended", sessions
        assert sessions[0]["head"] == with_daemon["head"]
        run = sessions[0]["runs"][0]
        assert run["runbook"] == "record" and run["executions"] == 3, run
        assert run["outcomes"] == {"failed": 1, "passed": 2}, run
        page = d.ok("record", "show").text()
        assert page.startswith("# Record\n"), page[:80]
        for part in ("### `hello`: ok", "### `fails`: exit 3", "```text\nhello\n1\n2", "caf\ufffd ␛]0;title␇"):
            assert part in page, (part, page)
        assert "\x1b" not in page
        for name in ("1", "record", "record-1", d.sessions()[0], d.sessions()[0][:15]):
            assert d.ok("record", "show", name).text() == page, name
        assert d.ctl("record", "show", "nothing-like-it").rc == 127
        shown = d.ok("record", "show", "--json").json()
        assert [e["outcome"] for e in shown["executions"]] == ["passed", "passed", "failed"], shown
        assert d.broker_pid() is None


def test_views_say_what_the_journal_says():
    with Daemon("record") as d:
        ended_session(d)
        folder, journal = d.session_folder(), d.journal()
        session = json.loads((folder / "session.json").read_text())
        assert session["journal"]["lines"] == len(journal)
        assert session["journal"]["head"] == head_of(d)
        log = (folder / "session.log").read_text().splitlines()
        assert len(log) == len(journal)
        assert all(line.startswith(event["at"]) for line, event in zip(log, journal))
        run = folder / "runs" / "record-1"
        assert (run / "run.md").read_text() == d.ok("record", "show").text()
        assert json.loads((run / "run.json").read_text()) == d.ok("record", "show", "--json").json()
        for path in folder.rglob("*"):
            assert path.stat().st_mode & 0o077 == 0, f"{path} is open to others"


def test_show_draws_from_the_journal_whatever_the_page_on_disk_says():
    with Daemon("record") as d:
        ended_session(d)
        page = d.ok("record", "show").text()
        (d.session_folder() / "runs" / "record-1" / "run.md").write_text("# all passed\n")
        assert d.ok("record", "show").text() == page


def test_a_page_shows_more_outputs_than_one_packet_has_descriptors():
    with Daemon("record") as d:
        d.ok("session", "start", "--as", "anna", "--why", "many")
        path = d.write("many/runbook.mdx", '# Many\n\n<Command id="a" command="echo out of $RANDOM" />\n')
        for _ in range(20):
            assert d.ctl("run", path).rc == 0
        page = d.ok("record", "show").text()
        assert page.count("```text\nout of ") == 20, page
        assert "executions/" not in page, "an output was left out"
        d.end_sessions()
        assert (d.session_folder() / "runs" / "many-1" / "run.md").read_text().count("```text\nout of ") == 20


def test_every_kind_of_tampering_is_found():
    with Daemon("record") as d:
        ended_session(d)
        stop_daemon(d)
        folder = d.session_folder()
        one = folder / "executions" / "e1"
        journal = folder / "journal-0001.jsonl"
        for path in (one / "output", one / "script", one / "outcome.bin", one / "outcome.json"):
            restore = change(path)
            found = bad(d)
            assert found["file"].endswith(f"executions/e1/{path.name}"), (path, found)
            restore()
            assert verify(d)["ok"]
        lines = journal.read_bytes().splitlines(keepends=True)
        for number in range(1, len(lines) + 1):
            at = sum(map(len, lines[:number])) - 3
            restore = change(journal, at)
            assert bad(d)["line"] == number, (number, bad(d))
            restore()
        for path in (one / "output", one / "outcome.bin"):
            path.rename(path.with_suffix(".away"))
            assert "is missing" in bad(d)["reason"]
            path.with_suffix(".away").rename(path)
        assert verify(d)["ok"]


def test_a_session_taken_out_shows_in_the_next_and_the_newest_against_an_anchor():
    with Daemon("record") as d:
        for who in ("anna", "bert", "carl"):
            ended_session(d, who)
        stop_daemon(d)
        anchor = head_of(d)
        assert verify(d, "--anchor", anchor, "--anchor", anchor[:12])["ok"]
        names = d.sessions()
        away = d.folder / "away"
        for name in names[:2]:
            shutil.move(d.session_folder(name), away)
            assert "a session before it is missing" in bad(d)["reason"]
            shutil.move(away, d.session_folder(name))
        shutil.rmtree(d.session_folder(names[2]))
        assert verify(d)["ok"], "nothing here knows of the newest session any more"
        assert "no line has the head" in bad(d, "--anchor", anchor)["reason"]


def test_sessions_at_the_same_time_form_one_list():
    with Daemon("record") as d:
        path = book(d)
        for who in ("anna", "bert", "carl"):
            d.ok("session", "start", "--as", who, "--why", "at once")
            assert d.ctl("run", path, "hello").rc == 0
        names = d.sessions()
        assert len(names) == 3
        for name in names:
            assert d.ctl("run", path, "look", "--session", name).rc == 0
        assert verify(d)["ok"], verify(d)
        d.end_sessions()
        verdict = verify(d)
        assert verdict["ok"] and verdict["sessions"] == 3, verdict
        firsts = [d.journal(name)[0]["prev"] for name in names]
        assert firsts.count("0" * 64) == 1 and len(set(firsts)) == 3, firsts


def test_a_torn_last_line_is_cut_by_the_next_broker_and_reported_until_then():
    with Daemon("record") as d:
        d.ok("session", "start", "--as", "anna", "--why", "torn")
        assert d.ctl("run", book(d), "hello").rc == 0
        stop_daemon(d)
        journal = d.session_folder() / "journal-0001.jsonl"
        with journal.open("ab") as file:
            file.write(b'{"line":99,"prev":"')
        verdict = verify(d)
        assert verdict["ok"] and verdict["cut"][0]["bytes"] == 19, verdict
        assert d.ctl("run", book(d), "look").rc == 0
        verdict = verify(d)
        assert verdict["ok"] and not verdict["cut"], verdict
        assert "recovered" in [line["type"] for line in d.journal()]


def test_a_broker_killed_over_and_over_leaves_a_record_that_verifies_each_time():
    with Daemon("record") as d:
        path = book(d)
        d.ok("session", "start", "--as", "anna", "--why", "kills")
        for i in range(12):
            runs = [d.ctl_popen("run", path, block) for block in ("hello", "look")]
            time.sleep(0.01 * i)
            broker = d.broker_pid()
            if broker:
                harness.kill(broker)
            verdict = verify(d)  # no daemon, or one that is just starting
            assert verdict["ok"], verdict
            for run in runs:
                run.communicate(timeout=60 * harness.SLOWER)
        d.ctl("ps")
        d.end_sessions()
        verdict = verify(d)
        assert verdict["ok"] and not verdict["cut"], verdict
        started = [line["execution"] for line in d.journal() if line["type"] == "started"]
        finished = [line["execution"] for line in d.journal() if line["type"] == "finished"]
        assert len(set(started)) == len(started) and len(set(finished)) == len(finished)
        assert set(started) <= set(finished)


def test_verify_while_executions_print_is_right_at_every_moment():
    with Daemon("record") as d:
        path = d.write("busy/runbook.mdx", '# B\n\n<Command id="a" command="seq 1 200000" />\n')
        d.ok("session", "start", "--as", "anna", "--why", "busy")
        d.ok("open", path)
        for _ in range(6):
            execution = d.ok("run", "busy", "a", "--detach").text().strip()
            assert verify(d)["ok"], verify(d)
            d.ok("wait", execution)
            assert verify(d)["ok"], verify(d)
        d.end_sessions()
        assert verify(d)["output_bytes"] == 6 * 1288895


def test_requests_that_meet_the_end_of_their_session():
    """Each gets an answer, and nothing stands behind a session's end."""
    with Daemon("ends") as d:
        book = d.book("#!/bin/bash\necho hi\n")
        ends = []

        def client(number):
            for _ in range(6):
                ends.append(d.ctl("run", book, "a", "--new", timeout=40).rc)
                ends.append(d.ctl(*(("session", "end") if number % 2 else ("stop", "-l")), timeout=40).rc)

        threads = [threading.Thread(target=client, args=(number,)) for number in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(ends) == 72, "a client got no answer"
        assert set(ends[::2]) & {0} and len(d.sessions()) > 3, "no session ended under a request"
        d.end_sessions()
        done = d.ctl("record", "verify", "--json")
        assert done.rc == 0 and done.json()["ok"], repr(done)


if __name__ == "__main__":
    harness.main(globals())
