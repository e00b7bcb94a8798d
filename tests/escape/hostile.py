"""Hostile scripts, folders and clients against one daemon: races, planted links, rewritten files, floods, bombs.
Each test is named for its threat (docs/THREATS.md).
"""
import ctypes
import hashlib
import os
import re
import shutil
import signal
import sys
import threading
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import harness  # noqa: E402
from harness import Daemon, wait_until  # noqa: E402

SANDBOXES = ("workspace", "inspect", "sealed")
RENAME_EXCHANGE = 2
libc = ctypes.CDLL(None, use_errno=True)


def exchange(one, two):
    return libc.renameat2(-100, str(one).encode(), -100, str(two).encode(), RENAME_EXCHANGE) == 0


def book_of(d, blocks, name="b"):
    """A runbook whose blocks are these scripts, by id."""
    for block, script in blocks.items():
        d.write(f"{name}/{block}.sh", script, 0o755)
    return d.write(f"{name}/runbook.mdx", f"# {name}\n\n" + "".join(
        f'<Command id="{block}" path="{block}.sh" />\n\n' for block in blocks))


def given(path, mode=0o755):
    path.mkdir(parents=True, exist_ok=True)
    path.chmod(mode)
    harness.give(path)
    return path


def files_below(folder):
    return {str(p): (p.lstat().st_mode, p.lstat().st_ino, p.read_bytes() if p.is_file() and not p.is_symlink() else b"")
            for p in sorted(folder.rglob("*"))}


class Swapping(threading.Thread):
    """Exchanges two names for as long as the test goes on."""

    def __init__(self, one, two):
        super().__init__(daemon=True)
        self.names, self.over, self.times = (one, two), False, 0
        self.start()

    def run(self):
        while not self.over:
            self.times += exchange(*self.names)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.over = True
        self.join()
        if self.times % 2:
            exchange(*self.names)


# ── places ──
def test_005_folders_to_work_in_that_lie_elsewhere():
    with Daemon("cwd") as d:
        inside = given(d.folder / "project")
        (d.folder / "link").symlink_to(inside)
        (d.folder / "home-link").symlink_to(d.home)
        (d.folder / "root").symlink_to("/")
        book = book_of(d, {"a": "#!/bin/bash\npwd -P; readlink /proc/self/cwd\n"})
        for asked in ("/", d.folder / "root", d.home, d.home / "..", d.folder / "home-link", d.folder, "/proc/self/root",
                      "/proc/self/fd", d.state, d.runtime, d.state.parent):
            for option in ("--work", "--write", "--read"):
                done = d.ctl("run", book, "a", "--new", option, asked)
                assert done.rc in (125, 126) and done.out == b"", (option, asked, done)
        for profile in SANDBOXES:
            for asked in (inside / ".." / "project", "."):
                done = d.ctl("run", book, "a", "--new", "--work", asked, "--profile", profile, cwd=inside)
                assert done.rc == 0 and done.text() == f"{inside}\n{inside}\n", (profile, asked, done)
            for asked in (d.folder / "link", "/proc/self/cwd", d.folder / "link" / "."):
                done = d.ctl("run", book, "a", "--new", "--work", asked, "--profile", profile, cwd=inside)
                assert done.rc == 126 and "is a link, and it leads to" in done.err, (profile, asked, done)
        d.end_sessions()


