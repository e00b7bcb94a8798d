"""The installed service under the manager of a user who lingers, on a machine that systemd booted: programs and
units where `meson install` put them. Runs in the virtual machine alone (run.py); what it asks of the service is
what tests/integration/systemd_user.py asks of the build tree's.
"""
import json
import os
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "support"))
sys.path.insert(0, str(HERE.parent / "integration"))
import harness  # noqa: E402
import systemd_user  # noqa: E402


def installed(program):
    """Where Meson put it."""
    files = json.loads((harness.BUILD / "meson-info/intro-installed.json").read_text())
    return next(Path(to) for of, to in files.items() if Path(of) == harness.BUILD / "bin" / program)


class Installed(systemd_user.Managed):
    """A daemon of the installed units, with a state folder of its own."""

    def __init__(self):
        harness.Daemon.__init__(self, "service")  # not Managed's, which writes units
        runtime = os.environ["XDG_RUNTIME_DIR"]
        self.bin = installed("runbookctl").parent
        self.runtime = Path(runtime) / "runbookd"
        self.env.update(XDG_RUNTIME_DIR=runtime, HOME=os.environ["HOME"],
                        DBUS_SESSION_BUS_ADDRESS=os.environ["DBUS_SESSION_BUS_ADDRESS"])
        self.systemctl("set-environment", f"XDG_STATE_HOME={self.env['XDG_STATE_HOME']}")
        self.systemctl("daemon-reload")
        self.systemctl("start", "runbookd-operator.socket", "runbookd-agent.socket")


def need_the_guest():
    if os.environ.get("RUNBOOKD_VM") != "1":
        raise harness.Skipped("for the virtual machine: ./dev test-vm")
    systemd_user.Managed = Installed


def test_the_first_client_starts_the_installed_service():
    need_the_guest()
    with Installed() as d:
        assert d.show("ActiveState") == "inactive", "nobody has asked yet"
        fragment = Path(d.show("FragmentPath"))
        assert fragment.parts[-4:] == ("lib", "systemd", "user", "runbookd.service"), fragment
        book = d.book("#!/bin/bash\necho under systemd\n")
        done = d.ctl("run", book, "a")
        assert done.rc == 0 and done.out == b"under systemd\n", repr(done)
        command = Path(f"/proc/{d.broker_pid()}/cmdline").read_bytes().split(b"\0")[0].decode()
        assert Path(command) == installed("runbook-broker"), command
        d.end_sessions()


def test_it_says_that_it_serves():
    need_the_guest()
    systemd_user.inside_activation()


def test_after_a_crash_the_manager_starts_it_again():
    need_the_guest()
    systemd_user.inside_crash()


def test_after_a_stop_executions_end_as_stopped_by_the_service():
    need_the_guest()
    systemd_user.inside_stop()


if __name__ == "__main__":
    harness.main(globals())
