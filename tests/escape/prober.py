"""What is possible without a sandbox, in bubblewrap's, and in each of our profiles: one prober, one table.

probe_inside tries and reports. Bare it is the control: what nobody can do shows nothing. `host` must let through
exactly what bare does, a sandbox exactly what ALLOWED lists. docs/THREATS.md keeps the table for our profiles;
`prober.py table` prints it with the others' columns, as this machine has them.
"""
import os
import re
import shutil
import socket
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import harness  # noqa: E402

PAGE = harness.ROOT / "docs/THREATS.md"
SANDBOXES = ("inspect", "workspace", "sealed")
PROBE = harness.BUILD / "tests/escape/probe_inside"
COULD, REACHED = "could", "reached"  # possible; or got past every filter, whatever the kernel said then
CHECKS = [  # what the table calls it, what the prober does, how its answer counts
    ("open the controlling terminal", "1 controlling terminal", COULD),
    ("type into a terminal", "1 TIOCSTI", REACHED),
    ("type into it, with upper bits", "2 TIOCSTI high bits", REACHED),
    ("paste on a console", "3 TIOCLINUX", REACHED),
    ("find descriptors of the starter", "4 descriptors", re.compile(r"=0 1 2 .*\b9\b")),
    ("read the secret in some environment", "12 secret in any environment", "=yes"),
    ("have the service manager's variables", "13 service variables", "=yes"),
    ("give work past the filter (io_uring)", "16 io_uring_setup", REACHED),
    ("enter by a 32-bit call", "17 32-bit call", COULD),
    ("enter by an x32 number", "18 x32 call", REACHED),
    ("make a user namespace", "21 unshare user", COULD),
    ("make one by clone3", "19 clone3 new user", COULD),
    ("have a raw socket in it", "21 raw socket in namespaces of its own", COULD),
    ("reach mount", "20 mount", COULD),
    ("clone a mount", "20 open_tree", COULD),
    ("change the root", "20 chroot", COULD),
    ("make a packet socket", "22 socket family 17", COULD),
    ("make a crypto socket (ALG)", "22 socket family 38", COULD),
    ("make a VSOCK socket", "23 vsock", COULD),
    ("make an IPv4 socket", "22 socket family 2", COULD),
    ("make a netlink socket", "22 socket family 16", COULD),
    ("connect to an abstract socket outside", "50 abstract socket outside", COULD),
    ("connect to a socket file outside", "26 socket file outside", COULD),
    ("connect to a port of the machine's loopback", "51 TCP to the machine's loopback", COULD),
    ("use a keyring", "24 keyctl", COULD),
    ("add a key", "24 add_key", COULD),
    ("trace a child of its own", "25 trace a child of its own", COULD),
    ("trace PID 1", "25 ptrace PID 1", COULD),
    ("read the environment of PID 1", "25 environ of PID 1", COULD),
    ("open the program of PID 1", "37 exe of PID 1", COULD),
    ("open the root of PID 1", "37 root of PID 1", COULD),
    ("see a process outside", "25 process outside", "=seen"),
    ("signal a process outside", "25 signal a process outside", COULD),
    ("reach bpf", "29 bpf", REACHED),
    ("reach perf_event_open", "29 perf_event_open", REACHED),
    ("reach userfaultfd", "29 userfaultfd", REACHED),
    ("reach open_by_handle_at", "29 open_by_handle_at", REACHED),
    ("reach memory policy", "29 mbind", REACHED),
    ("read the kernel's log", "29 kernel log", COULD),
    ("take real-time priority", "29 real-time priority", COULD),
    ("make its memory executable as a whole", "30 read implies exec", COULD),
    ("switch address randomisation off", "30 no randomisation", COULD),
    ("execute a program in memory", "32 execute from memory", COULD),
    ("execute a file it wrote", "32 execute a file in /tmp", COULD),
    ("leave a set-user-id file", "28 chmod set-user-id", COULD),
    ("gain by a set-user-id program", "27 no_new_privs", "=0"),
    ("read a private file of home", "113 file in home", COULD),
    ("write into the operator's home", "113 mark in home", COULD),
    ("read a private file elsewhere", "26 secret file", COULD),
    ("write below /usr", "43 write in /usr", COULD),
    ("write below /etc", "43 write in /etc", COULD),
    ("see shared memory outside", "45 shared memory outside", COULD),
    ("attach System V memory outside", "45 System V memory outside", COULD),
    ("open a message queue outside", "45 message queue outside", COULD),
    ("open /dev/kvm", "46 /dev/kvm", COULD),
    ("open /dev/mem", "46 /dev/mem", COULD),
    ("open a disk", "46 /dev/vda", COULD),
    ("write to /proc/sys", "38 write /proc/sys", COULD),
    ("write to /sys", "38 write /sys", COULD),
    ("leave a core file", "73 core limit", re.compile("=[^0]")),
    ("change the script it runs", "47 write the script", COULD),
]
EVERYWHERE = {"make an IPv4 socket", "make a netlink socket", "execute a program in memory", "execute a file it wrote"}
ALLOWED = {
    "inspect": EVERYWHERE | {"connect to a port of the machine's loopback"},
    "workspace": EVERYWHERE | {"connect to a port of the machine's loopback"},
    "sealed": EVERYWHERE,
}
# In every profile a script has no terminal, nothing of the starter's, no core file, and can't change itself.
NEVER_OURS = {"open the controlling terminal", "find descriptors of the starter", "change the script it runs",
              "leave a core file"}


