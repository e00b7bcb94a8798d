"""Under a real `systemd --user`: socket activation, Type=notify, restart and crash with an execution
running, stop. Needs root, who makes the manager (tests/support/systemd_user.sh).
"""
import os
import shutil
import stat
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import harness  # noqa: E402
from harness import Daemon, wait_until  # noqa: E402

HERE = Path(__file__).resolve()
STEPS = """#!/bin/bash
n=0
until [ -e "$RUNBOOK_WORK/enough" ]; do
  n=$((n + 1))
  echo "step $n"
  sleep 0.05
done
echo done
"""


class Managed(Daemon):
    """A daemon that the user's manager starts: its own state folder, the manager's runtime folder."""

    def __init__(self):
        super().__init__("sd")
        runtime = os.environ["XDG_RUNTIME_DIR"]
        self.runtime = Path(runtime) / "runbookd"
        self.env.update(XDG_RUNTIME_DIR=runtime, HOME=os.environ["HOME"],
                        DBUS_SESSION_BUS_ADDRESS=os.environ["DBUS_SESSION_BUS_ADDRESS"])
        units = Path(runtime) / "systemd" / "user"
        units.mkdir(parents=True, exist_ok=True)
        service = (harness.BUILD / "systemd/runbookd-test.service").read_text()
        (units / "runbookd.service").write_text(
            service.replace("[Service]", f"[Service]\nStandardError=append:{self.log}"))
        for name in ("runbookd-operator.socket", "runbookd-agent.socket"):
            shutil.copy(harness.ROOT / "systemd" / name, units / name)
        self.systemctl("set-environment", f"XDG_STATE_HOME={self.env['XDG_STATE_HOME']}")
        self.systemctl("daemon-reload")
        self.systemctl("start", "runbookd-operator.socket", "runbookd-agent.socket")

    def systemctl(self, *args, check=True):
        done = subprocess.run(["systemctl", "--user", *args], capture_output=True, text=True,
                              check=False)
        assert not check or done.returncode == 0, f"systemctl {args}: {done.stderr}"
        return done.stdout.strip()

    def show(self, name, unit="runbookd.service"):
        return self.systemctl("show", "--value", "-p", name, unit)

    def broker_pid(self):
        return int(self.show("MainPID")) or None

    def ours(self, comm=None):
        """They are the manager's children, not ours; the pid namespace holds nobody else's."""
        names = [comm[:15]] if comm else [program[:15] for program in harness.PROGRAMS]
        return [p for p in harness.processes().values() if p.comm in names and p.state not in "ZX"]

    def start_steps(self, name):
        book = self.book(STEPS, name)
        execution = self.ok("run", book, "a", "--detach").text().strip()
        wait_until(lambda: b"step 3\n" in self.output(execution), 10, "some steps")
        return execution

    def output(self, execution):
        file = self.execution_folder(execution) / "output"
        return file.read_bytes() if file.exists() else b""

    def enough(self, name):
        work = next((self.session_folder() / "runs").glob(f"{name}-*")) / "work"
        (work / "enough").write_text("")

    def check_steps(self, execution):
        lines = self.output(execution).decode().splitlines()
        assert lines == [f"step {n}" for n in range(1, len(lines))] + ["done"], lines[-5:]
        return len(lines)

    def outcome(self, execution):
        return next((line["outcome"] for line in self.journal()
                     if line["type"] == "finished" and line["execution"] == execution), None)

    def close(self, check=True):
        self.systemctl("stop", "runbookd.service", "runbookd-operator.socket",
                       "runbookd-agent.socket", check=False)
        super().close(check)


# ── inside the manager's session, as the ordinary user ──
def inside_activation():
    with Managed() as d:
        assert d.show("ActiveState") == "inactive", "nobody has asked yet"
        for role in ("operator", "agent"):
            path = d.socket_path(role)
            assert stat.S_IMODE(path.stat().st_mode) == 0o600, oct(path.stat().st_mode)
        assert stat.S_IMODE(d.runtime.stat().st_mode) == 0o700
        d.ok("session", "start", "--as", "tester", "--why", "activation")
        # One front may serve before the other is ready, and the manager is told of both.
        wait_until(lambda: d.show("ActiveState") == "active" and d.show("SubState") == "running", 5,
                   "the manager told that it serves")
        assert d.show("Type") == "notify" and d.broker_pid()
        book = d.book("#!/bin/bash\necho under systemd\n")
        done = d.ctl("run", book, "a")
        assert done.rc == 0 and done.out == b"under systemd\n", repr(done)
        d.end_sessions()


