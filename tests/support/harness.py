"""harness.py — one private daemon a test, as an ordinary user, and nothing left behind.   [tests]

A test file is a program: functions named test_* and, last, `harness.main(globals())`. Each test is
counted; `python3 FILE test_name` runs one. Standard library only.

    with Daemon() as d:
        book = d.write("a/runbook.mdx", "# A\n\n<Command id=\"a\" command=\"echo hi\" />\n")
        done = d.ctl("run", book)
        assert done.rc == 0 and done.out == b"hi\n", done

Run as root it drops to `runbookd-test`, which it creates; as anybody else it stays who it is.
Binaries come from $RUNBOOKD_BUILD (a build folder; default: build/ beside tests/). Every process of
a daemon stays a descendant of the test (it is their subreaper), which is how they are found,
counted and ended: by id, and only ours.
"""
import ctypes
import json
import os
import pwd
import shutil
import signal
import socket
import stat
import struct
import subprocess
import sys
import tempfile
import time
import traceback
from collections import namedtuple
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("RUNBOOKD_BUILD") or ROOT / "build").resolve()
USER = "runbookd-test"
PROGRAMS = ("runbook-broker", "runbookd", "runbook-reader", "runbook-monitor", "runbookctl")
# Sanitizers slow things down: time limits of tests are given for a plain build.
SLOWER = float(os.environ.get("RUNBOOKD_TEST_SLOWER", "1"))
MUST_WORK = os.environ.get("RUNBOOKD_MUST_WORK") == "1"


# ── skipping ────────────────────────────────────────────────────────────────────────────────────
class Skipped(Exception):
    pass


def skip(what_is_missing):
    """This machine can't test it. A failure where everything must work (CI)."""
    if MUST_WORK:
        raise AssertionError("can't be tested here: " + what_is_missing)
    raise Skipped(what_is_missing)


def need_root():
    """Such tests run when root calls ./dev test; they are nobody's failure otherwise."""
    if os.geteuid() != 0:
        raise Skipped("needs root")


def need_program(name):
    if shutil.which(name) is None:
        skip(f"{name} isn't installed")


# ── who we are ──────────────────────────────────────────────────────────────────────────────────
Account = namedtuple("Account", "name uid gid home")
_account = None


def account():
    """The ordinary user for whom daemons run; made when root asks and it isn't there."""
    global _account
    if _account is None:
        if os.geteuid() != 0:
            mine = pwd.getpwuid(os.geteuid())
        else:
            mine = _made_account()
        _account = Account(mine.pw_name, mine.pw_uid, mine.pw_gid, mine.pw_dir)
    return _account


def _made_account():
    for _ in range(50):
        try:
            return pwd.getpwnam(USER)
        except KeyError:  # two tests may try at once: useradd holds a lock, the loser looks again
            subprocess.run(["useradd", "--create-home", "--user-group", "--shell", "/bin/bash", USER],
                           check=False, capture_output=True)
            time.sleep(0.1)
    raise RuntimeError(f"user {USER} can't be made")


def drop():
    """Arguments for subprocess that make the child the ordinary user."""
    if os.geteuid() != 0:
        return {}
    who = account()
    return {"user": who.uid, "group": who.gid, "extra_groups": []}


def may_execute(path):
    done = subprocess.run(["test", "-x", str(path)], check=False, **drop())
    return done.returncode == 0


def give(path):
    """The ordinary user becomes the owner."""
    if os.geteuid() == 0:
        os.chown(path, account().uid, account().gid, follow_symlinks=False)


# ── processes ───────────────────────────────────────────────────────────────────────────────────
Process = namedtuple("Process", "pid ppid state comm")


def processes():
    """All that run now, zombies left out, by pid."""
    found = {}
    for name in os.listdir("/proc"):
        if not name.isdigit():
            continue
        try:
            with open(f"/proc/{name}/stat", "rb") as file:
                line = file.read()
        except OSError:
            continue
        comm = line[line.index(b"(") + 1:line.rindex(b")")].decode("utf-8", "replace")
        rest = line[line.rindex(b")") + 2:].split()
        found[int(name)] = Process(int(name), int(rest[1]), rest[0].decode(), comm)
    return found


def descendants(pid, among=None):
    """All processes below pid, nearest first, zombies left out."""
    among = processes() if among is None else among
    children = {}
    for process in among.values():
        children.setdefault(process.ppid, []).append(process)
    out, todo = [], [pid]
    while todo:
        for process in children.get(todo.pop(0), []):
            todo.append(process.pid)
            if process.state not in "ZX":
                out.append(process)
    return out