class Outside:
    """What lies outside to be found, and the answers of every place."""

    def __init__(self):
        self.daemon = d = harness.Daemon("prober", env={"RB_OUTSIDE": "outside-secret", "NOTIFY_SOCKET": "/x"})
        self.folder = d.folder / "outside"
        self.folder.mkdir()
        harness.give(self.folder)
        self.work = d.folder / "work"
        self.work.mkdir()
        shutil.copy2(PROBE, self.work / "probe")
        for path in (self.work, self.work / "probe"):
            harness.give(path)
        (self.folder / "secret").write_text("outside-secret")
        (d.home / "private").write_text("x")
        for path in (self.folder / "secret", d.home / "private"):
            harness.give(path)
        self.listeners = [self._listen(socket.AF_UNIX, f"\0rb-prober-{os.getpid()}"),
                          self._listen(socket.AF_UNIX, str(self.folder / "socket")),
                          self._listen(socket.AF_INET, ("127.0.0.1", 0))]
        harness.give(self.folder / "socket")
        self.holder = d.popen([sys.executable, "-c", HOLD, f"/rb-prober-{os.getpid()}", str(os.getpid())],
                              stdin=subprocess.PIPE)
        assert self.holder.stdout.readline() == b"held\n", self.holder.stderr.read()
        self.variables = {
            "PROBE_ABSTRACT": f"@rb-prober-{os.getpid()}", "PROBE_SOCKET": str(self.folder / "socket"),
            "PROBE_SECRET": str(self.folder / "secret"), "PROBE_HOME": str(d.home / "private"),
            "PROBE_PORT": str(self.listeners[2].getsockname()[1]), "PROBE_PID": str(self.holder.pid),
            "PROBE_SHM": f"/dev/shm/rb-prober-{os.getpid()}", "PROBE_KEY": str(os.getpid()),
            "PROBE_QUEUE": f"/rb-prober-{os.getpid()}",
        }
        exports = "".join(f"export {name}='{value}'\n" for name, value in self.variables.items())
        self.book = d.book("#!/bin/bash\n" + exports + "exec ./probe\n")
        self.answers = {}

    def _listen(self, family, address):
        listener = socket.socket(family)
        listener.bind(address)
        listener.listen(64)
        return listener

    def _parsed(self, text):
        answers = dict(line.split("\t", 1) for line in text.splitlines() if "\t" in line)
        assert len(answers) > 100, text[-2000:]
        mark = self.daemon.home / "private.mark"
        answers["113 mark in home"] = "possible" if mark.exists() else "nothing"
        mark.unlink(missing_ok=True)
        return answers

    def of_command(self, *before):
        secret = os.open(self.folder / "secret", os.O_RDONLY)
        os.dup2(secret, 9, inheritable=True)  # a descriptor that somebody forgot to mark
        try:
            process = self.daemon.popen([*TERMINAL, *before, self.work / "probe"], env=self.variables, cwd=self.work,
                                        pass_fds=[9], stdin=subprocess.DEVNULL)
            out, err = process.communicate(timeout=60 * harness.SLOWER)
        finally:
            os.close(9)
            os.close(secret)
        assert process.returncode == 0, err
        return self._parsed(out.decode())

    def of(self, place):
        if place not in self.answers:
            if place == "bare":
                self.answers[place] = self.of_command()
            elif place in BWRAP:
                self.answers[place] = self.of_command(*(str(word).replace("WORK", str(self.work))
                                                        for word in BWRAP[place]))
            else:
                done = self.daemon.ctl("run", self.book, "a", "--new", "--profile", place, "--work", self.work)
                assert done.rc == 0, repr(done)
                self.answers[place] = self._parsed(done.text())
        return self.answers[place]

    def lets_through(self, place):
        """The checks that succeed there."""
        answers, out = self.of(place), set()
        for label, name, counts in CHECKS:
            answer = answers[name]
            if counts == COULD:
                could = answer == "possible"
            elif counts == REACHED:
                could = answer not in ("EPERM", "ENOSYS") and not answer.startswith("killed")
            else:
                could = bool(counts.match(answer)) if isinstance(counts, re.Pattern) else answer == counts
            if could:
                out.add(label)
        return out

    def close(self):
        for listener in self.listeners:
            listener.close()
        self.holder.communicate(b"")
        self.daemon.end_sessions()
        self.daemon.close()


