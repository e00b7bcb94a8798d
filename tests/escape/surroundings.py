"""What surrounds the daemon when it starts: descriptors, signals, limits, mounts, missing layers, planted
sockets. Each test is named for its threat (docs/THREATS.md). A script gets nothing of it; where the
machine can't do what a profile needs, that profile is refused by name and the rest goes on.
"""
import os
import platform
import re
import signal
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import harness  # noqa: E402
from harness import Daemon, kill, wait_until  # noqa: E402

WITHHOLD = Path(__file__).resolve().parents[1] / "support" / "withhold.py"
# Does something to itself, then becomes the broker.
BECOME = "import fcntl, os, resource, signal, sys\n{what}\nos.execv(sys.argv[1], sys.argv[1:])\n"
# The same user with the right to mount, in namespaces that go with the program.
OWN_MOUNTS = ["unshare", "--user", "--map-current-user", "--keep-caps", "--mount", "--propagation", "shared"]
PLAIN_AGAIN = "exec setpriv --ambient-caps=-all --inh-caps=-all"
SHOW = """#!/usr/bin/env python3
import os
print(*(f"{n}={os.readlink(f'/proc/self/fd/{n}').split(':')[0]}" for n in sorted(map(int, os.listdir("/proc/self/fd")))
        if os.path.exists(f"/proc/self/fd/{n}") or n < 3), flush=True)
os.write(2, b"to stderr\\n")
print("read", os.read(0, 10))
"""


def broker_after(d, what, more_fds=()):
    """A broker whose process did `what` (python) before it became one."""
    with open(d.log, "ab") as log:
        harness.give(d.log)
        d.popen([sys.executable, "-c", BECOME.replace("{what}", what), d.bin / "runbook-broker"],
                stdout=log, stderr=log, start_new_session=True, pass_fds=more_fds)
    wait_until(d.broker_pid, 10, f"a broker: {d.logs()[-500:]}")


def within(d, shell, *words):
    """runbookctl in mount and user namespaces of its own in which `shell` was executed before; the daemon that
    it starts lives there too."""
    harness.need_program("unshare")
    harness.need_program("setpriv")
    line = " ".join(f"'{word}'" for word in (d.bin / "runbookctl", *words))
    return d.run([*OWN_MOUNTS, "bash", "-ec", f"{shell}\n{PLAIN_AGAIN} {line}"])


def starts_not(d, shell):
    """The broker alone under the same circumstances, without a client that tries again: why it ends."""
    done = d.run([*OWN_MOUNTS, "bash", "-ec", f"{shell}\n{PLAIN_AGAIN} {d.bin / 'runbook-broker'}"])
    assert done.rc not in (0, None) and d.broker_pid() is None, repr(done)
    return done.err


class Aside:
    """A shell with the right to mount and to set limits of its namespaces, in which a broker runs as usual."""

    def __init__(self, d, before=":"):
        self.shell = d.popen([*OWN_MOUNTS, "bash", "-e"], stdin=subprocess.PIPE)
        self.say(before)
        self.say(f"({PLAIN_AGAIN} {d.bin / 'runbook-broker'}) >>{d.log} 2>&1 &")
        wait_until(d.broker_pid, 10, "a broker")

    def say(self, line):
        self.shell.stdin.write(f"{line}\necho done\n".encode())
        self.shell.stdin.flush()
        assert self.shell.stdout.readline() == b"done\n", (line, self.shell.stderr.read())

    def close(self):
        self.shell.stdin.close()
        self.shell.wait()


def need_mounts(d):
    if d.run([*OWN_MOUNTS, "mount", "-t", "tmpfs", "t", "/mnt"]).rc != 0:
        harness.skip("an ordinary user can't mount in a user namespace here")


def show_book(d):
    d.write("show/show.py", SHOW, 0o755)
    return d.write("show/runbook.mdx", '# Show\n\n<Command id="a" path="show.py" />\n')