def alive(pid):
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            line = file.read()
        return line[line.rindex(b")") + 2:line.rindex(b")") + 3] not in (b"Z", b"X")
    except OSError:
        return False


def reap():
    """Collects whoever was reparented to us and has ended."""
    try:
        for process in processes().values():
            if process.ppid == os.getpid() and process.state == "Z" and process.pid not in _popen:
                os.waitpid(process.pid, os.WNOHANG)
    except (ChildProcessError, OSError):
        pass


_popen = set()  # pids that a Popen object waits for


def become_subreaper():
    if ctypes.CDLL(None, use_errno=True).prctl(36, 1, 0, 0, 0) != 0:  # PR_SET_CHILD_SUBREAPER
        raise OSError(ctypes.get_errno(), "prctl")


def wait_until(condition, within=5.0, what=None):
    """The first true answer of condition(); AssertionError after `within` seconds."""
    until = time.monotonic() + within * SLOWER
    while True:
        reap()
        answer = condition()
        if answer:
            return answer
        if time.monotonic() > until:
            raise AssertionError(f"not within {within:g} s: {what or condition.__name__}")
        time.sleep(0.01)


def wait_gone(pids, within=5.0, what="process gone"):
    pids = [pids] if isinstance(pids, int) else list(pids)
    wait_until(lambda: not any(alive(pid) for pid in pids), within, f"{what} {pids}")


def kill(pid, number=signal.SIGKILL):
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        pass


def pss_kib(pid):
    """Proportional memory of one process; of an undumpable one only root may ask."""
    with open(f"/proc/{pid}/smaps_rollup", encoding="ascii") as file:
        for line in file:
            if line.startswith("Pss:"):
                return int(line.split()[1])
    return 0


# ── the daemon ──────────────────────────────────────────────────────────────────────────────────
class Ended(namedtuple("Ended", "rc out err")):
    """How a program ended: rc (negative: the signal), out as bytes, err as text."""

    def json(self):
        return json.loads(self.out)

    def lines(self):
        """One JSON object a line."""
        return [json.loads(line) for line in self.out.splitlines() if line.strip()]

    def text(self):
        return self.out.decode("utf-8", "replace")

    def __repr__(self):
        out = self.out if len(self.out) < 2000 else self.out[:1000] + b" [...] " + self.out[-1000:]
        return f"Ended(rc={self.rc}, out={out!r}, err={self.err[-3000:]!r})"


