"""The exit status of every verb is the one that scripts may rely on, and the JSON has its fields."""
import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import harness  # noqa: E402
from harness import Daemon  # noqa: E402

BOOK = """# Statuses

<Command id="ok" command="echo fine" />

<Command id="three" command="echo three; exit 3" />

<Command id="long" command="echo started; sleep 60" />

<Check id="never" command="echo never" />
"""


def status(done, wanted):
    assert done.rc == wanted, f"wanted {wanted}: {done!r}"
    return done


def test_run_gives_the_scripts_own_status():
    with Daemon("status") as d:
        book = d.write("s/runbook.mdx", BOOK)
        assert status(d.ctl("run", book, "ok"), 0).out == b"fine\n"
        done = status(d.ctl("run", book, "ok", "three", "never"), 3)
        assert done.out == b"fine\nthree\n", repr(done)
        assert "1 passed" in done.err and "1 failed" in done.err and "1 not run" in done.err, done.err
        assert "three: exit 3" in done.err.splitlines()[-1] + done.err.splitlines()[-2], done.err
        done = status(d.ctl("run", book, "ok", "three", "never", "--keep-going"), 3)
        assert done.out == b"fine\nthree\nnever\n", repr(done)
        d.end_sessions()


def test_124_for_a_time_limit():
    with Daemon("limit") as d:
        book = d.write("s/runbook.mdx", BOOK)
        status(d.ctl("run", book, "long", "--timeout", "300ms"), 124)
        done = status(d.ctl("run", book, "long", "--timeout", "300ms", "--json"), 124)
        assert done.lines()[-2]["outcome"] == "timeout", repr(done)
        d.end_sessions()


def test_125_for_a_wrong_command_line():
    with Daemon("words") as d:
        book = d.write("s/runbook.mdx", BOOK)
        for words in (["run"], ["rnu", "x"], ["run", book, "--no-such"], ["run", book, "--timeout", "soon"],
                      ["run", book, "ok", "--input", "novalue"], ["run", book, "ok", "--input", "Nix=1"],
                      ["run", book, "--inputs", "/nix"], ["ps", "extra"], ["stop", "e1", "--grace", "x"],
                      ["approve", "e1"], ["session"], ["session", "start"], ["completion", "tcsh"], []):
            done = status(d.ctl(*words), 125)
            assert done.err or not words, f"{words}: {done!r}"
        assert "did you mean `run`" in d.ctl("rnu", "x").err
        assert "--keep-going" in d.ctl("run", book, "--keep-goign").err
        d.end_sessions()


def test_126_for_what_is_refused():
    with Daemon("refused") as d:
        hostile = d.write("h/runbook.mdx", "# H\n\n{process.exit()}\n\n<Command id=\"a\" command=\"echo no\" />\n")
        done = status(d.ctl("run", hostile), 126)
        assert done.out == b"" and "expression]: " in done.err and "runbook.mdx:3:1" in done.err, repr(done)
        asks = d.write("i/runbook.mdx", """# I

<Command id="a" command="echo {{ .inputs.Name }} {{ .inputs.Other }}">
  <Inputs id="in">
    ```yaml
    variables:
      - name: Name
        type: string
        validations: [required]
      - name: Other
        type: string
        validations: [required]
    ```
  </Inputs>
</Command>
""")
        done = status(d.ctl("run", asks), 126)
        assert "Name" in done.err and "Other" in done.err and done.out == b"", repr(done)
        book = d.write("s/runbook.mdx", BOOK)
        status(d.ctl("run", book, "ok", "--profile", "nix"), 126)
        lost = d.write("m/runbook.mdx", "# M\n\n<Command id=\"a\" path=\"nix.sh\" />\n")
        status(d.ctl("run", lost), 126)
        status(d.ctl("run", lost, "a"), 126)
        d.end_sessions()


def test_127_for_what_isnt_there():
    with Daemon("unknown") as d:
        book = d.write("s/runbook.mdx", BOOK)
        (d.books / "empty").mkdir()
        harness.give(d.books / "empty")
        for words in (["run", "/nix/runbook.mdx"], ["run", "nix"], ["run", d.books / "empty"], ["run", book, "nix"],
                      ["attach", "e99"], ["wait", "e99"], ["logs", "e99"], ["stop", "e99"], ["show", "nix"],
                      ["check", "/nix"], ["session", "show", "--session", "nix"], ["help", "nix"]):
            done = d.ctl(*words)
            status(done, 127)
            assert "runbookctl: " in done.err, repr(done)
        assert "did you mean ok" in d.ctl("run", book, "okk").err
        d.end_sessions()


def test_verbs_that_start_no_daemon_show_nothing():
    with Daemon("none") as d:
        for words in (["ps"], ["list"], ["events"], ["session", "list"]):
            status(d.ctl(*words), 0)
        assert d.ctl("ps", "--json").json() == {"executions": []}
        assert d.ctl("events").out == b"" and d.ctl("list", "--json").out == b""
        status(d.ctl("logs", "e1"), 127)
        assert d.broker_pid() is None, "a verb that only looks started a daemon"


