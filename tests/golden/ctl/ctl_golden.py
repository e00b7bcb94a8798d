"""What runbookctl says without a daemon, against files under review: help, completion, and `check` on
a folder of runbooks that are fine, warned of, broken and refused. `ctl_golden.py BUILD --update`
writes the files anew."""
import difflib
import os
import re
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]


def ctl(build, *words):
    done = subprocess.run([str(Path(build).resolve() / "bin" / "runbookctl"), *words], cwd=HERE, check=False,
                          capture_output=True, stdin=subprocess.DEVNULL,
                          env={"PATH": os.environ["PATH"], "LANG": "C.UTF-8", "HOME": "/nonexistent",
                               "XDG_RUNTIME_DIR": "/nonexistent"})
    return (f"$ runbookctl {' '.join(words)}\n" + done.stdout.decode() + done.stderr.decode() +
            f"[exit status {done.returncode}]\n")


def verbs(build):
    overview = ctl(build, "help")
    return re.findall(r"^  ((?:session |record )?[a-z]+)  +\S", overview, re.MULTILINE)


def made(build):
    names = verbs(build)
    yield "help.txt", ctl(build, "help") + "".join(ctl(build, *name.split(), "--help") for name in names)
    yield "check.txt", (ctl(build, "check", "books") + ctl(build, "check", "--strict", "books/warned.md") +
                        ctl(build, "check", "books/fine"))
    yield "check_json.txt", ctl(build, "check", "--json", "books")
    yield "refused.txt", "".join(ctl(build, *words.split()) for words in (
        "rnu", "approve e1", "session", "run", "run x --keep-goign", "run x --timeout", "ps x",
        "completion tcsh", "check nix", "list nix"))
    for shell in ("bash", "zsh", "fish"):
        yield f"completion.{shell}", ctl(build, "completion", shell)


def undocumented(build):
    """Every verb and option stands in docs/COMMANDS.md."""
    page = (ROOT / "docs" / "COMMANDS.md").read_text(encoding="utf-8")
    for name in verbs(build):
        if f"`{name}" not in page:
            yield f"docs/COMMANDS.md doesn't name the verb {name}"
        for option in re.findall(r"^  (?:-\w, |    )(--[a-z-]+)", ctl(build, *name.split(), "--help"), re.MULTILINE):
            if option not in page:
                yield f"docs/COMMANDS.md doesn't name {name} {option}"


def main():
    build, update = Path(sys.argv[1]).resolve(), "--update" in sys.argv[2:]
    failed = 0
    passed = 0
    for name, text in made(build):
        file = HERE / "expected" / name
        if update:
            file.parent.mkdir(exist_ok=True)
            file.write_text(text, encoding="utf-8")
        wanted = file.read_text(encoding="utf-8") if file.exists() else ""
        if text == wanted:
            passed += 1
            continue
        failed += 1
        print(*difflib.unified_diff(wanted.splitlines(), text.splitlines(), f"expected/{name}", "made",
                                    lineterm=""), sep="\n")
    missing = list(undocumented(build))
    print(*missing, sep="\n")
    passed, failed = passed + (not missing), failed + bool(missing)
    print(f"[cases] {passed} passed, {failed} failed, 0 skipped")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
