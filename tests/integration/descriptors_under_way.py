"""The kernel counts the descriptors that all of a user's processes have sent and nobody has received,
and refuses a sender that may open fewer (ETOOMANYREFS). Some other program of the operator's, or a
script, holds thousands: everything must work as if it didn't.
"""
import resource
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import harness  # noqa: E402
from harness import Daemon  # noqa: E402

USUAL = 1024  # open files that Linux gives a process
HOLDER = """
import array, os, resource, socket, sys, time
wanted = int(sys.argv[1])
hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
null, held, pairs = os.open("/dev/null", os.O_RDONLY), 0, []
while held < wanted:
    pair = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
    pairs.append(pair)
    pair[0].setblocking(False)
    try:
        while held < wanted:
            pair[0].sendmsg([b"x"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [null] * 250))])
            held += 250
    except BlockingIOError:
        pass
print("held", flush=True)
time.sleep(600)
"""
BOOK = """# Crowded

<Command id="a" command="echo whole" />

<Command id="b" path="b.sh" />
"""


def test_descriptors_of_others_under_way_stop_nothing():
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    many = min(12_000, hard - 1000)  # below what a process may take
    if many <= USUAL:
        harness.skip(f"programs here may open {hard} files and no more: none can be crowded out")
    resource.setrlimit(resource.RLIMIT_NOFILE, (USUAL, hard))  # as every process here is started
    with Daemon("crowded") as d:
        book = d.write("c/runbook.mdx", BOOK)
        d.write("c/b.sh", "#!/bin/bash\necho file\n", 0o755)
        for i in range(300):
            d.write(f"c/more/f{i}", "x")
        holder = d.popen([sys.executable, "-c", HOLDER, str(many)])
        try:
            assert holder.stdout.readline() == b"held\n"
            probe = d.run([sys.executable, "-c", PROBE])
            assert "ETOOMANYREFS" in probe.text(), f"nothing is crowded: this shows nothing: {probe!r}"
            d.ok("session", "start", "--as", "tester", "--why", "descriptors")
            d.ok("open", book)
            assert d.ok("run", book, "a").out == b"whole\n"
            assert d.ok("run", book, "b").out == b"file\n"
            assert d.ok("run", book, "b", "--profile", "host").out == b"file\n"
            assert b"whole" in d.ok("logs", "-l").out or b"file" in d.ok("logs", "-l").out
            d.ok("show", book)
            d.ok("check", book)
        finally:
            holder.kill()
            holder.wait()
        d.end_sessions()


PROBE = """
import array, errno, os, socket
pair = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
try:
    pair[0].sendmsg([b"x"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [0]))])
    print("sent")
except OSError as why:
    print(errno.errorcode[why.errno])
"""


if __name__ == "__main__":
    harness.main(globals())
