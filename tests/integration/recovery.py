"""What a new broker takes up again: every runbook that was open, whatever its folder holds and
whenever the old broker died, or the record says which one is lost and why.

RUNBOOKD_KILLS sets how often the broker dies while runbooks are being opened (30).
"""
import os
import random
import shutil
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import harness  # noqa: E402
from harness import Daemon, wait_until  # noqa: E402

KILLS = int(os.environ.get("RUNBOOKD_KILLS", "30"))


def plain(d, name):
    d.write(f"{name}/run.sh", f"#!/bin/bash\necho {name} from $(basename \"$0\")\n", 0o755)
    return d.write(f"{name}/runbook.mdx", f'# {name}\n\n<Command id="a" path="run.sh" />\n')


def modes(d, name):
    for mode in (0o444, 0o600, 0o700, 0o711, 0o755, 0o775):
        d.write(f"{name}/files/m{mode:o}", "x", mode)
    return plain(d, name)


def odd(d, name):
    """Whatever a folder may hold that can't be copied as it is."""
    book = plain(d, name)
    folder = Path(book).parent
    (folder / "empty").mkdir()
    (folder / "out").symlink_to("/etc/passwd")
    (folder / "dangling").symlink_to("nowhere")
    (folder / "loop").symlink_to("loop")
    (folder / "inside").symlink_to("run.sh")
    os.mkfifo(folder / "pipe")
    d.write(f"{name}/unreadable", "x", 0o000)
    d.write(f"{name}/.git/config", "x")
    d.write(f"{name}/spaces and \u00fcnicode/a b", "x")
    for path in ("empty", "out", "dangling", "loop", "inside", "pipe"):
        harness.give(folder / path)
    return book


def large(d, name):
    """Over the limit of a sealed copy: only what blocks name is kept."""
    book = plain(d, name)
    folder = Path(book).parent / "many"
    folder.mkdir()
    for i in range(5100):
        (folder / f"f{i}").write_bytes(b"")
    harness.give(folder)
    return book


def open_books(d):
    return {book["runbook"]: book["digest"] for book in d.ok("list", "--json").lines()}


def test_every_folder_that_can_be_opened_is_taken_up_again():
    for make in (plain, modes, odd, large):
        with Daemon(make.__name__) as d:
            book = make(d, "book")
            d.ok("open", book)
            before = d.ok("show", "book", "--json").json()
            assert before["bound"] == (make is not large)
            for _ in range(2):
                d.kill_broker()
                done = d.ctl("run", "book", "a")
                assert done.rc == 0 and done.out.startswith(b"book from "), (make.__name__, done, d.logs())
            after = d.ok("show", "book", "--json").json()
            same = ("digest", "bound", "path", "format", "title")
            assert {k: before[k] for k in same} == {k: after[k] for k in same}
            assert before["blocks"][0]["digest"] == after["blocks"][0]["digest"]
            assert after["blocks"][0]["state"] == "passed", after["blocks"]
            lost = [line for line in d.journal() if line["type"] == "lost-runbook"]
            assert not lost, lost
            d.end_sessions()
            assert d.ctl("record", "verify").rc == 0


def test_the_broker_dies_while_runbooks_are_opened():
    seed = random.randrange(1 << 30)
    print("seed", seed)
    chance = random.Random(seed)
    with Daemon("dying") as d:
        books = [odd(d, f"b{i}") for i in range(6)]
        d.ok("session", "start", "--as", "tester", "--why", "dying")
        for i in range(KILLS):
            openers = [d.ctl_popen("open", book) for book in chance.sample(books, 3)]
            time.sleep(chance.random() * 0.12)
            broker = d.broker_pid()
            if broker:
                harness.kill(broker)
            if i % 3 == 0:  # one that dies while it takes up again, too
                time.sleep(chance.random() * 0.05)
                broker = d.broker_pid()
                if broker:
                    harness.kill(broker)
            for opener in openers:
                opener.communicate(timeout=60 * harness.SLOWER)
            d.ok("session", "note", "a broker is needed")
            wanted = {}
            for line in d.journal():
                if line["type"] == "opened":
                    wanted[line["runbook"]] = line["tree_digest"]
                elif line["type"] == "lost-runbook":
                    wanted.pop(line["runbook"], None)
            have = open_books(d)
            missing = {name for name in wanted if have.get(name) != wanted[name]}
            assert not missing, f"kill {i}: {missing} weren't taken up again\n{d.logs()[-3000:]}"
        for i in range(len(books)):
            assert d.ctl("run", books[i]).rc == 0
        d.end_sessions()
        lost = [line for line in d.journal() if line["type"] == "lost-runbook"]
        assert not lost, lost
        assert d.ctl("record", "verify").rc == 0


def test_a_sealed_copy_that_is_damaged_or_gone_is_said():
    def gone(tree):
        shutil.rmtree(tree)

    def changed(tree):
        (tree / "run.sh").chmod(0o700)
        (tree / "run.sh").write_text("#!/bin/bash\necho other\n")

    def more(tree):
        (tree / "added").write_text("x")
        harness.give(tree / "added")

    for damage in (gone, changed, more):
        with Daemon(damage.__name__) as d:
            book = plain(d, "book")
            d.ok("open", book)
            d.kill_broker()
            damage(next((d.state / "trees").iterdir()))
            done = d.ctl("run", "book", "a")
            assert done.rc == 127, (damage.__name__, done)
            lost = [line for line in d.journal() if line["type"] == "lost-runbook"]
            assert len(lost) == 1 and lost[0]["runbook"] == "book" and lost[0]["text"], lost
            assert b"book" in d.ok("events").out
            assert d.ctl("run", book).rc == 0  # opened afresh it is sealed anew
            d.end_sessions()
            assert d.ctl("record", "verify").rc == 0