# ── inherited state ──
def test_004_descriptors_that_the_starter_left_open():
    with Daemon("fds") as d:
        secret = d.folder / "secret"
        secret.write_text("x")
        fds = [os.open(secret, os.O_RDONLY) for _ in range(150)] + [os.open("/", os.O_RDONLY) for _ in range(50)]
        try:
            broker_after(d, "", fds)
        finally:
            for fd in fds:
                os.close(fd)
        book = show_book(d)
        for profile in ("workspace", "inspect", "sealed", "host"):
            done = d.ok("run", book, "a", "--profile", profile, "--new")
            numbers = [int(word.split("=")[0]) for word in done.text().split("\n")[0].split()]
            assert numbers[:3] == [0, 1, 2] and len(numbers) <= 4, (profile, done.text())
            assert str(secret) not in done.text()
        d.end_sessions()


def test_006_standard_streams_closed_in_every_combination():
    for closed in range(8):
        numbers = [n for n in range(3) if closed & 1 << n]
        with Daemon("streams") as d:
            broker_after(d, f"for n in {numbers}: os.close(n)")
            book = show_book(d)
            for profile in ("workspace", "host"):
                done = d.ok("run", book, "a", "--profile", profile, "--new")
                first, *rest = done.text().splitlines()
                assert first.startswith("0=/dev/null 1=pipe 2=pipe"), (numbers, profile, first)
                assert rest == ["to stderr", "read b''"], (numbers, profile, rest)
            assert (d.state / "lock").read_text() == f"{d.broker_pid()}\n", "something wrote into the lock"
            if os.geteuid() == 0:  # nobody else may look
                for pid in (d.broker_pid(), *d.front_pids()):
                    for n in set(os.listdir(f"/proc/{pid}/fd")) & {"0", "1", "2"}:
                        assert str(d.state) not in os.readlink(f"/proc/{pid}/fd/{n}"), (numbers, pid, n)
            d.end_sessions()
            assert d.ctl("record", "verify").rc == 0


def test_007_a_stream_that_a_script_made_nonblocking():
    flags = "import fcntl, os\nprint([bool(fcntl.fcntl(n, fcntl.F_GETFL) & os.O_NONBLOCK) for n in range(3)])\n"
    sets = ("import fcntl, os, select\nfor n in range(3): fcntl.fcntl(n, fcntl.F_SETFL, fcntl.fcntl(n, fcntl.F_GETFL)"
            " | os.O_NONBLOCK)\nleft = 24 << 20\nwhile left:\n    select.select([], [1], [])\n    try: left -= os.write(1,"
            " b'x' * min(left, 65536))\n    except BlockingIOError: pass\n")
    with Daemon("nonblock") as d:
        d.write("n/flags.py", "#!/usr/bin/env python3\n" + flags, 0o755)
        d.write("n/sets.py", "#!/usr/bin/env python3\n" + sets, 0o755)
        d.write("n/control.sh", "#!/bin/bash\npython3 - <<'END'\n" + sets.split("left")[0] + "END\npython3 - <<'END'\n"
                + flags + "END\n", 0o755)
        book = d.write("n/runbook.mdx", "".join(f'<Command id="{b}" path="{b}.{e}" />\n\n' for b, e in
                                                (("flags", "py"), ("sets", "py"), ("control", "sh"))))
        for profile in ("workspace", "host"):
            done = d.ok("run", book, "sets", "--profile", profile, "--new")
            assert len(done.out) == 24 << 20 and not done.out.strip(b"x"), len(done.out)
            assert d.ok("run", book, "flags", "--profile", profile).text() == "[False, False, False]\n"
        control = d.ok("run", book, "control").text()
        assert control.endswith("True]\n"), f"the flag doesn't even stay within one script: {control}"
        d.end_sessions()