def test_033_a_folder_exchanged_for_a_link_while_launches_are_under_way():
    with Daemon("race") as d:
        race = given(d.folder / "race")
        real, outside = given(race / "real"), given(d.folder / "outside")
        (race / "link").symlink_to(outside)
        for folder in (real, outside):
            given(folder / "work")
        (real / "work" / "who").write_text("real")
        (outside / "work" / "who").write_text("outside")
        # Whoever opens by name alone is led astray:
        led = 0
        book = book_of(d, {"a": "#!/bin/bash\nls ..; echo x >>ran\n"})
        d.ok("run", book, "a", "--work", real / "work")
        ways = {}
        with Swapping(race / "real", race / "link") as swapping:
            until = time.monotonic() + 10 * harness.SLOWER
            while not led and time.monotonic() < until:
                try:
                    led += (race / "real" / "work" / "who").read_text() == "outside"
                except OSError:
                    pass
            for i in range(60):
                option = ("--work", "--write", "--read")[i % 3]
                done = d.ctl("run", "b", "a", "--new", option, race / "real" / "work", timeout=60)
                ways.setdefault((option, done.rc), []).append(done)
            assert swapping.times > 60
        assert led, "the exchange leads nobody astray: nothing was tried"
        for (option, rc), ends in ways.items():
            for done in ends:
                # The operator named one of both: it, or a refusal; and never what lies beside it.
                assert rc in (0, 125, 126) and (rc != 0 or done.out == b"work\n"), (option, done)
        ran = [line for line in d.journal() if line["type"] == "started"]
        assert all(grant["path"] in (f"{race}/real/work", f"{race}/link/work", f"{outside}/work") for line in ran
                   for grant in line["grants"]), ran[-1]
        print({f"{option} {rc}": len(ends) for (option, rc), ends in ways.items()}, f"{swapping.times} exchanges")
        d.end_sessions()


def test_033_a_script_that_exchanges_what_the_next_launch_mounts():
    """One run moves folders of a place granted to it while others are launched with places below it."""
    swap = """#!/usr/bin/env python3
import ctypes, os, sys, time
libc = ctypes.CDLL(None)
os.chdir(sys.argv[1] if len(sys.argv) > 1 else os.environ["SHARED"])
print("up", flush=True)
until = time.monotonic() + 30
while time.monotonic() < until and not os.path.exists("stop"):
    for _ in range(200):
        libc.renameat2(-100, b"sub", -100, b"link", 2)
"""
    with Daemon("mount") as d:
        shared = given(d.folder / "shared")
        given(shared / "sub")
        given(shared / "sub" / ".git")
        given(shared / "sub" / "deep")
        (shared / "link").symlink_to(d.home)
        given(d.home / "deep")
        (d.home / "deep" / "secret").write_text("home")
        d.write("b/swap.py", swap.replace('sys.argv[1] if len(sys.argv) > 1 else os.environ["SHARED"]', repr(str(shared))),
                0o755)
        d.write("b/look.sh", f"#!/bin/bash\ncat {shared}/*/deep/secret ~/deep/secret 2>/dev/null\necho x >>{shared}/sub/deep/mark\n"
                             f"true\n", 0o755)
        book = d.write("b/runbook.mdx", '<Command id="swap" path="swap.py" />\n\n<Command id="look" path="look.sh" />\n')
        before = files_below(d.home)
        client = d.ctl_popen("run", book, "swap", "--write", shared)
        assert client.stdout.readline() == b"up\n", client.communicate()
        ends = {}
        for i in range(40):
            done = d.ctl("run", "b", "look", "--write", shared / "sub", *(("--write", shared) if i % 2 else ()), timeout=60)
            assert b"home" not in done.out, done
            ends[done.rc] = ends.get(done.rc, 0) + 1
        (shared / "stop").write_text("")
        client.communicate(timeout=60)
        assert files_below(d.home) == before, "a launch wrote into home"
        print(ends)
        d.end_sessions()


def test_034_links_planted_where_places_are_made():
    with Daemon("planted") as d:
        outside = given(d.folder / "outside")
        (outside / "kept").write_text("kept-outside")
        work = given(d.folder / "work")
        for name, target in {"etc": outside, "tmp": "..", "proc": "/", "dev": outside, "run": "/run", "usr": outside,
                             ".git": outside, ".envrc": outside / "kept", "home": d.home, "a": outside}.items():
            (work / name).symlink_to(target)
        given(work / "b" / "c")
        for path in (outside / "kept", work / "b"):
            harness.give(path)
        before = files_below(outside), files_below(d.home), set(os.listdir(d.folder))
        script = ("#!/bin/bash\nfor p in etc tmp proc dev run usr .git home a; do\n"
                  "  cat $p/kept 2>/dev/null; echo planted 2>/dev/null >$p/new\ndone\n{ echo planted >.envrc; } 2>/dev/null\n"
                  "mkdir -p b/c/made && touch b/c/made/file\ntrue\n")
        book = book_of(d, {"a": script})
        plain = d.run(["bash", "-c", script], cwd=shutil.copytree(work, d.folder / "control", symlinks=True))
        assert (outside / "new").exists() and b"kept-outside" in plain.out, "the links lead nowhere: nothing was tried"
        (outside / "new").unlink()
        (outside / "kept").write_text("kept-outside")
        (d.home / "new").unlink(missing_ok=True)
        (d.folder / "new").unlink(missing_ok=True)
        shutil.rmtree(d.folder / "control")
        for words in ((), ("--write", work / "b"), ("--write", work / "b" / "c", "--read", work / "b"),
                      ("--read", work), ("--write", work / "a")):
            done = d.ctl("run", book, "a", "--new", "--work", work, *words)
            shown = "a" in [str(word)[-1] for word in words]  # the operator's own grant of what the link leads to
            assert done.rc in (0, 125, 126) and (shown or b"kept-outside" not in done.out), (words, done)
            if shown:
                (outside / "new").unlink(missing_ok=True)
            now = files_below(outside), files_below(d.home), set(os.listdir(d.folder))
            assert now == before, (words, now)
        d.end_sessions()