def test_a_script_of_host_finds_and_makes_things_beside_itself_and_the_sealed_copy_stays():
    with Daemon("beside") as d:
        d.write("book/lib/share.sh", "say() { echo \"shared $1\"; }\n")
        d.write("book/top.txt", "top\n")
        d.write("book/bin/deep/run.sh", """#!/bin/bash
cd "$(dirname "$0")"
. ../../lib/share.sh
say {{ .inputs.Word }}
cat ../../top.txt
ls | tr '\\n' ' '
echo made >made.txt
rm -f beside.txt && echo replaced >beside.txt
cat beside.txt
""", 0o755)
        d.write("book/bin/deep/beside.txt", "beside\n")
        book = d.write("book/runbook.mdx", """# Book

<Inputs id="v">

```yaml
variables:
  - name: Word
    type: string
    default: plain
```

</Inputs>

<Command id="a" path="bin/deep/run.sh" inputsId="v" />
""")
        d.ok("open", book)
        tree = next((d.state / "trees").iterdir())
        before = {p.relative_to(tree): p.is_file() and p.read_bytes() for p in tree.rglob("*")}
        for i in range(2):
            done = d.ok("run", "--profile", "host", "book", "a")
            assert done.out.split(b"\n") == [b"shared plain", b"top", b"beside.txt run.sh replaced", b""], done
        assert before == {p.relative_to(tree): p.is_file() and p.read_bytes() for p in tree.rglob("*")}
        d.end_sessions()
        assert d.ctl("record", "verify").rc == 0


def test_half_copies_of_a_dead_broker_are_removed():
    with Daemon("half") as d:
        d.start_broker()
        d.kill_broker()
        half = d.state / "trees" / ".new-0123456789abcdef"
        (half / "a" / "b").mkdir(parents=True)
        (half / "a" / "b" / "file").write_text("x")
        outside = d.home / "outside"
        outside.mkdir()
        (outside / "kept").write_text("x")
        (half / "link").symlink_to(outside)
        for path in (half, half / "a", half / "a" / "b", half / "link", half / "a" / "b" / "file"):
            harness.give(path)
        (half / "a" / "b" / "file").chmod(0o400)
        d.start_broker()
        assert not half.exists() and (outside / "kept").exists()


def test_what_blocks_did_is_known_to_the_next_broker():
    with Daemon("blocks") as d:
        book = d.write("two/runbook.mdx", '# Two\n\n<Command id="good" command="true" />\n\n'
                       '<Command id="bad" command="exit 3" />\n')
        d.ctl("run", book, "--keep-going")
        d.kill_broker()
        d.ok("session", "list")
        states = {block["id"]: block["state"] for block in d.ok("show", "two", "--json").json()["blocks"]}
        assert states == {"good": "passed", "bad": "failed"}, states
        d.ok("close", "two")
        closed = next(line for line in d.journal() if line["type"] == "run-closed")
        assert closed["status"] == "partial", closed
        d.kill_broker()
        assert d.ctl("close", "two").rc != 0  # the journal says that it is closed
        d.end_sessions()
        assert d.ctl("record", "verify").rc == 0


def test_a_start_cut_short_at_any_step_leaves_a_record_that_verifies():
    """Nothing was executed before the start line was on disk: no line may say that something ended."""
    craft = harness.BUILD / "tests" / "integration" / "craft_state"
    for steps in range(11):
        with Daemon(f"step{steps}") as d:
            copy = d.home / "craft_state"  # where the ordinary user can execute it
            shutil.copy2(craft, copy)
            copy.chmod(0o755)
            d.state.mkdir(mode=0o700)
            harness.give(d.state)
            made = d.run([copy, d.state, str(steps)])
            assert made.rc == 0, made
            d.start_broker()
            there = d.ok("session", "list", "--json").json()["sessions"]
            assert len(there) == (1 if steps >= 4 else 0), (steps, there)
            if steps >= 4:
                book = plain(d, "book")
                done = d.ctl("run", book, "a")
                assert done.rc == 0, (steps, done)
                lines = d.journal()
                started = [line["execution"] for line in lines if line["type"] == "started"]
                ended = [line["execution"] for line in lines if line["type"] == "finished"]
                assert sorted(started) == sorted(ended), (steps, started, ended)
                assert ("e1" in started) == (steps >= 10 or steps == 4), (steps, started)
                runs = [line["run"] for line in lines if line["type"] == "run-opened"]
                assert runs == sorted(set(runs)) and runs[0] == 1, (steps, runs)
                d.end_sessions()
            verdict = d.ctl("record", "verify", "--json")
            assert verdict.rc == 0 and verdict.json()["ok"], (steps, verdict)
            # A session that was begun and never recorded left nothing.
            left = sorted(p.name for p in (d.state / "sessions").iterdir())
            assert len(left) == (1 if steps >= 4 else 0) or steps == 1, (steps, left)


if __name__ == "__main__":
    harness.main(globals())
