"""arrows.py — who may include whom. A folder is a zone of trust; no other arrow is legal.   [lint]
Source: docs/ARCHITECTURE.md §Arrows.
"""
from sources import finish, includes, name, product

ARROWS = {
    "common": (),
    "protocol": ("common",),
    "policy": ("common",),
    "broker/monitor": ("common", "protocol", "policy"),
    "broker": ("common", "protocol", "policy"),
    "daemon/front": ("common", "protocol"),
    "daemon/reader": ("common", "protocol"),
    "client/lib": ("common", "protocol", "policy"),
    "client/ctl": ("client/lib", "common", "protocol", "policy"),
}
# One header of the monitor is the broker's too: what the machine offers is found out by doing what a
# monitor will do.
SHARED = {("broker", "broker/monitor/probe.h")}


def zone(path):
    """The longest folder of the table that holds this path."""
    fitting = [folder for folder in ARROWS if path.startswith(folder + "/")]
    return max(fitting, key=len) if fitting else None


def problems():
    for path in product():
        source = name(path)
        home = zone(source)
        if home is None:
            yield f"{source}: lies in no zone of the table"
            continue
        for line, target, quoted in includes(path):
            if not quoted:
                continue
            there = zone(target)
            if there is None:
                yield f'{source}:{line}: "{target}" is not named from the top of the tree'
            elif there != home and there not in ARROWS[home] and (home, target) not in SHARED:
                yield f"{source}:{line}: {home} may not include {there} ({target})"


if __name__ == "__main__":
    finish(list(problems()), "every arrow is legal")
