"""libraries.py — each library is included by its one adapter, so that auditing or replacing it is
one file's work.   [lint]   Source: docs/HACKING.md §Libraries.
"""
import re

from sources import finish, includes, name, ours

ADAPTERS = {
    r"event2/|event\.h": ("common/loop.cpp",),
    r"openssl/": ("common/digest.cpp",),
    r"spdlog/|fmt/": ("common/log.cpp",),
    r"capnp/|kj/": ("protocol/wire.h",),
    r"seccomp\.h": ("common/confine_filter.cpp", "broker/filter.cpp"),
    r"sodium": ("common/seal.cpp",),
    r"yaml-cpp/": ("daemon/reader/yaml.cpp",),
    r"nlohmann/": ("common/json_reader.cpp",),
    r"CLI/": ("client/ctl/arguments.cpp",),
    r"systemd/": ("broker/service.cpp",),
}
# A test of an adapter may look at the library itself: evaluating a filter, checking a signature.
TESTS = "tests/"


def problems():
    for path in ours(".h", ".cpp"):
        source = name(path)
        for line, target, quoted in includes(path):
            if quoted:
                continue
            for library, adapters in ADAPTERS.items():
                if re.match(library, target) and source not in adapters and \
                        not source.startswith(TESTS):
                    yield f"{source}:{line}: <{target}> belongs to {' or '.join(adapters)}"


if __name__ == "__main__":
    finish(list(problems()), "every library has its one adapter")
