"""tidy.py BUILD [--quick] [FILE...] — clang-tidy over the trusted code, or these files.   [lint]
BUILD is a folder that clang built in: its compile_commands.json is what clang-tidy understands.
--quick leaves the analyzer out, which takes four times as long as all the rest.
"""
import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

from sources import ROOT, name, product

TRUSTED = ("broker/", "policy/", "common/")


def tidy(tool, build, more, path):
    done = subprocess.run([tool, "-p", build, "--quiet", *more, str(path)], cwd=ROOT,
                          capture_output=True, text=True, check=False)
    return done.stdout if done.returncode else ""


def main():
    tool = shutil.which("clang-tidy-14") or shutil.which("clang-tidy")
    if tool is None:
        print("clang-tidy isn't installed")
        sys.exit(77)
    words = sys.argv[2:]
    more = ["--checks=-clang-analyzer-*"] if "--quick" in words else []
    files = [word for word in words if word != "--quick"] or [p for p in product(".cpp") if name(p).startswith(TRUSTED)]
    with ThreadPoolExecutor(int(os.environ.get("RUNBOOKD_JOBS") or os.cpu_count())) as pool:
        found = [out for out in pool.map(lambda path: tidy(tool, sys.argv[1], more, path), files) if out]
    print("\n".join(found))
    print(f"{len(found)} of {len(files)} files have something to say" if found else "tidy")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
