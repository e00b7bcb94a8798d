"""threats.py — docs/THREATS.md and the tests name each other: every test in its table exists, and every test
that bears a threat's number stands in that threat's row.   [lint]
"""
import re

from sources import ROOT, finish

PAGE = ROOT / "docs/THREATS.md"
TESTS = ROOT / "tests"
RESULTS = ("held", "bounded", "documented", "open", "later")
LAST = 90
ROW = re.compile(r"^\| (\d+) \| ([^|]+) \| ([^|]+) \| ([^|]+) \| ([^|]+) \|$", re.MULTILINE)


def titles(path):
    """Of the cases of a C++ file."""
    return re.findall(r'TEST_CASE\(\s*"((?:[^"\\]|\\.)*)"', path.read_text())


def missing(test):
    """Why what stands between back quotes is no test; "" when it is one."""
    file, _, case = test.partition(" ")
    path = TESTS / file
    if not path.is_file():
        return f"there is no tests/{file}"
    if path.suffix == ".cpp":
        found = case and any(title.startswith(case) for title in titles(path))
    elif file.startswith(("escape/attempts/", "lint/")):
        found = not case
    else:
        found = case and re.search(rf"^def {re.escape(case)}\(", path.read_text(), re.MULTILINE)
    return "" if found else f"tests/{file} has no case {case}"


def numbers_of(title):
    """4 and 8 and 9 of "escape 4, 8-9: …"; nothing of other titles."""
    match = re.match(r"escape (\d[\d, -]*):", title)
    out = set()
    for part in match.group(1).split(",") if match else ():
        first, _, last = part.strip().partition("-")
        out.update(range(int(first), int(last or first) + 1))
    return out


def numbered():
    """(number, file, case) of every test that bears a number."""
    for path in sorted((TESTS / "escape/attempts").glob("*.py")):
        yield int(path.stem[:3]), f"escape/attempts/{path.name}", ""
    for path in sorted((TESTS / "escape").glob("*.py")):
        for case, number in re.findall(r"^def (test_(\d{3})_\w+)\(", path.read_text(), re.MULTILINE):
            if path.name != "attempts.py":
                yield int(number), f"escape/{path.name}", case
    for path in sorted((TESTS / "escape").glob("*.cpp")):
        for title in titles(path):
            for number in numbers_of(title):
                yield number, f"escape/{path.name}", title


def problems(rows):
    for number, (tests, result) in rows.items():
        for test in tests:
            if why := missing(test):
                yield f"docs/THREATS.md, threat {number}: {why}"
        if not result.startswith(RESULTS):
            yield f"docs/THREATS.md, threat {number}: no result: {result}"
        if not tests and not result.startswith(("open: ", "later: ")):
            yield f"docs/THREATS.md, threat {number}: {result} without a test"
    for number in sorted(set(range(1, LAST + 1)) - set(rows)):
        yield f"docs/THREATS.md: threat {number} is missing"
    for number, file, case in numbered():
        named = any(test.partition(" ")[0] == file and case.startswith(test.partition(" ")[2])
                    for test in rows.get(number, ((), ""))[0])
        if not named:
            yield f"docs/THREATS.md: threat {number} doesn't name tests/{file} {case}".rstrip()


def main():
    rows, found = {}, []
    for number, _, _, tests, result in ROW.findall(PAGE.read_text()):
        if int(number) in rows:
            found.append(f"docs/THREATS.md: threat {number} stands there twice")
        rows[int(number)] = (re.findall(r"`([^`]+)`", tests), result)
    found += problems(rows)
    if len(list(numbered())) < 60:
        found.append("few tests bear a number: this lint no longer reads them")
    finish(found, f"{len(rows)} threats")


if __name__ == "__main__":
    main()