class Daemon:
    """Folders, environment and processes of one private daemon.

    env: more variables for every program started here. name: what to call the folder.
    """

    def __init__(self, name="t", env=None):
        if not (BUILD / "bin" / "runbookctl").exists():
            raise AssertionError(f"nothing is built in {BUILD}/bin: run ./dev build, or set RUNBOOKD_BUILD")
        become_subreaper()
        self._before = {process.pid for process in descendants(os.getpid())}
        self.folder = Path(tempfile.mkdtemp(prefix=f"rb-{name}-"))  # short: sockets lie below
        give(self.folder)
        for part, mode in (("run", 0o700), ("state", 0o700), ("home", 0o755), ("books", 0o755)):
            (self.folder / part).mkdir()
            (self.folder / part).chmod(mode)
            give(self.folder / part)
        os.chmod(self.folder, 0o755)
        self.books = self.folder / "books"
        self.home = self.folder / "home"
        self.runtime = self.folder / "run" / "runbookd"
        self.state = self.folder / "state" / "runbookd"
        self.log = self.folder / "broker.log"
        self.bin = self._binaries()
        self.env = {
            "PATH": "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin",
            "HOME": str(self.home), "USER": account().name, "LOGNAME": account().name,
            "SHELL": "/bin/bash", "LANG": "C.UTF-8", "TERM": "dumb", "TMPDIR": "/tmp",
            "XDG_RUNTIME_DIR": str(self.folder / "run"),
            "XDG_STATE_HOME": str(self.folder / "state"),
        }
        for variable in ("ASAN_OPTIONS", "UBSAN_OPTIONS", "LSAN_OPTIONS", "RUNBOOKD_LOG_LEVEL"):
            if variable in os.environ:
                self.env[variable] = os.environ[variable]
        self.env.update(env or {})
        self._broker = None
        self._closed = False

    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        if kind is not None:
            self._tell()
        self.close(check=kind is None)

    # Binaries lie where the user can't reach them when root has cloned into a folder of its own:
    # then they are linked (or copied) into this daemon's folder.
    def _binaries(self):
        source = BUILD / "bin"
        if may_execute(source / "runbookctl"):
            return source
        target = self.folder / "bin"
        target.mkdir()
        for program in source.iterdir():
            if program.is_file():
                shutil.copy2(program, target / program.name)
                (target / program.name).chmod(0o755)
        return target

    # ── programs ──
    def popen(self, argv, env=None, cwd=None, as_root=False, **more):
        """A program of the ordinary user (or of root) in this daemon's environment."""
        more.setdefault("stdin", subprocess.DEVNULL)
        more.setdefault("stdout", subprocess.PIPE)
        more.setdefault("stderr", subprocess.PIPE)
        process = subprocess.Popen([str(word) for word in argv], env={**self.env, **(env or {})},
                                   cwd=str(cwd or self.home), **({} if as_root else drop()), **more)
        _popen.add(process.pid)
        return process

    def run(self, argv, input=None, timeout=60, env=None, cwd=None):
        process = self.popen(argv, env, cwd,
                             stdin=subprocess.DEVNULL if input is None else subprocess.PIPE)
        try:
            out, err = process.communicate(input, timeout * SLOWER)
        except subprocess.TimeoutExpired:
            process.kill()
            try:
                out, err = process.communicate(timeout=2)
            except subprocess.TimeoutExpired as held:  # somebody below it holds the pipes
                out, err = held.stdout or b"", held.stderr or b""
            raise AssertionError(f"{argv} didn't end within {timeout} s\nstdout: {out[-2000:]!r}\n"
                                 f"stderr: {err.decode('utf-8', 'replace')[-2000:]}") from None
        return Ended(process.returncode, out, err.decode("utf-8", "replace"))

    def ctl(self, *args, input=None, timeout=60, env=None, cwd=None):
        return self.run([self.bin / "runbookctl", *args], input, timeout, env, cwd)

    def ctl_popen(self, *args, **more):
        return self.popen([self.bin / "runbookctl", *args], **more)

    def ok(self, *args, **more):
        """ctl() that must succeed."""
        done = self.ctl(*args, **more)
        assert done.rc == 0, f"runbookctl {' '.join(map(str, args))}: {done!r}"
        return done

    # ── files ──
    def write(self, path, content, mode=0o644):
        """A file below books/, with its folders; str or bytes. Returns its absolute path."""
        target = self.books / path
        for folder in reversed(target.relative_to(self.books).parents):
            if not (self.books / folder).exists():
                (self.books / folder).mkdir()
                give(self.books / folder)
        target.write_bytes(content.encode() if isinstance(content, str) else content)
        target.chmod(mode)
        give(target)
        return str(target)

    def book(self, script, name="book", **attributes):
        """A runbook of one Command "a" with this script file. Returns the runbook's path."""
        self.write(f"{name}/scripts/a.sh", script, 0o755)
        more = "".join(f" {key}={value}" for key, value in attributes.items())
        return self.write(f"{name}/runbook.mdx",
                          f'# {name}\n\n<Command id="a" path="scripts/a.sh"{more} />\n')

    # ── the broker ──
    def start_broker(self, *args, within=10, under=()):
        """Starts it by hand and waits until both sockets serve. `under`: a program that root starts and
        that starts it as the ordinary user. Returns the pid of what was started."""
        ours, theirs = os.pipe()
        with open(self.log, "ab") as log:
            give(self.log)
            self._broker = self.popen(
                [*under, self.bin / "runbook-broker", "--ready-fd", str(theirs), *args],
                stdout=log, stderr=log, pass_fds=[theirs], start_new_session=True,
                as_root=bool(under))
        os.close(theirs)
        with os.fdopen(ours, "rb", buffering=0) as ready:
            os.set_blocking(ready.fileno(), False)
            answer = wait_until(lambda: _read_or_none(ready), within, "broker ready")
        assert answer != b"eof", f"broker ended at its start:\n{self.logs()}"
        return self._broker.pid

    def socket_path(self, role="operator"):
        return self.runtime / f"{role}.sock"

    def broker_pid(self):
        """Pid of whoever listens on operator.sock, as the kernel says; None without one."""
        with socket.socket(socket.AF_UNIX) as probe:
            probe.settimeout(2)
            try:
                probe.connect(str(self.socket_path()))
            except OSError:
                return None
            raw = probe.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
            return struct.unpack("3i", raw)[0]

    def ours(self, comm=None):
        """Processes of this daemon and its executions (clients included), all or by name."""
        return [process for process in descendants(os.getpid())
                if process.pid not in self._before and (comm is None or process.comm == comm[:15])]

    def pids(self, comm):
        return [process.pid for process in self.ours(comm)]

    def front_pids(self):
        return self.pids("runbookd")

    def reader_pids(self):
        return self.pids("runbook-reader")

    def monitor_pids(self):
        return self.pids("runbook-monitor")

    def kill_broker(self, number=signal.SIGKILL, within=20):
        pid = self.broker_pid()
        assert pid, "no broker runs"
        kill(pid, number)
        if self._broker is not None and self._broker.pid == pid:
            self._broker.wait(within * SLOWER)
            self._broker = None
        wait_gone(pid, within, "broker gone")
        return pid

    # ── the record ──
    def sessions(self):
        folder = self.state / "sessions"
        return sorted(p.name for p in folder.iterdir()) if folder.is_dir() else []

    def session_folder(self, session=None):
        return self.state / "sessions" / (session or self.sessions()[-1])

    def journal(self, session=None):
        """Every line of a session's journal, oldest first."""
        lines = []
        for segment in sorted(self.session_folder(session).glob("journal-*.jsonl")):
            lines += [json.loads(line) for line in segment.read_bytes().splitlines() if line]
        return lines

    def execution_folder(self, execution, session=None):
        return self.session_folder(session) / "executions" / execution

    def logs(self):
        parts = []
        for file in [self.log, *sorted(self.folder.glob("state/**/*.log"))]:
            if file.is_file() and file.stat().st_size:
                parts.append(f"--- {file}\n" + file.read_text(errors="replace")[-6000:])
        return "\n".join(parts)

    def _tell(self):
        print(self.logs(), flush=True)
        for process in self.ours():
            print(f"--- running: {process}", flush=True)

    # ── the end ──
    def end_sessions(self):
        """Politely: every session of this daemon ends, and what runs in it."""
        while self.broker_pid() is not None and self.ctl("session", "end", timeout=30).rc == 0:
            pass

    def close(self, check=True):
        """Ends all that is left, by id. With `check`: what must be gone by itself is."""
        if self._closed:
            return
        self._closed = True
        left = []
        try:
            broker = self.broker_pid()
            if broker is not None:
                kill(broker, signal.SIGTERM)
                try:
                    wait_gone(broker, 20, "broker ends on TERM")
                except AssertionError:
                    left.append("the broker stays after TERM")
                    kill(broker)
            # Monitors would give their executions 15 s; without them a tree goes at once.
            for pid in self.monitor_pids():
                kill(pid)
            try:
                wait_until(lambda: not self.ours(), 5, "nothing left running")
            except AssertionError:
                left += [f"left running: {process}" for process in self.ours()]
            for process in self.ours():
                kill(process.pid)
            wait_until(lambda: not self.ours(), 5, "killed processes gone")
        finally:
            if not os.environ.get("RUNBOOKD_KEEP"):
                remove_tree(self.folder)
            else:
                print(f"kept: {self.folder}", flush=True)
        if check:
            assert not left, "\n".join(left)


