"""words.py — one word for one thing, and a few things nobody may write.   [lint]
Source: docs/GLOSSARY.md; docs/HACKING.md §Style.
"""
import re

from sources import CODE, bare, finish, name, ours, product

# In code with comments and literals blanked out.
CODE_RULES = [
    (r"\b(?:class|struct|enum|using)\s+(?:class\s+)?\w*(?:Manager|Helper|Utils?|Factory|Impl)\b",
     "a name that says nothing: name what it is or does"),
    (r"\busing\s+namespace\s+(?!std::\w*literals|std::literals|rb\b|rb::)", "using namespace"),
    (r"\b(?:s?printf|strcpy|strcat|gets|system|popen|alloca|strtok)\s*\(", "an unsafe call"),
    (r"\b(?:std::)?(?:cout|cerr)\b", "iostreams: write through the client's or the log's own way"),
    (r"\bassert\s*\(", "assert: return an Error or abort by name"),
]
HEADER_RULES = [(r"\busing\s+namespace\s+(?!std::\w*literals|std::literals)",
                 "using namespace in a header")]
# Threat 61: a pid may be somebody else's by now. pidfds are signalled; -1 is PID 1's own tree; and
# these two are parents that signal a child of theirs which they haven't reaped.
PARENTS = ("broker/children.cpp", "broker/monitor/init.cpp")
TRUSTED_RULES = [(r"(?<!\w)::kill\s*\(\s*(?!-1)", "kill by number: signal a pidfd")]
# In everything, comments and docs too.
TEXT_RULES = [
    (r"/work/(?:main|shared)|/tmp/team", "a path of one machine"),
    (r"\bTODO(?!\([a-z]+\): )", "a TODO without its area"),
    (r"\bFIXME\b|\bXXX\b", "a mark without an owner"),
]
FILES = re.compile(r"(^|/)(utils?|helpers?|misc|stuff|manager)\.(h|cpp|py)$")


def matches(rules, text):
    for pattern, why in rules:
        for match in re.finditer(pattern, text):
            yield text.count("\n", 0, match.start()) + 1, why


def problems():
    for path in product():
        source, text = name(path), bare(path.read_text())
        rules = CODE_RULES + (HEADER_RULES if path.suffix == ".h" else [])
        trusted = source.startswith(("broker/", "policy/")) and source not in PARENTS
        rules += TRUSTED_RULES if trusted else []
        raw = path.read_text().splitlines()
        for line, why in matches(rules, text):
            if f"LINT: {why.split(':')[0]}" not in raw[line - 1]:
                yield f"{source}:{line}: {why}"
    for path in ours(*CODE, ".py", ".sh", ".md", ".capnp", ".build", ".service", ".socket", ".mdx"):
        source = name(path)
        if source.startswith(("tests/golden/", "tests/lint/", "tests/fuzz/corpus/", "tests/data/")):
            continue
        for line, why in matches(TEXT_RULES, path.read_text(errors="replace")):
            yield f"{source}:{line}: {why}"
        if FILES.search(source):
            yield f"{source}: a file name that says nothing"
    for path in product(".h"):
        if not path.read_text().startswith(f"// {path.name} — "):
            yield f'{name(path)}:1: a header starts with "// {path.name} — what it is.   [who uses it]"'


if __name__ == "__main__":
    finish(list(problems()), "the words are the glossary's")
