"""codes.py — every code that a check can give stands in docs/CHECKING.md, and no other.   [lint]"""
import re

from sources import ROOT, finish, name, product

GIVEN = re.compile(
    r'(?:code = |warn\(\w+, |refuse\(|fail\(\w+, [^,]*, |Severity::\w+, |broken\([^"]*)"([a-z]+(?:-[a-z]+)*)"'
    r'|"([RS][0-9]+-[a-z-]+)"|"(syntax-[a-z]+(?:-[a-z]+)*)"|\? "([a-z-]+-fence)" : "([a-z-]+-fence)"')
# The last line of a list that was cut; it isn't a finding.
NOT_CODES = {"more"}


def main():
    given = set()
    for path in product(".cpp"):
        if name(path).startswith("daemon/reader/"):
            for groups in GIVEN.findall(path.read_text()):
                given.update(code for code in groups if code)
    given -= NOT_CODES
    page = (ROOT / "docs/CHECKING.md").read_text()
    told = set()
    for row in re.findall(r"^\| (`[^|]*`) \|", page.split("## Codes", 1)[1], re.MULTILINE):
        told.update(re.findall(r"`([^`]+)`", row))
    problems = [f"docs/CHECKING.md doesn't have the code {code}" for code in sorted(given - told)]
    problems += [f"docs/CHECKING.md: no check gives the code {code}" for code in sorted(told - given)]
    if len(given) < 40:
        problems.append(f"only {len(given)} codes found: this lint no longer reads the sources")
    finish(problems, f"{len(given)} codes")


if __name__ == "__main__":
    main()
