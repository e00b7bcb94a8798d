"""What a person reads of a runbook: drawn, as instructions, as source; a new one from `init`; and the
hook that vets commits. Golden pages stand in tests/golden/show; `show.py --update` writes them.
"""
import difflib
import os
import re
import shutil
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import harness  # noqa: E402
from harness import Daemon  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
GOLDEN = ROOT / "tests" / "golden" / "show"
UPDATE = "--update" in sys.argv
if UPDATE:
    sys.argv.remove("--update")
HIDDEN = "echo one\r\necho '\u202etfel\u202c \u200bzero\u2060 \ufeff'\n\x1b[2J\x07\n"


def page_is(d, name, *words):
    made = d.ok("show", *words).out.decode()
    file = GOLDEN / name
    if UPDATE:
        file.write_text(made)
    wanted = file.read_text() if file.exists() else ""
    assert made == wanted, "\n".join(difflib.unified_diff(wanted.splitlines(), made.splitlines(), name, "made",
                                                          lineterm=""))


def books(d):
    for name in ("page.mdx", "page.md"):
        d.write(name, (GOLDEN / name).read_text())
    d.write("scripts/long.sh", "#!/bin/bash\n" + "".join(f"echo {i}\n" for i in range(40)), 0o755)


def test_documents_are_drawn():
    with Daemon("drawn") as d:
        books(d)
        for book in ("page.mdx", "page.md"):
            path = d.books / book
            for width in (40, 72):
                page_is(d, f"{book}.{width}.txt", path, "--width", str(width))
            page_is(d, f"{book}.print.txt", path, "--print", "--width", "72")
            page_is(d, f"{book}.blocks.txt", path, "--blocks")
            page_is(d, f"{book}.source.txt", path, "--source")
        d.end_sessions()


def test_colours_are_there_when_asked_for_and_only_then():
    with Daemon("colours") as d:
        books(d)
        path = d.books / "page.mdx"
        plain = d.ok("show", path, "--width", "72").out
        assert b"\x1b" not in plain
        forced = d.ok("show", path, "--width", "72", env={"CLICOLOR_FORCE": "1"}).out
        assert b"\x1b[1m" in forced and b"\x1b[36m" in forced
        bare = re.sub(rb"\x1b\[[0-9;]*m", b"", forced)
        # Colours replace the backquotes, and nothing else.
        assert b" ".join(bare.split()) == b" ".join(plain.replace(b"`", b"").split()) or \
            len(bare) < len(plain), "colours changed the text"
        assert b"\x1b" not in d.ok("show", path, env={"CLICOLOR_FORCE": "1", "NO_COLOR": "1"}).out
        d.end_sessions()


def test_what_hides_in_a_script_is_seen_and_raw_bytes_are_exact():
    with Daemon("hidden") as d:
        d.write("h/x.sh", HIDDEN.encode(), 0o755)
        book = d.write("h/runbook.mdx", '# H\n\n<Command id="x" path="x.sh" />\n')
        for words in (("x", "--source"), ("x",), ("--source",), ("--print",), ()):
            text = d.ok("show", book, *words).out.decode()
            for shown in ("^M", r"\u202e", r"\u202c", r"\u200b", r"\u2060", r"\ufeff", "^[[2J", "^G"):
                assert shown in text, (words, shown, text)
            assert not re.search("[\x00-\x08\x0b-\x1f\x7f\u200b-\u200f\u202a-\u202e\u2060\ufeff]", text), (words, text)
        assert d.ok("show", book, "x", "--raw").out == HIDDEN.encode()
        on_terminal = d.run(["script", "-qec", f"{d.bin}/runbookctl show {book} x --raw", "/dev/null"])
        assert on_terminal.rc == 125 and "a terminal would act" in on_terminal.text(), repr(on_terminal)
        d.end_sessions()


