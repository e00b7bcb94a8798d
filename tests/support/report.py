"""report.py TREE OUT — adds up every meson test log below TREE/build*/, writes OUT (JSON), and ends
with the one line "N passed, N failed". A test program counts for its cases where it says how many
it has (doctest's summary, the harness's). Exit 1 when anything failed or nothing ran.   [tests]
"""
import json
import re
import sys
from pathlib import Path

DOCTEST = re.compile(r"\[doctest\] test cases: *\d+ \| *(\d+) passed \| *(\d+) failed(?: \| *(\d+) skipped)?")
TELLING = re.compile(r"FAILED|ERROR|Error:|error:|left running|SUMMARY|no planted defect|took ")
HARNESS = re.compile(r"^\[cases\] (\d+) passed, (\d+) failed, (\d+) skipped$", re.MULTILINE)


def cases(test):
    """(passed, failed, skipped) of one test program."""
    text = re.sub(r"\x1b\[[0-9;]*m", "", test.get("stdout") or "")
    result = test["result"]
    found = HARNESS.findall(text) or DOCTEST.findall(text)
    passed, failed, skipped = (sum(int(row[i] or 0) for row in found) for i in range(3))
    if DOCTEST.search(text) and not HARNESS.search(text):
        skipped = 0  # doctest counts what a filter left out
    good = result in ("OK", "EXPECTEDFAIL")
    if result == "SKIP":
        return 0, 0, max(1, skipped)
    if good:
        return max(1, passed) if not found else passed, failed, skipped
    return passed, max(1, failed), skipped


def say_why(name, test):
    """Long logs are cut in the middle: the reasons stand at the end, near the verdict."""
    text = (test.get("stdout") or "") + (test.get("stderr") or "")
    telling = [line[:600] for line in text.splitlines() if TELLING.search(line)]
    for line in telling[:12] or text.splitlines()[-12:]:
        print(f"  {line}")
    print(f"FAILED: {name}")


def main():
    tree, out = Path(sys.argv[1]), Path(sys.argv[2])
    total = [0, 0, 0]
    tests, failing = [], []
    for log in sorted(tree.glob("build*/meson-logs/testlog-*.json")):
        for line in log.read_text(errors="replace").splitlines():
            test = json.loads(line)
            counts = cases(test)
            total = [a + b for a, b in zip(total, counts)]
            name = f"{log.parent.parent.name} {test['name']}"
            tests.append({"name": name, "result": test["result"], "seconds": test.get("duration"),
                          "passed": counts[0], "failed": counts[1], "skipped": counts[2]})
            if counts[1]:
                failing.append((name, test))
            if counts[2]:
                for why in re.findall(r"^\S+ \.\.\. skipped: .*$", test.get("stdout") or "", re.MULTILINE):
                    print(f"{name}: {why}")
    out.parent.mkdir(exist_ok=True)
    passed, failed, skipped = total
    out.write_text(json.dumps({"passed": passed, "failed": failed, "skipped": skipped,
                               "tests": tests}, indent=1) + "\n")
    for name, test in failing:
        say_why(name, test)
    if not passed and not failed:
        print("no test ran")
    print(f"{passed} passed, {failed} failed" + (f", {skipped} skipped" if skipped else ""))
    sys.exit(1 if failed or not passed else 0)


if __name__ == "__main__":
    main()