def test_037_our_programs_are_the_same_afterwards():
    """Programs that the user owns and could write to, while they run and while they don't."""
    def digests():
        return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in sorted(binaries.iterdir())
                if path.is_file()}

    script = """#!/usr/bin/env python3
import glob, os
opened = []
for path in [*glob.glob("/proc/[0-9]*/exe"), "/proc/self/exe", *glob.glob("BIN/*")]:
    for how in (os.O_WRONLY, os.O_RDWR, os.O_WRONLY | os.O_APPEND):
        try:
            os.close(os.open(path, how))
            opened.append(path)
        except OSError:
            pass
print(opened)
"""
    with Daemon("exe") as d:
        binaries = d.folder / "own-bin"
        given(binaries)
        for program in harness.PROGRAMS:
            shutil.copy2(harness.BUILD / "bin" / program, binaries / program)
            (binaries / program).chmod(0o755)
            harness.give(binaries / program)
        d.bin = binaries
        before = digests()
        d.write("b/a.py", script.replace("BIN", str(binaries)), 0o755)
        book = d.write("b/runbook.mdx", '<Command id="a" path="a.py" />\n')
        for profile in SANDBOXES:
            assert d.ok("run", book, "a", "--new", "--profile", profile).out == b"[]\n", profile
        control = d.ok("run", book, "a", "--new", "--profile", "host").text()
        assert "own-bin" in control, f"nobody could write there anyway: {control}"
        d.end_sessions()
        assert digests() == before


def test_043_attributes_of_what_is_shown_to_read():
    tries = """#!/usr/bin/env python3
import fcntl, os
os.chdir(os.environ["TREE"] if "TREE" in os.environ else "TREE_PATH")
did = []
def attempt(name, act):
    try:
        act()
        did.append(name)
    except OSError:
        pass
attempt("chmod", lambda: os.chmod("file", 0o777))
attempt("chown", lambda: os.chown("file", os.getuid(), os.getgid()))
attempt("utime", lambda: os.utime("file"))
attempt("setxattr", lambda: os.setxattr("file", "user.rb", b"x"))
attempt("truncate", lambda: os.truncate("file", 0))
attempt("open", lambda: os.open("file", os.O_WRONLY))
attempt("link", lambda: os.link("file", "other"))
attempt("rename", lambda: os.rename("file", "other"))
attempt("unlink", lambda: os.unlink("file"))
attempt("mkdir", lambda: os.mkdir("folder"))
attempt("symlink", lambda: os.symlink("file", "l"))
attempt("descriptor", lambda: os.fchmod(os.open("file", os.O_RDONLY), 0o700))
attempt("proc", lambda: os.chmod("/proc/self/fd/%d" % os.open("file", os.O_RDONLY), 0o700))
attempt("reopen", lambda: os.open("/proc/self/fd/%d" % os.open("file", os.O_RDONLY), os.O_RDWR))
print(sorted(did))
"""
    with Daemon("attr") as d:
        for kind in ("folder", "file", "set"):
            tree = given(d.home / ".kube" if kind == "set" else d.folder / f"tree-{kind}")
            (tree / "file").write_text("content")
            harness.give(tree / "file")
            facts = (tree / "file").stat()
            d.write(f"b/{kind}.py", tries.replace("TREE_PATH", str(tree)), 0o755)
            book = d.write(f"b/{kind}.mdx", f'<Command id="a" path="{kind}.py" />\n')
            words = ("--with", "kube") if kind == "set" else ("--read", tree if kind == "folder" else tree / "file")
            for profile in SANDBOXES:
                done = d.ok("run", book, "a", "--new", "--profile", profile, *words)
                # The folder of a granted file is the sandbox's own.
                assert done.text() == ("['mkdir', 'symlink']\n" if kind == "file" else "[]\n"), (kind, profile, done.out)
                now = (tree / "file").stat()
                assert (now.st_mode, now.st_mtime_ns, now.st_ctime_ns, now.st_size) == \
                    (facts.st_mode, facts.st_mtime_ns, facts.st_ctime_ns, facts.st_size)
            control = d.ok("run", book, "a", "--new", "--profile", "host").text()
            assert "chmod" in control and "truncate" in control, control
        d.end_sessions()