def test_010_ignored_and_blocked_signals():
    with Daemon("signals") as d:
        broker_after(d, "for n in range(1, 32):\n"
                        "    if n not in (9, 19): signal.signal(n, signal.SIG_IGN)\n"
                        "signal.pthread_sigmask(signal.SIG_BLOCK, set(range(1, 32)))")
        book = d.book("#!/bin/bash\ngrep -E 'Sig(Blk|Ign)' /proc/self/status\nexit 7\n")
        for profile in ("workspace", "inspect", "sealed", "host"):
            done = d.ctl("run", book, "a", "--profile", profile, "--new")
            assert done.rc == 7, repr(done)
            assert re.findall(r"Sig...:\t(\w+)", done.text()) == ["0" * 16] * 2, (profile, done.text())
        d.end_sessions()


def test_011_limits_and_settings_of_the_starter():
    if platform.machine() != "x86_64":
        harness.skip("numbers of system calls are x86-64's")
    shows = ("#!/bin/bash\numask; ulimit -Hc; ulimit -Sn; cat /proc/self/oom_score_adj; echo \"$LANG $SECRET\"\n"
             "ulimit -Hn 1000000 2>&1 | grep -c .\n")
    with Daemon("odd") as d:
        broker_after(d, "os.umask(0o777)\nresource.setrlimit(resource.RLIMIT_CORE, (0, 0))\n"
                        "open('/proc/self/oom_score_adj', 'w').write('300')\n"
                        "os.environ.update(LANG='xx_XX', SECRET='of the starter')\n"
                        "resource.setrlimit(resource.RLIMIT_NOFILE, (200, 200))")
        book = d.book(shows)
        umask, core, files, oom, names, raised = d.ok("run", book, "a").text().splitlines()
        assert umask == "0022" and core == "0" and int(files) <= 1024, (umask, core, files)
        assert names == "C.UTF-8 ", names
        assert raised == "1", "a hard limit was raised"
        assert int(oom) >= 200, oom
        d.end_sessions()


# ── layers and mounts of the machine ──
def test_035_a_machine_without_openat2():
    if platform.machine() != "x86_64":
        harness.skip("numbers of system calls are x86-64's")
    with Daemon("no-openat2") as d:
        book = d.book("#!/bin/bash\ntouch ran\necho ran\n")
        control = d.run([sys.executable, WITHHOLD, "nothing", d.bin / "runbookctl", "run", book, "a"])
        assert control.rc == 0 and control.out == b"ran\n", repr(control)
        d.end_sessions()
        d.kill_broker(signal.SIGTERM)
        done = d.run([sys.executable, WITHHOLD, "openat2", d.bin / "runbookctl", "run", book, "a", "--new"])
        assert done.rc in (125, 126) and done.out == b"" and "openat2" in done.err, repr(done)


def mount_lines(text):
    """Mounts and their options without the numbers that grow."""
    return sorted(" ".join(line.split()[3:]) for line in text.splitlines())


def test_039_mounts_of_a_sandbox_stay_in_it():
    with Daemon("shared") as d:
        need_mounts(d)
        d.write("m/look.sh", "#!/bin/bash\ncat /proc/self/mountinfo\n", 0o755)
        d.write("m/work.sh", "#!/bin/bash\necho in\n", 0o755)
        book = d.write("m/runbook.mdx", '<Command id="look" path="look.sh" />\n\n<Command id="work" path="work.sh" />\n')
        before = within(d, ":", "run", book, "look", "--profile", "host").text()
        assert " shared:" in before, "the root isn't shared, so nothing is tried"
        for _ in range(50):
            assert d.ok("run", book, "work").out == b"in\n"
        after = d.ok("run", book, "look", "--profile", "host").text()
        assert mount_lines(before) == mount_lines(after)
        # What a namespace that shares its mounts would show.
        control = d.run([*OWN_MOUNTS, "sh", "-ec", "unshare --mount --propagation unchanged mount -t tmpfs t /mnt\n"
                         "grep -c ' /mnt ' /proc/self/mountinfo"])
        assert control.out == b"1\n", repr(control)
        d.end_sessions()