def test_run_json_tells_one_event_a_line():
    with Daemon("json") as d:
        book = d.write("s/runbook.mdx", "# J\n\n<Command id=\"a\" command={`printf 'h\\\\303\\\\251\\\\nl\\\\377'`} />\n"
                       "\n<Command id=\"b\" command=\"exit 4\" />\n")
        done = status(d.ctl("run", book, "--json"), 4)
        lines = done.lines()
        kinds = [line["event"] for line in lines]
        assert kinds[0] == "started" and kinds[-1] == "run" and kinds.count("finished") == 2, kinds
        for line in lines[:-1]:
            assert {"event", "execution", "block", "at"} <= line.keys(), line
        for line in lines:
            if line["event"] == "finished":
                assert {"outcome", "exit", "signal", "duration_ms", "output_bytes", "script_sha256",
                        "profile"} <= line.keys(), line
                assert len(line["script_sha256"]) == 64, line
        assert lines[-1] | {"passed": 1, "failed": 1, "refused": 0} == lines[-1], lines[-1]
        import base64
        told = b"".join(line["text"].encode() if "text" in line else base64.b64decode(line["base64"])
                        for line in lines if line["event"] == "output" and line["block"] == "a")
        assert told == b"h\xc3\xa9\nl\xff", told
        refused = status(d.ctl("run", book, "a", "--json", "--profile", "nix"), 126).lines()
        assert refused[0]["event"] == "refused" and refused[-1]["refused"] == 1, refused
        assert done.err == "", done.err
        d.end_sessions()


def test_ps_show_and_session_json():
    with Daemon("shapes") as d:
        book = d.write("s/runbook.mdx", BOOK)
        execution = status(d.ctl("run", book, "long", "--detach"), 0).text()
        assert execution.endswith("\n") and execution.strip() and " " not in execution, execution
        execution = execution.strip()
        listed = d.ok("ps", "--json").json()["executions"]
        assert [one["id"] for one in listed] == [execution], listed
        assert {"id", "runbook", "block", "state", "outcome", "started_at", "actor",
                "output_bytes"} <= listed[0].keys(), listed
        assert listed[0]["state"] in ("preparing", "running") and listed[0]["outcome"] is None
        shown = d.ok("show", "s", "--json").json()
        assert {"runbook", "digest", "blocks"} <= shown.keys() and len(shown["digest"]) == 64, shown
        assert {"id", "type", "line", "kind", "language", "script", "digest", "inputs"} <= shown["blocks"][0].keys()
        assert d.ok("show", "s", "ok", "--source").out == b"echo fine"
        status(d.ctl("stop", execution, "--grace", "0"), 0)
        status(d.ctl("wait", execution), 143)
        status(d.ctl("attach", execution), 143)
        assert d.ok("logs", execution).out == b"started\n"
        assert [one["outcome"] for one in d.ok("ps", "-a", "--json").json()["executions"]] == ["stopped"]
        status(d.ctl("wait", "-l"), 143)
        numbers = [json.loads(line)["line"] for line in d.ok("events", "--json").out.splitlines()]
        assert numbers == list(range(1, len(numbers) + 1)), numbers
        some = [json.loads(line)["line"] for line in d.ok("events", "--json", "--from", "3").out.splitlines()]
        assert some == numbers[2:], some
        ended = d.ok("session", "end", "--json").json()
        assert ended["status"] == "ended" and len(ended["head"]) == 64, ended


def test_check_needs_no_daemon_and_follows_its_shape():
    with Daemon("check") as d:
        good = d.write("a/runbook.mdx", "# A\n\n<Command id=\"a\" command=\"echo hi\" />\n")
        bad = d.write("b/runbook.mdx", "# B\n\nimport x from 'y'\n\n<Script src=\"x\" />\n")
        broken = d.write("c/runbook.mdx", "# C\n\n<Command id=\"a\" path=\"nix.sh\" />\n")
        warned = d.write("d.md", "---\ntitle: D\n---\n\n```bash run wibble\necho d\n```\n")
        done = status(d.ctl("check", "--json", good), 0)
        one = done.json()
        assert one["file"] == good and one["ok"] and one["format"] == "mdx" and one["errors"] == [], one
        block = one["blocks"][0]
        assert {"id", "type", "line", "kind", "language", "flags", "executable", "script_sha256", "digest"} <= block.keys()
        import hashlib
        assert block["script_sha256"] == hashlib.sha256(b"echo hi").hexdigest(), block
        assert block["executable"] and len(block["digest"]) == 64
        one = status(d.ctl("check", "--json", bad), 126).json()
        assert not one["ok"] and one["blocks"] == [] and one["errors"][0]["construct"] == "esm", one
        assert {"line", "column", "code", "construct", "message"} <= one["errors"][0].keys()
        one = status(d.ctl("check", "--json", broken), 126).json()
        assert one["ok"] and one["errors"][0]["construct"] is None and not one["blocks"][0]["executable"], one
        one = status(d.ctl("check", "--json", warned), 0).json()
        assert one["format"] == "markdown" and one["warnings"][0]["code"] == "unknown-flag", one
        assert one["blocks"][0]["flags"] == ["run", "wibble"], one
        status(d.ctl("check", "--strict", warned), 1)
        done = status(d.ctl("check", d.books), 126)
        assert "4 files: 1 refused, 1 with errors, 1 with warnings" in done.err, repr(done)
        assert f"{bad}:3:1: error[".encode() in done.out, repr(done)
        assert d.broker_pid() is None


def test_the_digest_that_check_prints_is_the_one_that_runs():
    with Daemon("digest") as d:
        book = d.write("s/runbook.mdx", BOOK)
        checked = {b["id"]: b["digest"] for b in d.ok("check", "--json", book).json()["blocks"]}
        d.ok("open", book)
        shown = {b["id"]: b["digest"] for b in d.ok("show", "s", "--json").json()["blocks"]}
        assert checked == shown and all(checked.values()), (checked, shown)
        d.end_sessions()


if __name__ == "__main__":
    harness.main(globals())
