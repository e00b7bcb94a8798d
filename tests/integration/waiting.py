"""The sandbox that waits for the next launch: it neither keeps what the machine has replaced nor holds what the
machine takes away. On a machine of our own: namespaces in which we may mount.
"""
import os
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import harness  # noqa: E402
from harness import Daemon  # noqa: E402

MACHINE = ["unshare", "--user", "--map-root-user", "--mount", "--propagation", "shared"]


def on_a_machine(d, name, *arguments):
    """`name` of this file, as root of a mount namespace that is shared as a machine's is."""
    if d.run([*MACHINE, "true"]).rc != 0:
        raise harness.Skipped("no user namespaces to mount in")
    return d.run([*MACHINE, sys.executable, Path(__file__).resolve(), name, d.bin / "runbookctl", *arguments])


def command(*argv):
    return subprocess.run([str(word) for word in argv], check=True, capture_output=True, text=True, timeout=60).stdout


def holders(place):
    """Processes with another mount namespace in which something is mounted there."""
    out = []
    own = os.stat("/proc/self/ns/mnt").st_ino
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if os.stat(process / "ns/mnt").st_ino != own and f" {place} " in (process / "mountinfo").read_text():
                out.append(int(process.name))
        except OSError:
            continue
    return out


def until(condition, seconds=10):
    end = time.monotonic() + seconds * harness.SLOWER
    while not condition() and time.monotonic() < end:
        time.sleep(0.02)
    return condition()


def let_go(ctl, book, place):
    command("mount", "-t", "tmpfs", "stick", place)
    command(ctl, "run", book)
    assert until(lambda: holders(place)), "no sandbox waits: this shows nothing"
    command("umount", place)
    print("held" if not until(lambda: not holders(place)) else "let go")


def names(ctl, book, place):
    place = Path(place)
    command("mount", "-t", "tmpfs", "etc", place)
    subprocess.run(["cp", "-a", "/etc/.", place], capture_output=True)  # what may be read
    (place / "resolv.conf").unlink(missing_ok=True)
    (place / "resolv.conf").symlink_to("/run/resolver/resolv.conf")
    command("mount", "--bind", place, "/etc")
    command("mount", "-t", "tmpfs", "run", "/run")
    os.mkdir("/run/resolver")
    for text in ("one", "two", "three"):
        new = Path("/run/resolver/new")
        new.write_text(text + "\n")
        new.rename("/run/resolver/resolv.conf")  # as resolvconf and NetworkManager do it
        print(command(ctl, "run", book).strip())
        time.sleep(0.3)


def folder(d, name):
    out = d.folder / name
    out.mkdir()
    harness.give(out)
    return out


def test_a_mount_that_the_machine_takes_away_is_let_go():
    with Daemon("stick") as d:
        done = on_a_machine(d, "let_go", d.book("#!/bin/sh\ntrue\n"), folder(d, "stick"))
        assert done.rc == 0 and done.out == b"let go\n", repr(done)


def test_names_are_resolved_as_the_machine_says_now():
    with Daemon("names") as d:
        done = on_a_machine(d, "names", d.book("#!/bin/sh\ncat /etc/resolv.conf\n"), folder(d, "etc"))
        assert done.rc == 0 and done.text().split() == ["one", "two", "three"], repr(done)


if __name__ == "__main__":
    if len(sys.argv) > 2 and sys.argv[1] in ("let_go", "names"):
        globals()[sys.argv[1]](*sys.argv[2:])
    else:
        harness.main(globals())