def test_040_what_is_mounted_below_a_folder_of_the_system():
    place = next((p for p in ("/usr/local/share", "/usr/local/lib", "/opt") if os.path.isdir(p)), None)
    with Daemon("below") as d:
        need_mounts(d)
        book = d.book(f"#!/bin/bash\ntouch {place}/written && echo wrote\ngrep ' {place} ' /proc/self/mountinfo\ntrue\n")
        done = within(d, f"mount -t tmpfs t {place}", "run", book, "a")
        assert done.rc == 0 and "wrote" not in done.text(), repr(done)
        options = set(done.text().split(f" {place} ")[1].split()[0].split(","))
        assert {"ro", "nosuid", "nodev"} <= options, options
        assert "wrote" in d.ok("run", book, "a", "--profile", "host").text(), "nobody could write there anyway"
        d.end_sessions()


def test_041_a_machine_that_refuses_a_proc_of_ones_own():
    covered = next((p for p in ("/proc/acpi", "/proc/scsi", "/proc/driver") if os.path.isdir(p)), None)
    if covered is None:
        harness.skip("nothing in /proc to cover")
    with Daemon("masked") as d:
        need_mounts(d)
        book = d.book("#!/bin/bash\necho ran\n")
        done = within(d, f"mount -t tmpfs t {covered}", "run", book, "a")
        assert done.rc == 126 and done.out == b"" and "mount /proc" in done.err, repr(done)
        told = d.ctl("doctor", "--json").json()
        usable = {profile["name"]: profile["usable"] for profile in told["profiles"]}
        assert usable["host"] and not any(usable[name] for name in ("workspace", "inspect", "sealed")), usable
        assert d.ok("run", book, "a", "--profile", "host").out == b"ran\n"
        d.end_sessions()


def test_085_a_machine_whose_limit_of_user_namespaces_is_0():
    with Daemon("none") as d:
        need_mounts(d)
        book = d.book("#!/bin/bash\ntouch ran; echo ran\n")
        none = "echo 0 >/proc/sys/user/max_user_namespaces"
        told = within(d, none, "doctor", "--json").json()
        facts = {fact["name"]: fact["ok"] for fact in told["machine"]}
        assert facts["user namespaces"] is False and facts["seccomp"] and facts["Landlock"], facts
        assert "No space left" in starts_not(d, none)
        assert d.ok("run", book, "a").out == b"ran\n", "it doesn't run without that limit either"
        d.end_sessions()


# ── what runs out ──
def test_044_a_disk_that_a_script_fills():
    with Daemon("full") as d:
        need_mounts(d)
        d.write("b/fill.sh", "#!/bin/bash\nhead -c 300M /dev/zero >big || echo \"head: $?\"\nfallocate -l 300M big2 || echo full\n"
                             "for i in $(seq 2000); do echo $i >small-$i || break; done 2>/dev/null\necho over\nexit 3\n", 0o755)
        d.write("b/free.sh", "#!/bin/bash\nrm -f big big2 small-*; echo freed\n", 0o755)
        book = d.write("b/runbook.mdx", '<Command id="fill" path="fill.sh" />\n\n<Command id="free" path="free.sh" />\n')
        (d.state.parent / "runbookd").mkdir(exist_ok=True)
        harness.give(d.state.parent)
        aside = Aside(d, f"mount -t tmpfs -o size=160m,mode=700 t {d.state.parent}")
        done = d.ctl("run", book, "fill")
        assert done.rc == 143 and "stopped" in done.err and "No space left" in done.err, repr(done)
        refused = d.ctl("run", book, "fill")
        assert refused.rc == 126 and refused.out == b"" and "free" in refused.err, repr(refused)
        assert d.ctl("ps").rc == 0 and d.ctl("session", "note", "it is full").rc == 0
        told = d.folder / "told"
        aside.say(f"{d.bin / 'runbookctl'} record verify --json >{told} 2>&1 || true; rm -f {d.state}/sessions/*/runs/*/work/*")
        assert '"ok":true' in told.read_text().replace(" ", ""), told.read_text()
        assert d.ok("run", book, "free").out == b"freed\n"
        d.end_sessions()
        d.kill_broker(signal.SIGTERM)
        aside.close()


