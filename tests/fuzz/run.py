"""run.py TARGET PLANTED CORPUS — one fuzz target under libFuzzer.   [tests]

First the planted build: it must crash, or the target finds nothing. Then the real one for
$RUNBOOKD_FUZZ_SECONDS (30): it must not. A crashing input is kept beside the target and printed.
"""
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

SECONDS = int(os.environ.get("RUNBOOKD_FUZZ_SECONDS") or 30)
ENV = {**os.environ, "ASAN_OPTIONS": "abort_on_error=0:detect_leaks=1:allocator_may_return_null=1",
       "UBSAN_OPTIONS": "halt_on_error=1:print_stacktrace=1"}


def fuzz(program, corpus, seconds, keep):
    """(found a crash?, libFuzzer's words)"""
    with tempfile.TemporaryDirectory(prefix="rb-fuzz-") as found:
        seeds = [str(corpus)] if corpus.is_dir() else []
        done = subprocess.run(
            [program, f"-max_total_time={seconds}", "-timeout=10", "-rss_limit_mb=2048",
             "-max_len=16384", "-print_final_stats=1", f"-artifact_prefix={keep}/", found, *seeds],
            env=ENV, capture_output=True, text=True, errors="replace", check=False,
            timeout=seconds * 4 + 120)
    return done.returncode != 0, done.stderr


def main():
    target, planted, corpus = Path(sys.argv[1]), Path(sys.argv[2]), Path(sys.argv[3])
    failed = 0
    with tempfile.TemporaryDirectory(prefix="rb-planted-") as keep:
        crashed, words = fuzz(planted, corpus, max(SECONDS, 120), keep)  # ends when it is found
    if not crashed or "heap-buffer-overflow" not in words:
        failed += 1
        print(f"the planted defect was not found:\n{words[-3000:]}")
    else:
        runs = re.findall(r"^#(\d+)", words, re.MULTILINE)
        print(f"planted defect found after {runs[-1] if runs else '0'} inputs")
    keep = target.parent / (target.name + ".crashes")
    keep.mkdir(exist_ok=True)
    crashed, words = fuzz(target, corpus, SECONDS, keep)
    stats = dict(re.findall(r"stat::(\w+):\s+(\d+)", words))
    print(f"{stats.get('number_of_executed_units', '?')} inputs, "
          f"{stats.get('average_exec_per_sec', '?')} a second, {SECONDS} s")
    if crashed:
        failed += 1
        print(words[-8000:])
        for file in sorted(keep.iterdir()):
            print(f"{file}: {file.read_bytes()[:400]!r}")
    print(f"[cases] {2 - failed} passed, {failed} failed, 0 skipped")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
