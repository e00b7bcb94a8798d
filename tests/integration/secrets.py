"""A sensitive input reaches the script's environment and nothing else: no argument of a program, no
file of the record, no view, no event, no log. (What a front can read of it: front/hostile_front.)
"""
import hashlib
import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import harness  # noqa: E402
from harness import Daemon, wait_until  # noqa: E402

SECRET = "correct horse' $(id) \"battery\\"
MDX = """# Secrets

<Command id="use" command={`printf %s {{ .inputs.Key }} | sha256sum; sleep {{ .inputs.Wait }}`}>
  <Inputs id="in">
    ```yaml
    variables:
      - name: Key
        type: string
        sensitive: true
        validations: [required]
      - name: Wait
        type: int
        default: 0
    ```
  </Inputs>
</Command>

<Command id="code" command={`true; bash -c {{ .inputs.Key }}`}>
  <Inputs id="in">
    ```yaml
    variables:
      - name: Key
        type: string
        sensitive: true
    ```
  </Inputs>
</Command>
"""
MARKDOWN = """---
title: Secrets
inputs:
  - name: TOKEN
    secret: true
---
# Secrets

```bash run
printf %s "$TOKEN" | sha256sum
```
"""
SHOWN = hashlib.sha256(SECRET.encode()).hexdigest() + "  -\n"


def give(d, values, name="values.json"):
    path = d.home / name
    path.write_text(json.dumps(values))
    harness.give(path)
    return str(path)


def holding(d, needles, below=("state", "run", "broker.log")):
    """Files of the daemon that hold one of them, books and home left out."""
    found = []
    for part in below:
        top = d.folder / part
        for path in [top] if top.is_file() else top.rglob("*"):
            if path.is_file() and any(needle in path.read_bytes() for needle in needles):
                found.append(str(path))
    return found


def needles(secret):
    raw = secret.encode()
    return [raw, json.dumps(secret)[1:-1].encode(), b"correct horse"]


def check_clean(d, *more):
    found = holding(d, needles(SECRET))
    assert not found, f"the value stands in {found}"
    for args in (("events", "--json"), ("events",), ("session", "log"), ("ps", "--all", "--json"),
                 ("record", "show"), ("record", "list"), *more):
        done = d.ctl(*args)
        said = done.out + done.err.encode()
        assert not any(needle in said for needle in needles(SECRET)), f"runbookctl {args} tells it"


def test_a_value_from_a_file_reaches_the_script_and_nothing_else():
    for options in ([], ["--verbatim"]):
        with Daemon("file") as d:
            book = d.write("s/runbook.mdx", MDX)
            done = d.ctl("run", book, "use", "--inputs", give(d, {"Key": SECRET}), *options)
            assert done.rc == 0 and done.text() == SHOWN, repr(done)
            assert not any(needle in done.err.encode() for needle in needles(SECRET)), done.err
            check_clean(d)
            started = next(line for line in d.journal() if line["type"] == "started")
            assert started["inputs"]["Key"] == "[secret]", started["inputs"]
            assert '"${RB_1}"' in started["script"], started["script"]
            d.end_sessions()
            check_clean(d)
            run = next((d.session_folder() / "runs").glob("*/run.md")).read_text()
            assert "[secret]" in run, run
            assert d.ctl("record", "verify").rc == 0


def test_a_markdown_secret_is_a_variable_of_the_block_alone():
    with Daemon("markdown") as d:
        book = d.write("m/runbook.md", MARKDOWN)
        done = d.ctl("run", book, "--inputs", give(d, {"TOKEN": SECRET}))
        assert done.rc == 0 and done.text() == SHOWN, repr(done)
        d.end_sessions()
        check_clean(d)


def test_while_it_runs_no_argument_of_any_process_holds_it():
    with Daemon("arguments") as d:
        book = d.write("s/runbook.mdx", MDX)
        values = give(d, {"Key": SECRET, "Wait": 30})
        execution = d.ok("run", book, "use", "--detach", "--inputs", values).text().strip()
        wait_until(lambda: d.pids("sleep"), 10, "the script at its end")
        for process in d.ours():
            line = Path(f"/proc/{process.pid}/cmdline").read_bytes()
            assert not any(needle in line for needle in needles(SECRET)), (process, line)
        d.ok("stop", execution, "--grace", "0s")
        d.end_sessions()
        check_clean(d)


def test_an_argument_is_no_place_for_it():
    with Daemon("argv") as d:
        book = d.write("s/runbook.mdx", MDX)
        for word in ("Key=opensesame", "in.Key=opensesame"):
            done = d.ctl("run", book, "use", "--input", word)
            assert done.rc == 125 and "sensitive" in done.err and "opensesame" not in done.err, repr(done)
        assert not [line for line in d.journal() if line["type"] == "started"]
        d.end_sessions()


def test_a_refusal_tells_nothing_of_it():
    with Daemon("refused") as d:
        book = d.write("s/runbook.mdx", MDX)
        for block, values in (("code", {"Key": SECRET}), ("use", {"Key": SECRET + "x" * 140_000})):
            done = d.ctl("run", book, block, "--inputs", give(d, values))
            assert done.rc == 126, repr(done)
            assert not any(needle in done.err.encode() for needle in needles(SECRET)), done.err
        assert [line for line in d.journal() if line["type"] == "refused"]
        d.end_sessions()
        check_clean(d)


def test_it_is_sealed_anew_for_a_new_broker():
    with Daemon("anew") as d:
        book = d.write("s/runbook.mdx", MDX)
        values = give(d, {"Key": SECRET})
        assert d.ctl("run", book, "use", "--inputs", values).rc == 0
        d.kill_broker()
        done = d.ctl("run", "s", "use", "--inputs", values)
        assert done.rc == 0 and done.text() == SHOWN, repr(done)
        d.end_sessions()
        check_clean(d)


if __name__ == "__main__":
    harness.main(globals())
