"""guest.py USER BUILD — the test programs inside the virtual machine, one after the other, each as a
service of USER's own manager. As root, started by the guest's service manager (run.py writes the unit). Each
program's end is one line of JSON on the second serial port, as Meson logs it; then the machine is off.

GUEST_SLOWER: how many times slower than a machine of today time limits of tests are taken. GUEST_ONLY: names of
programs, with blanks between them; without it all, or those that emulation is fast enough for (GUEST_QUICK=1).
"""
import json
import os
import pwd
import subprocess
import sys
import termios
import time
import tty
from collections import namedtuple
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
REPORT = "/dev/ttyS1"
# seconds: on the machine itself; quick: only these cases under emulation, None none, () all.
Program = namedtuple("Program", "name seconds words quick")
# Those whose answer depends on the kernel most.
ATTEMPTS = ("test_019_clone3_namespaces", "test_020_mount_interface", "test_022_socket_families",
            "test_025_ptrace", "test_025b_limits_of_pid1", "test_026_desktop_sockets", "test_037_pid1_links",
            "test_050_abstract_socket", "test_053_own_sockets", "test_081_signals_to_the_broker")
PROGRAMS = (
    Program("this-kernel", 30, ["tests/vm/this_kernel.py"], ()),
    Program("service", 60, ["tests/vm/service.py"], ()),
    Program("escape_sandbox", 20, ["@build/tests/escape/escape_sandbox"], ()),
    Program("attempts", 60, ["tests/escape/attempts.py"], ATTEMPTS),
    Program("layers", 30, ["tests/integration/layers.py"],
            ("test_profiles_are_what_doctor_says_of_them", "test_without_user_namespaces")),
    Program("confine", 20, ["@build/tests/unit/common/unit_confine"], ()),
    Program("fault", 20, ["@build/tests/unit/monitor/unit_fault"], None),
    Program("execution", 60, ["@build/tests/unit/monitor/unit_execution"], None),
    Program("ending", 60, ["tests/integration/ending.py"], None),
    Program("grants", 60, ["tests/integration/grants.py"], None),
    Program("ordinary", 120, ["tests/escape/ordinary.py"], None),
    Program("leaks", 120, ["tests/integration/leaks.py"], None),
)


class Serial:
    def __init__(self):
        self._fd = os.open(REPORT, os.O_WRONLY | os.O_NOCTTY)
        tty.setraw(self._fd)

    def say(self, **facts):
        line = json.dumps(facts).encode() + b"\n"
        while line:
            line = line[os.write(self._fd, line):]
        termios.tcdrain(self._fd)


class User:
    """Runs programs as services of the user's manager."""

    def __init__(self, name, build):
        self.who = pwd.getpwnam(name)
        self.build = build
        self.runtime = f"/run/user/{self.who.pw_uid}"

    def command(self, *words):
        who = self.who
        return ["setpriv", "--reuid", str(who.pw_uid), "--regid", str(who.pw_gid), "--init-groups", "--inh-caps=-all",
                "env", "-i", f"HOME={who.pw_dir}", f"USER={who.pw_name}", f"LOGNAME={who.pw_name}", "LANG=C.UTF-8",
                "SHELL=/bin/bash", "PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin", f"XDG_RUNTIME_DIR={self.runtime}",
                f"DBUS_SESSION_BUS_ADDRESS=unix:path={self.runtime}/bus", *words]

    def wait_for_manager(self, within):
        until = time.monotonic() + within
        state = ""
        while time.monotonic() < until:
            done = subprocess.run(self.command("systemctl", "--user", "is-system-running"), capture_output=True,
                                  text=True, check=False)
            state = done.stdout.strip() or done.stderr.strip()
            if state in ("running", "degraded"):
                return
            time.sleep(0.5)
        raise RuntimeError(f"the user's manager isn't there after {within} s: {state}")

    def run(self, program, names, slower):
        """(result, output) as Meson names results."""
        words = [word.replace("@build", str(self.build)) for word in program.words]
        if not words[0].startswith("/"):
            words = [sys.executable, str(ROOT / words[0])]
        slower_words = [f"RUNBOOKD_TEST_SLOWER={slower}", f"RUNBOOKD_BUILD={self.build}", "RUNBOOKD_VM=1"]
        unit = f"test-{program.name}.service"
        done = subprocess.Popen(
            self.command("systemd-run", "--user", "--quiet", "--pipe", "--wait", "--collect", f"--unit={unit}",
                         *[f"--setenv={word}" for word in slower_words], "-p", "TimeoutStopSec=5s", "-p", "Delegate=yes",
                         *words, *names),
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        try:
            output, _ = done.communicate(timeout=program.seconds * slower)
        except subprocess.TimeoutExpired:
            subprocess.run(self.command("systemctl", "--user", "kill", "--signal=KILL", unit), check=False)
            output, _ = done.communicate()
            return "TIMEOUT", output
        return {0: "OK", 77: "SKIP"}.get(done.returncode, "FAIL"), output


def install(build):
    """As a package would: programs and units where they were configured to lie."""
    done = subprocess.run(["meson", "install", "-C", str(build), "--no-rebuild", "--quiet"], capture_output=True,
                          text=True, check=False)
    return ("OK" if done.returncode == 0 else "FAIL"), (done.stdout + done.stderr).encode()


def chosen():
    only = os.environ.get("GUEST_ONLY", "").split()
    quick = os.environ.get("GUEST_QUICK") == "1" and not only
    for program in PROGRAMS:
        if only and program.name not in only:
            continue
        if quick and program.quick is None:
            continue
        yield program, list(program.quick or ()) if quick else []


def main():
    user = User(sys.argv[1], Path(sys.argv[2]))
    slower = float(os.environ.get("GUEST_SLOWER", "1"))
    serial = Serial()

    def told(name, work):
        serial.say(starts=name)
        began = time.monotonic()
        result, output = work()
        serial.say(name=name, result=result, duration=round(time.monotonic() - began, 1),
                   stdout=output.decode("utf-8", "replace"))

    user.wait_for_manager(60 * slower)
    told("install", lambda: install(user.build))
    for program, names in chosen():
        told(program.name, lambda p=program, n=names: user.run(p, n, slower))
    serial.say(end=True)


if __name__ == "__main__":
    try:
        main()
    finally:
        subprocess.run(["systemctl", "poweroff", "--force", "--force"], check=False)