def inside_restart():
    with Managed() as d:
        d.ok("session", "start", "--as", "tester", "--why", "restart")
        execution = d.start_steps("steps")
        before = d.broker_pid()
        d.systemctl("restart", "runbookd.service")
        assert d.show("ActiveState") == "active" and d.broker_pid() != before
        had = len(d.output(execution))
        wait_until(lambda: len(d.output(execution)) > had, 5, "the execution goes on")
        time.sleep(16)  # longer than monitors wait for a new broker
        assert d.outcome(execution) is None, "it ended though a broker came"
        d.enough("steps")
        done = d.ctl("wait", execution, timeout=30)
        assert done.rc == 0, repr(done)
        assert d.check_steps(execution) > 100
        d.end_sessions()
        assert d.ctl("record", "verify").rc == 0


def inside_crash():
    with Managed() as d:
        d.ok("session", "start", "--as", "tester", "--why", "crash")
        execution = d.start_steps("steps")
        before = d.broker_pid()
        harness.kill(before)
        wait_until(lambda: d.broker_pid() not in (None, before), 10, "the manager starts it again")
        d.enough("steps")
        assert d.ctl("wait", execution, timeout=30).rc == 0
        d.check_steps(execution)
        d.end_sessions()


def inside_stop():
    with Managed() as d:
        d.ok("session", "start", "--as", "tester", "--why", "stop")
        execution = d.start_steps("steps")
        # The sockets would start it again with the next client.
        d.systemctl("stop", "runbookd-operator.socket", "runbookd-agent.socket", "runbookd.service")
        assert d.show("ActiveState") == "inactive"
        folder = d.execution_folder(execution)
        wait_until(lambda: (folder / "outcome.bin").read_bytes().startswith(b"RBOUT1"), 25,
                   "the execution ends without a broker")
        wait_until(lambda: not d.monitor_pids(), 5, "its monitor is gone")
        d.systemctl("start", "runbookd-operator.socket", "runbookd-agent.socket")
        d.ctl("ps")  # brings the next broker, which learns what became of it
        wait_until(lambda: d.outcome(execution), 10, "its end in the journal")
        line = next(x for x in d.journal() if x["type"] == "finished")
        assert line["outcome"] == "stopped" and "service" in line["cause"], line
        d.end_sessions()


LEAF = """#!/bin/bash
sed -n 's/^0:://p' /proc/self/cgroup
setsid bash -c 'trap "" TERM; while :; do sleep 4711; done' &
mkdir -p /sys/fs/cgroup"$(sed -n 's/^0:://p' /proc/self/cgroup)"/below
echo over
"""


def scope_folder(d):
    return Path("/sys/fs/cgroup" + d.show("ControlGroup", "runbookd-executions.scope"))


def leaves(d):
    folder = scope_folder(d)
    return sorted(p.name for p in folder.iterdir() if p.is_dir() and p.name != "monitors")


def sleepers():
    return [p for p in harness.processes().values() if p.comm == "sleep" and p.state not in "ZX"]