def test_showing_runs_nothing():
    with Daemon("nothing") as d:
        mark = d.books / "ran"
        book = d.write("n/runbook.mdx", f'# N\n\n<Command id="x" command="touch {mark}" />\n')
        for words in ((), ("--print",), ("--source",), ("--blocks",), ("x",), ("x", "--source"), ("x", "--raw")):
            d.ok("show", book, *words)
        assert not mark.exists()
        assert d.ok("ps", "--all", "--json").json() == {"executions": []}
        events = d.ok("events").text()
        assert "execution" not in events and "run-parts" not in events, events
        assert d.ctl("run", book, "--profile", "host").rc == 0 and mark.exists(), "the block does nothing: this shows nothing"
        d.end_sessions()


def test_wrong_words_are_named():
    with Daemon("wrong") as d:
        book = d.write("w/runbook.mdx", '# W\n\n<Command id="x" command="true" />\n')
        for words, said in ((("--raw",), "needs a BLOCK"), (("x", "--print"), "leave out BLOCK"),
                            (("--print", "--source"), "exclude each other"), (("--width", "7"), "from 20"),
                            (("--width", "80x"), "from 20")):
            done = d.ctl("show", book, *words)
            assert done.rc == 125 and said in done.err, (words, done)
        d.end_sessions()


def test_what_init_writes_vets_strictly_and_runs():
    with Daemon("init") as d:
        title = "Rotate <b>{x}</b> & \"keys\": *now* `a` import [y](z) \\ é"
        for words, main in ((("new/deploy-billing",), "new/deploy-billing/runbook.mdx"), (("a.mdx",), "a.mdx"),
                            (("b.md", "--title", title), "b.md"), (("new/md/", "--markdown"), "new/md/runbook.md"),
                            (("c.mdx", "-t", title), "c.mdx"), ((".",), "runbook.mdx")):
            folder = d.books / f"in-{len(main)}-{main[0]}" if words != (".",) else d.books / "empty"
            folder.mkdir()
            harness.give(folder)
            made = d.ctl("init", *words, cwd=folder)
            assert made.rc == 0 and main in made.text(), repr(made)
            assert d.ok("check", "--strict", folder).out == b""
            assert d.ok("run", folder / main).rc == 0
            if title in words:
                assert d.ok("show", folder / main, "--width", "100").text().startswith(title + "\n"), \
                    d.ok("show", folder / main).text()
            again = d.ctl("init", *words, cwd=folder)
            assert again.rc == 125 and ("exists" in again.err or "isn't empty" in again.err), repr(again)
        link = d.books / "dangling.md"
        link.symlink_to(d.books / "elsewhere.md")
        assert d.ctl("init", link).rc == 125 and not (d.books / "elsewhere.md").exists()
        assert d.ctl("init", "").rc == 125
        d.end_sessions()


def test_the_hook_vets_what_is_staged():
    with Daemon("hook") as d:
        repository = d.books / "repo"
        repository.mkdir()
        harness.give(repository)
        identity = ["-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "init.defaultBranch=main"]

        def git(*words, wanted=0):
            done = d.run(["git", *identity, *words], cwd=repository,
                         env={"PATH": f"{d.bin}:{os.environ['PATH']}"})
            assert done.rc == wanted, (words, done)
            return done

        git("init", "-q")
        hook = repository / ".git" / "hooks" / "pre-commit"
        hook.parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / "docs/examples/hooks/pre-commit", hook)
        harness.give(hook)
        d.write("repo/a b/runbook.mdx", '# Good\n\n<Command id="x" path="x.sh" />\n')
        d.write("repo/a b/x.sh", "echo\n", 0o755)
        d.write("repo/README.md", "# Text\n")
        git("add", ".")
        git("commit", "-q", "-m", "good")
        (repository / "a b" / "runbook.mdx").write_text("# Bad\n\n{process.env.HOME}\n")
        git("commit", "-q", "--allow-empty", "-m", "what isn't staged isn't judged")
        git("add", ".")
        assert "error[expression]" in git("commit", "-q", "-m", "bad", wanted=1).text() + \
            git("commit", "-q", "-m", "bad", wanted=1).err
        git("checkout", "-q", "HEAD", "--", ".")
        git("rm", "-q", "a b/x.sh")
        git("commit", "-q", "-m", "the script is missing", wanted=1)
        git("commit", "-q", "--no-verify", "-m", "as the author wants")


if __name__ == "__main__":
    harness.main(globals())
