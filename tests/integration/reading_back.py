"""What a script leaves beside its output: $RUNBOOK_OUTPUT and $GENERATED_FILES are read when it is over,
kept and digested in the record. What it plants there instead of a file is named and never followed.
"""
import hashlib
import json
import os
import signal
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import harness  # noqa: E402
from harness import Daemon, wait_until  # noqa: E402

SECRET = "the-key-7f3a"


def sha(data):
    return hashlib.sha256(data).hexdigest()


def run(d, script, *args, kind="Command", rc=0, name="book"):
    d.write(f"{name}/run.sh", "#!/bin/bash\n" + script + "\n", 0o755)
    path = d.write(f"{name}/runbook.mdx", f'# Reading\n\n<{kind} id="x" path="run.sh" />\n')
    done = d.ctl("run", path, "--new", *args, timeout=120)
    assert done.rc == rc, repr(done)
    return done


def last(d):
    """The end line of the newest execution, and its folder."""
    line = [line for line in d.journal() if line["type"] == "finished"][-1]
    return line, d.execution_folder(line["execution"])


def listed(folder):
    path = folder / "generated.jsonl"
    lines = [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []
    return {str(line["path"]): line.get("unread") or line["sha256"] for line in lines}


def verified(d):
    done = d.ctl("record", "verify", "--json")
    assert done.rc == 0, repr(done)


def test_outputs_and_files_are_in_the_record():
    with Daemon("left") as d:
        for profile in ("workspace", "host"):
            run(d, 'echo "version=1.2" >>"$RUNBOOK_OUTPUT"; echo "sensitive:token=' + SECRET + '" >>"$RUNBOOK_OUTPUT"\n'
                   'mkdir -p "$GENERATED_FILES/sub"; printf abc >"$GENERATED_FILES/sub/a.txt"', "--profile", profile)
            line, folder = last(d)
            left = line["left"]
            outputs = (folder / "outputs").read_bytes()
            assert outputs == b"version=1.2\nsensitive:token=[secret]\n", (profile, outputs)
            assert left["outputs_bytes"] == len(outputs) and left["outputs_sha256"] == sha(outputs), left
            assert listed(folder) == {"sub/a.txt": sha(b"abc")}, profile
            assert left["list_sha256"] == sha((folder / "generated.jsonl").read_bytes())
            assert (left["files"], left["files_bytes"], left["unread"], left["note"]) == (1, 3, 0, ""), left
            words = folder / "outcome.json"  # follows the report
            wait_until(words.exists, 10, "outcome.json")
            assert json.loads(words.read_text())["left"] == left
            assert not (folder / "results").exists(), "the raw outputs stay nowhere"
        verified(d)
        d.ok("session", "end")
        page = d.ok("record", "show").text()
        assert "- `version` = `1.2`\n" in page and "- `token` = *(sensitive)*\n" in page, page
        assert "- `sub/a.txt`, 3 bytes\n" in page, page
        views = [d.ok("record", "show", "--json").json()]
        views += [json.loads(made.read_text()) for made in d.state.glob("sessions/*/runs/*/run.json")]
        assert len(views) == 3, "the daemon's two, and the one just made"
        for execution in (view["executions"][0] for view in views):
            assert execution["generated"][0]["path"] == "sub/a.txt", execution
            assert execution["outputs"] == [{"name": "token", "value": None, "sensitive": True},
                                            {"name": "version", "value": "1.2", "sensitive": False}], execution
        found = [p for p in d.state.rglob("*") if p.is_file() and SECRET in p.read_bytes().decode("utf-8", "replace")
                 and p.name not in ("run.sh", "script") and "journal" not in p.name and "run.m" not in p.name]
        assert not found, found  # a script holds it here, as it was written; what it said of it is kept nowhere


def test_a_script_that_leaves_nothing_has_no_word_of_it_and_a_failed_one_no_outputs():
    with Daemon("nothing") as d:
        run(d, "true")
        line, folder = last(d)
        assert "left" not in line and not (folder / "outputs").exists() and not (folder / "generated.jsonl").exists()
        run(d, 'echo a=1 >>"$RUNBOOK_OUTPUT"; echo x >"$GENERATED_FILES/log"; exit 3', rc=3)
        line, folder = last(d)
        assert line["left"]["files"] == 1 and line["left"]["outputs_bytes"] == 0, line
        assert not (folder / "outputs").exists()
        verified(d)


def test_a_check_has_outputs_and_no_folder_for_files():
    with Daemon("inspect") as d:
        done = run(d, 'echo "${GENERATED_FILES-none}"; ls -d "$RUNBOOK_WORK"; echo found=yes >>"$RUNBOOK_OUTPUT"; '
                      'cat "$RUNBOOK_OUTPUT"', kind="Check")
        assert done.text().startswith("none\n") and "found=yes" in done.text(), repr(done)
        line, folder = last(d)
        assert (folder / "outputs").read_text() == "found=yes\n", line
        # Elsewhere it can write as little as before, and the place has a bound.
        run(d, 'set -e; ! (: >/run/runbook/x) 2>/dev/null; ! (: >"$RUNBOOK_WORK/x") 2>/dev/null\n'
               'head -c 100M /dev/zero 2>/dev/null >"$(dirname "$RUNBOOK_OUTPUT")/big" && exit 1; true', kind="Check")


def test_what_is_planted_in_a_sandbox_is_named():
    plant = """cd "$GENERATED_FILES"
ln -s /etc/passwd link; ln -s / root; mkfifo fifo; truncate -s 1T sparse
python3 -c 'import socket; socket.socket(socket.AF_UNIX).bind("socket")' || true
mkdir locked; echo x >locked/x; echo x >none; chmod 000 locked none
echo fine >fine; printf x >$'new\\nline\\033[2J'; printf x >$'bad\\377'
for i in $(seq 40); do mkdir d; cd d || exit; done
"""
    with Daemon("planted") as d:
        for replace, why in (('ln -s /etc/passwd "$RUNBOOK_OUTPUT"', "a link"), ('mkfifo "$RUNBOOK_OUTPUT"', "a FIFO"),
                             ('truncate -s 1T "$RUNBOOK_OUTPUT"', "larger than the 1048576 bytes that may be read"),
                             ('mkdir "$RUNBOOK_OUTPUT"', "a folder"),
                             ('echo a >"$RUNBOOK_OUTPUT"; chmod 000 "$RUNBOOK_OUTPUT"', "Permission denied")):
            began = time.monotonic()
            run(d, plant + 'rm "$RUNBOOK_OUTPUT"\n' + replace)
            assert time.monotonic() - began < 20 * harness.SLOWER
            line, folder = last(d)
            assert line["left"]["note"] == "outputs aren't read: " + why, line
            assert not (folder / "outputs").exists()
            (folder / "generated/locked").chmod(0o700)
        files = listed(folder)
        deep = "/".join(["d"] * 33)
        assert files.pop(deep) == "folders are nested too deeply", files
        assert files.pop("fine") == sha(b"fine\n")
        assert files.pop("new\nline\x1b[2J") == sha(b"x") and files.pop("{'base64': 'YmFk/w=='}") == sha(b"x")
        files.pop("socket", None)  # where the kernel lets a sandbox make one
        assert files.pop("sparse").startswith("larger than the 26843"), files
        assert files == {"link": "a link", "root": "a link", "fifo": "a FIFO", "none": "Permission denied",
                         "locked": "Permission denied"}, files
        assert b"root:" not in (folder / "generated.jsonl").read_bytes()
        verified(d)


def test_a_link_planted_in_host_gives_nothing_away():
    with Daemon("host") as d:
        secret = d.home / "secret"
        secret.write_text(SECRET)
        harness.give(secret)
        # Control: what follows the link reads the secret; the script itself does.
        done = run(d, f'ln -sf {secret} "$RUNBOOK_OUTPUT"; ln -s {secret} "$GENERATED_FILES/a"; '
                      f'ln -s {d.home} "$GENERATED_FILES/b"; cat "$RUNBOOK_OUTPUT"', "--profile", "host")
        assert SECRET in done.text()
        line, folder = last(d)
        assert line["left"]["note"] == "outputs aren't read: a link", line
        assert listed(folder) == {"a": "a link", "b": "a link"}
        assert secret.read_text() == SECRET
        assert not (folder / "outputs").exists() and SECRET not in (folder / "generated.jsonl").read_text()


def test_what_a_leftover_of_host_goes_on_writing_counts_as_unread():
    writer = """cat >writer.py <<'PY'
import os, sys, time
fd = os.open(sys.argv[1], os.O_WRONLY | os.O_CREAT)
os.ftruncate(fd, 64 << 20)
print("ready", flush=True)
os.close(1)
end = time.monotonic() + 20
while time.monotonic() < end:
    os.pwrite(fd, b"x", 0)
PY
python3 writer.py "$1" </dev/null 2>/dev/null"""
    with Daemon("leftover") as d:
        d.write("writer.sh", "#!/bin/bash\n" + writer, 0o755)
        line = None
        path = d.folder / "pipe"
        os.mkfifo(path)
        harness.give(path)
        # Outside of every execution: as a service that a script of `host` asks for something.
        service = d.popen(["/bin/bash", "-c", f'read place <{path}; exec bash {d.books}/writer.sh "$place"'])
        try:
            run(d, f'echo "$GENERATED_FILES/a" >{path}; while [ ! -s "$GENERATED_FILES/a" ]; do sleep 0.05; done; sleep 0.2',
                "--profile", "host")
            line, folder = last(d)
            assert listed(folder) == {"a": "it was being written"}, (listed(folder), line)
        finally:
            for process in harness.descendants(service.pid):
                os.kill(process.pid, signal.SIGKILL)
            service.kill()
            service.wait()


def test_a_hundred_thousand_files_cost_a_bounded_list():
    with Daemon("many") as d:
        run(d, 'mkdir "$GENERATED_FILES/many"; cd "$GENERATED_FILES/many" && seq 100000 | xargs touch; echo x >../one',
            "--timeout", "5m")
        line, folder = last(d)
        assert listed(folder) == {"many": "more than 5000 entries", "one": sha(b"x\n")}, line


def test_a_killed_broker_finds_what_was_left():
    with Daemon("killed") as d:
        d.start_broker()
        gate = d.folder / "gate"
        os.mkfifo(gate)
        harness.give(gate)
        d.write("book/run.sh", '#!/bin/bash\necho a=1 >>"$RUNBOOK_OUTPUT"; echo x >"$GENERATED_FILES/f"\n'
                               'echo up; until [ -e "$RUNBOOK_WORK/go" ]; do sleep 0.05; done\n', 0o755)
        book = d.write("book/runbook.mdx", '# Killed\n\n<Command id="x" path="run.sh" />\n')
        d.ok("run", book, "--detach")
        work = wait_until(lambda: next(iter(d.state.glob("sessions/*/runs/*/work")), None), 10, "work folder")
        wait_until(lambda: any(p.read_bytes() for p in d.state.glob("sessions/*/executions/*/output")), 10, "script runs")
        d.kill_broker()
        (work / "go").touch()
        wait_until(lambda: any(d.state.glob("sessions/*/executions/*/outcome.json")), 20, "the monitor's outcome")
        d.start_broker()
        line = wait_until(lambda: next((line for line in d.journal() if line["type"] == "finished"), None), 20, "end line")
        assert line["recovered"] and line["outcome"] == "passed", line
        assert line["left"]["outputs_sha256"] == sha(b"a=1\n") and line["left"]["files"] == 1, line
        verified(d)


def test_a_killed_monitor_leaves_no_claim_and_no_raw_outputs():
    for profile in ("workspace", "host"):
        with Daemon("monitor") as d:
            d.start_broker()
            d.write("book/run.sh", '#!/bin/bash\necho sensitive:a=1 >>"$RUNBOOK_OUTPUT"; echo up; sleep 60\n', 0o755)
            book = d.write("book/runbook.mdx", '# Killed\n\n<Command id="x" path="run.sh" />\n')
            d.ok("run", book, "--detach", "--profile", profile)
            wait_until(lambda: any(p.read_bytes() for p in d.state.glob("sessions/*/executions/*/output")), 10, "script runs")
            raw = d.execution_folder("e1") / "results/output"
            assert raw.exists() == (profile == "host"), profile  # control: there it lies on the disk
            # Not the first process of its tree as well: in `host` nobody else ends what is in it.
            templates = [p.pid for p in d.ours() if p.ppid == d.broker_pid() and p.comm == "runbook-monitor"]
            for process in d.ours():
                if process.ppid in templates and process.comm == "runbook-monitor":
                    harness.kill(process.pid)
            line = wait_until(lambda: next((line for line in d.journal() if line["type"] == "finished"), None), 20, "end line")
            assert line["outcome"] == "interrupted" and "left" not in line, line
            assert not raw.exists() and not (raw.parents[1] / "outputs").exists()
            verified(d)


def test_a_changed_output_or_list_is_found():
    with Daemon("changed") as d:
        run(d, 'echo a=1 >>"$RUNBOOK_OUTPUT"; echo x >"$GENERATED_FILES/f"')
        _, folder = last(d)
        verified(d)
        for name in ("outputs", "generated.jsonl"):
            path = folder / name
            before = path.read_bytes()
            path.write_bytes(before.replace(b"a", b"b", 1))
            done = d.ctl("record", "verify", "--json")
            assert done.rc == 1 and name in done.json()["first_bad"]["file"], repr(done)
            path.unlink()
            done = d.ctl("record", "verify", "--json")
            assert done.rc == 1 and done.json()["first_bad"]["reason"] == "is missing", repr(done)
            path.write_bytes(before)
            verified(d)


if __name__ == "__main__":
    harness.main(globals())