def inside_leaf():
    with Managed() as d:
        book = d.book(LEAF, "leaf")
        done = d.ctl("run", book, "a", "--profile", "host", timeout=60)
        assert done.rc == 0, repr(done)
        where = done.text().splitlines()[0]
        session, execution = where.rsplit("/", 1)[1].split(".")
        assert "/runbookd-executions.scope/" in where and execution == "e1", where
        assert session == d.session_folder().name, where
        line = next(x for x in d.journal() if x["type"] == "finished")
        assert not line["may_have_left"], line
        assert "may have left" not in done.err, done.err
        assert not sleepers(), "the leaf's processes are gone when its end is told"
        wait_until(lambda: leaves(d) == [], 5, "the leaf is removed, with what the script made in it")
        # Monitors, their template and the broker lie elsewhere: a restart of the unit ends none.
        monitors = (scope_folder(d) / "monitors/cgroup.procs").read_text().split()
        assert set(monitors) >= {str(p.pid) for p in d.ours("runbook-monitor")
                                 if p.ppid in map(int, monitors)} and monitors
        assert str(d.broker_pid()) not in monitors
        host = next(p for p in d.ok("doctor", "--json").json()["profiles"] if p["name"] == "host")
        assert "control group" not in host["why"], host
        d.end_sessions()


def inside_own_socket():
    with Managed() as d:
        book = d.book(f"#!/bin/bash\n{d.bin}/runbookctl ps\necho status $?\n", "own")
        assert d.ctl("ps").rc == 0, "the same words from outside are answered"
        done = d.ctl("run", book, "a", "--profile", "host", timeout=60)
        assert done.out.endswith(b"status 125\n"), repr(done)
        wait_until(lambda: "it comes from inside an execution" in d.log.read_text(), 5, "said in the log")
        d.end_sessions()


def inside_leftovers():
    with Managed() as d:
        d.ok("session", "start", "--as", "tester", "--why", "leftovers")
        book = d.book("#!/bin/bash\nsetsid sleep 4711 &\nsleep 4711\n", "left")
        d.ok("run", book, "a", "--profile", "host", "--detach")
        wait_until(lambda: len(sleepers()) == 2, 10, "it runs")
        assert len(leaves(d)) == 1
        broker = d.broker_pid()
        os.kill(broker, 19)  # so that it can't clear up before it is killed too
        for monitor in d.ours("runbook-monitor"):
            harness.kill(monitor.pid)
        harness.kill(broker)
        wait_until(lambda: d.broker_pid() not in (None, broker), 10, "the manager starts it again")
        wait_until(lambda: not sleepers(), 5, "nothing of it runs")
        d.ok("ps")
        wait_until(lambda: leaves(d) == [], 5, "its leaf is gone")
        assert [x["outcome"] for x in d.journal() if x["type"] == "finished"] == ["interrupted"]
        d.ok("run", book, "a", "--profile", "host", "--detach")
        wait_until(lambda: len(sleepers()) == 2, 10, "the next one runs")
        assert len(leaves(d)) == 1
        d.end_sessions()
        wait_until(lambda: leaves(d) == [], 5, "and ends")


# ── outside, as root ──
def in_session(what):
    harness.need_root()
    harness.need_program("systemctl")
    who = harness.account()
    if not harness.may_execute(harness.BUILD / "bin/runbookctl"):
        harness.skip(f"{harness.BUILD} can't be reached by {who.name}")
    done = subprocess.run([harness.ROOT / "tests/support/systemd_user.sh", who.name, sys.executable,
                           HERE, "--inside", what],
                          env={**os.environ, "RUNBOOKD_BUILD": str(harness.BUILD)},
                          capture_output=True, text=True, check=False, timeout=150)
    if done.returncode == 70:
        harness.skip("no user manager can be started here: " + done.stderr[-500:])
    print(done.stdout, done.stderr)
    assert done.returncode == 0, f"status {done.returncode}"


def test_the_first_client_starts_it_by_the_socket():
    in_session("inside_activation")


def test_executions_go_on_over_a_restart():
    in_session("inside_restart")


def test_after_a_crash_the_manager_starts_it_again():
    in_session("inside_crash")


def test_after_a_stop_executions_end_as_stopped_by_the_service():
    in_session("inside_stop")


def test_host_has_a_leaf_of_its_own_that_goes_with_it():
    in_session("inside_leaf")


def test_a_script_in_host_is_turned_away_by_its_group():
    in_session("inside_own_socket")


def test_a_broker_removes_the_leaves_that_an_earlier_one_left():
    in_session("inside_leftovers")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--inside"]:
        globals()[sys.argv[2]]()
    else:
        harness.main(globals())
