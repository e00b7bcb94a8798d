"""What a person's keys do: Ctrl-C once and twice, answers to questions, leaving an attached execution.
Every client here has a terminal of its own."""
import os
import pty
import re
import select
import signal
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import harness  # noqa: E402
from harness import Daemon, wait_until  # noqa: E402


class Screen:
    """A client on a terminal: what it wrote so far, and its keys."""

    def __init__(self, d, *words, env=None):
        self.master, slave = pty.openpty()
        self.process = d.ctl_popen(*words, stdin=slave, stdout=slave, stderr=slave, start_new_session=True,
                                   env={"TERM": "xterm", **(env or {})}, preexec_fn=lambda: _own_terminal(slave))
        os.close(slave)
        self.text = ""

    def read(self, within=0.05):
        while select.select([self.master], [], [], within)[0]:
            try:
                part = os.read(self.master, 65536)
            except OSError:
                return self.text
            if not part:
                return self.text
            self.text += part.decode("utf-8", "replace")
        return self.text

    def expect(self, pattern, within=10):
        wait_until(lambda: re.search(pattern, self.read()), within, f"{pattern!r} in {self.text!r}")

    def keys(self, text):
        os.write(self.master, text.encode())

    def status(self, within=15):
        wait_until(lambda: (self.read(), self.process.poll() is not None)[1], within, f"an end of {self.text!r}")
        self.read()
        os.close(self.master)
        return self.process.returncode


def _own_terminal(slave):
    import fcntl
    import termios
    fcntl.ioctl(slave, termios.TIOCSCTTY, 0)


BOOK = """# Keys

<Command id="polite" command={`trap 'echo cleaned; exit 9' TERM; echo started; while :; do sleep 0.05; done`} />

<Command id="stubborn" command={`trap '' TERM INT HUP; echo started; while :; do sleep 0.05; done`} />

<Command id="after" command="echo never" />

<Command id="ask" command={`printf 'got %s and %s\\\\n' {{ .inputs.Name }} "$(echo {{ .inputs.Key }} | wc -c)"`}>
  <Inputs id="in">
    ```yaml
    variables:
      - name: Name
        type: string
        description: Whom
        validations: [required]
      - name: Key
        type: string
        sensitive: true
        validations: [required]
    ```
  </Inputs>
</Command>
"""


def outcome_of(d, execution):
    lines = [l for l in d.journal() if l["type"] == "finished" and l["execution"] == execution]
    return lines[0]["outcome"] if lines else None


def test_ctrl_c_once_stops_politely():
    with Daemon("once") as d:
        screen = Screen(d, "run", d.write("k/runbook.mdx", BOOK), "polite", "after")
        screen.expect("started")
        screen.keys("\x03")
        assert screen.status() == 130, screen.text
        assert "cleaned" in screen.text and "never" not in screen.text and "stopped" in screen.text, screen.text
        assert outcome_of(d, "e1") == "stopped"
        d.end_sessions()


def test_ctrl_c_twice_ends_it_at_once():
    with Daemon("twice") as d:
        screen = Screen(d, "run", d.write("k/runbook.mdx", BOOK), "stubborn")
        screen.expect("started")
        screen.keys("\x03")
        screen.expect("again")
        began = time.monotonic()
        screen.keys("\x03")
        assert screen.status() == 130, screen.text
        assert time.monotonic() - began < 3 * harness.SLOWER, "the grace was waited for"
        d.end_sessions()


def test_ctrl_c_without_a_terminal_stops_too():
    with Daemon("pipe") as d:
        process = d.ctl_popen("run", d.write("k/runbook.mdx", BOOK), "polite")
        assert process.stdout.readline() == b"started\n"
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=20)
        assert process.returncode == 130 and out.endswith(b"cleaned\n"), (process.returncode, out, err)
        d.end_sessions()


def test_an_attached_client_leaves_or_asks_before_it_stops():
    with Daemon("attach") as d:
        execution = d.ok("run", d.write("k/runbook.mdx", BOOK), "polite", "--detach").text().strip()
        screen = Screen(d, "attach", execution)
        screen.expect("started")
        screen.keys("\x1c")
        assert screen.status() == 0, screen.text
        assert outcome_of(d, execution) is None
        screen = Screen(d, "attach", "-l")
        screen.expect("started")
        screen.keys("\x03")
        screen.expect(r"stop e1\? \[y/N\]")
        screen.keys("n\r")
        time.sleep(0.3)
        assert outcome_of(d, execution) is None, "no was taken for yes"
        screen.keys("\x03")
        screen.expect(r"(?s)\[y/N\].*\[y/N\]")
        screen.keys("y\r")
        assert screen.status() == 130, screen.text
        assert outcome_of(d, execution) == "stopped"
        d.end_sessions()


def test_a_watcher_that_goes_away_stops_nothing():
    with Daemon("watch") as d:
        execution = d.ok("run", d.write("k/runbook.mdx", BOOK), "polite", "--detach").text().strip()
        process = d.ctl_popen("attach", execution)
        assert process.stdout.readline() == b"started\n"
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=20)
        time.sleep(0.2)
        assert outcome_of(d, execution) is None
        d.ok("stop", execution)
        d.end_sessions()


def test_missing_inputs_are_asked_for_and_secrets_not_echoed():
    with Daemon("asks") as d:
        screen = Screen(d, "run", d.write("k/runbook.mdx", BOOK), "ask")
        screen.expect(r"Name \(Whom\): ")
        screen.keys("O'Brien; $(id)\r")
        screen.expect("Key: ")
        screen.keys("hunter22\r")
        assert screen.status() == 0, screen.text
        assert "got O'Brien; $(id) and 9" in screen.text and "hunter22" not in screen.text, screen.text
        d.end_sessions()


def test_a_terminal_gets_text_and_colours_and_nothing_else():
    with Daemon("ansi") as d:
        book = d.write("e/runbook.mdx", "# E\n\n<Command id=\"a\" command={`printf '\\\\033]0;pwned\\\\007"
                       "\\\\033[2J\\\\033[31mred\\\\033[0m\\\\n\\\\302\\\\2332J\\\\033[6n'`} />\n")
        screen = Screen(d, "run", book)
        assert screen.status() == 0, screen.text
        assert "^[]0;pwned^G^[[2J\x1b[31mred\x1b[0m" in screen.text, repr(screen.text)
        assert "\x1b]" not in screen.text and "\x1b[2J" not in screen.text and "\x1b[6n" not in screen.text
        plain = Screen(d, "logs", "-l", env={"NO_COLOR": "1"})
        assert plain.status() == 0 and "\x1b[3" not in plain.text and "red" in plain.text, repr(plain.text)
        raw = d.ok("logs", "-l").out
        assert raw == b"\x1b]0;pwned\x07\x1b[2J\x1b[31mred\x1b[0m\n\xc2\x9b2J\x1b[6n", raw
        d.end_sessions()


if __name__ == "__main__":
    harness.main(globals())