def test_an_explanation_tells_nothing_of_what_is_hidden():
    """What a script ran into is explained by its profile alone: in the same words whether the file is there or not."""
    hidden = (".ssh/id_ed25519", ".aws/credentials", ".kube/config", ".netrc", "notes/private.txt", ".config/gh/hosts.yml")

    def words(done):
        return done.out, [re.sub(r"\d+(\.\d+)? m?s", "", line) for line in done.err.splitlines()
                          if "refused while" in line or line.startswith("     ")]

    with Daemon("oracle") as d:
        tries = "".join(f"cat ~/{path}; ls -d ~/{Path(path).parent}; echo x >>~/{path}; test -e ~/{path} && echo there\n"
                        for path in hidden) + "true\n"
        book = book_of(d, {"a": "#!/bin/bash\n" + tries, **{f"b{i}": f"#!/bin/bash\ncat ~/{path}\n"
                                                           for i, path in enumerate(hidden)}})
        blocks = ("a", *(f"b{i}" for i in range(len(hidden))))
        before = {(block, profile): words(d.ctl("run", book, block, "--profile", profile))
                  for block in blocks for profile in SANDBOXES}
        for path in hidden:
            given((d.home / path).parent)
            (d.home / path).write_text("hidden")
            harness.give(d.home / path)
        after = {(block, profile): words(d.ctl("run", book, block, "--profile", profile))
                 for block in blocks for profile in SANDBOXES}
        assert before == after
        assert any(lines for _, lines in before.values()), "nothing was explained"
        assert "hidden" in d.ctl("run", book, "b0", "--profile", "host").text()
        d.end_sessions()


# ── what runs ──
def test_047_a_script_rewritten_ten_thousand_times_around_its_run():
    with Daemon("rewrite") as d:
        text = "#!/bin/bash\necho {n}; sha256sum <\"$0\"\n"
        first = f"{0:08}"
        book = book_of(d, {"a": text.replace("{n}", first)})
        path = d.books / "b" / "a.sh"
        d.ok("session", "start", "--as", "t", "--why", "t")
        d.ok("open", d.books / "b")
        sealed = hashlib.sha256(text.replace("{n}", first).encode()).hexdigest()
        state = {"over": False, "n": 0}

        def rewrite():
            spare = path.with_suffix(".new")
            while not state["over"]:
                state["n"] += 1
                new = text.replace("{n}", f"{state['n']:08}").encode()
                if state["n"] % 500:
                    with open(path, "r+b", buffering=0) as file:
                        file.write(new)
                else:
                    spare.write_bytes(new)
                    spare.chmod(0o755)
                    spare.rename(path)

        writer = threading.Thread(target=rewrite)
        writer.start()
        try:
            for _ in range(20):  # by name: the sealed one, whatever became of the file
                done = d.ok("run", "b", "a")
                assert done.out == f"{first}\n{sealed}  -\n".encode(), done.out
            ran = set()
            for _ in range(20):  # by path: opened afresh; what ran is what the record says
                done = d.ctl("run", book, "a")
                if done.rc == 126 and "can't be read" in done.err and not done.out:
                    continue  # replaced while it was being read
                said = done.text().split()
                assert done.rc == 0, repr(done)
                assert hashlib.sha256(text.replace("{n}", said[0]).encode()).hexdigest() == said[1]
                ran.add(said[1])
            wait_until(lambda: state["n"] >= 10000, 30, "ten thousand rewrites")
        finally:
            state["over"] = True
            writer.join()
        recorded = {line["script_sha256"] for line in d.journal() if line["type"] == "started"}
        assert ran and ran <= recorded, (ran, recorded)
        assert len(ran) > 1, "the file never changed between two openings: nothing was tried"
        d.end_sessions()


