"""Threats that only root can set up: a program that is set-user-id root, a peer of another user. The daemon is
the ordinary user's all the same. Each test is named for its threat (docs/THREATS.md).
"""
import os
import shutil
import socket
import stat
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import harness  # noqa: E402
from harness import Daemon  # noqa: E402


def test_027_a_copy_that_is_set_user_id_root():
    harness.need_root()
    with Daemon("suid") as d:
        work = d.folder / "work"
        work.mkdir()
        shutil.copy2(shutil.which("id"), work / "id-of-root")
        os.chown(work / "id-of-root", 0, 0)
        (work / "id-of-root").chmod(0o4755)
        harness.give(work)
        book = d.book("#!/bin/bash\n./id-of-root -u\n")
        for profile in ("workspace", "inspect", "sealed"):
            done = d.ok("run", book, "a", "--new", "--profile", profile, "--work", work)
            assert done.out == f"{harness.account().uid}\n".encode(), (profile, done.out)
        control = d.ok("run", book, "a", "--new", "--profile", "host", "--work", work)
        if control.out != b"0\n":
            harness.skip("the file system of /tmp honours no set-user-id program")
        d.end_sessions()


def greeting(path):
    with socket.socket(socket.AF_UNIX) as peer:
        peer.settimeout(5)
        peer.connect(str(path))
        return peer.recv(1)


def test_078_a_peer_of_another_user():
    harness.need_root()
    with Daemon("peer") as d:
        d.start_broker()
        for role in ("operator", "agent"):
            assert greeting(d.socket_path(role)) == b"", f"root was greeted at {role}.sock"
            pid = os.fork()
            if pid == 0:
                os.setresgid(*[harness.account().gid] * 3)
                os.setresuid(*[harness.account().uid] * 3)
                os._exit(0 if greeting(d.socket_path(role)) else 1)
            assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0, "its own user isn't greeted either"
        assert "isn't ours" in d.logs(), d.logs()


def test_116_devices_left_to_be_read():
    harness.need_root()
    with Daemon("device") as d:
        d.start_broker()
        book = d.book('#!/bin/bash\nrm "$RUNBOOK_OUTPUT"; printf "%s\\n" "$RUNBOOK_OUTPUT" "$GENERATED_FILES"\n'
                      'until [ -e "$RUNBOOK_WORK/go" ]; do sleep 0.05; done\n')
        d.ok("run", book, "a", "--profile", "host", "--detach")
        output = harness.wait_until(lambda: next(iter(d.state.glob("sessions/*/executions/e1/output")), None), 10, "output")
        harness.wait_until(lambda: output.read_text().count("\n") == 2, 10, "the script waits")
        outputs, generated = map(Path, output.read_text().splitlines())
        endless = os.makedev(1, 5)  # as /dev/zero
        for place in (outputs, generated / "zero"):
            os.mknod(place, stat.S_IFCHR | 0o666, endless)
            place.chmod(0o666)
        next(d.state.glob("sessions/*/runs/*/work")).joinpath("go").touch()
        line = harness.wait_until(lambda: next((line for line in d.journal() if line["type"] == "finished"), None), 20,
                                  "the end line")
        assert line["outcome"] == "passed" and line["left"]["note"] == "outputs aren't read: a device", line
        assert (output.parent / "generated.jsonl").read_text() == '{"path":"zero","unread":"a device"}\n'
        try:
            assert (generated / "zero").open("rb").read(4) == bytes(4), "control: it can be read, without end"
        except PermissionError:
            harness.skip("the file system of /tmp honours no device")


if __name__ == "__main__":
    harness.main(globals())