def _read_or_none(pipe):
    data = pipe.read(1)
    return b"eof" if data == b"" else data


def remove_tree(folder):
    """Also what scripts left without permissions."""
    def free(function, path, _):
        try:
            os.chmod(os.path.dirname(path), stat.S_IRWXU)
            os.chmod(path, stat.S_IRWXU)
            if function in (os.unlink, os.rmdir):
                function(path)
            else:  # a folder that couldn't be entered
                shutil.rmtree(path, ignore_errors=True)
        except OSError:
            pass
    shutil.rmtree(folder, onerror=free)


# ── running the tests of a file ─────────────────────────────────────────────────────────────────
def main(names):
    """Runs every test_* of a module; exit 1 when one failed, 77 when all were skipped."""
    wanted = sys.argv[1:]
    tests = [(name, what) for name, what in names.items()
             if name.startswith("test_") and callable(what) and (not wanted or name in wanted)]
    passed = failed = skipped = 0
    for name, test in tests:
        began = time.monotonic()
        try:
            test()
            passed += 1
            verdict = "passed"
        except Skipped as why:
            skipped += 1
            verdict = f"skipped: {why}"
        except Exception:  # one test's failure is not the others'
            failed += 1
            verdict = "FAILED"
            traceback.print_exc(file=sys.stdout)
        print(f"{name} ... {verdict} ({time.monotonic() - began:.1f} s)", flush=True)
    print(f"[cases] {passed} passed, {failed} failed, {skipped} skipped", flush=True)
    if not tests:
        print("no such test", wanted)
    sys.exit(1 if failed or not tests else 77 if skipped and not passed else 0)
