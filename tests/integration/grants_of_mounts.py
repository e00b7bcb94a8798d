"""Grants of places that have several names: needs root, to mount.
"""
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import harness  # noqa: E402
from harness import Daemon  # noqa: E402


def test_another_name_of_home_is_home():
    """A second mount of the same folder has another path and is the same place."""
    harness.need_root()
    with Daemon("mounted") as d:
        book = d.write("g/runbook.md", "# G\n\n```bash run\ntrue\n```\n")
        d.ok("run", book)
        alias = d.folder / "alias"
        below = d.folder / "below"
        for place, source in ((alias, d.folder), (below, d.state)):
            place.mkdir()
            subprocess.run(["mount", "--bind", source, place], check=True)
        try:
            for path in (alias, alias / d.home.name, below, below / "sessions"):
                for option in ("--write", "--read", "--work"):
                    done = d.ctl("run", book, option, path)
                    assert done.rc == 126 and ("holds home" in done.err), (option, path, done)
        finally:
            for place in (below, alias):
                subprocess.run(["umount", place], check=True)
        d.end_sessions()


if __name__ == "__main__":
    harness.main(globals())