FIRST_LINES = {  # a script's first line: what its output must be, or how it is refused
    "crlf": (b"#!/bin/bash\r\necho ran\n", b"ran\n"),
    "env": (b"#!/usr/bin/env bash\necho ran\n", b"ran\n"),
    "env-split": (b"#!/usr/bin/env -S bash -e\necho ran $-\n", b"ran ehB\n"),
    "env-variable": (b"#!/usr/bin/env BASH_ENV=/etc/passwd bash\necho ran\n", "sets a variable"),
    "long": (b"#!/bin/bash " + b" " * 200 + b"\necho ran\n", b"ran\n"),
    "too-long": (b"#!" + b"/" + b"a" * 300 + b"\necho ran\n", "longer than 256"),
    "relative": (b"#!bin/bash\necho ran\n", "relative path"),
    "own-folder": (b"#!./interpreter\necho ran\n", "relative path"),
    "up": (b"#!../interpreter\necho ran\n", "relative path"),
    "missing": (b"#!/no/such/program\necho ran\n", "isn't on this machine"),
    "dash": (b"#!-bash\necho ran\n", "isn't on this machine"),
    "nothing": (b"#!\necho ran\n", "names no program"),
    "nul": (b"#!/bin/bash\0-x\necho ran\n", "NUL"),
    "template": (b"#!/bin/{{ .inputs.x }}\necho ran\n", "template"),
    "folder": (b"#!/usr\necho ran\n", "isn't on this machine"),
    "device": (b"#!/dev/null\necho ran\n", "isn't on this machine"),
    "no-program": (b"#!/etc/passwd\necho ran\n", "isn't on this machine"),
    "spaces": (b"#!   /bin/bash   -e   \necho ran $-\n", b"ran ehB\n"),
}


def test_048_first_lines_that_confuse():
    with Daemon("lines") as d:
        d.write("s/interpreter", "#!/bin/sh\necho HOSTILE\n", 0o755)
        for name, (text, _) in FIRST_LINES.items():
            d.write(f"s/{name}.sh", text, 0o755)
            d.write(f"s/{name}.mdx", f'# S\n\n<Command id="x" path="{name}.sh" />\n')
        for name, (_, wanted) in FIRST_LINES.items():
            done = d.ctl("run", d.books / "s" / f"{name}.mdx", "x")
            assert b"HOSTILE" not in done.out, (name, done)
            if isinstance(wanted, bytes):
                assert done.rc == 0 and done.out == wanted, (name, done)
            else:
                assert done.rc in (125, 126) and done.out == b"" and wanted in done.err, (name, done)
        d.end_sessions()


# ── processes ──
def gone(d, name, within, what):
    wait_until(lambda: not d.pids(name), within, what)


def test_058_a_script_that_is_the_only_process():
    with Daemon("alone") as d:
        book = book_of(d, {"a": "#!/bin/bash\necho up\nexec sleep 4711\n"})
        for profile in (*SANDBOXES, "host"):
            client = d.ctl_popen("run", book, "a", "--profile", profile, "--new")
            assert client.stdout.readline() == b"up\n"
            began = time.monotonic()
            d.ok("stop", "-l")
            client.communicate(timeout=30)
            assert client.returncode == 143, (profile, client.returncode)
            assert time.monotonic() - began < 3 * harness.SLOWER, f"{profile}: TERM wasn't heard"
            gone(d, "sleep", 1, "the script")
        d.end_sessions()


