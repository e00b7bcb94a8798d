"""Linux 6.1 with Landlock's ABI 2 and cgroup v2, booted by systemd: what is weaker there is refused by name, and
`doctor` says so. Runs in the virtual machine alone (run.py), as a service of the user's manager.
"""
import ctypes
import os
import platform
import socket
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import harness  # noqa: E402
from harness import Daemon  # noqa: E402

SANDBOXES = ("inspect", "workspace")
ASK = """#!/usr/bin/env python3
import errno, socket
for name in ("SOCK_STREAM", "SOCK_DGRAM", "SOCK_SEQPACKET"):
    try:
        socket.socket(socket.AF_UNIX, getattr(socket, name)).close()
        print(name, "made")
    except OSError as why:
        print(name, errno.errorcode[why.errno])
one, other = socket.socketpair()
one.send(b"x")
print("socketpair", other.recv(1).decode())
"""
AGENT = """#!/usr/bin/env python3
import os, socket
with socket.socket(socket.AF_UNIX) as s:
    s.connect(os.environ["SSH_AUTH_SOCK"])
print("reached")
"""


def need_the_guest():
    if os.environ.get("RUNBOOKD_VM") != "1":
        raise harness.Skipped("for the virtual machine: ./dev test-vm")


def landlock_abi():
    return ctypes.CDLL(None, use_errno=True).syscall(444, None, 0, 1)


def own_cgroup():
    line = Path("/proc/self/cgroup").read_text().strip()
    assert line.startswith("0::/") and "\n" not in line, f"not cgroup v2 alone: {line}"
    return Path("/sys/fs/cgroup") / line[len("0::/"):]


def test_the_guest_is_what_these_tests_are_for():
    need_the_guest()
    assert platform.release().startswith("6.1."), platform.release()
    assert landlock_abi() == 2, landlock_abi()
    assert Path("/proc/1/comm").read_text() == "systemd\n"
    group = own_cgroup()
    manager = next(folder for folder in group.parents if folder.name == f"user@{os.getuid()}.service")
    controllers = (manager / "cgroup.controllers").read_text().split()
    assert {"memory", "pids"} <= set(controllers), controllers
    assert os.access(group / "cgroup.procs", os.W_OK), "the unit's cgroup isn't delegated"


def test_no_socket_of_the_machine_can_be_made_in_a_sandbox():
    need_the_guest()
    with Daemon("unix") as d:
        book = d.book(ASK)
        for profile in SANDBOXES:
            said = d.ok("run", book, "a", "--profile", profile).text()
            assert said == ("SOCK_STREAM EAFNOSUPPORT\nSOCK_DGRAM EAFNOSUPPORT\n"
                            "SOCK_SEQPACKET EAFNOSUPPORT\nsocketpair x\n"), (profile, said)
        said = d.ok("run", book, "a", "--profile", "host").text()
        assert said.count("made\n") == 3, said
        d.end_sessions()


def test_ssh_agent_is_refused_by_name():
    need_the_guest()
    with Daemon("agent") as d:
        path = d.folder / "run" / "agent.sock"
        with socket.socket(socket.AF_UNIX) as agent:
            agent.bind(str(path))
            agent.listen(8)
            d.env["SSH_AUTH_SOCK"] = str(path)
            book = d.book(AGENT)
            refused = d.ctl("run", book, "a", "--with", "ssh-agent")
            assert refused.rc == 126 and refused.out == b"", repr(refused)
            for word in ("ssh-agent can't be granted on this kernel", "Linux 6.12", "profile host"):
                assert word in " ".join(refused.err.split()), repr(refused)
            assert d.ok("run", book, "a", "--profile", "host").out == b"reached\n"
        d.end_sessions()


def test_doctor_says_what_launches_do():
    need_the_guest()
    with Daemon("doctor") as d:
        told = d.ok("doctor", "--json").json()
        facts = {fact["name"]: fact for fact in told["machine"]}
        assert facts["Landlock"]["ok"] and "ABI 2" in str(facts["Landlock"]), facts["Landlock"]
        assert "scoped" not in str(facts["Landlock"]), facts["Landlock"]
        book = d.book("#!/bin/bash\necho ran\n")
        for profile in told["profiles"]:
            done = d.ctl("run", book, "a", "--profile", profile["name"])
            if profile["name"] == "sealed" and done.rc == 126:  # enforced, and not offered yet
                continue
            assert (done.rc == 0 and done.out == b"ran\n") == profile["usable"], (profile, repr(done))
        d.end_sessions()


if __name__ == "__main__":
    harness.main(globals())