def still_serves(d, book):
    done = d.ctl("run", book, "a", "--new")
    assert done.rc == 0 and done.out == b"ran\n", repr(done)


def test_089_descriptors_run_out():
    with Daemon("few") as d:
        broker_after(d, "resource.setrlimit(resource.RLIMIT_NOFILE, (100, 100))")
        d.ok("session", "start", "--as", "t", "--why", "t")
        if "no read-only view" in d.logs():  # what this user's other programs send counts against the limit too
            raise harness.Skipped("descriptors of this user are under way elsewhere")
        # A script that is read from memory needs number 100, so no sandbox is offered: by name.
        book = d.book("#!/bin/bash\necho ran\n")
        for profile in ("workspace", "inspect", "sealed"):
            done = d.ctl("run", book, "a", "--profile", profile)
            assert done.rc == 126 and done.out == b"" and f"can't enforce {profile}" in done.err, repr(done)
            assert "descriptors" in done.err, repr(done)
        assert d.ctl("ps").rc == 0
        assert not [line for line in d.journal() if line["type"] == "started"]
        d.end_sessions()


def test_089_processes_run_out():
    with Daemon("procs") as d:
        need_mounts(d)
        book = d.book("#!/bin/bash\necho ran\n")
        aside = Aside(d)  # in a user namespace of its own, so that only its own processes count
        assert d.ok("run", book, "a").out == b"ran\n"

        def let_them_have(most):  # as their user: root elsewhere may not
            pids = [p.pid for p in d.ours() if p.comm.startswith("runbook")]
            done = d.run([sys.executable, "-c", "import resource as r, sys\nhard = r.getrlimit(r.RLIMIT_NPROC)[1]\n"
                          "for pid in sys.argv[2:]:\n    try:\n        r.prlimit(int(pid), r.RLIMIT_NPROC, (int(sys.argv[1]) or hard, hard))\n"
                          "    except ProcessLookupError:\n        pass",
                          most, *pids])
            assert done.rc == 0, repr(done)

        ends = []
        while not ends or (ends[-1].rc == 0 and len(ends) < 10):  # the first may take what waits for it
            let_them_have(1)
            ends.append(d.ctl("run", "book", "a"))
        # Why is only in the daemon's log: docs/THREATS.md.
        assert ends[-1].rc in (125, 126) and ends[-1].out == b"" and "passed" not in ends[-1].err, ends[-1]
        let_them_have(0)
        wait_until(lambda: d.ctl("run", "book", "a").rc == 0, 10, "launches again")
        d.end_sessions()
        d.kill_broker(signal.SIGTERM)
        aside.close()


def test_089_namespaces_run_out():
    with Daemon("spaces") as d:
        need_mounts(d)
        book = d.book("#!/bin/bash\necho ran\n")
        aside = Aside(d)
        assert d.ok("run", book, "a").out == b"ran\n"
        for kind in ("user", "mnt", "pid", "ipc", "uts", "cgroup"):
            place = f"/proc/sys/user/max_{kind}_namespaces"
            aside.say(f"old=$(cat {place}); echo 0 >{place}")
            ends = [d.ctl("run", "book", "a") for _ in range(2)]  # the first takes what waits for it
            assert ends[1].rc in (125, 126) and ends[1].out == b"" and "No space left" in ends[1].err, (kind, ends)
            assert d.ok("run", "book", "a", "--profile", "host").out == b"ran\n"
            aside.say(f"echo $old >{place}")
            still = wait_until(lambda: d.ctl("run", "book", "a").rc == 0, 10, f"sandboxes again after {kind}")
            assert still
        d.end_sessions()
        d.kill_broker(signal.SIGTERM)
        aside.close()


