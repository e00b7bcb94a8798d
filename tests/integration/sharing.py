"""One truth for all frontends: late clients get every byte, many cost nothing, a stuck one costs nobody."""
import hashlib
import signal
import sys
import threading
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import harness  # noqa: E402
from harness import Daemon, wait_until  # noqa: E402

# 64 MiB that differ from place to place, so that a lost, repeated or swapped piece shows.
NOISE = "#!/bin/bash\nopenssl enc -aes-128-ctr -nosalt -K 00 -iv 00 -in /dev/zero 2>/dev/null | head -c {size}\n"


def noise(d, size, name="book"):
    return d.book(NOISE.replace("{size}", str(size)), name)


class Taker(threading.Thread):
    """Reads a client's standard output to its end and keeps length and digest."""

    def __init__(self, process):
        super().__init__()
        self.process, self.hash, self.length = process, hashlib.sha256(), 0
        self.start()

    def run(self):
        while piece := self.process.stdout.read1(1 << 20):
            self.hash.update(piece)
            self.length += len(piece)

    def digest(self):
        self.join()
        return self.hash.hexdigest()


def finished(d, execution):
    return next(line for line in d.journal() if line["type"] == "finished" and line["execution"] == execution)


def test_a_second_client_joins_in_the_middle_and_gets_every_byte():
    with Daemon("join") as d:
        book = d.book('#!/bin/bash\nfor i in $(seq 200); do echo "line $i"; sleep 0.01; done\n')
        first = d.ctl_popen("run", book, "a")
        execution = wait_until(lambda: next((l["execution"] for s in d.sessions() for l in d.journal(s)
                                             if l["type"] == "started"), None), 10, "started")
        time.sleep(0.5)
        second = d.ctl_popen("attach", execution)
        expected = "".join(f"line {i}\n" for i in range(1, 201)).encode()
        assert second.communicate(timeout=30)[0] == expected
        assert first.communicate(timeout=30)[0] == expected
        assert first.returncode == second.returncode == 0
        d.end_sessions()


def test_fifty_attached_clients_agree_to_the_byte():
    size = 8 << 20
    with Daemon("fifty") as d:
        book = noise(d, size)
        d.ok("session", "start", "--as", "tester", "--why", "fifty")
        d.ok("open", book)
        execution = d.ok("run", "book", "a", "--detach").text().strip()
        takers = [Taker(d.ctl_popen("attach", execution)) for _ in range(50)]
        digests = {taker.digest() for taker in takers}
        assert all(t.process.wait(60) == 0 for t in takers), [t.process.stderr.read() for t in takers][:3]
        line = finished(d, execution)
        assert line["output_bytes"] == size, line
        assert digests == {line["output_sha256"]}, digests
        d.end_sessions()


def test_a_stopped_client_costs_nobody_anything_and_resumes():
    size = 32 << 20
    with Daemon("stopped") as d:
        book = noise(d, size)
        d.ok("session", "start", "--as", "tester", "--why", "stopped")
        d.ok("open", book)
        execution = d.ok("run", "book", "a", "--detach").text().strip()
        stuck = d.ctl_popen("attach", execution)
        time.sleep(0.05)
        stuck.send_signal(signal.SIGSTOP)
        began = time.monotonic()
        assert d.ctl("wait", execution).rc == 0
        assert time.monotonic() - began < 20 * harness.SLOWER, "a stopped client held the execution up"
        stuck.send_signal(signal.SIGCONT)
        taker = Taker(stuck)
        assert taker.digest() == finished(d, execution)["output_sha256"]
        assert stuck.wait(30) == 0
        d.end_sessions()


def test_who_did_what_stands_on_every_line():
    with Daemon("actor") as d:
        book = d.book("#!/bin/bash\necho hi\n")
        assert d.ctl("run", book, "a").rc == 0
        d.end_sessions()
        for line in d.journal():
            if line["type"] in ("session-started", "opened", "started", "session-ended"):
                actor = line["actor"]
                assert actor["role"] == "operator" and actor["uid"] == harness.account().uid, line
                assert actor["program"].endswith("runbookctl") and actor["pid"] > 0, line


def test_output_is_kept_byte_for_byte():
    every = bytes(range(256)) * 64
    with Daemon("bytes") as d:
        d.write("bytes/data.bin", every)
        book = d.write("bytes/runbook.mdx", '# Bytes\n\n<Command id="a" path="a.sh" />\n')
        d.write("bytes/a.sh", "#!/bin/bash\n" + "".join(
            f"printf '\\{byte:03o}'\n" for byte in range(256)) * 4, 0o755)
        done = d.ctl("run", book, "a")
        assert done.out == bytes(range(256)) * 4, done.out[:600]
        d.end_sessions()


def test_a_gibibyte_without_a_newline_keeps_memory_flat():
    size = 1 << 30
    with Daemon("long") as d:
        book = d.book(f"#!/bin/bash\nhead -c {size} /dev/zero | tr '\\0' y\n")
        d.ok("session", "start", "--as", "tester", "--why", "long")
        d.ok("open", book)
        execution = d.ok("run", "book", "a", "--detach").text().strip()
        most = 0
        while not any(l["type"] == "finished" for l in d.journal()):
            for process in d.ours():
                if process.comm in ("runbook-monitor", "runbook-broker", "runbookd"):
                    most = max(most, rss_kib(process.pid))
            time.sleep(0.05)
        assert d.ctl("wait", execution, timeout=120).rc == 0
        line = finished(d, execution)
        assert line["output_bytes"] == size, line
        expected = hashlib.sha256()
        for _ in range(size >> 20):
            expected.update(b"y" * (1 << 20))
        assert line["output_sha256"] == expected.hexdigest()
        print(f"largest resident process: {most} KiB")
        assert most < 32 * 1024 * harness.SLOWER, f"{most} KiB"
        d.end_sessions()


def rss_kib(pid):
    try:
        for text in Path(f"/proc/{pid}/status").read_text().splitlines():
            if text.startswith("VmRSS:"):
                return int(text.split()[1])
    except OSError:
        pass
    return 0


if __name__ == "__main__":
    harness.main(globals())
