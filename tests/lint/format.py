"""format.py — sources are as clang-format 14 writes them.   [lint]"""
import shutil
import subprocess
import sys

from sources import CODE, ROOT, finish, ours


def main():
    tool = shutil.which("clang-format-14") or shutil.which("clang-format")
    if tool is None:
        print("clang-format isn't installed")
        sys.exit(77)
    done = subprocess.run([tool, "--dry-run", *map(str, ours(*CODE))], cwd=ROOT,
                          capture_output=True, text=True, check=False)
    bad = sorted({line.split(":")[0] for line in done.stderr.splitlines() if "[-Wclang-format" in line})
    finish([f"{path.removeprefix(str(ROOT) + '/')}: run ./dev format" for path in bad],
           "every source is formatted")


if __name__ == "__main__":
    main()
