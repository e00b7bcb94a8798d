"""doc_paths.py — what the docs name exists: paths, links, programs, units, functions; and what
comments cite (docs/X.md §Section) is there to be read.   [lint]
"""
import re

from sources import ROOT, bare, finish, name, ours

TOP = r"(?:broker|client|common|daemon|docs|policy|protocol|systemd|tests|bin|\.ci)"
PATH = re.compile(rf"(?<![\w/.~$-])({TOP}/[\w./*{{}},<>-]*|(?:\./)?dev|meson\.build|meson_options\.txt"
                  r"|README\.md)(?![\w/])")
PROGRAM = re.compile(r"\b(runbook(?:ctl|d|-[a-z]+))(?![\w./-])")
UNIT = re.compile(r"\b(runbookd[\w-]*\.(?:socket|service|scope))\b")
FUNCTION = re.compile(r"`(?:[A-Z]\w*::([a-z_]\w+)(?:\(\))?|([a-z_]\w+)\(\))`")
CITED = re.compile(r"(docs/[A-Z]+\.md)(?: §([^.;,)\n]+))?")
KNOWN = {"runbookd-executions.scope", "runbookd-test", "runbookd-demo"}


def code(text):
    """(line, text) of everything set as code: fences and spans."""
    fenced = False
    for number, line in enumerate(text.splitlines(), 1):
        if re.match(r"\s*(```|~~~)", line):
            fenced = not fenced
        elif fenced:
            yield number, line
        else:
            for span in re.findall(r"`([^`]+)`", line):
                yield number, span


def exists(path):
    path = path.removeprefix("./").rstrip(".,:")
    for option in _options(path):
        pattern = re.sub(r"<[^>]*>", "*", option).rstrip("/")
        if not any(ROOT.glob(pattern)) if "*" in pattern else not (ROOT / pattern).exists():
            return False
    return True


def _options(path):
    match = re.search(r"\{([^{}]*)\}", path)
    if not match:
        return [path]
    return [option for part in match.group(1).split(",")
            for option in _options(path[:match.start()] + part + path[match.end():])]


def anchors(path):
    """What GitHub makes of each heading."""
    out = set()
    for line in path.read_text().splitlines():
        match = re.match(r"#+ (.*)", line)
        if match:
            out.add(re.sub(r"[^\w\- ]", "", match.group(1).lower()).replace(" ", "-"))
    return out


def programs():
    declared = (ROOT / "bin/meson.build").read_text()
    return set(re.findall(r"'(runbook[\w-]*)'", declared)) | KNOWN


def in_docs(path, built, defined):
    text, source = path.read_text(), name(path)
    for number, span in code(text):
        where = f"{source}:{number}"
        yield from (f"{where}: {found} doesn't exist" for found in PATH.findall(span)
                    if not exists(found))
        yield from (f"{where}: no program {found}" for found in PROGRAM.findall(span)
                    if found not in built)
        yield from (f"{where}: no unit {found}" for found in UNIT.findall(span)
                    if found not in KNOWN and not any(ROOT.glob(f"systemd/{found}*")))
        yield from (f"{where}: no function {''.join(found)}()"
                    for found in FUNCTION.findall(f"`{span}`") if "".join(found) not in defined)
    for target, anchor in re.findall(r"\]\((?!https?:|mailto:)([^)#\s]*)(?:#([^)\s]*))?\)", text):
        there = (path.parent / target).resolve() if target else path
        if not there.exists():
            yield f"{source}: link to {target}: doesn't exist"
        elif anchor and there.suffix == ".md" and anchor not in anchors(there):
            yield f"{source}: link to {target}#{anchor}: no such heading"


def in_comments(path):
    for number, line in enumerate(path.read_text().splitlines(), 1):
        for document, section in CITED.findall(line):
            there = ROOT / document
            if not there.exists():
                yield f"{name(path)}:{number}: {document} doesn't exist"
            elif section and not any(
                    re.match(r"#+ (\d+\.? )?" + re.escape(section.strip()), heading, re.IGNORECASE)
                    for heading in there.read_text().splitlines()):
                yield f"{name(path)}:{number}: {document} has no section {section.strip()}"


def problems():
    sources = ours(".h", ".cpp")
    defined = set()
    for path in sources + ours(".capnp"):
        defined |= set(re.findall(r"\b([a-z_]\w+)\s*\(", bare(path.read_text())))
    built = programs()
    for path in [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]:
        yield from in_docs(path, built, defined)
    for path in sources + ours(".capnp", ".py", ".build"):
        if name(path).startswith("tests/lint/"):
            continue
        yield from in_comments(path)


if __name__ == "__main__":
    finish(list(problems()), "everything the docs name exists")