def test_089_pipe_memory_runs_out():
    with Daemon("pipes") as d:
        book = d.book("#!/bin/bash\nseq 1 200000 | tail -1\n")
        hog = d.popen([sys.executable, "-c",
                       "import os, fcntl, resource, sys\nresource.setrlimit(resource.RLIMIT_NOFILE, (4096, 4096))\n"
                       "pipes = []\ntry:\n    for _ in range(1500):\n        pipes.append(os.pipe())\n"
                       "        fcntl.fcntl(pipes[-1][0], 1031, 1 << 20)\nexcept OSError: pass\n"
                       "print('full', flush=True)\nsys.stdin.read()\n"], stdin=subprocess.PIPE)
        assert hog.stdout.readline() == b"full\n"
        try:
            assert d.ok("run", book, "a").out == b"200000\n"
        finally:
            hog.communicate(b"")
        d.end_sessions()


# ── sockets ──
def test_079_planted_places_of_the_sockets():
    with Daemon("plant") as d:
        book = d.book("#!/bin/bash\necho ran\n")
        victim = d.folder / "victim"
        victim.write_text("untouched")
        harness.give(victim)

        def runs(said=None):
            done = d.ctl("run", book, "a", "--new")
            if said is None:
                assert done.rc == 0 and done.out == b"ran\n", repr(done)
                d.end_sessions()
                d.kill_broker(signal.SIGTERM)
            else:
                assert done.rc == 125 and said in done.err, repr(done)
            assert victim.read_text() == "untouched"

        def plant(make):
            harness.remove_tree(d.runtime)
            make()
            for made in (d.runtime, *(d.runtime.iterdir() if d.runtime.is_dir() and not d.runtime.is_symlink() else ())):
                harness.give(made)

        def folder(mode):
            d.runtime.mkdir()
            d.runtime.chmod(mode)

        def in_folder(make):
            folder(0o700)
            make(d.socket_path())

        plant(lambda: in_folder(lambda path: path.write_text("not a socket")))
        runs()
        plant(lambda: in_folder(lambda path: path.symlink_to(victim)))
        runs()
        elsewhere = d.folder / "elsewhere"
        elsewhere.mkdir(mode=0o700)
        harness.give(elsewhere)
        plant(lambda: d.runtime.symlink_to(elsewhere))
        runs("isn't a folder of yours alone")
        assert not any(elsewhere.iterdir())
        d.runtime.unlink()
        plant(lambda: folder(0o777))
        runs("isn't a folder of yours alone")
        harness.remove_tree(d.runtime)
        # One that died left its socket; one that lives keeps its own.
        d.start_broker()
        d.kill_broker()
        assert d.socket_path().exists()
        d.start_broker()
        first = d.broker_pid()
        second = d.run([d.bin / "runbook-broker"], timeout=20)
        assert second.rc == 1 and f"already running, pid {first}" in second.err, repr(second)
        assert d.broker_pid() == first


def test_079_without_a_runtime_folder():
    with Daemon("tmp") as d:
        need_mounts(d)
        place = f"/tmp/runbookd-{harness.account().uid}"
        # A /tmp of its own that still has this test's folder in it.
        own_tmp = ("mount --make-rprivate /; mount -t tmpfs t /mnt; mkdir /mnt/k\n"
                   f"mount -n --rbind {d.folder} /mnt/k; mount -t tmpfs -o mode=1777 t /tmp\n"
                   f"mkdir -p {d.folder}; mount -n --move /mnt/k {d.folder}; unset XDG_RUNTIME_DIR\n")
        why = starts_not(d, own_tmp + f"mkdir {place}; chmod 777 {place}")
        assert "open to others" in why, why
        why = starts_not(d, own_tmp + f"ln -s /mnt {place}")
        assert "not a link" in why, why
        done = within(d, own_tmp, "session", "start", "--as", "t", "--why", "t")
        assert done.rc == 0, repr(done)
        (pid,) = d.pids("runbook-broker")
        kill(pid, signal.SIGTERM)
        harness.wait_gone(pid, 20)


if __name__ == "__main__":
    harness.main(globals())
