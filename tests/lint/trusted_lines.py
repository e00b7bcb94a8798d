"""trusted_lines.py — the lines one must read to trust the broker: all of broker/ and policy/, and
what they include of common/ and protocol/. Non-blank, non-comment.   [lint]
"""
import sys

from sources import ROOT, bare, finish, includes, name, product

# Bubblewrap's 5,500 is the goal and is missed: docs/ARCHITECTURE.md. This is what there is: lower it
# with every line that goes. It rises with a feature that only trusted code can have, and no further:
#   12,073  the spine
#   12,092  descriptors are sent though the user's other programs have many under way
#   12,435  grants: credential sets, folders and files beside the profile's
#   12,472  fronts that can't confine themselves, proxies, homes behind links
#   12,560  trees that resist their end: fork bombs, writers and processes that nobody can end
#   12,606  scripts of a folder find in `host` what lies beside them
#   12,992  reading back: outputs and generated files, bounded, following nothing
#   13,113  credential sets: places that variables name, certificates
#   13,119  outputs that a killed monitor left in `host`
#   13,128  sockets are refused by name where Landlock holds none to a sandbox
#   13,162  the profile `sealed`: fewest variables, a network of its own, sockets refused by name
#   13,184  a waiting sandbox keeps neither replaced files nor mounts that were taken away
#   13,297  each profile is launched whole before it is offered
#   13,503  grants by descriptor, sockets by name, repositories below what may be changed
#   13,585  homes that aren't sealed, ways that are pinned, interpreters that are shown
#   13,964  a control group for each execution; clients from within one told by their parents
BUDGET = 13964
# Trusted code reads no text format at all: not even by way of common/.
NEVER = ("common/json_reader.h", "common/journal_reader.h")
# Whose constants the broker takes and whose code it doesn't link.
HEADER_ONLY = ("common/confine.h",)


def lines(path):
    return sum(1 for line in bare(path.read_text()).splitlines() if line.strip())


def reached(paths):
    """These files and, through their includes, what they need; a header brings its source."""
    todo, seen = list(paths), set()
    while todo:
        path = todo.pop()
        if path in seen or not path.exists():
            continue
        seen.add(path)
        if path.suffix == ".h" and name(path) not in HEADER_ONLY:
            todo.append(path.with_suffix(".cpp"))
        todo += [ROOT / target for _, target, quoted in includes(path) if quoted]
    return seen


def main():
    trusted = [p for p in product() if name(p).startswith(("broker/", "policy/"))]
    counts = {}
    for path in reached(trusted):
        parts = name(path).split("/")
        zone = "broker/monitor" if parts[:2] == ["broker", "monitor"] else parts[0]
        counts[zone] = counts.get(zone, 0) + lines(path)
    total = sum(counts.values())
    for zone, count in sorted(counts.items()):
        print(f"{count:6} {zone}")
    print(f"{total:6} trusted lines of at most {BUDGET}")
    if "--files" in sys.argv:
        for path in sorted(reached(trusted)):
            print(f"{lines(path):6} {name(path)}")
    problems = [f"{total} trusted lines: over the budget of {BUDGET}"] if total > BUDGET else []
    problems += [f"{path} is reached from trusted code" for path in map(name, reached(trusted))
                 if path in NEVER]
    finish(problems, "within the budget")


if __name__ == "__main__":
    main()