def test_059_two_fork_bombs_at_once():
    bomb = "#!/usr/bin/env python3\nimport os, time\nprint('up', flush=True)\nwhile True:\n" \
           "    try:\n        os.fork()\n    except OSError:\n        time.sleep(0.01)\n"
    with Daemon("bombs") as d:
        for name in ("one", "two"):
            d.write(f"b/{name}.py", bomb, 0o755)
        d.write("b/ok.sh", "#!/bin/bash\necho fine\n", 0o755)
        book = d.write("b/runbook.mdx", "".join(f'<Command id="{n}" path="{n}.{e}" />\n\n'
                                                for n, e in (("one", "py"), ("two", "py"), ("ok", "sh"))))
        d.ok("run", book, "ok")
        clients = [d.ctl_popen("run", "b", name, "--timeout", "1500ms") for name in ("one", "two")]
        for client in clients:
            assert client.stdout.readline() == b"up\n"
        answered = []
        while any(client.poll() is None for client in clients):
            began = time.monotonic()
            assert d.ctl("ps").rc == 0
            answered.append(time.monotonic() - began)
        print(f"{len(answered)} answers, the slowest after {max(answered) * 1000:.0f} ms")
        assert sorted(answered)[len(answered) // 2] < 3 * harness.SLOWER
        assert [client.wait() for client in clients] == [124, 124]
        for client in clients:
            client.communicate()
        wait_until(lambda: not [p for p in d.ours() if p.comm == "python3"], 1, "nothing left of the bombs")
        assert d.ok("run", "b", "ok").out == b"fine\n"
        d.end_sessions()


def test_068_clocks_while_processes_stand_still():
    with Daemon("clock") as d:
        book = book_of(d, {"long": "#!/bin/bash\necho up\nexec sleep 4711\n",
                           "short": "#!/bin/bash\necho up\nsleep 0.5\necho over\n"})
        for who in ("monitor", "broker"):
            client = d.ctl_popen("run", book, "long", "--timeout", "500ms", "--new")
            assert client.stdout.readline() == b"up\n"
            pids = d.monitor_pids() if who == "monitor" else [d.broker_pid()]
            began = time.monotonic()
            for pid in pids:
                harness.kill(pid, signal.SIGSTOP)
            time.sleep(1)
            for pid in pids:
                harness.kill(pid, signal.SIGCONT)
            client.communicate(timeout=30)
            assert client.returncode == 124, (who, client.returncode)
            assert time.monotonic() - began < 5 * harness.SLOWER
        # Nothing ends early because of a stop.
        client = d.ctl_popen("run", book, "short", "--timeout", "3s", "--new")
        assert client.stdout.readline() == b"up\n"
        pids = d.monitor_pids()
        for pid in pids:
            harness.kill(pid, signal.SIGSTOP)
        time.sleep(1)
        for pid in pids:
            harness.kill(pid, signal.SIGCONT)
        out, _ = client.communicate(timeout=30)
        assert client.returncode == 0 and out == b"over\n", (client.returncode, out)
        d.end_sessions()


def test_069_a_flood_and_a_neighbour():
    with Daemon("flood") as d:
        book = book_of(d, {"flood": "#!/bin/bash\nexec yes\n", "line": "#!/bin/bash\nexec tr '\\0' x </dev/zero\n",
                           "ok": "#!/bin/bash\nfor i in 1 2 3; do echo $i; done\n"})
        d.ok("run", book, "ok")
        floods = [d.ctl("run", "b", name, "--timeout", "1s", "--detach").text().strip() for name in ("flood", "line")]
        slowest = 0
        for _ in range(5):
            began = time.monotonic()
            assert d.ok("run", "b", "ok").out == b"1\n2\n3\n"
            slowest = max(slowest, time.monotonic() - began)
        print(f"the slowest neighbour took {slowest * 1000:.0f} ms")
        assert slowest < 10 * harness.SLOWER
        for execution in floods:
            d.ctl("wait", execution, timeout=60)
        lines = [line for line in d.journal() if line["type"] == "finished" and line["execution"] in floods]
        for line in lines:
            assert line["outcome"] == "timeout" or "output" in line["cause"], line  # whichever came first
            path = d.execution_folder(line["execution"]) / "output"
            assert path.stat().st_size == line["output_bytes"] > 1 << 20
        if os.geteuid() == 0:
            for pid in (d.broker_pid(), *d.front_pids()):
                assert harness.pss_kib(pid) < 64 << 10, pid
        d.end_sessions()


if __name__ == "__main__":
    harness.main(globals())