HOLD = """
import ctypes, os, sys
libc, rt = ctypes.CDLL(None), ctypes.CDLL("librt.so.1")
name, key = sys.argv[1], int(sys.argv[2])
fd = rt.shm_open(name.encode(), os.O_CREAT | os.O_RDWR, 0o600)
segment = libc.shmget(key, 64, 0o1600)
queue = rt.mq_open(name.encode(), os.O_CREAT | os.O_RDONLY, 0o600, None)
assert min(fd, segment, queue) >= 0
print("held", flush=True)
sys.stdin.read()
rt.shm_unlink(name.encode())
rt.mq_unlink(name.encode())
libc.shmctl(segment, 0, None)
"""
# A terminal of its own, so that there is one to be found.
TERMINAL = [sys.executable, "-c",
            "import fcntl, os, pty, sys, termios\nmaster, slave = pty.openpty()\nif os.fork() == 0:\n    os.setsid()\n"
            "    fcntl.ioctl(slave, termios.TIOCSCTTY, 0)\n    os.dup2(slave, 0)\n    os.set_inheritable(9, True)\n"
            "    os.execvp(sys.argv[1], sys.argv[1:])\nsys.exit(os.waitstatus_to_exitcode(os.wait()[1]))"]
BWRAP = {
    "bwrap": ["bwrap", "--unshare-all", "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--tmpfs", "/tmp",
              "--bind", "WORK", "WORK", "--die-with-parent"],
    "bwrap, strict": ["bwrap", "--unshare-all", "--unshare-user", "--disable-userns", "--new-session", "--ro-bind", "/usr",
                      "/usr", "--symlink", "usr/bin", "/bin", "--symlink", "usr/lib", "/lib", "--symlink", "usr/lib64",
                      "/lib64", "--ro-bind", "/etc", "/etc", "--dev", "/dev", "--proc", "/proc", "--tmpfs", "/tmp",
                      "--bind", "WORK", "WORK", "--die-with-parent"],
}
_outside = None


def outside():
    global _outside
    if _outside is None:
        _outside = Outside()
    return _outside


def test_the_prober_notices_what_is_possible():
    bare = outside().lets_through("bare")
    wanted = {"open the controlling terminal", "find descriptors of the starter", "read the secret in some environment",
              "connect to an abstract socket outside", "connect to a socket file outside", "signal a process outside",
              "connect to a port of the machine's loopback", "read a private file of home", "write into the operator's home",
              "attach System V memory outside", "open a message queue outside", "see shared memory outside",
              "leave a set-user-id file", "make a VSOCK socket", "reach bpf", "gain by a set-user-id program"}
    assert wanted <= bare, wanted - bare
    assert len(bare) > len(CHECKS) / 2, bare


def test_host_lets_through_what_bare_does():
    bare, host = outside().lets_through("bare"), outside().lets_through("host")
    assert host - NEVER_OURS == bare - NEVER_OURS, host ^ bare
    assert not host & NEVER_OURS, host & NEVER_OURS


def compare(profile):
    got = outside().lets_through(profile)
    assert got == ALLOWED[profile], f"too much: {got - ALLOWED[profile]}, too little: {ALLOWED[profile] - got}"


def test_inspect_lets_through_what_is_listed():
    compare("inspect")


def test_workspace_lets_through_what_is_listed():
    compare("workspace")


def test_sealed_lets_through_what_is_listed():
    compare("sealed")


def test_bubblewrap_lets_more_through():
    harness.need_program("bwrap")
    for place in BWRAP:
        more = outside().lets_through(place) - ALLOWED["workspace"]
        assert more, f"{place}: nothing but what workspace lets through; is the prober inside it at all?"


def table(places):
    yield f"| What a script tries | {' | '.join(places)} |"
    yield "|---|" + "---|" * len(places)
    for label, _, _ in CHECKS:
        cells = ("**yes**" if label in outside().lets_through(place) else "no" for place in places)
        yield f"| {label} | {' | '.join(cells)} |"


def test_the_table_of_the_docs_is_this_one():
    rows = {cells[0]: cells[1:] for cells in
            ([cell.strip() for cell in line.strip("|").split("|")] for line in PAGE.read_text().splitlines()
             if line.startswith("| "))}
    columns = rows["What a script tries"]
    for label, _, _ in CHECKS:
        assert label in rows, f"docs/THREATS.md doesn't have: {label}"
        for profile in SANDBOXES:
            told = rows[label][columns.index(f"`{profile}`")]
            assert told == ("**yes**" if label in ALLOWED[profile] else "no"), (label, profile, told)


if __name__ == "__main__":
    try:
        if sys.argv[1:] == ["table"]:
            print("\n".join(table(["bare", *BWRAP, *SANDBOXES, "host"])))
        else:
            harness.main(globals())
    finally:
        if _outside is not None:
            _outside.close()
